# SPDX-License-Identifier: BSD-3-Clause
"""The columns as coordinate descent sees them: centered, scaled and weighted, without a copy.

With m the weighted means and s the scales (ones, or the reciprocals of the standard deviations),
Z = diag(w)^(1/2) (X - 1 m') diag(s): the intercept is then the difference of means, and the
penalty meets columns of one size if asked to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._core.linear import columns as kernel
from statfast._core.rows.column_moments import column_moments as add_moments
from statfast._distance import near_mean
from statfast._engine import checkpoint, each, grid
from statfast._linalg import mirrored
from statfast._typing import Array, Jobs, Matrix
from statfast._validation import refuse_large, require_finite, warn_user
from statfast.linear.design.column_scaling import ScaledColumns
from statfast.linear.design.sparse_columns import SparseColumns, is_whole

NUMBERS_OF_CALL = 2_000_000  # A kernel call reads so many numbers in a millisecond or two.
MULTIPLICATIONS_OF_CALL = 4e8  # A kernel call takes less than 0.05 s.
COLUMNS_OF_PANEL = 512  # The panels of so many columns of a Gram matrix stay in the third cache.
# Products of columns that differ by no more, relative to the lengths, are those in float32.
MAX_ERROR_OF_PRODUCTS = 1e-4
# From so many residuals on, one product is faster than one by one.
MIN_TASKS_FOR_PRODUCT = 4
ROWS_OF_SAMPLE_MEAN = 256  # The mean of so many rows is near that of all.


class Part:
    """Some columns of Z without weights: ``part @ b``, and the same columns with weights."""

    def __init__(self, table: Array) -> None:
        self.table = table

    def __matmul__(self, b: Array) -> Array:
        return self.table @ b

    def weighted(self, weights: Array, intercept: bool, target: Array) -> Columns:
        """As columns with weights, about the means that those give, with all their products."""
        return Columns(self.table, weights, intercept, False, None, target, True)


class Columns(ScaledColumns):
    """Columns Z of X (n, p) with weights that sum to n; see above.

    Attributes
    ----------
    mean, scale, square : ndarray of shape (p,)
        m, s, and the squared lengths of the columns of Z.
    squares : ndarray of shape (p,)
        Those of the columns as they are, about their means; not finite where they overflow.
    """

    has_few_nonzeros = False  # Whether columns have few nonzeros.
    exact = True  # Products of columns are as good as those with residuals.

    def __init__(
        self,
        X: Array,
        weights: Array | None,
        intercept: bool,
        standardize: bool,
        n_jobs: Jobs = None,
        target: Array | None = None,
        whole: bool | None = None,
    ) -> None:
        """With a `target` (n,), centered if there is an intercept, and where the columns are few,
        their `products` Z'Z (p, p) and `correlation` Z'target come of the pass that measures them.
        """
        item = X.itemsize
        if item not in X.strides and X.shape[1] > 1:
            refuse_large(X.nbytes, "A copy of X with contiguous rows", "Pass contiguous rows.")
            X = np.ascontiguousarray(X)
        self.X, self.n_jobs = X, n_jobs
        self.n, self.p = X.shape
        self.by_columns = X.strides[0] == item and X.strides[1] != item
        self.weights = np.ones(self.n) if weights is None else weights * (self.n / weights.sum())
        self.root = np.sqrt(self.weights)
        self.plain = weights is None
        self.whole = is_whole(self.n, self.p) if whole is None else whole
        self.products: Any = None
        self.correlation: Any = None
        # An overflow gives infinities, which are refused below.
        with np.errstate(over="ignore", invalid="ignore"):
            self._measure(intercept, standardize, target if self.whole else None)

    def _measure(self, intercept: bool, standardize: bool, target: Array | None) -> None:
        weights = None if self.plain else self.weights
        guess = near_mean(self.X, weights, ROWS_OF_SAMPLE_MEAN) if intercept else np.zeros(self.p)
        for again in (True, False):
            if target is None:
                sums, squares = self._moments(guess)
            else:
                every = np.arange(self.p, dtype=np.intp)
                beside = self.root * target
                G, (sums, self.correlation) = self._products(
                    every, every, guess, np.ones(self.p), beside
                )
                squares = G.diagonal()
            if not np.isfinite(squares).all():
                require_finite(self.X)
            offset = sums / self.n if intercept else np.zeros(self.p)
            centered = squares - self.n * offset**2
            # Where the mean is far from the guess, its square would cost digits: such moments are
            # summed again about the mean.
            far = self.n * offset**2 > 1e3 * np.abs(centered)
            if not (again and intercept and far.any()):
                break
            guess = guess + offset
        self.mean = guess + offset
        # What rounding leaves of a constant column is not a length.
        floor = self.n * (4e-16 * np.abs(self.mean)) ** 2
        centered[(centered <= floor) & np.isfinite(squares)] = 0.0
        self.scale = np.ones(self.p)
        if standardize:
            spread = np.sqrt(centered / self.n)
            self.scale = np.divide(1.0, spread, out=np.ones(self.p), where=spread > 0)
        self.squares, self.constant = centered, centered == 0
        self.scale[self.constant] = 0.0  # A constant column counts as zeros.
        self.square = centered * self.scale**2
        if target is not None:
            kernel.center(G, offset * np.sqrt(self.n), self.scale)
            self.products = G
            self.correlation = (self.correlation - offset * (self.root @ beside)) * self.scale

    def _moments(self, guess: Array) -> Array:
        def moments(block: Array, rows: slice) -> Array:
            both = np.zeros((2, block.shape[1]))
            add_moments(block, self.weights[rows], guess, *both)
            return both

        first, *rest = self._each_block(moments)
        for more in rest:
            first += more
        return first

    def _blocks(self) -> list[slice]:
        return grid(self.n, least=max(256, min(NUMBERS_OF_CALL // self.p, 16384)))

    def _each_block(self, work: Callable[..., Any]) -> list[Array]:
        """``work(block, rows)`` of blocks of rows, in order."""
        return each(
            lambda rows: work(self.X[rows], rows), self._blocks(), n_jobs=self.n_jobs,
            effort=8.0 * self.X.size,
        )  # fmt: skip

    # ------------------------------------------------------------ products
    def correlate(self, r: Array, index: Any = None) -> Array:
        """Z'(root r) of residuals r (n,) in the units of y: the products with all columns.

        Of some columns, where an `index` is given.
        """
        v = r if self.plain else r * self.weights
        every = slice(None) if index is None else index
        out = np.zeros(self.p if index is None else len(index))
        if self.by_columns:
            self._by_columns(v, index, out)
        else:

            def sums(block: Array, rows: slice) -> Array:
                part = np.zeros(len(out))
                kernel.correlate(block, v[rows], index, part)
                return part

            for part in self._each_block(sums):
                out += part
        out -= v.sum() * self.mean[every]
        return out * self.scale[every]

    def correlate_tasks(self, r: Array, index: Any = None) -> Array:
        """`correlate` of several residuals (T, n): (T, p), or (T, k) of k columns."""
        if len(r) < MIN_TASKS_FOR_PRODUCT:
            return super().correlate_tasks(r, index)
        v = r if self.plain else r * self.weights
        every = slice(None) if index is None else index

        def sums(block: Array, rows: slice) -> Array:
            return v[:, rows] @ _transpose(block, index).T

        first, *rest = self._each_block(sums)
        for more in rest:
            first += more
        first -= v.sum(axis=1)[:, None] * self.mean[every]
        return np.ascontiguousarray(first * self.scale[every])

    def _by_columns(self, v: Array, index: Any, out: Array) -> None:
        blocks, step = self._blocks(), max(4, NUMBERS_OF_CALL // self.n // 4 * 4)
        X = self.X

        def work(first: int) -> None:
            columns = slice(first, min(first + step, len(out)))
            for rows in blocks:
                if index is None:
                    kernel.correlate(X[rows, columns], v[rows], None, out[columns])
                else:
                    kernel.correlate(X[rows], v[rows], index[columns], out[columns])
                checkpoint()

        effort = 4.0 * self.n * len(out)
        each(work, range(0, len(out), step), n_jobs=self.n_jobs, effort=effort)

    def combine(self, index: Array, coef: Array) -> Array:
        """X[:, index] coef - m'coef: fitted values, centered, in the units of y; coef of X."""
        out = np.full(self.n, -(self.mean[index] @ coef))
        index = np.ascontiguousarray(index, dtype=np.intp)
        coef = np.ascontiguousarray(coef)

        def work(rows: slice) -> None:
            kernel.combine(self.X[rows], index, coef, out[rows])

        each(work, grid(self.n), n_jobs=self.n_jobs, effort=4.0 * self.n * len(index))
        return out

    def combine_tasks(self, index: Array, coef: Array) -> Array:
        """`combine` of coefficients (T, k) of several tasks: (T, n)."""
        if len(coef) < MIN_TASKS_FOR_PRODUCT or not len(index):
            return super().combine_tasks(index, coef)
        parts = self._each_block(lambda block, rows: coef @ _transpose(block, index))
        out: Array = np.concatenate(parts, axis=1) - (coef @ self.mean[index])[:, None]
        return out

    def gram(self, down: Array, across: Array) -> Array:
        """Z_i'Z_j; if `across` ends with `down`, what lies above their diagonal is undefined."""
        return self._products(down, across, self.mean, self.scale)[0]

    def _products(
        self, down: Array, across: Array, mean: Array, scale: Array, beside: Any = None
    ) -> Any:
        """`gram` about other means, and the products of Z_i with `root` and with `beside`."""
        k, m = len(down), len(across)
        diagonal = m - k if m >= k and np.array_equal(down, across[m - k :]) else m
        blocks = max(1, min(16, self.n // (4 * max(k, m, 64))))
        rows = [slice(r * self.n // blocks, (r + 1) * self.n // blocks) for r in range(blocks)]
        refuse_large(8 * k * m * blocks, "The Gram matrix of the columns", "Pass fewer columns.")
        chunks = [(j, min(j + COLUMNS_OF_PANEL, m)) for j in range(0, m, COLUMNS_OF_PANEL)]
        tasks = [(block, chunk) for chunk in chunks for block in rows]

        def work(task: tuple[slice, tuple[int, int]]) -> Any:
            block, (start, stop) = task
            low = max(0, start - diagonal)  # Rows before this one lie above the diagonal.
            total = np.zeros((k - low, stop - start))
            beside_sums = None if beside is None or start else np.zeros((2, k))
            depth = max(256, int(MULTIPLICATIONS_OF_CALL / total.size) // 256 * 256)
            for first in range(block.start, block.stop, depth):
                rows = slice(first, min(first + depth, block.stop))
                kernel.gram(
                    self.X[rows], self.root[rows], mean, scale, down[low:], across[start:stop],
                    diagonal + low - start, total,
                    None if beside_sums is None else beside[rows], beside_sums,
                )  # fmt: skip
                checkpoint()
            return total, beside_sums

        parts = each(work, tasks, n_jobs=self.n_jobs, effort=2.0 * self.n * k * m)
        out, all_beside = np.empty((k, m)), None
        for c, (start, stop) in enumerate(chunks):
            (total, beside_sums), *rest = parts[c * blocks : (c + 1) * blocks]
            for more, more_beside in rest:
                total += more
                if beside_sums is not None:
                    beside_sums += more_beside
            out[k - len(total) :, start:stop] = total
            all_beside = beside_sums if start == 0 else all_beside
        return out, all_beside

    def take_products(self, gram: Array, target: Array) -> None:
        """Use products (p, p) of the columns about their means, of a user, as far as they are good.

        Gradients are made of residuals all the same. With an intercept, products about 0 are no
        use: a warning says so. Those that are neither are refused.
        """
        products = (
            gram if self.powers is None else np.ldexp(gram, -np.add.outer(*[self.powers] * 2))
        )
        every = np.arange(self.p, dtype=np.intp)
        mean, squares = self.mean, self.squares
        first = int(self.constant.argmin())
        want = self._products(every[first : first + 1], every, mean, np.ones(self.p))[0][0]
        if not _are_alike(products, first, want, squares, ~self.constant):
            want, squares = want + self.n * mean[first] * mean, squares + self.n * mean**2
            if not (mean.any() and _are_alike(products, first, want, squares, squares > 0.0)):
                raise ValueError(
                    "precompute must be False, or the products X'X of the columns of X, with "
                    "weights that sum to n, and less their means where there is an intercept; got "
                    "other numbers. Pass False."
                )
            warn_user(
                "precompute holds products of columns that are not centered, which an intercept "
                "asks for: products are formed again. Center X, or pass fit_intercept=False."
            )
            if not self.whole:
                return
            products = mirrored(self._products(every, every, mean, np.ones(self.p))[0])
        self.products = np.ascontiguousarray(products * self.scale * self.scale[:, None])
        self.correlation = self.correlate(target)
        self.whole, self.exact = True, False

    def part(self, index: Array) -> Part:
        """Some of the columns, to be weighted otherwise: see `logistic_path`."""
        table = np.asfortranarray(self.X[:, index], dtype=np.float64)
        table -= self.mean[index]
        table *= self.scale[index]
        return Part(table)

    def dense_rows(self, index: Array) -> Array:
        """Some of the columns, as rows (k, n) of their own."""
        rows: Array = self.part(index).table.T * self.root
        return rows


def _transpose(block: Array, index: Any) -> Array:
    """Columns of a block of rows as rows (k, m) that are contiguous, float64: products of them have
    the same bits however the block lies in memory."""
    columns = block.T if index is None else block.T.take(index, axis=0)
    if columns.dtype != np.float64 or columns.strides[1] != columns.itemsize:
        columns = np.ascontiguousarray(columns, dtype=np.float64)
    return columns


def _are_alike(products: Array, first: int, want: Array, squares: Array, known: Array) -> bool:
    """Whether products of columns that are `known` have these squares, and these products with one
    of them."""
    size, of_first = np.sqrt(squares), products[first]
    near = np.abs(of_first - want) <= MAX_ERROR_OF_PRODUCTS * size[first] * size
    same = np.abs(products.diagonal() - squares) <= MAX_ERROR_OF_PRODUCTS * squares
    return bool((near & same)[known].all())


def columns_of(
    X: Matrix,
    weights: Array | None,
    intercept: bool,
    standardize: bool,
    n_jobs: Jobs = None,
    target: Array | None = None,
) -> ScaledColumns:
    """Columns of dense or of sparse rows, in units in which their squares are numbers."""
    kind = SparseColumns if hasattr(X, "indptr") else Columns

    def measured(table: Matrix) -> ScaledColumns:
        return kind(table, weights, intercept, standardize, n_jobs, target)

    return measured(X).with_powers(standardize, measured)
