# SPDX-License-Identifier: BSD-3-Clause
"""The triangular factor R of the columns (1, X, Y), and which of its columns depend on others.

Two ways to it. One pass of QR over blocks of rows, whose factors are merged by QR (Demmel, Grigori,
Hoemmen & Langou 2012, doi:10.1137/080731992), works for any columns. The Cholesky factor of the
centered cross products takes half the arithmetic, and is used where the rows are many and the
columns' condition, which it squares, is low enough for one correction to restore all digits. Of a
single target it takes the products with the residuals of a sample's solution: what condition costs
then is lost from a small step, and often no correction is left to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.rows.pooled_scatter import class_scatter
from statfast._distance import near_mean
from statfast._engine import Chunks, checkpoint, interruptible, reduce
from statfast._linalg import CholeskyFactor
from statfast._typing import Array, Jobs, Matrix
from statfast._validation import refuse_large, require_finite
from statfast.linear.design.design import INFERENCE_COLUMNS, dense_blocks
from statfast.linear.design.sparse_columns import SparseColumns
from statfast.linear.glm.families import FAMILIES
from statfast.linear.glm.irls_sums import ModelRows
from statfast.linear.glm.links import LINKS

COPIES_OF_TRIANGLE = 3  # Triangles in memory at once while they are merged.
MIN_NUMBERS_FOR_PRODUCTS = 5_000  # QR of fewer numbers takes a millisecond.
# The square of the condition of columns of length one leaves ten digits to the errors.
MAX_CONDITION_OF_PRODUCTS = 1e3
ROWS_OF_SAMPLE_MEAN = 1024  # The mean of so many rows is near that of all.
# A mean so many standard deviations from the sample's costs four of sixteen digits.
MAX_DEVIATIONS_OF_SHIFT = 100.0
MAX_VALUE = 1e150  # The squares of smaller values are numbers.
MIN_VALUE = 1e-130  # Products of larger values with each other have all digits.
MULTIPLICATIONS_OF_CALL = 2e8  # A kernel call takes less than 0.05 s.
MIN_ROWS_OF_START = 8192  # The solution of so many rows, or of 64 for each column, is the start.
# A factor of more sparse columns than inference takes is refused after some ten seconds of work.
MAX_MULTIPLICATIONS = 2e11
TOO_WIDE = (
    "X has {0} x {1} values, too many for a decomposition of sparse rows. Fit Ridge(alpha), for "
    "which products with the rows suffice (GridSearchCV finds alpha), or fewer columns."
)
MIN_PIVOT_OF_START = 1e-8  # A smaller pivot of the scaled products leaves the start at the mean.


@dataclass(frozen=True)
class NearSolution:
    """Coefficients near the solution of a single target."""

    coef: NDArray[np.float64]  # (q,)
    QtR: NDArray[np.float64]  # (q,) Q'r of their residuals r
    squares: float  # r'r


@dataclass(frozen=True)
class RFactor:
    """R of (1, X) scaled by the roots of the weights, and Q'Y; without 1 if no intercept."""

    R: NDArray[np.float64]  # (q, q) upper triangular
    QtY: NDArray[np.float64]  # (q, T)
    condition: float  # of the columns of R scaled to length one, about; inf if singular
    centered: float  # the same of the centered columns, where those are what was squared
    exact: bool  # Whether the factor was computed by QR, not from cross products.
    near_solution: NearSolution | None = None


def triangle_of(
    X: Array, Y: Array, weights: Array | None, intercept: bool, n_jobs: Jobs = None
) -> RFactor:
    """Factor (1, X); `X` (n, p) may be CSR or `Chunks`, `Y` is (n, T), `weights` (n,) or None.

    Raises the sentence of `require_finite` if X holds NaN or infinity, MemoryError if the factor
    is too large, and ValueError if that of many sparse columns would take minutes.
    """
    if not isinstance(X, Chunks) and X.shape[0] >= X.shape[1]:
        q = float(X.shape[1] + Y.shape[1])
        refuse_large(
            COPIES_OF_TRIANGLE * 8.0 * q * q, f"The triangular factor of {X.shape[1]} columns",
            "Pass fewer columns, or fit Ridge or Lasso to a CSR matrix.",
        )  # fmt: skip
    if hasattr(X, "indptr"):
        n, p = X.shape
        if p > INFERENCE_COLUMNS and n * p * min(n, p) > MAX_MULTIPLICATIONS:
            raise ValueError(TOO_WIDE.format(n, p))
        factor = _factor_by_sparse_products(X, Y, weights, intercept, n_jobs)
        return factor or _factor_by_rows(dense_blocks(X), Y, weights, intercept, n_jobs)
    if not isinstance(X, Chunks):
        if (
            X.size > MIN_NUMBERS_FOR_PRODUCTS
            and X.shape[0] > 4 * X.shape[1]
            and not 0 < np.abs(Y).max() < MIN_VALUE
        ):
            by_products = _factor_by_products if Y.shape[1] > 1 else _factor_by_residuals
            factor = by_products(X, Y, weights, intercept, n_jobs)
            if factor is not None:
                return factor
        require_finite(X)
    return _factor_by_rows(X, Y, weights, intercept, n_jobs)


