# SPDX-License-Identifier: BSD-3-Clause
"""Sparse columns as coordinate descent sees them: what `Columns` gives, centered without filling
in.

With m the weighted means, products of centered columns are those of the columns as they are, less
what the means add: x_i'W x_j - n m_i m_j. That loses digits where a mean is far larger than its
column's deviation, which a column without zeros may have: such columns are centered. A column with
a zero deviates by its mean over root n at least, and gradients are made from residuals, which
restores what it loses; see `Descent`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._engine import checkpoint, each
from statfast._typing import Array, Jobs, Matrix
from statfast._validation import refuse_large
from statfast.linear.design.column_scaling import ScaledColumns

# The Gram matrix of so many columns costs less than fifty passes over them.
MAX_COLUMNS_OF_WHOLE_GRAM = 3000
# Where there are more than so many rows and columns for each nonzero of a column, sweeps update
# residuals in place of the Gram matrix.
MIN_NONZEROS_RATIO = 16
# Products are made in pieces of so many numbers, between which Ctrl-C is looked for.
NUMBERS_OF_PIECE = 2_000_000


def is_whole(n: int, p: int) -> bool:
    """Whether the products of all columns are worth their making."""
    return p <= MAX_COLUMNS_OF_WHOLE_GRAM and n >= p


class SparseColumns(ScaledColumns):
    """Columns Z of sparse X (n, p) with weights that sum to n; attributes as those of `Columns`."""

    exact = False  # Products of columns may have lost digits.
    products = None  # `Columns` has these from its first pass; sparse columns have none.

    def __init__(
        self,
        X: Matrix,
        weights: Array | None,
        intercept: bool,
        standardize: bool,
        n_jobs: Jobs = None,
        target: Array | None = None,
        whole: bool | None = None,
    ) -> None:
        self.X, self.n_jobs = X.tocsc(), n_jobs
        self.n, self.p = X.shape
        self.has_few_nonzeros = MIN_NONZEROS_RATIO * self.X.nnz < self.p * min(self.n, self.p)
        self.whole = bool(whole)  # Products of all columns cost more than those of a working set.
        self.plain = weights is None
        self.weights = np.ones(self.n) if weights is None else weights * (self.n / weights.sum())
        # An overflow gives infinities, which are refused below.
        with np.errstate(over="ignore", invalid="ignore"):
            self._measure(intercept, standardize)

    def _measure(self, intercept: bool, standardize: bool) -> None:
        X, p = self.X, self.p
        column = np.repeat(np.arange(p), np.diff(X.indptr))
        w = self.weights[X.indices]
        self.mean = np.zeros(p)
        if intercept:
            self.mean = np.bincount(column, w * X.data, minlength=p) / self.n
        centered = X.data - self.mean[column]
        squares = np.bincount(column, w * centered**2, minlength=p)
        zeros = np.maximum(self.n - np.bincount(column, w, minlength=p), 0.0)
        # This is not done in place, as the counts of a column without a nonzero are integers.
        full = np.diff(X.indptr) == self.n
        squares = squares + np.where(full, 0.0, zeros) * self.mean**2
        # Means that are still in the columns of which products are made.
        self.held, self.shift = X, np.where(full, 0.0, self.mean)
        if intercept and full.any():
            data = np.where(full[column], centered, X.data)
            self.held = type(X)((data, X.indices, X.indptr), shape=X.shape)
        floor = self.n * (4e-16 * np.abs(self.mean)) ** 2
        squares[(squares <= floor) & np.isfinite(squares)] = 0.0
        self.scale = np.ones(p)
        if standardize:
            spread = np.sqrt(squares / self.n)
            self.scale = np.divide(1.0, spread, out=np.ones(p), where=spread > 0)
        self.squares, self.constant = squares, squares == 0
        self.scale[self.constant] = 0.0
        self.square = squares * self.scale**2

    def correlate(self, r: Array, index: Any = None) -> Array:
        """Z'(root r), of all columns or of some."""
        v = r if self.plain else r * self.weights
        if index is None:
            return (self.held.T @ v - v.sum() * self.shift) * self.scale
        out = self.held[:, index].T @ v - v.sum() * self.shift[index]
        return out * self.scale[index]

    def combine(self, index: Array, coef: Array) -> Array:
        """The centered columns times coefficients of X, in the units of y."""
        return self.held[:, index] @ coef - self.shift[index] @ coef

    def gram(self, down: Array, across: Array) -> Array:
        """Z_i'Z_j for columns i of `down` and j of `across`."""
        k, m = len(down), len(across)
        refuse_large(8 * k * m, "The Gram matrix of the columns", "Pass fewer columns.")
        out = np.empty((k, m))
        right = self.held[:, across]
        weighted = self.held[:, down]
        if not self.plain:
            weighted = weighted.multiply(self.weights[:, None]).tocsc()
        weighted = weighted.T.tocsr()
        step = max(1, NUMBERS_OF_PIECE // max(m, 1 + right.nnz // max(k, 1)))

        def work(first: int) -> None:
            columns = slice(first, first + step)
            part = (weighted[columns] @ right).toarray()
            part -= self.n * np.outer(self.shift[down[columns]], self.shift[across])
            out[columns] = part * np.outer(self.scale[down[columns]], self.scale[across])
            checkpoint()

        each(work, range(0, k, step), n_jobs=self.n_jobs, effort=4.0 * weighted.nnz * m)
        return out

    @property
    def root(self) -> Any:
        """Roots of the weights."""
        return np.sqrt(self.weights)

    def weighted_table(self, index: Any) -> Any:
        """Some columns of Z without their shifts, as CSC; and those, for weights of one."""
        from scipy.sparse import csc_array

        table, scale = self.held[:, index], self.scale[index]
        values = table.data * np.repeat(scale, np.diff(table.indptr)) * self.root[table.indices]
        table = csc_array((values, table.indices, table.indptr), shape=table.shape)
        return table, self.shift[index] * scale

    def dense_rows(self, index: Array) -> Array:
        """Some of the columns, filled in and centered, as rows (k, n) of their own."""
        k = len(index)
        refuse_large(8 * k * self.n, "Columns that are filled in", "Raise the penalty.")
        part = self.part(index)
        rows: Array = (part.table.T.toarray() - part.shift[:, None]) * self.root
        return rows

    def part(self, index: Array) -> SparsePart:
        """Some of the columns, to be weighted otherwise: see `logistic_path`."""
        from scipy.sparse import csc_array

        table = self.held[:, index]
        scale = self.scale[index]
        values = table.data * np.repeat(scale, np.diff(table.indptr))
        table = csc_array((values, table.indices, table.indptr), shape=table.shape)
        return SparsePart(table, self.shift[index] * scale)


class SparsePart:
    """Some columns of Z without weights: ``part @ b``, and the same columns with weights."""

    def __init__(self, table: Matrix, shift: Array) -> None:
        self.table, self.shift = table, shift

    def __matmul__(self, b: Array) -> Array:
        return self.table @ b - self.shift @ b

    def weighted(self, weights: Array, intercept: bool, target: Array) -> SparseColumns:
        """As columns with weights, about the means that those give."""
        return SparseColumns(self.table, weights, intercept, False, None, target, True)
