# SPDX-License-Identifier: BSD-3-Clause
"""Which center each row belongs to, carried from one iteration of Lloyd's algorithm to the next."""

from operator import add

import numpy as np

from statfast._distance import scale_of
from statfast.cluster.kmeans.block_passes import sweep
from statfast.cluster.kmeans.center_sums import KMeansStatistics
from statfast.cluster.kmeans.dense_rows import DenseRows
from statfast.cluster.kmeans.yinyang import SortedRows

FINE = 2.0**480  # scale beyond which float64 squares lose what the bounds would tell apart
FEW = 1 << 20  # multiply-adds: a look at all rows costs no more than the bounds would


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

    def __init__(self, n):
        self.upper, self.lower = np.zeros((2, n), np.float32)
        self.centers = None

    def begin(self, centers, squares, scale):
        """Take squared distances to the nearest center, an array that is used up."""
        squares += centers.shape[1] * 2.0**-1074  # what they may have lost below their range
        np.sqrt(squares, out=squares)
        np.multiply(squares, scale * (1 + 1e-6), out=self.upper, casting="same_kind")
        self.centers = centers

    def motion(self, centers, origin, scale):
        """How far each center has moved, how far the farthest of the others has, and half the
        distance to the nearest of them: (3, k) float32, rounded to the safe side."""
        k = len(centers)
        motion = np.zeros((3, k), np.float32)
        move, drop, gap = motion
        change = centers - self.centers
        move[:] = np.sqrt((change * change).sum(axis=1)) * (scale * (1 + 1e-6))
        first = move.argmax()
        drop[:] = move[first]
        move[first], kept = 0, move[first]
        drop[first], move[first] = move.max(), kept
        if k * k <= len(self.upper):
            upper, lower = np.empty((2, k), np.float32)
            itself = np.empty(k, np.int32)
            frame = DenseRows.frame(centers, origin, scale)
            DenseRows(centers).step(frame, itself, bounds=(upper, lower, None))
            gap[:] = np.maximum(lower, 0) / 2
        return motion


class ClusterSums:
    """The sums of the clusters: those of the last iteration, patched.

    The rows that change their center are moved. Every `AFRESH` iterations the sums are made anew,
    lest rounding pile up; and always where rows have weights, whose sums would not return to
    exactly zero.

    Attributes
    ----------
    step : KMeansStatistics or None
    patched : bool
        Whether the sums are patched. A great row that passes through a cluster takes the low bits
        of its sum along, so they may be far off.
    moved : int
        How many rows have changed their center since `step` was given away.
    """

    AFRESH = 16

    def __init__(self, shape, moved):
        self._shape, self.moved = shape, moved
        self.step, self.patched, self._age = None, False, 0
        self._spare = []  # steps of blocks, merged and free to be used again

    @property
    def old(self):
        """Whether they are to be made anew."""
        return self.step is None or self._age >= self.AFRESH

    def renew(self, step):
        """Take sums of all rows."""
        self.step, self._age, self.patched = step, 1, False

    def patch(self, moved):
        """The sums have become those of an iteration in which so many rows moved."""
        self.step.moved = moved
        self._age += 1
        self.patched |= moved > 0

    def of(self, work, over):
        """The statistics that `work` makes of blocks in a pass `over` the rows."""

        def add_block(*block):
            try:
                step = self._spare.pop()._clear()
            except IndexError:  # not tested first: other threads take from the same list
                step = KMeansStatistics(*self._shape)
            step.moved = work(*block, step)
            return step

        def merge(total, step):
            total.merge(step)
            self._spare.append(step)
            return total

        return over(add_block, merge)

    def merge(self, changes):
        """Take in what rows change that have changed their center."""
        self.step.merge(changes)
        self._spare.append(changes)


