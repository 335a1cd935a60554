# SPDX-License-Identifier: BSD-3-Clause
"""Covariances that outliers do not move: minimum covariance determinant, and outliers by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import (
    ROW_DTYPES,
    accuracy,
    fitted,
    flag,
    jobs,
    nothing,
    param,
    randomness,
    real,
)
from statfast._typing import Array, Jobs, Rows, Seed, Weights
from statfast._validation import as_generator, as_real, as_rows, rows_for, shown, warn_user
from statfast.generative.covariance.concentration import least_determinant_rows
from statfast.generative.covariance.empirical import (
    CovarianceMethods,
    empirical_covariance,
    precision_factor,
)
from statfast.generative.normal.class_moments import class_scatters, require_finite_sums
from statfast.generative.normal.discriminant_rules import squared_distances

QUANTILE_OF_OUTLIERS = 0.025  # of chi-square, beyond which rows do not count


@dataclass(frozen=True)
class RowEstimate:
    """Location and covariance of some rows, and the squared distances of all rows by them."""

    location: NDArray[np.float64]  # (d,)
    covariance: NDArray[np.float64]  # (d, d)
    distances: NDArray[np.float64]  # (n,)
    is_singular: bool


def estimate_of_rows(X: Array, mask: Array, centered: bool, n_jobs: Jobs) -> RowEstimate:
    """The maximum-likelihood estimate of the rows in a mask."""
    weights = mask.astype(np.float64)
    total = class_scatters(X, np.zeros(len(mask), np.intp), weights, 1, n_jobs=n_jobs)
    location, scatter = total.means[0], total.scatters[0]
    if centered:
        with np.errstate(over="ignore"):
            spread = np.sqrt(total.class_counts[0]) * location
            scatter = require_finite_sums(scatter + np.outer(spread, spread))
        location = np.zeros_like(location)
    covariance = scatter / total.class_counts[0]
    factor = precision_factor(covariance)
    distances = squared_distances(X, location, factor.whitener, n_jobs).astype(np.float64)
    return RowEstimate(location, covariance, distances, factor.log_det == -np.inf)


def support_size(n: int, d: int, fraction: float | None) -> int:
    """How many rows count."""
    if fraction is None:
        return min(ceil(0.5 * (n + d + 1)), n)
    h = int(fraction * n)
    if h < 1:
        raise ValueError(
            f"support_fraction={fraction:g} of {n} rows leaves none. Raise support_fraction."
        )
    return h


def consistency_factor(d: int, fraction: float) -> float:
    """By what the covariance of the nearest `fraction` of normal rows is too small."""
    from scipy.special import chdtr, chdtri

    return float(fraction / chdtr(d + 2, chdtri(d, 1.0 - fraction)))


def raw_estimate(
    X: Array, fraction: float | None, random_state: Seed, n_jobs: Jobs
) -> tuple[Array, RowEstimate]:
    """The rows of least determinant, and their estimate."""
    n, d = X.shape
    generator = as_generator(random_state)
    support = least_determinant_rows(X, support_size(n, d, fraction), generator, n_jobs)
    estimate = estimate_of_rows(X, support, False, n_jobs)
    if not support.all() and not estimate.covariance.any():
        raise ValueError(
            f"The covariance of the support is 0: {support.sum()} of {n} rows are equal. Raise "
            "support_fraction."
        )
    return support, estimate


class MinCovDet(CovarianceMethods):
    """Minimum covariance determinant: a location and a covariance that outliers do not move.

    Parameters
    ----------
    store_precision : bool, default=True
        Keep the inverse of the covariance in `precision_`.
    assume_centered : bool, default=False
        Take the location as 0 once the support is found.
    support_fraction : float, optional
        Fraction of the rows, above 0 and at most 1, whose covariance has the least determinant;
        the more, the less outliers are withstood, and the less the estimate varies. None is the
        least that is safe, (n + d + 1) / 2 rows.
    random_state : int, RandomState, Generator or None
        Seed or generator; an integer makes the result reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    raw_location_ : ndarray of shape (d,)
        Mean of the support of least determinant.
    raw_covariance_ : ndarray of shape (d, d)
        Its covariance, as it is.
    raw_support_ : ndarray of shape (n,), bool
        Which rows it has.
    location_ : ndarray of shape (d,)
        Mean of the rows that are not outliers by the raw estimate.
    covariance_ : ndarray of shape (d, d)
        Their covariance, times a factor that makes it consistent for normal rows.
    precision_ : ndarray of shape (d, d), or None
        Inverse of the covariance; its pseudo-inverse if it is singular.
    support_ : ndarray of shape (n,), bool
        Rows that are not outliers by the raw estimate.
    dist_ : ndarray of shape (n,)
        Squared Mahalanobis distances of the fitted samples.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    EllipticEnvelope : Outliers by this estimate.
    EmpiricalCovariance : The covariance of all rows.
    MultivariateT : Outliers count less, rather than not.

    Notes
    -----
    FAST-MCD [1]_: concentration steps (mean and covariance of h rows, then the h rows nearest by
    them) lower the determinant. They start from 300 draws of d + 1 rows, as in the paper, and from
    100 draws of h rows; the best go on until nothing changes. Of more than 600 rows, subsets of 300
    are searched first, then 1,500 rows, then all. One column has an exact solution. The least
    determinant of several columns is hard to find, and the answer the best of many local ones.

    Covariances are made consistent for normal rows by the factors of [2]_, once for the raw
    support and once for rows within the 97.5 % quantile; small samples get no correction of their
    own.

    fit has no `sample_weight`: the support is a number of rows.

    Cost: some thousand steps of n d^2 for up to 1,500 rows, and up to a few hundred of all rows.
    Memory: three copies of X.

    References
    ----------
    .. [1] Rousseeuw, P. J. and Van Driessen, K. (1999). A fast algorithm for the minimum covariance
       determinant estimator. Technometrics 41, 212-223.
       https://doi.org/10.1080/00401706.1999.10485670
    .. [2] Croux, C. and Haesbroeck, G. (1999). Influence function and efficiency of the minimum
       covariance determinant scatter matrix estimator. Journal of Multivariate Analysis 71,
       161-190. https://doi.org/10.1006/jmva.1999.1839

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.covariance import MinCovDet
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> X[:40] += 10.0
    >>> model = MinCovDet(random_state=0).fit(X)
    >>> model.support_[:40].any()
    np.False_
    >>> np.abs(model.location_).max() < 0.2
    np.True_
    """

    store_precision: bool = param(flag, default=True)
    assume_centered: bool = param(flag, default=False)
    support_fraction: float | None = param(nothing | real(0, 1, open_low=True), default=None)
    random_state: Seed = param(randomness, default=None)
    n_jobs: Jobs = param(jobs, default=None)

    raw_location_: Array = fitted()
    raw_covariance_: Array = fitted()
    raw_support_: Array = fitted()
    support_: Array = fitted()
    dist_: Array = fitted()

    def fit(self, X: Rows, y: object = None) -> Self:
        """Estimate location and covariance.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The samples, finite.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X is not a finite 2-d array of two rows or more, the rows of the support are all
            equal, or a parameter is out of its range.
        TypeError
            If X is sparse, or a parameter is of the wrong type.

        Warns
        -----
        UserWarning
            If the covariance of the support is singular: distances are those in its subspace.
        """
        return self._publish(X, **self._fitted_attributes(X))

    def _fitted_attributes(self, X: Any) -> dict[str, Any]:
        params = self._checked()
        rows = as_rows(X, keep=ROW_DTYPES, n_min=2)
        raw_support, raw = raw_estimate(
            rows, params.support_fraction, params.random_state, self.n_jobs
        )
        if params.assume_centered:
            raw = estimate_of_rows(rows, raw_support, True, self.n_jobs)
        if raw.is_singular:
            warn_user(
                f"The covariance of the {raw_support.sum()} rows of the support is singular: "
                "distances are those in its subspace. Drop columns that others determine, or raise "
                "support_fraction."
            )
        support, estimate, factor = self._reweighted(rows, raw_support, raw)
        return {
            "raw_location_": raw.location, "raw_covariance_": raw.covariance,
            "raw_support_": raw_support, "support_": support,
            "dist_": estimate.distances / factor, "n_features_in_": rows.shape[1],
            **self._attributes(estimate.location, estimate.covariance * factor),
        }  # fmt: skip

    def _reweighted(
        self, rows: Array, raw_support: Array, raw: RowEstimate
    ) -> tuple[Array, RowEstimate, float]:
        """Rows that are not outliers, their estimate, and its factor of consistency."""
        from scipy.special import chdtri

        d = rows.shape[1]
        factor = consistency_factor(d, float(raw_support.mean()))
        support = raw.distances / factor < chdtri(d, QUANTILE_OF_OUTLIERS)
        estimate = estimate_of_rows(rows, support, bool(self.assume_centered), self.n_jobs)
        return support, estimate, consistency_factor(d, 1.0 - QUANTILE_OF_OUTLIERS)

    def correct_covariance(self, data: Rows) -> Array:
        """Return the raw covariance, corrected to be consistent for normal rows.

        Nothing is fitted: the estimator stays as it is.

        Parameters
        ----------
        data : array-like of shape (n, d)
            The fitted samples.

        Returns
        -------
        covariance : ndarray of shape (d, d)
            `raw_covariance_` times the factor of the support.

        Raises
        ------
        ValueError
            If `data` is not a finite 2-d array with the shape of the fitted samples.
        """
        rows = self._fitted_rows(data)
        share = float(self.raw_support_.mean())
        corrected: Array = self.raw_covariance_ * consistency_factor(rows.shape[1], share)
        return corrected

    def reweight_covariance(self, data: Rows) -> tuple[Array, Array, Array]:
        """Return the estimate of the samples that are not outliers by the raw one.

        Nothing is fitted: the estimator stays as it is.

        Parameters
        ----------
        data : array-like of shape (n, d)
            The fitted samples.

        Returns
        -------
        location : ndarray of shape (d,)
            Their mean.
        covariance : ndarray of shape (d, d)
            Their covariance as it is; `covariance_` is that, made consistent for normal rows.
        support : ndarray of shape (n,), bool
            Which they are.

        Raises
        ------
        ValueError
            If `data` is not a finite 2-d array with the shape of the fitted samples.
        """
        rows = self._fitted_rows(data)
        raw = estimate_of_rows(rows, self.raw_support_, bool(self.assume_centered), self.n_jobs)
        support, estimate, _ = self._reweighted(rows, self.raw_support_, raw)
        return estimate.location, estimate.covariance, support

    def _fitted_rows(self, data: Any) -> Array:
        self._require_fitted()
        rows = rows_for(self, data, name="data", keep=ROW_DTYPES)
        if len(rows) != len(self.raw_support_):
            raise ValueError(
                f"data must have the {len(self.raw_support_)} fitted rows; got {len(rows)}. Pass "
                "the rows that were fitted."
            )
        return rows


class EllipticEnvelope(MinCovDet):
    """Outliers of normal rows: those far from a location, by a covariance that they do not move.

    Parameters
    ----------
    contamination : float, default=0.1
        Share of the fitted samples that are outliers, above 0 and at most 0.5: `offset_` is that
        quantile of their scores.
    store_precision : bool, default=True
        Keep the inverse of the covariance in `precision_`.
    assume_centered : bool, default=False
        Take the location as 0 once the support is found.
    support_fraction : float, optional
        Fraction of the rows, above 0 and at most 1, whose covariance has the least determinant.
        None is the least that is safe, (n + d + 1) / 2 rows.
    random_state : int, RandomState, Generator or None
        Seed or generator; an integer makes the result reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    offset_ : float
        Samples whose score is less are outliers.
    raw_location_ : ndarray of shape (d,)
        Mean of the support of least determinant.
    raw_covariance_ : ndarray of shape (d, d)
        Its covariance, as it is.
    raw_support_ : ndarray of shape (n,), bool
        Which rows it has.
    location_ : ndarray of shape (d,)
        Mean of the rows that are not outliers by the raw estimate.
    covariance_ : ndarray of shape (d, d)
        Their covariance, times a factor that makes it consistent for normal rows.
    precision_ : ndarray of shape (d, d), or None
        Inverse of the covariance; its pseudo-inverse if it is singular.
    support_ : ndarray of shape (n,), bool
        Rows that are not outliers by the raw estimate.
    dist_ : ndarray of shape (n,)
        Squared Mahalanobis distances of the fitted samples.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    MinCovDet : The estimate itself, and how it is found.
    LocalOutlierFactor : Outliers by the density around a row.
    IsolationForest : Outliers by random splits.

    Notes
    -----
    Rows have to be those of one normal distribution, except for outliers, and many more than the
    square of the columns.

    Cost and memory: those of `MinCovDet`; n d^2 for answers.

    References
    ----------
    .. [1] Rousseeuw, P. J. and Van Driessen, K. (1999). A fast algorithm for the minimum covariance
       determinant estimator. Technometrics 41, 212-223.
       https://doi.org/10.1080/00401706.1999.10485670

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.covariance import EllipticEnvelope
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> EllipticEnvelope(random_state=0).fit(X).predict([[0.0, 0.0], [3.0, -3.0]])
    array([ 1, -1])
    """

    contamination: float = param(real(0, 0.5, open_low=True), default=0.1)

    offset_: float = fitted()

    def fit(self, X: Rows, y: object = None) -> Self:
        """Estimate location and covariance, and the score of outliers.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The samples, finite.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X is not a finite 2-d array of two rows or more, the rows of the support are all
            equal, or a parameter is out of its range.
        TypeError
            If X is sparse, or a parameter is of the wrong type.

        Warns
        -----
        UserWarning
            If the covariance of the support is singular: distances are those in its subspace.
        """
        attributes = self._fitted_attributes(X)
        offset = float(np.percentile(-attributes["dist_"], 100.0 * float(self.contamination)))
        return self._publish(X, offset_=offset, **attributes)

    def score_samples(self, X: Rows) -> Array:
        """Return minus the squared Mahalanobis distance of each sample.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.

        Returns
        -------
        scores : ndarray of shape (m,)
            float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        return -self.mahalanobis(X)

    def decision_function(self, X: Rows) -> Array:
        """Return the scores less `offset_`, negative for outliers.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.

        Returns
        -------
        ndarray of shape (m,)
            float32 for float32 X, else float64.
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: Rows) -> Array:
        """Return +1 for regular samples and -1 for outliers.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.

        Returns
        -------
        ndarray of shape (m,), of integers
        """
        return np.where(self.decision_function(X) < 0.0, -1, 1)

    def fit_predict(self, X: Rows, y: object = None) -> Array:
        """Fit, and return +1 for regular samples and -1 for outliers.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The samples, finite.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        ndarray of shape (n,), of integers
        """
        return self.fit(X).predict(X)

    def score(self, X: Rows, y: object = None, sample_weight: Weights = None) -> float:
        """Return the fraction of samples of which `predict` is right.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.
        y : array-like of shape (m,)
            +1 for regular samples and -1 for outliers.
        sample_weight : array-like of shape (m,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If X and y differ in their number of rows.
        """
        return accuracy(self.predict(X), y, sample_weight)

    _estimator_type = "outlier_detector"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "outlier_detector"
        return tags


def fast_mcd(
    X: Rows,
    support_fraction: float | None = None,
    cov_computation_method: Callable[..., Array] = empirical_covariance,
    random_state: Seed = None,
    *,
    n_jobs: int | None = None,
) -> tuple[Array, Array, Array, Array]:
    """Location and covariance of the rows whose covariance has the least determinant.

    Parameters
    ----------
    X : array-like of shape (n, d)
        The samples, finite.
    support_fraction : float, optional
        Fraction of the rows, above 0 and at most 1. None takes (n + d + 1) / 2 rows.
    cov_computation_method : callable, default=empirical_covariance
        Present for the interface: no other covariance is minimized.
    random_state : int, RandomState, Generator or None
        Seed or generator; an integer makes the result reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    location : ndarray of shape (d,)
        Mean of the rows.
    covariance : ndarray of shape (d, d)
        Their covariance, as it is: for normal rows it is too small.
    support : ndarray of shape (n,), bool
        Which rows they are.
    dist : ndarray of shape (n,)
        Squared Mahalanobis distances of all rows.

    Raises
    ------
    ValueError
        If X is not a finite 2-d array of two rows or more, the rows are all equal,
        `support_fraction` is out of its range, or another covariance is asked for.

    See Also
    --------
    MinCovDet : The same, corrected and made more efficient; the algorithm and its source.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.covariance import fast_mcd
    >>> location, covariance, support, _ = fast_mcd(np.array([[1.0], [2.0], [3.0], [90.0]]))
    >>> location, covariance.round(4), support
    (array([2.]), array([[0.6667]]), array([ True,  True,  True, False]))
    """
    if getattr(cov_computation_method, "__name__", "") != "empirical_covariance":
        raise ValueError(
            "cov_computation_method must be empirical_covariance; got "
            f"{shown(cov_computation_method)}. Leave it out."
        )
    rows = as_rows(X, keep=ROW_DTYPES, n_min=2)
    fraction = None
    if support_fraction is not None:
        fraction = as_real(support_fraction, "support_fraction", 0.0, 1.0, open_low=True)
    support, estimate = raw_estimate(rows, fraction, random_state, n_jobs)
    return estimate.location, estimate.covariance, support, estimate.distances
