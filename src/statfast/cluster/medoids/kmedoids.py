# SPDX-License-Identifier: BSD-3-Clause
"""k-medoids: rows of the data as centers, of least total dissimilarity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self, cast

import numpy as np

from statfast._distance import (
    Metric,
    MetricRows,
    as_dissimilarities,
    fits,
    is_callable,
    of_function,
    store,
)
from statfast._estimator import array, by_fit, count, fitted, flag, jobs, one_of, param, randomness
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed, Weights
from statfast._validation import (
    as_count,
    as_generator,
    as_weights,
    shown,
    warn_not_converged,
    wrong_type,
)
from statfast.cluster.medoids.init import STARTS
from statfast.cluster.medoids.model import (
    Medoids,
    medoid_silhouette,
    moderate_weights,
    warn_empty,
)
from statfast.cluster.medoids.partition import Partition, barred, gains, require_range
from statfast.cluster.medoids.swaps import alternate, eager, steepest

METHODS = {"fasterpam": eager, "fastpam1": steepest, "pam": steepest, "alternate": alternate}
MAX_CACHED_BYTES = 1 << 27  # bytes: smaller matrices are always stored
MAX_CHEAP_COLUMNS = 24  # columns up to which a distance is computed about as fast as it is read


class KMedoids(Medoids):
    """k-medoids clustering (FasterPAM): the samples of least total dissimilarity to the others.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    metric : str or callable, default="euclidean"
        The distance: a name of `NearestNeighbors`; a function of two rows, taken as symmetric and
        called once for each pair; or "precomputed": X is the n x n matrix of dissimilarities, from
        row i to row j at [i, j], not necessarily symmetric or a metric, or its upper triangle row
        by row, as scipy's ``pdist`` gives it.
    method : {"fasterpam", "fastpam1", "pam", "alternate"}, default="fasterpam"
        How medoids are improved. "fasterpam" takes each swap of a medoid and another sample that
        lowers the loss, as soon as it is found; "fastpam1" and "pam" take the best of all swaps
        each time, found in the same way (PAM's swaps at a k-th of its work); "alternate" moves each
        medoid within its cluster only, which is faster and worse.
    init : {"auto", "build", "lab", "k-medoids++", "random"} or array-like of shape (k,), \
            default="auto"
        The start. "build" (PAM's) takes the row that lowers the loss most, k times; "lab" does so
        among 10 + sqrt(n) rows drawn each time; "auto" is "build" up to 2000 rows, where nothing
        is drawn, and "lab" beyond, where "build" takes most of the time; "k-medoids++" draws rows
        in proportion to their dissimilarity from the medoids so far; "random" draws k rows. Or the
        numbers of k rows.
    max_iter : int, default=100
        Maximum number of passes over all candidates ("fasterpam"), swaps ("fastpam1", "pam") or
        iterations ("alternate").
    p : float, default=2
        Exponent of the metric "minkowski".
    metric_params : dict, optional
        Further parameters of the metric, such as "w", "V" or "VI".
    matrix_free : "auto" or bool, default="auto"
        True makes dissimilarities of rows when they are needed and never keeps more than a few
        thousand times 64 of them: memory O(n d). "auto" does so for more than 4096 rows of at most
        24 columns, for which it takes no longer, and where the matrix would take more than half of
        the free memory. Results are the same.
    dtype : {"float64", "float32"}, optional
        What the matrix is kept as; float32 halves it, and rounds dissimilarities to 7 digits. None
        keeps float32 and float64 matrices as they are given, and makes float64 ones.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the draws of `init`; an integer makes the result reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    medoid_indices_ : ndarray of shape (k,), intp
        The samples that are medoids.
    cluster_centers_ : ndarray of shape (k, d)
        These rows. Not there for "precomputed"; for "gower" with codes in place of categories.
    labels_ : ndarray of shape (n,), int32
        The nearest medoid of each row, the lowest on ties.
    inertia_ : float
        The loss: the sum of weight * dissimilarity to the nearest medoid.
    medoid_silhouette_ : float
        Mean of 1 - a / b over the samples, where a and b are the dissimilarities to the nearest and
        the second nearest medoid (0 / 0 counts as 0); 0 for one cluster.
    n_iter_ : int
        Passes, swaps or iterations, as `max_iter` counts them.
    n_swaps_ : int
        Medoids exchanged.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    CLARA : the same on samples, for very many rows.
    KMeans : centers that are means.

    Notes
    -----
    **Exact**: a swap is taken if it lowers the loss in float64 by more than rounding can
    (n 2^-52 of it), and the fit ends where no swap does. Candidates are tried in the order of the
    rows; of equally good medoids to give up the lowest goes. The result is the same for any number
    of threads, and that of trying candidates one by one. For k = 1 the medoid is the best of all.

    **Weights**: a weight of 2 counts like a row given twice; a row of weight 0 is labeled, but
    neither counts nor becomes a medoid.

    Cost: O(n^2) a pass, of which few are needed ("build": two to three passes more, whatever k);
    "fastpam1" and "pam" one for each swap. Memory: 8 n^2 bytes for the matrix, and n^2 where those
    are free besides ("fasterpam" without weights); or O(n d). Besides O(n).

    References
    ----------
    Schubert, E. and Rousseeuw, P. J. (2021). Fast and eager k-medoids clustering. Information
    Systems 101, 101804. doi:10.1016/j.is.2021.101804

    Kaufman, L. and Rousseeuw, P. J. (1990). Finding Groups in Data. Wiley.
    doi:10.1002/9780470316801

    Park, H.-S. and Jun, C.-H. (2009). A simple and fast algorithm for k-medoids clustering. Expert
    Systems with Applications 36, 3336-3341. doi:10.1016/j.eswa.2008.01.039

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.cluster import KMedoids
    >>> X = np.array([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> km = KMedoids(n_clusters=2).fit(X)
    >>> km.medoid_indices_
    array([0, 3])
    >>> km.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> km.inertia_
    8.0
    >>> km.predict([[0, 0], [12, 3]])
    array([0, 1], dtype=int32)
    """

    n_clusters: int = param(count(), default=8, kw_only=False)
    metric: str | Callable[..., Any] = param(by_fit, default="euclidean")
    method: Literal["fasterpam", "fastpam1", "pam", "alternate"] = param(
        one_of(*METHODS), default="fasterpam"
    )
    init: ArrayLike = param(one_of(*STARTS) | array, default="auto")
    max_iter: int = param(count(), default=100)
    p: float = param(by_fit, default=2)
    metric_params: dict[Any, Any] | None = param(by_fit, default=None)
    matrix_free: Literal["auto"] | bool = param(flag | one_of("auto"), default="auto")
    dtype: Literal["", ""] | None = param(one_of(None, "float64", "float32"), default=None)
    random_state: Seed = param(randomness, default=None)
    n_jobs: Jobs = param(jobs, default=None)

    medoid_indices_: Array = fitted()
    cluster_centers_: Array = fitted()
    labels_: Array = fitted()
    inertia_: float = fitted()
    medoid_silhouette_: float = fitted()
    n_iter_: int = fitted()
    n_swaps_: int = fitted()

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Fit the medoids.

        Parameters
        ----------
        X : array-like of shape (n, d), or (n, n) or (n (n - 1) / 2,) if precomputed
            Finite samples, or dissimilarities, finite and not negative.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : KMedoids

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with a row and a column, if dissimilarities are negative,
            not finite, so large that their sums are not, of the wrong shape or not 0 from a row to
            itself, if `n_clusters` is greater than the number of rows (of positive weight), if
            `init` does not hold that many different rows, or if a parameter is out of its range.
        TypeError
            If X is sparse, or a parameter has the wrong type.
        MemoryError
            If the matrix would take more than half of the free memory, and `matrix_free` is False.
        """
        params = self._checked()
        k, improve, max_iter = params.n_clusters, METHODS[params.method], params.max_iter
        rng = as_generator(self.random_state)
        rows, metric, source = self._source(X)
        weights, scale = moderate_weights(as_weights(sample_weight, source.n))
        free = source.n if weights is None else int(np.count_nonzero(weights))
        what = "the number of rows" if weights is None else "the number of rows of positive weight"
        as_count(k, "n_clusters", high=free, limit=what)
        with np.errstate(over="ignore", invalid="ignore"):
            medoids = self._start(source, k, weights, rng)
            require_range(source, medoids)
        if k == 1:
            losses = gains(source, slice(0, source.n), None, weights, self.n_jobs)
            losses[barred(weights, source.n) == 1] = np.inf
            partition = Partition(source, [int(losses.argmin())], weights, self.n_jobs)
            passes, swaps, converged = 1, int(partition.medoids[0] != medoids[0]), True
        else:
            partition = Partition(source, medoids, weights, self.n_jobs)
            passes, swaps, converged = improve(partition, max_iter)
            partition.break_ties()
        if not converged:
            warn_not_converged(self, passes, "Raise max_iter.")
        warn_empty(partition.slot, k)
        silhouette = 0.0
        if k > 1:
            silhouette = medoid_silhouette(partition.near, partition.second, weights)
        centers = {} if rows is None else {"cluster_centers_": rows[partition.medoids]}
        return self._publish(
            X,
            n_features_in_=source.n if rows is None else rows.shape[1],
            medoid_indices_=partition.medoids,
            labels_=partition.slot,
            inertia_=partition.loss / scale,
            medoid_silhouette_=silhouette,
            n_iter_=passes,
            n_swaps_=swaps,
            _metric=metric,
            **centers,
        )

    def _source(self, X: Any) -> tuple[Array | None, Metric | None, Any]:
        """The checked rows, their metric and the dissimilarities between them."""
        dtype = None if self.dtype is None else np.dtype(self.dtype).type
        source = as_dissimilarities(
            X, self.metric, p=self.p, metric_params=self.metric_params, dtype=dtype,
            n_jobs=self.n_jobs,
        )  # fmt: skip
        if not isinstance(source, MetricRows):
            return None, None, source
        rows, metric = source
        if is_callable(metric):
            if self.matrix_free is True:
                raise ValueError(
                    "matrix_free cannot be True where metric is a function, which would be called "
                    "again for each pass. Leave it at 'auto'."
                )
            return rows, metric, of_function(rows, metric, dtype or np.float64)
        made = source.made(self.n_jobs)
        if self.matrix_free is True or (
            self.matrix_free is not False and not _is_worth_storing(made, dtype)
        ):
            return rows, metric, made
        return rows, metric, store(cast(Any, made), dtype or np.float64, self.n_jobs)

    def _start(self, source: Any, k: int, weights: Any, rng: Any) -> Array:
        if isinstance(self.init, str):
            return STARTS[self.init](source, k, weights, rng, self.n_jobs)
        try:
            start = np.array(self.init)
        except ValueError as error:
            raise wrong_type("init", "the numbers of rows, or a name", self.init) from error
        if start.dtype.kind not in "iu" or self.init is None:
            names = ", ".join(map(repr, STARTS))
            raise wrong_type("init", f"one of {names}, or the numbers of rows", self.init)
        if start.shape != (k,):
            raise ValueError(
                f"init must have shape ({k},), a row for each of n_clusters; got {start.shape}."
            )
        wrong = (start < 0) | (start >= source.n)
        if wrong.any() or len(np.unique(start)) < k:
            raise ValueError(
                f"init must hold {k} different numbers of rows from 0 to {source.n - 1}; got "
                f"{shown(start.tolist())}. Drop repeated ones, and count from 0."
            )
        if weights is not None and (weights[start] == 0).any():
            row = int(start[weights[start] == 0][0])
            raise ValueError(
                f"init must hold rows of positive weight; got row {row} of weight 0. Choose others."
            )
        return start.astype(np.intp)


def _is_worth_storing(made: Any, dtype: type[Any] | None) -> bool:
    """Whether to store the matrix: if it is small, or if it fits and is slow to compute."""
    nbytes = made.n * made.n * (4 if dtype is np.float32 else 8)
    cheap = made.tiled and made.rows.shape[1] <= MAX_CHEAP_COLUMNS
    return nbytes <= MAX_CACHED_BYTES or (not cheap and fits(nbytes))
