# SPDX-License-Identifier: BSD-3-Clause
"""Multinomial logistic models of all folds of cross-validation.

As linear/glm/fold_fits.py: near the solution of all rows, one pass sums the Hessians of the parts
of the rows, and those of the folds are merged from them. With its own, corrected by limited-memory
BFGS, each fold goes to its minimum by gradients alone.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

import numpy as np

from statfast._estimator import sums_of_folds
from statfast._typing import Array
from statfast.linear.glm.fold_fits import MAX_NUMBERS_OF_PARTS, MAX_PASSES, MIN_PIVOT, FoldLayout
from statfast.linear.logistic.lbfgs import minimize
from statfast.linear.logistic.multinomial import (
    MAX_COEFFICIENTS_FACTORED,
    ROUNDING_OF_LOSS,
    Objective,
    dependent_columns,
    factor_of,
    hessian_of,
    penalty_in_frame,
    start_of,
)
from statfast.linear.logistic.softmax_sums import SoftmaxSums

# The tolerance of the fit to all rows, from which the folds start.
TOLERANCE_OF_COMMON_STEPS = 1e-5


def fit_multinomial_folds(
    layout: FoldLayout,
    codes: Any,
    weights: Array | None,
    n_classes: int,
    masses: list[Array],
    how: tuple[float, bool, float, int | None],
) -> list:
    """Coefficients (K, q) and steps of each fold, or None where it is to be fitted by itself.

    `masses` are the weights of the classes in each fold, `how` the ridge, whether there is an
    intercept, tol and n_jobs.
    """
    ridge, intercept, tol, n_jobs = how
    nothing = [None] * layout.count
    sums = SoftmaxSums(layout.X, codes, weights, n_classes, intercept, n_jobs)
    pairs = n_classes * (n_classes - 1) // 2
    large = (
        n_classes * sums.q > MAX_COEFFICIENTS_FACTORED
        or len(layout.parts) * pairs * sums.q**2 > MAX_NUMBERS_OF_PARTS
    )
    totals = np.bincount(codes, weights, n_classes).astype(float)
    if large or not sums.q or not totals.all():  # A class may have rows in no fold.
        return nothing
    gram = sums.gram()
    if ridge == 0.0 and len(dependent_columns(gram.copy())):
        return nothing
    shares = totals / totals.sum() if intercept else np.full(n_classes, 1.0 / n_classes)
    penalty = penalty_in_frame(sums.frame, ridge, totals.sum())
    first = minimize(
        start_of(shares, intercept, sums.q).ravel(), Objective(sums, gram, shares, penalty),
        tol=TOLERANCE_OF_COMMON_STEPS * sqrt(totals.sum()), max_iter=MAX_PASSES,
    )  # fmt: skip
    if not first.converged:
        return nothing
    coef = first.x.reshape(n_classes, sums.q)
    hessians = [sums.over(part).sums_at(coef, every=1)[2] for part in layout.parts]
    out: list = []
    for k, pairs_of_fold in enumerate(sums_of_folds(hessians, layout.count, layout.members)):
        objective = None
        if masses[k] is not None and (masses[k] > 0.0).all():
            total_weight = float(masses[k].sum())
            pull = layout.penalty(penalty, k)
            objective = _FoldObjective(sums, layout.runs(k), pairs_of_fold, pull, total_weight)
        if objective is None or objective.start is None:
            out.append(None)
            continue
        end = minimize(first.x, objective, tol=tol * sqrt(total_weight), max_iter=2 * MAX_PASSES)
        there = end.x.reshape(n_classes, sums.q) @ sums.frame.to_user().T
        out.append((there - there.mean(axis=0), end.n_iter) if end.converged else None)
    return out


class _FoldObjective:
    """What `minimize` is to know of one fold."""

    eager, cost = False, inf

    def __init__(
        self,
        sums: SoftmaxSums,
        runs: list[slice],
        pairs: Array,
        penalty: Array,
        total_weight: float,
    ) -> None:
        self.parts = [sums.over(run) for run in runs]
        self.shape, self.penalty = (sums.n_classes, sums.q), penalty
        self.noise = ROUNDING_OF_LOSS * total_weight
        factor = factor_of(hessian_of(pairs, penalty))
        self.start = factor.solve if factor.pivot >= MIN_PIVOT else None

    def evaluate(self, x: Any) -> Any:
        coef = x.reshape(self.shape)
        loss, gradient, _ = self.parts[0].sums_at(coef)
        for part in self.parts[1:]:
            more, turned, _ = part.sums_at(coef)
            loss, gradient = loss + more, gradient + turned
        pull = self.penalty * coef
        gradient = gradient + pull
        gradient -= gradient.mean(axis=0)  # As in `Objective`, this is rounding.
        return loss + 0.5 * float((pull * coef).sum()), gradient.ravel(), None

    def hopeless(self, x: Array) -> bool:
        return True  # After so many steps the fold is left to a fit by itself.
