# SPDX-License-Identifier: BSD-3-Clause
"""The base of estimators whose clusters are the rows nearest to a medoid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._distance import (
    Metric,
    OfRows,
    by_function,
    is_callable,
    is_gappy,
    metric_rows_for,
    read_only,
    refuse,
    scale_of,
)
from statfast._engine import each, grid
from statfast._estimator import Clusterer, Estimator, Transformer, fitted
from statfast._typing import Array, Jobs, Rows
from statfast._validation import (
    ConvergenceWarning,
    explain_nonfinite,
    refuse_large,
    slack_of,
    warn_user,
)


class Medoids(Transformer, Clusterer, Estimator):
    """Base of the estimators that have ``medoid_indices_`` and assign each row to the nearest."""

    # What subclasses declare, or a fit sets.
    _metric: Any = fitted()
    medoid_indices_: Array = fitted()
    cluster_centers_: Array = fitted()
    metric: Any = fitted()

    n_jobs: Jobs

    def predict(self, X: Rows) -> Array:
        """Predict the nearest medoid of each sample.

        Parameters
        ----------
        X : array-like of shape (m, d), or (m, n) if precomputed
            Finite samples; or the dissimilarities from each to the n fitted samples.

        Returns
        -------
        labels : ndarray of shape (m,), int32
            Index of the nearest medoid, the lowest on ties.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a finite 2-d array of the fitted width.
        """
        return nearest_to(self._queries(X), *self._targets, self.n_jobs)[0]

    def transform(self, X: Rows) -> Any:
        """Return the dissimilarity of each sample to each medoid.

        Parameters
        ----------
        X : array-like of shape (m, d), or (m, n) if precomputed
            Samples to transform.

        Returns
        -------
        dissimilarities : ndarray of shape (m, k)
            float32 if X is float32, else float64.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a finite 2-d array of the fitted width, or a dissimilarity is beyond its
            type.
        """
        return distances_to(self._queries(X), *self._targets, self.n_jobs)

    def _queries(self, X: Any) -> Array:
        return metric_rows_for(self, X, self.__dict__.get("_metric"))

    @property
    def _targets(self) -> tuple[Array, Metric | None]:
        """The medoids and the metric, or for precomputed rows the medoids' columns and None."""
        if self._metric is None:
            return self.medoid_indices_, None
        return self.cluster_centers_, self._metric

    @property
    def _n_features_out(self) -> int:
        return len(self.medoid_indices_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = is_gappy(self.metric)
        return tags


def moderate_weights(weights: Array | None) -> tuple[Array | None, float]:
    """Weights times a power of two, so that weighted sums stay in range; and that factor."""
    if weights is None:
        return None, 1.0
    scale = scale_of(float(weights.max()))
    return weights * scale, scale


def medoid_silhouette(near: Array, second: Array, weights: Array | None) -> float:
    """The mean of 1 - near / second, by weight; 0 / 0 counts as 1."""
    ratio = np.ones(len(near))
    np.divide(near, second, out=ratio, where=second > 0)
    return float(np.average(1 - ratio, weights=weights))


def warn_empty(labels: Array, k: int) -> None:
    """Warn if some of the clusters hold no row."""
    used = np.count_nonzero(np.bincount(labels, minlength=k))
    if used < k:
        warn_user(
            f"Only {used} of {k} clusters hold any row: others have a medoid like that of a "
            "cluster before. Lower n_clusters if X has fewer distinct rows than that, else choose "
            "another init.",
            ConvergenceWarning,
        )


# ---------- Rows against medoids: the nearest of each row, and the dissimilarities to all
def distances_to(rows: Array, medoids: Array, metric: Metric | None, n_jobs: Jobs) -> Array:
    """From each row to each medoid: (m, k), float32 if the rows are, else float64.

    Parameters
    ----------
    rows : ndarray of shape (m, d), or (m, n) dissimilarities where `metric` is None
    medoids : ndarray of shape (k, d), or (k,) the columns of the medoids where `metric` is None
    metric : Metric or None
    n_jobs : int, optional
    """
    m, k = len(rows), len(medoids)
    refuse_large(8 * m * k, "The table of dissimilarities", "Pass fewer rows at a time.")
    out = np.empty((m, k), np.float32 if rows.dtype == np.float32 else np.float64)

    def fill(part: slice, block: Array) -> None:
        with np.errstate(over="ignore"):
            out[part] = block

    _fill_blocks(fill, rows, medoids, metric, n_jobs)
    explain_nonfinite(out, "The table of dissimilarities")
    return out


def nearest_to(
    rows: Array, medoids: Array, metric: Metric | None, n_jobs: Jobs
) -> tuple[Array, Array]:
    """The nearest medoid of each row, the lowest on ties, and the dissimilarity to it."""
    labels, near = np.empty(len(rows), np.int32), np.empty(len(rows))

    def fill(part: slice, block: Array) -> None:
        labels[part] = block.argmin(axis=1)
        near[part] = block.min(axis=1)

    _fill_blocks(fill, rows, medoids, metric, n_jobs)
    return labels, near


def nearest_two(rows: Array, medoids: Array, metric: Metric, n_jobs: Jobs) -> tuple[Array, Array]:
    """The dissimilarities of each row to the nearest and the second nearest medoid."""
    near, second = np.empty((2, len(rows)))

    def fill(part: slice, block: Array) -> None:
        near[part], second[part] = np.partition(block, 1, axis=1)[:, :2].T

    _fill_blocks(fill, rows, medoids, metric, n_jobs)
    return near, second


def _fill_blocks(
    fill: Callable[..., Any], rows: Array, medoids: Array, metric: Metric | None, n_jobs: Jobs
) -> None:
    m, k = len(rows), len(medoids)
    if metric is not None and not is_callable(metric):
        first = OfRows(metric.prepare(np.asarray(medoids), name="The medoids"), metric)

    def work(part: slice) -> None:
        block = rows[part]
        if metric is None:
            fill(part, _checked_block(block, medoids, part.start))
        elif is_callable(metric):
            fill(part, _by_user_function(block, medoids, metric, part.start))
        else:
            fill(part, first.across(metric.prepare(block)))

    most = max(64, (1 << 24) // (k * rows.shape[1]))
    each(work, grid(m, most=most), n_jobs=n_jobs, effort=2.0 * m * k * rows.shape[1])


def _checked_block(rows: Array, columns: Array, start: int) -> Array:
    block = np.asarray(rows[:, columns], np.float64)
    wrong = block < -slack_of(rows) * rows.max()
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        refuse(float(block[i, j]), f"at row {start + i}, column {columns[j]}", "X")
    return np.maximum(block, 0.0)


def _by_user_function(rows: Array, medoids: Array, metric: Metric, start: int) -> Array:
    rows, medoids = read_only(rows), read_only(medoids)
    where = "row {} and a medoid"
    return np.array(
        [by_function(metric, row, medoids, where, start + i) for i, row in enumerate(rows)]
    )
