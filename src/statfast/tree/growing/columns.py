# SPDX-License-Identifier: BSD-3-Clause
"""Columns as ranks among their distinct values: what trees are grown on.

A rank keeps the order of float64 values exactly, in 16 or 32 bits, and its leading byte is the code
that histograms count. All trees of a forest share the ranks.

Cost: O(p n log n), shared by threads. Memory: 3 or 5 bytes a value, and 2 or 4 for the ranks row by
row that deep trees read; 8 for values row by row where splits are drawn.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._core.cart import ranks as rank_kernel
from statfast._engine import checkpoint, each
from statfast._typing import Array

SORTING = 40  # flop that sorting a value costs, about
NARROW = 1 << 16  # ranks below fit 16 bits


@dataclass(frozen=True)
class RankedColumns:
    """The columns of X as ranks; see `_core/cart/cart.h`."""

    codes: np.ndarray  # (p, n) uint8
    ranks: np.ndarray  # (p, n) uint16 or uint32
    shift: np.ndarray  # (p,) int32
    missing: np.ndarray  # (p,) int32
    values: np.ndarray  # distinct values, one column after the other
    first: np.ndarray  # (p + 1,) int64
    categories: np.ndarray | None = None  # (p,) int32 how many, 0: numbers; codes are ranks

    @property
    def has_missing(self) -> bool:
        """Whether any value is missing."""
        return bool((self.missing >= 0).any())

    def by_row(self) -> Array:
        """The values row by row (n, p), which random splits of few rows read; any where missing."""
        p, n = self.ranks.shape
        out = np.empty((n, p))
        for j in range(p):
            own = self.values[self.first[j] : self.first[j + 1]]
            if len(own):
                out[:, j] = own.take(self.ranks[j], mode="clip")
        return out


def ranked_columns(X: Any, n_jobs: Any = None, categories: Any = None) -> RankedColumns:
    """Rank the columns of X, an ndarray of float64, float32 or uint8 in which NaN is missing.

    `categories`: how many a column has, whose codes 0, 1, ... are all there; 0: it holds numbers.
    """
    n, p = X.shape
    kind = np.uint16 if n < NARROW or X.dtype == np.uint8 else np.uint32
    codes, ranks = np.empty((p, n), np.uint8), np.empty((p, n), kind)
    distinct: list[Any] = [None] * p
    rooms: list[Any] = []  # threads take turns in rooms: fresh memory is slow
    shift, missing = np.zeros(p, np.int32), np.full(p, -1, np.int32)

    def work(j: int) -> None:
        checkpoint()
        if X.dtype == np.uint8:
            distinct[j] = _rank_bytes(X[:, j], ranks[j], codes[j])
            return
        room = rooms.pop() if rooms else (np.empty(n), np.empty(n, np.uint64), np.empty(n))
        column, word, ascending = room
        column[:] = X[:, j]
        count, known = _put_in_order(column, word, ascending)
        largest = count if known < n else max(count - 1, 0)
        shift[j] = max(0, int(largest).bit_length() - 8)
        if known < n:
            missing[j] = count
        distinct[j] = np.empty(count)
        rank_kernel.rank(word, ascending, known, shift[j], ranks[j], codes[j], distinct[j])
        rooms.append(room)

    each(work, range(p), n_jobs=n_jobs, effort=SORTING * n * p)
    first = np.concatenate([[0], np.cumsum([len(values) for values in distinct])])
    if kind is np.uint32 and max(len(values) for values in distinct) < NARROW:
        ranks = ranks.astype(np.uint16)
    return RankedColumns(codes, ranks, shift, missing, np.concatenate(distinct), first, categories)


def _put_in_order(column: Array, word: Array, ascending: Array) -> tuple[int, int]:
    """Rows in the order of their values, as the lower halves of words, and the values in order; how
    many are distinct, and how many are known."""
    rank_kernel.words(column, word)
    word.sort()
    checkpoint()
    count, known = rank_kernel.arrange(column, word, ascending)
    if count < 0:  # many values that are one in 32 bits
        word[:] = np.argsort(column)
        checkpoint()
        ascending[:] = column[word]
        known = len(column) - int(np.isnan(ascending).sum())
        count = int((np.diff(ascending[:known]) != 0).sum()) + (known > 0)
    return count, known


def _rank_bytes(column: Array, ranks: Any, codes: Array) -> Any:
    """Rank a column of bytes, which needs no sort."""
    values = np.flatnonzero(np.bincount(column, minlength=256))
    table = np.zeros(256, np.uint8)
    table[values] = np.arange(len(values))
    codes[:] = table[column]
    ranks[:] = codes
    return values.astype(np.float64)
