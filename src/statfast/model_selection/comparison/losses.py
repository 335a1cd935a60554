# SPDX-License-Identifier: BSD-3-Clause
"""Losses of single rows, for estimates that average them."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import as_choice, as_labels, as_targets
from statfast.model_selection.evaluation.scoring import classifies

MAX_TARGET = 1e140  # Squares of larger numbers cannot be summed.
LOSSES = ("auto", "squared", "absolute", "zero_one")


def as_loss(loss: str, estimator: Any) -> str:
    """The name of a loss: "auto" is 0-1 for classifiers, else squared."""
    if as_choice(loss, "loss", LOSSES) == "auto":
        return "zero_one" if classifies(estimator) else "squared"
    return loss


def truth_of(y: Any, n: int, loss: str) -> tuple[Array, Array | None]:
    """The targets: codes of labels and the labels, or numbers and None."""
    if loss == "zero_one":
        classes, codes = as_labels(y, n)
        return codes, classes
    values, _ = as_targets(y, n)
    if values.shape[1] != 1:
        raise ValueError(f"y must be one target; got {values.shape[1]} columns. Pass one.")
    return _squarable(values[:, 0], "y holds"), None


def coded(predictions: Array, classes: Array | None) -> Array:
    """Predictions as `truth_of` has the targets; -1 is a label that is none of the classes."""
    if classes is None:
        numbers = np.asarray(predictions, dtype=np.float64).reshape(len(predictions))
        return _squarable(numbers, "the estimator predicts")
    predictions = np.asarray(predictions)
    place = np.searchsorted(classes, predictions).clip(0, len(classes) - 1)
    return np.where(classes[place] == predictions, place, -1)


def _squarable(numbers: Array, whose: str) -> Array:
    """Numbers of which errors can be squared and summed."""
    beyond = ~(np.abs(numbers) <= MAX_TARGET)
    if beyond.any():
        raise ValueError(
            f"Errors can be averaged of values up to {MAX_TARGET:g}; {whose} {numbers[beyond][0]}. "
            "Divide y by a number."
        )
    return numbers


def losses(truth: Array, predicted: Array, loss: str) -> Array:
    """The loss of each row."""
    if loss == "zero_one":
        return (truth != predicted).astype(np.float64)
    return (truth - predicted) ** 2 if loss == "squared" else np.abs(truth - predicted)
