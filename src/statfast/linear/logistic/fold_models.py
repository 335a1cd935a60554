# SPDX-License-Identifier: BSD-3-Clause
"""Logistic models of all folds of cross-validation, fitted together."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from statfast._estimator import SharedFits, checks_of_all_rows, sums_of_folds, with_params
from statfast._typing import Array
from statfast.linear.glm.families import FAMILIES
from statfast.linear.glm.fold_fits import MAX_PASSES, FoldLayout, fit_folds, models_of_folds
from statfast.linear.glm.irls_sums import ModelRows
from statfast.linear.glm.links import LINKS
from statfast.linear.logistic.arguments import task_of
from statfast.linear.logistic.multinomial_folds import fit_multinomial_folds
from statfast.linear.logistic.problem import LogisticProblem, LogisticSolution


def plan_of_folds(model: Any, task: Any, scaled: Any = None) -> SharedFits | None:
    """Models that predict, of all folds and candidates; None where these share nothing.

    `scaled` is of a pipeline, whose scaler all folds have in common here (`ScaledFolds`).
    """
    if task.methods is None:
        return None
    X, y, weights = task.matrix(), task.folds.y, task.folds.weights
    groups = task.folds.groups() if isinstance(X, np.ndarray) else None
    if groups is None:
        return None
    fits, rows = [], X
    for params in task.candidates:
        with checks_of_all_rows():
            candidate = with_params(model, params)
            problem, kind = task_of(candidate, X, y, weights, None)
        if scaled is not None and not problem.intercept:
            return None  # The intercept has to take up the change by centering.
        solver = TOGETHER.get((kind, problem.penalty))
        if solver is None or candidate.class_weight == "balanced" or problem.max_iter < MAX_PASSES:
            return None
        rows = problem.X
        fits.append((candidate, partial(_attributes, problem, kind, solver)))
    return SharedFits(X, models_of_folds(X, task.folds, groups, rows, fits, scaled))


def _attributes(
    problem: LogisticProblem, kind: str, solver: Callable[..., Any], layout: FoldLayout
) -> list[Any]:
    solutions = solver(problem, layout)
    return [solution and solution.attributes(problem, kind) for solution in solutions]


def _binary(y: Array, task: Any, layout: Any) -> list[Any]:
    """Coefficients (q,) of each fold and their passes, or None: the log-odds of y = 1."""
    rows = ModelRows(
        layout.X, layout.cut(y), layout.cut(task.weights), None, FAMILIES["binomial"],
        LINKS["logit"], task.intercept, task.n_jobs,
    )  # fmt: skip
    return fit_folds(rows, layout, ridge=1 / task.C if task.penalty else 0.0, tol=task.tol)


def binary(task: LogisticProblem, layout: FoldLayout) -> list[Any]:
    """The log-odds of the class that is not the reference."""
    fits = _binary(task.ones(1 - task.reference), task, layout)
    return [
        fit and LogisticSolution(fit[0][None], "sigmoid", np.array([fit[1]], np.int32), True, {})
        for fit in fits
    ]


def one_vs_rest(task: LogisticProblem, layout: FoldLayout) -> list[Any]:
    """A binary model for each class against all others."""
    whole = [totals is not None and bool((totals > 0.0).all()) for totals in _masses(task, layout)]
    models = [_binary(task.ones(k), task, layout) for k in range(len(task.classes))]
    out: list = []
    for k, fits in enumerate(zip(*models, strict=True)):
        if not whole[k] or None in fits:
            out.append(None)
            continue
        coefs, passes = np.array([fit[0] for fit in fits]), [fit[1] for fit in fits]
        out.append(LogisticSolution(coefs, "ovr", np.array(passes, np.int32), True, {}))
    return out


def multinomial(task: LogisticProblem, layout: FoldLayout) -> list[Any]:
    """One model of all classes."""
    how = 1 / task.C if task.penalty else 0.0, task.intercept, task.tol, task.n_jobs
    fits = fit_multinomial_folds(
        layout, layout.cut(task.codes), layout.cut(task.weights), len(task.classes),
        _masses(task, layout), how,
    )  # fmt: skip
    out: list = []
    for fit in fits:
        if fit is not None:
            coef, steps = fit
            coef = coef if task.penalty else coef - coef[task.reference]
            fit = LogisticSolution(coef, "softmax", np.array([steps], np.int32), True, {})
        out.append(fit)
    return out


def _masses(task: Any, layout: Any) -> list[Array]:
    """Weights (K,) of the classes in each fold."""
    codes, weights = layout.cut(task.codes), layout.cut(task.weights)
    masses = [
        np.bincount(codes[part], None if weights is None else weights[part], len(task.classes))
        for part in layout.parts
    ]
    return list(sums_of_folds(masses, layout.count, layout.members))


# (number of classes or multi_class, penalty) -> solver of all folds
TOGETHER = {
    ("binary", None): binary,
    ("binary", "l2"): binary,
    ("multinomial", None): multinomial,
    ("multinomial", "l2"): multinomial,
    ("ovr", None): one_vs_rest,
    ("ovr", "l2"): one_vs_rest,
}
