# SPDX-License-Identifier: BSD-3-Clause
"""The printed table of precision, recall and F-measure by class."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from statfast._typing import ArrayLike, Weights
from statfast._validation import as_digits, as_flag, warn_user
from statfast.metrics.classification.indicators import indicators_of
from statfast.metrics.classification.label_table import label_table, named_labels
from statfast.metrics.classification.set_measures import (
    class_average,
    f_parts,
    precision_parts,
    recall_parts,
    sums_in,
    sums_of_indicators,
)

HEADERS = ("precision", "recall", "f1-score", "support")


def classification_report(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    target_names: list[str] | None = None,
    sample_weight: Weights = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: Literal["warn"] | float = "warn",
) -> Any:
    """Precision, recall, F-measure and support of each class and on average, as text.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, K)
        True and predicted labels; of several labels a row, indicators of 0 and 1.
    labels : array-like of shape (K,), optional
        Which classes, in this order; None takes all, sorted. Of indicators: numbers of columns.
    target_names : list of str, optional
        Names to show for them.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    digits : int, default=2
        Decimal places; a dict is not rounded.
    output_dict : bool, default=False
        A dict instead of text.
    zero_division : {"warn", 0, 1, nan}, default="warn"
        What a fraction of no samples is; "warn" gives 0 and an `UndefinedMetricWarning`. NaN is
        left out of averages.

    Returns
    -------
    str or dict
        A line for each class and each average. That over sums is called "accuracy" where all
        classes are shown, which it then is, and else "micro avg". Several labels a row have no
        accuracy, but a line more: the mean over rows, "samples avg".

    Raises
    ------
    ValueError
        As `precision_score`, or if there is not one of `target_names` for each class.

    Examples
    --------
    >>> from statfast.metrics import classification_report
    >>> print(classification_report([0, 1, 2, 2, 2], [0, 0, 2, 2, 1], zero_division=0))
                  precision    recall  f1-score   support
    <BLANKLINE>
               0       0.50      1.00      0.67         1
               1       0.00      0.00      0.00         1
               2       1.00      0.67      0.80         3
    <BLANKLINE>
        accuracy                           0.60         5
       macro avg       0.50      0.56      0.49         5
    weighted avg       0.70      0.60      0.61         5
    <BLANKLINE>
    """
    as_flag(output_dict, "output_dict")
    digits = as_digits(digits, "digits")
    known, sums_by = _sums(y_true, y_pred, sample_weight)
    shown = known if labels is None else named_labels(labels)
    several = "samples" in sums_by
    every = not several and (labels is None or set(known) <= set(shown))
    names = [str(label) for label in shown]
    if target_names is not None:
        names = [str(name) for name in named_labels(target_names, "target_names")]
    if len(names) != len(shown):
        if labels is None:
            raise ValueError(
                f"There are {len(shown)} classes, but target_names has {len(names)}. Name each, or "
                "try specifying the labels parameter."
            )
        warn_user(f"labels size, {len(shown)}, does not match size of target_names, {len(names)}")
    rows, average_rows = _rows(sums_by, None if labels is None else shown, zero_division)
    rows = list(zip(names, *rows, strict=False))
    first = "accuracy" if every else "micro avg"
    lines = (first, "macro avg", "weighted avg", "samples avg")[: len(average_rows)]
    averages = list(zip(lines, average_rows, strict=True))
    if output_dict:
        report: dict[str, Any] = {
            name: dict(zip(HEADERS, map(float, values), strict=True)) for name, *values in rows
        }
        for name, values in averages:
            report[name] = dict(zip(HEADERS, map(float, values), strict=True))
        if every:
            report["accuracy"] = report["accuracy"]["precision"]
        return report
    return _text(rows, averages, digits)


def _sums(y_true: Any, y_pred: Any, sample_weight: Weights) -> Any:
    """The labels there are, and by each kind of average the function that sums for it."""
    averages = (None, "micro", "macro", "weighted")
    marks = indicators_of(y_true, y_pred, sample_weight)
    if marks is None:
        table = label_table(y_true, y_pred, sample_weight)
        return table.classes.tolist(), dict.fromkeys(averages, partial(sums_in, table))

    def sums_of_marks(labels: Any, average: Any) -> Any:
        sums, support = sums_of_indicators(marks, labels, average)
        return sums, support.astype(np.int64) if sample_weight is None else support

    known = list(range(marks.true.shape[1]))
    return known, dict.fromkeys((*averages, "samples"), sums_of_marks)


def _rows(sums_by, labels, zero_division):
    """The columns of the classes, and the line of each average."""
    measures = (
        (precision_parts, "Precision"), (recall_parts, "Recall"), (f_parts(1.0), "F-score"),
    )  # fmt: skip
    lines = {}
    for average, summed in sums_by.items():
        rule = class_average(average, zero_division)
        sums, support = summed(labels, average)
        lines[average] = [
            rule.average_quotients(*parts(sums), support, name) for parts, name in measures
        ]
        if average is None:
            lines[None].append(support)
    classes = lines.pop(None)
    total = np.sum(classes[3])
    return classes, [[*(np.ravel(x)[0] for x in line), total] for line in lines.values()]


def _text(
    rows: list[tuple[str, float, float, float, int]],
    averages: list[tuple[str, list[Any]]],
    digits: int,
) -> str:
    width = max(*(len(name) for name, *_ in rows), len("weighted avg"), digits)
    lines = [f"{'':>{width}s} " + "".join(f" {header:>9}" for header in HEADERS), ""]

    def line(name: str, values: list[Any], blank: int = 0) -> str:
        shares = [f" {'':>9}"] * blank + [f" {x:>9.{digits}f}" for x in values[blank:3]]
        return f"{name:>{width}s} {''.join(shares)} {values[3]:>9}"

    lines += [line(name, values) for name, *values in rows]
    lines += ["", *(line(name, values, 2 * (name == "accuracy")) for name, values in averages)]
    return "\n".join([*lines, ""])
