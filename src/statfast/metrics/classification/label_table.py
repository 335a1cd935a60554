# SPDX-License-Identifier: BSD-3-Clause
"""True labels against predicted ones: the table that all measures of classes are read from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._core.metrics import confusion
from statfast._engine import each, grid
from statfast._typing import Array
from statfast._validation import (
    as_label,
    as_labels,
    as_weights,
    refuse_large,
    shown,
    to_array,
)

# Integer labels within a span of this size are counted in a table over it.
MAX_SPAN_OF_LABELS = 1024
# The range of so many rows is taken for that of all, until a row is beyond it.
ROWS_FOR_RANGE = 1024
ROWS_OF_TASK = 1 << 18  # The rows of a task.
NATIVE = (np.uint8, np.int8, np.int32, np.int64)


@dataclass(frozen=True)
class LabelTable:
    """Weights (or numbers) of rows by true and predicted class, and their sums by class."""

    classes: np.ndarray
    cells: tuple  # Rows, columns and weights of the cells that are not empty, or the whole table.
    correct: np.ndarray
    true: np.ndarray
    pred: np.ndarray

    @property
    def total(self) -> float:
        return self.true.sum()

    def dense(self) -> Array:
        """The whole table, (K, K)."""
        if len(self.cells) == 1:
            return self.cells[0]
        k = len(self.classes)
        refuse_large(8 * k * k, f"The table of {k} x {k} labels", "Name fewer labels.")
        table = np.zeros((k, k), dtype=self.cells[2].dtype)
        table[self.cells[0], self.cells[1]] = self.cells[2]
        return table

    def place(self, labels: Array | list[float | str], name: str = "labels") -> Array:
        """Where in `classes` each of some labels is; -1 if nowhere."""
        known = {label: k for k, label in enumerate(self.classes.tolist())}
        return np.array([known.get(label, -1) for label in named_labels(labels, name)])


def label_table(y_true: Any, y_pred: Any, sample_weight: Any = None) -> LabelTable:
    """Count true against predicted labels; each checked once."""
    true, pred = as_column(y_true, "y_true"), as_column(y_pred, "y_pred")
    if len(true) != len(pred):
        raise ValueError(
            "y_true and y_pred must have one label for each row (inconsistent numbers of "
            f"samples); got {len(true)} and {len(pred)}."
        )
    if len(true) == 0:
        raise ValueError("y_true holds 0 labels while a minimum of 1 is required. Pass some.")
    weights = as_weights(sample_weight, len(true))
    if true.dtype.kind in "biu" and pred.dtype.kind in "biu":
        table = _of_integers(true, pred, weights)
        if table is not None:
            return table
    return _of_codes(*coded(true, pred), weights)


def as_column(y: Any, name: str) -> Array:
    """Labels as a 1-d ndarray of any type."""
    y = to_array(y, name, "a 1d array-like of labels")
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        hint = " Indicators of several labels a row are not supported." if y.ndim == 2 else ""
        raise ValueError(f"{name} should be a 1d array, got an array of shape {y.shape}.{hint}")
    return y


def named_labels(labels: Any, name: str = "labels") -> list[float | str]:
    """A list of labels, as a user names them."""
    wanted = labels if isinstance(labels, list | tuple) else as_column(labels, name).tolist()
    if not len(wanted):
        raise ValueError(f"{name} must hold at least one label; got none. Name some.")
    return [as_label(label, name) for label in wanted]


def _of_integers(true: Array, pred: Array, weights: Array | None) -> LabelTable | None:
    """Count in a table over the range of the labels; None if that is too wide."""
    kind = np.result_type(true, pred)
    if kind == np.uint64 or kind.kind == "f":
        if max(true.max(), pred.max()) > np.iinfo(np.int64).max:
            return None
        kind = np.dtype(np.int64 if true.dtype != np.uint64 else np.uint64)
    stored = kind.type if kind.type in NATIVE else np.uint8 if kind.kind == "b" else np.int64
    a, b = (_plain(y, stored) for y in (true, pred))
    low, high = confusion.extent(a[:ROWS_FOR_RANGE], b[:ROWS_FOR_RANGE])
    while (span := high - low + 1) <= MAX_SPAN_OF_LABELS:
        counted = _counted(a, b, low, span, weights)
        if counted is not None:
            return _of_table(*counted, low, kind)
        low, high = confusion.extent(a, b)
    return None


def _plain(y: Array, stored: type[Any]) -> Array:
    if y.dtype == bool:
        y = y.view(np.uint8)
    return np.ascontiguousarray(y, dtype=stored)


def _counted(
    a: Array, b: Array, low: int, span: int, weights: Array | None
) -> tuple[Array, Array] | None:
    """The table, summed over blocks in their order, and which labels there are.

    A label that only rows of weight 0 have is a label all the same, as it is to scikit-learn.
    None if a label is out of range.
    """

    def work(rows: slice) -> Any:
        if weights is None:
            tables = np.zeros((4, span, span), dtype=np.int64)
            good, table = confusion.count(a[rows], b[rows], low, tables), tables.sum(axis=0)
            seen = table.any(axis=0) | table.any(axis=1)
        else:
            table, seen = np.zeros((span, span)), np.zeros(span, dtype=np.uint8)
            good = confusion.add(a[rows], b[rows], weights[rows], low, table, seen)
        return (table, seen) if good else None

    if len(a) <= ROWS_OF_TASK:
        return work(slice(0, len(a)))
    parts = each(work, grid(len(a), ROWS_OF_TASK, ROWS_OF_TASK), effort=2.0 * len(a))
    if any(part is None for part in parts):
        return None
    table, seen = parts[0]
    for part in parts[1:]:
        table, seen = table + part[0], seen | part[1]
    return table, seen


def _of_table(table: Array, seen: Array, low: int, kind: np.dtype[Any]) -> LabelTable:
    present = np.flatnonzero(seen)
    if len(present) < len(seen):
        table = table[np.ix_(present, present)]
    classes = (present + low).astype(kind)
    return LabelTable(classes, (table,), table.diagonal(), table.sum(axis=1), table.sum(axis=0))


def coded(
    true: Array, pred: Array, name: str = "y_true", other_name: str = "y_pred"
) -> tuple[Array, Array, Array]:
    """The classes of both, and the codes of either among them."""
    (first, rows), (second, columns) = (
        as_labels(y, len(y), name=which) for y, which in ((true, name), (pred, other_name))
    )
    kinds = {"text" if classes.dtype.kind in "USOT" else "number" for classes in (first, second)}
    if len(kinds) > 1:
        raise TypeError(
            f"Labels in {name} and {other_name} should be of the same type. Got "
            f"{name}={shown(first.tolist())} and {other_name}={shown(second.tolist())}."
        )
    classes = np.unique(np.concatenate([first, second]))
    return (
        classes,
        np.searchsorted(classes, first)[rows],
        np.searchsorted(classes, second)[columns],
    )


def _of_codes(classes: Array, rows: Array, columns: Array, weights: Array | None) -> LabelTable:
    k = len(classes)
    if k <= MAX_SPAN_OF_LABELS:
        table = np.bincount(rows * k + columns, weights, k * k).reshape(k, k)
        return LabelTable(classes, (table,), table.diagonal(), table.sum(1), table.sum(0))
    held, at = np.unique(rows * k + columns, return_inverse=True)
    counts = np.bincount(at, weights)
    i, j = np.divmod(held, k)
    sums = (
        np.bincount(where, counts[kept], k).astype(counts.dtype)
        for where, kept in ((i[i == j], i == j), (i, slice(None)), (j, slice(None)))
    )
    return LabelTable(classes, (i, j, counts), *sums)
