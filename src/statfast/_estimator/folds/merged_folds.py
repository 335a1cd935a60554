# SPDX-License-Identifier: BSD-3-Clause
"""Folds of estimators whose fit is a sum: the statistics of segments of the rows are merged.

Each row is summed up once for all folds that share their segments (`FoldGroup`), and the statistics
of the rows that a fold fits are those of its segments, merged; nothing is subtracted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._estimator.folds.fold_plans import MERGED, FoldGroup, FoldModels, FoldTask
from statfast._estimator.folds.fold_rows import checks_of_all_rows
from statfast._estimator.parameters.copies import copied, with_params
from statfast._estimator.sums.row_sums import sums_of, sums_of_folds


@dataclass
class MergedStatistics:
    """A plan that solves for each fold by merged statistics; see `merged_folds`."""

    X: Any
    task: FoldTask
    models: list[Any]  # The models of the candidates, which have the statistics in common.
    columns: tuple[Any, ...]
    state: Any
    groups: list[FoldGroup]
    first_sums: list[Any]  # of the segments of the first group
    strategy: str = MERGED

    def folds(self) -> Iterator[FoldModels]:
        place = 0
        for number, group in enumerate(self.groups):
            sums = self.first_sums if number == 0 else self._sums(group)
            merged = sums_of_folds(sums, group.count, group.members)
            for k, of_fit in enumerate(merged):
                held = sums[k] if group.members is None else None
                if self.task.folds.weights is not None and not len(self.task.folds.train(place)):
                    of_fit = None
                yield FoldModels([self._solved(model, of_fit) for model in self.models], held)
                place += 1

    def _sums(self, group: FoldGroup) -> list[Any]:
        return sums_of(self.models[0]._statistics, self.columns, self.state, group.segments)

    def _solved(self, model: Any, sums: Any) -> Any:
        """The model of a fold by the statistics of the rows that it fits, or the error."""
        try:
            if sums is None:
                raise ValueError("X has no rows to fit in a fold. Pass other folds.")
            return copied(model)._solve(sums, self.state)
        except Exception as error:  # An error fails this fold alone.
            return error


def merged_folds(estimator: Any, task: FoldTask, with_names: bool) -> MergedStatistics | None:
    """The plan of an estimator whose fit is a sum (`SumFit`), or None where there are too many
    segments, or where statistics of these rows do not give the fit.

    `with_names` says whether the fit reads the names of the columns.
    """
    if not estimator._adds_up():
        return None
    folds, candidates = task.folds, task.candidates
    alike = {*estimator._solve_parameters}.issuperset
    if len(candidates) > 1 and not all(map(alike, candidates)):
        return None
    groups = folds.groups()
    if groups is None:
        return None
    models = [with_params(estimator, params) for params in candidates]
    first = models[0]
    X = folds.X if with_names else task.matrix()
    with checks_of_all_rows():  # Some checks are made while the rows are summed.
        prepared = prepared_sum(first, X, folds.y, folds.weights)
        if prepared is None:
            return None
        columns, state = prepared
        sums = sums_of(first._statistics, columns, state, groups[0].segments)
    return MergedStatistics(X, task, models, columns, state, groups, sums)


def prepared_sum(
    model: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[tuple[Any, ...], Any] | None:
    """Columns and state of a fit by statistics alone; None where these do not give the fit."""
    if not model._adds_up():
        return None
    columns, state = model._prepare(X, y, sample_weight)
    is_matrix = isinstance(columns[0], np.ndarray) or hasattr(columns[0], "indptr")
    return (columns, state) if is_matrix and model._adds_up(columns) else None
