# SPDX-License-Identifier: BSD-3-Clause
"""Targets of several outputs, column by column, and what estimators of them have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._estimator import (
    Classifier,
    Estimator,
    HandsWeightsOn,
    Regressor,
    by_fit,
    fitted,
    param,
    require_weight,
    takes_weights,
    weighted_labels,
    with_tags_of,
)
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import (
    as_estimator,
    as_sparse,
    as_targets,
    as_weights,
    is_sparse,
    to_array,
)


@dataclass(frozen=True)
class Outputs:
    """Targets: a column for each output, the weights of the rows, and the classes of labels."""

    columns: list[Array]
    weights: Array | None
    classes: list[Array] | None = None

    @property
    def fitted(self) -> dict[str, Any]:
        """What the targets alone tell a fitted estimator."""
        return {} if self.classes is None else {"classes_": self.classes}

    @property
    def fit_arguments(self) -> dict[str, Any]:
        """What estimators of one output are fitted with, beside rows and targets."""
        return {} if self.weights is None else {"sample_weight": self.weights}


class OutputModel(HandsWeightsOn, Estimator):
    """Base of all: estimators of one output each, made of the one that is passed."""

    estimator: Any = param(by_fit, default=None, kw_only=False)

    estimators_: list[Any] = fitted()

    def _checked_estimator(self, sample_weight: Any) -> Any:
        """The estimator, if it can be fitted and asked, with weights if there are some."""
        estimator = as_estimator(self.estimator)
        as_estimator(estimator, method="predict")
        if sample_weight is not None and not takes_weights(estimator):
            raise TypeError(
                f"sample_weight was passed, but {type(estimator).__name__}.fit does not support "
                "sample weights. Leave it out, or choose another estimator."
            )
        return estimator

    def _outputs(self, y: Any, n: int, sample_weight: Any) -> Outputs:
        """Checked targets of n rows."""
        raise NotImplementedError

    def _delegate(self) -> Any:
        models = self.__dict__.get("estimators_")
        return models[0] if models else self.estimator

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.input_tags.sparse = True  # unless the estimator says otherwise
        return with_tags_of(tags, self.estimator)


class SeveralLabels(Classifier, OutputModel):
    """Base of classifiers: a row is right where all its labels are."""

    classes_: list[Array] = fitted()

    def _outputs(self, y: Any, n: int, sample_weight: Any) -> Outputs:
        table, weights = as_columns_of_labels(y, n), as_weights(sample_weight, n)
        if weights is not None:
            require_weight(weights)
        coded = [weighted_labels(column, n, weights)[:2] for column in table.T]
        labels = [classes[codes] for classes, codes in coded]
        return Outputs(labels, weights, [classes for classes, _ in coded])

    def score(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> float:
        """Return the (weighted) share of samples of which all labels are right.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Test samples.
        y : array-like of shape (m, T)
            True labels.
        sample_weight : array-like of shape (m,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        float
        """
        predicted = self.predict(X)
        truth = as_columns_of_labels(y, len(predicted))
        if truth.shape != predicted.shape:
            raise ValueError(
                f"y must have {predicted.shape[1]} outputs, as at fit; got {truth.shape[1]}."
            )
        weights = as_weights(sample_weight, len(predicted))
        return float(np.average((truth == predicted).all(axis=1), weights=weights))


class SeveralNumbers(Regressor, OutputModel):
    """Base of regressors: R squared is the mean over the outputs."""

    _multi_output = True

    def _outputs(self, y: Any, n: int, sample_weight: Any) -> Outputs:
        targets, flat = as_targets(y, n)
        if flat:
            raise ValueError(
                "y must have at least two dimensions for multi-output regression but has only "
                "one. Pass a column for each output."
            )
        return Outputs(list(targets.T.copy()), as_weights(sample_weight, n))


def as_columns_of_labels(y: Any, n: int) -> Array:
    """Labels of several outputs, (n, T)."""
    if y is None:
        raise ValueError("This method requires y to be passed, but the target y is None.")
    if is_sparse(y):
        y = as_sparse(y, name="y").toarray()
    table = to_array(y, "y", "an array of labels, a column for each output")
    if table.ndim != 2:
        raise ValueError(
            "y must have at least two dimensions for several outputs, but has shape "
            f"{table.shape}. Pass a column for each output."
        )
    if len(table) != n:
        raise ValueError(f"y must have one row per row of X ({n}); got {len(table)}.")
    return table


def columns_of_labels(columns: list[Array]) -> Array:
    """Labels of each output as one array: of their common type, or objects."""
    if len({column.dtype.kind in "US" for column in columns}) > 1:
        columns = [column.astype(object) for column in columns]
    return np.column_stack(columns)


def answer_of(model: Any, method: str, rows: Any, output: int) -> Array:
    """One number for each row of what a member answers: of two classes, that of the second."""
    return second_of_two(np.asarray(getattr(model, method)(rows)), method, output)


def second_of_two(answers: Array, method: str, output: int) -> Array:
    """What a method gives for the second of two classes, (n,)."""
    if answers.ndim == 1:
        return answers
    if answers.shape[1] <= 2:
        return answers[:, -1]
    raise ValueError(
        f"y must hold two classes in each output for {method}; output {output} has "
        f"{answers.shape[1]}. Use chain_method='predict'."
    )
