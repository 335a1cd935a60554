# SPDX-License-Identifier: BSD-3-Clause
"""Predictions of trees for rows: one predictor for single trees and forests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from statfast._core.cart.walk import walk
from statfast._engine import checkpoint, each, usable_threads
from statfast._typing import Array, Jobs
from statfast.tree.structure.compact_nodes import MAX_COLUMNS_PER_TREE, coded_trees
from statfast.tree.structure.dense_blocks import DenseBlocks, blocks_of
from statfast.tree.structure.non_numeric_splits import SETS

WALKS_PER_CALL = 1 << 18  # rows times trees of a kernel call: some ten milliseconds
MIN_BLOCK_ROWS = 8  # fewer rows pass through all trees in one call
MIN_WALKS_PER_NODE = 2  # walks for each node: from these on, making codes pays
VALUES_PER_BLOCK = 1 << 16  # values of a block of rows that the cache holds beside a tree
VALUES_PER_CODED_BLOCK = 1 << 20  # codes are read in their order; few blocks load trees seldom
FLOP_PER_WALK = 4e1  # of a walk through a tree, about


@dataclass(frozen=True)
class TreePredictor:
    """Trees packed for prediction: 16 bytes a node, besides the values of leaves.

    Sums are taken in the order of the trees, so they have the same bits for any number of threads
    and however rows are cut into blocks. A few rows stay in one thread.

    Attributes
    ----------
    nodes : ndarray of uint64, shape (N, 2)
        All trees, one after the other.
    root : ndarray of int64, shape (T,)
        Where trees begin.
    first : ndarray of int64, shape (T,)
        Their first leaves.
    values : ndarray of float64, shape (L, C)
        Of all leaves.
    sets : ndarray of uint64, shape (S, 2, words), or None
        Of trees that split categories, or have surrogates.
    surrogates : (ndarray of int64, shape (N + 1,), ndarray of uint8), or (None, None)
        Of one tree: where those of its nodes begin, and `SURROGATE` as bytes.
    made : dict
        The walks there have been, and the trees in codes once these are worth their making.
    """

    nodes: np.ndarray
    root: np.ndarray
    first: np.ndarray
    values: np.ndarray
    sets: np.ndarray | None = None
    surrogates: tuple = (None, None)
    made: dict = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def join_trees(
        cls,
        packed: list[Array],
        values: list[Array],
        *,
        sets: Any = None,
        surrogates: list[None] | tuple[Any, ...] = (None, None),
    ) -> Self:
        """A predictor from pairs of nodes and leaves as `TreeStructure.packed`, and leaf values.

        Parameters
        ----------
        packed : list of ndarray of uint64, shape (nodes, 2)
            Trees whose leaves are numbered from 0.
        values : list of ndarray of shape (leaves, C)
        sets : list of ndarray of uint64, shape (sets, 2, words), optional
        surrogates : tuple
            Of one tree.

        Returns
        -------
        TreePredictor
        """
        root = np.concatenate([[0], np.cumsum([len(p) for p in packed])[:-1]]).astype(np.int64)
        first = np.concatenate([[0], np.cumsum([len(v) for v in values])[:-1]]).astype(np.int64)
        nodes = np.concatenate(packed)
        leaf = (nodes[:, 0] >> np.uint64(48)) == 0x7FF8
        nodes[leaf, 0] += np.repeat(first, [len(p) for p in packed])[leaf].astype(np.uint64)
        if sets is not None:
            before = np.cumsum([0, *(len(tree_sets) for tree_sets in sets[:-1])])
            by_set = ~leaf & (nodes[:, 1] & SETS > 0)
            shift = np.repeat(before, [len(p) for p in packed])[by_set]
            nodes[by_set, 0] = (nodes[by_set, 0].view(np.float64) + shift).view(np.uint64)
            sets = np.concatenate(sets)
        values = np.ascontiguousarray(np.concatenate(values), dtype=np.float64)
        return cls(nodes, root, first, values, sets, tuple(surrogates))

    def sums(self, X: Any, *, n_jobs: Jobs = None) -> Array:
        """The sum over trees of their values, for each row.

        Parameters
        ----------
        X : ndarray of shape (m, p), or DenseBlocks
            float64, float32 or uint8, checked.
        n_jobs : int, optional

        Returns
        -------
        ndarray of shape (m, C)
        """
        out = np.zeros((len(X), self.values.shape[1]))
        runs = self._runs(X)

        def work(rows: slice) -> None:
            if isinstance(X, DenseBlocks) and self.sets is None:
                total = out[rows]
                for leaf in X.leaves(self.nodes, self.root, rows).T:
                    total += self.values[leaf]
                checkpoint()
                return
            with self._block(X, rows) as block:
                if self.sets is not None:
                    self._add_routed(block, out[rows])
                    return
                for walkers, *part in self._walks(runs, block):
                    walk.add(walkers, *part, self.values, out[rows])

        self._each(work, X, runs, n_jobs)
        return out

    def leaves(self, X: Array, *, n_jobs: Jobs = None) -> Array:
        """The leaf of each row in each tree, numbered from 0 in each.

        Parameters
        ----------
        X : ndarray of shape (m, p), or DenseBlocks
        n_jobs : int, optional

        Returns
        -------
        ndarray of int64, shape (m, T)
        """
        out = np.empty((len(X), len(self.root)), np.int64)
        runs = self._runs(X)

        def work(rows: slice) -> None:
            if isinstance(X, DenseBlocks) and self.sets is None:
                out[rows] = X.leaves(self.nodes, self.root, rows) - self.first
                checkpoint()
                return
            with self._block(X, rows) as block:
                if self.sets is not None:
                    self._route(block, out[rows])
                    return
                for walkers, *part in self._walks(runs, block):
                    walk.leaves(walkers, *part, self.first, out[rows])

        self._each(work, X, runs, n_jobs)
        return out - self.first if self.sets is not None else out

    @staticmethod
    def _block(X: Any, rows: slice) -> AbstractContextManager[Array]:
        return X.block(rows) if isinstance(X, DenseBlocks) else nullcontext(X[rows])

    def _route(self, X: Array, out: Array) -> None:
        """The leaves of rows among those of all trees, for trees with sets or surrogates."""
        rows = np.ascontiguousarray(X, dtype=np.float64)
        step = max(1, WALKS_PER_CALL // max(1, 8 * len(self.root)))
        for begin in range(0, len(rows), step):
            part = slice(begin, begin + step)
            walk.routed(self.nodes, self.root, self.sets, *self.surrogates, rows[part], out[part])
            checkpoint()

    def _add_routed(self, X: Array, out: Array) -> None:
        step = max(1, WALKS_PER_CALL // len(self.root))
        for begin in range(0, len(X), step):
            rows, total = X[begin : begin + step], out[begin : begin + step]
            leaves = np.empty((len(rows), len(self.root)), np.int64)
            self._route(rows, leaves)
            for leaf in leaves.T:
                total += self.values[leaf]

    def _each(
        self, work: Callable[..., Any], X: Array, runs: list[tuple[slice, Any]], n_jobs: Jobs
    ) -> list[None] | None:
        m = len(X)
        if m < min(MIN_BLOCK_ROWS, getattr(X, "block_rows", MIN_BLOCK_ROWS)):
            return work(slice(0, m)) if m else None
        uncoded = any(codes is None for _, codes in runs)
        values = VALUES_PER_BLOCK if uncoded else VALUES_PER_CODED_BLOCK
        most = max(values // X.shape[1], 64)
        blocks = blocks_of(X, 64, most, 2 * usable_threads(n_jobs))
        return each(work, blocks, n_jobs=n_jobs, effort=FLOP_PER_WALK * m * len(self.root))

    def _runs(self, X: Array) -> list[tuple[slice, Any]]:
        """Runs of trees with their codes, or None as long as making codes does not pay."""
        uncoded = [(slice(0, len(self.root)), None)]
        if (
            len(X) < MIN_BLOCK_ROWS
            or isinstance(X, DenseBlocks)  # codes are of all columns
            or self.sets is not None
            or MAX_COLUMNS_PER_TREE * len(self.root) < X.shape[1]
        ):
            return uncoded
        if "runs" not in self.made:
            walks = self.made["walks"] = self.made.get("walks", 0) + len(X) * len(self.root)
            if walks < MIN_WALKS_PER_NODE * len(self.nodes):
                return uncoded
            self.made["runs"] = coded_trees(self.nodes, self.root, X.shape[1])
        return self.made["runs"]

    def _walks(self, runs: list[tuple[slice, Any]], X: Array) -> Iterator[tuple[Any, int, int]]:
        """Yield rows that are ready for trees first .. last - 1, in some ten milliseconds."""
        most = max(1, WALKS_PER_CALL // len(X)) if len(X) >= MIN_BLOCK_ROWS else len(self.root)
        for run, codes in runs:
            walkers = walk.walkers(self.nodes, self.root, codes, X)
            for first in range(run.start, run.stop, most):
                yield walkers, first, min(run.stop, first + most)
                checkpoint()

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "made": {}}
