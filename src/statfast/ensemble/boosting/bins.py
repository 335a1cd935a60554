# SPDX-License-Identifier: BSD-3-Clause
"""Codes of 8 bits for columns: the number of thresholds, at quantiles, below each value.

Sparse rows keep the codes of what they store, and only where these differ from the code of 0; where
so much is stored that a table takes less memory, they have the table of dense rows. Trees are the
same, bit for bit.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.boosting import losses as kernel
from statfast._engine import aligned, checkpoint, each, grid
from statfast._typing import Array, Jobs
from statfast._validation import refuse_large
from statfast.tree.growing.columns import columns_of_rows
from statfast.tree.structure.dense_blocks import DenseBlocks, blocks_of

MISSING = 255  # the code of a missing value
PLANE = 8  # columns whose histograms are filled together
SAMPLE = 200_000  # rows from which quantiles are estimated
HISTOGRAM_BYTES = 4160  # of a column of a table of codes
ENTRY_BYTES = 9  # of a code of sparse rows
ENTRIES_PER_PART = 1 << 18  # of sparse columns that are coded together
MAX_CODES = 2**31 - 1  # of all columns of sparse rows: places in histograms are 32 bits wide
LARGEST = np.finfo(np.float64).max  # infinity: only missing values go right
TIE = 2.0**-40  # of the total weight: rounding errors of sums of weights are smaller


@dataclass(frozen=True)
class Thresholds:
    """The ascending thresholds of all columns, one after the other."""

    values: NDArray[np.float64]
    first: NDArray[np.int64]  # (p + 1,) where those of each column begin

    @classmethod
    def join(cls, cuts: list[Array]) -> Thresholds:
        """Those of each column as one."""
        first = np.cumsum([0, *map(len, cuts)], dtype=np.int64)
        return cls(np.concatenate(cuts), first)

    @property
    def n_codes(self) -> NDArray[np.int32]:
        """How many codes each column has, besides that of missing values."""
        return (np.diff(self.first) + 1).astype(np.int32)

    def of_column(self, j: int) -> Array:
        """The thresholds of a column."""
        return self.values[self.first[j] : self.first[j + 1]]

    def above(self, column: Array, code: Array) -> Array:
        """The thresholds that end codes of columns; infinity after the last one."""
        place, out = self.first[column] + code, np.full(len(column), np.inf)
        inner = place < self.first[column + 1]
        out[inner] = self.values[place[inner]]
        return out

    def table(self) -> Array:
        """The thresholds as (p, 255), padded with infinity."""
        table = np.full((len(self.first) - 1, 255), np.inf)
        for j, row in enumerate(table):
            cuts = self.of_column(j)
            row[: len(cuts)] = cuts
        return table


@dataclass(frozen=True)
class Coded:
    """The codes of rows, stored twice: by row in planes of up to eight columns, and by column."""

    by_row: NDArray[np.uint8]  # (n, 8 planes)
    by_column: NDArray[np.uint8]  # (p, n)
    width: int  # columns of a plane

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        p, n = self.by_column.shape
        return n, p

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What the kernel takes."""
        return self.by_row, self.by_column, self.width

    @property
    def n_values(self) -> int:
        """How many codes there are."""
        return self.by_column.size

    @property
    def histogram_bytes(self) -> int:
        """The size of the histograms of a node."""
        return HISTOGRAM_BYTES * len(self.by_column)

    def has_missing(self) -> Array:
        """Whether each column has missing values."""
        return np.array([bool((column == MISSING).any()) for column in self.by_column])


