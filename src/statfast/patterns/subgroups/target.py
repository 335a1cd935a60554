# SPDX-License-Identifier: BSD-3-Clause
"""The target of a search for subgroups, and the quality that it has in one.

W. Kloesgen 1996: (n / N)^a times the difference of the share, or mean, of the subgroup and of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._estimator import classes_with_weight
from statfast._typing import Array
from statfast._validation import as_labels, as_vector, shown, to_array

QUALITIES = ("wracc", "t", "chi2")
DIRECTIONS = ("higher", "lower", "both")
TARGETS = ("auto", "nominal", "numeric")
CHI_SQUARED = 1


@dataclass(frozen=True)
class Target:
    """A target as the search needs it, of the rows with weight.

    Attributes
    ----------
    values : ndarray of shape (n,)
        Numbers; 1 and 0 for rows of the class and others.
    weights : ndarray of shape (n,), or None
        Weights of the rows; None if all are 1.
    classes : ndarray or None
        The labels; None of numbers.
    label : object
        The class that subgroups are searched for.
    """

    values: np.ndarray
    weights: np.ndarray | None
    classes: np.ndarray | None
    label: Any

    @property
    def is_nominal(self) -> bool:
        """Whether it is a class."""
        return self.classes is not None

    @property
    def total_weight(self) -> float:
        """The weight of all rows."""
        return float(len(self.values) if self.weights is None else self.weights.sum())

    @property
    def mean(self) -> float:
        """The share of the class, or the mean, of all rows."""
        return float(np.average(self.values, weights=self.weights))

    @property
    def variance(self) -> float:
        """The mean squared deviation of all rows."""
        return float(np.average((self.values - self.mean) ** 2, weights=self.weights))


def check_target(
    y: Any, n: int, weights: Array | None, kind: str, pos_label: Any
) -> tuple[Target, Array]:
    """Check targets; returns those of the rows with weight, and the places of these rows."""
    if y is None:
        raise ValueError("This method requires y to be passed, but the target y is None.")
    used = np.arange(n) if weights is None else np.flatnonzero(weights)
    kept = None if weights is None or (weights[used] == 1.0).all() else weights[used]
    if kind == "numeric" or (kind == "auto" and pos_label is None and _is_measured(y)):
        if pos_label is not None:
            raise ValueError(
                f"pos_label must be None for a numeric target; got {shown(pos_label)}. Leave it "
                "out, or set target='nominal'."
            )
        values = as_vector(y, "y")
        if len(values) != n:
            raise ValueError(f"y must hold one target for each row of X ({n}); got {len(values)}.")
        values = values[used]
        if (values == values[0]).all():
            raise ValueError(
                f"y must hold different numbers; got {shown(values[0])} in each row with weight. "
                "No subgroup differs from another."
            )
        return Target(values, kept, None, None), used
    classes, codes = as_labels(y, n)
    classes, codes = classes_with_weight(classes, codes, weights)
    if len(classes) < 2:
        raise ValueError(
            f"y must hold at least 2 classes; got one class, {shown(classes.tolist()[0])}. Pass "
            "rows of another class too."
        )
    labels = classes.tolist()
    if pos_label is not None and pos_label not in labels:
        raise ValueError(f"pos_label must be one of {shown(labels)}; got {shown(pos_label)}.")
    code = len(labels) - 1 if pos_label is None else labels.index(pos_label)
    return Target((codes[used] == code).astype(np.float64), kept, classes, labels[code]), used


def _is_measured(y: Any) -> bool:
    """Whether y holds numbers that are not all whole."""
    values = to_array(y, "y", "a 1d array-like of labels or numbers")
    return values.dtype.kind == "f" and values.ndim == 1 and bool((values != np.rint(values)).any())


@dataclass(frozen=True)
class RowOrder:
    """Where rows stand among bits, and what kernels know of them there.

    Attributes
    ----------
    place : ndarray of intp, shape (n,)
        Rows of the class (or of others, if a lower share is searched) begin at 0, and the rest at
        the first word after them; rows of numbers stand by the target, descending (or ascending).
    split : int
        The words before the rest.
    weight, deviation : ndarray of shape (64 words,), or None
        Weights, and signed differences of a numeric target from its mean.
    share : float
        The share of the class at the beginning.
    """

    place: np.ndarray
    split: int
    weight: np.ndarray | None
    deviation: np.ndarray | None
    share: float


def order_rows(target: Target, lower: bool) -> RowOrder:
    """Put rows in the order of a search."""
    n = len(target.values)
    if not target.is_nominal:
        sign = -1.0 if lower else 1.0
        deviations = sign * (target.values - target.mean)
        order = np.argsort(-deviations, kind="stable")
        place = np.empty(n, np.intp)
        place[order] = np.arange(n)
        return RowOrder(
            place, 0, _in_words(place, target.weights, n), _in_words(place, deviations, n), 0.0
        )
    first = (target.values == 1.0) != lower
    split = -(-int(first.sum()) // 64)
    place = np.where(first, np.cumsum(first) - 1, 64 * split + np.cumsum(~first) - 1)
    weight = None if target.weights is None else _in_words(place, target.weights, n)
    mean = target.mean
    return RowOrder(place, split, weight, None, 1.0 - mean if lower else mean)


def _in_words(place: Array, values: Array | None, n: int) -> Array:
    words = -(-int(place.max() + 1) // 64)
    out = np.zeros(64 * words)
    out[place] = np.ones(n) if values is None else values
    return out


def quality_numbers(target: Target, quality: str | float) -> tuple[int, float, float]:
    """(kind, exponent, scale) of a quality, as kernels know it."""
    if quality == "chi2":
        if not target.is_nominal:
            raise ValueError(
                "quality='chi2' needs a nominal target; got numbers. Set quality='t', or "
                "target='nominal'."
            )
        return CHI_SQUARED, 1.0, 1.0
    if quality == "t":
        return 0, 0.5, float(np.sqrt(target.total_weight / target.variance))
    return 0, 1.0 if quality == "wracc" else float(quality), 1.0
