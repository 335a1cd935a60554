# SPDX-License-Identifier: BSD-3-Clause
"""Any classifier with probabilities, made to decide by what errors cost."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np

from statfast._estimator import (
    Classifier,
    Estimator,
    by_fit,
    copied,
    fitted,
    handed,
    handed_for,
    nothing,
    param,
    real,
    takes_weights,
    width_of,
    with_tags_of,
)
from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import (
    as_labels,
    shown,
    wrong_type,
)
from statfast.decision.risks import as_cost, least_risk


class CostSensitiveClassifier(Classifier, Estimator):
    """Cost-sensitive classification: the decision of least expected cost.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``fit`` and ``predict_proba``. It is copied, not fitted itself. Its
        parameters are parameters of this one: ``estimator__C``.
    cost : array-like of shape (K, K), optional
        Cost of deciding for a class (column) when another is true (row), in the order of
        `classes_`. It need not be symmetric, nor zero on the diagonal. None is 1 for each error.
    reject : float, optional
        Cost of deciding nothing, which is done where every decision has a larger expected cost.
        None always decides.
    reject_label : str or int, optional
        What `predict` gives where nothing is decided; None is "reject" for labels that are
        strings, else -1. It must not be a class.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    estimator_ : estimator
        The fitted copy.
    cost_ : ndarray of shape (K, K)
        The cost matrix.
    threshold_ : float
        Of two classes: the posterior of the second from which on it is chosen. With a cost of
        0 for right decisions it is 1 / (1 + c), c the cost of a false negative divided by that of
        a false positive. NaN for more classes, or where one decision is never worse.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.decision.decide : The same for given posteriors.
    statfast.metrics.expected_cost : The mean cost of decisions, by true labels.

    Notes
    -----
    Decisions are as good as the probabilities: calibrate those of a classifier that exaggerates.
    Ties go to the lowest label. Cost: that of the estimator, and n K^2 operations to decide.

    References
    ----------
    .. [1] Elkan, C. (2001). The foundations of cost-sensitive learning. Proceedings of IJCAI 17,
       973-978.

    Examples
    --------
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_wine
    >>> from statfast.decision import CostSensitiveClassifier
    >>> wine = load_wine()
    >>> X, y = wine.data[:, [0, 6]], wine.target
    >>> dear = [[0, 1, 1], [1, 0, 1], [20, 20, 0]]  # the third cultivar must not be missed
    >>> model = CostSensitiveClassifier(LinearDiscriminantAnalysis(), dear).fit(X, y)
    >>> int((model.predict(X) == 2).sum())
    65
    """

    estimator: Any = param(by_fit, default=None, kw_only=False)
    cost: ArrayLike | None = param(by_fit, default=None, kw_only=False)
    reject: float | None = param(nothing | real(), default=None)
    reject_label: str | int | None = param(by_fit, default=None)

    classes_: Array = fitted()
    estimator_: Any = fitted()
    cost_: Array = fitted()
    threshold_: float = fitted()
    _label: Any = fitted()

    def fit(self, X: Any, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit a copy of the estimator.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimator takes
            Training samples.
        y : array-like of shape (n,)
            A label for each row, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            Passed to the estimator, which has to take it.

        Returns
        -------
        self : CostSensitiveClassifier

        Raises
        ------
        ValueError
            If `cost` has not a row and a column for each class or is not finite, if `reject_label`
            is a class, or if the estimator refuses the rows.
        TypeError
            If the estimator has no probabilities, or is given weights that it does not take.
        """
        learner = self.estimator
        usable = callable(getattr(learner, "fit", None)) and not isinstance(learner, type)
        if not usable or not callable(getattr(learner, "predict_proba", None)):
            raise TypeError(
                f"estimator must be a classifier with fit and predict_proba; got {shown(learner)}. "
                "Pass an instance, such as LogisticRegression()."
            )
        reject = self._checked().reject
        weights = {}
        if sample_weight is not None:
            if not takes_weights(learner):
                raise TypeError(
                    f"sample_weight is not taken by {type(learner).__name__}.fit. Leave it out."
                )
            weights = {"sample_weight": sample_weight}
        rows = handed(X)
        model = copied(learner).fit(rows, y, **weights)
        classes, _ = as_labels(np.asarray(model.classes_), len(model.classes_), name="classes_")
        cost = as_cost(self.cost, len(classes))
        if cost.shape[1] != len(classes):
            raise ValueError(
                f"cost must have a column for each of {len(classes)} classes; got shape "
                f"{cost.shape}. Deciding nothing is reject=."
            )
        label = rejected_label(self.reject_label, classes, reject)
        return self._publish(
            X, classes_=np.asarray(model.classes_), estimator_=model, cost_=cost,
            threshold_=threshold(cost), _label=label, n_features_in_=width_of(rows, model),
        )  # fmt: skip

    def predict(self, X: Any) -> Array:
        """Return the decision of least expected cost for each sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples to predict.

        Returns
        -------
        labels : ndarray of shape (m,)
            Classes, or `reject_label` where nothing is decided.
        """
        decision = least_risk(self.conditional_risk(X), self._checked_value("reject"))
        return labeled(decision, self.classes_, self._label)

    def predict_proba(self, X: Any) -> Array:
        """Return the probabilities of the estimator.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples to predict.

        Returns
        -------
        probabilities : ndarray of shape (m, K)
        """
        rows = handed_for(self, X)
        return self.estimator_.predict_proba(rows)

    def conditional_risk(self, X: Any) -> Array:
        """Return the conditional risk (expected cost) of each decision for each sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples to predict.

        Returns
        -------
        risk : ndarray of shape (m, K)
        """
        return np.asarray(self.predict_proba(X), dtype=np.float64) @ self.cost_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True  # unless the tags of the estimator differ
        return with_tags_of(tags, self.estimator)


def threshold(cost: Array) -> float:
    """The posterior of the second of two classes above which deciding for it costs less."""
    if cost.shape != (2, 2):
        return float("nan")
    missed, false = cost[1, 0] - cost[1, 1], cost[0, 1] - cost[0, 0]
    if missed + false <= 0.0 or missed < 0.0 or false < 0.0:
        return float("nan")
    return float(false / (missed + false))


def rejected_label(reject_label: float | str | None, classes: Array, reject: float | None) -> Any:
    """Check the label of no decision, or choose it."""
    usable = reject_label is None or isinstance(reject_label, str | Integral)
    if not usable or isinstance(reject_label, bool):
        raise wrong_type("reject_label", "a string, an integer or None", reject_label)
    if reject is None:
        return None
    label = reject_label
    if reject_label is None:
        label = "reject" if classes.dtype.kind in "USOT" else -1
    if label in classes.tolist():
        raise ValueError(
            f"reject_label must not be a class; got {shown(label)}. Pass another, such as 'reject'."
        )
    return label


def labeled(decision: Array, classes: Array, label: int | str | None) -> Array:
    """Labels of decisions, where -1 has the label of no decision."""
    chosen = classes.take(np.maximum(decision, 0))
    if label is None or (decision >= 0).all():
        return chosen
    same = isinstance(label, str) == (classes.dtype.kind in "UT") and classes.dtype.kind not in "b"
    both = np.array([*classes.tolist(), label], dtype=None if same else object)
    return both[decision]
