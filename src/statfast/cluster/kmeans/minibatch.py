# SPDX-License-Identifier: BSD-3-Clause
"""Mini-batch k-means: centers learn from small samples of the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    count,
    fitted,
    flag,
    jobs,
    nothing,
    param,
    randomness,
    real,
    verbosity,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed, Weights
from statfast._validation import (
    as_count,
    as_generator,
    is_sparse,
    rows_for,
)
from statfast.cluster.kmeans.block_passes import inertia, nearest, potential
from statfast.cluster.kmeans.data import (
    NATIVE_DTYPES,
    KMeansData,
    require_enough,
    require_spread,
    survey_rows,
)
from statfast.cluster.kmeans.dense_rows import DenseRows
from statfast.cluster.kmeans.init import INIT, N_INIT, runs_of, start_of
from statfast.cluster.kmeans.lloyd import tolerance
from statfast.cluster.kmeans.minibatch_steps import Batches, Ending
from statfast.cluster.kmeans.model import Centers, rows_in_any_order, sparse_rows_for, warn_empty

ADVICE = "Call partial_fit with each chunk."


class MiniBatchKMeans(Centers):
    """Mini-batch k-means clustering.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    init : {"k-means++", "k-means||", "random"}, array-like (k, d) or callable, default="k-means++"
        Initialization, from a sample of the data: greedy k-means++, k-means||, samples drawn at
        random, given centers, or a function called as ``init(X, n_clusters,
        random_state=RandomState)``.
    max_iter : int, default=100
        Maximum number of passes: of draws of as many rows as there are.
    batch_size : int, default=1024
        Samples of a batch, drawn with replacement among those of positive weight. Where there are
        no more, each batch is all samples.
    verbose : int or bool, default=0
        If not 0, each batch prints a line.
    compute_labels : bool, default=True
        Whether to label all samples by the final centers, which takes a pass over them.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.
    tol : float, default=0.0
        The fit ends once a batch moves the centers by a squared distance of at most `tol` times
        the mean variance of the columns. 0 switches this off.
    max_no_improvement : int or None, default=10
        The fit ends once so many batches in a row did not lower the inertia of a batch, smoothed
        over batches, by a thousandth. None switches this off.
    init_size : int, optional
        Samples of the sample from which the start is made, at most all; None is three batches, or 3
        k if that is more.
    n_init : "auto" or int, default="auto"
        Number of starts, of which the one of least inertia on another sample is kept. "auto" is 1
        for "k-means++" and for an array, 3 for "random" and for a callable.
    reassignment_ratio : float, default=0.01
        Centers that have got less weight than this fraction of the heaviest are put on rows of a
        batch now and then.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (k, d)
        The centers; float32 if X is float32, else float64.
    labels_ : ndarray of shape (n,), int32
        The nearest center of each row; of the last batch after `partial_fit`. Absent after ``fit``
        with compute_labels=False.
    inertia_ : float
        Sum of weight * squared distance to the nearest center; after ``fit`` with
        compute_labels=False the smoothed inertia of a batch, per unit of weight, times that of all
        samples.
    n_iter_ : int
        How many times as many rows were drawn as there are, rounded up.
    n_steps_ : int
        Number of batches.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    KMeans : the same to convergence, on all rows.

    Notes
    -----
    The centers are **approximate**: they depend on the draws, and are not those that Lloyd's
    algorithm would find. Everything reported about them is exact: each row goes to the nearest
    center by float64 differences, **ties to the lowest index**, and a center is the weighted mean
    of the rows it was given (since it was last put elsewhere). The result is the same for any
    number of threads. A batch that cannot lower its inertia by much says little about convergence:
    with well separated clusters and a good start `KMeans` is often as fast.

    Cost: O(b d k) a batch of b rows, and O(n d k) once for the labels. Memory: O(k d + b d), and
    4 bytes a row for the labels. A memory map is read at the rows drawn alone, until the labels.

    References
    ----------
    Sculley, D. (2010). Web-scale k-means clustering. WWW 2010, 1177-1178.
    doi:10.1145/1772690.1772862

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.cluster import MiniBatchKMeans
    >>> X = np.array([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> model = MiniBatchKMeans(n_clusters=2, init=X[[0, 3]], batch_size=6, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> model = MiniBatchKMeans(n_clusters=2, init=X[[0, 3]]).partial_fit(X)
    >>> model.cluster_centers_
    array([[ 1.,  2.],
           [10.,  2.]])
    """

    n_clusters: int = param(count(), default=8, kw_only=False)
    init: ArrayLike | Callable[..., Any] = param(INIT, default="k-means++")
    max_iter: int = param(count(), default=100)
    batch_size: int = param(count(), default=1024)
    verbose: int | bool = param(verbosity, default=0)
    compute_labels: bool = param(flag, default=True)
    random_state: Seed = param(randomness, default=None)
    tol: float = param(real(0), default=0.0)
    max_no_improvement: int | None = param(nothing | count(0), default=10)
    init_size: int | None = param(nothing | count(), default=None)
    n_init: Literal["auto"] | int = param(N_INIT, default="auto")
    reassignment_ratio: float = param(real(0, 1), default=0.01)
    n_jobs: Jobs = param(jobs, default=None)

    cluster_centers_: Array = fitted()
    labels_: Array = fitted()
    inertia_: float = fitted()
    n_iter_: int = fitted()
    n_steps_: int = fitted()

    _takes_sparse = True

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Fit the cluster centers, batch by batch.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Finite samples. A memory map may be larger than memory.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : MiniBatchKMeans

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with a row and a column, if its squared distances
            would overflow or vanish, if `n_clusters` is greater than the number of rows (of
            positive weight), if `init` has the wrong shape, or if a parameter is out of its range.
        TypeError
            If X comes in chunks, or a parameter has the wrong type.
        """
        params = self._checked()
        k, ratio, size = params.n_clusters, params.reassignment_ratio, params.batch_size
        max_iter, tol, patience = params.max_iter, params.tol, params.max_no_improvement
        runs = runs_of(params, plain=3)
        rng = as_generator(self.random_state)
        data = survey_rows(rows_in_any_order(X, ADVICE), sample_weight, self.n_jobs)
        rows, weights, n = data.rows, data.weights, data.shape[0]
        weighted = np.arange(n) if weights is None else np.flatnonzero(weights)
        n = len(weighted)
        require_enough(data, k)
        require_spread(data, k)
        size = min(size, n)
        centers = self._best_start(data, k, runs, size, rng)

        state = Batches(centers, data.dtype, ratio, rng, self.n_jobs)
        end = Ending(tolerance(data, tol), patience, min(1.0, 2 * size / (n + 1)))
        max_steps = -(-max_iter * n // size)
        for n_steps in range(1, max_steps + 1):
            batch = weighted[rng.integers(n, size=size)] if size < n else slice(None)
            cost, shift = state.learn(rows[batch], None if weights is None else weights[batch])
            if self.verbose:
                print(
                    f"batch {n_steps} of {max_steps}: inertia {cost:.6g}, squared shift {shift:.6g}"
                )
            if end.reached(cost, shift, n_steps):
                break
        fitted = {"inertia_": float(end.cost * data.total_weight)}
        if self.compute_labels:
            fitted = self._published_labels(state.rounded(), rows, weights)
            warn_empty(np.bincount(fitted["labels_"], minlength=k))
        return self._publish(
            X,
            n_features_in_=data.shape[1],
            **self._published_centers(state),
            n_iter_=-(-n_steps * size // n),
            n_steps_=n_steps,
            _batches=state,
            **fitted,
        )

    def partial_fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Update the centers with one batch; the first call initializes them from it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Finite samples, all of them one batch; in the first call at least k.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : MiniBatchKMeans

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, has another width than before, or in the first call
            fewer rows than clusters.
        """
        params = self._checked()
        k, ratio = params.n_clusters, params.reassignment_ratio
        state = self.__dict__.get("_batches")
        if state is None:
            runs = runs_of(params, plain=3)
            rng = as_generator(self.random_state)
            data = survey_rows(rows_in_any_order(X, ADVICE), sample_weight, self.n_jobs)
            require_enough(data, k)
            rows, weights = data.rows, data.weights
            centers = self._best_start(data, k, runs, data.shape[0], rng)
            state = Batches(centers, data.dtype, ratio, rng, self.n_jobs)
        else:
            batch = (
                sparse_rows_for(self, X) if is_sparse(X) else rows_for(self, X, keep=NATIVE_DTYPES)
            )
            data = survey_rows(batch, sample_weight, self.n_jobs)
            rows, weights = data.rows, data.weights
            state = state.copied(ratio, self.n_jobs)
        state.learn(rows, weights)
        with np.errstate(over="ignore"):
            if not np.isfinite(state.rounded()).all():
                raise ValueError(f"X is too large for centers of {state.dtype}. Scale X down.")
        return self._publish(
            X,
            n_features_in_=rows.shape[1],
            **self._published_centers(state),
            n_iter_=self.__dict__.get("n_iter_", 0) + 1,
            n_steps_=self.__dict__.get("n_steps_", 0) + 1,
            _batches=state,
            **self._published_labels(state.rounded(), rows, weights),
        )

    @staticmethod
    def _published_centers(state: Batches) -> dict[str, Any]:
        """The fitted attributes that hold the centers, for the user and for the kernel."""
        centers = state.rounded()
        return {
            "cluster_centers_": centers.astype(state.dtype),
            "_prepared": DenseRows.frame(centers),
        }

    def _published_labels(self, centers: Array, rows: Any, weights: Array | None) -> dict[str, Any]:
        """The fitted attributes that describe the rows."""
        frame = rows.frame(centers)
        labels = nearest(rows, frame, self.n_jobs)
        total = inertia(rows, weights, frame, labels, self.n_jobs)
        return {"labels_": labels, "inertia_": total}

    def _best_start(self, data: Any, k: int, runs: int, size: int, rng: Any) -> Any:
        """The start of least inertia on one sample, of starts that are made from other samples."""
        n = data.shape[0]
        if self.init_size is None:
            m = min(n, max(3 * size, 3 * k))
        else:
            m = min(n, as_count(self.init_size, "init_size", low=k, limit="n_clusters"))
        best, least_cost = None, np.inf
        test_sample: Any = sample(data, m, rng) if runs > 1 else None
        for seed in rng.integers(2**32, size=runs):
            start, _ = start_of(self.init, sample(data, m, rng), k, int(seed))
            if runs == 1:
                return start
            frame = test_sample.rows.frame(start)
            cost = potential(test_sample.rows, test_sample.weights, frame, self.n_jobs)
            if best is None or cost < least_cost:
                best, least_cost = start, cost
        return best


def sample(data: KMeansData, m: int, rng: np.random.Generator) -> KMeansData:
    """The data of m rows drawn without replacement, in their order; all data if m is n."""
    if m == data.shape[0]:
        return data
    weighted = data.shape[0] if data.weights is None else np.flatnonzero(data.weights)
    m = min(m, np.size(weighted) if data.weights is not None else m)
    rows = np.sort(rng.choice(weighted, m, replace=False))
    return survey_rows(
        data.rows[rows], None if data.weights is None else data.weights[rows], data.n_jobs
    )
