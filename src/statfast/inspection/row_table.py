# SPDX-License-Identifier: BSD-3-Clause
"""Rows whose columns can be replaced, in the container that the model was fitted to."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import as_rows, column_names, frame_columns, shown


class RowTable:
    """A copy of rows whose columns can be set; a data frame stays one.

    Parameters
    ----------
    X : array-like of shape (n, d)
        A table with names of columns, or anything that `as_rows` takes, missing values among it.
    """

    def __init__(self, X: Any) -> None:
        self.is_frame = hasattr(X, "iloc") and hasattr(X, "columns")
        self.names = column_names(X)
        self._rows: Any = X.copy() if self.is_frame else _array_of(X)
        self.shape = self._rows.shape
        self._framed = None if self.is_frame or self.names is None else _maker_of(X)

    @property
    def values(self):
        """The rows in the form that a model takes, with the names of their columns, if any."""
        if self._framed is None:
            return self._rows
        columns: Any = self._rows.T
        if self._rows.dtype == object:
            columns = [
                [None if value != value else value for value in column] for column in columns
            ]
        return self._framed(dict(zip(self.names, columns, strict=True)))

    def copy(self) -> RowTable:
        """A table with a copy of the rows."""
        return self._with_rows(self._rows.copy())

    def part(self, rows: Array) -> RowTable:
        """A table of a subset of the rows."""
        return self._with_rows(self._rows.iloc[rows].copy() if self.is_frame else self._rows[rows])

    def _with_rows(self, rows: Any) -> RowTable:
        table = object.__new__(RowTable)
        table.is_frame, table.names, table._framed = self.is_frame, self.names, self._framed
        table._rows, table.shape = rows, rows.shape
        return table

    def joined(self, background: RowTable) -> RowTable:
        """The rows of this table, then those of another one with the same columns."""
        if self.is_frame != background.is_frame:
            raise TypeError("Both tables must be data frames, or none; pass the same container.")
        if not self.is_frame:
            return self._with_rows(np.concatenate([self._rows, background._rows]))
        concat = sys.modules[type(self._rows).__module__.partition(".")[0]].concat
        return self._with_rows(concat([self._rows, background._rows], ignore_index=True))

    def mixed(self, places: Array) -> RowTable:
        """Rows (m, p) of which column j is that of row ``places[:, j]``."""
        if not self.is_frame:
            return self._with_rows(self._rows[places, np.arange(self.shape[1])])
        columns = {
            name: self._rows[name].array.take(places[:, j])
            for j, name in enumerate(self._rows.columns)
        }
        return self._with_rows(type(self._rows)(columns))

    def is_categorical(self, j: int) -> bool:
        """Whether a column holds categories, whatever they are."""
        return self.is_frame and getattr(self._rows.dtypes.iloc[j], "name", "") == "category"

    def column(self, j):
        """Values of a column, an ndarray; missing ones are NaN or None."""
        if self.is_frame:
            return frame_columns(self._rows.iloc[:, [j]])[0]
        column = self._rows[:, j]
        if column.dtype != object:
            return column
        typed = np.array(column.tolist())
        return typed if typed.dtype.kind in "fiub" else column

    def set(self, j: Any, values: float) -> None:
        """Set a column to values, or to one value."""
        if not self.is_frame:
            self._rows[:, j] = values
            return
        name, new = self._rows.columns[j], self._rows.iloc[:, j].copy()
        if np.ndim(values) == 0:
            new, values = self._able_to_hold(j, new, values)
        new[:] = values
        if isinstance(name, str):
            self._rows = self._rows.assign(**{name: new})
        else:
            self._rows = self._rows.copy()
            self._rows[name] = new

    def _able_to_hold(self, j, column, value):
        """A column in a type that can hold a value, and the value in that type."""
        if self.is_categorical(j):
            levels = column.cat.categories.tolist()
            return column, next((level for level in levels if level == value), value)
        kind = column.dtype
        if getattr(kind, "kind", "O") not in "iub":
            return column, value
        if kind.kind == "b" and value in (0, 1):
            return column, bool(value)
        if kind.kind != "b" and value % 1 == 0:
            return column, int(value)
        return column.astype(np.float64 if isinstance(kind, np.dtype) else "Float64"), value

    def permute(self, j: int, order: Array) -> None:
        """Permute the values of a column."""
        if self.is_frame:
            moved = self._rows.iloc[order, j]
            moved.index = self._rows.index
            self._rows[self._rows.columns[j]] = moved
        else:
            self._rows[:, j] = self._rows[order, j]

    def place(self, column: int, argument: str) -> int:
        """The number of a column, from its number or name."""
        width = self.shape[1]
        if isinstance(column, str):
            places = np.flatnonzero(self.names == column) if self.names is not None else ()
            if len(places) == 1:
                return int(places[0])
            raise ValueError(
                f"{argument} names {shown(column)}, which is not a column of X. Name columns of a "
                "data frame, or give their numbers."
            )
        if isinstance(column, bool) or not isinstance(column, int | np.integer):
            raise TypeError(
                f"{argument} must be columns of X by number or name; got {shown(column)}."
            )
        if not -width <= column < width:
            raise ValueError(
                f"{argument} must be columns of X from 0 to {width - 1}; got {column}. Lower it."
            )
        return int(column) % width

    def name(self, j: int) -> str:
        """The name of a column."""
        return f"x{j}" if self.names is None else str(self.names[j])


def _array_of(X: Any) -> Array:
    """Rows as an array, of objects where a column of a table holds no numbers."""
    columns = frame_columns(X)
    if columns is None or all(column.dtype.kind in "fiub" for column in columns):
        return np.array(as_rows(X, finite=False))
    rows = np.empty((len(columns[0]), len(columns)), object)
    for j, column in enumerate(columns):
        rows[:, j] = column
    return rows


def _maker_of(X: Any) -> Any:
    """The function that makes a table of polars or pyarrow from a dict; None for other tables."""
    return getattr(type(X), "from_pydict", type(X) if hasattr(X, "get_columns") else None)
