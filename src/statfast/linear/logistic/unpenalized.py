# SPDX-License-Identifier: BSD-3-Clause
"""Solvers of logistic regression by models of two classes: one, or one for each class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np

from statfast._typing import Array, Matrix
from statfast._validation import is_sparse
from statfast.linear.glm.families import FAMILIES
from statfast.linear.glm.fit import NO_MAXIMUM, PENALIZED, Model, fit_model, names_of, warn_aliased
from statfast.linear.glm.links import LINKS
from statfast.linear.glm.separation import (
    Undecided,
    warn_no_maximum,
    warn_separated,
    warn_undecided,
)
from statfast.linear.inference.inference import Result, lacks_freedom
from statfast.linear.logistic.multinomial import fit_multinomial, start_of
from statfast.linear.logistic.problem import LogisticProblem, LogisticSolution, dense
from statfast.linear.logistic.softmax_newton import fit_sparse_rows

MULTINOMIAL = "Multinomial logistic regression"
TOO_LARGE = (
    "The information matrix of so many coefficients was not made, so there are no standard errors."
)


def fit_binary(
    X: Matrix, y01: Array, weights: Array | None = None, offset: Any = None, **more: Any
) -> Model:
    """Fit the log-odds of y = 1; `more` are further arguments of `fit_model`."""
    title = more.pop("title", "Logistic regression")
    return fit_model(
        X, y01, family=FAMILIES["binomial"], link=LINKS["logit"], weights=weights, offset=offset,
        title=title, **more,
    )  # fmt: skip


def arguments(task: LogisticProblem) -> dict[str, Any]:
    """Those of `fit_model` that all models of a task share."""
    return {
        "intercept": task.intercept,
        "ridge": 1 / task.C if task.penalty == "l2" else 0.0,
        "max_iter": task.max_iter,
        "tol": task.tol,
        "n_jobs": task.n_jobs,
        "columns": task.columns,
    }


def binary(task: LogisticProblem) -> LogisticSolution:
    """The log-odds of the class that is not the reference."""
    y = task.ones(1 - task.reference)
    more = {"start": task.start_of_model(0), **arguments(task)}
    model = fit_binary(task.X, y, task.weights, task.offset, **more)
    modeled = task.classes.tolist()[1 - task.reference]
    if model.fit.diverged:
        warn_no_maximum(model.rows, model.fit.coef, model.result.names, "The classes are")
    result = replace(model.result, facts=(("Modeled class", modeled), *model.result.facts))
    return LogisticSolution(
        model.fit.coef[None], "sigmoid", np.array([model.fit.n_iter], np.int32),
        model.fit.converged, result,
    )  # fmt: skip


def one_vs_rest(task: LogisticProblem) -> LogisticSolution:
    """A binary model for each class against all others."""
    models = []
    for code, label in enumerate(task.classes.tolist()):
        y = task.ones(code)
        title = f"Logistic regression, {label} against the rest"
        more = {"title": title, "start": task.start_of_model(code), **arguments(task)}
        model = fit_binary(task.X, y, task.weights, task.offset, **more)
        models.append(model)
        if model.fit.diverged:
            who = f"Class {label} and the rest are"
            warn_no_maximum(model.rows, model.fit.coef, model.result.names, who)
    return LogisticSolution(
        np.array([model.fit.coef for model in models]), "ovr",
        np.array([model.fit.n_iter for model in models], np.int32),
        all(model.fit.converged for model in models),
        {str(label): m.result for label, m in zip(task.classes.tolist(), models, strict=True)},
    )  # fmt: skip


# ---------- Solvers of logistic regression by one model of all classes: maximum likelihood, ridge
def multinomial(task: LogisticProblem) -> LogisticSolution:
    """Coefficients of all classes, or for maximum likelihood relative to the reference."""
    n_classes = len(task.classes)
    if is_sparse(task.X) and task.penalty == "l2":
        return _sparse_ridge(task)
    fit = fit_multinomial(
        dense(task.X), task.codes, task.weights, n_classes, intercept=task.intercept,
        ridge=1 / task.C if task.penalty == "l2" else 0.0, tol=task.tol, max_iter=task.max_iter,
        n_jobs=task.n_jobs, sums=task.sums(), start=task.start,
    )  # fmt: skip
    names = names_of(task.columns, fit.coef.shape[1] - task.intercept, task.intercept)
    aliased = np.ones(len(names), dtype=bool)
    aliased[fit.kept] = False
    warn_aliased([name for name, gone in zip(names, aliased, strict=True) if gone])
    refusal, covariance, about = "", None, None
    if task.penalty == "l2":
        coef, refusal = fit.coef, PENALIZED
    else:
        coef = fit.coef - fit.coef[task.reference]
        if fit.information is None:
            refusal = TOO_LARGE
        else:
            covariance, about = fit.covariances(task.reference)
            try:
                separation = fit.separation()
            except Undecided:
                separation = None
                warn_undecided("The classes are")
            if separation is not None:
                warn_separated(separation, names, "The classes are")
                refusal = NO_MAXIMUM
    modeled = [k for k in range(n_classes) if refusal == PENALIZED or k != task.reference]
    make = result_of(task, coef[modeled], modeled, names, aliased, covariance)
    result = make(
        fit.loglik, fit.null_loglik, refusal=refusal, facts=_penalty_facts(task),
        title=MULTINOMIAL,
    )  # fmt: skip
    if about is not None:
        result = replace(result, center=fit.center(), about=np.nan_to_num(about))
    return LogisticSolution(
        coef, "softmax", np.array([fit.minimum.n_iter], np.int32), fit.minimum.converged, result
    )


def _sparse_ridge(task: Any) -> LogisticSolution:
    """The same of sparse rows with a ridge penalty, which are not filled in."""
    n_intercepts, p = int(task.intercept), task.X.shape[1]
    totals = np.bincount(task.codes, task.weights, len(task.classes)).astype(float)
    shares = totals / totals.sum() if n_intercepts else np.full(len(totals), 1.0 / len(totals))
    penalty = np.append(np.zeros(n_intercepts), np.full(p, 1 / task.C))
    start = start_of(shares, n_intercepts, p + n_intercepts) if task.start is None else task.start
    coef, end, loss = fit_sparse_rows(
        task.X, task.codes, task.weights, start, penalty, intercept=task.intercept, tol=task.tol,
        max_iter=task.max_iter,
    )  # fmt: skip
    names = names_of(task.columns, p, task.intercept)
    every = np.arange(len(totals))
    make = result_of(task, coef, every, names, np.zeros(p + n_intercepts, dtype=bool), None)
    result = make(
        -loss, float(totals @ np.log(shares)), refusal=PENALIZED, facts=_penalty_facts(task),
        title=MULTINOMIAL,
    )  # fmt: skip
    return LogisticSolution(
        coef, "softmax", np.array([end.n_iter], np.int32), end.converged, result
    )


def _penalty_facts(task: LogisticProblem) -> tuple[Any, ...]:
    return (("Penalty", "l2"), ("C", task.C)) if task.penalty == "l2" else ()


def result_of(
    task: LogisticProblem,
    coef: Array,
    modeled: Array | list[int],
    names: tuple[Any, ...],
    aliased: Array,
    covariance: Array | None,
) -> Callable[..., Any]:
    """A function of log-likelihoods that makes the `Result` of the coefficients of some classes."""
    total = float(len(task.marks) if task.weights is None else task.weights.sum())
    rank = len(modeled) * int((~aliased).sum())
    used = len(task.marks) if task.weights is None else np.count_nonzero(task.weights)
    n_varying = len(task.classes) - 1
    labels = task.classes.tolist()
    flat = coef.ravel()
    unscaled = None if covariance is None else np.nan_to_num(covariance)
    reference = () if len(modeled) > n_varying else (("Reference class", labels[task.reference]),)

    def make(
        loglik: float,
        null: float,
        *,
        title: str,
        refusal: str = "",
        facts: tuple[Any, ...] = (),
        likelihood: bool = True,
        notes: tuple[()] = (),
    ) -> Result:
        result = Result(
            title, tuple(f"{labels[k]}: {name}" for k in modeled for name in names), flat, unscaled,
            np.tile(aliased, len(modeled)), 1.0, True, total, total * n_varying - rank,
            n_varying * (total - task.intercept), -2 * loglik, -2 * null, nan,
            loglik if likelihood else nan, rank, (*reference, *facts), refusal, notes,
        )  # fmt: skip
        lacking = not refusal and lacks_freedom(total, rank, used, n_varying)
        return result.without_freedom() if lacking else result

    return make
