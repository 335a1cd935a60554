# SPDX-License-Identifier: BSD-3-Clause
"""A binary classifier whose decisions begin at another threshold of its scores."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    Classifier,
    Estimator,
    HandsWeightsOn,
    by_fit,
    copied,
    count_rows,
    delegated,
    fitted,
    handed,
    handed_for,
    one_of,
    param,
    real,
    weighted_labels,
    width_of,
    with_tags_of,
)
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_estimator, shown
from statfast.model_selection.evaluation.fold_strategies import require_weights

# The responses that "auto" tries, in this order.
RESPONSES = ("predict_proba", "decision_function")
DEFAULT_THRESHOLDS = {"predict_proba": 0.5, "decision_function": 0.0}


class ThresholdClassifier(Classifier, HandsWeightsOn, Estimator):
    """Base of both: the positive class is said where its score is at the threshold, or above."""

    estimator: Any
    _threshold: Any = fitted()
    _positive: Any = fitted()

    response_method: Literal["auto", "predict_proba", "decision_function"] = param(
        one_of("auto", *RESPONSES), default="auto"
    )

    classes_: Array = fitted()
    estimator_: Any = fitted()
    _response: str = fitted()

    def _checked_rows(self, X: Any, y: ArrayLike, sample_weight: Weights) -> Any:
        """Rows, labels of two classes, their classes and weights."""
        as_estimator(self.estimator, wanted="a classifier")
        rows = handed(X)
        classes, codes, weights = weighted_labels(y, count_rows(rows), sample_weight, least=2)
        if len(classes) != 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: y "
                f"must hold two classes; got {len(classes)}. Use OneVsRestClassifier for more."
            )
        require_weights(self.estimator, weights)
        return rows, classes[codes], classes, weights

    def _method_asked(self) -> Any:
        """The method whose values are compared with the threshold."""
        wanted = self._checked_value("response_method")
        methods = RESPONSES if wanted == "auto" else (wanted,)
        for method in methods:
            if hasattr(self.estimator, method):
                return method
        raise TypeError(
            f"estimator must have {' or '.join(methods)}; {type(self.estimator).__name__} has "
            "none. Choose another."
        )

    def predict(self, X: Rows) -> Array:
        """Predict the positive class where its score is at the threshold, or above.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples to predict.

        Returns
        -------
        labels : ndarray of shape (m,), dtype of `classes_`
        """
        rows = handed_for(self, X)
        scores = positive_scores(
            self.estimator_, self._response, rows, self._positive, self.classes_
        )
        return labels_of(scores, self._threshold, self.classes_, self._positive)

    def _delegate(self) -> Any:
        return self.__dict__.get("estimator_", self.estimator)

    @delegated("predict_proba")
    def predict_proba(self, X: Rows) -> Array:
        """Return the class probabilities of the estimator, if it has them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples to predict.

        Returns
        -------
        probabilities : ndarray of shape (m, 2)
        """
        rows = handed_for(self, X)
        return self.estimator_.predict_proba(rows)

    @delegated("predict_log_proba")
    def predict_log_proba(self, X: Rows) -> Array:
        """Return the logarithms of the class probabilities, if the estimator has them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples to predict.

        Returns
        -------
        ndarray of shape (m, 2)
        """
        rows = handed_for(self, X)
        return self.estimator_.predict_log_proba(rows)

    @delegated("decision_function")
    def decision_function(self, X: Rows) -> Array:
        """Return the decision values of the estimator, if it has them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples to predict.

        Returns
        -------
        ndarray of shape (m,)
            Positive for the second class, whatever the threshold.
        """
        rows = handed_for(self, X)
        return self.estimator_.decision_function(rows)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True  # Sparse rows are taken, unless the estimator says otherwise.
        return with_tags_of(tags, self.estimator)


class FixedThresholdClassifier(ThresholdClassifier):
    """Binary classifier with a threshold of the user's.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``fit`` and ``predict_proba`` or ``decision_function``. It is copied, not
        fitted itself. Its parameters are parameters of this one: ``estimator__C``.
    threshold : float or "auto", default="auto"
        The score from which on the positive class is predicted. "auto" is 0.5 for probabilities and
        0 for decision values.
    pos_label : label, optional
        The positive class. None is the second of `classes_`.
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        The scores; "auto" is the first of these that the estimator has.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels, ascending.
    estimator_ : estimator
        The fitted copy.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    TunedThresholdClassifierCV : The threshold that is best for a score, by cross-validation.
    CostSensitiveClassifier : The threshold that follows from costs, for any number of classes.
    statfast.metrics.choose_threshold : The same for scores and labels.

    Notes
    -----
    A score equal to the threshold is positive (a **tie** at 0.5 goes to the positive class).
    Probabilities and decision values are those of the estimator. Cost: that of the estimator.

    References
    ----------
    .. [1] Elkan, C. (2001). The foundations of cost-sensitive learning. Proceedings of IJCAI 17,
       973-978.

    Examples
    --------
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_iris
    >>> from statfast.metrics import confusion_matrix
    >>> from statfast.model_selection import FixedThresholdClassifier
    >>> iris = load_iris()
    >>> X, y = iris.data[50:, :2], iris.target[50:]
    >>> for threshold in (0.5, 0.2):
    ...     model = FixedThresholdClassifier(
    ...         LinearDiscriminantAnalysis(), threshold=threshold
    ...     )
    ...     print(confusion_matrix(y, model.fit(X, y).predict(X)).tolist())
    [[38, 12], [13, 37]]
    [[11, 39], [1, 49]]
    """

    estimator: Any = param(by_fit, default=None, kw_only=False)
    threshold: float | Literal["auto"] = param(real() | one_of("auto"), default="auto")
    pos_label: Any = param(by_fit, default=None)

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit a copy of the estimator.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimator takes
            Training samples.
        y : array-like of shape (n,)
            A label for each row, of two classes.
        sample_weight : array-like of shape (n,), optional
            Passed to the estimator, which has to take it.

        Returns
        -------
        self : FixedThresholdClassifier

        Raises
        ------
        ValueError
            If there are not two classes, `pos_label` is none of them, or the estimator refuses the
            rows.
        TypeError
            If the estimator has no such scores, or is given weights that it does not take.
        """
        threshold = self._checked().threshold
        rows, labels, classes, weights = self._checked_rows(X, y, sample_weight)
        method = self._method_asked()
        positive = positive_label(self.pos_label, classes)
        model = fitted_copy(self.estimator, rows, labels, weights)
        return self._publish(
            X, classes_=classes, estimator_=model, _response=method, _positive=positive,
            _threshold=DEFAULT_THRESHOLDS[method] if threshold == "auto" else threshold,
            n_features_in_=width_of(rows, model),
        )  # fmt: skip


