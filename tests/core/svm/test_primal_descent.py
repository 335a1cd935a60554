# SPDX-License-Identifier: BSD-3-Clause
"""A sweep over the columns of a linear machine with an l1 penalty."""

import numpy as np
from numpy.testing import assert_allclose
from scipy import sparse
from statfast._core.svm.primal_descent import sweep


def test_a_sweep_goes_down_and_keeps_the_values():
    rng = np.random.default_rng(0)
    X = sparse.random_array((40, 15), density=0.3, random_state=rng, format="csc")
    target, cost = np.where(rng.random(40) < 0.5, 1.0, -1.0), rng.random(40) * 5.0
    start, row = X.indptr.astype(np.intp), X.indices.astype(np.int32)
    root = np.sqrt(cost)
    Z = X.multiply((root * target)[:, None]).tocsc()
    square = np.asarray(Z.multiply(Z).sum(axis=0))
    v, left = np.zeros(15), root.copy()

    def value():
        return np.abs(v).sum() + cost @ np.maximum(0.0, 1.0 - target * (X @ v)) ** 2

    before = value()
    for turn in range(200):
        order, seen = np.arange(15, dtype=np.int32), np.zeros(2)
        given = start, row, Z.data, square, left, v, order
        kept = sweep(*given, 0, 8, 0, np.inf, seen)
        kept = sweep(*given, 8, 15, kept, np.inf, seen)
        assert kept == 15  # with infinite slack none leaves
        assert value() <= before * (1 + 1e-12)
        before = value()
        assert_allclose(left, root * (1.0 - target * (X @ v)), atol=1e-12)
        if turn == 0:
            assert seen[1] >= seen[0] > 0.0
    assert seen[1] < 1e-9
    u = np.maximum(0.0, 1.0 - target * (X @ v))
    gradient = -2.0 * X.T @ (cost * target * u)
    assert_allclose(gradient[v != 0.0], -np.sign(v[v != 0.0]), atol=1e-8)
    assert (np.abs(gradient) <= 1.0 + 1e-8).all()
    order = np.arange(15, dtype=np.int32)
    kept = sweep(start, row, Z.data, square, left, v, order, 0, 15, 0, 1e-3, seen)
    out = np.setdiff1d(np.arange(15), order[:kept])
    assert (v[out] == 0.0).all()
    assert (np.abs(gradient[out]) < 1.0 - 1e-3).all()
