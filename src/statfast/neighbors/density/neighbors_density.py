# SPDX-License-Identifier: BSD-3-Clause
"""The density at a place by the distance of its k-th nearest neighbor."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from statfast._typing import Array, Rows, Weights
from statfast._validation import as_count, as_rows, as_weights
from statfast.neighbors.brute.precomputed import without_self
from statfast.neighbors.density.kernel_shapes import log_unit_ball
from statfast.neighbors.density.norms import as_norm, log_volume_of_unit
from statfast.neighbors.search.nearest import NearestNeighbors
from statfast.neighbors.search.search import MAX_HELD_NEIGHBORS, NATIVE_DTYPES

SLACK_OF_WEIGHTS = 1e-12  # relative: their sums are rounded


def neighbors_density(
    X: Rows,
    queries: Rows | None = None,
    *,
    n_neighbors: int = 5,
    sample_weight: Weights = None,
    metric: str = "euclidean",
    metric_params: dict[Any, Any] | None = None,
    algorithm: Literal["auto", "kd_tree", "ball_tree", "brute"] = "auto",
    n_jobs: int | None = None,
) -> Array:
    """Log density by nearest neighbors: k over n times the volume that holds k samples.

    Parameters
    ----------
    X : array-like of shape (n, d)
        The samples, finite.
    queries : array-like of shape (m, d), optional
        Where the density is wanted. None takes the samples, each of them without itself, n - 1 in
        place of n: the leave-one-out density.
    n_neighbors : int, default=5
        Neighbors within the volume, k.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; an integer weight equals a repeated sample. The volume is then the
        least that holds a weight of k, and n the total weight. Without queries, a sample is left
        out with its whole weight.
    metric : str, default="euclidean"
        The distance: "euclidean", "manhattan", "chebyshev", "minkowski", "seuclidean" or
        "mahalanobis", and their other names in `NearestNeighbors`.
    metric_params : dict, optional
        Further parameters of the metric: "p", "w", "V" or "VI", as in `NearestNeighbors`.
    algorithm : {"auto", "kd_tree", "ball_tree", "brute"}, default="auto"
        How neighbors are searched; the answer is the same.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Returns
    -------
    log_densities : ndarray of shape (m,), float64
        log(k / (n V r^d)), with r the distance of the k-th neighbor and V the volume of the unit
        ball of the metric; inf where r is 0, as where k samples are equal to the query.

    Raises
    ------
    ValueError
        If X is not a finite 2-d array, `n_neighbors` is more than the samples (without the one that
        is left out) or their weight, the metric is not a norm, or queries have other columns.
    TypeError
        If X is sparse, or an argument is of the wrong type.

    See Also
    --------
    KernelDensity : An estimate that is smooth, and whose integral is 1.

    Notes
    -----
    The estimate adapts to the density: it smooths over a region that grows where samples are rare.
    Its integral is infinite, since its tails fall like r^-d, and the volume of one sample is not
    an estimate at all: k should grow with n. Cost and memory are those of `NearestNeighbors`.

    References
    ----------
    .. [1] Loftsgaarden, D. O. and Quesenberry, C. P. (1965). A nonparametric estimate of a
       multivariate density function. Annals of Mathematical Statistics 36, 1049-1051.
       https://doi.org/10.1214/aoms/1177700079

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.neighbors import neighbors_density
    >>> X = [[0.0], [1.0], [3.0], [4.0]]
    >>> np.exp(neighbors_density(X, [[2.0]], n_neighbors=2)).round(3)  # 2 of 4 within 2 * 1
    array([0.25])
    >>> np.exp(neighbors_density(X, n_neighbors=1)).round(3)  # 1 of 3 within 2 * 1
    array([0.167, 0.167, 0.167, 0.167])
    """
    rows = as_rows(X, keep=NATIVE_DTYPES)
    n, d = rows.shape
    weights = as_weights(sample_weight, n)
    norm = as_norm(metric, metric_params, rows, weights)
    search = NearestNeighbors(
        algorithm=algorithm, metric=metric, p=norm.p, metric_params=metric_params, n_jobs=n_jobs
    ).fit(rows)
    Q = search._queries(queries)
    k, m = as_count(n_neighbors, "n_neighbors"), search._count(Q)
    weight = np.ones(n) if weights is None else weights
    others = np.full(m, weight.sum()) if Q is not None else weight.sum() - weight
    if others.min(initial=np.inf) < k * (1.0 - SLACK_OF_WEIGHTS):
        left = "" if Q is not None else " besides the row itself"
        raise ValueError(
            f"n_neighbors must be at most the weight of the rows{left} ({others.min():g}); got "
            f"{k}. Lower n_neighbors."
        )
    used = search._metric
    radii = used.finish(_radii(search, Q, weight, k)) * used.scale
    with np.errstate(divide="ignore"):
        log_volumes = log_unit_ball(d, norm.p) + d * np.log(radii) - log_volume_of_unit(used)
    return np.log(k / others) - log_volumes


def _radii(search: Any, Q: Array | None, weight: Array, k: int) -> Array:
    """The least reduced distances of queries (None: the samples) that hold a weight of k."""
    m, most = search._count(Q), len(weight) - (Q is None)
    out, undecided, count = np.empty(m), np.arange(m), min(k, most)
    while len(undecided):
        found = np.zeros(len(undecided), bool)
        step = max(64, MAX_HELD_NEIGHBORS // count)
        for start in range(0, len(undecided), step):
            part = slice(start, start + step)
            rows = undecided[part]
            if Q is None:
                with_self, ids = search._nearest(search._rows[rows], count + 1)
                reduced, ids = without_self(with_self, ids, rows)
            else:
                reduced, ids = search._nearest(Q[rows], count)
            enough = np.cumsum(weight[ids], axis=1) >= k * (1.0 - SLACK_OF_WEIGHTS)
            found[part] = enough[:, -1] | (count == most)
            place = np.where(enough[:, -1], enough.argmax(axis=1), count - 1)
            out[rows] = np.take_along_axis(reduced, place[:, None], axis=1)[:, 0]
        undecided, count = undecided[~found], min(2 * count, most)
    return out
