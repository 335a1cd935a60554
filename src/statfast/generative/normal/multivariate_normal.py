# SPDX-License-Identifier: BSD-3-Clause
"""The multivariate normal distribution: estimated or given, its density, samples and geometry."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._engine import checkpoint, each, grid
from statfast._estimator import (
    ROW_DTYPES,
    by_fit,
    fitted,
    flag,
    jobs,
    one_of,
    param,
    real,
    weighted_mean,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed, Weights
from statfast._validation import (
    as_choice,
    as_count,
    as_generator,
    as_real,
    column_names,
    refuse_large,
    rows_for,
    to_array,
)
from statfast.generative.normal.covariance_factor import ROOTS, as_covariance, covariance_root
from statfast.generative.normal.discriminant_rules import normal_scores, squared_distances
from statfast.generative.normal.ellipsoid import NormalEllipsoid
from statfast.generative.normal.marginals import DerivedNormals, as_finite_vector
from statfast.generative.normal.normal_fit import FORMS

# Rows further off the subspace of a singular covariance are so by more than rounding.
MAX_DEVIATIONS_OFF_SUBSPACE = 1e-7


class MultivariateNormal(DerivedNormals):
    """Multivariate normal distribution, fitted to data or of given mean and covariance.

    Parameters
    ----------
    covariance_type : {"full", "diag", "spherical"}, default="full"
        Form of the covariance: any, without correlations, or a multiple of the identity, whose
        variance is the mean of those of the columns.
    method : {"moment", "mle"}, default="moment"
        Divisor of the scatter: the unbiased n - 1, or the maximum-likelihood n.
    shrinkage : {"ledoit_wolf", "oas"} or float between 0 and 1, optional
        Fraction of a multiple of the identity, tr(S) / d, in the covariance: by a rule (see
        `ledoit_wolf` and `oas`) or given.
    allow_singular : bool, default=False
        False refuses a singular covariance, and names its columns. True takes it by its rank r:
        densities are with respect to the r-dimensional volume of the subspace in which it varies,
        and 0 outside of it.
    tol : float, default=1e-6
        Directions of the standardized columns whose standard deviation is at most `tol` count as
        singular.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    mean_ : ndarray of shape (d,)
        Mean.
    covariance_ : ndarray of shape (d, d)
        Covariance matrix.
    rank_ : int
        Rank of the covariance, r.
    log_determinant_ : float
        Logarithm of the determinant, or of the product of the r eigenvalues that are not 0.
    n_samples_ : float
        Samples fitted, or the sum of their weights; 0 for a given distribution.
    shrinkage_ : float
        Fraction of the identity.
    n_parameters_ : int
        Free parameters: d for the mean, and d (d + 1) / 2, d or 1 for the covariance.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    QuadraticDiscriminantAnalysis : A normal distribution for each class.

    Notes
    -----
    Moments are summed in one pass about a row, in float64. Log densities come from a product with
    the inverse of the Cholesky factor, in blocks of rows. Samples are drawn block by block, each
    block from a stream of its own, so that they are the same for any number of threads.

    Cost: fit n d^2 + d^3 operations; densities of m rows m d^2. Memory: O(d^2) a thread.

    References
    ----------
    .. [1] Mardia, K. V., Kent, J. T. and Bibby, J. M. (1979). Multivariate Analysis. Academic
       Press, chapters 2 and 3.

    Examples
    --------
    >>> from statfast import MultivariateNormal
    >>> normal = MultivariateNormal.of([0.5, -1.0], [[3.0, -4.7], [-4.7, 9.0]])
    >>> normal.score_samples([[0.0, 0.0], [1.0, 2.0]]).round(5)
    array([-2.68952, -7.04797])
    >>> round(normal.ellipsoid(0.75).radius2, 4)
    2.7726
    >>> normal.conditional([1], [0.0]).mean_.round(4)
    array([-0.0222])
    """

    _parts: Any = fitted()

    covariance_type: Literal["full", "diag", "spherical"] = param(one_of(*FORMS), default="full")
    method: Literal["moment", "mle"] = param(one_of("moment", "mle"), default="moment")
    shrinkage: Literal["ledoit_wolf", "oas"] | float | None = param(by_fit, default=None)
    allow_singular: bool = param(flag, default=False)
    tol: float = param(real(0), default=1e-6)
    n_jobs: Jobs = param(jobs, default=None)

    mean_: Array = fitted()
    covariance_: Array = fitted()
    rank_: int = fitted()
    log_determinant_: float = fitted()
    n_samples_: float = fitted()
    shrinkage_: float = fitted()
    n_parameters_: int = fitted()

    @classmethod
    def of(
        cls,
        mean: ArrayLike,
        covariance: ArrayLike,
        *,
        allow_singular: bool = False,
        tol: float = 1e-6,
        n_jobs: int | None = None,
    ) -> Self:
        """Make the distribution with a given mean and covariance.

        Parameters
        ----------
        mean : array-like of shape (d,)
            Mean vector.
        covariance : array-like of shape (d, d)
            Symmetric, with no negative eigenvalue.
        allow_singular : bool, default=False
            False refuses a singular covariance, and names its columns. True takes it by its rank r:
            densities are with respect to the r-dimensional volume of the subspace in which it
            varies, and 0 outside of it.
        tol : float, default=1e-6
            Directions of the standardized columns whose standard deviation is at most `tol` count
            as singular.
        n_jobs : int, optional
            Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
            for any number.

        Returns
        -------
        MultivariateNormal
            Fitted.

        Raises
        ------
        ValueError
            If the covariance is none, is singular and that is not allowed, or the mean has other
            than d finite numbers.
        """
        model = cls(allow_singular=allow_singular, tol=tol, n_jobs=n_jobs)
        model._check()
        matrix = as_covariance(covariance)
        center = as_finite_vector(mean, len(matrix), "mean")
        return model._with_moments(center, matrix, column_names(covariance))

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
            float32 for float32 X, else float64; -inf off the subspace of a singular covariance.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        return self._log_densities(self._rows(X))

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
            -inf if a row has density 0.

        Raises
        ------
        ValueError
            As for `score_samples`.
        """
        return weighted_mean(self.score_samples(X), sample_weight)

    def mahalanobis(self, X: Rows) -> Array:
        """Return the squared Mahalanobis distance of each sample from the mean.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.

        Returns
        -------
        squared : ndarray of shape (m,)
            (x - mean)' S^-1 (x - mean); of a singular covariance by its pseudo-inverse.

        Raises
        ------
        ValueError
            As for `score_samples`.
        """
        return self._squared_distances(self._rows(X))

    def outliers(self, X: Rows, content: float = 0.975) -> Array:
        """Return which samples lie outside the ellipsoid with a given probability content.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.
        content : float, default=0.975
            Probability within: the squared distance is compared with this quantile of chi-square
            with r degrees of freedom.

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

        Raises
        ------
        ValueError
            If `content` is not between 0 and 1.
        """
        self._require_fitted()
        radius2 = self._radius2(content)
        directions, lengths, _ = np.linalg.svd(self._parts.factor, full_matrices=False)
        return NormalEllipsoid(
            float(content), radius2, self.mean_, directions, np.sqrt(radius2) * lengths,
            self._parts.whitener,
        )  # fmt: skip

    def _radius2(self, content: float) -> float:
        from scipy.special import chdtri

        self._require_fitted()
        content = as_real(content, "content", 0.0, 1.0, open_low=True, open_high=True)
        return float(chdtri(self.rank_, 1.0 - content)) if self.rank_ else 0.0

    def _log_densities(self, rows: Array) -> Array:
        height = -0.5 * (self.rank_ * np.log(2.0 * np.pi) + self._parts.log_det)
        out = normal_scores(rows, self.mean_, self._parts.whitener, height, 1.0, self.n_jobs)
        if self.rank_ < len(self.mean_):
            out[self._is_off_subspace(rows)] = -np.inf
        return out

    def _squared_distances(self, rows: Array) -> Array:
        return squared_distances(rows, self.mean_, self._parts.whitener, self.n_jobs)

    def _is_off_subspace(self, rows: Any) -> Any:
        """Which rows lie off the subspace of a singular covariance."""
        parts = self._parts
        away = np.abs((rows - self.mean_) / parts.spread @ parts.null)
        size = np.abs(self.mean_) + np.abs(rows).max(axis=0, initial=0.0)
        unit = np.finfo(rows.dtype).eps if rows.dtype.kind == "f" else 0.0
        slack = MAX_DEVIATIONS_OFF_SUBSPACE + 8.0 * unit * (size / parts.spread) @ np.abs(
            parts.null
        )
        return (away > slack).any(axis=1)

    # ------------------------------------------------------------ samples

    def sample(
        self,
        n_samples: int = 1,
        random_state: Seed = None,
        *,
        root: Literal["cholesky", "spectral", "svd"] = "cholesky",
    ) -> Array:
        """Draw samples: mean + Q z, of standard normal z and a root Q of the covariance.

        Parameters
        ----------
        n_samples : int, default=1
            Number of samples to draw.
        random_state : int, RandomState, Generator or None
            Seed or generator; an integer makes the result reproducible.
        root : {"cholesky", "spectral", "svd"}, default="cholesky"
            Q: a lower triangle; the symmetric root; or the principal axes by their standard
            deviations. All give the same distribution, and other samples.

        Returns
        -------
        X : ndarray of shape (n_samples, d), float64
            The same for any number of threads.

        Raises
        ------
        ValueError
            If a parameter is out of its range.
        """
        self._require_fitted()
        n = as_count(n_samples, "n_samples")
        as_choice(root, "root", ROOTS)
        d = len(self.mean_)
        refuse_large(8 * n * d, f"n_samples={n} rows of {d} columns", "Draw fewer at a time.")
        rng = as_generator(random_state)
        blocks = grid(n, least=1024, most=4096)
        seeds = rng.integers(2**63, size=(len(blocks), 2))
        Q, out = np.ascontiguousarray(covariance_root(self._parts, root).T), np.empty((n, d))

        def draw(task: Any) -> None:
            rows, seed = task
            checkpoint()
            stream = np.random.default_rng(seed)
            z = stream.standard_normal((rows.stop - rows.start, d))
            np.matmul(z, Q, out=out[rows])
            out[rows] += self.mean_

        tasks = zip(blocks, seeds.tolist(), strict=True)
        each(draw, tasks, n_jobs=self.n_jobs, effort=n * d * (40.0 + 2.0 * d))
        return out

    def _rows(self, X: Any) -> Array:
        self._require_fitted()
        # `apply_rule` checks the scores, which shows values that are not finite.
        return rows_for(self, X, keep=ROW_DTYPES, finite=False)

    def __sklearn_is_fitted__(self) -> bool:
        return "_parts" in self.__dict__


