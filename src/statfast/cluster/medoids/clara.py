# SPDX-License-Identifier: BSD-3-Clause
"""CLARA: k-medoids of samples, for too many rows for a matrix of dissimilarities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self, cast

import numpy as np

from statfast._distance import MetricRows, as_metric_rows, is_callable, refuse_self_distance, store
from statfast._estimator import by_fit, count, fitted, jobs, one_of, param, randomness
from statfast._typing import Array, Jobs, Rows, Seed, Weights
from statfast._validation import (
    MAX_REPEATS,
    as_count,
    as_generator,
    as_weights,
    warn_not_converged,
)
from statfast.cluster.medoids.init import STARTS
from statfast.cluster.medoids.model import (
    Medoids,
    medoid_silhouette,
    moderate_weights,
    nearest_to,
    nearest_two,
    warn_empty,
)
from statfast.cluster.medoids.partition import Partition, barred, gains
from statfast.cluster.medoids.swaps import eager


class CLARA(Medoids):
    """CLARA: k-medoids clustering of large data from several subsamples.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    metric : str or callable, default="euclidean"
        The distance: a name of `NearestNeighbors`, or a function of two samples, taken as
        symmetric.
    n_samples : int, default=5
        How many samples.
    sample_size : "auto" or int, default="auto"
        Samples in a sample, at least k; "auto" is 80 + 4 k, and no more than there are.
    init : {"auto", "build", "lab", "k-medoids++", "random"}, default="build"
        Initialization within a sample: BUILD (PAM), LAB (among 10 + sqrt(n) samples drawn each
        time), k-medoids++, or random; "auto" is LAB above 2000 samples, else BUILD.
    max_iter : int, default=100
        Maximum number of passes of FasterPAM over a sample.
    p : float, default=2
        Exponent of the metric "minkowski".
    metric_params : dict, optional
        Further parameters of the metric, such as "w", "V" or "VI".
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the samples; an integer makes the result reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    medoid_indices_ : ndarray of shape (k,), intp
        The samples that are medoids.
    cluster_centers_ : ndarray of shape (k, d)
        These samples.
    labels_ : ndarray of shape (n,), int32
        The nearest medoid of each row, the lowest on ties.
    inertia_ : float
        Sum of weight * dissimilarity to the nearest medoid, over all samples.
    medoid_silhouette_ : float
        Mean of 1 - a / b over all samples, a and b being the dissimilarities to the nearest and the
        second nearest medoid.
    sample_losses_ : ndarray of shape (n_samples,)
        The loss, over all samples, of the medoids of each sample.
    n_iter_ : int
        Passes of FasterPAM over the sample that was kept.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    KMedoids : the exact algorithm; it needs no matrix either.

    Notes
    -----
    Each sample after the first holds the best medoids so far, and other rows drawn without
    replacement; rows of weight 0 are not drawn. Of equally good samples the first is kept. The
    medoids are **approximate**, seldom the best; the loss is that of all rows.

    Cost: O(n k d) for each sample, and FasterPAM on it. Memory: O(n) and the square of the sample.

    References
    ----------
    Kaufman, L. and Rousseeuw, P. J. (1990). Finding Groups in Data. Wiley.
    doi:10.1002/9780470316801

    Schubert, E. and Rousseeuw, P. J. (2021). Fast and eager k-medoids clustering. Information
    Systems 101, 101804. doi:10.1016/j.is.2021.101804

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.cluster import CLARA
    >>> X = np.random.default_rng(0).normal(size=(9000, 2))
    >>> X[:3000] += 10
    >>> X[3000:6000] -= 10
    >>> model = CLARA(3, random_state=0).fit(X)
    >>> np.bincount(model.labels_)
    array([3000, 3000, 3000])
    """

    n_clusters: int = param(count(), default=8, kw_only=False)
    metric: str | Callable[..., Any] = param(by_fit, default="euclidean")
    n_samples: int = param(count(high=MAX_REPEATS), default=5)
    sample_size: Literal["auto"] | int = param(one_of("auto") | count(), default="auto")
    init: Literal["auto", "build", "lab", "k-medoids++", "random"] = param(
        one_of(*STARTS), default="build"
    )
    max_iter: int = param(count(), default=100)
    p: float = param(by_fit, default=2)
    metric_params: dict[Any, Any] | None = param(by_fit, default=None)
    random_state: Seed = param(randomness, default=None)
    n_jobs: Jobs = param(jobs, default=None)

    medoid_indices_: Array = fitted()
    cluster_centers_: Array = fitted()
    labels_: Array = fitted()
    inertia_: float = fitted()
    medoid_silhouette_: float = fitted()
    sample_losses_: Array = fitted()
    n_iter_: int = fitted()

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Fit the medoids.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Finite samples.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : CLARA

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with a row and a column, if `n_clusters` is greater than
            the number of rows (of positive weight), `sample_size` less than `n_clusters`, or a
            parameter out of its range.
        TypeError
            If X is sparse, or a parameter has the wrong type.
        """
        params = self._checked()
        k, n_samples, max_iter = params.n_clusters, params.n_samples, params.max_iter
        start = STARTS[params.init]
        rng = as_generator(self.random_state)
        rows, metric = as_metric_rows(X, self.metric, p=self.p, metric_params=self.metric_params)
        refuse_self_distance(metric)
        weights, scale = moderate_weights(as_weights(sample_weight, len(rows)))
        free = np.flatnonzero(barred(weights, len(rows)) == 0)
        what = "rows" if weights is None else "rows of positive weight"
        as_count(k, "n_clusters", high=len(free), limit=f"the number of {what}")
        size = self._size(k, len(free), what)

        best: Any = None
        losses = np.empty(n_samples)
        for s in range(n_samples):
            kept = np.empty(0, np.intp) if best is None else best[0]
            candidates = np.setdiff1d(free, kept, assume_unique=True)
            drawn = rng.choice(candidates, size - len(kept), replace=False)
            sample = np.sort(np.concatenate([kept, drawn]))
            sample_medoids, passes = self._medoids(
                rows[sample], metric, weights, sample, k, start, rng, max_iter
            )
            medoids = sample[sample_medoids]
            labels, near = nearest_to(rows, rows[medoids], metric, self.n_jobs)
            losses[s] = near.sum() if weights is None else (near * weights).sum()
            if best is None or losses[s] < best[1]:
                best = medoids, losses[s], labels, passes
        medoids, loss, labels, passes = best
        with np.errstate(over="ignore"):
            losses /= scale
        warn_empty(labels, k)
        silhouette = 0.0
        if k > 1:
            pair = nearest_two(rows, rows[medoids], metric, self.n_jobs)
            silhouette = medoid_silhouette(*pair, weights)
        return self._publish(
            X,
            medoid_indices_=medoids,
            cluster_centers_=rows[medoids],
            labels_=labels,
            inertia_=float(loss) / scale,
            medoid_silhouette_=silhouette,
            sample_losses_=losses,
            n_iter_=passes,
            _metric=metric,
        )

    def _size(self, k: int, n: int, what: str) -> int:
        if isinstance(self.sample_size, str):
            return min(n, 80 + 4 * k)
        return as_count(
            self.sample_size, "sample_size", low=k, high=n, limit=f"the number of {what}"
        )

    def _medoids(
        self,
        rows: Array,
        metric: Any,
        weights: Any,
        sample: Array,
        k: int,
        start: Any,
        rng: Any,
        max_iter: int,
    ) -> tuple[Array, int]:
        """The medoids of a sample, by their places in it, and the number of passes."""
        weights = None if weights is None else weights[sample]
        source = MetricRows(rows, metric).made()
        if not is_callable(metric):
            source = store(cast(Any, source), np.float64, self.n_jobs, "Lower sample_size.")
        if k == 1:
            losses = gains(source, slice(0, source.n), None, weights, self.n_jobs)
            return np.array([losses.argmin()]), 1
        partition = Partition(source, start(source, k, weights, rng, self.n_jobs), weights, 1)
        passes, _, converged = eager(partition, max_iter)
        if not converged:
            warn_not_converged(self, passes, "Raise max_iter.")
        return partition.medoids, passes
