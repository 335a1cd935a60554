# SPDX-License-Identifier: BSD-3-Clause
"""The binary classifiers of a reduction: copies that are fitted to some classes, and their values.

A classifier is any object that has ``fit(X, y)`` with labels 0 and 1, and ``decision_function`` or
``predict_proba``.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from statfast._estimator import Estimator, between, copied, count_rows, take_rows, takes_weights
from statfast._typing import Array
from statfast._validation import shown

_BOTH = np.array([0, 1])
CERTAIN = 1e100  # decision values are clipped there, so that sums of them are finite


def require_learner(estimator: Any) -> None:
    """Raise TypeError unless a parameter `estimator` is a learner."""
    if isinstance(estimator, type) or not callable(getattr(estimator, "fit", None)):
        raise TypeError(
            f"estimator must be a classifier with fit; got {shown(estimator)}. Pass an instance, "
            "such as LogisticRegression()."
        )
    if not (can(estimator, "decision_function") or can(estimator, "predict_proba")):
        raise TypeError(
            "estimator must have decision_function or predict_proba; "
            f"{type(estimator).__name__} has neither. Choose another, or settings with which it "
            "has."
        )


def can(estimator: Any, method: str) -> bool:
    """Whether an estimator has a method."""
    return callable(getattr(estimator, method, None))


def require_weights(estimator: Any) -> None:
    """Raise TypeError unless ``fit`` takes sample_weight."""
    if not takes_weights(estimator):
        raise TypeError(
            f"sample_weight was passed, but {type(estimator).__name__}.fit does not take it. Leave "
            "it out, or choose another estimator."
        )


def trained(
    estimator: Estimator, X: Any, codes: Array, column: Array, weights: Array | None, pairwise: bool
) -> tuple[Estimator, Array | None]:
    """A classifier fitted to one column of a code matrix, and the places of the rows it was fitted
    to (None: all)."""
    side = column[codes]
    index = None if (column != 0).all() else np.flatnonzero(side)
    rows = between(X, index) if pairwise else take_rows(X, index)
    target = take_rows((side > 0).astype(np.intp), index)
    learner = copied(estimator)
    if weights is None:
        learner.fit(rows, target)
    else:
        learner.fit(rows, target, sample_weight=take_rows(weights, index))
    return learner, index


def trained_on(learner: Any, X: Array, codes: Array, column: Array, weights: Array | None) -> Any:
    """A copy of a classifier, updated with the rows of a batch that are of its classes."""
    side = column[codes]
    seen = side != 0 if weights is None else (side != 0) & (weights > 0.0)
    index = None if seen.all() else np.flatnonzero(seen)
    if index is not None and not len(index):
        return learner
    learner = copy.deepcopy(learner)
    target = (side > 0).astype(np.intp)
    fit_arguments = {} if weights is None else {"sample_weight": take_rows(weights, index)}
    rows, target = take_rows(X, index), take_rows(target, index)
    return learner.partial_fit(rows, target, classes=_BOTH, **fit_arguments)


class Constant:
    """A classifier that always answers 0 or 1, where all rows of the fit have the same label."""

    def __init__(self, answer: int) -> None:
        self.answer = answer

    def predict(self, X: Array) -> Array:
        """The answer, for each row."""
        return np.full(count_rows(X), self.answer)

    def decision_function(self, X: Array) -> Array:
        """0.0 for no and 1.0 for yes, as in scikit-learn."""
        return self.predict(X).astype(np.float64)

    def predict_proba(self, X: Array) -> Array:
        """The probability 1 of the answer."""
        yes = self.decision_function(X)
        return np.column_stack([1.0 - yes, yes])


def value_of(learner: Any, X: Any) -> Array:
    """Decision values (m,), positive for label 1; of a classifier without them, its log-odds."""
    if can(learner, "decision_function"):
        values = np.asarray(learner.decision_function(X), dtype=np.float64)
        if values.ndim == 2 and values.shape[1] == 2:
            with np.errstate(over="ignore", invalid="ignore"):
                values = values[:, 1] - values[:, 0]
        values = _checked_answers(learner, "decision_function", values.reshape(-1), X)
        return np.clip(values, -CERTAIN, CERTAIN)
    shares = np.asarray(learner.predict_proba(X), dtype=np.float64)
    yes = _of_label_one(learner, shares, X)
    # Where one probability is near 1, 1 - p would lose the digits of the other, above all in
    # float32.
    no = shares[:, 0] if shares.shape == (len(yes), 2) else 1 - yes
    with np.errstate(divide="ignore"):
        return np.clip(np.log(yes) - np.log(no), -1e3, 1e3)


def share_of(learner: Any, X: Any) -> Array:
    """Probabilities (m,) of label 1."""
    return _of_label_one(learner, np.asarray(learner.predict_proba(X), dtype=np.float64), X)


def _of_label_one(learner: Any, shares: Array, X: Any) -> Array:
    shares = shares[:, 1] if shares.ndim == 2 and shares.shape[1] == 2 else shares.reshape(-1)
    return _checked_answers(learner, "predict_proba", shares, X)


def _checked_answers(learner: Any, method: str, values: Array, X: Any) -> Array:
    """The values of a classifier, after a check that there is one for each row and none is nan."""
    name = f"{type(learner).__name__}.{method}"
    if len(values) != count_rows(X):
        raise ValueError(
            f"{name} must tell one value for each of {count_rows(X)} rows, or two; got "
            f"{len(values)} numbers. Choose another estimator."
        )
    if np.isnan(values).any():
        raise ValueError(
            f"{name} gave nan, first for row {int(np.isnan(values).argmax())} of X. Scale the "
            "columns of X, or choose another estimator."
        )
    return values
