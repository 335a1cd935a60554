# SPDX-License-Identifier: BSD-3-Clause
"""Pipelines of scalers and a model whose fit is a sum: their statistics are those of the model.

The last step sums up the rows as they are given. Its statistics tell the moments of the columns
(``column_moments``), by which the scalers are solved, and are brought to the scaled columns
(``rescaled``): scaling is derived from the rows of the fold alone, and nothing is read twice.
"""

import numpy as np

from statfast._estimator import FitState, copied
from statfast.pipeline.steps import Steps


class MergedSteps(Steps):
    """Mixin of `Pipeline`: `_prepare`, `_statistics` and `_solve` where the steps allow it."""

    def _mergeable(self):
        """Whether the statistics of the last step are all that the steps before it need."""
        *before, last = [step for _, step in self.steps]
        scalers = all(
            step in (None, "passthrough")
            or (hasattr(type(step), "_affine") and hasattr(type(step), "_solve"))
            for step in before
        )
        return scalers and hasattr(last, "_solve") and bool(getattr(last, "_rescales", False))

    def _prepare(self, X, y, sample_weight):
        self._checked()
        rows = np.asarray(X)
        if rows.dtype != np.float64 or not self._mergeable():
            raise NotImplementedError
        columns, state = self.steps[-1][1]._prepare(X, y, sample_weight)
        return columns, FitState(state.n_features, state.names, state.classes, state)

    @property
    def _statistics(self):
        return _of_last(self.steps[-1][1]._statistics)

    @property
    def _solved_by(self):
        inner = getattr(self.steps[-1][1], "_solved_by", ())
        more = [f"{self.steps[-1][0]}__{name}" for name in inner]
        for name, step in self.steps[:-1]:
            more += [f"{name}__{key}" for key in getattr(step, "_solved_by", ())]
        return tuple(more)

    def _solve(self, sums, state):
        fitted, inner = [], state.more
        for name, step in self.steps[:-1]:
            if step in (None, "passthrough"):
                fitted.append((name, step))
                continue
            scaler = copied(step)._solve(sums.column_moments(), FitState(state.n_features))
            sums = sums.rescaled(*scaler._affine())
            fitted.append((name, scaler))
        name, last = self.steps[-1]
        fitted.append((name, copied(last)._solve(sums, inner)))
        return self._published(None, fitted)


class _of_last:
    """The statistics of a step, of the state of the pipeline: picklable."""

    def __init__(self, statistics):
        self.statistics = statistics

    def __call__(self, columns, state):
        return self.statistics(columns, state.more)
