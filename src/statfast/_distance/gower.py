# SPDX-License-Identifier: BSD-3-Clause
"""Gower's dissimilarity (1971) of tables whose columns are of several kinds.

It is a mean over the columns in which both rows have a value. A column of numbers, or of ordered
values, which are numbered, contributes |a - b| / range. A column of values without an order
contributes 0 where they are equal, else 1. An asymmetric column of truth values does not count
where both rows are false.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from statfast._distance.parameters import vector
from statfast._typing import Array
from statfast._validation import (
    as_columns,
    column_labels,
    column_names,
    is_missing,
    shape_of,
    shown,
    wrong_type,
)

NUMERIC, ORDINAL, NOMINAL, ASYMMETRIC = KINDS = ("numeric", "ordinal", "nominal", "asymmetric")
UNSEEN_CODE = -1.0  # the code of a value that no fitted row has
KINDS_NAME = "metric_params['kinds']"


@dataclass(frozen=True, eq=False)
class GowerColumns:
    """The kinds of columns, and how their values become numbers."""

    kinds: tuple[str, ...]
    # Of each column that is not numeric a list of values, whose places are the codes.
    levels: tuple[Any, ...]
    ranges: np.ndarray  # (d,) what differences are divided by; 0: values are equal or not
    weights: np.ndarray  # (d,)

    @classmethod
    def from_table(cls, X: Any, metric_params: Mapping[str, Any]) -> GowerColumns:
        """The columns of a table: their kinds as `metric_params` say, or by their types.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
        metric_params : mapping
            "kinds": a word of KINDS for each column, or a dict of some of them by name or number;
            "ranges": (d,) of numeric columns; "w": weights (d,).
        """
        if X is None:
            raise ValueError(
                "The metric 'gower' takes dense rows or a data frame; X is sparse. Pass "
                "X.toarray()."
            )
        columns = as_columns(X)
        d = len(columns)
        labels = column_labels(column_names(X), d)
        categories = [_categories(X, j) for j in range(d)]
        kinds = [_kind_of(*both) for both in zip(columns, categories, strict=True)]
        _take(metric_params.get("kinds"), kinds, column_names(X), labels)
        levels = [_levels(*four) for four in zip(columns, kinds, categories, labels, strict=True)]
        weights = metric_params.get("w")
        weights = np.ones(d) if weights is None else vector(
            weights, "metric_params['w']", d, zero=True
        )  # fmt: skip
        made = cls(tuple(kinds), tuple(levels), np.zeros(d), weights)
        codes = made.coded(columns, labels)
        measured = np.array([kind in (NUMERIC, ORDINAL) for kind in kinds])
        ranges = np.where(measured, _widths(codes), 0.0)
        if metric_params.get("ranges") is not None:
            fixed = vector(metric_params["ranges"], "metric_params['ranges']", d)
            ranges = np.where([kind == NUMERIC for kind in kinds], fixed, ranges)
        if not np.isfinite(ranges).all():
            raise ValueError(
                f"The range of column {labels[np.argmin(np.isfinite(ranges))]} of X overflows, by "
                "which the metric 'gower' divides. Scale the column down."
            )
        return cls(tuple(kinds), tuple(levels), ranges, weights)

    def coded(self, columns: list[Any], labels: list[Any]) -> np.ndarray:
        """Checked columns as numbers (n, d) float64; NaN is missing. Messages name the labels."""
        codes = np.empty((len(columns[0]), len(columns)))
        for j, (column, levels) in enumerate(zip(columns, self.levels, strict=True)):
            if levels is None:
                codes[:, j] = _numbers(column, labels[j])
            else:
                codes[:, j] = _codes(column, levels, self.kinds[j], labels[j])
        return codes

    def table(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        """Dissimilarities (m, n) of coded rows; NaN where no column has a value in both.

        Two rows of which both are false in all columns that they share have dissimilarity 0.
        """
        total, weight = np.zeros((2, len(A), len(B)))
        both = np.zeros(total.shape, dtype=bool)
        for j in np.flatnonzero(self.weights).tolist():
            a, b = A[:, j], B[:, j]
            differences = np.abs(np.subtract.outer(a, b))
            counted = ~np.isnan(differences)
            both |= counted
            if self.ranges[j] > 0:
                differences /= self.ranges[j]
            else:
                differences = (differences > 0).astype(np.float64)
            if self.kinds[j] == ASYMMETRIC:
                counted &= np.logical_or.outer(a != 0, b != 0)
            total += np.where(counted, differences * self.weights[j], 0.0)
            weight += counted * self.weights[j]
        out = np.where(both, 0.0, np.nan)
        np.divide(total, weight, out=out, where=weight > 0)
        return out


def _take(metric_params: Any, kinds: list[str], names: Array | None, labels: list[Any]) -> None:
    """Put the kinds that the caller gave in place of those by type."""
    d = len(kinds)
    if metric_params is None:
        return
    if isinstance(metric_params, Mapping):
        places = {_place(key, names, d): kind for key, kind in metric_params.items()}
    elif isinstance(metric_params, list | tuple | np.ndarray) and len(shape_of(metric_params)) == 1:
        if len(metric_params) != d:
            raise ValueError(
                f"{KINDS_NAME} must have a word for each of {d} columns; got {len(metric_params)}."
            )
        places = dict(enumerate(metric_params))
    else:
        raise wrong_type(KINDS_NAME, "a word for each column, or a dict of them", metric_params)
    for j, kind in places.items():
        if not isinstance(kind, str) or kind not in KINDS:
            raise ValueError(
                f"{KINDS_NAME} must be {', '.join(map(repr, KINDS))}; got {shown(kind)} for column "
                f"{labels[j]}."
            )
        kinds[j] = str(kind)


def _place(key: Any, names: Array | None, d: int) -> int:
    if isinstance(key, str) and names is not None and key in names:
        return int(np.flatnonzero(names == key)[0])
    if isinstance(key, int | np.integer) and not isinstance(key, bool) and 0 <= key < d:
        return int(key)
    raise ValueError(
        f"{KINDS_NAME} names {shown(key)}, which is not a column of X. Give its name in the data "
        f"frame, or a number from 0 to {d - 1}."
    )


def _categories(X: Any, j: int) -> tuple[list[Any], bool] | None:
    """The values of a categorical column of pandas, and whether they are ordered; else None."""
    if hasattr(X, "iloc") and getattr(X.dtypes.iloc[j], "name", "") == "category":
        kind = X.dtypes.iloc[j]
        return kind.categories.tolist(), bool(kind.ordered)
    return None


def _kind_of(column: Array, categories: tuple[list[Any], bool] | None) -> str:
    if categories is not None:
        return ORDINAL if categories[1] else NOMINAL
    if column.dtype.kind in "iuf":
        return NUMERIC
    if column.dtype.kind != "O":
        return NOMINAL
    present = [value for value in column.tolist() if not is_missing(value)]
    numbers = all(isinstance(value, Real) and not isinstance(value, bool) for value in present)
    return NUMERIC if present and numbers else NOMINAL


def _levels(
    column: Array, kind: str, categories: tuple[list[Any], bool] | None, label: Any
) -> list[Any] | None:
    if kind == NUMERIC:
        return None
    try:
        values = {value for value in column.tolist() if not is_missing(value)}
        levels = categories[0] if categories is not None else sorted(values)
    except TypeError as error:
        raise TypeError(
            f"X must hold values of one type in column {label}, which is {kind}; {error}. Convert "
            "them to strings."
        ) from error
    if kind == ASYMMETRIC and values <= {0, 1}:
        return [0, 1]
    if kind == ASYMMETRIC and (categories is None or len(levels) != 2):
        raise ValueError(
            f"Column {label} of X is asymmetric and must hold 0 and 1, truth values, or a category "
            f"of two values, the second of which is presence; got {shown(levels)}."
        )
    return levels


def _numbers(column: Array, label: Any) -> Array:
    if column.dtype.kind in "biuf":
        return column
    values = [np.nan if is_missing(value) else value for value in column.tolist()]
    try:
        numbers = np.array(values, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"X must hold numbers in column {label}, which is numeric; {error}. Name its kind in "
            f"{KINDS_NAME}."
        ) from error
    if np.isinf(numbers).any():
        raise ValueError(f"X contains infinity in column {label}. Drop, clip or rescale it first.")
    return numbers


def _codes(column: Array, levels: list[Any], kind: str, label: Any) -> Array:
    place = {value: float(code) for code, value in enumerate(levels)}
    codes = np.empty(len(column))
    for i, value in enumerate(column.tolist()):
        try:
            codes[i] = np.nan if is_missing(value) else place.get(value, UNSEEN_CODE)
        except TypeError as error:
            raise TypeError(
                f"X must hold strings or numbers in column {label}; {error}."
            ) from error
        if codes[i] == UNSEEN_CODE and kind != NOMINAL:
            raise ValueError(
                f"X has {shown(value)} in column {label}, which is {kind}, but no fitted row has. "
                "Fit with an ordered category of all values."
            )
    return codes


def _widths(codes: Array) -> Array:
    """The range of each column; 0 where all its values are missing."""
    high = np.fmax.reduce(codes, axis=0, initial=-np.inf)
    low = np.fmin.reduce(codes, axis=0, initial=np.inf)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(low <= high, high - low, 0.0)
