# SPDX-License-Identifier: BSD-3-Clause
"""Sparse rows times eight columns and back, against dense matrices."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from statfast._core.linalg import sparse_normal


def added(X, weights, P, mean, cuts):
    total, out = np.zeros(8), np.zeros_like(P)
    for first, stop in pairwise(cuts):
        sparse_normal.add_normal(
            X.indptr.astype(np.intp), X.indices.astype(np.int32), X.data, weights, P, mean @ P,
            first, stop, total, out,
        )  # fmt: skip
    return total, out


@given(
    n=st.integers(0, 40), d=st.integers(0, 30), density=st.sampled_from([0.0, 0.05, 0.4, 1.0]),
    weighted=st.booleans(), seed=st.integers(0, 2**16),
)  # fmt: skip
def test_against_dense_matrices(n, d, density, weighted, seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, d)) * (rng.random((n, d)) < density)
    weights = rng.exponential(size=n) if weighted else None
    P, mean = rng.standard_normal((d, 8)), rng.standard_normal(d)
    total, out = added(sparse.csr_array(A), weights, P, mean, [0, n // 3, n])
    scores = (A @ P - mean @ P) * (1.0 if weights is None else weights[:, None])
    assert_allclose(total, scores.sum(axis=0), atol=1e-11 * (1 + n))
    assert_allclose(out, A.T @ scores, atol=1e-11 * (1 + n))


@pytest.mark.parametrize("cuts", [[0, 50], [0, 1, 2, 50], [0, 49, 50]])
def test_pieces_of_rows_change_no_bit(cuts):
    rng = np.random.default_rng(0)
    X = sparse.random_array((50, 20), density=0.3, random_state=rng, format="csr")
    P, mean = rng.standard_normal((20, 8)), rng.standard_normal(20)
    for one, other in zip(
        added(X, None, P, mean, [0, 20, 50]), added(X, None, P, mean, cuts), strict=True
    ):
        assert_array_equal(one, other)
