# SPDX-License-Identifier: BSD-3-Clause
"""Columns of a table by name, place, slice, mask or type, and tables of some of them."""

from __future__ import annotations

import re
from numbers import Integral
from typing import Any

import numpy as np

from statfast._estimator import is_frame
from statfast._validation import as_sparse, column_names, is_sparse, require_shape, shown, to_array

KINDS_OF_COLUMNS = "names, places, a slice, a mask of truth values, or a callable that gives them"


def as_container(X: Any) -> Any:
    """X as a table of which columns can be taken; arrays, frames and sparse matrices stay as they
    are."""
    if is_sparse(X):
        return as_sparse(X)
    if is_frame(X):
        require_shape(np.broadcast_to(False, X.shape), "X")
        return X
    table = to_array(X, "X", "a 2-d array or a data frame")
    if not hasattr(X, "dtype") and table.dtype.kind in "US":
        table = np.asarray(X, dtype=object)  # numbers beside strings stay numbers
    require_shape(table, "X")
    return table


def places_of(columns: list[int] | slice, X: Any) -> tuple[list[int], bool]:
    """The places of columns in a table, and whether a single column was named, to be passed as a
    1-d array."""
    if callable(columns):
        columns = columns(X)
    d = X.shape[1]
    if isinstance(columns, str | Integral) and not isinstance(columns, bool):
        return [_place(columns, X, d)], True
    if isinstance(columns, slice):
        return list(range(d))[_as_places(columns, X, d)], False
    if isinstance(columns, bool | dict | set) or not hasattr(columns, "__len__"):
        raise TypeError(
            f"Columns in transformers must be {KINDS_OF_COLUMNS}; got {shown(columns)}."
        )
    columns = list(columns)
    if columns and all(isinstance(column, bool | np.bool_) for column in columns):
        if len(columns) != d:
            raise ValueError(
                f"A mask of columns in transformers must have an entry for each of the {d} columns "
                f"of X; got {len(columns)}."
            )
        return np.flatnonzero(columns).tolist(), False
    return [_place(column, X, d) for column in columns], False


def _place(column, X, d):
    if isinstance(column, str):
        names = column_names(X)
        if names is None:
            raise ValueError(
                "Specifying the columns using strings is only supported for dataframes; "
                f"transformers names {column!r}, and X has no column names."
            )
        places = np.flatnonzero(names == column)
        if not len(places):
            raise ValueError(f"A given column is not a column of the dataframe X: {column!r}.")
        return int(places[0])
    if isinstance(column, bool | np.bool_) or not isinstance(column, Integral):
        raise TypeError(f"Columns in transformers must be {KINDS_OF_COLUMNS}; got {shown(column)}.")
    if not -d <= column < d:
        raise ValueError(f"X has {d} columns, but transformers asks for column {int(column)}.")
    return int(column) % d


def _as_places(columns: slice, X: Any, d: int) -> slice:
    """A slice of columns as a slice of places. A slice of names includes its end, as in pandas."""
    begin, end = columns.start, columns.stop
    if isinstance(begin, str):
        begin = _place(begin, X, d)
    if isinstance(end, str):
        end = _place(end, X, d) + 1
    return slice(begin, end, columns.step)


class make_column_selector:
    """Selector of data-frame columns by name and type, for `ColumnTransformer`.

    Parameters
    ----------
    pattern : str, optional
        A regular expression, to be found in the name.
    dtype_include : type or list of types, optional
        Types to take, as of ``pandas.DataFrame.select_dtypes``; of polars frames, polars types or
        selectors.
    dtype_exclude : type or list of types, optional
        Types to leave out.

    Examples
    --------
    >>> import pandas as pd
    >>> from statfast.pipeline import make_column_selector
    >>> frame = pd.DataFrame({"age": [31, 47], "city": ["Delft", "Graz"], "height": [1.7, 1.8]})
    >>> make_column_selector(dtype_include="number")(frame)
    ['age', 'height']
    >>> make_column_selector("^c")(frame)
    ['city']
    """

    def __init__(
        self, pattern: str | None = None, *, dtype_include: Any = None, dtype_exclude: Any = None
    ) -> None:
        self.pattern = pattern
        self.dtype_include = dtype_include
        self.dtype_exclude = dtype_exclude

    def __call__(self, df: Any) -> list[str]:
        """Names of the columns.

        Parameters
        ----------
        df : data frame of pandas or polars

        Returns
        -------
        list of str

        Raises
        ------
        ValueError
            If `df` is no such frame.
        """
        if hasattr(df, "iloc"):
            part = df.iloc[:1]
            if self.dtype_include is not None or self.dtype_exclude is not None:
                part = part.select_dtypes(include=self.dtype_include, exclude=self.dtype_exclude)
        elif hasattr(df, "get_columns"):
            import polars.selectors as cs

            part = df.head(1)
            if self.dtype_include is not None:
                part = part.select(_polars_types(self.dtype_include, cs))
            if self.dtype_exclude is not None:
                part = part.select(~_polars_types(self.dtype_exclude, cs))
        else:
            raise ValueError(
                "make_column_selector can only be applied to pandas or polars dataframes; got "
                f"{type(df).__name__}."
            )
        names = list(part.columns)
        return [n for n in names if self.pattern is None or re.search(self.pattern, n)]


def _polars_types(kinds: Any, cs: Any) -> Any:
    if cs.is_selector(kinds):
        return kinds
    return cs.numeric() if kinds in ("number", np.number) else cs.by_dtype(kinds)
