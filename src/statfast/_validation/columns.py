# SPDX-License-Identifier: BSD-3-Clause
"""Tables whose columns are of several types: numbers, truth values, strings, categories."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation.errors import not_fitted
from statfast._validation.fitted_rows import compare_names
from statfast._validation.kinds import first_time
from statfast._validation.rows import (
    column_names,
    explain_nonfinite,
    refuse_distributed,
    require_shape,
    to_array,
)

TABLE = "a 2-d array or a data frame"


def as_columns(X: Any, *, name: str = "X") -> list[Array]:
    """Check a table and return its columns, each an ndarray (n,) of its own type.

    Numbers stay numbers, where NaN may be, but infinity is refused; strings and all else are
    objects, where None and NaN may be. Arrays of strings are kept as they are.
    """
    refuse_distributed(X, name)
    column_names(X)  # Mixed names of columns are refused before any work is done.
    columns = frame_columns(X)
    if columns is None:
        table = to_array(X, name, TABLE)
        if not hasattr(X, "dtype") and table.dtype.kind in "US":
            table = np.asarray(X, dtype=object)  # As objects, numbers beside strings stay numbers.
        require_shape(table, name)
        columns = list(table.T)
    require_shape(np.broadcast_to(False, (len(columns[0]) if columns else 1, len(columns))), name)
    labels = column_labels(column_names(X), len(columns))
    return [_checked(*pair, name) for pair in zip(columns, labels, strict=True)]


def columns_for(estimator: Any, X: Any, *, name: str = "X") -> list[Array]:
    """`as_columns` for a fitted estimator: their number and names must be those of ``fit``."""
    if "n_features_in_" not in estimator.__dict__:
        raise not_fitted(estimator)
    compare_names(estimator, X, name)
    columns = as_columns(X, name=name)
    if len(columns) != estimator.n_features_in_:
        raise ValueError(
            f"{name} has {len(columns)} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    return columns


def column_labels(names: Array | None, d: int) -> list[Any]:
    """How sentences name d columns: by their names or, where these are None, their numbers."""
    return [*range(d)] if names is None else [repr(str(name)) for name in names]


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or pandas' NA."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or _is_nan(value)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float | np.floating) and bool(value != value)


def _checked(column: Array, label: Any, name: str) -> Array:
    if column.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has dtype {column.dtype}.")
    if column.dtype.kind not in "biufOUS":
        raise ValueError(
            f"{name} must hold numbers or strings; got dtype {column.dtype} in column {label}. "
            "Convert the column to strings."
        )
    if column.dtype == object and (when := first_time(column)) is not None:
        raise ValueError(
            f"{name} must hold numbers or strings; got {when!r} in column {label}. Convert the "
            "column to strings."
        )
    if column.dtype.kind == "f":
        if np.isinf(column).any():
            explain_nonfinite(np.where(np.isnan(column), 0, column), f"{name}, column {label},")
        column = column.astype(column.dtype.newbyteorder("="), copy=False)
    return column


# ------------------------------------------------------------------ frames
def frame_columns(X: Any) -> list[Array] | None:
    """The columns of a pandas, polars or pyarrow table, as arrays; None of anything else."""
    if isinstance(X, np.ndarray | list | tuple):
        return None
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return [_of_pandas(X.iloc[:, j]) for j in range(X.shape[1])]
    if hasattr(X, "get_columns"):  # polars
        return [_of_polars(column) for column in X.get_columns()]
    if hasattr(X, "column_names") and hasattr(X, "columns"):
        return [_of_arrow(column) for column in X.columns]
    return None


def _of_pandas(column: Any) -> Array:
    kind = column.dtype
    if hasattr(column, "cat"):
        levels, codes = column.cat.categories.to_numpy(), column.cat.codes.to_numpy()
        if (codes >= 0).all():
            return levels[codes]
        levels = np.append(levels.astype(float if levels.dtype.kind in "biuf" else object), np.nan)
        return levels[codes]
    if isinstance(kind, np.dtype):
        return column.to_numpy()
    if getattr(kind, "storage", None) == "pyarrow":  # A string object is made once for each value.
        codes, strings = column.factorize()
        return np.append(strings.to_numpy(object), np.nan)[codes]
    gaps = bool(column.isna().any())
    if getattr(kind, "kind", "O") in "biuf":  # A nullable dtype of pandas.
        return column.to_numpy(np.float64, na_value=np.nan) if gaps else column.to_numpy()
    return column.to_numpy(object, na_value=np.nan) if gaps else column.to_numpy()


def _of_polars(column: Any) -> Array:
    if type(column.dtype).__name__ in ("Categorical", "Enum"):
        column = column.cast(str)
    return column.to_numpy()


def _of_arrow(column: Any) -> Array:
    if hasattr(column.type, "value_type"):
        column = column.cast(column.type.value_type)
    return column.to_numpy()
