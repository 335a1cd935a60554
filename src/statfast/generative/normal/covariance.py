# SPDX-License-Identifier: BSD-3-Clause
"""Covariance matrices: estimates that are shrunk, correlations, single numbers, and distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._estimator import ANY, ROW_DTYPES, ignoring_sklearn_arguments
from statfast._linalg import power_of_two
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_flag, as_rows, as_weights, to_array
from statfast.generative.normal.covariance_factor import as_covariance, factor_covariance
from statfast.generative.normal.quartic_moments import quartic_moments
from statfast.generative.normal.shrinkage import ledoit_wolf_share, oas_share, shrink

MAX_POWER_UNSCALED = 100  # Rows between 2^-100 and 2^100 are taken as they are.


@ignoring_sklearn_arguments(block_size=ANY)
def ledoit_wolf(
    X: Rows,
    *,
    assume_centered: bool = False,
    sample_weight: Weights = None,
    n_jobs: int | None = None,
) -> tuple[Array, float]:
    """Ledoit-Wolf shrinkage estimate of a covariance matrix.

    Parameters
    ----------
    X : array-like of shape (n, d)
        The samples, finite.
    assume_centered : bool, default=False
        Take the mean as 0 instead of that of the samples.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; an integer weight equals a repeated sample.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    covariance : ndarray of shape (d, d)
        (1 - shrinkage) S + shrinkage tr(S) / d I, of the maximum-likelihood covariance S.
    shrinkage : float
        From 0 to 1: the fraction of least expected squared error, as estimated.

    Raises
    ------
    ValueError
        If X is not a finite 2-d array.

    Notes
    -----
    Cost: n d^2 operations in two passes. Memory: O(d^2) a thread, and a copy of rows whose
    largest number is beyond 2^100 or below 2^-100.

    References
    ----------
    .. [1] Ledoit, O. and Wolf, M. (2004). A well-conditioned estimator for large-dimensional
       covariance matrices. Journal of Multivariate Analysis 88, 365-411.
       https://doi.org/10.1016/S0047-259X(03)00096-4

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.generative import ledoit_wolf
    >>> covariance, shrinkage = ledoit_wolf(load_iris().data[:20])
    >>> round(shrinkage, 4)
    0.1111
    """
    total_weight, covariance, fourth, power = _moments(X, assume_centered, sample_weight, n_jobs)
    share = ledoit_wolf_share(total_weight, covariance, fourth)
    return _in_units_of_rows(shrink(covariance, share), power), share


def oas(
    X: Rows,
    *,
    assume_centered: bool = False,
    sample_weight: Weights = None,
    n_jobs: int | None = None,
) -> tuple[Array, float]:
    """Oracle approximating shrinkage (OAS) estimate of a covariance matrix.

    Parameters
    ----------
    X : array-like of shape (n, d)
        The samples, finite.
    assume_centered : bool, default=False
        Take the mean as 0 instead of that of the samples.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; an integer weight equals a repeated sample.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    covariance : ndarray of shape (d, d)
        (1 - shrinkage) S + shrinkage tr(S) / d I, of the maximum-likelihood covariance S.
    shrinkage : float
        From 0 to 1.

    Raises
    ------
    ValueError
        If X is not a finite 2-d array.

    References
    ----------
    .. [1] Chen, Y., Wiesel, A., Eldar, Y. C. and Hero, A. O. (2010). Shrinkage algorithms for MMSE
       covariance estimation. IEEE Transactions on Signal Processing 58, 5016-5029.
       https://doi.org/10.1109/TSP.2010.2053029

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.generative import oas
    >>> covariance, shrinkage = oas(load_iris().data[:20])
    >>> round(shrinkage, 4)
    0.1599
    """
    total_weight, covariance, _, power = _moments(X, assume_centered, sample_weight, n_jobs)
    share = oas_share(total_weight, covariance)
    return _in_units_of_rows(shrink(covariance, share), power), share


def _moments(
    X: Any, assume_centered: int | str, sample_weight: Weights, n_jobs: Any
) -> tuple[float, Array, float, int]:
    """Mass, maximum-likelihood covariance, the sum of |x - mean|^4, and a power of two by which
    the rows were divided, so that fourth powers neither overflow nor vanish."""
    rows = as_rows(X, keep=ROW_DTYPES)
    power = power_of_two(max(float(rows.max()), -float(rows.min())))
    power = power if abs(power) > MAX_POWER_UNSCALED else 0
    if power:
        rows = np.ldexp(rows.astype(np.float64), -power)
    weights = as_weights(sample_weight, rows.shape[0])
    total = quartic_moments(rows, weights, n_jobs=n_jobs)
    scatters, quartic = total.scatters, total.quartic
    if as_flag(assume_centered, "assume_centered"):
        scatters, _, quartic = total.about(np.zeros_like(total.means))
    total_weight = float(total.class_counts[0])
    return total_weight, scatters[0] / total_weight, quartic, power


def _in_units_of_rows(covariance: Array, power: int) -> Array:
    with np.errstate(over="ignore"):
        covariance = np.ldexp(covariance, 2 * power)
    if not np.isfinite(covariance).all():
        raise ValueError(
            "X holds values so large that their squares overflow. Divide its columns by their size."
        )
    return covariance


def cov2cor(covariance: ArrayLike) -> Array:
    """Correlation matrix from a covariance matrix, as R's ``cov2cor``.

    Parameters
    ----------
    covariance : array-like of shape (d, d)
        Covariance matrix.

    Returns
    -------
    correlation : ndarray of shape (d, d)
        S divided by the standard deviations of its row and column; ones on the diagonal.

    Raises
    ------
    ValueError
        If the matrix is not a covariance, or has a variance of 0.

    Examples
    --------
    >>> from statfast.generative import cov2cor
    >>> cov2cor([[3.0, -4.7], [-4.7, 9.0]]).round(4)
    array([[ 1.    , -0.9045],
           [-0.9045,  1.    ]])
    """
    matrix = as_covariance(covariance)
    variances = matrix.diagonal()
    if not (variances > 0.0).all():
        raise ValueError(
            f"covariance must have positive variances; got 0 in column {variances.argmin()}, which "
            "has no correlation. Drop it."
        )
    spread = np.sqrt(variances)
    correlation = matrix / spread[:, None] / spread
    np.fill_diagonal(correlation, 1.0)
    return correlation


def cor2cov(correlation: ArrayLike, standard_deviations: ArrayLike) -> Array:
    """Covariance matrix from a correlation matrix and standard deviations.

    Parameters
    ----------
    correlation : array-like of shape (d, d)
        Ones on the diagonal.
    standard_deviations : array-like of shape (d,)
        Not negative.

    Returns
    -------
    covariance : ndarray of shape (d, d)

    Raises
    ------
    ValueError
        If the matrix is not a correlation matrix, or the standard deviations are not d finite
        numbers of at least 0.

    Examples
    --------
    >>> from statfast.generative import cor2cov
    >>> cor2cov([[1.0, 0.5], [0.5, 1.0]], [2.0, 3.0])
    array([[4., 3.],
           [3., 9.]])
    """
    matrix = as_covariance(correlation, "correlation")
    if not np.allclose(matrix.diagonal(), 1.0, rtol=0.0, atol=1e-8):
        raise ValueError("correlation must have ones on its diagonal. Pass cov2cor(S) of it.")
    wanted = to_array(standard_deviations, "standard_deviations", "a list of numbers")
    wanted = np.atleast_1d(wanted)
    spread = as_rows(wanted[None], name="standard_deviations", keep=(np.float64,))[0]
    if spread.shape != (len(matrix),) or (spread < 0.0).any():
        raise ValueError(
            f"standard_deviations must be {len(matrix)} numbers of at least 0, one for each "
            f"column; got shape {wanted.shape}. Pass as many, and no negative one."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        covariance = matrix * spread[:, None] * spread
    if not np.isfinite(covariance).all():
        raise ValueError("standard_deviations must have squares that do not overflow. Rescale it.")
    return covariance


def total_variance(covariance: ArrayLike) -> float:
    """Total variance: the trace of a covariance matrix.

    Parameters
    ----------
    covariance : array-like of shape (d, d)
        Covariance matrix.

    Returns
    -------
    float
        Infinite if it is beyond float64.

    Raises
    ------
    ValueError
        If the matrix is not a covariance.

    Examples
    --------
    >>> from statfast.generative import total_variance
    >>> total_variance([[3.0, -4.7], [-4.7, 9.0]])
    12.0
    """
    with np.errstate(over="ignore"):
        return float(np.trace(as_covariance(covariance)))


def generalized_variance(covariance: ArrayLike) -> float:
    """Generalized variance: the determinant of a covariance matrix.

    Parameters
    ----------
    covariance : array-like of shape (d, d)
        Covariance matrix.

    Returns
    -------
    float
        0 for a singular one; infinite if it is beyond float64.

    Raises
    ------
    ValueError
        If the matrix is not a covariance.

    Examples
    --------
    >>> from statfast.generative import generalized_variance
    >>> round(generalized_variance([[3.0, -4.7], [-4.7, 9.0]]), 10)
    4.91
    """
    matrix = as_covariance(covariance)
    parts = factor_covariance(matrix, np.zeros(len(matrix)), 1e-7, True)
    with np.errstate(over="ignore"):
        return float(np.exp(parts.log_det)) if parts.rank == len(matrix) else 0.0
