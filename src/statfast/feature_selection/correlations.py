# SPDX-License-Identifier: BSD-3-Clause
"""Scores of single columns for a target of numbers: correlation, and the F test that it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.rows.column_moments import cross_moments
from statfast._estimator import require_sound_squares
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_flag
from statfast.feature_selection.score_sums import ScoreSums

ROUNDING = 8.0 * np.finfo(np.float64).eps  # What may be left of 1 - r^2 where y is a column.
# Beyond so many squared standard deviations of the mean from the shift, sums are taken anew.
MAX_SQUARED_DEVIATIONS = 1e4


def r_regression(
    X: Rows,
    y: ArrayLike,
    *,
    center: bool = True,
    force_finite: bool = True,
    sample_weight: Weights = None,
) -> NDArray[np.float64]:
    """Pearson's correlation of each column with y.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d), or Chunks
        The samples.
    y : array-like of shape (n,)
        A number for each row.
    center : bool, default=True
        Take the means of the columns and of y off. False: the cosine of the angle between each
        column and y.
    force_finite : bool, default=True
        Give 0 for a column that is constant, or where y is, which have no correlation; else NaN.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; an integer weight equals a repeated sample.

    Returns
    -------
    ndarray of shape (d,), float64
        Between -1 and 1.

    Raises
    ------
    ValueError
        If X is not a 2-d array of finite numbers whose squares neither overflow nor vanish, or y is
        not one finite number for each row.
    TypeError
        If a flag is not True or False.

    See Also
    --------
    f_regression : Squares of correlations as F statistics, with p-values.

    Notes
    -----
    One pass over the rows, dense or sparse; blocks are merged by differences of means [1]_. Cost
    O(n d), memory O(d) a thread.

    References
    ----------
    .. [1] Chan, T. F., Golub, G. H. and LeVeque, R. J. (1983). Algorithms for computing the sample
       variance. The American Statistician 37, 242-247. https://doi.org/10.2307/2683386

    Examples
    --------
    >>> from statfast.feature_selection import r_regression
    >>> X = [[1.0, 4.0, 7.0], [2.0, 2.0, 7.0], [3.0, 3.0, 7.0], [4.0, 1.0, 7.0]]
    >>> r_regression(X, [1.0, 2.0, 3.0, 4.0]).round(3)
    array([ 1. , -0.8,  0. ])
    """
    centers = as_flag(center, "center")
    finite = as_flag(force_finite, "force_finite")
    correlation, _ = CORRELATION.scores(X, y, sample_weight, center=centers, force_finite=finite)
    return correlation


def f_regression(
    X: Rows,
    y: ArrayLike,
    *,
    center: bool = True,
    force_finite: bool = True,
    sample_weight: Weights = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """F test of each column: has the simple regression of y on it a slope?

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d), or Chunks
        The samples.
    y : array-like of shape (n,)
        A number for each row.
    center : bool, default=True
        Take the means off, which is a regression with an intercept. False: one through the origin.
    force_finite : bool, default=True
        A column that is constant (or where y is) has F = 0 and p = 1, and one that is y itself up
        to a factor the largest float64 and p = 0; else NaN and infinity.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; an integer weight equals a repeated sample.

    Returns
    -------
    f_statistic : ndarray of shape (d,), float64
        r^2 / (1 - r^2) times the degrees of freedom, n - 2 (n - 1 through the origin): the square
        of the slope's t.
    p_values : ndarray of shape (d,), float64
        Probability of a larger F if y is normal about a constant.

    Raises
    ------
    ValueError
        If X is not a 2-d array of finite numbers whose squares neither overflow nor vanish, if y is
        not one finite number for each row, or if no degrees of freedom are left.
    TypeError
        If a flag is not True or False.

    See Also
    --------
    r_regression : The correlations, with their signs.
    f_classif : The F test for classes.
    mutual_info_regression : Finds dependence of any kind, not of straight lines alone.

    Notes
    -----
    One pass over the rows, dense or sparse, as for `r_regression`. Cost O(n d), memory O(d) a
    thread.

    References
    ----------
    .. [1] Fisher, R. A. (1925). Statistical Methods for Research Workers. Oliver and Boyd.

    Examples
    --------
    >>> from statfast.feature_selection import f_regression
    >>> X = [[1.0, 4.0], [2.0, 1.0], [3.0, 3.0], [4.0, 3.0]]
    >>> F, p = f_regression(X, [1.0, 3.0, 2.0, 4.0])
    >>> F.round(3), p.round(3)
    (array([3.556, 0.714]), array([0.2  , 0.487]))
    """
    centers = as_flag(center, "center")
    finite = as_flag(force_finite, "force_finite")
    f_statistic, p_values = SLOPE.scores(X, y, sample_weight, center=centers, force_finite=finite)
    return f_statistic, p_values


@dataclass(frozen=True)
class CrossMoments:
    """Weight, means, squares about them, and products with y about its mean."""

    total_weight: float
    means: NDArray[np.float64]  # (d,)
    squares: NDArray[np.float64]  # (d,)
    products: NDArray[np.float64]  # (d,)
    mean_of_y: float
    squares_of_y: float

    def __add__(self, other: CrossMoments) -> CrossMoments:
        # Chan, Golub and LeVeque (1983)
        total_weight = self.total_weight + other.total_weight
        if not total_weight:
            return self
        share = other.total_weight / total_weight
        factor = self.total_weight * share
        with np.errstate(over="ignore", invalid="ignore"):  # Who solves looks for overflow.
            distances = other.means - self.means
            distance_of_y = other.mean_of_y - self.mean_of_y
            return CrossMoments(
                total_weight,
                self.means + share * distances,
                self.squares + other.squares + factor * distances**2,
                self.products + other.products + factor * distances * distance_of_y,
                self.mean_of_y + share * distance_of_y,
                self.squares_of_y + other.squares_of_y + factor * distance_of_y**2,
            )

    def about_zero(self) -> CrossMoments:
        """The same with all means 0."""
        w, zeros = self.total_weight, np.zeros_like(self.means)
        return CrossMoments(
            w, zeros, self.squares + w * self.means**2,
            self.products + w * self.means * self.mean_of_y,
            0.0, self.squares_of_y + w * self.mean_of_y**2,
        )  # fmt: skip


def cross_statistics(columns: tuple[Any, ...], state: Any) -> CrossMoments:
    """Moments of a block of rows."""
    rows, y, weights = columns
    row_weights = np.ones(len(y)) if weights is None else weights
    total_weight = float(row_weights.sum())
    if not total_weight:
        zeros = np.zeros(rows.shape[1])
        return CrossMoments(0.0, zeros, zeros, zeros, 0.0, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        first = y[np.argmax(row_weights > 0.0)]
        mean_of_y = float(first + _sum(y - first, weights) / total_weight)
        centered = y - mean_of_y
        squares_of_y = _sum(centered**2, weights)
        if not np.isfinite(squares_of_y):
            raise ValueError("y holds values so large that their squares overflow. Scale it down.")
        if squares_of_y == 0.0 and (centered[row_weights > 0.0] != 0.0).any():
            raise ValueError("y holds values so small that their squares vanish. Scale it up.")
        moments = _of_sparse if hasattr(rows, "indptr") else _of_dense
        means, squares, products = moments(rows, centered, weights, row_weights)
    require_sound_squares(rows, weights, squares[None], (means + products)[None])
    return CrossMoments(total_weight, means, squares, products, mean_of_y, squares_of_y)


def _sum(values: Array, weights: Array | None) -> float:
    """A weighted sum; not by BLAS, whose threads would be in the way of those of the blocks."""
    return float(values.sum() if weights is None else (weights * values).sum())


def _of_dense(
    rows: Array, centered: Array, weights: Array | None, row_weights: Array
) -> tuple[Array, Array, Array]:
    """Means of columns, squares about them, and products with y, whose mean is 0."""
    d = rows.shape[1]
    total_weight = row_weights.sum()
    shift = rows[np.argmax(row_weights > 0.0)].astype(np.float64)
    for _ in range(2):
        sums, squares, products = np.zeros((3, d))
        cross_moments(rows, centered, weights, shift, sums, squares, products)
        offset = sums / total_weight
        lost = total_weight * offset**2
        squares = (squares - lost).clip(0.0)
        if not (lost > MAX_SQUARED_DEVIATIONS * squares).any():
            break
        shift = shift + offset
    return shift + offset, squares, products - offset * _sum(centered, weights)


def _of_sparse(
    rows: Any, centered: Array, weights: Array | None, row_weights: Array
) -> tuple[Array, Array, Array]:
    """The same of CSR rows: what is not stored is zero."""
    d, lengths = rows.shape[1], np.diff(rows.indptr)
    total_weight = row_weights.sum()
    value_weights = np.repeat(row_weights, lengths)

    def table(values: Array) -> Array:
        return np.bincount(rows.indices, values, d).astype(np.float64, copy=False)

    means = table(value_weights * rows.data) / total_weight
    squares = table(value_weights * (rows.data - means[rows.indices]) ** 2)
    squares += (total_weight - table(value_weights)).clip(0.0) * means**2
    products = table(np.repeat(row_weights * centered, lengths) * rows.data)
    return means, squares, products - means * _sum(centered, weights)


def solve_correlation(
    moments: CrossMoments, center: bool = True, force_finite: bool = True
) -> tuple[Array, None]:
    """Correlations, which have no p-values."""
    if not center:
        moments = moments.about_zero()
    sizes = np.sqrt(moments.squares) * np.sqrt(moments.squares_of_y)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = (moments.products / sizes).clip(-1.0, 1.0)
    if force_finite:
        correlation = np.where(np.isnan(correlation), 0.0, correlation)
    return correlation, None


def solve_slope(
    moments: CrossMoments, center: bool = True, force_finite: bool = True
) -> tuple[Array, Array]:
    """F statistics of slopes, and p-values."""
    from scipy.special import fdtrc

    degrees = moments.total_weight - (2.0 if center else 1.0)
    if not degrees > 0.0:
        raise ValueError(
            f"X must have more than {2 if center else 1} rows, by sample_weight; got n_samples = "
            f"{moments.total_weight:g}. Pass more rows, or weights that count rows."
        )
    correlation, _ = solve_correlation(moments, center, force_finite=False)
    squared = correlation**2
    rest = 1.0 - squared
    rest = np.where(rest <= ROUNDING, 0.0, rest)
    with np.errstate(divide="ignore", invalid="ignore"):
        f_statistic = squared / rest * degrees
    p_values = fdtrc(1.0, degrees, f_statistic)
    if force_finite:
        p_values = np.where(np.isnan(f_statistic), 1.0, p_values)
        most = np.finfo(np.float64).max
        f_statistic = np.nan_to_num(f_statistic, nan=0.0, posinf=most)
    return f_statistic, p_values


CORRELATION = ScoreSums(False, cross_statistics, solve_correlation)
SLOPE = ScoreSums(False, cross_statistics, solve_slope)
