# SPDX-License-Identifier: BSD-3-Clause
"""Likelihoods of mixtures of densities, and what models are chosen by."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from statfast._typing import Array


class NewtonTerms(NamedTuple):
    """What a Newton step of a linear predictor needs of n rows: products of columns with the
    residuals are gradients, and those weighted by the information are second derivatives."""

    information: Array  # (n,)
    residuals: Array  # (n,)
    slopes: Array  # (d,) coefficients of the columns
    penalty: float  # on their squares, halved
    has_intercept: bool


def information_criteria(log_likelihood: float, n_parameters: float, n: float) -> dict[str, Any]:
    """The fitted attributes for the log-likelihood, Akaike's and Schwarz's criterion.

    `n` is the number of rows, or their total weight. Of both criteria the least is the best.
    """
    deviance = -2.0 * log_likelihood
    return {
        "log_likelihood_": float(log_likelihood),
        "aic_": float(deviance + 2.0 * n_parameters),
        "bic_": float(deviance + np.log(n) * n_parameters),
    }


def log_sum_exp(log_joint: Array) -> Array:
    """The logarithm of the sums of exponentials of the rows of a table, (m, K) to (m,)."""
    top = log_joint.max(axis=1)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return top + np.log(np.exp(log_joint - top[:, None]).sum(axis=1))
