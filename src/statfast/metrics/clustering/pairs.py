# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of rows that two clusterings put together: their table, and the score of Fowlkes."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import Array, ArrayLike
from statfast.metrics.clustering.agreement import cells_of


def pair_confusion_matrix(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, noise_label: Any = None
) -> Array:
    """Pair confusion matrix of two clusterings.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Labels of either clustering.
    noise_label : label, optional
        The label of noise, such as -1: samples with this label in either clustering are left out.
        None counts it as one more cluster, as scikit-learn does.

    Returns
    -------
    ndarray of int64, shape (2, 2)
        Rows: apart or together in the first; columns: in the second. Each pair counts twice, in
        either order.

    Raises
    ------
    ValueError
        If there is not one label of each kind for each row, or all are left out.

    References
    ----------
    Hubert, L. and Arabie, P. (1985). Comparing partitions. Journal of Classification 2, 193-218.
    doi:10.1007/BF01908075

    Examples
    --------
    >>> from statfast.metrics import pair_confusion_matrix
    >>> pair_confusion_matrix([0, 0, 1, 1], [0, 0, 1, 2])
    array([[8, 0],
           [2, 2]])
    """
    cells = cells_of(labels_true, labels_pred, noise_label=noise_label)
    n = int(cells.counts.sum())
    both, first, second = (
        int((sizes.astype(np.int64) ** 2).sum()) - n
        for sizes in (cells.counts, cells.rows, cells.columns)
    )
    table = [[n * (n - 1) - first - second + both, second - both], [first - both, both]]
    return np.array(table, dtype=np.int64)


def fowlkes_mallows_score(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, noise_label: Any = None
) -> float:
    """Fowlkes-Mallows index: geometric mean of pairwise precision and recall.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Labels of either clustering.
    noise_label : label, optional
        The label of noise, such as -1: samples with this label in either clustering are left out.
        None counts it as one more cluster, as scikit-learn does.

    Returns
    -------
    float
        Between 0 and 1; 0 where no pair is together in both.

    Raises
    ------
    ValueError
        If there is not one label of each kind for each row, or all are left out.

    References
    ----------
    Fowlkes, E. B. and Mallows, C. L. (1983). A method for comparing two hierarchical clusterings.
    Journal of the American Statistical Association 78, 553-569. doi:10.1080/01621459.1983.10478008

    Examples
    --------
    >>> from statfast.metrics import fowlkes_mallows_score
    >>> round(fowlkes_mallows_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.7071
    """
    table = pair_confusion_matrix(labels_true, labels_pred, noise_label=noise_label)
    (_, second), (first, both) = table.astype(float)
    if both == 0.0:
        return 0.0
    return float((both / (both + first)) ** 0.5 * (both / (both + second)) ** 0.5)
