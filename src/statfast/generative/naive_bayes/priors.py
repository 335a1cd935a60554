# SPDX-License-Identifier: BSD-3-Clause
"""Class probabilities, given or learned, and parameters that several models share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import as_choice, shown, wrong_type
from statfast.generative.naive_bayes.density import log_of


class CountPriors:
    """Class probabilities as scikit-learn's discrete models have them."""

    # What subclasses declare, or a fit sets.
    class_prior: Any
    _checked_value: Callable[..., Any]

    _priors_name = "class_prior"

    def _log_priors(self, class_counts: Array, classes: Array) -> Array:
        if self.class_prior is None and not self._checked_value("fit_prior"):
            return np.full(len(class_counts), -np.log(len(class_counts)))
        return log_of(as_priors(self.class_prior, class_counts, "class_prior"))

    def _prior_attributes(self, log_priors: Array) -> dict[str, Array]:
        return {"class_log_prior_": log_priors}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


def as_priors(values: Any, class_counts: Array, name: str) -> Array:
    """Class probabilities: those given, by maximum likelihood (None), or by Laplace."""
    if values is None:
        return class_counts / class_counts.sum()
    if isinstance(values, str):
        as_choice(values, name, (None, "laplace"))
        return (class_counts + 1.0) / (class_counts.sum() + len(class_counts))
    if not hasattr(values, "__len__") or isinstance(values, dict):
        raise wrong_type(name, "None, 'laplace' or a list of probabilities", values)
    try:
        priors = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise wrong_type(name, "None, 'laplace' or a list of probabilities", values) from error
    if priors.shape != class_counts.shape:
        raise ValueError(
            f"{name} must have {len(class_counts)} probabilities, one for each class; got "
            f"{shown(values)}. Number of priors must match number of classes."
        )
    if not (priors >= 0.0).all() or not abs(priors.sum() - 1.0) < 1e-8:
        raise ValueError(
            f"{name} must be at least 0 and sum to 1; got {shown(values)}. Divide by the sum."
        )
    return priors / priors.sum()
