# SPDX-License-Identifier: BSD-3-Clause
"""What every regressor has in common: targets that are numbers, and R squared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._linalg import power_of_two
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_targets, as_weights, explain_nonfinite, warn_user


class Regressor:
    """Mixin: ``score`` is R squared, and scikit-learn is told that this is a regressor."""

    predict: Callable[..., Any]

    _estimator_type = "regressor"
    _multi_output = False  # whether y may have several columns

    def score(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> float:
        """Return the coefficient of determination, R squared.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Test samples.
        y : array-like of shape (n,) or (n, T)
            True targets.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        float
            1 - sum (y - prediction)^2 / sum (y - mean)^2, at most 1, the average over outputs.
            Where y is constant: 1 if it is predicted exactly, else 0. NaN, with a warning, for
            fewer than two samples; -inf beyond float64.
        """
        predicted = self.predict(X)
        return r_squared(y, predicted, sample_weight)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import RegressorTags

        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.estimator_type = "regressor"
        tags.regressor_tags = RegressorTags()
        tags.target_tags.required = True
        tags.target_tags.multi_output |= self._multi_output
        return tags


def r_squared(y: Any, predicted: Array, sample_weight: Any) -> float:
    """What `Regressor.score` says of predictions."""
    truth, _ = as_targets(y, len(predicted))
    weights = as_weights(sample_weight, len(predicted))
    if len(predicted) < 2:
        warn_user("R^2 score is not well-defined with less than two samples.")
        return float("nan")
    predicted = predicted.reshape(len(predicted), -1)
    if predicted.shape != truth.shape:
        raise ValueError(
            f"y must have {predicted.shape[1]} output(s), as at fit; got {truth.shape[1]}."
        )
    explain_nonfinite(predicted, "The prediction")
    # Values are divided by a power of two, which rounds nothing, so that squares neither overflow
    # nor vanish.
    exponent = -power_of_two(max(np.abs(truth).max(), np.abs(predicted).max()))
    truth, predicted = np.ldexp(truth, exponent), np.ldexp(predicted, exponent)
    residual = np.average((truth - predicted) ** 2, axis=0, weights=weights)
    spread = (truth - np.average(truth, axis=0, weights=weights)) ** 2
    total = np.average(spread, axis=0, weights=weights)
    constant = total == 0.0
    with np.errstate(over="ignore"):
        share = np.where(constant, residual != 0.0, residual / np.where(constant, 1.0, total))
    return float(np.mean(1.0 - share))
