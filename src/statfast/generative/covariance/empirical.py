# SPDX-License-Identifier: BSD-3-Clause
"""The maximum-likelihood covariance of rows, and what all estimates of covariances can do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from statfast._engine import Chunks, interruptible
from statfast._estimator import ROW_DTYPES, Estimator, FitState, SumFit, fitted, flag, jobs, param
from statfast._linalg import triangle_inverse
from statfast._typing import Array, ArrayLike, Jobs, Rows, Weights
from statfast._validation import (
    as_choice,
    as_flag,
    as_rows,
    as_weights,
    column_names,
    not_fitted,
    rows_for,
    warn_user,
)
from statfast.generative.normal.class_moments import class_scatters, require_finite_sums
from statfast.generative.normal.covariance_factor import as_covariance
from statfast.generative.normal.discriminant_rules import squared_distances
from statfast.generative.normal.normal_fit import moments_of_rows

EPSILON = np.finfo(np.float64).eps


@dataclass(frozen=True)
class PrecisionFactor:
    """The precision W' W of a covariance."""

    whitener: NDArray[np.float64]  # W (r, d)
    log_det: float  # of the covariance; -inf if it is singular

    @property
    def precision(self) -> Array:
        """The inverse of the covariance, or its pseudo-inverse where it is singular."""
        with np.errstate(over="ignore", invalid="ignore"):
            precision = self.whitener.T @ self.whitener
        if not np.isfinite(precision).all():
            raise ValueError(
                "X varies by so little that the inverse of its covariance is beyond the largest "
                "number. Multiply X by a constant, such as 1e100."
            )
        return precision


def precision_factor(covariance: Array) -> PrecisionFactor:
    """The factor of the inverse of a covariance, of its pseudo-inverse if it is singular.

    The sum of the inverse eigenvalues of the correlations proves that none is small. Without that
    proof eigenvalues of the covariance up to d eps of the largest count as 0.
    """
    d = len(covariance)
    spread = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    try:
        factor = interruptible(np.linalg.cholesky, covariance)
        whitener = triangle_inverse(factor, lower=True)
        if ((whitener * spread) ** 2).sum() < 0.25 / (d**2 * EPSILON):
            return PrecisionFactor(whitener, 2.0 * float(np.log(factor.diagonal()).sum()))
    except np.linalg.LinAlgError:
        pass
    variances, vectors = interruptible(np.linalg.eigh, covariance)
    large = variances > d * EPSILON * np.abs(variances).max()
    whitener = (vectors[:, large] / np.sqrt(variances[large])).T
    log_det = float(np.log(variances).sum()) if large.all() else -np.inf
    return PrecisionFactor(np.ascontiguousarray(whitener), log_det)


