# SPDX-License-Identifier: BSD-3-Clause
"""Tables whose columns are of several types: numbers, truth values, strings, categories."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import (
    as_rows,
    column_labels,
    column_names,
    compare_names,
    first_time,
    frame_columns,
    is_missing,
    shown,
    to_array,
)


class TableColumns:
    """The columns of an array or data frame, each as an ndarray of its own type."""

    def __init__(self, X: Any, estimator: Any = None) -> None:
        if estimator is not None:
            compare_names(estimator, X)
        self.table, self.rows = X, None
        self.columns = frame_columns(X)
        if self.columns is not None:
            self.columns = [_as_column(column) for column in self.columns]
        if self.columns is None:
            table = to_array(X, "X", "a 2d array or a data frame")
            if table.ndim == 2 and table.dtype.kind in "OUT" and table.size:
                self.columns = list(table.T)
            else:
                self.rows = as_rows(X, keep=(np.float64, np.float32), finite=False)
                kind = table.dtype
                self.columns = [np.asarray(c) for c in self.rows.T]
                if kind.kind in "biu":
                    self.columns = list(table.T)
        if not self.columns or not len(self.columns[0]):
            as_rows(np.empty((len(self.columns[0]) if self.columns else 1, len(self.columns))))
        self.n_columns = len(self.columns)
        if estimator is not None and self.n_columns != estimator.n_features_in_:
            raise ValueError(
                f"X has {self.n_columns} features, but {type(estimator).__name__} is expecting "
                f"{estimator.n_features_in_} features as input."
            )

    def label(self, j: int) -> str:
        """How sentences name a column."""
        return column_labels(column_names(self.table), self.n_columns)[j]

    def guess(self, j):
        """The density that suits the type of a column."""
        column = self.columns[j]
        if column.dtype.kind == "b":
            return "bernoulli"
        kind = column.dtype.kind
        if kind in "mM" or (kind == "O" and first_time(column) is not None):
            got = f"dtype {column.dtype}" if kind in "mM" else repr(first_time(column))
            raise ValueError(
                f"X must hold numbers or strings; got {got} in column "
                f"{self.label(j)}. Convert the column to numbers or strings, or pass "
                "densities='categorical' for it."
            )
        if column.dtype.kind in "OUST":
            return "categorical"
        if column.dtype.kind in "iu":
            return "gaussian" if column.min() < 0 else "poisson"
        return "gaussian"


def _as_column(column: Array) -> Array:
    if column.dtype.kind == "O":  # Whole numbers and truth values with gaps are objects.
        there = [value for value in column if not is_missing(value)]
        number = (int, float, np.number)
        if there and all(isinstance(v, number) and not isinstance(v, bool) for v in there):
            return np.array([np.nan if is_missing(v) else v for v in column], np.float64)
    return column


def numbers_of(table: Any, place: list[int], allow_missing: bool) -> Array:
    """The columns at `place` as numbers."""
    if table.rows is not None:
        rows = table.rows if len(place) == table.n_columns else table.rows[:, place]
        return as_rows(rows, finite=not allow_missing)
    numbers = []
    for j in place:
        column = table.columns[j]
        if column.dtype.kind == "O" and allow_missing:
            column = np.array([np.nan if is_missing(v) else v for v in column], dtype=object)
        numbers.append(as_rows(column[:, None], finite=not allow_missing))
    same = {column.dtype for column in numbers}
    dtype = np.float32 if same == {np.dtype(np.float32)} else np.float64
    return np.concatenate(numbers, axis=1, dtype=dtype)


def levels_of(table: Any, j: int, allow_missing: bool) -> list[float]:
    """The categories of a column, sorted."""
    column = table.columns[j]
    if column.dtype.kind in "biuf":
        levels = np.unique(column)
        if levels.dtype.kind == "f" and np.isnan(levels).any():
            if not allow_missing:
                raise ValueError(_missing(column, table.label(j)))
            levels = levels[~np.isnan(levels)]
        return levels.tolist()
    try:
        seen = set(column.tolist())
        there = {level for level in seen if not is_missing(level)}
        if len(there) < len(seen) and not allow_missing:
            raise ValueError(_missing(column, table.label(j)))
        return sorted(there)
    except TypeError as error:
        raise TypeError(
            f"X must hold categories of one type in column {table.label(j)}; {error}. Convert them "
            "to strings."
        ) from error


def number_categories(table, j, levels, unseen, allow_missing):
    """The categories of a column by their numbers; NaN where missing, or unseen and ignored."""
    column = table.columns[j]
    number = {level: k for k, level in enumerate(levels)}
    if column.dtype.kind in "biuf":
        distinct, place = np.unique(column, return_inverse=True)
        column = distinct
    else:
        place = None
    try:
        numbers = list(map(number.get, column.tolist()))
    except TypeError as error:
        raise TypeError(f"X must hold categories in column {table.label(j)}; {error}.") from error
    if None in numbers:
        for i, value in enumerate(column.tolist()):
            if numbers[i] is None:
                if is_missing(value) and not allow_missing:
                    raise ValueError(_missing(table.columns[j], table.label(j)))
                if not is_missing(value) and unseen == "error":
                    raise ValueError(
                        f"X holds the category {shown(value)} in column {table.label(j)}, which "
                        f"fit has not seen ({shown(levels)}). Pass unseen='ignore' to judge the "
                        "row by its others."
                    )
                numbers[i] = np.nan
    out = np.array(numbers, dtype=np.float64)
    return out if place is None else out[place.reshape(-1)]


def _missing(column: Array, label: str) -> str:
    row = next(i for i, value in enumerate(column.tolist()) if is_missing(value))
    return (
        f"X contains NaN, or another missing value, first at row {row}, column {label}. Pass "
        "missing='ignore', or drop those rows."
    )
