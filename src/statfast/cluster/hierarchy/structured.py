# SPDX-License-Identifier: BSD-3-Clause
"""Merging along a graph: only clusters that an edge connects are merged, the nearest pair first.

A heap holds the edges of all clusters so far, and each cluster has a dict of its neighbors. The
distance of a pair never changes while both exist, so the nearest pair on the heap is valid unless
one of its clusters has been merged.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from statfast._distance import (
    MetricRows,
    is_callable,
    measured,
    read_only,
    rescaled,
)
from statfast._engine import checkpoint
from statfast._typing import Array
from statfast._validation import as_csr, as_rows, is_sparse, warn_user
from statfast.cluster.hierarchy.linkage import balanced_merges
from statfast.cluster.hierarchy.spanning_tree import rising

# The distance to a union from those to its two parts, of sizes p and q, if both are neighbors.
JOINS: dict[str, Callable] = {
    "single": lambda a, b, p, q: min(a, b),
    "complete": lambda a, b, p, q: max(a, b),
    "average": lambda a, b, p, q: (p * a + q * b) / (p + q),
}
STRUCTURED = ("ward", "genie", *JOINS)


def structured_tree(
    source: Any, connectivity: Any, method: str, gini_threshold: float
) -> tuple[np.ndarray, int]:
    """The linkage matrix of checked rows or dissimilarities along a graph, and the number of
    components that the graph had before it was completed."""
    if method not in STRUCTURED or (method == "ward" and not isinstance(source, MetricRows)):
        what = "rows" if method == "ward" else f"one of {', '.join(map(repr, STRUCTURED))}"
        raise ValueError(
            f"linkage={method!r} with connectivity needs {what}. "
            f"{'Choose another linkage' if method == 'ward' else 'Choose one of them'}, or leave "
            "out connectivity."
        )
    graph = edges_of(connectivity, source.n)
    table = source
    if isinstance(source, MetricRows) and not is_callable(source.metric):
        table = source.made()
    u, v, parts = _completed(graph, table)
    if parts > 1:
        warn_user(
            f"The graph given as connectivity has {parts} connected components. Each pair of them "
            "was connected by an edge between their nearest rows; pass a connected graph to "
            "choose these edges."
        )
    if method == "ward":
        Z = _ward(source, u, v)
    elif method == "genie":
        lengths = _lengths(table, u, v)
        kept = _spanning_edges(u, v, lengths)
        Z = balanced_merges(u[kept], v[kept], lengths[kept], gini_threshold)
    else:
        Z = _merged(source.n, u, v, _lengths(table, u, v), _by_rule(JOINS[method]))
    if not np.isfinite(Z[:, 2]).all():
        raise ValueError("Heights of merges overflow. Scale X down.")
    return Z, parts


def edges_of(connectivity: Any, n: int) -> Any:
    """Check a graph of n rows: a symmetric CSR matrix of its edges, without the diagonal."""
    from scipy.sparse import csr_array, triu

    name = "connectivity"
    if is_sparse(connectivity):
        graph = as_csr(connectivity, name=name)
    else:
        graph = csr_array(as_rows(connectivity, name=name) != 0)
    if graph.shape != (n, n):
        raise ValueError(
            f"connectivity must be a graph of the {n} rows of X, of shape ({n}, {n}); got shape "
            f"{graph.shape}."
        )
    graph = csr_array((np.ones(graph.nnz), graph.indices, graph.indptr), shape=graph.shape)
    upper = csr_array(triu(graph + graph.T, 1))
    return csr_array(upper + upper.T)


def _completed(graph: Any, source: Any) -> Any:
    """The ends u < v of the edges of the graph, made connected; and its components before that."""
    from scipy.sparse import triu
    from scipy.sparse.csgraph import connected_components

    parts, label = connected_components(graph, directed=False)
    upper = triu(graph, 1).tocoo()
    pairs = [np.stack([upper.row, upper.col], axis=1).astype(np.intp)]
    rows = [np.flatnonzero(label == part) for part in range(parts)] if parts > 1 else []
    for part in range(1, parts):
        for before in range(part):
            checkpoint()
            table = _rectangle(source, rows[before], rows[part])
            i, j = np.unravel_index(int(table.argmin()), table.shape)
            ends = sorted([int(rows[before][i]), int(rows[part][j])])
            pairs.append(np.array([ends], np.intp))
    u, v = np.concatenate(pairs).T
    return u, v, parts


def _rectangle(source: Any, rows: Any, columns: Any) -> Any:
    if isinstance(source, MetricRows):
        return np.array([_measure_pairs(source, row, columns) for row in rows])
    return source.between(rows, columns)


def _measure_pairs(source: Any, row: Any, columns: Any) -> Any:
    """The distances from a row to each of `columns` by the user's function."""
    function, X = source.metric.function, read_only(source.X)
    distances = []
    for column in columns:
        checkpoint()
        distances.append(measured(function(X[row], X[column]), "rows {} and {}", row, column))
    return np.array(distances)