def condition_of(R: Array) -> float:
    """The condition of an upper triangle, its columns scaled to length one; inf if singular.

    LAPACK's ``gecon`` takes the factors L and U in one array: a triangle alone is U, with L = I.
    (Its ``trcon``, made for triangles, has come to scipy in 1.15 only.)
    """
    from scipy.linalg.lapack import dgecon

    if R.size == 0:
        return 1.0
    if R.shape[0] < R.shape[1] or not R.any(0).all():
        return np.inf
    R = R / np.abs(R).max(0)
    scaled = R / np.sqrt((R**2).sum(0))
    reciprocal, _ = dgecon(scaled, np.abs(scaled).sum(0).max())
    return 1 / reciprocal if reciprocal > 0 else np.inf


def independent_columns(R: Array, tol: float) -> Array:
    """Which columns of an upper triangle to keep: each of which those before it leave more than
    `tol` of its length.

    They are taken in their order, as R's ``lm`` does, so that the later of two equals goes. The
    rows of those that went hold parts of later columns, which a reflection brings into one row.
    """
    rows, q = R.shape
    R = R / np.maximum(np.abs(R).max(0), np.finfo(float).tiny)
    tol = max(tol, np.finfo(float).eps)  # A smaller tolerance would ask for less than rounding.
    length = np.sqrt((R**2).sum(0))
    kept: list[int] = []
    for j in range(q):
        rank = len(kept)
        if rank == rows:
            break
        below = slice(rank, j + 1)
        column = R[below, j]
        size = np.sqrt(column @ column)
        if not (size > tol * length[j] and size > 0):
            continue
        kept.append(j)
        if len(column) > 1:
            axis = column.copy()
            axis[0] += np.copysign(size, axis[0])
            axis /= np.sqrt(axis @ axis)
            R[below, j + 1 :] -= np.outer(2.0 * axis, axis @ R[below, j + 1 :])
    return np.array(kept, dtype=np.intp)


def _factor_by_rows(X: Any, Y: Array, weights: Any, intercept: bool, n_jobs: Any) -> RFactor:
    def partial(rows: slice, block: Array, y: Array, w: Array | None) -> Array:
        table = np.column_stack([np.ones((len(block), int(intercept))), block, y])
        if w is not None:
            with np.errstate(over="ignore"):  # An overflow is found and refused below.
                table *= np.sqrt(w)[:, None]
        return interruptible(np.linalg.qr, table, mode="r")

    def merge(total: Array, more: Array) -> Array:
        return interruptible(np.linalg.qr, np.vstack([total, more]), mode="r")

    p = 0 if isinstance(X, Chunks) else X.shape[1]
    effort = np.inf if p == 0 else 2.0 * X.size * p
    total = reduce(
        partial, X, Y, weights, merge=merge, n_jobs=n_jobs, effort=effort, least=max(1024, 8 * p)
    )
    if not np.abs(total).max() < MAX_VALUE:
        raise ValueError(
            "X or y holds values so large that their squares overflow. Divide its columns by their "
            "size."
        )
    q = total.shape[1] - Y.shape[1]
    R, QtY = total[:q, :q], total[:q, q:]
    length = np.abs(R).max(0, initial=0.0)
    if ((length > 0) & (length < 1 / MAX_VALUE)).any():
        raise ValueError(
            "X holds columns so small that their squares vanish. Divide them by their size."
        )
    condition = condition_of(R)
    return RFactor(R, QtY, condition, condition, exact=True)


