# SPDX-License-Identifier: BSD-3-Clause
"""Several labels a row: matrices of 0 and 1, one column for each label."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from statfast._typing import Array
from statfast._validation import (
    as_count,
    as_sparse,
    as_weights,
    is_sparse,
    to_array,
    wrong_type,
)


class Indicators(NamedTuple):
    """Which labels rows have, which they were given, and the weights of the rows."""

    true: np.ndarray  # (n, K), bool
    pred: np.ndarray
    weights: np.ndarray  # (n,)

    def sums(self, labels: Any, average: str) -> tuple[Array, Array, Array, Array]:
        """True and false positives, false and true negatives of each label, or of each row."""
        true, pred = self.true, self.pred
        if labels is not None:
            if not isinstance(labels, list | tuple):
                labels = np.atleast_1d(to_array(labels, "labels", "a list of columns")).tolist()
            places = [as_count(label, "labels", 0, true.shape[1] - 1) for label in labels]
            if not places:
                raise ValueError("labels must hold at least one label; got none. Name some.")
            true, pred = true[:, places], pred[:, places]
        kinds = true & pred, ~true & pred, true & ~pred, ~true & ~pred
        if average == "samples":
            return tuple(kind.sum(axis=1) for kind in kinds)
        return tuple(self.weights @ kind for kind in kinds)

    def same(self) -> tuple[float, float]:
        """The weight of rows with all labels right, and of all rows."""
        right = (self.true == self.pred).all(axis=1)
        return float(self.weights @ right), float(self.weights.sum())

    def wrong_share(self) -> float:
        """The share of labels that are wrong."""
        return float(self.weights @ (self.true != self.pred).mean(axis=1) / self.weights.sum())


def indicators_of(y_true: Any, y_pred: Any, sample_weight: Any) -> Indicators | None:
    """Both as matrices of indicators; None if rows have one label each."""
    wide = [is_wide(y) for y in (y_true, y_pred)]
    if not all(wide):
        if any(wide):
            for y, name in ((y_true, "y_true"), (y_pred, "y_pred")):
                if not hasattr(y, "__len__") and not hasattr(y, "shape"):
                    raise wrong_type(name, "an array-like of labels", y)
            raise ValueError(
                "y_true and y_pred are of different kinds, one of several labels a row: "
                "Classification metrics can't handle a mix of multilabel-indicator and other "
                "targets. Pass two matrices of the same columns, or of one label a row "
                "predict(X) instead of predict_proba(X)."
            )
        return None
    true, pred = as_marks(y_true, "y_true"), as_marks(y_pred, "y_pred")
    if true.shape != pred.shape:
        raise ValueError(
            f"y_true and y_pred must have the same rows and columns; got {true.shape} and "
            f"{pred.shape}."
        )
    weights = as_weights(sample_weight, len(true))
    return Indicators(true, pred, np.ones(len(true)) if weights is None else weights)


def is_wide(y: Any) -> bool:
    """Whether labels come as a table of several columns."""
    shape = getattr(y, "shape", None)
    if shape is None:
        first = y[0] if isinstance(y, list | tuple) and len(y) else None
        if isinstance(first, np.ndarray):
            return first.size > 1
        return isinstance(first, list | tuple) and len(first) > 1
    return len(shape) == 2 and shape[1] > 1


def as_marks(y: Any, name: str) -> Array:
    """Indicators as a matrix of bool; other numbers than 0 and 1 are refused."""
    if is_sparse(y):
        table = as_sparse(y, name=name).toarray()
    else:
        table = to_array(y, name, "labels or indicators")
    good = table.ndim == 2 and table.size and table.dtype.kind in "biuf"
    if not good or not np.isin(table, (0, 1)).all():
        raise ValueError(
            f"{name} should be a 1d array, or hold 0 and 1 alone, a column for each label; got an "
            f"array of shape {table.shape} with other values. Use one label a row, or indicators."
        )
    return table.astype(bool)
