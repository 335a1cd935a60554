# SPDX-License-Identifier: BSD-3-Clause
"""The base class of the reductions: one binary classifier for each column of a code matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np

from statfast._engine import checkpoint, each
from statfast._estimator import (
    Classifier,
    Estimator,
    HandsWeightsOn,
    as_square,
    by_fit,
    codes_among,
    columns_of,
    copied,
    count_rows,
    fitted,
    handed,
    handed_for,
    is_pairwise,
    jobs,
    known_classes,
    param,
    require_no_labels,
    times_classes,
    weighted_labels,
    width_of,
    with_tags_of,
    without_class_weights,
)
from statfast._typing import Array, Jobs, Weights
from statfast._validation import as_labels, as_weights, shown
from statfast.multiclass import learners
from statfast.multiclass.codes import CodeMatrix

# Least floating-point operations for each number of X that a fit and a prediction of a binary
# classifier take. Threads are started only where all of them take more than a millisecond.
FITTING, ANSWERING = 100.0, 10.0


class _WhereLearnersCan:
    """Descriptor of a method that an instance has only if its classifiers have one of that name."""

    def __init__(self, method: Any) -> None:
        self.method, self.__doc__ = method, method.__doc__

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self.name = name

    def __get__(self, instance: Reduction | None, owner: type[Any]) -> Any:
        if instance is None:
            return self.method
        if not instance._can(self.name):
            raise AttributeError(
                f"{type(instance).__name__} has {self.name} where its estimator has; "
                f"{type(instance.estimator).__name__} has not."
            )
        return self.method.__get__(instance, owner)


where_learners_can = _WhereLearnersCan


class Reduction(Classifier, HandsWeightsOn, Estimator):
    """A classifier of several classes made of binary classifiers, one for each column of a code."""

    # What subclasses declare, or a fit sets.
    _column_weights: Any = fitted()
    _seen: Any = fitted()

    decision_function: ClassVar[Callable[..., Any]]

    estimator: Any = param(by_fit, default=None, kw_only=False)
    n_jobs: Jobs = param(jobs, default=None)

    classes_: Array = fitted()
    n_classes_: int = fitted()
    estimators_: list[Any] = fitted()
    code_: CodeMatrix = fitted()

    def _fit_columns(
        self, X: Any, y: Any, sample_weight: Weights, code_for: Callable[..., Any]
    ) -> Self:
        """Fit a classifier for each column of ``code_for(classes)``, and publish them."""
        learners.require_learner(self.estimator)
        rows = handed(X)
        n = count_rows(rows)
        estimator, class_weight = without_class_weights(self.estimator)
        classes, codes, weights = weighted_labels(y, n, sample_weight, class_weight, least=2)
        require_no_labels(estimator, classes)
        if weights is not None:
            learners.require_weights(self.estimator)
        code = code_for(classes)
        pairwise = is_pairwise(self.estimator)
        rows = as_square(rows, self) if pairwise else rows

        def work(column: Array) -> tuple[Any, Array | None]:
            return learners.trained(estimator, rows, codes, column, weights, pairwise)

        trained = self._each(work, list(code.matrix.T), rows, FITTING)
        state = {
            "classes_": classes,
            "n_classes_": len(classes),
            "estimators_": [learner for learner, _ in trained],
            "code_": code,
            "_seen": [index if pairwise else None for _, index in trained],
            "_column_weights": _weights_of_columns(code.matrix, codes, weights),
        }
        return self._publish(X, **state, n_features_in_=width_of(rows, state["estimators_"][0]))

    def _fit_more(self, X: Any, y: Any, classes: Any, sample_weight: Any, code_for: Any) -> Self:
        """Update copies of the classifiers with a batch, and publish them."""
        learners.require_learner(self.estimator)
        again = self.__sklearn_is_fitted__()
        all_classes = known_classes(self, classes, least=2)
        rows = handed_for(self, X) if again else handed(X)
        n = count_rows(rows)
        weights = as_weights(sample_weight, n)
        labels, codes = as_labels(y, n)
        codes = codes_among(all_classes, labels, codes, weights)
        estimator, class_weight = without_class_weights(self.estimator)
        require_no_labels(estimator, all_classes)
        weights = times_classes(weights, class_weight, all_classes, codes)
        if weights is not None:
            learners.require_weights(self.estimator)
        code = self.code_ if again else code_for(all_classes)
        n_learners = code.n_classifiers
        learners_before = (
            self.estimators_ if again else [copied(estimator) for _ in range(n_learners)]
        )

        def work(j: int) -> Any:
            return learners.trained_on(learners_before[j], rows, codes, code.matrix[:, j], weights)

        column_weights = _weights_of_columns(code.matrix, codes, weights) + (
            self._column_weights if again else 0.0
        )
        state: dict[str, Any] = {
            "classes_": all_classes,
            "n_classes_": len(all_classes),
            "estimators_": self._each(work, range(n_learners), rows, FITTING),
            "code_": code,
            "_seen": [None] * n_learners,
            "_column_weights": column_weights,
        }
        if not again:
            return self._publish(X, **state, n_features_in_=width_of(rows, state["estimators_"][0]))
        for name in ("n_features_in_", "feature_names_in_"):
            if name in self.__dict__:
                state[name] = self.__dict__[name]
        return self._publish(None, **state)

    def _each(
        self, work: Callable[..., Any], tasks: list[Array] | range, rows: Any, effort: float
    ) -> list[Any]:
        """``work`` of each task, on threads if the effort is large enough."""
        effort *= count_rows(rows) * width_of(rows, None) * len(tasks)

        def step(task: Array | int) -> Any:
            checkpoint()
            return work(task)

        return each(step, tasks, n_jobs=self.n_jobs, effort=effort)

    def _answers(self, X: Any, values_of: Callable[..., Any]) -> Array:
        """The values of each classifier for each row: (m, L)."""
        rows = handed_for(self, X)
        fitted, seen = self.estimators_, self._seen
        self._require_seen()

        def work(j: int) -> Array:
            return values_of(fitted[j], columns_of(rows, seen[j]))

        return np.column_stack(self._each(work, range(len(fitted)), rows, ANSWERING))

    def _require_seen(self) -> None:
        """Refuse to predict by classifiers of whose classes `partial_fit` has seen no row."""
        if "code_" not in self.__dict__ or self._column_weights.all():
            return
        column = self.code_.matrix[:, int((self._column_weights == 0.0).argmax())]
        classes: Any = self.code_.classes
        names = shown([classes[k] for k in np.flatnonzero(column)])
        raise ValueError(
            f"partial_fit has met no row of the classes {names}, which a classifier has to "
            "separate. Pass rows of them first."
        )

    def _values(self, X: Any) -> Array:
        return self._answers(X, learners.value_of)

    def _shares(self, X: Any) -> Array:
        return self._answers(X, learners.share_of)

    def _can(self, method: str) -> bool:
        fitted = self.__dict__.get("estimators_", [])
        fitted_learners = (
            learner for learner in fitted if not isinstance(learner, learners.Constant)
        )
        return learners.can(next(fitted_learners, self.estimator), method)

    def predict(self, X: Any) -> Array:
        """Predict the class of each sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples to predict.

        Returns
        -------
        labels : ndarray of shape (m,), dtype of `classes_`
            The class with the largest score of `decision_function`, the lowest of equals.

        Raises
        ------
        ValueError
            If X has other columns than at fit, or the estimator refuses it.
        """
        scores = self.decision_function(X)
        winners = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_.take(winners)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True  # unless the tags of the estimator differ
        return with_tags_of(tags, self.estimator)


def _weights_of_columns(matrix: Array, codes: Array, weights: Array | None) -> Array:
    """For each column of a code matrix the number of rows of its classes, or their total weight."""
    return np.bincount(codes, weights, len(matrix)) @ np.abs(matrix).astype(np.float64)


def of_two(scores: Array) -> Array:
    """Scores of two classes as one number, positive for the second; others as they are."""
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


def named(code: CodeMatrix, classes: Array) -> CodeMatrix:
    """A code matrix with the classes as the names of its rows."""
    return CodeMatrix(code.matrix, classes.tolist(), code.name)
