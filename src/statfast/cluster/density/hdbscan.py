# SPDX-License-Identifier: BSD-3-Clause
"""HDBSCAN: the dense regions that persist over all radii of DBSCAN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from statfast._distance import MetricRows, is_precomputed, metric_rows_for
from statfast._engine import checkpoint, interruptible
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
from statfast._typing import Array, Jobs, Rows, Weights
from statfast._validation import as_count, as_real, is_sparse, not_fitted, rows_for
from statfast.cluster.density.condensed_tree import (
    Clustering,
    Clusters,
    Selection,
    clusters_at,
    select_clusters,
)
from statfast.cluster.density.mutual_reachability import (
    NUMBERS_AT_A_TIME,
    DensityRule,
    merges_by_reachability,
)
from statfast.cluster.density.new_points import (
    Joined,
    join_points,
    labels_of_joined,
    soft_memberships,
)
from statfast.cluster.density.sources import (
    CheckedRows,
    SparseDistances,
    as_checked_rows,
    find_in_table,
)
from statfast.neighbors.search.nearest import NearestNeighbors

INFINITE_ROW, MISSING_ROW = -2, -3  # labels of rows that hold infinities, or NaN
CENTERS = {"both": ("centroid", "medoid"), "centroid": ("centroid",), "medoid": ("medoid",)}


class HDBSCAN(Clusterer, Estimator):
    """HDBSCAN: dense regions of any shape, number and density; what is in none is noise.

    Parameters
    ----------
    min_cluster_size : int, default=5
        Least number of rows of a cluster, or their weight, at least 2; smaller groups are noise.
    min_samples : int, optional
        Number of rows, or their weight, within the core distance of a row, itself among them;
        None takes `min_cluster_size`. A larger number smooths the density, and makes more rows
        noise.
    cluster_selection_epsilon : float, default=0.0
        Clusters that would split at a smaller distance than this are not divided.
    max_cluster_size : int, optional
        Largest number of rows of a cluster, where "eom" selects; None sets no limit.
    metric : str or callable, default="euclidean"
        The distance, any of `linkage`; "precomputed" for X that holds distances, or a sparse graph
        of them.
    metric_params : dict, optional
        Further parameters of the metric.
    alpha : float, default=1.0
        Distances, but not core distances, are divided by this.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.
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
        How strongly each row belongs to its cluster, from 0 (noise) to 1; NaN for rows with NaN.
    cluster_persistence_ : ndarray of shape (n_clusters,)
        The stability of each cluster for a row and the highest density; 1 if that is infinite.
    outlier_scores_ : ndarray of shape (n,)
        GLOSH [2]_: 0 for the densest rows of a region, near 1 for rows far from any; NaN for rows
        that are not finite or have no weight.
    condensed_tree_ : ndarray of shape (m,), structured
        Rows "parent", "child", "lambda_val", "child_size": a point, or a cluster, leaves a cluster
        at a density. Points, which are the finite rows that have a weight, are numbered from 0 up,
        the root is the next number. Sizes are weights.
    single_linkage_tree_ : ndarray of shape (n_points - 1, 4)
        The merges of these points by mutual reachability as scipy's linkage matrix; the last column
        holds weights.
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
    statfast.plot.condensed_tree : The picture of `condensed_tree_`.
    statfast.plot.reachability : The picture of `single_linkage_tree_`.

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

    **Weights**: a row of weight 2 is the row twice. Its copies are within the core distance of each
    other, and are a cluster by themselves if they weigh enough. A row of weight 0 is not there; its
    label is that of `approximate_predict`, its outlier score NaN.

    **Missing distances**, those that a sparse graph does not store or that are infinite, join rows
    at density 0, where all clusters have parted. A graph may store its diagonal or not, and holds
    each distance both ways; a row is always its own neighbor.

    **Exact**. Memory O(n d) beside X. Cost: for Euclidean, Manhattan, Chebyshev and Minkowski (p up
    to 4) distances, and metrics that are Euclidean after scaling, in up to ten columns about a
    search of `min_samples` neighbors and O(n log n), on a k-d tree. In more columns, and for
    "haversine", O(n^2 d): rows are compared in float32, and those that may be nearest measured in
    float64. By other metrics O(n^2 d) in float64, and twice the calls of a user's function, whose
    distances are kept (8 n^2 bytes); for a graph O(m log m) of m distances.

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
        one_of(None, *CENTERS), default=None
    )

    labels_: Array = fitted()
    probabilities_: Array = fitted()
    cluster_persistence_: Array = fitted()
    outlier_scores_: Array = fitted()
    condensed_tree_: Array = fitted()
    single_linkage_tree_: Array = fitted()
    centroids_: Array = fitted()
    medoids_: Array = fitted()
    _rows: Any = fitted()  # those that are finite and have a weight, as they were given; or None
    _metric: Any = fitted()
    _kept: Any = fitted()  # marks of these rows among all, or None
    _core: Array = fitted()  # their core distances
    _density: DensityRule = fitted()
    _selected: Array = fitted()  # of each cluster of the tree the label, or -1
    _limit: float = fitted()

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or (n, n) if precomputed
            The samples, or distances between them. Dense rows with NaN or infinities are set apart,
            unless the metric is defined for missing values; distances that are infinite, or that a
            sparse matrix does not store, are missing.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        self : HDBSCAN

        Raises
        ------
        ValueError
            If X is not valid (see `linkage`), if fewer rows than `min_samples` are finite, or their
            weight is less, if centers of precomputed distances are asked for, if `sample_weight` is
            not valid, or if a parameter is out of its range.
        TypeError
            If X is not made of numbers, or a parameter has the wrong type.
        MemoryError
            If the distances of a user's function would take more than half the free memory.
        """
        params = self._checked()
        precomputed = is_precomputed(self.metric)
        if precomputed and params.store_centers is not None:
            raise ValueError(
                "store_centers must be None where metric is 'precomputed', as there are no rows; "
                f"got {params.store_centers!r}. Leave it out."
            )
        checked = as_checked_rows(X, self.metric, self.metric_params, sample_weight, self.n_jobs)
        source, weight = checked.source, checked.weight
        density = _density_rule(params, source.n, weight)
        Z, core = merges_by_reachability(source, density, self.n_jobs)
        selection = Selection(
            params.cluster_selection_method, params.cluster_selection_epsilon,
            np.inf if params.max_cluster_size is None else params.max_cluster_size,
            params.allow_single_cluster,
        )  # fmt: skip
        tree, clusters, result = interruptible(
            select_clusters, Z, core, weight, params.min_cluster_size, selection
        )
        centers = {}
        if params.store_centers is not None:
            shares = result.probabilities if weight is None else result.probabilities * weight
            centers = centers_of(params.store_centers, source, result.labels, shares, self.n_jobs)
        labels, probabilities, scores = _of_all_rows(
            checked, clusters, result, core, density, self.n_jobs
        )
        return self._publish(
            X, labels_=labels, probabilities_=probabilities,
            cluster_persistence_=result.persistence, outlier_scores_=scores, condensed_tree_=tree,
            single_linkage_tree_=Z, n_features_in_=checked.n_features, _core=core,
            _density=density, _selected=result.selected, _limit=result.limit, _kept=checked.kept,
            _rows=None if precomputed else source.X,
            _metric=None if precomputed else source.metric, **centers,
        )  # fmt: skip

    def approximate_predict(self, X: Rows) -> tuple[Array, Array]:
        """Return the clusters that new rows would join, the hierarchy left as it is.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or (m, n) if precomputed
            New samples, or their distances to the fitted ones.

        Returns
        -------
        labels : ndarray of shape (m,), intp
            The cluster of each row, -1 for noise.
        probabilities : ndarray of shape (m,)
            How far the density at which a row joins reaches into its cluster, from 0 to 1.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not valid, or has another number of columns than what was fitted.
        TypeError
            If X is not made of numbers, or distances are sparse.

        Notes
        -----
        A new row joins the fitted row at the least mutual reachability distance, of several the
        nearest, and of these the first; its own core distance is to its ``min_samples - 1`` nearest
        fitted rows. It is part of what that row is part of at this density. Clusters that new rows
        would form are not found: fit again for these. All fitted rows that may be nearest are
        compared. (The package hdbscan compares ``2 * min_samples``, and core distances to one
        neighbor more for new rows, to one less for fitted ones, than its fit: probabilities differ,
        and a few labels.) Fitted rows are indexed in each call: predict many rows at once.
        """
        clusters, joined, _ = self._joined(X)
        return labels_of_joined(joined, clusters, self._selected, self._limit)

    def membership_vector(self, X: Rows) -> Array:
        """Return how far new rows are part of each cluster.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            New samples.

        Returns
        -------
        memberships : ndarray of shape (m, n_clusters)
            Numbers from 0 to 1; those of a row sum to how likely it is part of any.

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If the fit was to precomputed distances, if X is not valid, or if it has another number
            of columns than what was fitted.

        Notes
        -----
        The rule of the package hdbscan, which no paper derives. Two memberships are multiplied: the
        root of that by distance, inverse to the distance from the densest rows of a cluster's
        leaves, and the square of that by the hierarchy, a softmax of ``death / (death - height)``.
        Here death is the density at which the leaf ends that the row joins (`approximate_predict`),
        and height that at which the row and the cluster are one. (Where a row joins at a lower
        density than that at which clusters part, the package hdbscan takes the latter.) Products
        are scaled to a sum of the largest height, relative to the density at which that cluster
        ends, of several the highest. Cost: a search of one neighbor for each row and cluster.
        """
        if is_precomputed(self.metric):
            raise ValueError(
                "membership_vector needs rows, to find those that are nearest to the densest of a "
                "cluster; got metric 'precomputed'. Use approximate_predict."
            )
        clusters, joined, rows = self._joined(X)
        found, order = np.unique(self._selected, return_index=True)
        order = order[found >= 0]
        distance = np.empty((rows.shape[0], len(order)))
        if not len(order):
            return distance
        for label, members in enumerate(clusters.exemplars(self._selected, len(order))):
            search = NearestNeighbors(metric=self._metric, n_jobs=self.n_jobs)
            near, _ = search.fit(self._rows[members]).kneighbors(rows, 1)
            distance[:, label] = near[:, 0]
        return soft_memberships(joined, clusters, order, distance)

    def dbscan_clustering(self, cut_distance: float, min_cluster_size: int = 5) -> Array:
        """Return the clusters of DBSCAN at one radius, without border rows.

        Parameters
        ----------
        cut_distance : float
            The radius.
        min_cluster_size : int, default=5
            Least number of rows of a cluster, or their weight; smaller groups are noise.

        Returns
        -------
        labels : ndarray of shape (n,), intp
            The cluster of each row, -1 for noise and rows of weight 0, -2 for rows with infinities,
            -3 for rows with NaN. Clusters are numbered in the order of their first rows.

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
        labels = clusters_at(
            self.single_linkage_tree_, self._core, self._density.weight, cut, least
        )
        if self._kept is None:
            return labels
        out = np.minimum(self.labels_, -1)
        out[self._kept] = labels
        return out

    def _joined(self, X: Rows) -> tuple[Clusters, Joined, Any]:
        """The clusters, where new rows join them, and these rows, checked."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        if is_precomputed(self.metric):
            rows = rows_for(self, X)
            rows = rows if self._kept is None else rows[:, self._kept]
            find = find_in_table(rows)
        else:
            rows = rows_for(self, X, sparse=True) if is_sparse(X) else None
            rows = metric_rows_for(self, X, self._metric) if rows is None else rows
            search = NearestNeighbors(metric=self._metric, n_jobs=self.n_jobs).fit(self._rows)

            def find(part: Array, k: int) -> tuple[Array, Array]:
                return search.kneighbors(rows[part], k)

        joined = join_points(find, rows.shape[0], self._core, self._density)
        return Clusters(self.condensed_tree_, len(self._core)), joined, rows

    @property
    def _is_pairwise(self) -> bool:
        return is_precomputed(self.metric)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = not is_precomputed(self.metric)
        tags.input_tags.pairwise = is_precomputed(self.metric)
        return tags


def _density_rule(params: Any, n: int, weight: Array | None) -> DensityRule:
    """What dense is among n rows, of which there must be enough."""
    name = "min_cluster_size" if params.min_samples is None else "min_samples"
    enough = getattr(params, name)
    if weight is None:
        as_count(enough, name, high=n, limit="the number of finite rows")
    elif weight.sum() < enough:
        raise ValueError(
            f"{name} must be at most the weight of all finite rows ({weight.sum():g}); "
            f"got {enough}. Lower it{', or give min_samples' * (name != 'min_samples')}."
        )
    return DensityRule(float(enough), weight, params.alpha)


def _of_all_rows(
    checked: CheckedRows, clusters: Clusters, result: Clustering, core: Array,
    density: DensityRule, n_jobs: Jobs,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Labels, probabilities and outlier scores, also of rows that are not clustered; those without
    weight join clusters as new rows do."""
    scores = clusters.outlier_scores()
    if checked.kept is None:
        return result.labels, result.probabilities, scores
    labels = checked.spread(result.labels, MISSING_ROW, INFINITE_ROW)
    probabilities = checked.spread(result.probabilities, np.nan, 0.0)
    if checked.absent.any():
        find = checked.find_from_absent(n_jobs)
        joined = join_points(find, int(checked.absent.sum()), core, density)
        labels[checked.absent], probabilities[checked.absent] = labels_of_joined(
            joined, clusters, result.selected, result.limit
        )
    return labels, probabilities, checked.spread(scores, np.nan, np.nan)


