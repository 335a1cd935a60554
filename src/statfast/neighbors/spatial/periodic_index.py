# SPDX-License-Identifier: BSD-3-Clause
"""A k-d tree of rows in a box that repeats itself: opposite sides are the same place.

A row is at the least of its distances from the images of a query, which are moved by the lengths of
the box. Few queries need images: those nearer to a side than to what was found without them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from statfast._engine import checkpoint
from statfast._typing import Array
from statfast.neighbors.spatial.kd_index import KDTreeIndex
from statfast.neighbors.spatial.kd_radius import Within

MARGIN = 1.0 + 1e-12  # of radii that have lost digits


@dataclass(frozen=True)
class PeriodicIndex:
    """An index of rows from 0 up to the lengths of the box; a length of 0 repeats nothing."""

    plain: KDTreeIndex
    box: np.ndarray  # (d,) float64

    def query(self, Q: Array, k: int, n_jobs: int | None = None) -> tuple[Array, Array]:
        """Reduced distances (m, k) and row numbers (m, k), ordered by (distance, number)."""
        Q = self._wrapped(Q)
        distances, ids = self.plain.query(Q, k, n_jobs)
        for shift in self._shifts():
            checkpoint()
            rows = self._near(Q, shift, self.plain.metric.finish(distances[:, -1]))
            if len(rows):
                more = self.plain.query(Q[rows] + shift, k, n_jobs)
                distances[rows], ids[rows] = _nearest(
                    np.hstack([distances[rows], more[0]]), np.hstack([ids[rows], more[1]]), k
                )
        return distances, ids

    def self_query(self, k: int, n_jobs: int | None = None) -> tuple[Array, Array]:
        """The same of the indexed rows, each without itself."""
        n = len(self.ids)
        rows = np.empty((n, len(self.box)))
        rows[self.ids] = self.points(slice(0, n))
        distances, ids = self.query(rows, k + 1, n_jobs)
        own = ids == np.arange(n)[:, None]
        own[~own.any(axis=1), -1] = True  # more equal rows than neighbors: the last makes room
        return distances[~own].reshape(n, k), ids[~own].reshape(n, k)

    def query_radius(
        self, Q: Array, r: Array | float, n_jobs: int | None = None, *, by_row: bool = False,
        distances: bool = True,
    ) -> Within:  # fmt: skip
        """Rows within reduced radii: starts (m + 1,), reduced distances and row numbers, of each
        query ordered by (distance, number), or by number."""
        Q, m = self._wrapped(Q), len(Q)
        limits = np.broadcast_to(np.asarray(r, np.float64), m)
        starts, *lists = self.plain.query_radius(Q, limits, n_jobs, by_row=True)
        parts = [(np.repeat(np.arange(m), np.diff(starts)), *lists)]
        for shift in self._shifts():
            checkpoint()
            rows = self._near(Q, shift, self.plain.metric.finish(limits))
            if len(rows):
                starts, *lists = self.plain.query_radius(
                    Q[rows] + shift, limits[rows], n_jobs, by_row=True
                )
                parts.append((np.repeat(rows, np.diff(starts)), *lists))
        row, distance, number = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.lexsort((distance, number, row))
        row, distance, number = row[order], distance[order], number[order]
        first = np.ones(len(row), bool)
        first[1:] = (row[1:] != row[:-1]) | (number[1:] != number[:-1])
        row, distance, number = row[first], distance[first], number[first]
        starts = np.searchsorted(row, np.arange(m + 1))
        if by_row:
            return starts, distance, number
        order = np.lexsort((number, distance, row))
        return starts, distance[order], number[order]

    def count_radius(self, Q: Array, r: Array | float, n_jobs: int | None = None) -> Array:
        """How many rows are within the reduced radii."""
        return np.diff(self.query_radius(Q, r, n_jobs)[0])

    def points(self, part: slice) -> Array:
        """Rows in the order of the tree, as queries."""
        return self.plain.points(part)

    @property
    def ids(self) -> Array:
        """The caller's row at each position of the tree, (n,)."""
        return self.plain.ids

    @property
    def nbytes(self) -> int:
        return self.plain.nbytes

    def _wrapped(self, Q: Array) -> Array:
        """Queries as float64, moved into the box."""
        Q, sides = np.array(Q, np.float64), np.flatnonzero(self.box)
        Q[:, sides] = np.mod(Q[:, sides], self.box[sides])
        return Q

    def _shifts(self) -> Iterator[Array]:
        """What queries are moved by, except for no move at all."""
        moves = [(0.0,) if length == 0.0 else (0.0, length, -length) for length in self.box]
        images = map(np.array, product(*moves))
        next(images)
        return images

    def _near(self, Q: Array, shift: Array, radius: Array) -> Array:
        """The queries whose images may be within a radius of a row in the box."""
        moved = np.flatnonzero(shift)
        inside = Q[:, moved]
        gap = np.where(shift[moved] > 0, inside, self.box[moved] - inside).max(axis=1)
        return np.flatnonzero(gap <= radius * MARGIN)


def _nearest(distances: Array, ids: Array, k: int) -> tuple[Array, Array]:
    """The k nearest of lists (m, s) in which a row may stand twice: then its least distance
    counts."""
    order = np.lexsort((distances, ids))
    distances, ids = (np.take_along_axis(a, order, axis=1) for a in (distances, ids))
    distances[:, 1:][ids[:, 1:] == ids[:, :-1]] = np.inf
    order = np.lexsort((ids, distances))[:, :k]
    return np.take_along_axis(distances, order, axis=1), np.take_along_axis(ids, order, axis=1)
