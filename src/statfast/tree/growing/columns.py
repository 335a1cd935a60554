# SPDX-License-Identifier: BSD-3-Clause
"""Columns as ranks among their distinct values, on which trees are grown.

A rank keeps the order of float64 values exactly, in 16 or 32 bits, and its leading byte is the code
that histograms count. All trees of a forest share the ranks.

Cost: O(p n log n), divided among threads. Memory: 3 or 5 bytes for each value, and 2 or 4 for ranks
row by row, which deep trees read; 8 for values row by row if splits are drawn. Of sparse X, 24
bytes for each value that is not zero.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np

from statfast._core.cart import entries as entry_kernel
from statfast._core.cart import ranks as rank_kernel
from statfast._core.cart.problem import dense_columns, sparse_columns
from statfast._engine import checkpoint, each
from statfast._typing import Array
from statfast.tree.structure.dense_blocks import DenseBlocks

FLOP_PER_SORTED_VALUE = 40  # about
FLOP_PER_PLACED_VALUE = 8  # about
MISSING_ABOVE = 2**32 - 1  # in place of a rank: only missing values are above the threshold
MIN_ROWS_FOR_RANK_TABLE = 1024  # rows: in smaller nodes, ranks are read row by row
ROWS_PER_TRANSPOSE = 4096
VALUES_PER_CALL = 1 << 20  # sparse values that a kernel call orders
MAX_SHORT_RANKS = 1 << 16  # with fewer, ranks fit 16 bits


@dataclass(frozen=True)
class RankedColumns:
    """The columns of X as ranks; see `_core/cart/cart.h`."""

    codes: np.ndarray  # (p, n) uint8
    ranks: np.ndarray  # (p, n) uint16 or uint32
    shift: np.ndarray  # (p,) int32
    missing: np.ndarray  # (p,) int32
    values: np.ndarray  # the distinct values of all columns; empty where they are left out
    first: np.ndarray  # (p + 1,) int64
    categories: np.ndarray | None = None  # (p,) int32 numbers of categories, 0 for numeric columns

    row_entries = 0.0  # mean number of values of a row, of sparse columns

    @property
    def has_missing(self) -> bool:
        """Whether any value is missing."""
        return bool((self.missing >= 0).any())

    def bound(self, max_depth: int, randomized: bool) -> Any:
        """The columns as kernels take them, for trees of some depth."""
        by_row = _by_row(self.ranks, max_depth)
        values_by_row = self.by_row() if randomized and by_row is not None else None
        return dense_columns(
            self.codes, self.ranks, by_row, values_by_row, self.shift, self.missing, self.values,
            self.first, self.categories,
        )  # fmt: skip

    def by_row(self) -> Array:
        """The values row by row (n, p), for random splits of few rows; arbitrary where missing."""
        p, n = self.ranks.shape
        out = np.empty((n, p))
        for j in range(p):
            column_values = self.values[self.first[j] : self.first[j + 1]]
            if len(column_values):
                out[:, j] = column_values.take(self.ranks[j], mode="clip")
        return out

    def without_codes(self) -> RankedColumns:
        """The columns as `place_thresholds` needs them."""
        return replace(self, codes=self.codes[:0])

    def place_thresholds(self, nodes: Any, X: Array, n_jobs: Any) -> None:
        """Replace the pairs of ranks that nodes grown without values have for thresholds by the
        thresholds midway between these values of X."""
        inner, column, threshold = nodes[0][0] >= 0, nodes[0][2], nodes[1][0]
        ranks = np.ascontiguousarray(threshold).view(np.uint32).reshape(-1, 2)
        used = np.unique(column[inner]).tolist()

        def work(j: int) -> None:
            checkpoint()
            values = np.empty(1 + self.first[j + 1] - self.first[j])
            values[self.ranks[j]] = X[:, j]
            places = np.flatnonzero(column == j)
            above = ranks[places, 1]
            low, high = values.take(ranks[places, 0], mode="clip"), values.take(above, mode="clip")
            middle = low / 2 + high / 2
            middle = np.where((middle >= low) & (middle < high), middle, low)
            threshold[places] = np.where(above == MISSING_ABOVE, np.inf, middle)

        effort = FLOP_PER_PLACED_VALUE * self.ranks.shape[1] * len(used)
        each(work, used, n_jobs=n_jobs, effort=effort)


@dataclass(frozen=True)
class RankedEntries:
    """The columns of sparse X as ranks of the values that are not zero: 16 bytes for each, and 8
    for its distinct values; see `_core/cart/cart.h`."""

    of_column: np.ndarray  # (p + 1,) int64
    row: np.ndarray  # (entries,) int32
    rank: np.ndarray  # (entries,) uint32
    of_row: np.ndarray  # (n + 1,) int64
    column: np.ndarray  # (entries,) int32
    row_rank: np.ndarray  # (entries,) uint32
    zero: np.ndarray  # (p,) int32
    missing: np.ndarray  # (p,) int32
    values: np.ndarray
    first: np.ndarray  # (p + 1,) int64

    categories = None

    @property
    def has_missing(self) -> bool:
        """Whether any value is missing."""
        return bool((self.missing >= 0).any())

    @property
    def row_entries(self) -> float:
        """The mean number of values of a row, which is not 0 so that columns count as sparse."""
        return max(1, len(self.row)) / (len(self.of_row) - 1)

    def bound(self, max_depth: int, randomized: bool) -> Any:
        """The columns as kernels take them."""
        return sparse_columns(*(getattr(self, part.name) for part in fields(self)))


def ranked_columns(
    X: Any, n_jobs: Any = None, categories: Any = None, *, with_values: bool = True
) -> Any:
    """Rank the columns of X, an ndarray of float64, float32 or uint8 in which NaN is missing, or
    `DenseBlocks`; returns `RankedColumns` or `RankedEntries`.

    `categories` is the number of codes 0, 1, ... of each column, or 0 if it holds numbers. Without
    values, those of dense columns are an empty array.
    """
    if isinstance(X, DenseBlocks):
        return _ranked_entries(X.rows, n_jobs)
    n, p = X.shape
    kind = np.uint16 if n < MAX_SHORT_RANKS or X.dtype == np.uint8 else np.uint32
    codes, ranks = np.empty((p, n), np.uint8), np.empty((p, n), kind)
    # Memory that is not written is not taken: each column has room for n distinct values.
    distinct, counts = np.empty((p if with_values else 0, n)), np.zeros(p, np.int64)
    workspaces: list[Any] = []  # threads use workspaces in turn, as new memory is slow
    shift, missing = np.zeros(p, np.int32), np.full(p, -1, np.int32)

    def work(j: int) -> None:
        checkpoint()
        if X.dtype == np.uint8:
            values = _rank_bytes(X[:, j], ranks[j], codes[j])
            counts[j] = len(values)
            if with_values:
                distinct[j, : len(values)] = values
            return
        workspace = workspaces.pop() if workspaces else np.empty((3, n))
        column, word, ascending = workspace[0], workspace[1].view(np.uint64), workspace[2]
        column[:] = X[:, j]
        count, n_present = _put_in_order(column, word, ascending)
        largest = count if n_present < n else max(count - 1, 0)
        shift[j] = max(0, int(largest).bit_length() - 8)
        if n_present < n:
            missing[j] = count
        counts[j] = count
        values = distinct[j, :count] if with_values else column[:count]
        rank_kernel.rank(word, ascending, n_present, shift[j], ranks[j], codes[j], values)
        workspaces.append(workspace)

    each(work, range(p), n_jobs=n_jobs, effort=FLOP_PER_SORTED_VALUE * n * p)
    workspaces.clear()
    first = np.concatenate([[0], np.cumsum(counts)])
    if kind is np.uint32 and counts.max() < MAX_SHORT_RANKS:
        ranks = ranks.astype(np.uint16)
    values = _joined_values(distinct, first) if with_values else np.empty(0)
    return RankedColumns(codes, ranks, shift, missing, values, first, categories)


def _joined_values(distinct: Array, first: Array) -> Array:
    """The first values of each row of `distinct` (p, n), row after row, in the same memory; copied
    if they are few, so that the rest is freed."""
    flat, n = distinct.ravel(), distinct.shape[1]
    for j, (start, stop) in enumerate(pairwise(first.tolist())):
        if start < j * n:
            flat[start:stop] = flat[j * n : j * n + stop - start]
    values = flat[: first[-1]]
    return values if 2 * len(values) > len(flat) else values.copy()


def _put_in_order(column: Array, word: Array, ascending: Array) -> tuple[int, int]:
    """Sort rows by their values: rows become the lower halves of words, values are in `ascending`.

    Returns how many values are distinct, and how many are not missing.
    """
    rank_kernel.words(column, word)
    word.sort()
    checkpoint()
    count, n_present = rank_kernel.arrange(column, word, ascending)
    if count < 0:  # many values are equal in 32 bits
        word[:] = np.argsort(column)
        checkpoint()
        ascending[:] = column[word]
        n_present = len(column) - int(np.isnan(ascending).sum())
        count = int((np.diff(ascending[:n_present]) != 0).sum()) + (n_present > 0)
    return count, n_present


def _rank_bytes(column: Array, ranks: Any, codes: Array) -> Any:
    """Rank a column of bytes, which needs no sort."""
    values = np.flatnonzero(np.bincount(column, minlength=256))
    table = np.zeros(256, np.uint8)
    table[values] = np.arange(len(values))
    codes[:] = table[column]
    ranks[:] = codes
    return values.astype(np.float64)


def columns_of_rows(X: Any) -> tuple[Array, Array, Array]:
    """Canonical CSR rows column by column: where columns begin (p + 1,), and of each value its row,
    ascending in a column, and its place in X."""
    (n, p), entries = X.shape, X.nnz
    of_row = X.indptr.astype(np.int64, copy=False)
    column = X.indices.astype(np.int32, copy=False)
    of_column = np.zeros(p + 1, np.int64)
    np.cumsum(np.bincount(column, minlength=p), out=of_column[1:])
    row, place = np.empty(entries, np.int32), np.empty(entries, np.int64)
    end, step = of_column[:-1].copy(), max(1, VALUES_PER_CALL * n // (entries + n))
    for begin in range(0, n, step):
        checkpoint()
        last = min(n, begin + step)
        entry_kernel.columns_of_rows(of_row, column, begin, last, end, row, place)
    return of_column, row, place


def _ranked_entries(X: Any, n_jobs: Any) -> RankedEntries:
    """Rank the columns of canonical CSR rows."""
    (n, p), entries = X.shape, X.nnz
    of_row = X.indptr.astype(np.int64)
    column = X.indices.astype(np.int32, copy=False)
    of_column, row, place = columns_of_rows(X)
    rank, row_rank = np.empty(entries, np.uint32), np.empty(entries, np.uint32)
    distinct, special = np.empty(entries + p), np.zeros((3, p), np.int32)
    count, zero, missing = special

    def work(part: slice) -> None:
        checkpoint()
        entry_kernel.rank_columns(
            of_column, X.data, n, part.start, part.stop, row, place, rank, row_rank, distinct,
            special,
        )  # fmt: skip

    step = max(1, VALUES_PER_CALL // 8 * p // (entries + p))
    parts = [slice(begin, min(p, begin + step)) for begin in range(0, p, step)]
    each(work, parts, n_jobs=n_jobs, effort=FLOP_PER_SORTED_VALUE * entries)
    first = np.concatenate([[0], np.cumsum(count, dtype=np.int64)])
    kept = np.repeat(of_column[:-1] + np.arange(p) - first[:-1], count)
    kept += np.arange(len(kept))
    return RankedEntries(
        of_column, row, rank, of_row, column, row_rank, zero, missing, distinct[kept], first
    )


def _by_row(ranks: Array, max_depth: int) -> Array | None:
    """The ranks row by row, for nodes of few rows; None if the tree is too shallow for these."""
    p, n = ranks.shape
    if n >> min(max_depth, 62) > MIN_ROWS_FOR_RANK_TABLE:
        return None
    out = np.empty((n, p), ranks.dtype)
    for start in range(0, n, ROWS_PER_TRANSPOSE):
        out[start : start + ROWS_PER_TRANSPOSE] = ranks[:, start : start + ROWS_PER_TRANSPOSE].T
    return out
