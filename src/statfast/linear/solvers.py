# SPDX-License-Identifier: BSD-3-Clause
"""The solvers of logistic regression, by number of classes and penalty.

A solver takes a `Task` and returns a `Solution`; `SOLVERS` is the table of all.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from statfast._errors import shown, warn_user
from statfast.linear.families import FAMILIES
from statfast.linear.inference import Result
from statfast.linear.links import LINKS
from statfast.linear.model import Model, fit_model


@dataclass(frozen=True)
class Task:
    """What a solver is given: checked rows, and codes 0 to K - 1 of their classes."""

    X: object
    codes: NDArray[np.intp]
    classes: NDArray
    reference: int  # code of the reference class
    weights: NDArray[np.float64] | None
    offset: NDArray[np.float64] | None
    intercept: bool
    C: float
    penalty: str | None
    max_iter: int
    tol: float
    n_jobs: int | None
    columns: NDArray | None


@dataclass(frozen=True)
class Solution:
    """What a solver gives: a row of coefficients for each class, or one for two classes.

    `posterior` says how scores become probabilities: "sigmoid", "ovr" (sigmoids over their sum), or
    "softmax" (a row for every class but the reference, whose score is 0, or for every class).
    """

    coef: NDArray[np.float64]  # (m, q), the intercept first if there is one
    posterior: str
    n_iter: NDArray[np.int32]  # (m,) or (1,)
    converged: bool
    result: Result | Mapping[str, Result]


def fit_binary(X, y01, weights=None, offset=None, **more) -> Model:
    """Fit the log-odds of y = 1; `more` are further arguments of `fit_model`."""
    title = more.pop("title", "Logistic regression")
    return fit_model(
        X, y01, family=FAMILIES["binomial"], link=LINKS["logit"], weights=weights, offset=offset,
        title=title, **more,
    )  # fmt: skip


def _arguments(task):
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
    y = (task.codes != task.reference).astype(float)
    model = fit_binary(task.X, y, task.weights, task.offset, **_arguments(task))
    modelled = task.classes.tolist()[1 - task.reference]
    _warn_of(model, modelled)
    result = replace(model.result, facts=(("Modelled class", modelled), *model.result.facts))
    return Solution(
        model.fit.coef[None], "sigmoid", np.array([model.fit.n_iter], np.int32),
        model.fit.converged, result,
    )  # fmt: skip


def one_vs_rest(task: Task) -> Solution:
    """A binary model for each class against all others."""
    models = []
    for code, label in enumerate(task.classes.tolist()):
        y = (task.codes == code).astype(float)
        title = f"Logistic regression, {label} against the rest"
        models.append(fit_binary(task.X, y, task.weights, task.offset, title=title,
                                 **_arguments(task)))  # fmt: skip
        _warn_of(models[-1], label)
    return Solution(
        np.array([model.fit.coef for model in models]), "ovr",
        np.array([model.fit.n_iter for model in models], np.int32),
        all(model.fit.converged for model in models),
        {str(label): m.result for label, m in zip(task.classes.tolist(), models, strict=True)},
    )  # fmt: skip


def _warn_of(model, label):
    if model.fit.diverged:
        warn_user(
            f"The classes are separated, completely or in part: the likelihood of class "
            f"{shown(label)} has no finite maximum, and coefficients grow without bound. Use "
            "penalty='l2', or drop the columns that tell the classes apart."
        )


# (number of classes or multi_class, penalty) -> solver
SOLVERS: dict[tuple[str, str | None], Callable[[Task], Solution]] = {
    ("binary", None): binary,
    ("binary", "l2"): binary,
    ("ovr", None): one_vs_rest,
    ("ovr", "l2"): one_vs_rest,
}
PENALTIES = (None, "l2")
MULTI_CLASS = ("ovr",)
