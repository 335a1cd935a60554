# SPDX-License-Identifier: BSD-3-Clause
"""A few components of many sparse columns, by blocks smaller than their number."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import statfast as sf
from statfast.decomposition.components.krylov import largest_by_krylov


def diagonal(values):
    return lambda P: P * values


@pytest.mark.parametrize("copies", [1, 3, 7, 12, 40])
@pytest.mark.parametrize("block", [1, 4, 8, None])
def test_no_copy_of_an_eigenvalue_is_missed(copies, block):
    values = np.linspace(2.9, 0.1, 300)
    values[:copies] = 3.0
    rng = np.random.default_rng(copies)
    operate = diagonal(rng.permutation(values))
    found = largest_by_krylov(operate, 300, 10, rng, block=block)
    assert_allclose(found.values, values[:10], rtol=1e-12)
    assert_allclose(found.vectors @ found.vectors.T, np.eye(10), atol=1e-12)
    apart = operate(found.vectors) - found.values[:, None] * found.vectors
    assert np.linalg.norm(apart, axis=1).max() <= 3e-10 * 3.0  # tol is 1e-10 of the largest


@pytest.mark.parametrize("rank", [0, 1, 4])
def test_fewer_directions_than_components(rank):
    rng = np.random.default_rng(rank)
    half = rng.standard_normal((rank, 200))
    found = largest_by_krylov(lambda P: (P @ half.T) @ half, 200, 6, rng, block=3)
    exact = np.zeros(6)
    exact[:rank] = np.linalg.svd(half, compute_uv=False) ** 2
    assert_allclose(found.values, exact, atol=1e-11 * max(1.0, exact[0]))
    assert_allclose(found.vectors @ found.vectors.T, np.eye(6), atol=1e-12)


def test_truncated_svd_of_sparse_rows_is_exact():
    rng = np.random.default_rng(0)
    X = sparse.random_array((700, 1100), density=0.01, random_state=rng, format="csr")
    model = sf.TruncatedSVD(20).fit(X)
    exact = np.linalg.svd(X.toarray(), compute_uv=False)[:20]
    assert_allclose(model.singular_values_, exact, rtol=1e-12)
    again = sf.TruncatedSVD(20, n_jobs=7).fit(X)
    assert_array_equal(again.components_, model.components_)


def _words(n, d, seed):
    """Sparse rows of which some columns are far more frequent than others."""
    rng = np.random.default_rng(seed)
    share = 1.0 / np.arange(1, d + 1)
    row, column = np.repeat(np.arange(n), 15), rng.choice(d, 15 * n, p=share / share.sum())
    return sparse.coo_array((rng.exponential(size=15 * n), (row, column)), shape=(n, d)).tocsr()


@pytest.mark.parametrize("shape", [(700, 1500), (1500, 700)])
@pytest.mark.parametrize("weighted", [False, True])
def test_truncated_svd_of_words_meets_its_residual(shape, weighted):
    X = _words(*shape, 0)
    w = np.random.default_rng(1).integers(0, 3, shape[0]).astype(float) if weighted else None
    found = [sf.TruncatedSVD(30, n_jobs=jobs).fit(X, sample_weight=w) for jobs in (1, 2, 7)]
    for other in found[1:]:
        assert_array_equal(other.components_, found[0].components_)
    V, s = found[0].components_, found[0].singular_values_
    dense = X.toarray() * (1.0 if w is None else np.sqrt(w)[:, None])
    assert_allclose(s, np.linalg.svd(dense, compute_uv=False)[:30], rtol=1e-12)
    assert_allclose(V @ V.T, np.eye(30), atol=1e-12)
    rest = (dense.T @ (dense @ V.T)).T - s[:, None] ** 2 * V
    assert np.linalg.norm(rest, axis=1).max() <= 1e-10 * s[0] ** 2


def test_wide_rows_with_copies_of_singular_values():
    """Left vectors are iterated; those that small values leave less exact are found otherwise."""
    one = _words(150, 700, 2)
    X = sparse.block_diag([one] * 4 + [1e-7 * _words(300, 700, 3)], format="csr")
    model = sf.TruncatedSVD(12).fit(X)
    exact = np.repeat(np.linalg.svd(one.toarray(), compute_uv=False)[:3], 4)
    assert_allclose(model.singular_values_, exact, rtol=1e-12)
    V = model.components_
    assert_allclose(V @ V.T, np.eye(12), atol=1e-12)


def test_wide_rows_of_steeply_falling_singular_values():
    rng = np.random.default_rng(4)
    X = sparse.random_array((600, 1400), density=0.02, random_state=rng, format="csr")
    X = sparse.csr_array(X.multiply(10.0 ** -np.linspace(0, 40, 600)[:, None]))
    model = sf.TruncatedSVD(40).fit(X)
    V, s = model.components_, model.singular_values_
    rest = (X.T @ (X @ V.T)).T - s[:, None] ** 2 * V
    assert np.linalg.norm(rest, axis=1).max() <= 1e-10 * s[0] ** 2
    assert_allclose(V @ V.T, np.eye(40), atol=1e-12)
