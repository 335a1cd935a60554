# SPDX-License-Identifier: BSD-3-Clause
"""The fit of a multivariate normal distribution: rows to moments, moments to a covariance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self, cast

import numpy as np

from statfast._engine import Chunks
from statfast._estimator import ROW_DTYPES, FitState, SumFit, fitted
from statfast._typing import Array, Jobs, Rows, Weights
from statfast._validation import (
    as_rows,
    as_weights,
    column_names,
    require_finite,
    rows_for,
    wrong_type,
)
from statfast.generative.normal.class_moments import class_scatters
from statfast.generative.normal.covariance_factor import factor_covariance, warn_singular
from statfast.generative.normal.quartic_moments import quartic_moments
from statfast.generative.normal.shrinkage import (
    as_shrinkage,
    ledoit_wolf_share,
    oas_share,
    shrink,
)

FORMS = ("full", "diag", "spherical")
RULES = ("ledoit_wolf", "oas")


def moments_of_rows(
    columns: tuple[Chunks | Array, Array | None], state: FitState, n_jobs: Jobs = None
) -> Any:
    """The moments of rows and weights, which add up over blocks of rows."""
    X, weights = columns
    if isinstance(X, Chunks):
        total, stop = None, 0
        for chunk in X:
            start, stop = stop, stop + len(chunk)
            if len(chunk) and (weights is None or stop <= len(weights)):
                share = None if weights is None else weights[start:stop]
                more = moments_of_rows((chunk, share), state, n_jobs)
                total = more if total is None else total + more
        if weights is not None and len(weights) != stop:
            raise ValueError(
                f"sample_weight must have one weight per row of X ({stop}); got {len(weights)}. "
                "Pass X and weights of the same length."
            )
        return total
    if state.more == "quartic":
        return quartic_moments(X, weights, n_jobs=n_jobs)
    return class_scatters(X, np.zeros(X.shape[0], np.intp), weights, 1, n_jobs=n_jobs)


class NormalFit(SumFit):
    """Fits of `MultivariateNormal`."""

    # What subclasses declare, or a fit sets.
    method: Any = fitted()
    _squared_distances: ClassVar[Callable[..., Any]]
    _parts: Any = fitted()

    covariance_type: str
    shrinkage: Any
    allow_singular: bool
    n_jobs: Jobs
    _log_densities: ClassVar[Callable[..., Any]]

    _statistics = staticmethod(moments_of_rows)
    _statistics_cut_blocks = True
    _solve_parameters = ("covariance_type", "method", "allow_singular", "tol")

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Estimate mean and covariance.

        Parameters
        ----------
        X : array-like of shape (n, d), or Chunks
            The samples, finite. A memory map is read block by block, `Chunks` once, chunk by chunk.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : MultivariateNormal

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, has one row where the divisor is n - 1, has a singular
            covariance that is not allowed, or if a parameter is out of its range.
        TypeError
            If X is sparse, or a parameter is of the wrong type.
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
        self : MultivariateNormal
            Itself; unfitted as long as the covariance of all samples is singular and that is not
            allowed.

        Raises
        ------
        ValueError
            As for `fit`, or if X has other columns than before.
        """
        if "_moments" in self.__dict__:
            rows_for(self, X, keep=ROW_DTYPES, finite=False)
        return self._merge_sum(*self._prepare(X, y, sample_weight))

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> Any:
        self._check()
        if isinstance(X, Chunks):
            return (X, as_weights(sample_weight, None)), FitState(0, None, None, self._kind())
        rows = as_rows(X, keep=ROW_DTYPES, finite=False)
        weights = as_weights(sample_weight, rows.shape[0])
        state = FitState(rows.shape[1], column_names(X), None, self._kind())
        return (rows, weights), state

    def _total(self, columns: tuple[Chunks | Array, Array | None], state: FitState) -> Any:
        return moments_of_rows(columns, state, self.n_jobs)

    def _solve_so_far(self, total: Any, state: FitState) -> Self:
        try:
            return self._solve(total, state)
        except np.linalg.LinAlgError:
            return self._publish(None, **state.published(), _moments=total)

    def _solve(self, total: Any, state: FitState) -> Self:
        """Become fitted from merged moments."""
        self._check()
        total_weight, d = float(total.class_counts[0]), total.means.shape[1]
        divisor = total_weight - 1.0 if self.method == "moment" else total_weight
        if divisor <= 0.0:
            raise np.linalg.LinAlgError(
                f"X has {total_weight:g} sample(s), of which there is no unbiased covariance. Pass "
                'more rows, or use method="mle".'
            )
        likely = total.scatters[0] / total_weight
        share = as_shrinkage(self.shrinkage, RULES)
        if share == "ledoit_wolf":
            share = ledoit_wolf_share(total_weight, likely, total.quartic)
        elif share == "oas":
            share = oas_share(total_weight, likely)
        matrix = total.scatters[0] / divisor
        if share is not None:
            matrix = shrink(matrix, share)
        if self.covariance_type == "diag":
            matrix = np.diag(matrix.diagonal())
        elif self.covariance_type == "spherical":
            matrix = np.eye(d) * (np.trace(matrix) / d)
        mean = total.means[0]
        fitted = attributes_of_covariance(self, mean, matrix, np.abs(mean), state.names)
        fitted["n_parameters_"] = (
            d + {"full": d * (d + 1) // 2, "diag": d, "spherical": 1}[self.covariance_type]
        )
        named = {} if state.names is None else {"feature_names_in_": state.names}
        return self._publish(
            None, **named, n_features_in_=d, n_samples_=total_weight, shrinkage_=share or 0.0,
            _moments=total, **fitted,
        )  # fmt: skip

    def _check(self) -> None:
        self._checked()
        as_shrinkage(self.shrinkage, RULES)

    def _kind(self) -> str:
        return "quartic" if self.shrinkage == "ledoit_wolf" else "scatters"

    def leave_one_out(self, X: Rows, sample_weight: Weights = None) -> Array:
        """Return the leave-one-out log density of each sample.

        Nothing is fitted: the estimator stays as it is.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample. A sample is left out
            with all of its weight.

        Returns
        -------
        log_densities : ndarray of shape (n,), float64
            -inf off the subspace of a covariance that is singular without the sample.

        Raises
        ------
        ValueError
            As for `fit`, of all rows or of those that are left without one.

        Notes
        -----
        In closed form for full covariances that are not shrunk: without a row the covariance is
        less by a product, and log determinant and distance follow. Otherwise, and where a row is
        all that the covariance has in some direction, it costs a fit for each row.
        """
        if isinstance(X, Chunks):
            raise wrong_type("X", "rows in memory, of which each is left out", X)
        columns, state = self._prepare(X, None, sample_weight)
        rows, weights = cast("tuple[Array, Array | None]", columns)
        require_finite(rows)
        n = rows.shape[0]
        w = np.ones(n) if weights is None else weights
        if np.count_nonzero(w) < 2:
            raise ValueError(
                "X must have two rows with weight or more, so that some are left without one; got "
                "1. Pass more rows."
            )
        held, doubtful = np.full(n, np.nan), np.ones(n, bool)
        if self.covariance_type == "full" and self.shrinkage is None and not self.allow_singular:
            total = moments_of_rows((rows, weights), state, self.n_jobs)
            held, doubtful = self._without(rows, w, total, state)
        for row in np.flatnonzero(doubtful).tolist():
            kept = np.arange(n) != row
            remaining = rows[kept], None if weights is None else weights[kept]
            model = type(self)(**self.get_params(deep=False))
            model._solve(moments_of_rows(remaining, state, self.n_jobs), state)
            held[row] = model._log_densities(rows[row : row + 1].astype(np.float64))[0]
        return held

    def _without(self, rows: Any, w: Array, total: Any, state: Any) -> Any:
        """Log densities of the fits without each row, and which of them are doubtful."""
        total_weight, d = float(total.class_counts[0]), rows.shape[1]
        lost = 1.0 if self.method == "moment" else 0.0
        model = type(self)(**self.get_params(deep=False))._solve(total, state)
        near, remaining = model._squared_distances(rows), total_weight - w
        with np.errstate(divide="ignore", invalid="ignore"):
            share = near / (total_weight - lost)
            f = 1.0 - w * total_weight / remaining * share
            freedom = remaining - lost
            far = freedom * (total_weight / remaining) ** 2 * share / f
            grown = np.log(f) - d * np.log(freedom / (total_weight - lost))
            held = -0.5 * (d * np.log(2.0 * np.pi) + model._parts.log_det + grown + far)
        return held, ~((f > 1e-8) & (freedom > 0.0) & np.isfinite(held))


def attributes_of_covariance(
    model: Any, mean: Array, matrix: Array, size: Array, names: Array | None
) -> dict[str, Any]:
    """Fitted attributes from mean and covariance."""
    parts = factor_covariance(matrix, size, float(model.tol), bool(model.allow_singular), names)
    warn_singular(parts)
    return {
        "mean_": mean,
        "covariance_": matrix,
        "rank_": parts.rank,
        "log_determinant_": parts.log_det,
        "_parts": parts,
    }
