# SPDX-License-Identifier: BSD-3-Clause
"""Folds of models of some of the columns, by statistics of all columns: no row is read again.

The rows are cut into the segments that folds have in common, and the statistics of the rows that a
fold fits, and of those that it holds out, are merged from them. Those of some columns are cut out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any, Protocol
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from statfast._engine import checkpoint
from statfast._estimator import (
    Folds,
    FoldTask,
    NotShared,
    SumFit,
    checks_of_all_rows,
    copied,
    prepared_sum,
    sums_of,
    sums_of_folds,
)
from statfast._typing import Array

MAX_SEGMENTS_PER_FOLD = 3  # Where folds have less in common, merging spares nothing.
MAX_MEMBERSHIPS = 1 << 28  # The most folds times rows that are compared to find the segments.
MAX_NUMBERS_OF_SUMS = 1 << 27  # The statistics of all folds together take a gigabyte at most.


class ColumnSweeps(Protocol):
    """Mean squared errors, or accuracies, on the rows held out by models that have one column more
    or less.

    Of all folds at once, a method gives those of each fold, (K, m), and for which of the m columns
    they are certain: where a fit of these columns is nearly singular, it is solved by itself.
    """

    variances: NDArray[np.float64]  # (K,) those of the target on the rows held out

    def with_each(self, selected: Sequence[int], rest: Sequence[int]) -> tuple[Array, Array]:
        """Of models of the selected columns and one of the others."""
        ...

    def without_each(self, selected: Sequence[int]) -> tuple[Array, Array]:
        """Of models of the selected columns without one of them, in their order."""
        ...

    def coefficients(self, k: int, selected: Sequence[int]) -> tuple[Array, float] | None:
        """Those of a fold's model of some columns, which ascend, and its mean squared error on the
        rows held out; None where the fit is nearly singular."""
        ...


@dataclass
class SubsetSums:
    """The statistics of the rows that each fold fits and holds out, of all columns."""

    X: Any  # The rows that models are asked about.
    estimator: Any
    state: Any
    fitted: list[Any]
    held: list[Any]
    columns: tuple[Any, ...]  # Checked rows, targets or codes of labels, and weights.
    tests: list[Array]  # Places of the rows that each fold holds out.
    segments: list[Any]  # The statistics of all rows that have weight, in parts.

    @cached_property
    def total(self) -> Any:
        """The statistics of all rows."""
        return reduce(add, self.segments)

    def model_of_all(self, columns: Array) -> Any:
        """The model of some columns, which ascend, and of all rows."""
        return solved_by_columns(self.estimator, self.total, self.state, columns)

    def model(self, k: int, columns: Array) -> Any:
        """The model of a fold and of some columns, which ascend, or the error of its fit."""
        try:
            if self.fitted[k] is None:
                raise ValueError("X has no rows to fit in a fold. Pass other folds.")
            return solved_by_columns(self.estimator, self.fitted[k], self.state, columns)
        except Exception as error:  # An error fails this fold alone.
            return error

    def sweeps(self) -> ColumnSweeps | None:
        """Those of the estimator, if it has a quick way."""
        if any(part is None for part in (*self.fitted, *self.held)):
            return None
        sweeps: ColumnSweeps | None = self.estimator._column_sweeps(
            self.fitted, self.held, self.state
        )
        return sweeps

    def accuracy_sweeps(self) -> Any:
        """Those of the accuracy of the estimator's classes, if it has a quick way."""
        if any(part is None for part in self.fitted):
            return None
        with catch_warnings():
            simplefilter("ignore")
            return self.estimator._accuracy_sweeps(
                self.fitted, self.columns, self.tests, self.state
            )


def solved_by_columns(estimator: Any, sums: Any, state: Any, columns: Array) -> Any:
    """A model of some columns by the statistics of all; columns that depend on rest, of which
    many of its kind would warn, go without a word."""
    checkpoint()
    with catch_warnings():
        simplefilter("ignore")
        cut = estimator._state_of_columns(state, columns)
        return copied(estimator)._solve(sums.of_columns(columns), cut)


def subset_sums(estimator: Any, task: FoldTask) -> SubsetSums | None:
    """The statistics of all folds, or None where these do not give the fits of some columns."""
    folds = task.folds
    if not isinstance(estimator, SumFit) or not estimator._statistics_can_be_cut:
        return None
    if not estimator._adds_up() or folds.arguments:
        return None
    segments = segments_of(folds)
    if segments is None:
        return None
    try:
        with checks_of_all_rows():
            X = task.matrix()
            prepared = prepared_sum(estimator, X, folds.y, folds.weights)
            if prepared is None:
                return None
            columns, state = prepared
            if len(folds) * float(columns[0].shape[1]) ** 2 > MAX_NUMBERS_OF_SUMS:
                return None
            sums = sums_of(estimator._statistics, columns, state, segments.rows)
    except NotShared:  # The refits say what is wrong with their rows.
        return None
    if not hasattr(sums[0], "of_columns"):
        return None
    held = list(sums_of_folds(sums, len(folds), segments.held))
    # A partition has a segment for each fold, of which all but one are merged in fewer steps.
    kinds = None if segments.is_partition else segments.fitted
    fitted = list(sums_of_folds(sums, len(folds), kinds))
    tests = [test for _, test in folds.pairs]
    return SubsetSums(X, estimator, state, fitted, held, columns, tests, sums)


@dataclass
class Segments:
    """Disjoint segments of the rows, and which of them each fold fits and holds out."""

    rows: list[Array]
    fitted: NDArray[np.bool_]  # (K, segments)
    held: NDArray[np.bool_]

    @property
    def is_partition(self) -> bool:
        """Whether each fold holds out the segment in its place, and fits all others."""
        return np.array_equal(self.held, np.eye(len(self.held), dtype=bool)) and np.array_equal(
            self.fitted, ~self.held
        )


def segments_of(folds: Folds) -> Segments | None:
    """The segments of rows that folds have in common; None of folds that have little in common, or
    that take rows more than once."""
    K, n = len(folds), folds.n
    if 2 * K * n > MAX_MEMBERSHIPS:
        return None
    used = np.zeros((2, K, n), dtype=bool)
    for k, (train, test) in enumerate(folds.pairs):
        if train is None:
            used[0, k] = True
            used[0, k, test] = False
        else:
            used[0, k, train] = True
            if used[0, k].sum() != len(train):
                return None
        used[1, k, test] = True
        if used[1, k].sum() != len(test):
            return None
    # Rows without weight are in no segment.
    weighs = np.ones(n, dtype=bool) if folds.weights is None else folds.weights > 0.0
    used &= weighs
    table = np.vstack([used.reshape(2 * K, n), weighs])
    packed = np.packbits(table, axis=0)
    _, first, kind = np.unique(packed, axis=1, return_index=True, return_inverse=True)
    if len(first) > MAX_SEGMENTS_PER_FOLD * K:
        return None
    order = np.argsort(kind.reshape(-1), kind="stable")
    rows = np.split(order, np.cumsum(np.bincount(kind.reshape(-1)))[:-1])
    fitted, held = used[:, :, first]
    # Segments come in the order of the folds that hold them out.
    order = np.argsort(np.where(held.any(axis=0), held.argmax(axis=0), K), kind="stable")
    order = order[weighs[first[order]]]
    return Segments([rows[place] for place in order], fitted[:, order], held[:, order])
