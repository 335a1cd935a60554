# SPDX-License-Identifier: BSD-3-Clause
"""A table of categories and numbers, as columns of codes and of float64."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._core.kmeans.prototypes import MISSING, UNSEEN
from statfast._engine import checkpoint
from statfast._typing import Array
from statfast._validation import (
    as_columns,
    categorical_mask,
    column_labels,
    column_names,
    columns_for,
    is_missing,
    to_numbers,
)

VALUES_PER_CALL = 1 << 17  # entries of a column of objects between two checkpoints
MAX_BYTE_CODES = 254  # categories of a column whose codes are bytes; two more are taken
MAX_CODED_COLUMNS = 65535  # columns whose mismatches are counted in 16 bits


@dataclass(frozen=True, eq=False)
class MixedColumns:
    """Which columns hold categories, and those of the fit, in order."""

    levels: tuple[Any, ...]  # for each column an ndarray, or None of numbers

    @classmethod
    def of_fit(cls, X: Any, wanted: Any) -> tuple[MixedColumns, Array, Array]:
        """The columns of a table, its codes (m, n) and its numbers (p, n).

        `wanted` names the columns of categories as `categorical_features` does, where "from_dtype"
        are all that hold something other than numbers; "all" are all columns.
        """
        columns = as_columns(X)
        labels = column_labels(column_names(X), len(columns))
        mask = _marks(X, columns, wanted)
        levels = [
            _sorted_values(column, label) if marked else None
            for column, label, marked in zip(columns, labels, mask, strict=True)
        ]
        if mask.sum() > MAX_CODED_COLUMNS:
            raise ValueError(
                f"X must have at most {MAX_CODED_COLUMNS} columns of categories; got {mask.sum()}. "
                "Drop some."
            )
        made = cls(tuple(levels))
        codes, numbers = made.coded(columns)
        gaps = [not len(values) for values in levels if values is not None]
        empty: Any = np.isnan(numbers).all(axis=1)
        gaps.extend(empty.tolist())
        if any(gaps):
            column = [*np.flatnonzero(mask), *np.flatnonzero(~mask)][gaps.index(True)]
            raise ValueError(f"X has no value in column {labels[column]}. Drop the column.")
        return made, codes, numbers

    def of_fitted(self, estimator: Any, X: Any) -> tuple[Array, Array]:
        """The codes (m, n) and the numbers (p, n) of a table for a fitted estimator."""
        return self.coded(columns_for(estimator, X))

    def coded(self, columns: list[Array]) -> tuple[Array, Array]:
        """Checked columns as codes (m, n), MISSING and UNSEEN among them, and numbers (p, n)."""
        sizes = self.sizes
        dtype = np.uint8 if max(sizes, default=0) <= MAX_BYTE_CODES else np.int32
        n = len(columns[0])
        codes = np.empty((len(sizes), n), dtype)
        numbers = np.empty((len(self.levels) - len(sizes), n))
        coded, plain = iter(codes), iter(numbers)
        for j, (column, levels) in enumerate(zip(columns, self.levels, strict=True)):
            if levels is None:
                name = f"X in column {j}, which is not categorical,"
                next(plain)[:] = to_numbers(column, name, (np.float64,))
            else:
                next(coded)[:] = _codes(column, levels).astype(dtype)  # -1 and -2 wrap to bytes
        return codes, numbers

    @property
    def sizes(self) -> list[int]:
        """How many categories each column of them has."""
        return [len(values) for values in self.levels if values is not None]

    def table(self, modes: Array, centers: Array) -> Array:
        """Centers (k, d) in the order of the columns: numbers if all are, else objects."""
        coded, plain = iter(modes.T), iter(centers.T)
        columns = [next(plain) if levels is None else levels[next(coded)] for levels in self.levels]
        if all(column.dtype.kind in "biuf" for column in columns):
            return np.stack(columns, axis=1)
        out = np.empty((len(columns[0]), len(columns)), dtype=object)
        for j, column in enumerate(columns):
            out[:, j] = column
        return out


def _marks(X: Any, columns: list[Array], wanted: Any) -> Array:
    d = len(columns)
    if isinstance(wanted, str) and wanted == "all":
        return np.ones(d, dtype=bool)
    mask = categorical_mask(X, wanted, d)
    if isinstance(wanted, str):
        mask |= [not _is_numeric(column) for column in columns]
    return mask


def _is_numeric(column: Array) -> bool:
    """Whether a column holds numbers, not truth values or strings."""
    if column.dtype != object:
        return column.dtype.kind in "iuf"
    kinds = {kind for kind in set(map(type, column.tolist())) if kind is not type(None)}
    kinds = {kind for kind in kinds if kind.__name__ not in ("NAType", "NaTType")}
    return bool(kinds) and all(
        issubclass(kind, int | float | np.number) and kind is not bool for kind in kinds
    )


def _sorted_values(column: Array, label: Any) -> Array:
    """The distinct values of a column in rising order, without missing ones."""
    if column.dtype.kind in "biuf":
        values = np.unique(column)
        return values[~np.isnan(values)] if column.dtype.kind == "f" else values
    distinct: set[Any] = set()
    try:
        for entries in _pieces(column):
            distinct.update(entries)
        values = sorted(value for value in distinct if not is_missing(value))
    except TypeError as error:
        raise TypeError(
            f"X must hold categories of one type in column {label}; {error}. Convert them to "
            "strings."
        ) from error
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _codes(column: Array, levels: Array) -> Array:
    """The place of each entry of a column among the categories, (n,) int32."""
    if column.dtype.kind in "biuf" and levels.dtype.kind in "biuf":
        places = np.searchsorted(levels, column).clip(max=max(len(levels) - 1, 0))
        known = levels[places] == column if len(levels) else np.zeros(len(column), dtype=bool)
        codes = np.where(known, places, UNSEEN).astype(np.int32)
        if column.dtype.kind == "f":
            codes[np.isnan(column)] = MISSING
        return codes
    place = _Places({value: code for code, value in enumerate(levels.tolist())})
    codes, begin = np.empty(len(column), np.int32), 0
    try:
        for entries in _pieces(column):
            end = begin + len(entries)
            codes[begin:end] = np.fromiter(map(place.__getitem__, entries), np.int32, len(entries))
            begin = end
    except TypeError as error:
        raise TypeError(f"X must hold strings or numbers; {error}. Convert it to those.") from error
    return codes


class _Places(dict[Any, int]):
    """Codes of values, where others are missing or not seen."""

    def __missing__(self, value: Any) -> int:
        return MISSING if is_missing(value) else UNSEEN


def _pieces(column: Array) -> Any:
    for begin in range(0, len(column), VALUES_PER_CALL):
        checkpoint()
        yield column[begin : begin + VALUES_PER_CALL].tolist()
