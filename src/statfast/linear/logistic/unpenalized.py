# SPDX-License-Identifier: BSD-3-Clause
"""Solvers of logistic regression by one model of all classes: maximum likelihood, ridge."""

from math import nan

import numpy as np

from statfast.linear.inference import Result
from statfast.linear.model import NO_MAXIMUM, PENALISED, names_of, warn_aliased
from statfast.linear.multinomial import fit_multinomial
from statfast.linear.separation import warn_separated
from statfast.linear.task import Solution, Task, dense

TOO_LARGE = (
    "The information matrix of so many coefficients was not made, so there are no standard errors."
)


def multinomial(task: Task) -> Solution:
    """Coefficients of all classes, or for maximum likelihood relative to the reference."""
    n_classes, rows = len(task.classes), dense(task.X)
    fit = fit_multinomial(
        rows, task.codes, task.weights, n_classes, intercept=task.intercept,
        ridge=1 / task.C if task.penalty == "l2" else 0.0, tol=task.tol, max_iter=task.max_iter,
        n_jobs=task.n_jobs,
    )  # fmt: skip
    names = names_of(task.columns, fit.coef.shape[1] - task.intercept, task.intercept)
    aliased = np.ones(len(names), dtype=bool)
    aliased[fit.kept] = False
    warn_aliased([name for name, gone in zip(names, aliased, strict=True) if gone])
    refusal, covariance = "", None
    if task.penalty == "l2":
        coef, refusal = fit.coef, PENALISED
    else:
        coef = fit.coef - fit.coef[task.reference]
        if fit.information is None:
            refusal = TOO_LARGE
        else:
            covariance = fit.relative_to(task.reference)[1]
            found = fit.separation()
            if found is not None:
                warn_separated(found, names, "The classes are")
                refusal = NO_MAXIMUM
    told = [k for k in range(n_classes) if refusal == PENALISED or k != task.reference]
    make = result_of(task, coef[told], told, names, aliased, covariance)
    title = "Multinomial logistic regression"
    return Solution(
        coef, "softmax", np.array([fit.minimum.n_iter], np.int32), fit.minimum.converged,
        make(fit.loglik, fit.null_loglik, refusal=refusal, title=title),
    )  # fmt: skip


def result_of(task, coef, told, names, aliased, covariance):
    """A function of log-likelihoods that makes the `Result` of the coefficients of some classes."""
    size = coef.size
    mass = float(len(task.marks) if task.weights is None else task.weights.sum())
    rank = len(told) * int((~aliased).sum())
    others = len(task.classes) - 1
    labels = task.classes.tolist()
    flat = coef.ravel()
    unscaled = np.full((size, size), nan) if covariance is None else np.nan_to_num(covariance)
    reference = () if len(told) > others else (("Reference class", labels[task.reference]),)

    def make(loglik, null, *, title, refusal="", facts=(), likelihood=True, notes=()):
        return Result(
            title, tuple(f"{labels[k]}: {name}" for k in told for name in names), flat, unscaled,
            np.tile(aliased, len(told)), 1.0, True, mass, mass * others - rank,
            others * (mass - task.intercept), -2 * loglik, -2 * null, nan,
            loglik if likelihood else nan, rank, (*reference, *facts), refusal, notes,
        )  # fmt: skip

    return make
