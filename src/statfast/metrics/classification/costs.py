# SPDX-License-Identifier: BSD-3-Clause
"""What decisions cost, and weights that give classes the shares they have elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import (
    as_labels,
    as_real,
    as_rows,
    as_weights,
    shown,
    to_array,
    wrong_type,
)
from statfast.metrics.classification.label_table import (
    as_column,
    coded,
    named_labels,
)


def expected_cost(
    y: ArrayLike,
    decision: ArrayLike,
    cost: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    decisions: ArrayLike | None = None,
    sample_weight: Weights = None,
) -> float:
    """Expected cost: the mean cost of decisions.

    Parameters
    ----------
    y : array-like of shape (n,)
        True labels.
    decision : array-like of shape (n,)
        What was decided for each row: a label, or another decision, such as to reject.
    cost : array-like of shape (K, D)
        Of each decision (column) for a row of each class (row).
    labels : array-like of shape (K,), optional
        The class of each row of `cost`; None takes those of `y` (and, where there are no other
        decisions, of `decision`), sorted.
    decisions : array-like of shape (D,), optional
        The decision of each column; None takes the labels.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all. `prevalence_weights` has those of other
        proportions of the classes.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If `cost` has not one row for each class and one column for each decision, is not finite, or
        `y` or `decision` hold what is named by neither.

    Examples
    --------
    >>> from statfast.metrics import expected_cost
    >>> expected_cost([0, 0, 1, 1], [0, 1, 0, 1], [[0, 1], [5, 0]])
    1.5
    >>> expected_cost(["no", "yes"], ["no", "ask"], [[0, 1, 0.3], [5, 0, 0.3]],
    ...               labels=["no", "yes"], decisions=["no", "yes", "ask"])
    0.15
    """
    y, decision = as_column(y, "y"), as_column(decision, "decision")
    if len(y) != len(decision):
        raise ValueError(
            f"decision must have one entry for each of y ({len(y)}); got {len(decision)}."
        )
    true, rows = as_labels(y, len(y))
    decided, columns = as_labels(decision, len(y), name="decision")
    cost = as_rows(cost, name="cost", keep=(np.float64,))
    if labels is None and decisions is None:
        labels = coded(y, decision, "y", "decision")[0].tolist()
    labels = true.tolist() if labels is None else named_labels(labels)
    decisions = labels if decisions is None else named_labels(decisions, "decisions")
    if cost.shape != (len(labels), len(decisions)):
        raise ValueError(
            f"cost must have a row for each of {shown(labels)} and a column for each of "
            f"{shown(decisions)}; got shape {cost.shape}."
        )
    paid = cost[_places(true, labels, "y")[rows], _places(decided, decisions, "decision")[columns]]
    return float(np.average(paid, weights=as_weights(sample_weight, len(y))))


def _places(labels: Array, named: Any, name: str) -> Array:
    place = {label: k for k, label in enumerate(named)}
    unknown = [label for label in labels.tolist() if label not in place]
    if unknown:
        raise ValueError(f"{name} holds {shown(unknown[0])}, which is not one of {shown(named)}.")
    return np.array([place[label] for label in labels.tolist()])


def prevalence_weights(
    y_true: ArrayLike,
    prevalence: dict[Any, Any] | ArrayLike,
    *,
    pos_label: Any = 1,
    sample_weight: Weights = None,
) -> Array:
    """Sample weights that give the classes prescribed proportions.

    Every measure here that takes `sample_weight` is, with these, what it would be on data of this
    prevalence: precision, predictive values, accuracy, calibration and costs change with the shares
    of the classes; recall, specificity and the ROC curve do not.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels.
    prevalence : float, dict, or array-like of shape (K,)
        The fraction of the positive class of two, between 0 and 1; or that of each class, by label
        or in their sorted order, which are scaled to sum to 1.
    pos_label : label, default=1
        The positive class, if `prevalence` is a number.
    sample_weight : array-like of shape (n,), optional
        Weights that samples have within their class.

    Returns
    -------
    ndarray of shape (n,), float64
        Weights that sum to n.

    Raises
    ------
    ValueError
        If a share is negative or not finite, a class has a share but no rows of weight, or a number
        is given and there are not two classes, one of them `pos_label`.

    Examples
    --------
    >>> from statfast.metrics import precision_score, prevalence_weights
    >>> y, p = [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 0]
    >>> precision_score(y, p)
    0.75
    >>> round(precision_score(y, p, sample_weight=prevalence_weights(y, 0.01)), 4)
    0.0294
    """
    y = as_column(y_true, "y_true")
    classes, codes = as_labels(y, len(y), name="y_true")
    weights = as_weights(sample_weight, len(y))
    shares = _shares(prevalence, classes, pos_label)
    totals = np.bincount(codes, weights, len(classes))
    empty = (totals == 0) & (shares > 0)
    if empty.any():
        lost = shown(classes.tolist()[int(empty.argmax())])
        raise ValueError(f"prevalence gives class {lost} a share, but its rows have no weight.")
    factors = len(y) * shares / np.where(totals > 0, totals, 1.0)
    return factors[codes] if weights is None else factors[codes] * weights


def _shares(prevalence: Any, classes: Array, pos_label: int | str) -> Any:
    known = classes.tolist()
    if isinstance(prevalence, Mapping):
        if set(prevalence) != set(known):
            raise ValueError(
                f"prevalence must name each class of y_true ({shown(known)}); got "
                f"{shown(list(prevalence))}."
            )
        prevalence = [prevalence[label] for label in known]
    elif isinstance(prevalence, Real):
        share = as_real(prevalence, "prevalence", 0.0, 1.0)
        if np.ndim(pos_label):
            raise wrong_type("pos_label", "one label of y_true", pos_label)
        if len(known) != 2 or pos_label not in known:
            raise ValueError(
                f"prevalence may be a number if y_true has two classes, one of them pos_label "
                f"({pos_label!r}); got {shown(known)}. Give a share for each."
            )
        prevalence = [share if label == pos_label else 1 - share for label in known]
    values = to_array(prevalence, "prevalence", "a number, or a share for each class")
    if values.shape != (len(known),):
        raise ValueError(
            f"prevalence must have a share for each class ({len(known)}); got {values.shape}."
        )
    shares = np.array([as_real(share, "prevalence", 0.0) for share in values.tolist()])
    if shares.sum() == 0:
        raise ValueError("prevalence must give some class a share; got none. Give one.")
    return shares / shares.sum()
