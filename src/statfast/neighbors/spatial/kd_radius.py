# SPDX-License-Identifier: BSD-3-Clause
"""All rows within a radius, by a k-d tree: of queries, of each other, of another tree's rows.

Radii and distances are reduced ones; a row is within if its distance is <= the radius.
"""

from functools import partial

import numpy as np

from statfast._blocks import checkpoint, each, grid
from statfast._core import kdradius
from statfast._distances import Metric
from statfast._kd_tree import KDArrays
from statfast._validation import refuse_large

Within = tuple[np.ndarray, np.ndarray, np.ndarray]  # starts (m + 1,), reduced distances, ids

BUDGET = 2e7  # coordinates looked at between checkpoints: some 20 ms
QUERIES = 1024  # of one task
POINTS = 4096  # whose partners are one task
ROOM = 1 << 15  # pairs that a task has room for at first
PART = 1 << 16  # pairs put in order at a time: within the level-2 cache
SAMPLE = 1 << 10  # rows that tell beforehand how many pairs there will be
LARGE = "Lower the radius, or count them."


def count_within(
    arrays: KDArrays, metric: Metric, Q: np.ndarray, order, r, n_jobs: int | None = None
) -> np.ndarray:
    """How many rows are within the radii `r` (a number, or one each) of the queries, (m,).

    The queries are taken in an `order` (m,) int32, or None: as they lie. Nodes inside as a whole
    are counted without a look at their rows.
    """
    count = np.empty(len(Q), np.intp)
    limits = np.ascontiguousarray(np.broadcast_to(np.asarray(r, np.float64), len(Q)))

    def work(block):
        _pass(arrays, metric, Q, order, block, limits, count)

    each(work, _queries(Q), n_jobs=n_jobs, effort=_effort(arrays, len(Q)))
    return count


def rows_within(
    arrays: KDArrays, metric: Metric, Q: np.ndarray, order, r, n_jobs: int | None = None
) -> Within:
    """The rows within the radii: starts (m + 1,), reduced distances and ids of each query, ordered
    by (distance, id). They are counted first, so that what is too large is refused, and what is
    not has its place."""
    count = count_within(arrays, metric, Q, order, r, n_jobs)
    starts = np.zeros(len(Q) + 1, np.intp)
    np.cumsum(count, out=starts[1:])
    refuse_large(16 * int(starts[-1]), "The table of rows within the radius", LARGE)
    apart, ids = np.empty(starts[-1]), np.empty(starts[-1], np.intp)
    limits = np.ascontiguousarray(np.broadcast_to(np.asarray(r, np.float64), len(Q)))

    def work(block):
        most = int(count[block if order is None else order[block]].max())
        _pass(arrays, metric, Q, order, block, limits, count, starts, most, apart, ids)

    effort = _effort(arrays, len(Q)) + 50.0 * starts[-1]
    each(work, _queries(Q), n_jobs=n_jobs, effort=effort)
    return starts, apart, ids


def count_pairs(
    arrays: KDArrays, other: KDArrays, metric: Metric, r: float, n_jobs: int | None = None
) -> int:
    """Pairs of a row of one tree and a row of another (or the same) within a radius, ordered."""

    def work(block):
        return _meet(arrays, other, metric, r, block)[0]

    return sum(each(work, _leaves(other), n_jobs=n_jobs, effort=_effort(arrays, other.n)))


def pairs(arrays: KDArrays, metric: Metric, r: float, n_jobs: int | None = None) -> np.ndarray:
    """Pairs (i, j) of rows within a radius of each other, i < j, in lexicographic order.

    Each is found once, from that of its leaves that comes first, and put in order in parts of
    neighbouring i. 24 bytes each while that is done.
    """
    _refuse_pairs(arrays, metric, r, n_jobs)

    def work(block):
        found = np.empty(ROOM, np.int64)
        _, found, filled = _meet(arrays, arrays, metric, r, block, found)
        return found[:filled].copy() if filled < len(found) // 2 else found[:filled]

    words = each(work, _leaves(arrays), n_jobs=n_jobs, effort=_effort(arrays, arrays.n))
    total = sum(map(len, words))
    span = max(1, arrays.n * PART // max(1, total))  # values of i of one part
    shift = min(span.bit_length() - 1, 31)
    parts = (arrays.n - 1 >> shift) + 1
    parts_of = np.zeros((len(words), parts), np.intp)

    def tally(task):
        kdradius.tally(words[task], shift, parts_of[task])

    def deal(task):
        kdradius.deal(words[task], shift, at[task], dealt)

    share, tasks = partial(each, n_jobs=n_jobs, effort=10.0 * total), range(len(words))
    share(tally, tasks)
    ends = np.cumsum(parts_of.sum(axis=0))
    at = np.cumsum(parts_of, axis=0) - parts_of + (ends - parts_of.sum(axis=0))
    dealt = np.empty(total, np.int64)
    share(deal, tasks)
    words.clear()
    out = np.empty((total, 2), np.intp)

    def arrange(part):
        some = slice(ends[part - 1] if part else 0, ends[part])
        dealt[some].sort()
        kdradius.split(dealt[some], out[some])

    share(arrange, range(parts))
    return out


def _refuse_pairs(arrays, metric, r, n_jobs):
    """Raise MemoryError if there are too many pairs, as far as some of the rows can tell."""
    step = max(1, arrays.n // SAMPLE)
    leaf = arrays.blocks.shape[2]
    place = np.arange(0, arrays.n, step)
    some = np.ascontiguousarray(arrays.blocks[place // leaf, :, place % leaf])
    near = count_within(arrays, metric, some, None, r, n_jobs).sum() - len(some)
    refuse_large(24 * int(near) * step // 2, "The table of pairs", LARGE)


def _pass(
    arrays, metric, Q, order, block, limits, count, starts=None, most=0, apart=None, ids=None
):
    """Count or fill in what is within the radii of some queries."""
    begin = block.start
    budget = _budget(arrays)
    while begin < block.stop:
        checkpoint()
        begin = kdradius.within(
            *arrays.fields, arrays.turn, Q, order, begin, block.stop, metric.kind, metric.p, limits,
            budget, count, starts, most, apart, ids,
        )  # fmt: skip


def _meet(arrays, other, metric, r, block, found=None):
    """Pairs of the leaves in a block of the other tree: how many in order, and which."""
    begin, filled, total = block.start, 0, 0
    while begin < block.stop:
        checkpoint()
        begin, more, filled, roomy = kdradius.meet(
            *arrays.fields, arrays.turn, other.blocks, other.ids, other.n, other is arrays, begin,
            block.stop, metric.kind, metric.p, r, _budget(arrays), found, filled,
        )  # fmt: skip
        total += more
        if not roomy:
            refuse_large(32 * len(found), "The table of pairs", LARGE)
            larger = np.empty(2 * len(found), np.int64)
            larger[:filled] = found[:filled]
            found = larger
    return total, found, filled


def _queries(Q):
    return grid(len(Q), least=64, most=QUERIES)


def _leaves(arrays):
    """Blocks of leaves that are a task each."""
    leaves, _, leaf = arrays.blocks.shape
    step = max(1, min(POINTS // leaf, -(-leaves // 64)))
    return [slice(i, min(leaves, i + step)) for i in range(0, leaves, step)]


def _budget(arrays):
    return int(BUDGET / (arrays.blocks.shape[1] + 8))


def _effort(arrays, m):
    return m * (arrays.blocks.shape[1] + 8) * 100.0
