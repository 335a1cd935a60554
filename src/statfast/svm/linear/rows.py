# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a linear machine, dense or sparse, after a constant column of ones.

The constant column of LIBLINEAR holds `scale`, and its coefficient is penalized as the others are.
Here it holds ones, so that its coefficient v[0] is the intercept itself, and the penalty is
v[0]^2 / scale^2; without an intercept, v has one number less.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from statfast._core.linear import irls
from statfast._core.rows import sparse_rows
from statfast._core.svm import dual_descent
from statfast._engine import checkpoint, each, grid, reduce
from statfast._typing import Array, Jobs, Matrix
from statfast._validation import MAX_COLUMNS, as_csr, as_rows, is_sparse, parts_of, rows_for

MULTIPLICATIONS_OF_CALL = 2e8  # A kernel call takes about 30 ms.
# Blocks of fewer rows and operations would spend their time between calls.
MIN_ROWS_OF_BLOCK, MIN_OPERATIONS_OF_BLOCK = 8192, 1e6
# The operations of a block for each column, whose sum is cleared, and added to those of other
# blocks.
OPERATIONS_OF_COLUMN = 4
OPERATIONS_OF_ROW = 100  # The operations that a row costs besides its products.
# An operation with sparse rows takes so many times as long as an ordinary one, and as one of vector
# code.
SPARSE_COST, VECTOR_SPEED = 4.0, 8.0
# Dense rows of at least so many columns are packed if at most one number in so many is not 0.
NUMBERS_PER_NONZERO, MIN_COLUMNS_TO_PACK = 6, 64
ROWS_FOR_DENSITY = 512  # The rows of the sample that shows how many numbers are not 0.


