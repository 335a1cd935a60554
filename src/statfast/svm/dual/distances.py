# SPDX-License-Identifier: BSD-3-Clause
"""Squared distances of the training rows, from which Gaussian kernel matrices for many gamma come.

They are kept in float32: exp(-gamma D) is then off by at most 6e-8 of max(x exp(-x)) = 0.37, less
than rounding the matrix to float32 costs. Exact sums are made of the rows.
"""

import numpy as np

from statfast._core.distance import pairwise
from statfast._core.svm import smo
from statfast._core.tile import tiles
from statfast._distance import extent_of, origin_of
from statfast._engine import checkpoint, each, grid
from statfast._validation import refuse_large
from statfast.kernels import RBF
from statfast.svm.dual.gram import Gram, gram_of

PIECE = 1 << 22  # values between two looks whether the user wants to stop


class WholeGram(Gram):
    """A float32 kernel matrix that is there as a whole, in the place of the slab of rows."""

    def __init__(self, matrix, source, n_jobs):
        n = len(matrix)
        self._source = source  # a Gram of the same kernel, for float64
        super().__init__(n, matrix.diagonal().astype(np.float64), None, n_jobs)
        self.slots, self._slab = n, matrix
        self._slot, self._point = np.arange(n, dtype=np.int32), np.arange(n)
        self._used = np.zeros(n, np.int64)
        self._index = self._kept = None

    def by_rows(self):
        return False  # they are there

    def block(self, index):
        # The machines of a path are on the same rows, one after the other.
        if self._index is None or not np.array_equal(index, self._index):
            if len(index) == self.n and (np.diff(index) == 1).all():
                self._kept = self._slab
            else:
                self._kept = self._for_block(len(index))
                for i, row in enumerate(index):
                    np.take(self._slab[row], index, out=self._kept[i, : len(index)])
            self._index = np.array(index)
        return self._kept

    def exact(self, index, weights, at=None):
        return self._source.exact(index, weights, at)


class Distances:
    """The matrix of squared distances, and one that holds the kernel of the gamma in turn."""

    def __init__(self, rows, n_jobs):
        n = len(rows)
        self.rows = rows
        self.n_jobs, self.effort = n_jobs, float(n) * n * (rows.shape[1] + 8)
        self.squares = np.empty((n, n), np.float32)
        self.kernel = np.zeros((n, -(-n // smo.WIDE) * smo.WIDE), np.float32)
        origin = origin_of(extent_of(rows, n_jobs).mean)

        def fill(task):
            step = max(1, PIECE // (n * rows.shape[1]) + 1)
            for start in range(task.start, task.stop, step):
                checkpoint()
                some = slice(start, min(start + step, task.stop))
                out = np.empty((some.stop - some.start, n))
                pairwise.matrix("squared", rows[some], rows, origin, 0.0, out)
                self.squares[some] = out

        each(fill, grid(n, least=64), n_jobs=n_jobs, effort=self.effort)

    @classmethod
    def of(cls, rows, n_jobs):
        """None where the two matrices would take more than half the free memory."""
        try:
            refuse_large(8.0 * len(rows) ** 2, "", "")
        except MemoryError:
            return None
        found = cls(np.ascontiguousarray(rows, dtype=np.float64), n_jobs)
        return found if np.isfinite(found.squares).all() else None

    def gram(self, gamma):
        """The kernel matrix exp(-gamma D); that of another gamma is lost."""
        out = self.kernel

        def fill(task):
            step = max(1, PIECE // len(out))
            for start in range(task.start, task.stop, step):
                checkpoint()
                some = slice(start, min(start + step, task.stop))
                block = self.squares[some] * np.float32(-gamma)
                tiles.map("exp", block.reshape(-1), block.reshape(-1))
                out[some, : len(out)] = block

        each(fill, grid(len(out), least=64), n_jobs=self.n_jobs, effort=self.effort)
        source = gram_of(RBF(gamma), self.rows, n_jobs=self.n_jobs)
        return WholeGram(out, source, self.n_jobs)
