# SPDX-License-Identifier: BSD-3-Clause
"""Trainings on the folds of a cross-validation: one kernel matrix for all of them and for all C."""

from functools import cached_property

import numpy as np

from statfast._estimator import checks_of_all_rows, copied, parameters_key, with_params
from statfast._validation import is_sparse
from statfast.kernels import Precomputed, as_kernel
from statfast.kernels.named import gamma_of, has_gamma
from statfast.kernels.points import MATRIX
from statfast.svm.dual.gram import REMADE
from statfast.svm.dual.limits import Run, cache_room
from statfast.svm.dual.precision import tile_shape
from statfast.svm.dual.slab import require_float32
from statfast.svm.dual.solver import EVERY
from statfast.svm.dual.whole import WholeGram, width_of
from statfast.svm.machines.training import Training, TrainingPoints, as_training_points, warn_far


class SharedMatrix:
    """The kernel matrix of all rows, or of those of a fold where the kernel is made of them."""

    def __init__(self, model, points):
        self.model, self.points = model, points

    @classmethod
    def of(cls, model, X, sample_weight, trains, count):
        """None where there is nothing to share, or no room for it."""
        by_fold = has_gamma(model.kernel) and model.gamma == "scale"
        if count * (1 if by_fold else len(trains)) < 2:
            return None
        points = as_training_points(model, X, lambda n: sample_weight)
        n, most = len(points), max(map(len, trains))
        quick = tile_shape(points.kernel)[0] is not None and points.width <= REMADE
        if most > EVERY and quick:  # matrices take longer to read than values to be made again
            return None
        if 8.0 * n * n + 1.0 * most * width_of(most) > cache_room(model.cache_size):
            return None
        warn_far(points.data, points.kernel)
        return cls(model, points)

    @cached_property
    def whole(self):
        return self._matrix(self.points)

    def training(self, train):
        """What there is to train on in a fold."""
        points, model = self._part(train), self.model
        if points.kernel == self.points.kernel:
            gram = WholeGram(self.whole, train, model.n_jobs)
        else:
            gram = WholeGram(self._matrix(points), np.arange(len(train)), model.n_jobs)
        return Training(points, gram, np.arange(len(train)), Run(model, gram))

    def _part(self, train):
        """The rows of a fold, with their kernel."""
        own, given = self.points, self.model.kernel
        weights = None if own.weights is None else own.weights[train]
        if own.kernel.domain == MATRIX:
            return TrainingPoints(own.data[np.ix_(train, train)], own.kernel, weights, len(train))
        data = own.part(train)
        gamma = gamma_of(self.model.gamma, data) if has_gamma(given) else 1.0
        kernel = as_kernel(
            given, gamma=gamma, degree=self.model.degree, coef0=self.model.coef0, X=data
        )
        return TrainingPoints(data, kernel, weights, own.width)

    def _matrix(self, points):
        rows, kernel = points.for_gram(), points.kernel
        if isinstance(kernel, Precomputed):
            found = np.asarray(rows, np.float64)
        else:
            found = kernel._matrix(rows, rows, np.float64, self.model.n_jobs)
        require_float32(max(float(found.max()), -float(found.min())))
        return found


def fits_of_folds(model, X, y, sample_weight, trains, candidates):
    """For each fold in turn the fitted models of all candidates, or their errors; None where each
    has to be fitted by itself."""
    if is_sparse(X):
        return None
    with checks_of_all_rows():
        models = [with_params(model, params) for params in candidates]
    rest = {parameters_key(params, model._solve_parameters) for params in candidates}
    first = models[0]
    if len(rest) > 1 or first.max_iter not in (-1, None) or first.time_limit is not None:
        return None
    if first.callback is not None:
        return None
    with checks_of_all_rows():
        shared = SharedMatrix.of(first, X, sample_weight, trains, len(candidates))
    return None if shared is None else _fits(shared, models, X, y, sample_weight, trains)


def _fits(shared, models, X, y, sample_weight, trains):
    for train in trains:
        weights = None if sample_weight is None else sample_weight[train]
        training, found, before = None, [None] * len(models), None
        for c in sorted(range(len(models)), key=lambda c: models[c]._rank()):
            model = copied(models[c])
            try:
                training = training or shared.training(train)
                checked = model._targets(y[train], len(train), weights)
                before = model._trained(X, training, checked, before)
                found[c] = model
            except Exception as raised:  # told by the caller, of each fold
                found[c] = raised
        yield found
