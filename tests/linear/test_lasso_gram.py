# SPDX-License-Identifier: BSD-3-Clause
"""The lasso with products of the columns that are known before."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from statfast import ElasticNet, Lasso
from statfast.linear.design.columns import Columns


def data(n=120, d=8, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 0.4 * rng.normal(size=(n, 1)) + 0.3
    return X, X[:, :3] @ [1.0, -2.0, 0.5] + rng.normal(size=n), rng.uniform(0.5, 2.0, n)


@pytest.mark.parametrize("shape", [(120, 8), (30, 50)])
@pytest.mark.parametrize("kind", [Lasso, ElasticNet])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("intercept", [True, False])
def test_products_are_used_and_change_nothing(shape, kind, dtype, intercept, monkeypatch):
    X, y, weights = data(*shape)
    for w in (None, weights):
        share = np.ones(len(y)) if w is None else w * len(y) / w.sum()
        Z = X - np.average(X, axis=0, weights=share) if intercept else X
        gram = ((Z * share[:, None]).T @ Z).astype(dtype)
        how = {"alpha": 0.05, "fit_intercept": intercept, "tol": 1e-12}
        want = kind(**how).fit(X, y, w)
        with monkeypatch.context() as patch:
            patch.setattr(Columns, "gram", None)  # The products are not made again.
            found = kind(**how, precompute=gram).fit(X, y, w)
        assert_allclose(found.coef_, want.coef_, atol=1e-6)
        assert_allclose(found.intercept_, want.intercept_, atol=1e-6)
        assert found.dual_gap_ <= 2e-12 * np.average((y - y.mean()) ** 2, weights=w) * 10


def test_what_scikit_learn_does():
    peers = pytest.importorskip("sklearn.linear_model")
    X, y, weights = data()
    weights = weights * len(y) / weights.sum()
    Z = X - np.average(X, axis=0, weights=weights)
    gram = (Z * weights[:, None]).T @ Z
    model = ElasticNet(alpha=0.1, precompute=gram, tol=1e-13).fit(Z, y, weights)
    peer = peers.ElasticNet(alpha=0.1, precompute=gram, tol=1e-13, max_iter=10**5)
    assert_allclose(model.coef_, peer.fit(Z, y, sample_weight=weights).coef_, atol=1e-6)


@pytest.mark.parametrize("shape", [(120, 8), (30, 50)])
def test_products_about_0_are_made_anew_for_an_intercept(shape):
    X, y, _ = data(*shape)
    with pytest.warns(UserWarning, match="precompute holds products of columns that are not cent"):
        found = Lasso(0.05, precompute=X.T @ X, tol=1e-12).fit(X, y)
    assert_allclose(found.coef_, Lasso(0.05, tol=1e-12).fit(X, y).coef_, atol=1e-6)


def test_standardized_tiny_and_sparse_columns():
    X, y, _ = data()
    Z = X - X.mean(axis=0)
    for size in (1.0, 1e-90, 1e90):
        how = {"alpha": 0.05 if size == 1.0 else 0.05 * size, "tol": 1e-12}
        want = Lasso(**how).fit(X * size, y).coef_
        with np.errstate(under="ignore"):
            gram = (Z * size).T @ (Z * size)
        if np.isfinite(gram).all() and gram.all():
            assert_allclose(Lasso(**how, precompute=gram).fit(X * size, y).coef_, want, rtol=1e-4)
    scaled = Lasso(0.05, standardize=True, tol=1e-12)
    want = scaled.fit(X, y).coef_
    assert_allclose(scaled.set_params(precompute=Z.T @ Z).fit(X, y).coef_, want, atol=1e-6)
    rows = sparse.csr_array(np.where(X > 1, X, 0.0))
    want = Lasso(0.05).fit(rows, y).coef_
    assert_array_equal(Lasso(0.05, precompute=np.eye(8)).fit(rows, y).coef_, want)


def test_constant_columns():
    X, y, _ = data()
    X[:, [0, 3]] = 0.1
    Z = X - X.mean(axis=0)
    want = Lasso(0.05, tol=1e-12).fit(X, y).coef_
    assert_allclose(Lasso(0.05, tol=1e-12, precompute=Z.T @ Z).fit(X, y).coef_, want, atol=1e-7)
    X[:] = 1.0
    assert not Lasso(0.05, precompute=np.zeros((8, 8))).fit(X, y).coef_.any()


def test_bad_products():
    X, y, _ = data()
    with pytest.raises(ValueError, match=r"of shape \(8, 8\); got shape \(7, 8\)"):
        Lasso(precompute=np.eye(8)[1:]).fit(X, y)
    with pytest.raises(ValueError, match="got other numbers"):
        Lasso(precompute=np.eye(8)).fit(X, y)
    with pytest.raises(ValueError, match=r"precompute.* NaN"):
        Lasso(precompute=np.full((8, 8), np.nan)).fit(X, y)
    with pytest.raises(ValueError, match="precompute must be 'auto'"):
        Lasso(precompute="no").fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for value in (True, False, "auto"):
            assert Lasso(precompute=value).fit(X, y).precompute == value
