# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of rankings and probabilities: they show the numbers that the scores give."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from statfast import LinearDiscriminantAnalysis, metrics, plot

Figure = pytest.importorskip("matplotlib.figure").Figure


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    X = rng.standard_normal((120, 2)) + y[:, None]
    return X, y, LinearDiscriminantAnalysis().fit(X, y)


def axes():
    return Figure().subplots()


def test_roc(rows):
    X, y, model = rows
    p = model.predict_proba(X)[:, 1]
    ax = axes()
    shown = plot.roc(model, X, y, band=0.9, iso="cost", cost=(1, 2), ax=ax, color="red")
    assert shown.ax_ is ax
    assert shown.figure_ is ax.figure
    fpr, tpr, _ = metrics.roc_curve(y, p)
    assert_array_equal(shown.fpr, fpr)
    curve = ax.lines[-1]
    assert_array_equal(curve.get_xydata(), np.column_stack([fpr, tpr]))
    assert curve.get_color() == "red"
    assert shown.auc == metrics.roc_auc_score(y, p)
    assert_array_equal(shown.hull[1], metrics.roc_hull(y, p)[1])
    assert shown.band.level == 0.9
    slope = metrics.iso_line(0.5, y.sum(), (1 - y).sum(), measure="cost", cost=(1, 2)).slope
    touching = next(line for line in ax.lines if line.get_color() == "0.45").get_xydata()
    assert touching[1, 1] - touching[0, 1] == pytest.approx(slope)
    height = touching[0, 1] + slope * shown.hull[0]
    assert (height - shown.hull[1]).min() == pytest.approx(0, abs=1e-12)
    again = shown.plot(ax=axes())
    assert again is shown
    assert shown.ax_ is not ax
    assert plot.roc(y, p, hull=False, ax=axes()).hull is None


def test_coverage(rows):
    X, y, model = rows
    shown = plot.coverage(model, X, y, ax=axes())
    assert shown.positives[-1] == y.sum()
    assert shown.negatives[-1] == (1 - y).sum()
    assert shown.ax_.get_xlabel() == f"negatives ({(1 - y).sum()})"
    touching = next(line for line in shown.ax_.lines if line.get_color() == "0.45").get_xydata()
    assert np.diff(touching, axis=0)[0] == pytest.approx([len(y) - y.sum()] * 2)


def test_precision_recall(rows):
    X, y, model = rows
    p = model.predict_proba(X)[:, 1]
    shown = plot.precision_recall(model, X, y, ax=axes())
    assert shown.average_precision == metrics.average_precision_score(y, p)
    assert shown.prevalence == y.mean()
    assert shown.area == metrics.precision_recall_interpolation(y, p)[2]
    few = plot.precision_recall([0, 1, 1], [1, 2, 3], ax=axes())
    assert len(few.ax_.lines) == 3


def test_cost_curves(rows):
    X, y, model = rows
    shown = plot.cost_curves(model, X, y, ax=axes())
    curve = shown.ax_.lines[-1].get_xydata()
    assert_array_equal(curve, np.column_stack([shown.probability_cost, shown.cost]))
    assert len(shown.ax_.lines) > len(
        plot.cost_curves(model, X, y, lines=False, ax=axes()).ax_.lines
    )


@pytest.mark.parametrize("strategy", ["isotonic", "uniform", "quantile"])
def test_calibration(rows, strategy):
    X, y, model = rows
    p = model.predict_proba(X)[:, 1]
    shown = plot.calibration(model, X, y, strategy=strategy, n_bins=5, ax=axes())
    assert shown.parts == metrics.score_decomposition(y, p)
    assert f"{shown.parts.miscalibration:.4f}" in shown.ax_.texts[0].get_text()
    if strategy == "isotonic":
        true, _ = metrics.calibration_curve(y, p, strategy=strategy)
        assert_allclose(np.unique(shown.prob_true), true)
    else:
        true, said = metrics.calibration_curve(y, p, n_bins=5, strategy=strategy)
        assert_array_equal([shown.prob_true, shown.prob_pred], [true, said])


