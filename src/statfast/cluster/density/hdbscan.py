# SPDX-License-Identifier: BSD-3-Clause
"""HDBSCAN: the dense regions that persist over all radii of DBSCAN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from statfast._distance import MetricRows, as_dissimilarities, is_precomputed
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
from statfast._estimator import flag as truth
from statfast._typing import Array, Jobs, Rows
from statfast._validation import as_count, as_real, as_rows, is_sparse, not_fitted
from statfast.cluster.density.condensed_tree import Clusters, Selection, condensed_tree
from statfast.cluster.density.mutual_reachability import merges_by_reachability

INFINITE_ROW, MISSING_ROW = -2, -3  # labels of rows that hold infinities, or NaN


class HDBSCAN(Clusterer, Estimator):
    """HDBSCAN: dense regions of any shape, number and density; what is in none is noise.

    Parameters
    ----------
    min_cluster_size : int, default=5
        Rows of a cluster, at least 2; smaller groups that split off count as noise.
    min_samples : int, optional
        Rows within the core distance of a row, itself among them; None is `min_cluster_size`. More
        make the estimate of density smoother, and more rows noise.
    cluster_selection_epsilon : float, default=0.0
        Clusters that would split at a smaller distance than this are not divided.
    max_cluster_size : int, optional
        Rows of a cluster at most, where "eom" selects; None is no limit.
    metric : str or callable, default="euclidean"
        The distance, any of `linkage`; "precomputed" for X that holds distances.
    metric_params : dict, optional
        Further parameters of the metric.
    alpha : float, default=1.0
        Distances, but not core distances, are divided by this.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result is the same for any
        number.
    cluster_selection_method : {"eom", "leaf"}, default="eom"
        Excess of mass takes the clusters that are most stable, "leaf" those that split no more,
        which are more, smaller, and more alike.
    allow_single_cluster : bool, default=False
        Whether all rows may be one cluster.
    store_centers : {"centroid", "medoid", "both"}, optional
        Which centers of clusters to compute.

    Attributes
    ----------
    labels_ : ndarray of shape (n,), intp
        The cluster of each row, -1 for noise, -2 for rows with infinities, -3 for rows with NaN.
        Clusters are numbered in the order of their first rows.
    probabilities_ : ndarray of shape (n,)
        How firmly each row is part of its cluster, from 0 (noise) to 1; NaN for rows with NaN.
    cluster_persistence_ : ndarray of shape (n_clusters,)
        The stability of each cluster, of the largest it could have.
    outlier_scores_ : ndarray of shape (n,)
        GLOSH [2]_: 0 for the densest rows of a region, near 1 for rows far from any; NaN for rows
        that are not finite.
    condensed_tree_ : ndarray of shape (m,), structured
        Rows "parent", "child", "lambda_val", "child_size": a point, or a cluster, leaves a cluster
        at a density. Finite points have the numbers from 0 up, the root the next one.
    single_linkage_tree_ : ndarray of shape (n_finite - 1, 4)
        The merges by mutual reachability as scipy's linkage matrix, of the finite rows.
    centroids_ : ndarray of shape (n_clusters, d)
        Means of clusters, weighted by `probabilities_`; only if asked for.
    medoids_ : ndarray of shape (n_clusters, d)
        Rows with the least weighted sum of distances in their cluster; only if asked for.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    DBSCAN : The clusters at one radius.

    Notes
    -----
    The **core distance** of a row is that of its `min_samples`-th nearest row, itself counted (the
    package hdbscan does not count it: its `min_samples` is one less). The mutual reachability
    distance of two rows is the largest of their distance and both core distances. Single linkage by
    it is DBSCAN at every radius, without border rows; density is the inverse of a height. A cluster
    that loses fewer than `min_cluster_size` rows goes on as the same, and one that divides into
    larger parts ends. Its stability is the sum, over its rows, of the density at which they leave
    it less that at which it began.

    **Ties**: merges of equal height, one below the other, are one split into several parts; parts
    that are too small then leave the cluster that ends. So the labels depend neither on the order
    of rows nor on that of equal distances. Where a row's core distance joins it to several parts,
    as at the saddle between two clusters, the package hdbscan gives it to any of them: there,
    and only there, the labels differ. Of medoids the first is taken.

    **Exact**. Cost: in up to ten columns, for metrics that are Euclidean after scaling, about a
    search of `min_samples` neighbors and O(n log n), on a k-d tree; O(n) memory. By other metrics,
    in more columns, and for "precomputed", O(n^2 d) and a matrix of 8 n^2 bytes.

    References
    ----------
    .. [1] R. J. G. B. Campello, D. Moulavi, J. Sander (2013). Density-based clustering based on
       hierarchical density estimates. PAKDD 2013, 160-172. doi:10.1007/978-3-642-37456-2_14
    .. [2] R. J. G. B. Campello, D. Moulavi, A. Zimek, J. Sander (2015). Hierarchical density
       estimates for data clustering, visualization, and outlier detection. ACM Transactions on
       Knowledge Discovery from Data 10(1), 5. doi:10.1145/2733381
    .. [3] L. McInnes, J. Healy (2017). Accelerated hierarchical density based clustering. ICDMW
       2017, 33-42. doi:10.1109/ICDMW.2017.12
    .. [4] C. Malzer, M. Baum (2020). A hybrid approach to hierarchical density-based cluster
       selection. MFI 2020, 223-228. doi:10.1109/MFI49285.2020.9235263

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.cluster import HDBSCAN
    >>> X = np.array([0.0, 0.1, 0.2, 0.3, 5.0, 5.2, 5.4, 5.6, 20.0])[:, None]
    >>> model = HDBSCAN(min_cluster_size=3).fit(X)
    >>> model.labels_
    array([ 0,  0,  0,  0,  1,  1,  1,  1, -1])
    """

    min_cluster_size: int = param(count(2), default=5, kw_only=False)
    min_samples: int | None = param(nothing | count(), default=None, kw_only=False)
    cluster_selection_epsilon: float = param(real(0), default=0.0, kw_only=False)
    max_cluster_size: int | None = param(nothing | count(), default=None, kw_only=False)
    metric: str | Callable[..., Any] = param(by_fit, default="euclidean", kw_only=False)
    metric_params: dict[Any, Any] | None = param(by_fit, default=None, kw_only=False)
    alpha: float = param(real(0, open_low=True), default=1.0, kw_only=False)
    n_jobs: Jobs = param(jobs, default=None)
    cluster_selection_method: Literal["eom", "leaf"] = param(one_of("eom", "leaf"), default="eom")
    allow_single_cluster: bool = param(truth, default=False)
    store_centers: Literal["centroid", "medoid", "both"] | None = param(
        one_of(None, "centroid", "medoid", "both"), default=None
    )

    labels_: Array = fitted()
    probabilities_: Array = fitted()
    cluster_persistence_: Array = fitted()
    outlier_scores_: Array = fitted()
    condensed_tree_: Array = fitted()
    single_linkage_tree_: Array = fitted()
    centroids_: Array = fitted()
    medoids_: Array = fitted()

    def fit(self, X: Rows, y: object = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : array-like of shape (n, d), or (n, n) if precomputed
            The samples, or distances between them. Rows of samples with NaN or infinities are set
            apart.
        y : ignored
            Present for the estimator protocol.

        Returns
        -------
        self : HDBSCAN

        Raises
        ------
        ValueError
            If X is not valid (see `linkage`), if fewer rows than `min_samples` are finite, if
            centers of precomputed distances are asked for, or if a parameter is out of its range.
        TypeError
            If X is sparse, or a parameter has the wrong type.
        MemoryError
            If a matrix of distances would take more than half the free memory.
        """
        params = self._checked()
        precomputed = is_precomputed(self.metric)
        if precomputed and params.store_centers is not None:
            raise ValueError(
                "store_centers must be None where metric is 'precomputed', as there are no rows; "
                f"got {params.store_centers!r}. Leave it out."
            )
        data, finite, missing = X, None, None
        if not precomputed and not is_sparse(X):
            data = as_rows(X, keep=(np.float64, np.float32), finite=False)
            missing = np.isnan(data).any(axis=1)
            finite = np.isfinite(data).all(axis=1)
            if finite.all() or not finite.any():
                finite = None
            else:
                data = data[finite]
        source = as_dissimilarities(
            data, self.metric, metric_params=self.metric_params, symmetric=True, n_min=1
        )
        k = params.min_cluster_size if params.min_samples is None else params.min_samples
        as_count(k, "min_samples", high=source.n, limit="the number of finite rows")
        Z, _ = merges_by_reachability(source, k, params.alpha, self.n_jobs)
        tree = condensed_tree(Z, params.min_cluster_size)
        selection = Selection(
            params.cluster_selection_method,
            params.cluster_selection_epsilon,
            np.inf if params.max_cluster_size is None else params.max_cluster_size,
            params.allow_single_cluster,
        )
        clusters = Clusters(tree, source.n)
        result = clusters.clustering(clusters.select(selection), selection)
        labels, probabilities = result.labels, result.probabilities
        scores = clusters.outlier_scores()
        centers = {} if precomputed else self._centers(data, source, labels, probabilities)
        if finite is not None:
            labels = _spread(labels, finite, np.where(missing, MISSING_ROW, INFINITE_ROW))
            probabilities = _spread(probabilities, finite, np.where(missing, np.nan, 0.0))
            scores = _spread(scores, finite, np.full(len(finite), np.nan))
        return self._publish(
            X, labels_=labels, probabilities_=probabilities,
            cluster_persistence_=result.persistence, outlier_scores_=scores, condensed_tree_=tree,
            single_linkage_tree_=Z, n_features_in_=source.n if precomputed else data.shape[1],
            **centers,
        )  # fmt: skip

    def dbscan_clustering(self, cut_distance: float, min_cluster_size: int = 5) -> Array:
        """Return the clusters of DBSCAN at one radius, without border rows.

        Parameters
        ----------
        cut_distance : float
            The radius.
        min_cluster_size : int, default=5
            Rows of a cluster; smaller groups are noise.

        Returns
        -------
        labels : ndarray of shape (n,), intp
            The cluster of each row, -1 for noise, -2 for rows with infinities, -3 for rows with
            NaN. Clusters are numbered in the order of their first rows.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If `cut_distance` is negative, or `min_cluster_size` less than 1.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        cut = as_real(cut_distance, "cut_distance", 0, infinite=True)
        least = as_count(min_cluster_size, "min_cluster_size")
        Z = self.single_linkage_tree_
        n = len(Z) + 1
        below = int(np.searchsorted(Z[:, 2], cut, side="right"))
        root = np.arange(n + below)
        for i in range(below - 1, -1, -1):
            root[Z[i, :2].astype(np.intp)] = root[n + i]
        _, first, group, size = np.unique(
            root[:n], return_index=True, return_inverse=True, return_counts=True
        )
        large = np.flatnonzero(size >= least)
        name = np.full(len(size), -1)
        name[large[np.argsort(first[large])]] = np.arange(len(large))
        labels = name[group.reshape(-1)]
        apart = self.labels_ < -1
        if n != len(self.labels_):
            labels = _spread(labels, ~apart, self.labels_)
        return labels

    def _centers(
        self, data: Any, source: Any, labels: Array, probabilities: Array
    ) -> dict[str, Array]:
        """The centers that are asked for."""
        kinds = {"both": ("centroid", "medoid"), None: ()}.get(
            self.store_centers, (self.store_centers,)
        )
        count, out = int(labels.max(initial=-1)) + 1, {}
        members = [np.flatnonzero(labels == c) for c in range(count)]
        if "centroid" in kinds:
            means = [np.average(data[m], axis=0, weights=probabilities[m]) for m in members]
            out["centroids_"] = np.array(means).reshape(count, data.shape[1])
        if "medoid" in kinds:
            rows = []
            for m in members:
                distances = MetricRows(source.X[m], source.metric).made(self.n_jobs)
                table = distances.block(slice(0, len(m)), slice(0, len(m)))
                rows.append(data[m[int(np.argmin(table @ probabilities[m]))]])
            out["medoids_"] = np.array(rows).reshape(count, data.shape[1])
        return out

    @property
    def _is_pairwise(self) -> bool:
        return is_precomputed(self.metric)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = not is_precomputed(self.metric)
        tags.input_tags.pairwise = is_precomputed(self.metric)
        return tags


def _spread(values: Array, rows: Array, others: Array) -> Array:
    """Values of some rows among those of the others."""
    out = others.copy()
    out[rows] = values
    return out
