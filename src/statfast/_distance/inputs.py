# SPDX-License-Identifier: BSD-3-Clause
"""Rows and a metric, or dissimilarities between rows, checked once.

Methods that take either call `as_dissimilarities`. The answer has the number of rows (`n`), the
upper triangle of dissimilarities (`condensed`), and an object of dissimilarity.py that makes any
rectangle of their matrix (`made`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from statfast._distance.condensed import Triangle
from statfast._distance.dissimilarity import (
    PRECOMPUTED,
    Condensed,
    OfRows,
    Square,
    is_callable,
    made_of,
    metric_of,
    of_function,
    scaled,
    typed,
)
from statfast._distance.metrics import BLOCKWISE, Metric, as_metric
from statfast._distance.precomputed import as_matrix, as_table, as_triangle, is_triangle
from statfast._typing import Array
from statfast._validation import (
    FLOATS,
    as_columns,
    as_rows,
    column_labels,
    column_names,
    columns_for,
    explain_nonfinite,
    refuse_large,
    rows_for,
)


class MetricRows(NamedTuple):
    """Checked rows and their metric."""

    X: np.ndarray
    metric: Metric

    @property
    def n(self) -> int:
        return len(self.X)

    def made(self, n_jobs: int | None = None) -> OfRows | Square:
        """The dissimilarities between the rows; refuses rows whose sums of them overflow."""
        if is_callable(self.metric):
            return of_function(self.X, self.metric, np.float64)
        return made_of(self.X, self.metric, n_jobs)

    def condensed(self, n_jobs: int | None = None) -> tuple[Triangle, float | None]:
        """The upper triangle, in float64, and the largest of it."""
        n = len(self.X)
        what = f"The matrix of {n} rows of X, with work space,"
        refuse_large(8 * n * (n - 1), what, "Cluster a sample of the rows.")
        if is_callable(self.metric):
            return of_function(self.X, self.metric, np.float64).condensed(n_jobs)
        return scaled(self.X, self.metric, n_jobs).condensed(n_jobs)


Dissimilarities = MetricRows | Square | Condensed


def as_metric_rows(
    X: Any, metric: Any, *, p: Any = 2, metric_params: dict[str, Any] | None = None,
    keep: tuple[Any, ...] = FLOATS, n_min: int = 1,
) -> MetricRows:  # fmt: skip
    """Check rows and a metric, which may be one that takes missing values, or a data frame."""
    if isinstance(metric, str) and metric == "gower":
        measure = as_metric(metric, metric_params=metric_params, d=0, X=X)
        columns = as_columns(X)
        coded = measure.columns.coded(columns, column_labels(column_names(X), len(columns)))
        return MetricRows(as_rows(coded, n_min=n_min, finite=False), measure)
    gaps = is_gappy(metric)
    rows = as_rows(X, keep=keep, n_min=n_min, finite=not gaps)
    if gaps:
        _refuse_infinity(rows)
    return MetricRows(rows, metric_of(metric, p, metric_params, rows))


def metric_rows_for(
    estimator: Any, X: Any, metric: Metric | None, keep: tuple[Any, ...] = FLOATS
) -> Array:
    """Rows of a query to an estimator that was fitted to rows and their metric, checked."""
    if metric is None or metric.kind != BLOCKWISE:
        return rows_for(estimator, X, keep=keep)
    if metric.columns is not None:
        columns = columns_for(estimator, X)
        return metric.columns.coded(columns, column_labels(column_names(X), len(columns)))
    gaps = is_gappy(metric)
    rows = rows_for(estimator, X, keep=keep, finite=not gaps)
    if gaps:
        _refuse_infinity(rows)
    return rows


def is_gappy(metric: Any) -> bool:
    """Whether a metric is defined where values are missing."""
    name = metric.name if isinstance(metric, Metric) else metric
    return isinstance(name, str) and name in ("nan_euclidean", "gower")


def _refuse_infinity(rows: Array) -> None:
    if rows.dtype.kind == "f" and np.isinf(rows).any():
        explain_nonfinite(np.where(np.isnan(rows), 0, rows), "X")


def is_precomputed(metric: Any) -> bool:
    """Whether X holds dissimilarities, and not rows."""
    return isinstance(metric, str) and metric == PRECOMPUTED


def as_dissimilarities(
    X: Any, metric: Any = PRECOMPUTED, *, p: Any = 2, metric_params: dict[str, Any] | None = None,
    vectors: bool = False, symmetric: bool = False, dtype: Any = None, n_min: int = 1,
    n_jobs: int | None = None,
) -> Dissimilarities:  # fmt: skip
    """Check rows and their metric, or dissimilarities between them.

    Parameters
    ----------
    X : array-like of shape (n, d), (n, n) or (n (n - 1) / 2,)
        Rows; or, if precomputed, a square matrix, or its upper triangle row by row.
    metric, p, metric_params
        As in `statfast.neighbors.NearestNeighbors`; the metric may be "precomputed".
    vectors : bool
        A vector is a triangle whatever the metric.
    symmetric : bool
        Refuse a matrix that is not symmetric up to rounding.
    dtype : numpy scalar type, optional
        What to store matrices as; None keeps float32 and float64.
    n_min : int
        Refuse fewer rows.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Raises
    ------
    ValueError
        If rows are not finite, a matrix is not square, the length of a vector is not that of a
        triangle, a dissimilarity is negative, NaN or infinite, one from a point to itself is not
        zero, or there are too few.
    """
    keep = FLOATS if dtype is None else (np.dtype(dtype).type, np.float64)
    precomputed = is_precomputed(metric)
    if (precomputed or vectors) and is_triangle(X):
        values, n, high = as_triangle(X, keep=keep, n_jobs=n_jobs)
        if n == 1 and n_min == 2:
            raise ValueError("X must hold at least one pair; got none. Give two points or more.")
        as_rows(np.zeros((n, 1)), n_min=n_min)  # refuses too few
        return Condensed(typed(values, dtype, "X"), n, high)
    if precomputed and symmetric:
        matrix, high = as_matrix(X, n_min=n_min)
        return Square(matrix, high=high)
    if precomputed:
        matrix, mirrored = as_table(X, keep=keep, n_min=n_min, n_jobs=n_jobs)
        return Square(typed(matrix, dtype, "X"), mirrored)
    rows = as_metric_rows(X, metric, p=p, metric_params=metric_params, n_min=n_min)
    refuse_self_distance(rows.metric)
    return rows


def refuse_self_distance(metric: Metric) -> None:
    """Refuse a metric by which rows are not at 0 from themselves."""
    if metric.name == "russellrao":
        raise ValueError(
            "metric 'russellrao' puts a row at a distance from itself, where a dissimilarity is 0. "
            "Pass scipy.spatial.distance.pdist(X, 'russellrao') and metric='precomputed'."
        )


def condensed_of(
    X: Any, metric: Any, metric_params: Any, n: int, n_jobs: int | None = None
) -> Array:
    """The condensed dissimilarities, float64, of n rows; X is rows, condensed or square."""
    source = as_dissimilarities(
        X, metric, metric_params=metric_params, vectors=True, symmetric=True, n_min=2
    )
    if source.n != n:
        raise ValueError(
            f"X must be of as many rows as Z has leaves ({n}); got {source.n}. Pass what Z was "
            "made of."
        )
    table = source.matrix if isinstance(source, Square) else source.condensed(n_jobs)[0].owners
    if np.ndim(table) == 1:
        return np.asarray(table, np.float64)
    refuse_large(4 * n * n, "A condensed copy of X", "Pass it condensed.")  # a square matrix
    rows = [row[i + 1 :] for i, row in enumerate(table)]
    return np.concatenate(rows, dtype=np.float64)
