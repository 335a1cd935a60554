# SPDX-License-Identifier: BSD-3-Clause
"""All rows within a radius, by brute force: the scan of neighbors/brute/brute.py with thresholds
that stay.

A row is within a reduced radius of a query if their reduced distance, summed in float64 by
differences, is no more than that. Which one stands for a radius, `Metric.reach` says.
"""

from typing import Any

import numpy as np

from statfast._core.distance import pairwise
from statfast._core.neighbors import radius
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array
from statfast._validation import refuse_large

Within = tuple[np.ndarray, np.ndarray, np.ndarray]  # starts (m + 1,), reduced distances, ids

ROWS_AT_A_TIME = 2048  # rows shown to the queries of a task at a time: any of them may be within
QUERIES_PER_TASK = 256  # of one task; fewer than 2^16, as they are numbered in as many bits
MAX_UNPACKED_QUERIES = (
    4  # queries: for so few, packing the rows costs more than the differences to all of them
)
FEATURES_PER_CALL = 1 << 22  # features looked at by differences in one call
ADVICE = "Lower the radius, or pass fewer queries at a time."


def rows_within(index: Any, Q: np.ndarray, limit: float, n_jobs: int | None = None) -> Within:
    """The rows within the reduced radii `limit` (a number or one each) of the queries.

    Returns starts (m + 1,), reduced distances and ids (starts[m],): those of query q stand from
    starts[q] to starts[q + 1], ordered by (distance, id). 16 bytes each, and as many while they
    are put together.
    """
    m, (n, d) = len(Q), index.rows.shape
    limits = np.ascontiguousarray(np.broadcast_to(np.asarray(limit, np.float64), m))
    held: list[int] = []  # rows found in each block that is done

    def work(block: slice) -> tuple[Array, Array, Array]:
        part = within_block(index, Q[block], limits[block])
        held.append(len(part[2]))
        refuse_large(32 * sum(held), "The table of rows within the radius", ADVICE)
        return part

    found = each(
        work,
        grid(m, least=64, most=QUERIES_PER_TASK, parts=16),
        n_jobs=n_jobs,
        effort=2.0 * m * n * d * index.costs[0],
    )
    return joined(found)


def within_block(index: Any, Q: Array, limit: Array) -> Within:
    """The same for the queries of one task."""
    Q64 = np.ascontiguousarray(Q, np.float64)
    points = index.scored(Q)
    left = np.arange(len(Q))
    hits: list[tuple] = []
    for scores in index.scores(None):
        if left.size <= MAX_UNPACKED_QUERIES:
            break
        done = by_scores(index, scores, points[left], Q64[left], limit[left], left, hits)
        left = left[~done]
    for q in left:
        hits.append(by_differences(index, Q64[q], limit[q], q))
    return gathered(hits, len(Q))


def by_scores(
    index: Any,
    scores: type[Any],
    points: Array,
    Q64: Array,
    limit: Array,
    where: Array,
    hits: list[Any],
) -> Array:
    """Add the rows within the limits of the queries whose scores have a bound; returns which."""
    m = len(points)
    room = min(ROWS_AT_A_TIME, len(index.rows))
    state = scores(index, points, room + 1, room)
    radius.aim(points, index.origin, index.scale, *index.measure, limit, state.slack, state.level)
    count = state.count[0, :m]
    done = count >= 0
    for part in index.calls(0, len(index.rows), m):
        for first in range(part.start, part.stop, room):
            checkpoint()
            state.scan(first, min(part.stop, first + room))
            total = int(count[done].sum())
            if total:
                query, apart, row = (
                    np.empty(total, np.uint16),
                    np.empty(total),
                    np.empty(total, int),
                )
                kept = recheck(index, Q64, count, state.row, limit, query, apart, row)
                if kept:
                    hits.append((where[query[:kept]], apart[:kept].copy(), row[:kept].copy()))
                count[done] = 0
    return done


def recheck(
    index: Any,
    Q64: Array,
    count: Array,
    rows: Array,
    limit: Array,
    query: Array,
    apart: Array,
    row: Array,
) -> int:
    """Keep of the candidates those within, some queries at a time; returns how many."""
    step = max(1, int(FEATURES_PER_CALL / (rows.shape[1] * Q64.shape[1] * index.costs[1])))
    kept = 0
    for first in range(0, len(Q64), step):
        checkpoint()
        part = slice(first, first + step)
        more = radius.within(
            Q64[part], index.rows, count[part], rows[part], *index.measure, limit[part],
            query[kept:], apart[kept:], row[kept:],
        )  # fmt: skip
        query[kept : kept + more] += first
        kept += more
    return kept


def by_differences(index: Any, q: Array, limit: float, number: int) -> tuple[Array, Array, Array]:
    """The hits of one query from the distances to all rows."""
    n, d = index.rows.shape
    apart = np.empty(n)
    step = max(1, int(FEATURES_PER_CALL / (d * index.costs[1])))
    for first in range(0, n, step):
        checkpoint()
        part = slice(first, first + step)
        pairwise.distances(q, index.rows[part], *index.measure, apart[part])
    row = np.flatnonzero(apart <= limit)
    return np.full(len(row), number), apart[row], row


def gathered(hits: list[tuple[Array, Array, Array]], m: int) -> Within:
    """Hits (query, distance, row) in any order as starts, distances and ids in order."""
    starts = np.zeros(m + 1, np.intp)
    if not hits:
        return starts, np.empty(0), np.empty(0, np.intp)
    query, apart, row = (np.concatenate(part) for part in zip(*hits, strict=True))
    np.cumsum(np.bincount(query, minlength=m), out=starts[1:])
    small = query.astype(np.uint16) if m < 1 << 16 else query  # is sorted by counting
    order = np.argsort(small, kind="stable")
    apart, row = apart[order], row[order].astype(np.intp, copy=False)
    radius.arrange(starts, apart, row)
    return starts, apart, row


def joined(found: list[Within]) -> Within:
    """The answers for blocks of queries as one."""
    if len(found) == 1:
        return found[0]
    counts = np.concatenate([np.diff(starts) for starts, _, _ in found])
    starts = np.zeros(len(counts) + 1, np.intp)
    np.cumsum(counts, out=starts[1:])
    apart = np.concatenate([part[1] for part in found])
    return starts, apart, np.concatenate([part[2] for part in found])
