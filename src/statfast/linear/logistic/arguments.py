# SPDX-License-Identifier: BSD-3-Clause
"""The arguments and parameters of `LogisticRegression`, checked: what its solvers are given."""

import numpy as np

from statfast._chunks import Chunks
from statfast._class_weights import class_weighted
from statfast._core.extent import zeros_and_ones
from statfast._errors import shown
from statfast._flags import as_flag
from statfast._validation import (
    as_choice,
    as_count,
    as_labels,
    as_real,
    as_weights,
    column_names,
)
from statfast.linear.predictor import offsets_for, rows_of
from statfast.linear.solvers import MULTI_CLASS, PENALTIES
from statfast.linear.task import Task


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
    task = Task(
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
    """Classes and marks (see `Task`): responses 0 and 1 are their own, after one look."""
    if type(y) is np.ndarray and y.shape == (n,) and y.dtype.kind in "biuf":
        marks = np.ascontiguousarray(y, dtype=np.float64)
        if 0 < zeros_and_ones(marks) < n:
            return np.array([0, 1], dtype=y.dtype), marks
    return as_labels(y, n)


def _reference(label, classes):
    """The code of the reference class."""
    if label is None:
        return 0
    places = [k for k, one in enumerate(classes.tolist()) if one == label]
    if not places:
        raise ValueError(
            f"reference must be one of the classes ({shown(classes.tolist())}); got {shown(label)}."
        )
    return places[0]
