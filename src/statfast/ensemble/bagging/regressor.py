# SPDX-License-Identifier: BSD-3-Clause
"""Bagging of regressors."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from statfast._estimator import Regressor, fitted
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_targets, as_weights, warn_column_vector
from statfast.ensemble.bagging.model import BaggingModel
from statfast.tree import DecisionTreeRegressor


class BaggingRegressor(Regressor, BaggingModel):
    """Bagging of regressors: the mean of their predictions.

    Parameters
    ----------
    estimator : estimator, optional
        What is bagged: anything with ``fit`` and ``predict``. None is ``DecisionTreeRegressor()``.
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
    estimator_ : estimator
        What was copied.
    estimators_ : list of estimators
        The members. Fitted on a data frame, those of this package know the names of their columns.
    estimators_samples_, estimators_features_ : list of ndarray
        Rows and columns drawn for each, ascending.
    oob_prediction_ : ndarray of shape (n,) or (n, outputs)
        Mean prediction by the members that a row was not drawn for; NaN where there is none. With
        ``oob_score=True``.
    oob_score_ : float
        R squared of those, among samples that have them; NaN if none has.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Notes
    -----
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
    >>> import numpy as np
    >>> from statfast.ensemble import BaggingRegressor
    >>> X = np.linspace(0.0, 6.0, 300)[:, None]
    >>> model = BaggingRegressor(random_state=0).fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.5], [4.7]]).round(1)
    array([ 1., -1.])
    """

    _members: Any = fitted()

    oob_prediction_: Array = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None, **fit_params: Any) -> Self:
        """Fit the members.

        Parameters
        ----------
        X : array-like of shape (n, d)
            NaN is a missing value if the estimator takes it; sparse rows if it takes them.
        y : array-like of shape (n,)
            Target values.
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

    def _default(self) -> DecisionTreeRegressor:
        return DecisionTreeRegressor()

    def _targets(
        self, y: Any, n: int, sample_weight: Any
    ) -> tuple[Array, Array | None, dict[Any, Any]]:
        targets, flat = as_targets(y, n)
        weights = as_weights(sample_weight, n)
        if not flat and targets.shape[1] == 1:
            warn_column_vector("y")
        return (targets[:, 0].copy() if targets.shape[1] == 1 else targets), weights, {}

    def _member_answers(self, member: Any, rows: Any, published: dict[Any, Any]) -> Array:
        return np.asarray(member.predict(rows), dtype=np.float64)

    def _judge(
        self, mean: Array, judged: Array, target: Array, published: dict[Any, Any]
    ) -> dict[str, Any]:
        if not judged.any():
            return {"oob_prediction_": mean, "oob_score_": np.nan}
        truth, predicted = target[judged], mean[judged]
        middle = truth[0] + (truth - truth[0]).mean(axis=0)
        scale = np.abs(truth - middle).max(axis=0)
        scale = np.where(scale > 0.0, scale, 1.0)  # squares of scaled targets are finite
        residual = (((truth - predicted) / scale) ** 2).sum(axis=0)
        total = (((truth - middle) / scale) ** 2).sum(axis=0)
        share = np.where(total > 0.0, residual / np.where(total > 0.0, total, 1.0), residual > 0.0)
        return {"oob_prediction_": mean, "oob_score_": float(np.mean(1.0 - share))}

    def predict(self, X: Rows, **params: Any) -> Array:
        """Mean of the predictions of the members.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.
        **params : object
            Arguments that the estimator requests, where scikit-learn's metadata routing is enabled.

        Returns
        -------
        ndarray of shape (m,) or (m, outputs)
        """
        more = self._arguments_of_members(params, "predict")

        def predicted(member: Any, rows: Any) -> Array:
            return np.asarray(member.predict(rows, **more), dtype=np.float64)

        with np.errstate(over="ignore"):
            total = self._sum(X, predicted)
        if np.isinf(total).any():
            raise ValueError(
                "estimator predicts numbers so large that their sum overflows. Rescale y."
            )
        return total / len(self._members)
