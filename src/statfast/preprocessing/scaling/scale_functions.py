# SPDX-License-Identifier: BSD-3-Clause
"""Scalers and other changes of a table in one call, for rows that no later rows will follow."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from statfast._estimator import ANY, Estimator, ignoring_sklearn_arguments
from statfast._typing import Array, Matrix, Rows
from statfast._validation import (
    as_choice,
    as_count,
    as_csr,
    as_real,
    as_rows,
    as_sparse,
    is_sparse,
    to_array,
)
from statfast.preprocessing.scaling.affine import in_blocks
from statfast.preprocessing.scaling.power_transformer import PowerTransformer
from statfast.preprocessing.scaling.quantile_transformer import QuantileTransformer
from statfast.preprocessing.scaling.ranges import MaxAbsScaler, MinMaxScaler, RobustScaler
from statfast.preprocessing.scaling.row_transforms import (
    NORMS,
    Binarizer,
    like_sparse,
    normalize_rows,
    normalize_sparse_rows,
)
from statfast.preprocessing.scaling.standardize import StandardScaler


def _scaled(scaler: Any, X: Rows, axis: int) -> Matrix:
    """What a scaler makes of columns (axis 0) or of rows (axis 1); a vector is one column."""
    as_count(axis, "axis", 0, 1)
    if is_sparse(X):
        if axis == 0:
            return scaler.fit_transform(X)
        return scaler.fit_transform(as_sparse(X).T).T.tocsr()
    table = to_array(X, "X", "an array-like of numbers", numbers=True)
    if table.ndim == 1:
        return scaler.fit_transform(table[:, None])[:, 0]
    return scaler.fit_transform(table.T).T if axis == 1 else scaler.fit_transform(table)


def scale(
    X: Rows, *, axis: int = 0, with_mean: bool = True, with_std: bool = True, copy: bool = True
) -> Matrix:
    """Standardize columns to mean 0 and standard deviation 1.

    A model should be fitted to rows scaled by a `StandardScaler` in a pipeline: what is computed
    here of all rows leaks what is held out into the fit.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d), or array-like of shape (n,)
        Samples; NaN is passed over, and stays.
    axis : {0, 1}, default=0
        1 standardizes rows.
    with_mean, with_std : bool, default=True
        Take the means off; divide by the standard deviations.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.

    Returns
    -------
    ndarray or sparse matrix of the shape of X

    Raises
    ------
    ValueError
        If X holds infinity, or other things than numbers.
    TypeError
        If X is sparse and means are to be taken off.

    Examples
    --------
    >>> from statfast.preprocessing import scale
    >>> scale([[0.0, 5.0], [2.0, 5.0]])
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    return _scaled(StandardScaler(with_mean=with_mean, with_std=with_std), X, axis)


def minmax_scale(
    X: Rows, feature_range: tuple[float, float] = (0, 1), *, axis: int = 0, copy: bool = True
) -> Array:
    """Scale columns to a range.

    Parameters
    ----------
    X : array-like of shape (n, d), or of shape (n,)
        Samples; NaN is passed over, and stays.
    feature_range : tuple (low, high), default=(0, 1)
        The range.
    axis : {0, 1}, default=0
        1 scales rows.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.

    Returns
    -------
    ndarray of the shape of X

    Raises
    ------
    ValueError
        If X holds infinity, or the range is empty.

    Examples
    --------
    >>> from statfast.preprocessing import minmax_scale
    >>> minmax_scale([1.0, 2.0, 5.0])
    array([0.  , 0.25, 1.  ])
    """
    return _scaled(MinMaxScaler(feature_range), X, axis)


