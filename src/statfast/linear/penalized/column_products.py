# SPDX-License-Identifier: BSD-3-Clause
"""Products of columns and target, which merge, and paths of penalties from them alone.

Where there are more rows than columns, coordinate descent needs the Gram matrix of the columns and
their products with y. Those of folds are merged from those of parts of the rows, about their means
(Chan, Golub & LeVeque 1983, doi:10.1080/00031305.1983.10483115): nothing is subtracted but means.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import FitState, sums_of, sums_of_folds
from statfast._linalg import mirrored
from statfast.linear.design.column_scaling import ScaledColumns
from statfast.linear.design.columns import Columns
from statfast.linear.design.sparse_columns import is_whole
from statfast.linear.penalized.coordinate_descent import ROUNDING_OF_GAP
from statfast.linear.penalized.lasso_path import descent_of, path_of

MAX_NUMBERS_OF_PRODUCTS = 1 << 25  # The most numbers in the products of all parts together.
# Where a smaller share of the squares of a residual's terms is left, digits are lost.
MIN_SQUARES_LEFT = 1e-4
MIN_SQUARE = 1e-100  # Columns whose squares are smaller count as being of an extreme size.
# A standard deviation of a smaller share of the mean is that of a constant column.
ROUNDING_OF_DEVIATION = 4e-16


@dataclass(frozen=True)
class ColumnProducts:
    """Of the columns of (X, y), about their means with an intercept, else about 0.

    There are T of y, one where y is 1-d.
    """

    total_weight: float  # sum of the weights
    mean: NDArray[np.float64]  # (p + T,)
    scatter: NDArray[np.float64]  # (p + T, p + T)
    shape: tuple[int, ...] = ()  # of a row of y: (T,), or () where y is 1-d

    @property
    def p(self) -> int:
        """The number of columns of X."""
        return len(self.mean) - prod(self.shape)

    def __add__(self, other: ColumnProducts) -> ColumnProducts:
        total_weight = self.total_weight + other.total_weight
        share = other.total_weight / total_weight if total_weight > 0.0 else 0.0
        distance = other.mean - self.mean
        scatter = (
            self.scatter
            + other.scatter
            + (self.total_weight * share * distance)[:, None] * distance
        )
        return ColumnProducts(total_weight, self.mean + share * distance, scatter, self.shape)

    def mean_squares(self, path: Any) -> Any:
        """Mean squared errors (A,) of the path's predictions of these rows; None where they are so
        near that the products would lose their digits."""
        n_penalties, errors = len(path.alphas), []
        columns = np.arange(self.p)
        coefs = path.coefs.reshape(-1, self.p, n_penalties)
        intercepts = path.intercepts.reshape(-1, n_penalties)
        for task, (coef, intercept) in enumerate(zip(coefs, intercepts, strict=True)):
            used = np.append(columns, self.p + task)
            scatter = self.scatter[np.ix_(used, used)]
            signs = np.vstack([-coef, np.ones(n_penalties)])
            squares = (signs * (scatter @ signs)).sum(axis=0)
            if not (squares > MIN_SQUARES_LEFT * (scatter.diagonal() @ signs**2)).all():
                return None
            errors.append(squares / self.total_weight + (self.mean[used] @ signs - intercept) ** 2)
        return sum(errors) / len(errors)


def products_of(columns, state) -> ColumnProducts:
    """Those of a block of rows, targets and weights; ``state.more`` says if about the means."""
    X, y, weights = columns
    p = X.shape[1]
    total_weight = float(len(y) if weights is None else weights.sum())
    shape, size = y.shape[1:], p + prod(y.shape[1:])
    mean, scatter = np.zeros(size), np.zeros((size, size))
    if not total_weight > 0.0:
        return ColumnProducts(0.0, mean, scatter, shape)
    intercept = state.more
    if intercept:
        mean[p:] = np.average(y, axis=0, weights=weights)
    residuals = np.ascontiguousarray((y.reshape(len(y), -1) - mean[p:]).T)  # (T, n)
    # The state of numpy's errors belongs to the thread, so that it is set here.
    with np.errstate(all="ignore"):
        columns_read = Columns(X, weights, intercept, False, 1, residuals[0], True)
        share = total_weight / columns_read.n
        mean[:p] = columns_read.mean
        products: Any = columns_read.products
        scatter[:p, :p] = mirrored(products) * share
        others = [columns_read.correlate(residual) for residual in residuals[1:]]
        correlations = np.array([columns_read.correlation, *others])
        scatter[p:, :p] = correlations * share
        scatter[:p, p:] = scatter[p:, :p].T
        scatter[p:, p:] = (columns_read.weights * residuals) @ residuals.T * share
    return ColumnProducts(total_weight, mean, scatter, shape)


class MergedProducts(ScaledColumns):
    """Columns Z as `Columns` has them, known by their products alone; n is the sum of weights."""

    exact = whole = True
    has_few_nonzeros = False

    def __init__(self, products: ColumnProducts, intercept: Any, standardize: Any) -> None:
        p, shape = products.p, products.shape
        self.n, self.p = products.total_weight, p
        self.mean = products.mean[:p] if intercept else np.zeros(p)
        self.target = products.mean[p:].reshape(shape) if intercept else np.zeros(shape)
        self.squares = products.scatter.diagonal()[:p].copy()
        self.squares[self.squares <= self.n * (ROUNDING_OF_DEVIATION * np.abs(self.mean)) ** 2] = (
            0.0
        )
        self.constant = self.squares == 0.0
        self.scale = np.ones(p)
        if standardize:
            spread = np.sqrt(self.squares / self.n)
            self.scale = np.divide(1.0, spread, out=self.scale, where=spread > 0.0)
        self.scale[self.constant] = 0.0
        self.square = self.squares * self.scale**2
        self.products = products.scatter[:p, :p] * self.scale * self.scale[:, None]
        correlations = products.scatter[p:, :p] * self.scale
        self.correlation = correlations if len(correlations) > 1 else correlations[0]
        self.yy = float(products.scatter.diagonal()[p:].sum())

    @property
    def usual(self) -> Any:
        """Whether squares are far from the ends of float64, and no column is constant."""
        with np.errstate(all="ignore"):
            squares = np.append(self.squares, self.yy)
            return bool(
                np.isfinite(squares).all()
                and MIN_SQUARE < squares.min() <= squares.max() < 1 / MIN_SQUARE
            )


@dataclass(frozen=True)
class MergedFolds:
    """Products of folds."""

    all_rows: MergedProducts  # of all rows
    fitted: list  # MergedProducts of the rows that each fold fits
    held: list  # ColumnProducts of those that it holds out


def merged_folds(
    rows: Any, target: Any, weights: Any, folds: Any, how: Any, n_jobs: Any
) -> MergedFolds | None:
    """The products of all folds, or None where it is better to look at the rows."""
    n, p = rows.shape
    if (
        not isinstance(rows, np.ndarray)
        or not is_whole(n, p)
        or len(folds) * (p + 1) ** 2 > MAX_NUMBERS_OF_PRODUCTS
    ):
        return None
    held = np.zeros(n, dtype=np.intp)
    for fold in folds:
        held[fold.test] += 1
    row_weights = np.ones(n) if weights is None else weights
    if held.max() > 1 or not all(_all_others(fold, row_weights) for fold in folds):
        return None
    parts = [fold.test for fold in folds]
    if not held.all():
        parts.append(np.flatnonzero(held == 0))
    state = FitState(p, more=how["intercept"])
    with np.errstate(all="ignore"):  # Columns of extreme sizes are found below.
        sums = sums_of(products_of, (rows, target, weights), state, parts, n_jobs=n_jobs)
        merged = [
            MergedProducts(products, how["intercept"], how["standardize"])
            for products in (reduce(add, sums), *sums_of_folds(sums, len(folds)))
        ]
    if not all(columns.usual for columns in merged):
        return None
    return MergedFolds(merged[0], merged[1:], sums[: len(folds)])


def usual_sizes(rows: Any, target: Any) -> Any:
    """Whether all columns and the target are of sizes whose squares are numbers, or zeros."""
    with np.errstate(all="ignore"):
        sizes = np.append(np.abs(rows).max(axis=0), np.abs(target).max())
    return bool(((sizes == 0.0) | ((sizes > MIN_SQUARE**0.5) & (sizes < MIN_SQUARE**-0.5))).all())


def _all_others(fold: Any, row_weights: Any) -> Any:
    """Whether a fold fits all rows that it does not hold out."""
    kept = row_weights.copy()
    kept[fold.test] = 0.0
    return np.array_equal(fold.kept, kept)


def path_by_products(columns: Any, alphas: Any, ratio: Any, how: Any) -> Any:
    """The path of columns that are known by their products, and the gap it was to reach."""
    descent = descent_of(columns, None, how["positive"])
    path = path_of(
        descent, alphas, l1_ratio=ratio, mean=columns.target, tol=how["tol"],
        max_iter=how["max_iter"],
    )  # fmt: skip
    return path, max(how["tol"], ROUNDING_OF_GAP) * columns.yy / columns.n
