# SPDX-License-Identifier: BSD-3-Clause
"""Substrings numbered and counted, and the products of their counts.

Of columns (substrings) that many strings share, the counts go through the register tile, which
takes a hundredth of the time for a product; the others are followed from string to string, which
takes no time for products that are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from statfast._core.distance import pairwise
from statfast._core.distance import substrings as kernel
from statfast._engine import checkpoint
from statfast._typing import Array
from statfast._validation import refuse_large

SUBSTRINGS_OF_CALL = 1 << 21  # Substrings that a kernel call counts, in some ten milliseconds.
# A product in lists takes as long as so many products of the tile.
TILE_PRODUCTS_PER_LIST_PRODUCT = 32
MIN_ENTRIES_OF_TABLE = 1 << 16  # A table of no more entries is made however short the texts are.
PRODUCTS_OF_CALL = 1 << 24  # Products that a kernel call adds.


class Counts(NamedTuple):
    """How often each substring occurs in each string, string by string."""

    begins: np.ndarray  # (n + 1,) where the counts of each string begin.
    column: np.ndarray  # (nnz,) int32, the substring
    tally: np.ndarray  # (nnz,) int32, how often
    place: np.ndarray  # (nnz,) where it occurs first in the string, among all letters
    columns: int  # different substrings


class Letters:
    """The letters of strings, one string after the other, numbered in their order."""

    def __init__(self, strings: Any) -> None:
        if isinstance(strings[0], str):
            joined = "".join(strings).encode("utf-32-le", "surrogatepass")
            raw = np.frombuffer(joined, np.uint32)
        else:
            raw = np.frombuffer(b"".join(strings), np.uint8)
        self.lengths = np.fromiter(map(len, strings), np.intp, len(strings))
        occurs = np.zeros(int(raw.max(initial=0)) + 1, bool)
        occurs[raw] = True
        self.size = int(occurs.sum()) if len(raw) else 0
        self.number = (np.cumsum(occurs) - 1)[raw]

    def counted(self, k: int, kept: range) -> Counts:
        """Count the substrings of k letters, of which those at the places `kept` matter."""
        n = len(self.lengths)
        windows = np.maximum(self.lengths - k + 1, 0)
        starts = np.cumsum(self.lengths) - self.lengths
        total = int(windows.sum())
        refuse_large(
            24 * (total + len(self.number)), f"Counting {total} substrings", "Pass fewer strings."
        )
        begins = np.zeros(n + 1, np.intp)
        column, count = np.empty(total, np.int32), np.empty(total, np.int32)
        place = np.empty(total, np.intp)
        known = 0
        if total:
            code, size = self._codes(len(self.number) - k + 1, kept)
            table = np.full(size, -1, np.int32)
            slot = np.empty(min(size, total), np.intp)
            for piece in pieces(windows, SUBSTRINGS_OF_CALL):
                checkpoint()
                known = kernel.count(
                    code, starts, windows, piece.start, piece.stop, known, table, slot, begins,
                    column, count, place,
                )  # fmt: skip
        stop = begins[n]
        return Counts(begins, column[:stop], count[:stop], place[:stop], known)

    def _codes(self, length: int, kept: range) -> tuple[Array, int]:
        """A number for the substring at each place, and how many numbers there are."""
        code, size = np.zeros(length, np.int64), 1
        for at in kept:
            if size * self.size >= 1 << 62:
                code, size = numbered(code)
            code *= self.size
            code += self.number[at : at + length]
            size *= self.size
        return (code, size) if size <= max(MIN_ENTRIES_OF_TABLE, 4 * length) else numbered(code)


def numbered(code: Any) -> Any:
    """The ranks of numbers among those that occur, and how many do."""
    distinct, rank = np.unique(code, return_inverse=True)
    return rank.astype(np.int64, copy=False), len(distinct)


def pieces(work: Any, most: int) -> Iterator[slice]:
    """Consecutive slices of about so much work each, one at least."""
    total = np.cumsum(work)
    start = 0
    while start < len(work):
        before = total[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(total, before + most, "right")))
        yield slice(start, stop)
        start = stop


class Shared:
    """Sums of products of counts between n strings and m others (or the same)."""

    def __init__(self, n, m, same):
        self.n, self.m, self.same = n, m, same
        self.lists: list[Any] = []
        self.row_tables: list[Any] = []
        self.column_tables: list[Any] = []

    def take(self, counts: Counts, weight: int) -> None:
        """Add the products of these counts, of the n strings and the m after them."""
        stop = counts.begins[self.n]
        of_rows = counts.column[:stop], counts.tally[:stop], counts.begins[: self.n + 1]
        if self.same:
            of_columns = of_rows
        else:
            of_columns = counts.column[stop:], counts.tally[stop:], counts.begins[self.n :] - stop
        across = np.bincount(of_columns[0], minlength=counts.columns)
        down = across if self.same else np.bincount(of_rows[0], minlength=counts.columns)
        dense = TILE_PRODUCTS_PER_LIST_PRODUCT * (across * down) > self.n * self.m
        if dense.any():
            rank = np.cumsum(dense) - 1
            self.row_tables.append(table(*of_rows, dense, rank) * weight)
            self.column_tables.append(table(*of_columns, dense, rank))  # type: ignore[call-arg]
            of_rows, of_columns = without(*of_rows, dense), without(*of_columns, dense)  # type: ignore[call-arg]
        if len(of_rows[0]) and len(of_columns[0]):
            self.lists.append((weight, of_rows, transposed(*of_columns, counts.columns)))  # type: ignore[call-arg]

    def fill(self) -> Callable[..., Any]:
        """What fills blocks of the matrix."""
        row_table, column_table = (
            np.ascontiguousarray(np.hstack(tables)) if tables else None
            for tables in (self.row_tables, self.column_tables)
        )
        self.row_tables, self.column_tables = [], []

        def fill(rows, columns, out):
            if row_table is None:
                out.fill(0.0)
            else:
                none = np.zeros(row_table.shape[1], np.float32)
                left, right = row_table[rows], column_table[columns]
                step = max(64, (1 << 29) // (len(out) * len(none)))
                for start in range(0, len(right), step):
                    checkpoint()
                    piece = slice(start, start + step)
                    pairwise.matrix("product", left, right[piece], none, 0.0, out[:, piece])
            for weight, (column, count, begins), (starts, places, times) in self.lists:
                ends = begins[rows.start : rows.stop + 1]
                lengths = np.diff(starts)[column[ends[0] : ends[-1]]]
                so_far = np.concatenate([[0], np.cumsum(lengths)])
                work = np.diff(so_far[ends - ends[0]])
                for piece in pieces(work, PRODUCTS_OF_CALL):
                    checkpoint()
                    kernel.add(
                        begins, column, count, starts, places, times, weight,
                        rows.start + piece.start, columns.start, out[piece],
                    )  # fmt: skip

        return fill


def table(column: Any, count: Array, begins: Array, dense: Array, rank: Array) -> Array:
    """The counts of some columns, (n, d)."""
    out = np.zeros((len(begins) - 1, int(dense.sum())))
    of = dense[column]
    row = np.repeat(np.arange(len(begins) - 1), np.diff(begins))[of]
    out[row, rank[column[of]]] = count[of]
    return out


def without(column: Any, count: Array, begins: Array, dense: Array) -> tuple[Array, Array, Array]:
    """The counts of the other columns."""
    of = ~dense[column]
    kept = np.concatenate([[0], np.cumsum(of)])
    return column[of], count[of], kept[begins]


def transposed(column: Array, count: int, begins: Array, columns: Any) -> Any:
    """For each column where its list begins, the strings in ascending order, and the counts."""
    starts = np.zeros(columns + 1, np.intp)
    np.cumsum(np.bincount(column, minlength=columns), out=starts[1:])
    places, times = np.empty(len(column), np.int32), np.empty(len(column), np.int32)
    kernel.transpose(begins, column, count, starts.copy(), places, times)
    return starts, places, times
