# SPDX-License-Identifier: BSD-3-Clause
"""Classifiers whose scores become probabilities by a calibrator fitted to rows held out."""

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
        were held out by, and one classifier, of all samples. "auto" is True, but for scikit-learn's
        FrozenEstimator, which is fitted already.

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
            Of the samples, for a splitter in `cv` that keeps groups together.

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
        given = self._checked()
        method = given.method
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
            models = [_of_prefit(estimator, rows, classes, codes, weights, method)]
            return self._finish(X, rows, models)
        folds = self.cv
        if folds is None or isinstance(folds, int | np.integer):
            require_members(codes, 5 if folds is None else int(folds))
        pairs = as_folds(folds, rows, classes[codes], n, codes, as_groups(groups, n))
        fits = each(
            lambda pair: _held_out(estimator, rows, classes, codes, weights, pair),
            pairs,
            n_jobs=1 if given.n_jobs is None else given.n_jobs,
        )
        frozen = type(self.estimator).__name__ == "FrozenEstimator"
        if not (not frozen if given.ensemble == "auto" else given.ensemble):
            models = [_of_all(estimator, fits, rows, classes, codes, weights, method)]
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
        shares = [one.predict_proba(rows) for one in self.calibrated_classifiers_]
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
            return softmax(self.calibrators[0] * as_logits(scores, _tells_shares(self.estimator)))
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
    """A classifier of the rows of a fold, and its scores of those held out."""
    train, test = pair
    if train is None:
        kept = np.ones(count_rows(rows), dtype=bool)
        kept[test] = False
        train = np.flatnonzero(kept)
    seen = train if is_pairwise(estimator) else None
    some, labels = columns_of(take_rows(rows, train), seen), classes[codes[train]]
    learner = _fit(estimator, some, labels, take_rows(weights, train))
    scores = _scores(learner, columns_of(take_rows(rows, test), seen), classes)
    return learner, test, scores, seen


def _of_prefit(
    estimator: Any, rows: Array, classes: Array, codes: Array, weights: Array | None, method: str
) -> CalibratedClassifier:
    known = np.asarray(estimator.classes_)
    unseen = [label for label in classes.tolist() if label not in known.tolist()]
    if unseen:
        raise ValueError(f"y holds {shown(unseen[0])}, which the fitted estimator does not know.")
    place = {label: c for c, label in enumerate(known.tolist())}
    codes = np.array([place[label] for label in classes.tolist()])[codes]
    scores = _scores(estimator, rows, known)
    return CalibratedClassifier(
        estimator,
        _calibrators(estimator, scores, codes, len(known), weights, method),
        known,
        method,
    )


def _of_all(
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
    for _, test, own, _ in fits:
        scores[test], seen[test] = own, True
    if not seen.all():
        raise ValueError("cv must hold out each row once for ensemble=False. Pass cv=5.")
    learner = _fit(estimator, rows, classes[codes], weights)
    calibrators = _calibrators(learner, scores, codes, len(classes), weights, method)
    return CalibratedClassifier(learner, calibrators, classes, method)


def _scores(learner: Any, X: Array, classes: Array) -> Array:
    """Scores of all classes, (m, K), or of the second of two, (m, 1).

    A class that the learner has not seen has NaN.
    """
    ask = getattr(learner, "decision_function", None)
    if ask is None:
        ask = getattr(learner, "predict_proba", None)
        if ask is None:
            raise TypeError(
                f"{type(learner).__name__} has neither decision_function nor predict_proba, of "
                "which one is to be calibrated."
            )
    said = np.asarray(ask(X), dtype=np.float64)
    known = np.asarray(learner.classes_)
    if said.ndim == 1:
        said = said[:, None]
    if len(known) == 2 and said.shape[1] == 2:
        said = said[:, 1:]
    if len(classes) == 2:
        return said
    place = {label: c for c, label in enumerate(classes.tolist())}
    if len(known) == 2:  # of more that there are
        said = np.column_stack([-said, said])
    out = np.full((len(said), len(classes)), np.nan)
    out[:, [place[label] for label in known.tolist()]] = said
    return out


def _tells_shares(learner: Any) -> bool:
    """Whether the scores are probabilities, as there is no decision_function."""
    return getattr(learner, "decision_function", None) is None


def _calibrators(learner, scores, codes, k, weights, method):
    masses = np.ones(len(codes)) if weights is None else weights
    require_weight(masses)
    if method == "temperature":
        return [temperature_fit(as_logits(scores, _tells_shares(learner)), codes, masses)]
    positives = [codes == 1] if k == 2 else [codes == c for c in range(k)]
    found = []
    for c, positive in enumerate(positives):
        if np.isnan(scores[:1, c]).any():
            found.append(None)  # not seen, and never likely
        elif method == "sigmoid":
            found.append(sigmoid_fit(scores[:, c], positive, masses))
        else:
            found.append(_rising(scores[:, c], positive, masses))
    return found


def _rising(scores: Array, positive: Array, masses: Array) -> tuple[Array, Array]:
    """Places and values of the isotonic calibrator; scores that differ by rounding are one place.

    Sums of members in another order have other last digits for rows that are alike.
    """
    places, share, mass = at_distinct_places(scores, positive.astype(np.float64), masses)
    return places, isotonic(share, mass)
