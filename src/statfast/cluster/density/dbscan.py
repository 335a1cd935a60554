# SPDX-License-Identifier: BSD-3-Clause
"""DBSCAN: clusters of core points that are within a radius of one another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from statfast._distance import BLOCKWISE, HAVERSINE, is_gappy
from statfast._estimator import (
    Clusterer,
    Estimator,
    by_fit,
    count,
    fitted,
    jobs,
    nothing,
    one_of,
    param,
    real,
)
from statfast._typing import Array, Jobs, Rows, Weights
from statfast._validation import as_rows, as_weights, is_sparse
from statfast.cluster.density.core_points import Clusters, clusters_by_tree
from statfast.cluster.density.neighbor_lists import (
    clusters_by_lists,
    clusters_of_graph,
    clusters_of_table,
)
from statfast.neighbors.brute.precomputed import PRECOMPUTED_METRIC
from statfast.neighbors.search.algorithms import ALGORITHMS, SearchTask, built, served
from statfast.neighbors.search.nearest import NearestNeighbors
from statfast.neighbors.search.search import NATIVE_DTYPES, precomputed

MAX_TREE_COLUMNS = 20  # columns up to which "auto" takes a k-d tree


class DBSCAN(Clusterer, Estimator):
    """DBSCAN: dense regions of any shape and number; what is in none is noise.

    Parameters
    ----------
    eps : float, default=0.5
        The radius of a neighborhood, positive or infinite: rows at that very distance are within.
    min_samples : int, default=5
        Rows in the neighborhood of a core row, itself among them, or their weight.
    metric : str or callable, default="euclidean"
        The distance, any of `NearestNeighbors`; "precomputed" for X that holds distances, or a
        sparse graph of them.
    metric_params : dict, optional
        Further parameters of the metric.
    algorithm : {"auto", "kd_tree", "ball_tree", "brute"}, default="auto"
        How neighbors are searched; the answer is the same.
    leaf_size : int, optional
        Rows of a leaf of a ball tree; None takes its own choice.
    p : float, optional
        Exponent of "minkowski"; None is 2, the Euclidean distance.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    labels_ : ndarray of shape (n,), intp
        The cluster of each row, -1 for noise; clusters are numbered in the order of their first
        core rows.
    core_sample_indices_ : ndarray of shape (n_core_samples,), intp
        Indices of the core rows.
    components_ : ndarray or csr_array of shape (n_core_samples, d)
        A copy of the core rows.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    dbscan : The same as a function.
    statfast.cluster.KMeans : Round clusters of a given number, with a center each.

    Notes
    -----
    A **core row** has `min_samples` rows within `eps`. Core rows within `eps` of each other are in
    one cluster. **A border row**, which is not a core row but within `eps` of some, is in the
    cluster of lowest number among theirs, which is that of the first core row: that is
    scikit-learn's rule, and the only thing that depends on the order of rows. All other rows are
    noise.

    Distances that are not the same both ways, of "precomputed" alone, are read by rows: a cluster
    is what its first core row reaches, row by row, of what no cluster before has. Pairs that a
    sparse graph does not store are apart.

    The sum of `sample_weight` within `eps` makes a core row. A weight of 2 is the row twice, a
    negative one keeps neighbors from being core rows. A row of weight 0 adds nothing, but is a core
    row if its neighbors weigh enough.

    **Exact**: distances are float64 differences of rows. Cost: in few columns O(n log n), on a k-d
    tree, whose nodes are counted as a whole where they lie within `eps`, and joined as a whole
    where their core rows are in one cluster: neither a large `eps` nor duplicates make it
    quadratic. By other ways all neighbors are listed twice, O(n^2 d) at worst. "auto" takes the
    k-d tree up to 20 columns, a ball tree for "haversine", and brute force else. Memory: neighbors
    are never kept; beside X the tree, a copy of X, and some 20 bytes a row. 10 million rows of
    three columns take less than 1 GB in all.

    References
    ----------
    .. [1] M. Ester, H.-P. Kriegel, J. Sander, X. Xu (1996). A density-based algorithm for
       discovering clusters in large spatial databases with noise. KDD-96, 226-231.
       https://cdn.aaai.org/KDD/1996/KDD96-037.pdf
    .. [2] E. Schubert, J. Sander, M. Ester, H.-P. Kriegel, X. Xu (2017). DBSCAN revisited,
       revisited: why and how you should (still) use DBSCAN. ACM Transactions on Database Systems
       42(3), 19. doi:10.1145/3068335

    Examples
    --------
    >>> from statfast.cluster import DBSCAN
    >>> X = [[1, 2], [2, 2], [2, 3], [8, 7], [8, 8], [25, 80]]
    >>> model = DBSCAN(eps=3, min_samples=2).fit(X)
    >>> model.labels_
    array([ 0,  0,  0,  1,  1, -1])
    >>> model.core_sample_indices_
    array([0, 1, 2, 3, 4])
    """

    eps: float = param(real(0, open_low=True, infinite=True), default=0.5, kw_only=False)
    min_samples: int = param(count(), default=5)
    metric: str | Callable[..., Any] = param(by_fit, default="euclidean")
    metric_params: dict[Any, Any] | None = param(by_fit, default=None)
    algorithm: Literal["auto", "kd_tree", "ball_tree", "brute"] = param(
        one_of(*ALGORITHMS), default="auto"
    )
    leaf_size: int | None = param(nothing | count(), default=None)
    p: float | None = param(by_fit, default=None)
    n_jobs: Jobs = param(jobs, default=None)

    labels_: Array = fitted()
    core_sample_indices_: Array = fitted()
    components_: Any = fitted()

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or (n, n) if precomputed
            The samples, or distances between them: row i holds those of sample i.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples, of any sign; None is 1 for all.

        Returns
        -------
        self : DBSCAN

        Raises
        ------
        ValueError
            If X or its metric is refused by the search (see `NearestNeighbors.fit`), if
            `sample_weight` is not finite or of another length, or if a parameter is out of its
            range.
        TypeError
            If X is not made of numbers, or a parameter has the wrong type.
        MemoryError
            If the neighbors of some rows, searched by brute force, would take more than half the
            free memory.
        """
        params = self._checked()
        search = NearestNeighbors(
            metric=self.metric,
            p=2 if self.p is None else self.p,
            metric_params=self.metric_params,
            n_jobs=self.n_jobs,
        )
        rows, metric = search._metric_rows(X)
        n = rows.shape[0]
        weight = as_weights(sample_weight, n, signed=True)
        limit, enough = float(metric.reduce_radii(params.eps)), float(params.min_samples)
        task = SearchTask(rows, metric, params.leaf_size, self.n_jobs, 1, limit)
        algorithm = _algorithm(task) if params.algorithm == "auto" else params.algorithm
        if algorithm == "kd_tree" and algorithm in served(task):
            points = rows.astype(np.float32) if rows.dtype == np.uint8 else rows
            labels, core = clusters_by_tree(points, metric, limit, enough, weight, self.n_jobs)
        else:
            labels, core = _clusters_by_search(algorithm, task, enough, weight)
        indices = np.flatnonzero(core)
        if is_sparse(rows) or precomputed(self.metric) or metric.kind == BLOCKWISE:
            samples = rows
        else:
            samples = as_rows(X, keep=NATIVE_DTYPES)
        return self._publish(
            X, n_features_in_=rows.shape[1], labels_=labels, core_sample_indices_=indices,
            components_=samples[indices],
        )  # fmt: skip

    @property
    def _is_pairwise(self) -> bool:
        return precomputed(self.metric)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = is_gappy(self.metric)
        tags.input_tags.pairwise = precomputed(self.metric)
        return tags


