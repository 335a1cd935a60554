# SPDX-License-Identifier: BSD-3-Clause
"""Tables of distances and kernels between rows, and the nearest row of another table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from statfast._distance import (
    OfRows,
    as_metric_rows,
    by_function,
    is_callable,
    is_gappy,
    is_precomputed,
    read_only,
    scaled,
    store,
)
from statfast._engine import checkpoint, each, grid
from statfast._estimator import ignoring_sklearn_arguments
from statfast._typing import Array, Jobs, Matrix, Rows
from statfast._validation import as_count, as_flag, as_rows, refuse_large, wrong_type
from statfast.kernels import kernel_matrix

if TYPE_CHECKING:
    from statfast.kernels.kernel import Kernel


OPERATIONS_PER_TASK = 1 << 24  # The operations of a task, which take some milliseconds.


@ignoring_sklearn_arguments(ensure_all_finite=(True,))
def pairwise_distances(
    X: Rows,
    Y: Rows | None = None,
    metric: str | Callable[..., Any] = "euclidean",
    *,
    n_jobs: int | None = None,
    **kwds: Any,
) -> Array:
    """Distances between all samples of X and of Y, or of X.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Samples; for "precomputed" distances, which come back checked.
    Y : array-like of shape (m, d), optional
        Others; None takes X.
    metric : str or callable, default="euclidean"
        The distance: a name of `NearestNeighbors` ("euclidean", "manhattan", "cosine", ...),
        "precomputed", or a function of two samples, taken as symmetric where there is no Y.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.
    **kwds : object
        Parameters of the metric, such as ``p=3`` or ``V=``.

    Returns
    -------
    ndarray of shape (n, m)
        float64, made of differences of the samples themselves: 0 between equal samples, and
        symmetric without Y, to the last bit.

    Raises
    ------
    ValueError
        If the rows are not finite, or have other widths, or a parameter is out of range.
    MemoryError
        If the table takes more than half of the free memory.

    Notes
    -----
    A missing variance or covariance of "seuclidean" and "mahalanobis" is that of X and Y together.

    Examples
    --------
    >>> from statfast.metrics import pairwise_distances
    >>> pairwise_distances([[0, 0], [3, 4]], [[0, 0], [6, 8], [3, 0]])
    array([[ 0., 10.,  3.],
           [ 5.,  5.,  4.]])
    """
    if is_precomputed(metric):
        return as_rows(X, keep=(np.float64,)).copy()
    if Y is None:
        source = as_metric_rows(X, metric, p=kwds.pop("p", 2), metric_params=kwds or None)
        if is_callable(source.metric):
            return source.made(n_jobs).matrix  # type: ignore[union-attr]
        return store(scaled(*source, n_jobs), np.float64, n_jobs, "Pass fewer rows.").matrix
    rows, columns, effort, fill = _between(X, Y, metric, kwds, n_jobs)
    refuse_large(8 * rows * columns, f"The {rows} x {columns} table", "Pass fewer rows.")
    out = np.empty((rows, columns))

    def work(strip: slice) -> None:
        out[strip] = fill(strip)

    _strips(work, rows, effort, n_jobs)
    return out


@ignoring_sklearn_arguments(ensure_all_finite=(True,))
def pairwise_distances_argmin_min(
    X: Rows,
    Y: Rows,
    *,
    axis: Literal[1, 0] = 1,
    metric: str | Callable[..., Any] = "euclidean",
    metric_kwargs: dict[Any, Any] | None = None,
) -> tuple[Array, Array]:
    """Nearest sample of Y to each sample of X, and its distance, without the distance matrix.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Samples; for "precomputed" distances, which come back checked.
    Y : array-like of shape (m, d)
        Others; None takes X.
    axis : {1, 0}, default=1
        0 gives the nearest row of X to each row of Y.
    metric : str or callable, default="euclidean"
        The distance: a name of `NearestNeighbors` ("euclidean", "manhattan", "cosine", ...), a
        function of two samples, or "precomputed".
    metric_kwargs : dict, optional
        Parameters of the metric, such as ``{"p": 3}``.

    Returns
    -------
    indices : ndarray of int64 of shape (n,)
        The first of several that are as near.
    distances : ndarray of shape (n,)

    Raises
    ------
    ValueError
        As `pairwise_distances`.

    Notes
    -----
    Memory: some rows of the table at a time. `statfast.NearestNeighbors` is faster where rows are
    many: it has trees.

    Examples
    --------
    >>> from statfast.metrics import pairwise_distances_argmin_min
    >>> pairwise_distances_argmin_min([[0.0], [4.0]], [[1.0], [3.0]])
    (array([0, 1]), array([1., 1.]))
    """
    as_count(axis, "axis", low=0, high=1)
    if not isinstance(metric_kwargs, dict | None):
        raise wrong_type("metric_kwargs", "a dict or None", metric_kwargs)
    X, Y = (X, Y) if axis == 1 else (Y, X)
    rows, _, effort, fill = _between(X, Y, metric, dict(metric_kwargs or {}), None)
    indices, distances = np.empty(rows, np.int64), np.empty(rows)

    def work(strip: slice) -> None:
        of_strip = fill(strip)
        indices[strip], distances[strip] = of_strip.argmin(axis=1), of_strip.min(axis=1)

    _strips(work, rows, effort, None)
    return indices, distances


@ignoring_sklearn_arguments(ensure_all_finite=(True,))
def pairwise_distances_argmin(
    X: Rows,
    Y: Rows,
    *,
    axis: Literal[1, 0] = 1,
    metric: str | Callable[..., Any] = "euclidean",
    metric_kwargs: dict[Any, Any] | None = None,
) -> Array:
    """Index of the nearest sample of Y to each sample of X, without the distance matrix.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Samples; for "precomputed" distances, which come back checked.
    Y : array-like of shape (m, d)
        Others; None takes X.
    axis : {1, 0}, default=1
        0 gives the nearest row of X to each row of Y.
    metric : str or callable, default="euclidean"
        The distance: a name of `NearestNeighbors` ("euclidean", "manhattan", "cosine", ...), a
        function of two samples, or "precomputed".
    metric_kwargs : dict, optional
        Parameters of the metric, such as ``{"p": 3}``.

    Returns
    -------
    ndarray of int64 of shape (n,)
        The first of several that are as near.

    Raises
    ------
    ValueError
        As `pairwise_distances`.

    Examples
    --------
    >>> from statfast.metrics import pairwise_distances_argmin
    >>> pairwise_distances_argmin([[0.0], [4.0]], [[1.0], [3.0]])
    array([0, 1])
    """
    return pairwise_distances_argmin_min(X, Y, axis=axis, metric=metric,
                                         metric_kwargs=metric_kwargs)[0]  # fmt: skip


def pairwise_kernels(
    X: Rows,
    Y: Rows | None = None,
    metric: str | Kernel | Callable[..., Any] = "linear",
    *,
    filter_params: bool = False,
    n_jobs: int | None = None,
    **kwds: Any,
) -> Array:
    """Kernel matrix between all samples of X and of Y, or of X.

    `statfast.kernels.kernel_matrix` with scikit-learn's defaults.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Samples.
    Y : array-like of shape (m, d), optional
        None takes X.
    metric : str, Kernel or callable, default="linear"
        "linear", "poly" (or "polynomial"), "rbf", "sigmoid", "laplacian", "cosine", "precomputed",
        a kernel, or a function of two arrays of rows.
    filter_params : bool, default=False
        Whether parameters that the kernel does not have are left out, instead of refused.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.
    **kwds : float
        ``gamma`` (1 / d), ``degree`` (3) and ``coef0`` (1) of the kernels that have them.

    Returns
    -------
    ndarray of shape (n, m)

    Raises
    ------
    ValueError
        If the rows are not finite, or a parameter is out of range, or not the kernel's.

    Examples
    --------
    >>> from statfast.metrics import pairwise_kernels
    >>> pairwise_kernels([[0.0], [1.0], [3.0]], metric="rbf", gamma=0.5).round(4)
    array([[1.    , 0.6065, 0.0111],
           [0.6065, 1.    , 0.1353],
           [0.0111, 0.1353, 1.    ]])
    """
    if isinstance(metric, str):
        metric = "poly" if metric == "polynomial" else metric
        takes = PARAMETERS.get(metric, ())
        if as_flag(filter_params, "filter_params"):
            kwds = {name: value for name, value in kwds.items() if name in takes}
        for name in set(kwds) - set(takes):
            raise ValueError(f"{name} is not a parameter of the kernel {metric!r}. Leave it out.")
        if metric == "cosine":
            rows = as_rows(X)
            columns = rows if Y is None else as_rows(Y, name="Y")
            return 1.0 - pairwise_distances(rows, None if Y is None else columns, "cosine")
        kwds = {name: value for name, value in kwds.items() if value is not None}
        kwds = {"gamma": "auto", "coef0": 1.0, **kwds}
    return kernel_matrix(metric, X, Y, n_jobs=n_jobs, **kwds)


PARAMETERS = {
    "poly": ("gamma", "degree", "coef0"),
    "sigmoid": ("gamma", "coef0"),
    "rbf": ("gamma",),
    "laplacian": ("gamma",),
}


def _between(
    X: Any, Y: Matrix | list[Any], metric: Any, params: dict[Any, Any], n_jobs: Jobs
) -> tuple[int, int, int, Callable[..., Any]]:
    """Numbers of rows and others, the effort of a row, and a function: slice to distances."""
    finite = not is_gappy(metric)
    X = as_rows(X, keep=(np.float64,), finite=finite)
    Y = as_rows(Y, name="Y", keep=(np.float64,), finite=finite)
    if X.shape[1] != Y.shape[1]:
        raise ValueError(f"Y must have the {X.shape[1]} columns of X; got {Y.shape[1]}.")
    (n, d), m = X.shape, len(Y)
    both = as_metric_rows(
        np.concatenate([X, Y]), metric, p=params.pop("p", 2), metric_params=params or None
    )
    if is_callable(both.metric):
        X, Y = read_only(X), read_only(Y)
        where = "row {} of X and row {} of Y"

        def called(strip: slice) -> Array:
            rows = range(*strip.indices(n))
            return np.array([by_function(both.metric, X[i], Y, where, i) for i in rows])

        return n, m, m * d, called
    made: OfRows = scaled(*both, n_jobs)
    step = max(256, OPERATIONS_PER_TASK // (64 * d))

    def filled(strip: slice) -> Array:
        out = np.empty((strip.stop - strip.start, m))
        for start in range(0, m, step):
            checkpoint()
            stop = min(m, start + step)
            out[:, start:stop] = made.block(strip, slice(n + start, n + stop))
        return out

    return n, m, m * d, filled


def _strips(work: Callable[..., Any], rows: int, effort: int, n_jobs: Jobs) -> None:
    """Call `work` on slices of the rows, each of which costs some effort."""
    with np.errstate(over="ignore"):
        blocks = grid(rows, least=64, most=max(64, OPERATIONS_PER_TASK // effort))
        each(work, blocks, n_jobs=n_jobs, effort=1.0 * rows * effort)
