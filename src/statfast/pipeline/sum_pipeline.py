# SPDX-License-Identifier: BSD-3-Clause
"""Pipelines of scalers and a model whose fit is a sum: their statistics are those of the model.

The last step sums up the unscaled rows. Its statistics include the moments of the columns
(``column_moments``), by which the scalers are solved, and can be converted to those of the scaled
columns (``rescaled``). The scaling thus depends on the rows of the fold alone, and no row is read a
second time. A `ColumnTransformer` of scalers is a choice of columns, made before anything is
summed, and a scaler. Where the last step is a kernel machine, the candidates of a search share the
matrix of each fold. Where it is a logistic regression, folds and candidates share rows that are
scaled once (`statfast.pipeline.scaled`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from statfast._estimator import (
    Classifier,
    Estimator,
    FitState,
    Folds,
    FoldTask,
    NotShared,
    SharedFits,
    SumFit,
    checks_of_all_rows,
    copied,
    output_container,
    routing_is_on,
    take_columns,
    with_params,
)
from statfast._typing import Weights
from statfast._validation import as_rows, column_names, is_sparse
from statfast.pipeline.columns import as_container
from statfast.pipeline.scaled import scaled_plan
from statfast.pipeline.steps import (
    Steps,
    checked_steps,
    is_fitted_by_moments,
    is_skipped,
)


class MergedSteps(Steps, SumFit):
    """Mixin of `Pipeline`: statistics to merge or folds to share, where the steps allow it."""

    # What subclasses declare, or a fit sets.
    _published: ClassVar[Callable[..., Any]]

    def _adds_up(self, columns: Any = None) -> Any:
        """Whether the statistics of the last step are all that the steps before it need. They must
        be those of float64 rows, since scaled rows keep their type."""
        last: Any
        if routing_is_on():  # what a step has asked for, merged sums do not know
            return False
        before, last = self._before()
        if self._selects_columns():
            before = before[1:]
        scalers = all(map(is_fitted_by_moments, before))
        sums = isinstance(last, SumFit) and bool(last._statistics_can_be_rescaled)
        float64 = columns is None or columns[0].dtype == np.float64
        return scalers and sums and float64 and last._adds_up(columns)

    def _fits_targets_independently(self) -> bool:
        before, last = self._before()
        scalers = all(map(is_fitted_by_moments, before[int(self._selects_columns()) :]))
        return scalers and isinstance(last, Estimator) and last._fits_targets_independently()

    def _before(self) -> tuple[list[Any], Classifier]:
        *before, last = [step for _, step in self.steps]
        return [step for step in before if not is_skipped(step)], last

    def _selects_columns(self) -> bool:
        """Whether the first step chooses columns, perhaps by their names."""
        before, _ = self._before()
        return bool(before) and isinstance(before[0], MergedColumns)

    def _prepare(self, X: Any, y: Any, sample_weight: Weights) -> Any:
        checked_steps(self.steps)
        plan = None
        if self._selects_columns():
            X, plan = self._before()[0][0]._selected(X)
        columns, state = self.steps[-1][1]._prepare(X, y, sample_weight)
        return columns, FitState(state.n_features, state.names, state.classes, (state, plan))

    @property
    def _statistics(self) -> Any:
        return _of_last(self._final()._statistics)

    @property
    def _statistics_cut_blocks(self) -> Any:
        return self._final()._statistics_cut_blocks

    def _check_block(self, rows: Any, state: FitState) -> None:
        self._final()._check_block(rows, state.more[0])

    def _check_parts(self, columns: Any, state: FitState) -> None:
        if self._selects_columns():
            raise TypeError(
                "A Pipeline of rows in parts takes scalers of all columns; got a "
                "ColumnTransformer. Choose columns of the collection first."
            )
        self._final()._check_parts(columns, state.more[0])

    def _reads_names(self) -> bool:
        return self._selects_columns()

    @property
    def _solve_parameters(self) -> Any:
        steps = self.steps[-1:] if self._shares_last_step() else self.steps
        return tuple(
            f"{name}__{key}"
            for name, step in steps
            if isinstance(step, Estimator)
            for key in step._solve_parameters or ()
        )

    def _solve(self, sums: Any, state: FitState) -> Any:
        fitted, (inner, plan), names = [], state.more, state.names
        for name, step in self.steps[:-1]:
            if is_skipped(step):
                fitted.append((name, step))
                continue
            scaler_state = FitState(state.n_features, names, more=plan)
            scaler = copied(step)._solve(sums.column_moments(), scaler_state)
            sums = sums.rescaled(*scaler._shift_and_scale())
            plain = output_container(scaler) == "default"  # an array, whose columns have no names
            names = None if plain else scaler.get_feature_names_out()
            fitted.append((name, scaler))
        name, last = self.steps[-1]
        fitted.append((name, copied(last)._solve(sums, replace(inner, names=names))))
        return self._published(None, fitted)

    def _plan_folds(self, task: FoldTask) -> Any:
        """The plan from the statistics of the last step; else that of the last step itself, on rows
        that are scaled once or on the rows of each fold."""
        if routing_is_on():
            return None
        plan, last = super()._plan_folds(task), self._final()
        if plan is not None or not isinstance(last, Estimator):
            return plan
        if last._plans_scaled_folds:
            return None if task.methods is None else scaled_plan(self, task)
        if not self._shares_last_step() or len(task.candidates) < 2:
            return None
        with checks_of_all_rows():
            models = [with_params(self, params) for params in task.candidates]
        first = _fold(models, task, 0)
        if first is None:
            return None
        rest = (_fold(models, task, k) or _refits(models, task, k)
                for k in range(1, len(task.folds)))  # fmt: skip
        return SharedFits(task.folds.X, chain([first], rest))

    def _shares_last_step(self) -> bool:
        """Whether models of the last step that differ in `_solve_parameters` share its fold."""
        last = self._final()
        return isinstance(last, Estimator) and not isinstance(last, SumFit) and bool(
            last._solve_parameters
        )  # fmt: skip


def _fold(models: Any, task: Any, k: int) -> Any:
    """The pipelines of all candidates on one fold, or errors; None where nothing is shared."""
    name, last = models[0].steps[-1]
    inner = f"{name}__"
    last_candidates = [{k.removeprefix(inner): v for k, v in p.items() if k.startswith(inner)}
           for p in task.candidates]  # fmt: skip
    X, y, weights = task.rows_of_fit(k)
    try:
        before = copied(models[0]).set_params(**{name: "passthrough"})
        fitted, rows = before._fit_all(X, y, weights, {}, to_rows=True)
        n = len(y)
        all_rows = Folds(rows, y, weights, n, [(np.arange(n), np.empty(0, np.intp))])
        plan = last._plan_folds(FoldTask(all_rows, last_candidates))
    except Exception as error:  # fails this fold alone
        return [error] * len(models)
    if plan is None:
        return None
    (fold,) = plan.folds()
    return [
        last_step if isinstance(last_step, Exception)
        else copied(model)._published(X, [*fitted[:-1], (name, last_step)])
        for model, last_step in zip(models, fold.models, strict=True)
    ]  # fmt: skip


def _refits(models: Any, task: Any, k: int) -> Any:
    """The pipelines of all candidates on one fold, or errors, each fitted by itself, where the
    memory does not suffice for a shared matrix."""
    rows, fitted = task.rows_of_fit(k), []
    for model in models:
        try:
            fitted.append(copied(model).fit(*rows))
        except Exception as error:  # fails this fold alone
            fitted.append(error)
    return fitted


class _of_last:
    """The statistics function of the last step, called with the state of the pipeline. It is a
    class so that it can be pickled."""

    def __init__(self, statistics: Any) -> None:
        self.statistics = statistics

    def __call__(self, columns: Any, state: FitState) -> Any:
        return self.statistics(columns, state.more[0])


class MergedColumns:
    """Mixin of `ColumnTransformer`: solved by the moments of the columns that its scalers get."""

    # What subclasses declare, or a fit sets.
    _checked_entries: Callable[..., Any]
    _planned: Callable[..., Any]
    transformer_weights: dict[str, float] | None
    _become: Callable[..., Any]
    transformers_: list[Any]
    output_indices_: dict[str, slice]

    def _selected(self, X: Any) -> Any:
        """The kept columns in the order of the result, and the plan that `_solve` needs."""
        entries = self._checked_entries()
        table = as_container(X)
        planned = self._planned(entries, table)
        kept = [plan for plan in planned if not (isinstance(plan[1], str) and plan[1] == "drop")]
        able = not self.transformer_weights and not is_sparse(table) and all(
            (isinstance(step, str) or is_fitted_by_moments(step)) and not alone
            for _, step, _, _, alone in kept
        )  # fmt: skip
        places = [j for *_, step_places, _ in kept for j in step_places]
        if not able or not places:
            raise NotShared
        rows = as_rows(take_columns(table, places), finite=False)
        return rows, (planned, int(table.shape[1]), column_names(X))

    def _solve(self, moments: Any, state: FitState) -> Any:
        planned, width, names = state.more
        fitted, widths, start = [], {}, 0
        for name, step, columns, places, _ in planned:
            if isinstance(step, str) and step == "drop":
                fitted.append((name, step, columns))
                continue
            part = slice(start, start := start + len(places))
            if not isinstance(step, str) and places:
                step_moments = replace(
                    moments, mean=moments.mean[part], squares=moments.squares[part]
                )
                step_state = FitState(len(places), None if names is None else names[places])
                step = copied(step)._solve(step_moments, step_state)
            fitted.append((name, step, columns))
            widths[name] = len(places)
        return self._become(fitted, planned, widths, False, width, names)

    def _shift_and_scale(self) -> Any:
        """The shift that is subtracted from each column of the result, and the scale that divides
        it then."""
        parts = []
        for name, step, _ in self.transformers_:
            span = self.output_indices_[name]
            if isinstance(step, str) and span.stop > span.start:
                parts.append((np.zeros(span.stop - span.start), np.ones(span.stop - span.start)))
            elif span.stop > span.start:
                parts.append(step._shift_and_scale())
        return tuple(np.concatenate(side) for side in zip(*parts, strict=True))
