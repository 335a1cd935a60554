# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of least squares: the triangular factor of (1, X, Y), which merges by QR.

Factors of blocks of rows, one above the other, have the factor of all rows as theirs (Demmel,
Grigori, Hoemmen & Langou 2012, doi:10.1137/080731992): no condition is squared, and an outlier
takes no digits of what it is merged with. A block's factor is that of its cross products where
their condition allows it, else by QR.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.linear.triangle_merge import merge_triangles
from statfast._engine import interruptible
from statfast._estimator import ColumnMoments
from statfast._typing import Array
from statfast._validation import require_finite
from statfast.linear.least_squares.qr import factor_of_products, independent_columns, qr_of_rows

# Where a smaller share of the squares of a residual's terms is left, digits are lost.
MIN_SQUARES_LEFT = 1e-4
# Factors of no more columns are merged by a kernel: threads of LAPACK take longer to meet.
MAX_COLUMNS_OF_KERNEL = 512
# A spread that is a smaller share of the column's mean is what rounding left.
ROUNDING_OF_SPREAD = 1e-13


@dataclass(frozen=True)
class StackedFactor:
    """R of the columns (1, X, Y), each row times the root of its weight; see above."""

    R: NDArray[np.float64]  # (r, 1 + p + T), with a row for each column unless rows were fewer
    p: int  # columns of X
    used: float  # rows of positive weight
    logs: float  # sum of the logarithms of their weights

    def __add__(self, other: StackedFactor) -> StackedFactor:
        q = self.R.shape[1]
        if q <= MAX_COLUMNS_OF_KERNEL and self.R.shape == other.R.shape == (q, q):
            R, lower = np.array(self.R, order="C"), np.array(other.R, order="C")
            merge_triangles(R, lower, np.empty(q))
        else:
            R = interruptible(np.linalg.qr, np.vstack([self.R, other.R]), mode="r")
        return StackedFactor(R, self.p, self.used + other.used, self.logs + other.logs)

    @property
    def total_weight(self) -> float:
        """Sum of the weights."""
        return float(self.R[0, 0] ** 2)

    @cached_property
    def cache(self) -> dict:
        """What those who solve from it keep for the next one."""
        return {}

    @cached_property
    def R_without_ones(self) -> NDArray[np.float64]:
        """R of (X, Y) alone."""
        return interruptible(np.linalg.qr, self.R[:, 1:], mode="r")

    def mean_squares(self, coefs: Array, intercepts: Array) -> Any:
        """Mean squared errors (A,) of linear predictions of the target, by coefficients (p, A), and
        its variance; None where digits would be lost, and of several targets."""
        if self.R.shape[1] != self.p + 2 or not self.total_weight > 0.0:
            return None
        signs = np.vstack([intercepts, coefs, np.full(len(intercepts), -1.0)])
        middle, *rest = (self.R @ signs) ** 2
        squares, lengths = np.sum(rest, axis=0), (self.R[1:, 1:] ** 2).sum(axis=0)
        far = (
            not lengths[-1] > MIN_SQUARES_LEFT**3 * self.R[0, -1] ** 2
        )  # The spread of the target about its mean would have no digits.
        if far or not (squares > MIN_SQUARES_LEFT * (lengths @ signs[1:] ** 2)).all():
            return None
        return (middle + squares) / self.total_weight, float(lengths[-1]) / self.total_weight

    def column_moments(self) -> ColumnMoments:
        """Moments of the columns of X."""
        mean = self.R[0, 1 : 1 + self.p] / self.R[0, 0]
        squares = (self._about_means() ** 2).sum(axis=0)
        return ColumnMoments(self.total_weight, mean, squares, self.used)

    def _about_means(self) -> Array:
        """R of X about its means: zero where it is but what rounding left of constant columns."""
        R = self.R[:, 1 : 1 + self.p]
        spread = np.sqrt((R[1:] ** 2).sum(axis=0))
        return R[1:] * (spread > ROUNDING_OF_SPREAD * np.abs(R[0]))

    def rescaled(self, shift: NDArray[np.float64], scale: NDArray[np.float64]) -> StackedFactor:
        """Of the rows (x - shift) / scale."""
        R = self.R.copy()
        columns = slice(1, 1 + self.p)
        R[1:, columns] = self._about_means()
        R[0, columns] -= R[0, 0] * shift
        R[:, columns] /= scale
        return StackedFactor(R, self.p, self.used, self.logs)

    def of_targets(self, targets: NDArray[np.intp]) -> StackedFactor:
        """That of some of the targets."""
        kept = np.concatenate([np.arange(1 + self.p), 1 + self.p + targets])
        R = interruptible(np.linalg.qr, self.R[:, kept], mode="r")
        return StackedFactor(R, self.p, self.used, self.logs)

    def of_columns(self, columns: NDArray[np.intp]) -> StackedFactor:
        """That of some of the columns of X, and all targets."""
        targets = np.arange(1 + self.p, self.R.shape[1])
        kept = np.concatenate([[0], 1 + columns, targets]).astype(np.intp)
        R = interruptible(np.linalg.qr, self.R[:, kept], mode="r")
        return StackedFactor(R, len(columns), self.used, self.logs)

    def centered(self) -> tuple:
        """R of X about its means, that of Y on it, the means of X and Y, and R of what Y leaves."""
        p, R = self.p, self.R
        means = R[0, 1:] / R[0, 0]
        inner = R[1:, 1:]
        return self._about_means()[:p], inner[:p, p:], means[:p], means[p:], inner[p:, p:]

    @cached_property
    def singular_values(self) -> tuple:
        """SVD (U, s, V') of the centered columns, with Y on them and the means; for ridge."""
        X, QtY, mean, target, rest = self.centered()
        U, s, Vt = interruptible(np.linalg.svd, X, full_matrices=False)
        return U, s, Vt, QtY, mean, target, rest

    @cached_property
    def plain_singular_values(self) -> tuple:
        """The same of the columns as they are."""
        R, p = self.R_without_ones, self.p
        U, s, Vt = interruptible(np.linalg.svd, R[:p, :p], full_matrices=False)
        T = R.shape[1] - p
        return U, s, Vt, R[:p, p:], np.zeros(p), np.zeros(T), R[p:, p:]


