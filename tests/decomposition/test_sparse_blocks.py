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
    X = sparse.random_array((700, 1100), density=0.01, rng=rng, format="csr")
    model = sf.TruncatedSVD(20).fit(X)
    exact = np.linalg.svd(X.toarray(), compute_uv=False)[:20]
    assert_allclose(model.singular_values_, exact, rtol=1e-12)
    again = sf.TruncatedSVD(20, n_jobs=7).fit(X)
    assert_array_equal(again.components_, model.components_)
