# SPDX-License-Identifier: BSD-3-Clause
"""Stacking: an estimator that learns from what others answer of rows that they were not fitted to.

Answers of rows held out are those of cross-validation, by the fold plans of the members: where a
member merges statistics of folds, or has a closed form, it is not refitted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from statfast._engine import checkpoint, each
from statfast._estimator import (
    Classifier,
    Regressor,
    by_fit,
    copied,
    count_rows,
    delegated,
    estimator,
    fitted,
    flag,
    handed,
    handed_for,
    nothing,
    one_of,
    param,
    weighted_labels,
    width_of,
)
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_choice, as_rows, as_weights, is_sparse, shown
from statfast.ensemble.combination.named_members import Combination, label_codes, require_weights
from statfast.ensemble.combination.voting import single_target
from statfast.model_selection.evaluation.scoring import (
    as_plan,
    classifies,
    kind_of_estimator,
    with_groups,
)
from statfast.model_selection.evaluation.validate import held_out_answers, require_partition

PREFIT = "prefit"
METHODS = ("predict_proba", "decision_function", "predict")  # in the order of "auto"


class Stacking(Combination):
    """Base of both: answers of rows held out, and the estimator that learns from them."""

    # What subclasses declare, or a fit sets.
    _names: Any = fitted()
    _default: ClassVar[Callable[..., Any]]

    _final_kind: ClassVar[str]

    estimators: Any = param(by_fit, default=None, kw_only=False)
    final_estimator: Any = param(nothing | estimator(), default=None, kw_only=False)
    cv: Any = param(by_fit, default=None)
    passthrough: bool = param(flag, default=False)

    final_estimator_: Any = fitted()
    stack_method_: list[str] = fitted()
    strategies_: list[str] = fitted()
    _widths: list[int] = fitted()
    _labels: Any = fitted()

    def _fit_stack(
        self,
        X: Any,
        rows: Any,
        y: Any,
        codes: Any,
        weights: Any,
        groups: Any,
        wanted: Any,
        **published: Any,
    ) -> Any:
        """Fit members and the final estimator; `codes` are those of labels y, or None."""
        members, final = self._members(), self._checked_final(weights)
        methods = [method_of(member, wanted) for member in members]
        labels = published.get("classes_")

        def targets(model: Any) -> Any:
            """Labels for classifiers; a regressor among classes learns their codes."""
            return y if codes is None or classifies(model) else codes.astype(np.float64)

        if isinstance(self.cv, str):
            as_choice(self.cv, "cv", (PREFIT,))
            models, strategies = [member.estimator for member in members], [PREFIT] * len(members)
            answers = [
                getattr(model, method)(rows) for model, method in zip(models, methods, strict=True)
            ]
        else:
            models = self._fit_members(members, rows, targets, weights, groups)
            answers, strategies = self._held_out(members, methods, rows, targets, groups, weights)
        n = count_rows(rows)
        blocks = [
            answer_columns(answer, method, member.name, labels_of(member.estimator, labels), n)
            for answer, method, member in zip(answers, methods, members, strict=True)
        ]
        arguments = {} if weights is None else {"sample_weight": weights}
        final.fit(self._beside_rows(blocks, rows), y, **arguments)
        return self._publish(
            X, final_estimator_=final, stack_method_=methods, strategies_=strategies,
            n_features_in_=width_of(rows, models[0]), _widths=[b.shape[1] for b in blocks],
            _labels=labels, **self._fitted_names(models, members), **published,
        )  # fmt: skip

    def _checked_final(self, weights: Array | None) -> Any:
        """A copy of the final estimator, or of the default."""
        final = copied(self._default() if self.final_estimator is None else self.final_estimator)
        if kind_of_estimator(final) not in (self._final_kind, None):
            raise ValueError(
                f"final_estimator should be a {self._final_kind}; got {shown(final)}. Choose "
                "another."
            )
        require_weights(final, "final_estimator", weights)
        return final

    def _held_out(
        self,
        members: Any,
        methods: Any,
        rows: Any,
        targets: Any,
        groups: Any,
        weights: Array | None,
    ) -> Any:
        """What each member answers of each row by a fit to other folds, and by which strategy."""
        plan = as_plan(self, rows, targets(self), self.cv, groups, weights)
        require_partition(plan, type(self).__name__)

        def work(place: Any) -> Any:
            checkpoint()
            model = copied(members[place].estimator)
            folds = with_groups(replace(plan, y=targets(model)), model, groups)
            return held_out_answers(model, folds, methods[place])

        answers = each(work, range(len(members)), n_jobs=self._threads())
        return [answer for answer, _ in answers], [strategy for _, strategy in answers]

    def _beside_rows(self, blocks: list[Any], rows: Any) -> Any:
        """Columns of all members, with `passthrough` beside those of the rows."""
        if not self._checked_value("passthrough"):
            return np.hstack(blocks)
        if is_sparse(rows):
            from scipy import sparse

            return sparse.hstack([*blocks, rows], format="csr")
        return np.hstack([*blocks, as_rows(rows, finite=False)])

    def _answers_of(self, X: Any) -> Any:
        """The columns that the final estimator takes, of new rows."""
        rows = handed_for(self, X)
        n = count_rows(rows)

        def ask(place: Any, model: Any) -> Any:
            method = self.stack_method_[place]
            answers = getattr(model, method)(rows)
            labels = labels_of(model, self._labels)
            return answer_columns(answers, method, self._names[place], labels, n)

        return self._beside_rows(self._each_member(ask, rows), rows)

    def _delegate(self) -> Any:
        """The final estimator, fitted if this is."""
        if "final_estimator_" in self.__dict__:
            return self.final_estimator_
        return self._default() if self.final_estimator is None else self.final_estimator

    def predict(self, X: Rows, **predict_params: Any) -> Array:
        """Predict by the final estimator, from the answers of the others.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimators take
            Samples to predict.
        **predict_params : object
            Arguments of ``predict`` of the final estimator.

        Returns
        -------
        ndarray of shape (m,)
        """
        columns = self._answers_of(X)
        return self.final_estimator_.predict(columns, **predict_params)

    def transform(self, X: Rows) -> Any:
        """Return the answers of the estimators, fitted to all samples: what the final one takes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimators take
            Samples.

        Returns
        -------
        ndarray of shape (m, L'), or sparse matrix
            Of a method with one value a row a column, of two probabilities that of the second
            class, of more answers a column for each; with `passthrough` the columns of X after
            them, sparse if X is.
        """
        return self._answers_of(X)

    def _named(self, names: Any) -> Any:
        prefix = type(self).__name__.lower()
        columns = [
            f"{prefix}_{name}" if width == 1 else f"{prefix}_{name}{k}"
            for name, width in zip(self._names, self._widths, strict=True)
            for k in range(width)
        ]
        return [*columns, *names] if self._checked_value("passthrough") else columns


class StackingClassifier(Classifier, Stacking):
    """Stacked classifier: a classifier learns from what several others answer of rows held out.

    Parameters
    ----------
    estimators : list of (str, estimator)
        Names and estimators. They are copied, not fitted themselves, unless `cv` is "prefit".
        "drop" in place of one leaves it out. A regressor among them learns the places of the
        labels in `classes_`. Parameters are set as ``name__parameter``.
    final_estimator : estimator, optional
        A classifier of their answers. None is ``LogisticRegression(C=1.0)``.
    stack_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        What each estimator is asked. "auto" is the first of these that it has.
    cv : int, splitter, iterable or "prefit", optional
        Folds, which must hold out each row once. None is 5 folds, and an integer so many, with the
        proportions of the classes in each. "prefit": the estimators are fitted already, and the
        final one is fitted to their answers of all rows, which should not be those of their fit.
    passthrough : bool, default=False
        Whether the final estimator gets the columns of X, too, which have to be numbers then.
    n_jobs : int, optional
        Threads, among which the estimators are shared out. None fits one after the other, each
        with threads of its own.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    estimators_ : list of estimators
        Fitted to all samples, without those dropped.
    named_estimators_ : dict
        The same by name, as entries and attributes; "drop" for those dropped.
    final_estimator_ : estimator
        The fitted classifier of their answers.
    stack_method_ : list of str
        What each estimator is asked.
    strategies_ : list of str
        How each was cross-validated: "merged statistics", "closed form", "shared structure",
        "refit"; or "prefit".
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    VotingClassifier : Without a classifier that learns how much each counts.
    statfast.model_selection.cross_val_predict : The answers of rows held out.

    Notes
    -----
    **Ties** are those of the final estimator. Estimators and the final one are fitted to the labels
    of y as they are. Samples of weight 0 are left out of all fits.

    Cost: a fit of each estimator to all rows, and what `cross_val_predict` takes: no refit of
    folds where `strategies_` has another word than "refit". Memory: L' columns of n numbers.

    References
    ----------
    .. [1] Wolpert, D. H. (1992). Stacked generalization. Neural Networks 5, 241-259.
       doi:10.1016/S0893-6080(05)80023-1
    .. [2] Ting, K. M. and Witten, I. H. (1999). Issues in stacked generalization. Journal of
       Artificial Intelligence Research 10, 271-289. doi:10.1613/jair.594

    Examples
    --------
    >>> from statfast import KNeighborsClassifier, LinearDiscriminantAnalysis, StackingClassifier
    >>> from statfast.datasets import load_wine
    >>> wine = load_wine()
    >>> members = [("lda", LinearDiscriminantAnalysis()), ("knn", KNeighborsClassifier())]
    >>> model = StackingClassifier(members).fit(wine.data, wine.target)
    >>> model.strategies_
    ['merged statistics', 'refit']
    >>> model.transform(wine.data).shape
    (178, 6)
    >>> round(model.score(wine.data, wine.target), 2)
    1.0
    """

    _kinds = ("classifier", "regressor")
    _final_kind = "classifier"

    stack_method: Literal["auto", "predict_proba", "decision_function", "predict"] = param(
        one_of("auto", *METHODS), default="auto"
    )

    classes_: Array = fitted()

    def _default(self) -> Any:
        from statfast.linear import LogisticRegression

        return LogisticRegression(C=1.0)

    def fit(
        self,
        X: Rows,
        y: ArrayLike,
        sample_weight: Weights = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Fit the estimators, and the final one to their answers of rows held out.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimators take
            Training samples.
        y : array-like of shape (n,)
            A label for each row, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            Passed to the estimators, which have to take it.
        groups : array-like of shape (n,), optional
            Group of each sample, for splitters that keep groups together.

        Returns
        -------
        self : StackingClassifier

        Raises
        ------
        ValueError
            If names repeat or hold "__", all estimators are dropped, one has no method that is
            asked, the folds do not hold out each row once, or an estimator refuses the rows.
        TypeError
            If `estimators` is not a list of pairs of names and estimators, or weights are passed to
            one that does not take them.
        """
        wanted = self._checked().stack_method
        rows = handed(X)
        classes, codes, weights = weighted_labels(y, count_rows(rows), sample_weight, least=2)
        return self._fit_stack(
            X, rows, classes[codes], codes, weights, groups, wanted, classes_=classes
        )

    @delegated("predict_proba")
    def predict_proba(self, X: Rows) -> Array:
        """Return the class probabilities of the final estimator, if it has them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimators take
            Samples to predict.

        Returns
        -------
        probabilities : ndarray of shape (m, K)
        """
        columns = self._answers_of(X)
        return self.final_estimator_.predict_proba(columns)

    @delegated("decision_function")
    def decision_function(self, X: Rows) -> Array:
        """Return the decision values of the final estimator, if it has them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimators take
            Samples to predict.

        Returns
        -------
        ndarray of shape (m,), or (m, K)
        """
        columns = self._answers_of(X)
        return self.final_estimator_.decision_function(columns)


class StackingRegressor(Regressor, Stacking):
    """Stacked regressor: a regressor learns from what several others predict of rows held out.

    Parameters
    ----------
    estimators : list of (str, estimator)
        Names and regressors. They are copied, not fitted themselves, unless `cv` is "prefit".
        "drop" in place of one leaves it out. Parameters are set as ``name__parameter``.
    final_estimator : estimator, optional
        A regressor of their predictions. None is ``RidgeCV()``.
    cv : int, splitter, iterable or "prefit", optional
        Folds, which must hold out each row once. None is 5 folds, and an integer so many.
        "prefit": the estimators are fitted already, and the final one is fitted to their
        predictions of all rows, which should not be those of their fit.
    passthrough : bool, default=False
        Whether the final estimator gets the columns of X, too, which have to be numbers then.
    n_jobs : int, optional
        Threads, among which the estimators are shared out. None fits one after the other, each
        with threads of its own.

    Attributes
    ----------
    estimators_ : list of estimators
        Fitted to all samples, without those dropped.
    named_estimators_ : dict
        The same by name, as entries and attributes; "drop" for those dropped.
    final_estimator_ : estimator
        The fitted regressor of their predictions.
    stack_method_ : list of str
        "predict" for each estimator.
    strategies_ : list of str
        How each was cross-validated: "merged statistics", "closed form", "shared structure",
        "refit"; or "prefit".
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    VotingRegressor : Without a regressor that learns how much each counts.
    statfast.model_selection.cross_val_predict : The predictions of rows held out.

    Notes
    -----
    Breiman [2]_ lets no estimator count less than nothing: ``LinearRegression(positive=True,
    fit_intercept=False)`` as the final one. Samples of weight 0 are left out of all fits.

    Cost: a fit of each estimator to all rows, and what `cross_val_predict` takes: no refit of
    folds where `strategies_` has another word than "refit". Memory: L columns of n numbers.

    References
    ----------
    .. [1] Wolpert, D. H. (1992). Stacked generalization. Neural Networks 5, 241-259.
       doi:10.1016/S0893-6080(05)80023-1
    .. [2] Breiman, L. (1996). Stacked regressions. Machine Learning 24, 49-64.
       doi:10.1007/BF00117832

    Examples
    --------
    >>> from statfast import KNeighborsRegressor, LinearRegression, Ridge, StackingRegressor
    >>> from statfast.datasets import load_wine
    >>> X, y = load_wine().data[:, 1:], load_wine().data[:, 0]  # alcohol, from all else
    >>> members = [("ridge", Ridge(1.0)), ("knn", KNeighborsRegressor(n_neighbors=7))]
    >>> simplex = LinearRegression(positive=True, fit_intercept=False)
    >>> model = StackingRegressor(members, simplex).fit(X, y)
    >>> model.strategies_
    ['merged statistics', 'refit']
    """

    _kinds = ("regressor",)
    _final_kind = "regressor"

    def _default(self) -> Any:
        from statfast.linear import RidgeCV

        return RidgeCV()

    def fit(
        self,
        X: Rows,
        y: ArrayLike,
        sample_weight: Weights = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Fit the estimators, and the final one to their predictions of rows held out.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimators take
            Training samples.
        y : array-like of shape (n,)
            Target values.
        sample_weight : array-like of shape (n,), optional
            Passed to the estimators, which have to take it.
        groups : array-like of shape (n,), optional
            Group of each sample, for splitters that keep groups together.

        Returns
        -------
        self : StackingRegressor

        Raises
        ------
        ValueError
            If names repeat or hold "__", all estimators are dropped, one is not a regressor, the
            folds do not hold out each row once, or an estimator refuses the rows.
        TypeError
            If `estimators` is not a list of pairs of names and estimators, or weights are passed to
            one that does not take them.
        """
        self._checked()
        rows = handed(X)
        n = count_rows(rows)
        y, weights = single_target(y, n), as_weights(sample_weight, n)
        return self._fit_stack(X, rows, y, None, weights, groups, "predict")


def method_of(member: Any, wanted: Any) -> Any:
    """The method that a member is asked."""
    estimator = member.estimator
    if wanted == "auto":
        for method in METHODS:
            if hasattr(estimator, method):
                return method
    if not hasattr(estimator, wanted):
        raise ValueError(
            f"stack_method={wanted!r} asks estimators for it; {member.name!r}, "
            f"{shown(estimator)}, does not have the method {wanted}. Pass 'auto'."
        )
    return wanted


def labels_of(model: Any, labels: Any) -> Any:
    """The labels that a member predicts; None of one that predicts numbers."""
    return labels if classifies(model) else None


def answer_columns(answers: Any, method: str, name: str, labels: Any, n: int) -> Any:
    """What a member answers as columns of numbers: (n, 1), or one for each class."""
    if method == "predict" and labels is not None:
        answers = label_codes(answers, name, labels, n)
    columns = np.asarray(answers, dtype=np.float64)
    if columns.ndim not in (1, 2) or len(columns) != n:
        raise ValueError(
            f"estimators: {name!r} must answer each of {n} rows of X by numbers; {method} gave "
            f"shape {columns.shape}. Choose another."
        )
    if columns.ndim == 1:
        return columns[:, None]
    return columns[:, 1:] if method == "predict_proba" and columns.shape[1] == 2 else columns
