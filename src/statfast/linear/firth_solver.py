# SPDX-License-Identifier: BSD-3-Clause
"""Solvers of logistic regression with Firth's penalty: two classes, one against the rest, all."""

from dataclasses import replace

import numpy as np

from statfast._summary import CoefficientTable
from statfast.linear.firth import Firth
from statfast.linear.inference import Result, percent
from statfast.linear.model import names_of
from statfast.linear.softmax import result_of
from statfast.linear.task import Solution, Task, dense

NOTE = (
    "Standard errors are of the likelihood's information; profile() gives the intervals and tests "
    "of the penalised likelihood, which hold where classes are separated too."
)


def firth(task: Task) -> Solution:
    """One model of all classes, of two or more."""
    labels = task.classes.tolist()
    others = [k for k in range(len(labels)) if k != task.reference]
    model = _model(task)
    fit = model.fit()
    names = names_of(task.columns, model.q - task.intercept, task.intercept)
    aliased = np.zeros(model.q, dtype=bool)
    make = result_of(task, fit.coef, others, names, aliased, fit.covariance)
    facts = (("Penalised log-likelihood", fit.penalised_loglik),)
    several = len(labels) > 2
    title = f"{'Multinomial l' if several else 'L'}ogistic regression with Firth's penalty"
    result = make(
        fit.loglik, model.null_loglik(), title=title, facts=facts, likelihood=False, notes=(NOTE,)
    )
    coef = fit.coef
    if several:
        coef = np.insert(coef, task.reference, 0.0, axis=0)
    else:
        shown = (("Modelled class", labels[others[0]]), *facts)
        result = replace(result, names=tuple(names), facts=shown)
    return Solution(
        coef, "softmax" if several else "sigmoid", np.array([fit.n_iter], np.int32),
        fit.converged, result,
    )  # fmt: skip


def firth_ovr(task: Task) -> Solution:
    """A model of two classes for each class against all others."""
    labels, found = task.classes.tolist(), []
    results: dict[str, Result] = {}
    for code, label in enumerate(labels):
        found.append(firth(_against_rest(task, code)))
        title = f"Logistic regression with Firth's penalty, {label} against the rest"
        (result,) = found[-1].results()
        results[str(label)] = replace(result, title=title, facts=result.facts[1:])
    return Solution(
        np.concatenate([one.coef for one in found]), "ovr",
        np.concatenate([one.n_iter for one in found]), all(one.converged for one in found),
        results,
    )  # fmt: skip


def profile(task: Task, level: float, ovr: bool) -> CoefficientTable:
    """Intervals and likelihood-ratio tests of all coefficients, from the penalised likelihood."""
    labels = task.classes.tolist()
    tasks = [(task, [label for k, label in enumerate(labels) if k != task.reference])]
    if ovr:
        tasks = [(_against_rest(task, k), [label]) for k, label in enumerate(labels)]
    names: list[str] = []
    columns: list[list] = [[], [], [], []]
    for one, told in tasks:
        model = _model(one)
        fit = model.fit()
        intervals, tests = model.profile(fit, 1.0 - level)
        terms = names_of(task.columns, model.q - task.intercept, task.intercept)
        names += [
            f"{label}: {term}" if len(labels) > 2 else term for label in told for term in terms
        ]
        for column, values in zip(columns, (fit.coef.ravel(), *intervals.T, tests), strict=True):
            column.extend(values.tolist())
    low, high = percent(level)
    headings = ("Estimate", low, high, "P>chi2")
    return CoefficientTable(
        tuple(names), {h: np.array(c) for h, c in zip(headings, columns, strict=True)}
    )


def _against_rest(task, code):
    marks = (task.codes == code).astype(np.intp)
    return replace(task, marks=marks, classes=np.array([False, True]), reference=0)


def _model(task):
    """Codes are turned so that the reference comes first, and the others in their order."""
    if task.offset is not None:
        raise ValueError("offset has no part in penalty='firth'. Leave it out.")
    place = np.arange(len(task.classes))
    place[: task.reference + 1] += 1
    place[task.reference] = 0
    return Firth(
        dense(task.X), place[task.codes], task.weights, len(place), intercept=task.intercept,
        tol=task.tol, max_iter=task.max_iter, n_jobs=task.n_jobs,
    )  # fmt: skip
