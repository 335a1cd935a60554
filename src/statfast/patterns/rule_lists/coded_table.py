# SPDX-License-Identifier: BSD-3-Clause
"""Rows as numbers of intervals and categories, and the classes that each condition covers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from statfast._core.patterns.class_counts import count_classes
from statfast._typing import Array
from statfast.patterns.conditions.column_values import ColumnValues
from statfast.patterns.conditions.condition import Condition

UP_TO, ABOVE, EQUAL, MISSING = range(4)  # kinds of conditions


class CodedCondition(NamedTuple):
    """A condition on the numbers of a column: its kind, and what it compares them with."""

    column: int
    kind: int
    number: int


class Candidates(NamedTuple):
    """Conditions that some rows meet and others do not, in the order of `CodedCondition`.

    `conditions` is (m, 3), `weights` (m, K) of the classes among the rows that meet them, `rows`
    (m,) their number.
    """

    conditions: Array
    weights: Array
    rows: Array

    def condition(self, place: int) -> CodedCondition:
        """The condition at a place."""
        return CodedCondition(*self.conditions[place].tolist())


class _Workspace(NamedTuple):
    """Arrays of the kernel, for one column at a time."""

    table: Array
    row_counts: Array
    condition: Array
    weight: Array
    rows: Array


@dataclass(frozen=True)
class CodedTable:
    """Rows with their classes.

    Attributes
    ----------
    columns : list of ColumnValues
        Their values.
    codes : ndarray of int32, shape (n,)
        Their classes.
    n_classes : int
        How many classes there are.
    weights : ndarray of shape (n,), or None
        Their weights, positive; None if all are 1.
    with_missing : bool
        Whether there are conditions of missing values.
    """

    columns: list[ColumnValues]
    codes: np.ndarray
    n_classes: int
    weights: np.ndarray | None
    with_missing: bool

    @property
    def n_conditions(self) -> int:
        """How many conditions there are in all."""
        out = len(self.columns) if self.with_missing else 0
        for column in self.columns:
            out += column.size if column.cuts is None else 2 * len(column.cuts)
        return out

    def class_weights(self, rows: Array) -> Array:
        """The weight of each class among rows, by their numbers."""
        weights = None if self.weights is None else self.weights[rows]
        return np.bincount(self.codes[rows], weights, self.n_classes).astype(np.float64)

    def meets(self, condition: CodedCondition, rows: Array) -> Array:
        """Mark those of the rows that meet a condition."""
        column = self.columns[condition.column]
        numbers = column.numbers[rows]
        if condition.kind == UP_TO:
            return numbers <= condition.number
        if condition.kind == ABOVE:
            return (numbers > condition.number) & (numbers < column.size)
        return numbers == condition.number

    def covered(self, conditions: Iterable[CodedCondition], rows: Array) -> Array:
        """Those of the rows that meet all conditions."""
        for condition in conditions:
            rows = rows[self.meets(condition, rows)]
        return rows

    def candidates(self, rows: Array) -> Candidates:
        """All conditions that some of the rows meet and others do not."""
        parts = [self._candidates_of(j, rows) for j in range(len(self.columns))]
        return Candidates(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _candidates_of(self, j: int, rows: Array) -> tuple[Array, Array, Array]:
        column, work = self.columns[j], self._workspace
        n = count_classes(
            column.numbers, rows, self.codes, self.weights, work.table, work.row_counts,
            column.size, column.cuts is not None, self.with_missing, work.condition, work.weight,
            work.rows,
        )  # fmt: skip
        conditions = np.empty((n, 3), np.intp)
        conditions[:, 0], conditions[:, 1:] = j, work.condition[:n]
        return conditions, work.weight[:n].copy(), work.rows[:n].copy()

    @cached_property
    def _workspace(self) -> _Workspace:
        size = max(column.size for column in self.columns) + 1
        most = 2 * size
        return _Workspace(
            np.zeros((size, self.n_classes)), np.zeros(size, np.int32),
            np.empty((most, 2), np.int32), np.empty((most, self.n_classes)),
            np.empty(most, np.intp),
        )  # fmt: skip

    def condition(self, coded: CodedCondition) -> Condition:
        """A condition on values."""
        column = self.columns[coded.column]
        if coded.kind == MISSING:
            return Condition(coded.column, is_missing=True)
        if column.cuts is None:
            assert column.categories is not None
            category = column.categories[coded.number]
            return Condition(coded.column, code=coded.number, category=category)
        cut = float(column.cuts[coded.number])
        if coded.kind == UP_TO:
            return Condition(coded.column, high=cut)
        return Condition(coded.column, low=cut)


def simplified(conditions: Iterable[CodedCondition]) -> tuple[CodedCondition, ...]:
    """Conditions, ascending, without those that others imply."""
    kept: dict[tuple[int, int], int] = {}
    for column, kind, number in conditions:
        key, best = (column, kind), min if kind == UP_TO else max
        kept[key] = best(kept[key], number) if key in kept else number
    return tuple(sorted(CodedCondition(*key, number) for key, number in kept.items()))
