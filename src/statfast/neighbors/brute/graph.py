# SPDX-License-Identifier: BSD-3-Clause
"""Sparse graphs of distances that the user computed: only stored pairs are neighbors.

A stored zero is a neighbor at distance 0; a row need not store itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import Array, Matrix
from statfast._validation import as_sparse, explain_nonfinite, slack_of
from statfast.neighbors.brute.radius import Within


def as_graph(X: Any, name: str = "X") -> Matrix:
    """Check a sparse matrix of distances; a CSR matrix in float64 that keeps its zeros."""
    from scipy.sparse import csr_array

    matrix = as_sparse(X, name=name)
    if matrix.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has dtype {matrix.dtype}.")
    graph = csr_array(matrix).astype(np.float64, copy=False)
    if not graph.has_canonical_format:
        graph = graph.copy()
        graph.sum_duplicates()
    explain_nonfinite(graph.data[None], f"{name}.data") if graph.nnz else None
    low = graph.data.min(initial=0.0)
    if low < -slack_of(matrix) * graph.data.max(initial=0.0):
        raise ValueError(
            f"{name} must hold distances, which are not negative; got {low}. Turn "
            "similarities into distances first."
        )
    if low < 0.0:
        graph = csr_array((np.maximum(graph.data, 0.0), graph.indices, graph.indptr), graph.shape)
    return graph


def nearest_stored(graph: Any, k: int, itself: bool) -> tuple[np.ndarray, np.ndarray]:
    """The k smallest entries of each row and their columns, by (distance, column).

    With `itself`, rows are those of the columns, and entries on the diagonal do not count.
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
    places = starts[:-1, None] + np.arange(k)
    return distances[places], ids[places]


def stored_within(graph: Any, r: Any, by_row: bool) -> Within:
    """The entries up to r in each row: starts, distances, columns; ordered by column or by (entry,
    column)."""
    starts, distances, ids = _sorted(graph, False, by_column=by_row)
    radii = np.broadcast_to(np.asarray(r, np.float64), len(starts) - 1)
    kept = distances <= np.repeat(radii, np.diff(starts))
    before = np.concatenate([[0], np.cumsum(kept)])
    return before[starts], distances[kept], ids[kept]


def _sorted(graph: Matrix, itself: bool, *, by_column: bool = False) -> tuple[Array, Array, Array]:
    """Starts, entries and columns; those of each row ordered by (entry, column), or by column."""
    m = graph.shape[0]
    row = np.repeat(np.arange(m), np.diff(graph.indptr))
    data, ids = graph.data, graph.indices.astype(np.intp)
    if itself:
        off_diagonal = row != ids
        row, data, ids = row[off_diagonal], data[off_diagonal], ids[off_diagonal]
    order = np.lexsort((ids, row) if by_column else (ids, data, row))
    starts = np.searchsorted(row, np.arange(m + 1))
    return starts, data[order], ids[order]
