# SPDX-License-Identifier: BSD-3-Clause
"""Results as pictures, data frames and printed tables: all show the same numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from statfast import DecisionTreeClassifier, LinearRegression, LogisticRegression, Ridge
from statfast.cluster import choose_n_clusters, cluster_stability, gap_statistic
from statfast.conformal import coverage_report
from statfast.datasets import load_iris
from statfast.linear import add1, anova, drop1, lasso_path, step, vif
from statfast.metrics import scatter_decomposition
from statfast.model_selection import compare
from statfast.patterns import association_rules, frequent_itemsets
from statfast.tree import pruning_table

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from statfast import plot

IRIS = load_iris()
X, Y = IRIS.data[:, :3], IRIS.data[:, 3]
LINE = LinearRegression().fit(X, Y)
FOLDS = np.arange(150) % 10


def axes():
    return Figure().subplots()


RESULTS = {
    "anova": lambda: anova(LINE),
    "drop1": lambda: drop1(LinearRegression(), X, Y),
    "add1": lambda: add1(LinearRegression(), X, Y, start=["x0"]),
    "vif": lambda: vif(LINE),
    "conf_int": lambda: LINE.conf_int(),
    "t_test": lambda: LINE.t_test(["x0", "x1"]),
    "wald_test": lambda: LINE.wald_test(["x0", "x1"]),
    "step": lambda: step(LinearRegression(), X, Y),
    "choose": lambda: choose_n_clusters(X, ks=[2, 3], random_state=0),
    "choose by gap": lambda: choose_n_clusters(
        X, ks=[2, 3], criterion="gap", n_boot=3, random_state=0
    ),
    "gap": lambda: gap_statistic(X, k_max=3, n_boot=3, random_state=0),
    "stability": lambda: cluster_stability(X, 2, n_boot=3, random_state=0),
    "scatter": lambda: scatter_decomposition(X, IRIS.target),
    "pruning": lambda: pruning_table(DecisionTreeClassifier(), X, IRIS.target, cv=FOLDS),
    "path": lambda: lasso_path(X, Y, alphas=5),
    "compare": lambda: compare([Ridge(), LinearRegression()], X, Y, cv=3),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_print_and_draw_themselves(name):
    found = RESULTS[name]()
    text = repr(found)
    assert text == str(found)
    assert "\n" in text
    assert "array(" not in text
    pytest.importorskip("pandas")
    assert len(found.to_frame())
    drawn = found.plot(ax=axes())
    ax = getattr(drawn, "ax_", drawn)
    assert ax.get_xlabel()
    assert ax.has_data()


def test_tables_draw_intervals_or_bars():
    found = LINE.t_test(["x0", "x1", "x2"])
    shown = plot.table(found, ax=axes())
    assert_allclose(shown.values, LINE.coef_)
    assert_allclose(shown.ends, np.asarray(LINE.conf_int())[1:])
    assert [text.get_text() for text in shown.ax_.get_yticklabels()] == ["x0", "x1", "x2"]
    bars = plot.table(anova(LINE), "F", ax=axes())
    assert list(bars.names) == ["x0", "x1", "x2"]  # residuals have no F
    assert_allclose([bar.get_width() for bar in bars.ax_.patches], bars.values)
    assert bars.ends is None
    mixed = plot.table(drop1(LinearRegression(), np.column_stack([X, FOLDS]), Y), ax=axes())
    faces = {name: bar.get_facecolor() for name, bar in zip("0123", _in_order(mixed), strict=True)}
    assert faces["3"] == (1.0, 1.0, 1.0, 1.0)  # the folds say nothing
    assert faces["0"] != faces["3"]
    model = LogisticRegression().fit(X[50:], IRIS.target[50:])
    if hasattr(model, "odds_ratios"):
        assert plot.table(model.odds_ratios(), ax=axes()).ax_.get_xscale() == "log"
    endless = {"5 %": np.array([-np.inf, 0.0]), "95 %": np.array([np.inf, 1.0])}
    drawn = plot.table(found.__class__(["a", "b"], endless), ax=axes()).ax_
    assert drawn.get_yticks().tolist() == [1, 0]
    assert np.isfinite(drawn.get_xlim()).all()
    with pytest.raises(ValueError, match="column must be"):
        plot.table(found, "none", ax=axes())
    with pytest.raises(ValueError, match="numbers to draw"):
        step(LinearRegression(), X, Y).path.__class__(["a"], {"b": np.array([np.nan])}).plot()


def _in_order(shown):
    """Bars from the first row, on top."""
    return sorted(shown.ax_.patches, key=lambda bar: -bar.get_y())


def test_steps_prunings_and_clusters_show_their_numbers():
    pytest.importorskip("pandas")
    found = step(LinearRegression(), X, Y, start="none")
    assert repr(found).startswith("Stepwise selection by AIC\n")
    assert repr(found).endswith("Kept: x0, x1, x2")
    line = found.plot(ax=axes()).ax_.lines[0]
    assert_allclose(line.get_ydata(), found.to_frame()["AIC"])
    empty = step(LinearRegression(), FOLDS[:, None], Y)
    assert repr(empty).endswith("Kept: the intercept alone")

    table = pruning_table(DecisionTreeClassifier(), X, IRIS.target, cv=FOLDS)
    shown = table.plot(ax=axes())
    assert_allclose(shown.limit, table.xerror[table.best] + table.xstd[table.best])
    assert repr(table).count("best") == repr(table).count("1 se") == 1
    assert "best" in repr(table).splitlines()[table.best + 1]

    stable = cluster_stability(X, 2, n_boot=4, random_state=0)
    assert_allclose(stable.to_frame()["jaccard"], stable.mean)
    assert len(stable.plot(ax=axes()).ax_.lines) == 2 + 1 + 2

    parts = scatter_decomposition(X, IRIS.target)
    frame = parts.to_frame()
    assert_allclose(frame["Sum Sq"]["cluster 0":"cluster 2"], parts.within_clusters)
    assert_allclose(frame["Sum Sq"][["within", "between", "total"]],
                    [parts.within, parts.between, parts.total])  # fmt: skip
    assert_allclose(frame["Share"]["within"], parts.within / parts.total)
    path = lasso_path(X, Y, alphas=5)
    assert_allclose(path.to_frame().to_numpy()[:, 1:], path.coefs.T)
    assert_allclose(path.to_frame()["(Intercept)"], path.intercepts)
    assert_allclose(path.to_frame().index, path.alphas)
    assert len(repr(path).splitlines()) == 6
    assert repr(path).splitlines()[1].split()[1:] == ["0", "0"]
    gaps = gap_statistic(X, k_max=3, n_boot=3, random_state=0)
    assert_allclose(gaps.to_frame()["gap"], gaps.gap)
    chosen = choose_n_clusters(X, ks=[2, 3], random_state=0)
    assert chosen.plot("within", ax=axes()).ax_.get_ylabel() == "sum within clusters"
    assert chosen.to_frame().index.tolist() == [2, 3]


@pytest.mark.parametrize("draw", [plot.table, plot.stepwise, plot.pruning, plot.stability])
def test_others_are_refused(draw):
    with pytest.raises(TypeError, match="result must be"):
        draw(3, ax=axes())


def test_rules_show_their_numbers():
    sets = frequent_itemsets([["bread", "milk"], ["bread"], ["milk", "tea"]], 0.3)
    rules = association_rules(sets, min_threshold=0.5)
    shown = rules.plot(ax=Figure().subplots())
    np.testing.assert_array_equal(shown.lift, rules.measure("lift"))
    assert shown.names[0] == "tea -> milk"
    points = shown.ax_.collections[0]
    order = np.argsort(shown.lift, kind="stable")
    drawn = np.column_stack([shown.support, shown.confidence])[order]
    np.testing.assert_array_equal(np.asarray(points.get_offsets()), drawn)
    np.testing.assert_array_equal(points.get_array(), shown.lift[order])
    assert (shown.ax_.get_xlabel(), shown.ax_.get_ylabel()) == ("support", "confidence")
    with pytest.raises(ValueError, match="at least one rule; got none"):
        plot.rules(rules[:0])
    with pytest.raises(TypeError, match="a result of association_rules"):
        plot.rules(sets)
    bars = sets.plot(ax=Figure().subplots())
    assert len(bars.names) == len(sets)


def test_coverage_by_group_shows_exact_intervals_and_the_level():
    rng = np.random.default_rng(0)
    y = rng.normal(size=400)
    groups = np.where(np.arange(400) < 100, "bad", "good")
    half = np.where(groups == "bad", 0.5, 3.0)
    report = coverage_report(y, np.column_stack([-half, half]), groups=groups, n_sizes=1)
    shown = plot.group_coverage(report, level=0.9, ax=axes(), color="k")
    assert shown.names == report.names
    assert_allclose(shown.coverage, report.coverage)
    assert shown.below.tolist() == [name != "group good" for name in report.names]
    lines = [line for line in shown.ax_.lines if line.get_marker() == "o"]
    drawn = np.concatenate([line.get_xdata() for line in lines])
    assert_allclose(np.sort(drawn), np.sort(report.coverage))
    labels = [label.get_text() for label in shown.ax_.get_yticklabels()]
    assert labels[1] == "group bad\n100 rows"
    assert not plot.group_coverage(report, ax=axes()).below.any()
    with pytest.raises(TypeError, match="report must be what coverage_report returned"):
        plot.group_coverage(y)
    with pytest.raises(ValueError, match="level must be"):
        plot.group_coverage(report, level=1.5)
    empty = coverage_report([], np.zeros((0, 2), dtype=bool), classes=["a", "b"])
    with pytest.raises(ValueError, match="report must have rows"):
        plot.group_coverage(empty)


def test_sizes_of_sets_are_shares_of_rows():
    sets = np.array([[True, False, False], [True, True, False], [False, False, False]])
    shown = plot.set_sizes({"a": sets, "b": np.ones((2, 3), dtype=bool)}, ax=axes())
    assert shown.sizes.tolist() == [0, 1, 2, 3]
    assert_allclose(shown.shares["a"], [1 / 3, 1 / 3, 1 / 3, 0.0])
    assert_allclose(shown.shares["b"], [0.0, 0.0, 0.0, 1.0])
    assert shown.means == {"a": 1.0, "b": 3.0}
    assert_allclose([bar.get_height() for bar in shown.ax_.patches[:4]], shown.shares["a"])
    names = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    assert names == ["a: 1", "b: 3"]
    assert shown.ax_.get_legend().get_title().get_text() == "labels on average"
    single = plot.set_sizes(sets.tolist(), ax=axes())
    assert single.ax_.get_legend() is None
    for wrong in (sets[0], sets.astype(float), np.zeros((0, 3), dtype=bool)):
        with pytest.raises(ValueError, match="sets must be of bool"):
            plot.set_sizes(wrong)
    with pytest.raises(TypeError, match="sets must be an array-like"):
        plot.set_sizes({})
