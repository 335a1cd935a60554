# SPDX-License-Identifier: BSD-3-Clause
"""Trees and forests grown on sparse rows are those of the dense rows, bit for bit."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statfast.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from statfast.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    export_text,
    pruning_table,
    split_table,
)
from statfast.tree.growing import grow_tree
from statfast.tree.growing.arguments import rows_to_fit
from statfast.tree.growing.columns import ranked_columns
from statfast.tree.structure import dense_blocks

FIELDS = (
    "children_left", "children_right", "feature", "threshold", "missing_go_to_left", "impurity",
    "n_node_samples", "weighted_n_node_samples", "value",
)  # fmt: skip
FORMATS = {
    "csr": sparse.csr_array, "csc": sparse.csc_array, "coo": sparse.coo_array,
    "lil": sparse.lil_array, "dok": sparse.dok_array, "bsr": sparse.bsr_array,
    "dia": sparse.dia_array, "csr_matrix": sparse.csr_matrix, "csc_matrix": sparse.csc_matrix,
}  # fmt: skip


def table(rng, n, p, density, *, missing=0.0, ties=False):
    values = rng.integers(-2, 4, (n, p)) if ties else rng.normal(size=(n, p))
    X = np.where(rng.random((n, p)) < density, values, 0.0)
    X[rng.random((n, p)) < missing] = np.nan
    return X


def assert_same_tree(tree, expected):
    for name in FIELDS:
        np.testing.assert_array_equal(
            getattr(tree.tree_, name), getattr(expected.tree_, name), name
        )


problems = st.fixed_dictionaries({
    "seed": st.integers(0, 10**6),
    "n": st.sampled_from([1, 2, 3, 9, 60, 300]),
    "p": st.sampled_from([1, 3, 20, 90]),
    "density": st.sampled_from([0.0, 0.03, 0.2, 1.0]),
    "missing": st.sampled_from([0.0, 0.05]),
    "ties": st.booleans(),
})  # fmt: skip
settings_of_trees = st.fixed_dictionaries({
    "splitter": st.sampled_from(["best", "random"]),
    "max_features": st.sampled_from([None, "sqrt", 1]),
    "min_samples_leaf": st.sampled_from([1, 3]),
    "min_weight_fraction_leaf": st.sampled_from([0.0, 0.05]),
    "min_impurity_decrease": st.sampled_from([0.0, 0.01]),
    "max_depth": st.sampled_from([None, 3]),
    "max_leaf_nodes": st.sampled_from([None, 6]),
    "ccp_alpha": st.sampled_from([0.0, 0.02]),
    "n_jobs": st.sampled_from([1, 2]),
})  # fmt: skip


def drawn_weights(rng, n, kind):
    if kind == "none":
        return None
    weight = rng.integers(0, 4, n).astype(float) if kind == "whole" else rng.random(n) + 0.1
    weight[0] = 1.0
    return weight


@given(
    problems, settings_of_trees, st.sampled_from(["gini", "entropy", "error"]),
    st.sampled_from([1, 2, 4]), st.sampled_from(["none", "whole", "any"]), st.booleans(),
)  # fmt: skip
def test_classification_trees_are_those_of_dense_rows(problem, how, criterion, k, weights, several):
    rng = np.random.default_rng(problem.pop("seed"))
    X = table(rng, **problem)
    y = rng.integers(0, k, (len(X), 2) if several else len(X))
    signs = rng.integers(-1, 2, X.shape[1]) if k < 3 and not several else None
    how = {**how, "criterion": criterion, "monotonic_cst": signs, "random_state": 3}
    weight = drawn_weights(rng, len(X), weights)
    dense = DecisionTreeClassifier(**how).fit(X, y, sample_weight=weight)
    own = DecisionTreeClassifier(**how).fit(sparse.csr_array(X), y, sample_weight=weight)
    assert_same_tree(dense, own)


@given(
    problems, settings_of_trees, st.sampled_from(["squared_error", "absolute_error", "poisson"]),
    st.sampled_from(["none", "whole", "any"]), st.booleans(),
)  # fmt: skip
def test_regression_trees_are_those_of_dense_rows(problem, how, criterion, weights, several):
    rng = np.random.default_rng(problem.pop("seed"))
    X = table(rng, **problem)
    y = np.abs(rng.normal(size=(len(X), 2) if several else len(X))) + 0.1
    limited = criterion != "absolute_error" and not several
    signs = rng.integers(-1, 2, X.shape[1]) if limited else None
    how = {**how, "criterion": criterion, "monotonic_cst": signs, "random_state": 3}
    weight = drawn_weights(rng, len(X), weights)
    dense = DecisionTreeRegressor(**how).fit(X, y, sample_weight=weight)
    own = DecisionTreeRegressor(**how).fit(sparse.csc_array(X), y, sample_weight=weight)
    assert_same_tree(dense, own)


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier,
                                  RandomForestRegressor, ExtraTreesRegressor])  # fmt: skip
def test_forests_are_those_of_dense_rows(kind, several, bootstrap):
    rng = np.random.default_rng(0)
    X = table(rng, 250, 40, 0.1, missing=0.02)
    y = rng.integers(0, 3, (250, 2) if several else 250)
    weight = rng.integers(0, 3, 250) + (np.arange(250) == 0)
    models = []
    for rows, jobs in ((X, 1), (sparse.csr_array(X), 1), (sparse.csc_array(X), 2),
                       (sparse.coo_array(X), 7)):  # fmt: skip
        model = kind(25, bootstrap=bootstrap, oob_score=bootstrap, random_state=5, n_jobs=jobs)
        models.append((rows, model.fit(rows, y, sample_weight=weight)))
    dense = models[0][1]
    for rows, model in models[1:]:
        for tree, own in zip(dense.estimators_, model.estimators_, strict=True):
            assert_same_tree(tree, own)
        np.testing.assert_array_equal(model.predict(rows), dense.predict(X))
        np.testing.assert_array_equal(model.apply(rows), dense.apply(X))
        np.testing.assert_array_equal(model.apply(rows), model.apply(X))
        paths, own = dense.decision_path(X)[0], model.decision_path(rows)[0]
        assert (paths != own).nnz == 0
        np.testing.assert_array_equal(model.proximities(rows), dense.proximities(X))
        if bootstrap:
            assert model.oob_score_ == dense.oob_score_
            np.testing.assert_array_equal(
                model.out_of_bag_errors(rows, y), dense.out_of_bag_errors(X, y)
            )
            if not several:
                np.testing.assert_array_equal(model.standard_errors(rows), dense.standard_errors(X))


@pytest.mark.parametrize("n_jobs", [1, 2, 7])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "absolute_error"])
def test_large_nodes_are_searched_in_blocks(criterion, n_jobs, monkeypatch):
    rng = np.random.default_rng(1)
    X = table(rng, 900, 60, 0.1, missing=0.01)
    y = (X[:, 0] + X[:, 1] + 0.1 * rng.normal(size=900) > 0).astype(int)
    kind = DecisionTreeRegressor if criterion == "absolute_error" else DecisionTreeClassifier
    dense = kind(criterion=criterion, n_jobs=1).fit(X, y)
    monkeypatch.setattr(grow_tree, "MIN_LARGE_NODE_ROWS", 100)
    monkeypatch.setattr(grow_tree, "SPARSE_VALUES_PER_CALL", 300)
    assert_same_tree(dense, kind(criterion=criterion, n_jobs=n_jobs).fit(sparse.csr_array(X), y))
    random = kind(criterion=criterion, splitter="random", max_features=3, random_state=0)
    own = random.fit(sparse.csr_array(X), y)
    monkeypatch.undo()
    assert_same_tree(own, pickle.loads(pickle.dumps(random)).fit(X, y))


@pytest.mark.parametrize("kind", list(FORMATS))
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8, np.uint8, bool])
def test_formats_and_types_of_values(kind, dtype):
    rng = np.random.default_rng(2)
    X = table(rng, 80, 12, 0.2, ties=True).astype(dtype)
    y = rng.integers(0, 2, 80)
    dense = DecisionTreeClassifier(random_state=0).fit(X, y)
    rows = FORMATS[kind](X)
    own = DecisionTreeClassifier(random_state=0).fit(rows, y)
    assert_same_tree(dense, own)
    np.testing.assert_array_equal(own.predict_proba(rows), dense.predict_proba(X))


def test_entries_may_be_zeros_in_any_order_twice_and_numbered_by_64_bits():
    rng = np.random.default_rng(3)
    row, column = rng.integers(0, 60, 400), rng.integers(0, 9, 400)
    value = rng.integers(-1, 2, 400).astype(float)
    X = sparse.coo_array((value, (row, column)), shape=(60, 9))
    rows = sparse.csr_array((60, 9))
    order = np.argsort(row, kind="stable")
    rows = sparse.csr_array(
        (value[order], column[order].astype(np.int64),
         np.searchsorted(row[order], np.arange(61)).astype(np.int64)), shape=(60, 9),
    )  # fmt: skip
    assert not rows.has_canonical_format
    y = rng.integers(0, 3, 60)
    before = rows.data.copy(), rows.indices.copy()
    own = DecisionTreeClassifier(random_state=0).fit(rows, y)
    assert_same_tree(DecisionTreeClassifier(random_state=0).fit(X.toarray(), y), own)
    np.testing.assert_array_equal(before[0], rows.data)
    np.testing.assert_array_equal(before[1], rows.indices)


@pytest.mark.parametrize("p", [1, 5, 1000])
def test_leaves_do_not_depend_on_the_blocks_in_which_rows_are_dense(p, monkeypatch):
    rng = np.random.default_rng(p)
    X = table(rng, 700, p, 0.05)
    y = X.sum(axis=1)
    forest = RandomForestRegressor(30, oob_score=True, random_state=0, n_jobs=2)
    whole = forest.fit(sparse.csr_array(X), y)
    leaves, errors = whole.apply(X), whole.out_of_bag_errors(X, y)
    monkeypatch.setattr(dense_blocks, "VALUES_PER_DENSE_BLOCK", 3 * p)
    np.testing.assert_array_equal(whole.apply(sparse.csr_array(X)), leaves)
    np.testing.assert_array_equal(whole.out_of_bag_errors(sparse.csr_array(X), y), errors)


def test_ranks_are_those_of_unique_values():
    rng = np.random.default_rng(4)
    for density in (0.0, 0.1, 0.7, 1.0):
        X = table(rng, 90, 8, density, missing=0.05, ties=True)
        ranked = ranked_columns(rows_to_fit(sparse.csr_array(X)), n_jobs=1)
        for j, column in enumerate(X.T):
            values = np.unique(column[~np.isnan(column)])
            part = slice(ranked.of_column[j], ranked.of_column[j + 1])
            np.testing.assert_array_equal(
                ranked.values[ranked.first[j] : ranked.first[j + 1]], values
            )
            held = column[ranked.row[part]]
            assert (np.diff(ranked.rank[part].astype(int)) >= 0).all()
            lost = np.isnan(held)
            np.testing.assert_array_equal(values[ranked.rank[part][~lost]], held[~lost])
            assert (ranked.rank[part][lost] == ranked.missing[j]).all()
            assert ranked.missing[j] == (len(values) if lost.any() else -1)
            if (column == 0).any():
                assert values[ranked.zero[j]] == 0
        for i, row in enumerate(X):
            part = slice(ranked.of_row[i], ranked.of_row[i + 1])
            np.testing.assert_array_equal(ranked.column[part], np.flatnonzero(row != 0))


def test_memory_does_not_grow_with_the_width():
    wide = sparse.csr_array(
        (np.ones(40), (np.arange(40), np.arange(40) * 50_000)), shape=(40, 2_000_000)
    )
    y = np.arange(40) % 2
    model = RandomForestClassifier(2, max_depth=3, random_state=0).fit(wide, y)
    assert model.predict(wide).shape == (40,)  # dense rows would take 640 MB


def test_what_takes_dense_rows_says_so():
    rng = np.random.default_rng(6)
    X, y = sparse.csr_array(table(rng, 50, 4, 0.3)), rng.integers(0, 2, 50)
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    tree = DecisionTreeClassifier().fit(X, y)
    for call in (
        lambda: forest.unbiased_importances(X, y),
        lambda: forest.permutation_importances(X, y),
        lambda: split_table(tree, X, y),
        lambda: DecisionTreeClassifier(missing="surrogate").fit(X, y),
        lambda: DecisionTreeClassifier(categorical_features=[0]).fit(X, y),
        lambda: DecisionTreeClassifier(categorical_features=[0]).fit(X.toarray(), y).predict(X),
    ):
        with pytest.raises(TypeError, match="must be dense"):
            call()
    bad = X.copy()
    bad.data[0] = np.inf
    with pytest.raises(ValueError, match="inf"):
        DecisionTreeClassifier().fit(bad, y)
    with pytest.raises(ValueError, match="features"):
        tree.predict(X[:, :2])


def test_pruning_and_texts_of_trees_of_sparse_rows():
    rng = np.random.default_rng(7)
    X = table(rng, 200, 6, 0.4)
    y = (X[:, 0] > 0.2).astype(int) ^ (rng.random(200) < 0.1)
    dense, own = (pruning_table(DecisionTreeClassifier(), rows, y, cv=5, random_state=0)
                  for rows in (X, sparse.csr_array(X)))  # fmt: skip
    np.testing.assert_array_equal(dense.xerror, own.xerror)
    trees = [DecisionTreeClassifier().fit(rows, y) for rows in (X, sparse.csr_array(X))]
    assert export_text(trees[0]) == export_text(trees[1])
    for path in (tree.cost_complexity_pruning_path(rows, y).ccp_alphas
                 for tree, rows in zip(trees, (X, sparse.csr_array(X)), strict=True)):  # fmt: skip
        np.testing.assert_array_equal(path, trees[0].cost_complexity_pruning_path(X, y).ccp_alphas)
