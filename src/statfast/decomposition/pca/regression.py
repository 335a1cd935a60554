# SPDX-License-Identifier: BSD-3-Clause
"""Principal component regression: least squares on the scores of the leading components."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from statfast._estimator import (
    FitState,
    Regressor,
    SumFit,
    by_fit,
    fitted,
    flag,
    jobs,
    param,
    summed,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Weights
from statfast._validation import (
    as_rows,
    as_targets,
    as_type,
    as_weights,
    column_names,
    require_finite,
    rows_for,
)
from statfast.decomposition.components.decompose import scale_of
from statfast.decomposition.components.eigen import fix_signs, largest_eigen
from statfast.decomposition.components.krylov import project_rows
from statfast.decomposition.components.moments import (
    Moments,
    block_moments,
    require_finite_moments,
    require_squares,
)
from statfast.decomposition.components.n_components import as_rule


class PrincipalComponentRegression(Regressor, SumFit):
    """Principal component regression: least squares on the scores of the leading components.

    A penalty by counting: directions in which X varies little, where coefficients are uncertain,
    are left out. With all components it is least squares itself.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        How many to keep: a number, a proportion of the variance of X, a rule ("mle", "kaiser",
        "broken_stick"), or None for all.
    scale : bool, default=False
        Divide columns by their standard deviation first, as R's ``pls::pcr(scale = TRUE)``.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    coef_ : ndarray of shape (d,), or (T, d) for several targets
        Coefficients of the columns of X.
    intercept_ : float, or ndarray of shape (T,)
        Intercept.
    components_ : ndarray of shape (k, d)
        The components, the largest entry of each positive.
    score_coef_ : ndarray of shape (k,), or (T, k)
        Coefficients of the scores, which are uncorrelated: dropping one changes no other.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (k,)
        Variance of the scores, and its fraction of the variance of X.
    mean_ : ndarray of shape (d,)
        Mean.
    scale_ : ndarray of shape (d,) or None
        Standard deviations of the features, if they were divided by them.
    n_components_, n_features_in_ : int
        Numbers of components and of features.
    feature_names_in_ : ndarray of shape (d,)
        Only where the columns of X have names.

    Raises
    ------
    ValueError
        From ``fit``: if X or y is not finite, has fewer than two rows, or X has fewer columns or
        rows than components asked for.

    Notes
    -----
    The fit is a sum over blocks of rows: moments of X and y together. Components whose variance is
    rounding, below d units in the last place of the largest, have coefficient 0. O(n (d + T)^2)
    time, O((d + T)^2) memory.

    References
    ----------
    Massy 1965, Principal components regression in exploratory statistical research,
    doi:10.1080/01621459.1965.10480787. Jolliffe 2002, Principal Component Analysis,
    doi:10.1007/b98835.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.decomposition import PrincipalComponentRegression
    >>> x = np.arange(6.0)
    >>> X = np.column_stack([x, 2 * x])  # collinear: least squares alone is not defined
    >>> model = PrincipalComponentRegression(n_components=1).fit(X, 5 * x)
    >>> model.coef_.round(6).tolist()
    [1.0, 2.0]
    """

    _level: Any = fitted()

    n_components: float | str | None = param(by_fit, default=None, kw_only=False)
    scale: bool = param(flag, default=False)
    n_jobs: Jobs = param(jobs, default=None)

    coef_: Any = fitted(follows_rows=True)
    intercept_: Any = fitted(follows_rows=True)
    components_: Array = fitted(follows_rows=True)
    score_coef_: Any = fitted()
    explained_variance_: Array = fitted()
    explained_variance_ratio_: Array = fitted()
    mean_: Array = fitted()
    scale_: Any = fitted()
    n_components_: int = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit the components of X, and regress y on their scores.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples.
        y : array-like of shape (n,) or (n, T)
            Target values.
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
        return self._fit_sum(X, y, sample_weight)

    def predict(self, X: Rows) -> Array:
        """Predict the target.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.

        Returns
        -------
        ndarray of shape (m,) or (m, T)
            float32 if X is.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        rows = rows_for(self, X, finite=False)
        slopes = np.atleast_2d(vars(self)["coef_"])
        out, finite = project_rows(rows, self.mean_, slopes, self.n_jobs, np.float64)
        if not finite:
            require_finite(rows)
        out += self._level
        if not np.isfinite(out).all():
            raise ValueError("X holds values so large that predictions overflow. Rescale it.")
        out = as_type(out, rows.dtype)
        return out[:, 0] if vars(self)["coef_"].ndim == 1 else out

    # ------------------------------------------------------------ the protocol of sums

    _multi_output = True
    _statistics_can_be_rescaled = True
    _solve_parameters = ("n_components", "scale")

    def _prepare(
        self, X: Any, y: Any, sample_weight: Weights = None
    ) -> tuple[tuple[Array, Array, Array | None], FitState]:
        self._checked()
        rows = as_rows(X, n_min=2, finite=False)
        targets, flat = as_targets(y, len(rows))
        weights = as_weights(sample_weight, len(rows))
        if weights is not None and weights.sum() <= 1.0:
            raise ValueError(
                f"sample_weight must sum to more than 1; got {weights.sum():g}. An integer weight "
                "stands for repeated rows: scale the weights to sum to the number of rows."
            )
        n = len(rows) if weights is None else int(np.count_nonzero(weights))
        total_weight = float(len(rows)) if weights is None else float(weights.sum())
        as_rule(self.n_components, n, total_weight, rows.shape[1])
        return (rows, targets, weights), FitState(rows.shape[1], column_names(X), more=flat)

    @staticmethod
    def _statistics(columns: tuple[Array, Array, Array | None], state: FitState) -> Moments:
        X, y, weights = columns
        return block_moments((np.hstack([X, y]), weights), True)

    def _total(self, columns: tuple[Array, Array, Array | None], state: FitState) -> Moments:
        rows, targets, _ = columns
        moments = summed(
            self._statistics,
            columns,
            state,
            n_jobs=self.n_jobs,
            effort=float(len(rows)) * (rows.shape[1] + targets.shape[1]) ** 2,
            least=max(2048, rows.shape[1]),
        )
        require_finite_moments(moments, rows)
        return moments

    def _solve(self, moments: Moments, state: FitState) -> Self:
        if moments.n < 2:
            raise ValueError(f"X has {moments.n} sample(s) while a minimum of 2 is required.")
        d, whole, freedom = state.n_features, moments.matrix(), moments.total_weight - 1.0
        matrix, cross = whole[:d, :d], whole[:d, d:]
        mean, level = moments.mean[:d], moments.mean[d:]
        require_squares(matrix)
        scale = None
        if self.scale:
            scale, constant = scale_of(moments.diagonal()[:d], mean, moments.total_weight)
            matrix = matrix / (scale[:, None] * scale)
            cross = cross / scale[:, None]
            for part in (matrix, matrix.T, cross):
                part[list(constant)] = 0.0
        values, vectors = largest_eigen(matrix, d)
        k = as_rule(self.n_components, moments.n, moments.total_weight, d)
        k = k(values, moments) if callable(k) else k
        total = float(values.sum())
        values, vectors = values[:k], fix_signs(vectors[:k])
        live = values > 4.0 * d * np.finfo(float).eps * values[0]
        by_score = np.where(live, 1.0 / np.where(live, values, 1.0), 0.0)[:, None] * (
            vectors @ cross
        )
        slopes = by_score.T @ vectors
        if scale is not None:
            slopes = slopes / scale
        intercept = level - slopes @ mean
        fitted = {
            "coef_": slopes[0] if state.more else slopes,
            "intercept_": float(intercept[0]) if state.more else intercept,
            "components_": vectors,
            "score_coef_": by_score[:, 0] if state.more else by_score.T,
            "explained_variance_": values / freedom,
            "explained_variance_ratio_": values / total if total > 0.0 else np.zeros(k),
            "mean_": mean,
            "scale_": scale,
            "n_components_": k,
            "_level": level,
            **state.published(),
        }
        return self._publish(None, **fitted)
