# SPDX-License-Identifier: BSD-3-Clause
"""Spherical k-means: clusters of directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from statfast._engine import each, grid
from statfast._estimator import count, fitted, jobs, one_of, param, randomness, real, verbosity
from statfast._typing import Array, ArrayLike, Jobs, Matrix, Rows, Seed, Weights
from statfast._validation import (
    as_csr,
    as_generator,
    as_rows,
    as_weights,
    is_sparse,
    refuse_large,
    rows_for,
)
from statfast.cluster.kmeans.assignment import Assignment
from statfast.cluster.kmeans.block_passes import distances, nearest, potential
from statfast.cluster.kmeans.data import NATIVE_DTYPES, require_enough, survey_rows
from statfast.cluster.kmeans.dense_rows import DenseRows
from statfast.cluster.kmeans.init import INIT, N_INIT, best_run, runs_of
from statfast.cluster.kmeans.kmeans import ALGORITHMS
from statfast.cluster.kmeans.model import Centers, float_of, refuse_chunks, warn_empty
from statfast.cluster.kmeans.sparse_rows import SparseRows

NUMBERS_PER_BLOCK = 1 << 15  # numbers of rows that are divided together, in cache
# Between these, squared lengths lose no digits; other rows are scaled first.
MIN_SQUARE, MAX_SQUARE = 1e-250, 1e300
OVER_LENGTHS = "Divide rows by their lengths, and use KMeans."  # what takes the place of chunks


class SphericalKMeans(Centers):
    """Spherical k-means: directions of greatest total cosine with the rows, by Lloyd's algorithm.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    init : {"k-means++", "k-means||", "random"}, array-like (k, d) or callable, default="k-means++"
        Initialization, as `KMeans` has it, among the rows over their lengths; lengths of centers
        that are given do not matter.
    n_init : "auto" or int, default="auto"
        Number of starts; the run of lowest inertia is kept, the first such on ties. "auto" is 1
        for "k-means++", "k-means||" and an array, 10 for "random" and for a callable.
    max_iter : int, default=300
        Maximum number of iterations of one run.
    tol : float, default=1e-4
        A run ends once the squared distance by which all centers moved is at most `tol` times the
        mean (weighted) variance of the columns of rows over their lengths. It ends in any case when
        no row changes its cluster.
    verbose : int or bool, default=0
        If not 0, each iteration prints a line.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.
    algorithm : {"auto", "lloyd", "elkan", "hamerly", "yinyang"}, default="auto"
        How distances are pruned; all give the same labels. See `KMeans`.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (k, d)
        The centers, of length 1; float32 if X is float32, else float64.
    labels_ : ndarray of shape (n,), int32
        The center of greatest cosine with each row: what ``predict(X)`` returns.
    inertia_ : float
        Sum of weight * (1 - cosine with the center of the row).
    n_iter_ : int
        Iterations of the run that was kept.
    converged_ : bool
        Whether the iterations converged: no center moved, or all by less than `tol`.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.cluster.KMeans : clusters of rows by Euclidean distance.

    Notes
    -----
    Of rows and centers of length 1 the squared distance is 2 - 2 cosine, so that the steps are
    those of `KMeans`, and a center is the mean of its rows over its length. Where rows cancel out,
    so that their mean is zero, the center stays. **Exact**: the nearest center is found by float64
    differences of rows over their lengths, rounded to float32 if X is. **Ties go to the lowest
    index.** The result is the same for any number of threads.

    **Rows of zeros** have no direction: their cosine with every center is taken as 0. They are
    labeled 0, add their weight to ``inertia_``, and nothing to the centers. **Empty clusters** and
    **weights** are as in `KMeans`. **Sparse rows** are never made dense.

    Cost: O(n d k) an iteration, less as they converge. Memory: a copy of the rows over their
    lengths, and that of `KMeans`.

    References
    ----------
    Dhillon, I. S. and Modha, D. S. (2001). Concept decompositions for large sparse text data using
    clustering. Machine Learning 42, 143-175. doi:10.1023/A:1007612920971

    Examples
    --------
    >>> from statfast.cluster import SphericalKMeans
    >>> X = [[1.0, 0.1], [9.0, 0.0], [0.2, 3.0], [0.0, 0.5], [5.0, 0.4]]
    >>> model = SphericalKMeans(n_clusters=2, init=[[1, 0], [0, 1]]).fit(X)
    >>> model.labels_
    array([0, 0, 1, 1, 0], dtype=int32)
    >>> model.cluster_centers_.round(2)
    array([[1.  , 0.06],
           [0.03, 1.  ]])
    >>> model.predict([[100.0, 20.0], [0.001, 0.01]])
    array([0, 1], dtype=int32)
    """

    n_clusters: int = param(count(), default=8, kw_only=False)
    init: ArrayLike | Callable[..., Any] = param(INIT, default="k-means++")
    n_init: Literal["auto"] | int = param(N_INIT, default="auto")
    max_iter: int = param(count(), default=300)
    tol: float = param(real(0), default=1e-4)
    verbose: int | bool = param(verbosity, default=0)
    random_state: Seed = param(randomness, default=None)
    algorithm: Literal["auto", "lloyd", "elkan", "hamerly", "yinyang"] = param(
        one_of(*ALGORITHMS), default="auto"
    )
    n_jobs: Jobs = param(jobs, default=None)

    cluster_centers_: Array = fitted()
    labels_: Array = fitted()
    inertia_: float = fitted()
    n_iter_: int = fitted()
    converged_: bool = fitted()

    _takes_sparse = True

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Fit the cluster centers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Finite samples, of any length.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : SphericalKMeans

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with a row and a column, if `n_clusters` is greater than
            the number of rows (of positive weight) that are not all zeros, if `init` has the wrong
            shape, or if a parameter is out of its range.
        TypeError
            If X comes in chunks, or a parameter has the wrong type.
        """
        params = self._checked()
        refuse_chunks(X, OVER_LENGTHS)
        checked = as_csr(X) if is_sparse(X) else as_rows(X, keep=NATIVE_DTYPES)
        rows, filled = unit_rows(checked, float_of(X if is_sparse(X) else checked), self.n_jobs)
        weights = as_weights(sample_weight, len(filled))
        lost = _weight_of(~filled, weights)
        if not filled.any():
            raise ValueError(
                "X must hold a row that is not all zeros: rows of zeros have no direction. Drop "
                "them, or use KMeans."
            )
        kept = rows
        if not filled.all():
            index = np.flatnonzero(filled)
            kept, weights = rows[index], None if weights is None else weights[index]
        algorithm = "auto" if params.algorithm == "elkan" else params.algorithm
        data = survey_rows(kept, weights, self.n_jobs, algorithm)
        require_enough(data, params.n_clusters)
        seeds = as_generator(self.random_state).integers(2**32, size=runs_of(params))
        best = best_run(self, data, Assignment, seeds, direct=True)
        warn_empty(best.sizes)
        labels: Array = np.zeros(len(filled), np.int32)
        labels[filled] = best.labels
        return self._publish(
            X,
            n_features_in_=data.shape[1],
            cluster_centers_=best.centers.astype(data.dtype),
            labels_=labels,
            inertia_=best.inertia / 2 + lost,
            n_iter_=best.n_iter,
            converged_=best.converged,
            _prepared=data.frame(best.centers),
        )

    def predict(self, X: Rows) -> Array:
        """Predict the center of greatest cosine with each sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Finite samples.

        Returns
        -------
        labels : ndarray of shape (n,), int32
            Index of the center, the lowest on ties; 0 for a row of zeros.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a finite 2-d array of the fitted width.
        TypeError
            If X comes in chunks.
        """
        rows, filled = self._unit_rows(X)
        labels = nearest(rows, rows.framed(self._frame()), self.n_jobs)
        labels[~filled] = 0
        return labels

    def transform(self, X: Rows) -> Any:
        """Return 1 - cosine of each sample with each center.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Finite samples.

        Returns
        -------
        distances : ndarray of shape (n, k)
            From 0 to 2; 1 for a row of zeros. float32 if X is float32, else float64.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a finite 2-d array of the fitted width.
        TypeError
            If X comes in chunks.
        MemoryError
            If the distances would take more than half the free memory.
        """
        rows, filled = self._unit_rows(X)
        nbytes = 16 * len(filled) * len(self.cluster_centers_)
        refuse_large(nbytes, "The table of distances", "Transform fewer rows at a time.")
        out = distances(rows, rows.framed(self._frame()), self.n_jobs)
        out *= out
        out /= 2
        out[~filled] = 1.0
        return out

    def score(self, X: Rows, y: object = None, sample_weight: Weights = None) -> float:
        """Return minus the inertia of the samples: higher is better.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Finite samples.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        score : float
            Minus the sum of weight * (1 - cosine with the nearest center).

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a finite 2-d array of the fitted width, or the weights do not match it.
        TypeError
            If X comes in chunks.
        """
        rows, filled = self._unit_rows(X)
        weights = as_weights(sample_weight, len(filled))
        lost = _weight_of(~filled, weights)
        counted = filled * (1.0 if weights is None else weights)
        return -potential(rows, counted, rows.framed(self._frame()), self.n_jobs) / 2 - lost

    def _unit_rows(self, X: Any) -> tuple[DenseRows | SparseRows, Array]:
        """The checked rows of a fitted estimator over their lengths, and which have one."""
        refuse_chunks(X, OVER_LENGTHS)
        if is_sparse(X):
            return unit_rows(rows_for(self, X, sparse=True), float_of(X), self.n_jobs)
        rows = rows_for(self, X, keep=NATIVE_DTYPES)
        return unit_rows(rows, float_of(rows), self.n_jobs)


