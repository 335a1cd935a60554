# SPDX-License-Identifier: BSD-3-Clause
"""Sparse rows in the place of dense ones: what passes over rows ask of a block."""

import numpy as np

from statfast._core.kmeans import sparse as kernel
from statfast._validation import parts_of

PIECE = 1 << 25  # multiply-adds between two looks at whether the run was interrupted


class SparseRows:
    """Rows in CSR form, of which slices are blocks.

    Centers stay dense: each nonzero of a row meets all of them. Rows are never made dense but one
    at a time, where scores cannot tell which center is the nearest.

    Parameters
    ----------
    rows : scipy.sparse.csr_array of shape (n, d), as ``_sparse.as_csr`` returns it
    dtype : numpy.dtype
        Of the rows as the user gave them.
    """

    def __init__(self, rows, dtype):
        self.shape, self.dtype, self.matrix = rows.shape, np.dtype(dtype), rows
        self._start, self._column, self._value = parts_of(rows)
        self._square = np.empty(rows.shape[0])
        kernel.squares(self._start, self._value, self._square)

    def __getitem__(self, where):
        """The rows of a slice, or of these numbers, which are rows of their own then."""
        if not isinstance(where, slice):
            return self._copied(np.asarray(where, np.intp))
        part = object.__new__(SparseRows)
        start, stop, _ = where.indices(self.shape[0])
        part.shape, part.dtype, part.matrix = (stop - start, self.shape[1]), self.dtype, None
        part._start, part._square = self._start[start : stop + 1], self._square[start:stop]
        part._column, part._value = self._column, self._value
        return part

    def _copied(self, index):
        from scipy.sparse import csr_array

        count = self._start[index + 1] - self._start[index]
        start = np.concatenate([[0], np.cumsum(count)])
        at = np.repeat(self._start[index] - start[:-1], count) + np.arange(start[-1])
        shape = len(index), self.shape[1]
        return SparseRows(
            csr_array((self._value[at], self._column[at], start), shape=shape), self.dtype
        )

    def take(self, index):
        """Rows as dense ones, (m, d) float64."""
        out = np.zeros((len(index), self.shape[1]))
        for row, i in zip(out, index, strict=True):
            own = slice(self._start[i], self._start[i + 1])
            row[self._column[own]] = self._value[own]
        return out

    def pieces(self, k):
        """Slices of few enough multiply-adds with k centers."""
        n = self.shape[0]
        most = 1 + (self._start[-1] - self._start[0]) // max(1, n)
        step = max(64, PIECE // int(most * k))
        return [slice(first, min(n, first + step)) for first in range(0, n, step)]

    def step(
        self, centers, labels, weights=None, sums=None, mass=None, changes=False, upper=None,
        lower=None, motion=None,
    ):  # fmt: skip
        """``lloyd.step`` for these rows; returns how many labels changed."""
        return kernel.step(
            self._start, self._column, self._value, self._square, weights, *centers.parts,
            centers.scale, labels, sums, mass, changes, upper, lower, motion,
            np.empty(self.shape[0], np.int32),
        )  # fmt: skip

    def distances(self, centers, labels=None):
        """Squared distances (n, k) to all centers, or (n, 1) to those of the labels."""
        out = np.empty((self.shape[0], len(centers.parts[0]) if labels is None else 1))
        kernel.distances(
            self._start, self._column, self._value, self._square, *centers.parts, labels, out
        )
        return out

    def sum(self, weights=None):
        """The (weighted) sum of the rows, (d,)."""
        count = np.diff(self._start)
        value = self._value if weights is None else self._value * np.repeat(weights, count)
        total = np.bincount(self._column, value, self.shape[1])
        return total.astype(np.float64, copy=False)  # without a nonzero, integers

    def bounds(self):
        """The least and the greatest value of each column."""
        n, d = self.shape
        low, high = np.zeros(d), np.zeros(d)
        full = np.bincount(self._column, minlength=d) == n  # no zero in the column
        low[full], high[full] = np.inf, -np.inf
        np.minimum.at(low, self._column, self._value)
        np.maximum.at(high, self._column, self._value)
        return low, high


class SparseFrame:
    """Centers as sparse rows meet them: transposed, with the terms of their scores."""

    def __init__(self, centers, scale=1.0):
        k, d = centers.shape
        across = np.zeros((d, -(-k // 8) * 8))
        across[:, :k] = centers.T
        begin = np.zeros(across.shape[1])
        squares = np.einsum("ij,ij->i", centers, centers)
        begin[:k] = -squares / 2
        reach = float(np.sqrt(squares.max()) * (1 + 1e-12))
        self.parts, self.scale = (centers, across, begin, reach), scale
