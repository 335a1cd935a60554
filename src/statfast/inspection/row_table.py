# SPDX-License-Identifier: BSD-3-Clause
"""Rows of which single columns are replaced, in the container that the model was fitted on."""

from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import as_rows, column_names, frame_columns, shown


class RowTable:
    """Rows, copied, whose columns can be set: a data frame stays one.

    Parameters
    ----------
    X : array-like of shape (n, d)
        A table with names of columns, or anything that `as_rows` takes, missing values among it.
    """

    def __init__(self, X: Any) -> None:
        self.is_frame = hasattr(X, "iloc") and hasattr(X, "columns")
        self.names = column_names(X)
        self._rows: Any = X.copy() if self.is_frame else np.array(as_rows(X, finite=False))
        self.shape = self._rows.shape
        self._framed = None if self.is_frame or self.names is None else _maker_of(X)

    @property
    def values(self):
        """The rows, as a model is asked about them: with the names of their columns, if they have
        some."""
        if self._framed is None:
            return self._rows
        return self._framed(dict(zip(self.names, self._rows.T, strict=True)))

    def copy(self) -> "RowTable":
        """Another of the same rows."""
        return self._of(self._rows.copy())

    def part(self, rows: Array) -> "RowTable":
        """Another of some rows."""
        return self._of(self._rows.iloc[rows].copy() if self.is_frame else self._rows[rows])

    def _of(self, rows: Any) -> "RowTable":
        other = object.__new__(RowTable)
        other.is_frame, other.names, other._framed = self.is_frame, self.names, self._framed
        other._rows, other.shape = rows, rows.shape
        return other

    def is_categorical(self, j: int) -> bool:
        """Whether a column holds categories, whatever they are."""
        return self.is_frame and getattr(self._rows.dtypes.iloc[j], "name", "") == "category"

    def column(self, j):
        """Values of a column, an ndarray; missing ones are NaN or None."""
        if self.is_frame:
            return frame_columns(self._rows.iloc[:, [j]])[0]
        return self._rows[:, j]

    def set(self, j: Any, values: float) -> None:
        """Put values, or one for all rows, into a column."""
        if not self.is_frame:
            self._rows[:, j] = values
            return
        name, new = self._rows.columns[j], self._rows.iloc[:, j].copy()
        if np.ndim(values) == 0:
            new, values = self._able(j, new, values)
        new[:] = values
        if isinstance(name, str):
            self._rows = self._rows.assign(**{name: new})
        else:
            self._rows = self._rows.copy()
            self._rows[name] = new

    def _able(self, j, column, value):
        """A column of a type that can hold a value, and the value as it holds it."""
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
        """The values of a column in another order."""
        if self.is_frame:
            moved = self._rows.iloc[order, j]
            moved.index = self._rows.index
            self._rows[self._rows.columns[j]] = moved
        else:
            self._rows[:, j] = self._rows[order, j]

    def place(self, one: int, argument: str) -> int:
        """The number of a column given by number or name."""
        width = self.shape[1]
        if isinstance(one, str):
            at = np.flatnonzero(self.names == one) if self.names is not None else ()
            if len(at) == 1:
                return int(at[0])
            raise ValueError(
                f"{argument} names {shown(one)}, which is not a column of X. Name columns of a "
                "data frame, or give their numbers."
            )
        if isinstance(one, bool) or not isinstance(one, int | np.integer):
            raise TypeError(f"{argument} must be columns of X by number or name; got {shown(one)}.")
        if not -width <= one < width:
            raise ValueError(
                f"{argument} must be columns of X from 0 to {width - 1}; got {one}. Lower it."
            )
        return int(one) % width

    def name(self, j: int) -> str:
        """What a column is called."""
        return f"x{j}" if self.names is None else str(self.names[j])


def _maker_of(X: Any) -> Any:
    """What makes a table of polars or pyarrow from a dict of columns; None of other tables."""
    return getattr(type(X), "from_pydict", type(X) if hasattr(X, "get_columns") else None)
