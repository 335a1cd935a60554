# SPDX-License-Identifier: BSD-3-Clause
"""Shares of rows of one class: true, found, missed and falsely found, and their averages."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from statfast._typing import Array
from statfast._validation import (
    UndefinedMetricWarning,
    as_choice,
    as_label,
    shown,
    warn_user,
)
from statfast.metrics.classification.indicators import Indicators, indicators_of
from statfast.metrics.classification.label_table import LabelTable, label_table

AVERAGES = ("binary", "micro", "macro", "weighted", "samples", None)


class ClassSums(NamedTuple):
    """Rows of each class by weight: found, falsely found, missed, and rightly left."""

    tp: np.ndarray
    fp: np.ndarray
    fn: np.ndarray
    tn: np.ndarray


class ClassAverage(NamedTuple):
    """How measures of classes become one number, and what stands for a share of nothing."""

    average: str | None
    zero_division: object

    def average_quotients(self, numerator, denominator, weights, name):
        """The average of the quotients; `zero_division` where nothing is divided by nothing."""
        zero_division = self.zero_division
        empty = denominator == 0
        quotient = numerator / np.where(empty, 1, denominator)
        if empty.any():
            quotient = np.where(empty, 0.0 if zero_division == "warn" else zero_division, quotient)
            if zero_division == "warn":
                warn_user(
                    f"{name} is undefined, being a share of no rows, and set to 0.0"
                    f"{'' if len(quotient) == 1 else ' for some labels'}. Use the zero_division "
                    "parameter to control this behavior.",
                    UndefinedMetricWarning,
                )
        return self.mean(quotient, weights)

    def mean(self, values: Array, weights: Any) -> Array | float:
        if self.average is None:
            return values
        if self.average not in ("weighted", "samples"):
            weights = np.ones(len(values))
        known = ~np.isnan(values)
        if not known.any():
            return float("nan")
        total = weights[known].sum()
        if total == 0:
            return float(values[known].mean())
        return float(values[known] @ weights[known] / total)


def class_average(average: Any, zero_division: Any) -> ClassAverage:
    as_choice(average, "average", AVERAGES)
    plain = isinstance(zero_division, str | Real)
    if not plain or not (zero_division in ("warn", 0, 1) or zero_division != zero_division):
        raise ValueError(f"zero_division must be 'warn', 0, 1 or nan; got {shown(zero_division)}.")
    return ClassAverage(average, zero_division)


def sums_of(
    y_true: Any, y_pred: Any, labels: Any, pos_label: Any, average: Any, sample_weight: Any
) -> tuple[ClassSums, Array]:
    """The sums of each label asked for (of all together by average="micro"), and the weights."""
    marks = indicators_of(y_true, y_pred, sample_weight)
    if marks is not None:
        return sums_of_indicators(marks, labels, average)
    if average == "samples":
        raise ValueError(
            "average must be another for one label a row: 'samples' is for several labels a row. "
            "Choose 'micro', 'macro' or 'weighted'."
        )
    table = label_table(y_true, y_pred, sample_weight)
    if average == "binary":
        labels = [_positive(table.classes, pos_label)]
    elif not (pos_label is None or as_label(pos_label, "pos_label") == 1):
        warn_user(
            f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' (got "
            f"{average!r}). You may use labels=[pos_label] to specify a single positive class."
        )
    return sums_in(table, labels, average)


def sums_of_indicators(
    marks: Indicators, labels: Array | None, average: Any
) -> tuple[ClassSums, Array]:
    """The same of several labels a row; with average="samples" of each row, and its weight."""
    if average == "binary":
        raise ValueError(
            "Target is multilabel-indicator but average='binary'. Please choose another average "
            "setting, one of [None, 'micro', 'macro', 'weighted', 'samples']."
        )
    sums = ClassSums(*marks.sums(labels, average))
    if average == "samples":
        return sums, marks.weights
    if average == "micro":
        sums = ClassSums(*(part.sum(keepdims=True) for part in sums))
    return sums, sums.tp + sums.fn


def sums_in(table: LabelTable, labels: Any, average: str | None) -> tuple[ClassSums, Array]:
    tp, true, pred = table.correct, table.true, table.pred
    if labels is not None:
        at = table.place(labels)
        tp, true, pred = (np.where(at >= 0, sums[at], 0) for sums in (tp, true, pred))
    tn = table.total - true - pred + tp
    sums = ClassSums(tp, pred - tp, true - tp, tn)
    if average == "micro":
        sums = ClassSums(*(part.sum(keepdims=True) for part in sums))
    return sums, sums.tp + sums.fn


def _positive(classes: Array, pos_label: Any) -> float | str:
    if len(classes) > 2:
        raise ValueError(
            "Target is multiclass but average='binary'. Please choose another average setting, one "
            "of [None, 'micro', 'macro', 'weighted']."
        )
    pos_label = as_label(pos_label, "pos_label")
    if len(classes) == 2 and pos_label not in classes.tolist():
        raise ValueError(
            f"pos_label={pos_label} is not a valid label. It should be one of {classes.tolist()}."
        )
    return pos_label


def share(parts, name, y_true, y_pred, labels, pos_label, average, sample_weight, zero_division):
    """A measure that is a quotient: `parts` gives what is divided, and by what, from the sums."""
    rule = class_average(average, zero_division)
    sums, weights = sums_of(y_true, y_pred, labels, pos_label, average, sample_weight)
    return rule.average_quotients(*parts(sums), weights, name)


def precision_parts(sums: Any) -> tuple[Array, Array]:
    return sums.tp, sums.tp + sums.fp


def recall_parts(sums: ClassSums) -> tuple[Array, Array]:
    return sums.tp, sums.tp + sums.fn


def specificity_parts(sums: ClassSums) -> tuple[Array, Array]:
    return sums.tn, sums.tn + sums.fp


def fall_out_parts(sums: ClassSums) -> tuple[Array, Array]:
    return sums.fp, sums.tn + sums.fp


def miss_parts(sums: ClassSums) -> tuple[Array, Array]:
    return sums.fn, sums.tp + sums.fn


def negative_value_parts(sums: ClassSums) -> tuple[Array, Array]:
    return sums.tn, sums.tn + sums.fn


def jaccard_parts(sums: ClassSums) -> tuple[Array, Array]:
    return sums.tp, sums.tp + sums.fp + sums.fn


def f_parts(beta: float) -> Callable[..., Any]:
    if beta > 1e100:  # The square of a larger beta might overflow.
        return recall_parts
    square = float(beta) ** 2

    def parts(sums: ClassSums) -> tuple[Array, Array]:
        return (1 + square) * sums.tp, (1 + square) * sums.tp + square * sums.fn + sums.fp

    return parts
