# SPDX-License-Identifier: BSD-3-Clause
"""Isotonic regression: the monotone function nearest to the targets."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._engine import interruptible
from statfast._estimator import (
    Estimator,
    Regressor,
    Transformer,
    checked_by,
    fitted,
    isotonic,
    nothing,
    one_of,
    param,
    real,
)
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import (
    as_choice,
    as_real,
    as_rows,
    as_targets,
    as_weights,
    not_fitted,
    to_array,
    warn_user,
    wrong_type,
)

MIN_GAP = np.finfo(np.float64).resolution  # closer places are taken as one


def isotonic_regression(
    y: ArrayLike,
    *,
    sample_weight: Weights = None,
    y_min: float | None = None,
    y_max: float | None = None,
    increasing: bool = True,
) -> Array:
    """Isotonic regression of a sequence: pool adjacent violators (PAV).

    Parameters
    ----------
    y : array-like of shape (n,)
        Values, in order.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples, positive; None is 1 for all.
    y_min, y_max : float, optional
        Bounds of the result.
    increasing : bool, default=True
        False: falling.

    Returns
    -------
    ndarray of shape (n,), float64; float32 for float32 values

    Raises
    ------
    ValueError
        If values are not finite, weights are not positive, or the bounds are turned round.

    Notes
    -----
    Pool adjacent violators: O(n).

    References
    ----------
    Ayer, M., Brunk, H. D., Ewing, G. M., Reid, W. T. and Silverman, E. (1955). An empirical
    distribution function for sampling with incomplete information. Annals of Mathematical
    Statistics 26, 641-647. doi:10.1214/aoms/1177728423

    Examples
    --------
    >>> from statfast.calibration import isotonic_regression
    >>> isotonic_regression([5, 3, 1, 2, 8, 10, 7, 9, 6])
    array([2.75, 2.75, 2.75, 2.75, 8.  , 8.  , 8.  , 8.  , 8.  ])
    """
    values = to_array(y, "y", "a 1d array-like of numbers")
    dtype = np.float32 if values.dtype == np.float32 else np.float64
    values = _column(values, "y")
    weights = as_weights(sample_weight, len(values))
    if weights is None:
        weights = np.ones(len(values))
    if (weights == 0).any():
        raise ValueError("sample_weight must be positive here. Leave out rows of weight 0.")
    low, high = _bounds(y_min, y_max)
    unit = _unit(values)
    fit = isotonic(values / unit, weights, bool(increasing)) * unit
    return np.clip(fit, low, high).astype(dtype)


def _unit(values: Array) -> float:
    """A power of two by which values are divided, so that no weighted sum overflows; mostly 1."""
    size = np.abs(values).max(initial=0.0)
    return 1.0 if size < 1e100 else float(np.ldexp(1.0, np.frexp(size)[1] - 1))


def _column(values: Array, name: str) -> Array:
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"{name} should be a 1d array, got an array of shape {values.shape}.")
    return as_targets(values, len(values), name=name)[0][:, 0]


def _bounds(y_min: float | None, y_max: float | None) -> tuple[float, float]:
    low = -np.inf if y_min is None else as_real(y_min, "y_min")
    high = np.inf if y_max is None else as_real(y_max, "y_max")
    if low > high:
        raise ValueError(f"y_min must not be above y_max; got {low} and {high}. Swap them.")
    return low, high


def as_increasing(increasing: bool | str | None, name: str) -> bool | str:
    """Check whether a function is to rise, or "auto"."""
    if not isinstance(increasing, bool | np.bool_) and increasing != "auto":
        raise wrong_type(name, "True, False or 'auto'", increasing)
    return increasing


class IsotonicRegression(Regressor, Transformer, Estimator):
    """Isotonic regression: a monotone fit by least squares, linear between the fitted points.

    Parameters
    ----------
    y_min, y_max : float, optional
        Bounds of the values.
    increasing : bool or "auto", default=True
        Whether the function rises or falls; "auto": as Spearman's correlation of X and y.
    out_of_bounds : {"nan", "clip", "raise"}, default="nan"
        What is beyond the places of the fit: NaN, the value at their end, or a ValueError.

    Attributes
    ----------
    X_min_, X_max_ : float
        The least and the largest place.
    X_thresholds_ : ndarray of shape (m,)
        Places between which the function is linear; those inside a run of equal values are left
        out.
    y_thresholds_ : ndarray of shape (m,)
        Its values there.
    increasing_ : bool
        Whether it rises.
    n_features_in_ : int
        1.

    Notes
    -----
    Rows with the same place, or places closer than 1e-15, are one with their mean. Rows of weight 0
    are left out. Cost: one sort of the places by buckets, then O(n).

    References
    ----------
    Barlow, R. E., Bartholomew, D. J., Bremner, J. M. and Brunk, H. D. (1972). Statistical inference
    under order restrictions. Wiley.

    de Leeuw, J., Hornik, K. and Mair, P. (2009). Isotone optimization in R: pool-adjacent-violators
    algorithm (PAVA) and active set methods. Journal of Statistical Software 32(5).
    doi:10.18637/jss.v032.i05

    Examples
    --------
    >>> from statfast import IsotonicRegression
    >>> model = IsotonicRegression().fit([1, 2, 3, 4], [1, 3, 2, 4])
    >>> model.predict([1.5, 2.5])
    array([1.75, 2.5 ])
    """

    y_min: float | None = param(nothing | real(), default=None)
    y_max: float | None = param(nothing | real(), default=None)
    increasing: bool | Literal["auto"] = param(
        checked_by(as_increasing, True, False, "auto"), default=True
    )
    out_of_bounds: Literal["nan", "clip", "raise"] = param(
        one_of("nan", "clip", "raise"), default="nan"
    )

    X_min_: float = fitted()
    X_max_: float = fitted()
    X_thresholds_: Array = fitted()
    y_thresholds_: Array = fitted()
    increasing_: bool = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit the monotone function.

        Parameters
        ----------
        X : array-like of shape (n,) or (n, 1)
            Places.
        y : array-like of shape (n,)
            Targets.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X is not one column, or a value is not finite.
        """
        params = self._checked()
        low, high = _bounds(params.y_min, params.y_max)
        x, dtype = _places(X)
        targets, flat = as_targets(y, len(x))
        if not flat and targets.shape[1] > 1:
            raise ValueError(f"y must be one column of targets; got {targets.shape[1]}.")
        weights = as_weights(sample_weight, len(x))
        rises = params.increasing
        if rises == "auto":
            rises = _rises(x, targets[:, 0])
        used = x if weights is None else x[weights > 0.0]
        low_end, high_end = float(used.min()), float(used.max())
        unit = _unit(targets)
        x, target, place_weights = interruptible(
            at_distinct_places, x, targets[:, 0] / unit, weights
        )
        fit = np.clip(isotonic(target, place_weights, bool(rises)) * unit, low, high)
        inside = np.ones(len(x), dtype=bool)
        inside[1:-1] = (fit[1:-1] != fit[:-2]) | (fit[1:-1] != fit[2:])
        return self._publish(
            X,
            n_features_in_=1,
            X_min_=low_end,
            X_max_=high_end,
            X_thresholds_=x[inside].astype(dtype),
            y_thresholds_=fit[inside].astype(dtype),
            increasing_=bool(rises),
        )

    def predict(self, T: ArrayLike) -> Array:
        """Predict the monotone function.

        Parameters
        ----------
        T : array-like of shape (m,) or (m, 1)
            Places.

        Returns
        -------
        ndarray of shape (m,)
            nan beyond the places of the fit, with ``out_of_bounds="nan"``.

        Raises
        ------
        ValueError
            If T is not one column of finite numbers, or, with ``out_of_bounds="raise"``, a place is
            beyond those of the fit.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        rule = as_choice(self.out_of_bounds, "out_of_bounds", ("nan", "clip", "raise"))
        x, dtype = _places(T, "X", self)
        beyond = (x < self.X_min_) | (x > self.X_max_)
        if rule == "raise" and beyond.any():
            place = x[beyond][0]
            raise ValueError(
                f"X holds {place}, which is below or above the places of the fit ({self.X_min_} to "
                f"{self.X_max_}). Choose out_of_bounds='clip' or 'nan'."
            )
        out = np.interp(x, self.X_thresholds_, self.y_thresholds_)
        if rule == "nan":
            out[beyond] = np.nan
        return out.astype(dtype)

    def transform(self, T: ArrayLike) -> Any:
        """Return `predict` of the samples.

        Parameters
        ----------
        T : array-like of shape (m,) or (m, 1)
            Places.

        Returns
        -------
        ndarray of shape (m,)
            nan beyond the places of the fit, with ``out_of_bounds="nan"``.
        """
        return self.predict(T)

    @property
    def _n_features_out(self) -> int:
        return 1

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags


def _places(
    X: Any, name: str = "X", fitted: IsotonicRegression | None = None
) -> tuple[Array, type[Any]]:
    """One column of places as float64, and the type of the answer."""
    if getattr(X, "ndim", None) == 1 or (
        isinstance(X, list | tuple) and X and not isinstance(X[0], list | tuple | np.ndarray)
    ):
        X = to_array(X, name, "a 1d array-like of numbers")[:, None]
    rows = as_rows(X, name=name)
    if rows.shape[1] != 1:
        expectation = "IsotonicRegression is expecting 1 features as input"
        raise ValueError(
            f"{name} has {rows.shape[1]} features, but {expectation}: isotonic regression input "
            f"{name} should be a 1d array or 2d array with 1 feature."
        )
    return np.ascontiguousarray(rows[:, 0], dtype=np.float64), rows.dtype.type


def at_distinct_places(
    x: Array, target: Array, weights: Array | None
) -> tuple[Array, Array, Array]:
    """Distinct places in order, with the mean target and the weight at each."""
    order = np.argsort(x)
    if weights is None:
        weights = np.ones(len(x))
    x, target, weights = x[order], target[order], weights[order]
    weighted = weights > 0
    if not weighted.all():
        x, target, weights = x[weighted], target[weighted], weights[weighted]
    starts = np.flatnonzero(np.diff(x, prepend=-np.inf) >= MIN_GAP)
    if len(starts) == len(x):
        return x, target, weights
    total_weights = np.add.reduceat(weights, starts)
    return x[starts], np.add.reduceat(weights * target, starts) / total_weights, total_weights


def _rises(x: Array, target: Array) -> bool:
    """Whether Spearman's correlation is not negative; warns if the sign is uncertain."""
    rho = np.corrcoef(_ranks(x), _ranks(target))[0, 1] if np.ptp(x) and np.ptp(target) else 0.0
    if len(x) > 3 and abs(rho) < 1 and abs(np.arctanh(rho)) < 1.96 / (len(x) - 3) ** 0.5:
        warn_user(
            "The confidence interval of Spearman's correlation spans zero, so that it is not sure "
            "whether the function rises. Set increasing to True or False."
        )
    return bool(rho >= 0)


def _ranks(values: Array) -> Array:
    """Ranks of values; equal values have their mean rank."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[places]
