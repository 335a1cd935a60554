# SPDX-License-Identifier: BSD-3-Clause
"""Covariances that are shrunk to a multiple of the identity, by a given or estimated fraction."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._estimator import fitted, param, real
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_real, to_array
from statfast.generative.covariance.empirical import EmpiricalCovariance
from statfast.generative.normal.covariance import ledoit_wolf
from statfast.generative.normal.shrinkage import ledoit_wolf_share, oas_share, shrink


class ShrunkCovariance(EmpiricalCovariance):
    """Covariance of rows, shrunk to a multiple of the identity by a given fraction.

    Parameters
    ----------
    shrinkage : float, default=0.1
        Fraction of the identity, from 0 to 1.
    store_precision : bool, default=True
        Keep the inverse of the covariance in `precision_`.
    assume_centered : bool, default=False
        Take the location as 0 instead of the mean of the samples.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    location_ : ndarray of shape (d,)
        Mean of the samples, or zeros.
    covariance_ : ndarray of shape (d, d)
        (1 - shrinkage) S + shrinkage tr(S) / d I, of the maximum-likelihood covariance S.
    precision_ : ndarray of shape (d, d), or None
        Inverse of the covariance; its pseudo-inverse if it is singular.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    LedoitWolf : The fraction is estimated, whatever the distribution.
    OAS : The fraction is estimated, of normal rows.

    Notes
    -----
    Cost: n d^2 + d^3 operations. Memory: O(d^2) a thread.

    References
    ----------
    .. [1] Friedman, J. H. (1989). Regularized discriminant analysis. Journal of the American
       Statistical Association 84, 165-175. https://doi.org/10.1080/01621459.1989.10478752

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.covariance import ShrunkCovariance
    >>> X = load_iris().data[:50, :2]
    >>> ShrunkCovariance(shrinkage=0.5).fit(X).covariance_.round(3)
    array([[0.127, 0.049],
           [0.049, 0.136]])
    """

    shrinkage: float = param(real(0, 1), default=0.1)

    _solve_parameters = ("store_precision", "assume_centered", "shrinkage")

    def _estimate(
        self, total_weight: float, likely: Array, quartic: float | None
    ) -> tuple[Array, dict[str, Any]]:
        return shrink(likely, self.shrinkage), {}


class LedoitWolf(EmpiricalCovariance):
    """Covariance of rows, shrunk as Ledoit and Wolf estimate to be best.

    Parameters
    ----------
    store_precision : bool, default=True
        Keep the inverse of the covariance in `precision_`.
    assume_centered : bool, default=False
        Take the location as 0 instead of the mean of the samples.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    location_ : ndarray of shape (d,)
        Mean of the samples, or zeros.
    covariance_ : ndarray of shape (d, d)
        (1 - shrinkage) S + shrinkage tr(S) / d I, of the maximum-likelihood covariance S.
    precision_ : ndarray of shape (d, d), or None
        Inverse of the covariance; its pseudo-inverse if it is singular.
    shrinkage_ : float
        The fraction of the identity, of least expected squared error as estimated.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    OAS : A fraction with less error where rows are normal.
    statfast.generative.ledoit_wolf : The same as a function.

    Notes
    -----
    The rule needs sums of fourth powers, which add up over blocks of rows. Rows that are larger
    than 1e75, or vary by less than 1e-72, are refused: bring them to another unit.

    Cost: n d^2 + d^3 operations in two passes. Memory: O(d^2) a thread.

    References
    ----------
    .. [1] Ledoit, O. and Wolf, M. (2004). A well-conditioned estimator for large-dimensional
       covariance matrices. Journal of Multivariate Analysis 88, 365-411.
       https://doi.org/10.1016/S0047-259X(03)00096-4

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.covariance import LedoitWolf
    >>> round(LedoitWolf().fit(load_iris().data[:20]).shrinkage_, 4)
    0.1111
    """

    shrinkage_: float = fitted()

    _order = "quartic"

    def _estimate(
        self, total_weight: float, likely: Array, quartic: float | None
    ) -> tuple[Array, dict[str, Any]]:
        assert quartic is not None
        share = ledoit_wolf_share(total_weight, likely, quartic)
        return shrink(likely, share), {"shrinkage_": share}


class OAS(EmpiricalCovariance):
    """Covariance of rows, shrunk by the oracle approximating rule for normal rows.

    Parameters
    ----------
    store_precision : bool, default=True
        Keep the inverse of the covariance in `precision_`.
    assume_centered : bool, default=False
        Take the location as 0 instead of the mean of the samples.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    location_ : ndarray of shape (d,)
        Mean of the samples, or zeros.
    covariance_ : ndarray of shape (d, d)
        (1 - shrinkage) S + shrinkage tr(S) / d I, of the maximum-likelihood covariance S.
    precision_ : ndarray of shape (d, d), or None
        Inverse of the covariance; its pseudo-inverse if it is singular.
    shrinkage_ : float
        The fraction of the identity.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    LedoitWolf : A fraction that does not take rows to be normal.
    statfast.generative.oas : The same as a function.

    Notes
    -----
    Cost: n d^2 + d^3 operations. Memory: O(d^2) a thread.

    References
    ----------
    .. [1] Chen, Y., Wiesel, A., Eldar, Y. C. and Hero, A. O. (2010). Shrinkage algorithms for MMSE
       covariance estimation. IEEE Transactions on Signal Processing 58, 5016-5029.
       https://doi.org/10.1109/TSP.2010.2053029

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.covariance import OAS
    >>> round(OAS().fit(load_iris().data[:20]).shrinkage_, 4)
    0.1599
    """

    shrinkage_: float = fitted()

    def _estimate(
        self, total_weight: float, likely: Array, quartic: float | None
    ) -> tuple[Array, dict[str, Any]]:
        share = oas_share(total_weight, likely)
        return shrink(likely, share), {"shrinkage_": share}


def shrunk_covariance(emp_cov: ArrayLike, shrinkage: float = 0.1) -> Array:
    """Shrink covariance matrices to multiples of the identity.

    Parameters
    ----------
    emp_cov : array-like of shape (..., d, d)
        Covariances.
    shrinkage : float, default=0.1
        Fraction of the identity, from 0 to 1.

    Returns
    -------
    covariance : ndarray of shape (..., d, d)
        (1 - shrinkage) S + shrinkage tr(S) / d I.

    Raises
    ------
    ValueError
        If `emp_cov` does not hold square matrices of finite numbers, or `shrinkage` is out of its
        range.

    Examples
    --------
    >>> from statfast.covariance import shrunk_covariance
    >>> shrunk_covariance([[3.0, 1.0], [1.0, 1.0]], 0.5)
    array([[2.5, 0.5],
           [0.5, 1.5]])
    """
    share = as_real(shrinkage, "shrinkage", 0.0, 1.0)
    matrices = np.asarray(to_array(emp_cov, "emp_cov", "square matrices"), dtype=np.float64)
    if matrices.ndim < 2 or matrices.shape[-1] != matrices.shape[-2] or not matrices.shape[-1]:
        raise ValueError(
            f"emp_cov must hold square matrices; got shape {matrices.shape}. Pass (d, d)."
        )
    if not np.isfinite(matrices).all():
        raise ValueError("emp_cov holds NaN or infinity. Pass finite covariances.")
    d = matrices.shape[-1]
    stacked = matrices.reshape(-1, d, d)
    shrunk = [shrink(matrix, share) for matrix in stacked]
    return np.array(shrunk).reshape(matrices.shape)


def ledoit_wolf_shrinkage(
    X: Rows,
    assume_centered: bool = False,
    block_size: int = 1000,
    *,
    sample_weight: Weights = None,
    n_jobs: int | None = None,
) -> float:
    """Fraction by which Ledoit and Wolf shrink a covariance.

    Parameters
    ----------
    X : array-like of shape (n, d)
        The samples, finite.
    assume_centered : bool, default=False
        Take the mean as 0 instead of that of the samples.
    block_size : int, default=1000
        Not used; present for the interface.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; an integer weight equals a repeated sample.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    shrinkage : float
        From 0 to 1.

    Raises
    ------
    ValueError
        If X is not a finite 2-d array.

    See Also
    --------
    statfast.generative.ledoit_wolf : The covariance as well, and the source.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.covariance import ledoit_wolf_shrinkage
    >>> round(ledoit_wolf_shrinkage(load_iris().data[:20]), 4)
    0.1111
    """
    return ledoit_wolf(
        X, assume_centered=assume_centered, sample_weight=sample_weight, n_jobs=n_jobs
    )[1]
