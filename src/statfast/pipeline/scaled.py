# SPDX-License-Identifier: BSD-3-Clause
"""Folds of a scaler and a model by iterations, fitted together.

Of a fold's own scaler, a model with an intercept keeps nothing but the size of the penalty:
coefficients of columns divided by s are penalized as those of columns divided by t are with
(s / t)^2 times the ridge. So the rows are scaled once, by the spread of all of them, which drops
out, and the folds share them. The spread of a fold's own rows, merged from the moments of its
parts, says how large the ridge of each column is.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._estimator import (
    FitState,
    checks_of_all_rows,
    column_moments,
    copied,
    sums_of_folds,
    with_params,
)
from statfast._validation import as_rows
from statfast.pipeline.steps import checked_steps, is_fitted_by_moments, is_skipped


@dataclass
class ScaledFolds:
    """What the last step asks about the folds; see `fits_of_folds` of linear/logistic."""

    pipeline: Any
    candidates: list
    trains: Any
    stretch: np.ndarray  # (folds, d)

    def by_itself(self, candidate, fold):
        """The pipeline of a candidate, fitted to the rows of a fold, or the error that came."""
        model = with_params(self.pipeline, self.candidates[candidate])
        try:
            return model.fit(*self.trains.rows(fold))
        except Exception as error:  # told by the caller, of each fold
            return error


def scaled_fits(pipeline, X, y, sample_weight, trains, candidates):
    """For each fold the pipelines of all candidates; None where they are to be refitted."""
    with checks_of_all_rows():
        pairs = checked_steps(pipeline.steps)
        steps = [(name, step) for name, step in pairs if not is_skipped(step)]
    groups = trains.groups()
    if groups is None or len(steps) != 2:
        return None
    (first, step), (name, last) = steps
    if not is_fitted_by_moments(step):
        return None
    inner = f"{name}__"
    if any(not key.startswith(inner) for params in candidates for key in params):
        return None
    with checks_of_all_rows():
        rows = as_rows(X, finite=False)
        if rows.dtype != np.float64:
            return None
        scaler = copied(step).fit(X, sample_weight=sample_weight)
        scaled = scaler.transform(X)
    if not isinstance(scaled, np.ndarray):  # of frames, with the names of columns
        return None
    stretch = []
    for group in groups:
        parts = [
            column_moments(rows[part], None if sample_weight is None else sample_weight[part])
            for part in group.parts
        ]
        for moments in sums_of_folds(parts, group.count, group.kinds):
            if moments is None or not moments.total_weight > 0.0:
                return None
            own = copied(step)._solve(moments, FitState(rows.shape[1]))
            stretch.append((own._affine()[1] / scaler._affine()[1]) ** 2)
    more = ScaledFolds(pipeline, candidates, trains, np.array(stretch))
    own = [{key.removeprefix(inner): v for key, v in p.items()} for p in candidates]
    found = last._scaled_fits(scaled, y, sample_weight, trains, own, more)
    if found is None:
        return None
    known = {first: scaler}
    return (
        [
            one if isinstance(one, Exception | type(pipeline))
            else copied(pipeline)._published(
                X, [(n, one if n == name else known.get(n, s)) for n, s in pipeline.steps]
            )
            for one in models
        ]
        for models in found
    )  # fmt: skip
