# SPDX-License-Identifier: BSD-3-Clause
"""The arguments and parameters of `LogisticRegression`, checked: what its solvers are given."""

from collections.abc import Callable

import numpy as np

from statfast._core.distance.extent import zeros_and_ones
from statfast._engine import Chunks
from statfast._estimator import class_weighted
from statfast._validation import (
    as_choice,
    as_count,
    as_flag,
    as_labels,
    as_real,
    as_weights,
    column_names,
    shown,
)
from statfast.linear.design.design import offsets_for, rows_of
from statfast.linear.logistic.firth import firth, firth_ovr
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
PENALTIES = (None, "l2", "l1", "elasticnet", "firth")
MULTI_CLASS = ("multinomial", "ovr")


def task_of(model, X, y, sample_weight, offset):
    """The task, and "binary" or the value of multi_class."""
    rows = rows_of(X)
    n = np.size(y) if isinstance(X, Chunks) else rows.shape[0]
    classes, marks = marked(y, n)
    if len(classes) < 2:
        raise ValueError(
            "y must hold at least 2 classes to tell apart; got one class, "
            f"{shown(classes.tolist()[0])}. Pass rows of another class too."
        )
    weights = as_weights(sample_weight, n)
    if weights is not None or model.class_weight is not None:
        weights = class_weighted(weights, model.class_weight, classes, marks.astype(np.intp))
    ratio = as_real(model.l1_ratio, "l1_ratio", 0.0, 1.0)
    penalty = as_choice(model.penalty, "penalty", PENALTIES)
    if penalty == "elasticnet" and ratio == 0.0:
        penalty = "l2"
    task = LogisticProblem(
        rows, marks, classes, _reference(model.reference, classes), weights,
        offsets_for(offset, n), as_flag(model.fit_intercept, "fit_intercept"),
        as_real(model.C, "C", 0.0, open_low=True), penalty,
        as_count(model.max_iter, "max_iter"), as_real(model.tol, "tol", 0.0, open_low=True),
        model.n_jobs, column_names(X), ratio,
    )  # fmt: skip
    kind = as_choice(model.multi_class, "multi_class", MULTI_CLASS)
    if len(classes) == 2:
        kind = "binary"
    elif offset is not None:
        raise ValueError("offset is for two classes; y has more. Leave it out.")
    return task, kind


def marked(y, n):
    """Classes and marks (see `LogisticProblem`): responses 0 and 1 are their own, after one
    look."""
    if type(y) is np.ndarray and y.shape == (n,) and y.dtype.kind in "biuf":
        marks = np.ascontiguousarray(y, dtype=np.float64)
        if 0 < zeros_and_ones(marks) < n:
            return np.array([0, 1], dtype=y.dtype), marks
    return as_labels(y, n)


def _reference(label, classes):
    """The code of the reference class."""
    if label is None:
        return 0
    same = [one == label for one in classes.tolist()]  # arrays, of a label that is one
    places = [k for k, yes in enumerate(same) if isinstance(yes, bool | np.bool_) and yes]
    if not places:
        raise ValueError(
            f"reference must be one of the classes ({shown(classes.tolist())}); got {shown(label)}."
        )
    return places[0]
