# SPDX-License-Identifier: BSD-3-Clause
"""Rows as a wrapper hands them on to its members: what these take, unchanged.

A wrapper looks at how many rows and columns there are, and at the names of the columns. What the
rows hold is its members' to judge: they may be numbers with or without gaps, a data frame with
columns of all types, texts, or anything else that has rows.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from statfast._estimator.sums.part_sums import NamedRows
from statfast._validation import (
    as_rows,
    as_sparse,
    column_names,
    compare_names,
    is_sparse,
    not_fitted,
    refuse_distributed,
    require_shape,
    require_width,
    rows_for,
    shown,
)

ROW_DTYPES = (np.float64, np.float32, np.uint8)  # The dtypes of rows that are not converted.


def handed(X: Any) -> Any:
    """X as what rows can be taken from by their places.

    Numbers are an ndarray, sparse rows CSR, data frames themselves, and anything else a list or an
    array of objects.
    """
    refuse_distributed(X, "X")
    if is_sparse(X):
        return as_sparse(X)
    if is_frame(X):
        column_names(X)  # Mixed names of columns are refused before any work is done.
        require_shape(np.broadcast_to(False, X.shape), "X")
        return X
    if hasattr(X, "to_pylist"):  # a column of pyarrow
        return X.to_pylist()
    if isinstance(X, list | tuple):
        try:
            table = np.asarray(X)
        except ValueError:  # rows of different lengths
            return list(X)
        if (table.ndim != 2 and table.dtype == object) or table.dtype.kind in "US":
            return list(X)
        X = table
    elif not isinstance(X, np.ndarray):
        shape = getattr(X, "shape", None)
        if isinstance(shape, tuple) and len(shape) == 1:
            X = np.asarray(X)
    if isinstance(X, np.ndarray) and X.dtype.kind in "USOT":
        return X.tolist() if X.ndim == 1 else X
    return as_rows(X, keep=ROW_DTYPES, finite=False)


def handed_for(estimator: Any, X: Any) -> Any:
    """Rows for the members of a fitted wrapper, of the width and with the names of its fit.

    Where names differ from those of the fit, one warning is enough: members get the names that they
    know.
    """
    if "n_features_in_" not in estimator.__dict__:
        raise not_fitted(estimator)
    rows = handed(X)
    known = estimator.__dict__.get("feature_names_in_")
    if isinstance(rows, np.ndarray) and rows.dtype != object and rows.ndim == 2:
        rows = rows_for(estimator, rows, keep=ROW_DTYPES, finite=False)
        return rows if known is None else NamedRows(rows, known)
    if len(getattr(rows, "shape", ())) != 2:
        return rows
    if is_sparse(rows):
        require_width(estimator, rows)
        return rows
    compare_names(estimator, rows)
    require_width(estimator, rows)
    named = is_frame(rows) and column_names(rows) is not None
    return np.asarray(rows) if named and known is None else rows


def width_of(rows: Any, member: Any) -> int:
    """The columns of rows; of what is not a table, those that a fitted member tells of."""
    shape: tuple[int, ...] = getattr(rows, "shape", ())
    return int(shape[1]) if len(shape) == 2 else getattr(member, "n_features_in_", 1)


def count_rows(rows: Any) -> int:
    """How many rows there are."""
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)


def is_frame(X: Any) -> bool:
    """Whether X is a data frame: pandas, polars, pyarrow."""
    return not isinstance(X, np.ndarray | list | tuple) and (
        (hasattr(X, "iloc") and hasattr(X, "columns"))
        or hasattr(X, "get_columns")
        or hasattr(X, "column_names")
    )


def take_rows(X: Any, places: Any) -> Any:
    """Some rows, by place, of an array, a sparse matrix, a data frame or column, or a list."""
    if X is None or places is None:
        return X
    if isinstance(X, NamedRows):
        return NamedRows(X.rows[places], X.columns)
    if hasattr(X, "iloc"):
        return X.iloc[places]
    if hasattr(X, "tocsr"):
        return X.tocsr()[places]
    if hasattr(X, "shape"):
        return X.take(places) if hasattr(X, "column_names") else X[places]
    return [X[place] for place in places]


def take_columns(X: Any, places: Any, alone: bool = False) -> Any:
    """Some columns of a table; with `alone` the only one, as a 1-d column."""
    if isinstance(X, NamedRows):
        return NamedRows(X.rows[:, places], X.columns[places])
    if hasattr(X, "iloc"):
        return X.iloc[:, places[0] if alone else places]
    if hasattr(X, "get_columns"):
        if len(set(places)) < len(places):
            raise ValueError(
                f"columns must differ in a frame of polars, whose names do; got {shown(places)}. "
                "Pass an array, or name each once."
            )
        return X.to_series(places[0]) if alone else X[:, [int(place) for place in places]]
    if hasattr(X, "column_names"):
        return X.column(places[0]) if alone else X.select([int(place) for place in places])
    if is_sparse(X):
        part = X[:, places]
        return part.toarray().ravel() if alone else part
    if alone:
        return X[:, places[0]]
    first, last = places[0], places[-1]
    if list(places) == list(range(first, last + 1)):  # Consecutive rows are not copied.
        return X[:, first : last + 1]
    return X[:, places]


def rows_like(X: Any, values: np.ndarray) -> Any:
    """Numbers as rows of the kind of X: a data frame with the names of its columns, or an array."""
    names = column_names(X)
    if names is None:
        return values
    if hasattr(X, "iloc"):
        return type(X)(values, columns=X.columns)
    columns = dict(zip(names.tolist(), values.T, strict=True))
    make = getattr(type(X), "from_pydict", type(X) if hasattr(X, "get_columns") else None)
    return NamedRows(values, names) if make is None else make(columns)


def with_tags_of(tags: Any, *members: Any) -> Any:
    """Tags of a wrapper that takes what all its members take, as far as these tell."""
    known = [
        member.__sklearn_tags__().input_tags
        for member in members
        if hasattr(member, "__sklearn_tags__") and not isinstance(member, type)
    ]
    if not known:
        return tags
    tags.input_tags = known[0]
    for field in fields(tags.input_tags):
        combine = any if field.name in _DEMANDS else all
        setattr(tags.input_tags, field.name, combine(getattr(tag, field.name) for tag in known))
    return tags


# The tags that demand something of rows; other tags allow something.
_DEMANDS = {"positive_only", "pairwise"}
