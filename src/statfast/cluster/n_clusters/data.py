# SPDX-License-Identifier: BSD-3-Clause
"""Data for several numbers of clusters: rows and a metric, or dissimilarities."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from statfast._distance import (
    BLOCKWISE,
    PRECOMPUTED,
    Condensed,
    MetricRows,
    OfRows,
    Square,
    as_dissimilarities,
    is_callable,
    metric_of,
    of_function,
)

EUCLIDEAN = "euclidean"
SCALED = (EUCLIDEAN, "seuclidean", "mahalanobis")  # Euclidean distance of rows that are prepared


class CheckedData(NamedTuple):
    """Checked rows, or a square matrix of dissimilarities.

    Attributes
    ----------
    X : ndarray of shape (n, d), or (n, n) if precomputed
        Rows are prepared, if the metric is Euclidean distance after that.
    metric : str or Metric
        Of the rows; or "precomputed": also the matrix of a function of two rows, which is called
        once for each pair.
    metric_params : dict, optional
        Further parameters of the metric.
    rows : ndarray of shape (n, d), or (n, n)
        What a function given as method is called with: the rows, if there are any.
    """

    X: np.ndarray
    metric: Any
    metric_params: dict | None
    rows: np.ndarray

    @property
    def n(self) -> int:
        return len(self.X)

    @property
    def plain(self) -> bool:
        """Whether the metric is Euclidean distance of X, so that means and squares apply."""
        return self.metric == EUCLIDEAN

    @property
    def metric_arguments(self) -> dict:
        """The metric and its parameters, as keyword arguments."""
        return {"metric": self.metric, "metric_params": self.metric_params}

    def source(self, n_jobs: int | None = None) -> Square | OfRows:
        """The dissimilarities, in the form of kernels."""
        if self.metric == PRECOMPUTED:
            return Square(self.X)
        metric = metric_of(self.metric, 2, self.metric_params, self.X)
        return MetricRows(self.X, metric).made(n_jobs)

    def take(self, which: np.ndarray) -> CheckedData:
        """The data of the points with these numbers."""
        X = self.X[np.ix_(which, which) if self.metric == PRECOMPUTED else which]
        return self._replace(X=X, rows=X if self.rows is self.X else self.rows[which])


def as_points(
    X: Any, metric: Any = EUCLIDEAN, metric_params: dict | None = None, *, n_min: int = 1,
    n_jobs: int | None = None,
) -> CheckedData:  # fmt: skip
    """Check rows and their metric, or dissimilarities, whose triangle is unfolded."""
    source = as_dissimilarities(X, metric, metric_params=metric_params, n_min=n_min, n_jobs=n_jobs)
    if not isinstance(source, MetricRows):
        table = source.unfolded() if isinstance(source, Condensed) else source.matrix
        return CheckedData(table, PRECOMPUTED, None, table)
    rows, measure = source
    if is_callable(measure):
        return CheckedData(of_function(rows, measure, np.float64).matrix, PRECOMPUTED, None, rows)
    if measure.name in SCALED:  # parameters of the metric are estimated from all rows
        return CheckedData(measure.prepare(rows, n_jobs=n_jobs), EUCLIDEAN, None, rows)
    if measure.kind == BLOCKWISE:  # its parameters are those of all rows
        return CheckedData(rows, measure, None, rows)
    return CheckedData(rows, metric, metric_params, rows)
