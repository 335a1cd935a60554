# SPDX-License-Identifier: BSD-3-Clause
"""All rows within a radius of queries, by a k-d tree.

Radii and distances are reduced ones; a row is within if its distance is <= the radius.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._core.kdtree import radius as kdradius
from statfast._core.kdtree.tree import TreeView
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array
from statfast._validation import refuse_large

# starts (m + 1,), reduced distances (None where nobody asks for them), ids
Within = tuple[np.ndarray, Any, np.ndarray]

COORDINATES_PER_CALL = 2e7  # coordinates read between checkpoints: some 20 ms
QUERIES_PER_TASK = 1024  # queries of one task
ADVICE = "Lower the radius, or count them."


def count_within(
    view: TreeView, Q: np.ndarray, order: Any, r: Array | float, n_jobs: int | None = None
) -> np.ndarray:
    """How many rows are within the radii `r` (a number, or one each) of the queries, (m,).

    The queries are searched in the `order` (m,) int32, or as they are if it is None. Nodes that lie
    within the radius as a whole are counted without reading their rows.
    """
    count = np.empty(len(Q), np.intp)
    limits = np.ascontiguousarray(np.broadcast_to(np.asarray(r, np.float64), len(Q)))

    def work(block: slice) -> None:
        _search_block(view, Q, order, block, limits, count)

    each(work, _queries(Q), n_jobs=n_jobs, effort=_effort(Q))
    return count


def rows_within(
    view: TreeView, Q: np.ndarray, order: Any, r: Array | float, n_jobs: int | None = None, *,
    by_row: bool = False, distances: bool = True,
) -> Within:  # fmt: skip
    """The rows within the radii: starts (m + 1,), reduced distances and ids of each query, ordered
    by (distance, id), or by id. They are counted first, so that tables that are too large are
    refused, and the rows of each query are written where they belong. Without `distances`,
    `by_row`, the rows of nodes that lie within as a whole are not read."""
    count = count_within(view, Q, order, r, n_jobs)
    starts = np.zeros(len(Q) + 1, np.intp)
    np.cumsum(count, out=starts[1:])
    refuse_large(16 * int(starts[-1]), "The table of rows within the radius", ADVICE)
    apart, ids = np.empty(starts[-1]) if distances else None, np.empty(starts[-1], np.intp)
    limits = np.ascontiguousarray(np.broadcast_to(np.asarray(r, np.float64), len(Q)))

    def work(block: slice) -> None:
        _search_block(view, Q, order, block, limits, count, starts, apart, ids, by_row)

    effort = _effort(Q) + 50.0 * starts[-1]
    each(work, _queries(Q), n_jobs=n_jobs, effort=effort)
    return starts, apart, ids


def _search_block(
    view: Any,
    Q: Array,
    order: Any,
    block: slice,
    limits: Array,
    count: Array,
    starts: Array | None = None,
    distances: Array | None = None,
    ids: Array | None = None,
    by_row: bool = False,
) -> None:
    """Count the rows within the radii of a block of queries, or write them."""
    begin = block.start
    budget = _budget(Q)
    while begin < block.stop:
        checkpoint()
        begin = kdradius.within(
            view, Q, order, begin, block.stop, limits, budget, count, starts, distances, ids,
            by_row,
        )  # fmt: skip


def _queries(Q: Array) -> list[slice]:
    return grid(len(Q), least=64, most=QUERIES_PER_TASK)


def _budget(Q: Array) -> int:
    return int(COORDINATES_PER_CALL / (Q.shape[1] + 8))


def _effort(Q: Array) -> float:
    return len(Q) * (Q.shape[1] + 8) * 100.0
