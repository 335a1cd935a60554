# SPDX-License-Identifier: BSD-3-Clause
"""Solvers of logistic regression by models of two classes: one, or one for each class."""

from dataclasses import replace

import numpy as np

from statfast._errors import warn_user
from statfast.linear.class_sums import frame_of
from statfast.linear.families import FAMILIES
from statfast.linear.links import LINKS
from statfast.linear.model import Model, fit_model
from statfast.linear.separation import in_memory, separated_rows, warn_separated
from statfast.linear.task import Solution, Task


def fit_binary(X, y01, weights=None, offset=None, **more) -> Model:
    """Fit the log-odds of y = 1; `more` are further arguments of `fit_model`."""
    title = more.pop("title", "Logistic regression")
    return fit_model(
        X, y01, family=FAMILIES["binomial"], link=LINKS["logit"], weights=weights, offset=offset,
        title=title, **more,
    )  # fmt: skip


def arguments(task):
    """Those of `fit_model` that all models of a task share."""
    return {
        "intercept": task.intercept,
        "ridge": 1 / task.C if task.penalty == "l2" else 0.0,
        "max_iter": task.max_iter,
        "tol": task.tol,
        "n_jobs": task.n_jobs,
        "columns": task.columns,
    }


def binary(task: Task) -> Solution:
    """The log-odds of the class that is not the reference."""
    y = task.ones(1 - task.reference)
    model = fit_binary(task.X, y, task.weights, task.offset, **arguments(task))
    modelled = task.classes.tolist()[1 - task.reference]
    _warn_of(task, model, y, "The classes are")
    result = replace(model.result, facts=(("Modelled class", modelled), *model.result.facts))
    return Solution(
        model.fit.coef[None], "sigmoid", np.array([model.fit.n_iter], np.int32),
        model.fit.converged, result,
    )  # fmt: skip


def one_vs_rest(task: Task) -> Solution:
    """A binary model for each class against all others."""
    models = []
    for code, label in enumerate(task.classes.tolist()):
        y = task.ones(code)
        title = f"Logistic regression, {label} against the rest"
        models.append(fit_binary(task.X, y, task.weights, task.offset, title=title,
                                 **arguments(task)))  # fmt: skip
        _warn_of(task, models[-1], y, f"Class {label} and the rest are")
    return Solution(
        np.array([model.fit.coef for model in models]), "ovr",
        np.array([model.fit.n_iter for model in models], np.int32),
        all(model.fit.converged for model in models),
        {str(label): m.result for label, m in zip(task.classes.tolist(), models, strict=True)},
    )  # fmt: skip


def _warn_of(task, model, y, who):
    """Where iterations found no end: say which columns separate the classes."""
    if not model.fit.diverged:
        return
    found = None
    if in_memory(task.X) and task.offset is None:
        frame = frame_of(task.X, task.intercept, task.n_jobs)
        codes = y.astype(np.intp)
        coef = frame.from_user(np.stack([np.zeros(len(model.fit.coef)), model.fit.coef]))
        found = separated_rows(task.X, codes, task.weights, frame, coef, task.n_jobs)
        if found is not None:
            warn_separated(found, model.result.names, who)
            return
    warn_user(
        f"{who} separated, completely or in part, or nearly so: the likelihood has no finite "
        "maximum, or one too far to reach, and coefficients grow without bound. Use "
        "penalty='firth' or penalty='l2', or drop the columns that tell the classes apart."
    )
