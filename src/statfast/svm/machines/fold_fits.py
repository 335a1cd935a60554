# SPDX-License-Identifier: BSD-3-Clause
"""Trainings on the folds of a cross-validation: one kernel matrix for all of them and for all C."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from statfast._estimator import (
    SharedFits,
    checks_of_all_rows,
    copied,
    parameters_key,
    with_params,
)
from statfast._validation import is_sparse
from statfast.kernels import Precomputed
from statfast.kernels.named import has_gamma
from statfast.kernels.points import MATRIX
from statfast.svm.dual.full_gram import FullGram, width_of
from statfast.svm.dual.gram import MAX_FEATURES_REMADE
from statfast.svm.dual.gram_cache import require_float32
from statfast.svm.dual.limits import Run, cache_room
from statfast.svm.dual.precision import tile_shape
from statfast.svm.dual.solver import ACTIVE_SET
from statfast.svm.machines.training import (
    Training,
    TrainingPoints,
    as_training_points,
    kernel_of,
    warn_far,
)


class SharedMatrix:
    """The kernel matrix of all rows, or of those of a fold where the kernel is made of them."""

    def __init__(self, params: Any, points: Any) -> None:
        self.params, self.points = params, points

    @classmethod
    def for_task(cls, model: Any, X: Any, task: Any) -> Any:
        """None where there is nothing to share, or no room for it."""
        params, folds = model._checked(without=model._solve_parameters), task.folds
        by_fold = has_gamma(params.kernel) and params.gamma == "scale"
        if len(task.candidates) * (1 if by_fold else len(folds)) < 2:
            return None
        points = as_training_points(params, X, lambda n: folds.weights)
        n, most = len(points), max(len(folds.train(k)) for k in range(len(folds)))
        quick = tile_shape(points.kernel)[0] is not None and points.width <= MAX_FEATURES_REMADE
        # A larger matrix takes longer to read than its values take to be made again.
        if most > ACTIVE_SET.max_rows_of_full_matrix and quick:
            return None
        if 8.0 * n * n + 1.0 * most * width_of(most) > cache_room(params.cache_size):
            return None
        warn_far(points.data, points.kernel)
        return cls(params, points)

    @cached_property
    def full_matrix(self) -> Any:
        return self._matrix(self.points)

    def training(self, train: Any) -> Any:
        """What there is to train on in a fold."""
        points, n_jobs = self._part(train), self.params.n_jobs
        if points.kernel == self.points.kernel:
            gram = FullGram(self.full_matrix, train, n_jobs)
        else:
            gram = FullGram(self._matrix(points), np.arange(len(train)), n_jobs)
        return Training(points, gram, np.arange(len(train)), Run(self.params, gram))

    def _part(self, train: Any) -> Any:
        """The rows of a fold, with their kernel."""
        points = self.points
        weights = None if points.weights is None else points.weights[train]
        if points.kernel.domain == MATRIX:
            return TrainingPoints(
                points.data[np.ix_(train, train)], points.kernel, weights, len(train)
            )
        data = points.part(train)
        return TrainingPoints(data, kernel_of(self.params, data), weights, points.width)

    def _matrix(self, points: Any) -> Any:
        rows, kernel = points.for_gram(), points.kernel
        if isinstance(kernel, Precomputed):
            matrix = np.asarray(rows, np.float64)
        else:
            matrix = kernel._matrix(rows, rows, np.float64, self.params.n_jobs)
        require_float32(max(float(matrix.max()), -float(matrix.min())))
        return matrix


def plan_of_folds(model: Any, task: Any) -> Any:
    """Fitted models of all candidates, fold after fold; None where each has to be fitted by
    itself."""
    X = task.matrix()
    if is_sparse(X):
        return None
    with checks_of_all_rows():
        models = [with_params(model, params) for params in task.candidates]
    rest = {parameters_key(params, model._solve_parameters) for params in task.candidates}
    first = models[0]
    if len(rest) > 1 or first.max_iter not in (-1, None) or first.time_limit is not None:
        return None
    if first.callback is not None:
        return None
    with checks_of_all_rows():
        shared = SharedMatrix.for_task(first, X, task)
    return None if shared is None else SharedFits(X, _fits(shared, models, X, task.folds))


def _fits(shared, models, X, folds):
    for train in map(folds.train, range(len(folds))):
        y, weights = folds.y[train], None if folds.weights is None else folds.weights[train]
        training, models_of_fold, before = None, [None] * len(models), None
        for c in sorted(range(len(models)), key=lambda c: models[c]._training_order()):
            model = copied(models[c])
            try:
                training = training or shared.training(train)
                checked = model._targets(y, len(train), weights)
                before = model._trained(X, training, checked, before)
                models_of_fold[c] = model
            except Exception as error:  # An error fails this fold alone.
                models_of_fold[c] = error
        yield models_of_fold