def fitted_copy(estimator: Any, rows: Any, labels: Any, weights: Any) -> Any:
    """A copy of an estimator, fitted with weights if there are some."""
    arguments = {} if weights is None else {"sample_weight": weights}
    return copied(estimator).fit(rows, labels, **arguments)


def positive_label(pos_label: Any, classes: Any) -> Any:
    """The positive one of two classes, the second unless it is named."""
    labels = classes.tolist()
    if pos_label is None:
        return labels[1]
    if not np.isscalar(pos_label) or pos_label not in labels:
        raise ValueError(
            f"pos_label={shown(pos_label)} is not a valid label: it must be one of the classes of "
            f"y, {shown(labels)}."
        )
    return pos_label


def positive_scores(model: Any, method: Any, rows: Any, positive: Any, classes: Any) -> Any:
    """Scores of the positive one of two classes, (m,), by a model that knows both."""
    answers = np.asarray(getattr(model, method)(rows), dtype=np.float64)
    known = getattr(model, "classes_", None)  # formulas of rows left out do not say
    labels = (classes if known is None else np.asarray(known)).tolist()
    if len(labels) != 2 or len(answers) != count_rows(rows):
        raise ValueError(
            f"estimator must give scores of two classes for each row of X; got those of "
            f"{shown(labels)} of shape {answers.shape}: each fold of cv has to fit rows of both."
        )
    place = labels.index(positive)
    if answers.ndim == 2:
        return answers[:, place] if answers.shape[1] == 2 else answers[:, 0]
    return answers if place == 1 else -answers


def labels_of(scores: Any, threshold: Any, classes: Any, positive: Any) -> Any:
    """The positive class where the score is at the threshold or above, else the other."""
    place = classes.tolist().index(positive)
    return classes[np.where(scores >= threshold, place, 1 - place)]
