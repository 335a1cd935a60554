# SPDX-License-Identifier: BSD-3-Clause
"""AdaBoost: a weighted vote of classifiers, each fitted to the errors of those before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np

from statfast._engine import checkpoint
from statfast._estimator import (
    Classifier,
    Estimator,
    checked_by,
    columns_of,
    copied,
    count,
    count_rows,
    fitted,
    handed,
    handed_for,
    jobs,
    nothing,
    one_of,
    param,
    randomness,
    real,
    weighted_labels,
    width_of,
    with_tags_of,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed, Weights
from statfast._validation import (
    MAX_REPEATS,
    as_generator,
    as_labels,
    as_weights,
    not_fitted,
)
from statfast.ensemble.adaboost.reweighting import ReweightedRounds
from statfast.ensemble.members.base_estimators import (
    as_learner,
    require_weighted,
    rows_for_all,
)
from statfast.tree import DecisionTreeClassifier
from statfast.tree.growing.arguments import rows_to_answer
from statfast.tree.structure.additive_trees import AdditiveTrees, CoveredTree


class AdaBoostClassifier(Classifier, Estimator):
    """AdaBoost by reweighting or resampling; SAMME for more than two classes.

    Each round fits a classifier to weighted rows. With its error e, the share of the weight that it
    gets wrong, it has the vote alpha = log((1 - e) / e) / 2 (for K classes log((1 - e) / e) +
    log(K - 1), halved), and the rows that it got wrong gain weight by exp(2 alpha).

    Parameters
    ----------
    estimator : estimator, optional
        What is boosted: any classifier whose ``fit`` takes ``sample_weight``, or any at all with
        ``method="resample"``. None is a stump, ``DecisionTreeClassifier(max_depth=1)``.
    n_estimators : int, default=50
        The largest number of rounds. Boosting ends early if a classifier is perfect, or no better
        than chance.
    learning_rate : float, default=1.0
        Factor of all votes.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the drawn samples, and of members that have a ``random_state``; an
        integer makes the result reproducible.
    method : {"reweight", "resample"}, default="reweight"
        Whether members are fitted to weighted samples, or to n samples drawn by their weights (by
        how often each was drawn, if the member takes weights).
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    estimator_ : estimator
        What the members are copies of, not fitted.
    estimators_ : list of estimators
        Fitted estimators.
    estimator_weights_ : ndarray of shape (T,)
        2 alpha, scikit-learn's weights.
    alphas_ : ndarray of shape (T,)
        The votes alpha.
    estimator_errors_ : ndarray of shape (T,)
        The errors e.
    training_errors_ : ndarray of shape (T,)
        Fraction of the weight of the fit that the vote of the members so far gets wrong.
    error_bounds_ : ndarray of shape (T,)
        The product of the sums of weights before they are scaled to 1 again, which for two classes
        is prod 2 sqrt(e (1 - e)): what training errors are at most [1]_.
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    n_classes_ : int
        Number of classes.
    feature_importances_ : ndarray of shape (d,)
        Mean of those of the members by their votes, if these have any.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    HistGradientBoostingClassifier : Boosting by gradients; with ``loss="exponential"``, of the same
        loss.

    Notes
    -----
    Stumps (``max_depth=1`` with ``criterion`` "gini" or "error") are searched without refitting
    trees: columns are ranked once, and weights summed in histograms of the ranks' leading bits as
    64-bit integers, multiples of 2^-(61 - log2 n), exact in any order. A split inside a bin is
    looked for only if a bound on its score, by convexity, exceeds the best between bins. Every
    split between two distinct values is a candidate, so the stump is the best of all; **ties** go
    to the lowest column, then to the lowest threshold.

    `predict` takes the class with the largest vote, the lowest of equals. Rows of weight 0 stay
    out. Members are given weights that sum to the number of other rows, against which penalties
    of theirs weigh as in a fit of them alone.

    Cost: O(n d log n) once and O(n d) a round for stumps, else that of T fits and T predictions.
    Memory: 8 n d bytes for stumps (10 for more than 65 536 rows).

    References
    ----------
    .. [1] Freund, Y. and Schapire, R. E. (1997). A decision-theoretic generalization of on-line
       learning and an application to boosting. Journal of Computer and System Sciences 55, 119-139.
       https://doi.org/10.1006/jcss.1997.1504
    .. [2] Schapire, R. E., Freund, Y., Bartlett, P. and Lee, W. S. (1998). Boosting the margin.
       Annals of Statistics 26, 1651-1686. https://doi.org/10.1214/aos/1024691352
    .. [3] Hastie, T., Rosset, S., Zhu, J. and Zou, H. (2009). Multi-class AdaBoost. Statistics and
       Its Interface 2, 349-360. https://doi.org/10.4310/SII.2009.v2.n3.a8

    Examples
    --------
    >>> from statfast.datasets import load_wine
    >>> from statfast.ensemble import AdaBoostClassifier
    >>> wine = load_wine()
    >>> model = AdaBoostClassifier(n_estimators=30).fit(wine.data, wine.target)
    >>> model.score(wine.data, wine.target)
    1.0

    The training error after 1, 5, 10 and 30 rounds, and what bounds it:

    >>> rounds = [0, 4, 9, 29]
    >>> model.training_errors_[rounds].round(2)
    array([0.3 , 0.06, 0.02, 0.  ])
    >>> model.error_bounds_[rounds].round(2)
    array([0.98, 0.54, 0.26, 0.08])
    """

    # What subclasses declare, or a fit sets.
    _seen: Any = fitted()

    estimator: Any = param(nothing | checked_by(as_learner), default=None, kw_only=False)
    n_estimators: int = param(count(high=MAX_REPEATS), default=50)
    learning_rate: float = param(real(0, open_low=True), default=1.0)
    random_state: Seed = param(randomness, default=None)
    method: Literal["reweight", "resample"] = param(
        one_of("reweight", "resample"), default="reweight"
    )
    n_jobs: Jobs = param(jobs, default=None)

    estimator_: Any = fitted()
    estimators_: list[Any] = fitted()
    estimator_weights_: Array = fitted()
    alphas_: Array = fitted()
    estimator_errors_: Array = fitted()
    training_errors_: Array = fitted()
    error_bounds_: Array = fitted()
    classes_: Array = fitted()
    n_classes_: int = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit the boosted ensemble.

        Parameters
        ----------
        X : array-like of shape (n, d)
            NaN is a missing value if the estimator takes it; sparse rows if it takes them.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Weights to begin with.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If shapes differ, a parameter is out of range, or the first classifier is no better
            than chance.
        TypeError
            If the estimator has no ``fit`` and ``predict``, or takes no weights with
            ``method="reweight"``.

        Warns
        -----
        FitFailedWarning
            If a member after the first cannot be fitted: those before it are kept.
        """
        params = self._checked()
        base = DecisionTreeClassifier(max_depth=1) if self.estimator is None else self.estimator
        resample = params.method == "resample"
        if not resample:
            require_weighted(base)
        rows = rows_for_all(handed(X), base)
        classes, codes, weight = weighted_labels(y, count_rows(rows), sample_weight)
        rng = as_generator(self.random_state)
        weight = np.ones(count_rows(rows)) if weight is None else weight / weight.max()
        weight /= weight.sum()
        boost = ReweightedRounds(rows, classes, codes, weight, base, resample, rng, self.n_jobs)
        boost.run(params.n_estimators, params.learning_rate)
        total = np.array(boost.votes)
        return self._publish(
            X,
            estimator_=copied(base),
            estimators_=boost.members,
            estimator_weights_=total,
            alphas_=total / 2.0,
            estimator_errors_=np.array(boost.errors),
            training_errors_=np.array(boost.training),
            error_bounds_=np.cumprod(boost.sums),
            classes_=classes,
            n_classes_=len(classes),
            _seen=boost.seen if boost.pairwise else None,
            n_features_in_=width_of(rows, boost.members[0]),
        )

    @property
    def feature_importances_(self) -> Array:
        """The mean of the importances of the members, weighted by their votes."""
        self._fitted_members()
        shares = [member.feature_importances_ for member in self.estimators_]
        return np.average(shares, axis=0, weights=self.estimator_weights_)

    # ------------------------------------------------------------ answers
    def decision_function(self, X: Rows) -> Array:
        """Return the weighted vote for each class, on scikit-learn's scale.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.

        Returns
        -------
        ndarray of shape (m,) for two classes, between -2 and 2, or (m, K)
        """
        *_, last = self._stages(X)
        return self._decision(*last)

    def staged_decision_function(self, X: Rows) -> Iterator[Array]:
        """`decision_function` of the first t members, for each t.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.

        Yields
        ------
        ndarray of shape (m,) or (m, K)
        """
        for stage in self._stages(X):
            yield self._decision(*stage)

    def predict(self, X: Rows) -> Array:
        """Predict the class with the largest vote.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.

        Returns
        -------
        ndarray of shape (m,)
        """
        *_, (votes, _) = self._stages(X)
        return self.classes_[votes.argmax(axis=1)]

    def staged_predict(self, X: Rows) -> Iterator[Array]:
        """`predict` of the first t members, for each t.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.

        Yields
        ------
        ndarray of shape (m,)
        """
        for votes, _ in self._stages(X):
            yield self.classes_[votes.argmax(axis=1)]

    def predict_proba(self, X: Rows) -> Array:
        """Return class probabilities: the softmax of the vote divided by K - 1, scikit-learn's.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.

        Returns
        -------
        ndarray of shape (m, K)
        """
        *_, last = self._stages(X)
        return self._probabilities(*last)

    def staged_predict_proba(self, X: Rows) -> Iterator[Array]:
        """`predict_proba` of the first t members, for each t.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.

        Yields
        ------
        ndarray of shape (m, K)
        """
        for stage in self._stages(X):
            yield self._probabilities(*stage)

    def predict_log_proba(self, X: Rows) -> Array:
        """Return the logarithms of the class probabilities.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.

        Returns
        -------
        ndarray of shape (m, K)
        """
        return np.log(self.predict_proba(X))

    def staged_score(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Iterator[float]:
        """Accuracy of the first t members, for each t.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Test samples.
        y : array-like of shape (m,)
            True class labels.
        sample_weight : array-like of shape (m,), optional
            Weights of the samples; None is 1 for all.

        Yields
        ------
        float
        """
        weights = None
        for predicted in self.staged_predict(X):
            weights = as_weights(sample_weight, len(predicted))
            labels, codes = as_labels(y, len(predicted))
            yield float(np.average(predicted == labels[codes], weights=weights))

    def margins(self, X: Rows, y: ArrayLike) -> Array:
        """Return the margin of each sample: the vote for its class less the largest other.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.
        y : array-like of shape (m,)
            Class labels.

        Returns
        -------
        ndarray of shape (m,)
            The fraction of the votes for the own class, less the largest share for another: from -1
            to 1, positive where `predict` is right.
        """
        *_, (votes, total) = self._stages(X)
        labels, codes = as_labels(y, len(votes))
        number = {label: k for k, label in enumerate(self.classes_.tolist())}
        is_fitted_class = np.array([label in number for label in labels.tolist()])
        class_of_label = np.array([number.get(label, 0) for label in labels.tolist()], np.intp)
        true_class = class_of_label[codes]
        rows = np.arange(len(votes))
        right = np.where(is_fitted_class[codes], votes[rows, true_class], 0.0)
        other_votes = votes.copy()
        other_votes[rows[is_fitted_class[codes]], true_class[is_fitted_class[codes]]] = 0.0
        return (right - other_votes.max(axis=1)) / total

    def _additive_trees(self) -> AdditiveTrees | None:
        """The decision function as a sum of trees; None if members are not plain trees."""
        self._fitted_members()
        k, pairs = (
            len(self.classes_),
            list(zip(self.estimators_, self.estimator_weights_, strict=False)),
        )
        if k == 1 or self._seen or not all(_is_plain_tree(member) for member, _ in pairs):
            return None
        trees, total = [], sum(vote for _, vote in pairs)
        for member, vote in pairs:
            nodes, leaf_nodes = member.tree_.packed
            predicted = member.classes_[member.tree_.value[leaf_nodes, 0].argmax(axis=1)]
            votes = np.zeros((len(leaf_nodes), k))
            votes[np.arange(len(votes)), np.searchsorted(self.classes_, predicted)] = vote
            values = self._decision(votes, vote).reshape(len(votes), -1) * (vote / total)
            cover = member.tree_.weighted_n_node_samples[leaf_nodes]
            trees.append(CoveredTree(nodes, values, cover))

        def rows_of(X: Any) -> Any:
            return rows_to_answer(self.estimators_[0], handed_for(self, X))

        return AdditiveTrees.of_trees(trees, rows_of, "decision_function")

    def _fitted_members(self) -> None:
        if "estimators_" not in self.__dict__:
            raise not_fitted(self)

    def _stages(self, X: Any) -> Iterator[tuple[Array, float]]:
        """Yield the votes (m, K) of the first t members, in one array, and their sum."""
        self._fitted_members()
        rows = rows_for_all(handed_for(self, X), self.estimators_[0])
        votes, total = np.zeros((count_rows(rows), len(self.classes_))), 0.0
        row_numbers = np.arange(count_rows(rows))
        seen = self._seen or [None] * len(self.estimators_)
        pairs = zip(self.estimators_, seen, self.estimator_weights_, strict=False)
        for member, places, vote in pairs:  # a last member worse than chance has no vote
            predicted = np.asarray(member.predict(columns_of(rows, places)))
            votes[row_numbers, np.searchsorted(self.classes_, predicted)] += vote
            total += vote
            checkpoint()
            yield votes, total

    def _decision(self, votes: Array, total: float) -> Array:
        k = len(self.classes_)
        if k == 1:
            return np.zeros(len(votes))
        if k == 2:
            return 2.0 * (votes[:, 1] - votes[:, 0]) / total
        return (votes * (k / (k - 1.0)) - total / (k - 1.0)) / total

    def _probabilities(self, votes: Array, total: float) -> Array:
        k = len(self.classes_)
        if k == 1:
            return np.ones((len(votes), 1))
        scores = self._decision(votes, total)
        scores = np.column_stack([-scores, scores]) / 2.0 if k == 2 else scores / (k - 1)
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        return scores / scores.sum(axis=1, keepdims=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = DecisionTreeClassifier() if self.estimator is None else self.estimator
        return with_tags_of(tags, base)


def _is_plain_tree(member: Any) -> bool:
    """Whether a member is a tree of numbers whose leaves decide by their shares of classes."""
    return (
        type(member) is DecisionTreeClassifier
        and member.tree_.routes is None
        and getattr(member, "_class_priors", None) is None
    )
