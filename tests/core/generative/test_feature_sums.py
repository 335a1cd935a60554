# SPDX-License-Identifier: BSD-3-Clause
"""The E step of mixtures by quadratic features, against its definition in numpy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from statfast._core.generative.feature_sums import expect


def features_of(Z, diagonal):
    """Products of columns (a >= b) or squares, the columns, and 1."""
    d = Z.shape[1]
    pairs = [(a, b) for a in range(d) for b in range(a if diagonal else 0, a + 1)]
    return np.column_stack([*(Z[:, a] * Z[:, b] for a, b in pairs), Z, np.ones(len(Z))])


@given(
    n=st.integers(1, 60),
    d=st.integers(1, 8),
    n_components=st.integers(1, 40),
    diagonal=st.booleans(),
    weighted=st.booleans(),
    dtype=st.sampled_from([np.float64, np.float32, np.uint8]),
    seed=st.integers(0, 2**32 - 1),
)
def test_sums(n, d, n_components, diagonal, weighted, dtype, seed):
    rng = np.random.default_rng(seed)
    X = (5.0 + 3.0 * rng.standard_normal((n, d))).clip(0.0).astype(dtype)
    weights = np.floor(rng.uniform(0.0, 3.0, n)) if weighted else None
    origin = X.mean(axis=0).astype(np.float32)
    Q = features_of(X.astype(np.float64) - origin, diagonal)
    theta = 0.3 * rng.standard_normal((n_components, Q.shape[1]))
    start = rng.standard_normal(theta.shape)
    sums = start.copy()
    likelihood, certainty, total_weight = expect(X, weights, origin, theta, diagonal, sums)

    w = np.ones(n) if weights is None else weights
    joint = Q @ theta.T
    top = joint.max(axis=1)
    density = top + np.log(np.exp(joint - top[:, None]).sum(axis=1))
    posteriors = np.exp(joint - density[:, None]) * w[:, None]
    size = np.abs(posteriors.T) @ np.abs(Q) + np.abs(start)
    assert (np.abs(sums - start - posteriors.T @ Q) <= 1e-11 * size.max()).all()
    assert_allclose(likelihood, w @ density, rtol=1e-11, atol=1e-11 * np.abs(joint).max() * n)
    assert_allclose(certainty, w @ (top - density), rtol=1e-9, atol=1e-11 * np.abs(joint).max() * n)
    assert total_weight == w.sum()


def test_strided_rows_and_extreme_scores():
    """Rows of a wider table; a component that no row can have gets nothing."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 6))[:, :3]
    theta = np.zeros((3, 10))
    theta[1, -1], theta[2, -1] = -1e4, -np.inf
    sums = np.zeros((3, 10))
    likelihood, certainty, _ = expect(X, None, np.zeros(3, np.float32), theta, False, sums)
    assert_allclose(sums[0], features_of(X, False).sum(axis=0), atol=1e-12)
    assert (sums[1:] == 0.0).all()
    assert likelihood == certainty == 0.0
