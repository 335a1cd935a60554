# SPDX-License-Identifier: BSD-3-Clause
"""Whether the true class is among the k of the highest scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import (
    UndefinedMetricWarning,
    as_count,
    as_flag,
    as_labels,
    as_rows,
    as_weights,
    shown,
    to_array,
    warn_user,
)
from statfast.metrics.classification.label_table import as_column


def top_k_accuracy_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int = 2,
    normalize: bool = True,
    sample_weight: Weights = None,
    labels: ArrayLike | None = None,
) -> float:
    """Top-k accuracy: the fraction of samples whose class has one of the k highest scores.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels.
    y_score : array-like of shape (n,) or (n, K)
        Scores of the classes; of two classes, of the second alone.
    k : int, default=2
        How many classes are looked at.
    normalize : bool, default=True
        False gives the number (or weight) of these samples.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    labels : array-like of shape (K,), optional
        The classes of the columns, sorted; None takes those of `y_true`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If there is not one column of scores for each class, or `labels` are not sorted, lack a
        label of `y_true` or repeat one.

    Notes
    -----
    Of equal scores the later class is looked at first, as by a stable sort read from its end.

    Examples
    --------
    >>> from statfast.metrics import top_k_accuracy_score
    >>> scores = [[0.5, 0.2, 0.2], [0.3, 0.4, 0.2], [0.2, 0.4, 0.3], [0.7, 0.2, 0.1]]
    >>> top_k_accuracy_score([0, 1, 2, 2], scores, k=2)
    0.75
    """
    y = as_column(y_true, "y_true")
    classes, codes = as_labels(y, len(y), name="y_true")
    scores = to_array(y_score, "y_score", "an array-like of numbers")
    scores = as_rows(scores[:, None] if scores.ndim == 1 else scores, name="y_score")
    if len(scores) != len(y):
        raise ValueError(
            f"y_score must have a row for each of y_true ({len(y)}); got {len(scores)}."
        )
    if labels is not None:
        codes, classes = among(labels, classes, codes)
    columns = max(scores.shape[1], 2)
    if columns != len(classes):
        raise ValueError(
            f"y_score must have a column for each class ({shown(classes.tolist())}); got scores of "
            f"{columns}. Name all classes by labels."
        )
    k = as_count(k, "k")
    if k >= columns:
        warn_user(
            f"k={k} is not less than the number of classes ({columns}), so that the score is "
            "perfect and says nothing.",
            UndefinedMetricWarning,
        )
    right = _among_highest(scores, codes, k).astype(np.float64)
    weights = as_weights(sample_weight, len(y))
    if as_flag(normalize, "normalize"):
        return float(np.average(right, weights=weights))
    return float(right.sum() if weights is None else right @ weights)


def _among_highest(scores: Array, codes: Array, k: int) -> Array:
    if scores.shape[1] == 1:  # One column has the scores of the second of two classes.
        if k > 1:
            return np.ones(len(codes), dtype=bool)
        probabilities = scores.min() >= 0 and scores.max() <= 1
        return (scores[:, 0] > (0.5 if probabilities else 0)) == codes
    true_score = scores[np.arange(len(codes)), codes][:, None]
    later = np.arange(scores.shape[1]) > codes[:, None]
    return ((scores > true_score) | ((scores == true_score) & later)).sum(axis=1) < k


def among(labels: Any, classes: Array, codes: Array) -> tuple[Array, Array]:
    """Codes among given classes, which must be sorted and hold all that occur."""
    labels = as_column(labels, "labels")
    listed, _ = as_labels(labels, len(labels), name="labels")
    if listed.tolist() != labels.tolist():
        raise ValueError("labels must be sorted, and none twice. Sort them, and their columns.")
    place = {label: at for at, label in enumerate(listed.tolist())}
    unknown = [label for label in classes.tolist() if label not in place]
    if unknown:
        raise ValueError(f"y_true holds {shown(unknown[0])}, which is not in labels.")
    return np.array([place[label] for label in classes.tolist()])[codes], listed
