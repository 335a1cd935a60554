# SPDX-License-Identifier: BSD-3-Clause
"""Bagging of classifiers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from statfast._estimator import (
    Classifier,
    Estimator,
    count_rows,
    delegated,
    fitted,
    weighted_labels,
)
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import shown
from statfast.ensemble.bagging.model import BaggingModel
from statfast.tree import DecisionTreeClassifier


class BaggingClassifier(Classifier, BaggingModel):
    """Bagging of classifiers: the mean of their probabilities, or the majority of their votes.

    Parameters
    ----------
    estimator : estimator, optional
        What is bagged: anything with ``fit`` and ``predict``. None is ``DecisionTreeClassifier()``.
    n_estimators : int, default=10
        Members.
    max_samples : int or float, optional
        Samples drawn for each; a float is a fraction of the samples with weight. None draws as many
        as there are.
    max_features : int or float, default=1.0
        Columns drawn for each, or their share.
    bootstrap : bool, default=True
        Draw samples with replacement.
    bootstrap_features : bool, default=False
        Draw columns with replacement.
    oob_score : bool, default=False
        Rate members by the samples that were not drawn for them.
    warm_start : bool, default=False
        Keep the members of the last fit, to the same samples, and add to them.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the drawn rows and columns, and of members that have a
        ``random_state``; an integer makes the result reproducible.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending. Members are fitted to their numbers, 0 to K - 1.
    n_classes_ : int
        Number of classes.
    estimator_ : estimator
        What was copied.
    estimators_ : list of estimators
        The members. Fitted on a data frame, those of this package know the names of their columns.
    estimators_samples_, estimators_features_ : list of ndarray
        Rows and columns drawn for each, ascending.
    oob_decision_function_ : ndarray of shape (n, K)
        Mean probabilities by the members that a row was not drawn for; NaN where there is none.
        With ``oob_score=True``.
    oob_score_ : float
        Accuracy of those, among samples that have them; NaN if none has.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    majority_error : The error of a majority of independent voters.

    Notes
    -----
    Members without ``predict_proba`` have one vote each. Ties go to the lowest class.

    A bootstrap of n rows holds 1 - (1 - 1/n)^n of them, about 63.2 %. Members that take weights are
    fitted to the distinct rows drawn, weighted by how often they were; others to the rows repeated.
    `sample_weight` is the chance of a row to be drawn, as in scikit-learn. Draws of member i come
    from a generator of its own, so that a warm start ends where a fit at once does.

    Cost: that of the fits. Memory: that of the members; draws are made again when asked for.

    References
    ----------
    .. [1] Breiman, L. (1996). Bagging predictors. Machine Learning 24, 123-140.
       https://doi.org/10.1007/BF00058655
    .. [2] Ho, T. K. (1998). The random subspace method for constructing decision forests. IEEE
       Transactions on Pattern Analysis and Machine Intelligence 20, 832-844.
       https://doi.org/10.1109/34.709601

    Examples
    --------
    >>> from statfast.datasets import load_wine
    >>> from statfast.ensemble import BaggingClassifier
    >>> wine = load_wine()
    >>> model = BaggingClassifier(n_estimators=50, oob_score=True, random_state=0)
    >>> round(model.fit(wine.data, wine.target).oob_score_, 2)  # rows that a tree was not fitted to
    0.96
    """

    _members: Any = fitted()

    classes_: Array = fitted()
    n_classes_: int = fitted()
    oob_decision_function_: Array = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None, **fit_params: Any) -> Self:
        """Fit the members.

        Parameters
        ----------
        X : array-like of shape (n, d)
            NaN is a missing value if the estimator takes it; sparse rows if it takes them.
        y : array-like of shape (n,)
            Class labels.
        sample_weight : array-like of shape (n,), optional
            Chances of the samples to be drawn.
        **fit_params : object
            Arguments that the estimator requests, where scikit-learn's metadata routing is enabled;
            of those with a value for each sample, members get the values of their samples.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If shapes differ or a parameter is out of range, also `max_samples` of more rows than
            there are without bootstrap, `oob_score` without it, and other arguments without
            routing.
        TypeError
            If the estimator has no ``fit`` and ``predict``.
        """
        return self._fit(X, y, sample_weight, fit_params)

    def _default(self) -> DecisionTreeClassifier:
        return DecisionTreeClassifier()

    def _targets(
        self, y: Any, n: int, sample_weight: Any
    ) -> tuple[Array, Array | None, dict[str, Any]]:
        classes, codes, weights = weighted_labels(y, n, sample_weight)
        return codes, weights, {"classes_": classes, "n_classes_": len(classes)}

    def _member_answers(self, member: Classifier, rows: Any, published: dict[str, Any]) -> Array:
        return _shares(member, rows, published["n_classes_"])

    def _judge(
        self, mean: Array, judged: Array, target: Array, published: dict[str, Any]
    ) -> dict[str, Any]:
        right = mean[judged].argmax(axis=1) == target[judged]
        score = float(right.mean()) if judged.any() else np.nan
        return {"oob_decision_function_": mean, "oob_score_": score}

    def predict_proba(self, X: Rows, **params: Any) -> Array:
        """Return the mean class probabilities of the members, or proportions of their votes.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.
        **params : object
            Arguments that the estimator requests, where scikit-learn's metadata routing is enabled.

        Returns
        -------
        ndarray of shape (m, K)
        """
        return self._mean_shares(X, params, "predict_proba")

    def _mean_shares(self, X: Any, params: dict[str, Any], method: str) -> Array:
        """Mean probabilities, by the method of members that answers one of the ensemble's."""
        k: Any = self.__dict__.get("n_classes_")
        more = self._arguments_of_members(params, method)
        by_logs = bool(more) and self._method_of_members(method) == "predict_log_proba"

        def shares(member: Any, rows: Any) -> Array:
            return _shares(member, rows, k, more, by_logs)

        return self._sum(X, shares) / len(self._members)

    def _method_of_members(self, method: str) -> str:
        if method == "decision_function":
            return method
        known = [name for name in ("predict_proba",) if hasattr(self._base(), name)]
        if method == "predict_log_proba" and hasattr(self._base(), method):
            known = [method]
        return [*known, "predict"][0]

    def predict_log_proba(self, X: Rows, **params: Any) -> Array:
        """Return the logarithms of the class probabilities; -inf where they are 0.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.
        **params : object
            Arguments that the estimator requests, where scikit-learn's metadata routing is enabled.

        Returns
        -------
        ndarray of shape (m, K)
        """
        with np.errstate(divide="ignore"):
            return np.log(self._mean_shares(X, params, "predict_log_proba"))

    def _delegate(self) -> Estimator | float:
        members = self.__dict__.get("_members")
        return members[0] if members else self.estimator or self._default()

    @delegated("decision_function")
    def decision_function(self, X: Rows, **params: Any) -> Any:
        """Mean of the decision functions of the members; there if the estimator has one.

        `predict` follows `predict_proba`, or the votes.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.
        **params : object
            Arguments that the estimator requests, where scikit-learn's metadata routing is enabled.

        Returns
        -------
        ndarray of shape (m,), or of the shape that members give for several classes

        Raises
        ------
        ValueError
            If a class is not among the rows of a member: its function then has other columns.
        """
        k: Any = self.__dict__.get("n_classes_")

        more = self._arguments_of_members(params, "decision_function")

        def predicted(member: Any, rows: Any) -> Array:
            if len(member.classes_) < k:
                raise ValueError(
                    f"decision_function needs members that know all {k} classes; one has seen "
                    f"{len(member.classes_)}. Raise max_samples."
                )
            return np.asarray(member.decision_function(rows, **more), dtype=np.float64)

        return self._sum(X, predicted) / len(self._members)

    def predict(self, X: Rows, **params: Any) -> Array:
        """Predict the class with the largest probability, the lowest of equals.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.
        **params : object
            Arguments that the estimator requests, where scikit-learn's metadata routing is enabled.

        Returns
        -------
        ndarray of shape (m,)
        """
        shares = self._mean_shares(X, params, "predict")
        return self.classes_[shares.argmax(axis=1)]


def _shares(
    member: Any,
    rows: Any,
    n_classes: Any,
    arguments: Mapping[str, Any] = MappingProxyType({}),
    by_logs: bool = False,
) -> Array:
    """Probabilities of all classes by a member, which may not know some of them; or its vote."""
    out = np.zeros((count_rows(rows), n_classes))
    if by_logs:
        logs = member.predict_log_proba(rows, **arguments)
        out[:, np.asarray(member.classes_, dtype=np.intp)] = np.exp(logs)
    elif callable(getattr(member, "predict_proba", None)):
        out[:, np.asarray(member.classes_, dtype=np.intp)] = member.predict_proba(rows, **arguments)
    else:
        predicted = np.asarray(member.predict(rows, **arguments))
        if predicted.shape != (len(out),) or not np.isin(predicted, np.arange(n_classes)).all():
            raise ValueError(
                f"estimator must predict one of the {n_classes} classes for each row; got "
                f"{shown(predicted)}. Choose another."
            )
        predicted = predicted.astype(np.intp)
        out[np.arange(len(predicted)), predicted] = 1.0
    return out
