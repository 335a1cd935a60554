# SPDX-License-Identifier: BSD-3-Clause
"""A regressor of a transformed target, whose predictions are transformed back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from statfast._estimator import (
    Estimator,
    Regressor,
    Route,
    RoutesMetadata,
    by_fit,
    callable_,
    copied,
    count_rows,
    fitted,
    flag,
    handed,
    handed_for,
    one_of,
    param,
    routed,
    routing_is_on,
    takes_weights,
    width_of,
    with_tags_of,
)
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_estimator, as_targets, column_names, warn_user
from statfast.linear import LinearRegression
from statfast.preprocessing import FunctionTransformer

ROWS_TRIED = 100  # targets that are transformed there and back


class TransformedTargetRegressor(RoutesMetadata, Regressor, Estimator):
    """Regression of a transformed target: fit to h(y), predict with the inverse of h.

    Parameters
    ----------
    regressor : regressor, optional
        Fitted to the transformed target; None is `LinearRegression`.
    transformer : transformer, optional
        With ``transform`` and ``inverse_transform``, fitted to y as a table (n, T); not with
        functions.
    func, inverse_func : callable, optional
        A function of the target as a table (n, T), and the one that undoes it.
    check_inverse : bool, default=True
        Warn in ``fit`` if some targets, transformed there and back, are others.

    Attributes
    ----------
    regressor_ : regressor
        The fitted copy.
    transformer_ : transformer
        The fitted copy, or a `FunctionTransformer` of the functions.
    n_features_in_ : int
        Number of features, d, as the regressor counts them.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: if `transformer` and a function are given, or a function without its inverse.
    TypeError
        By ``fit``: if something is neither a regressor nor a transformer with an inverse.

    See Also
    --------
    statfast.linear.GeneralizedLinearModel : Models the mean of y itself, by its logarithm say.

    Notes
    -----
    The inverse of a mean is not the mean of the inverses: with logarithms predictions are medians
    rather than means of skewed targets. ``score`` is R squared of the target as it was given.

    References
    ----------
    G. E. P. Box, D. R. Cox (1964), "An analysis of transformations". Journal of the Royal
    Statistical Society B 26 (2), 211-252. doi:10.1111/j.2517-6161.1964.tb00553.x

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.pipeline import TransformedTargetRegressor
    >>> X = np.arange(1.0, 5.0)[:, None]
    >>> model = TransformedTargetRegressor(func=np.log, inverse_func=np.exp)
    >>> model.fit(X, np.exp(2 * X[:, 0])).regressor_.coef_.round(6)
    array([2.])
    >>> model.predict([[3.0]]).round(3)
    array([403.429])
    """

    regressor: Any = param(by_fit, default=None, kw_only=False)
    transformer: Any = param(by_fit, default=None)
    func: Callable[..., Any] | None = param(callable_ | one_of(None), default=None)
    inverse_func: Callable[..., Any] | None = param(callable_ | one_of(None), default=None)
    check_inverse: bool = param(flag, default=True)

    regressor_: Any = fitted()
    transformer_: Any = fitted()
    _is_flat: bool = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None, **fit_params: Any) -> Self:
        """Transform the target, and fit the regressor.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples, or what the regressor takes.
        y : array-like of shape (n,) or (n, T)
            Target values.
        sample_weight : array-like of shape (n,), optional
            Passed to the regressor, and to a `transformer` that takes it.
        **fit_params : object
            Further arguments of the regressor's ``fit``.

        Returns
        -------
        self : TransformedTargetRegressor

        Raises
        ------
        TypeError
            If there are weights, and the regressor takes none.
        """
        self._checked()
        regressor = copied(LinearRegression() if self.regressor is None else self.regressor)
        as_estimator(as_estimator(regressor, "regressor"), "regressor", method="predict")
        transformer = self._made_transformer()
        if sample_weight is not None and not takes_weights(regressor):
            raise TypeError(
                f"sample_weight was passed, but {type(regressor).__name__}.fit does not support "
                "sample weights. Leave it out, or choose another regressor."
            )
        rows = handed(X)
        targets, flat = as_targets(y, count_rows(rows))
        weighted = sample_weight is not None and takes_weights(transformer)
        transformer.fit(targets, **({"sample_weight": sample_weight} if weighted else {}))
        if self.check_inverse:
            self._try_inverse(transformer, targets)
        changed = np.asarray(transformer.transform(targets))
        if flat and changed.ndim == 2 and changed.shape[1] == 1:
            changed = changed[:, 0]
        if routing_is_on():
            given = {"sample_weight": sample_weight, **fit_params}
            fit_params = routed(self, "fit", given)["regressor"]["fit"]
        elif sample_weight is not None:
            fit_params = {"sample_weight": sample_weight, **fit_params}
        regressor.fit(rows, changed, **fit_params)
        names = column_names(X)
        return self._publish(
            None,
            regressor_=regressor,
            transformer_=transformer,
            n_features_in_=width_of(rows, regressor),
            **({} if names is None else {"feature_names_in_": names}),
            _is_flat=flat,
        )

    def _made_transformer(self) -> Any:
        """A copy of the transformer, or one of the functions."""
        if self.transformer is None:
            if (self.func is None) != (self.inverse_func is None):
                given, absent = ("func", "inverse_func")[:: 1 if self.func is not None else -1]
                raise ValueError(
                    f"When {given!r} is provided, {absent!r} must also be provided. Pass it, or "
                    "use a transformer."
                )
            return FunctionTransformer(
                self.func, self.inverse_func, validate=True, check_inverse=False
            )
        if self.func is not None or self.inverse_func is not None:
            raise ValueError(
                "'transformer' and functions 'func'/'inverse_func' cannot both be set. Leave one "
                "of them out."
            )
        transformer = copied(as_estimator(self.transformer, "transformer"))
        for method in ("transform", "inverse_transform"):
            as_estimator(transformer, "transformer", method=method)
        return transformer

    @staticmethod
    def _try_inverse(transformer: Any, targets: Array) -> None:
        some = targets[:: max(1, len(targets) // ROWS_TRIED)]
        back = np.asarray(transformer.inverse_transform(transformer.transform(some)))
        if back.shape != some.shape or not np.allclose(back, some):
            warn_user(
                "The provided functions or transformer are not strictly inverse of each other. If "
                "you are sure you want to proceed regardless, set 'check_inverse=False'."
            )

    def predict(self, X: Rows, **predict_params: Any) -> Array:
        """Predict the target, on its own scale.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict, or what the regressor takes.
        **predict_params : object
            Arguments of the ``predict`` of the regressor.

        Returns
        -------
        ndarray of shape (m,) or (m, T)

        Raises
        ------
        NotFittedError
            Before ``fit``.
        """
        rows = handed_for(self, X)
        if routing_is_on():
            predict_params = routed(self, "predict", predict_params)["regressor"]["predict"]
        predicted = np.asarray(self.regressor_.predict(rows, **predict_params))
        if predicted.ndim == 1:
            predicted = predicted[:, None]
        back = np.asarray(self.transformer_.inverse_transform(predicted))
        return back[:, 0] if self._is_flat and back.ndim == 2 and back.shape[1] == 1 else back

    def _routes(self) -> list[Route]:
        regressor = LinearRegression() if self.regressor is None else self.regressor
        calls = {method: (method,) for method in ("fit", "predict", "score")}
        return [Route("regressor", regressor, calls)]

    def __sklearn_tags__(self) -> Any:
        tags = with_tags_of(super().__sklearn_tags__(), self.regressor or LinearRegression())
        tags.regressor_tags.poor_score = True
        tags.target_tags.multi_output = True
        return tags
