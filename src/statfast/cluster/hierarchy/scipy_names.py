# SPDX-License-Identifier: BSD-3-Clause
"""Functions under the names, and with the arguments, of scipy.cluster.hierarchy."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast.cluster.hierarchy.dendrogram import (
    cophenetic,
    cophenetic_correlation,
    inconsistency,
)


def cophenet(Z: Any, Y: Any = None) -> Any:
    """Cophenetic distances, and their correlation with dissimilarities, as scipy's `cophenet`.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        A linkage matrix.
    Y : array-like of shape (n (n - 1) / 2,), optional
        The condensed dissimilarities that were clustered, or the samples.

    Returns
    -------
    c : float
        The cophenetic correlation; only if Y is given, NaN where all heights or all
        dissimilarities are equal. See `cophenetic_correlation`.
    d : ndarray of shape (n (n - 1) / 2,)
        The cophenetic distances, condensed.

    Raises
    ------
    ValueError
        If Z is not a linkage matrix, or Y is not of as many rows.
    MemoryError
        If the distances would take more than half the free memory.

    Examples
    --------
    >>> from statfast.cluster import cophenet, linkage
    >>> y = [1.0, 5.0, 4.0]
    >>> c, d = cophenet(linkage(y, "single"), y)
    >>> d
    array([1., 4., 4.])
    """
    distances = cophenetic(Z)
    return distances if Y is None else (cophenetic_correlation(Z, Y), distances)


def inconsistent(Z: Any, d: int = 2) -> np.ndarray:
    """Inconsistency of the merges, as scipy's `inconsistent`: see `inconsistency`.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        A linkage matrix.
    d : int, default=2
        Levels of merges that are compared.

    Returns
    -------
    ndarray of shape (n - 1, 4)
        Mean, standard deviation, count, and the inconsistency coefficient.

    Raises
    ------
    ValueError
        If Z is not a linkage matrix, or d is less than 1.
    TypeError
        If d is not an integer.

    Examples
    --------
    >>> from statfast.cluster import inconsistent, linkage
    >>> inconsistent(linkage([[0.0], [1.0], [5.0]], "single")).round(3)[1]
    array([2.5  , 2.121, 2.   , 0.707])
    """
    return inconsistency(Z, d)
