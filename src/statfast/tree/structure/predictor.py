# SPDX-License-Identifier: BSD-3-Clause
"""What many trees say of many rows: one predictor for single trees, forests and boosting."""

from dataclasses import dataclass

import numpy as np

from statfast._core.cart import walk
from statfast._engine import checkpoint, each, grid
from statfast.tree.structure.routes import SETS

WALKS = 1 << 18  # rows times trees of a call of the kernel, about: some ten milliseconds
NODES = 1 << 16  # of trees that are walked before the next rows: they stay in the cache
STEP = 4e1  # flop that a walk down a tree costs, about


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
    column : ndarray of int32, shape (T,), or None
        The column of the sums that each tree adds its one value to; None: it adds C values.
    sets : ndarray of uint64, shape (S, 2, words), or None
        Of trees that split categories, or have surrogates.
    surrogates : (ndarray of int64, shape (N + 1,), ndarray of uint8), or (None, None)
        Of one tree: where those of its nodes begin, and `SURROGATE` as bytes.
    """

    nodes: np.ndarray
    root: np.ndarray
    first: np.ndarray
    values: np.ndarray
    column: np.ndarray | None = None
    sets: np.ndarray | None = None
    surrogates: tuple = (None, None)

    @classmethod
    def of(cls, packed, values, column=None, *, sets=None, surrogates=(None, None)):
        """A predictor from pairs of nodes and leaves as `TreeStructure.packed`, and leaf values.

        Parameters
        ----------
        packed : list of ndarray of uint64, shape (nodes, 2)
            Trees whose leaves are numbered from 0.
        values : list of ndarray of shape (leaves, C)
        column : array-like of int, shape (T,), optional
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
            before = np.cumsum([0, *(len(own) for own in sets[:-1])])
            by_set = ~leaf & (nodes[:, 1] & SETS > 0)
            shift = np.repeat(before, [len(p) for p in packed])[by_set]
            nodes[by_set, 0] = (nodes[by_set, 0].view(np.float64) + shift).view(np.uint64)
            sets = np.concatenate(sets)
        column = None if column is None else np.asarray(column, np.int32)
        values = np.ascontiguousarray(np.concatenate(values), dtype=np.float64)
        return cls(nodes, root, first, values, column, sets, tuple(surrogates))

    def sums(self, X, width=None, *, start=None, trees=slice(None), n_jobs=None):
        """The sum over trees of their values, for each row.

        Parameters
        ----------
        X : ndarray of shape (m, p)
            float64, float32 or uint8, checked.
        width : int, optional
            Columns of the result; None is C.
        start : array-like of shape (width,), optional
            Added to all rows.
        trees : slice
            Which of the trees.
        n_jobs : int, optional

        Returns
        -------
        ndarray of shape (m, width)
        """
        root = self.root[trees]
        column = None if self.column is None else self.column[trees]
        out = np.zeros((len(X), width or self.values.shape[1]))
        if start is not None:
            out += start

        def work(rows):
            if self.sets is not None:
                self._add_routed(X[rows], root, column, out[rows])
                return
            for part in self._parts(root, rows):
                some = None if column is None else column[part]
                walk.add(self.nodes, root[part], self.values, some, X[rows], out[rows])
                checkpoint()

        self._each(work, len(X), root, n_jobs)
        return out

    def leaves(self, X, *, n_jobs=None):
        """The leaf of each row in each tree, numbered from 0 in each.

        Parameters
        ----------
        X : ndarray of shape (m, p)
        n_jobs : int, optional

        Returns
        -------
        ndarray of int64, shape (m, T)
        """
        out = np.empty((len(X), len(self.root)), np.int64)
        if self.sets is not None:
            return self._each_routed(X, out, n_jobs) - self.first

        def work(rows):
            for part in self._parts(self.root, rows):
                found = out[rows, part]
                walk.leaves(self.nodes, self.root[part], self.first[part], X[rows], found)
                checkpoint()

        self._each(work, len(X), self.root, n_jobs)
        return out

    def _route(self, X, root, out):
        """The leaves of some rows among all leaves, of trees with sets or surrogates."""
        rows = np.ascontiguousarray(X, dtype=np.float64)
        step = max(1, WALKS // max(1, 8 * len(root)))
        for begin in range(0, len(rows), step):
            part = slice(begin, begin + step)
            walk.routed(self.nodes, root, self.sets, *self.surrogates, rows[part], out[part])
            checkpoint()

    def _each_routed(self, X, out, n_jobs):
        def work(rows):
            self._route(X[rows], self.root, out[rows])

        self._each(work, len(X), self.root, n_jobs)
        return out

    def _add_routed(self, X, root, column, out):
        found = np.empty((len(X), len(root)), np.int64)
        self._route(X, root, found)
        for t, leaf in enumerate(found.T):
            if column is None:
                out += self.values[leaf]
            else:
                out[:, column[t]] += self.values[leaf, 0]

    def _each(self, work, m, root, n_jobs):
        if m < 8:
            return work(slice(0, m)) if m else None
        blocks = grid(m, 64, 4096)
        return each(work, blocks, n_jobs=n_jobs, effort=STEP * m * len(root))

    def _parts(self, root, rows):
        """Runs of trees whose nodes stay in the cache while the rows go down them."""
        count = rows.stop - rows.start
        if count < 8 or len(root) == 1:
            return [slice(0, len(root))]
        most = max(1, WALKS // count)
        return [slice(start, start + most) for start in range(0, len(root), most)]
