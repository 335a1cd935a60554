# SPDX-License-Identifier: BSD-3-Clause
"""Solvers of logistic regression with an l1 or elastic-net penalty: two classes, one against the
rest, all classes in one model."""

from math import log, nan

import numpy as np

from statfast._chunks import Chunks
from statfast._validation import require_finite
from statfast.linear.inference import Result
from statfast.linear.logistic_path import solve_logistic
from statfast.linear.model import PENALISED, names_of
from statfast.linear.predictor import linear_predictor
from statfast.linear.sparse_softmax import fit_sparse_multinomial
from statfast.linear.task import Solution, Task, dense


def sparse_binary(task: Task) -> Solution:
    """The log-odds of the class that is not the reference."""
    one = 1 - task.reference
    title = "Logistic regression"
    coef, n_iter, done, result = _against(_rows(task), task, task.ones(one), title)
    return Solution(coef[None], "sigmoid", np.array([n_iter], np.int32), done, result)


def sparse_ovr(task: Task) -> Solution:
    """A binary model for each class against all others."""
    rows, labels = _rows(task), task.classes.tolist()
    found = [
        _against(rows, task, task.ones(k), f"Logistic regression, {label} against the rest")
        for k, label in enumerate(labels)
    ]
    return Solution(
        np.array([one[0] for one in found]), "ovr", np.array([one[1] for one in found], np.int32),
        all(one[2] for one in found),
        {str(label): one[3] for label, one in zip(labels, found, strict=True)},
    )  # fmt: skip


def sparse_multinomial(task: Task) -> Solution:
    """Coefficients of all classes."""
    labels, (l1, l2) = task.classes.tolist(), task.penalties
    fit = fit_sparse_multinomial(
        _rows(task), task.codes, task.weights, len(labels), l1, l2, intercept=task.intercept,
        tol=task.tol, max_iter=task.max_iter, n_jobs=task.n_jobs,
    )  # fmt: skip
    names = names_of(task.columns, fit.coef.shape[1] - task.intercept, task.intercept)
    result = _result(
        task, "Multinomial logistic regression",
        tuple(f"{label}: {name}" for label in labels for name in names), fit.coef.ravel(),
        fit.loss, fit.null_loss, len(labels) - 1,
    )  # fmt: skip
    return Solution(fit.coef, "softmax", np.array([fit.n_iter], np.int32), fit.converged, result)


def _rows(task):
    """Rows in memory, dense and finite."""
    if isinstance(task.X, Chunks):
        raise ValueError(
            f"penalty={task.penalty!r} looks at columns again and again, and takes no Chunks. Pass "
            "an array, or penalty='l2'."
        )
    if task.offset is not None:
        raise ValueError(f"offset has no part in penalty={task.penalty!r}. Leave it out.")
    rows = dense(task.X)
    require_finite(rows)
    return rows


def _against(rows, task, y, title):
    """One model of two classes: coefficients, steps, whether they converged, and its `Result`."""
    l1, l2 = task.penalties
    coef, first, _, n_iter, done = solve_logistic(
        rows, y, task.weights, l1, l2, intercept=task.intercept, tol=task.tol,
        max_iter=task.max_iter, n_jobs=task.n_jobs,
    )  # fmt: skip
    eta = linear_predictor(rows, coef, first, n_jobs=task.n_jobs)
    losses = np.logaddexp(0.0, eta) - y * eta
    loss = float(losses.sum() if task.weights is None else task.weights @ losses)
    mass = _mass(task)
    share = float(y.sum() if task.weights is None else task.weights @ y) / mass
    null = mass * log(2.0)
    if task.intercept:
        null = -mass * (share * log(share) + (1.0 - share) * log(1.0 - share))
    names = names_of(task.columns, len(coef), task.intercept)
    coef = np.append(first, coef) if task.intercept else coef
    return coef, n_iter, done, _result(task, title, names, coef, loss, null, 1)


def _mass(task):
    return float(len(task.marks) if task.weights is None else task.weights.sum())


def _result(task, title, names, coef, loss, null, others):
    """What is known of a fit, without inference."""
    mass, size, kept = _mass(task), len(coef), int(np.count_nonzero(coef))
    facts = (("Penalty", task.penalty), ("C", task.C), ("Coefficients not 0", kept))
    return Result(
        title, tuple(names), coef, np.full((size, size), nan), np.zeros(size, dtype=bool), 1.0,
        True, mass, mass * others - kept, others * (mass - task.intercept), 2 * loss, 2 * null,
        nan, -loss, kept, facts, PENALISED,
    )  # fmt: skip
