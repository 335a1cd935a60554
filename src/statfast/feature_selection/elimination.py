# SPDX-License-Identifier: BSD-3-Clause
"""Recursive elimination: the least important columns go, and the model is fitted again."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from statfast._engine import checkpoint
from statfast._estimator import (
    Estimator,
    HandsWeightsOn,
    by_fit,
    checked_by,
    count_rows,
    delegated,
    fitted,
    handed,
    handed_for,
    nothing,
    param,
    take_columns,
    verbosity,
    with_tags_of,
)
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import (
    as_count,
    as_real,
    as_weights,
    not_fitted,
    require_finite,
    require_shape,
    to_array,
    warn_user,
)
from statfast.feature_selection.importances import (
    as_learner,
    getter,
    holds_missing,
    magnitudes_of,
    trained,
)
from statfast.feature_selection.selector import FeatureSelector


def as_count_or_share(value: Any, name: str) -> int | float:
    """Check a number of columns, or a share of them."""
    if isinstance(value, float | np.floating) and not float(value).is_integer():
        return as_real(value, name, 0, 1, open_low=True)
    if isinstance(value, float | np.floating):
        return as_real(value, name, 0, 1, open_low=True, open_high=name == "step")
    return as_count(value, name)


count_or_share = checked_by(as_count_or_share, 1, 2, 0.5)


@dataclass(frozen=True)
class Elimination:
    """A step of an elimination: the model of the columns that remain, and the rank of each."""

    model: Any
    remaining: NDArray[np.intp]
    ranking: NDArray[np.intp]

    @property
    def support(self) -> NDArray[np.bool_]:
        """The mask of the columns that remain."""
        support = np.zeros(len(self.ranking), dtype=bool)
        support[self.remaining] = True
        return support

    def attributes(self) -> dict[str, Any]:
        """What a selector publishes of its last step."""
        return {
            "estimator_": self.model,
            "n_features_": len(self.remaining),
            "ranking_": self.ranking,
            "support_": self.support,
            "n_features_in_": len(self.ranking),
        }


class RFE(FeatureSelector, HandsWeightsOn, Estimator):
    """Recursive feature elimination: fit, remove the least important features, and fit again.

    Parameters
    ----------
    estimator : object
        What is fitted, and then has ``coef_`` or ``feature_importances_``.
    n_features_to_select : int or float, optional
        How many features are left in the end, or which share; None is half of them.
    step : int or float, default=1
        How many features each step removes, or which share of all of them (at least one).
    verbose : int, default=0
        If not 0, each fit prints the number of features before it.
    importance_getter : str or callable, default="auto"
        "auto" takes ``coef_`` or ``feature_importances_``; else the name of an attribute, with dots
        for attributes of attributes, or a function of the fitted model.

    Attributes
    ----------
    estimator_ : object
        The estimator fitted to the selected features.
    n_features_ : int
        Number of selected features.
    ranking_ : ndarray of int, shape (d,)
        1 for selected features, 2 for those removed last, and so on.
    support_ : ndarray of bool, shape (d,)
        The mask of the selected features.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    RFECV : Chooses the number of features by cross-validation.
    SelectFromModel : One fit alone.

    Notes
    -----
    NaN is let through if the rows of the fit held some. Importances are absolute values, and
    Euclidean norms of several coefficients of a column. Of equal importances the last column goes
    first. Coefficients depend on the units of the columns: scale these first. Cost: a fit for each
    step, of fewer and fewer columns, and memory for a copy of the rows.

    ``predict``, ``score`` and other methods of the fitted estimator are there if it has them, for
    rows of all d features.

    References
    ----------
    .. [1] Guyon, I., Weston, J., Barnhill, S. and Vapnik, V. (2002). Gene selection for cancer
       classification using support vector machines. Machine Learning 46, 389-422.
       https://doi.org/10.1023/A:1012487302797

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import RFE, LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> y = 3 * X[:, 1] - 2 * X[:, 4] + rng.normal(size=100)
    >>> selector = RFE(LinearRegression(), n_features_to_select=2).fit(X, y)
    >>> selector.get_support(indices=True)
    array([1, 4])
    >>> selector.ranking_
    array([4, 1, 5, 2, 1, 3])
    >>> round(selector.score(X, y), 2)
    0.92
    """

    estimator: Any = param(by_fit, default=None, kw_only=False)
    n_features_to_select: float | None = param(nothing | count_or_share, default=None)
    step: float = param(count_or_share, default=1)
    verbose: int = param(verbosity, default=0)
    importance_getter: str | Callable[..., Any] = param(getter, default="auto")

    estimator_: Any = fitted()
    n_features_: int = fitted()
    ranking_: NDArray[np.intp] = fitted()
    support_: NDArray[np.bool_] = fitted()

    _estimator_type = property(lambda self: getattr(self.estimator, "_estimator_type", None))

    def _delegate(self) -> Any:
        return self.__dict__.get("estimator_", self.estimator)

    def fit(
        self,
        X: Rows,
        y: ArrayLike | None = None,
        sample_weight: Weights = None,
        **fit_params: Any,
    ) -> Self:
        """Eliminate features, and fit the estimator to those that are left.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or data frame
            Training samples.
        y : array-like of shape (n,), optional
            Labels or numbers, as the estimator wants them.
        sample_weight : array-like of shape (n,), optional
            Passed to the estimator, which has to take it.
        **fit_params : object
            Further arguments of the estimator's ``fit``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is out of its range, or a fitted estimator has no importance for each
            column.
        TypeError
            If a parameter is of the wrong type, if the estimator has no ``fit``, or takes no
            weights and gets some.

        Warns
        -----
        UserWarning
            If more features are asked for than there are.
        """
        checked = self._checked()
        as_learner(self.estimator)
        rows = as_table(handed(X))
        d = rows.shape[1]
        weights = as_weights(sample_weight, count_rows(rows))
        wanted = count_of(checked.n_features_to_select, d)
        if wanted > d:
            warn_user(
                f"n_features_to_select={wanted} is more than the {d} features of X: all of them "
                "are selected."
            )

        def fit_columns(remaining: Array) -> Any:
            columns = take_columns(rows, remaining.tolist())
            return trained(self.estimator, columns, y, weights, fit_params)

        steps = list(self._eliminate(fit_columns, d, wanted))
        return self._publish(X, **steps[-1].attributes(), _takes_missing=holds_missing(rows))

    def _eliminate(
        self, fit_columns: Callable[[Array], Any], d: int, wanted: int
    ) -> Iterator[Elimination]:
        """The steps from d columns to those that are wanted, with the model of each."""
        checked = self._checked()
        step = count_of(checked.step, d)
        remaining, ranking = np.arange(d), np.ones(d, np.intp)
        while True:
            checkpoint()
            model = fit_columns(remaining)
            yield Elimination(model, remaining, ranking.copy())
            surplus = min(step, len(remaining) - wanted)
            if surplus <= 0:
                break
            if checked.verbose:
                print(f"{len(remaining)} features, of which {surplus} go")
            removed = least_important(model, checked.importance_getter, len(remaining), surplus)
            remaining = np.delete(remaining, removed)
            ranking[np.setdiff1d(np.arange(d), remaining)] += 1

    # ------------------------------------------------------------ the fitted selector
    def _support(self) -> NDArray[np.bool_]:
        return self.support_

    def _table(self) -> Any:
        facts = [("Estimator", type(self.estimator_).__name__), ("Step", self.step)]
        order = np.argsort(self.ranking_, kind="stable")
        return facts, {"Rank": self.ranking_.astype(float)}, order

    @property
    def classes_(self) -> Array:
        """The labels, of a classifier."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        return self.estimator_.classes_

    def _selected(self, X: Any) -> Any:
        """Rows of the selected columns, for the estimator."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        rows = as_table(handed_for(self, X))
        if not self._takes_missing and isinstance(rows, np.ndarray):
            require_finite(rows)
        return take_columns(rows, np.flatnonzero(self.support_).tolist())

    @delegated("predict")
    def predict(self, X: Rows, **predict_params: Any) -> Array:
        """Predict with the estimator, by the selected features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or data frame
            Samples of all features.
        **predict_params : object
            Further arguments of the estimator's method.

        Returns
        -------
        ndarray of shape (m,)
        """
        return self._answer("predict", X, predict_params)

    @delegated("score")
    def score(
        self, X: Rows, y: ArrayLike, sample_weight: Weights = None, **score_params: Any
    ) -> float:
        """Return the score of the estimator, by the selected features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or data frame
            Samples of all features.
        y : array-like of shape (m,)
            Labels or numbers.
        sample_weight : array-like of shape (m,), optional
            Weights of the samples; None is 1 for all.
        **score_params : object
            Further arguments of the estimator's method.

        Returns
        -------
        float
        """
        options = dict(score_params)
        if sample_weight is not None:
            options["sample_weight"] = sample_weight
        rows = self._selected(X)
        return float(self.estimator_.score(rows, y, **options))

    @delegated("decision_function")
    def decision_function(self, X: Rows) -> Array:
        """Return the scores of the classes by the estimator.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or data frame
            Samples of all features.

        Returns
        -------
        ndarray of shape (m,) or (m, K)
        """
        return self._answer("decision_function", X, {})

    @delegated("predict_proba")
    def predict_proba(self, X: Rows) -> Array:
        """Return the class probabilities of the estimator.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or data frame
            Samples of all features.

        Returns
        -------
        ndarray of shape (m, K)
        """
        return self._answer("predict_proba", X, {})

    @delegated("predict_log_proba")
    def predict_log_proba(self, X: Rows) -> Array:
        """Return the logarithms of the class probabilities of the estimator.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or data frame
            Samples of all features.

        Returns
        -------
        ndarray of shape (m, K)
        """
        return self._answer("predict_log_proba", X, {})

    def _answer(self, method: str, X: Any, options: dict[str, Any]) -> Array:
        rows = self._selected(X)
        answer: Array = getattr(self.estimator_, method)(rows, **options)
        return answer

    def __sklearn_tags__(self) -> Any:
        tags = with_tags_of(super().__sklearn_tags__(), self.estimator)
        ask = getattr(self.estimator, "__sklearn_tags__", None)
        if ask is not None and not isinstance(self.estimator, type):
            known = ask()
            for name in ("estimator_type", "target_tags", "classifier_tags", "regressor_tags"):
                setattr(tags, name, copy.copy(getattr(known, name)))
            if tags.classifier_tags is not None:
                tags.classifier_tags.poor_score = True  # with few of the features
            if tags.regressor_tags is not None:
                tags.regressor_tags.poor_score = True
        return tags


def as_table(rows: Any) -> Any:
    """Rows that have columns; ValueError for those that have none."""
    if len(getattr(rows, "shape", ())) != 2:
        require_shape(to_array(rows, "X", "a table of rows and columns"), "X")
    return rows


def count_of(value: float | None, d: int) -> int:
    """A number of d columns, of one or of a share; None is half of them."""
    if value is None:
        return max(1, d // 2)
    return value if isinstance(value, int) else max(1, int(value * d))


def least_important(model: Any, getter_: Any, width: int, surplus: int) -> Array:
    """Places of the least important columns, of equals the last."""
    magnitudes = magnitudes_of(model, getter_, 2, width)
    return np.lexsort((-np.arange(width), magnitudes))[:surplus]
