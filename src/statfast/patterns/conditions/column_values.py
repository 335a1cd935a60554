# SPDX-License-Identifier: BSD-3-Clause
"""Columns of a table as small integers, from which all conditions on them can be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import (
    CategoryColumns,
    explain_nonfinite,
    find_columns,
    require_finite,
    rows_for,
)

MAX_CATEGORIES = 1024  # of a column: each is a condition
NUMBER_DTYPES = (np.float64, np.float32, np.uint8)


@dataclass(frozen=True)
class ColumnValues:
    """A column as numbers 0, 1, ... of intervals between cuts, or of categories.

    Attributes
    ----------
    numbers : ndarray of int32, shape (n,)
        `size` where the value is missing.
    size : int
        How many intervals or categories there are.
    cuts : ndarray of shape (size - 1,), or None
        Ascending: values of the interval k are above cut k - 1 and at most cut k. None of
        categories.
    categories : ndarray or None
        The categories, ascending.
    """

    numbers: np.ndarray
    size: int
    cuts: np.ndarray | None = None
    categories: np.ndarray | None = None


def rows_of_fit(X: Any, categorical_features: Any) -> tuple[Array, CategoryColumns]:
    """Check rows to fit: numbers, with categories as codes and NaN for missing values."""
    columns = find_columns(X, categorical_features, MAX_CATEGORIES, "the most of a condition")
    rows = columns.numbers(X)
    _refuse_infinity(rows)
    return rows, columns


def rows_to_answer(estimator: Any, columns: CategoryColumns, X: Any) -> Array:
    """Check rows for a fitted estimator; categories that the fit has not seen are missing."""
    if columns.mask is None:
        rows = rows_for(estimator, X, keep=NUMBER_DTYPES, finite=False)
    else:
        rows = columns.numbers(X, estimator)
    _refuse_infinity(rows)
    return rows


def column_values(
    rows: Array, columns: CategoryColumns, weights: Array | None, n_bins: int | None
) -> list[ColumnValues]:
    """The columns of rows (n, p) in at most `n_bins` intervals of about equal weight each.

    Without a limit, or with fewer distinct values, each value has an interval of its own.
    """
    out = []
    for j, categories in enumerate(columns.categories):
        values = rows[:, j]
        if categories is not None:
            codes = np.where(np.isnan(values), len(categories), values).astype(np.int32)
            out.append(ColumnValues(codes, len(categories), categories=categories))
            continue
        cuts = _cuts(values, weights, n_bins)
        numbers = np.searchsorted(cuts, values).astype(np.int32)
        size = len(cuts) + 1
        numbers[np.isnan(values)] = size
        out.append(ColumnValues(numbers, size, cuts=cuts))
    return out


def _cuts(values: Array, weights: Array | None, n_bins: int | None) -> Array:
    """Middles between neighboring values: all, or those nearest to quantiles by weight."""
    known = ~np.isnan(values)
    distinct, place = np.unique(values[known].astype(np.float64), return_inverse=True)
    if len(distinct) < 2:
        return np.empty(0)
    below, above = distinct[:-1], distinct[1:]
    middles = below + (above / 2.0 - below / 2.0)
    middles = np.where(middles < above, middles, below)  # of neighbors in float64
    if n_bins is None or len(distinct) <= n_bins:
        return middles
    known_weights = None if weights is None else weights[known]
    reached = np.cumsum(np.bincount(place, known_weights, len(distinct)))
    wanted = reached[-1] * np.arange(1, n_bins) / n_bins
    after = np.clip(np.searchsorted(reached, wanted * (1.0 - 1e-12)), 0, len(middles) - 1)
    before = np.maximum(after - 1, 0)
    nearer = wanted - reached[before] < reached[after] - wanted
    return middles[np.unique(np.where(nearer, before, after))]


def _refuse_infinity(rows: Array) -> None:
    if rows.dtype.kind != "f":
        return
    try:
        require_finite(rows)
    except ValueError:
        if np.isinf(rows).any():
            explain_nonfinite(np.where(np.isnan(rows), 0, rows), "X")
