# SPDX-License-Identifier: BSD-3-Clause
"""Sparse graphs of neighbors in one call, and the order of their entries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from statfast._typing import Jobs, Matrix, Rows, csr_array
from statfast._validation import (
    as_choice,
    as_flag,
    is_sparse,
    refuse_large,
    shown,
    warn_user,
    wrong_type,
)
from statfast.neighbors.search.nearest import NearestNeighbors
from statfast.neighbors.search.radius_search import RadiusSearch
from statfast.neighbors.search.search import KNeighborSearch, graph, starts_of
from statfast.neighbors.search.transformers import MODES


def kneighbors_graph(
    X: Rows | KNeighborSearch,
    n_neighbors: int,
    *,
    mode: Literal["connectivity", "distance"] = "connectivity",
    metric: str | Callable[..., Any] = "minkowski",
    p: float = 2,
    metric_params: dict[Any, Any] | None = None,
    include_self: bool | Literal["auto"] = False,
    n_jobs: Jobs = None,
) -> csr_array:
    """Return the sparse graph of the k nearest neighbors of each row among all.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d), or a fitted search
        The samples; or an estimator of neighbors fitted to them, whose metric must be the one
        asked for.
    n_neighbors : int
        Neighbors of each row, k.
    mode : {"connectivity", "distance"}, default="connectivity"
        Whether an entry is 1 or the distance.
    metric : str or callable, default="minkowski"
        The distance, any of `NearestNeighbors`.
    p : float, default=2
        Exponent of "minkowski"; 2 is the Euclidean distance.
    metric_params : dict, optional
        Further parameters of the metric.
    include_self : bool or "auto", default=False
        Whether a row is the first of its own k neighbors; "auto" where `mode` is "connectivity".
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    graph : scipy.sparse.csr_array of shape (n, n), float64
        Entry (i, j) is set where row j is a neighbor of row i; stored nearest first.

    Raises
    ------
    ValueError
        If X is refused by the search (see `NearestNeighbors.fit`), or if an argument is out of its
        range.
    TypeError
        If an argument is of the wrong type.
    MemoryError
        If the graph would take more than half the free memory.

    Notes
    -----
    Ties go to the lowest index: a row with duplicates of lower index may not be among its own
    neighbors. Cost: that of `NearestNeighbors`.

    References
    ----------
    .. [1] J. L. Bentley (1975). Multidimensional binary search trees used for associative
       searching. Communications of the ACM 18(9), 509-517. doi:10.1145/361002.361007

    Examples
    --------
    >>> from statfast.neighbors import kneighbors_graph
    >>> kneighbors_graph([[0.0], [1.0], [3.0]], 1, mode="distance").toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 2., 0.]])
    """
    as_choice(mode, "mode", MODES)
    itself = _as_inclusion(include_self, mode)
    search: Any = X
    if not isinstance(X, KNeighborSearch):
        search = NearestNeighbors(
            n_neighbors, metric=metric, p=p, metric_params=metric_params, n_jobs=n_jobs
        ).fit(X)
    else:
        _require_same_metric(X, metric, p, metric_params)
    if not itself:
        return search.kneighbors_graph(None, n_neighbors, mode=mode)
    search._queries(None)
    k = search._neighbors_of(search._rows, n_neighbors)
    refuse_large(16 * search.n_samples_fit_ * k, "The table of neighbors", "Lower n_neighbors.")
    reduced, ids = search._nearest(search._rows, k)
    distances = search._metric.finish(reduced, out=reduced)
    starts = starts_of(*ids.shape)
    return graph(mode, starts, distances.ravel(), ids.ravel(), search.n_samples_fit_)


def radius_neighbors_graph(
    X: Rows | RadiusSearch,
    radius: float,
    *,
    mode: Literal["connectivity", "distance"] = "connectivity",
    metric: str | Callable[..., Any] = "minkowski",
    p: float = 2,
    metric_params: dict[Any, Any] | None = None,
    include_self: bool | Literal["auto"] = False,
    n_jobs: Jobs = None,
) -> csr_array:
    """Return the sparse graph of the rows within a radius of each row.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d), or a fitted search
        The samples; or an estimator of neighbors fitted to them, whose metric must be the one
        asked for.
    radius : float
        The radius; rows at that very distance are within.
    mode : {"connectivity", "distance"}, default="connectivity"
        Whether an entry is 1 or the distance.
    metric : str or callable, default="minkowski"
        The distance, any of `NearestNeighbors`.
    p : float, default=2
        Exponent of "minkowski"; 2 is the Euclidean distance.
    metric_params : dict, optional
        Further parameters of the metric.
    include_self : bool or "auto", default=False
        Whether a row is a neighbor of itself; "auto" where `mode` is "connectivity".
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    graph : scipy.sparse.csr_array of shape (n, n), float64
        Entry (i, j) is set where row j is within the radius of row i; stored by column.

    Raises
    ------
    ValueError
        If X is refused by the search (see `NearestNeighbors.fit`), or if an argument is out of its
        range.
    TypeError
        If an argument is of the wrong type.
    MemoryError
        If the graph would take more than half the free memory.

    Notes
    -----
    Cost: that of `NearestNeighbors`.

    References
    ----------
    .. [1] J. L. Bentley (1975). Multidimensional binary search trees used for associative
       searching. Communications of the ACM 18(9), 509-517. doi:10.1145/361002.361007

    Examples
    --------
    >>> from statfast.neighbors import radius_neighbors_graph
    >>> radius_neighbors_graph([[0.0], [1.0], [3.0]], 2.0).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    as_choice(mode, "mode", MODES)
    itself = _as_inclusion(include_self, mode)
    search: Any = X
    if not isinstance(X, RadiusSearch):
        search = NearestNeighbors(
            radius=radius, metric=metric, p=p, metric_params=metric_params, n_jobs=n_jobs
        ).fit(X)
    else:
        _require_same_metric(X, metric, p, metric_params)
    rows = search._queries(None)
    limit = search._reduced_radius(radius)
    starts, reduced, ids = search._within(
        search._rows if itself else rows, limit, distances=mode == "distance"
    )
    distances = reduced if reduced is None else search._metric.finish(reduced, out=reduced)
    return graph(mode, starts, distances, ids, search.n_samples_fit_)