def mahalanobis(
    X: Rows,
    center: ArrayLike,
    covariance: ArrayLike,
    *,
    allow_singular: bool = False,
    tol: float = 1e-6,
    n_jobs: int | None = None,
) -> Array:
    """Squared Mahalanobis distance of each sample from a center, as R's ``mahalanobis``.

    Parameters
    ----------
    X : array-like of shape (m, d)
        Samples.
    center : array-like of shape (d,)
        Point from which distances are measured.
    covariance : array-like of shape (d, d) or (d,), or float
        A full covariance; the variances of a diagonal one; or the variance of a spherical one.
    allow_singular : bool, default=False
        Take a singular covariance by its pseudo-inverse; False refuses it.
    tol : float, default=1e-6
        Up to which standard deviation of the standardized columns a direction counts as singular.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    squared : ndarray of shape (m,)
        (x - center)' S^-1 (x - center); float32 for float32 X, else float64.

    Raises
    ------
    ValueError
        If X is not a finite 2-d array, center or covariance have other than its d columns, or the
        covariance is none, or is singular and that is not allowed.

    Warns
    -----
    UserWarning
        If a singular covariance is taken by its rank.

    See Also
    --------
    MultivariateNormal : Estimates center and covariance; ``MultivariateNormal.mahalanobis``.
    statfast.metrics.open_ball : Rows nearer than a radius, in this and other metrics.

    Examples
    --------
    >>> from statfast.generative import mahalanobis
    >>> X = [[8.0, 6.0], [3.0, 2.0]]
    >>> mahalanobis(X, [3.0, 2.0], 1.0)  # Euclidean: squares of 5 and 4
    array([41.,  0.])
    >>> mahalanobis(X, [3.0, 2.0], [[3.0, -1.0], [-1.0, 2.0]]).round(4)
    array([27.6,  0. ])
    """
    center = to_array(center, "center", "a list of numbers")
    d = len(as_finite_vector(center, center.size, "center"))
    sizes = to_array(covariance, "covariance", "a matrix, or a list of numbers")
    if sizes.ndim < 2:
        sizes = as_finite_vector(
            np.broadcast_to(sizes, d) if sizes.ndim == 0 else sizes, d, "covariance"
        )
        covariance = np.diag(sizes)
    settings: Any = {"allow_singular": allow_singular, "tol": tol, "n_jobs": n_jobs}
    return MultivariateNormal.of(center, covariance, **settings).mahalanobis(X)