class Assignment:
    """The rows with their nearest centers, from one iteration to the next.

    `Bounds`, or where there are many centers those of `SortedRows`, spare most rows a look.

    Parameters
    ----------
    data : PreparedRows
    centers : ndarray of shape (k, d), float64
        Where they start.
    nearest : tuple of ndarray, optional
        The nearest of them for each row, the first of equals, (n,) int32, and its squared distance,
        (n,) float64, if known: the arrays are used up.

    Attributes
    ----------
    centers : ndarray of shape (k, d), float64
    labels : ndarray of shape (n,), int32
        The nearest center of each row, as of the last pass.
    sums : ClusterSums
    """

    def __init__(self, data, centers, nearest=None):
        self.data, self.centers = data, centers
        # One scale throughout: the bounds are in its units. Centers to come lie among the rows.
        self._scale = scale_of(max(data.reach, float(np.abs(centers - data.origin).max())))
        self._panels, self._norms = data.panels.at(self._scale)
        n = data.shape[0]
        self.labels, self._bounds = np.full(n, -1, np.int32), Bounds(n)
        known = nearest is not None and self._scale < FINE
        self.sums = ClusterSums(centers.shape, n if known else 0)
        if known:
            self.labels, squares = nearest
            self._bounds.begin(centers, squares, self._scale)
        self._sorted = None  # the rows sorted, once that pays

    def move(self, centers):
        """Put the centers elsewhere."""
        self.centers = centers

    def advance(self):
        """Give every row its nearest center.

        Returns
        -------
        step : KMeansStatistics
            The statistics of the clusters; the next call changes this same object.
        """
        sums = self.sums
        if sums.old or self.data.weights is not None:
            return self.add_up()
        if self._sorts():
            rows, source = self._assign_sorted()
            self._sorted.transfer(sums.step, rows, source)
            moved = len(rows)
        else:
            changes = sums.of(self._change, self._pass)
            sums.merge(changes)
            moved = changes.moved
        sums.patch(moved + sums.moved)
        sums.moved = 0
        return sums.step

    def add_up(self):
        """Give every row its nearest center, and make the sums anew; returns the statistics."""
        sums, moved = self.sums, 0
        if self._bounds.centers is not self.centers and self._sorts():
            moved = len(self._assign_sorted()[0])
        if self._bounds.centers is self.centers:  # the labels are known
            step = sums.of(self._sum, self._sweep)
        else:
            step = sums.of(self._assign, self._pass)
        step.moved += moved + sums.moved
        sums.moved = 0
        sums.renew(step)
        return step

    def labeled(self, centers):
        """Give every row its nearest of these centers; returns statistics that depend on the labels
        alone, not on what was known before."""
        if self._bounds.centers is None or not np.array_equal(self._bounds.centers, centers):
            self.move(centers)
            self.reassign()
        else:
            self.move(self._bounds.centers)
        return self.add_up()

    def reassign(self):
        """Give every row its nearest center, no more; returns how many rows changed theirs."""
        if np.array_equal(self._bounds.centers, self.centers):
            return 0
        moved = len(self._assign_sorted()[0]) if self._sorted else self._pass(self._assign, add)
        self.sums.moved += moved
        self.forget()
        return moved

    def forget(self):
        """Make the sums anew next time: they have become those of other labels."""
        self.sums.step = None

    def _sorts(self):
        """Whether rows are sorted, which they are once their nearest centers are known."""
        data, bounds = self.data, self._bounds
        if self._sorted is None and bounds.centers is not None and self._suited():
            self._sorted = SortedRows(data, bounds.centers, self.labels, bounds.upper, self._scale)
        return self._sorted is not None

    def _suited(self):
        data, asked = self.data, self.data.algorithm == "yinyang"
        if self._scale >= FINE or not (asked or data.algorithm == "auto"):
            return False
        able = SortedRows.able(data, self._panels is not None)
        return able and (asked or SortedRows.pays(data, len(self.centers)))

    def _assign_sorted(self):
        self._bounds.centers = self.centers
        return self._sorted.assign(self.centers)

    def _pass(self, work, merge):
        """One pass over the rows, after which the bounds are those of these centers."""
        data, bounds = self.data, self._bounds
        self._frame = data.rows.frame(self.centers, data.origin, self._scale)
        large = data.shape[0] * self.centers.size > FEW or data.algorithm == "hamerly"
        known = bounds.centers is not None and large
        known &= data.algorithm != "lloyd" and self._scale < FINE
        self._motion = bounds.motion(self.centers, data.origin, self._scale) if known else None
        total = self._sweep(work, merge)
        bounds.centers = self.centers
        return total

    def _sweep(self, work, merge):
        data, bounds = self.data, self._bounds
        return sweep(
            work, data.rows, data.weights, self.labels, bounds.upper, bounds.lower,
            merge=merge, size=self.centers.size, n_jobs=data.n_jobs,
        )  # fmt: skip

    def _sum(self, rows, X, weights, labels, upper, lower, step):
        """Add up a block as it is labeled; no row changes its center."""
        X.add_up(labels, weights, step)
        return 0

    def _change(self, *block):
        """What rows of a block change that change their center."""
        return self._assign(*block, changes=True)

    def _assign(self, rows, X, weights, labels, upper, lower, step=None, changes=False):
        """What a pass does with a block; returns how many rows changed their center."""
        packed = None
        if self._panels is not None:
            packed = self._panels[rows.start * X.shape[1] :], self._norms[rows.start :]
        bounds = upper, lower, self._motion
        return X.step(self._frame, labels, weights, step, bounds, changes, packed)
