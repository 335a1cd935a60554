# SPDX-License-Identifier: BSD-3-Clause
"""k-means with bounds on the sizes of clusters."""

from __future__ import annotations

from collections.abc import Callable
from operator import add
from typing import Any, Literal, Self

import numpy as np

from statfast._core.kmeans.sized import SizedAssignment
from statfast._engine import checkpoint
from statfast._estimator import (
    count,
    fitted,
    jobs,
    nothing,
    param,
    randomness,
    real,
    verbosity,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed
from statfast._validation import as_generator, refuse_large
from statfast.cluster.kmeans.assignment import farthest
from statfast.cluster.kmeans.block_passes import inertia, sweep
from statfast.cluster.kmeans.center_sums import KMeansStatistics
from statfast.cluster.kmeans.data import KMeansData, require_enough, require_spread, survey_rows
from statfast.cluster.kmeans.init import INIT, N_INIT, best_run, runs_of
from statfast.cluster.kmeans.model import Centers, rows_in_any_order

STEPS_PER_CALL = 1 << 23  # steps of paths between two checkpoints: some 10 milliseconds
STEPS_PER_MOVE = 300  # about the steps that the heaps of a row take that moves to another cluster
ROWS_PER_CALL = 1 << 19  # entries of heaps that are filled between two checkpoints


class KMeansConstrained(Centers):
    """k-means whose clusters have between `size_min` and `size_max` rows.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    size_min : int, optional
        The least number of rows of a cluster; None is 1: no cluster is empty.
    size_max : int, optional
        The greatest number of rows of a cluster; None: no limit.
    init : {"k-means++", "k-means||", "random"}, array-like (k, d) or callable, default="k-means++"
        Initialization, as `KMeans` has it.
    n_init : "auto" or int, default="auto"
        Number of starts; the run of lowest inertia is kept, the first such on ties. "auto" is 1
        for "k-means++", "k-means||" and an array, 10 for "random" and for a callable.
    max_iter : int, default=300
        Maximum number of iterations of one run.
    tol : float, default=1e-4
        A run ends once the squared distance by which all centers moved is at most `tol` times
        the mean variance of the columns. It ends in any case when no row changes its cluster.
    verbose : int or bool, default=0
        If not 0, each iteration prints a line.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number. The flow is found by one.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (k, d)
        The centers; float32 if X is float32, else float64.
    labels_ : ndarray of shape (n,), int32
        The cluster of each row: of all assignments within the bounds one of least inertia.
    inertia_ : float
        Sum of squared distances to the center of the row's cluster.
    lower_bound_ : float
        What no assignment of these rows to these centers within the bounds falls below, by the
        prices: ``inertia_`` except for rounding, which proves the assignment.
    prices_ : ndarray of shape (k,)
        What a row would have to pay besides its squared distance so that each row's cluster is the
        cheapest: above 0 where a cluster is full, below where it is at the least size, 0 between.
    n_iter_ : int
        Iterations of the run that was kept.
    converged_ : bool
        Whether the iterations converged: no center moved, or all by less than `tol`.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.cluster.KMeans : without bounds.

    Notes
    -----
    Each iteration assigns all rows at once, at the least sum of squared distances that sizes within
    the bounds allow: a minimum cost flow, found exactly (in float64 arithmetic) by shortest paths
    from the nearest centers on. Centers then move to the means. ``predict`` takes rows one by one,
    to the nearest center, and knows no sizes; on the fitted rows it may differ from ``labels_``.

    **Ties**: of equally good assignments one is found, which depends on the order of the rows but
    not on the number of threads. There are **no weights**, as sizes count rows: repeat rows
    instead. **Sparse rows** of any of scipy's formats are never made dense.

    Cost an iteration: O(n d k) for the distances, and for each row that cannot go to its nearest
    center a path of k^2 steps over the clusters and O(k log n) for its moves. Memory: 8 n k bytes
    of squared distances, 4 n k of heaps, and 4 k for each move.

    References
    ----------
    Bradley, P. S., Bennett, K. P. and Demiriz, A. (2000). Constrained k-means clustering. Microsoft
    Research, MSR-TR-2000-65.

    Ahuja, R. K., Magnanti, T. L. and Orlin, J. B. (1993). Network Flows. Prentice Hall. ISBN
    0-13-617549-X.

    Examples
    --------
    >>> from statfast.cluster import KMeansConstrained
    >>> X = [[0.0], [1.0], [2.0], [3.0], [20.0], [21.0]]
    >>> model = KMeansConstrained(2, size_min=3, init=[[0.0], [20.0]]).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> model.cluster_centers_.round(2)
    array([[ 1.  ],
           [14.67]])
    >>> round(model.inertia_, 2), round(model.lower_bound_, 2)  # these are equal: it is the best
    (206.67, 206.67)
    """

    n_clusters: int = param(count(), default=8, kw_only=False)
    size_min: int | None = param(nothing | count(), default=None)
    size_max: int | None = param(nothing | count(), default=None)
    init: ArrayLike | Callable[..., Any] = param(INIT, default="k-means++")
    n_init: Literal["auto"] | int = param(N_INIT, default="auto")
    max_iter: int = param(count(), default=300)
    tol: float = param(real(0), default=1e-4)
    verbose: int | bool = param(verbosity, default=0)
    random_state: Seed = param(randomness, default=None)
    n_jobs: Jobs = param(jobs, default=None)

    cluster_centers_: Array = fitted()
    labels_: Array = fitted()
    inertia_: float = fitted()
    lower_bound_: float = fitted()
    prices_: Array = fitted()
    n_iter_: int = fitted()
    converged_: bool = fitted()

    _takes_sparse = True

    def fit(self, X: Rows, y: object = None) -> Self:
        """Fit the cluster centers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Finite samples.
        y : ignored
            Not used; present for the interface.

        Returns
        -------
        self : KMeansConstrained

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with a row and a column, if its squared distances would
            overflow or vanish, if `n_clusters` is greater than the number of rows, if no sizes
            within the bounds add up to that number, if `init` has the wrong shape, or if a
            parameter is out of its range.
        TypeError
            If X comes in chunks, or a parameter has the wrong type.
        MemoryError
            If the table of distances would take more than half the free memory.
        """
        params = self._checked()
        k = params.n_clusters
        rows = rows_in_any_order(X, "Pass a memory map, or use KMeans.")
        data = survey_rows(rows, None, self.n_jobs)
        require_enough(data, k)
        low, high = _bounds(params.size_min, params.size_max, k, data.shape[0])
        require_spread(data, k)
        refuse_large(
            16 * data.shape[0] * k, "The table of distances", "Lower n_clusters, or use KMeans."
        )

        def assignment(data: Any, centers: Array, nearest: Any) -> SizedRows:
            return SizedRows(data, centers, low, high)

        seeds = as_generator(self.random_state).integers(2**32, size=runs_of(params))
        best = best_run(self, data, assignment, seeds)
        final = SizedRows(data, best.centers, low, high)
        final.reassign()
        lower_bound, prices = final.bound()
        return self._publish(
            X,
            n_features_in_=data.shape[1],
            cluster_centers_=best.centers.astype(data.dtype),
            labels_=final.labels,
            inertia_=best.inertia,
            lower_bound_=lower_bound,
            prices_=prices,
            n_iter_=best.n_iter,
            converged_=best.converged,
            _prepared=data.frame(best.centers),
        )


def _bounds(size_min: int | None, size_max: int | None, k: int, n: int) -> tuple[int, int]:
    """The bounds on sizes; refuses those within which no sizes of k clusters add up to n."""
    low, high = 1 if size_min is None else size_min, n if size_max is None else min(size_max, n)
    if low * k > n:
        raise ValueError(
            f"size_min must be at most {n // k}, as {k} clusters of {low} rows would need "
            f"{low * k} rows and X has {n}. Lower size_min or n_clusters."
        )
    if high * k < n:
        raise ValueError(
            f"size_max must be at least {-(-n // k)}, as {k} clusters of {high} rows hold "
            f"{high * k} rows and X has {n}. Raise size_max or n_clusters."
        )
    if high < low:
        raise ValueError(f"size_max must be at least size_min ({low}); got {high}. Raise size_max.")
    return low, high


class SizedRows:
    """The assignment of rows to centers within bounds on sizes; see `RowAssignment`."""

    patched = False

    def __init__(self, data: KMeansData, centers: Array, low: int, high: int) -> None:
        self.data, self.centers, self._sizes = data, centers, (low, high)
        n, k = data.shape[0], len(centers)
        self.labels = np.full(n, -1, np.int32)
        self._costs, self._price = np.empty((n, k)), np.zeros(k + 1)
        self._assigned: Array | None = None  # the centers that labels are of

    def advance(self) -> KMeansStatistics:
        """Assign the rows; returns the statistics of the clusters."""
        moved = self.reassign()
        step = self.add_up()
        step.moved = moved
        return step

    def add_up(self) -> KMeansStatistics:
        """The statistics of the clusters as they are."""

        def partial(where: slice, X: Any, labels: Array) -> KMeansStatistics:
            step = KMeansStatistics(*self.centers.shape)
            X.add_up(labels, None, step)
            return step

        data, size = self.data, self.centers.size
        return sweep(
            partial, data.rows, self.labels,
            merge=KMeansStatistics.merge, size=size, n_jobs=data.n_jobs,
        )  # fmt: skip

    def reassign(self) -> int:
        """Assign the rows to the centers; returns how many changed theirs."""
        if self._assigned is self.centers:
            return 0
        before = self.labels.copy()
        self._measure()
        k = len(self.centers)
        flow = SizedAssignment(
            self._costs, self.labels, self._price, np.empty(k + 1), np.empty(k + 1, np.intp),
            np.empty(k + 1, np.intp), np.empty(k, np.intp), np.empty(k + 1, np.int8), *self._sizes,
        )  # fmt: skip
        if not flow.begin():
            n, step = len(before), max(1, ROWS_PER_CALL // k)
            for first in range(0, n, step):
                checkpoint()
                flow.fill(first, min(n, first + step))
            paths = max(1, STEPS_PER_CALL // (k * (k + STEPS_PER_MOVE)))
            while not flow.advance(paths):
                checkpoint()
        self._assigned = self.centers
        return int(np.count_nonzero(self.labels != before))

    def _measure(self) -> None:
        """The squared distances to the centers, and each row's nearest, the first of equals."""
        frame = self.data.rows.frame(self.centers)

        def partial(where: slice, X: Any) -> int:
            costs = X.distances_to_all(frame)
            np.square(costs, out=self._costs[where])
            self.labels[where] = self._costs[where].argmin(axis=1)
            return 0

        size = self.centers.size
        sweep(partial, self.data.rows, merge=add, size=size, n_jobs=self.data.n_jobs)

    def forget(self) -> None:
        """Nothing is kept from one iteration to the next."""

    def farthest(self, count: int) -> tuple[Array, Array, Array]:
        """See `Assignment.farthest`."""
        return farthest(self.data, self.centers, self.labels, count)

    def inertia(self) -> tuple[float, Array]:
        """See `Assignment.inertia`."""
        data = self.data
        frame = data.rows.frame(self.centers)
        total = inertia(data.rows, None, frame, self.labels, data.n_jobs)
        return total, np.bincount(self.labels, minlength=len(self.centers))

    def bound(self) -> tuple[float, Array]:
        """A bound below all assignments within the sizes, and the prices (k,) that prove it.

        With any prices, each row pays at least the least of squared distance + price, and k
        clusters within their sizes pay back at most size_max of each price above 0, and size_min
        of each below.
        """
        low, high = self._sizes
        prices = self._price[-1] - self._price[:-1]
        prices += 0.0  # no negative zeros
        least = float((self._costs + prices).min(axis=1).sum())
        return least - float(np.where(prices > 0, high, low) @ prices), prices
