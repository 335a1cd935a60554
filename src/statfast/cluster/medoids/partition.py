# SPDX-License-Identifier: BSD-3-Clause
"""A partition of points among medoids: the nearest and second nearest medoid of each."""

from __future__ import annotations

from math import frexp, isfinite
from typing import Any

import numpy as np

from statfast._core.medoids import pam
from statfast._distance import OfRows, Square, fits
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs

ROUNDING_SHARE = 2.0**-52  # changes of the loss below n times this share of it are rounding

# Numbers weighed between two checkpoints: some 50 ms.
NUMBERS_PER_CALL = 1 << 27
BYTE_BITS = 6  # bits of the mean distance to the second medoid, in rows kept as bytes
PANEL_ROWS = pam.MAX_CANDIDATES


class Partition:
    """Points divided among medoids.

    Parameters
    ----------
    source : Square, Condensed or OfRows
        The dissimilarities between n points.
    medoids : array-like of shape (k,)
        Points, by number; medoid m is said to be in slot m.
    weights : ndarray of shape (n,), or None
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.
    """

    def __init__(
        self,
        source: Any,
        medoids: Array | list[int],
        weights: Array | None = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.source, self.weights, self.n_jobs = source, weights, n_jobs
        self.medoids = np.array(medoids, np.intp)
        n = source.n
        self.near, self.second = np.empty(n), np.empty(n)
        self.slot, self.second_slot = np.empty(n, np.int32), np.empty(n, np.int32)
        self.bound, self.far_off = np.empty(n), np.empty((n, pam.reserve()))
        self.who = np.empty((n, pam.reserve()), np.int32)
        self.place = np.empty(n, np.int32)
        self.mirrored = isinstance(source, Square) and source.mirrored
        self.rows: Any = None
        self.barred = barred(weights, n)
        self.lost = np.empty(n, np.intp)
        self.assign()

    @property
    def k(self) -> int:
        return len(self.medoids)

    @property
    def _nearest_arrays(self) -> tuple[Any, ...]:
        """The arrays of nearest medoids, in the order of the kernels."""
        nearest = self.near, self.second, self.slot, self.second_slot
        return *nearest, self.bound, self.who, self.far_off, self.place, self.medoids

    def assign(self) -> None:
        """Find the nearest medoids of all points; ties: lowest slot."""
        self.place[:] = -1
        self.place[self.medoids] = np.arange(self.k)

        def assign_block(rows: slice) -> None:
            self._assign_points(np.arange(rows.start, rows.stop))

        n = self.source.n
        each(assign_block, grid(n, most=4096), n_jobs=self.n_jobs, effort=20.0 * n * self.k)
        self._weigh()

    def _assign_points(self, points: Array) -> None:
        """Find the nearest medoids of points, which are ascending numbers."""
        if isinstance(self.source, Square):
            matrix = self.source.matrix
            table = matrix.T if self.mirrored else matrix
            pam.find_nearest(table, self.medoids, points, points, self._nearest_arrays)
        else:
            block = self.source.between(points, self.medoids)
            pam.find_nearest(
                block, np.arange(self.k), np.arange(len(points)), points, self._nearest_arrays
            )

    def keep_rows(self) -> None:
        """Keep the rows of candidates once weighed, rounded to bytes, if memory allows: see
        `pam`."""
        n, middle = self.source.n, self.second.mean()
        if self.weights is None and 1e-280 < middle < 1e280 and fits(2 * n * n):
            unit = 2.0 ** (frexp(middle)[1] - BYTE_BITS)
            self.rows = (
                np.empty((n, n), np.uint8), np.zeros(n, np.uint8), np.empty(n, np.uint8), unit
            )  # fmt: skip

    @property
    def rounded(self) -> bool:
        """Whether all rows are kept."""
        return self.rows is not None and bool(self.rows[1].all())

    def _weigh(self) -> None:
        self.barred_now = self.barred.copy()
        self.barred_now[self.medoids] = 1
        self.far, self.close = self.second, self.near
        if self.weights is not None:
            with np.errstate(invalid="ignore"):
                self.far, self.close = self.second * self.weights, self.near * self.weights
        self.loss = float(self.close.sum())

    def break_ties(self) -> None:
        """Give points with two nearest medoids to the lower slot."""
        ties = np.flatnonzero(self.near == self.second)
        for start in range(0, len(ties), 4096):
            self._assign_points(ties[start : start + 4096].copy())
        self._weigh()

    def removal(self) -> Array:
        """The growth of the loss without each medoid."""
        return np.bincount(self.slot, self.far - self.close, self.k)

    def exchange(self, slot: int, candidate: int) -> None:
        """Put a candidate in place of a medoid."""
        to_it = self.source.matrix[candidate] if self.mirrored else column(self.source, candidate)
        count = pam.exchange(to_it, candidate, slot, self._nearest_arrays, self.lost)
        for start in range(0, count, 4096):
            self._assign_points(self.lost[start : min(start + 4096, count)].copy())
        self._weigh()

    def improve(self, slot: int, candidate: int) -> bool:
        """Exchange a medoid and a candidate if that lowers the loss, despite rounding."""
        loss, former = self.loss, self.medoids[slot]
        self.exchange(slot, candidate)
        if self.loss < loss:
            return True
        self.exchange(slot, former)
        return False

    def pursue(self, start: int, patience: int) -> tuple[int, int, int, int]:
        """Swap medoids for candidates from `start` on, while swaps are frequent.

        There must be a matrix, and no weights. Returns the next candidate, how many in a row have
        not helped, how many were weighed, and the number of swaps.
        """
        n = self.source.n
        most = max(PANEL_ROWS, (NUMBERS_PER_CALL >> 2) // n)
        *outcome, swaps = pam.pursue(
            self.source.matrix, self.mirrored, self.barred_now, self._nearest_arrays, self.rows,
            self.lost, start, patience, most, ROUNDING_SHARE * n, np.empty(self.k),
        )  # fmt: skip
        if swaps:
            self._weigh()
        return *outcome, swaps

    def search(
        self, start: int, stop: int, *, first: bool, window: Any = None
    ) -> tuple[int, int, float]:
        """The candidate among points start..stop - 1 to take: (candidate or -1, slot, change).

        `first` takes the first that lowers the loss by more than rounding, else the best.
        """
        limit = -ROUNDING_SHARE * self.source.n * self.loss
        removal = self.removal()
        if self.rows is not None:
            pam.edges(self.second, self.rows)
        step = PANEL_ROWS * max(1, -(-(stop - start) // (PANEL_ROWS * 8)))  # eight parts at most
        parts = [slice(lo, min(lo + step, stop)) for lo in range(start, stop, step)]

        def work(part: slice) -> tuple[int, int, float]:
            return self._scan(part, removal, limit, first)

        effort = 8.0 * self.source.n * (stop - start)
        best = -1, 0, limit
        for candidate in each(work, parts, n_jobs=self.n_jobs, effort=effort):
            if candidate[0] >= 0 and (first or candidate[2] < best[2]):
                best = candidate
                if first:
                    break
        return best

    def _scan(
        self, part: slice, removal: Array, limit: float, first: bool
    ) -> tuple[int, int, float]:
        """`search` in one part of the candidates, in their order."""

        n, best = self.source.n, (-1, 0, limit)
        in_one_block = self.source.strip >= n
        step = (
            PANEL_ROWS * max(1, NUMBERS_PER_CALL // (n * PANEL_ROWS))
            if in_one_block
            else PANEL_ROWS
        )
        workspace = None if in_one_block else np.empty((self.source.strip, PANEL_ROWS))
        for lo in range(part.start, part.stop, step):
            checkpoint()
            columns = slice(lo, min(lo + step, part.stop))
            shut = self.barred_now[columns]
            if in_one_block:
                block = self._columns(columns)
                candidate = pam.scan(
                    block, self.mirrored, self.rows, lo, shut, self.close, self.far, self.slot,
                    self.weights, removal, best[2], first,
                )  # fmt: skip
            else:
                candidate = self._scan_strips(columns, shut, removal, best[2], first, workspace)
            if candidate[0] >= 0:
                best = lo + candidate[0], candidate[1], candidate[2]
                if first:
                    break
        return best

    def _columns(self, columns: slice) -> Array:
        """Columns of the matrix; as rows if it is symmetric."""
        if self.mirrored:
            return self.source.matrix[columns]
        return self.source.block(slice(None), columns)

    def _scan_strips(
        self, columns: Any, shut: Any, removal: Any, limit: Any, first: Any, workspace: Array | None
    ) -> Any:
        """Weigh one panel of candidates, a strip of points at a time."""
        loss = np.empty((self.k + 1, PANEL_ROWS))
        pam.opened(removal, loss)
        for rows in strips(self.source):
            strip_weights = None if self.weights is None else self.weights[rows]
            block = self.source.block(rows, columns, workspace)
            pam.weigh(block, self.close[rows], self.far[rows], self.slot[rows], strip_weights, loss)
        return pam.choose(loss, shut, limit, first)


def strips(source: Square) -> list[slice]:
    """Slices of the points of a source, as many as it computes at once."""
    n = source.n
    return [slice(i, min(n, i + source.strip)) for i in range(0, n, source.strip)]


def column(source: Any, point: int) -> Array:
    """Dissimilarities from all points to one, (n,) float64."""
    ids = np.array([point])
    values = np.concatenate([source.block(rows, ids)[:, 0] for rows in strips(source)])
    return values.astype(np.float64, copy=False)


def require_range(source: Any, medoids: Array) -> None:
    """Refuse dissimilarities to the first medoids that sums of n of them would overflow."""
    if isinstance(source, OfRows):  # its rows have been checked
        return
    high = max(float(column(source, medoid).max()) for medoid in medoids[:2])
    if not isfinite(4.0 * source.n * high):
        raise ValueError(
            f"X holds dissimilarities as large as {high:.3g}, which overflow float64 when they are "
            "summed. Divide them by a constant first."
        )


def barred(weights: Array | None, n: int) -> Array:
    """Marks of the points that may not become medoids: those of weight 0."""
    return np.zeros(n, np.uint8) if weights is None else (weights == 0).astype(np.uint8)


def gains(
    source: Any,
    candidates: Array | slice,
    near: Array | None,
    weights: Array | None,
    n_jobs: Jobs = None,
) -> Array:
    """How much each candidate lowers the loss as one more medoid.

    Parameters
    ----------
    source : Square, Condensed or OfRows
    candidates : ndarray of shape (c,), or slice
    near : ndarray of shape (n,), or None
        From each point to its medoid; None, where there is none yet, gives the loss with the
        candidate alone.
    weights : ndarray of shape (n,), or None
        Near holds dissimilarities times these.
    n_jobs : int, optional

    Returns
    -------
    ndarray of shape (c,)
    """

    ids = candidates if isinstance(candidates, slice) else np.asarray(candidates)
    count = len(range(*ids.indices(source.n))) if isinstance(ids, slice) else len(ids)
    out = np.zeros(count)
    in_one_block = source.strip >= source.n
    step = (
        PANEL_ROWS * max(1, NUMBERS_PER_CALL // (source.n * PANEL_ROWS))
        if in_one_block
        else PANEL_ROWS
    )
    step = min(step, PANEL_ROWS * max(1, -(-count // (PANEL_ROWS * 16))))
    if not isinstance(ids, slice):
        step = min(step, max(8, count // 16))
    parts = [slice(lo, min(lo + step, count)) for lo in range(0, count, step)]

    def work(part: slice) -> None:
        columns = part if isinstance(ids, slice) else ids[part]
        workspace = None if in_one_block else np.empty((source.strip, step))
        for rows in strips(source):
            checkpoint()
            block = source.block(rows, columns, workspace)
            strip_near = None if near is None else near[rows]
            pam.gains(block, strip_near, None if weights is None else weights[rows], out[part])

    each(work, parts, n_jobs=n_jobs, effort=8.0 * source.n * count)
    return out
