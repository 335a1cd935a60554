# SPDX-License-Identifier: BSD-3-Clause
"""Trees: every split is the best there is; scikit-learn's trees; the structure; bad input."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statfast import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreesClassifier
from statfast._engine import blocks
from statfast.datasets import load_iris
from statfast.tree.growing.arguments import MIN_PRODUCT
from tests.reference import cart

ARRAYS = (
    "children_left", "children_right", "feature", "threshold", "missing_go_to_left", "impurity",
    "n_node_samples", "weighted_n_node_samples", "value",
)  # fmt: skip


def make(criterion, **params):
    regresses = criterion in ("squared_error", "absolute_error", "poisson", "friedman_mse")
    return (DecisionTreeRegressor if regresses else DecisionTreeClassifier)(
        criterion=criterion, **params
    )


# ------------------------------------------------------------------ every split is the best
@given(st.integers(0, 10**6), st.sampled_from(["gini", "error", "squared_error", "entropy"]),
       st.booleans(), st.integers(1, 3))  # fmt: skip
def test_splits_are_best_in_exact_fractions(seed, criterion, missing, min_leaf):
    rng = np.random.default_rng(seed)
    n, p, K = rng.integers(2, 14), rng.integers(1, 4), rng.integers(2, 6)
    X = rng.integers(0, 5, (n, p)).astype(float)
    if missing:
        X[rng.random(X.shape) < 0.3] = np.nan
    y = rng.integers(0, K, n)
    w = rng.integers(1, 4, n).astype(float)
    model = make(criterion, min_samples_leaf=int(min_leaf)).fit(X, y, sample_weight=w)
    tree, rows = model.tree_, cart.rows_of_nodes(model.tree_, X)
    weights, targets = cart.fractions_of(w), cart.fractions_of(y)
    for node, inside in enumerate(rows):
        own = [[values[i] for i in inside] for values in (weights, targets)]
        whole = cart.impurity(criterion, *own)
        assert tree.impurity[node] * sum(own[0]) == pytest.approx(float(whole), abs=1e-9)
        best = cart.best_decrease(criterion, X[inside], *own, min_leaf)
        if tree.children_left[node] < 0:
            assert whole == 0 or best is None or len(inside) < 2 * min_leaf
            continue
        sides = [rows[tree.children_left[node]], rows[tree.children_right[node]]]
        left = sum(
            cart.impurity(criterion, [weights[i] for i in side], [targets[i] for i in side])
            for side in sides
        )
        assert float(whole - left) == pytest.approx(float(best), abs=1e-9)
        assert min(len(side) for side in sides) >= min_leaf


def shapes():
    for criterion, K in (("gini", 2), ("gini", 3), ("gini", 10), ("gini", 70), ("entropy", 2),
                         ("entropy", 7), ("error", 4), ("squared_error", 0)):  # fmt: skip
        yield from ((criterion, K, kind) for kind in ("normal", "ties", "bytes", "far"))


@pytest.mark.parametrize(("criterion", "K", "kind"), list(shapes()))
@pytest.mark.parametrize("weighted", ["", "whole", "any"])
def test_splits_of_large_nodes_are_best(criterion, K, kind, weighted):
    """Thousands of rows: histograms, bounds, refinement."""
    rng = np.random.default_rng(K)
    n, p = 3000, 4
    X = rng.normal(size=(n, p))
    signal = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n)
    if kind == "ties":
        X = np.rint(8 * X) / 8
    if kind == "bytes":
        X = np.clip(40 * X + 128, 0, 255).astype(np.uint8)
    if kind == "far":
        X = 1e9 + 1e-3 * X
    y = np.digitize(signal, np.quantile(signal, np.arange(1, K) / K)) if K else signal
    w = {"": np.ones(n), "whole": rng.integers(1, 4, n), "any": rng.random(n) + 0.1}[weighted]
    least = 1 if weighted == "whole" else 2  # where rows are told by their weights alone
    model = make(criterion, min_samples_leaf=least, max_depth=6, n_jobs=1)
    tree = model.fit(X, y, sample_weight=w if weighted else None).tree_
    rows = cart.rows_of_nodes(tree, X)
    for node in np.flatnonzero(tree.children_left >= 0):
        inside, left = rows[node], np.isin(rows[node], rows[tree.children_left[node]])
        own = w[inside].astype(float), y[inside]
        got = cart.gain_of_split(criterion, left, *own, K)
        best = cart.best_gain(criterion, X[inside].astype(float), *own, K, min_leaf=least)
        assert got >= best - 1e-9 * max(abs(best), 1e-3 * w.sum())


@pytest.mark.parametrize("min_leaf", [1, 3])
def test_weights_times_a_power_of_two_change_no_split(min_leaf):
    """Weights below 2^15 in a small node are counted in 16 bits, larger ones in 64."""
    rng = np.random.default_rng(5)
    X = np.round(rng.standard_normal((900, 9)), 1)
    y = X[:, 0] * X[:, 1] + rng.standard_normal(900) > 0
    weight = rng.integers(1, 4, 900)
    trees = [
        DecisionTreeClassifier(max_features=5, min_samples_leaf=min_leaf, random_state=0)
        .fit(X, y, sample_weight=weight * factor)
        .tree_
        for factor in (1, 2**9, 2**14, 2**18)
    ]
    for other in trees[1:]:
        for name in ("feature", "threshold", "children_left", "n_node_samples"):
            np.testing.assert_array_equal(getattr(other, name), getattr(trees[0], name))


@pytest.mark.parametrize("params", [{}, {"min_samples_leaf": 3}], ids=str)
@pytest.mark.parametrize("criterion", ["gini", "squared_error", "entropy"])
def test_of_equal_columns_the_first_splits(criterion, params):
    """In nodes of all sizes, whichever column's bins are looked into first."""
    rng = np.random.default_rng(3)
    own = np.column_stack([rng.normal(size=(5000, 2)), rng.integers(0, 9, (5000, 2))])
    y = own[:, 0] + own[:, 1] * own[:, 2] + rng.normal(size=5000)
    y = y if criterion == "squared_error" else y > 0
    tree = make(criterion, **params).fit(np.tile(own, 6), y).tree_
    single = make(criterion, **params).fit(own, y).tree_
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(tree, name), getattr(single, name))


