# SPDX-License-Identifier: BSD-3-Clause
"""Agglomerative clustering as an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from statfast._distance import MetricRows, is_precomputed
from statfast._estimator import (
    Clusterer,
    Estimator,
    by_fit,
    count,
    fitted,
    flag,
    jobs,
    nothing,
    one_of,
    param,
    real,
)
from statfast._typing import Array, Jobs, Rows
from statfast._validation import as_count
from statfast.cluster.hierarchy.dendrogram import heights_within, labels_of
from statfast.cluster.hierarchy.linkage import LINKAGES, as_linkage_source, tree_of
from statfast.cluster.hierarchy.structured import structured_tree


class AgglomerativeClustering(Clusterer, Estimator):
    """Agglomerative hierarchical clustering, cut into a number of clusters or at a distance.

    Parameters
    ----------
    n_clusters : int or None, default=2
        Clusters to find. Must be None if `distance_threshold` is given.
    metric : str or callable, default="euclidean"
        The distance: a name of `NearestNeighbors` ("euclidean", "manhattan", "cosine", ...), a
        function, or "precomputed" if X holds dissimilarities, square or condensed, as scipy's
        ``pdist`` gives them. "ward", "centroid" and "median" take "euclidean" or "precomputed".
    linkage : str, default="ward"
        The method: "ward", "complete", "average", "single", "weighted", "centroid", "median", or
        "genie", which is "single" with sizes of clusters that are kept balanced.
    connectivity : array-like or sparse matrix of shape (n, n), or callable, optional
        A graph of the samples, in which whatever is not 0 is an edge, in either direction; or a
        function that makes it of X. Only clusters that an edge connects are merged, by "ward",
        "complete", "average", "single" or "genie". None: any two may be.
    distance_threshold : float, optional
        Clusters at or above this distance are not merged.
    metric_params : dict, optional
        Further parameters of the metric.
    gini_threshold : float, default=0.3
        Of the linkage "genie", from 0 to 1: how unequal sizes of clusters may be.
    compute_distances : bool, default=False
        Keep ``distances_`` even if `distance_threshold` is not given.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    labels_ : ndarray of shape (n,), int32
        The cluster of each row; clusters are numbered in the order of their first rows.
    n_clusters_ : int
        How many clusters there are.
    children_ : ndarray of shape (n - 1, 2), intp
        The two clusters of each merge: samples are 0, ..., n - 1, merge i makes the cluster n + i.
    distances_ : ndarray of shape (n - 1,)
        The height of each merge, if it is asked for.
    linkage_matrix_ : ndarray of shape (n - 1, 4)
        The merges as scipy's linkage matrix, for `statfast.plot.dendrogram`, `cut_tree`,
        `fcluster` and similar functions.
    n_leaves_ : int
        Number of rows, n.
    n_connected_components_ : int
        How many components `connectivity` has; 1 without it.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.cluster.linkage : the same merges as scipy's linkage matrix.

    Notes
    -----
    Exact; ties, cost and memory are those of `linkage`. The tree is always computed in full.

    Along a graph (`connectivity`) the nearest two clusters that an edge connects are merged, of
    several such the pair that holds the cluster of lowest number. Distances are scikit-learn's:
    Ward's from the means of the clusters; of the others those along edges only, so that the
    distance of a union to a cluster beside one of its parts is that part's, and to one beside both
    the least, the largest, or the mean by sizes of the two; "genie" merges along the minimum
    spanning tree of the edges. Heights may then fall, and
    `distance_threshold` leaves out merges above those that are too high. Components of the graph
    are joined by an edge between the nearest rows of each two, with a warning. Cost: the distances
    along the m edges, and O((m + b) log m) steps in Python, b the number of clusters beside those
    merged, in all: 20 000 rows of ten neighbors each take 3 to 5 s, about scikit-learn's time.
    Memory O(m + n d).

    References
    ----------
    Ward, J. H. (1963). Hierarchical grouping to optimize an objective function. Journal of the
    American Statistical Association 58, 236-244. doi:10.1080/01621459.1963.10500845

    Examples
    --------
    >>> from statfast.cluster import AgglomerativeClustering
    >>> X = [[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]]
    >>> AgglomerativeClustering(n_clusters=2).fit(X).labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    n_clusters: int | None = param(nothing | count(), default=2, kw_only=False)
    metric: str | Callable[..., Any] = param(by_fit, default="euclidean")
    linkage: str = param(one_of(*LINKAGES), default="ward")
    connectivity: Rows | Callable[..., Any] | None = param(by_fit, default=None)
    distance_threshold: float | None = param(nothing | real(0), default=None)
    metric_params: dict[Any, Any] | None = param(by_fit, default=None)
    gini_threshold: float = param(real(0, 1), default=0.3)
    compute_distances: bool = param(flag, default=False)
    n_jobs: Jobs = param(jobs, default=None)

    labels_: Array = fitted()
    n_clusters_: int = fitted()
    children_: Array = fitted()
    distances_: Array = fitted()
    linkage_matrix_: Array = fitted()
    n_leaves_: int = fitted()
    n_connected_components_: int = fitted()

    def fit(self, X: Rows, y: object = None) -> Self:
        """Fit the hierarchical clustering, and cut the tree.

        Parameters
        ----------
        X : array-like of shape (n, d), or (n, n) or (n (n - 1) / 2,) if precomputed
            Finite samples, or dissimilarities.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : AgglomerativeClustering

        Raises
        ------
        ValueError
            If X is not valid (see `linkage`), if `connectivity` is not a graph of its rows, if
            `n_clusters` is not between 1 and n, if both or neither of `n_clusters` and
            `distance_threshold` are given, or if a parameter is out of its range.
        TypeError
            If X is sparse, or a parameter has the wrong type.
        MemoryError
            If a matrix of dissimilarities would take more than half the free memory.
        """
        params = self._checked()
        method, k, threshold = params.linkage, params.n_clusters, params.distance_threshold
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError(
                "Exactly one of n_clusters and distance_threshold must be given; got "
                f"{self.n_clusters} and {self.distance_threshold}. Set the other to None."
            )
        source = as_linkage_source(X, method, self.metric, self.metric_params, vectors=False)
        n = source.n
        if threshold is None:
            as_count(k, "n_clusters", high=n, limit="the number of rows")
        graph = self.connectivity
        if graph is None:
            Z, components = tree_of(source, method, self.n_jobs, params.gini_threshold), 1
        else:
            graph = graph(X) if callable(graph) else graph
            Z, components = structured_tree(source, graph, method, params.gini_threshold)
        joined = np.arange(n - 1) < n - k if threshold is None else heights_within(Z) < threshold
        labels = labels_of(Z, joined)
        with_distances = threshold is not None or self.compute_distances
        distances = {"distances_": Z[:, 2].copy()} if with_distances else {}
        return self._publish(
            X,
            n_features_in_=source.X.shape[1] if isinstance(source, MetricRows) else n,
            children_=Z[:, :2].astype(np.intp),
            labels_=labels,
            n_clusters_=int(labels.max()) + 1,
            n_leaves_=n,
            linkage_matrix_=Z,
            n_connected_components_=components,
            **distances,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self.metric)
        return tags