# ---------- Centers of clusters, whose rows count by weights
def centers_of(
    kind: str, source: Any, labels: Array, weight: Array, n_jobs: Jobs
) -> dict[str, Array]:
    """The attributes `centroids_` and `medoids_`, as asked for."""
    count = int(labels.max(initial=-1)) + 1
    members = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels + 1)))[1:]
    members = members[:count]
    out, shape = {}, (count, source.X.shape[1])
    if "centroid" in CENTERS[kind]:
        means = [_mean(source.X[rows], weight[rows]) for rows in members]
        out["centroids_"] = np.array(means).reshape(shape)
    if "medoid" in CENTERS[kind]:
        medoids = [rows[_medoid(_part(source, rows), weight[rows], n_jobs)] for rows in members]
        rows = source.X[np.array(medoids, np.intp)]
        out["medoids_"] = rows.toarray() if is_sparse(rows) else rows.reshape(shape)
    return out


def _mean(rows: Any, weight: Array) -> Array:
    if is_sparse(rows):
        return (rows.T @ weight) / weight.sum()
    return np.average(rows.astype(np.float64, copy=False), axis=0, weights=weight)


def _part(source: Any, rows: Array) -> Any:
    """The distances between some rows."""
    if isinstance(source, MetricRows):
        return MetricRows(source.X[rows], source.metric)
    return SparseDistances(source.X[rows], source.metric, None, source.n_jobs)


def _medoid(source: Any, weight: Array, n_jobs: Jobs) -> int:
    """The row with the least weighted sum of distances, the first of several."""
    distances, m = source.made(n_jobs), source.n
    total, step = np.empty(m), max(1, NUMBERS_AT_A_TIME // m)
    for start in range(0, m, step):
        checkpoint()
        part = slice(start, min(start + step, m))
        total[part] = (distances.block(part, slice(0, m)) * weight).sum(axis=1)
    return int(total.argmin())
