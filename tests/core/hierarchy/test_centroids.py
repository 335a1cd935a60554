# SPDX-License-Identifier: BSD-3-Clause
"""The nearest of many points, and merges by them, against numpy."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from statfast._core.hierarchy import centroids
from statfast.cluster.hierarchy.point_linkage import columns_of, nearest


def twin(X, query, size):
    """Distances and points by comparing all; infinite and -1 where there is no other."""
    apart = ((X[query][:, None] - X) ** 2).sum(axis=2)
    if size is not None:
        f, g = size[query][:, None], size[None]
        apart = apart * (2 * (f * g) / (f + g))
    apart[np.arange(len(query)), query] = np.inf
    low = apart.min(axis=1)
    return low, np.where(np.isinf(low), -1, apart.argmin(axis=1))


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 200),
    d=st.integers(1, 20),
    kind=st.sampled_from(["normal", "grid"]),
    weighted=st.booleans(),
)
@settings(max_examples=60)
def test_nearest_of_other_points(seed, n, d, kind, weighted):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) if kind == "normal" else rng.integers(0, 3, (n, d)).astype(float)
    size = rng.integers(1, 9, n).astype(float) if weighted else None
    query = rng.permutation(n)[: rng.integers(1, n + 1)].astype(np.int32)
    low, who = nearest(columns_of(X), n, query, size=size)
    expected = twin(X, query, size)
    assert_allclose(low, expected[0], rtol=1e-12)
    if kind == "grid" and not weighted:  # exact numbers: of equal ones the first
        assert_array_equal(who, expected[1])
    again = nearest(columns_of(X), n, query, size=size, n_jobs=3)
    assert_array_equal(again[0], low)
    assert_array_equal(again[1], who)


def test_more_columns_than_are_looked_at_at_a_time():
    X = np.random.default_rng(0).normal(size=(300, 120))
    every = np.arange(300, dtype=np.int32)
    low, who = nearest(columns_of(X), 300, every)
    expected = twin(X, every, None)
    assert_allclose(low, expected[0], rtol=1e-12)
    assert_array_equal(who, expected[1])


def test_nearest_before():
    X = np.random.default_rng(1).normal(size=(700, 3))
    every = np.arange(700, dtype=np.int32)
    low, who = nearest(columns_of(X), 700, every, before=True)
    apart = ((X[:, None] - X) ** 2).sum(axis=2)
    apart[np.triu_indices(700)] = np.inf
    found = who < every  # others are of the same block, and no farther
    assert found.sum() > 600
    assert_allclose(low[found], apart.min(axis=1)[found])
    assert_array_equal(who[found], apart.argmin(axis=1)[found])
    assert (low <= apart.min(axis=1) * (1 + 1e-12)).all()


def test_merges_stop_where_columns_or_budget_end():
    X = np.array([[0.0], [1.0], [10.0], [12.0]])
    columns = np.full((1, 64), np.inf)
    columns[0, :4] = X[:, 0]
    size, point = np.ones(64), np.arange(64, dtype=np.int32)
    low, who = np.zeros(64), np.full(64, -1, np.int32)  # bounds that say nothing
    heap, state = np.arange(64, dtype=np.int32), np.array([4, 4, 0], np.intp)
    one, other, height = np.empty(3, np.int32), np.empty(3, np.int32), np.empty(3)
    calls = 0
    while state[2] < 3:
        centroids.merge(
            columns, size, False, point, low, who, heap, state, one, other, height, 1
        )  # fmt: skip
        calls += 1
    assert calls > 3
    assert_array_equal(one, [0, 2, 0])
    assert_array_equal(other, [1, 3, 2])
    assert_array_equal(height, [1.0, 4.0, 110.25])
    assert_array_equal(state[0], 7)
    assert_array_equal(columns[0, :7], [np.inf] * 6 + [5.75])
