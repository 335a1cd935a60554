# SPDX-License-Identifier: BSD-3-Clause
"""Classifiers for the columns of any code matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from statfast._estimator import checked_by, fitted, nothing, one_of, param, randomness, real
from statfast._typing import Array, ArrayLike, Seed, Weights
from statfast._validation import MAX_REPEATS
from statfast.multiclass.codes import DRAWN, NAMED, CodeMatrix, as_code, code_of
from statfast.multiclass.decoding import DECODINGS, bradley_terry, scores
from statfast.multiclass.reduction import Reduction, of_two, where_learners_can

if TYPE_CHECKING:
    from statfast.multiclass.codes import CodeMatrix


class OutputCodeClassifier(Reduction):
    """Error-correcting output codes (ECOC): a binary classifier for each column of a code matrix.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``fit`` and ``decision_function`` or ``predict_proba``. It is copied, not
        fitted itself. Its parameters are parameters of this one: ``estimator__C``.
    code : str, CodeMatrix or array-like of shape (K, L), default="dense_random"
        A row for each class, in the order of the labels, a column for each binary classifier: its
        sides 1 and -1, and 0 for classes that it does not see. Or a name: "one_vs_rest", "ordered",
        "one_vs_one", "asymmetric", "exhaustive", "hadamard", "dense_random", "sparse_random".
    decoding : {"distance", "linear", "exponential", "logistic", "hinge"}, default="logistic"
        With c the word of a class and f the decision values, the class wins that has the least sum
        over the binary classifiers of ``(1 - c_j sign(f_j)) / 2``, ``-z``, ``exp(-z)``, ``log(1 +
        exp(-2 z))`` or ``max(0, 1 - z)``, where ``z = c_j f_j`` [1]_.
    code_size : float or None, default=1.5
        Columns of a random code as a multiple of the number of classes, rounded down; at least
        enough to tell the classes apart. None takes 10 log2(K), or 15 log2(K) for "sparse_random",
        which are more accurate [1]_.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of random codes; an integer makes the result reproducible.
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
        The fitted binary classifiers, whose labels are 0 and 1.
    code_ : CodeMatrix
        The code used; it prints as a table.
    code_book_ : ndarray of shape (K, L)
        Its numbers: the word of each class, of 1, -1 and 0.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    OneVsRestClassifier, OneVsOneClassifier : The two codes used most, with their own decodings.

    Notes
    -----
    **Ties** go to the lowest label. "distance" ties often; the others use the classifiers' margins.

    Cost: L fits. Memory: that of the classifiers. Probabilities cost some dozen to some hundred
    products of m x L and L x K numbers.

    References
    ----------
    .. [1] Allwein, E. L., Schapire, R. E. and Singer, Y. (2000). Reducing multiclass to binary: a
       unifying approach for margin classifiers. Journal of Machine Learning Research 1, 113-141.
       https://doi.org/10.1162/15324430152733133
    .. [2] Huang, T.-K., Weng, R. C. and Lin, C.-J. (2006). Generalized Bradley-Terry models and
       multi-class probability estimates. Journal of Machine Learning Research 7, 85-115.
       https://jmlr.org/papers/v7/huang06a.html

    Examples
    --------
    >>> from statfast import LogisticRegression
    >>> from statfast.datasets import load_iris
    >>> from statfast.multiclass import OutputCodeClassifier
    >>> iris = load_iris()
    >>> model = OutputCodeClassifier(LogisticRegression(C=1.0), code="exhaustive")
    >>> model.fit(iris.data, iris.target).code_
    exhaustive: 3 classes, 3 classifiers, minimum distance 2
       0   1   2
    0  +1  +1  +1
    1  -1  -1  +1
    2  -1  +1  -1
    >>> model.score(iris.data, iris.target)
    0.9533333333333334
    """

    _column_weights: Any = fitted()

    code: CodeMatrix | ArrayLike = param(
        checked_by(as_code, *NAMED, *DRAWN), default="dense_random"
    )
    decoding: Literal["distance", "linear", "exponential", "logistic", "hinge"] = param(
        one_of(*DECODINGS), default="logistic"
    )
    code_size: float | None = param(nothing | real(0, MAX_REPEATS, open_low=True), default=1.5)
    random_state: Seed = param(randomness, default=None)

    def fit(self, X: Any, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit a binary classifier for each column of the code matrix.

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
        self : OutputCodeClassifier

        Raises
        ------
        ValueError
            If there is one class, the code has another number of rows than there are classes, a
            column with one side, or equal rows; or if the estimator refuses the rows.
        TypeError
            If the estimator has no decision values, or is given weights that it does not take.
        """
        self._checked()
        return self._fit_columns(X, y, sample_weight, self._code)

    def _code(self, classes: Array) -> CodeMatrix:
        n_columns, k = None, len(classes)
        if self.code_size is not None:
            n_columns = max(int(self.code_size * k), (k - 1).bit_length())
        return code_of(self._checked_value("code"), classes.tolist(), n_columns, self.random_state)

    @property
    def code_book_(self) -> Array:
        """The numbers of `code_`, as float64."""
        return self.code_.matrix.astype(np.float64)

    def decision_function(self, X: Any) -> Array:
        """Return a score for each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples to predict.

        Returns
        -------
        scores : ndarray of shape (m, K), or (m,) for two classes
            Minus the sum of losses; for "exponential" minus its logarithm. Of two classes, the
            second's less the first's.
        """
        decoding = self._checked_value("decoding")
        return of_two(scores(decoding, self._values(X), self.code_.matrix))

    @where_learners_can
    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, by a generalized Bradley-Terry model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples to predict.

        Returns
        -------
        probabilities : ndarray of shape (m, K)
            Those under which the binary classifiers' are most likely, each weighing as much as its
            samples did; the largest may belong to another class than `predict` gives.
        """
        return bradley_terry(self._shares(X), self.code_.matrix, self._column_weights)
