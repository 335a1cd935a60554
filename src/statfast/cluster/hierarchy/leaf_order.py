# SPDX-License-Identifier: BSD-3-Clause
"""The order of the leaves of a dendrogram, and the optimal one."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._core.hierarchy import dendrogram as kernel
from statfast._distance import condensed_of, scale_of
from statfast._engine import checkpoint, each
from statfast._validation import refuse_large
from statfast.cluster.hierarchy.dendrogram import as_linkage, leaves_of

OPERATIONS_PER_CALL = 1 << 24  # operations between checkpoints, some 20 ms
MAX_SUM = 1e300  # the sums of dissimilarities along an order stay below


def leaves_list(Z: Any) -> np.ndarray:
    """Leaves of a dendrogram, from left to right.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        A linkage matrix; of each merge, the cluster of column 0 is on the left.

    Returns
    -------
    ndarray of shape (n,), int32
        The samples, as points without crossing lines can be drawn.

    Raises
    ------
    ValueError
        If Z is not a linkage matrix.

    See Also
    --------
    optimal_leaf_ordering : turns merges so that neighbors in this order are near.

    Notes
    -----
    Cost: O(n).

    Examples
    --------
    >>> from statfast.cluster import leaves_list, linkage
    >>> leaves_list(linkage([[0.0], [5.0], [1.0], [7.0]], "average"))
    array([0, 2, 1, 3], dtype=int32)
    """
    return leaves_of(as_linkage(Z))[1]


def optimal_leaf_ordering(
    Z: Any, X: Any, metric: Any = "euclidean", *, metric_params: dict | None = None,
    n_jobs: int | None = None,
) -> np.ndarray:  # fmt: skip
    """Optimal leaf ordering of a dendrogram.

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
    ndarray of shape (n - 1, 4)
        Z, with the two clusters of some merges exchanged: `leaves_list` gives the order.

    Raises
    ------
    ValueError
        If Z is not a linkage matrix, X is not valid, or they are not of as many rows.
    MemoryError
        If the tables, 12 n^2 bytes, would take more than half the free memory.

    Notes
    -----
    Of orders of the same length the first found is taken. Cost: up to O(n^3), where the tree is
    balanced; O(n^2) memory.

    References
    ----------
    Bar-Joseph, Z., Gifford, D. K. and Jaakkola, T. S. (2001). Fast optimal leaf ordering for
    hierarchical clustering. Bioinformatics 17, S22-S29.
    doi:10.1093/bioinformatics/17.suppl_1.S22

    Examples
    --------
    >>> from statfast.cluster import leaves_list, linkage, optimal_leaf_ordering
    >>> X = [[0.0], [7.0], [5.0], [1.0]]
    >>> Z = linkage(X, "average")
    >>> leaves_list(Z), leaves_list(optimal_leaf_ordering(Z, X))
    (array([0, 3, 1, 2], dtype=int32), array([0, 3, 2, 1], dtype=int32))
    """
    Z = as_linkage(Z)
    n = len(Z) + 1
    refuse_large(12 * n * n, f"The optimal order of {n} leaves", "Order a cut of the tree instead.")
    y = condensed_of(X, metric, metric_params, n, n_jobs)
    if not y.max() < MAX_SUM / n:  # scaled dissimilarities have the same optimal order
        y = y * scale_of(float(y.max())) / n
    start, leaf = leaves_of(Z)
    best = np.zeros((n, n))
    sizes = np.concatenate([np.ones(n, np.int64), Z[:, 3].astype(np.int64)])
    for i, (a, b) in enumerate(Z[:, :2].astype(np.intp)):
        across = int(sizes[b])
        step = max(1, OPERATIONS_PER_CALL // (across * int(sizes[a] + across)))
        first, last = int(start[a]), int(start[a] + sizes[a])
        blocks = [slice(at, min(at + step, last)) for at in range(first, last, step)]

        def work(block: slice, i: int = i) -> None:
            checkpoint()
            kernel.shortest(Z, start, leaf, y, i, block.start, block.stop, best)

        each(work, blocks, n_jobs=n_jobs, effort=float(sizes[a] * across * (sizes[a] + across)))
    Z = Z.copy()
    kernel.turned(Z, start, leaf, y, best, np.zeros((2 * n - 1, 2), np.int32))
    return Z
