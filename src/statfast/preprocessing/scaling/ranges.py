# SPDX-License-Identifier: BSD-3-Clause
"""Scaling of columns to a range, or by their median and quartiles."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from statfast._core.rows.extent import extent
from statfast._engine import Chunks
from statfast._estimator import (
    Estimator,
    FitState,
    SumFit,
    Transformer,
    by_fit,
    fitted,
    flag,
    param,
    summed,
)
from statfast._typing import Array, Rows, Weights
from statfast._validation import (
    as_csr,
    as_real,
    as_rows,
    column_names,
    is_sparse,
    not_fitted,
    require_finite,
    rows_for,
    shown,
    wrong_type,
)
from statfast.preprocessing.scaling.affine import (
    in_blocks,
    less_and_over,
    refuse_other_columns,
    sparse_scaled,
    times_and_more,
)

_ROUNDING = 10.0 * np.finfo(np.float64).eps  # smaller ranges are rounding


class ColumnScaler(Transformer, Estimator):
    """The base of scalers, which subtract a number from each column and divide by another."""

    def _shift_and_scale(self) -> Any:
        """The numbers subtracted from columns (d,), and those by which they are divided (d,)."""
        raise NotImplementedError

    def _fitted_shift_and_scale(self) -> tuple[Array, Array]:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        return self._shift_and_scale()

    def _applied(self, X: Any, change: Callable[..., Any], named: bool = True) -> Array:
        rows = rows_for(self, X, named=named, finite=False)
        require_finite(rows, allow_nan=True)
        return in_blocks(rows, change)

    def inverse_transform(self, X: Rows) -> Any:
        """Undo `transform`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Transformed samples; sparse ones where `transform` takes them.

        Returns
        -------
        ndarray or csr_array of shape (m, d)

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X is not a 2-d array with the columns of the fitted one, or holds infinity.
        """
        shift, scale = self._fitted_shift_and_scale()
        if is_sparse(X) and self._keeps_zeros():
            return sparse_scaled(self, X, scale, np.multiply, named=False)
        return self._applied(X, times_and_more(scale, shift), named=False)

    def _keeps_zeros(self) -> bool:
        """Whether zeros stay zeros, so that sparse samples stay sparse."""
        return False

    def _named(self, names: list[str]) -> list[str]:
        return names

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self._keeps_zeros()
        return tags


@dataclass(frozen=True)
class Extremes:
    """The number of rows, and the least and largest value of each column; two add up."""

    n: int
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def __add__(self, other: Extremes) -> Extremes:
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return Extremes(self.n + other.n, low, high)


def block_extremes(columns: tuple[Array], state: FitState) -> Extremes:
    """The extremes of a block of rows, without those that are NaN; refuses infinity."""
    X = np.asarray(columns[0])
    rows = X if X.strides[1] == X.itemsize else np.ascontiguousarray(X)
    total = np.zeros(X.shape[1])
    low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
    extent(rows, total, low, high)
    if not np.isfinite(total).all():
        require_finite(X, allow_nan=True)
        low = np.fmin.reduce(X, axis=0, initial=np.inf)
        high = np.fmax.reduce(X, axis=0, initial=-np.inf)
    return Extremes(len(X), low, high)


class MinMaxScaler(ColumnScaler, SumFit):
    """Scale each feature to a given range.

    Parameters
    ----------
    feature_range : tuple (low, high), default=(0, 1)
        Range of the transformed features.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.
    clip : bool, default=False
        Keep later samples within the range.

    Attributes
    ----------
    data_min_, data_max_, data_range_ : ndarray of shape (d,)
        Least and largest values, and their differences.
    scale_, min_ : ndarray of shape (d,)
        A scaled value is ``X * scale_ + min_``. A constant column becomes the low end.
    n_samples_seen_, n_features_in_ : int
        Number of samples seen, and of features.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: if X holds infinity, or the range is empty.

    Notes
    -----
    One pass, O(n d); least and largest values merge, so that `partial_fit` is exact. NaN is a value
    that is missing: it is passed over by ``fit``, and stays in place.

    References
    ----------
    Han, Kamber & Pei 2012, Data Mining: Concepts and Techniques, section 3.5,
    doi:10.1016/C2009-0-61819-5.

    Examples
    --------
    >>> from statfast.preprocessing import MinMaxScaler
    >>> MinMaxScaler().fit_transform([[1.0, 5.0], [2.0, 5.0], [5.0, 5.0]])
    array([[0.  , 0.  ],
           [0.25, 0.  ],
           [1.  , 0.  ]])
    """

    feature_range: tuple[float, float] = param(by_fit, default=(0, 1), kw_only=False)
    copy: bool = param(flag, default=True)
    clip: bool = param(flag, default=False)

    data_min_: Array = fitted()
    data_max_: Array = fitted()
    data_range_: Array = fitted()
    scale_: Array = fitted()
    min_: Array = fitted()
    n_samples_seen_: int = fitted()

    def fit(self, X: Rows, y: object = None) -> Self:
        """Compute the minimum and maximum of each feature.

        Parameters
        ----------
        X : array-like of shape (n, d), or Chunks
            Training samples.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : MinMaxScaler
        """
        return self._fit_sum(X)

    def partial_fit(self, X: Rows, y: object = None) -> Self:
        """Update the minima and maxima with more samples.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : MinMaxScaler
        """
        if self.__sklearn_is_fitted__():
            refuse_other_columns(self, X)
        return self._merge_sum(*self._prepare(X))

    # ------------------------------------------------------------ the protocol of sums

    _kept_sums = "_extremes"
    _solve_parameters = ("feature_range", "copy", "clip")

    def _prepare(self, X: Any, y: Any = None, sample_weight: Weights | None = None) -> Any:
        self._range()
        self._checked()
        if isinstance(X, Chunks):
            return (X,), FitState(0)
        rows = as_rows(X, finite=False)
        return (rows,), FitState(rows.shape[1], column_names(X))

    def _range(self) -> tuple[float, float]:
        ends = self.feature_range
        if not _is_pair(ends):
            raise wrong_type("feature_range", "a pair of numbers (low, high)", ends)
        low, high = (as_real(end, "feature_range") for end in ends)
        if low >= high:
            raise ValueError(
                f"feature_range must hold a number and a larger one; got {shown(ends)}."
            )
        return low, high

    @staticmethod
    def _statistics(columns: tuple[Array], state: FitState) -> Extremes:
        return block_extremes(columns, state)

    def _total(self, columns: tuple[Chunks | Array], state: FitState) -> Extremes:
        rows = columns[0]
        effort = np.inf if isinstance(rows, Chunks) else 2.0 * rows.size
        return summed(self._statistics, columns, state, effort=effort)

    def _solve(self, extremes: Extremes, state: FitState) -> Self:
        low, high = self._range()
        empty = extremes.low > extremes.high  # columns without values
        least, most = (np.where(empty, np.nan, end) for end in (extremes.low, extremes.high))
        with np.errstate(over="ignore"):
            spread = most - least
        if np.isinf(spread).any():
            raise ValueError("X holds values so far apart that their difference overflows.")
        scale = (high - low) / np.where(spread < _ROUNDING, 1.0, spread)
        names = {} if state.names is None else {"feature_names_in_": state.names}
        return self._publish(
            None,
            data_min_=least,
            data_max_=most,
            data_range_=spread,
            scale_=scale,
            min_=low - least * scale,
            n_samples_seen_=extremes.n,
            n_features_in_=len(scale),
            _extremes=extremes,
            **names,
        )

    def transform(self, X: Rows) -> Any:
        """Scale the features.

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
            If X is not a 2-d array with the columns of the fitted one, or holds infinity.
        """
        self._fitted_shift_and_scale()
        low, high = self._range()
        scale, start = self.scale_, self.data_min_
        end = times_and_more(scale, self.min_ + start * scale)
        # The least value is subtracted first, so that columns far from zero keep their digits.
        out = self._applied(X, lambda Z, out: end(np.subtract(Z, start, out=out), out))
        return np.clip(out, low, high) if self.clip else out

    def _shift_and_scale(self) -> tuple[Array, Array]:
        return -self.min_ / self.scale_, 1.0 / self.scale_


class MaxAbsScaler(ColumnScaler, SumFit):
    """Divide each feature by its largest absolute value.

    Parameters
    ----------
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.
    clip : bool, default=False
        Keep later samples within -1 and 1.

    Attributes
    ----------
    max_abs_ : ndarray of shape (d,)
        Largest absolute values.
    scale_ : ndarray of shape (d,)
        The same, and 1 for a column of zeros.
    n_samples_seen_, n_features_in_ : int
        Number of samples seen, and of features.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: if X holds infinity.

    See Also
    --------
    statfast.preprocessing.MinMaxScaler : Moves zeros, too.

    Notes
    -----
    One pass, O(n d); largest values merge, so that `partial_fit` is exact. Zeros stay zeros, and
    sparse rows sparse. NaN is a value that is missing: it is passed over by ``fit``, and stays in
    place.

    References
    ----------
    Han, Kamber & Pei 2012, Data Mining: Concepts and Techniques, section 3.5,
    doi:10.1016/C2009-0-61819-5.

    Examples
    --------
    >>> from statfast.preprocessing import MaxAbsScaler
    >>> MaxAbsScaler().fit_transform([[1.0, -8.0], [2.0, 4.0], [-4.0, 0.0]])
    array([[ 0.25, -1.  ],
           [ 0.5 ,  0.5 ],
           [-1.  ,  0.  ]])
    """

    copy: bool = param(flag, default=True)
    clip: bool = param(flag, default=False)

    max_abs_: Array = fitted()
    scale_: Array = fitted()
    n_samples_seen_: int = fitted()

    def fit(self, X: Rows, y: object = None) -> Self:
        """Compute the largest absolute value of each feature.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or Chunks
            Training samples.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : MaxAbsScaler
        """
        return self._fit_sum(X)

    def partial_fit(self, X: Rows, y: object = None) -> Self:
        """Update the largest absolute values with more samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : MaxAbsScaler
        """
        if self.__sklearn_is_fitted__():
            refuse_other_columns(self, X)
        return self._merge_sum(*self._prepare(X))

    # ------------------------------------------------------------ the protocol of sums

    _kept_sums = "_extremes"
    _solve_parameters = ("copy", "clip")

    def _prepare(self, X: Any, y: Any = None, sample_weight: Weights | None = None) -> Any:
        self._checked()
        if isinstance(X, Chunks):
            return (X,), FitState(0)
        rows = as_csr(X, allow_nan=True) if is_sparse(X) else as_rows(X, finite=False)
        return (rows,), FitState(rows.shape[1], column_names(X))

    @staticmethod
    def _statistics(columns: tuple[Any], state: FitState) -> Extremes:
        rows = columns[0]
        if not is_sparse(rows):
            return block_extremes(columns, state)
        n, d = rows.shape
        low, high = np.zeros(d), np.zeros(d)  # what is not stored is zero
        np.fmin.at(low, rows.indices, rows.data)
        np.fmax.at(high, rows.indices, rows.data)
        return Extremes(n, low, high)

    def _total(self, columns: tuple[Any], state: FitState) -> Extremes:
        rows = columns[0]
        effort = np.inf if isinstance(rows, Chunks) else 2.0 * rows.shape[0] * rows.shape[1]
        return summed(self._statistics, columns, state, effort=effort)

    def _solve(self, extremes: Extremes, state: FitState) -> Self:
        empty = extremes.low > extremes.high  # columns without values
        largest = np.maximum(np.abs(extremes.low), np.abs(extremes.high))
        largest = np.where(empty, np.nan, largest)
        names = {} if state.names is None else {"feature_names_in_": state.names}
        return self._publish(
            None,
            max_abs_=largest,
            scale_=np.where(largest < _ROUNDING, 1.0, largest),
            n_samples_seen_=extremes.n,
            n_features_in_=len(largest),
            _extremes=extremes,
            **names,
        )

    def transform(self, X: Rows) -> Any:
        """Scale the features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to transform.

        Returns
        -------
        ndarray or csr_array of shape (m, d)
            float32 for float32 rows, else float64; the table asked for by `set_output`.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X is not a 2-d array with the columns of the fitted one, or holds infinity.
        """
        scale = self._fitted_shift_and_scale()[1]
        if is_sparse(X):
            out = sparse_scaled(self, X, scale, np.divide)
        else:
            out = self._applied(X, lambda Z, out: np.divide(Z, scale, out=out))
        if self.clip:
            values = out.data if is_sparse(out) else out
            np.clip(values, -1.0, 1.0, out=values)
        return out

    def _shift_and_scale(self) -> tuple[Array, Array]:
        return np.zeros(self.n_features_in_), self.scale_

    def _keeps_zeros(self) -> bool:
        return True


class RobustScaler(ColumnScaler):
    """Scale each feature by its median and a range of quantiles.

    Parameters
    ----------
    with_centering : bool, default=True
        Take the medians off. Sparse samples, which would no longer be sparse, need False.
    with_scaling : bool, default=True
        Divide by the distance of the quantiles.
    quantile_range : tuple (low, high), default=(25.0, 75.0)
        Quantiles, in percent.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.
    unit_variance : bool, default=False
        Divide the distance by that of a standard normal distribution.

    Attributes
    ----------
    center_ : ndarray of shape (d,), or None
        Medians.
    scale_ : ndarray of shape (d,), or None
        Distances of the quantiles; 1 where there is none.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: if X holds infinity, or the quantiles are not in order.
    TypeError
        If X is sparse and medians are to be taken off.

    Notes
    -----
    Quantiles are interpolated linearly, as numpy does. O(n d) time, a copy of a few columns. NaN is
    a value that is missing: it is passed over by ``fit``, and stays in place.

    References
    ----------
    Hyndman & Fan 1996, Sample quantiles in statistical packages (definition 7),
    doi:10.1080/00031305.1996.10473566.

    Examples
    --------
    >>> from statfast.preprocessing import RobustScaler
    >>> RobustScaler().fit_transform([[1.0], [2.0], [3.0], [4.0], [1000.0]]).ravel().tolist()
    [-1.0, -0.5, 0.0, 0.5, 498.5]
    """

    with_centering: bool = param(flag, default=True)
    with_scaling: bool = param(flag, default=True)
    quantile_range: tuple[float, float] = param(by_fit, default=(25.0, 75.0))
    copy: bool = param(flag, default=True)
    unit_variance: bool = param(flag, default=False)

    center_: Any = fitted()
    scale_: Any = fitted()

    def fit(self, X: Rows, y: object = None) -> Self:
        """Compute medians and quantiles.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : RobustScaler
        """
        params = self._checked()
        centers, scales, unit = params.with_centering, params.with_scaling, params.unit_variance
        low, high = self._quantiles()
        if is_sparse(X):
            if centers:
                raise TypeError(
                    "Cannot center sparse matrices, as X is one: pass `with_centering=False`."
                )
            rows = as_csr(X, allow_nan=True).tocsc()
        else:
            rows = as_rows(X, finite=False)
            require_finite(rows, allow_nan=True)
        quantiles = np.empty((3, rows.shape[1]))
        step = max(1, (1 << 21) // rows.shape[0])
        for start in range(0, rows.shape[1], step):
            block = rows[:, start : start + step]
            block = block.toarray() if is_sparse(block) else block.astype(np.float64)
            quantiles[:, start : start + step] = _percentiles(block, [50.0, low, high])
        with np.errstate(over="ignore"):
            spread = quantiles[2] - quantiles[1]
        if np.isinf(spread).any():
            raise ValueError("X holds values so far apart that their difference overflows.")
        spread = np.where(spread < _ROUNDING, 1.0, spread)
        if unit:
            from scipy.special import ndtri

            spread = spread / (ndtri(high / 100.0) - ndtri(low / 100.0))
        return self._publish(
            X, center_=quantiles[0] if centers else None, scale_=spread if scales else None
        )

    def transform(self, X: Rows) -> Any:
        """Scale the features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to transform.

        Returns
        -------
        ndarray or csr_array of shape (m, d)
            float32 for float32 rows, else float64; the table asked for by `set_output`.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X is not a 2-d array with the columns of the fitted one, or holds infinity.
        """
        shift, scale = self._fitted_shift_and_scale()
        if is_sparse(X):
            if self.with_centering:
                raise TypeError(
                    "Cannot center sparse matrices, as X is one: pass `with_centering=False`."
                )
            return sparse_scaled(self, X, scale, np.divide)
        return self._applied(X, less_and_over(shift, scale))

    def _quantiles(self) -> tuple[float, float]:
        ends = self.quantile_range
        if not _is_pair(ends):
            raise wrong_type("quantile_range", "a pair of percentages", ends)
        low, high = (as_real(end, "quantile_range", 0.0, 100.0) for end in ends)
        if low >= high:
            raise ValueError(f"quantile_range must rise; got {shown(ends)}.")
        if self.unit_variance and (low == 0.0 or high == 100.0):
            raise ValueError(
                "quantile_range must lie between 0 and 100 with unit_variance=True, as the normal "
                f"distribution has no such quantiles; got {shown(ends)}."
            )
        return low, high

    def _shift_and_scale(self) -> tuple[Array, Array]:
        d = self.n_features_in_
        shift = np.zeros(d) if self.center_ is None else self.center_
        return shift, np.ones(d) if self.scale_ is None else self.scale_

    def _keeps_zeros(self) -> bool:
        return not self.with_centering


def _percentiles(block: Array, percents: list[float]) -> Array:
    """Percentiles of columns (d,) without what is NaN; NaN of columns without values."""
    if not np.isnan(block).any():
        return np.percentile(block, percents, axis=0)
    with np.errstate(invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of columns without values
        return np.nanpercentile(block, percents, axis=0)


def _is_pair(ends: Any) -> bool:
    return (
        isinstance(ends, tuple | list | np.ndarray)
        and getattr(ends, "ndim", 1) == 1
        and len(ends) == 2
    )
