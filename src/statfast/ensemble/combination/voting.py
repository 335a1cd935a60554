# SPDX-License-Identifier: BSD-3-Clause
"""Voting: the labels, the probabilities or the numbers of several estimators, as they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    SHARED,
    Classifier,
    FoldTask,
    Regressor,
    SharedFits,
    array,
    available,
    by_fit,
    copied,
    count_rows,
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
from statfast._validation import as_targets, as_vector, as_weights, shown, warn_column_vector
from statfast.ensemble.combination.named_members import (
    Combination,
    Member,
    label_codes,
    require_weights,
)
from statfast.model_selection.evaluation.fold_strategies import REFIT, FoldFits

HARD, SOFT = "hard", "soft"


class VotingEnsemble(Combination):
    """Base of both: weights of members."""

    estimators: Any = param(by_fit, default=None, kw_only=False)
    weights: ArrayLike | None = param(nothing | array, default=None)

    _member_weights: Array = fitted()

    def _checked_members(self, sample_weight: Any) -> tuple[list[Member], Array]:
        """The members that are not dropped and their weights, with all parameters checked."""
        self._checked()
        members = self._members()
        for member in members:
            require_weights(member.estimator, f"estimators: {member.name!r}", sample_weight)
        return members, self._weights_of(members)

    def _learned(self, y: Any, sample_weight: Any) -> dict[str, Any]:
        """What the targets alone tell."""
        return {}

    def _assembled(
        self, X: Any, members: list[Member], models: list[Any], weights: Array, **learned: Any
    ) -> Any:
        """The ensemble of fitted members."""
        return self._publish(
            X, _member_weights=weights, n_features_in_=width_of(handed(X), models[0]),
            **self._fitted_names(models, members), **learned,
        )  # fmt: skip

    def _plan_folds(self, task: FoldTask) -> Any:
        """The folds of all members, each by its own plan, if one of them needs no refits."""
        folds = task.folds
        if task.pairwise or any(task.candidates) or folds.y is None or folds.y.ndim != 1:
            return None
        try:
            members, weights = self._checked_members(folds.weights)
        except (TypeError, ValueError):  # The fit of each fold says so.
            return None
        of_members = replace(folds, X=handed(folds.X))
        fits = [FoldFits(copied(member.estimator), of_members) for member in members]
        strategies = {fit.strategy for fit in fits}
        if strategies == {REFIT}:
            return None

        def models() -> Any:
            for k, fold in enumerate(zip(*fits, strict=True)):
                fitted_members = [member.models[0] for member in fold]
                errors = [model for model in fitted_members if isinstance(model, Exception)]
                if errors:
                    yield errors[:1]
                    continue
                _, y, row_weights = task.rows_of_fit(k)
                learned = self._learned(y, row_weights)
                ensemble = copied(self)
                yield [ensemble._assembled(folds.X, members, fitted_members, weights, **learned)]

        return SharedFits(folds.X, models(), strategies.pop() if len(strategies) == 1 else SHARED)

    def _weights_of(self, members: Any) -> Any:
        """The weight of each member that is not dropped, 1 without weights."""
        if self.weights is None:
            return np.ones(len(members))
        weights, count = as_vector(self.weights, "weights"), len(self.estimators)
        if len(weights) != count:
            raise ValueError(
                f"weights must have one number for each of {count} estimators; got "
                f"{len(weights)}. Count those dropped, too."
            )
        if (weights < 0.0).any():
            raise ValueError(
                f"weights must not be negative; got {shown(weights.tolist())}. Drop the estimator."
            )
        kept = weights[[member.place for member in members]]
        if not kept.any():
            raise ValueError("weights must not all be 0 for estimators that are not dropped.")
        return kept

    def _mean(self, answers: Any) -> Any:
        """The weighted mean of what members answer, summed in their order."""
        weights = self._member_weights
        total = weights[0] * answers[0]
        for weight, answer in zip(weights[1:], answers[1:], strict=True):
            total += weight * answer
        return total / weights.sum()


def _has_probabilities(model: Any) -> None:
    """Raise AttributeError where there is no mean of probabilities."""
    if model.voting != SOFT:
        raise AttributeError(
            f"predict_proba is not available when voting={model.voting!r}. Pass voting='soft'."
        )


class VotingClassifier(Classifier, VotingEnsemble):
    """Voting classifier: the majority of several classifiers, or their mean probability.

    Parameters
    ----------
    estimators : list of (str, estimator)
        Names and classifiers with ``fit`` and ``predict``; for soft voting with
        ``predict_proba``, too. They are copied, not fitted themselves. "drop" in place of one
        leaves it out. Parameters are set as ``name__parameter``, and a classifier by its name.
    voting : {"hard", "soft"}, default="hard"
        The class with the most votes, or with the largest mean probability.
    flatten_transform : bool, default=True
        With soft voting: whether `transform` gives a matrix, or an array of three dimensions.
    weights : array-like of shape (L,), optional
        How much each classifier counts, dropped ones among them; not negative. None is 1 for all.
    n_jobs : int, optional
        Threads, among which the classifiers are shared out. None fits one after the other, each
        with threads of its own.

    Attributes
    ----------
    estimators_ : list of estimators
        The fitted copies, without those dropped.
    named_estimators_ : dict
        The same by name, as entries and attributes; "drop" for those dropped.
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    StackingClassifier : Another classifier learns how much each counts, and where.
    BaggingClassifier : Copies of one classifier, fitted to rows drawn.
    majority_error : How wrong a majority of independent classifiers is.

    Notes
    -----
    **Ties** of votes or of mean probabilities go to the lowest label. Members are fitted to the
    labels of y as they are, so that their class weights name these. Soft voting is as good as the
    probabilities: calibrate those of a classifier that exaggerates.

    Cost: that of the members; cross-validation fits each by its own plan, without refits where its
    fit is a sum. Memory: an answer of each member, n K numbers for soft voting.

    References
    ----------
    .. [1] Kittler, J., Hatef, M., Duin, R. P. W. and Matas, J. (1998). On combining classifiers.
       IEEE Transactions on Pattern Analysis and Machine Intelligence 20, 226-239.
       doi:10.1109/34.667881

    Examples
    --------
    >>> from statfast import GaussianNB, KNeighborsClassifier, LinearDiscriminantAnalysis
    >>> from statfast import VotingClassifier
    >>> from statfast.datasets import load_wine
    >>> wine = load_wine()
    >>> members = [("lda", LinearDiscriminantAnalysis()), ("nb", GaussianNB()),
    ...            ("knn", KNeighborsClassifier())]
    >>> model = VotingClassifier(members, voting="soft").fit(wine.data, wine.target)
    >>> {name: round(one.score(wine.data, wine.target), 2)
    ...  for name, one in model.named_estimators_.items()}
    {'lda': 1.0, 'nb': 0.99, 'knn': 0.79}
    >>> round(model.score(wine.data, wine.target), 2)
    1.0
    >>> model = model.set_params(knn="drop", weights=[2, 1, 1]).fit(wine.data, wine.target)
    >>> len(model.estimators_)
    2
    """

    # What subclasses declare, or a fit sets.
    _names: Any = fitted()

    _kinds = ("classifier",)

    voting: Literal["hard", "soft"] = param(one_of(HARD, SOFT), default=HARD)
    flatten_transform: bool = param(flag, default=True)

    classes_: Array = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit a copy of each classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimators take
            Training samples.
        y : array-like of shape (n,)
            A label for each row.
        sample_weight : array-like of shape (n,), optional
            Passed to the estimators, which have to take it.

        Returns
        -------
        self : VotingClassifier

        Raises
        ------
        ValueError
            If names repeat or hold "__", all estimators are dropped, one is not a classifier,
            `weights` has not one number for each, or an estimator refuses the rows.
        TypeError
            If `estimators` is not a list of pairs of names and estimators, or weights are passed to
            one that does not take them.
        """
        members, member_weights = self._checked_members(sample_weight)
        rows = handed(X)
        classes, codes, weights = weighted_labels(y, count_rows(rows), sample_weight)
        labels = classes[codes]
        models = self._fit_members(members, rows, lambda _: labels, weights)
        return self._assembled(X, members, models, member_weights, classes_=classes)

    def _checked_members(self, sample_weight: Any) -> tuple[list[Member], Array]:
        members, weights = super()._checked_members(sample_weight)
        for member in members if self.voting == SOFT else []:
            if not hasattr(member.estimator, "predict_proba"):
                raise TypeError(
                    f"estimators: {member.name!r} must have predict_proba for voting='soft'; "
                    f"{type(member.estimator).__name__} has none. Pass voting='hard'."
                )
        return members, weights

    def _learned(self, y: Any, sample_weight: Any) -> dict[str, Any]:
        return {"classes_": weighted_labels(y, len(y), sample_weight)[0]}

    def predict(self, X: Rows) -> Array:
        """Predict the class with the most votes, or the largest mean probability.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimators take
            Samples to predict.

        Returns
        -------
        labels : ndarray of shape (m,), dtype of `classes_`
            The lowest of equals.
        """
        rows = handed_for(self, X)
        if self._checked_value("voting") == SOFT:
            scores = self._mean(self._shares(rows))
        else:
            votes = self._votes(rows)
            scores = np.zeros((len(votes[0]), len(self.classes_)))
            for codes, weight in zip(votes, self._member_weights, strict=True):
                scores[np.arange(len(codes)), codes] += weight
        return self.classes_[scores.argmax(axis=1)]

    @available(_has_probabilities)
    def predict_proba(self, X: Rows) -> Array:
        """Return the mean class probabilities of the classifiers; for soft voting alone.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimators take
            Samples to predict.

        Returns
        -------
        probabilities : ndarray of shape (m, K)
        """
        return self._mean(self._shares(handed_for(self, X)))

    def transform(self, X: Rows) -> Any:
        """Return what each classifier answers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimators take
            Samples to predict.

        Returns
        -------
        answers : ndarray of shape (m, L), (m, L K) or (L, m, K)
            Hard voting: places in `classes_` of the labels they predict. Soft voting: the
            probabilities of one beside those of the next or, without `flatten_transform`, a matrix
            of each.
        """
        rows = handed_for(self, X)
        if self._checked_value("voting") == HARD:
            return np.column_stack(self._votes(rows))
        shares = self._shares(rows)
        flat = self._checked_value("flatten_transform")
        return np.hstack(shares) if flat else np.stack(shares)

    def _votes(self, rows: Any) -> Any:
        """The code of the label that each member predicts for each row."""
        n = count_rows(rows)

        def ask(place: Any, model: Any) -> Any:
            return label_codes(model.predict(rows), self._names[place], self.classes_, n)

        return self._each_member(ask, rows)

    def _shares(self, rows: Any) -> Any:
        """The class probabilities by each member: (m, K) of each."""
        shape = (count_rows(rows), len(self.classes_))

        def ask(place: Any, model: Any) -> Any:
            shares = np.asarray(model.predict_proba(rows), dtype=np.float64)
            if shares.shape != shape:
                raise ValueError(
                    f"estimators: {self._names[place]!r} must give probabilities of shape "
                    f"{shape}, for all rows of X and classes of y; got {shares.shape}. Choose "
                    "another."
                )
            return shares

        return self._each_member(ask, rows)

    def _named(self, names: Any) -> Any:
        prefix = type(self).__name__.lower()
        if self._checked_value("voting") == HARD:
            return [f"{prefix}_{name}" for name in self._names]
        if not self._checked_value("flatten_transform"):
            raise ValueError(
                "get_feature_names_out is not supported when voting='soft' and "
                "flatten_transform=False, as there are no columns then. Pass True."
            )
        return [f"{prefix}_{name}{k}" for name in self._names for k in range(len(self.classes_))]


