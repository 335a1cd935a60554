# SPDX-License-Identifier: BSD-3-Clause
"""Counts of n-grams, to which language models are fitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._typing import Array


@dataclass(frozen=True)
class NGramCounts:
    """How often each word came after the words before it; counts of two samples add up.

    Each row is a word (the last entry) with the order - 1 words before it, or -1 where a text had
    not begun yet: all counts of shorter n-grams follow from it.
    """

    rows: NDArray[np.int32]  # (u, order), distinct
    counts: NDArray[np.int64]  # (u,)

    def __add__(self, other: NGramCounts) -> NGramCounts:
        rows = np.concatenate([self.rows, other.rows])
        return distinct(rows, np.concatenate([self.counts, other.counts]))

    def cut_at_others(self, known: NDArray[np.bool_]) -> NGramCounts:
        """The counts if each word that is not `known` (V,) ended a text before itself."""
        cut = ~known[self.rows] & (self.rows >= 0)
        cut[:, ::-1] = np.logical_or.accumulate(cut[:, ::-1], axis=1)  # and what stands before
        kept = ~cut[:, -1]
        return distinct(np.where(cut, np.int32(-1), self.rows)[kept], self.counts[kept])


def distinct(rows: Array, counts: Array | None = None) -> NGramCounts:
    """Merge equal rows, and sum their counts; rows are sorted by their words."""
    order, bits = rows.shape[1], int(rows.max(initial=0) + 1).bit_length()
    if counts is None and bits * order < 63:  # rows fit a 64-bit number, which sorts faster
        place = rows[:, 0].astype(np.int64) + 1
        for j in range(1, order):
            place = place << bits | (rows[:, j] + 1)
        place.sort()
        first = starts_of(place)
        shifts = bits * np.arange(order - 1, -1, -1)
        words = (place[first, None] >> shifts & ((1 << bits) - 1)).astype(np.int32) - 1
        return NGramCounts(words, np.diff(first, append=len(place)))
    place = rows[:, 0].astype(np.int64) + 1
    for j in range(1, order):
        if place.max(initial=0) >> (62 - bits):
            place = np.unique(place, return_inverse=True)[1].reshape(-1)
        place = place << bits | (rows[:, j] + 1)
    ordered = np.argsort(place)
    first = starts_of(place[ordered])
    weight = np.ones(len(rows), np.int64) if counts is None else counts[ordered]
    return NGramCounts(rows[ordered[first]], np.add.reduceat(weight, first))


def starts_of(ordered: Array) -> Array:
    """The places where runs of equal numbers begin."""
    return np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)])


def rows_of(words: Any, begin: Array, order: int) -> Array:
    """Each word of texts with the words before it, (n, order); -1 before the start of a text."""
    n = len(words)
    places = np.arange(n) - np.repeat(begin[:-1], np.diff(begin))
    rows = np.full((n, order), -1, np.int32)
    for back in range(order):
        inside = places >= back
        rows[inside, order - 1 - back] = words[np.flatnonzero(inside) - back]
    return rows


@dataclass(frozen=True)
class Level:
    """The n-grams of one order, sorted by their first words and then the last."""

    keys: NDArray[np.int64]  # (u,) number of the n-gram without its last word, times V, plus word
    word: NDArray[np.int32]  # (u,) the last word
    context: NDArray[np.int64]  # (u,) number of the n-gram without its last word (order - 1)
    suffix: NDArray[np.int64]  # (u,) number of the n-gram without its first word (order - 1)
    counts: NDArray[np.float64]  # (u,) how often it occurs
    n_words_before: NDArray[np.float64]  # (u,) distinct words before it
    starts: NDArray[np.bool_]  # (u,) whether it begins with the start symbol


def levels(statistics, order, size, start):
    """The n-grams of orders 1 to `order` of a vocabulary of `size` words."""
    rows, counts = statistics.rows, statistics.counts.astype(np.float64)
    nothing = np.zeros(size, np.int64)
    words = np.arange(size, dtype=np.int32)
    unigrams = np.bincount(rows[:, -1], counts, size)
    orders = [
        Level(words.astype(np.int64), words, nothing - 1, nothing - 1, unigrams,
              np.zeros(size), words == start)
    ]  # fmt: skip
    number = rows[:, -1].astype(np.int64)  # of each row, the number of the n-gram at its end
    for n in range(2, order + 1):
        rows_of_order = np.flatnonzero(rows[:, order - n] >= 0)
        part, below = rows[rows_of_order, order - n :], orders[-1]
        node = part[:, 0].astype(np.int64)
        for j in range(1, n - 1):
            node = np.searchsorted(orders[j].keys, node * size + part[:, j])
        place = node * size + part[:, -1]
        # The longest n-grams are sorted, as the rows are.
        ordered = np.argsort(place) if n < order else np.arange(len(place))
        keys = place[ordered]
        first = starts_of(keys)
        keys = keys[first]
        suffix = number[rows_of_order[ordered[first]]]
        number[rows_of_order[ordered]] = np.repeat(
            np.arange(len(first)), np.diff(first, append=len(ordered))
        )
        sums = np.add.reduceat(counts[rows_of_order[ordered]], first) if len(first) else np.zeros(0)
        below.n_words_before[:] = np.bincount(suffix, minlength=len(below.keys))
        context = keys // size
        orders.append(
            Level(keys, (keys % size).astype(np.int32), context, suffix, sums,
                  np.zeros(len(keys)), below.starts[context])
        )  # fmt: skip
    return orders
