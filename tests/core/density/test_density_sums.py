# SPDX-License-Identifier: BSD-3-Clause
"""Sums of kernels about the points of a k-d tree against brute force; budgets and shifts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from statfast._core.density import sums as density_sums
from statfast._distance.metrics import as_metric
from statfast.neighbors.density.kernel_shapes import SHAPES
from statfast.neighbors.density.weighted_tree import SumTask, WeightedTree
from tests.core.kdtree.test_kd_radius import (
    all_equal,
    far_off,
    integer_grid,
    many_duplicates,
    plain,
)
from tests.reference.kernel_density import KERNELS, distances

P = {"euclidean": 2.0, "manhattan": 1.0, "chebyshev": np.inf, "minkowski": 3.0}
MAKERS = [plain, all_equal, integer_grid, many_duplicates, far_off]


def tree_of(X, weights=None, metric="euclidean", leaf_size=None):
    checked = as_metric(metric, p=3.0, d=X.shape[1])
    return WeightedTree.build(X, weights, checked, leaf_size, 1)


def sums_of(tree, Q, shape, bandwidth, rtol=0.0, atol=0.0, budget=10**9, shifts=None):
    task = SumTask(tree, shape, bandwidth, rtol, atol, 1)
    m, begin, calls = tree.index.arrays.n if Q is None else len(Q), 0, 0
    out = np.full(m, np.nan)
    while begin < m:
        begin = density_sums.add(task._view(), Q, None, begin, m, budget, shifts, out)
        calls += 1
    return out, calls


def brute(X, Q, weights, shape, bandwidth, p=2.0, without=False):
    values = KERNELS[shape](distances(Q, X, p) / bandwidth)
    if without:
        np.fill_diagonal(values, 0.0)
    return values @ weights


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(SHAPES), st.sampled_from(sorted(P)), st.sampled_from(MAKERS),
    st.integers(1, 600), st.integers(1, 10), st.sampled_from([1, 8, 40, 256, None]),
    st.sampled_from([np.float64, np.float32]), st.booleans(), st.integers(0, 10**6),
)  # fmt: skip
def test_sums_are_those_of_brute_force(
    shape, metric, maker, n, d, leaf_size, dtype, weighted, seed
):
    rng = np.random.default_rng(seed)
    X = np.ascontiguousarray(maker(rng, n, d), dtype)
    weights = rng.choice([0.5, 1.0, 1e3], n) if weighted else np.ones(n)
    tree = tree_of(X, weights if weighted else None, metric, leaf_size)
    Q = np.vstack([X[:5].astype(float), X[:5] + 0.3 * rng.standard_normal((min(n, 5), d))])
    bandwidth = float(rng.choice([0.1, 1.0, 7.0]))
    # A distance that rounds to the bandwidth lies in or out.
    edge = shape == "tophat" and (abs(distances(Q, X, P[metric]) / bandwidth - 1) < 1e-9).any()
    if edge:
        return
    got, _ = sums_of(tree, Q, shape, bandwidth)
    want = brute(X, Q, weights, shape, bandwidth, P[metric])
    assert_allclose(got, want, rtol=1e-8, atol=1e-8 * weights.sum())
    if shape != "tophat":
        got, _ = sums_of(tree, None, shape, bandwidth)
        want = brute(X, X.astype(float), weights, shape, bandwidth, P[metric], without=True)
        assert_allclose(got, want, rtol=1e-8, atol=1e-8 * weights.sum())


def test_a_point_leaves_itself_alone_out():
    """Not those that are equal to it."""
    X = np.repeat(np.arange(3.0)[:, None], [1, 2, 50], axis=0)
    got, _ = sums_of(tree_of(X), None, "tophat", 0.5)
    assert_array_equal(got, np.repeat([0.0, 1.0, 49.0], [1, 2, 50]))


@pytest.mark.parametrize("rtol", [0.0, 1e-3])
def test_budgets_change_nothing(rtol):
    X = plain(np.random.default_rng(0), 5000, 3)
    tree = tree_of(X)
    whole, calls = sums_of(tree, X, "gaussian", 0.4, rtol)
    assert calls == 1
    cut, calls = sums_of(tree, X, "gaussian", 0.4, rtol, budget=2000)
    assert calls > 100
    assert whole.tobytes() == cut.tobytes()


def test_shifts_are_factors():
    X = plain(np.random.default_rng(0), 500, 2)
    for shape in ("gaussian", "exponential"):
        plain_sums, _ = sums_of(tree_of(X), X, shape, 0.5)
        shifted, _ = sums_of(tree_of(X), X, shape, 0.5, shifts=np.linspace(-3.0, 50.0, 500))
        assert_allclose(shifted, plain_sums * np.exp(np.linspace(-3.0, 50.0, 500)), rtol=1e-12)


def test_nodes_are_summed_up():
    """Weights, means and second moments of the children of each group."""
    rng = np.random.default_rng(0)
    X, weights = plain(rng, 3000, 2), rng.random(3000)
    tree = tree_of(X, weights)
    arrays, leaf = tree.index.arrays, tree.index.arrays.blocks.shape[2]
    for level, first in enumerate(arrays.first.tolist()):
        step = leaf * 8**level
        for node in range(-(-3000 // step)):
            rows = arrays.ids[node * step : (node + 1) * step]
            rows = rows[rows >= 0]
            group, child = first + node // 8, node % 8
            mean = weights[rows] @ X[rows] / weights[rows].sum()
            squares = ((X[rows] - mean) ** 2).sum(axis=1)
            assert_allclose(tree.node_weights[group, child], weights[rows].sum(), rtol=1e-12)
            assert_allclose(tree.center[group, :, child], mean, rtol=1e-9, atol=1e-12)
            assert_allclose(tree.moment[group, child], weights[rows] @ squares, rtol=1e-10)
    assert_allclose(tree.total, weights.sum(), rtol=1e-12)