def test_confusion(rows):
    X, y, model = rows
    names = np.array(["a long name", "b"])[y]
    named = LinearDiscriminantAnalysis().fit(X, names)
    shown = plot.confusion(named, X, names, ax=axes())
    assert_array_equal(shown.matrix, metrics.confusion_matrix(names, named.predict(X)))
    assert [t.get_text() for t in shown.ax_.get_xticklabels()] == ["a long name", "b"]
    assert {t.get_text() for t in shown.ax_.texts} == {str(n) for n in shown.matrix.ravel()}
    shares = plot.confusion(y, model.predict(X), normalize="true", labels=[1, 0], ax=axes())
    assert_allclose(shares.matrix.sum(axis=1), 1)


def test_bad_input(rows):
    X, y, model = rows
    with pytest.raises(ValueError, match="pos_label=5 is not a class"):
        plot.roc(model, X, y, pos_label=5, ax=axes())
    three = LinearDiscriminantAnalysis().fit(X, np.arange(120) % 3)
    with pytest.raises(ValueError, match="must have two classes; it has 3"):
        plot.roc(three, X, y, ax=axes())
    with pytest.raises(ValueError, match="one class"):
        plot.roc([1, 1], [1, 2], ax=axes())
    flipped = plot.roc(model, X, y, pos_label=0, ax=axes())
    assert flipped.auc == pytest.approx(metrics.roc_auc_score(y, model.decision_function(X)))


@pytest.mark.parametrize(
    "name", ["roc", "coverage", "precision_recall", "cost_curves", "confusion"]
)
def test_rows_come_with_a_model(name, rows):
    X, y, _ = rows
    for wrong in (y, LinearDiscriminantAnalysis, 3):
        with pytest.raises(TypeError, match="truth must be a fitted classifier where y is passed"):
            getattr(plot, name)(wrong, X, y, ax=axes())
    with pytest.raises(ValueError, match="is not fitted yet"):
        getattr(plot, name)(LinearDiscriminantAnalysis(), X, y, ax=axes())


def test_a_display_is_drawn_by_a_function():
    with pytest.raises(TypeError, match="draw must be a function"):
        plot.Display(3)


# ------------------------------------------------------------------ several curves, and points
class Above:
    """A classifier that only decides."""

    classes_ = np.array([0, 1])

    def __init__(self, at):
        self.at = at

    def predict(self, rows):
        return (np.asarray(rows)[:, 0] > self.at).astype(int)


def test_several_roc_curves(rows):
    X, y, model = rows
    models = {"lda": model, "flat": LinearDiscriminantAnalysis().fit(X[:, :1], y)}
    scores = {"lda": model.predict_proba(X)[:, 1], "x": X[:, 0]}
    shown = plot.roc(y, scores, band=0.9, iso="accuracy", ax=axes())
    for name, values in scores.items():
        fpr, tpr, at = metrics.roc_curve(y, values)
        assert_array_equal(shown.fpr[name], fpr)
        assert_array_equal(shown.tpr[name], tpr)
        assert_array_equal(shown.thresholds[name], at)
        assert shown.auc[name] == metrics.roc_auc_score(y, values)
        assert shown.band[name].level == 0.9
    labels = [line.get_label() for line in shown.ax_.lines]
    curves = [line for line in shown.ax_.lines if "AUC" in line.get_label()]
    assert labels[-2:] == [f"{name} (AUC {auc:.3f})" for name, auc in shown.auc.items()]
    assert_array_equal(curves[1].get_xydata(), np.column_stack([shown.fpr["x"], shown.tpr["x"]]))
    assert curves[0].get_color() != curves[1].get_color()
    both = plot.roc({"a": model, "b": model}, X, y, ax=axes())
    assert_array_equal(both.fpr["a"], shown.fpr["lda"])
    assert len(models) == 2


def test_the_hull_of_one_named_curve_is_its_own(rows):
    X, y, model = rows
    p = model.predict_proba(X)[:, 1]
    shown = plot.roc(y, {"lda": p}, ax=axes())
    fpr, tpr, _ = metrics.roc_hull(y, p)
    assert_allclose(shown.hull[0], fpr)
    assert_allclose(shown.hull[1], tpr)
    assert set(shown.hull[2]) == {"lda"}


