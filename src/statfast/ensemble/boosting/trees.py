# SPDX-License-Identifier: BSD-3-Clause
"""Boosted trees as arrays, and their predictions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.boosting import predict as kernel
from statfast._core.boosting.grow import node_bytes
from statfast._core.cart.grow import grow
from statfast._core.cart.walk import walk
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs
from statfast.ensemble.boosting.bins import Thresholds
from statfast.tree.structure.additive_trees import CoveredTree
from statfast.tree.structure.dense_blocks import DenseBlocks, dense_block
from statfast.tree.structure.non_numeric_splits import SETS

NODE = np.dtype(  # a node while a tree is grown: boosted_node of _core/boosting/tree_types.h
    [
        ("value", "f8"), ("gain", "f8"), ("hessian", "f8"), ("begin", "i8"), ("count", "i8"),
        ("feature", "i4"), ("left", "i4"), ("parent", "i4"), ("depth", "i4"), ("code", "u1"),
        ("missing_left", "u1"), ("categorical", "u1"), ("pad", "u1", 5), ("set", "u8", 4),
    ]
)  # fmt: skip
assert NODE.itemsize == node_bytes()
STEP = np.dtype([("threshold", "f8"), ("left", "u4"), ("column", "u4")])  # 16 bytes
MISSING_LEFT, CATEGORICAL = np.uint32(1 << 31), np.uint32(1 << 30)
COLUMN = np.uint32((1 << 30) - 1)
ROWS_PER_BLOCK = 256  # rows that pass through all trees together


@dataclass(frozen=True)
class BoostedTree:
    """A tree of nodes; the ``left`` child of a leaf is the leaf itself."""

    steps: NDArray  # (m,) of STEP
    values: NDArray[np.float64]  # (m,)
    sets: NDArray[np.uint64]  # (c, 4) the codes that go left at categorical splits
    counts: NDArray[np.int64]  # (m,) rows of the fit
    gains: NDArray[np.float64]  # (m,) the decrease of the loss by each split, in units
    unit: int  # exponent of the unit of gains, a power of 2 that may overflow

    @property
    def is_leaf(self) -> Array:
        return self.steps["left"] == np.arange(len(self.steps))

    def covered(self) -> CoveredTree:
        """The tree in the form of walks, with the rows of its leaves."""
        m, leaf = len(self.steps), self.is_leaf
        left = np.where(leaf, -1, self.steps["left"]).astype(np.int32)
        right = np.where(leaf, -1, left + 1).astype(np.int32)
        column = self.steps["column"]
        order, place = np.empty(m, np.int32), np.empty(m, np.int32)
        nodes, leaf_nodes = np.empty((m, 2), np.uint64), np.empty(int(leaf.sum()), np.int32)
        grow.preorder(left, right, order)
        walk.pack(
            left, right, (column & COLUMN).astype(np.int32), self.steps["threshold"].copy(),
            ((column & MISSING_LEFT) > 0).astype(np.int32), order, 0, nodes, place, leaf_nodes,
        )  # fmt: skip
        sets = None
        if len(self.sets):
            nodes[place[(column & CATEGORICAL) > 0], 1] |= SETS
            sets = np.stack([self.sets, ~self.sets], axis=1)
        values = self.values[leaf_nodes][:, None]
        return CoveredTree(nodes, values, self.counts[leaf_nodes], sets)

    def dependence(self, grid: Array, place: Any) -> Any:
        """The mean prediction at each point of a grid, where `place` maps columns to those of the
        grid.

        A point goes one way at splits of its columns, and both ways at others.
        """
        m = len(self.steps)
        weight = np.zeros((m, len(grid)))
        weight[0] = 1.0
        leaf, left = self.is_leaf, self.steps["left"].astype(np.intp)
        column = (self.steps["column"] & COLUMN).astype(np.intp)
        for node in np.flatnonzero(~leaf).tolist():  # nodes are in order from the root
            child, node_weight = left[node], weight[node]
            if int(column[node]) in place:
                share = self._goes_left(node, grid[:, place[int(column[node])]])
            else:
                share = self.counts[child] / self.counts[node]
            weight[child] = node_weight * share
            weight[child + 1] = node_weight * (1.0 - share)
        return self.values[leaf] @ weight[leaf]

    def _goes_left(self, node: int, x: Any) -> Any:
        step = self.steps[node]
        missing = np.isnan(x)
        if step["column"] & CATEGORICAL:
            codes = np.where(missing, 0, x).astype(np.uint64)
            set_bits = self.sets[int(step["threshold"])]
            goes = set_bits[(codes >> np.uint64(6)).astype(np.intp)] >> (codes & np.uint64(63))
            goes = (goes & np.uint64(1)).astype(bool)
        else:
            goes = x <= step["threshold"]
        return np.where(missing, bool(step["column"] & MISSING_LEFT), goes)


def compact(nodes: Array, thresholds: Thresholds, unit: int) -> BoostedTree:
    """The part of a grown tree that prediction needs, with values for codes."""
    leaf = nodes["left"] == 0
    steps = np.empty(len(nodes), STEP)
    column = np.where(leaf, 0, nodes["feature"]).astype(np.uint32)
    steps["threshold"] = np.where(leaf, np.inf, thresholds.above(column, nodes["code"]))
    steps["left"] = np.where(leaf, np.arange(len(nodes)), nodes["left"])
    by_set = nodes["categorical"].astype(bool) & ~leaf
    steps["threshold"][by_set] = np.arange(by_set.sum())
    column |= np.where(leaf | nodes["missing_left"].astype(bool), MISSING_LEFT, np.uint32(0))
    column |= np.where(by_set, CATEGORICAL, np.uint32(0))
    steps["column"] = column
    sets = nodes["set"][by_set].copy()
    return BoostedTree(
        steps, nodes["value"].copy(), sets, nodes["count"].copy(), nodes["gain"].copy(), unit
    )


class BoostedTrees:
    """All trees, of which tree t adds to the raw prediction t % n_raw."""

    def __init__(self, first: Array, trees: list[BoostedTree] | tuple[()]) -> None:
        self.first, self.trees = first, tuple(trees)
        ends = np.cumsum([0, *(len(tree.values) for tree in trees)])
        self._first = ends.astype(np.int64)
        steps = np.concatenate([tree.steps for tree in trees] or [np.empty(0, STEP)])
        sets = [tree.sets for tree in trees if len(tree.sets)]
        if sets:
            before = np.cumsum([0, *(len(tree.sets) for tree in trees)])[:-1]
            shift = np.repeat(before, np.diff(ends))
            steps["threshold"] += np.where(steps["column"] & CATEGORICAL, shift, 0)
        self._steps = steps.view(np.int64).reshape(-1, 2)
        self._values = np.concatenate([tree.values for tree in trees] or [np.empty(0)])
        self._sets = np.concatenate(sets) if sets else None

    def __reduce__(self) -> Any:
        return BoostedTrees, (self.first, self.trees)

    def __len__(self) -> int:
        return len(self.trees)

    def add(
        self, X: Any, out: Array, begin: int, end: int, n_jobs: Jobs, leaves: Any = None
    ) -> None:
        """Add the trees from `begin` to `end` to out, (n, n_raw), for an ndarray or `DenseBlocks`;
        `leaves` (n, trees) takes the leaves of rows."""

        if begin >= end:
            return
        steps = self._steps
        if isinstance(X, DenseBlocks) and X.block_rows < ROWS_PER_BLOCK:
            X, steps = self._with_used_columns(X)
        step = min(ROWS_PER_BLOCK, getattr(X, "block_rows", ROWS_PER_BLOCK))

        def work(rows: slice) -> None:
            for start in range(rows.start, rows.stop, step):
                span = slice(start, min(start + step, rows.stop))
                with dense_block(X, span) as block:
                    block = np.asarray(block, dtype=np.float64)
                    for tree in range(begin, end, 512):
                        kernel.add_trees(
                            block, steps, self._values, self._sets, self._first, tree,
                            min(tree + 512, end), out[span],
                            None if leaves is None else leaves[span],
                        )  # fmt: skip
                        checkpoint()

        each(work, grid(len(X)), n_jobs=n_jobs, effort=50.0 * len(X) * (end - begin))

    def _with_used_columns(self, X: DenseBlocks) -> tuple[DenseBlocks, Array]:
        """Wide sparse rows without columns that no tree asks about, and the steps for them."""
        steps = self._steps.view(STEP)[:, 0].copy()
        column = steps["column"] & COLUMN
        used, place = np.unique(column, return_inverse=True)
        steps["column"] ^= column ^ place.astype(np.uint32)
        return DenseBlocks(X.rows[:, used]), steps.view(np.int64).reshape(-1, 2)

    def raw(self, X: Any, n_jobs: Jobs) -> Array:
        """Raw predictions, (n, n_raw)."""
        out = np.tile(self.first, (len(X), 1))
        self.add(X, out, 0, len(self), n_jobs)
        return out

    def staged(self, X: Any, n_jobs: Jobs) -> Iterator[Array]:
        """Raw predictions after each round, each a new array."""
        out = np.tile(self.first, (len(X), 1))
        k = len(self.first)
        for begin in range(0, len(self), k):
            self.add(X, out, begin, begin + k, n_jobs)
            yield out.copy()

    def apply(self, X: Any, n_jobs: Jobs) -> Any:
        """The leaf of each tree that each row ends in, (n, trees)."""
        out = np.zeros((len(X), len(self.first)))
        leaves = np.zeros((len(X), len(self)), np.int32)
        self.add(X, out, 0, len(self), n_jobs, leaves)
        return leaves
