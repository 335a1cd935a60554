# SPDX-License-Identifier: BSD-3-Clause
"""Random splits of numbers and of categories: what is drawn at each node, and what wins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast import ExtraTreesClassifier, ExtraTreesRegressor
from tests.reference import cart, routes
from tests.tree.test_categories import make, rows_of_nodes


@given(st.integers(0, 10**6), st.sampled_from(["gini", "entropy", "error", "squared_error"]),
       st.booleans(), st.integers(1, 2), st.sampled_from([3, 80, 300]))  # fmt: skip
def test_the_best_of_what_is_drawn_for_the_columns(seed, criterion, missing, min_leaf, c):
    """Each column has a draw of its own; the one that leaves the least impurity splits the node."""
    rng = np.random.default_rng(seed)
    n, K = rng.integers(2, 24), rng.integers(2, 5)
    X = rng.integers(0, c, (n, 3)).astype(float)
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    y, w = rng.integers(0, K, n), rng.integers(1, 4, n).astype(float)
    model = make(criterion, splitter="random", min_samples_leaf=int(min_leaf), random_state=seed,
                 categorical_features=[0, 2])  # fmt: skip
    model.fit(X, y, sample_weight=w)
    tree, rows = model.tree_, rows_of_nodes(model, X)
    known = [np.unique(x[~np.isnan(x)]).tolist() if j != 1 else None for j, x in enumerate(X.T)]
    weights, targets = cart.fractions_of(w), cart.fractions_of(y)
    np.testing.assert_array_equal(tree.n_node_samples, [len(own) for own in rows])
    keys = {0: int(np.random.default_rng(seed).integers(2**63))}
    for node in range(tree.node_count):  # parents come before children
        own, a, b = rows[node], tree.children_left[node], tree.children_right[node]
        assert (a < 0) <= (model.apply(X[own]) == node).all()

        def left_over(left, members=own):
            return float(sum(
                cart.impurity(criterion, [weights[i] for i in side], [targets[i] for i in side])
                for side in (members[left], members[~left])
            ))  # fmt: skip

        drawn = [routes.random_split(keys[node], j, X[own, j], known[j]) for j in range(3)]
        allowed = {
            j: left_over(left) for j, left in enumerate(drawn)
            if left is not None and min_leaf <= left.sum() <= len(own) - min_leaf
        }  # fmt: skip
        if a < 0:
            assert len(np.unique(y[own])) == 1 or len(own) < 2 * min_leaf or not allowed
            continue
        j = tree.feature[node]
        np.testing.assert_array_equal(rows[a], own[drawn[j]])
        assert allowed[j] == pytest.approx(min(allowed.values()), abs=1e-9)
        keys[a], keys[b] = routes.mixed(keys[node] ^ 1), routes.mixed(keys[node] ^ 2)


@given(st.integers(0, 10**6), st.booleans(), st.integers(1, 2))
def test_absolute_errors_of_what_is_drawn(seed, missing, outputs):
    rng = np.random.default_rng(seed)
    n = rng.integers(2, 24)
    X = rng.integers(0, 9, (n, 3)).astype(float)
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    Y, w = rng.integers(0, 5, (n, outputs)).astype(float), rng.integers(1, 4, n)
    model = make("absolute_error", splitter="random", max_depth=1, random_state=seed)
    tree = model.fit(X, Y, sample_weight=w).tree_
    key = int(np.random.default_rng(seed).integers(2**63))

    def left_over(left):
        each = [np.repeat(Y[side], w[side], axis=0) for side in (left, ~left)]
        return sum(np.abs(own - np.median(own, axis=0)).sum() for own in each)

    drawn = [routes.random_split(key, j, X[:, j], None) for j in range(3)]
    errors = {j: left_over(left) for j, left in enumerate(drawn) if left is not None}
    if tree.node_count == 1:
        assert not errors or (Y[0] == Y).all()
    else:
        assert errors[tree.feature[0]] == pytest.approx(min(errors.values()), abs=1e-9)
        assert tree.n_node_samples[1] == drawn[tree.feature[0]].sum()


def test_all_pairs_of_sets_are_drawn_alike():
    """Chi squared of 7 pairs of sets of 4 categories, in 2 800 trees of one split."""
    X = np.array([[0.0], [1.0], [2.0], [np.nan]])
    model = ExtraTreesRegressor(2800, max_depth=1, random_state=0, categorical_features=[0])
    leaves = model.fit(X, [0.0, 1.0, 2.0, 4.0]).apply(X)
    pairs, counts = np.unique(leaves != leaves[0], axis=1, return_counts=True)
    assert pairs.shape == (4, 7)
    assert ((counts - 400.0) ** 2 / 400).sum() < 22.46  # 0.999 of 6 degrees of freedom


def sample(n=900):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4)).astype(np.float32)
    X[:, 0], X[:, 2] = rng.integers(0, 70, n), rng.integers(0, 6, n)
    effect = rng.normal(size=70)[X[:, 0].astype(int)]
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, effect + rng.normal(size=n) / 9


@pytest.mark.parametrize("kind", [ExtraTreesClassifier, ExtraTreesRegressor])
@pytest.mark.parametrize("params", [{}, {"criterion": True}, {"max_leaf_nodes": 40}], ids=str)
def test_same_bits_for_any_threads_and_layout(kind, params):
    X, y = sample()
    if kind is ExtraTreesClassifier:
        y = np.digitize(y, [-0.7, 0.7])
    if "criterion" in params:
        params = {"criterion": "entropy" if kind is ExtraTreesClassifier else "friedman_mse"}
    said = set()
    for jobs in (1, 2, 7):
        for rows in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X[::-1][::-1]):
            model = kind(25, random_state=0, n_jobs=jobs, bootstrap=True, oob_score=True,
                         categorical_features=[0, 2], **params)  # fmt: skip
            model.fit(rows, y)
            answer = model.predict_proba(X) if kind is ExtraTreesClassifier else model.predict(X)
            said.add((answer.tobytes(), model.oob_score_, model.feature_importances_.tobytes()))
    assert len(said) == 1
    assert model.feature_importances_.argmax() == 0


def test_words_of_tables():
    pandas = pytest.importorskip("pandas")
    X, y = sample(300)
    X[np.isnan(X)] = 0
    words = pandas.Categorical([f"w{int(k):02d}" for k in X[:, 0]])
    frame = pandas.DataFrame({"a": words, "b": X[:, 1]})
    model = ExtraTreesRegressor(12, random_state=0).fit(frame, y)
    assert model.is_categorical_.tolist() == [True, False]
    same = ExtraTreesRegressor(12, random_state=0, categorical_features=[0]).fit(X[:, :2], y)
    assert model.predict(frame).tobytes() == same.predict(X[:, :2]).tobytes()
    tree = model.estimators_[0]
    assert tree.splitter == "random"
    assert all(isinstance(word, str) for side in tree.split_categories(0) or () for word in side)
    assert np.isfinite(model.predict(frame.assign(a="never seen"))).all()


def test_what_is_refused():
    X, y = sample(60)
    with pytest.raises(ValueError, match="absolute_error' does not go with categories"):
        ExtraTreesRegressor(2, criterion="absolute_error", categorical_features=[0]).fit(X, y)
    with pytest.raises(ValueError, match="monotonic_cst must be 0 for columns of categories"):
        ExtraTreesRegressor(2, monotonic_cst=[1, 0, 0, 0], categorical_features=[0]).fit(X, y)
    model = ExtraTreesRegressor(2, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="column 2 has others"):
        model.set_params(n_estimators=3, categorical_features=[2]).fit(X, y)
