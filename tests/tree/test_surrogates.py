# SPDX-License-Identifier: BSD-3-Clause
"""Splits by known values, surrogates, and priors with costs, against slow twins."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast import DecisionTreeClassifier, DecisionTreeRegressor
from statfast.tree import pruning_table, split_table
from tests.reference import cart, routes


def make(criterion, **params):
    kind = DecisionTreeRegressor if criterion == "squared_error" else DecisionTreeClassifier
    return kind(criterion=criterion, missing="surrogate", **params)


def sides_of(model, node, column, x, split=None):
    """0 left, 1 right, 2 not known: by a node, or by one of its surrogates."""
    tree = model.tree_
    by_set = tree.routes.of_sets[node] if split is None else split["of_sets"]
    threshold = tree.threshold[node] if split is None else split["threshold"]
    side = np.full(len(x), 2)
    if by_set:
        for to, codes in enumerate(tree.routes.codes(threshold)):
            side[np.isin(x, codes)] = to
        return side
    known = ~np.isnan(x)
    side[known] = (x[known] > threshold).astype(int)
    if split is not None and split["reversed"]:
        side[known] = 1 - side[known]
    return side


@given(st.integers(0, 10**6), st.sampled_from(["gini", "entropy", "error", "squared_error"]))
def test_nodes_against_the_twin(seed, criterion):
    rng = np.random.default_rng(seed)
    n, p, K = rng.integers(2, 26), rng.integers(1, 5), rng.integers(2, 4)
    X = rng.integers(0, 6, (n, p)).astype(float)
    X[rng.random(X.shape) < 0.25] = np.nan
    categorical = rng.random(p) < 0.3
    for j in np.flatnonzero(categorical):  # codes from 0 on, as the kernel sees them
        known = ~np.isnan(X[:, j])
        X[known, j] = np.unique(X[known, j], return_inverse=True)[1]
    y, w = rng.integers(0, K, n), rng.integers(1, 4, n).astype(float)
    most = int(rng.integers(0, 4))
    model = make(criterion, max_surrogates=most, categorical_features=categorical)
    tree = model.fit(X, y, sample_weight=w).tree_
    weights, targets = cart.fractions_of(w), cart.fractions_of(y)
    rows = [np.zeros(0, int)] * tree.node_count
    rows[0] = np.arange(n)
    for node in np.flatnonzero(tree.children_left >= 0).tolist():
        inside, j = rows[node], int(tree.feature[node])
        own = [[values[i] for i in inside] for values in (weights, targets)]
        gains = routes.best_known_decrease(criterion, X[inside], categorical, *own)
        best = max(gain for gain in gains if gain is not None)
        side = sides_of(model, node, j, X[inside, j])
        known = inside[side < 2]
        whole, *parts = (
            cart.impurity(criterion, [weights[i] for i in some], [targets[i] for i in some])
            for some in (known, inside[side == 0], inside[side == 1])
        )
        assert float(whole - sum(parts)) == pytest.approx(float(best), abs=1e-9)
        # surrogates, the best first, ties by column
        wanted = []
        for k in range(p):
            if k != j:
                one = routes.surrogates(X[inside, k], categorical[k], side, w[inside])
                wanted += [] if one is None else [(k, *one)]
        wanted = sorted(wanted, key=lambda one: -one[1])[:most]
        table = tree.routes.surrogates[tree.routes.surrogates["node"] == node]
        assert table["column"].tolist() == [one[0] for one in wanted]
        for got, (k, agree, adjusted, split, turned) in zip(table, wanted, strict=True):
            assert got["agree"] == pytest.approx(agree)
            assert got["adjusted"] == pytest.approx(adjusted)
            if categorical[k]:
                sets = [codes.tolist() for codes in tree.routes.codes(got["threshold"])]
                assert sets == [list(own) for own in split]
            else:
                assert (got["threshold"], got["reversed"]) == (split, turned)
            by = sides_of(model, node, k, X[inside, k], got)
            assert got["sent"] == ((side == 2) & (by < 2)).sum()
            side = np.where(side == 2, by, side)
        masses = [w[known][sides_of(model, node, j, X[known, j]) == s].sum() for s in (0, 1)]
        assert tree.missing_go_to_left[node] == (masses[0] >= masses[1])
        side = np.where(side == 2, int(masses[0] < masses[1]), side)
        rows[tree.children_left[node]] = inside[side == 0]
        rows[tree.children_right[node]] = inside[side == 1]
    np.testing.assert_array_equal(tree.n_node_samples, [len(inside) for inside in rows])
    for leaf in np.flatnonzero(tree.children_left < 0):
        assert (model.apply(X[rows[leaf]]) == leaf).all()


def sample(n=3000, lost=0.1):
    rng = np.random.default_rng(4)
    z = rng.normal(size=(n, 2))
    X = np.column_stack([z[:, 0], z[:, 0] + 0.3 * rng.normal(size=n), z[:, 1], rng.normal(size=n)])
    y = (z[:, 0] > 0.2).astype(int) + (z[:, 1] > 0.5)
    X[rng.random(X.shape) < lost] = np.nan
    return X, y.astype(int)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error", "squared_error"])
def test_large_nodes_choose_by_known_values(criterion):
    """Thousands of rows: the columns that are known wholly go by histograms."""
    X, y = sample()
    X[:, 3] = np.nan_to_num(X[:, 3])
    rng = np.random.default_rng(1)
    w = rng.random(len(y)) + 0.1
    model = make(criterion, max_depth=1).fit(X, y, sample_weight=w)
    best, where = -np.inf, None
    for j, column in enumerate(X.T):
        known = ~np.isnan(column)
        x, own, target = column[known], w[known], y[known]
        sums = np.eye(3)[target] if criterion != "squared_error" else target[:, None] * 1.0
        order = np.argsort(x, kind="stable")
        left = np.cumsum((sums * own[:, None])[order], axis=0)[:-1]
        nl = np.cumsum(own[order])[:-1]
        total, mass = (sums * own[:, None]).sum(axis=0), own.sum()
        gain = cart.gain_of_sums(criterion, left, total - left, nl, mass - nl)
        whole = cart.gain_of_sums(criterion, total, np.zeros_like(total), mass, np.float64(1.0))
        gain = np.where(np.diff(x[order]) > 0, gain - whole, -np.inf)
        if gain.max() > best:
            at = gain.argmax()
            best, where = gain.max(), (j, x[order][at], x[order][at + 1])
    assert model.tree_.feature[0] == where[0]
    assert where[1] <= model.tree_.threshold[0] < where[2]


def test_surrogates_send_rows_better_than_the_larger_side():
    X, y = sample(lost=0.3)
    some, rest = slice(0, 2000), slice(2000, None)
    rules = {"min_samples_leaf": 20, "max_depth": 3}
    with_them = make("gini", **rules).fit(X[some], y[some])
    without = make("gini", max_surrogates=0, **rules).fit(X[some], y[some])
    assert len(without.tree_.routes.surrogates) == 0
    assert with_them.score(X[rest], y[rest]) > without.score(X[rest], y[rest]) + 0.01


def test_without_missing_values_it_is_the_same_tree():
    X, y = sample(lost=0.0)
    for criterion in ("gini", "entropy", "squared_error"):
        got = make(criterion, max_depth=6).fit(X, y)
        want = type(got)(criterion=criterion, max_depth=6).fit(X, y)
        for name in ("feature", "threshold", "value", "children_left"):
            assert getattr(got.tree_, name).tobytes() == getattr(want.tree_, name).tobytes()
        assert got.predict(X).tobytes() == want.predict(X).tobytes()


def test_same_tree_for_any_threads_dtype_and_layout():
    X, y = sample(5000)
    X = X.astype(np.float32)
    want = make("gini", max_depth=8).fit(X, y)
    data = pickle.dumps(want)
    assert pickle.loads(data).predict_proba(X).tobytes() == want.predict_proba(X).tobytes()
    for rows in (np.asfortranarray(X), X.astype(np.float64)):
        for jobs in (1, 2, 7):
            got = make("gini", max_depth=8, n_jobs=jobs).fit(rows, y)
            assert got.tree_.threshold.tobytes() == want.tree_.threshold.tobytes()
            assert got.tree_.routes.surrogates.tobytes() == want.tree_.routes.surrogates.tobytes()
            assert got.predict_proba(rows).tobytes() == want.predict_proba(X).tobytes()


def test_best_first_prunings_and_empty_columns():
    X, y = sample()
    X = np.column_stack([X, np.full(len(X), np.nan)])
    full = make("gini", min_samples_leaf=5).fit(X, y)
    assert not (full.tree_.feature == 4).any()
    first = make("gini", min_samples_leaf=5, max_leaf_nodes=7).fit(X, y)
    small = make("gini", min_samples_leaf=5, ccp_alpha=0.003).fit(X, y)
    assert first.get_n_leaves() == 7
    assert 1 < small.get_n_leaves() < full.get_n_leaves()
    for model in (full, first, small):
        tree = model.tree_
        inner = np.unique(tree.routes.surrogates["node"])
        assert (tree.children_left[inner] >= 0).all()
        count = np.bincount(model.apply(X), minlength=tree.node_count)
        leaf = tree.children_left < 0
        np.testing.assert_array_equal(count[leaf], tree.n_node_samples[leaf])
    assert np.isfinite(model.predict_proba(np.full((1, 5), np.nan))).all()


def test_the_picture_says_where_missing_values_go():
    figure = pytest.importorskip("matplotlib.figure")
    plot = pytest.importorskip("statfast.plot")
    X, y = sample()
    by_surrogates = make("gini", max_depth=1).fit(X, y)
    text = plot.tree(by_surrogates, ax=figure.Figure().subplots()).texts[0]
    first = by_surrogates.tree_.routes.surrogates["column"][0]
    side = "yes" if by_surrogates.tree_.missing_go_to_left[0] else "no"
    assert text.split("\n")[1] == f"missing: as x{first}, {side}"
    learned = DecisionTreeClassifier(max_depth=1).fit(X, y)
    side = "yes" if learned.tree_.missing_go_to_left[0] else "no"
    assert f"\nmissing: {side}\n" in plot.tree(learned, ax=figure.Figure().subplots()).texts[0]
    known = DecisionTreeClassifier(max_depth=1).fit(np.nan_to_num(X), y)
    assert "missing" not in plot.tree(known, ax=figure.Figure().subplots()).texts[0]


# ------------------------------------------------------------------ priors and costs
def test_priors_are_weights_of_classes():
    X, y = sample(lost=0.0)
    priors = np.array([0.5, 0.2, 0.3])
    weights = {k: priors[k] / (y == k).sum() * len(y) for k in range(3)}
    got = DecisionTreeClassifier(priors=priors, max_depth=5).fit(X, y)
    want = DecisionTreeClassifier(class_weight=weights, max_depth=5).fit(X, y)
    np.testing.assert_array_equal(got.tree_.feature, want.tree_.feature)
    np.testing.assert_allclose(got.predict_proba(X), want.predict_proba(X), rtol=1e-12)
    np.testing.assert_allclose(got.node_counts()[0] / len(y), priors, rtol=1e-12)
    for smoothing in ("laplace", "m"):
        one, other = (m.predict_proba(X, smoothing=smoothing) for m in (got, want))
        np.testing.assert_allclose(one, other, rtol=1e-12)
    assert got.rank_leaves()[0].tolist() == want.rank_leaves()[0].tolist()


def test_costs_decide_what_leaves_say():
    X, y = sample(lost=0.0)
    X = X[:, 1:]  # without the column that decides
    cost = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [9.0, 1.0, 0.0]])
    model = DecisionTreeClassifier(cost=cost, max_depth=4).fit(X, y)
    shares = np.bincount(y) / len(y)
    altered = shares * cost.sum(axis=1)
    factor = altered / altered.sum() / shares
    twin = DecisionTreeClassifier(class_weight=dict(enumerate(factor)), max_depth=4).fit(X, y)
    np.testing.assert_array_equal(model.tree_.feature, twin.tree_.feature)
    leaves = model.apply(X)
    for leaf in np.unique(leaves):
        own = np.bincount(y[leaves == leaf], minlength=3)
        np.testing.assert_allclose(model.node_counts()[leaf], own, rtol=1e-9)
        assert model.predict(X[leaves == leaf])[0] == (own @ cost).argmin()
        assert model.node_classes()[leaf] == (own @ cost).argmin()
        np.testing.assert_allclose(model.predict_proba(X[leaves == leaf][:1])[0], own / own.sum())
    spent = cost[y, model.predict(X)].mean()
    plain = DecisionTreeClassifier(max_depth=4).fit(X, y)
    assert spent < cost[y, plain.predict(X)].mean()
    uniform = DecisionTreeClassifier(priors="uniform", cost=1 - np.eye(3), max_depth=4).fit(X, y)
    np.testing.assert_allclose(uniform.node_counts()[0], len(y) / 3)


def test_a_table_counts_costs():
    X, y = sample(600, lost=0.0)
    cost = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [9.0, 1.0, 0.0]])
    model = DecisionTreeClassifier(cost=cost, min_samples_leaf=10)
    fold = np.arange(600) % 5
    table = pruning_table(model, X, y, cv=fold, cp=0.0)
    root = (np.bincount(y) @ cost).min()
    small = table.pruned(len(table.cp) - 1)
    assert cost[y, small.predict(X)].sum() / root == pytest.approx(table.rel_error[-1])
    assert table.xerror[0] == pytest.approx(1.0, abs=0.05)
    assert table.xerror[-1] < 0.6


@pytest.mark.parametrize(("params", "message"), [
    ({"priors": [0.5, 0.5]}, "priors must hold one probability for each of the 3 classes; got 2"),
    ({"priors": [0.5, 0.5, 0.5]}, "priors must be positive and sum to 1"),
    ({"priors": [1.0, 0.0, 0.0]}, "priors must be positive and sum to 1"),
    ({"priors": "even"}, "priors must be one probability for each class, 'uniform' or None"),
    ({"cost": [[0, 1], [1, 0]]}, r"one column for each of the 3 classes; got \(2, 2\)"),
    ({"cost": np.ones((3, 3))}, "cost must be 0 on the diagonal"),
    ({"cost": [[0, 1, 1], [0, 0, 0], [1, 1, 0]]}, "positive somewhere in each row"),
    ({"priors": "uniform", "class_weight": "balanced"}, "class_weight must be None with priors"),
    ({"missing": "mean"}, "missing must be"),
    ({"max_surrogates": -1}, "max_surrogates must be"),
    ({"missing": "surrogate", "splitter": "random"}, "splitter='random' does not go with missing"),
])  # fmt: skip
def test_what_is_refused(params, message):
    X, y = sample(60)
    with pytest.raises(ValueError, match=message):
        DecisionTreeClassifier(**params).fit(X, y)


def test_more_that_is_refused():
    X, y = sample(60)
    two = np.column_stack([y, y])
    with pytest.raises(ValueError, match="priors and cost speak of one output"):
        DecisionTreeClassifier(priors="uniform").fit(X, two)
    with pytest.raises(ValueError, match="absolute_error' does not go with missing='surrogate'"):
        make("squared_error").set_params(criterion="absolute_error").fit(X, y)
    learned = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match="Fit it with missing='surrogate'"):
        split_table(learned, X, y)
    with pytest.raises(ValueError, match="X must be the rows of the fit"):
        split_table(learned, np.nan_to_num(X)[:-1], y[:-1])
    with pytest.raises(ValueError, match="must have one output"):
        split_table(DecisionTreeClassifier().fit(np.nan_to_num(X), two), np.nan_to_num(X), two)
    random = DecisionTreeClassifier(splitter="random").fit(np.nan_to_num(X), y)
    with pytest.raises(ValueError, match="must have best splits"):
        split_table(random, np.nan_to_num(X), y)
    with pytest.raises(TypeError, match="decision_tree must be a DecisionTree"):
        split_table(object(), X, y)
    with pytest.raises(ValueError, match="not fitted"):
        split_table(DecisionTreeClassifier(), X, y)