def test_two_rows_are_told_apart_by_the_first_column_drawn_that_can():
    X = np.array([[1.0, 5.0, 2.0], [1.0, 3.0, 2.0]])
    for seed in range(5):
        tree = DecisionTreeRegressor(max_features=1, random_state=seed).fit(X, [0.0, 1.0]).tree_
        assert tree.feature[0] == 1
        assert tree.threshold[0] == 4.0
    assert make("poisson").fit(X, [0.0, 1.0]).tree_.node_count == 1  # a mean of 0 has no deviance
    assert make("gini", min_samples_leaf=2).fit(X, [0, 1]).tree_.node_count == 1


# ------------------------------------------------------------------ scikit-learn
def assert_same_tree(ours, peer, rtol=1e-7):
    """The same nodes, except below splits that gain the same."""
    waiting, seen = [(0, 0)], 0
    while waiting:
        a, b = waiting.pop()
        seen += 1
        assert ours.n_node_samples[a] == peer.n_node_samples[b]
        np.testing.assert_allclose(ours.impurity[a], peer.impurity[b], rtol, atol=1e-10)
        np.testing.assert_allclose(ours.value[a], peer.value[b], rtol, atol=1e-12)
        if ours.children_left[a] < 0 or peer.children_left[b] < 0:
            # scikit-learn splits nodes that are pure but for rounding
            assert ours.children_left[a] == peer.children_left[b] or ours.impurity[a] < 1e-12
            continue
        split = ours.feature[a], ours.threshold[a]
        if split == (peer.feature[b], peer.threshold[b]):
            waiting.append((ours.children_left[a], peer.children_left[b]))
            waiting.append((ours.children_right[a], peer.children_right[b]))
        else:
            assert left_over(ours, a) == pytest.approx(left_over(peer, b), rel=1e-9, abs=1e-12)
    return seen


def left_over(tree, node):
    """The impurity that the two sides of a node have."""
    sides = tree.children_left[node], tree.children_right[node]
    return sum(tree.impurity[s] * tree.weighted_n_node_samples[s] for s in sides)


