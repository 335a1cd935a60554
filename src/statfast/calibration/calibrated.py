# SPDX-License-Identifier: BSD-3-Clause
"""Classifiers whose scores become probabilities, by calibrators fitted to held-out rows."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._engine import each
from statfast._estimator import (
    Classifier,
    Estimator,
    as_folds,
    as_groups,
    as_square,
    by_fit,
    columns_of,
    copied,
    count_rows,
    fitted,
    flag,
    handed,
    handed_for,
    is_pairwise,
    isotonic,
    jobs,
    one_of,
    param,
    require_members,
    require_weight,
    sigmoid,
    sigmoid_fit,
    take_rows,
    takes_weights,
    weighted_labels,
    width_of,
    with_tags_of,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Weights
from statfast._validation import (
    as_choice,
    shown,
    warn_user,
)
from statfast.calibration.isotonic import at_distinct_places
from statfast.calibration.temperature import as_logits, softmax, temperature_fit

METHODS = ("sigmoid", "isotonic", "temperature")
PREFIT = "prefit"


class CalibratedClassifierCV(Classifier, Estimator):
    """Probability calibration of a classifier on held-out folds: Platt's sigmoid or isotonic.

    Parameters
    ----------
    estimator : classifier, optional
        Anything with ``fit`` and ``decision_function`` or ``predict_proba``. None takes
        ``LinearSVC(random_state=0)``.
    method : {"sigmoid", "isotonic", "temperature"}, default="sigmoid"
        Platt's logistic curve; any rising function, which wants a thousand samples or more; or one
        factor of the logits of all classes, which changes no prediction.
    cv : int, splitter, iterable or "prefit", optional
        Folds. None is 5 folds, and an integer so many, with the proportions of the classes in each.
        "prefit": the estimator is fitted already, and all samples are for the calibrator.
    n_jobs : int, optional
        Threads on which folds are fitted; None is one.
    ensemble : bool or "auto", default="auto"
        True: a classifier and a calibrator for each fold, whose probabilities are averaged. False:
        one calibrator, fitted to the scores of all samples by the classifiers of the folds they
        were held out by, and one classifier, of all samples. "auto" is True, except for
        scikit-learn's FrozenEstimator, which is fitted already.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Labels, sorted.
    calibrated_classifiers_ : list of CalibratedClassifier
        One for each fold, or one.
    n_features_in_ : int
        Columns.
    feature_names_in_ : ndarray of str
        Names of columns, if X had some.

    Notes
    -----
    Of more than two classes, each has a calibrator of its own, and the probabilities are divided by
    their sum; where that is 0, all classes are equally likely. With "temperature", the logits are
    the scores of the classes, (-f, f) of two, or logarithms of probabilities.

    References
    ----------
    Platt, J. (1999). Probabilistic outputs for support vector machines and comparisons to
    regularized likelihood methods. Advances in Large Margin Classifiers, 61-74.

    Zadrozny, B. and Elkan, C. (2002). Transforming classifier scores into accurate multiclass
    probability estimates. KDD, 694-699. doi:10.1145/775047.775151

    Niculescu-Mizil, A. and Caruana, R. (2005). Predicting good probabilities with supervised
    learning. ICML, 625-632. doi:10.1145/1102351.1102430

    Guo, C., Pleiss, G., Sun, Y. and Weinberger, K. Q. (2017). On calibration of modern neural
    networks. ICML, 1321-1330. arXiv:1706.04599

    Examples
    --------
    >>> from statfast import CalibratedClassifierCV, LinearSVC
    >>> from statfast.datasets import load_iris
    >>> iris = load_iris()
    >>> X, y = iris.data[50:], iris.target[50:]
    >>> model = CalibratedClassifierCV(LinearSVC()).fit(X, y)
    >>> model.predict_proba(X[:1]).round(2)
    array([[0.96, 0.04]])
    """

    estimator: Any = param(by_fit, default=None, kw_only=False)
    method: Literal["sigmoid", "isotonic", "temperature"] = param(
        one_of(*METHODS), default="sigmoid"
    )
    cv: Any = param(by_fit, default=None)
    n_jobs: Jobs = param(jobs, default=None)
    ensemble: bool | Literal["auto"] = param(flag | one_of("auto"), default="auto")

    classes_: Array = fitted()
    calibrated_classifiers_: list[CalibratedClassifier] = fitted()

    def fit(
        self,
        X: Rows,
        y: ArrayLike,
        sample_weight: Weights = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Fit classifiers and calibrators.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimator takes
            Samples.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Weights of rows, of the calibrators and, where its ``fit`` takes them, of the estimator.
        groups : array-like of shape (n,), optional
            Group of each sample, for splitters that keep groups together.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If there are fewer than two classes, or more folds than rows of the largest class.
        TypeError
            If the estimator has no ``fit``, or neither ``decision_function`` nor ``predict_proba``.
        """
        params = self._checked()
        method = params.method
        estimator = _learner(self.estimator)
        rows = handed(X)
        if is_pairwise(estimator) and not isinstance(self.cv, str):
            rows = as_square(rows, self)
        n = count_rows(rows)
        classes, codes, weights = weighted_labels(y, n, sample_weight, least=2)
        if weights is not None and not takes_weights(estimator):
            warn_user(
                f"{type(estimator).__name__}.fit does not take sample_weight, which is used for "
                "the calibration alone."
            )
        if isinstance(self.cv, str):
            as_choice(self.cv, "cv", (PREFIT,))
            models = [_calibrate_prefit(estimator, rows, classes, codes, weights, method)]
            return self._finish(X, rows, models)
        folds = self.cv
        if folds is None or isinstance(folds, int | np.integer):
            require_members(codes, 5 if folds is None else int(folds))
        pairs = as_folds(folds, rows, classes[codes], n, codes, as_groups(groups, n))
        fits = each(
            lambda pair: _held_out(estimator, rows, classes, codes, weights, pair),
            pairs,
            n_jobs=1 if params.n_jobs is None else params.n_jobs,
        )
        frozen = type(self.estimator).__name__ == "FrozenEstimator"
        if not (not frozen if params.ensemble == "auto" else params.ensemble):
            models = [
                _calibrate_on_all_rows(estimator, fits, rows, classes, codes, weights, method)
            ]
        else:
            models = [
                CalibratedClassifier(
                    learner, _calibrators(learner, scores, codes[test], len(classes),
                                          take_rows(weights, test), method), classes, method, seen,
                )
                for learner, test, scores, seen in fits
            ]  # fmt: skip
        return self._finish(X, rows, models)

    def _finish(self, X: Any, rows: Any, models: list[CalibratedClassifier]) -> Self:
        return self._publish(
            X,
            classes_=models[0].classes,
            calibrated_classifiers_=models,
            n_features_in_=width_of(rows, models[0].estimator),
        )

    def predict_proba(self, X: Rows) -> Array:
        """Return class probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples.

        Returns
        -------
        ndarray of shape (m, K)
        """
        rows = handed_for(self, X)
        shares = [model.predict_proba(rows) for model in self.calibrated_classifiers_]
        return sum(shares[1:], shares[0]) / len(shares)

    def predict(self, X: Rows) -> Array:
        """Predict the most probable class, the first of equals.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples.

        Returns
        -------
        ndarray of shape (m,)
        """
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.estimator is None
        return with_tags_of(tags, self.estimator)


