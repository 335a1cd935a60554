# SPDX-License-Identifier: BSD-3-Clause
"""Sparse rows beside the same rows filled in: lasso, elastic net, their paths and choices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from statfast import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LogisticRegressionCV,
    enet_path,
    lasso_path,
    logistic_path,
)
from statfast.linear.design.columns import Columns
from statfast.linear.design.sparse_columns import SparseColumns


def problem(n, p, seed, share=0.2):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, p)) < share, rng.standard_normal((n, p)) + 1, 0.0)
    y = X[:, : max(1, p // 5)].sum(1) + 0.5 * rng.standard_normal(n) + 3
    return X, y


def unfilled(monkeypatch):
    """Have every way to fill in a whole table fail."""

    def refuse(self, *args, **more):
        raise AssertionError("a sparse table was filled in")

    for kind in (sparse.csr_array, sparse.csc_array):
        monkeypatch.setattr(kind, "todense", refuse)


@settings(max_examples=25)
@given(
    n=st.integers(3, 40), p=st.integers(1, 30), seed=st.integers(0, 2**32 - 1),
    weighted=st.booleans(), intercept=st.booleans(), std=st.booleans(),
)  # fmt: skip
def test_columns(n, p, seed, weighted, intercept, std):
    X, y = problem(n, p, seed, 0.4)
    X[:, 0] = 2.0
    rng = np.random.default_rng(seed)
    w = rng.uniform(0, 2, n) if weighted else None
    dense = Columns(np.asfortranarray(X), w, intercept, std)
    few = SparseColumns(sparse.csr_array(X), w, intercept, std)
    for name in ("mean", "scale", "square"):
        np.testing.assert_allclose(getattr(few, name), getattr(dense, name), atol=1e-12)
    assert (few.constant == dense.constant).all()
    r = y - np.average(y, weights=w)
    index = rng.permutation(p)[: p // 2 + 1].astype(np.intp)
    coef = rng.standard_normal(len(index))
    np.testing.assert_allclose(few.correlate(r), dense.correlate(r), atol=1e-10)
    np.testing.assert_allclose(few.correlate(r, index), dense.correlate(r)[index], atol=1e-10)
    np.testing.assert_allclose(dense.correlate(r, index), dense.correlate(r)[index], rtol=0)
    np.testing.assert_allclose(few.combine(index, coef), dense.combine(index, coef), atol=1e-12)
    every = np.arange(p, dtype=np.intp)
    np.testing.assert_allclose(few.gram(index, every), dense.gram(index, every), atol=1e-10)
    b = rng.standard_normal(len(index))
    np.testing.assert_allclose(few.part(index) @ b, dense.part(index) @ b, atol=1e-12)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, sparse.coo_matrix])
@pytest.mark.parametrize(("n", "p"), [(60, 20), (30, 80)])
def test_paths(kind, n, p, monkeypatch):
    X, y = problem(n, p, 1)
    w = np.random.default_rng(1).integers(0, 3, n)
    more = {"alphas": 15, "tol": 1e-13, "sample_weight": w, "standardize": True}
    dense = enet_path(X, y, l1_ratio=0.8, **more)
    unfilled(monkeypatch)
    few = enet_path(kind(X), y, l1_ratio=0.8, **more)
    np.testing.assert_allclose(few.alphas, dense.alphas, rtol=1e-12)
    np.testing.assert_allclose(few.coefs, dense.coefs, atol=1e-8)
    np.testing.assert_allclose(few.intercepts, dense.intercepts, atol=1e-8)
    np.testing.assert_allclose(few.predict(kind(X)), dense.predict(X), atol=1e-8)


@pytest.mark.parametrize(("n", "p"), [(400, 250), (80, 200)])
@pytest.mark.parametrize("more", [
    {}, {"fit_intercept": False}, {"standardize": True, "l1_ratio": 0.6},
    {"positive": True, "sample_weight": True},
])  # fmt: skip
def test_columns_of_few_nonzeros(n, p, more):
    X, y = problem(n, p, 7, share=0.03)
    if "sample_weight" in more:
        more = more | {"sample_weight": np.random.default_rng(7).integers(0, 3, n)}
    more = {"alphas": 12, "l1_ratio": 1.0, "tol": 1e-12, "eps": 1e-2} | more
    columns = SparseColumns(sparse.csc_array(X), None, True, False)
    assert columns.has_few_nonzeros
    assert not columns.whole
    few, dense = enet_path(sparse.csr_array(X), y, **more), enet_path(X, y, **more)
    assert (n * few.dual_gaps <= 1e-12 * np.sum(y**2)).all()
    np.testing.assert_allclose(few.alphas, dense.alphas, rtol=1e-12)
    w = more.get("sample_weight", np.ones(n))
    w, size = w * (n / w.sum()), X.std(axis=0) if "standardize" in more else np.ones(p)

    def objective(path):
        b = path.coefs * size[:, None]
        fit = X @ path.coefs + path.intercepts
        share = more["l1_ratio"]
        penalty = share * np.abs(b).sum(axis=0) + (1 - share) / 2 * (b * b).sum(axis=0)
        return w @ (y[:, None] - fit) ** 2 / (2 * n) + path.alphas * penalty

    assert (n * np.abs(objective(few) - objective(dense)) <= 1e-12 * np.sum(y**2)).all()
    assert "positive" not in more or (few.coefs >= 0).all()


def test_columns_far_from_zero_keep_their_digits():
    """Their products lose digits; the gap, made from residuals, tells, and restores them."""
    X, y = problem(50, 6, 3)
    X[:, :2] += 1e6
    few, dense = (
        Lasso(0.05, tol=1e-12).fit(sparse.csr_array(X), y),
        Lasso(0.05, tol=1e-12).fit(X, y),
    )
    np.testing.assert_allclose(few.coef_, dense.coef_, atol=1e-7)


@pytest.mark.parametrize("model", [
    ElasticNet(0.05), Lasso(0.05), ElasticNetCV(alphas=8, cv=3, l1_ratio=[0.5, 1.0]),
    LassoCV(alphas=8, cv=3),
])  # fmt: skip
def test_estimators(model):
    X, y = problem(60, 12, 4)
    dense = model.fit(X, y)
    coef, first, values = dense.coef_, dense.intercept_, dense.predict(X)
    few = model.fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(few.coef_, coef, atol=1e-5)
    np.testing.assert_allclose(few.intercept_, first, atol=1e-5)
    np.testing.assert_allclose(few.predict(sparse.csr_array(X)), values, atol=1e-4)
    np.testing.assert_allclose(few.predict(X), values, atol=1e-4)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(sparse.csr_array([[1.0, np.inf], [0.0, 1.0]]), [0.0, 1.0])


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_logistic_path(intercept, ratio, monkeypatch):
    X, y = problem(80, 30, 5)
    y = y > np.median(y)
    more = {"l1_ratio": ratio, "alphas": 8, "eps": 0.05, "tol": 1e-12, "fit_intercept": intercept}
    for std in (False, True):
        dense = logistic_path(X, y, standardize=std, **more)
        unfilled(monkeypatch)
        few = logistic_path(sparse.csc_array(X), y, standardize=std, **more)
        np.testing.assert_allclose(few.coefs, dense.coefs, atol=1e-6)
        np.testing.assert_allclose(few.intercepts, dense.intercepts, atol=1e-6)


def test_logistic_cross_validation():
    X, y = problem(90, 10, 6)
    y = np.where(y > np.median(y), "yes", "no")
    more = {"Cs": [0.1, 1.0], "l1_ratios": [0.0, 1.0], "cv": 3}
    dense = LogisticRegressionCV(**more).fit(X, y)
    few = LogisticRegressionCV(**more).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(few.scores_, dense.scores_, rtol=1e-4)
    np.testing.assert_allclose(few.coef_, dense.coef_, atol=1e-4)
    assert (few.predict(sparse.csr_array(X)) == dense.predict(X)).all()


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("std", [True, False])
def test_columns_without_a_nonzero(intercept, std):
    """A fold can hold out every nonzero: what is left is fitted as zeros."""
    X = np.zeros((6, 2))
    X[0] = 1.0, 2.0  # in the first fold of three
    y, more = (
        np.array([0.0, 1.0, 0.0, 1.0, 0.0, 1.0]),
        {"fit_intercept": intercept, "standardize": std},
    )
    for Z in (sparse.csr_array(X), sparse.csr_array((6, 2)), sparse.csc_matrix((6, 2), dtype=int)):
        full = Z.toarray()
        for path in (lasso_path, enet_path, logistic_path):
            few = path(Z, y, alphas=[0.1, 0.01], **more)
            want = path(full, y, alphas=[0.1, 0.01], **more)
            np.testing.assert_allclose(few.coefs, want.coefs, atol=1e-7)
            np.testing.assert_allclose(few.intercepts, want.intercepts, atol=1e-7)
        few = ElasticNetCV(alphas=[0.1, 0.01], cv=3, **more).fit(Z, y)
        want = ElasticNetCV(alphas=[0.1, 0.01], cv=3, **more).fit(full, y)
        np.testing.assert_allclose(few.coef_, want.coef_, atol=1e-7)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("middle", [0.0, 1e8, 1e13])
def test_columns_without_zeros_far_from_zero(middle, weighted):
    # Their products, less what the means add, have no digits left.
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 5)) * np.sqrt(1 + middle)
    X[rng.random(X.shape) < 0.3] = 0.0
    X[:, :4] = rng.normal(size=(80, 4)) * np.sqrt(1 + middle) + middle
    y, w = X[:, 0] / np.sqrt(1 + middle) + rng.normal(size=80), None
    if weighted:
        w = rng.integers(1, 4, size=80).astype(float)
    models = [Lasso(alpha=0.01, tol=1e-12).fit(rows, y, w) for rows in (X, sparse.csr_array(X))]
    assert models[1].dual_gap_ <= 1e-10
    np.testing.assert_allclose(models[1].coef_, models[0].coef_, rtol=1e-5, atol=1e-12)
    np.testing.assert_allclose(models[1].predict(X), models[0].predict(X), atol=1e-3)


@pytest.mark.parametrize("size", [1e-160, 1.0, 1e150])
def test_columns_without_zeros_of_any_size(size):
    rng = np.random.default_rng(4)
    X, y = (rng.normal(size=(50, 3)) + 1e6) * size, rng.normal(size=50)
    models = [
        Lasso(alpha=0.01, standardize=True, tol=1e-12).fit(rows, y)
        for rows in (X, sparse.csr_array(X))
    ]
    np.testing.assert_allclose(models[1].predict(X), models[0].predict(X), atol=1e-5)
    np.testing.assert_allclose(models[1].intercept_, models[0].intercept_, rtol=1e-4)
