# SPDX-License-Identifier: BSD-3-Clause
"""Squared distances of the training rows, from which Gaussian kernel matrices for many gamma come.

They are kept in float32: exp(-gamma D) is then off by at most 6e-8 of max(x exp(-x)) = 0.37, less
than rounding the matrix to float32 costs.
"""

import numpy as np

from statfast._blocks import checkpoint, each, grid
from statfast._core import pairwise, tiles
from statfast._extent import extent_of, origin_of
from statfast._validation import refuse_large
from statfast.svm.gram import MatrixGram

PIECE = 1 << 22  # values between two looks whether the user wants to stop


class Distances:
    """The matrix of squared distances, and one that holds the kernel of the gamma in turn."""

    def __init__(self, rows, n_jobs):
        n = len(rows)
        self.n_jobs, self.effort = n_jobs, float(n) * n * (rows.shape[1] + 8)
        self.squares = np.empty((n, n), np.float32)
        self.kernel = np.empty((n, n), np.float32)
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
                block = out[start : min(start + step, task.stop)]
                np.multiply(self.squares[start : start + len(block)], -gamma, out=block)
                tiles.map("exp", block.reshape(-1), block.reshape(-1))

        each(fill, grid(len(out), least=64), n_jobs=self.n_jobs, effort=self.effort)
        return MatrixGram(out, self.n_jobs)
