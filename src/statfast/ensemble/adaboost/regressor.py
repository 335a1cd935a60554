# SPDX-License-Identifier: BSD-3-Clause
"""AdaBoost.R2: boosting of regressors, whose predictions are combined by a weighted median."""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from typing import Any, Literal, Self

import numpy as np

from statfast._engine import checkpoint, report
from statfast._estimator import (
    Estimator,
    Regressor,
    as_square,
    checked_by,
    columns_of,
    copied,
    count,
    count_rows,
    fitted,
    handed,
    handed_for,
    is_pairwise,
    nothing,
    one_of,
    param,
    r_squared,
    randomness,
    real,
    take_rows,
    width_of,
    with_tags_of,
)
from statfast._typing import Array, ArrayLike, Rows, Seed, Weights
from statfast._validation import (
    MAX_REPEATS,
    as_generator,
    as_targets,
    as_weights,
    not_fitted,
    warn_column_vector,
)
from statfast.ensemble.members.base_estimators import (
    UNFITTED,
    as_learner,
    rows_for_all,
    seeded,
    warn_unfitted,
)
from statfast.tree import DecisionTreeRegressor


class AdaBoostRegressor(Regressor, Estimator):
    """AdaBoost.R2: boosting of regressors on samples weighted by the errors of those before.

    Parameters
    ----------
    estimator : estimator, optional
        What is boosted: any regressor. None is ``DecisionTreeRegressor(max_depth=3)``.
    n_estimators : int, default=50
        The largest number of rounds. Boosting ends early if a member is perfect, or its average
        loss is 1/2 or more.
    learning_rate : float, default=1.0
        Factor of all votes.
    loss : {"linear", "square", "exponential"}, default="linear"
        Of a row with error e, as a fraction of the largest error: e, e^2 or 1 - exp(-e).
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the drawn samples, and of members that have a ``random_state``; an
        integer makes the result reproducible.

    Attributes
    ----------
    estimator_ : estimator
        What the members are copies of, not fitted.
    estimators_ : list of estimators
        Fitted estimators.
    estimator_weights_ : ndarray of shape (T,)
        Votes, log((1 - L) / L) for an average loss L.
    estimator_errors_ : ndarray of shape (T,)
        Average losses by weight.
    feature_importances_ : ndarray of shape (d,)
        Mean of those of the members by their votes, if these have any.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Notes
    -----
    The prediction is the weighted median: the lowest of the members' predictions with at least half
    of the votes at or below it.

    Cost: that of T fits and T predictions.

    References
    ----------
    .. [1] Drucker, H. (1997). Improving regressors using boosting techniques. ICML, 107-115.
    .. [2] Freund, Y. and Schapire, R. E. (1997). A decision-theoretic generalization of on-line
       learning and an application to boosting. Journal of Computer and System Sciences 55, 119-139.
       https://doi.org/10.1006/jcss.1997.1504

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.ensemble import AdaBoostRegressor
    >>> X = np.linspace(0.0, 6.0, 300)[:, None]
    >>> model = AdaBoostRegressor(random_state=0).fit(X, np.sin(X[:, 0]))
    >>> round(model.score(X, np.sin(X[:, 0])), 2)
    0.98
    >>> model.predict([[1.5], [4.5]]).round(1)  # the sine is 1.0 and -1.0
    array([ 0.8, -0.9])
    """

    # What subclasses declare, or a fit sets.
    _seen: Any = fitted()

    estimator: Any = param(nothing | checked_by(as_learner), default=None, kw_only=False)
    n_estimators: int = param(count(high=MAX_REPEATS), default=50)
    learning_rate: float = param(real(0, open_low=True), default=1.0)
    loss: Literal["linear", "square", "exponential"] = param(
        one_of("linear", "square", "exponential"), default="linear"
    )
    random_state: Seed = param(randomness, default=None)

    estimator_: Any = fitted()
    estimators_: list[Any] = fitted()
    estimator_weights_: Array = fitted()
    estimator_errors_: Array = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit the boosted ensemble.

        Parameters
        ----------
        X : array-like of shape (n, d)
            NaN is a missing value if the estimator takes it; sparse rows if it takes them.
        y : array-like of shape (n,)
            Targets.
        sample_weight : array-like of shape (n,), optional
            Weights to begin with.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If shapes differ or a parameter is out of range.
        TypeError
            If the estimator has no ``fit`` and ``predict``.

        Warns
        -----
        FitFailedWarning
            If a member after the first cannot be fitted: those before it are kept.
        """
        params = self._checked()
        base = DecisionTreeRegressor(max_depth=3) if self.estimator is None else self.estimator
        n_rounds, rate = params.n_estimators, params.learning_rate
        rows = rows_for_all(handed(X), base)
        target = _one_target(y, count_rows(rows))
        weight = as_weights(sample_weight, count_rows(rows))
        weight = np.ones(count_rows(rows)) if weight is None else weight / weight.max()
        weight /= weight.sum()
        n = int(np.count_nonzero(weight))  # rows of weight 0 are never drawn, and do not count
        rng = as_generator(self.random_state)
        members: list[Any] = []
        votes: list[Any] = []
        errors: list[Any] = []
        pairwise, seen = is_pairwise(base), []
        if pairwise:
            as_square(rows, self)
        for i in range(n_rounds):
            drawn = rng.choice(len(weight), n, p=weight)
            columns = drawn if pairwise else None
            sample = columns_of(take_rows(rows, drawn), columns)
            try:
                member = seeded(base, rng).fit(sample, target[drawn])
            except UNFITTED as reason:
                if not members:
                    raise
                warn_unfitted(type(self).__name__, len(members), n_rounds, reason)
                break
            predictions = np.asarray(member.predict(columns_of(rows, columns)), dtype=np.float64)
            distances = np.abs(predictions - target)
            checkpoint()
            report(i + 1, n_rounds)
            losses = _losses(distances, weight > 0.0, params.loss)
            error = float((weight * losses).sum())
            seen.append(columns)
            if error >= 0.5:
                if not members:  # a single member is kept
                    members, votes, errors = [member], [1.0], [error]
                break
            members.append(member)
            errors.append(error)
            votes.append(rate * log((1.0 - error) / error) if error > 0.0 else 1.0)
            if error <= 0.0:
                break
            weight = weight * (error / (1.0 - error)) ** ((1.0 - losses) * rate)
            weight /= weight.sum()
        return self._publish(
            X,
            estimator_=copied(base),
            estimators_=members,
            estimator_weights_=np.array(votes),
            estimator_errors_=np.array(errors),
            _seen=seen[: len(members)],
            n_features_in_=width_of(rows, members[0]),
        )

    @property
    def feature_importances_(self) -> Array:
        """The mean of the importances of the members, weighted by their votes."""
        self._require_members()
        shares = [member.feature_importances_ for member in self.estimators_]
        return np.average(shares, axis=0, weights=self.estimator_weights_)

    def predict(self, X: Rows) -> Array:
        """The weighted median of the predictions of the members.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.

        Returns
        -------
        ndarray of shape (m,)
        """
        predictions = self._member_predictions(X)
        return _weighted_median(predictions, self.estimator_weights_)

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
        predictions = self._member_predictions(X)
        for t in range(1, predictions.shape[1] + 1):
            checkpoint()
            yield _weighted_median(predictions[:, :t], self.estimator_weights_[:t])

    def staged_score(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Iterator[float]:
        """R squared of the first t members, for each t.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Test samples.
        y : array-like of shape (m,)
            True target values.
        sample_weight : array-like of shape (m,), optional
            Weights of the samples; None is 1 for all.

        Yields
        ------
        float
            As `score`: nan, with a warning, for fewer than two rows.
        """
        for predictions in self.staged_predict(X):
            yield r_squared(y, predictions, sample_weight)

    def _require_members(self) -> None:
        if "estimators_" not in self.__dict__:
            raise not_fitted(self)

    def _member_predictions(self, X: Any) -> Array:
        self._require_members()
        rows = rows_for_all(handed_for(self, X), self.estimators_[0])
        return np.column_stack(
            [
                np.asarray(member.predict(columns_of(rows, places)), np.float64)
                for member, places in zip(self.estimators_, self._seen, strict=True)
            ]
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = DecisionTreeRegressor() if self.estimator is None else self.estimator
        return with_tags_of(tags, base)


def _losses(distances: Array, counts: Array, loss: str) -> Array:
    """Losses from 0 to 1 of errors; the largest is among rows with weight."""
    largest = distances[counts].max()
    share = np.minimum(distances / largest, 1.0) if largest > 0.0 else np.zeros_like(distances)
    if loss == "square":
        return share**2
    return 1.0 - np.exp(-share) if loss == "exponential" else share


def _weighted_median(predictions: Array, votes: Array) -> Array:
    order = np.argsort(predictions, axis=1, kind="stable")
    reached = np.cumsum(votes[order], axis=1)
    places = (reached >= 0.5 * reached[:, -1:]).argmax(axis=1)
    rows = np.arange(len(predictions))
    return predictions[rows, order[rows, places]]


def _one_target(y: Any, n: int) -> Array:
    targets, flat = as_targets(y, n)
    if targets.shape[1] != 1:
        raise ValueError(
            f"y should be a 1d array, got {targets.shape[1]} outputs. Fit one model for each."
        )
    if not flat:
        warn_column_vector("y")
    return targets[:, 0].copy()
