# SPDX-License-Identifier: BSD-3-Clause
"""The multivariate t distribution: fitted or given, its density, samples and geometry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, isinf
from typing import Any, Self

import numpy as np

from statfast._estimator import (
    ROW_DTYPES,
    Estimator,
    count,
    fitted,
    information_criteria,
    jobs,
    nothing,
    param,
    real,
    weighted_mean,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed, Weights
from statfast._validation import (
    ConvergenceWarning,
    as_count,
    as_generator,
    as_real,
    as_rows,
    as_weights,
    column_names,
    not_fitted,
    refuse_large,
    rows_for,
    warn_user,
)
from statfast.generative.normal.covariance_factor import as_covariance
from statfast.generative.normal.ellipsoid import NormalEllipsoid
from statfast.generative.normal.marginals import as_finite_vector
from statfast.generative.normal.multivariate_normal import MultivariateNormal
from statfast.generative.normal.t_em import log_fall, log_height, maximize_likelihood

MAX_DF_OF_COLLAPSE = 0.2  # Estimates below are of rows that pile up, not of heavy tails.


class MultivariateT(Estimator):
    """Multivariate t distribution, fitted by maximum likelihood or of given parameters.

    Its tails are heavier than the normal ones, so rows that are far out move its location and shape
    little.

    Parameters
    ----------
    df : float, optional
        Degrees of freedom; inf is the normal distribution, 1 Cauchy's. None estimates them.
    max_iter : int, default=1000
        Maximum number of iterations.
    tol : float, default=1e-10
        They end once the mean log-likelihood rises by less.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    location_ : ndarray of shape (d,)
        Center; the mean where `df_` is above 1.
    shape_ : ndarray of shape (d, d)
        Shape matrix.
    df_ : float
        Degrees of freedom; inf where the likelihood rises up to the normal distribution.
    covariance_ : ndarray of shape (d, d)
        Covariance, df / (df - 2) times the shape; NaN where `df_` is at most 2, as there is none.
    n_samples_ : float
        Samples fitted, or the sum of their weights; 0 for a given distribution.
    log_likelihood_, aic_, bic_ : float
        Sum of log densities of the training rows, by weight; 2 p - 2 log L; and p log n - 2 log L,
        of p parameters and total weight n. Not of a given distribution.
    n_parameters_ : int
        Free parameters: d + d (d + 1) / 2, and one more if `df` is estimated.
    n_iter_ : int
        Iterations; 0 for a given distribution.
    converged_ : bool
        Whether they ended by `tol`.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    MultivariateNormal : The limit of many degrees of freedom.
    statfast.decision.BayesClassifier : A density for each class, of which this may be one.

    Notes
    -----
    The ECME algorithm [1]_: rows count by (df + d) / (df + squared distance) in mean and scatter,
    and degrees of freedom maximize the likelihood at each step; the scatter is divided by the sum
    of these weights [2]_. Degrees of freedom are sought from 0.05 to 1e6; where the likelihood
    still rises there, `df_` is inf. A row of weight 2 counts like a row given twice. **Maximum
    likelihood needs more than d rows**, not too many of them on one hyperplane: else the shape
    collapses, which is refused.

    Cost: n d^2 operations an iteration, some 20 to 200 of them. Memory: n numbers, and a copy of
    float32 rows in float64.

    References
    ----------
    .. [1] Liu, C. and Rubin, D. B. (1995). ML estimation of the t distribution using EM and its
       extensions, ECM and ECME. Statistica Sinica 5, 19-39. https://www.jstor.org/stable/24305551
    .. [2] Kent, J. T., Tyler, D. E. and Vardi, Y. (1994). A curious likelihood identity for the
       multivariate t-distribution. Communications in Statistics - Simulation and Computation 23,
       441-453. https://doi.org/10.1080/03610919408813180

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.generative import MultivariateNormal, MultivariateT
    >>> X = np.random.default_rng(0).standard_normal((200, 2))
    >>> X[:10] += 50.0  # ten rows far out
    >>> MultivariateNormal().fit(X).mean_.round(1)
    array([2.4, 2.5])
    >>> model = MultivariateT().fit(X)
    >>> model.location_.round(2)
    array([-0.06, -0.04])
    >>> round(model.df_, 1)
    1.6
    >>> int(model.outliers(X, 0.99).sum())
    10
    """

    df: float | None = param(
        nothing | real(0, open_low=True, infinite=True), default=None, kw_only=False
    )
    max_iter: int = param(count(), default=1000)
    tol: float = param(real(0), default=1e-10)
    n_jobs: Jobs = param(jobs, default=None)

    location_: Array = fitted()
    shape_: Array = fitted()
    df_: float = fitted()
    covariance_: Array = fitted()
    n_samples_: float = fitted()
    log_likelihood_: float = fitted()
    aic_: float = fitted()
    bic_: float = fitted()
    n_parameters_: int = fitted()
    n_iter_: int = fitted()
    converged_: bool = fitted()
    _normal: MultivariateNormal = fitted()  # of location and shape

    _estimator_type = "density_estimator"

    @classmethod
    def of(
        cls, location: ArrayLike, shape: ArrayLike, df: float, *, n_jobs: int | None = None
    ) -> Self:
        """Make the distribution of given parameters.

        Parameters
        ----------
        location : array-like of shape (d,)
            Center.
        shape : array-like of shape (d, d)
            Shape matrix, positive definite.
        df : float
            Degrees of freedom, positive; inf is the normal distribution.
        n_jobs : int, optional
            Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
            for any number.

        Returns
        -------
        MultivariateT
            Fitted.

        Raises
        ------
        ValueError
            If the shape is not a covariance matrix or is singular, the location has other than d
            finite numbers, or `df` is not positive.
        """
        model = cls(df, n_jobs=n_jobs)
        model._checked()
        matrix = as_covariance(shape, "shape")
        center = as_finite_vector(location, len(matrix), "location")
        normal = _shape_normal(center, matrix, n_jobs, column_names(shape))
        return model._become(normal, float(df))

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Estimate location, shape and, unless given, degrees of freedom.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The samples, finite, more than d.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : MultivariateT

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, its shape matrix is singular or becomes so, or a
            parameter is out of its range.
        TypeError
            If X is sparse, or a parameter is of the wrong type.

        Warns
        -----
        ConvergenceWarning
            If the iteration did not end before `max_iter`, or degrees of freedom fell to 0.2 or
            less, where the likelihood has no bound.
        """
        checked = self._checked()
        rows = as_rows(X, keep=(np.float64,))
        weights = as_weights(sample_weight, len(rows))
        if weights is not None and not weights.all():
            rows, weights = rows[weights > 0.0], weights[weights > 0.0]
        if len(rows) <= rows.shape[1]:
            raise np.linalg.LinAlgError(
                f"X must have more rows of positive weight than columns ({rows.shape[1]}); got "
                f"{len(rows)} sample(s). Pass more rows, or drop columns."
            )
        names = column_names(X)
        run = maximize_likelihood(
            rows, weights, None if checked.df is None else float(checked.df),
            lambda location, shape: _shape_normal(location, shape, self.n_jobs, names),
            max_iter=checked.max_iter, tol=checked.tol, n_jobs=self.n_jobs,
        )  # fmt: skip
        if checked.df is None and run.df <= MAX_DF_OF_COLLAPSE:
            warn_user(
                f"The degrees of freedom fell to {run.df:.3g}: many rows lie on one hyperplane, as "
                "of equal values of a column, where the likelihood has no bound. Pass df=5 or so.",
                ConvergenceWarning,
            )
        elif not run.converged:
            warn_user(
                f"The t distribution did not converge in max_iter={checked.max_iter} iterations. "
                "Raise max_iter or tol.",
                ConvergenceWarning,
            )
        total = float(len(rows) if weights is None else weights.sum())
        d = rows.shape[1]
        n_parameters = d + d * (d + 1) // 2 + (checked.df is None)
        return self._become(
            run.normal, run.df, n_samples_=total, n_iter_=run.n_iter, converged_=run.converged,
            n_parameters_=n_parameters,
            **information_criteria(run.log_likelihood, n_parameters, total),
        )  # fmt: skip

    def _become(self, normal: MultivariateNormal, df: float, **more: Any) -> Self:
        """Become fitted with the location and the shape of a normal distribution."""
        d = normal.n_features_in_
        factor = 1.0 if isinf(df) else df / (df - 2.0) if df > 2.0 else np.nan
        named = {}
        if "feature_names_in_" in normal.__dict__:
            named["feature_names_in_"] = normal.feature_names_in_
        attributes = {
            "n_samples_": 0.0, "n_iter_": 0, "converged_": True,
            "n_parameters_": normal.n_parameters_ + (self.df is None), **more,
        }  # fmt: skip
        return self._publish(
            None, **named, n_features_in_=d, location_=normal.mean_, shape_=normal.covariance_,
            df_=df, covariance_=factor * normal.covariance_, _normal=normal, **attributes,
        )  # fmt: skip

    # ------------------------------------------------------------ density

    def score_samples(self, X: Rows) -> Array:
        """Return the log density of each sample.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.

        Returns
        -------
        log_densities : ndarray of shape (m,)
            float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        squares = self.mahalanobis(X)
        d = self.n_features_in_
        height = log_height(self.df_, d) - 0.5 * self._normal.log_determinant_
        out = height - log_fall(squares.astype(np.float64), self.df_, d)
        return out.astype(squares.dtype)

    def score(self, X: Rows, y: object = None, sample_weight: Weights = None) -> float:
        """Return the mean log density.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Test samples.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (m,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            As for `score_samples`.
        """
        return weighted_mean(self.score_samples(X), sample_weight)

    def mahalanobis(self, X: Rows) -> Array:
        """Return the squared Mahalanobis distance of each sample from the location, by the shape.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.

        Returns
        -------
        squared : ndarray of shape (m,)
            (x - location)' shape^-1 (x - location); divided by d it has an F distribution with d
            and `df_` degrees of freedom.

        Raises
        ------
        ValueError
            As for `score_samples`.
        """
        self._require_fitted()
        # The distances are checked, which shows values that are not finite.
        return self._normal._squared_distances(rows_for(self, X, keep=ROW_DTYPES, finite=False))

    def outliers(self, X: Rows, content: float = 0.975) -> Array:
        """Return which samples lie outside the ellipsoid with a given probability content.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.
        content : float, default=0.975
            Probability within, between 0 and 1.

        Returns
        -------
        outside : ndarray of shape (m,), bool

        Raises
        ------
        ValueError
            As for `score_samples`, or if `content` is not between 0 and 1.
        """
        return self.mahalanobis(X) > self._radius2(content)

    def ellipsoid(self, content: float = 0.95) -> NormalEllipsoid:
        """Return the density ellipsoid with a given probability content.

        Parameters
        ----------
        content : float, default=0.95
            Between 0 and 1.

        Returns
        -------
        NormalEllipsoid
            Of the shape matrix, with the radius that holds this probability of the t distribution.

        Raises
        ------
        ValueError
            If `content` is not between 0 and 1.
        """
        radius2 = self._radius2(content)
        base = self._normal.ellipsoid(content)
        grown = np.sqrt(radius2 / base.radius2)
        return replace(base, radius2=radius2, half_axes=base.half_axes * grown)

    def _radius2(self, content: float) -> float:
        from scipy.special import chdtri, fdtri

        self._require_fitted()
        content = as_real(content, "content", 0.0, 1.0, open_low=True, open_high=True)
        d = self.n_features_in_
        if isinf(self.df_):
            return float(chdtri(d, 1.0 - content))
        return float(d * fdtri(d, self.df_, content))

    # ------------------------------------------------------------ samples and what follows

    def sample(self, n_samples: int = 1, random_state: Seed = None) -> Array:
        """Draw samples: location + z / sqrt(g / df), of normal z and chi-square g.

        Parameters
        ----------
        n_samples : int, default=1
            Number of samples to draw.
        random_state : int, RandomState, Generator or None
            Seed or generator; an integer makes the result reproducible.

        Returns
        -------
        X : ndarray of shape (n_samples, d), float64
            The same for any number of threads.

        Raises
        ------
        ValueError
            If `n_samples` is not positive.
        MemoryError
            If the samples would take more than half of the free memory.
        """
        self._require_fitted()
        n, d = as_count(n_samples, "n_samples"), self.n_features_in_
        refuse_large(16 * n * d, f"n_samples={n} rows of {d} columns", "Draw fewer at a time.")
        rng = as_generator(random_state)
        centered = MultivariateNormal.of(np.zeros(d), self.shape_, n_jobs=self.n_jobs)
        out = centered.sample(n, rng)
        if not isinf(self.df_):
            share = rng.chisquare(self.df_, n) / self.df_
            out /= np.sqrt(np.maximum(share, np.finfo(np.float64).tiny))[:, None]
        out += self.location_
        return out

    def marginal(self, columns: Sequence[int] | str) -> Self:
        """Return the distribution of some features.

        Parameters
        ----------
        columns : sequence of int or str
            Which, by number or by name.

        Returns
        -------
        MultivariateT
            With the same degrees of freedom.

        Raises
        ------
        ValueError
            If there are none, or one is not among the columns.
        """
        self._require_fitted()
        return self._like(self._normal.marginal(columns), self.df_)

    def conditional(self, columns: Sequence[int] | str, values: ArrayLike) -> Self:
        """Return the distribution of all other features, given the values of some.

        Parameters
        ----------
        columns : sequence of int or str
            Which are given, by number or by name.
        values : array-like of shape (c,)
            Their values.

        Returns
        -------
        MultivariateT
            Of the other columns, in their order, with df + c degrees of freedom: the shape grows
            with the distance D of the values, by (df + D) / (df + c).

        Raises
        ------
        ValueError
            If all columns are given, or one is not among them.
        """
        self._require_fitted()
        rest, given = self._normal.conditional(columns, values), self._normal.marginal(columns)
        if isinf(self.df_):
            return self._like(rest, inf)
        away = as_finite_vector(values, given.n_features_in_, "values")
        squared = float(given._squared_distances(away[None])[0])
        df = self.df_ + given.n_features_in_
        grown = (self.df_ + squared) / df
        names = rest.__dict__.get("feature_names_in_")
        shape = rest.covariance_ * grown
        return self._like(_shape_normal(rest.mean_, shape, self.n_jobs, names), df)

    def affine(self, A: ArrayLike, shift: ArrayLike = 0.0) -> Self:
        """Return the distribution of shift + A x.

        Parameters
        ----------
        A : array-like of shape (m, d)
            Matrix of the linear map.
        shift : array-like of shape (m,) or float, default=0.0
            Added after the map.

        Returns
        -------
        MultivariateT
            With location shift + A location, shape A S A' and the same degrees of freedom.

        Raises
        ------
        ValueError
            If A has not d columns, or the shape of the result is singular, as with more rows than
            columns.
        """
        self._require_fitted()
        return self._like(self._normal.affine(A, shift), self.df_)

    def _like(self, normal: MultivariateNormal, df: float) -> Self:
        return type(self)(df, n_jobs=self.n_jobs)._become(normal, df)

    def _require_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "density_estimator"
        return tags


def _shape_normal(
    location: Array, shape: Array, n_jobs: Jobs, names: Array | None = None
) -> MultivariateNormal:
    """The normal distribution of a location and a shape matrix, which has to have an inverse."""
    try:
        return MultivariateNormal(n_jobs=n_jobs)._with_moments(location, shape, names)
    except np.linalg.LinAlgError:
        raise np.linalg.LinAlgError(
            "X has a t distribution whose shape matrix is singular: columns are constant or "
            "collinear, or too much of the weight lies on one hyperplane. Drop columns, pass more "
            "rows, or raise df."
        ) from None
