# SPDX-License-Identifier: BSD-3-Clause
"""Brute force: all rows are scored in bytes or float32, and candidates are measured in float64.

Rows and queries are prepared (`Metric.prepare`), and distances are reduced ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from statfast._core.distance import pairwise
from statfast._core.neighbors import brute, quantized
from statfast._core.neighbors.search_state import SearchState
from statfast._core.tile import tiles
from statfast._distance import (
    CHEBYSHEV,
    EUCLIDEAN,
    HAVERSINE,
    MANHATTAN,
    MINKOWSKI,
    PLAIN,
    Float32Frame,
    Metric,
    extent_of,
    with_contiguous_rows,
)
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array
from statfast.neighbors.brute.precomputed import without_self
from statfast.neighbors.brute.principal import PrincipalSearch
from statfast.neighbors.brute.quantized import ByteCode
from statfast.neighbors.brute.radius import Within, rows_within

# Operations of a kernel call, so that Ctrl-C is heard between two calls: tens of milliseconds, as
# machines with larger tiles are faster.
FLOP_PER_CALL = min(4e9, 2e7 * prod(tiles.tile_shape("f")))
DIFFERENCES_PER_CALL = FLOP_PER_CALL / 50  # differences that take as long
MAX_UNPACKED_QUERIES = 8  # queries: for so few, packing the rows costs more than all differences
MIN_DIFFERENCES_FOR_TASKS = 1e6  # differences: fewer are computed directly, in one thread
QUERIES_PER_TASK = 1024  # queries of one task: they amortize the conversion of the rows
CANDIDATE_BYTES_PER_TASK = 1 << 26  # bytes of candidates of one task
NUMBERS_PER_ENCODING = 1 << 24  # numbers measured and rounded to bytes in one task
MAX_FLOAT32_FEATURES = 100_000  # features beyond which the bound on float32 scores is void
STEEP32, STEEP64 = 12, 32  # exponents p beyond which bounds on Minkowski scores are useless

# The time of a feature in a scan and by differences, in units of Euclidean distance.
COSTS = {EUCLIDEAN: (1, 1), MANHATTAN: (1.5, 1), CHEBYSHEV: (2, 1), HAVERSINE: (1, 60)}
SCORED = (*COSTS, MINKOWSKI)  # other kinds are searched by differences alone
PRODUCTS, POWERS = (3, 1), (40, 60)  # Minkowski, by products (p = 3 and 4) or by exp and log


@dataclass(frozen=True)
class BruteIndex:
    """The rows, and the numbers that error bounds of scores depend on.

    For Euclidean, Manhattan, Chebyshev, Minkowski and haversine distances, and, number by number,
    for Hamming and Jaccard.
    """

    rows: np.ndarray  # (n, d) float64, float32 or uint8
    points: np.ndarray  # (n, d) rows that are scored; for haversine points of the sphere (n, 3)
    origin: np.ndarray  # (d,) float32, about the mean: distances do not change, errors shrink
    scale: float  # a power of two that brings the rows near 1
    norm: np.ndarray  # (n,) float32, at least the norm of each row so moved and scaled
    bytes: ByteCode | None = None
    metric: Metric = field(default=PLAIN)
    lean: float = 0.0  # an additional error of haversine scores

    @classmethod
    def build(
        cls, X: np.ndarray, n_jobs: int | None = None, *, metric: Metric = PLAIN
    ) -> BruteIndex:
        """Measure the rows."""
        n, d = X.shape
        rows = with_contiguous_rows(X)
        if metric.kind == HAVERSINE:
            lean = 2.0**-46 * (4 + float(np.abs(rows).max()))
            points = places(rows)
            norm = np.full(n, 1.000001, np.float32)
            return cls(rows, points, np.zeros(3, np.float32), 1.0, norm, None, metric, lean)
        if metric.kind not in SCORED:
            nothing = np.zeros(d, np.float32)
            return cls(rows, rows, nothing, 1.0, np.zeros(n, np.float32), metric=metric)
        extent = extent_of(rows, n_jobs)
        frame = Float32Frame.from_extent(extent)
        origin, scale = frame.origin, frame.scale
        step, code = 0.5, None
        if metric.kind == EUCLIDEAN:
            step, code = ByteCode.step_of(rows, extent.radius(origin) * scale)
        if step == 1.0:
            origin, scale = np.full(d, 128, np.float32), 1.0
        norm = np.empty(n, np.float32)
        start = None if code is None else np.empty(n, np.float32)

        def encode(block: slice) -> float | None:
            if metric.kind != EUCLIDEAN:
                return brute.sizes(rows[block], origin, scale, metric.kind, metric.p, norm[block])
            part = None if code is None or code is rows else code[block]
            half = None if start is None else start[block]
            return quantized.encode(rows[block], origin, scale, step, part, half, norm[block])

        most = min(16384, max(64, NUMBERS_PER_ENCODING // d))
        blocks = grid(n, least=min(1024, most), most=most)
        errors = each(encode, blocks, n_jobs=n_jobs, effort=n * d * 8.0)
        index = cls(rows, rows, origin, scale, norm, None, metric)
        if code is None:
            return index
        return replace(index, bytes=ByteCode.measure(index, code, start, step, max(errors)))

    def query(
        self, Q: np.ndarray, k: int, n_jobs: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Reduced distances (m, k) and row numbers (m, k), ordered by (distance, number)."""
        m, n, d = len(Q), *self.rows.shape
        scanning, differing = self.costs
        d2, ids = np.empty((m, k)), np.empty((m, k), np.intp)
        work = n * d * differing
        if m * work <= MIN_DIFFERENCES_FOR_TASKS or (
            m <= MAX_UNPACKED_QUERIES and work <= MIN_DIFFERENCES_FOR_TASKS
        ):
            Q64, (kind, p) = np.ascontiguousarray(Q, np.float64), self.measure
            brute.direct(Q64, self.rows, kind, p, d2, ids)
            return d2, ids
        principal = self._principal.index_for(self, m, k, n_jobs)
        if principal is not None:
            return principal.query(Q, k, n_jobs)

        tasks = self._tasks(m, k)
        parts = each(
            lambda task: self.search(Q[task[0]], task[1], min(k, task[1].stop - task[1].start)),
            tasks,
            n_jobs=n_jobs,
            effort=2.0 * m * n * d * scanning,
        )
        for block in dict.fromkeys((t[0].start, t[0].stop) for t in tasks):
            lists = [part for t, part in zip(tasks, parts, strict=True) if t[0].start == block[0]]
            d2[slice(*block)], ids[slice(*block)] = nearest_of(lists, k)
        return d2, ids

    def self_query(self, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The same of the indexed rows, each without itself."""
        return without_self(*self.query(self.rows, k + 1, n_jobs), np.arange(len(self.rows)))

    def query_radius(
        self, Q: np.ndarray, r: float, n_jobs: int | None = None, *, by_row: bool = False,
        distances: bool = True,
    ) -> Within:  # fmt: skip
        """All rows within reduced radii r, of one or of each query."""
        distances = distances or not by_row
        return rows_within(self, Q, r, n_jobs, by_row=by_row, distances=distances)

    @cached_property
    def _principal(self) -> PrincipalSearch:
        return PrincipalSearch()

    def __getstate__(self) -> dict[str, Any]:
        """Without what queries make anew."""
        return {name: value for name, value in vars(self).items() if name != "_principal"}

    @property
    def measure(self) -> tuple[int, float]:
        """The kind and the exponent, in the form of kernels."""
        return self.metric.kind, self.metric.p

    @property
    def costs(self) -> tuple[float, float]:
        """The time of a feature in a scan and by differences, about."""
        if self.metric.kind == MINKOWSKI:
            return PRODUCTS if self.metric.p in (3, 4) else POWERS
        return COSTS.get(self.metric.kind, (1, 1))

    def scored(self, Q: np.ndarray) -> np.ndarray:
        """The queries in the form in which they are scored."""
        return places(Q) if self.metric.kind == HAVERSINE else with_contiguous_rows(Q)

    def calls(self, start: int, stop: int, m: int) -> list[slice]:
        """The rows from start to stop, cut into those of one scan for m queries."""
        step = max(64, int(FLOP_PER_CALL / (2.0 * m * self.rows.shape[1] * self.costs[0])))
        return [slice(first, min(stop, first + step)) for first in range(start, stop, step)]

    def _tasks(self, m: int, k: int) -> Any:
        """Pairs (queries, rows): blocks of queries; where those are few, blocks of rows too."""
        n, d = self.rows.shape
        most = max(
            32,
            min(
                QUERIES_PER_TASK, CANDIDATE_BYTES_PER_TASK // (64 * k + 4096), (1 << 22) // (4 * d)
            ),
        )
        queries = grid(m, least=min(256, most), most=most, parts=8)
        pieces = max(1, min(8 // len(queries), n * d // int(MIN_DIFFERENCES_FOR_TASKS)))
        rows = grid(n, least=max(k, -(-n // pieces)), most=n, parts=pieces)
        return [(q, r) for q in queries for r in rows]

    def search(self, Q: Any, rows: Any, k: int) -> Any:
        """The k nearest among a range of rows, by the cheapest scores that decide."""
        m = len(Q)
        d2, ids = np.empty((m, k)), np.empty((m, k), np.intp)
        Q64 = np.ascontiguousarray(Q, np.float64)
        points = self.scored(Q)
        undecided = np.arange(m)
        for scores in self.scores(k):
            if undecided.size <= MAX_UNPACKED_QUERIES:
                break
            block_points = points if undecided.size == m else points[undecided]
            decided = self._by_scores(
                scores, block_points, rows, k, Q64[undecided], undecided, d2, ids
            )
            undecided = undecided[~decided]
        for q in undecided:
            d2[q], ids[q] = self._by_differences(Q64[q], rows, k)
        return d2, ids

    def scores(self, k: int | None) -> Iterator:
        """The types of score to try, the cheapest first."""
        kind, p = self.measure
        steep = p if kind == MINKOWSKI else 1
        if kind not in SCORED:
            return
        if self.bytes is not None and k is not None and self.bytes.pays(k):
            yield ByteScores
        if self.rows.shape[1] <= MAX_FLOAT32_FEATURES and steep <= STEEP32 and kind != HAVERSINE:
            yield Float32Scores
        if steep <= STEEP64:
            yield Float64Scores

    def _by_scores(
        self, scores: Any, Q: Any, rows: Any, k: int, Q64: Array, queries: Any, d2: Array, ids: Any
    ) -> Any:
        """Answer the queries whose candidates fit; returns marks of these."""
        m, d = Q64.shape
        state = scores(self, Q, k)
        for scanned in self.calls(rows.start, rows.stop, m):
            checkpoint()
            state.scan(scanned.start, scanned.stop)
        count, row = state.count[0, :m], state.row
        decided = count >= k  # the count is -1 where there were too many
        best, nearest_ids = np.empty((m, k)), np.empty((m, k), np.intp)
        kind, p = self.measure
        step = max(1, int(DIFFERENCES_PER_CALL / (row.shape[1] * (d + 64) * self.costs[1])))
        for first in range(0, m, step):
            checkpoint()
            part = slice(first, first + step)
            brute.recheck(
                Q64[part], self.rows, count[part], row[part], kind, p, best[part], nearest_ids[part]
            )
        d2[queries[decided]], ids[queries[decided]] = best[decided], nearest_ids[decided]
        return decided

    def _by_differences(self, q: Any, rows: Any, k: int) -> Any:
        """Answer one query from the distances to all rows, at least k at a time."""
        step = max(1, int(DIFFERENCES_PER_CALL / (q.shape[0] * self.costs[1])))
        distances = np.empty(min(rows.stop - rows.start, max(k, step)))
        lists = []
        for start in range(rows.start, rows.stop, len(distances)):
            stop = min(rows.stop, start + len(distances))
            for first in range(start, stop, step):
                checkpoint()
                block = self.rows[first : min(stop, first + step)]
                pairwise.distances(q, block, *self.measure, distances[first - start :])
            nearest = (
                np.empty((1, min(k, stop - start))),
                np.empty((1, min(k, stop - start)), np.intp),
            )
            brute.nearest(distances[: stop - start], nearest[0][0], nearest[1][0])
            nearest[1][:] += start
            lists.append(nearest)
        return nearest_of(lists, k)


def places(rows: Any) -> Any:
    """Latitudes and longitudes as points of the unit sphere."""
    latitude, longitude = np.asarray(rows, np.float64).T
    flat = np.cos(latitude)
    return np.stack([flat * np.cos(longitude), flat * np.sin(longitude), np.sin(latitude)], axis=1)


def nearest_of(lists: Any, k: int) -> Any:
    """The k nearest of several lists of the same queries."""
    if len(lists) == 1:
        return lists[0]
    d2 = np.concatenate([part[0] for part in lists], axis=1)
    ids = np.concatenate([part[1] for part in lists], axis=1)
    order = np.lexsort((ids, d2), axis=1)[:, :k]
    return np.take_along_axis(d2, order, axis=1), np.take_along_axis(ids, order, axis=1)


# Scans of a block of queries, a class for each type of score. Each takes the index, the queries and
# k, and ``scan(first, stop)`` scores rows. After that, ``count`` and ``row`` hold the candidates of
# each query; a count of -1 means that there were too many.


class FloatScores:
    """The scan of a block of queries by scores of one floating-point type."""

    # What subclasses declare, or a fit sets.
    real: Any

    def __init__(self, index: BruteIndex, Q: Array, k: int, room: int | None = None) -> None:
        self.index, self.k = index, k
        m, d = Q.shape
        width = tiles.tile_shape(np.dtype(self.real).char)[1]
        filled = -(-m // width) * width
        self.panels = np.empty(filled * d, self.real)
        self.slope, self.slack, self.level = np.empty((3, filled), self.real)
        self.count = np.empty((2, filled), np.int32)
        self.score = np.empty((filled, room or 2 * k + 64), self.real)
        self.row = np.empty(self.score.shape, np.int32)
        self.state = SearchState(
            k, self.slope, self.slack, self.level, self.count, self.score, self.row
        )
        brute.begin(
            Q, index.origin, index.scale, *index.measure, index.lean, self.panels, self.state
        )

    def scan(self, first: int, stop: int) -> None:
        index = self.index
        brute.scan(
            index.points[first:stop], first, index.origin, index.scale, index.norm,
            *index.measure, self.panels, self.state,
        )  # fmt: skip


class Float32Scores(FloatScores):
    real = np.float32


class Float64Scores(FloatScores):
    real = np.float64


class ByteScores:
    """The scan of a block of queries by scores of bytes."""

    def __init__(self, index: Any, Q: Any, k: int) -> None:
        self.index, self.k = index, k
        m, d = Q.shape
        width = tiles.tile_shape("f")[1]
        filled = -(-m // width) * width
        self.panels = np.empty(filled * quantized.padded_depth(d), np.int8)
        self.offset = np.empty(filled, np.int32)
        self.unit, self.slope, self.slack, self.level = np.empty((4, filled), np.float32)
        self.count = np.empty((2, filled), np.int32)
        self.score = np.empty((filled, index.bytes.room(k)), np.float32)
        self.row = np.empty(self.score.shape, np.int32)
        code = index.bytes
        self.state = SearchState(
            k, self.slope, self.slack, self.level, self.count, self.score, self.row
        )
        quantized.begin(
            Q, index.origin, index.scale, code.step, code.error, self.panels, self.offset,
            self.unit, self.state,
        )  # fmt: skip

    def scan(self, first: Any, stop: int) -> None:
        index = self.index
        quantized.scan(
            index.bytes.code[first:stop], index.bytes.start, index.norm, first, self.panels,
            self.offset, self.unit, self.state,
        )  # fmt: skip
