# SPDX-License-Identifier: BSD-3-Clause
"""Quantiles of a column whose rows have weights: those of the rows repeated so often."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from statfast._typing import Array

# A share of the weight that is within rounding of a step of the distribution is on the step.
ROUNDING = 1e-12
COLUMNS_AT_ONCE = 8  # a cache line of float64


def columns(rows: Array) -> Iterator[Array]:
    """The columns of a table, each contiguous: rows that lie one after another are read once for
    several of them."""
    if rows.strides[0] == rows.itemsize:
        yield from rows.T
        return
    for start in range(0, rows.shape[1], COLUMNS_AT_ONCE):
        yield from np.ascontiguousarray(rows[:, start : start + COLUMNS_AT_ONCE].T)


def sorted_column(column: Array, weights: Array | None) -> tuple[Array, Array]:
    """Ascending values in float64, and the weight of all rows up to each; those with weight."""
    if weights is None:
        values = np.sort(column).astype(np.float64, copy=False)
        return values, np.arange(1.0, len(values) + 1.0)
    order = np.argsort(column, kind="stable")
    order = order[weights[order] > 0]
    return column[order].astype(np.float64), np.cumsum(weights[order])


def step_quantiles(
    column: Array, weights: Array | None, shares: Array, average: bool = True
) -> Array:
    """The values at which the distribution of a column reaches some shares of the weight.

    Where it is flat at a share, the middle of the step if `average`, else its low end: definitions
    2 and 1 of Hyndman and Fan (1996), "averaged_inverted_cdf" and "inverted_cdf" of numpy.
    """
    if weights is None:
        n = len(column)
        slack, last = ROUNDING * n, n - 1
        low = np.ceil(shares * n - slack).astype(np.intp).clip(1, n) - 1
        high = np.floor(shares * n + slack).astype(np.intp).clip(0, last)
        values = np.partition(column, np.unique([low, high])).astype(np.float64, copy=False)
    else:
        values, below = sorted_column(column, weights)
        slack, last = ROUNDING * below[-1], len(values) - 1
        low = np.minimum(np.searchsorted(below, shares * below[-1] - slack), last)
        high = np.searchsorted(below, shares * below[-1] + slack, side="right")
        high = np.minimum(high, last)
    if not average:
        return values[low]
    # Halves are added, as a sum of two large values might overflow.
    middle = 0.5 * values[low] + 0.5 * values[high]
    return np.where(values[low] == values[high], values[low], middle)
