# SPDX-License-Identifier: BSD-3-Clause
"""Nearest neighbors among wide rows that lie near a space of few dimensions.

A projection brings no two rows further apart. So the rows whose projections are further from that
of a query than its k nearest so far are not among its k nearest, and most rows are compared in a
few coordinates alone: those along the principal axes of a sample, which hold most of the distances.
The rest is measured in float64 by differences, as everywhere, so that answers are the same.

The bound. Let P be the (d, r) axes as they are held, with |P'P - I| <= e, and z(x) the float32
numbers that stand for P'(x - origin) scale, summed in float64. Each is off by at most 2^-24 of it
and the error of the sum, so that
    |z(a) - z(b)| <= (1 + e) |a - b| scale + o (|a - origin| + |b - origin|) scale,
with o = 2^-23 + r d 2^-51. Rows are compared by the search of neighbors/brute/radius.py, whose
distances are right to float64: `SLACK` is for their rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._core.neighbors import brute, radius
from statfast._distance import EUCLIDEAN
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array

N_AXES = 64  # r: a multiple of the lanes
MIN_COLUMNS = 4 * N_AXES  # columns from which r are few
MIN_ROWS, MIN_QUERIES = 8192, 64  # of a search that may pay for the axes
N_FITTED = 384  # rows of which the axes are the principal ones
N_QUERIES, N_OTHERS = 64, 512  # other rows, which tell how many candidates there will be
RANKS = 4, 32  # of the neighbors among them
ROWS_AT_A_TIME = 2048  # rows compared before the limits are lowered: all may be candidates
QUERIES_PER_TASK = 1024
STRIDE = 8  # rows of which one is compared first, so that limits are low from the start on
NUMBERS_PER_CALL = 1 << 24  # numbers of candidates compared in a call: milliseconds
SLACK = 1e-9
MIN_SCALE, MAX_SCALE = 2.0**-300, 2.0**300  # beyond, squares might underflow

# Times in units of a multiply-add of a float32 scan, all about.
SCAN = 2.0 * N_AXES  # of a row and a query along the axes, with the rows that are compared first
CANDIDATE, COLUMN_OF_CANDIDATE = 8000.0, 12.0  # of a float64 distance, with its cache misses
BYTES_TO_FLOAT32 = 4.0  # of the time of a scan in float32 to that in bytes
PROJECTION = 5.0 * N_AXES  # of a row, for each of its columns
UNTIL_LIMITS_ARE_LOW = 2.5  # more rows are compared, as limits are higher at first
SHARE_OF_SCAN = 0.5  # of the time of a scan of all columns: for more candidates it is done
MIN_GAIN = 0.25  # of the time of a scan: less is not worth the memory
MARGIN = 1.5  # by which the time that is saved must exceed that of projecting


@dataclass(frozen=True)
class PrincipalIndex:
    """The rows in the coordinates along the axes."""

    index: Any  # BruteIndex of all rows
    vectors: Array  # (d, r) float64
    stretch: float  # 1 + e
    off: float  # o
    far: float  # the largest |x - origin| scale of the rows
    projected: Any  # BruteIndex of (n, r) float32
    first: Any  # that of each `STRIDE`-th row

    @classmethod
    def build(cls, index: Any, vectors: Array, n_jobs: int | None) -> PrincipalIndex:
        """Project the rows."""
        n, (d, r) = len(index.rows), vectors.shape
        rounding = r * d * 2.0**-51
        z = np.empty((n, r), np.float32)

        def fill(block: slice) -> None:
            z[block] = centered(index, index.rows[block]) @ vectors

        each(fill, grid(n, least=256, most=2048), n_jobs=n_jobs, effort=2.0 * n * d * r)
        build = type(index).build
        return cls(
            index,
            vectors,
            1 + float(np.linalg.norm(vectors.T @ vectors - np.eye(r))) + rounding,
            2.0**-23 + rounding,
            float(index.norm.max()),
            build(z, n_jobs),
            build(np.ascontiguousarray(z[::STRIDE]), n_jobs),
        )

    def query(self, Q: Array, k: int, n_jobs: int | None) -> tuple[Array, Array]:
        """Reduced distances (m, k) and row numbers (m, k), ordered by (distance, number)."""
        m, (n, r) = len(Q), self.projected.rows.shape
        d2, ids = np.full((m, k), np.inf), np.full((m, k), n, np.intp)

        def search(block: slice) -> None:
            left = self._search(Q[block], d2[block], ids[block])
            if left.any():
                place = block.start + np.flatnonzero(left)
                d2[place], ids[place] = self.index.search(Q[place], slice(0, n), k)

        blocks = grid(m, least=256, most=QUERIES_PER_TASK, parts=8)
        each(search, blocks, n_jobs=n_jobs, effort=2.0 * m * n * r)
        return d2, ids

    def _search(self, Q: Array, d2: Array, ids: Array) -> Array:
        """Answer a block of queries; returns marks of those that are left to the caller."""
        index, projected, n = self.index, self.projected, len(self.index.rows)
        moved = centered(index, Q)
        length = np.linalg.norm(moved, axis=1)
        with np.errstate(over="ignore", invalid="ignore"):
            z = (moved @ self.vectors).astype(np.float32)
        far = ~np.isfinite(z).all(axis=1)
        z[far] = length[far] = 0
        Q64 = np.ascontiguousarray(Q, np.float64)
        most = self._upper_limits(Q64, z, ids.shape[1])
        most[far] = 0
        room = min(ROWS_AT_A_TIME, n)
        scan = next(projected.scores(None))(projected, z, room + 1, room)
        count, slack = scan.count[0, : len(Q)], scan.slack.copy()
        affordable = len(Q) * n * SHARE_OF_SCAN * Q.shape[1] / time_of_candidate(Q.shape[1])
        for first in range(0, n, room):
            checkpoint()
            scan.slack[:] = slack
            radius.aim(
                z, projected.origin, projected.scale, *projected.measure,
                self._limit(most, length), scan.slack, scan.level,
            )  # fmt: skip
            scan.scan(first, min(n, first + room))
            affordable -= count.clip(0).sum()
            if affordable < 0:
                return np.ones_like(far)
            self._merge(Q64, count, scan.row, d2, ids)
            count[count > 0] = 0
            np.minimum(most, d2[:, -1], out=most)
        return far | (count < 0)

    def _upper_limits(self, Q64: Array, z: Array, k: int) -> Array:
        """The reduced distance (m,) of k rows that are near along the axes, at least."""
        m = len(z)
        distances, ids = np.empty((m, k)), np.empty((m, k), np.intp)
        rows = STRIDE * self.first.query(z, k, 1)[1]
        everywhere = np.full(m, k, np.int32)
        step = self._queries_of_call(m * k, m)
        for start in range(0, m, step):
            checkpoint()
            part = slice(start, start + step)
            brute.recheck(
                Q64[part], self.index.rows, everywhere[part], rows[part].astype(np.int32),
                *self.index.measure, distances[part], ids[part],
            )  # fmt: skip
        return distances[:, -1].copy()

    def _merge(self, Q64: Array, count: Array, row: Array, d2: Array, ids: Array) -> None:
        step = self._queries_of_call(count.clip(0).sum(), len(count))
        for start in range(0, len(count), step):
            checkpoint()
            part = slice(start, start + step)
            brute.merge(
                Q64[part], self.index.rows, count[part], row[part], *self.index.measure,
                d2[part], ids[part],
            )  # fmt: skip

    def _queries_of_call(self, candidates: float, m: int) -> int:
        """Of how many queries the candidates are compared in a call, so that Ctrl-C is heard."""
        numbers = (candidates / m + 1) * (self.index.rows.shape[1] + 64)
        return max(1, int(NUMBERS_PER_CALL / numbers))

    def _limit(self, most: Array, length: Array) -> Array:
        """The reduced distances of projections within which all rows within `most` are."""
        distance = self.stretch * np.sqrt(most) * self.index.scale + self.off * (self.far + length)
        return distance * distance * (1 + SLACK)


def time_of_candidate(d: int) -> float:
    """The time of a float64 distance."""
    return CANDIDATE + COLUMN_OF_CANDIDATE * d


def centered(index: Any, rows: Array) -> Array:
    """Rows in float64, moved and scaled."""
    moved = rows.astype(np.float64)
    moved -= index.origin
    moved *= index.scale
    return moved


@dataclass(frozen=True)
class Axes:
    """The principal axes of a sample, and how many candidates they leave."""

    vectors: Array  # (d, r) float64
    share: float  # of the rows that are candidates for `RANKS[0]` of `N_OTHERS` neighbors
    growth: float  # the logarithm of the share grows so much as that of the number of neighbors

    @classmethod
    def from_rows(cls, index: Any) -> Axes:
        """The axes of the indexed rows."""
        from scipy import linalg

        n, r = len(index.rows), N_AXES
        sample = np.linspace(0, n - 1, N_FITTED + N_QUERIES + N_OTHERS).astype(np.intp)
        sample = np.random.default_rng(0).permutation(sample)
        x = centered(index, index.rows[sample])
        fitted, queries, others = np.split(x, [N_FITTED, N_FITTED + N_QUERIES])
        vectors = linalg.eigh(fitted @ fitted.T, subset_by_index=[N_FITTED - r, N_FITTED - 1])[1]
        axes = np.linalg.qr(fitted.T @ vectors)[0]
        near = np.sort(squared(queries, others), axis=1)[:, [rank - 1 for rank in RANKS]]
        projected = squared(queries @ axes, others @ axes)
        few, many = (max(np.mean(projected <= limit), 1e-6) for limit in near.T[:, :, None])
        return cls(axes, few, np.log(many / few) / np.log(RANKS[1] / RANKS[0]))

    def candidates(self, n: int, k: int) -> float:
        """The share of n rows that a search for k neighbors is likely to compare."""
        fraction = (k / n) / (RANKS[0] / N_OTHERS)
        return min(1.0, UNTIL_LIMITS_ARE_LOW * self.share * fraction**self.growth)


class PrincipalSearch:
    """What is known of an index and its axes; made as queries ask for it."""

    def __init__(self) -> None:
        self.asked = 0  # queries so far
        self.axes: Axes | None = None
        self.index: PrincipalIndex | None = None

    def index_for(self, index: Any, m: int, k: int, n_jobs: int | None) -> PrincipalIndex | None:
        """The index by principal axes if it pays for m queries for k neighbors, or None."""
        n, d = index.rows.shape
        if index.metric.kind != EUCLIDEAN or d < MIN_COLUMNS:
            return None
        if m < MIN_QUERIES or n < max(MIN_ROWS, 64 * k):
            return None
        if not MIN_SCALE < index.scale < MAX_SCALE:
            return None
        self.asked += m
        bytes_pay = index.bytes is not None and index.bytes.pays(k)
        scan = d / BYTES_TO_FLOAT32 if bytes_pay else float(d)
        due = 0.0 if self.index is not None else MARGIN * PROJECTION * d / self.asked
        due = max(due, MIN_GAIN * scan)
        if scan - SCAN <= due:
            return None
        if self.axes is None:
            self.axes = Axes.from_rows(index)
        if scan - SCAN - self.axes.candidates(n, k) * time_of_candidate(d) <= due:
            return None
        if self.index is None:
            self.index = PrincipalIndex.build(index, self.axes.vectors, n_jobs)
        return self.index


def squared(a: Array, b: Array) -> Array:
    """Squared distances, about."""
    return (a * a).sum(1)[:, None] + (b * b).sum(1) - 2 * a @ b.T
