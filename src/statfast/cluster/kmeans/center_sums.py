# SPDX-License-Identifier: BSD-3-Clause
"""The statistics of one iteration of Lloyd's algorithm, which add up over rows."""

from __future__ import annotations

from typing import Self

import numpy as np

from statfast._distance import extent_of
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_count, as_rows, as_weights, refuse_large, shown, wrong_type
from statfast.cluster.kmeans.data import NATIVE_DTYPES, require_range
from statfast.cluster.kmeans.dense_rows import DenseRows


class KMeansStatistics:
    """Mergeable sufficient statistics of one iteration of k-means.

    They add up: of rows kept in many places, each place need only send its k (d + 1) numbers.
    `KMeans` itself is fitted this way, block by block.

    Parameters
    ----------
    k : int
        Number of centers.
    d : int
        Number of columns.

    Attributes
    ----------
    sums : ndarray of shape (k, d), float64
        Weighted sum of the samples nearest to each center.
    mass : ndarray of shape (k,), float64
        Weight of the samples nearest to each center.
    moved : int
        How many samples changed their cluster.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.cluster import KMeansStatistics
    >>> here, there = np.array([[0.0], [1.0]]), np.array([[8.0], [10.0], [12.0]])
    >>> centers = np.array([[0.0], [6.0]])
    >>> for _ in range(2):
    ...     sums = KMeansStatistics.partial(here, centers)
    ...     centers = sums.merge(KMeansStatistics.partial(there, centers)).solve()
    >>> centers
    array([[ 0.5],
           [10. ]])
    """

    __slots__ = ("mass", "moved", "sums")

    def __init__(self, k: int, d: int) -> None:
        k, d = as_count(k, "k"), as_count(d, "d")
        refuse_large(8 * k * (d + 1), f"The sums of {k} centers in {d} columns", "Lower k or d.")
        self._clear(k, d)

    @classmethod
    def _of_none(cls, k: int, d: int) -> Self:
        """The statistics of no samples, for centers that were checked before."""
        statistics = cls.__new__(cls)
        statistics._clear(k, d)
        return statistics

    def _clear(self, k: int, d: int) -> None:
        self.sums, self.mass, self.moved = np.zeros((k, d)), np.zeros(k), 0

    @classmethod
    def partial(
        cls, X: Rows, centers: ArrayLike, sample_weight: Weights = None, labels: Array | None = None
    ) -> Self:
        """Return the statistics of samples assigned to their nearest centers.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Samples; float64, float32 and uint8 are taken as they are.
        centers : array-like of shape (k, d)
            The centers; a row equally near to several belongs to the first of them.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.
        labels : ndarray of shape (n,), int32, optional
            The cluster of each row so far, updated in place; None counts every row as moved.

        Returns
        -------
        step : KMeansStatistics

        Raises
        ------
        ValueError
            If X or centers is not a finite 2-d array, if their shapes do not match, if squared
            distances would overflow, or if `labels` cannot be updated.
        """
        X = np.ascontiguousarray(as_rows(X, keep=NATIVE_DTYPES))
        centers = np.array(as_rows(centers, name="centers"), dtype=np.float64, order="C")
        n, d = X.shape
        if centers.shape[1] != d:
            raise ValueError(
                f"centers must have as many columns as X ({d}); got {centers.shape[1]}. Pass the "
                "same columns of both."
            )
        weights = as_weights(sample_weight, n)
        if labels is None:
            labels = np.full(n, -1, np.int32)
        elif not (
            isinstance(labels, np.ndarray)
            and labels.dtype == np.int32
            and labels.shape == (n,)
            and labels.flags.c_contiguous
            and labels.flags.writeable
        ):
            raise ValueError(
                f"labels must be a contiguous, writeable int32 array of shape ({n},), one for each "
                f"row; got {shown(labels)}. Begin with np.full({n}, -1, np.int32)."
            )
        extent = extent_of(X, 1)
        low = np.minimum(extent.low, centers.min(axis=0))
        high = np.maximum(extent.high, centers.max(axis=0))
        require_range(low, high, n if weights is None else weights.sum(), "X")
        step = cls(*centers.shape)
        step.moved = DenseRows(X).step(DenseRows.frame(centers), labels, weights, step)
        return step

    def merge(self, other: Self) -> Self:
        """Add the statistics of other samples, in place.

        Parameters
        ----------
        other : KMeansStatistics
            Made with the same centers.

        Returns
        -------
        self : KMeansStatistics

        Raises
        ------
        TypeError
            If `other` is not a KMeansStatistics.
        ValueError
            If it is one of other centers.
        """
        if not isinstance(other, KMeansStatistics):
            raise wrong_type("other", "a KMeansStatistics", other)
        if other.sums.shape != self.sums.shape:
            raise ValueError(
                f"other must have centers of shape {self.sums.shape}; got {other.sums.shape}. "
                "Make both with the same centers."
            )
        self.sums += other.sums
        self.mass += other.mass
        self.moved += other.moved
        return self

    def solve(self) -> Array:
        """Return the cluster means; an empty cluster is relocated to where the heaviest is.

        Returns
        -------
        centers : ndarray of shape (k, d), float64
        """
        if 0.0 not in self.mass:
            return self.sums / self.mass[:, None]
        empty = self.mass == 0
        centers = self.sums / np.where(empty, 1.0, self.mass)[:, None]
        centers[empty] = centers[self.mass.argmax()]
        return centers

    def _give(self, row: Array, weight: float, source: int, target: int) -> None:
        """Take a row from the cluster `source` and make it the only one of `target`."""
        rest = self.mass[source] - weight
        if rest > 1e-12 * self.mass[source]:
            self.sums[source] -= weight * row
        else:  # it was the only row: the rest is rounding
            self.sums[source] = rest = 0.0
        self.mass[source] = rest
        self.sums[target] = weight * row
        self.mass[target] = weight
