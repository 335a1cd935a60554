# SPDX-License-Identifier: BSD-3-Clause
"""The assignment of rows to centers, kept from one iteration of Lloyd's algorithm to the next."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import add
from typing import Any, NamedTuple

import numpy as np

from statfast._distance import scale_of
from statfast._engine import fold, grid
from statfast._typing import Array
from statfast.cluster.kmeans.block_passes import inertia, min_rows, sweep
from statfast.cluster.kmeans.center_sums import KMeansStatistics
from statfast.cluster.kmeans.data import KMeansData
from statfast.cluster.kmeans.dense_rows import DenseRows
from statfast.cluster.kmeans.yinyang import SortedRows

MAX_BOUNDED_SCALE = 2.0**480  # beyond, float64 squares are too coarse for bounds
MAX_UNDECIDED = 0.1  # of rows that float16 leaves open in a pass: with more, float32 is faster
MIN_PRODUCTS_FOR_BOUNDS = 1 << 20  # with fewer, comparing all rows costs no more than bounds


class Bounds:
    """Bounds on the scaled distances of each row, to its own center and to the nearest other one.

    Hamerly 2010, doi:10.1137/1.9781611972801.12: they spare most rows a look once the centers move
    little.

    Attributes
    ----------
    upper, lower : ndarray of shape (n,), float32
    centers : ndarray of shape (k, d), or None
        Those that the bounds, and the labels, are of.
    """

    def __init__(self, n: int) -> None:
        self.upper, self.lower = np.zeros((2, n), np.float32)
        self.centers = None

    def begin(self, centers, squares, scale):
        """Begin with squared distances to the nearest center, an array that is overwritten."""
        squares += centers.shape[1] * 2.0**-1074  # what squares may lose by underflow
        np.sqrt(squares, out=squares)
        np.multiply(squares, scale * (1 + 1e-6), out=self.upper, casting="same_kind")
        self.centers = centers

    def motion(self, centers: Array, origin: Array, scale: float) -> Array:
        """For each center how far it has moved, the farthest move of all others, and half the
        distance to the nearest other center: (3, k) float32, rounded to the safe side."""
        k = len(centers)
        motion = np.zeros((3, k), np.float32)
        move, drop, gap = motion
        change = centers - self.centers
        move[:] = np.sqrt((change * change).sum(axis=1)) * (scale * (1 + 1e-6))
        first = move.argmax()
        drop[:] = move[first]
        move[first], largest_move = 0, move[first]
        drop[first], move[first] = move.max(), largest_move
        if k * k <= len(self.upper):
            upper, lower = np.empty((2, k), np.float32)
            itself = np.empty(k, np.int32)
            frame = DenseRows.frame(centers, origin, scale)
            DenseRows(centers).step(frame, itself, bounds=(upper, lower, None))
            gap[:] = np.maximum(lower, 0) / 2
        return motion


class Assignment:
    """The rows with their nearest centers, from one iteration to the next.

    `Bounds`, or where there are many centers those of `SortedRows`, spare most rows a look. The
    sums of the clusters are those of the last iteration, patched: the rows that change their center
    are moved. Every `MAX_AGE` iterations they are made anew, lest rounding pile up; and always
    where rows have weights, whose sums would not return to exactly zero.

    Parameters
    ----------
    data : KMeansData
    centers : ndarray of shape (k, d), float64
        Where they start.
    nearest : tuple of ndarray, optional
        The nearest of them for each row, the first of equals, (n,) int32, and its squared distance,
        (n,) float64, if known: the arrays are used up.

    Attributes
    ----------
    centers : ndarray of shape (k, d), float64
        Where they are: put others in their place.
    labels : ndarray of shape (n,), int32
        The nearest center of each row, as of the last pass.
    patched : bool
        Whether the sums are patched. A great row that passes through a cluster takes the low bits
        of its sum along, so they may be far off.
    """

    MAX_AGE = 16  # iterations

    def __init__(self, data: Any, centers: Array, nearest: Any = None) -> None:
        self.data, self.centers = data, centers
        # Bounds are in the units of this scale, which never changes: new centers lie among the
        # rows.
        self._scale = scale_of(max(data.radius, float(np.abs(centers - data.origin).max())))
        n = data.shape[0]
        self.labels, self._bounds = np.full(n, -1, np.int32), Bounds(n)
        has_labels = nearest is not None and self._scale < MAX_BOUNDED_SCALE
        self._moved = n if has_labels else 0  # rows that changed their center since the last sums
        if has_labels:
            self.labels, squares = nearest
            self._bounds.begin(centers, squares, self._scale)
        self._sums, self.patched, self._age = None, False, 0
        self._spare: list[Any] = []  # statistics of blocks, merged and free to be used again
        self._sorted = None  # the rows, sorted once their nearest centers are known
        asked = data.algorithm == "yinyang"
        able = self._scale < MAX_BOUNDED_SCALE and (asked or data.algorithm == "auto")
        able = able and SortedRows.able(data, data.panels.possible)
        self._sorts = able and (asked or SortedRows.pays(data, len(centers)))
        self._halved = not self._sorts and data.panels.halves_pay(len(centers))
        self._undecided = np.zeros((0, 1), np.int64)
        self._cut_rows()
        large = n * centers.size > MIN_PRODUCTS_FOR_BOUNDS or data.algorithm == "hamerly"
        self._bounded = large and data.algorithm != "lloyd" and self._scale < MAX_BOUNDED_SCALE

    def _cut_rows(self) -> None:
        """Cut rows in memory into the blocks of all passes; chunks are cut as they come."""
        data, bounds, (n, d) = self.data, self._bounds, self.data.shape
        self._over_blocks = self._over_chunks
        if data.rows.in_memory:
            panels, norms = data.panels.scaled(self._scale, self._halved)
            parts = grid(n, min_rows(self.centers.size))
            self._undecided = np.zeros((len(parts), 1), np.int64)
            blocks = [
                Block(
                    data.rows[rows], None if data.weights is None else data.weights[rows],
                    self.labels[rows], bounds.upper[rows], bounds.lower[rows],
                    None if panels is None else
                    (panels[rows.start * d :], norms[rows.start :], undecided),
                )
                for rows, undecided in zip(parts, self._undecided, strict=True)
            ]  # fmt: skip
            effort = 2.0 * n * self.centers.size
            self._over_blocks = partial(fold, tasks=blocks, n_jobs=data.n_jobs, effort=effort)

    def advance(self) -> KMeansStatistics:
        """Give every row its nearest center.

        Returns
        -------
        step : KMeansStatistics
            The statistics of the clusters; the next call changes this same object.
        """
        step = self._sums
        if step is None or self._age >= self.MAX_AGE or self.data.weights is not None:
            return self.add_up()
        if self._sorts and self._bounds.centers is not None:
            rows, source = self._assign_sorted()
            self._sorted.transfer(step, rows, source)
            moved = len(rows)
        else:
            changes = self._pass(changes=True)
            moved = changes.moved
            self._merge(step, changes)
        step.moved = moved + self._moved
        self._age += 1
        self.patched |= step.moved > 0
        self._moved = 0
        return step

    def add_up(self):
        """Give every row its nearest center; returns the statistics, summed over all rows again."""
        bounds = self._bounds
        if bounds.centers is not self.centers and self._sorts and bounds.centers is not None:
            self._moved += len(self._assign_sorted()[0])
        step = self._pass()
        step.moved += self._moved
        self._sums, self._age, self.patched, self._moved = step, 1, False, 0
        return step

    def labeled(self, centers: Array) -> Any:
        """Give every row its nearest of these centers; returns statistics that depend on the labels
        alone, not on earlier sums and bounds."""
        if self._bounds.centers is None or not np.array_equal(self._bounds.centers, centers):
            self.centers = centers
            self.reassign()
        else:
            self.centers = self._bounds.centers
        return self.add_up()

    def reassign(self):
        """Give every row its nearest center, no more; returns how many rows changed theirs."""
        if np.array_equal(self._bounds.centers, self.centers):
            return 0
        moved = len(self._assign_sorted()[0]) if self._sorted else self._pass(sums=False)
        self._moved += moved
        self.forget()
        return moved

    def forget(self) -> None:
        """Sum over all rows next time, as the sums are not those of the labels any more."""
        self._sums = None

    def farthest(self, count: int) -> tuple[Array, Array, Array]:
        """The `count` rows farthest from their centers, the farthest first: rows, weights,
        labels."""
        return farthest(self.data, self.centers, self.labels, count)

    def inertia(self) -> tuple[float, Array]:
        """The sum of weight * squared distance to each row's center, and the rows of each
        cluster."""
        data = self.data
        frame = data.rows.frame(self.centers)
        total = inertia(data.rows, data.weights, frame, self.labels, data.n_jobs)
        return total, np.bincount(self.labels, minlength=len(self.centers))

    def _assign_sorted(self):
        """Give every row its nearest center; returns the rows that changed it, and their former
        ones."""
        data, bounds = self.data, self._bounds
        if self._sorted is None:
            self._sorted = SortedRows(data, bounds.centers, self.labels, bounds.upper, self._scale)
        bounds.centers = self.centers
        return self._sorted.assign(self.centers)

    def _pass(self, sums=True, changes=False):
        """Give every row its nearest center, after which the bounds are those of these centers.

        Returns the statistics of all rows, or of those that changed their center if `changes`, or
        how many these are if not `sums`.
        """
        data, bounds = self.data, self._bounds
        labeled = bounds.centers is self.centers and not changes  # labels are of these centers
        frame = data.rows.frame(self.centers, data.origin, self._scale)
        motion = None
        if self._bounded and bounds.centers is not None and not labeled:
            motion = bounds.motion(self.centers, data.origin, self._scale)

        def on_block(block):
            step = None
            if sums:
                try:
                    step = self._spare.pop()
                except IndexError:  # another thread may take the last one before this one does
                    step = KMeansStatistics._of_none(*self.centers.shape)
            if labeled:
                block.rows.add_up(block.labels, block.weights, step)
                return step
            near = block.upper, block.lower, motion
            moved = block.rows.step(
                frame, block.labels, block.weights, step, near, changes, block.packed
            )
            if not sums:
                return moved
            step.moved = moved
            return step

        total = self._over_blocks(on_block, merge=self._merge if sums else add)
        bounds.centers = self.centers
        if self._halved and self._undecided.sum() > MAX_UNDECIDED * len(self.labels):
            self._halved = False  # rows that crowd about a point far from the others
            self._cut_rows()
        self._undecided[:] = 0
        return total

    def _merge(self, total: Any, step: Any) -> KMeansStatistics:
        """Add the statistics of a block to the total; their memory is used for another block."""
        total.sums += step.sums
        total.mass += step.mass
        total.moved += step.moved
        step.sums.fill(0.0)
        step.mass.fill(0.0)
        step.moved = 0
        self._spare.append(step)
        return total

    def _over_chunks(self, work: Callable[..., Any], merge: Callable[..., Any]) -> Any:
        """Merge the results of `work` for blocks of chunks."""
        data, bounds = self.data, self._bounds

        def on_block(_: slice, *block: Any) -> Any:
            return work(Block(*block))

        return sweep(
            on_block, data.rows, data.weights, self.labels, bounds.upper, bounds.lower,
            merge=merge, size=self.centers.size, n_jobs=data.n_jobs,
        )  # fmt: skip


class Block(NamedTuple):
    """Rows that are worked on together, with their labels and bounds."""

    rows: Any
    weights: Any
    labels: Any
    upper: Any
    lower: Any
    packed: Any = None  # their panels and norms, and room for a count: see `DenseRows.step`


def farthest(
    data: KMeansData, centers: Array, labels: Array, count: int
) -> tuple[Array, Array, Array]:
    """The `count` rows farthest from their centers, the farthest first: rows, weights, labels.

    Rows of weight 0, and on their centers, are left out; of equally far rows the first comes first.
    """
    frame = data.rows.frame(centers)

    def partial(
        rows: slice, X: Any, weights: Array | None, labels: Array
    ) -> tuple[Array, Array, Array, Array]:
        d2 = X.distances_to_labels(frame, labels)
        if weights is None:
            weights = np.ones(X.shape[0])
        d2[weights == 0] = 0.0
        # All rows that tie with the last place are kept, so that the sort decides by index.
        last = np.partition(d2, -count)[-count] if count < len(d2) else 0.0
        far = np.flatnonzero((d2 >= last) & (d2 > 0.0))
        far = far[np.argsort(-d2[far], kind="stable")[:count]]
        rows = X.take(far)
        return d2[far], rows, weights[far], labels[far]

    def merge(a: Any, b: Array) -> Any:
        both = [np.concatenate(pair) for pair in zip(a, b, strict=True)]
        far = np.argsort(-both[0], kind="stable")[:count]
        return [part[far] for part in both]

    return sweep(
        partial, data.rows, data.weights, labels,
        merge=merge, size=centers.shape[1], n_jobs=data.n_jobs,
    )[1:]  # fmt: skip
