# SPDX-License-Identifier: BSD-3-Clause
"""Density-based validity of a clustering: how sparse clusters are inside, and between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, ArrayLike, Jobs, Rows
from statfast._validation import as_flag, as_real
from statfast.metrics.clustering.checked_labels import require_clusters
from statfast.metrics.clustering.cluster_distances import ClusteredTable, as_clustered_table

NUMBERS_PER_STRIP = 1 << 18  # distances held at a time by a thread
NUMBERS_PER_TASK = 1 << 22
EFFORT_OF_PAIR = 10.0  # floating-point operations for a pair of rows, about
COMPACT_BELOW_SHARE = 0.75  # rows outside the tree are gathered anew below this share of the last


def dbcv_score(
    X: Rows,
    labels: ArrayLike,
    *,
    metric: str | Callable[..., Any] = "euclidean",
    p: float = 2,
    metric_params: dict[Any, Any] | None = None,
    d: float | None = None,
    noise_label: Any = -1,
    per_cluster_scores: bool = False,
    n_jobs: int | None = None,
) -> Any:
    """Density-based clustering validation (DBCV), for clusters of any shape and with noise.

    A cluster is good if it is denser at its sparsest place than the gap between it and any other.

    Parameters
    ----------
    X : array-like of shape (n, d), or (n, n) or (n (n - 1) / 2,) if precomputed
        Finite rows, or the dissimilarities between them.
    labels : array-like of shape (n,)
        The cluster of each row; at least 2 different ones, each of two rows or more.
    metric : str or callable, default="euclidean"
        The distance: a name of `NearestNeighbors`, a function of two samples, taken as symmetric,
        or "precomputed".
    p : float, default=2
        Exponent of the metric "minkowski".
    metric_params : dict, optional
        Further parameters of the metric.
    d : float, optional
        The dimension of the space, positive; None is the number of columns. Needed if precomputed.
    noise_label : label, default=-1
        The label of rows that are in no cluster; None counts each label as a cluster.
    per_cluster_scores : bool, default=False
        Also return the validity of each cluster.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    score : float
        Between -1 and 1; higher is better. The mean of the validities of clusters, each counted by
        its share of all rows: rows of noise, and rows alone in their cluster, count as 0.
    scores : ndarray of shape (k,)
        Only if `per_cluster_scores`: the validity of each cluster in the order of the sorted
        labels; 0 for a row alone.

    Raises
    ------
    ValueError
        If X is not finite, dissimilarities are negative, not symmetric or of the wrong shape,
        `labels` has not one label for each row, fewer than 2 clusters have two rows, or `d` is
        missing or not positive.

    Notes
    -----
    Of a cluster of m rows, the **core distance** of a row is the power mean, with exponent -d, of
    its distances to the other m - 1; it is 0 if one of them is 0. The **mutual reachability** of
    two rows is the largest of their distance and their two core distances. On the minimum spanning
    tree of a cluster by it, a row of two or more edges is internal, and so is an edge between two
    such rows. The **sparseness** of a cluster is its longest internal edge (its longest edge, if
    there is none), and the **separation** of two clusters the least mutual reachability of an
    internal row of one and one of the other. With s the least separation of a cluster from another
    and t its sparseness, its validity is (s - t) / max(s, t), 0 if both are 0.

    **Ties**: mutual reachability distances are often equal, those that are the core distance of a
    row above all. The tree grows from the first row of a cluster, by the lowest row among the
    nearest, which is joined to the lowest of the rows in the tree that are so near: the score can
    depend a little on the order of the rows of a cluster. Of two rows both are internal. Except for
    these, for equal rows, and for distances that differ by less than 1e-5 of themselves, which it
    takes for equal, the package hdbscan gives the same validity index.

    Exact. Cost: O(n^2 d). Memory: O(n d), and some 2 MB a thread; of a function of two rows its
    matrix.

    References
    ----------
    Moulavi, D., Jaskowiak, P. A., Campello, R. J. G. B., Zimek, A. and Sander, J. (2014).
    Density-based clustering validation. SIAM International Conference on Data Mining, 839-847.
    doi:10.1137/1.9781611973440.96

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.metrics import dbcv_score, silhouette_score
    >>> angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> X = np.vstack([circle, 4 * circle])
    >>> ring = np.repeat([0, 1], 200)
    >>> half = (X[:, 0] > 0).astype(int)
    >>> [round(silhouette_score(X, labels), 2) for labels in (ring, half)]
    [0.24, 0.28]
    >>> [round(dbcv_score(X, labels), 2) for labels in (ring, half)]
    [0.8, -0.89]
    """
    both = as_flag(per_cluster_scores, "per_cluster_scores")
    dimension = None if d is None else as_real(d, "d", 0, open_low=True)
    table = as_clustered_table(
        X, labels, noise_label, metric, p, metric_params, n_jobs, symmetric=True
    )
    if dimension is None:
        if table.n_columns is None:
            raise ValueError(
                "d must be given where dissimilarities are: the dimension of the space they come "
                "from. Pass d."
            )
        dimension = float(table.n_columns)
    validities, sizes = _validities(table, dimension, n_jobs)
    score = float(validities @ sizes / table.n)
    return (score, validities) if both else score


def _validities(table: ClusteredTable, dimension: float, n_jobs: Jobs) -> tuple[Array, Array]:
    """The validity of each cluster, and its rows."""
    k = len(table.classes)
    order = np.argsort(table.codes, kind="stable")
    sizes = np.bincount(table.codes, minlength=k)
    stops = np.cumsum(sizes)
    clusters = [order[stop - size : stop] for stop, size in zip(stops, sizes, strict=True)]
    scored = np.flatnonzero(sizes > 1)
    require_clusters(len(scored), "clusters of two rows or more")
    core = np.zeros(len(order))
    sparseness, internal = np.zeros(k), []
    for c in scored:
        members = clusters[c]
        core[members] = core_distances(table.source, members, dimension, n_jobs)

    effort = EFFORT_OF_PAIR * float(np.square(sizes, dtype=float).sum())

    def grow(c: int) -> tuple[float, Array]:
        return internal_part(table.source, clusters[c], core[clusters[c]])

    for c, (longest, rows) in zip(
        scored, each(grow, scored, n_jobs=n_jobs, effort=effort), strict=True
    ):
        sparseness[c] = longest
        internal.append(rows)
    separation = np.full(k, np.inf)
    separation[scored] = least_separations(table.source, internal, core, n_jobs)
    validities = np.zeros(k)
    s, t = separation[scored], sparseness[scored]
    larger = np.maximum(s, t)
    validities[scored] = np.divide(s - t, larger, out=np.zeros(len(s)), where=larger > 0)
    return validities, sizes


def core_distances(source: Any, members: Array, dimension: float, n_jobs: Jobs) -> Array:
    """The power mean, with exponent -dimension, of the distances to the other members."""
    m = len(members)
    core = np.zeros(m)
    step = max(1, NUMBERS_PER_STRIP // m)

    def work(block: slice) -> None:
        for start in range(block.start, block.stop, step):
            checkpoint()
            here = np.arange(start, min(start + step, block.stop))
            distances = source.between(members[here], members)
            distances[np.arange(len(here)), here] = np.inf
            nearest = distances.min(axis=1)
            apart = nearest > 0
            ratios = nearest[apart, None] / distances[apart]
            sums = _powers(ratios, dimension).sum(axis=1)
            core[here[apart]] = nearest[apart] * (sums / (m - 1)) ** (-1.0 / dimension)

    blocks = grid(m, least=64, most=max(64, NUMBERS_PER_TASK // m))
    each(work, blocks, n_jobs=n_jobs, effort=EFFORT_OF_PAIR * m * m)
    return core


def _powers(ratios: Array, dimension: float) -> Array:
    """Powers of numbers from 0 to 1, which are overwritten; by squares where it is whole."""
    if dimension != int(dimension):
        return np.power(ratios, dimension, out=ratios)
    left, powers = int(dimension), np.ones_like(ratios)
    with np.errstate(under="ignore"):
        while True:
            if left & 1:
                powers *= ratios
            left >>= 1
            if not left:
                return powers
            ratios *= ratios


def internal_part(source: Any, members: Array, core: Array) -> tuple[float, Array]:
    """The longest internal edge of the spanning tree of a cluster, and its internal rows.

    The tree is grown as by Prim 1957, doi:10.1002/j.1538-7305.1957.tb01515.x.
    """
    m = len(members)
    parent, child = np.empty(m - 1, np.intp), np.empty(m - 1, np.intp)
    length = np.empty(m - 1)
    outside = np.arange(1, m)  # rising: the first of equal ones is the lowest
    best, link = np.full(m - 1, np.inf), np.full(m - 1, m)
    remaining, current = np.ones(m - 1, bool), 0
    distances_from = source.toward(members[1:])
    for edge in range(m - 1):
        checkpoint()
        reach = distances_from(members[current])
        np.maximum(reach, core[outside], out=reach)
        np.maximum(reach, core[current], out=reach)
        nearer = reach < best
        nearer |= (reach == best) & (link > current)
        nearer &= remaining
        best[nearer], link[nearer] = reach[nearer], current
        place = int(best.argmin())
        parent[edge], child[edge], length[edge] = link[place], outside[place], best[place]
        current, best[place], remaining[place] = int(outside[place]), np.inf, False
        if m - 2 - edge < COMPACT_BELOW_SHARE * len(outside):
            outside, best, link = outside[remaining], best[remaining], link[remaining]
            remaining = np.ones(len(outside), bool)
            distances_from = source.toward(members[outside])
    edges = np.bincount(parent, minlength=m) + np.bincount(child, minlength=m)
    if m == 2:
        return float(length[0]), members
    inside = (edges[parent] > 1) & (edges[child] > 1)
    return float(length[inside if inside.any() else ...].max()), members[edges > 1]


def least_separations(source: Any, internal: list[Array], core: Array, n_jobs: Jobs) -> Array:
    """The least mutual reachability of an internal row of each cluster and one of another."""
    rows = np.concatenate(internal)
    sizes = np.array([len(part) for part in internal])
    starts = np.cumsum(sizes) - sizes
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    step = max(1, NUMBERS_PER_STRIP // len(rows))

    def work(block: slice) -> Array:
        least = np.full(len(sizes), np.inf)
        for start in range(block.start, block.stop, step):
            checkpoint()
            here = slice(start, min(start + step, block.stop))
            reach = source.between(rows[here], rows)
            np.maximum(reach, core[rows], out=reach)
            np.maximum(reach, core[rows[here], None], out=reach)
            nearest = np.minimum.reduceat(reach, starts, axis=1)
            nearest[np.arange(len(nearest)), cluster[here]] = np.inf
            np.minimum.at(least, cluster[here], nearest.min(axis=1))
        return least

    blocks = grid(len(rows), least=64, most=max(64, NUMBERS_PER_TASK // len(rows)))
    effort = EFFORT_OF_PAIR * len(rows) ** 2
    return np.min(each(work, blocks, n_jobs=n_jobs, effort=effort), axis=0)