class CovarianceMethods(Estimator):
    """What estimates of a location and a covariance answer."""

    store_precision: bool
    n_jobs: Jobs
    location_: Array = fitted()
    covariance_: Array = fitted()
    precision_: Array | None = fitted()
    _factor: PrecisionFactor = fitted()

    def _attributes(self, location: Array, covariance: Array) -> dict[str, Any]:
        factor = precision_factor(covariance)
        return {
            "location_": location,
            "covariance_": covariance,
            "precision_": factor.precision if self.store_precision else None,
            "_factor": factor,
        }

    def _require_fitted(self) -> None:
        if "_factor" not in self.__dict__:
            raise not_fitted(self)

    def get_precision(self) -> Array:
        """Return the inverse of the covariance.

        Returns
        -------
        precision : ndarray of shape (d, d)
            The pseudo-inverse of a singular covariance.
        """
        self._require_fitted()
        return self._factor.precision if self.precision_ is None else self.precision_

    def mahalanobis(self, X: Rows) -> Array:
        """Return the squared Mahalanobis distance of each sample from the location.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.

        Returns
        -------
        squared : ndarray of shape (m,)
            (x - location)' P (x - location) of the precision P: float32 for float32 X, else
            float64.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        self._require_fitted()
        rows = rows_for(self, X, keep=ROW_DTYPES, finite=False)
        return squared_distances(rows, self.location_, self._factor.whitener, self.n_jobs)

    def score(self, X: Rows, y: object = None) -> float:
        """Return the mean log density of the normal distribution with this covariance.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Test samples.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        float
            -inf if the covariance is singular.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        mean = float(CovarianceMethods.mahalanobis(self, X).mean(dtype=np.float64))
        size = len(self.location_) * np.log(2.0 * np.pi)
        if self._factor.log_det == -np.inf:
            return -np.inf
        return float(-0.5 * (mean + size + self._factor.log_det))

    def error_norm(
        self,
        comp_cov: ArrayLike,
        norm: Literal["frobenius", "spectral"] = "frobenius",
        scaling: bool = True,
        squared: bool = True,
    ) -> float:
        """Return the size of the difference between another covariance and this one.

        Parameters
        ----------
        comp_cov : array-like of shape (d, d)
            The covariance to compare with.
        norm : {"frobenius", "spectral"}, default="frobenius"
            Root of the sum of squares, or the largest singular value.
        scaling : bool, default=True
            Divide the squared norm by d.
        squared : bool, default=True
            Return the squared norm.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If `comp_cov` has another shape or values that are not finite, or `norm` is unknown.
        """
        self._require_fitted()
        as_choice(norm, "norm", ("frobenius", "spectral"))
        other = as_rows(comp_cov, name="comp_cov", keep=(np.float64,))
        if other.shape != self.covariance_.shape:
            raise ValueError(
                f"comp_cov must have shape {self.covariance_.shape}; got {other.shape}. Pass a "
                "covariance of the same columns."
            )
        error = other - self.covariance_
        if norm == "frobenius":
            size = float((error**2).sum())
        else:
            size = float(interruptible(np.linalg.svd, error, compute_uv=False)[0]) ** 2
        if as_flag(scaling, "scaling"):
            size /= len(error)
        return size if as_flag(squared, "squared") else float(np.sqrt(size))


class EmpiricalCovariance(CovarianceMethods, SumFit):
    """Maximum-likelihood covariance of rows.

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
        Covariance, with the total weight as divisor.
    precision_ : ndarray of shape (d, d), or None
        Inverse of the covariance; its pseudo-inverse if it is singular.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    LedoitWolf : A covariance that is shrunk, for few rows of many columns.
    MinCovDet : A covariance that outliers do not move.
    MultivariateNormal : Densities, samples and regions of the normal distribution.

    Notes
    -----
    A singular covariance is taken by its pseudo-inverse, up to which directions off the samples
    have no distance; `MultivariateNormal` refuses it. Sums are in float64, whatever the dtype of X.

    Cost: n d^2 + d^3 operations. Memory: O(d^2) a thread.

    References
    ----------
    .. [1] Mardia, K. V., Kent, J. T. and Bibby, J. M. (1979). Multivariate Analysis. Academic
       Press, chapter 4.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.covariance import EmpiricalCovariance
    >>> X = load_iris().data[:50, :2]
    >>> EmpiricalCovariance().fit(X).covariance_.round(3)
    array([[0.122, 0.097],
           [0.097, 0.141]])
    """

    store_precision: bool = param(flag, default=True)
    assume_centered: bool = param(flag, default=False)
    n_jobs: Jobs = param(jobs, default=None)

    _moments: Any = fitted()
    _statistics = staticmethod(moments_of_rows)
    _statistics_cut_blocks = True
    _solve_parameters: ClassVar[tuple[str, ...]] = ("store_precision", "assume_centered")
    _order = "scatters"  # the moments that a fit needs

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Estimate location and covariance.

        Parameters
        ----------
        X : array-like of shape (n, d), or Chunks
            The samples, finite. A memory map is read block by block, `Chunks` chunk by chunk.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, has values whose squares overflow, or a parameter is out
            of its range.
        TypeError
            If X is sparse, or a parameter is of the wrong type.

        Warns
        -----
        UserWarning
            If all rows are equal, so that the covariance is 0.
        """
        return self._fit_sum(X, y, sample_weight)

    def partial_fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Update the fit with more samples.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, or has other columns than before.
        """
        if "_moments" in self.__dict__:
            rows_for(self, X, keep=ROW_DTYPES, finite=False)
        return self._merge_sum(*self._prepare(X, y, sample_weight))

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> Any:
        self._checked()
        if isinstance(X, Chunks):
            return (X, as_weights(sample_weight, None)), FitState(0, None, None, self._order)
        rows = as_rows(X, keep=ROW_DTYPES, finite=False)
        state = FitState(rows.shape[1], column_names(X), None, self._order)
        return (rows, as_weights(sample_weight, rows.shape[0])), state

    def _total(self, columns: Any, state: FitState) -> Any:
        return moments_of_rows(columns, state, self.n_jobs)

    def _solve(self, total: Any, state: FitState) -> Self:
        self._checked()
        location, scatter, quartic = total.means[0], total.scatters[0], None
        if self._order == "quartic":
            quartic = total.quartic
        if self.assume_centered:
            location = np.zeros_like(location)
            with np.errstate(over="ignore"):
                if quartic is not None:
                    quartic = total.about(location[None])[2]
                spread = np.sqrt(total.class_counts[0]) * total.means[0]
                scatter = require_finite_sums(scatter + np.outer(spread, spread))
        total_weight = float(total.class_counts[0])
        covariance, more = self._estimate(total_weight, scatter / total_weight, quartic)
        if not covariance.any():
            warn_user(
                "All rows of X are equal, so that the covariance is 0 and has no inverse. Pass "
                "rows that differ."
            )
        named = {} if state.names is None else {"feature_names_in_": state.names}
        return self._publish(
            None, **named, n_features_in_=len(location), _moments=total,
            **self._attributes(location, covariance), **more,
        )  # fmt: skip

    def _estimate(
        self, total_weight: float, likely: Array, quartic: float | None
    ) -> tuple[Array, dict[str, Any]]:
        """The covariance, and more attributes, from the maximum-likelihood covariance."""
        return likely, {}


