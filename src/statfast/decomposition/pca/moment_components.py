# SPDX-License-Identifier: BSD-3-Clause
"""Components of the moments of rows, which add up: what PCA of all rows and of batches share."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from statfast._engine import Chunks
from statfast._estimator import (
    ROW_DTYPES,
    CoefficientTable,
    FitState,
    SumFit,
    Summary,
    fitted,
    weighted_mean,
)
from statfast._typing import Array, Matrix, Rows, Weights
from statfast._validation import (
    as_csr,
    as_rows,
    as_weights,
    column_names,
    is_sparse,
    not_fitted,
    warn_user,
)
from statfast.decomposition.components.decompose import (
    components_of_moments,
    most_components,
    with_fixed_signs,
)
from statfast.decomposition.components.moments import (
    block_moments,
    moments_of,
    require_finite_moments,
    rounded_moments,
)
from statfast.decomposition.components.n_components import as_rule
from statfast.decomposition.pca.model import ComponentModel

ROUNDED = "rounded"  # in a state: statistics are made of products in float32


class MomentComponents(ComponentModel, SumFit):
    """Eigenvectors of the covariance, or of the correlation matrix, that moments give.

    They are a normal density, too: components, and noise alike in all other directions
    (probabilistic PCA; Tipping & Bishop 1999, doi:10.1111/1467-9868.00196).
    """

    # What subclasses declare, or a fit sets.
    n_components: Any = fitted()
    whiten: bool = fitted()

    explained_variance_: Array = fitted()
    noise_variance_: float = fitted()
    components_: Array = fitted()
    scale_: Any = fitted()
    explained_variance_ratio_: Array = fitted()
    n_samples_: int = fitted()

    _statistics_can_be_rescaled = True

    # ------------------------------------------------------------ the normal density

    def get_covariance(self) -> Array:
        """Return the covariance of the model: components, and noise alike in all directions.

        It is that of rows, whether scores are whitened or not.

        Returns
        -------
        covariance : ndarray of shape (d, d)
            ``V' diag(explained_variance - noise) V + noise I``, in the units of X.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        excess = (self.explained_variance_ - self.noise_variance_).clip(0.0)
        axes = vars(self)["components_"]
        covariance = (axes.T * excess) @ axes
        covariance[np.diag_indices(len(covariance))] += self.noise_variance_
        if self.scale_ is not None:
            covariance *= self.scale_[:, None] * self.scale_
        return covariance

    def get_precision(self) -> Array:
        """Return the inverse of `get_covariance`.

        Returns
        -------
        precision : ndarray of shape (d, d)

        Raises
        ------
        ValueError
            If that is singular: no noise, and fewer components than columns.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        noise, d = self._noise(), self.n_features_in_
        axes = vars(self)["components_"]
        within = 1.0 / np.maximum(self.explained_variance_, noise)
        if noise > 0.0:
            precision = (axes.T * (within - 1.0 / noise)) @ axes
            precision[np.diag_indices(d)] += 1.0 / noise
        else:
            precision = (axes.T * within) @ axes
        if self.scale_ is not None:
            precision /= self.scale_[:, None] * self.scale_
        return precision

    def _noise(self) -> float:
        """The noise, after checking that the model has a density."""
        k, d = self.components_.shape
        spread = self.explained_variance_
        if (k < d and not self.noise_variance_ > 0.0) or not spread[-1:].min(initial=1.0) > 0.0:
            raise ValueError(
                "The rows of the fit do not vary in all directions, so that the model's covariance "
                "is singular and has no density. Fit fewer components, or drop columns."
            )
        return float(self.noise_variance_) if k < d else 0.0

    def score_samples(self, X: Rows) -> Array:
        """Return the log-likelihood of each sample under probabilistic PCA.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples.

        Returns
        -------
        log_likelihood : ndarray of shape (m,)

        Raises
        ------
        ValueError
            As for `transform`, and if the covariance of the model is singular.
        """
        rows = self._rows(X)
        noise, (k, d) = self._noise(), self.components_.shape
        spread = np.maximum(self.explained_variance_, noise)
        log_det = np.log(spread).sum() + ((d - k) * np.log(noise) if k < d else 0.0)
        if self.scale_ is not None:
            log_det += 2.0 * np.log(self.scale_).sum()
        parts = []
        for scores, residual in self._squares(rows):
            distance = (scores**2 / spread).sum(axis=1)
            if k < d:
                distance += residual.sum(axis=1) / noise
            parts.append(distance)
        return -(np.concatenate(parts) + d * np.log(2.0 * np.pi) + log_det) / 2.0

    def score(self, X: Rows, y: object = None, sample_weight: Weights = None) -> float:
        """Return the mean log-likelihood of the samples under probabilistic PCA.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
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

    def summary(self) -> Summary:
        """Return the importance of the components, as R's ``summary(prcomp(x))``.

        Returns
        -------
        Summary
            Standard deviation, fraction of the variance, and their sum, for each component.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        share = self.explained_variance_ratio_
        columns = {
            "Std. dev.": np.sqrt(self.explained_variance_),
            "Share": share,
            "Cumulative": np.cumsum(share),
        }
        facts = [
            ("Rows", self.n_samples_),
            ("Columns", self.n_features_in_),
            ("Components", len(share)),
            ("Scaled", "no" if self.scale_ is None else "yes"),
        ]
        names = [f"PC{j + 1}" for j in range(len(share))]
        return Summary("Principal components", facts, CoefficientTable(names, columns))

    # ------------------------------------------------------------ the protocol of sums

    def _check_parameters(self) -> None:
        self._checked()

    def _rule(self, n: int | None, total_weight: float, d: int) -> Any:
        return as_rule(self.n_components, n, total_weight, d)

    def _correlates(self) -> bool:
        """Whether columns are divided by their standard deviations first."""
        return False

    def _prepare(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Weights = None,
        *,
        least: int = 2,
        finite: bool = False,
    ) -> tuple[tuple[Matrix, Array | None], FitState]:
        """Checked rows and weights. For `partial_fit`, `least` is 1 row, and the columns are to be
        those of the batches before."""
        self._check_parameters()
        if isinstance(X, Chunks) and least > 1:
            if sample_weight is not None:
                raise ValueError(
                    "sample_weight must be None with Chunks. Use partial_fit with both."
                )
            return (X, None), FitState(0)
        if least == 1 and "_moments" in self.__dict__:
            rows = self._rows_like_fitted(X)
        elif is_sparse(X):
            rows = as_csr(X, n_min=least)
        else:
            rows = as_rows(X, keep=ROW_DTYPES, n_min=least, finite=finite)
        weights = as_weights(sample_weight, rows.shape[0])
        if least > 1 and weights is not None:
            _require_weight(weights.sum())
        return (rows, weights), FitState(rows.shape[1], column_names(X))

    @staticmethod
    def _statistics(columns: Any, state: FitState) -> Any:
        rounded = state.more == ROUNDED and columns[1] is None
        return rounded_moments(columns, True) if rounded else block_moments(columns, True)

    def _total(self, columns: Any, state: FitState) -> Any:
        return moments_of(*columns, n_jobs=self._threads())

    def _solve(self, moments: Any, state: FitState) -> Self:
        if moments.n < 2:
            raise ValueError(
                f"X has {moments.n} sample(s) while a minimum of 2 is required. Pass more rows."
            )
        _require_weight(moments.total_weight)
        choose = self._rule(moments.n, moments.total_weight, len(moments.mean))
        return self._become(moments, state, choose)

    def _solve_so_far(self, moments: Any, state: FitState) -> Self:
        d = len(moments.mean)
        if moments.total_weight <= 1.0:
            named = FitState(d, state.names).published()
            return self._publish(None, **named, _moments=moments)
        choose = self._rule(None, moments.total_weight, d)
        if not callable(choose):
            choose = min(choose, most_components(moments.n, moments.total_weight, d))
        return self._become(moments, state, choose, _moments=moments)

    def _become(self, moments: Any, state: FitState, choose: int, **more: Any) -> Self:
        require_finite_moments(moments, None)  # Batches may lie too far apart to be merged.
        components = with_fixed_signs(
            components_of_moments(moments, choose, correlation=self._correlates())
        )
        return self._published(components, state, **more)

    def _published(self, components: Any, state: FitState, **more: Any) -> Self:
        """Become fitted by components."""
        k, freedom = len(components.vectors), components.total_weight - 1.0
        variance = components.singular**2 / freedom
        total = components.total / freedom
        most = most_components(components.n, components.total_weight, len(components.mean))
        noise = (total - variance.sum()) / (most - k) if k < most else 0.0
        if components.constant and self._correlates():
            shown = ", ".join(str(j) for j in components.constant[:5])
            warn_user(
                f"Left out of the components, as constant: column(s) {shown} of X. Their "
                "coefficients are 0."
            )
        elif not total > 0.0:
            warn_user("No column of X varies: the components are any directions.")
        projection = components.vectors
        if components.scale is not None:
            projection = projection / components.scale
        if self.whiten:
            live = variance > 0.0
            by = np.where(live, 1.0 / np.sqrt(np.where(live, variance, 1.0)), 0.0)
            projection = by[:, None] * projection
        return self._publish(
            None,
            components_=components.vectors,
            explained_variance_=variance,
            explained_variance_ratio_=variance / total if total > 0.0 else np.zeros(k),
            singular_values_=components.singular,
            mean_=components.mean,
            n_components_=k,
            n_samples_=components.n,
            noise_variance_=max(0.0, float(noise)),
            _projection=np.ascontiguousarray(projection),
            **FitState(len(components.mean), state.names).published(),
            **more,
        )


def _require_weight(total_weight: float) -> None:
    if total_weight <= 1.0:
        raise ValueError(
            f"sample_weight must sum to more than 1; got {total_weight:g}. An integer weight "
            "stands for repeated rows: scale the weights to sum to the number of rows."
        )
