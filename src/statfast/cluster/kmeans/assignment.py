# SPDX-License-Identifier: BSD-3-Clause
"""Which center each row belongs to, carried from one iteration of Lloyd's algorithm to the next."""

from functools import partial
from operator import add

import numpy as np

from statfast._core.kmeans import lloyd as kernel
from statfast._core.kmeans.yinyang import add_up
from statfast._distance import scale_of
from statfast.cluster.kmeans.block_passes import assign, frame_for, pieces, sweep
from statfast.cluster.kmeans.center_sums import LloydStep
from statfast.cluster.kmeans.sorted_rows import SortedRows

FINE = 2.0**480  # scale beyond which float64 squares lose what the bounds would tell apart
FEW = 1 << 14  # multiply-adds: a look at all rows costs no more than the bounds would


class Assignment:
    """The rows with their nearest centers, from one iteration to the next.

    Bounds on the distances spare most rows a look once the centers move little: Hamerly 2010,
    doi:10.1137/1.9781611972801.12, or, where there are many centers, those of `SortedRows`.

    The sums of an iteration are those of the last, patched: the rows that changed their center are
    moved. Every `AFRESH` iterations they are made anew, lest rounding pile up; and always where
    rows have weights, whose sums would not return to exactly zero.

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
    patched : bool
        Whether the sums are patched. A great row that passes through a cluster takes the low bits
        of its sum along, so they may be far off.
    """

    AFRESH = 16

    def __init__(self, data, centers, nearest=None):
        self.data, self.centers = data, centers
        # One scale throughout: the bounds are in its units. Centers to come lie among the rows.
        self._scale = scale_of(max(data.reach, float(np.abs(centers - data.origin).max())))
        self._panels, self._norms = data.panels.at(self._scale)
        n = data.shape[0]
        self.labels = np.full(n, -1, np.int32)
        self.patched = False
        self._upper, self._lower = np.zeros((2, n), np.float32)
        self._last = None  # where the centers were when the bounds were made
        self._sorted = None  # the rows sorted, once that pays
        self._step, self._age = None, 0
        self._suited = (
            data.algorithm in ("auto", "yinyang")
            and self._scale < FINE
            and SortedRows.able(data, self._panels is not None)
            and (data.algorithm == "yinyang" or SortedRows.pays(data, len(centers)))
        )
        self._settled = 0  # how many rows `settle` has moved since `advance`
        self._spare = []  # steps of blocks, merged and free to be used again
        self._known = nearest is not None and self._scale < FINE  # the labels of the start
        if self._known:
            self.labels, squares = nearest
            squares += data.shape[1] * 2.0**-1074  # what they may have lost below their range
            np.sqrt(squares, out=squares)
            np.multiply(squares, self._scale * (1 + 1e-6), out=self._upper, casting="same_kind")
            self._last = centers

    def move(self, centers):
        """Put the centers elsewhere."""
        self.centers = centers

    def advance(self):
        """Give every row its nearest center.

        Returns
        -------
        step : LloydStep
            The statistics of the clusters; the next call changes this same object.
        """
        if self._step is None or self.data.weights is not None or self._age >= self.AFRESH:
            self.add_up()
        else:
            self._patch()
            self._age += 1
            self.patched |= self._step.moved > 0
        self._step.moved += self._settled
        self._settled = 0
        return self._step

    def add_up(self):
        """Give every row its nearest center, and make the sums anew; returns the statistics."""
        if self._known or self._sorts():
            moved = self.data.shape[0] if self._known else len(self._assign_sorted()[0])
            self._step = self._add_up(self._sum, self._sweep)
            self._step.moved = moved
        else:
            self._step = self._add_up(self._assign, self._pass)
        self._age, self.patched, self._known = 1, False, False
        return self._step

    def settle(self):
        """Give every row its nearest center, no more; returns how many rows changed theirs."""
        if np.array_equal(self._last, self.centers):
            return 0
        moved = len(self._assign_sorted()[0]) if self._sorted else self._pass(self._assign, add)
        self._settled += moved
        self.forget()
        return moved

    def forget(self):
        """Make the sums anew next time: they have become those of other labels."""
        self._step = None

    def _patch(self):
        """Give every row its nearest center, and move in the sums the rows that change theirs."""
        if self._sorts():
            rows, source = self._assign_sorted()
            self._sorted.transfer(self._step, rows, source)
            self._step.moved = len(rows)
        else:
            found = self._add_up(partial(self._assign, changes=True), self._pass)
            self._step.moved = 0
            self._step.merge(found)
            self._spare.append(found)

    def _sorts(self):
        """Whether rows are sorted, which they are once their nearest centers are known."""
        if self._sorted is None and self._last is not None and self._suited:
            self._sorted = SortedRows(self.data, self._last, self.labels, self._upper, self._scale)
        return self._sorted is not None

    def _assign_sorted(self):
        self._last = self.centers
        return self._sorted.assign(self.centers)

    def _add_up(self, work, over):
        """The statistics of all rows, or the changes that rows make which change their center."""
        spare, shape = self._spare, self.centers.shape

        def add_block(*block):
            try:
                step = spare.pop()._clear()
            except IndexError:  # not tested first: other threads take from the same list
                step = LloydStep(*shape)
            step.moved = work(*block, step.sums, step.mass)
            return step

        def merge(total, step):
            total.merge(step)
            spare.append(step)
            return total

        return over(add_block, merge)

    def _pass(self, work, merge):
        """One pass over the rows, after which the bounds are those of these centers."""
        data = self.data
        self._frame = frame_for(data.rows, self.centers, data.origin, self._scale)
        known = self._last is not None and data.shape[0] * self.centers.size > FEW
        known &= data.algorithm != "lloyd" and self._scale < FINE
        self._motion = self._moves() if known else None
        total = self._sweep(work, merge)
        self._last = self.centers
        return total

    def _sweep(self, work, merge):
        data = self.data
        return sweep(
            work, data.rows, data.weights, self.labels, self._upper, self._lower,
            merge=merge, size=self.centers.size, n_jobs=data.n_jobs,
        )  # fmt: skip

    def _sum(self, rows, X, weights, labels, upper, lower, sums, mass):
        """Add up a block as it is labeled; no row changes its center."""
        add_up(X, weights, labels, sums, mass)
        return 0

    def _assign(self, rows, X, weights, labels, upper, lower, sums=None, mass=None, changes=False):
        """What a pass does with a block; returns how many rows changed their center."""
        laid = None, None
        if self._panels is not None:
            laid = self._panels[rows.start * X.shape[1] :], self._norms[rows.start :]
        return assign(
            X, self.centers, self._frame, labels, weights, sums, mass,
            changes, upper, lower, self._motion, *laid,
        )  # fmt: skip

    def _moves(self):
        """How far each center has moved, how far the farthest of the others has, and half the
        distance to the nearest of them: (3, k) float32, rounded to the safe side."""
        centers, k = self.centers, len(self.centers)
        motion = np.zeros((3, k), np.float32)
        move, drop, gap = motion
        change = centers - self._last
        move[:] = np.sqrt((change * change).sum(axis=1)) * (self._scale * (1 + 1e-6))
        first = move.argmax()
        drop[:] = move[first]
        move[first], kept = 0, move[first]
        drop[first], move[first] = move.max(), kept
        if k * k <= self.data.shape[0]:
            frame = self._frame
            if not isinstance(frame, tuple):  # that of sparse rows
                frame = kernel.frame(centers, self.data.origin, self._scale)
            upper, lower = np.empty((2, k), np.float32)
            itself = np.empty(k, np.int32)
            for part in pieces(k, centers.size):
                kernel.step(
                    centers[part], None, centers, frame, itself[part], None, None,
                    False, upper[part], lower[part],
                )  # fmt: skip
            gap[:] = np.maximum(lower, 0) / 2
        return motion
