# SPDX-License-Identifier: BSD-3-Clause
"""What a generalized linear model predicts: means, linear predictors, their errors; its score."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any, Literal

import numpy as np

from statfast._estimator import Regressor
from statfast._typing import ArrayLike, Jobs, Rows, Weights
from statfast._validation import (
    as_choice,
    as_flag,
    as_real,
    as_type,
    as_weights,
    warn_user,
)
from statfast.linear.design.design import (
    added_offset,
    has_offset,
    linear_predictor,
    new_rows,
    warn_no_offset,
)
from statfast.linear.design.formula import predictors
from statfast.linear.design.targets import as_target
from statfast.linear.glm.families import require_responses
from statfast.linear.glm.links import as_link
from statfast.linear.inference.inference import intervals

ONE_SIDED = ("inverse", "inverse_squared", "sqrt")  # links whose predictor keeps its sign


class Predictive(Regressor):
    """Mixin: ``predict`` and ``score`` of a fitted model of a family and a link."""

    _family: Callable[..., Any]
    _link: Any
    coef_: Any
    intercept_: Any
    n_jobs: Jobs
    _inferred: Callable[..., Any]
    _has_intercept: Callable[..., Any]

    def score(
        self,
        X: Rows,
        y: ArrayLike,
        sample_weight: Weights = None,
        *,
        offset: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> float:
        """Return D squared, the proportion of deviance explained.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Test samples.
        y : array-like of shape (m,)
            Responses, in the range of the family.
        sample_weight : array-like of shape (m,), optional
            Weights of the samples; None is 1 for all.
        offset : array-like of shape (m,), optional
            Offset of the linear predictor; needed if `fit` had one.
        exposure : array-like of shape (m,), optional
            Exposure, whose logarithm is an offset (log link).

        Returns
        -------
        float
            1 - deviance(y, predicted) / deviance(y, mean of y), at most 1: of the gaussian family R
            squared. Where y is constant: 1 if it is predicted exactly, else 0. NaN, with a warning,
            for fewer than two samples; -inf beyond float64.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one, or y is not one
            number of the family's range for each row.
        """
        means = self.predict(X, offset, exposure).astype(np.float64)
        y = as_target(y, len(means))
        weights = as_weights(sample_weight, len(means))
        family = self._family()
        require_responses(family, y, weights)
        if len(means) < 2:
            warn_user("D^2 score is not well-defined with less than two samples.")
            return nan
        center = np.full(len(y), np.average(y, weights=weights))
        with np.errstate(over="ignore", invalid="ignore"):
            residual_deviance = np.average(family.deviance(y, means), weights=weights)
            total = np.average(family.deviance(y, center), weights=weights)
            if total == 0.0 or (y == y[0]).all():
                return 1.0 if residual_deviance == 0.0 else 0.0
            return float(1.0 - residual_deviance / total)

    def predict(
        self,
        X: Rows,
        offset: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
        *,
        type: Literal["response", "link"] = "response",
        se: bool = False,
        interval: Literal["confidence", "prediction"] | None = None,
        level: float = 0.95,
    ) -> Any:
        """Predict the mean response, or the linear predictor.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.
        offset : array-like of shape (m,), optional
            Added to the linear predictor. A model fitted with one warns where it is left out.
        exposure : array-like of shape (m,), optional
            Times or populations: its logarithm is an offset, for the log link.
        type : {"response", "link"}, default="response"
            The means, or the linear predictor, as in R.
        se : bool, default=False
            Also return the standard errors, of means by the delta method.
        interval : {None, "confidence", "prediction"}, default=None
            Also return intervals, made on the scale of the link, or of new observations of weight
            1: see Notes.
        level : float, default=0.95
            Confidence level of the interval, between 0 and 1.

        Returns
        -------
        values : ndarray of shape (m,)
            float32 for float32 X, else float64.
        errors : ndarray of shape (m,)
            Only with ``se=True``; NaN where no degrees of freedom are left.
        ends : ndarray of shape (m, 2)
            Only with an interval.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one, a mean is beyond
            its type, or "prediction" is asked of a family that has no distribution.

        Notes
        -----
        A new observation is distributed as the family says, its linear predictor normal about the
        estimate with its standard error, its dispersion as estimated: the ends are quantiles of
        that mixture. Of counts they are whole numbers, of the binomial family 0 or 1. For the
        gaussian family with the identity link they are those of R's ``lm``, from Student's t.
        """
        X, offset, exposure = predictors(self, X, offset, exposure)
        rows = new_rows(self, X)
        link = as_link(self._link)
        as_choice(type, "type", ("response", "link"))
        as_choice(interval, "interval", (None, "confidence", "prediction"))
        added = added_offset(link, offset, exposure, rows.shape[0])
        if added is None and has_offset(self):
            warn_no_offset(self)
        eta = linear_predictor(rows, vars(self)["coef_"], self.intercept_, added, self.n_jobs)
        with np.errstate(all="ignore"):
            mu = link.mean(eta)
        if np.isnan(mu).any():
            row = int(np.isnan(mu).argmax())
            raise ValueError(
                f"The linear predictor of row {row} is {eta[row]:.3g}, of which the link "
                f"{link.name!r} knows no mean. Choose a link whose range is all numbers."
            )
        is_link = type == "link"
        means = as_type(
            eta if is_link else mu, np.float32 if rows.dtype == np.float32 else np.float64
        )
        if is_link and interval == "prediction":
            raise ValueError(
                "interval='prediction' is of new responses; got type='link'. Pass type='response'."
            )
        if not as_flag(se, "se") and interval is None:
            return means
        spread = predictor_errors(self._inferred(), rows, self._has_intercept())
        out = [means]
        if se:
            out.append(spread if is_link else np.abs(link.slope(eta, mu)) * spread)
        if interval is not None:
            level = as_real(level, "level", 0.0, 1.0, open_low=True, open_high=True)
            result = self._inferred()
            quantile = result.quantile(level)
            if interval == "prediction":
                from statfast.linear.glm.prediction_intervals import prediction_ends

                out.append(
                    prediction_ends(
                        self._family(), link, eta, spread, result.dispersion, level, quantile
                    )
                )
                return tuple(out)
            ends = intervals(eta, spread, quantile)
            if is_link:
                return (*out, ends)
            if link.name in ONE_SIDED or link.name.startswith("power"):
                ends = np.where(eta[:, None] > 0, np.maximum(ends, 0.0), np.minimum(ends, -0.0))
            with np.errstate(divide="ignore"):
                ends = link.mean(ends)
            out.append(np.sort(ends, axis=1))
        return tuple(out)


def predictor_errors(result: Any, rows: Any, intercept: bool) -> Any:
    """Standard errors of the linear predictor (m,) for rows, dense or CSR."""
    dense = rows.toarray() if hasattr(rows, "indptr") else np.asarray(rows, dtype=np.float64)
    return np.sqrt(result.variances(dense, intercept))
