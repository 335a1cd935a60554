# SPDX-License-Identifier: BSD-3-Clause
"""A classifier for each class, which separates it from the others or from those after it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from statfast._estimator import count_rows, fitted, flag, handed, param, width_of
from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import as_weights, is_sparse, shape_of, warn_user
from statfast.multiclass import learners
from statfast.multiclass.codes import CodeMatrix, one_vs_rest_code
from statfast.multiclass.decoding import normalized
from statfast.multiclass.reduction import FITTING, Reduction, named, where_learners_can
from statfast.preprocessing.encoding.labels import LabelBinarizer, as_indicators


class OneVsRestClassifier(Reduction):
    """One-vs-rest (OvR) multiclass and multilabel strategy.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``fit`` and ``decision_function`` or ``predict_proba``. It is copied, not
        fitted itself. Its parameters are parameters of this one: ``estimator__C``.
    ordered : bool, default=False
        The first class (in the order of the labels) is separated from all others, the second from
        those that are left, and so on. The first binary classifier that says yes decides; where
        none does, the last class.
    n_jobs : int, optional
        Threads, among which the binary classifiers are shared out; None and -1 take all usable
        cores, -2 all but one.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending; the numbers 0 to K - 1 of the columns of an indicator matrix.
    n_classes_ : int
        How many, K.
    estimators_ : list
        The fitted binary classifiers, whose labels are 0 and 1: K of them; K - 1 if ordered; 1 for
        two classes.
    multilabel_ : bool
        Whether y was an indicator matrix.
    label_binarizer_ : LabelBinarizer
        Turns labels to columns of 0 and 1, and back.
    code_ : CodeMatrix
        Which classes each binary classifier has seen, on which side; not of an indicator matrix.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    OneVsOneClassifier : Each pair of classes.
    OutputCodeClassifier : Any code matrix.

    Notes
    -----
    The class whose classifier has the largest decision value wins; **ties** go to the lowest label.
    Decision values of different classifiers need not be on one scale: scale the columns, or choose
    a classifier with probabilities. Each class has fewer rows than the others together, which is
    what ``class_weight="balanced"`` of a classifier is for.

    y may be an **indicator matrix** of shape (n, K), 1 where a row has the label of a column: a row
    has any number of labels, each of which a classifier says by itself. A label that all rows have,
    or none, is given to all new ones, or none, with a warning.

    Cost: K fits to all rows. Memory: that of the classifiers.

    References
    ----------
    .. [1] Rifkin, R. and Klautau, A. (2004). In defense of one-vs-all classification. Journal of
       Machine Learning Research 5, 101-141. https://jmlr.org/papers/v5/rifkin04a.html

    Examples
    --------
    >>> from statfast import LogisticRegression
    >>> from statfast.datasets import load_iris
    >>> from statfast.multiclass import OneVsRestClassifier
    >>> iris = load_iris()
    >>> model = OneVsRestClassifier(LogisticRegression(C=1.0)).fit(iris.data, iris.target)
    >>> model.code_
    one_vs_rest: 3 classes, 3 classifiers, minimum distance 2
       0   1   2
    0  +1  -1  -1
    1  -1  +1  -1
    2  -1  -1  +1
    >>> _ = model.set_params(estimator__C=10.0).fit(iris.data, iris.target)
    >>> model.score(iris.data, iris.target)
    0.9666666666666667
    """

    _sparse: Any = fitted()

    ordered: bool = param(flag, default=False)

    def fit(self, X: Any, y: ArrayLike | Array, sample_weight: Weights = None) -> Self:
        """Fit a binary classifier for each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimator takes
            Training samples.
        y : array-like of shape (n,), or indicator matrix of shape (n, K)
            A label for each row, of at least two classes; or 1 where a row has a label and 0
            elsewhere, dense or sparse.
        sample_weight : array-like of shape (n,), optional
            Passed to the binary classifiers, which have to take it.

        Returns
        -------
        self : OneVsRestClassifier

        Raises
        ------
        ValueError
            If there is one class, an indicator matrix holds other numbers, or the estimator refuses
            the rows.
        TypeError
            If the estimator has no decision values, or is given weights that it does not take.
        """
        params = self._checked()
        Y = as_indicators(y)
        if Y is None:
            return self._fit_columns(X, y, sample_weight, self._code)
        if params.ordered:
            raise ValueError(
                "ordered=True is for one label of each row; y is an indicator matrix, whose labels "
                "do not exclude each other. Set it to False."
            )
        return self._fit_labels(X, Y, is_sparse(y), sample_weight)

    def _fit_labels(self, X: Array, Y: Array, sparse: bool, sample_weight: Any) -> Self:
        """Fit a classifier for each column of an indicator matrix."""
        learners.require_learner(self.estimator)
        rows = handed(X)
        n, k = Y.shape
        if n != count_rows(rows):
            raise ValueError(f"y must have one row per row of X ({count_rows(rows)}); got {n}.")
        weights = as_weights(sample_weight, n)
        if weights is not None:
            learners.require_weights(self.estimator)
        counted = Y if weights is None else Y[weights > 0.0]
        same = (counted[0] == counted).all(axis=0)
        for j in np.flatnonzero(same):
            which = "all rows have" if counted[0, j] else "no row has"
            warn_user(f"Of y, {which} label {j}, so that there is nothing to learn of it.")

        def work(j: int) -> Any:
            if same[j]:
                return learners.Constant(int(counted[0, j]))
            both_sides = np.array([-1, 1], dtype=np.int8)
            return learners.trained(self.estimator, rows, Y[:, j], both_sides, weights, False)[0]

        fitted = self._each(work, range(k), rows, FITTING)
        classes = np.arange(k)
        state = {
            "classes_": classes,
            "n_classes_": k,
            "estimators_": fitted,
            "_seen": [None] * k,
            "_sparse": sparse,
        }
        learner = next(
            (model for model in fitted if not isinstance(model, learners.Constant)),
            None,
        )
        return self._publish(X, **state, n_features_in_=width_of(rows, learner))

    @where_learners_can
    def partial_fit(
        self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: Weights = None
    ) -> Self:
        """Update the classifiers with more samples, if the estimator has ``partial_fit``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimator takes
            Training samples.
        y : array-like of shape (n,)
            A label for each row.
        classes : array-like of shape (K,), optional
            All labels that will ever come; needed by the first call, checked by later ones.
        sample_weight : array-like of shape (n,), optional
            Passed to the binary classifiers, which have to take it.

        Returns
        -------
        self : OneVsRestClassifier

        Raises
        ------
        ValueError
            As for `fit`; also if the first call has no `classes`, if a later one has others, if y
            holds a label that is not among them, or the fit was to an indicator matrix.
        """
        self._checked()
        if self.__sklearn_is_fitted__() and self.multilabel_:
            raise ValueError(
                "partial_fit takes one label for each row; this model was fitted to an indicator "
                "matrix. Fit a new estimator."
            )
        return self._fit_more(X, y, classes, sample_weight, self._code)

    @property
    def multilabel_(self) -> bool:
        """Whether y was an indicator matrix."""
        self.estimators_  # noqa: B018 - there is none before the fit
        return "_sparse" in self.__dict__

    @property
    def label_binarizer_(self) -> Any:
        """Converter between labels and indicator columns."""
        multilabel = self.multilabel_
        kind = "binary" if len(self.classes_) == 2 else "multiclass"
        return LabelBinarizer()._publish_classes(
            self.classes_,
            y_type_="multilabel-indicator" if multilabel else kind,
            sparse_input_=multilabel and self._sparse,
        )

    def _code(self, classes: Array) -> CodeMatrix:
        if len(classes) == 2:
            return CodeMatrix(np.array([[-1], [1]], np.int8), classes.tolist(), "one_vs_rest")
        return named(one_vs_rest_code(len(classes), ordered=bool(self.ordered)), classes)

    def decision_function(self, X: Any) -> Array:
        """Return a score for each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples to predict.

        Returns
        -------
        scores : ndarray of shape (m, K), or (m,) for two classes
            The decision values of the binary classifiers, or their log-odds where they have none;
            positive for a label that a row of an indicator matrix has. If ordered, the least of a
            class's own value and minus those before it: positive for one class at most.
        """
        values = self._values(X)
        if self.multilabel_:
            return values
        if len(self.classes_) == 2:
            return values[:, 0]
        return _in_turn(values) if self.code_.name == "ordered" else values

    def predict(self, X: Any) -> Array:
        """Predict the class, or the labels, of each sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples to predict.

        Returns
        -------
        labels : ndarray of shape (m,), dtype of `classes_`, or indicator matrix of shape (m, K)
            The class with the largest score of `decision_function`, the lowest of equals; or the
            labels of positive scores, sparse if y was.

        Raises
        ------
        ValueError
            If X has other columns than at fit, or the estimator refuses it.
        """
        if self.__sklearn_is_fitted__() and self.multilabel_:
            return self.label_binarizer_.inverse_transform(self._values(X), 0.0)
        return super().predict(X)

    def score(self, X: Any, y: ArrayLike | Array, sample_weight: Weights = None) -> float:
        """Return the (weighted) accuracy; of several labels all must be right.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Test samples.
        y : array-like of shape (m,), or indicator matrix of shape (m, K)
            True labels.
        sample_weight : array-like of shape (m,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        float
        """
        if not (self.__sklearn_is_fitted__() and self.multilabel_):
            return super().score(X, y, sample_weight)
        predicted = self._values(X) > 0.0
        truth = as_indicators(y)
        if truth is None or truth.shape[1] != predicted.shape[1]:
            raise ValueError(
                f"y must be an indicator matrix of {predicted.shape[1]} columns, as that of the "
                f"fit; got shape {shape_of(y)}. Pass a column for each label."
            )
        if len(truth) != len(predicted):
            raise ValueError(
                f"y must have one row per row of X ({len(predicted)}); got {len(truth)}."
            )
        correct = (predicted == truth).all(axis=1)
        return float(np.average(correct, weights=as_weights(sample_weight, len(predicted))))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = tags.classifier_tags.multi_label = True
        return tags

    @where_learners_can
    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, or label.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples to predict.

        Returns
        -------
        probabilities : ndarray of shape (m, K)
            Those of the binary classifiers divided by their sum; of labels of an indicator matrix,
            those of the binary classifiers. If ordered, that of a class times those of no from the
            binary classifiers before it; the largest may then belong to another class than
            `predict` gives.
        """
        shares = self._shares(X)
        if self.multilabel_:
            return shares
        if len(self.classes_) == 2:
            return np.column_stack([1.0 - shares, shares])
        if self.code_.name != "ordered":
            return normalized(shares)
        before = np.cumprod(np.column_stack([np.ones(len(shares)), 1.0 - shares]), axis=1)
        return before * np.column_stack([shares, np.ones(len(shares))])


def _in_turn(values: Array) -> Array:
    none_before = np.minimum.accumulate(-values, axis=1)
    scores = np.empty((len(values), values.shape[1] + 1))
    scores[:, :-1], scores[:, -1] = values, none_before[:, -1]
    scores[:, 1:-1] = np.minimum(values[:, 1:], none_before[:, :-1])
    return scores
