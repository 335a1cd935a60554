# SPDX-License-Identifier: BSD-3-Clause
"""The ball tree as a search index, which is built and searched by several threads."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from statfast._core.balltree import build as ballbuild
from statfast._core.balltree import order as ballorder
from statfast._core.balltree import search as balltree
from statfast._distance import CALLABLE, EUCLIDEAN, HAVERSINE, MINKOWSKI, Metric, as_metric
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs
from statfast._validation import refuse_large
from statfast.neighbors.brute.radius import ADVICE
from statfast.neighbors.spatial.function_tree import FunctionTree

LANES = 8  # points of an octet, children of a node
LEAF_POINTS = 16  # points of a leaf
NUMBERS_PER_TASK = 1 << 20  # numbers that one task of the build arranges: within the level-2 cache
MIN_TASKS = 16  # tasks of a build of many rows
MAX_ROWS_OF_ONE_TASK = 2048  # rows of a build in one task
MAX_UNORDERED_QUERIES = 8  # queries that are not sorted by their place in the tree
OPERATIONS_PER_CALL = 4e8  # operations between checkpoints: some 50 ms at worst, in plain C
QUERIES_PER_TASK = 512  # queries of one task
MAX_UNORDERED_BYTES = 1 << 18  # bytes of a tree for which the order of queries does not matter
FIRST_ROOM = 1 << 14  # neighbors within a radius that a task has room for at first


@dataclass(frozen=True)
class BallTreeIndex:
    """The rows in octets in the order of the tree, and the balls of its nodes."""

    metric: Metric
    octets: np.ndarray  # (octets, d, 8) float64 or float32: (i, j, l) is x[8 i + l, j]
    ids: np.ndarray  # (n,) intp, the caller's row at each position of the tree
    center: np.ndarray  # (nodes, d, 8) of the balls of a node's children
    radius: np.ndarray  # (nodes, 8)
    first: np.ndarray  # (nodes, 9) int32, a child's octets; nodes in preorder
    child: np.ndarray  # (nodes, 8) int32, its node, or -1 for a leaf
    places: np.ndarray  # (n, 2) latitude and longitude in radians, for haversine; else empty
    loss: float  # relative rounding error of a distance: see balltree/search.pyx
    far: float  # the largest angle, for haversine

    @classmethod
    def build(
        cls, X: np.ndarray, n_jobs: int | None = None, *, metric: Metric | None = None,
        leaf_size: int | None = None,
    ) -> BallTreeIndex | FunctionTree:  # fmt: skip
        """The tree of rows that are prepared for the metric; bytes become float32."""
        n, d = X.shape
        metric = as_metric("euclidean", d=d) if metric is None else metric
        if metric.kind == CALLABLE:
            return FunctionTree.build(X, metric=metric, leaf_size=leaf_size)
        X = X.astype(np.float32) if X.dtype == np.uint8 else X
        places, far = np.empty((0, 2)), 0.0
        if metric.kind == HAVERSINE:
            places, far = np.array(X, np.float64, order="C"), float(np.abs(X).max())
            X = on_sphere(X)
            d = 3
        octets = -(-n // LANES)
        leaves = -(-octets // max(1, (leaf_size or LEAF_POINTS) // LANES))
        nodes = ballbuild.count_nodes(leaves)
        first, child = np.empty((nodes, 9), np.int32), np.empty((nodes, 8), np.int32)
        last = np.empty(nodes, np.int32)
        ballbuild.shape(octets, leaves, first, child, last)
        rows, ids = arranged(X, first, last, n_jobs)
        kind = EUCLIDEAN if metric.kind == HAVERSINE else metric.kind
        loss = (d + 64) * 2.0**-52 if kind == MINKOWSKI else (d + 32) * 2.0**-53
        tau = (4 * d) ** (1 / metric.p) * 2.0 ** (-1074 / metric.p)
        center, radius = np.zeros((nodes, d, LANES)), np.zeros((nodes, LANES))

        def enclose(part: tuple[int, int, int, int]) -> None:
            ballbuild.enclose(rows, first, *part, kind, metric.p, loss, tau, center, radius)

        parts = pieces(first, last, n, d)
        top = sorted(set(range(nodes)) - {node for part in parts for node in range(*part)})
        tasks = [(node, node + 1, c, c + 1) for node in top for c in range(LANES)]
        tasks += [(*part, 0, LANES) for part in parts]
        each(enclose, tasks, n_jobs=n_jobs, effort=n * d * 16.0)
        blocks = np.empty((octets, d, LANES), rows.dtype)

        def lay(block: slice) -> None:
            ballbuild.lay(rows, block.start, blocks[block])

        each(
            lay,
            grid(octets, most=max(64, NUMBERS_PER_TASK // (8 * d))),
            n_jobs=n_jobs,
            effort=n * d * 4.0,
        )
        if len(places):
            places = places[ids]
        return cls(metric, blocks, ids, center, radius, first, child, places, loss, far)

    @cached_property
    def view(self) -> balltree.BallView:
        """The arrays in the form of kernels; not pickled."""
        return balltree.BallView(
            self.octets, self.ids, self.center, self.radius, self.first, self.child, self.places,
            self.metric.kind, self.metric.p, self.loss,
        )  # fmt: skip

    def __reduce__(self) -> Any:
        return BallTreeIndex, tuple(getattr(self, field.name) for field in fields(self))

    @property
    def nbytes(self) -> int:
        """Memory of all arrays."""
        arrays = (self.octets, self.ids, self.center, self.radius, self.first, self.child)
        return sum(array.nbytes for array in arrays) + self.places.nbytes

    def query(
        self, Q: np.ndarray, k: int, n_jobs: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Reduced distances (m, k) and row numbers (m, k), ordered by (distance, number)."""
        return self._query(Q, k, n_jobs)[:2]

    def self_query(self, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The same for the rows themselves, each without itself."""
        return self._query(None, k, n_jobs)[:2]

    def visited(self, Q: np.ndarray, k: int, n_jobs: int | None = None) -> float:
        """The number of rows whose distance to a query was measured, on average."""
        return float(self._query(Q, k, n_jobs)[2][0]) / len(Q)

    def query_radius(
        self, Q: np.ndarray, r: Array | float, n_jobs: int | None = None, *, by_row: bool = False,
        distances: bool = True,
    ) -> tuple[np.ndarray, Any, np.ndarray]:  # fmt: skip
        """Rows within the reduced radii r (a number, or one each): starts (m + 1,), reduced
        distances and row numbers, of each query ordered by (distance, number), or by number."""
        distances = distances or not by_row
        return self._radius(Q, r, n_jobs, by_row=by_row, distances=distances)

    def count_radius(self, Q: np.ndarray, r: float, n_jobs: int | None = None) -> np.ndarray:
        """How many rows are within the reduced radii."""
        return self._radius(Q, r, n_jobs, counts=True)

    def points(self, part: slice) -> np.ndarray:
        """Rows in the order of the tree, as queries."""
        if len(self.places):
            return self.places[part]
        out = np.empty((len(range(*part.indices(len(self.ids)))), self.octets.shape[1]))
        ballbuild.unlay(self.octets, part.start, out)
        return out

    # ------------------------------------------------------------ queries

    def _query(self, Q, k, n_jobs):
        of_rows, view = Q is None, self.view
        d = self.octets.shape[1]
        m = len(self.ids) if of_rows else len(Q)
        reduced, ids = np.empty((m, k)), np.empty((m, k), np.intp)

        def work(which: slice) -> Array:
            points, sphere_places, slack = self._kernel_queries(Q, which, of_rows)
            m_block, first = len(points), which.start if of_rows else -1
            distances_block, ids_block = np.empty((m_block, k)), np.empty((m_block, k), np.intp)
            visited, done = np.zeros(2, np.intp), 0
            while done < m_block:
                checkpoint()
                done = balltree.search(
                    view,
                    slack,
                    points,
                    sphere_places,
                    first,
                    done,
                    OPERATIONS_PER_CALL / (d + 4),
                    distances_block,
                    ids_block,
                    visited,
                )
            places = self.ids[which] if of_rows else which
            reduced[places], ids[places] = distances_block, ids_block
            return visited

        tasks = self._tasks(Q, n_jobs)

        visited = each(work, tasks, n_jobs=n_jobs, effort=m * (200.0 * d + 2000.0))
        return reduced, ids, np.sum(visited, axis=0)

    def _radius(
        self, Q: Array, r: Array | float, n_jobs: Jobs, *, counts: bool = False,
        by_row: bool = False, distances: bool = True,
    ) -> Any:  # fmt: skip
        tasks, m, d, view = self._tasks(Q, n_jobs), len(Q), self.octets.shape[1], self.view
        radii = np.ascontiguousarray(np.broadcast_to(np.asarray(r, np.float64), (m,)))
        count = np.zeros(m, np.intp)
        n_rows_found: list[int] = []  # rows found by each finished task
        spare: list[Any] = []  # memory of finished tasks: new memory takes longer than the search
        short = np.int32 if len(self.ids) < 2**31 else np.intp

        def work(which: slice) -> tuple[Array, Any, Array]:
            points, sphere_places, slack = self._kernel_queries(Q, which, False)
            m_block = len(points)
            most, counts_block = radii[which], np.zeros(m_block, np.intp)
            near, positions = (
                spare.pop() if spare else allocate_neighbors(0 if counts else FIRST_ROOM, distances)
            )
            done = filled = 0
            while done < m_block:
                checkpoint()
                before = done, filled
                done, filled = balltree.search_radius(
                    view, slack, points, sphere_places, most, done, OPERATIONS_PER_CALL / (d + 4),
                    counts_block, near, positions, filled, by_row,
                )  # fmt: skip
                if (done, filled) == before:  # there is no room for the neighbors of the next query
                    larger = allocate_neighbors(4 * len(positions), distances)
                    larger[1][:filled] = positions[:filled]
                    if distances:
                        larger[0][:filled] = near[:filled]
                    near, positions = larger
            count[which] = counts_block
            n_rows_found.append(filled)
            refuse_large(32 * sum(n_rows_found), "The table of rows within the radius", ADVICE)
            copied = near[:filled].copy() if distances else None, positions[:filled].astype(short)
            spare.append((near, positions))
            return counts_block, *copied

        answers = each(work, tasks, n_jobs=n_jobs, effort=m * (200.0 * d + 2000.0))
        if counts:
            return count
        starts = np.concatenate([[0], np.cumsum(count)]).astype(np.intp)
        reduced = np.empty(starts[-1]) if distances else None
        ids = np.empty(starts[-1], np.intp)
        for which, (counts_block, near, positions) in zip(tasks, answers, strict=True):
            places: Any
            if isinstance(which, slice):
                places = slice(starts[which.start], starts[which.stop])
            else:
                before = np.cumsum(counts_block) - counts_block
                places = np.arange(len(positions)) + np.repeat(starts[which] - before, counts_block)
            ids[places] = positions
            if reduced is not None:
                reduced[places] = near
        return starts, reduced, ids

    def _tasks(self, Q, n_jobs):
        """The queries of each task: rows of Q, or positions of the tree."""
        if Q is None:
            return grid(len(self.ids), 64, QUERIES_PER_TASK)
        blocks = grid(len(Q), 64, QUERIES_PER_TASK)
        if self.octets.nbytes <= MAX_UNORDERED_BYTES or len(Q) <= MAX_UNORDERED_QUERIES:
            return blocks
        order = np.argsort(self._homes(Q, n_jobs), kind="stable")
        return [order[block] for block in blocks]

    def _homes(self, Q: Any, n_jobs: Any) -> Any:
        """The approximate place of each query in the tree."""
        homes = np.empty(len(Q), np.int32)

        def work(block: Any) -> None:
            points = self._kernel_queries(Q, block, False)[0]
            balltree.home(self.view, points, homes[block])

        d = self.octets.shape[1]
        most = max(64, NUMBERS_PER_TASK // (4 * d))
        each(work, grid(len(Q), most=most), n_jobs=n_jobs, effort=len(Q) * d * 100.0)
        return homes

    def _kernel_queries(self, Q: Any, which: slice, of_rows: bool) -> tuple[Array, Array, float]:
        """Queries in the form of kernels, their places on the sphere, and the rounding of
        chords."""
        points = self.points(which) if of_rows else np.ascontiguousarray(Q[which], np.float64)
        sphere_places, far = points, self.far
        if self.metric.kind == HAVERSINE:
            points = on_sphere(sphere_places)
            far = max(far, float(np.abs(sphere_places).max()))
        # Angles, and so chords, have rounding errors of the size of the coordinates.
        slack = 4e-15 * (4 + far)
        return points, sphere_places, slack


def allocate_neighbors(size: int, distances: bool = True) -> tuple[Any, Array]:
    """Memory for distances, if they are asked for, and row numbers."""
    return np.empty(size) if distances else None, np.empty(size, np.intp)


def on_sphere(places: np.ndarray) -> np.ndarray:
    """Unit vectors (n, 3) of places (latitude, longitude); their chords order as angles do."""
    latitude, longitude = np.asarray(places, np.float64).T
    out = np.empty((len(places), 3))
    np.sin(latitude, out=out[:, 2])
    across = np.cos(latitude)
    np.multiply(across, np.cos(longitude), out=out[:, 0])
    np.multiply(across, np.sin(longitude), out=out[:, 1])
    return out


def pieces(first: Array, last: Array, n: int, d: int) -> list[tuple[int, int]]:
    """The subtrees that are a task each, in order, as ranges (start, stop) of nodes."""
    most = (
        max(MAX_ROWS_OF_ONE_TASK, min(NUMBERS_PER_TASK // d, n // MIN_TASKS))
        if n > MAX_ROWS_OF_ONE_TASK
        else inf
    )
    subtrees, node = [], 0
    while node < len(first):
        if LANES * int(first[node, LANES] - first[node, 0]) <= most:
            subtrees.append((node, int(last[node])))
            node = int(last[node])
        else:
            node += 1
    return subtrees


def arranged(X: Array, first: Array, last: Array, n_jobs: Jobs) -> tuple[Array, Array]:
    """The rows in the order of the tree, and their numbers; large nodes with all threads."""
    n, d = X.shape
    rows, ids = np.empty((n, d), X.dtype), np.arange(n)
    spare = np.empty_like(rows)
    blocks = grid(n, most=max(64, NUMBERS_PER_TASK // d))
    each(lambda block: np.copyto(rows[block], X[block]), blocks, n_jobs=n_jobs, effort=2.0 * X.size)
    parts = pieces(first, last, n, d)
    below = {node for part in parts for node in range(*part)}
    for node in range(len(first)):
        if node not in below:
            width = int(np.searchsorted(first[node], first[node, LANES]))
            halve(rows, ids, spare, first[node].astype(np.intp) * LANES, 0, width, n_jobs)
    each(
        lambda part: ballorder.arrange(rows, ids, first, *part),
        parts,
        n_jobs=n_jobs,
        effort=n * d * 50.0,
    )
    return rows, ids


def halve(rows: Any, ids: Any, spare: Any, ends: Array, low: Any, high: Any, n_jobs: Jobs) -> None:
    """Partition the rows of the children `low` to `high` of a node until each child has its own."""
    if high - low < 2:
        return
    middle = (low + high) // 2
    start, stop = ends[low], min(ends[high], len(rows))
    count, d = stop - start, rows.shape[1]
    segment, spare_rows = rows[start:stop], spare[start:stop]
    pivots, key, order = np.empty((3, d)), np.empty(count), np.empty(count, np.intp)
    blocks = grid(count, most=max(64, NUMBERS_PER_TASK // d))
    ballorder.choose_pivots(segment, pivots)

    def measure(block):
        ballorder.measure_keys(segment[block], pivots, key[block])

    each(measure, blocks, n_jobs=n_jobs, effort=count * d * 6.0)
    checkpoint()
    ballorder.part(key, ends[middle] - start, order)

    def move(block):
        np.take(segment, order[block], axis=0, out=spare_rows[block], mode="clip")

    each(move, blocks, n_jobs=n_jobs, effort=count * d * 4.0)

    def move_back(block):
        np.copyto(segment[block], spare_rows[block])

    each(move_back, blocks, n_jobs=n_jobs, effort=count * d * 4.0)
    ids[start:stop] = ids[start:stop][order]
    halve(rows, ids, spare, ends, low, middle, n_jobs)
    halve(rows, ids, spare, ends, middle, high, n_jobs)
