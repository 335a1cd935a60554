# SPDX-License-Identifier: BSD-3-Clause
"""A threshold lies midway between the values of its node's rows on either side, to the last bit."""

import numpy as np
import pytest

from statfast.tree import DecisionTreeClassifier, DecisionTreeRegressor
from statfast.tree.cart import model as cart_model


@pytest.mark.parametrize("estimator", [DecisionTreeClassifier, DecisionTreeRegressor])
@pytest.mark.parametrize("kind", ["C", "F", "float32", "uint8", "missing", "tiny", "sparse"])
@pytest.mark.parametrize("most", [0, cart_model.MAX_STORED_VALUES])
def test_thresholds_are_middles(
    estimator: type, kind: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cart_model, "MAX_STORED_VALUES", most)
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(10, 3, (600, 4)), 1)
    if kind == "missing":
        X[rng.random(X.shape) < 0.2] = np.nan
    if kind == "tiny":
        X = np.ldexp(np.round(X - 10), -1074)
    if kind in ("float32", "uint8"):
        X = X.astype(kind)
    y = np.where(np.isnan(X[:, 0]), 9.0, X[:, 0]) * X.max() + rng.normal(size=600) > 100
    y = y ^ (rng.random(600) < 0.2)
    y[:20] = [False, True] * 10
    given = X
    if kind == "F":
        given = np.asfortranarray(X)
    if kind == "sparse":
        from scipy.sparse import csr_array

        given = csr_array(X)
    model = estimator(random_state=0).fit(given, y)
    tree, path = model.tree_, model.decision_path(given).toarray().astype(bool)
    only_missing_right = 0
    for node in np.flatnonzero(tree.children_left >= 0):
        column = X[:, tree.feature[node]].astype(np.float64)
        left, right = (
            column[path[:, child] & ~np.isnan(column)]
            for child in (tree.children_left[node], tree.children_right[node])
        )
        if not len(right):
            only_missing_right += 1
            assert tree.threshold[node] == np.inf
            continue
        if not len(left):
            continue
        low, high = left.max(), right.min()
        middle = low / 2 + high / 2
        assert tree.threshold[node] == (middle if low <= middle < high else low)
    assert (tree.children_left >= 0).sum() > 20
    assert (only_missing_right > 0) == (kind == "missing")


@pytest.mark.parametrize("estimator", [DecisionTreeClassifier, DecisionTreeRegressor])
@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("weights", ["none", "integers", "fractions"])
@pytest.mark.parametrize("kind", ["full", "leaves", "threads", "categories", "surrogates"])
def test_trees_are_the_same_without_stored_values(
    estimator: type, outputs: int, missing: bool, weights: str, kind: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    rng = np.random.default_rng(1)
    X = np.round(rng.normal(10, 3, (5000, 3)), 2)
    X[:, 2] = rng.integers(0, 6, len(X))
    Y = X[:, :1] * [1, -1] + (X[:, 2:] > 2) * [3, 1] + rng.normal(0, 2, (len(X), 2)) > [11, -9]
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    weight = {
        "none": None,
        "integers": rng.integers(0, 4, len(X)),
        "fractions": rng.random(len(X)) * (rng.random(len(X)) < 0.8),
    }[weights]
    settings = {
        "leaves": {"max_leaf_nodes": 50},
        "threads": {"n_jobs": 3},
        "categories": {"categorical_features": [2]},
        "surrogates": {"missing": "surrogate"},
    }.get(kind, {})
    model = estimator(random_state=0, **settings)
    y = Y[:, 0] if outputs == 1 else Y
    stored = model.fit(X, y, sample_weight=weight).tree_
    monkeypatch.setattr(cart_model, "MAX_STORED_VALUES", 0)
    read = model.fit(X, y, sample_weight=weight).tree_
    for name in ("children_left", "children_right", "feature", "threshold", "missing_go_to_left",
                 "impurity", "n_node_samples", "value"):  # fmt: skip
        np.testing.assert_array_equal(getattr(read, name), getattr(stored, name), err_msg=name)
    assert stored.node_count > 90
