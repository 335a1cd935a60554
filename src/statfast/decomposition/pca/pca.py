# SPDX-License-Identifier: BSD-3-Clause
"""Principal component analysis: the directions of largest variance, by whichever way suits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, Self, cast

import numpy as np

from statfast._engine import Chunks
from statfast._estimator import by_fit, count, fitted, flag, jobs, one_of, param, randomness, real
from statfast._typing import Array, Jobs, Matrix, Rows, Seed, Weights
from statfast._validation import as_generator, as_weights, not_fitted, require_random_state
from statfast.decomposition.components.decompose import (
    components_of_rounded_moments,
    decompose,
    may_round,
    with_fixed_signs,
)
from statfast.decomposition.components.krylov import TOL
from statfast.decomposition.pca.moment_components import ROUNDED, MomentComponents

SOLVERS = ("auto", "full", "covariance_eigh", "arpack", "randomized")


class PCA(MomentComponents):
    """Principal component analysis of the covariance or correlation matrix.

    The components are the orthonormal directions v in which the rows, less their mean, vary most,
    ``max v' S v``, each at right angles to those before: eigenvectors of the covariance S.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        How many to keep. None keeps min(n, d); a share between 0 and 1 the fewest with more than
        that fraction of the variance; "mle" as many as Minka's evidence is largest for; "kaiser"
        those above the mean eigenvalue; "broken_stick" those that hold more than random pieces of a
        stick (see `choose_components`).
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.
    whiten : bool, default=False
        Divide scores by their standard deviation. A component without variance scores 0.
    svd_solver : {"auto", "full", "covariance_eigh", "arpack", "randomized"}, default="auto"
        "auto" takes the covariance of tall X, the products of rows of wide X, and a block Krylov
        iteration for few components of X that is large both ways; where a singular value that is
        kept is small, a second pass over the rows restores its digits. "full" is the same without
        the iteration, "covariance_eigh" the covariance without a second pass. "arpack" and
        "randomized" iterate wherever few components are asked for. All converge: no solver gives
        an approximation.
    tol : float, default=0.0
        Residual at which iterations end, relative to the largest eigenvalue. 0 is 1e-10, and 3e-8
        of float32 rows.
    iterated_power : int or "auto", default="auto"
        Without meaning: iterations run until their residual is met.
    n_oversamples : int, default=10
        Vectors that iterations carry beyond those asked for.
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        Without meaning: what iterations carry is always orthonormal.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the start of iterations; an integer makes the result reproducible. None
        takes the same start each time.
    correlation : bool, default=False
        Divide columns by their standard deviation (divisor n - 1) first, as R's
        ``prcomp(x, scale. = TRUE)``. Constant columns are left out, with a warning.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    components_ : ndarray of shape (k, d)
        Directions, by falling variance. Of each the entry largest in size, the first of those
        alike, is positive, which is scikit-learn's rule; R leaves signs to chance.
    explained_variance_ : ndarray of shape (k,)
        Variance of the scores, with divisor n - 1.
    explained_variance_ratio_ : ndarray of shape (k,)
        Its fraction of the variance of all columns.
    singular_values_ : ndarray of shape (k,)
        Of the samples less their mean (and scaled, with `correlation`). 0 where it is rounding.
    sdev_ : ndarray of shape (k,)
        Square root of `explained_variance_`: R's ``sdev``.
    loadings_ : ndarray of shape (d, k)
        `components_` as columns: R's ``rotation``, and ``loadings`` of ``princomp``.
    mean_ : ndarray of shape (d,)
        Mean of the columns.
    scale_ : ndarray of shape (d,) or None
        By which columns were divided; 1 for constant ones, None without `correlation`.
    n_components_ : int
        How many components were kept.
    n_samples_ : int
        Samples with a positive weight.
    noise_variance_ : float
        Mean variance of the components left out.
    residuals_ : ndarray of shape (k,) or None
        Of an iteration: ``|S v - lambda v|`` over the largest eigenvalue. None without one.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Only where the columns of X have names.

    Raises
    ------
    ValueError
        From ``fit``: if X is not a finite 2-d array, has fewer than two rows or values whose
        squares overflow; if more components are asked for than there are rows or columns; if a
        share is asked for of rows without variance.
    MemoryError
        If a covariance of all columns would take more than half the free memory.

    Notes
    -----
    The covariance is a sum over blocks of rows, each about its own mean, merged by the formulas of
    Chan, Golub and LeVeque: ``X + 1e8`` has the components of X. `partial_fit` and `Chunks`
    therefore give the components of all rows, not an approximation. Sparse rows are centered
    implicitly.

    Few components of float32 rows come from products in float32, 128 of which are added in float32
    and their sums in float64: they are right to 1e-5 of the answer for the same rows in float64,
    mostly to 1e-8. Where an eigenvalue asked for is below a tenth of the largest variance of a
    column (of wide X, of the longest row; of an iteration, a hundredth of the largest eigenvalue),
    all is done in float64.

    With `sample_weight`, an integer weight is a repeated row. Components with equal variance are
    any basis of their plane; ties are not broken.

    O(n d^2) time and O(d^2) memory for tall X, O(n^2 d) and O(n^2) for wide X, O(n d k) for each
    step of the iteration. The second pass, for singular values below 1e-3 of the largest, costs
    O(n d k).

    References
    ----------
    Chan, Golub & LeVeque 1983, Algorithms for computing the sample variance,
    doi:10.1080/00031305.1983.10483115. Musco & Musco 2015, Randomized block Krylov methods,
    arXiv:1504.05477. Fukaya et al. 2020, Shifted Cholesky QR, doi:10.1137/18M1218212. Tipping &
    Bishop 1999, Probabilistic principal component analysis, doi:10.1111/1467-9868.00196.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.decomposition import PCA
    >>> iris = load_iris()
    >>> pca = PCA(n_components=2).fit(iris.data)
    >>> pca.explained_variance_ratio_.round(3).tolist()
    [0.925, 0.053]
    >>> pca.transform(iris.data).shape
    (150, 2)
    """

    _deviation: Any = fitted()

    n_components: float | str | None = param(by_fit, default=None, kw_only=False)
    copy: bool = param(flag, default=True)
    whiten: bool = param(flag, default=False)
    svd_solver: Literal["auto", "full", "covariance_eigh", "arpack", "randomized"] = param(
        one_of(*SOLVERS), default="auto"
    )
    tol: float = param(real(0), default=0.0)
    iterated_power: int | Literal["auto"] = param(one_of("auto") | count(0), default="auto")
    n_oversamples: int = param(count(0), default=10)
    power_iteration_normalizer: Literal["auto", "QR", "LU", "none"] = param(
        one_of("auto", "QR", "LU", "none"), default="auto"
    )
    random_state: Seed = param(randomness, default=None)
    correlation: bool = param(flag, default=False)
    n_jobs: Jobs = param(jobs, default=None)

    components_: Array = fitted()
    explained_variance_: Array = fitted()
    explained_variance_ratio_: Array = fitted()
    singular_values_: Array = fitted()
    sdev_: Array = fitted()
    loadings_: Array = fitted()
    mean_: Array = fitted()
    scale_: Any = fitted()
    n_components_: int = fitted()
    n_samples_: int = fitted()
    noise_variance_: float = fitted()
    residuals_: Any = fitted()

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Fit the components.

        Parameters
        ----------
        X : {array-like, sparse matrix, Chunks} of shape (n, d)
            Chunks are read once.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample. Not with Chunks.

        Returns
        -------
        self

        Raises
        ------
        ValueError, MemoryError
            As the class says.
        """
        return self._fit_sum(X, y, sample_weight)

    def fit_transform(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Any:
        """Fit the components, and return the scores.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        scores : ndarray of shape (n, k)
            float32 for float32 X, else float64.

        Raises
        ------
        ValueError, MemoryError
            As the class says.
        """
        if isinstance(X, Chunks):
            raise TypeError("X must be an array or a sparse matrix here. Use fit, and transform.")
        columns, state = self._prepare(X, y, sample_weight)
        return cast(PCA, self._fit_local(columns, state))._scores(columns[0])

    def partial_fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Update the components with more samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        self
            Fitted once there are two samples. While there are fewer samples than components asked
            for, there are as many components as samples.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the first call.

        Warns
        -----
        UserWarning
            If ``fit`` came before, which keeps no covariance to which more samples could be added:
            the components are those of these samples alone.
        """
        return self._merge_sum(*self._prepare(X, y, sample_weight, least=1))

    # ------------------------------------------------------------ tables, as of R's FactoMineR

    def cos2(self, X: Rows) -> Array:
        """Return the squared cosines: how well each component represents each sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples.

        Returns
        -------
        cos2 : ndarray of shape (m, k)
            Squared cosine of the angle between a row, less the mean, and a component; 0 for the
            mean itself. The entries of a row sum to 1 if all components are kept.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        parts = []
        for scores, residual in self._squares(self._rows(X)):
            squares = scores**2
            total = (squares.sum(axis=1) + residual.sum(axis=1))[:, None]
            parts.append(np.divide(squares, total, out=np.zeros_like(squares), where=total > 0.0))
        return np.concatenate(parts)

    def contributions(self, X: Rows, sample_weight: Weights = None) -> Array:
        """Return the contribution of each sample to the variance of each component.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows of the fit.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples, those of the fit.

        Returns
        -------
        contributions : ndarray of shape (n, k)
            Weight times squared score over the sum of those of the fit: each column sums to 1 for
            the rows of the fit. FactoMineR shows a hundred times as much.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        rows = self._rows(X)
        weights = as_weights(sample_weight, rows.shape[0])
        squares = np.concatenate([scores**2 for scores, _ in self._squares(rows)])
        if weights is not None:
            squares *= weights[:, None]
        return self._over(squares, self.singular_values_**2)

    def variable_coordinates(self) -> Array:
        """Return the coordinates of the features on the components.

        Returns
        -------
        coordinates : ndarray of shape (d, k)
            Component times standard deviation of its scores: the covariance of a column with a
            standardized score. With ``correlation=True`` that is a correlation, and the points lie
            in the unit circle.
        """
        self._need_fit()
        return self.loadings_ * self.sdev_

    def variable_correlations(self) -> Array:
        """Return the correlations of the features with the scores.

        Returns
        -------
        correlations : ndarray of shape (d, k)
            Those of constant columns are 0.
        """
        self._need_fit()
        deviation = self._deviation / (1.0 if self.scale_ is None else self.scale_)
        return self._over(self.variable_coordinates().T, deviation).T

    def variable_cos2(self) -> Array:
        """Return the squared cosines of the features: how well components represent them.

        Returns
        -------
        cos2 : ndarray of shape (d, k)
            Squared correlations.
        """
        return self.variable_correlations() ** 2

    def variable_contributions(self) -> Array:
        """Return the contribution of each feature to each component.

        Returns
        -------
        contributions : ndarray of shape (d, k)
            Squared components: each column sums to 1. FactoMineR shows a hundred times as much.
        """
        self._need_fit()
        return self.loadings_**2

    @staticmethod
    def _over(table: Array, divisor: Array) -> Array:
        """The columns of a table by a divisor each, 0 where that is 0."""
        return np.divide(table, divisor, out=np.zeros_like(table), where=divisor > 0.0)

    def _need_fit(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    # ------------------------------------------------------------ the protocol of sums

    _solve_parameters = ("n_components", "whiten", "correlation")

    def _check_parameters(self) -> None:
        self._checked()
        require_random_state(self.random_state)

    def _correlates(self) -> Any:
        return self.correlation

    def _fit_local(self, columns: tuple[Matrix, Array | None], state: Any) -> Self | None:
        rows, weights = columns
        if isinstance(rows, Chunks):
            return None
        n, d = rows.shape
        total_weight = float(n) if weights is None else float(weights.sum())
        n = n if weights is None else int(np.count_nonzero(weights))
        components = decompose(
            rows,
            weights,
            self._rule(n, total_weight, d),
            correlation=self.correlation,
            solver=self.svd_solver,
            rng=None if self.random_state is None else as_generator(self.random_state),
            tol=self.tol or TOL,
            oversampling=min(self.n_oversamples, d),
            n_jobs=self.n_jobs,
        )
        return self._published(components, state)

    def _fit_rounded(
        self, total: Callable[[Any], Any], n: int, dtype: Any, state: Any
    ) -> Self | None:
        d = state.n_features
        if not may_round((n, d), dtype, self._rule(n, float(n), d)):
            return None
        moments = total(replace(state, more=ROUNDED))
        if moments is None or moments.n < 2 or moments.total_weight <= 1.0:
            return None
        choose = self._rule(moments.n, moments.total_weight, d)
        components = components_of_rounded_moments(moments, choose, correlation=self._correlates())
        return None if components is None else self._published(with_fixed_signs(components), state)

    def _published(self, components: Any, state: Any, **more: Any) -> Self:
        return super()._published(
            components,
            state,
            sdev_=np.sqrt(components.singular**2 / (components.total_weight - 1.0)),
            loadings_=components.vectors.T,
            scale_=components.scale,
            residuals_=components.residuals,
            _deviation=components.deviation,
            **more,
        )
