# SPDX-License-Identifier: BSD-3-Clause
"""Sparse graphs of distances that the caller has computed: what is stored is near, all else far.

A stored zero is a neighbor at distance 0; a row need not store itself.
"""

from typing import Any

import numpy as np

from statfast._typing import Array, Matrix
from statfast._validation import as_sparse, explain_nonfinite, slack_of
from statfast.neighbors.brute.radius import Within


def as_graph(X: Any, name: str = "X") -> Matrix:
    """Check a sparse matrix of distances; a CSR matrix in float64 that keeps its zeros."""
    from scipy.sparse import csr_array

    given = as_sparse(X, name=name)
    if given.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has dtype {given.dtype}.")
    graph = csr_array(given).astype(np.float64, copy=False)
    if not graph.has_canonical_format:
        graph = graph.copy()
        graph.sum_duplicates()
    explain_nonfinite(graph.data[None], f"{name}.data") if graph.nnz else None
    low = graph.data.min(initial=0.0)
    if low < -slack_of(given) * graph.data.max(initial=0.0):
        raise ValueError(
            f"{name} must hold distances, which are not negative; got {low}. Turn "
            "similarities into distances first."
        )
    if low < 0.0:
        graph = csr_array((np.maximum(graph.data, 0.0), graph.indices, graph.indptr), graph.shape)
    return graph


def nearest_stored(graph: Any, k: int, itself: bool) -> tuple[np.ndarray, np.ndarray]:
    """The k smallest entries of each row and their columns, by (distance, column).

    `itself`: rows are those of the columns, and an entry on the diagonal is none.
    """
    starts, distances, ids = _sorted(graph, itself)
    count = np.diff(starts)
    if len(count) and count.min() < k:
        row = int(count.argmin())
        raise ValueError(
            f"X must have {k} neighbors stored in each row; got {count[row]} in row {row}"
            f"{', besides itself' if itself else ''}. Lower n_neighbors, or store more neighbors "
            "of each row in the graph."
        )
    at = starts[:-1, None] + np.arange(k)
    return distances[at], ids[at]


def stored_within(graph: Any, r: Any) -> Within:
    """The entries up to r in each row: starts, distances, columns."""
    starts, distances, ids = _sorted(graph, False)
    radii = np.broadcast_to(np.asarray(r, np.float64), len(starts) - 1)
    kept = distances <= np.repeat(radii, np.diff(starts))
    before = np.concatenate([[0], np.cumsum(kept)])
    return before[starts], distances[kept], ids[kept]


def _sorted(graph: Matrix, itself: bool) -> tuple[Array, Array, Array]:
    """Starts, entries and columns, those of a row by (entry, column)."""
    m = graph.shape[0]
    row = np.repeat(np.arange(m), np.diff(graph.indptr))
    data, ids = graph.data, graph.indices.astype(np.intp)
    if itself:
        others = row != ids
        row, data, ids = row[others], data[others], ids[others]
    order = np.lexsort((ids, data, row))
    starts = np.searchsorted(row, np.arange(m + 1))
    return starts, data[order], ids[order]
