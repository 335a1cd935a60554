# SPDX-License-Identifier: BSD-3-Clause
"""Spanning trees of points in many dimensions: Boruvka's rounds by comparing rows.

Every point lists its nearest neighbors, several at once. In later rounds these lists hold an edge
to another part for most points; the others are compared with all rows of other parts, unless these
cannot be nearer than the shortest edge of their part. Edges are reduced distances, or mutual
reachability distances: no less than the core distance of either point.
"""

from __future__ import annotations

import numpy as np

from statfast._core.distance import pairwise
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs
from statfast.cluster.hierarchy.boruvka_matrix import Edges, Growth
from statfast.neighbors.brute.brute import BruteIndex
from statfast.neighbors.brute.other_parts import OtherParts

NEIGHBORS_AT_ONCE = 8  # neighbors that a point lists in a search
MAX_NEIGHBORS_AT_ONCE = 64  # more are measured one row at a time
MORE_NEIGHBORS = 4  # the factor by which a search that has not decided is repeated
WAVES_PER_ROUND = 4  # searches in a round, each of which knows the edges of those before it
Lists = tuple[Array, Array]  # of each point the reduced distances (n, k) of the nearest, and which


def edges_by_comparing(
    index: BruteIndex, n_jobs: Jobs = None, lists: Lists | None = None, core: Array | None = None
) -> Edges:
    """The n - 1 edges of a minimum spanning tree of indexed rows, with reduced lengths.

    With core distances (n,), reduced, no edge of a row is shorter than its own. `lists` are the
    nearest neighbors of each row, if they are known.
    """
    n = len(index.rows)
    if lists is None:
        lists = index.self_query(min(NEIGHBORS_AT_ONCE, n - 1), n_jobs)
    search, growth = ListedNeighbors(index, lists, core, n_jobs), Growth(n)
    rows = np.arange(n, dtype=np.int32)
    while growth.count > 1:
        part = growth.parts()
        if growth.count < n:
            rows = np.flatnonzero(part != growth.largest).astype(np.int32)
        growth.offer(rows, *search.shortest(rows, part))
        growth.join()
    return growth.edges()


class ListedNeighbors:
    """Lists of neighbors, and the shortest edges to other parts that follow from them."""

    def __init__(self, index: BruteIndex, lists: Lists, core: Array | None, n_jobs: Jobs) -> None:
        n = len(index.rows)
        width = max(lists[1].shape[1], min(NEIGHBORS_AT_ONCE, n - 1))
        self.index, self.core, self.n_jobs = index, core, n_jobs
        self.length, self.near = np.full((n, width), np.inf), np.full((n, width), -1, np.int32)
        self.beyond = np.zeros(n)  # no neighbor that is not listed is nearer
        self._list(np.arange(n), *lists)

    def shortest(self, rows: Array, part: Array) -> tuple[Array, Array]:
        """Neighbors of rows in other parts, and the lengths of these edges: the nearest, unless
        another row of the part has a shorter edge."""
        near, length = self._nearest_listed(rows, part)
        best = np.full(len(part), np.inf)  # the shortest edge of each part so far
        np.minimum.at(best, part[rows], length)
        open_rows = np.flatnonzero(length > self.beyond[rows])
        open_rows = open_rows[np.argsort(self.beyond[rows[open_rows]], kind="stable")]
        others = None
        for wave in np.array_split(open_rows, WAVES_PER_ROUND):
            k = NEIGHBORS_AT_ONCE
            wave = wave[self.beyond[rows[wave]] < best[part[rows[wave]]]]
            while len(wave):
                searching = rows[wave]
                if k > MAX_NEIGHBORS_AT_ONCE:
                    self._measure(searching, part)
                else:
                    others = OtherParts(self.index, part) if others is None else others
                    reduced, ids, failed = others.nearest(searching, k, self.n_jobs)
                    self._list(searching[~failed], reduced[~failed], ids[~failed])
                    self._measure(searching[failed], part)
                near[wave], length[wave] = self._nearest_listed(searching, part)
                np.minimum.at(best, part[searching], length[wave])
                undecided = length[wave] > self.beyond[searching]
                wave = wave[undecided & (self.beyond[searching] < best[part[searching]])]
                k *= MORE_NEIGHBORS
        return near, length

    def _nearest_listed(self, rows: Array, part: Array) -> tuple[Array, Array]:
        """The nearest listed points of other parts; -1 and infinity where there is none."""
        listed = self.near[rows]
        length = np.where(
            (listed >= 0) & (part[listed] != part[rows][:, None]), self.length[rows], np.inf
        )
        first = np.arange(len(rows)), length.argmin(axis=1)
        length = length[first]
        return np.where(np.isinf(length), np.int32(-1), listed[first]), length

    def _list(self, rows: Array, reduced: Array, ids: Array) -> None:
        """Replace the lists of some rows by their nearest neighbors, or the nearest in other parts
        than their own, by rising reduced distances."""
        width = self.near.shape[1]
        length, beyond = reduced, reduced[:, -1]
        if self.core is not None:
            own = self.core[rows]
            length = np.maximum(np.maximum(reduced, own[:, None]), self.core[ids])
            length[ids < 0] = np.inf
            beyond = np.maximum(beyond, own)
        if ids.shape[1] > width:  # drop those that are farthest
            order = np.argsort(length, axis=1, kind="stable")
            ids = np.take_along_axis(ids, order[:, :width], axis=1)
            length = np.take_along_axis(length, order, axis=1)
            beyond, length = np.minimum(beyond, length[:, width]), length[:, :width]
        k = ids.shape[1]
        self.length[rows, :k], self.near[rows, :k] = length, ids
        self.length[rows, k:], self.near[rows, k:] = np.inf, -1
        self.beyond[rows] = beyond

    def _measure(self, rows: Array, part: Array) -> None:
        """List the nearest row of another part alone, by distances to all rows."""
        index, n = self.index, len(part)

        def work(block: slice) -> None:
            distance = np.empty(n)
            for row in rows[block]:
                checkpoint()
                pairwise.distances(
                    np.ascontiguousarray(index.rows[row], np.float64), index.rows, *index.measure,
                    distance,
                )  # fmt: skip
                if self.core is not None:
                    np.maximum(distance, self.core, out=distance)
                    np.maximum(distance, self.core[row], out=distance)
                distance[part == part[row]] = np.inf
                nearest = distance.argmin()
                self.near[row], self.length[row] = -1, np.inf
                self.near[row, 0], self.length[row, 0] = nearest, distance[nearest]
                self.beyond[row] = distance[nearest]

        effort = 3.0 * len(rows) * n * (index.rows.shape[1] + 4)
        each(work, grid(len(rows), least=64), n_jobs=self.n_jobs, effort=effort)
