# SPDX-License-Identifier: BSD-3-Clause
"""Codes of 8 bits for columns: the number of thresholds, at quantiles, below each value."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.boosting import losses as kernel
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs
from statfast._validation import refuse_large

MISSING = 255  # the code of a missing value
PLANE = 8  # columns whose histograms are filled together
SAMPLE = 200_000  # rows from which quantiles are estimated
LARGEST = np.finfo(np.float64).max  # infinity: only missing values go right
TIE = 2.0**-40  # of the total weight: rounding errors of sums of weights are smaller


@dataclass(frozen=True)
class Coded:
    """The codes of rows, stored twice: by row in planes of up to eight columns, and by column."""

    by_row: NDArray[np.uint8]  # (n, 8 planes)
    by_column: NDArray[np.uint8]  # (p, n)
    width: int  # columns of a plane

    def has_missing(self) -> Array:
        """Whether each column has missing values."""
        return np.array([bool((column == MISSING).any()) for column in self.by_column])


def thresholds_of(
    X: Array,
    max_bins: int,
    weights: Array | None,
    categories: list[Any],
    rng: np.random.Generator,
    n_jobs: Jobs,
) -> list[Array]:
    """For each column its ascending thresholds, fewer than ``max_bins``.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        NaN is missing.
    max_bins : int
    weights : ndarray of shape (n,), or None
    categories : list
        For each column the number of its categories, coded from 0 on, or None.
    rng : numpy.random.Generator
        Draws the rows that quantiles are taken from, with replacement, where n is above `SAMPLE`.
    n_jobs : int, optional
    """
    if len(X) > SAMPLE:
        share = None if weights is None else weights / weights.sum()
        sample = np.sort(rng.choice(len(X), SAMPLE, p=share))
        X, weights = X[sample], None

    def work(j: int) -> Array:
        if categories[j] is not None:
            return np.arange(max(categories[j] - 1, 0), dtype=np.float64)
        column = X[:, j].astype(np.float64)
        present = ~np.isnan(column)
        if weights is not None:
            present &= weights > 0.0
        if not present.all():
            column = column[present]
        checkpoint()
        return _thresholds(column, None if weights is None else weights[present], max_bins)

    return each(work, range(X.shape[1]), n_jobs=n_jobs, effort=50.0 * X.size)


def _thresholds(column: Array, weights: Any, max_bins: int) -> Array:
    """Midpoints of distinct values if these are few, else quantiles, or means of two that fit."""
    order = np.argsort(column, kind="stable") if weights is not None else None
    column = np.sort(column) if order is None else column[order]
    if len(column) == 0:
        return column
    distinct = column[np.append(True, column[1:] != column[:-1])]
    if len(distinct) <= max_bins:
        low, high = distinct[:-1], distinct[1:]
    else:
        n = len(column)
        reached = np.arange(1.0, n + 1.0) if order is None else np.cumsum(weights[order])
        goals = np.arange(1, max_bins) * (reached[-1] / max_bins)
        low, high = (column[at] for at in places_reaching(goals, reached))
    with np.errstate(over="ignore", invalid="ignore"):
        middle = low / 2.0 + high / 2.0
    # If there is no number between two neighbors, the lower one is the threshold.
    cuts = np.unique(np.where(middle < high, middle, low))
    return np.clip(cuts, None, LARGEST)


def places_reaching(goals: Array | float, sums: Array) -> tuple[Array | int, Array | int]:
    """The first places where cumulative sums reach each goal, and where they exceed it."""
    slack, last = TIE * sums[-1], len(sums) - 1
    low = np.searchsorted(sums, goals - slack)
    high = np.searchsorted(sums, goals + slack, side="right")
    return np.minimum(low, last), np.minimum(high, last)


def table_of(thresholds: list[Array]) -> Array:
    """The thresholds of all columns as (p, 256), padded with infinity."""
    table = np.full((len(thresholds), 256), np.inf)
    for row, cuts in zip(table, thresholds, strict=True):
        row[: len(cuts)] = cuts
    return table


def encode(X: Array, table: Array, n_jobs: Jobs) -> Coded:
    """Code rows by a table of thresholds."""
    n, p = X.shape
    planes = -(-p // PLANE)
    width = -(-p // planes)
    refuse_large(2.0 * n * p, "The codes of X, twice", "Fit on fewer rows or columns.")
    by_row, by_column = np.zeros((n, planes * PLANE), np.uint8), np.empty((p, n), np.uint8)
    cuts = np.ascontiguousarray(table[:, :255])

    def work(rows: slice) -> None:
        step = max(512, 1 << 20 >> max(p.bit_length() - 4, 0))
        for start in range(rows.start, rows.stop, step):
            kernel.encode(X, cuts, width, start, min(start + step, rows.stop), by_row, by_column)
            checkpoint()

    each(work, grid(n), n_jobs=n_jobs, effort=20.0 * X.size)
    return Coded(by_row, by_column, width)
