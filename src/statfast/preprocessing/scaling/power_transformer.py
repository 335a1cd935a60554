# SPDX-License-Identifier: BSD-3-Clause
"""Columns on power curves, by which they are most like a normal distribution."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._engine import each
from statfast._estimator import Estimator, Transformer, fitted, flag, one_of, param
from statfast._typing import Array, Rows, Weights
from statfast._validation import (
    as_rows,
    as_weights,
    column_labels,
    column_names,
    require_finite,
    rows_for,
)
from statfast.preprocessing.scaling.power_curves import ROWS_AT_ONCE, Curve, fit_curve


class PowerTransformer(Transformer, Estimator):
    """Make each feature more like a normal distribution by a power of it.

    Parameters
    ----------
    method : {"yeo-johnson", "box-cox"}, default="yeo-johnson"
        Curve: that of Yeo and Johnson [2]_ takes any numbers, that of Box and Cox [1]_ positive
        ones alone.
    standardize : bool, default=True
        Give the transformed features mean 0 and standard deviation 1.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.

    Attributes
    ----------
    lambdas_ : ndarray of shape (d,)
        The power of each feature, by maximum likelihood; 1 for a constant feature, NaN for one
        without values.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: if X holds infinity, or numbers that are not positive with "box-cox".

    See Also
    --------
    QuantileTransformer : Any distribution becomes a normal one, by its quantiles.

    Notes
    -----
    The log-likelihood is concave in the power: the zero of its slope is bracketed and found by
    Brent's method, to rounding. Standardized values are computed about a value of the feature, so
    that powers of any size neither overflow nor lose digits. NaN is a value that is missing: it is
    passed over by ``fit``, and stays in place. Cost: some 15 passes over the rows, O(n d); memory
    for a few columns.

    References
    ----------
    .. [1] G. E. P. Box, D. R. Cox (1964), "An analysis of transformations", JRSS B 26, 211-252.
       doi:10.1111/j.2517-6161.1964.tb00553.x
    .. [2] I.-K. Yeo, R. A. Johnson (2000), "A new family of power transformations to improve
       normality or symmetry", Biometrika 87, 954-959. doi:10.1093/biomet/87.4.954

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.preprocessing import PowerTransformer
    >>> X = np.exp([[-2.0], [-1.0], [0.0], [1.0], [2.0]])
    >>> model = PowerTransformer("box-cox").fit(X)
    >>> abs(model.lambdas_).round(6).tolist()
    [0.0]
    >>> model.transform(X).ravel().round(3).tolist()
    [-1.414, -0.707, 0.0, 0.707, 1.414]
    """

    _curves: Any = fitted()

    method: Literal["yeo-johnson", "box-cox"] = param(
        one_of("yeo-johnson", "box-cox"), default="yeo-johnson", kw_only=False
    )
    standardize: bool = param(flag, default=True)
    copy: bool = param(flag, default=True)

    lambdas_: Array = fitted()

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Choose the power of each feature.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : PowerTransformer
        """
        params = self._checked()
        rows = as_rows(X, finite=False)
        require_finite(rows, allow_nan=True)
        n, d = rows.shape
        weights = as_weights(sample_weight, n)
        box_cox = params.method == "box-cox"
        if box_cox:
            _refuse_not_positive(rows, column_names(X))

        def fitted_curve(j: int) -> Curve | None:
            return fit_curve(rows[:, j], weights, box_cox, params.standardize)

        curves = each(fitted_curve, range(d), effort=300.0 * n * d)
        lambdas = np.array([np.nan if curve is None else curve.power for curve in curves])
        return self._publish(X, lambdas_=lambdas, _curves=curves)

    def transform(self, X: Rows) -> Any:
        """Transform the features.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to transform.

        Returns
        -------
        ndarray of shape (m, d)
            float32 for float32 rows, else float64; the table asked for by `set_output`.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X is not a 2-d array with the columns of the fitted one, holds infinity, or numbers
            that are not positive with "box-cox"; if a value overflows.
        """
        rows = rows_for(self, X, finite=False)
        require_finite(rows, allow_nan=True)
        if self.method == "box-cox":
            _refuse_not_positive(rows, column_names(X))
        out = self._applied(rows, Curve.__call__)
        require_finite(out, "X transformed", allow_nan=True)
        return out

    def inverse_transform(self, X: Rows) -> Any:
        """Undo `transform`.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Transformed samples.

        Returns
        -------
        ndarray of shape (m, d)
            NaN for numbers that no value is transformed to, as curves end where powers are
            negative.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X is not a 2-d array with the columns of the fitted one, or holds infinity; if a
            value overflows.
        """
        rows = rows_for(self, X, named=False, finite=False)
        require_finite(rows, allow_nan=True)
        out = self._applied(rows, Curve.inverse)
        require_finite(out, "X transformed back", allow_nan=True)
        return out

    def _applied(self, rows: Array, change: Any) -> Array:
        """Each column by its curve, a few rows at a time."""
        n, d = rows.shape
        out = np.empty_like(rows)

        def fill(start: int) -> None:
            block = np.ascontiguousarray(rows[start : start + ROWS_AT_ONCE].T, dtype=np.float64)
            made = np.full(block.shape, np.nan)
            with np.errstate(over="ignore", under="ignore"):
                for j, curve in enumerate(self._curves):
                    if curve is not None:
                        made[j] = change(curve, block[j])
                out[start : start + ROWS_AT_ONCE] = made.T

        each(fill, range(0, n, ROWS_AT_ONCE), effort=100.0 * n * d)
        return out

    def _named(self, names: list[str]) -> list[str]:
        return names

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.positive_only = self.method == "box-cox"
        return tags


def _refuse_not_positive(rows: Array, names: Any) -> None:
    low = np.fmin.reduce(rows, axis=0)
    if (low <= 0).any():
        j = int((low <= 0).argmax())
        raise ValueError(
            "The Box-Cox transformation can only be applied to strictly positive data; X holds "
            f"{low[j]} in column {column_labels(names, rows.shape[1])[j]}. Use "
            "method='yeo-johnson'."
        )
