# SPDX-License-Identifier: BSD-3-Clause
"""Yinyang bounds: rows sorted by their centers, with bounds on groups of centers."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._core.kmeans import lloyd
from statfast._core.kmeans import yinyang as kernel
from statfast._engine import each, grid
from statfast._typing import Array
from statfast.cluster.kmeans.center_sums import KMeansStatistics
from statfast.cluster.kmeans.data import KMeansData, contiguous
from statfast.cluster.kmeans.dense_rows import PANEL_ROWS, pieces

MIN_GROUPS = 8  # groups of centers: bounds on fewer save too little
MIN_ROW_COST = 6600  # k (d + 5), the cost of comparing a row: below, Hamerly's bounds are cheaper
MIN_ROWS_PER_CENTER = 4  # rows: with fewer on average, panels mix rows of distant centers
# A task costs some microseconds of Python, so a pass has few tasks, and none is small.
TASKS_PER_PASS = 32
PRODUCTS_PER_TASK = 1 << 24  # multiply-adds, if no bound saves any


class SortedRows:
    """The rows of a fit in memory, sorted so that those of near centers share a panel.

    Ding et al. 2015, Yinyang k-means; see ``_core/kmeans/yinyang.pyx``.

    Parameters
    ----------
    data : KMeansData
    centers : ndarray of shape (k, d), float64
    labels : ndarray of shape (n,), int32
        The nearest center of each row; kept up to date from now on.
    distances : ndarray of shape (n,), float32
        How far each row is from its center, about.
    scale : float
        The power of two by which the panels are scaled.
    """

    @staticmethod
    def able(data: KMeansData, packed: bool) -> bool:
        """Whether rows, packed in panels or not, can be sorted."""
        return packed and contiguous(data.rows.matrix)

    @staticmethod
    def pays(data: KMeansData, k: int) -> bool:
        """Whether sorting the rows saves time."""
        n, d = data.shape
        return (
            k >= MIN_GROUPS * kernel.group_rows()
            and k * (d + 5) >= MIN_ROW_COST
            and n >= MIN_ROWS_PER_CENTER * k
        )

    def __init__(
        self, data: KMeansData, centers: Any, labels: Array, distances: Array, scale: float
    ) -> None:
        self.data, self.labels, self._scale = data, labels, scale
        (n, d), k = data.shape, len(centers)
        self._arranged = np.empty(k, np.int32)
        kernel.arrange(centers, self._arranged)
        self._place = np.empty(k, np.int32)
        self._place[self._arranged] = np.arange(k, dtype=np.int32)

        # Rows are sorted by the places of their centers and then by distance, whose bits have its
        # order, so that the rows at the border of a cluster are together.
        places = self._place[labels]
        order = np.argsort(places.astype(np.int64) << 32 | distances.view(np.int32))
        order = np.concatenate([order, np.repeat(order[-1:], -n % PANEL_ROWS)]).astype(np.int32)
        self._order, self._center_places = order, places[order]
        m = len(order)
        self._panels, self._norms = np.empty(m * d, np.float32), np.empty(m, np.float32)

        def pack(part: slice) -> None:
            lloyd.pack_rows(
                data.rows.matrix, data.origin, scale,
                self._panels[part.start * d :], self._norms[part.start :], order[part],
            )  # fmt: skip

        each(pack, grid(m), n_jobs=data.n_jobs, effort=4.0 * n * d)
        groups = -(-k // kernel.group_rows())
        self._slack = np.full((m // kernel.panel_rows(), -(-groups // 16) * 16), -np.inf, "f4")
        self._slack[:, groups:] = np.finfo(np.float32).max
        self._upper = np.zeros(m, np.float32)
        self._last = centers

    def assign(self, centers: Array) -> tuple[Array, Array]:
        """Give every row its nearest center; returns the rows that changed it, and their former
        ones."""
        data = self.data
        frame = lloyd.frame(centers[self._arranged], data.origin, self._scale)
        drop = self._drop(centers)
        groups = kernel.Groups(centers, frame, self._arranged, self._place, drop)
        height = kernel.panel_rows()

        def work(part: slice) -> list[tuple[Array, Array]]:
            changes = []
            for piece in pieces(part.stop - part.start, centers.size):
                span = slice(part.start + piece.start, part.start + piece.stop)
                rows, source = np.empty((2, span.stop - span.start), np.int32)
                moved = kernel.assign(
                    data.rows.matrix, self._order[span], self._panels[span.start * data.shape[1] :],
                    self._norms[span], groups, self._center_places[span], self._upper[span],
                    self._slack[span.start // height : span.stop // height],
                    self.labels, rows, source,
                )  # fmt: skip
                changes.append((rows[:moved], source[:moved]))
            return changes

        tasks = grid(
            len(self._order), max(256, PRODUCTS_PER_TASK // centers.size), parts=TASKS_PER_PASS
        )
        effort = 0.5 * data.shape[0] * centers.size
        parts = each(work, tasks, n_jobs=data.n_jobs, effort=effort)
        self._last = centers
        rows, source = zip(*(pair for part in parts for pair in part), strict=True)
        return np.concatenate(rows), np.concatenate(source)

    def transfer(self, step: KMeansStatistics, rows: Array, source: Array) -> None:
        """Move the rows that `assign` returned between the statistics of their clusters."""
        X, weights = self.data.rows.matrix, self.data.weights
        kernel.transfer(X, weights, self.labels, rows, source, step.sums, step.mass)

    def _drop(self, centers: Array) -> Array:
        """The farthest move of a center in each group, rounded up."""
        change = centers - self._last
        move = np.sqrt((change * change).sum(axis=1)) * (self._scale * (1 + 1e-6))
        drop = np.zeros(self._slack.shape[1], np.float32)
        starts = np.arange(0, len(centers), kernel.group_rows())
        drop[: len(starts)] = np.maximum.reduceat(move[self._arranged], starts)
        return drop * np.float32(1 + 1e-6)
