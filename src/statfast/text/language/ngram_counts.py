# SPDX-License-Identifier: BSD-3-Clause
"""Counts of n-grams: what a language model is fitted from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class NGramCounts:
    """How often each word came after the words before it; counts of two samples add up.

    Each row is a word (the last entry) with the order - 1 words before it, or -1 where a text had
    not begun yet: all counts of shorter n-grams follow from it.
    """

    rows: NDArray[np.int32]  # (u, order), distinct
    counts: NDArray[np.int64]  # (u,)

    def __add__(self, other: "NGramCounts") -> "NGramCounts":
        rows = np.concatenate([self.rows, other.rows])
        return distinct(rows, np.concatenate([self.counts, other.counts]))


def distinct(rows, counts=None):
    """Equal rows as one, with the sum of their counts."""
    width = int(rows.max(initial=0)) + 2
    place = rows[:, 0].astype(np.int64) + 1
    for j in range(1, rows.shape[1]):
        if place.max(initial=0) > 2**62 // width:
            place = np.unique(place, return_inverse=True)[1].reshape(-1)
        place = place * width + (rows[:, j] + 1)
    order = np.argsort(place)
    ordered = place[order]
    new = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    starts = np.flatnonzero(new)
    weight = np.ones(len(rows), np.int64) if counts is None else counts[order]
    return NGramCounts(rows[order[starts]], np.add.reduceat(weight, starts))


def rows_of(words, begin, order):
    """Each word of texts with those before it: (n, order); -1 before a text begins."""
    n = len(words)
    at = np.arange(n) - np.repeat(begin[:-1], np.diff(begin))
    rows = np.full((n, order), -1, np.int32)
    for back in range(order):
        some = at >= back
        rows[some, order - 1 - back] = words[np.flatnonzero(some) - back]
    return rows


@dataclass(frozen=True)
class Level:
    """The n-grams of one order, sorted by their first words and then the last."""

    keys: NDArray[np.int64]  # (u,) number of the n-gram without its last word, times V, plus word
    word: NDArray[np.int32]  # (u,) the last word
    context: NDArray[np.int64]  # (u,) number of the n-gram without its last word (order - 1)
    suffix: NDArray[np.int64]  # (u,) number of the n-gram without its first word (order - 1)
    counts: NDArray[np.float64]  # (u,) how often
    left: NDArray[np.float64]  # (u,) distinct words before it
    starts: NDArray[np.bool_]  # (u,) whether it begins with the start symbol


def levels(statistics, order, size, start):
    """The n-grams of orders 1 to `order` of a vocabulary of `size` words."""
    rows, counts = statistics.rows, statistics.counts.astype(np.float64)
    nothing = np.zeros(size, np.int64)
    words = np.arange(size, dtype=np.int32)
    unigrams = np.bincount(rows[:, -1], counts, size)
    found = [
        Level(words.astype(np.int64), words, nothing - 1, nothing - 1, unigrams,
              np.zeros(size), words == start)
    ]  # fmt: skip
    full = rows.shape[1]
    for n in range(2, order + 1):
        some = rows[:, full - n] >= 0
        part, weight = rows[some, full - n :], counts[some]
        node = part[:, 0].astype(np.int64)
        tail = part[:, 1].astype(np.int64)
        for j in range(1, n - 1):
            node = np.searchsorted(found[j].keys, node * size + part[:, j])
        for j in range(2, n):
            tail = np.searchsorted(found[j - 1].keys, tail * size + part[:, j])
        place = node * size + part[:, -1]
        order_of = np.argsort(place)
        ordered = place[order_of]
        at = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        at = at[: len(ordered)]
        keys = ordered[at] if len(ordered) else ordered
        sums = np.add.reduceat(weight[order_of], at) if len(at) else np.zeros(0)
        suffix = tail[order_of][at]
        below = found[-1]
        below.left[:] = np.bincount(suffix, minlength=len(below.keys))
        context = keys // size
        found.append(
            Level(keys, (keys % size).astype(np.int32), context, suffix, sums,
                  np.zeros(len(keys)), found[-1].starts[context])
        )  # fmt: skip
    return found