@dataclass(frozen=True)
class CodedEntries:
    """The codes of sparse rows that differ from the code of 0: as places in histograms by row, and
    by column; 9 bytes for each."""

    of_row: NDArray[np.int64]  # (n + 1,)
    place: NDArray[np.int32]  # (entries,) in the histograms
    of_column: NDArray[np.int64]  # (p + 1,)
    row: NDArray[np.uint32]  # (entries,) column by column
    code: NDArray[np.uint8]  # (entries,)
    zero: NDArray[np.uint8]  # (p,) the codes of 0
    first: NDArray[np.int64]  # (p + 1,) where the histograms of columns begin

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.of_row) - 1, len(self.zero)

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What the kernel takes."""
        return (
            self.of_row, self.place, self.of_column, self.row, self.code, self.zero, self.first
        )  # fmt: skip

    @property
    def n_values(self) -> int:
        """How many codes there are."""
        return len(self.row)

    @property
    def histogram_bytes(self) -> int:
        """The size of the histograms of a node."""
        return int(16 * self.first[-1])

    def has_missing(self) -> Array:
        """Whether each column has missing values."""
        column = np.repeat(np.arange(len(self.zero)), np.diff(self.of_column))
        return np.bincount(column[self.code == MISSING], minlength=len(self.zero)) > 0


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
    X : ndarray of shape (n, p), or DenseBlocks
        NaN is missing.
    max_bins : int
    weights : ndarray of shape (n,), or None
        Positive for sparse rows.
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

    if isinstance(X, DenseBlocks):
        return _thresholds_of_entries(X, max_bins, weights, n_jobs)

    def work(j: int) -> Array:
        if categories[j] is not None:
            return np.arange(max(categories[j] - 1, 0), dtype=np.float64)
        return _thresholds(X[:, j].astype(np.float64), weights, max_bins)

    return each(work, range(X.shape[1]), n_jobs=n_jobs, effort=50.0 * X.size)


def _thresholds_of_entries(
    X: DenseBlocks, max_bins: int, weights: Array | None, n_jobs: Jobs
) -> list[Array]:
    """The same of sparse rows: columns of few distinct values are worked out together, from what
    they store and a zero; others one by one, from all their values."""
    n, (of_column, row, source) = len(X), columns_of_rows(X.rows)

    def quantiles(j: int) -> Array:
        part = slice(of_column[j], of_column[j + 1])
        column = np.zeros(n)
        column[row[part]] = X.rows.data[source[part]]
        return _thresholds(column, weights, max_bins)

    def work(columns: slice) -> list[Array]:
        checkpoint()
        lengths = np.diff(of_column[columns.start : columns.stop + 1])
        values = X.rows.data[source[of_column[columns.start] : of_column[columns.stop]]]
        with_zeros = np.flatnonzero(lengths < n)
        values = np.append(values, np.zeros(len(with_zeros)))
        column = np.append(np.repeat(np.arange(len(lengths)), lengths), with_zeros)
        order = np.lexsort((values, column))
        order = order[~np.isnan(values[order])]
        values, column = values[order], column[order]
        new = np.append(True, (values[1:] != values[:-1]) | (column[1:] != column[:-1]))
        values, column = values[new[: len(values)]], column[new[: len(values)]]
        ends = np.append(0, np.cumsum(np.bincount(column, minlength=len(lengths))))
        cuts = _between(values[:-1], values[1:])
        return [
            cuts[ends[k] : max(ends[k], ends[k + 1] - 1)]
            if ends[k + 1] - ends[k] <= max_bins
            else quantiles(columns.start + k)
            for k in range(len(lengths))
        ]

    parts = _parts_of_columns(X)
    found = each(work, parts, n_jobs=n_jobs, effort=50.0 * len(row))
    return [cuts for part in found for cuts in part]


def _parts_of_columns(X: DenseBlocks) -> list[slice]:
    """Columns of sparse rows that are worked out together."""
    p = X.shape[1]
    step = max(1, ENTRIES_PER_PART * p // (X.rows.nnz + p))
    return [slice(begin, min(begin + step, p)) for begin in range(0, p, step)]


def _thresholds(column: Array, weights: Any, max_bins: int) -> Array:
    """Midpoints of distinct values if these are few, else quantiles, or means of two that fit."""
    checkpoint()
    present = ~np.isnan(column)
    if weights is not None:
        present &= weights > 0.0
        weights = weights[present]
    if not present.all():
        column = column[present]
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
    return np.unique(_between(low, high))


def _between(low: Array, high: Array) -> Array:
    """Thresholds between values; the lower one if there is no number between them."""
    with np.errstate(over="ignore", invalid="ignore"):
        middle = low / 2.0 + high / 2.0
    return np.clip(np.where(middle < high, middle, low), None, LARGEST)


def places_reaching(goals: Array | float, sums: Array) -> tuple[Array | int, Array | int]:
    """The first places where cumulative sums reach each goal, and where they exceed it."""
    slack, last = TIE * sums[-1], len(sums) - 1
    low = np.searchsorted(sums, goals - slack)
    high = np.searchsorted(sums, goals + slack, side="right")
    return np.minimum(low, last), np.minimum(high, last)


def encode(X: Any, thresholds: Thresholds, n_jobs: Jobs) -> Coded | CodedEntries:
    """Code rows, an ndarray or `DenseBlocks`, by thresholds."""
    n, p = X.shape
    planes = -(-p // PLANE)
    if isinstance(X, DenseBlocks) and ENTRY_BYTES * X.rows.nnz < n * (p + planes * PLANE):
        return _encode_entries(X, thresholds, n_jobs)
    width = -(-p // planes)
    refuse_large(2.0 * n * p, "The codes of X, twice", "Fit on fewer rows or columns.")
    by_row, by_column = aligned((n, planes * PLANE), np.uint8), np.empty((p, n), np.uint8)
    cuts = thresholds.table()
    step = max(512, 1 << 20 >> max(p.bit_length() - 4, 0))

    def work(rows: slice) -> None:
        with X.block(rows) if isinstance(X, DenseBlocks) else nullcontext(X[rows]) as block:
            for start in range(0, len(block), step):
                stop = min(start + step, len(block))
                kernel.encode(block, cuts, width, start, stop, rows.start, by_row, by_column)
                checkpoint()

    blocks = blocks_of(X, 1, n) if isinstance(X, DenseBlocks) else grid(n)
    each(work, blocks, n_jobs=n_jobs, effort=20.0 * n * p)
    return Coded(by_row, by_column, width)


def _encode_entries(X: DenseBlocks, thresholds: Thresholds, n_jobs: Jobs) -> CodedEntries:
    p, (of_column, row, source) = X.shape[1], columns_of_rows(X.rows)
    code, place = np.empty(len(row), np.uint8), np.empty(len(row), np.int32)
    zero, missing, kept = np.empty(p, np.uint8), np.empty(p, np.uint8), np.empty(p, np.int64)
    by_row = np.empty(len(row), bool)  # entries to be kept

    def code_columns(columns: slice) -> None:
        checkpoint()
        kernel.encode_entries(
            of_column, source, X.rows.data, thresholds.first, thresholds.values, columns.start,
            columns.stop, code, zero, missing, kept,
        )  # fmt: skip

    def place_columns(columns: slice) -> None:
        checkpoint()
        part = slice(of_column[columns.start], of_column[columns.stop])
        lengths = np.diff(of_column[columns.start : columns.stop + 1])
        last = np.repeat(first[1:][columns] - first[:-1][columns] - 1, lengths)
        codes = np.where(code[part] == MISSING, last, code[part])
        place[source[part]] = np.repeat(first[:-1][columns], lengths) + codes
        by_row[source[part]] = code[part] != np.repeat(zero[columns], lengths)

    parts = _parts_of_columns(X)
    each(code_columns, parts, n_jobs=n_jobs, effort=50.0 * len(row))
    first = np.append(0, np.cumsum(thresholds.n_codes + missing, dtype=np.int64))
    if first[-1] > MAX_CODES:
        raise ValueError(
            f"X has {first[-1]} codes in all its columns, more than {MAX_CODES}. Lower max_bins, "
            "or drop columns."
        )
    each(place_columns, parts, n_jobs=n_jobs, effort=20.0 * len(row))
    by_column = code != np.repeat(zero, np.diff(of_column))
    return CodedEntries(
        np.append(0, np.cumsum(by_row))[X.start], place[by_row], np.append(0, np.cumsum(kept)),
        row[by_column].astype(np.uint32), code[by_column], zero, first,
    )  # fmt: skip
