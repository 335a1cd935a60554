# SPDX-License-Identifier: BSD-3-Clause
"""Folds of a pipeline of a scaler and an iterative model, fitted together.

Each fold of a cross-validation has a scaler of its own. Where the model has an intercept, the
scaler matters only through the penalty: columns divided by s with a ridge r give the same model as
columns divided by t with the ridge (s / t)^2 r. The rows are therefore scaled once, by the spread
of all rows (which cancels), and all folds share them. The spread of a fold's rows, from the moments
of its segments, gives the factor of the ridge of each column.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from statfast._estimator import (
    FitState,
    FoldTask,
    SharedFits,
    checks_of_all_rows,
    column_moments,
    copied,
    sums_of_folds,
    with_params,
)
from statfast._validation import as_rows
from statfast.pipeline.steps import checked_steps, is_fitted_by_moments, is_skipped


@dataclass
class PipelineFolds:
    """The task of a pipeline of a scaler and a model, with the factor of the ridge for each fold
    and column (``stretch``)."""

    pipeline: Any
    task: FoldTask
    stretch: np.ndarray  # (folds, d)

    def by_itself(self, candidate: int, fold: Any) -> Any:
        """The pipeline of a candidate, fitted to the rows of a fold, or the exception it raised."""
        model = with_params(self.pipeline, self.task.candidates[candidate])
        try:
            return model.fit(*self.task.rows_of_fit(fold))
        except Exception as error:  # fails this fold alone
            return error


def scaled_plan(pipeline: Any, task: Any) -> Any:
    """For each fold the pipelines of all candidates; None where they are to be refitted."""
    candidates, folds = task.candidates, task.folds
    with checks_of_all_rows():
        pairs = checked_steps(pipeline.steps)
        steps = [(name, step) for name, step in pairs if not is_skipped(step)]
    groups = folds.groups()
    if groups is None or len(steps) != 2:
        return None
    (first, step), (name, last) = steps
    if not is_fitted_by_moments(step):
        return None
    inner = f"{name}__"
    if any(not key.startswith(inner) for params in candidates for key in params):
        return None
    X, weights = folds.X, folds.weights
    with checks_of_all_rows():
        rows = as_rows(X, finite=False)
        if rows.dtype != np.float64:
            return None
        scaler = copied(step).fit(X, sample_weight=weights)
        scaled = scaler.transform(X)
    if not isinstance(scaled, np.ndarray):  # a data frame, whose column names the model would learn
        return None
    if np.isnan(scaled).any():  # a scaler passes NaN on, and it is the model that takes it or not
        return None
    stretch = []
    for group in groups:
        moments_of_segments = [
            column_moments(rows[segment], None if weights is None else weights[segment])
            for segment in group.segments
        ]
        for moments in sums_of_folds(moments_of_segments, group.count, group.members):
            if moments is None or not moments.total_weight > 0.0:
                return None
            fold_scaler = copied(step)._solve(moments, FitState(rows.shape[1]))
            stretch.append((fold_scaler._shift_and_scale()[1] / scaler._shift_and_scale()[1]) ** 2)
    last_candidates = [{key.removeprefix(inner): v for key, v in p.items()} for p in candidates]
    last_task = FoldTask(replace(folds, X=scaled), last_candidates, task.methods)
    plan = last._plan_scaled_folds(last_task, PipelineFolds(pipeline, task, np.array(stretch)))
    if plan is None:
        return None
    fitted_scalers = {first: scaler}
    return SharedFits(X, (
        [
            model if isinstance(model, Exception | type(pipeline))
            else copied(pipeline)._published(
                X, [(key, model if key == name else fitted_scalers.get(key, step))
                    for key, step in pipeline.steps]
            )
            for model in fitted.models
        ]
        for fitted in plan.folds()
    ))  # fmt: skip