def _lengths(source: Any, u: Any, v: Any) -> Any:
    """The dissimilarity along each edge."""
    order = np.argsort(u, kind="stable")
    rows, starts = np.unique(u[order], return_index=True)
    out = np.empty(len(u))
    for row, edges in zip(rows, np.split(order, starts[1:]), strict=True):
        checkpoint()
        out[edges] = _rectangle(source, np.array([row]), v[edges])[0]
    return out


def _spanning_edges(u: Array, v: Array, lengths: Array) -> Array:
    """The edges of the minimum spanning tree, of equal ones those of the lowest rows."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    order = rising(lengths, v, u)
    place = np.empty(len(order))
    place[order] = np.arange(1.0, len(order) + 1)  # positive, as zeros would be no edges
    n = int(v.max()) + 1
    tree = minimum_spanning_tree(csr_array((place, (u, v)), shape=(n, n)))
    return order[tree.data.astype(np.intp) - 1]


# ---------- Merging
def _merged(n: int, u: Any, v: Any, lengths: Any, unite: Any) -> Any:
    """The linkage matrix; `unite` returns the distances of a union to its neighbors."""
    beside: list[dict] = [{} for _ in range(n)]
    heap = list(zip(lengths.tolist(), u.tolist(), v.tolist(), strict=True))
    for length, a, b in heap:
        beside[a][b] = beside[b][a] = length
    heapify(heap)
    size = [1] * n
    Z = np.empty((n - 1, 4))
    for new in range(n, 2 * n - 1):
        checkpoint()
        while True:
            length, a, b = heappop(heap)
            if size[a] and size[b]:
                break
        Z[new - n] = a, b, length, size[a] + size[b]
        first, second = beside[a], beside[b]
        beside[a], beside[b] = {}, {}
        del first[b], second[a]
        near = unite(a, b, new, first, second, size)
        for c, distance in near.items():
            beside[c].pop(a, None)
            beside[c].pop(b, None)
            beside[c][new] = distance
            heappush(heap, (distance, c, new))
        beside.append(near)
        size.append(size[a] + size[b])
        size[a] = size[b] = 0
    return Z


def _by_rule(join: Any) -> Any:
    def unite(a, b, new, first, second, size):
        """A neighbor of one part only keeps the distance of that part."""
        near = first
        for c, distance in second.items():
            near[c] = join(near[c], distance, size[a], size[b]) if c in near else distance
        return near

    return unite


def _ward(source: Any, u: Any, v: Any) -> Any:
    """Ward's method: distances are sqrt(2 p q / (p + q)) times that of the means."""
    n = source.n
    rows, scale = rescaled(source.metric.prepare(source.X))
    centers = np.empty((2 * n - 1, rows.shape[1]))
    centers[:n] = rows
    count = np.ones(2 * n - 1)

    def distances(a: Any, b: Array) -> Any:
        square = np.square(centers[a] - centers[b]).sum(axis=-1)
        return np.sqrt(2 * count[a] * count[b] / (count[a] + count[b]) * square)

    def unite(a: Any, b: Array, new: Array, first: Any, second: Array, size: Any) -> Any:
        count[new] = count[a] + count[b]
        centers[new] = (count[a] * centers[a] + count[b] * centers[b]) / count[new]
        near = list(first | second)
        return dict(zip(near, distances(np.array(near, np.intp), new).tolist(), strict=True))

    step = max(1, (1 << 22) // rows.shape[1])
    parts = [slice(start, start + step) for start in range(0, len(u), step)]
    lengths = [distances(u[part], v[part]) for part in parts]
    Z = _merged(n, u, v, np.concatenate(lengths), unite)
    with np.errstate(over="ignore"):
        Z[:, 2] /= scale
    return Z
