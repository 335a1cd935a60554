# SPDX-License-Identifier: BSD-3-Clause
"""The selector of the columns that a model holds to be important."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import (
    Estimator,
    HandsWeightsOn,
    by_fit,
    checked_by,
    copied,
    count,
    count_rows,
    delegated,
    fitted,
    flag,
    handed,
    handed_for,
    nothing,
    param,
    real,
    with_tags_of,
)
from statfast._estimator import callable_ as function
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_count, as_weights, not_fitted, wrong_type
from statfast.feature_selection.importances import (
    as_learner,
    getter,
    holds_missing,
    magnitudes_of,
    trained,
)
from statfast.feature_selection.selector import FeatureSelector, best_first

LASSO_THRESHOLD = 1e-5  # below which a coefficient that a penalty brought to zero counts as zero
REFERENCES: dict[str, Callable[[Array], Any]] = {"mean": np.mean, "median": np.median}


def as_threshold(value: Any, name: str) -> Any:
    """Check a threshold: a number, "mean", "median", a multiple such as "1.25*mean", or None."""
    if value is None or (isinstance(value, int | float | np.number) and value == value):
        return value
    if not isinstance(value, str):
        raise wrong_type(
            name, "a number, 'mean', 'median', a multiple such as '1.25*mean', or None", value
        )
    factor, star, reference = value.rpartition("*")
    try:
        good = not star or np.isfinite(float(factor))
    except ValueError:
        good = False
    if not good or reference.strip() not in REFERENCES:
        raise ValueError(
            f"{name} must be a number, 'mean', 'median', or a multiple such as '1.25*mean'; got "
            f"{value!r}."
        )
    return value


class SelectFromModel(FeatureSelector, HandsWeightsOn, Estimator):
    """Keep the features that a model holds to be important.

    Parameters
    ----------
    estimator : object
        What is fitted, and then has ``coef_`` or ``feature_importances_``; fitted already, with
        `prefit`.
    threshold : float or str, optional
        The least importance that is kept: a number, "mean", "median", or a multiple of these such
        as "1.25*mean". None is 1e-5 for models whose penalty brings coefficients to zero (lasso,
        l1), else "mean".
    prefit : bool, default=False
        Whether the estimator is fitted.
    norm_order : int or float, default=1
        Norm that makes one importance of a column's coefficients for several classes or outputs.
    max_features : int or callable, optional
        Most features that are kept, the most important; a function gives their number from X.
        With ``threshold=-np.inf`` there is no other limit.
    importance_getter : str or callable, default="auto"
        "auto" takes ``coef_`` or ``feature_importances_``; else the name of an attribute, with dots
        for attributes of attributes, or a function of the fitted model.

    Attributes
    ----------
    estimator_ : object
        The fitted estimator.
    max_features_ : int
        Most features that are kept, if `max_features` is not None.
    threshold_ : float
        The least importance that is kept.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    RFE : Fits again after each removal.
    SelectKBest : Scores without a model.

    Notes
    -----
    NaN is let through if the rows of the fit held some. Importances are absolute values. Of equal
    ones the first are kept where `max_features` cuts.
    Coefficients depend on the units of the columns: scale these first. Cost and memory are those of
    the estimator's fit.

    References
    ----------
    .. [1] Tibshirani, R. (1996). Regression shrinkage and selection via the lasso. Journal of the
       Royal Statistical Society B 58, 267-288.
       https://doi.org/10.1111/j.2517-6161.1996.tb02080.x

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import Lasso, SelectFromModel
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> y = 3 * X[:, 1] - 2 * X[:, 4] + rng.normal(size=100)
    >>> selector = SelectFromModel(Lasso(alpha=0.3)).fit(X, y)
    >>> selector.get_support(indices=True)
    array([1, 4])
    >>> selector.threshold_
    1e-05
    """

    estimator: Any = param(by_fit, default=None, kw_only=False)
    threshold: float | str | None = param(
        checked_by(as_threshold, None, "mean", "0.5*median", 0.1), default=None
    )
    prefit: bool = param(flag, default=False)
    norm_order: float = param(real(infinite=True), default=1)
    max_features: int | Callable[..., int] | None = param(
        nothing | count(0) | function, default=None
    )
    importance_getter: str | Callable[..., Any] = param(getter, default="auto")

    estimator_: Any = fitted()
    max_features_: int = fitted()

    def _delegate(self) -> Any:
        return self.__dict__.get("estimator_", self.estimator)

    def fit(
        self,
        X: Rows,
        y: ArrayLike | None = None,
        sample_weight: Weights = None,
        **fit_params: Any,
    ) -> Self:
        """Fit the estimator, or take the fitted one over.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimator takes
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
            If a parameter is out of its range, or the fitted estimator has no importance for each
            column.
        TypeError
            If a parameter is of the wrong type, if the estimator has no ``fit``, or takes no
            weights and gets some.
        NotFittedError
            If `prefit` is set and the estimator is not fitted.
        """
        self._checked()
        as_learner(self.estimator)
        rows = handed(X)
        if self.prefit:
            model = copy.deepcopy(self._prefitted())
        else:
            weights = as_weights(sample_weight, count_rows(rows))
            model = trained(self.estimator, rows, y, weights, fit_params)
        return self._finish(X, rows, model)

    @delegated("partial_fit")
    def partial_fit(
        self,
        X: Rows,
        y: ArrayLike | None = None,
        sample_weight: Weights = None,
        **partial_fit_params: Any,
    ) -> Self:
        """Update the estimator with more samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimator takes
            Training samples.
        y : array-like of shape (n,), optional
            Labels or numbers, as the estimator wants them.
        sample_weight : array-like of shape (n,), optional
            Passed to the estimator, which has to take it.
        **partial_fit_params : object
            Further arguments of the estimator's ``partial_fit``, such as ``classes``.

        Returns
        -------
        self
        """
        self._checked()
        as_learner(self.estimator)
        again = self.__dict__.get("estimator_")
        rows = handed(X) if again is None else handed_for(self, X)
        if self.prefit:
            model = copy.deepcopy(self._prefitted()) if again is None else again
        else:
            weights = as_weights(sample_weight, count_rows(rows))
            again = None if again is None else copy.deepcopy(again)
            model = trained(
                self.estimator, rows, y, weights, partial_fit_params, "partial_fit", again
            )
        return self._finish(X, rows, model)

    def _prefitted(self) -> Any:
        """The estimator, which is to be fitted."""
        as_learner(self.estimator)
        tells = getattr(self.estimator, "__sklearn_is_fitted__", None)
        is_fitted = tells() if callable(tells) else any(
            name.endswith("_") and not name.startswith("_") for name in vars(self.estimator)
        )  # fmt: skip
        if not is_fitted:
            raise not_fitted(self.estimator)
        return self.estimator

    def _finish(self, X: Any, rows: Any, model: Any) -> Self:
        width = rows.shape[1] if len(getattr(rows, "shape", ())) == 2 else None
        magnitudes = self._magnitudes(model, width)
        limits = {}
        if self.max_features is not None:
            wanted = self.max_features
            wanted = wanted(X) if callable(wanted) else wanted
            limits["max_features_"] = as_count(
                wanted, "max_features", 0, len(magnitudes), limit="the number of columns"
            )
        return self._publish(
            X, estimator_=model, n_features_in_=len(magnitudes), _takes_missing=holds_missing(rows),
            **limits,
        )  # fmt: skip

    # ------------------------------------------------------------ the fitted selector
    def _as_fitted(self) -> Any:
        """Itself, or one that has taken over the fitted estimator."""
        if self.__sklearn_is_fitted__():
            return self
        if self.prefit is not True or callable(self.max_features):
            raise not_fitted(self)
        self._checked()
        model = self._prefitted()
        new, magnitudes = copied(self), self._magnitudes(model)
        state = {"estimator_": model, "n_features_in_": len(magnitudes)}
        if self.max_features is not None:
            state["max_features_"] = self.max_features
        names = getattr(model, "feature_names_in_", None)
        if names is not None:
            state["feature_names_in_"] = names
        return new._publish(None, **state)

    def _magnitudes(self, model: Any, width: int | None = None) -> Array:
        find = self._checked_value("importance_getter")
        return magnitudes_of(model, find, self._checked_value("norm_order"), width)

    @property
    def threshold_(self) -> float:
        """The least importance that is kept."""
        model = self._as_fitted()
        return model._limit(model._magnitudes(model.estimator_))

    def _limit(self, magnitudes: Array) -> float:
        threshold = self._checked_value("threshold")
        if threshold is None:
            threshold = LASSO_THRESHOLD if _brings_to_zero(self.estimator_) else "mean"
        if not isinstance(threshold, str):
            return float(threshold)
        factor, _, reference = threshold.rpartition("*")
        return float(factor or 1.0) * float(REFERENCES[reference.strip()](magnitudes))

    def _support(self) -> NDArray[np.bool_]:
        magnitudes = self._magnitudes(self.estimator_)
        support: NDArray[np.bool_] = magnitudes >= self._limit(magnitudes)
        if "max_features_" in self.__dict__:
            support[best_first(magnitudes)[self.max_features_ :]] = False
        return support

    def _table(self) -> Any:
        magnitudes = self._magnitudes(self.estimator_)
        facts = [
            ("Estimator", type(self.estimator_).__name__), ("Threshold", self._limit(magnitudes)),
        ]  # fmt: skip
        return facts, {"Importance": magnitudes}, best_first(magnitudes)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """Return the names of the selected features.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns; None takes those of the fit. They must be the same, where it had
            names.

        Returns
        -------
        ndarray of str
        """
        model = self._as_fitted()
        return super(SelectFromModel, model).get_feature_names_out(input_features)

    def __sklearn_tags__(self) -> Any:
        tags = with_tags_of(super().__sklearn_tags__(), self.estimator)
        ask = getattr(self.estimator, "__sklearn_tags__", None)
        if ask is not None and not isinstance(self.estimator, type):
            tags.target_tags = ask().target_tags
        return tags


def _brings_to_zero(model: Any) -> bool:
    """Whether a model has a penalty that brings coefficients to zero."""
    if "Lasso" in type(model).__name__ or getattr(model, "penalty", None) == "l1":
        return True
    ratio = getattr(model, "l1_ratio_", getattr(model, "l1_ratio", None))
    return isinstance(ratio, float | int) and bool(np.isclose(ratio, 1.0))
