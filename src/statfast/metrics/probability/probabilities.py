# SPDX-License-Identifier: BSD-3-Clause
"""Probabilities of classes, checked once, with the codes of the true ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import as_labels, as_rows, as_weights, shown, to_array, warn_user
from statfast.metrics.classification.indicators import as_marks, is_wide
from statfast.metrics.classification.label_table import as_column
from statfast.metrics.classification.top_k import among
from statfast.metrics.ranking.two_classes import binary_codes

# Sums of probabilities may differ from 1 by the root of the rounding unit.
MAX_ERROR_OF_SUM = 1.5e-8


def as_probabilities(y_prob: Any, name: str = "y_proba") -> Array:
    """Probabilities as (n, K), or (n, 1) of the positive class; float32 stays so."""
    columns = to_array(y_prob, name, "an array-like of numbers")
    columns = as_rows(columns[:, None] if columns.ndim == 1 else columns, name=name)
    low, high = columns.min(), columns.max()
    if low < 0:
        raise ValueError(f"{name} contains values lower than 0: {low}. Pass probabilities.")
    if high > 1:
        raise ValueError(f"{name} contains values greater than 1: {high}. Pass probabilities.")
    return columns


def classes_and_shares(
    y_true: Any,
    y_prob: Any,
    labels: Any,
    sample_weight: Any,
    pos_label: int | str | None = None,
    binary: bool = False,
) -> tuple[Array, Array, Array | None]:
    """Codes of the true classes (n,), probabilities (n, K), and weights or None.

    Two classes may have the probabilities of the second alone; with `binary`, of `pos_label`.
    """
    shares = as_probabilities(y_prob)
    y = as_column(y_true, "y_true")
    if len(y) != len(shares):
        raise ValueError(
            "y_true and y_proba must have the same length (inconsistent numbers of samples); got "
            f"{len(y)} and {len(shares)}."
        )
    weights = as_weights(sample_weight, len(y))
    if shares.shape[1] == 1 and binary:
        codes = _of_two(y, pos_label)
        return codes, np.column_stack([1 - shares, shares]), weights
    classes, codes = as_labels(y, len(y), name="y_true")
    if labels is not None:
        labels = as_column(labels, "labels")
        codes, classes = among(as_labels(labels, len(labels), name="labels")[0], classes, codes)
        if classes.tolist() != labels.tolist():
            warn_user(
                f"labels are taken in sorted order, {shown(classes.tolist())}. Make sure that the "
                "columns of y_proba are in this order."
            )
    if len(classes) < 2:
        raise ValueError(
            f"y_true contains only one label ({shown(classes.tolist()[0])}). Name all by the "
            "labels argument."
        )
    if shares.shape[1] == 1:
        shares = np.column_stack([1 - shares, shares])
    if shares.shape[1] != len(classes):
        raise ValueError(
            f"y_true and y_proba contain different number of classes: {len(classes)} and "
            f"{shares.shape[1]}. Name the true ones by the labels argument."
        )
    if (
        np.abs(shares.sum(axis=1) - 1) > max(MAX_ERROR_OF_SUM, np.finfo(shares.dtype).eps ** 0.5)
    ).any():
        warn_user("The y_proba values do not sum to one. Make sure to pass probabilities.")
    return codes, shares, weights


def marks_and_shares(y_true: Any, y_prob: Any, sample_weight: Any) -> Any:
    """Indicators (n, K) of true labels, their probabilities, and weights; None of one label a row.

    Labels need not exclude each other: the probabilities of a row need not sum to 1.
    """
    if not is_wide(y_true):
        return None
    marks, shares = as_marks(y_true, "y_true"), as_probabilities(y_prob)
    if marks.shape != shares.shape:
        raise ValueError(
            "y_true and y_proba must have the same shape where y_true holds indicators; got "
            f"{marks.shape} and {shares.shape}. Pass a probability for each label."
        )
    return marks, shares, as_weights(sample_weight, len(marks))


def _of_two(y: Array, pos_label: float | str | None) -> Array:
    if pos_label is None and y.dtype.kind not in "USOT":
        return binary_codes(y, None, usual=False)
    return binary_codes(y, pos_label)


def mean_of(values: Array, weights: Array | None) -> float:
    return float(values.mean()) if weights is None else float(values @ weights / weights.sum())


def shares_of_true(shares: Array, codes: Array) -> Array:
    return shares[np.arange(len(codes)), codes]
