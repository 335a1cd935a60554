# SPDX-License-Identifier: BSD-3-Clause
"""One learner for each class, which tells it from the others or from those that come after it."""

import numpy as np

from statfast._validation import wrong_type
from statfast.multiclass.codes import CodeMatrix, one_vs_rest_code
from statfast.multiclass.decoding import normalized
from statfast.multiclass.reduction import Reduction, named, where_learners_can


class OneVsRestClassifier(Reduction):
    """Several classes by binary learners: each against the others.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``fit`` and ``decision_function`` or ``predict_proba``. It is copied, not
        fitted itself. Its parameters are parameters of this one: ``estimator__C``.
    ordered : bool, default=False
        The first class (in the order of the labels) is told from all others, the second from those
        that are left, and so on. The first learner that says yes decides; where none does, the
        last class.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    n_classes_ : int
        How many, K.
    estimators_ : list
        The fitted learners, whose labels are 0 and 1: K of them; K - 1 if ordered; 1 for two
        classes.
    code_ : CodeMatrix
        Which classes each learner has seen, on which side.
    n_features_in_ : int
        Number of columns, d.
    feature_names_in_ : ndarray of shape (d,)
        Column names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    OneVsOneClassifier : Each pair of classes.
    OutputCodeClassifier : Any code matrix.

    Notes
    -----
    The class whose learner has the largest decision value wins; **ties** go to the lowest label.
    Decision values of different learners need not be on one scale: scale the columns, or choose a
    learner with probabilities. Each class has fewer rows than the others together, which is what
    ``class_weight="balanced"`` of a learner is for.

    Cost: K fits to all rows. Memory: that of the learners.

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
    one_vs_rest: 3 classes, 3 learners, minimum distance 2
       0   1   2
    0  +1  -1  -1
    1  -1  +1  -1
    2  -1  -1  +1
    >>> _ = model.set_params(estimator__C=10.0).fit(iris.data, iris.target)
    >>> model.score(iris.data, iris.target)
    0.9666666666666667
    """

    def __init__(self, estimator=None, *, ordered=False):
        self.estimator = estimator
        self.ordered = ordered

    def fit(self, X, y, sample_weight=None):
        """Fit a learner for each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimator takes
        y : array-like of shape (n,)
            A label for each row, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            Passed to the learners, which have to take it.

        Returns
        -------
        self : OneVsRestClassifier

        Raises
        ------
        ValueError
            If there is one class, or the estimator refuses the rows.
        TypeError
            If the estimator has no decision values, or is given weights that it does not take.
        """
        if not isinstance(self.ordered, bool | np.bool_):
            raise wrong_type("ordered", "True or False", self.ordered)
        return self._fit_columns(X, y, sample_weight, self._code)

    def _code(self, classes):
        if len(classes) == 2:
            return CodeMatrix([[-1], [1]], classes.tolist(), "one_vs_rest")
        return named(one_vs_rest_code(len(classes), ordered=bool(self.ordered)), classes)

    def decision_function(self, X):
        """Return a score for each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes

        Returns
        -------
        scores : ndarray of shape (m, K), or (m,) for two classes
            The decision values of the learners, or their log-odds where they have none. If
            ordered, the least of a class's own value and minus those before it: positive for one
            class at most.
        """
        values = self._values(X)
        if len(self.classes_) == 2:
            return values[:, 0]
        return _in_turn(values) if self.code_.name == "ordered" else values

    @where_learners_can
    def predict_proba(self, X):
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes

        Returns
        -------
        probabilities : ndarray of shape (m, K)
            Those of the learners divided by their sum. If ordered, that of a class times those of
            no from the learners before it; the largest may then belong to another class than
            `predict` gives.
        """
        shares = self._shares(X)
        if len(self.classes_) == 2:
            return np.column_stack([1.0 - shares, shares])
        if self.code_.name != "ordered":
            return normalized(shares)
        before = np.cumprod(np.column_stack([np.ones(len(shares)), 1.0 - shares]), axis=1)
        return before * np.column_stack([shares, np.ones(len(shares))])


def _in_turn(values):
    none = np.minimum.accumulate(-values, axis=1)
    scores = np.empty((len(values), values.shape[1] + 1))
    scores[:, :-1], scores[:, -1] = values, none[:, -1]
    scores[:, 1:-1] = np.minimum(values[:, 1:], none[:, :-1])
    return scores