def rows_of(
    X: Any, n_jobs: Jobs = None, numbers_per_nonzero: float = NUMBERS_PER_NONZERO
) -> Matrix:
    """Rows to fit: a finite ndarray, or CSR, which an ndarray becomes that has so many zeros."""
    if is_sparse(X):
        return as_csr(X)
    X = as_rows(X)
    n, d = X.shape
    if d >= MIN_COLUMNS_TO_PACK and n * d < MAX_COLUMNS:
        sample = X[:: max(1, n // ROWS_FOR_DENSITY)]
        if numbers_per_nonzero * np.count_nonzero(sample) <= sample.size:
            return _packed(X, n_jobs)
    return X


def _packed(X, n_jobs):
    from scipy.sparse import csr_array

    start = np.zeros(len(X) + 1, np.intp)

    def work(rows: Any) -> None:
        parts = [None, None]
        if packed:
            parts = [part[start[rows.start] : start[rows.stop]] for part in packed]
        source = (None, X[rows]) if X.dtype == np.float32 else (X[rows], None)
        dual_descent.pack(*source, count[rows], *parts)
        checkpoint()

    packed, count = [], np.empty(len(X), np.intp)
    each(work, grid(len(X)), n_jobs=n_jobs, effort=4.0 * X.size)
    start[1:] = np.cumsum(count)
    packed[:] = np.empty(start[-1], np.int32), np.empty(start[-1])
    each(work, grid(len(X)), n_jobs=n_jobs, effort=4.0 * X.size)
    return csr_array((packed[1], packed[0], start.astype(np.int32)), shape=X.shape)


def new_rows(estimator: Any, X: Any) -> Matrix:
    """Rows to predict, of the width fitted."""
    if not is_sparse(X):
        return rows_for(estimator, X)
    rows = as_csr(X)
    rows_for(estimator, np.zeros((1, rows.shape[1])))  # Refuses another width or other names.
    return rows


@dataclass
class LinearRows:
    """Rows z = (1, x), or x without an intercept, and sums over them.

    `X` is (n, d), dense or CSR; of sparse rows some may be `chosen` by their numbers. Sums are made
    block by block on a grid that depends on n alone.
    """

    X: Any
    intercept: bool
    scale: float = 1.0  # The value that LIBLINEAR's constant column would have.
    n_jobs: int | None = None
    chosen: Any = None

    def __post_init__(self) -> None:
        self.n, self.d = self.X.shape
        self.n_intercepts = int(self.intercept)
        self.q = self.d + self.n_intercepts
        self.sparse = hasattr(self.X, "indptr")
        if self.sparse:
            self.parts = parts_of(self.X)
            self.begin, self.end = self.parts[0][:-1], self.parts[0][1:]
            if self.chosen is not None:
                self.n = len(self.chosen)
                self.begin, self.end = self.begin[self.chosen], self.end[self.chosen]
            length = (self.end - self.begin).astype(np.float64)
            self.pairs, self.size = float((length * length).sum()), float(length.sum())
        else:
            self.pairs, self.size = float(self.n) * self.d**2, float(self.n) * self.d

    @cached_property
    def nothing(self) -> Array:
        """The mean of columns as they are."""
        return np.zeros(self.d)

    @cached_property
    def ridge(self) -> Array:
        """The penalty is v' diag(ridge) v / 2."""
        ridge = np.ones(self.q)
        if self.intercept:
            ridge[0] = self.scale**-2.0
        return ridge

    def predict(self, rows: slice, v: Array, block: Any) -> Array:
        """z'v of the rows in a slice; `block` holds them if they are dense."""
        out = np.empty(rows.stop - rows.start)
        for piece in self._calls(len(out), 1):
            if self.sparse:
                part = *self._part(rows, piece), self.intercept
                dual_descent.sparse_pass(*part, v, None, None, None, None, out[piece])
            else:
                irls.predict(block[piece], self.nothing, self.intercept, v, None, out[piece])
            checkpoint()
        return out

    def accumulate(
        self, rows: slice, block: Any, s: Array, w: Array | None, h: Array | None, g: Array
    ) -> None:
        """g += z's, and unless h is None its lower triangle += z'wz, over the rows in a slice."""
        if w is None:
            w = s  # The kernel reads the weights, whose values do not matter here.
        for piece in self._calls(len(s), 1 if h is None else 2):
            if self.sparse:
                part = *self._part(rows, piece), self.intercept
                dual_descent.sparse_pass(*part, None, s[piece], w[piece], h, g, None)
            else:
                part = block[piece], self.nothing, self.intercept
                irls.accumulate(*part, s[piece], w[piece], h, g)
            checkpoint()

    def products(self, rows: slice, block: Any, w: Array, h: Array) -> None:
        """h += z'wz (lower triangle) over those rows in a slice whose w is not 0."""
        on = np.flatnonzero(w)
        if self.sparse and len(on):
            self.accumulate(rows, block, np.zeros_like(w), w, h, np.zeros(self.q))
        elif len(on):
            block = block[on]
            self.accumulate(rows, block, np.zeros(len(on)), w[on], h, np.zeros(self.q))

    def sums(self, partial: Callable[..., Any], *, pairs: bool = True) -> list[Any]:
        """Add up ``partial(rows, block)``, lists of arrays or numbers, over blocks of rows.

        `pairs` says whether there are products of columns among them.
        """
        cost = self.cost_of(pairs)
        least = int(min(MIN_ROWS_OF_BLOCK, max(256.0, MIN_OPERATIONS_OF_BLOCK * self.n / cost)))
        if pairs:
            least = max(least, 8 * self.q)
        else:
            least = max(least, int(OPERATIONS_OF_COLUMN * self.q * self.n / max(self.size, 1.0)))
        if self.n <= least:
            checkpoint()
            return partial(slice(0, self.n), self.single_block)
        # Only the length matters.
        source = np.empty((self.n, 1), np.bool_) if self.sparse else self.X
        return reduce(
            partial,
            source,
            merge=_added,
            n_jobs=self.n_jobs,
            effort=SPARSE_COST * cost,
            least=least,
        )

    def cost_of(self, pairs: bool) -> float:
        """Operations of a pass over the rows, in units of those with sparse rows."""
        work = self.pairs if pairs else 4.0 * self.size
        return work / (1.0 if self.sparse else VECTOR_SPEED) + OPERATIONS_OF_ROW * self.n

    @cached_property
    def single_block(self) -> Any:
        """All rows as a block."""
        return None if self.sparse else np.ascontiguousarray(self.X)

    def product(self, v: Array) -> Array:
        """z'v of all rows."""
        out = np.empty(self.n)

        def partial(rows: slice, block: Array | None) -> list[Any]:
            out[rows] = self.predict(rows, v, block)
            return []

        self.sums(partial, pairs=False)
        return out

    def combined(self, s: Array, workspace: Array | None = None) -> Array:
        """z's: rows weighted and added up, in `workspace`, if given, where they are one block."""

        def partial(rows: slice, block: Array | None) -> list[Array]:
            g = self._cleared(workspace, rows)
            self.accumulate(rows, block, s[rows], None, None, g)
            return [g]

        return self.sums(partial, pairs=False)[0]

    def turned(self, v: Array, w: Array, workspace: Array | None = None) -> Any:
        """z'w(z v): rows weighted by w and their own values, added up; `workspace` as above."""

        def partial(rows: Any, block: Any) -> Any:
            g = self._cleared(workspace, rows)
            if not self.sparse:
                score = w[rows] * self.predict(rows, v, block)
                self.accumulate(rows, block, score, None, None, g)
                return [g]
            for piece in self._calls(rows.stop - rows.start, 1):
                part = *self._part(rows, piece), self.intercept
                dual_descent.sparse_pass(*part, v, None, w[rows][piece], None, g, None)
                checkpoint()
            return [g]

        return self.sums(partial, pairs=False)[0]

    def _cleared(self, workspace: Array | None, rows: slice) -> Array:
        """Zeros for each column. New memory takes longer to come by than a pass over few rows."""
        if workspace is None or rows.stop - rows.start < self.n:
            return np.zeros(self.q)
        workspace.fill(0.0)
        return workspace

    def column_squares(self, w: Array) -> Any:
        """The sums of w z^2 of each column."""

        def partial(rows: Any, block: Any) -> Any:
            g = np.zeros(self.q)
            if self.sparse:
                for piece in self._calls(rows.stop - rows.start, 1):
                    begin, end, column, _ = self._part(rows, piece)
                    arrays = begin, end, column, squares, self.intercept
                    weight = w[rows][piece]
                    dual_descent.sparse_pass(*arrays, None, weight, weight, None, g, None)
                    checkpoint()
            else:
                g[: self.n_intercepts] = w[rows].sum()
                block = block.astype(np.float64, copy=False)
                g[self.n_intercepts :] = np.einsum("ij,ij,i->j", block, block, w[rows])
            return [g]

        with np.errstate(over="ignore"):
            squares = self.parts[2] ** 2 if self.sparse else None
            return self.sums(partial, pairs=False)[0]

    def squares(self) -> Array:
        """|x|^2 + scale^2 of each row (without an intercept |x|^2)."""
        if self.chosen is not None:
            return LinearRows(self.X[self.chosen], self.intercept, self.scale).squares()
        out = np.empty(self.n)

        def partial(rows: slice, block: Any) -> list[Any]:
            if self.sparse:
                start, _, value = self.parts
                sparse_rows.squares(start[rows.start : rows.stop + 1], value, out[rows])
            else:
                block = block.astype(np.float64, copy=False)
                out[rows] = np.einsum("ij,ij->i", block, block)
            return []

        with np.errstate(over="ignore"):
            self.sums(partial, pairs=False)
        if self.intercept:
            out += self.scale**2
        return out

    def part(self, index: Array) -> LinearRows:
        """The same with some of the rows."""
        X, chosen = self.X, None
        if self.sparse:  # Sparse rows are read where they lie.
            chosen = index if self.chosen is None else self.chosen[index]
        else:
            X = np.ascontiguousarray(X[index])
        made = LinearRows(X, self.intercept, self.scale, self.n_jobs, chosen)
        made.nothing, made.ridge = self.nothing, self.ridge
        return made

    def take(self, index: Array) -> Array:
        """Some rows z as a dense array."""
        if self.chosen is not None:
            index = self.chosen[index]
        taken = self.X[index].toarray() if self.sparse else self.X[index]
        taken = taken.astype(np.float64, copy=False)
        return np.column_stack([np.ones(len(index)), taken]) if self.intercept else taken

    @cached_property
    def lined_up(self) -> Array:
        """Dense rows of numbers side by side."""
        X = self.X
        contiguous = X.strides[1] == X.itemsize and X.strides[0] % X.itemsize == 0
        return X if contiguous else np.ascontiguousarray(X)

    def _calls(self, n: int, power: int) -> list[slice]:
        """Parts of n rows for kernel calls; the cost of a row is a power of its length."""
        cost = (self.size / self.n if self.sparse else self.q) ** power
        step = max(64, int(MULTIPLICATIONS_OF_CALL / (cost + OPERATIONS_OF_ROW)))
        return [slice(a, min(n, a + step)) for a in range(0, n, step)]

    def _part(self, rows: slice, piece: slice) -> tuple[Array, Array, Array, Array]:
        _, column, value = self.parts
        piece = slice(rows.start + piece.start, rows.start + piece.stop)
        return self.begin[piece], self.end[piece], column, value


def _added(total: Any, more: Any) -> Any:
    for k, part in enumerate(more):
        total[k] += part
    return total