class CalibratedClassifier:
    """A fitted classifier, and the calibrators of its scores.

    Attributes
    ----------
    estimator : classifier
        Fitted.
    calibrators : list
        One for each class, or one of two: pairs (A, B) of 1 / (1 + exp(A f + B)), or pairs of
        places and values between which the function is linear. Or the one factor of logits.
    classes : ndarray of shape (K,)
        Labels, sorted.
    method : str
        "sigmoid", "isotonic" or "temperature".
    seen : ndarray of int, or None
        Of a matrix of values between rows: the rows of the fit, whose columns are looked at.
    """

    def __init__(
        self,
        estimator: Any,
        calibrators: list[Any],
        classes: Array,
        method: str,
        seen: Array | None = None,
    ) -> None:
        self.estimator = estimator
        self.calibrators = calibrators
        self.classes = classes
        self.method = method
        self.seen = seen

    def predict_proba(self, X: Any) -> Array:
        """Return class probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Rows.

        Returns
        -------
        ndarray of shape (m, K)
        """
        scores = _scores(self.estimator, columns_of(X, self.seen), self.classes)
        if self.method == "temperature":
            return softmax(
                self.calibrators[0] * as_logits(scores, _gives_probabilities(self.estimator))
            )
        if len(self.classes) == 2:
            share = self._value(0, scores[:, 0])
            return np.column_stack([1.0 - share, share])
        shares = np.column_stack([self._value(c, scores[:, c]) for c in range(len(self.classes))])
        total = shares.sum(axis=1, keepdims=True)
        return np.where(total > 0, shares / np.where(total > 0, total, 1.0), 1 / len(self.classes))

    def _value(self, c: int, scores: Array) -> Array:
        if self.calibrators[c] is None:
            return np.zeros(len(scores))
        first, second = self.calibrators[c]
        if self.method == "sigmoid":
            return sigmoid(scores, first, second)
        return np.interp(scores, first, second)


def _learner(estimator: Any) -> Any:
    if estimator is None:
        from statfast.svm import LinearSVC

        return LinearSVC(random_state=0)
    if isinstance(estimator, type) or not callable(getattr(estimator, "fit", None)):
        raise TypeError(
            f"estimator must be a classifier with fit; got {shown(estimator)}. Pass an instance."
        )
    return estimator


def _fit(estimator: Any, rows: Any, labels: Array, weights: Array | None) -> Any:
    learner = copied(estimator)
    if weights is not None and takes_weights(learner):
        return learner.fit(rows, labels, sample_weight=weights)
    return learner.fit(rows, labels)


