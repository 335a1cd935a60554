# SPDX-License-Identifier: BSD-3-Clause
"""Scores in order, once: classes counted at each distinct score, which all curves are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from statfast._core.metrics import rank
from statfast._engine import each, grid, interruptible
from statfast._typing import Array
from statfast._validation import nonfinite, to_array, to_numbers

ROWS_PER_TASK = 1 << 16
MAX_ROWS_OF_ONE_CALL = 1 << 13  # Up to so many rows are spread into buckets by one call.
BUCKETS = 2048  # The buckets of the first spread, whose ends stay in the first-level cache.
MAX_SCALE = 1e300  # The largest factor from scores to buckets, for scores that hardly differ.
NATIVE = (np.float64, np.float32, np.int64)


@dataclass(frozen=True)
class ScoreSteps:
    """Weights (or numbers) of positive and negative rows at each distinct score, falling."""

    values: np.ndarray
    positive: np.ndarray
    negative: np.ndarray

    @cached_property
    def tp(self) -> Array:
        """Positives at or above each score."""
        return np.cumsum(self.positive)

    @cached_property
    def fp(self) -> Array:
        """Negatives at or above each score."""
        return np.cumsum(self.negative)

    @property
    def totals(self) -> tuple[float, float]:
        return self.tp[-1], self.fp[-1]

    def area(self) -> float:
        """Twice the weight of pairs of a positive above a negative, ties counting half."""
        below = 2 * (self.tp[-1] - self.tp) + self.positive
        return ((2 * self.tp[-1] - below) * self.negative).sum()


@dataclass(frozen=True)
class Order:
    """Rows as their scores fall; `ends` says where those of each distinct score end."""

    values: np.ndarray
    rows: np.ndarray
    ends: np.ndarray

    @property
    def starts(self) -> Array:
        return np.concatenate([[0], self.ends[:-1]])

    def sums(self, weights: Any) -> Array:
        """Of the weights of the rows with each score."""
        return np.add.reduceat(weights[self.rows], self.starts)


def as_scores(scores: Any, n: int | None = None, *, name: str = "y_score") -> Array:
    """Scores as a contiguous column of float64, float32 or int64; NaN is found by the sort."""
    scores = to_array(scores, name, "a 1d array-like of numbers")
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim != 1:
        raise ValueError(f"{name} should be a 1d array, got an array of shape {scores.shape}.")
    if n is not None and len(scores) != n:
        raise ValueError(
            f"{name} must have one score for each row (inconsistent numbers of samples); there are "
            f"{n} labels and {len(scores)} scores."
        )
    if len(scores) == 0:
        raise ValueError(f"{name} holds 0 scores while a minimum of 1 is required. Pass some.")
    if scores.dtype.type not in NATIVE or not scores.dtype.isnative:
        whole = scores.dtype.kind in "bi" or scores.dtype in (np.uint8, np.uint16, np.uint32)
        scores = scores.astype(np.int64) if whole else to_numbers(scores, name, (np.float64,))
    return scores if scores.flags.c_contiguous else np.ascontiguousarray(scores)


class Buckets:
    """The first spread: codes of scores (and rows) in buckets, and where these start."""

    def __init__(self, scores: Array, labels: Array | None = None, name: str = "y_score") -> None:
        """Spread codes with the labels of the rows; without labels, codes and rows."""
        self.scores, self.labels, self.name = scores, labels, name
        n = len(scores)
        shape = n if labels is not None else (n, 2)
        self.items, self.spare = np.empty(shape, np.uint64), np.empty(shape, np.uint64)
        if n <= MAX_ROWS_OF_ONE_CALL and labels is not None:
            self.starts = np.zeros(n // 2 + 5, dtype=np.int64)
            self.zero = rank.spread_once(scores, labels, self.starts, self.items)
            if self.zero < 0:
                self._refuse()
            return
        self.blocks = grid(n, ROWS_PER_TASK, ROWS_PER_TASK)
        ends = each(lambda rows: rank.extent(scores[rows]), self.blocks, effort=2.0 * n)
        low, high = min(low for low, _, _ in ends), max(high for _, high, _ in ends)
        if not all(good for _, _, good in ends):
            self._refuse()
        top = min(BUCKETS, n // 4 + 2) - 2.0
        scale = 1.0
        if high > low:
            # This is 0 where low and high are neighboring subnormal numbers.
            half = high / 2 - low / 2
            scale = min(top / 2 / half, MAX_SCALE) if half > 0.0 else MAX_SCALE
        self.map = (low if high >= low else 0.0), scale, top
        counts = np.zeros((len(self.blocks), int(top) + 2), np.uint32)
        each(self._tally, list(enumerate(counts)), effort=2.0 * n)
        self.starts = np.zeros(counts.shape[1] + 1, dtype=np.int64)
        np.cumsum(counts.sum(axis=0, dtype=np.int64), out=self.starts[1:])
        places = np.cumsum(counts, axis=0, dtype=np.int64) - counts + self.starts[:-1]
        each(self._spread, list(enumerate(places)), effort=4.0 * n)
        self.zero = rank.bucket(0.0, *self.map)

    def _refuse(self) -> None:
        row = int(np.isnan(self.scores).argmax())
        raise nonfinite(self.scores[row], self.name, row)

    def _tally(self, task: tuple[int, Array]) -> None:
        block, counts = task
        rank.tally(self.scores[self.blocks[block]], *self.map, counts)

    def _spread(self, task: tuple[int, Array]) -> None:
        block, places = task
        rows = self.blocks[block]
        if self.labels is None:
            rank.spread_rows(self.scores[rows], rows.start, *self.map, places, self.items)
        else:
            rank.spread(self.scores[rows], self.labels[rows], *self.map, places, self.items)

    def parts(self) -> list[tuple[int, int]]:
        """Ranges of buckets with about a block of rows each, or one bucket, falling."""
        if len(self.scores) <= ROWS_PER_TASK:
            return [(0, len(self.starts) - 1)]
        marks = np.arange(0, len(self.scores), ROWS_PER_TASK)
        cuts = np.unique(np.searchsorted(self.starts, marks, side="right") - 1)
        return list(zip(cuts, [*cuts[1:], len(self.starts) - 1], strict=True))[::-1]

    def each(self, work: Callable[..., Any]) -> Any:
        return each(work, self.parts(), effort=20.0 * len(self.scores))

    def values(self, keys: Array) -> Array:
        """The scores that keys stand for."""
        out = np.empty(len(keys))
        interruptible(rank.values, keys, self.scores.dtype == np.int64, out)
        return out.astype(np.float32) if self.scores.dtype == np.float32 else out


def pair_counts(scores: Array, labels: Array, name: str = "y_score") -> tuple[int, int, int]:
    """Twice the pairs of a positive above a negative, ties counting half; positives; negatives."""
    spread = Buckets(scores, labels, name)

    def work(part: tuple[int, int]) -> tuple[int, int, int]:
        return rank.area(spread.items, spread.spare, spread.starts, *part)

    twice = positive = negative = 0
    for within, ones, zeros in spread.each(work):
        twice += within + 2 * positive * zeros
        positive, negative = positive + ones, negative + zeros
    return twice, positive, negative


def steps_of(
    scores: Array, labels: Array, weights: Array | None = None, name: str = "y_score"
) -> ScoreSteps:
    """Positives and negatives at each distinct score; scores of rows without weight left out."""
    if weights is not None:
        order = order_of(scores, name)
        positive = order.sums(np.where(labels, weights, 0.0))
        negative = order.sums(np.where(labels, 0.0, weights))
        held = (positive > 0) | (negative > 0)
        return ScoreSteps(order.values[held], positive[held], negative[held])
    spread = Buckets(scores, labels, name)
    n = len(scores)
    keys = np.empty(n, np.uint64)
    positive, negative = np.empty(n, np.int64), np.empty(n, np.int64)

    def work(part: tuple[int, int]) -> slice:
        start = n - spread.starts[part[1]]  # Buckets are in descending order.
        out = (column[start:] for column in (keys, positive, negative))
        count = rank.runs(spread.items, spread.spare, spread.starts, spread.zero, *part, *out)
        return slice(start, start + count)

    held = spread.each(work)
    keys, positive, negative = (_joined(c, held) for c in (keys, positive, negative))
    return ScoreSteps(spread.values(keys), positive, negative)


def order_of(scores: Array, name: str = "y_score") -> Order:
    """Rows as their scores fall; rows with equal scores in their order."""
    spread = Buckets(scores, None, name)
    n = len(scores)
    keys = np.empty(n, np.uint64)
    rows, ends = np.empty(n, np.int64), np.empty(n, np.int64)

    def work(part: tuple[int, int]) -> slice:
        start = n - spread.starts[part[1]]
        out = (column[start:] for column in (keys, rows, ends))
        count = rank.order(spread.items, spread.spare, spread.starts, spread.zero, *part, *out)
        ends[start : start + count] += start
        return slice(start, start + count)

    held = spread.each(work)
    keys, ends = (_joined(c, held) for c in (keys, ends))
    return Order(spread.values(keys), rows, ends)


def _joined(column: Array, held: Any) -> Array:
    stop = held[-1].stop
    if sum(part.stop - part.start for part in held) == stop:
        return column[:stop]  # Without ties the scores lie next to each other already.
    return np.concatenate([column[part] for part in held])
