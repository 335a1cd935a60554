# SPDX-License-Identifier: BSD-3-Clause
"""Labels of two classes as 0 and 1, with the scores and weights of their rows."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from statfast._core.metrics import rank
from statfast._engine import interruptible
from statfast._typing import Array, Weights
from statfast._validation import (
    UndefinedMetricWarning,
    as_label,
    as_labels,
    as_weights,
    shown,
    warn_user,
)
from statfast.metrics.classification.label_table import as_column
from statfast.metrics.ranking.sorted_pass import ScoreSteps, as_scores, steps_of

NATIVE = (np.uint8, np.int8, np.int32, np.int64, np.float32, np.float64)
USUAL = ({0, 1}, {-1, 1}, {0}, {1}, {-1})


def binary_codes(
    y_true: Any, pos_label: Any = None, *, usual: bool = True, name: str = "y_true",
    several: str = "name the positive one by pos_label",
) -> Array:  # fmt: skip
    """1 for rows of the positive class, which is `pos_label`, or else the higher of two labels.

    Where it is not named, labels must be 0 and 1, or -1 and 1, unless any two are `usual`. The
    error of more than two labels advises what `several` says.
    """
    y = as_column(y_true, name)
    if pos_label is not None:
        pos_label = as_label(pos_label, "pos_label")
    if len(y) == 0:
        raise ValueError(f"{name} holds 0 labels while a minimum of 1 is required. Pass some.")
    kind = y.dtype.kind
    fast = kind == "b" or (y.dtype.type in NATIVE and y.dtype.isnative)
    if fast:
        codes = np.empty(len(y), dtype=np.uint8)
        plain = np.ascontiguousarray(y.view(np.uint8) if kind == "b" else y)
        n_values, low, high = interruptible(rank.two_values, plain, codes)
        if n_values < 3 and low == low and high == high:
            classes = [low] if n_values == 1 else [low, high]
            if n_values == 1 and _equal(low, 1 if pos_label is None else pos_label):
                codes[:] = 1
            if kind == "f" and any(label % 1 for label in classes):
                as_labels(y, len(y), name=name)  # Raises the error that names what is wrong.
            return _oriented(codes, classes, pos_label, usual, name)
    known, codes = as_labels(y, len(y), name=name)
    classes = known.tolist()
    if pos_label is not None and len(classes) > 2:
        if pos_label not in classes:
            _refuse_label(pos_label, classes, name)
        return (codes == classes.index(pos_label)).astype(np.uint8)
    if len(classes) > 2:
        raise ValueError(f"{name} takes {len(classes)} values (multiclass): {several}.")
    ones = codes if len(classes) == 2 else np.full(len(y), classes[0] == (pos_label or 1))
    return _oriented(ones.astype(np.uint8), classes, pos_label, usual, name)


def _equal(label: float, wanted: float | str) -> bool:
    return not isinstance(wanted, str) and label == wanted


def _oriented(
    codes: Array, classes: list[float | str], pos_label: float | str | None, usual: bool, name: str
) -> Array:
    if pos_label is None:
        if usual and not any(set(classes) <= kind for kind in USUAL):
            raise ValueError(
                f"{name} takes value in {{{', '.join(map(repr, classes))}}} and pos_label is not "
                "specified: either make y_true take value in {0, 1} or {-1, 1} or pass pos_label "
                "explicitly."
            )
        return codes
    if len(classes) == 2:
        if pos_label not in classes:
            _refuse_label(pos_label, classes, name)
        if pos_label == classes[0]:
            return 1 - codes
    return codes


def _refuse_label(pos_label: Any, classes: Any, name: str) -> NoReturn:
    raise ValueError(
        f"pos_label={pos_label!r} is not a valid label: {name} holds {shown(classes)}. Name one."
    )


def steps_for(
    y_true: Any, y_score: Any, pos_label: Any, sample_weight: Weights, usual: bool = True
) -> ScoreSteps:
    """Positives and negatives at each distinct score, from what the caller gave."""
    labels = binary_codes(y_true, pos_label, usual=usual)
    scores = as_scores(y_score, len(labels))
    return steps_of(scores, labels, as_weights(sample_weight, len(labels)))


def rows_for_ranking(
    y_true: Any, y_score: Any, pos_label: Any, usual: bool = True
) -> tuple[Array, Array]:
    """Scores and labels, with both classes there."""
    labels = binary_codes(y_true, pos_label, usual=usual)
    scores = as_scores(y_score, len(labels))
    if labels.all() or not labels.any():
        raise ValueError(
            "y_true holds one class only, so that nothing can be ranked. Pass rows of both."
        )
    return scores, labels


def warn_one_class(what: str) -> None:
    warn_user(f"Only one class is present in y_true. {what}", UndefinedMetricWarning)
