# SPDX-License-Identifier: BSD-3-Clause
"""Flat clusters of a dendrogram, as scipy's ``fcluster`` makes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import as_choice, as_count, as_real, wrong_type
from statfast.cluster.hierarchy.dendrogram import (
    as_linkage,
    heights_within,
    inconsistency,
    labels_of,
)
from statfast.cluster.hierarchy.leaf_order import leaves_list

CRITERIA = ("inconsistent", "distance", "maxclust", "monocrit", "maxclust_monocrit")


def fcluster(
    Z: Any, t: float, criterion: str = "inconsistent", depth: int = 2, R: Any = None,
    monocrit: Any = None,
) -> np.ndarray:  # fmt: skip
    """Cut a dendrogram into flat clusters, with the criteria and the numbers of scipy's `fcluster`.

    Parameters
    ----------
    Z : array-like of shape (n - 1, 4)
        A linkage matrix, of `linkage` or scipy.
    t : float
        The threshold; for "maxclust" and "maxclust_monocrit" the most clusters there may be.
    criterion : str, default="inconsistent"
        A merge is made if for it and all merges below it this is at most t: "inconsistent", the
        inconsistency coefficient; "distance", the height; "monocrit", `monocrit`. "maxclust" and
        "maxclust_monocrit" take the least such threshold on heights or `monocrit` that leaves at
        most t clusters.
    depth : int, default=2
        Levels of merges that the inconsistency coefficient compares.
    R : array-like of shape (n - 1, 4), optional
        What `inconsistency` returned for Z; computed if left out.
    monocrit : array-like of shape (n - 1,), optional
        A number for each merge, for the last two criteria.

    Returns
    -------
    labels : ndarray of shape (n,), int32
        Clusters are numbered from 1, as scipy numbers them.

    Raises
    ------
    ValueError
        If Z is not a linkage matrix, or `R` or `monocrit` have another number of merges, hold NaN,
        or are missing.
    TypeError
        If t is not a number.

    See Also
    --------
    cut_tree : clusters numbered in the order of their first rows, an exact number of them.

    Notes
    -----
    Where merges tie, "maxclust" makes all of them or none, so there may be fewer clusters than t.
    For "maxclust_monocrit" scipy's search expects numbers that rise from merge to merge, and may
    take too large a threshold where they do not.
    Cost: O(n log n).

    Examples
    --------
    >>> from statfast.cluster import fcluster, linkage
    >>> Z = linkage([[0.0], [1.0], [5.0], [7.0]], "average")
    >>> fcluster(Z, 1.5, "distance")
    array([1, 1, 2, 3], dtype=int32)
    >>> fcluster(Z, 2, "maxclust")
    array([1, 1, 2, 2], dtype=int32)
    """
    Z = as_linkage(Z)
    as_choice(criterion, "criterion", CRITERIA)
    if criterion == "inconsistent":
        values = inconsistency(Z, depth) if R is None else _merges(R, "R", (len(Z), 4))
        levels = _most_below(Z, values[:, 3])
    elif criterion in ("distance", "maxclust"):
        levels = heights_within(Z)
    else:
        if monocrit is None:
            raise ValueError(f"criterion={criterion!r} needs monocrit; got none. Pass it.")
        levels = _most_below(Z, _merges(monocrit, "monocrit", (len(Z),)))
    if criterion.startswith("maxclust"):
        most = as_count(t, "t") if isinstance(t, int | np.integer) else int(as_real(t, "t", 1.0))
        if most > len(Z):
            return np.arange(1, len(Z) + 2, dtype=np.int32)
        t = np.sort(levels)[len(Z) - most]
    else:
        t = as_real(t, "t")
    labels = labels_of(Z, levels <= t)
    # scipy visits the single rows of a merge after its clusters, and numbers clusters in that
    # order.
    late = (Z[:, 0] <= len(Z)) & (Z[:, 1] > len(Z))
    visited = np.where(late[:, None], Z[:, [1, 0, 2, 3]], Z)
    order = labels[leaves_list(visited)]
    first = np.unique(order, return_index=True)[1]
    number = np.empty(len(first), np.int32)
    number[np.argsort(first)] = np.arange(1, len(first) + 1)
    return number[labels]


def _most_below(Z: Array, values: Array) -> Array:
    """The largest value of each merge and those below it."""
    table = np.array(Z)
    table[:, 2] = values
    return heights_within(table)


def _merges(values: bytes, name: str, shape: Any) -> Any:
    """Check an array of numbers for each merge."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise wrong_type(name, "an array of numbers", values) from None
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, as Z has merges; got {array.shape}.")
    if np.isnan(array).any():
        raise ValueError(f"{name} must not hold NaN. Leave it out, or replace NaN.")
    return array
