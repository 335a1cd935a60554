# SPDX-License-Identifier: BSD-3-Clause
"""The checked arguments and parameters of `LogisticRegression`, made into a problem of a solver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._core.rows.extent import zeros_and_ones
from statfast._engine import Chunks
from statfast._estimator import classes_with_weight, require_several, times_classes
from statfast._typing import Array
from statfast._validation import (
    as_choice,
    as_labels,
    as_weights,
    column_names,
    shown,
)
from statfast.linear.design.design import offsets_for, rows_of
from statfast.linear.logistic.firth import firth, firth_ovr
from statfast.linear.logistic.part_problem import problem_of_parts
from statfast.linear.logistic.problem import LogisticProblem, LogisticSolution
from statfast.linear.logistic.sparse import sparse_binary, sparse_multinomial, sparse_ovr
from statfast.linear.logistic.unpenalized import binary, multinomial, one_vs_rest

# (number of classes or multi_class, penalty) -> solver
SOLVERS: dict[tuple[str, str | None], Callable[[LogisticProblem], LogisticSolution]] = {
    ("binary", None): binary,
    ("binary", "l2"): binary,
    ("binary", "l1"): sparse_binary,
    ("binary", "elasticnet"): sparse_binary,
    ("binary", "firth"): firth,
    ("multinomial", None): multinomial,
    ("multinomial", "l2"): multinomial,
    ("multinomial", "l1"): sparse_multinomial,
    ("multinomial", "elasticnet"): sparse_multinomial,
    ("multinomial", "firth"): firth,
    ("ovr", None): one_vs_rest,
    ("ovr", "l2"): one_vs_rest,
    ("ovr", "l1"): sparse_ovr,
    ("ovr", "elasticnet"): sparse_ovr,
    ("ovr", "firth"): firth_ovr,
}
PENALTIES = (None, "l2", "l1", "elasticnet")  # scikit-learn's words


def task_of(
    model: Any, X: Any, y: Any, sample_weight: Any, offset: Any
) -> tuple[LogisticProblem, str]:
    """The task, and "binary" or the value of multi_class."""
    rows = rows_of(X)
    n = np.size(y) if isinstance(X, Chunks) else rows.shape[0]
    classes, marks = marked(y, n)
    weights = as_weights(sample_weight, n)
    if weights is not None or model.class_weight is not None:
        codes = marks.astype(np.intp, copy=False)
        weights = times_classes(weights, model.class_weight, classes, codes)
        present, codes = classes_with_weight(classes, codes, weights)
        if len(present) < len(classes):
            classes, marks = present, codes
    require_several(classes)
    params = model._checked()
    penalty, C, ratio = penalty_of(model, params)
    kind = "binary" if len(classes) == 2 else params.multi_class
    first = next(iter(rows)) if isinstance(X, Chunks) else rows
    reference = _reference(model.reference, classes)
    q = first.shape[1] + int(params.fit_intercept)
    task = LogisticProblem(
        rows, marks, classes, reference, weights, offsets_for(offset, n), params.fit_intercept, C,
        penalty, params.max_iter, params.tol, model.n_jobs, column_names(X), ratio,
        model._coefs_before(kind, classes, reference, q),
    )  # fmt: skip
    if kind != "binary" and offset is not None:
        raise ValueError("offset is for two classes; y has more. Leave it out.")
    return task, kind


def task_of_parts(model: Any, parts: Any) -> Any:
    """The same of rows in parts."""
    params = model._checked()
    penalty = penalty_of(model, params)
    task = problem_of_parts(
        model, params, parts, penalty, lambda classes: _reference(model.reference, classes)
    )
    return task, "binary" if len(task.classes) == 2 else params.multi_class


def penalty_of(model: Any, settings: Any) -> tuple[str | None, float, float]:
    """The penalty in one word, C and l1_ratio, of the checked parameters `settings`."""
    C, ratio, free = settings.C, settings.l1_ratio, np.inf == settings.C
    if "penalty" in model.__dict__:
        ratio = _agreed(as_choice(model.penalty, "penalty", PENALTIES), C, ratio)
    if settings.method == "firth":
        if not free or ratio:
            raise ValueError(
                f"method='firth' takes no other penalty; got C={C:g} and l1_ratio={ratio:g}. "
                "Leave both out."
            )
        return "firth", C, ratio
    if free:
        if ratio:
            raise ValueError(
                f"l1_ratio mixes the penalties of a finite C; got l1_ratio={ratio:g} and C=inf, "
                "which sets no penalty. Pass C=1.0."
            )
        return None, C, ratio
    return "l2" if ratio == 0.0 else "l1" if ratio == 1.0 else "elasticnet", C, ratio


def _agreed(penalty: Array, C: Any, ratio: float) -> Any:
    """l1_ratio as scikit-learn's ``penalty=`` has it, if C and l1_ratio agree with that."""
    if (penalty is None) != np.isposinf(C):
        wanted = "C=np.inf" if penalty is None else "a finite C"
        fix = "Leave both out" if penalty is None else "Pass C=1.0, scikit-learn's default, as well"
        raise ValueError(f"penalty={penalty!r} needs {wanted}; got C={C:g}. {fix}.")
    if (penalty == "l2" and ratio) or (penalty == "l1" and 0.0 < ratio < 1.0):
        needed = 0.0 if penalty == "l2" else 1.0
        raise ValueError(
            f"penalty={penalty!r} is l1_ratio={needed:g}; got l1_ratio={ratio:g}. Pass l1_ratio "
            "alone."
        )
    return 1.0 if penalty == "l1" else ratio


def marked(y: Any, n: int) -> tuple[Array, Array]:
    """Classes and marks (see `LogisticProblem`): responses 0 and 1 are their own, after one
    look."""
    if type(y) is np.ndarray and y.shape == (n,) and y.dtype.kind in "biuf":
        marks = np.ascontiguousarray(y, dtype=np.float64)
        if 0 < zeros_and_ones(marks) < n:
            return np.array([0, 1], dtype=y.dtype), marks
    return as_labels(y, n)


def _reference(label: Any, classes: Array) -> int:
    """The code of the reference class."""
    if label is None:
        return 0
    same = [candidate == label for candidate in classes.tolist()]  # arrays, of a label that is one
    places = [k for k, yes in enumerate(same) if isinstance(yes, bool | np.bool_) and yes]
    if not places:
        raise ValueError(
            f"reference must be one of the classes ({shown(classes.tolist())}); got {shown(label)}."
        )
    return places[0]