def _factor_by_products(
    X: Any, Y: Any, weights: Array | None, intercept: bool, n_jobs: Jobs
) -> Any:
    """The factor from cross products; None where they lose too much."""
    p, both = X.shape[1], X.shape[1] + Y.shape[1]
    shift = np.zeros(both)
    with np.errstate(over="ignore", invalid="ignore"):
        if intercept:
            shift = np.concatenate(
                [near_mean(part, weights, ROWS_OF_SAMPLE_MEAN) for part in (X, Y)]
            )
        total_weight, sums, scatter = _products_about(shift, X, Y, weights, n_jobs)
    centered = _factor_centered(total_weight, sums, scatter, p, intercept)
    if centered is None:
        return None
    inner, QtY, condition, offset = centered
    if not intercept:
        return RFactor(inner, QtY, condition, condition, exact=False)
    mean, root = shift + offset, np.sqrt(total_weight)
    R = _with_intercept(root, mean[:p], inner)
    QtY = np.vstack([root * mean[None, p:], QtY])
    return RFactor(R, QtY, condition_of(R), condition, exact=False)


def _factor_by_sparse_products(
    X: Matrix, Y: Array, weights: Array | None, intercept: bool, n_jobs: Jobs
) -> RFactor | None:
    """The same of CSR rows, centered without filling in; None where they lose too much."""
    (n, p), T = X.shape, Y.shape[1]
    if n <= p:
        refuse_large(8 * p * n, "The triangular factor of X", "Pass fewer columns.")
        return None
    target = np.average(Y, axis=0, weights=weights) if intercept else np.zeros(T)
    columns, every = SparseColumns(X, weights, intercept, False, n_jobs), np.arange(p)
    total_weight = float(n if weights is None else weights.sum())
    table = np.zeros((p + T, p + T))
    with np.errstate(over="ignore", invalid="ignore"):
        table[:p, :p] = columns.gram(every, every)
        table[:p, p:] = np.column_stack([columns.correlate(y) for y in (Y - target).T])
        if not (n * columns.mean**2 <= MAX_DEVIATIONS_OF_SHIFT**2 * table.diagonal()[:p]).all():
            return None
        centered = _factor_centered(
            total_weight, np.zeros(p + T), table * (total_weight / n), p, False
        )
    if centered is None:
        return None
    inner, QtY, condition, _ = centered
    if not intercept:
        return RFactor(inner, QtY, condition, condition, exact=False)
    root = np.sqrt(total_weight)
    R = _with_intercept(root, columns.mean, inner)
    QtY = np.vstack([root * target[None], QtY])
    return RFactor(R, QtY, condition_of(R), condition, exact=False)


def factor_of_products(X: Array, Y: Array, weights: Array | None) -> Array | None:
    """R of (1, X, Y) from cross products, by one thread; None where they lose too much."""
    with np.errstate(over="ignore", invalid="ignore"):
        shift = np.concatenate([near_mean(part, weights, ROWS_OF_SAMPLE_MEAN) for part in (X, Y)])
        total_weight, sums, scatter = _products_about(shift, X, Y, weights, 1)
        centered = (
            _factor_centered(total_weight, sums, scatter, len(shift), True)
            if total_weight > 0
            else None
        )
    if centered is None:
        return None
    inner, _, _, offset = centered
    return _with_intercept(np.sqrt(total_weight), shift + offset, inner)


def qr_of_rows(X: Array, Y: Array, weights: Array | None) -> Array:
    """The same by QR of the rows."""
    table = np.column_stack([np.ones(len(X)), X, Y])
    if weights is not None:
        with np.errstate(over="ignore", invalid="ignore"):  # NaN and infinities are refused below.
            table *= np.sqrt(weights)[:, None]
    if not np.abs(table).max() < MAX_VALUE:
        require_finite(X)
        raise ValueError(
            "X or y holds values so large that their squares overflow. Divide its columns by their "
            "size."
        )
    return interruptible(np.linalg.qr, table, mode="r")


