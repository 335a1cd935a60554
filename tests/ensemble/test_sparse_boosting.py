# SPDX-License-Identifier: BSD-3-Clause
"""Boosted trees of sparse rows are those of the dense rows, bit for bit."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statfast.ensemble import (
    AdaBoostRegressor,
    BaggingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    StackingClassifier,
    VotingClassifier,
)
from statfast.ensemble.boosting import bins, trees
from statfast.inspection import partial_dependence, permutation_importance
from statfast.model_selection import GridSearchCV, cross_val_score
from statfast.tree.structure import dense_blocks

FORMATS = {
    "csr": sparse.csr_array, "csc": sparse.csc_array, "coo": sparse.coo_array,
    "lil": sparse.lil_array, "dok": sparse.dok_array, "bsr": sparse.bsr_array,
    "dia": sparse.dia_array, "csr_matrix": sparse.csr_matrix, "csc_matrix": sparse.csc_matrix,
}  # fmt: skip
TABLE, ENTRIES = 1e9, 0.0  # bytes of an entry by which rows are coded as a table, or as entries


def table(rng, n, p, density, *, missing=0.0, ties=False):
    values = rng.integers(-2, 4, (n, p)) if ties else rng.normal(size=(n, p))
    X = np.where(rng.random((n, p)) < density, values, 0.0)
    X[rng.random((n, p)) < missing] = np.nan
    return X


def assert_same_fit(model, expected):
    boosted, other = model._boosted, expected._boosted
    np.testing.assert_array_equal(boosted.thresholds.values, other.thresholds.values)
    np.testing.assert_array_equal(boosted.thresholds.first, other.thresholds.first)
    np.testing.assert_array_equal(boosted.trees.first, other.trees.first)
    for tree, twin in zip(boosted.trees.trees, other.trees.trees, strict=True):
        for name in ("steps", "values", "counts", "gains"):
            np.testing.assert_array_equal(getattr(tree, name), getattr(twin, name), name)
    for name in ("train_score_", "validation_score_", "feature_importances_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(expected, name), name)


problems = st.fixed_dictionaries({
    "seed": st.integers(0, 10**6),
    "n": st.sampled_from([2, 9, 60, 700]),
    "p": st.sampled_from([1, 3, 20, 70]),
    "density": st.sampled_from([0.0, 0.03, 0.2, 1.0]),
    "missing": st.sampled_from([0.0, 0.05]),
    "ties": st.booleans(),
})  # fmt: skip
settings_of_trees = st.fixed_dictionaries({
    "max_iter": st.just(4),
    "max_bins": st.sampled_from([2, 5, 255]),
    "max_features": st.sampled_from([1.0, 0.4]),
    "min_samples_leaf": st.sampled_from([1, 3, 20]),
    "max_leaf_nodes": st.sampled_from([None, 2, 31]),
    "max_depth": st.sampled_from([None, 2]),
    "l2_regularization": st.sampled_from([0.0, 1.0]),
    "interaction_cst": st.sampled_from([None, "no_interactions"]),
    "n_jobs": st.sampled_from([1, 2, 7]),
})  # fmt: skip


def drawn_weights(rng, n, kind):
    if kind == "none":
        return None
    weight = rng.integers(0, 4, n).astype(float) if kind == "whole" else rng.random(n) + 0.1
    weight[:2] = 1.0
    return weight


@given(
    problems, settings_of_trees,
    st.sampled_from(["squared_error", "absolute_error", "poisson", "gamma", "quantile"]),
    st.sampled_from(["none", "whole", "any"]), st.sampled_from([TABLE, ENTRIES, 9]), st.booleans(),
)  # fmt: skip
def test_regression_is_that_of_dense_rows(problem, how, loss, weights, entry_bytes, stops):
    rng = np.random.default_rng(problem.pop("seed"))
    X = table(rng, **problem)
    y = np.abs(rng.normal(size=len(X))) + 0.1 + np.nan_to_num(X[:, 0]) ** 2
    how = {**how, "loss": loss, "quantile": 0.3, "random_state": 3, "early_stopping": stops}
    how["monotonic_cst"] = rng.integers(-1, 2, X.shape[1])
    weight = drawn_weights(rng, len(X), weights)
    dense = HistGradientBoostingRegressor(**how).fit(X, y, sample_weight=weight)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bins, "ENTRY_BYTES", entry_bytes)
        rows = sparse.csr_array(X)
        model = HistGradientBoostingRegressor(**how).fit(rows, y, sample_weight=weight)
    assert_same_fit(model, dense)
    np.testing.assert_array_equal(model.predict(rows), dense.predict(X))
    for ours, theirs in zip(model.staged_predict(rows), dense.staged_predict(X), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@given(
    problems, settings_of_trees, st.sampled_from([1, 2, 4]), st.sampled_from(["none", "whole"]),
    st.sampled_from([None, "loss", "accuracy"]),
)  # fmt: skip
def test_classification_is_that_of_dense_rows(problem, how, k, weights, scoring):
    rng = np.random.default_rng(problem.pop("seed"))
    X = table(rng, **problem)
    y = rng.permutation(np.arange(len(X)) % k)
    weight = drawn_weights(rng, len(X), weights)
    if weight is not None:
        weight += 1.0
    how = {**how, "random_state": 3, "early_stopping": len(X) > 20, "scoring": scoring}
    how["class_weight"] = "balanced"
    dense = HistGradientBoostingClassifier(**how).fit(X, y, sample_weight=weight)
    rows = sparse.csc_array(X)
    model = HistGradientBoostingClassifier(**how).fit(rows, y, sample_weight=weight)
    assert_same_fit(model, dense)
    for name in ("predict", "predict_proba", "decision_function"):
        np.testing.assert_array_equal(getattr(model, name)(rows), getattr(dense, name)(X), name)
        staged = getattr(model, f"staged_{name}")(rows), getattr(dense, f"staged_{name}")(X)
        for ours, theirs in zip(*staged, strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.uint8, bool])
def test_formats_and_dtypes(kind, dtype):
    rng = np.random.default_rng(1)
    X = np.where(rng.random((80, 12)) < 0.2, rng.integers(0, 5, (80, 12)), 0).astype(dtype)
    y = X[:, 0].astype(float) + X[:, 3] + rng.normal(size=80)
    dense = HistGradientBoostingRegressor(max_iter=5).fit(X, y)
    rows = FORMATS[kind](X)
    model = HistGradientBoostingRegressor(max_iter=5).fit(rows, y)
    assert_same_fit(model, dense)
    np.testing.assert_array_equal(model.predict(rows), dense.predict(X))


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_rows_as_they_come(index):
    """Unsorted and repeated entries, zeros that are stored, NaN, infinity, read-only parts."""
    data = np.array([2.0, 1.0, 3.0, 0.0, -1.0, np.nan, 4.0, np.inf, -np.inf, 5.0, -0.0])
    column = np.array([2, 0, 2, 1, 1, 0, 2, 1, 1, 0, 2], dtype=index)
    start = np.array([0, 3, 5, 7, 8, 9, 11], dtype=index)
    rows = sparse.csr_array((data, column, start), shape=(6, 3))
    before = [part.copy() for part in (rows.data, rows.indices, rows.indptr)]
    for part in (rows.data, rows.indices, rows.indptr):
        part.flags.writeable = False
    X = np.tile(rows.toarray(), (30, 1))
    many = sparse.vstack([rows] * 30, format="csr")
    y = np.arange(180.0) % 6
    assert_same_fit(
        HistGradientBoostingRegressor(max_iter=9).fit(many, y),
        model := HistGradientBoostingRegressor(max_iter=9).fit(X, y),
    )
    np.testing.assert_array_equal(model.predict(rows), model.predict(rows.toarray()))
    for part, old in zip((rows.data, rows.indices, rows.indptr), before, strict=True):
        np.testing.assert_array_equal(part, old)


@pytest.mark.parametrize("how", ["rows", "sample"])
def test_quantiles(monkeypatch, how):
    """Columns of many values, whose thresholds are quantiles of zeros as well, of rows or draws."""
    rng = np.random.default_rng(2)
    X = table(rng, 3000, 4, 0.4, missing=0.02)
    y = np.nan_to_num(X[:, 0]) + rng.normal(size=3000)
    weight = rng.integers(1, 4, 3000)
    if how == "sample":
        monkeypatch.setattr(bins, "SAMPLE", 1000)
    for w in (None, weight, weight / 7):
        model = {"max_iter": 5, "max_bins": 20, "random_state": 0}
        assert_same_fit(
            HistGradientBoostingRegressor(**model).fit(sparse.csr_array(X), y, sample_weight=w),
            HistGradientBoostingRegressor(**model).fit(X, y, sample_weight=w),
        )


@pytest.mark.parametrize("n_jobs", [1, 2, 7])
def test_parts_of_rows(n_jobs):
    """Histograms of parts of the rows are added up, and rows are shared out in parts."""
    rng = np.random.default_rng(3)
    n = 150_000
    column, value = rng.integers(0, 30, (n, 3)), rng.integers(-4, 9, (n, 3))
    start = np.arange(0, 3 * n + 1, 3)
    rows = sparse.csr_array((value.ravel(), column.ravel(), start), shape=(n, 30))
    y = rows[:, [2]].toarray()[:, 0] + rows[:, [5]].toarray()[:, 0] ** 2 + rng.normal(size=n)
    how = {"max_iter": 2, "early_stopping": False}
    model = HistGradientBoostingRegressor(n_jobs=n_jobs, **how).fit(rows, y)
    assert_same_fit(model, HistGradientBoostingRegressor(**how).fit(rows.toarray(), y))


def test_narrow_and_wide_blocks(monkeypatch):
    """Predictions do not depend on the rows that are dense together."""
    rng = np.random.default_rng(4)
    X = table(rng, 500, 30, 0.1)
    rows, y = sparse.csr_array(X), X[:, 0] + X[:, 1]
    model = HistGradientBoostingRegressor(max_iter=10).fit(rows, y)
    wanted = model.predict(X)
    for values in (1, 100, 10**9):
        monkeypatch.setattr(dense_blocks, "VALUES_PER_DENSE_BLOCK", values)
        np.testing.assert_array_equal(model.predict(rows), wanted)
        leaves = model._boosted.trees.apply(dense_blocks.DenseBlocks(rows), 2)
        np.testing.assert_array_equal(leaves, model._boosted.trees.apply(X, 1))
    monkeypatch.setattr(trees, "ROWS_PER_BLOCK", 7)
    np.testing.assert_array_equal(model.predict(rows), wanted)


def test_validation_rows_warm_starts_and_callables():
    rng = np.random.default_rng(5)
    X = table(rng, 400, 9, 0.3)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    rows, later = sparse.csr_array(X[:300]), sparse.csc_array(X[300:])
    seen = []

    def score(model, X, y):
        seen.append(sparse.issparse(X))
        return model.score(X, y)

    for how in ({}, {"scoring": "accuracy"}, {"scoring": score}):
        how = {"early_stopping": True, "max_iter": 6, "random_state": 1, **how}
        dense = HistGradientBoostingClassifier(**how)
        dense.fit(X[:300], y[:300], X_val=X[300:], y_val=y[300:])
        for val in (later, X[300:]):
            model = HistGradientBoostingClassifier(**how)
            assert_same_fit(model.fit(rows, y[:300], X_val=val, y_val=y[300:]), dense)
    assert True in seen
    with pytest.raises(ValueError, match="X_val must have 9 columns, as X has; got 8"):
        dense.fit(rows, y[:300], X_val=later[:, :8], y_val=y[300:])
    warm = HistGradientBoostingClassifier(max_iter=3, warm_start=True).fit(rows, y[:300])
    warm.set_params(max_iter=7).fit(rows, y[:300])
    assert_same_fit(warm, HistGradientBoostingClassifier(max_iter=7).fit(X[:300], y[:300]))
    again = pickle.loads(pickle.dumps(warm))
    np.testing.assert_array_equal(again.predict_proba(later), warm.predict_proba(X[300:]))


def test_categories_need_dense_rows():
    X = np.tile([[0.0, 1.0], [2.0, 0.0], [1.0, 1.0]], (20, 1))
    rows, y = sparse.csr_array(X), np.arange(60) % 3
    for named in ([0], [True, False]):
        with pytest.raises(TypeError, match="X must be dense for categorical_features"):
            HistGradientBoostingClassifier(categorical_features=named).fit(rows, y)
    for none in ([False, False], None, "from_dtype"):
        HistGradientBoostingClassifier(categorical_features=none, max_iter=2).fit(rows, y)
    with pytest.raises(ValueError, match="categorical_features must be 'from_dtype'"):
        HistGradientBoostingClassifier(categorical_features="all").fit(rows, y)
    model = HistGradientBoostingClassifier(categorical_features=[0], max_iter=2).fit(X, y)
    with pytest.raises(TypeError, match="X must be dense for columns that hold categories"):
        model.predict(rows)
    with pytest.raises(TypeError, match="X_val must be dense for columns that hold categories"):
        model.set_params(early_stopping=True).fit(X, y, X_val=rows, y_val=y)


def test_faults():
    rows, y = sparse.random_array((40, 5), density=0.3, format="csr", rng=0), np.arange(40.0)
    model = HistGradientBoostingRegressor(max_iter=2).fit(rows, y)
    with pytest.raises(ValueError, match="X has 4 features, but HistGradientBoostingRegressor"):
        model.predict(rows[:, :4])
    damaged = rows.copy()
    damaged.indices[0] = 9
    with pytest.raises(ValueError, match="X is a damaged sparse matrix"):
        model.fit(damaged, y)
    with pytest.raises(ValueError, match="Complex data not supported"):
        model.fit(rows.astype(complex), y)
    with pytest.raises(ValueError, match="39"):
        model.fit(rows, y[:39])
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        model.fit(rows[:0], y[:0])


def test_too_many_codes(monkeypatch):
    rows = sparse.random_array((40, 5), density=0.1, format="csr", rng=0)
    monkeypatch.setattr(bins, "MAX_CODES", 6)
    with pytest.raises(ValueError, match="codes in all its columns, more than 6"):
        HistGradientBoostingRegressor(max_iter=1).fit(rows, np.arange(40.0))


def test_memory_grows_with_the_values_stored():
    """A table of the codes would take 6 GB, and histograms of its columns 400 MB a leaf."""
    rng = np.random.default_rng(6)
    rows = sparse.random_array((30_000, 100_000), density=2e-5, format="csr", rng=rng)
    y = rows[:, :50_000].sum(axis=1) > 0
    model = HistGradientBoostingClassifier(max_iter=2, early_stopping=False).fit(rows, y)
    assert model.predict(rows).shape == (30_000,)


WRAPPERS = {
    "bagging": lambda one: BaggingClassifier(one, n_estimators=3, max_features=0.5, random_state=0),
    "voting": lambda one: VotingClassifier([("a", one), ("b", one)], voting="soft"),
    "stacking": lambda one: StackingClassifier([("a", one)], cv=3),
    "search": lambda one: GridSearchCV(one, {"max_bins": [5, 255]}, cv=3),
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_wrappers(name):
    rng = np.random.default_rng(7)
    X = table(rng, 240, 8, 0.3, missing=0.02)
    y = (np.nan_to_num(X[:, 0] - X[:, 1]) > 0).astype(int)
    one = HistGradientBoostingClassifier(max_iter=4, random_state=0)
    dense = WRAPPERS[name](one).fit(X, y)
    for rows in (sparse.csr_array(X), sparse.csc_matrix(X)):
        model = WRAPPERS[name](one).fit(rows, y)
        np.testing.assert_array_equal(model.predict_proba(rows), dense.predict_proba(X))
        np.testing.assert_array_equal(cross_val_score(one, rows, y), cross_val_score(one, X, y))


def test_adaboost():
    rng = np.random.default_rng(8)
    X = table(rng, 200, 6, 0.3)
    y = X[:, 0] + rng.normal(size=200)
    one = HistGradientBoostingRegressor(max_iter=3, random_state=0)
    dense = AdaBoostRegressor(one, n_estimators=3, random_state=0).fit(X, y)
    model = AdaBoostRegressor(one, n_estimators=3, random_state=0).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(model.predict(sparse.csr_array(X)), dense.predict(X))


def test_inspection():
    """What changes columns takes dense rows, of a model that was fitted to sparse ones, too."""
    rng = np.random.default_rng(9)
    X = table(rng, 200, 4, 0.4)
    y = X[:, 0] + X[:, 1]
    model = HistGradientBoostingRegressor(max_iter=8).fit(sparse.csr_array(X), y)
    dense = HistGradientBoostingRegressor(max_iter=8).fit(X, y)
    for method in ("recursion", "brute"):
        ours, theirs = (partial_dependence(m, X, [0], method=method) for m in (model, dense))
        np.testing.assert_array_equal(ours.average, theirs.average)
    ours, theirs = (permutation_importance(m, X, y, random_state=0) for m in (model, dense))
    np.testing.assert_array_equal(ours.importances_mean, theirs.importances_mean)
    for look in (partial_dependence, permutation_importance):
        with pytest.raises(TypeError, match="dense"):
            look(model, sparse.csr_array(X), [0] if look is partial_dependence else y)


def test_names_of_frames_are_of_dense_rows():
    rng = np.random.default_rng(10)
    X = table(rng, 60, 2, 0.5)
    model = HistGradientBoostingRegressor(max_iter=2).fit(
        pd.DataFrame(X, columns=["a", "b"]), X[:, 0]
    )
    np.testing.assert_array_equal(
        model.predict(sparse.csr_array(X)), model.predict(pd.DataFrame(X, columns=["a", "b"]))
    )