def _held_out(
    estimator: Any,
    rows: Any,
    classes: Array,
    codes: Array,
    weights: Array | None,
    pair: tuple[Array | None, Array],
) -> tuple[Any, Array, Array, Array | None]:
    """A classifier fitted to the rows of a fold, and its scores of the held-out rows."""
    train, test = pair
    if train is None:
        kept = np.ones(count_rows(rows), dtype=bool)
        kept[test] = False
        train = np.flatnonzero(kept)
    seen = train if is_pairwise(estimator) else None
    train_rows, labels = columns_of(take_rows(rows, train), seen), classes[codes[train]]
    learner = _fit(estimator, train_rows, labels, take_rows(weights, train))
    scores = _scores(learner, columns_of(take_rows(rows, test), seen), classes)
    return learner, test, scores, seen


def _calibrate_prefit(
    estimator: Any, rows: Array, classes: Array, codes: Array, weights: Array | None, method: str
) -> CalibratedClassifier:
    fitted_classes = np.asarray(estimator.classes_)
    unseen = [label for label in classes.tolist() if label not in fitted_classes.tolist()]
    if unseen:
        raise ValueError(f"y holds {shown(unseen[0])}, which the fitted estimator does not know.")
    code_of_label = {label: c for c, label in enumerate(fitted_classes.tolist())}
    codes = np.array([code_of_label[label] for label in classes.tolist()])[codes]
    scores = _scores(estimator, rows, fitted_classes)
    return CalibratedClassifier(
        estimator,
        _calibrators(estimator, scores, codes, len(fitted_classes), weights, method),
        fitted_classes,
        method,
    )


def _calibrate_on_all_rows(
    estimator: Any,
    fits: list[tuple[Any, Array, Array, Array | None]],
    rows: Any,
    classes: Array,
    codes: Array,
    weights: Array | None,
    method: str,
) -> CalibratedClassifier:
    scores = np.zeros((len(codes), 1 if len(classes) == 2 else len(classes)))
    seen = np.zeros(len(codes), dtype=bool)
    for _, test, fold_scores, _ in fits:
        scores[test], seen[test] = fold_scores, True
    if not seen.all():
        raise ValueError("cv must hold out each row once for ensemble=False. Pass cv=5.")
    learner = _fit(estimator, rows, classes[codes], weights)
    calibrators = _calibrators(learner, scores, codes, len(classes), weights, method)
    return CalibratedClassifier(learner, calibrators, classes, method)


def _scores(learner: Any, X: Array, classes: Array) -> Array:
    """Scores of all classes, (m, K), or of the second of two, (m, 1).

    Scores of classes that the learner has not seen are NaN.
    """
    predict = getattr(learner, "decision_function", None)
    if predict is None:
        predict = getattr(learner, "predict_proba", None)
        if predict is None:
            raise TypeError(
                f"{type(learner).__name__} has neither decision_function nor predict_proba, of "
                "which one is to be calibrated."
            )
    scores = np.asarray(predict(X), dtype=np.float64)
    learned_classes = np.asarray(learner.classes_)
    if scores.ndim == 1:
        scores = scores[:, None]
    if len(learned_classes) == 2 and scores.shape[1] == 2:
        scores = scores[:, 1:]
    if len(classes) == 2:
        return scores
    code_of_label = {label: c for c, label in enumerate(classes.tolist())}
    if len(learned_classes) == 2:  # two of several classes
        scores = np.column_stack([-scores, scores])
    out = np.full((len(scores), len(classes)), np.nan)
    out[:, [code_of_label[label] for label in learned_classes.tolist()]] = scores
    return out


def _gives_probabilities(learner: Any) -> bool:
    """Whether the scores are probabilities, as there is no decision_function."""
    return getattr(learner, "decision_function", None) is None


def _calibrators(learner, scores, codes, k, weights, method):
    row_weights = np.ones(len(codes)) if weights is None else weights
    require_weight(row_weights)
    if method == "temperature":
        return [
            temperature_fit(as_logits(scores, _gives_probabilities(learner)), codes, row_weights)
        ]
    positives = [codes == 1] if k == 2 else [codes == c for c in range(k)]
    calibrators = []
    for c, positive in enumerate(positives):
        if np.isnan(scores[:1, c]).any():
            calibrators.append(None)  # a class that was not seen has probability 0
        elif method == "sigmoid":
            calibrators.append(sigmoid_fit(scores[:, c], positive, row_weights))
        else:
            calibrators.append(_isotonic_calibrator(scores[:, c], positive, row_weights))
    return calibrators


def _isotonic_calibrator(scores: Array, positive: Array, row_weights: Array) -> tuple[Array, Array]:
    """Places and values of the isotonic calibrator; scores that differ by rounding are one place.

    The scores of equal rows may differ in their last digits, as sums have other orders.
    """
    places, share, place_weights = at_distinct_places(
        scores, positive.astype(np.float64), row_weights
    )
    return places, isotonic(share, place_weights)
