# SPDX-License-Identifier: BSD-3-Clause
"""A k-d tree with weights, and sums of kernels about its points, exact or to a tolerance."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from statfast._core.density import sums as density_sums
from statfast._distance import EUCLIDEAN, LANES, MINKOWSKI, Metric
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs
from statfast.neighbors.density.kernel_shapes import INFINITE_SHAPES, SHAPES
from statfast.neighbors.spatial.kd_index import KDTreeIndex

NUMBERS_PER_CALL = 1e8  # coordinates and kernels of a call, some 20 ms
COST_OF_KERNEL = 16  # coordinates that take the time of a kernel
QUERIES_PER_TASK = 1024
LEAVES_PER_TASK = 4096
ROUNDING = 2.0**-54  # of a sum: what is left out below it would not change it
MIN_SUM = 1e-200  # Smaller ones may have lost terms that underflow.
# Tolerances above which a node may be taken as one point at its center, and the share of them that
# rounding of the center may have.
MIN_TOLERANCE_OF_CENTERS, MAX_SHARE_OF_CENTERS = 1e-12, 0.01
SHARE_OF_TOLERANCE = 0.95  # that sums use: the rest is for rounding


@dataclass(frozen=True)
class WeightedTree:
    """Points of positive weight in a k-d tree, with what is known of its nodes."""

    index: KDTreeIndex
    weights: Array | None  # (leaves * leaf,) by place, 0 where no point is; None: all 1
    node_weights: Array  # (groups, 8) weight of the points of a child
    center: Array  # (groups, d, 8) their mean
    moment: Array  # (groups, 8) sum of weight times squared distance from the center
    total: float  # weight of all
    size: float  # the largest absolute coordinate

    @classmethod
    def build(
        cls, rows: Array, weights: Array | None, metric: Metric, leaf_size: int | None,
        n_jobs: Jobs,
    ) -> WeightedTree:  # fmt: skip
        """The tree of prepared rows (n, d), which all have a positive weight."""
        index = KDTreeIndex.build(rows, n_jobs, metric=metric, leaf_size=leaf_size)
        arrays = index.arrays
        leaves, d, leaf = arrays.blocks.shape
        by_place = None
        if weights is not None:
            by_place = np.where(arrays.ids >= 0, weights[arrays.ids], 0.0)
        node_weights, moment = np.zeros((2, len(arrays.boxes), LANES))
        center = np.zeros((len(arrays.boxes), d, LANES))
        of_leaves = np.zeros((leaves, d + 2))  # node_weights, moment, center

        def add_up(block: slice) -> None:
            checkpoint()
            x = arrays.blocks[block].astype(np.float64)
            places = slice(block.start * leaf, block.stop * leaf)
            here = (arrays.ids[places] >= 0).reshape(len(x), leaf)
            w = here * 1.0 if by_place is None else by_place[places].reshape(len(x), leaf)
            x = np.where(here[:, None], x, 0.0)
            total = w.sum(axis=1)
            with np.errstate(over="ignore", invalid="ignore"):
                mean = (x * w[:, None]).sum(axis=2) / total[:, None]
                squares = (np.where(here[:, None], x - mean[:, :, None], 0.0) ** 2).sum(axis=1)
                of_leaves[block, 1] = (squares * w).sum(axis=1)
            of_leaves[block, 0], of_leaves[block, 2:] = total, mean

        each(add_up, grid(leaves, most=LEAVES_PER_TASK), n_jobs=n_jobs, effort=10.0 * rows.size)
        for first in arrays.first.tolist():
            groups = -(-len(of_leaves) // LANES)
            nodes = np.zeros((groups * LANES, d + 2))
            nodes[: len(of_leaves)] = of_leaves
            nodes = nodes.reshape(groups, LANES, d + 2)
            level = slice(first, first + groups)
            node_weights[level], moment[level] = nodes[:, :, 0], nodes[:, :, 1]
            center[level] = nodes[:, :, 2:].transpose(0, 2, 1)
            of_leaves = _joined(nodes)
        size = max(float(rows.max()), -float(rows.min()))
        return cls(index, by_place, node_weights, center, moment, float(of_leaves[0, 0]), size)

    def log_sums(
        self, Q: Array | None, shape: str, bandwidth: float, n_jobs: Jobs, *, rtol: float = 0.0,
        atol: float = 0.0, nearest: Array | None = None,
    ) -> Array:  # fmt: skip
        """The logarithms of the sums of weight times kernel about all points, (m,).

        Sums err by at most `rtol` times themselves and `atol`. Q are prepared queries (m, d); None
        are the points themselves, in the order of their rows, each without itself, of which
        `nearest` (n,) may give the reduced distance of the next. Where all terms are so small that
        they might underflow, they are taken relative to that of the nearest point.
        """
        task = SumTask(self, shape, bandwidth, rtol, atol, n_jobs)
        if Q is None:
            if shape in INFINITE_SHAPES and nearest is not None:
                return task.log_sums(None, None, task.exponents(nearest))
            return task.log_sums(None, None, None)
        Q, order = self.index.ordered_queries(Q, n_jobs)
        out = task.log_sums(Q, order, None)
        if shape not in INFINITE_SHAPES:
            return out
        far = np.flatnonzero(~(out > np.log(MIN_SUM)))
        if len(far):
            shifts = task.exponents(self.index.query(Q[far], 1, n_jobs)[0][:, 0])
            finite = np.isfinite(shifts)
            far, shifts = far[finite], shifts[finite]
            if len(far):
                exact = replace(task, atol=0.0)
                out[far] = exact.log_sums(np.ascontiguousarray(Q[far]), None, shifts)
        return out


def _joined(nodes: Array) -> Array:
    """Mass, moment and center of nodes from those of their children (groups, 8, d + 2)."""
    out = np.zeros((len(nodes), nodes.shape[2]))
    node_weights = nodes[:, :, 0]
    total = node_weights.sum(axis=1)
    with np.errstate(over="ignore", invalid="ignore"):
        mean = (nodes[:, :, 2:] * node_weights[:, :, None]).sum(axis=1) / total[:, None]
        away = ((nodes[:, :, 2:] - mean[:, None]) ** 2).sum(axis=2)
        out[:, 1] = nodes[:, :, 1].sum(axis=1) + np.where(
            node_weights > 0.0, node_weights * away, 0.0
        ).sum(axis=1)
    out[:, 0], out[:, 2:] = total, mean
    return out


@dataclass(frozen=True)
class SumTask:
    """Sums of one kernel, and how exact they are to be."""

    tree: WeightedTree
    shape: str
    bandwidth: float
    rtol: float
    atol: float
    n_jobs: Jobs

    def exponents(self, reduced: Array) -> Array:
        """Minus the logarithm of the kernel at reduced distances, if it is positive everywhere."""
        with np.errstate(over="ignore"):
            scaled = reduced * self.inverse
            if self.shape == "gaussian":
                return 0.5 * (scaled if self._is_squared else self._roots(scaled, reduced) ** 2)
            return np.sqrt(scaled) if self._is_squared else self._roots(scaled, reduced)

    @property
    def inverse(self) -> float:
        """What turns reduced distances into t^2 (Euclidean) or, after their root, into t."""
        return 1.0 / self.bandwidth**2 if self._is_squared else 1.0 / self.bandwidth

    @property
    def _is_squared(self) -> bool:
        return self.tree.index.metric.kind == EUCLIDEAN

    def _roots(self, scaled: Array, reduced: Array) -> Array:
        metric = self.tree.index.metric
        if metric.kind != MINKOWSKI:
            return scaled
        return reduced ** (1.0 / metric.p) * self.inverse

    def log_sums(self, Q: Array | None, order: Array | None, shifts: Array | None) -> Array:
        """Logarithms of sums; `shifts` are added to exponents and taken off again."""
        tree = self.tree
        n, d = tree.index.arrays.n, tree.index.arrays.blocks.shape[1]
        m, view = n if Q is None else len(Q), self._view()
        out = np.empty(m)
        budget = int(NUMBERS_PER_CALL / (d + COST_OF_KERNEL))

        def work(block: slice) -> None:
            begin = block.start
            while begin < block.stop:
                checkpoint()
                begin = density_sums.add(
                    view, Q, order, begin, block.stop, budget, shifts, out
                )  # fmt: skip

        blocks = grid(m, least=64, most=QUERIES_PER_TASK)
        each(work, blocks, n_jobs=self.n_jobs, effort=m * (d + COST_OF_KERNEL) * (100.0 + 0.1 * n))
        with np.errstate(divide="ignore"):
            np.log(out, out=out)
        return out if shifts is None else np.subtract(out, shifts, out=out)

    def _view(self) -> density_sums.SumsView:
        tree, metric = self.tree, self.tree.index.metric
        inside = np.nextafter(self.bandwidth, 0.0)
        limit = inside if metric.kind != EUCLIDEAN else float(_largest_square(inside))
        rtol, atol = SHARE_OF_TOLERANCE * self.rtol, SHARE_OF_TOLERANCE * self.atol
        tolerance = max(rtol, atol / tree.total)
        rounding = 16.0 * np.finfo(np.float64).eps * (tree.size / self.bandwidth)
        with_centers = (
            self._is_squared
            and tolerance >= MIN_TOLERANCE_OF_CENTERS
            and rounding <= MAX_SHARE_OF_CENTERS * tolerance
        )
        return density_sums.SumsView(
            tree.index.view, tree.weights, tree.node_weights, tree.center if with_centers else None,
            tree.moment if with_centers else None, tree.total, SHAPES.index(self.shape),
            self.inverse, limit, max(rtol, ROUNDING), atol,
        )  # fmt: skip


def _largest_square(distance: float) -> float:
    """The largest square whose root is at most `distance`."""
    square = distance * distance
    while np.sqrt(np.nextafter(square, np.inf)) <= distance:
        square = np.nextafter(square, np.inf)
    while np.sqrt(square) > distance:
        square = np.nextafter(square, 0.0)
    return float(square)
