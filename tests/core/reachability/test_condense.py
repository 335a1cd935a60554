# SPDX-License-Identifier: BSD-3-Clause
"""Condensed trees, the selection of clusters, and spanning trees by rows, against slow twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from statfast._core.reachability import condense, selection, spanning

seeds = st.integers(0, 2**32 - 1)


def tree(rng, m):
    """The parents of a tree whose parents have lower numbers; -1 of the root."""
    return np.array([-1, *(int(rng.integers(0, c)) for c in range(1, m))])


@given(seeds)
def test_the_best_clusters_are_those_of_all_choices(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 9))
    parent, value = tree(rng, m), rng.integers(0, 6, m).astype(float)
    size, most, first = rng.integers(1, 9, m).astype(float), float(rng.integers(1, 12)), seed % 2
    chosen, selected = np.zeros(m, np.uint8), np.empty(m, np.intp)
    selection.excess_of_mass(parent, size, most, first, value.copy(), np.zeros(m), chosen)
    selection.inherit(parent, chosen, selected)
    above = [{c} for c in range(m)]
    for c in range(1, m):
        above[c] |= above[parent[c]]

    def allowed(marks):
        rows = [c for c in range(m) if marks >> c & 1]
        apart = all(a not in above[b] for a in rows for b in rows if a != b)
        return apart and all(size[c] <= most and c >= first for c in rows)

    best = max(value[[c for c in range(m) if k >> c & 1]].sum() for k in range(2**m) if allowed(k))
    assert value[chosen > 0].sum() == best
    assert allowed(sum(1 << c for c in np.flatnonzero(chosen)))
    for c in range(m):
        assert {selected[c]} - {-1} == {x for x in above[c] if chosen[x]}


@given(seeds)
def test_close_clusters_are_those_above_them(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 12))
    parent, radius = tree(rng, m), np.full(m, np.inf)
    for c in range(1, m):
        radius[c] = min(radius[parent[c]], 10.0) * rng.choice([1.0, 0.8])
    chosen = np.ones(m, np.uint8)
    chosen[parent[1:]] = 0
    epsilon, root = float(rng.choice([3.0, 6.4, 8.0, 12.0])), bool(seed % 2)
    merged = np.zeros(m, np.uint8)
    selection.merge_close(parent, radius, epsilon, root, chosen, merged)
    wanted = set()
    for c in np.flatnonzero(chosen).tolist():
        x = c
        while radius[c] < epsilon and radius[x] <= epsilon and (parent[x] or root):
            x = int(parent[x])
        wanted.add(x)
    assert set(np.flatnonzero(merged).tolist()) == wanted


@given(seeds)
def test_sums_and_maxima_below(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 20))
    parent, value = tree(rng, m), rng.integers(0, 9, m).astype(float)
    total, most = value.copy(), value.copy()
    selection.add_up(parent, total, most)
    for c in range(m):
        below = [x for x in range(m) if c in ancestors(parent, x)]
        assert total[c] == value[below].sum()
        assert most[c] == value[below].max()


def ancestors(parent, x):
    while x >= 0:
        yield x
        x = parent[x]


@pytest.mark.parametrize("alpha", [1.0, 2.0])
@given(seed=seeds)
def test_spanning_trees_by_rows_and_by_edges(seed, alpha):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    D = rng.integers(1, 9, (n, n)).astype(float)
    D = np.minimum(D, D.T)
    D[int(rng.integers(3, 10)) < D] = np.inf
    np.fill_diagonal(D, 0.0)
    core = rng.integers(0, 6, n).astype(float)
    reach = np.maximum(D / alpha, np.maximum(core, core[:, None]))
    np.fill_diagonal(reach, 0.0)
    graph = sparse.csr_array(np.where(np.isinf(reach), 0.0, reach))
    wanted = np.sort(minimum_spanning_tree(graph).data)
    components = connected_components(graph)[0]
    wanted = np.concatenate([wanted, np.full(components - 1, np.inf)])

    joined, height = np.zeros(n, np.uint8), np.full(n, np.inf)
    near, point, heights = np.zeros(n, np.int32), 0, []
    for _ in range(n - 1):
        joined[point] = 1
        point = spanning.extend(D[point].copy(), core, point, alpha, 0, joined, height, near)
        heights.append(height[point])
        assert reach[point, near[point]] == height[point]
    np.testing.assert_array_equal(np.sort(heights), wanted)

    u, v = np.nonzero(np.isfinite(reach) & ~np.eye(n, dtype=bool))
    order = np.argsort(reach[u, v], kind="stable")
    u, v = u[order].astype(np.int32), v[order].astype(np.int32)
    parent, taken = np.arange(n, dtype=np.int32), np.empty(len(u), np.uint8)
    spanning.join(u, v, parent, taken)
    kept = taken > 0
    assert kept.sum() == n - components
    np.testing.assert_array_equal(reach[u, v][kept], wanted[: n - components])


@given(seeds)
def test_first_edges_are_at_the_own_core_distance(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 30)), int(rng.integers(1, 5))
    k = int(rng.integers(1, n))
    row = rng.permutation(n).astype(np.int32)
    place = np.argsort(row).astype(np.int32)
    reduced = np.sort(rng.integers(0, 6, (n, k)).astype(float), axis=1)
    ids = np.array([rng.permutation(np.delete(np.arange(n), i))[:k] for i in range(n)])
    core = rng.integers(0, 6, n).astype(float)
    low, near = np.full((n, m), np.nan), np.full((n, m), -1, np.int32)
    middle = n // 2
    for begin, end in ((0, middle), (middle, n)):
        spanning.list_first(row, place, reduced, ids, core, begin, end, low, near)
    for i in range(n):
        others = place[ids[row[i]]]
        edges = others[(core[others] <= core[i]) & (reduced[row[i]] <= core[i])][:m]
        assert near[i].tolist() == [*edges.tolist(), *[i] * (m - len(edges))]
        assert (low[i] == core[i]).all()


def test_weights_of_merges_are_sums():
    Z = np.array([[0.0, 2, 1, 0], [1, 3, 2, 0], [4, 5, 3, 0]])
    weight = np.array([0.5, 2.0, 4.0, 8.0])
    condense.weigh(weight, Z)
    assert Z[:, 3].tolist() == [4.5, 10.0, 14.5]


def test_a_condensed_tree_by_hand():
    """Points 0 and 1, and 2 and 3, join at 1; point 4 joins the latter at 2; all are one at 4."""
    Z = np.array([[0.0, 1, 1, 2], [2, 3, 1, 2], [4, 6, 2, 3], [5, 7, 4, 5]])
    parent, child, value = np.empty(10, np.intp), np.empty(10, np.intp), np.empty(10)
    count, clusters = condense.condense(
        Z, np.ones(5), np.zeros(5), 2.0, parent, child, value, np.full(9, -1),
        np.empty(20, np.intp),
    )  # fmt: skip
    rows = sorted(zip(parent[:count], child[:count], value[:count], strict=True))
    assert clusters == 3
    assert rows == [
        (5, 6, 0.25), (5, 7, 0.25), (6, 0, 1.0), (6, 1, 1.0), (7, 2, 1.0), (7, 3, 1.0),
        (7, 4, 0.5),
    ]  # fmt: skip
