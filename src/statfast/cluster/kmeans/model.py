# SPDX-License-Identifier: BSD-3-Clause
"""The base of estimators whose clusters are the rows nearest to a center."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._engine import Chunks
from statfast._estimator import Clusterer, Estimator, Transformer, fitted
from statfast._typing import Array, Jobs, Matrix, Rows, Weights
from statfast._validation import (
    ConvergenceWarning,
    as_csr,
    as_rows,
    as_weights,
    is_sparse,
    not_fitted,
    refuse_large,
    rows_for,
    warn_user,
)
from statfast.cluster.kmeans.block_passes import distances, nearest, potential
from statfast.cluster.kmeans.data import NATIVE_DTYPES
from statfast.cluster.kmeans.dense_rows import DenseFrame, DenseRows, StreamedRows, rows_of
from statfast.cluster.kmeans.sparse_rows import SparseRows


class Centers(Transformer, Clusterer, Estimator):
    """Base of the estimators that have ``cluster_centers_`` and assign each row to the nearest."""

    # What subclasses declare, or a fit sets.
    cluster_centers_: Array = fitted()

    n_jobs: Jobs

    _takes_sparse = False
    _made_when_needed = ("_prepared",)  # packed for this machine's instruction set

    def predict(self, X: Rows) -> Array:
        """Predict the nearest center of each sample.

        Parameters
        ----------
        X : array-like of shape (n, d), or Chunks
            Finite samples.

        Returns
        -------
        labels : ndarray of shape (n,), int32
            Index of the nearest center, the lowest on ties.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a finite 2-d array of the fitted width.
        """
        rows = self._rows(X)
        frame = rows.framed(self._frame())
        if rows.little(frame):
            labels = np.empty(rows.shape[0], np.int32)
            rows.contiguous().step(frame, labels)
            return labels
        return nearest(rows, frame, self.n_jobs)

    def transform(self, X: Rows) -> Any:
        """Return the Euclidean distance of each sample to each center.

        Parameters
        ----------
        X : array-like of shape (n, d), or Chunks
            Finite samples.

        Returns
        -------
        distances : ndarray of shape (n, k)
            float32 if X is float32, else float64.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a finite 2-d array of the fitted width, or so far away that squared
            distances overflow.
        MemoryError
            If the distances would take more than half the free memory.
        """
        rows = self._rows(X)
        frame = rows.framed(self._frame())
        if rows.in_memory:
            # There are two copies for a while: blocks of distances, and their concatenation.
            nbytes = 16 * rows.shape[0] * len(frame.centers)
            refuse_large(nbytes, "The table of distances", "Transform fewer rows at a time.")
        return _require_finite(distances(rows, frame, self.n_jobs))

    def score(self, X: Rows, y: object = None, sample_weight: Weights = None) -> float:
        """Return minus the inertia of the samples: higher is better.

        Parameters
        ----------
        X : array-like of shape (n, d), or Chunks
            Finite samples.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        score : float
            Minus the sum of weight * squared distance to the nearest center.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a finite 2-d array of the fitted width, or so far away that squared
            distances overflow, or the weights do not match it.
        """
        rows = self._rows(X)
        if sample_weight is not None:
            n = len(sample_weight) if isinstance(X, Chunks) else rows.shape[0]  # type: ignore[arg-type]
            sample_weight = as_weights(sample_weight, n)
        frame = rows.framed(self._frame())
        return -_require_finite(potential(rows, sample_weight, frame, self.n_jobs))

    def _rows(self, X: Any) -> Any:
        """The rows for a fitted estimator, checked or, if they come in chunks, checked as read."""
        if is_sparse(X) and self._takes_sparse:
            return sparse_rows_for(self, X)
        if not isinstance(X, Chunks):
            return DenseRows(rows_for(self, X, keep=NATIVE_DTYPES))
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        return StreamedRows(
            Chunks(rows_for(self, chunk, keep=NATIVE_DTYPES, n_min=0) for chunk in X)
        )

    def _frame(self) -> DenseFrame:
        """The frame of the centers for dense rows, made anew if the user changed the centers."""
        frame = self.__dict__.get("_prepared")
        if frame is None or not np.array_equal(self.cluster_centers_, frame.centers):
            centers = np.array(self.cluster_centers_, dtype=np.float64, order="C")
            frame = self._prepared = DenseRows.frame(centers)
        return frame

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)


def sparse_rows_for(estimator: Centers, X: Matrix) -> SparseRows:
    """Sparse rows for a fitted estimator, checked."""
    return SparseRows(rows_for(estimator, X, sparse=True), float_of(X))


def float_of(X: Matrix) -> type[Any]:
    """float32 for float32, float64 for all other types."""
    return np.float32 if X.dtype == np.float32 else np.float64


def rows_in_any_order(X: Any, instead: str) -> Any:
    """Check rows that are to be read out of order, which those of `Chunks` cannot be."""
    refuse_chunks(X, instead)
    return as_any_rows(X)


def refuse_chunks(X: Any, instead: str) -> None:
    """Refuse `Chunks`."""
    if isinstance(X, Chunks):
        raise TypeError(f"X must be an array of rows; got Chunks. {instead}")


def as_any_rows(X: Any) -> Any:
    """Check rows, dense, sparse or `Chunks`; `survey_rows` checks whether all are finite."""
    if is_sparse(X):
        return SparseRows(as_csr(X), float_of(X))
    rows: Any = X if isinstance(X, Chunks) else as_rows(X, keep=NATIVE_DTYPES, finite=False)
    return rows_of(rows)


def warn_empty(sizes: Array, instead: str = "raise max_iter") -> None:
    """Warn if a cluster has no row; `sizes` are the rows of each."""
    used, k = np.count_nonzero(sizes), len(sizes)
    if used < k:
        warn_user(
            f"Only {used} of {k} clusters hold any row. Lower n_clusters if X has fewer "
            f"distinct rows than that, else {instead}.",
            ConvergenceWarning,
        )


def _require_finite(distances: Array | float) -> Any:
    """Refuse distances, or sums of them, that are not finite; returns them."""
    if not np.isfinite(distances).all():
        raise ValueError(
            "X holds rows so far from the centers that squared distances overflow. Divide the data "
            "by a constant first."
        )
    return distances