def table(n=2000, p=5, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).astype(np.float32)  # as scikit-learn has them
    f = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)
    X[rng.random(X.shape) < missing] = np.nan
    return X, f.astype(np.float64), rng


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("params", [
    {}, {"min_samples_leaf": 7}, {"max_depth": 5, "min_samples_split": 40},
    {"max_leaf_nodes": 25}, {"min_impurity_decrease": 2e-3}, {"min_weight_fraction_leaf": 0.02},
    {"ccp_alpha": 1e-3}, {"max_depth": 4, "monotonic_cst": [1, 0, -1, 0, 0]},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_scikit_learns_trees(criterion, params, missing):
    peer = pytest.importorskip("sklearn.tree")
    if "ccp_alpha" in params and criterion != "squared_error":
        params = {"min_samples_leaf": 40, **params}  # else ties decide what is pruned
    X, y, _ = table(missing=missing)
    model = make(criterion, **params)
    if criterion != "squared_error":
        y = np.digitize(y, [0] if "monotonic_cst" in params else [-0.5, 0.5])
    twin = getattr(peer, type(model).__name__)(criterion=criterion, random_state=0, **params)
    ours, other = model.fit(X, y), twin.fit(X, y)
    assert assert_same_tree(ours.tree_, other.tree_) > 10
    if {"max_leaf_nodes", "max_depth", "min_samples_leaf"} & set(params) and criterion[0] == "s":
        np.testing.assert_allclose(ours.feature_importances_, other.feature_importances_, 1e-6)
        np.testing.assert_array_equal(ours.apply(X), other.apply(X))
        path = ours.decision_path(X[:50])
        assert (path != other.decision_path(X[:50])).nnz == 0
        np.testing.assert_allclose(ours.predict(X), other.predict(X))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", ["poisson", "absolute_error", "friedman_mse"])
def test_scikit_learns_other_criteria(criterion, weighted):
    peer = pytest.importorskip("sklearn.tree")
    X, y, rng = table(600)
    y = np.floor(np.exp(y)) if criterion == "poisson" else y
    w = rng.integers(1, 4, len(y)).astype(float) if weighted else None
    model = make(criterion, min_samples_leaf=5).fit(X, y, sample_weight=w)
    same = criterion.replace("friedman_mse", "squared_error")  # two names, scikit-learn says
    twin = peer.DecisionTreeRegressor(criterion=same, min_samples_leaf=5, random_state=0)
    twin.fit(X, y, sample_weight=w)
    assert assert_same_tree(model.tree_, twin.tree_) > 50


@pytest.mark.parametrize("classify", [True, False])
def test_several_outputs(classify):
    peer = pytest.importorskip("sklearn.tree")
    X, y, rng = table(800)
    Y = np.column_stack([y, X[:, 3] ** 2 + 0.1 * rng.normal(size=len(y))])
    if classify:
        Y = np.column_stack([np.digitize(Y[:, 0], [-1, 0, 1]), Y[:, 1] > 1])
    name = "DecisionTreeClassifier" if classify else "DecisionTreeRegressor"
    model = (DecisionTreeClassifier if classify else DecisionTreeRegressor)(min_samples_leaf=9)
    twin = getattr(peer, name)(min_samples_leaf=9, random_state=0).fit(X, Y)
    model.fit(X, Y)
    assert assert_same_tree(model.tree_, twin.tree_) > 50
    assert model.n_outputs_ == 2
    assert model.predict(X).shape == Y.shape
    if classify:
        assert [p.shape for p in model.predict_proba(X)] == [(800, 4), (800, 2)]
        assert [p.shape for p in model.predict_log_proba(X[:3])] == [(3, 4), (3, 2)]


def test_class_weights():
    peer = pytest.importorskip("sklearn.tree")
    X, y, _ = table()
    y = np.digitize(y, [-1.0, 1.5])
    for weight in ("balanced", {0: 3, 2: 0.5}):
        model = DecisionTreeClassifier(class_weight=weight, min_samples_leaf=9).fit(X, y)
        twin = peer.DecisionTreeClassifier(class_weight=weight, min_samples_leaf=9).fit(X, y)
        assert_same_tree(model.tree_, twin.tree_)


def test_pruning_path_is_scikit_learns():
    peer = pytest.importorskip("sklearn.tree")
    X, y, _ = table(700)
    path = DecisionTreeRegressor(min_samples_leaf=3).cost_complexity_pruning_path(X, y)
    twin = peer.DecisionTreeRegressor(min_samples_leaf=3, random_state=0)
    twin = twin.cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(path.ccp_alphas, twin.ccp_alphas, atol=1e-12)
    np.testing.assert_allclose(path.impurities, twin.impurities, atol=1e-9)
    for alpha, leaves in list(zip(path.ccp_alphas, path.n_leaves, strict=True))[::20]:
        small = DecisionTreeRegressor(min_samples_leaf=3, ccp_alpha=alpha).fit(X, y)
        assert small.get_n_leaves() == leaves


# ------------------------------------------------------------------ exact in float64
@pytest.mark.parametrize(
    "pair",
    [
        (1.0, np.nextafter(1.0, 2.0)),
        (0.0, 1e-7),
        (0.0, 5e-324),
        (-5e-324, 0.0),
        (1.7e308, 1.797e308),
        (-1.7e308, 1.7e308),
    ],
)
def test_any_two_numbers_can_be_parted(pair):
    X = np.array(pair)[:, None]
    model = DecisionTreeClassifier().fit(X, [0, 1])
    assert model.predict(X).tolist() == [0, 1]
    assert pair[0] <= model.tree_.threshold[0] < pair[1]


def test_targets_of_any_size():
    """Gains are exact whatever the offset and scale of y."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    y = np.rint(10 * (X[:, 0] + rng.normal(size=400)))
    plain = DecisionTreeRegressor(min_samples_leaf=4).fit(X, y).tree_
    for scaled in (y * 2.0**400, y * 2.0**-400, y + 2.0**40, -y):
        tree = DecisionTreeRegressor(min_samples_leaf=4).fit(X, scaled).tree_
        np.testing.assert_array_equal(tree.feature, plain.feature)
        np.testing.assert_array_equal(tree.threshold, plain.threshold)
        importances = tree.compute_feature_importances()
        np.testing.assert_allclose(importances, plain.compute_feature_importances(), rtol=1e-6)


@pytest.mark.parametrize("scale", [2.0**-500, 2.0**500])
@pytest.mark.parametrize("heavy", [2.0**-330, 1.0, 2.0**330])
def test_targets_whose_squares_are_no_numbers(scale, heavy):
    X, y, _ = table(60)
    weights = np.full(60, heavy)
    with pytest.raises(ValueError, match=r"^y must be constant, or have extremes between"):
        DecisionTreeRegressor().fit(X, y * scale, weights)
    exact = DecisionTreeRegressor(criterion="absolute_error", max_leaf_nodes=5)
    want = exact.fit(X, y).predict(X)
    np.testing.assert_allclose(exact.fit(X, y * scale, weights).predict(X) / scale, want)


def test_importances_under_large_weights():
    X, y, _ = table(60)
    model = DecisionTreeRegressor(max_leaf_nodes=5)
    want = model.fit(X, y).feature_importances_
    heavy = np.full(60, 2.0**330)
    got = model.fit(X, y * 2.0**300, heavy).feature_importances_
    np.testing.assert_allclose(got, want, rtol=1e-6)
    path = model.cost_complexity_pruning_path(X, y * 2.0**300, heavy)
    np.testing.assert_allclose(
        path.ccp_alphas / 2.0**600, model.cost_complexity_pruning_path(X, y).ccp_alphas, rtol=1e-6
    )


def test_an_outlier_takes_nothing_from_others():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(500, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=500)
    X[0], y[0] = 100.0, 1e15
    tree = DecisionTreeRegressor().fit(X, y)
    assert tree.predict(X[1:]) == pytest.approx(y[1:], abs=1e-12)


def test_a_chain_as_deep_as_its_rows():
    n = 1000
    X = np.arange(n, dtype=float)[:, None]
    y = 4.0 ** (np.arange(n // 2).repeat(2)[:n] - 260.0).clip(max=235)
    model = DecisionTreeRegressor().fit(X, y)
    assert model.get_depth() > 400
    np.testing.assert_allclose(model.predict(X), y)
    assert model.decision_path(X).shape == (n, model.tree_.node_count)


# ------------------------------------------------------------------ the same everywhere
@pytest.mark.parametrize("params", [
    {}, {"max_features": 2}, {"splitter": "random", "max_features": 3}, {"max_leaf_nodes": 40},
    {"min_samples_leaf": 3},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_same_tree_on_any_number_of_threads(criterion, params, monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    X, y, _ = table(20000)
    y = y > 0 if criterion == "gini" else y
    trees = [
        make(criterion, random_state=5, n_jobs=jobs, **params).fit(X, y).tree_ for jobs in (1, 2, 7)
    ]
    for other in trees[1:]:
        for name in ARRAYS:
            assert getattr(trees[0], name).tobytes() == getattr(other, name).tobytes(), name


def test_draws_depend_on_the_seed():
    X, y, _ = table()
    one, same, other = (
        DecisionTreeRegressor(max_features=1, random_state=seed).fit(X, y).tree_.feature
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one[:9], other[:9])
    assert len(set(one[one >= 0])) == 5


def test_random_splits_lie_between_the_extremes():
    X, y, _ = table(500)
    tree = DecisionTreeRegressor(splitter="random", random_state=0).fit(X, y).tree_
    rows = cart.rows_of_nodes(tree, X)
    for node in np.flatnonzero(tree.children_left >= 0):
        x = X[rows[node], tree.feature[node]]
        assert x.min() <= tree.threshold[node] < x.max()
        assert len(rows[node]) == tree.n_node_samples[node]


def test_a_fitted_tree_pickles():
    X, y, _ = table(300)
    model = DecisionTreeRegressor().fit(X, y)
    want = model.predict(X)
    data = pickle.dumps(model)
    assert pickle.loads(data).predict(X).tobytes() == want.tobytes()
    assert len(data) < 150 * model.tree_.node_count + 4000


# ------------------------------------------------------------------ missing values
def test_missing_values_at_prediction_alone_go_with_more_rows():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    model = DecisionTreeClassifier().fit(X, [0, 0, 0, 1, 1])
    assert model.predict([[np.nan]]).tolist() == [0]
    model = DecisionTreeClassifier().fit(X, [0, 0, 1, 1, 1])
    assert model.predict([[np.nan]]).tolist() == [1]


def test_missing_values_may_be_a_side_of_their_own():
    X = np.array([[0.0], [1.0], [np.nan], [np.nan]])
    model = DecisionTreeClassifier().fit(X, [0, 0, 1, 1])
    assert model.tree_.threshold[0] == np.inf
    assert model.predict([[np.nan], [1e9]]).tolist() == [1, 0]
    alone = DecisionTreeClassifier().fit(np.full((4, 2), np.nan), [0, 0, 1, 1])
    assert alone.tree_.node_count == 1


# ------------------------------------------------------------------ scoring and ranking
def test_scores_of_leaves():
    data = load_iris()
    model = DecisionTreeClassifier(max_depth=2).fit(data.data, data.target)
    leaves, counts = model.leaf_counts()
    assert counts.sum() == 150
    shares = model.predict_proba(data.data)
    mass = counts.sum(axis=1)[np.searchsorted(leaves, model.apply(data.data))][:, None]
    own = shares * mass
    laplace = model.predict_proba(data.data, smoothing="laplace")
    np.testing.assert_allclose(laplace, (own + 1) / (mass + 3))
    estimate = model.predict_proba(data.data, smoothing="m", m=6)
    np.testing.assert_allclose(estimate, (own + 2) / (mass + 6))
    ranked, scores = model.rank_leaves(model.classes_[1])
    assert (np.diff(scores) <= 0).all()
    assert ranked[0] == model.apply(data.data)[np.argmax(laplace[:, 1])]
    with pytest.raises(ValueError, match="label must be one of"):
        model.rank_leaves("no such class")


# ------------------------------------------------------------------ bad input
@pytest.mark.parametrize(("params", "words"), [
    ({"min_samples_leaf": 0}, "min_samples_leaf"),
    ({"min_samples_leaf": 1.5}, "min_samples_leaf must be at most 1.0; got 1.5"),
    ({"min_samples_split": 1}, "min_samples_split must be at least 2; got 1"),
    ({"max_features": 0}, "max_features must be at least 1"),
    ({"max_leaf_nodes": 1}, "max_leaf_nodes must be at least 2"),
    ({"max_depth": 0}, "max_depth must be at least 1"),
    ({"criterion": "poisson"}, "criterion must be 'gini', 'entropy'"),
    ({"monotonic_cst": [1, 0]}, "monotonic_cst must have one number for each of the 5"),
    ({"monotonic_cst": [1, 0, 0, 0, 2]}, "monotonic_cst must be None or a list of -1, 0 and 1"),
    ({"monotonic_cst": [1, 0, 0, 0, 0]}, "more classes"),
    ({"class_weight": {0: 0, 1: 0, 2: 0}}, "class_weight leaves no row any weight"),
], ids=str)  # fmt: skip
def test_bad_parameters(params, words):
    X, y, _ = table(60)
    with pytest.raises(ValueError, match=words):
        DecisionTreeClassifier(**params).fit(X, np.digitize(y, [-0.5, 0.5]))


def test_accuracy_is_of_one_output():
    X, y, _ = table(60)
    model = DecisionTreeClassifier().fit(X, np.column_stack([y > 0, y > 1]))
    with pytest.raises(ValueError, match=r"score is of one output; .* was fitted to 2"):
        model.score(X, y > 0)


@pytest.mark.parametrize("make", [DecisionTreeClassifier, ExtraTreesClassifier])
def test_one_class_leaves_nothing_to_constrain(make):
    # There is no second class, whose probability the constraints are about.
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.repeat([0, 1], 20)
    for weight in (y, 1 - y):
        tree = make(monotonic_cst=[1, -1], random_state=0).fit(X, y, sample_weight=weight)
        assert tree.n_classes_ == 1
        assert tree.predict_proba(X).tolist() == [[1.0]] * 40


def test_counts_must_be_counts():
    X, y, _ = table(60)
    with pytest.raises(ValueError, match="y must not be negative for criterion='poisson'"):
        DecisionTreeRegressor(criterion="poisson").fit(X, y)
    with pytest.raises(ValueError, match="y must have a positive sum"):
        DecisionTreeRegressor(criterion="poisson").fit(X, 0 * y)


def test_rows_without_weight_are_left_out():
    X, y, _ = table(300)
    w = np.ones(300)
    w[::3] = 0
    model = DecisionTreeRegressor().fit(X, y, sample_weight=w)
    kept = DecisionTreeRegressor().fit(X[w > 0], y[w > 0])
    for name in ARRAYS:
        np.testing.assert_allclose(getattr(model.tree_, name), getattr(kept.tree_, name))


def test_sparse_rows_have_no_categories():
    rows = sparse.csr_array(np.eye(4))
    with pytest.raises(TypeError, match="X must be dense for categorical_features"):
        DecisionTreeClassifier(categorical_features=[0]).fit(rows, [0, 1, 0, 1])


def test_more_columns_than_there_are_mean_all():
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 2
    assert DecisionTreeClassifier(max_features=9).fit(X, y).max_features_ == 2


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_targets_whose_range_is_too_small_for_their_weights(criterion):
    # Beside one heavy row the mean weight is a quarter, in units of the heaviest or less.
    X, y = np.arange(4.0)[:, None], np.array([0.0, 1.0, 0.0, 1.0])
    power = 0.5 if criterion == "squared_error" else 1.0
    tree = DecisionTreeRegressor(criterion=criterion)
    size = (3.0 * MIN_PRODUCT) ** power
    tree.fit(X, y * size)
    tree.fit(X, y * size, sample_weight=np.ones(4) * 2.0)
    with pytest.raises(ValueError, match="Rescale y"):
        tree.fit(X, y * size, sample_weight=np.array([1e3, np.pi, np.e, np.sqrt(2)]))


def test_a_smoothing_that_is_not_known():
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="smoothing must be"):
        tree.predict_proba([[0.0]], smoothing="none of them")
