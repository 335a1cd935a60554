# SPDX-License-Identifier: BSD-3-Clause
"""All conditions on the columns of a table, each as the set of its rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._engine import checkpoint
from statfast._typing import Array
from statfast._validation import refuse_large
from statfast.patterns.conditions.column_values import ColumnValues
from statfast.patterns.conditions.condition import Condition

BITS = 64  # of a word
INTERVALS = ("one-sided", "bins", "all")


@dataclass(frozen=True)
class ConditionBits:
    """Conditions, their groups, and their rows as bits.

    Attributes
    ----------
    conditions : list of Condition
        By column; of a column upper limits, lower limits, intervals or categories ascend.
    groups : ndarray of int32, shape (C,)
        A conjunction holds one condition of a group at most.
    bits : ndarray of uint64, shape (C, words)
        Bit i of word w is the row at place 64 w + i.
    """

    conditions: list
    groups: np.ndarray
    bits: np.ndarray

    def n_conjunctions(self, max_depth: int) -> float:
        """How many conjunctions of 1, ..., `max_depth` conditions there are."""
        ways = np.zeros(max_depth + 1)
        ways[0] = 1.0
        for size in np.unique(self.groups, return_counts=True)[1].tolist():
            ways[1:] += size * ways[:-1]
        return float(ways[1:].sum())


def condition_bits(
    columns: list[ColumnValues], place: Array, intervals: str, with_missing: bool
) -> ConditionBits:
    """All conditions on columns, of rows at `place` (n,) among the bits."""
    words = -(-int(place.max() + 1) // BITS)
    makers: list[tuple[Condition, int, Callable[..., Any], Array]] = []
    for j, column in enumerate(columns):
        makers += _conditions_of_column(j, column, 4 * j, intervals, with_missing)
    refuse_large(
        8.0 * words * len(makers), f"The rows of {len(makers)} conditions", "Lower n_bins."
    )
    bits = np.zeros((len(makers), words), np.uint64)
    marks = np.zeros(words * BITS, bool)
    for k, (_, _, mark, numbers) in enumerate(makers):
        checkpoint()
        marks[place] = mark(numbers)
        bits[k] = np.packbits(marks, bitorder="little").view("<u8")
    used = np.asarray(bits.any(axis=1))
    return ConditionBits(
        [condition for (condition, *_), kept in zip(makers, used, strict=True) if kept],
        np.array([group for _, group, *_ in makers], np.int32)[used],
        np.ascontiguousarray(bits[used]),
    )


def _conditions_of_column(
    j: int, column: ColumnValues, group: int, intervals: str, with_missing: bool
) -> list[tuple[Condition, int, Callable[..., Any], Array]]:
    """(condition, its group, how it marks numbers, the numbers) of a column."""
    numbers, size, out = column.numbers, column.size, []

    def add(condition: Condition, kind: int, low: int, high: int) -> None:
        out.append((condition, group + kind, lambda n: (n >= low) & (n <= high), numbers))

    if column.categories is not None:
        for code, category in enumerate(column.categories.tolist()):
            add(Condition(j, code=code, category=category), 0, code, code)
    elif intervals == "one-sided":
        cuts = _cuts_of(column)
        for k, cut in enumerate(cuts):
            add(Condition(j, high=cut), 0, 0, k)
        for k, cut in enumerate(cuts):
            add(Condition(j, low=cut), 1, k + 1, size - 1)
    else:
        ends = [-np.inf, *_cuts_of(column), np.inf]
        for low in range(size):
            for high in range(low, size if intervals == "all" else low + 1):
                if high - low < size - 1:
                    add(Condition(j, low=ends[low], high=ends[high + 1]), 0, low, high)
    if with_missing:
        add(Condition(j, is_missing=True), 2, size, size)
    return out


def _cuts_of(column: ColumnValues) -> list[float]:
    return [] if column.cuts is None else column.cuts.tolist()