def _factor_by_residuals(
    X: Array, Y: Array, weights: Array | None, intercept: bool, n_jobs: Jobs
) -> RFactor | None:
    """The same for one target, with the residuals of coefficients that a sample has."""
    y = np.ascontiguousarray(Y[:, 0])
    with np.errstate(over="ignore", invalid="ignore"):
        rows = ModelRows(
            X, y, weights, None, FAMILIES["gaussian"], LINKS["identity"], intercept, n_jobs
        )
        start = _start(rows)
        sums = rows.sums_at(start)
        p, first = rows.p, int(intercept)
        h = sums.h + np.tril(sums.h, -1).T
        # Products of the columns of X and the residuals with each other.
        table = np.empty((p + 1, p + 1))
        table[:p, :p], table[:p, p], table[p, :p] = (
            h[first:, first:],
            sums.g[first:],
            sums.g[first:],
        )
        table[p, p] = sums.deviance
        total_weight = h[0, 0] if first else rows.total_weight
        totals = np.append(h[1:, 0], sums.g[0]) if first else np.zeros(p + 1)
    centered = _factor_centered(total_weight, totals, table, p, intercept)
    if centered is None:
        return None
    inner, QtR, condition, offset = centered
    QtR = QtR[:, 0]
    QtY = inner @ start[first:] + QtR
    if not intercept:
        near_solution = NearSolution(start, QtR, float(table[p, p]))
        return RFactor(inner, QtY[:, None], condition, condition, False, near_solution)
    root = np.sqrt(total_weight)
    R = _with_intercept(root, rows.shift + offset[:p], inner)
    target = start[0] + offset[:p] @ start[1:] + offset[p]
    QtY = np.append(root * target, QtY)[:, None]
    QtR = np.append(root * offset[p], QtR)
    squares = float(table[p, p] + total_weight * offset[p] ** 2)
    near_solution = NearSolution(rows.to_user(start), QtR, squares)
    return RFactor(R, QtY, condition_of(R), condition, False, near_solution)


def _start(rows: ModelRows) -> Array:
    """Coefficients that fit a sample of the rows, or at least its mean."""
    start = np.zeros(rows.q)
    if rows.intercept:
        start[0] = rows.mean
    share = rows.n // max(MIN_ROWS_OF_START, 64 * rows.q)
    if share > 1:
        sums = rows.sample(share).sums_at(start)
        factor = CholeskyFactor(sums.h)
        if factor.pivot > MIN_PIVOT_OF_START and np.isfinite(sums.g).all():
            start += factor.solve(sums.g)
    return start


def _factor_centered(
    total_weight: float, sums: Array, scatter: Array, p: int, intercept: bool
) -> tuple[Array, Array, float, Array] | None:
    """From products about a point, which become those about the means (with an intercept).

    Returns the factor of the first p columns, Q' of the others, the condition of the first, and
    the offset of the means from the point; None where the products lose too much.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        offset = sums / total_weight
        if intercept:
            scatter -= total_weight * np.outer(offset, offset)
        spread = scatter.diagonal()
        far = intercept and (total_weight * offset**2 > MAX_DEVIATIONS_OF_SHIFT**2 * spread).any()
        if far or not (np.isfinite(scatter).all() and (spread[:p] > MIN_VALUE**2).all()):
            return None
        factor = CholeskyFactor(scatter[:p, :p])
    if not factor.pivot > 0.0:
        return None
    lower = np.tril(factor.lower)
    condition = condition_of(lower.T)
    if condition > MAX_CONDITION_OF_PRODUCTS:
        return None
    from scipy.linalg import solve_triangular

    inner = lower.T * np.sqrt(spread[:p])
    QtY = solve_triangular(inner, scatter[:p, p:], trans="T", check_finite=False)
    return inner, QtY, condition, offset


def _with_intercept(root: float, mean: Array, inner: Array) -> Array:
    """R of (1, X) from that of the centered columns."""
    R = np.zeros((len(mean) + 1, len(mean) + 1))
    R[0, 0], R[0, 1:], R[1:, 1:] = root, root * mean, inner
    return R


def _products_about(
    shift: Array, X: Array, Y: Array, weights: Array | None, n_jobs: Jobs
) -> tuple[float, Array, Array]:
    """Sum of weights, and sums and cross products of the columns (X, Y) less the shift."""
    both = len(shift)
    step = max(64, int(MULTIPLICATIONS_OF_CALL / both**2))

    def partial(rows: slice, block: Array, y: Array, w: Array) -> tuple[Array, Array, Array]:
        total_weight, sums, scatter = np.zeros(1), np.zeros((1, both)), np.zeros((both, both))
        for start in range(0, len(block), step):
            where = slice(start, start + step)
            table = np.concatenate([block[where], y[where]], axis=1)
            share = None if w is None else w[where]
            codes = np.zeros(len(table), dtype=np.intp)
            class_scatter(table, codes, share, shift[None], total_weight, sums, scatter)
            checkpoint()
        return total_weight, sums, scatter

    def merge(total: Any, more: Any) -> Any:
        for sums, added in zip(total, more, strict=True):
            sums += added
        return total

    total_weight, sums, scatter = reduce(
        partial, X, Y, weights, merge=merge, n_jobs=n_jobs, effort=float(X.size) * both,
        least=max(256, 4 * both),
    )  # fmt: skip
    lower = np.tril(scatter)
    return total_weight[0], sums[0], lower + np.tril(lower, -1).T
