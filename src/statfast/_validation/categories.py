# SPDX-License-Identifier: BSD-3-Clause
"""Columns of categories as codes from 0 on; values that the fit has not seen are missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._typing import Array
from statfast._validation.columns import column_labels, is_missing
from statfast._validation.errors import shown, wrong_type
from statfast._validation.fitted_rows import compare_names, rows_for
from statfast._validation.rows import as_rows, column_names, to_array, to_numbers

NATIVE_DTYPES = (np.float64, np.float32, np.uint8)


@dataclass(frozen=True)
class CategoryColumns:
    """The sorted categories of the columns that hold them."""

    categories: tuple[Any, ...]  # for each column an ndarray, or None

    @property
    def mask(self) -> NDArray[np.bool_] | None:
        mask = np.array([levels is not None for levels in self.categories])
        return mask if mask.any() else None

    def numbers(self, X: Any, estimator: Any = None) -> Array:
        """X as numbers, with categories as their codes; NaN is missing.

        With a fitted `estimator`, the width and the names of X must be those of its fit.
        """
        if self.mask is None:
            if estimator is None:
                return as_rows(X, keep=NATIVE_DTYPES, finite=False)
            return rows_for(estimator, X, keep=NATIVE_DTYPES, finite=False)
        if estimator is not None:
            compare_names(estimator, X)
        n, width = _shape(X)
        if width != len(self.categories):
            fitted = "the fit" if estimator is None else type(estimator).__name__
            raise ValueError(
                f"X has {width} features, but {fitted} is expecting {len(self.categories)} "
                "features as input."
            )
        coded = np.empty((n, width))
        for j in range(width):
            coded[:, j] = self.column_numbers(_column(X, j), j)
        return as_rows(coded, finite=False)

    def column_numbers(self, values: Array, j: int) -> Array:
        """Values of a column, an ndarray, as numbers, or the codes of categories."""
        levels = self.categories[j]
        return _numbers(values, j) if levels is None else _codes(values, levels)


def find_columns(X: Any, categorical_features: Any, most: int, limit: str) -> CategoryColumns:
    """The categorical columns of X, as the argument names them, and their categories.

    A column may have `most` categories; `limit` names that number in messages.
    """
    width = _shape(X)[1]
    mask = categorical_mask(X, categorical_features, width)
    levels: list[Any] = [None] * width
    for j in np.flatnonzero(mask).tolist():
        values = _column(X, j)
        levels[j] = _distinct(values)
        if len(levels[j]) > most:
            label = column_labels(column_names(X), width)[j]
            raise ValueError(
                f"categorical_features: column {label} of X has {len(levels[j])} categories, more "
                f"than {limit} ({most}). Group rare ones, or take it as a number."
            )
    return CategoryColumns(tuple(levels))


def categorical_mask(X: Any, wanted: Any, width: int) -> Array:
    """Marks of the columns of X that the argument `categorical_features` names."""
    mask = np.zeros(width, dtype=bool)
    if wanted is None:
        return mask
    if isinstance(wanted, str):
        if wanted != "from_dtype":
            raise ValueError(
                "categorical_features must be 'from_dtype', None, a mask, or columns by number or "
                f"name; got {shown(wanted)}."
            )
        return np.array([_is_categorical(X, j) for j in range(width)], dtype=bool)
    try:
        columns = np.asarray(wanted)
    except ValueError:
        columns = np.empty((0, 0))
    if columns.ndim != 1 or columns.dtype.kind not in "biuOUT" or isinstance(wanted, dict):
        if columns.ndim == 1 and columns.size == 0 and isinstance(wanted, np.ndarray):
            return mask
        raise wrong_type("categorical_features", "a mask, or columns by number or name", wanted)
    if columns.dtype.kind == "b":
        if len(columns) != width:
            raise ValueError(
                f"categorical_features must have one flag for each column of X ({width}); got "
                f"{len(columns)}."
            )
        return columns.copy()
    for column in columns.tolist():
        mask[_place(column, X, width)] = True
    return mask


def _place(column: Any, X: Any, width: int) -> int:
    if isinstance(column, str):
        names = column_names(X)
        places = np.flatnonzero(np.empty(0) if names is None else names == column)
        if len(places) != 1:
            raise ValueError(
                f"categorical_features names {shown(column)}, which is not a column of X. Name "
                "columns of a data frame, or give their numbers."
            )
        return int(places[0])
    if isinstance(column, bool) or not isinstance(column, int) or not 0 <= column < width:
        raise ValueError(
            f"categorical_features must hold numbers from 0 to {width - 1}; got {shown(column)}."
        )
    return column


# ---------------------------------------------------------------- containers
def _shape(X: Any) -> tuple[int, int]:
    shape = getattr(X, "shape", None)
    if shape is None or len(shape) != 2:
        shape = as_rows(X, keep=NATIVE_DTYPES, finite=False).shape
    return int(shape[0]), int(shape[1])


def _is_categorical(X: Any, j: int) -> bool:
    if hasattr(X, "dtypes") and hasattr(X, "iloc"):  # pandas
        return getattr(X.dtypes.iloc[j], "name", "") == "category"
    if hasattr(X, "get_columns"):  # polars
        return type(X.get_columns()[j].dtype).__name__ in ("Categorical", "Enum")
    if hasattr(X, "column_names"):  # pyarrow
        return hasattr(X.schema.types[j], "index_type")
    return False


def _column(X: Any, j: int) -> Array:
    """A column as an ndarray of objects or numbers; None and NaN are missing."""
    if hasattr(X, "iloc"):
        return X.iloc[:, j].astype(object).to_numpy()
    if hasattr(X, "get_columns"):
        return np.array(X.get_columns()[j].to_list(), dtype=object)
    if hasattr(X, "column_names"):  # pyarrow
        return np.array(X.column(j).to_pylist(), dtype=object)
    return to_array(X, "X", "a 2-d array-like")[:, j]


def _missing(values: Array) -> Array:
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype != object:
        return np.zeros(len(values), dtype=bool)
    return np.array([is_missing(value) for value in values.tolist()], dtype=bool)


def _distinct(values: Array) -> Array:
    present = values[~_missing(values)]
    if values.dtype.kind == "f":
        return np.array(np.unique(present).tolist(), dtype=object)
    try:
        return np.array(sorted(set(present.tolist())), dtype=object)
    except TypeError as error:
        raise TypeError(
            f"X must hold categories of one type in a column; {error}. Convert them to strings."
        ) from error


def _codes(values: Array, levels: Array) -> Array:
    numbers = _as_floats(values, levels)
    if numbers is not None:
        places = np.searchsorted(numbers, values).clip(max=len(levels) - 1)
        return np.where(numbers[places] == values, places, np.nan)
    code_of_label = {label: float(code) for code, label in enumerate(levels.tolist())}
    return np.array([code_of_label.get(value, np.nan) for value in _plain(values)])


def _as_floats(values: Array, levels: Array) -> Array | None:
    """The categories as floats where values are such; None where they are not floats exactly."""
    plain = levels.tolist()
    if values.dtype.kind != "f" or not plain or not all(type(level) is float for level in plain):
        return None
    return np.array(plain)


def _plain(values: Array) -> list[Any]:
    return [
        None if missing else v for v, missing in zip(values.tolist(), _missing(values), strict=True)
    ]


def _numbers(values: Array, j: int) -> Array:
    """A column that is not categorical, as numbers; NaN is missing."""
    return to_numbers(values, f"X in column {j}, which is not categorical,", (np.float64,))