def _as_inclusion(include_self: Any, mode: str) -> bool:
    if isinstance(include_self, str):
        as_choice(include_self, "include_self", ("auto",))
        return mode == "connectivity"
    return as_flag(include_self, "include_self")


def _require_same_metric(search: Any, metric: Any, p: Any, metric_params: Any) -> None:
    for name, value in (("metric", metric), ("p", p), ("metric_params", metric_params)):
        fitted = getattr(search, name)
        if value is not fitted and value != fitted:
            raise ValueError(
                f"{name} must be that of the search given as X ({shown(fitted)}); got "
                f"{shown(value)}. Pass the same, or rows as X."
            )


def sort_graph_by_row_values(
    graph: Matrix, copy: bool = False, warn_when_not_sorted: bool = True
) -> csr_array:
    """Return a sparse graph with the entries of each row in ascending order.

    Parameters
    ----------
    graph : sparse matrix of shape (m, n)
        Distances, or other numbers.
    copy : bool, default=False
        Whether to leave the graph as it is. If not, a CSR matrix is sorted in place.
    warn_when_not_sorted : bool, default=True
        Whether to warn if the graph had to be sorted.

    Returns
    -------
    graph : sparse matrix of shape (m, n), CSR
        The graph itself, if it was sorted or is sorted in place.

    Raises
    ------
    TypeError
        If the graph is not sparse, or a flag is not a bool.
    ValueError
        If the graph is not CSR, or read-only, and `copy` is False.

    Warns
    -----
    UserWarning
        If the graph was not sorted, unless `warn_when_not_sorted` is False.

    Notes
    -----
    Equal entries are ordered by column. The searches here take graphs in any order; other
    programs, such as scikit-learn, want them sorted. Cost: O(s log s) for s entries.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from statfast.neighbors import sort_graph_by_row_values
    >>> graph = csr_array([[0.0, 3.0, 1.0], [3.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    >>> sort_graph_by_row_values(graph, copy=True, warn_when_not_sorted=False).data
    array([1., 3., 2., 3., 1., 2.])
    """
    if not is_sparse(graph):
        raise wrong_type("graph", "a sparse matrix", graph)
    copy = as_flag(copy, "copy")
    warns = as_flag(warn_when_not_sorted, "warn_when_not_sorted")
    if graph.format == "csr" and _is_sorted(graph):
        return graph
    if warns:
        warn_user(
            "graph is not sorted by the values in its rows. Sort it once, and keep what is "
            "returned."
        )
    if copy:
        graph = graph.copy() if graph.format == "csr" else graph.tocsr()
    elif graph.format != "csr":
        raise ValueError(
            f"graph must be a CSR matrix to be sorted in place; got {graph.format!r}. Pass "
            "copy=True."
        )
    if not (graph.data.flags.writeable and graph.indices.flags.writeable):
        raise ValueError(
            "graph must be writeable to be sorted in place; got read-only arrays. Pass copy=True."
        )
    row = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    order = np.lexsort((graph.indices, graph.data, row))
    graph.data[:], graph.indices[:] = graph.data[order], graph.indices[order]
    graph.has_sorted_indices = False
    return graph


def _is_sorted(graph: Matrix) -> bool:
    """Whether entries ascend within each row."""
    falls = graph.data[1:] < graph.data[:-1]
    starts = graph.indptr[1:-1]
    falls[starts[(starts > 0) & (starts < len(graph.data))] - 1] = False
    return not falls.any()