class VotingRegressor(Regressor, VotingEnsemble):
    """Voting regressor: the mean of what several regressors predict.

    Parameters
    ----------
    estimators : list of (str, estimator)
        Names and regressors with ``fit`` and ``predict``. They are copied, not fitted themselves.
        "drop" in place of one leaves it out. Parameters are set as ``name__parameter``, and a
        regressor by its name.
    weights : array-like of shape (L,), optional
        How much each regressor counts, dropped ones among them; not negative. None is 1 for all.
    n_jobs : int, optional
        Threads, among which the regressors are shared out. None fits one after the other, each
        with threads of its own.

    Attributes
    ----------
    estimators_ : list of estimators
        The fitted copies, without those dropped.
    named_estimators_ : dict
        The same by name, as entries and attributes; "drop" for those dropped.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    StackingRegressor : Another regressor learns how much each counts.
    BaggingRegressor : Copies of one regressor, fitted to rows drawn.

    Notes
    -----
    The squared error of the mean is the mean of the squared errors less the (weighted) variance of
    the predictions about it [1]_: regressors that err in other ways help each other. Cost: that of
    the members.

    References
    ----------
    .. [1] Krogh, A. and Vedelsby, J. (1995). Neural network ensembles, cross validation, and active
       learning. Advances in Neural Information Processing Systems 7, 231-238.

    Examples
    --------
    >>> from statfast import KNeighborsRegressor, LinearRegression, VotingRegressor
    >>> from statfast.datasets import load_wine
    >>> X, y = load_wine().data[:, 1:], load_wine().data[:, 0]  # alcohol, from all else
    >>> line, knn = LinearRegression(), KNeighborsRegressor(n_neighbors=2)
    >>> model = VotingRegressor([("line", line), ("knn", knn)], weights=[3, 1]).fit(X, y)
    >>> model.transform(X[:1]).round(1)
    array([[13.7, 14. ]])
    >>> model.predict(X[:1]).round(1)
    array([13.7])
    """

    # What subclasses declare, or a fit sets.
    _names: Any = fitted()

    _kinds = ("regressor",)

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit a copy of each regressor.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimators take
            Training samples.
        y : array-like of shape (n,)
            Target values.
        sample_weight : array-like of shape (n,), optional
            Passed to the estimators, which have to take it.

        Returns
        -------
        self : VotingRegressor

        Raises
        ------
        ValueError
            If names repeat or hold "__", all estimators are dropped, one is not a regressor,
            `weights` has not one number for each, or an estimator refuses the rows.
        TypeError
            If `estimators` is not a list of pairs of names and estimators, or weights are passed to
            one that does not take them.
        """
        members, member_weights = self._checked_members(sample_weight)
        rows = handed(X)
        y, weights = single_target(y, count_rows(rows)), as_weights(sample_weight, count_rows(rows))
        models = self._fit_members(members, rows, lambda _: y, weights)
        return self._assembled(X, members, models, member_weights)

    def predict(self, X: Rows) -> Array:
        """Predict the weighted mean of what the regressors predict.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimators take
            Samples to predict.

        Returns
        -------
        ndarray of shape (m,)
        """
        return self._mean(self._numbers(handed_for(self, X)))

    def transform(self, X: Rows) -> Any:
        """Return what each regressor predicts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimators take
            Samples to predict.

        Returns
        -------
        ndarray of shape (m, L)
        """
        return np.column_stack(self._numbers(handed_for(self, X)))

    def _numbers(self, rows: Any) -> Any:
        """What each member predicts for each row."""
        n = count_rows(rows)

        def ask(place: Any, model: Any) -> Any:
            predicted = np.asarray(model.predict(rows), dtype=np.float64)
            if predicted.size != n:
                raise ValueError(
                    f"estimators: {self._names[place]!r} must predict one number for each of {n} "
                    f"rows of X; got shape {predicted.shape}. Choose another."
                )
            return predicted.reshape(n)

        return self._each_member(ask, rows)

    def _named(self, names: Any) -> Any:
        prefix = type(self).__name__.lower()
        return [f"{prefix}_{name}" for name in self._names]


def single_target(y: Any, n: int) -> Any:
    """The numbers of one output, (n,)."""
    targets, flat = as_targets(y, n)
    if not flat and targets.shape[1] == 1:
        warn_column_vector("y")
    if targets.shape[1] != 1:
        raise ValueError(
            f"y must have one output; got {targets.shape[1]}. Use MultiOutputRegressor for more."
        )
    return targets[:, 0]