def test_the_hull_of_several_lies_above_them_all(rows):
    X, y, _ = rows
    rng = np.random.default_rng(1)
    scores = {name: X[:, j % 2] + rng.standard_normal(len(y)) for j, name in enumerate("abc")}
    shown = plot.roc(y, scores, ax=axes())
    x, h, names = shown.hull
    slopes = np.diff(h) / np.maximum(np.diff(x), 1e-300)
    assert (np.diff(slopes) < 0).all()
    assert (x[0], h[0], x[-1], h[-1]) == (0, 0, 1, 1)
    for name in scores:
        above = np.interp(shown.fpr[name], x[1:] if x[1] == 0 else x, h[1:] if x[1] == 0 else h)
        assert (above >= shown.tpr[name] - 1e-12).all()
    for corner in zip(x, h, names, strict=True):
        name = corner[2]
        assert corner[:2] in set(zip(shown.fpr[name], shown.tpr[name], strict=True))


@pytest.mark.parametrize("draw", [plot.roc, plot.coverage])
def test_classifiers_that_only_decide_are_points(rows, draw):
    X, y, model = rows
    models = {"lda": model, "above 0": Above(0.0), "above 1": Above(1.0), "never": Above(1e9)}
    shown = draw(models, X, y, ax=axes())
    points = [line.get_xydata()[0] for line in shown.ax_.lines if line.get_marker() == "o"]
    sides = (1, 1) if draw is plot.roc else ((1 - y).sum(), y.sum())
    expected = [
        [
            models[name].predict(X)[y == k].mean() * side
            for k, side in zip((0, 1), sides, strict=True)
        ]
        for name in ("above 0", "above 1", "never")
    ]
    assert_allclose(points, expected)
    assert sorted(text.get_text() for text in shown.ax_.texts) == ["above 0", "above 1", "never"]
    labels = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    auc = metrics.roc_auc_score(y, model.predict_proba(X)[:, 1])
    assert labels == ["convex hull", f"lda (AUC {auc:.3f})" if draw is plot.roc else "lda"]


def test_scores_of_two_values_are_decisions(rows):
    X, y, _ = rows
    scores = {"a": X[:, 0], "b": np.where(X[:, 0] > 0, 1.0, 0.7)}
    shown = plot.roc(y, scores, ax=axes())
    (point,) = [line.get_xydata()[0] for line in shown.ax_.lines if line.get_marker() == "o"]
    assert_allclose(point, [(X[y == k, 0] > 0).mean() for k in (0, 1)])


def test_a_single_model_that_only_decides(rows):
    X, y, _ = rows
    shown = plot.roc(Above(0.5), X, y, ax=axes())
    assert_allclose(shown.fpr[1], (X[y == 0, 0] > 0.5).mean())
    assert [text.get_text() for text in shown.ax_.texts] == ["decisions"]


def test_names_of_points_keep_apart(rows):
    X, y, _ = rows
    models = {f"above {at}": Above(at) for at in (0.5, 0.501, 0.502, 0.503)}
    shown = plot.roc(models, X, y, ax=axes())
    heights = sorted(text.xyann[1] for text in shown.ax_.texts)
    assert np.diff(heights).min() > 0.049


def test_several_curves_refused(rows):
    X, y, model = rows
    with pytest.raises(TypeError, match="y must be passed with models; got None"):
        plot.roc({"a": model}, X, ax=axes())
    with pytest.raises(TypeError, match="y must be left out where scores are a dict"):
        plot.roc(model, {"a": X[:, 0]}, y, ax=axes())
    with pytest.raises(TypeError, match="scores must be a dict of one or more"):
        plot.coverage(y, {}, ax=axes())
    with pytest.raises(TypeError, match="truth must be a dict of one or more"):
        plot.coverage({}, X, y, ax=axes())
    with pytest.raises(TypeError, match="truth must be a fitted classifier"):
        plot.roc({"a": 3}, X, y, ax=axes())
    with pytest.raises(ValueError, match="NaN"):
        plot.roc(y, {"a": np.full(len(y), np.nan)}, ax=axes())