def maxabs_scale(X: Rows, *, axis: int = 0, copy: bool = True) -> Matrix:
    """Divide columns by their largest absolute value.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d), or array-like of shape (n,)
        Samples; NaN is passed over, and stays.
    axis : {0, 1}, default=0
        1 scales rows.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.

    Returns
    -------
    ndarray or sparse matrix of the shape of X

    Raises
    ------
    ValueError
        If X holds infinity.

    Examples
    --------
    >>> from statfast.preprocessing import maxabs_scale
    >>> maxabs_scale([-4.0, 2.0, 1.0])
    array([-1.  ,  0.5 ,  0.25])
    """
    return _scaled(MaxAbsScaler(), X, axis)


def robust_scale(
    X: Rows,
    *,
    axis: int = 0,
    with_centering: bool = True,
    with_scaling: bool = True,
    quantile_range: tuple[float, float] = (25.0, 75.0),
    copy: bool = True,
    unit_variance: bool = False,
) -> Matrix:
    """Scale columns by their median and a range of quantiles.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d), or array-like of shape (n,)
        Samples; NaN is passed over, and stays.
    axis : {0, 1}, default=0
        1 scales rows.
    with_centering, with_scaling : bool, default=True
        Take the medians off; divide by the distance of the quantiles.
    quantile_range : tuple (low, high), default=(25.0, 75.0)
        Quantiles, in percent.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.
    unit_variance : bool, default=False
        Divide the distance by that of a standard normal distribution.

    Returns
    -------
    ndarray or sparse matrix of the shape of X

    Raises
    ------
    ValueError
        If X holds infinity, or the quantiles are not in order.
    TypeError
        If X is sparse and medians are to be taken off.

    Examples
    --------
    >>> from statfast.preprocessing import robust_scale
    >>> robust_scale([1.0, 2.0, 3.0, 4.0, 1000.0]).tolist()
    [-1.0, -0.5, 0.0, 0.5, 498.5]
    """
    scaler = RobustScaler(
        with_centering=with_centering,
        with_scaling=with_scaling,
        quantile_range=quantile_range,
        unit_variance=unit_variance,
    )
    return _scaled(scaler, X, axis)


@ignoring_sklearn_arguments(subsample=ANY, random_state=ANY)
def quantile_transform(
    X: Rows,
    *,
    axis: int = 0,
    n_quantiles: int = 1000,
    output_distribution: Literal["uniform", "normal"] = "uniform",
    ignore_implicit_zeros: bool = False,
    copy: bool = True,
) -> Matrix:
    """Map columns to a uniform or a normal distribution by their quantiles.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d), or array-like of shape (n,)
        Samples; NaN is passed over, and stays.
    axis : {0, 1}, default=0
        1 maps rows.
    n_quantiles : int, default=1000
        Quantiles of a column, at most the number of samples.
    output_distribution : {"uniform", "normal"}, default="uniform"
        Of the values returned.
    ignore_implicit_zeros : bool, default=False
        Leave zeros of sparse samples out of the quantiles.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.

    Returns
    -------
    ndarray or sparse matrix of the shape of X

    Raises
    ------
    ValueError
        If X holds infinity, or is sparse with negative values whose zeros count.

    Examples
    --------
    >>> from statfast.preprocessing import quantile_transform
    >>> quantile_transform([1.0, 2.0, 4.0, 8.0, 1000.0], n_quantiles=5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    transformer = QuantileTransformer(
        n_quantiles=n_quantiles,
        output_distribution=output_distribution,
        ignore_implicit_zeros=ignore_implicit_zeros,
    )
    return _scaled(transformer, X, axis)


def power_transform(
    X: Rows,
    method: Literal["yeo-johnson", "box-cox"] = "yeo-johnson",
    *,
    standardize: bool = True,
    copy: bool = True,
) -> Array:
    """Make columns more like a normal distribution by powers of them.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Samples; NaN is passed over, and stays.
    method : {"yeo-johnson", "box-cox"}, default="yeo-johnson"
        Curve: that of Yeo and Johnson takes any numbers, that of Box and Cox positive ones alone.
    standardize : bool, default=True
        Give the columns mean 0 and standard deviation 1.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.

    Returns
    -------
    ndarray of shape (n, d)

    Raises
    ------
    ValueError
        If X holds infinity, or numbers that are not positive with "box-cox".

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.preprocessing import power_transform
    >>> power_transform(np.exp([[-1.0], [0.0], [1.0]]), "box-cox").ravel().round(3).tolist()
    [-1.225, 0.0, 1.225]
    """
    return PowerTransformer(method, standardize=standardize).fit_transform(X)


def normalize(
    X: Rows,
    norm: Literal["l1", "l2", "max"] = "l2",
    *,
    axis: int = 1,
    copy: bool = True,
    return_norm: bool = False,
) -> Any:
    """Divide rows by their norms.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Samples.
    norm : {"l1", "l2", "max"}, default="l2"
        The sum of the absolute values, the root of the sum of squares, or the largest absolute
        value.
    axis : {0, 1}, default=1
        0 divides columns.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.
    return_norm : bool, default=False
        Return the norms, too.

    Returns
    -------
    ndarray or csr_array of shape (n, d)
        Rows of zeros stay as they are.
    norms : ndarray of shape (n,), or (d,) with ``axis=0``
        With `return_norm`.

    Raises
    ------
    ValueError
        If X is not a finite 2-d array.

    Examples
    --------
    >>> from statfast.preprocessing import normalize
    >>> normalize([[3.0, 4.0], [0.0, 0.0]])
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    as_choice(norm, "norm", NORMS)
    turn = as_count(axis, "axis", 0, 1) == 0
    if is_sparse(X):
        rows = as_csr(X)
        rows, norms = normalize_sparse_rows(rows.T.tocsr() if turn else rows, norm)
        rows = like_sparse(X, rows.T.tocsr() if turn else rows)
    else:
        table = as_rows(X)
        blocks: list[Array] = []

        def divide(Z: Array, out: Array) -> None:
            blocks.append(normalize_rows(Z, norm, out))

        rows = in_blocks(table.T if turn else table, divide)
        rows, norms = rows.T if turn else rows, np.concatenate(blocks).astype(table.dtype)
    return (rows, norms) if return_norm else rows


