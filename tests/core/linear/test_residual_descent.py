# SPDX-License-Identifier: BSD-3-Clause
"""Descent on the residuals of sparse columns beside plain numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array
from statfast._core.linear.residual_descent import descend

from statfast.linear.design.sparse_columns import SparseColumns
from statfast.linear.penalized import residual_descent
from statfast.linear.penalized.residual_descent import ResidualDescent


def sparse(seed, n, p, share):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, p)) < share, rng.standard_normal((n, p)), 0.0)
    X[rng.integers(n, size=p), np.arange(p)] = 1.0
    return csc_array(X), X[:, :3] @ np.ones(min(3, p)) + rng.standard_normal(n)


def sweep(Z, y, l1, l2, positive, b, order):
    """Coordinate descent as it is written down."""
    b = b.copy()
    for j in order:
        square = Z[:, j] @ Z[:, j]
        pull = Z[:, j] @ (y - Z @ b) + square * b[j]
        size = max(pull if positive else abs(pull), 0.0) - l1
        b[j] = np.sign(pull) * max(size, 0.0) / (square + l2)
    return b


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(3, 40), p=st.integers(1, 12),
    centered=st.booleans(), positive=st.booleans(), l2=st.sampled_from([0.0, 0.7]),
)  # fmt: skip
def test_sweeps(seed, n, p, centered, positive, l2):
    X, y = sparse(seed, n, p, 0.3)
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.5, 2.0, n)
    columns = SparseColumns(X, weights, centered, True, whole=True)
    y = y - np.average(y, weights=weights) * centered
    columns.constant |= columns.square == 0
    descent = ResidualDescent(columns, y, positive)
    root = np.sqrt(columns.weights)
    Z = (X.toarray() - columns.mean) * columns.scale * root[:, None]
    l1 = 0.3 * np.abs(Z.T @ (root * y)).max()
    order = rng.permutation(p).astype(np.intp)[: p // 2 + 1]
    b = rng.standard_normal(p) * ~columns.constant
    descent._set(b.copy())
    np.testing.assert_allclose(descent._residuals(), root * y - Z @ b, atol=1e-10)
    trail = np.empty((3, len(order)))
    made, gain = descent._sweep(order, l1, l2, -1.0, trail)
    assert made == 3
    assert gain >= 0.0
    for turn in range(3):
        b = sweep(Z, root * y, l1, l2, positive, b, order[~columns.constant[order]])
        np.testing.assert_allclose(trail[turn], b[order], atol=1e-9)
    np.testing.assert_allclose(descent.b, b, atol=1e-9)
    np.testing.assert_allclose(descent._residuals(), root * y - Z @ b, atol=1e-9)
    held = descent.b.copy()
    assert descent._sweep(order, l1, l2, 0.0, np.empty((1, len(order))), still=True) == (1, 0.0)
    np.testing.assert_array_equal(descent.b, held)
    np.testing.assert_allclose(descent.q[order], (Z.T @ (root * y - Z @ b))[order], atol=1e-9)
    whole = 0.5 * np.sum((root * y - Z @ b) ** 2) + l1 * np.abs(b).sum() + 0.5 * l2 * b @ b
    np.testing.assert_allclose(descent._objective(l1, l2), whole, rtol=1e-9)


def test_sweeps_end_where_nothing_moves():
    X, y = sparse(0, 30, 4, 0.3)
    columns = SparseColumns(X, None, False, False, whole=True)
    descent = ResidualDescent(columns, y)
    descent._set(descent.b)
    every, room = np.arange(4, dtype=np.intp), np.empty((500, 4))
    made, gain = descend(
        descent.view, 0.1, 0.0, False, 1e-20, every, descent.b, descent.q, descent.rest,
        descent.offset, room, False,
    )  # fmt: skip
    assert made < 500
    assert gain <= 1e-20
    np.testing.assert_array_equal(room[made - 1], descent.b)


@pytest.mark.parametrize("positive", [False, True])
def test_extrapolation_is_taken_only_where_the_objective_falls(positive):
    X, y = sparse(1, 60, 12, 0.4)
    descent = ResidualDescent(
        SparseColumns(X, None, True, False, whole=True), y - y.mean(), positive
    )
    descent._set(descent.b)
    trail, seen = np.empty((residual_descent.SWEEPS_OF_EXTRAPOLATION + 1, 12)), []
    for _ in range(6):
        trail[0] = descent.b
        descent._sweep(np.arange(12, dtype=np.intp), 0.5, 0.0, -1.0, trail[1:])
        seen.append(descent._objective(0.5, 0.0))
        descent._extrapolate(np.arange(12), 0.5, 0.0, trail)
        seen.append(descent._objective(0.5, 0.0))
        assert not positive or (descent.b >= 0).all()
    assert (np.diff(seen) <= 1e-12 * seen[0]).all()
    assert seen[1] < seen[0]
