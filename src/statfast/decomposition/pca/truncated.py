# SPDX-License-Identifier: BSD-3-Clause
"""Truncated singular value decomposition: components about the origin."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    ROW_DTYPES,
    column_moments,
    count,
    fitted,
    jobs,
    one_of,
    param,
    randomness,
    real,
    summed,
)
from statfast._typing import Array, Jobs, Matrix, Rows, Seed, Weights
from statfast._validation import (
    as_count,
    as_csr,
    as_generator,
    as_rows,
    as_weights,
    is_sparse,
    warn_user,
)
from statfast.decomposition.components.decompose import decompose
from statfast.decomposition.components.krylov import TOL
from statfast.decomposition.pca.model import ComponentModel


class TruncatedSVD(ComponentModel):
    """Truncated singular value decomposition, without centering (latent semantic analysis).

    ``X = U S V'``, of which the k largest singular values are kept; the scores are ``U S = X V``.

    Parameters
    ----------
    n_components : int, default=2
        How many, at most the columns of X.
    algorithm : {"randomized", "arpack"}, default="randomized"
        Without meaning for the answer: both find the singular vectors themselves, by the products
        of columns or rows where these are few, else by a block Krylov iteration that converges.
    n_iter : int, default=5
        Without meaning: iterations run until their residual is met.
    n_oversamples : int, default=10
        Vectors that iterations carry beyond those asked for.
    power_iteration_normalizer : {"auto", "OR", "QR", "LU", "none"}, default="auto"
        Without meaning: what iterations carry is always orthonormal.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the start of iterations; an integer makes the result reproducible. None
        takes the same start each time.
    tol : float, default=0.0
        Residual at which iterations end, relative to the largest squared singular value. 0 is
        1e-10.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    components_ : ndarray of shape (k, d)
        Right singular vectors, the largest entry of each positive.
    singular_values_ : ndarray of shape (k,)
        Singular values of the centered data.
    explained_variance_ : ndarray of shape (k,)
        Variance of the scores about their mean, with divisor n.
    explained_variance_ratio_ : ndarray of shape (k,)
        Its fraction of the variance of all columns.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Only where the columns of X have names.

    Raises
    ------
    ValueError
        From ``fit``: if X is not a finite 2-d array, or more components are asked for than it has
        columns.

    Notes
    -----
    With more components than rows, those beyond the rows complete the others, with a singular value
    of 0. Components with equal singular values are any basis of their plane. O(n d^2) time and
    O(d^2) memory for tall X, O(n d k) for each step of an iteration.

    References
    ----------
    Halko, Martinsson & Tropp 2011, doi:10.1137/090771806. Musco & Musco 2015, arXiv:1504.05477.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.decomposition import TruncatedSVD
    >>> X = np.outer([1.0, 2.0, 2.0], [3.0, 4.0])
    >>> TruncatedSVD(n_components=1).fit(X).singular_values_.round(6).tolist()
    [15.0]
    """

    n_components: int = param(count(), default=2, kw_only=False)
    algorithm: Literal["randomized", "arpack"] = param(
        one_of("randomized", "arpack"), default="randomized"
    )
    n_iter: int = param(count(0), default=5)
    n_oversamples: int = param(count(0), default=10)
    power_iteration_normalizer: Literal["auto", "OR", "QR", "LU", "none"] = param(
        one_of("auto", "OR", "QR", "LU", "none"), default="auto"
    )
    random_state: Seed = param(randomness, default=None)
    tol: float = param(real(0), default=0.0)
    n_jobs: Jobs = param(jobs, default=None)

    components_: Array = fitted()
    singular_values_: Array = fitted()
    explained_variance_: Array = fitted()
    explained_variance_ratio_: Array = fitted()

    scale_ = None  # Columns are neither moved nor divided.

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Fit the leading singular vectors.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
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
            As the class says.
        """
        self._fitted_rows(X, sample_weight)
        return self

    def fit_transform(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Any:
        """Fit the leading singular vectors, and return the scores.

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

        Raises
        ------
        ValueError
            As the class says.
        """
        return self._scores(self._fitted_rows(X, sample_weight))

    def _fitted_rows(self, X: Any, sample_weight: Weights) -> Matrix:
        tol = self._checked().tol or TOL
        rng = None if self.random_state is None else as_generator(self.random_state)
        rows = as_csr(X) if is_sparse(X) else as_rows(X, keep=ROW_DTYPES, finite=False)
        weights = as_weights(sample_weight, rows.shape[0])
        n, d = rows.shape
        k = as_count(self.n_components, "n_components", 1, d, limit="the number of columns of X")
        components = decompose(
            rows, weights, k, center=False, rng=rng, tol=tol,
            oversampling=min(self.n_oversamples, d), n_jobs=self.n_jobs,
        )  # fmt: skip
        columns = summed(
            lambda block, _: column_moments(*block), (rows, weights), None, n_jobs=self.n_jobs,
            effort=8.0 * n * d,
        )  # fmt: skip
        means = components.vectors @ columns.mean
        variance = (components.singular**2 / columns.total_weight - means**2).clip(0.0)
        total = float(columns.squares.sum()) / columns.total_weight
        if not total > 0.0:
            warn_user("No column of X varies: no component explains any variance.")
        self._publish(
            X,
            components_=components.vectors,
            singular_values_=components.singular,
            explained_variance_=variance,
            explained_variance_ratio_=variance / total if total > 0.0 else np.zeros(k),
            n_features_in_=d,
            _projection=components.vectors,
        )
        return rows

    @property  # type: ignore[misc]
    def mean_(self) -> Array:
        """The origin: nothing is taken off."""
        return np.zeros(self.n_features_in_)
