# SPDX-License-Identifier: BSD-3-Clause
"""What reductions have in common: a learner for each column of a code matrix, and prediction."""

import numpy as np

from statfast._engine import checkpoint
from statfast._estimator import Classifier, Estimator, class_weighted
from statfast._validation import as_labels, as_weights, shown
from statfast.multiclass import learners
from statfast.multiclass.codes import CodeMatrix


class _WhereLearnersCan:
    """A method that an instance has only if its learners have one of that name."""

    def __init__(self, method):
        self.method, self.__doc__ = method, method.__doc__

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner):
        if instance is None:
            return self.method
        if not instance._can(self.name):
            raise AttributeError(
                f"{type(instance).__name__} has {self.name} where its estimator has; "
                f"{type(instance.estimator).__name__} has not."
            )
        return self.method.__get__(instance, owner)


where_learners_can = _WhereLearnersCan


class Reduction(Classifier, Estimator):
    """A classifier of several classes made of binary learners, one for each column of a code."""

    def _fit_columns(self, X, y, sample_weight, code_for):
        """Fit a learner for each column of ``code_for(classes)``, and publish them."""
        learners.require_learner(self.estimator)
        rows = learners.rows_of(X)
        n = learners.count(rows)
        classes, codes = as_labels(y, n)
        if len(classes) < 2:
            raise ValueError(
                "y must hold at least 2 classes to tell apart; got one class, "
                f"{shown(classes.tolist()[0])}. Pass rows of another class too."
            )
        weights = class_weighted(as_weights(sample_weight, n), None, classes, codes)
        if weights is not None:
            learners.require_weights(self.estimator)
        code = code_for(classes)
        pairwise = learners.is_pairwise(self.estimator)
        fitted, seen, mass = [], [], []
        for column in code.matrix.T:
            checkpoint()
            learner, index = learners.trained(
                self.estimator, rows, codes, column, weights, pairwise
            )
            fitted.append(learner)
            seen.append(index if pairwise else None)
            side = column[codes] != 0
            mass.append(float(side.sum() if weights is None else weights[side].sum()))
        state = {
            "classes_": classes,
            "n_classes_": len(classes),
            "estimators_": fitted,
            "code_": code,
            "_seen": seen,
            "_mass": np.array(mass),
        }
        width = getattr(fitted[0], "n_features_in_", None)
        if getattr(rows, "ndim", 1) != 2:  # text, of which the learners know
            state["n_features_in_"] = 1 if width is None else width
        return self._publish(X, **state)

    def _answers(self, X, ask):
        """What each learner says of the rows: (m, L)."""
        rows = learners.new_rows(self, X)
        out = np.empty((learners.count(rows), len(self.estimators_)))
        for j, (learner, index) in enumerate(zip(self.estimators_, self._seen, strict=True)):
            checkpoint()
            out[:, j] = ask(learner, rows if index is None else rows[:, index])
        return out

    def _values(self, X):
        return self._answers(X, learners.value_of)

    def _shares(self, X):
        return self._answers(X, learners.share_of)

    def _can(self, method):
        known = self.__dict__.get("estimators_", [self.estimator])
        return learners.can(known[0], method)

    def predict(self, X):
        """Return the class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes

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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True  # unless the estimator says otherwise
        if hasattr(self.estimator, "__sklearn_tags__") and not isinstance(self.estimator, type):
            given = self.estimator.__sklearn_tags__().input_tags
            tags.input_tags.sparse, tags.input_tags.pairwise = given.sparse, given.pairwise
        return tags


def of_two(scores):
    """Scores of two classes as one number, positive for the second; others as they are."""
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


def named(code, classes):
    """A code of the classes' names."""
    return CodeMatrix(code.matrix, classes.tolist(), code.name)
