# SPDX-License-Identifier: BSD-3-Clause
"""All rows within a radius, by brute force: the scan of neighbors/brute/brute.py with fixed
thresholds.

A row is within a reduced radius of a query if their reduced distance, summed in float64 by
differences, is no more than that. `Metric.reduce_radii` turns radii into reduced ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._core.distance import pairwise
from statfast._core.neighbors import radius
from statfast._distance import EUCLIDEAN
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array
from statfast._validation import refuse_large

# starts (m + 1,), reduced distances (None where nobody asks for them), ids
Within = tuple[np.ndarray, Any, np.ndarray]

ROWS_AT_A_TIME = 2048  # rows scanned for the queries of a task at a time: all of them may be within
QUERIES_PER_TASK = 256  # queries of one task; fewer than 2^16, as their numbers are uint16
MAX_UNPACKED_QUERIES = 4  # queries: for so few, packing the rows costs more than all differences
LARGEST_FLOAT = float(np.finfo(np.float32).max)
FEATURES_PER_CALL = 1 << 22  # features compared by differences in one call
ADVICE = "Lower the radius, or pass fewer queries at a time."


def rows_within(
    index: Any, Q: np.ndarray, limit: float, n_jobs: int | None = None, *, by_row: bool = False,
    distances: bool = True,
) -> Within:  # fmt: skip
    """The rows within the reduced radii `limit` (a number or one each) of the queries.

    Returns starts (m + 1,), reduced distances and ids (starts[m],): those of query q stand from
    starts[q] to starts[q + 1], ordered by (distance, id), or `by_row` by id. 16 bytes each, and as
    many while they are put together. Without `distances`, `by_row`, rows that are inside by their
    scores are not compared once more.
    """
    m, (n, d) = len(Q), index.rows.shape
    limits = np.ascontiguousarray(np.broadcast_to(np.asarray(limit, np.float64), m))
    held: list[int] = []  # rows found in each block that is done

    def work(block: slice) -> tuple[Array, Array, Array]:
        part = within_block(index, Q[block], limits[block], by_row, distances)
        held.append(len(part[2]))
        refuse_large(32 * sum(held), "The table of rows within the radius", ADVICE)
        return part

    answers = each(
        work,
        grid(m, least=64, most=QUERIES_PER_TASK, parts=16),
        n_jobs=n_jobs,
        effort=2.0 * m * n * d * index.costs[0],
    )
    return joined(answers)


def within_block(
    index: Any, Q: Array, limit: Array, by_row: bool, distances: bool = True
) -> Within:
    """The rows within the limits of the queries of one task."""
    Q64 = np.ascontiguousarray(Q, np.float64)
    points = index.scored(Q)
    undecided = np.arange(len(Q))
    matches: list[tuple] = []
    for scores in index.scores(None):
        if undecided.size <= MAX_UNPACKED_QUERIES:
            break
        done = by_scores(
            index, scores, points[undecided], Q64[undecided], limit[undecided], undecided, matches,
            distances,
        )  # fmt: skip
        undecided = undecided[~done]
    for q in undecided:
        matches.append(by_differences(index, Q64[q], limit[q], q, distances))
    return gathered(matches, len(Q), len(index.rows), by_row)


def by_scores(
    index: Any,
    scores: type[Any],
    points: Array,
    Q64: Array,
    limit: Array,
    queries: Array,
    matches: list[Any],
    distances: bool = True,
) -> Array:
    """Add the rows within the limits of queries whose scores have a bound; returns marks of
    these."""
    m = len(points)
    room = min(ROWS_AT_A_TIME, len(index.rows))
    state = scores(index, points, room + 1, room)
    radius.aim(points, index.origin, index.scale, *index.measure, limit, state.slack, state.level)
    count = state.count[0, :m]
    done = count >= 0
    bar = None
    if not distances and index.metric.kind == EUCLIDEAN and scores.real is np.float32:
        bar = np.stack([state.level, state.slope], dtype=np.float64)
        bar[0, state.level <= -LARGEST_FLOAT] = np.inf  # such a level is no bound of a score
        bar[0] += state.slack
    for part in index.calls(0, len(index.rows), m):
        for first in range(part.start, part.stop, room):
            checkpoint()
            state.scan(first, min(part.stop, first + room))
            total = int(count[done].sum())
            if total:
                if bar is not None:
                    radius.mark_inside(count, state.row, state.score, bar, index.norm, Q64.shape[1])
                query, row = np.empty(total, np.uint16), np.empty(total, np.intp)
                apart = np.empty(total) if distances else None
                kept = recheck(index, Q64, count, state.row, limit, query, apart, row)
                if kept:
                    near = None if apart is None else apart[:kept].copy()
                    matches.append((queries[query[:kept]], near, row[:kept].copy()))
                count[done] = 0
    return done


def recheck(
    index: Any,
    Q64: Array,
    count: Array,
    rows: Array,
    limit: Array,
    query: Array,
    distances: Array | None,
    row: Array,
) -> int:
    """Keep the candidates within the limits, a few queries at a time; returns how many."""
    step = max(1, int(FEATURES_PER_CALL / (rows.shape[1] * Q64.shape[1] * index.costs[1])))
    kept = 0
    for first in range(0, len(Q64), step):
        checkpoint()
        part = slice(first, first + step)
        more = radius.within(
            Q64[part], index.rows, count[part], rows[part], *index.measure, limit[part],
            query[kept:], None if distances is None else distances[kept:], row[kept:],
        )  # fmt: skip
        query[kept : kept + more] += first
        kept += more
    return kept


def by_differences(
    index: Any, q: Array, limit: float, number: int, wanted: bool = True
) -> tuple[Array, Any, Array]:
    """The matches of one query, from the distances to all rows."""
    n, d = index.rows.shape
    distances = np.empty(n)
    step = max(1, int(FEATURES_PER_CALL / (d * index.costs[1])))
    for first in range(0, n, step):
        checkpoint()
        part = slice(first, first + step)
        pairwise.distances(q, index.rows[part], *index.measure, distances[part])
    row = np.flatnonzero(distances <= limit)
    return np.full(len(row), number), distances[row] if wanted else None, row


def gathered(
    matches: list[tuple[Array, Any, Array]], m: int, n: int, by_row: bool = False
) -> Within:
    """Matches (query, distance, row) in any order as starts, distances and ids in order, of m
    queries and n rows."""
    starts = np.zeros(m + 1, np.intp)
    if not matches:
        return starts, np.empty(0), np.empty(0, np.intp)
    for query, _, _ in matches:
        starts[1:] += np.bincount(query, minlength=m)
    np.cumsum(starts, out=starts)
    distances = None if matches[0][1] is None else np.empty(starts[-1])
    row = np.empty(starts[-1], np.intp)
    place = starts[:-1].copy()
    for part in matches:
        radius.distribute(*part, place, distances, row)
    radius.arrange(starts, distances, row, by_row, n)
    return starts, distances, row


def joined(answers: list[Within]) -> Within:
    """The answers for blocks of queries as one."""
    if len(answers) == 1:
        return answers[0]
    counts = np.concatenate([np.diff(starts) for starts, _, _ in answers])
    starts = np.zeros(len(counts) + 1, np.intp)
    np.cumsum(counts, out=starts[1:])
    measured = [part[1] for part in answers]
    distances = None if any(part is None for part in measured) else np.concatenate(measured)
    return starts, distances, np.concatenate([part[2] for part in answers])