def binarize(X: Rows, *, threshold: float = 0.0, copy: bool = True) -> Matrix:
    """Ones where a value is above a threshold, and zeros elsewhere.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Samples.
    threshold : float, default=0.0
        Values above it become 1, others 0. Of sparse samples it must not be negative.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.

    Returns
    -------
    ndarray or csr_array of shape (n, d)

    Raises
    ------
    ValueError
        If X is not a finite 2-d array, or is sparse and the threshold negative.

    Examples
    --------
    >>> from statfast.preprocessing import binarize
    >>> binarize([[0.4, 0.6, 0.5]], threshold=0.5)
    array([[0., 1., 0.]])
    """
    return _array_of(Binarizer(threshold=threshold), X)


def _array_of(transformer: Estimator, X: Rows) -> Matrix:
    """What ``transform`` gives, whatever scikit-learn's configuration asks for."""
    return transformer.set_output(transform="default").transform(X)  # type: ignore[attr-defined]


def add_dummy_feature(X: Rows, value: float = 1.0) -> Matrix:
    """Put a constant column before the others.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Samples.
    value : float, default=1.0
        The constant.

    Returns
    -------
    ndarray or csr_array of shape (n, d + 1)

    Raises
    ------
    ValueError
        If X is not a finite 2-d array, or the value no number.

    Examples
    --------
    >>> from statfast.preprocessing import add_dummy_feature
    >>> add_dummy_feature([[0.0, 1.0], [1.0, 0.0]])
    array([[1., 0., 1.],
           [1., 1., 0.]])
    """
    constant = as_real(value, "value")
    if is_sparse(X):
        from scipy.sparse import hstack

        rows = as_csr(X)
        return hstack([np.full((rows.shape[0], 1), constant), rows], format="csr")
    table = as_rows(X)
    return np.hstack([np.full((len(table), 1), constant, dtype=table.dtype), table])