def dbscan(
    X: Rows,
    eps: float = 0.5,
    *,
    min_samples: int = 5,
    metric: str | Callable[..., Any] = "minkowski",
    metric_params: dict[Any, Any] | None = None,
    algorithm: Literal["auto", "kd_tree", "ball_tree", "brute"] = "auto",
    leaf_size: int | None = None,
    p: float | None = 2,
    sample_weight: Weights = None,
    n_jobs: int | None = None,
) -> tuple[Array, Array]:
    """Find clusters by `DBSCAN`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d), or (n, n) if precomputed
        The samples, or distances between them.
    eps : float, default=0.5
        The radius of a neighborhood, positive or infinite: rows at that very distance are within.
    min_samples : int, default=5
        Rows in the neighborhood of a core row, itself among them, or their weight.
    metric : str or callable, default="minkowski"
        The distance, as for `DBSCAN`.
    metric_params : dict, optional
        Further parameters of the metric.
    algorithm : {"auto", "kd_tree", "ball_tree", "brute"}, default="auto"
        How neighbors are searched; the answer is the same.
    leaf_size : int, optional
        Rows of a leaf of a ball tree; None takes its own choice.
    p : float, default=2
        Exponent of "minkowski"; 2, and None, is the Euclidean distance.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples, of any sign; None is 1 for all.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    core_samples : ndarray of shape (n_core_samples,), intp
        Indices of the core rows.
    labels : ndarray of shape (n,), intp
        The cluster of each row, -1 for noise.

    Raises
    ------
    ValueError
        If X, its metric, weights or a parameter are refused by `DBSCAN.fit`.
    TypeError
        If X is not made of numbers, or an argument has the wrong type.

    See Also
    --------
    DBSCAN : The estimator, with notes on ties, cost and memory.

    References
    ----------
    M. Ester, H.-P. Kriegel, J. Sander, X. Xu (1996). A density-based algorithm for discovering
    clusters in large spatial databases with noise. KDD-96, 226-231.
    https://cdn.aaai.org/KDD/1996/KDD96-037.pdf

    Examples
    --------
    >>> from statfast.cluster import dbscan
    >>> X = [[1, 2], [2, 2], [2, 3], [8, 7], [8, 8], [25, 80]]
    >>> core_samples, labels = dbscan(X, eps=3, min_samples=2)
    >>> core_samples
    array([0, 1, 2, 3, 4])
    >>> labels
    array([ 0,  0,  0,  1,  1, -1])
    """
    model = DBSCAN(
        eps, min_samples=min_samples, metric=metric, metric_params=metric_params,
        algorithm=algorithm, leaf_size=leaf_size, p=p, n_jobs=n_jobs,
    ).fit(X, sample_weight=sample_weight)  # fmt: skip
    return model.core_sample_indices_, model.labels_


def _algorithm(task: SearchTask) -> str:
    """The search that is likely to be fastest."""
    trees = served(task)
    if "kd_tree" in trees and task.rows.shape[1] <= MAX_TREE_COLUMNS:
        return "kd_tree"
    return "ball_tree" if task.metric.kind == HAVERSINE and trees else "brute"


def _clusters_by_search(
    algorithm: str, task: SearchTask, enough: float, weight: Array | None
) -> Clusters:
    """The clusters by an index of rows, or of distances that the user computed."""
    index, rows, limit = built(algorithm, task), task.rows, task.radius or 0.0
    if task.metric is PRECOMPUTED_METRIC:
        find = clusters_of_graph if is_sparse(rows) else clusters_of_table
        return find(rows, limit, enough, weight)

    def within(part: Array) -> tuple[Array, Any, Array]:
        return index.query_radius(rows[part], limit, task.n_jobs, by_row=True, distances=False)

    return clusters_by_lists(within, rows.shape[0], enough, weight)