def empirical_covariance(
    X: Rows,
    *,
    assume_centered: bool = False,
    sample_weight: Weights = None,
    n_jobs: int | None = None,
) -> Array:
    """Maximum-likelihood covariance of rows.

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

    Raises
    ------
    ValueError
        If X is not a finite 2-d array.

    Examples
    --------
    >>> from statfast.covariance import empirical_covariance
    >>> empirical_covariance([[1.0, 1.0], [0.0, 0.0]])
    array([[0.25, 0.25],
           [0.25, 0.25]])
    """
    rows = as_rows(X, keep=ROW_DTYPES, finite=False)
    weights = as_weights(sample_weight, rows.shape[0])
    codes = np.zeros(rows.shape[0], np.intp)
    total = class_scatters(rows, codes, weights, 1, n_jobs=n_jobs)
    scatter = total.scatters[0]
    if as_flag(assume_centered, "assume_centered"):
        with np.errstate(over="ignore"):
            spread = np.sqrt(total.class_counts[0]) * total.means[0]
            scatter = require_finite_sums(scatter + np.outer(spread, spread))
    covariance: Array = scatter / total.class_counts[0]
    return covariance


def log_likelihood(emp_cov: ArrayLike, precision: ArrayLike) -> float:
    """Mean log density of rows under a normal distribution with a given precision.

    Parameters
    ----------
    emp_cov : array-like of shape (d, d)
        Maximum-likelihood covariance of the rows about the mean of the distribution.
    precision : array-like of shape (d, d)
        Inverse of the covariance of the distribution.

    Returns
    -------
    float
        -inf if the precision is singular.

    Raises
    ------
    ValueError
        If the matrices are not symmetric with no negative eigenvalue, or differ in shape.

    Examples
    --------
    >>> from statfast.covariance import log_likelihood
    >>> round(log_likelihood([[2.0]], [[0.5]]), 4)
    -1.7655
    """
    S, P = as_covariance(emp_cov, "emp_cov"), as_covariance(precision, "precision")
    if S.shape != P.shape:
        raise ValueError(
            f"precision must have the shape of emp_cov, {S.shape}; got {P.shape}. Pass matrices of "
            "the same columns."
        )
    sign, log_det = np.linalg.slogdet(P)
    if sign <= 0.0:
        return -np.inf
    return float(0.5 * (log_det - (S * P).sum() - len(P) * np.log(2.0 * np.pi)))
