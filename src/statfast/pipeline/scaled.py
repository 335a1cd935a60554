# SPDX-License-Identifier: BSD-3-Clause
"""Folds of a scaler and a model by iterations, fitted together.

Of a fold's own scaler, a model with an intercept keeps nothing but the size of the penalty:
coefficients of columns divided by s are penalized as those of columns divided by t are with
(s / t)^2 times the ridge. So the rows are scaled once, by the spread of all of them, which drops
out, and the folds share them. The spread of a fold's own rows, merged from the moments of its
parts, says how large the ridge of each column is.
"""

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
    """`ScaledFolds` of a pipeline of a scaler and a model."""

    pipeline: Any
    task: FoldTask
    stretch: np.ndarray  # (folds, d)

    def by_itself(self, candidate: int, fold: Any) -> Any:
        """The pipeline of a candidate, fitted to the rows of a fold, or the error that came."""
        model = with_params(self.pipeline, self.task.candidates[candidate])
        try:
            return model.fit(*self.task.rows_of_fit(fold))
        except Exception as error:  # which fails the fold alone
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
    if not isinstance(scaled, np.ndarray):  # of frames, with the names of columns
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
            own = copied(step)._solve(moments, FitState(rows.shape[1]))
            stretch.append((own._shift_and_scale()[1] / scaler._shift_and_scale()[1]) ** 2)
    own_candidates = [{key.removeprefix(inner): v for key, v in p.items()} for p in candidates]
    of_last = FoldTask(replace(folds, X=scaled), own_candidates, task.methods)
    plan = last._plan_scaled_folds(of_last, PipelineFolds(pipeline, task, np.array(stretch)))
    if plan is None:
        return None
    known = {first: scaler}
    return SharedFits(X, (
        [
            one if isinstance(one, Exception | type(pipeline))
            else copied(pipeline)._published(
                X, [(n, one if n == name else known.get(n, s)) for n, s in pipeline.steps]
            )
            for one in fitted.models
        ]
        for fitted in plan.folds()
    ))  # fmt: skip
