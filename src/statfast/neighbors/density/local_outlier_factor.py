# SPDX-License-Identifier: BSD-3-Clause
"""Outliers by the density at a row, compared with the densities at its neighbors."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._engine import each, grid
from statfast._estimator import available, count, fitted, flag, one_of, param, real
from statfast._typing import Array, Jobs, Rows
from statfast._validation import refuse_large, warn_user
from statfast.neighbors.search.search import KNeighborSearch, finite

MIN_MEAN_DISTANCE = 1e-10  # added to mean distances, so that duplicates have a finite density
DUPLICATE_FACTOR = 1e7  # of a row near more than k duplicates, whose density is 1e10
NEIGHBORS_PER_TASK = 1 << 18  # neighbors whose densities are averaged in one task


def _is_novelty(model: Any) -> bool:
    """Whether the answers are for new rows; what is not a truth value is refused by ``fit``."""
    return isinstance(model.novelty, bool | np.bool_) and bool(model.novelty)


def _require_novelty(model: Any) -> None:
    if not _is_novelty(model):
        raise AttributeError(
            "A LocalOutlierFactor has predict, decision_function and score_samples for new rows "
            "only with novelty=True; got novelty=False. Pass it, or use fit_predict and "
            "negative_outlier_factor_ for the fitted rows."
        )


def _require_no_novelty(model: Any) -> None:
    if _is_novelty(model):
        raise AttributeError(
            "A LocalOutlierFactor has fit_predict only with novelty=False; got novelty=True. Leave "
            "it out, or use fit and then predict for new rows."
        )


class LocalOutlierFactor(KNeighborSearch):
    """Local outlier factor: outliers by the density at a row, against that at its neighbors.

    Parameters
    ----------
    n_neighbors : int, default=20
        Neighbors of each row, k; all others if there are fewer. A cluster of k rows or less that
        lies apart counts as outliers.
    contamination : "auto" or float, default="auto"
        The share of the fitted samples that are outliers, above 0 and at most 0.5: `offset_` is
        that quantile of their scores. "auto" is an offset of -1.5, the threshold of the paper.
    novelty : bool, default=False
        Whether new rows are to be judged by the fitted ones, which count as regular: then there
        are `predict`, `decision_function` and `score_samples`, else `fit_predict`.
    algorithm : {"auto", "kd_tree", "ball_tree", "brute"}, default="auto"
        How neighbors are searched; the answer is the same.
    leaf_size : int, optional
        Rows of a leaf of the trees; None takes the tree's own choice.
    metric : str or callable, default="minkowski"
        The distance, any of `NearestNeighbors`; "precomputed" for X that holds distances, or a
        sparse graph of them.
    p : float, default=2
        Exponent of "minkowski"; 2 is the Euclidean distance.
    metric_params : dict, optional
        Further parameters of the metric.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    negative_outlier_factor_ : ndarray of shape (n,), float64
        Minus the local outlier factor of the fitted samples: about -1 for regular ones, and the
        lower, the farther out.
    n_neighbors_ : int
        The neighbors used, at most n - 1.
    offset_ : float
        Samples whose score is less are outliers.
    n_samples_fit_ : int
        Number of fitted samples, n.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.
    algorithm_ : str
        The search used: "kd_tree", "ball_tree" or "brute".
    effective_metric_ : str
        The metric used, "euclidean" for "minkowski" with p = 2.
    effective_metric_params_ : dict
        `metric_params`, with p where the metric used is "minkowski".

    See Also
    --------
    OneClassSVM : A boundary around most of the samples.
    neighbors_density : The density by the distance of the k-th neighbor.

    Notes
    -----
    The reachability distance of a row from its neighbor is their distance, or that of the
    neighbor from its own k-th neighbor, if that is more. The local density at a row is the inverse
    of the mean reachability distance from its k neighbors, and the factor is the mean of the
    neighbors' densities over its own [1]_. Rows inside a cluster have a factor near 1, however
    dense it is, which a threshold for distances cannot do.

    A neighborhood has k rows, **ties go to the lowest index**; that of the paper has all rows that
    are as near as the k-th. To the mean distance 1e-10 is added, as scikit-learn does: it
    gives the density at k + 1 duplicates or more a value, 1e10. Rows whose distances are not
    much larger than that should be scaled up. New rows are never neighbors of themselves: a copy
    of a fitted row finds it at distance 0.

    fit has no `sample_weight`: a repeated row takes several of the k places in the search, and a
    weight on the density alone would not.

    Cost: a search of k neighbors for each row (see `NearestNeighbors`), and O(n k). Memory: that of
    the search and, while fitting, 16 n k bytes.

    References
    ----------
    .. [1] M. M. Breunig, H.-P. Kriegel, R. T. Ng, J. Sander (2000). LOF: identifying density-based
       local outliers. SIGMOD '00, 93-104. doi:10.1145/342009.335388

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.neighbors import LocalOutlierFactor
    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [0.8], [10.0], [14.0], [18.0], [22.0]])
    >>> model = LocalOutlierFactor(n_neighbors=2)
    >>> model.fit_predict(X)  # 0.8 is far from a dense group; 22 is part of a sparse one
    array([ 1,  1,  1,  1, -1,  1,  1,  1,  1])
    >>> model.negative_outlier_factor_.round(1) + 0.0
    array([-1. , -1. , -1. , -1. , -3.7, -1. , -1. , -1. , -1. ])
    >>> regular = LocalOutlierFactor(n_neighbors=2, novelty=True).fit(X[:4])
    >>> regular.predict([[0.15], [0.8]])
    array([ 1, -1])
    """

    n_neighbors: int = param(count(), default=20, kw_only=False)
    contamination: float | Literal["auto"] = param(
        one_of("auto") | real(0, 0.5, open_low=True), default="auto"
    )
    novelty: bool = param(flag, default=False)

    negative_outlier_factor_: Array = fitted()
    n_neighbors_: int = fitted()
    offset_: float = fitted()
    n_samples_fit_: int = fitted()
    algorithm_: str = fitted()
    effective_metric_: str = fitted()
    effective_metric_params_: Any = fitted()
    _k_distances: Array = fitted()  # (n,) of each sample's k-th neighbor
    _densities: Array = fitted()  # (n,) local reachability densities

    def fit(self, X: Rows, y: object = None) -> Self:
        """Store or index the samples, and compute their outlier factors.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The samples, finite, two or more. float64, float32 and uint8 arrays are kept by
            reference.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : LocalOutlierFactor

        Raises
        ------
        ValueError
            If X is refused by the search (see `NearestNeighbors.fit`), has one row, or if a
            parameter is out of its range.
        TypeError
            If X is not made of numbers, or `n_neighbors` is not an integer.
        MemoryError
            If the table of neighbors would take more than half the free memory.

        Warns
        -----
        UserWarning
            If `n_neighbors` is more than there are samples, all others are then neighbors; or if
            a sample is near more than k duplicates, whose density has no value.
        """
        params = self._checked()
        search = self._searchable(X, k=params.n_neighbors)
        n, metric = search["n_samples_fit_"], search["_metric"]
        if n < 2:
            raise ValueError(
                "X must have at least 2 rows to have neighbors; got n_samples = 1. Pass more rows."
            )
        if params.n_neighbors > n:
            warn_user(
                f"n_neighbors is {params.n_neighbors}, and X has {n} rows: {n - 1} neighbors are "
                "taken. Lower n_neighbors."
            )
        k = min(params.n_neighbors, n - 1)
        refuse_large(16 * n * k, "The table of neighbors", "Lower n_neighbors.")
        reduced, ids = search["_index"].self_query(k, self.n_jobs)
        distances = metric.finish(finite(reduced, reduced[:, -1]), out=reduced)
        k_distances = distances[:, -1].copy()
        densities = reachability_densities(distances, ids, k_distances, self.n_jobs)
        scores = negative_factors(densities, densities, ids, self.n_jobs)
        if not self.novelty and scores.min() < -DUPLICATE_FACTOR:
            warn_user(
                f"X has more than {k} copies of a row, whose density has no value, and rows near "
                "them count as outliers. Raise n_neighbors, or drop duplicates."
            )
        auto = isinstance(params.contamination, str)
        offset = -1.5 if auto else float(np.percentile(scores, 100.0 * params.contamination))
        return self._publish(
            X, **search, n_neighbors_=k, negative_outlier_factor_=scores, offset_=offset,
            _k_distances=k_distances, _densities=densities,
        )  # fmt: skip

    @available(_require_no_novelty)
    def fit_predict(self, X: Rows, y: object = None) -> Array:
        """Fit, and return +1 for regular samples and -1 for outliers; not with ``novelty=True``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The samples, as for `fit`.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        ndarray of shape (n,), of integers

        Raises
        ------
        ValueError
            As for `fit`.
        """
        return _signs(self.fit(X).negative_outlier_factor_, self.offset_)

    @available(_require_novelty)
    def predict(self, X: Rows | None = None) -> Array:
        """Return +1 for regular rows and -1 for outliers; only with ``novelty=True``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), optional
            New rows. None takes the fitted samples, each without itself.

        Returns
        -------
        ndarray of shape (m,), of integers

        Raises
        ------
        ValueError
            As for `kneighbors`.
        """
        rows = self._queries(X)
        scores = self.negative_outlier_factor_ if rows is None else self._scored(rows)
        return _signs(scores, self.offset_)

    @available(_require_novelty)
    def decision_function(self, X: Rows) -> Array:
        """Return the scores less `offset_`, negative for outliers; only with ``novelty=True``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            New rows; a fitted one would find itself as a neighbor.

        Returns
        -------
        ndarray of shape (m,), float64

        Raises
        ------
        ValueError
            As for `kneighbors`.
        """
        return self._scored(self._new_rows(X)) - self.offset_

    @available(_require_novelty)
    def score_samples(self, X: Rows) -> Array:
        """Return minus the local outlier factors of new rows; only with ``novelty=True``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            New rows; a fitted one would find itself as a neighbor.

        Returns
        -------
        ndarray of shape (m,), float64
            About -1 for regular rows, and the lower, the farther out.

        Raises
        ------
        ValueError
            As for `kneighbors`.
        """
        return self._scored(self._new_rows(X))

    def _new_rows(self, X: Any) -> Any:
        if X is None:
            raise ValueError(
                "X must be given; got None. Of the fitted samples take negative_outlier_factor_."
            )
        return self._queries(X)

    def _scored(self, rows: Any) -> Array:
        k, scores = self.n_neighbors_, np.empty(self._count(rows))
        for part, _, reduced, ids in self._slices(rows, k):
            distances, ids = self._metric.finish(reduced).reshape(-1, k), ids.reshape(-1, k)
            densities = reachability_densities(distances, ids, self._k_distances, self.n_jobs)
            scores[part] = negative_factors(densities, self._densities, ids, self.n_jobs)
        return scores

    _estimator_type = "outlier_detector"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "outlier_detector"
        return tags


def _signs(scores: Array, offset: float) -> Array:
    return np.where(scores < offset, -1, 1)


def reachability_densities(
    distances: Array, ids: Array, k_distances: Array, n_jobs: Jobs = None
) -> Array:
    """The inverse of the mean reachability distance of each row from its neighbors, (m,)."""

    def density(part: slice) -> Array:
        reach = np.maximum(distances[part], k_distances[ids[part]])
        return 1.0 / (reach.mean(axis=1) + MIN_MEAN_DISTANCE)

    return _by_blocks(density, ids, n_jobs)


def negative_factors(densities: Array, of_fitted: Array, ids: Array, n_jobs: Jobs = None) -> Array:
    """Minus the mean density of each row's neighbors over its own, (m,)."""
    return _by_blocks(
        lambda part: of_fitted[ids[part]].mean(axis=1) / -densities[part], ids, n_jobs
    )


def _by_blocks(averaged: Any, ids: Array, n_jobs: Jobs) -> Array:
    m, k = ids.shape
    blocks = grid(m, most=max(1, NEIGHBORS_PER_TASK // k))
    parts = each(averaged, blocks, n_jobs=n_jobs, effort=10.0 * ids.size)
    return np.concatenate(parts) if parts else np.empty(0)
