# SPDX-License-Identifier: BSD-3-Clause
"""Clusters, cophenetic distances and inconsistency coefficients of a linkage matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._core.hierarchy import dendrogram as kernel
from statfast._distance import condensed_of, scale_of
from statfast._engine import checkpoint, each, grid
from statfast._validation import as_count, as_real, as_rows, is_iterable, refuse_large, shown

PAIRS_PER_CALL = 1 << 22  # pairs written between checkpoints
MERGES_PER_CALL = 1 << 23  # merges looked at between checkpoints


def cut_tree(Z: Any, n_clusters: Any = None, *, height: Any = None) -> np.ndarray:
    """Cut a dendrogram into clusters, by their number or at a height.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        A linkage matrix, of `linkage` or scipy.
    n_clusters : int or sequence of int, optional
        How many clusters to leave: the first n - n_clusters merges are made.
    height : float or sequence of float, optional
        Merges at most this high are made, with all below them: where heights fall ("centroid",
        "median"), a cluster is one whose merges are all at most this high. Give one of the two.

    Returns
    -------
    labels : ndarray of shape (n,), int32, or (n, m) for a sequence of m cuts
        Clusters are numbered from 0 in the order of their first points.

    Raises
    ------
    ValueError
        If Z is not a linkage matrix, if a number of clusters is not between 1 and n, if a height is
        not finite, if a sequence is empty, or if neither or both of `n_clusters` and `height` are
        given.
    TypeError
        If a number of clusters is not an integer, or a height is not a number.

    Notes
    -----
    Cost: O(n) for each cut.

    Examples
    --------
    >>> from statfast.cluster import cut_tree, linkage
    >>> Z = linkage([[0.0], [1.0], [5.0], [7.0]], "average")
    >>> cut_tree(Z, 3), cut_tree(Z, height=2.0)
    (array([0, 0, 1, 2], dtype=int32), array([0, 0, 1, 1], dtype=int32))
    """
    Z = as_linkage(Z)
    n = len(Z) + 1
    if (n_clusters is None) == (height is None):
        raise ValueError(
            f"Exactly one of n_clusters and height must be given; got {shown(n_clusters)} and "
            f"{shown(height)}. Leave one out."
        )
    if height is not None:
        within = heights_within(Z)
        cuts, several = _listed(height, "height")
        made = [within <= as_real(cut, "height") for cut in cuts]
    else:
        every = np.arange(n - 1)
        cuts, several = _listed(n_clusters, "n_clusters")
        cuts = [as_count(k, "n_clusters", 1, n, limit="the number of rows") for k in cuts]
        made = [every < n - k for k in cuts]
    labels = [labels_of(Z, merges) for merges in made]
    return np.stack(labels, axis=1) if several else labels[0]


def _listed(cuts: Any, name: str) -> tuple[list[Any], bool]:
    """One cut or several as a list, and whether they are several."""
    if isinstance(cuts, str) or not is_iterable(cuts):
        return [cuts], False
    cuts = list(cuts)
    if not cuts:
        raise ValueError(f"{name} must hold at least one cut; got none. Pass some.")
    return cuts, True


def cophenetic(Z: Any, *, n_jobs: int | None = None) -> np.ndarray:
    """Cophenetic distances: the height at which each pair of samples is first merged.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        A linkage matrix.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    ndarray of shape (n (n - 1) / 2,)
        Condensed: the pairs (0, 1), (0, 2), ..., (n - 2, n - 1).

    Raises
    ------
    ValueError
        If Z is not a linkage matrix.
    MemoryError
        If the distances would take more than half the free memory.

    Notes
    -----
    Cost: O(n^2), which is the size of the result.

    Examples
    --------
    >>> from statfast.cluster import cophenetic, linkage
    >>> cophenetic(linkage([[0.0], [1.0], [5.0]], "single"))
    array([1., 4., 4.])
    """
    Z = as_linkage(Z)
    n = len(Z) + 1
    refuse_large(4 * n * (n - 1), f"The cophenetic distances of {n} rows", "Cut the tree instead.")
    out = np.empty(n * (n - 1) // 2)
    start, leaf = leaves_of(Z)

    def work(block: slice) -> None:
        checkpoint()
        kernel.cophenetic(Z, start, leaf, block.start, block.stop, out)

    blocks = grid(n, least=64, most=max(64, PAIRS_PER_CALL // n), parts=16)
    each(work, blocks, n_jobs=n_jobs, effort=2.0 * n * n)
    return out


def cophenetic_correlation(
    Z: Any, X: Any, metric: Any = "euclidean", *, metric_params: dict | None = None,
    n_jobs: int | None = None,
) -> float:  # fmt: skip
    """Cophenetic correlation coefficient of a dendrogram.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        A linkage matrix.
    X : array-like of shape (n, d) or (n (n - 1) / 2,)
        Rows, condensed dissimilarities, or with ``metric="precomputed"`` a square matrix.
    metric : str or callable, default="euclidean"
        The distance of rows.
    metric_params : dict, optional
        Further parameters of the metric.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    float
        Pearson's correlation over all pairs; NaN where all heights, or all dissimilarities, are
        equal.

    Raises
    ------
    ValueError
        If Z is not a linkage matrix, X is not valid, or they are not of as many rows.
    MemoryError
        If the matrices would take more than half the free memory.

    References
    ----------
    Sokal, R. R. and Rohlf, F. J. (1962). The comparison of dendrograms by objective methods. Taxon
    11, 33-40. doi:10.2307/1217208

    Examples
    --------
    >>> from statfast.cluster import cophenetic_correlation, linkage
    >>> X = [[0.0], [1.0], [5.0], [7.0]]
    >>> round(cophenetic_correlation(linkage(X, "average"), X), 4)
    0.902
    """
    Z = as_linkage(Z)
    y = condensed_of(X, metric, metric_params, len(Z) + 1, n_jobs)
    heights = cophenetic(Z, n_jobs=n_jobs)
    blocks = [slice(start, start + PAIRS_PER_CALL) for start in range(0, len(y), PAIRS_PER_CALL)]
    means = y.mean(dtype=np.float64), heights.mean()
    scales = max(abs(y.max() - means[0]), abs(y.min() - means[0])), np.ptp(heights)
    if not (scales[0] > 0 and scales[1] > 0):
        return float("nan")

    def sums(block: slice) -> tuple[float, float, float]:
        a, b = (y[block] - means[0]) / scales[0], (heights[block] - means[1]) / scales[1]
        return a @ a, b @ b, a @ b

    aa, bb, ab = np.sum(each(sums, blocks, n_jobs=n_jobs, effort=8.0 * len(y)), axis=0)
    return float(ab / np.sqrt(aa * bb))


def inconsistency(Z: Any, depth: int = 2) -> np.ndarray:
    """Inconsistency coefficients of the merges of a dendrogram.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        A linkage matrix.
    depth : int, default=2
        How many levels of merges to look at, that of the merge itself included.

    Returns
    -------
    ndarray of shape (n - 1, 4)
        For each merge the mean height of those looked at, their standard deviation (divided by
        one less than their number), their number, and the inconsistency coefficient: how many
        standard deviations its height lies above the mean, 0 where there is no deviation.

    Raises
    ------
    ValueError
        If Z is not a linkage matrix, or depth is below 1.
    TypeError
        If depth is not an integer.

    Notes
    -----
    Cost: O(n 2^depth), at most O(n^2).

    Examples
    --------
    >>> from statfast.cluster import inconsistency, linkage
    >>> inconsistency(linkage([[0.0], [1.0], [5.0]], "single")).round(3)
    array([[1.   , 0.   , 1.   , 0.   ],
           [2.5  , 2.121, 2.   , 0.707]])
    """
    Z = as_linkage(Z)
    depth = as_count(depth, "depth")
    out, work = np.empty((len(Z), 4)), np.empty((2, 2 * len(Z) + 2), np.int32)
    depth = min(depth, len(Z) + 1)
    step = max(1, MERGES_PER_CALL // min(2 ** min(depth, 40), len(Z) + 1))
    scale = scale_of(float(Z[:, 2].max(initial=0.0)))  # squares of heights must not overflow
    scaled = Z.copy()
    scaled[:, 2] *= scale
    for begin in range(0, len(Z), step):
        checkpoint()
        end = min(begin + step, len(Z))
        kernel.inconsistency(scaled, depth, begin, end, work[0], work[1], out)
    out[:, :2] /= scale
    return out


def as_linkage(Z: Any, name: str = "Z") -> np.ndarray:
    """Check a linkage matrix: (n - 1, 4) float64 in C order."""
    Z = np.ascontiguousarray(as_rows(Z, name=name), np.float64)
    n = len(Z) + 1
    fix = "Pass what linkage returns."
    if Z.shape[1] != 4:
        raise ValueError(f"{name} must have 4 columns; got {Z.shape[1]}. {fix}")
    if Z[:, 2].min() < 0:
        row = Z[:, 2].argmin()
        raise ValueError(
            f"{name} must hold heights that are not negative in column 2; got {Z[row, 2]:g} in row "
            f"{row}. {fix}"
        )
    pairs, sizes = Z[:, :2], np.ones(2 * n - 1)
    if not (np.array_equal(pairs, np.floor(pairs)) and pairs.min() >= 0):
        raise ValueError(f"{name} must hold numbers of clusters in its columns 0 and 1. {fix}")
    late = pairs.max(axis=1) >= np.arange(n, 2 * n - 1)
    if late.any():
        raise ValueError(
            f"{name} merges a cluster in row {late.argmax()} that does not exist there yet. {fix}"
        )
    used = np.bincount(pairs.astype(np.intp).ravel(), minlength=2 * n - 2)
    if used.max() > 1:
        raise ValueError(f"{name} merges the cluster {used.argmax()} more than once. {fix}")
    sizes[n:] = Z[:, 3]
    wrong = sizes[n:] != sizes[pairs.astype(np.intp)].sum(axis=1)
    if wrong.any():
        raise ValueError(
            f"{name} must hold the number of points of each cluster in column 3; got "
            f"{Z[wrong.argmax(), 3]:g} in row {wrong.argmax()}. {fix}"
        )
    return Z


def leaves_of(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the leaves of each cluster begin in the order of the tree, and that order."""
    n = len(Z) + 1
    start, leaf = np.empty(2 * n - 1, np.int32), np.empty(n, np.int32)
    kernel.leaves(Z, start, leaf)
    return start, leaf


def heights_within(Z: np.ndarray) -> np.ndarray:
    """The largest height of each merge and those below it."""
    heights = np.empty(len(Z))
    kernel.heights_within(Z, heights)
    return heights


def labels_of(Z: np.ndarray, joined: np.ndarray) -> np.ndarray:
    """Clusters after the merges that are marked, numbered by their first points."""
    n = len(Z) + 1
    labels = np.empty(n, np.int32)
    kernel.labels(Z, joined.view(np.uint8), np.empty((2, 2 * n - 1), np.int32), labels)
    return labels