def unit_rows(rows: Matrix, dtype: type[Any], n_jobs: Jobs) -> tuple[DenseRows | SparseRows, Array]:
    """Checked rows over their lengths, and which have one; rows of zeros stay such."""
    if is_sparse(rows):
        return _unit_sparse_rows(rows, dtype)
    n, d = rows.shape
    out, filled = np.empty((n, d), dtype), np.empty(n, dtype=bool)

    def divide(block: slice) -> None:
        values = np.array(rows[block], np.float64, order="C")
        with np.errstate(over="ignore"):
            squares = np.einsum("ij,ij->i", values, values)
        if not ((squares > MIN_SQUARE) & (squares < MAX_SQUARE)).all():
            exponent = np.frexp(np.abs(values).max(axis=1))[1]
            values = np.ldexp(values, -exponent[:, None])
            squares = np.einsum("ij,ij->i", values, values)
        filled[block] = squares > 0
        length = np.sqrt(np.where(squares > 0, squares, 1.0))
        np.divide(values, length[:, None], out=out[block], casting="same_kind")

    blocks = grid(n, least=64, most=max(64, NUMBERS_PER_BLOCK // d))
    each(divide, blocks, n_jobs=n_jobs, effort=6.0 * n * d)
    return DenseRows(out), filled


def _unit_sparse_rows(rows: Matrix, dtype: type[Any]) -> tuple[SparseRows, Array]:
    from scipy.sparse import csr_array

    stored = np.diff(rows.indptr)
    some = np.flatnonzero(stored)
    exponent, length = np.zeros(len(stored), np.int32), np.zeros(len(stored))
    out = rows.data
    if len(some):
        starts = rows.indptr[some]
        exponent[some] = np.frexp(np.maximum.reduceat(np.abs(rows.data), starts))[1]
        scaled = np.ldexp(rows.data, -np.repeat(exponent, stored))
        length[some] = np.sqrt(np.add.reduceat(scaled * scaled, starts))
        out = scaled / np.repeat(np.where(length > 0, length, 1.0), stored)
    return (
        SparseRows(csr_array((out, rows.indices, rows.indptr), shape=rows.shape), dtype),
        length > 0,
    )


def _weight_of(rows: Array, weights: Array | None) -> float:
    """The weight of the rows that a mask marks."""
    return float(rows.sum() if weights is None else weights[rows].sum())