def triangle(columns: tuple[Array, Array, Array | None], state: Any) -> StackedFactor:
    """The statistics of a block of rows, targets and weights."""
    X, Y, weights = columns
    p, q = X.shape[1], 1 + X.shape[1] + Y.shape[1]
    R = None
    if len(X) > 2 * q:
        R = factor_of_products(X, Y, weights)
    if R is None:
        R = qr_of_rows(X, Y, weights)
        if not np.isfinite(R).all():
            require_finite(X)
        if not len(R):
            R = np.zeros((1, q))
    if weights is None:
        return StackedFactor(R, p, float(len(X)), 0.0)
    positive = weights[weights > 0.0]
    return StackedFactor(R, p, float(len(positive)), float(np.log(positive).sum()))


def solution_of(sums: StackedFactor, intercept: bool, tol: float) -> dict:
    """Coefficients of least squares from the factor, as arguments of `LeastSquaresSolution`."""
    from scipy.linalg import solve_triangular

    from statfast.linear.least_squares.qr import condition_of

    p, first = sums.p, int(intercept)
    R = sums.R if intercept else sums.R_without_ones
    q = p + first
    kept = independent_columns(R[:q, :q], tol)
    if len(kept) < q:
        rest = np.column_stack([R[:, kept], R[:, q:]])
        R = interruptible(np.linalg.qr, rest, mode="r")
    rank = len(kept)
    inner, QtY, residual = R[:rank, :rank], R[:rank, rank:], R[rank:, rank:]
    b: Any = solve_triangular(inner, QtY, check_finite=False)
    columns = kept[first:] - first
    coef = np.zeros((b.shape[1], p))
    coef[:, columns] = b[first:].T
    return {
        "coef": coef,
        "intercept": b[0].copy() if first else np.zeros(b.shape[1]),
        "rss": (residual**2).sum(axis=0),
        "explained": (QtY[first:] ** 2).sum(axis=0),
        "R": inner,
        "kept": columns,
        "aliased": np.setdiff1d(np.arange(p), columns),
        "condition": condition_of(inner),
    }
