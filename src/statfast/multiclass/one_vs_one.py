# SPDX-License-Identifier: BSD-3-Clause
"""One classifier for each pair of classes, fitted to the rows of the two."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import fitted, flag, is_pairwise, one_of, param
from statfast._typing import Array, ArrayLike, Weights
from statfast.multiclass.codes import CodeMatrix, one_vs_one_code
from statfast.multiclass.decoding import DECODINGS, of_pairs, scores
from statfast.multiclass.reduction import Reduction, named, of_two, where_learners_can


class OneVsOneClassifier(Reduction):
    """One-vs-one (OvO) multiclass strategy.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``fit`` and ``decision_function`` or ``predict_proba``. It is copied, not
        fitted itself. Its parameters are parameters of this one: ``estimator__C``.
    asymmetric : bool, default=False
        Two binary classifiers for each pair, with either class as label 1: for binary classifiers
        to which the labels are not alike.
    decoding : {"votes", "distance", "linear", "exponential", "logistic", "hinge"}, default="votes"
        How the binary classifiers' answers are combined: "votes" counts the pairs that a class
        wins, and lets decision values decide between equal counts; for the others see
        `OutputCodeClassifier`.
    n_jobs : int, optional
        Threads, among which the binary classifiers are shared out; None and -1 take all usable
        cores, -2 all but one.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    n_classes_ : int
        How many, K.
    estimators_ : list
        The fitted binary classifiers, whose labels are 0 and 1: K (K - 1) / 2 of them, twice as
        many if asymmetric.
    code_ : CodeMatrix
        Which classes each binary classifier has seen, on which side.
    pairwise_indices_ : list of ndarray, or None
        The samples that each binary classifier has seen, if the estimator takes a kernel or
        distances made before; else None.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    OneVsRestClassifier : Each class against the others.
    OutputCodeClassifier : Any code matrix.

    Notes
    -----
    **Ties** go to the lowest label: of "votes" where the sums of decision values are equal, too.

    Cost: K (K - 1) / 2 fits to the rows of two classes, n (K - 1) rows in all. Memory: that of the
    classifiers. Kernel matrices (``kernel="precomputed"``) are cut to the rows of a pair.

    References
    ----------
    .. [1] Hastie, T. and Tibshirani, R. (1998). Classification by pairwise coupling. The Annals of
       Statistics 26, 451-471. https://doi.org/10.1214/aos/1028144844
    .. [2] Wu, T.-F., Lin, C.-J. and Weng, R. C. (2004). Probability estimates for multi-class
       classification by pairwise coupling. Journal of Machine Learning Research 5, 975-1005.
       https://jmlr.org/papers/v5/wu04a.html

    Examples
    --------
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_iris
    >>> from statfast.multiclass import OneVsOneClassifier
    >>> iris = load_iris()
    >>> model = OneVsOneClassifier(LinearDiscriminantAnalysis()).fit(iris.data, iris.target)
    >>> model.score(iris.data, iris.target)
    0.98
    >>> model.predict_proba(iris.data[[133]]).round(3)
    array([[0.   , 0.637, 0.363]])
    """

    _seen: Any = fitted()

    asymmetric: bool = param(flag, default=False)
    decoding: Literal["votes", "distance", "linear", "exponential", "logistic", "hinge"] = param(
        one_of("votes", *DECODINGS), default="votes"
    )

    def fit(self, X: Any, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit a binary classifier for each pair of classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimator takes
            Training samples.
        y : array-like of shape (n,)
            A label for each row, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            Passed to the binary classifiers, which have to take it.

        Returns
        -------
        self : OneVsOneClassifier

        Raises
        ------
        ValueError
            If there is one class, or the estimator refuses the rows.
        TypeError
            If the estimator has no decision values, or is given weights that it does not take.
        """
        self._checked()
        return self._fit_columns(X, y, sample_weight, self._code)

    @where_learners_can
    def partial_fit(
        self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: Weights = None
    ) -> Self:
        """Update the classifiers with more samples, if the estimator has ``partial_fit``.

        Each classifier sees the rows of its two classes. Predictions need rows of both.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimator takes
            Training samples.
        y : array-like of shape (n,)
            Class labels.
        classes : array-like of shape (K,), optional
            All labels that will ever come; needed by the first call, checked by later ones.
        sample_weight : array-like of shape (n,), optional
            Passed to the binary classifiers, which have to take it.

        Returns
        -------
        self : OneVsOneClassifier

        Raises
        ------
        ValueError
            As for `fit`; also if the first call has no `classes`, if a later one has others, or
            if y holds a label that is not among them.
        """
        self._checked()
        return self._fit_more(X, y, classes, sample_weight, self._code)

    def _code(self, classes: Array) -> CodeMatrix:
        return named(one_vs_one_code(len(classes), asymmetric=bool(self.asymmetric)), classes)

    @property
    def pairwise_indices_(self) -> Any:
        """Samples seen by each binary classifier, for precomputed kernels or distances."""
        seen = self._seen
        if not is_pairwise(self.estimator):
            return None
        rows = np.arange(self.n_features_in_)
        return [rows if index is None else index for index in seen]

    def decision_function(self, X: Any) -> Array:
        """Return a score for each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples to predict.

        Returns
        -------
        scores : ndarray of shape (m, K), or (m,) for two classes
            The larger the better. For "votes", pairs won, plus a number between -1/3 and 1/3 that
            grows with the sum of the decision values for the class. Of two classes, the second's
            less the first's.
        """
        decoding = self._checked_value("decoding")
        values = self._values(X)
        if decoding != "votes":
            return of_two(scores(decoding, values, self.code_.matrix))
        sums = scores("linear", values, self.code_.matrix)
        if len(self.classes_) == 2:
            return of_two(sums)
        won = scores("linear", np.sign(values), self.code_.matrix)
        played = np.abs(self.code_.matrix).sum(axis=1, dtype=np.float64)
        return 0.5 * (won + played) + sums / (3.0 * (np.abs(sums) + 1.0))

    @where_learners_can
    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, by pairwise coupling.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples to predict.

        Returns
        -------
        probabilities : ndarray of shape (m, K)
            Those that agree best with the binary classifiers', in the sense of least squares; the
            largest may belong to another class than `predict` gives.
        """
        return of_pairs(self._shares(X), self.code_.matrix)
