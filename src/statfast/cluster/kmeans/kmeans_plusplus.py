# SPDX-License-Identifier: BSD-3-Clause
"""The k-means++ initialization as a function."""

from __future__ import annotations

import numpy as np

from statfast._estimator import ANY, ignoring_sklearn_arguments
from statfast._typing import Array, Rows, Seed, Weights
from statfast._validation import as_count, as_generator
from statfast.cluster.kmeans.data import require_enough, require_spread, survey_rows
from statfast.cluster.kmeans.model import as_any_rows
from statfast.cluster.kmeans.plus_plus import spread


@ignoring_sklearn_arguments(x_squared_norms=ANY, n_local_trials=(None,))
def kmeans_plusplus(
    X: Rows,
    n_clusters: int,
    *,
    sample_weight: Weights = None,
    random_state: Seed = None,
    n_jobs: int | None = None,
) -> tuple[Array, Array]:
    """Greedy k-means++ initialization of cluster centers.

    The first is drawn in proportion to weight. Each further one is the best, the one leaving the
    least total of weight * squared distance to the nearest center, of 2 + floor(log k) rows drawn
    in proportion to weight * squared distance to the nearest center so far.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d), or Chunks
        Finite samples. A memory map or `Chunks` may be larger than memory, and is read k times.
    n_clusters : int
        How many samples, k.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; an integer weight equals a repeated sample.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible. It draws the samples that
        ``KMeans(n_clusters, random_state=random_state)`` starts from.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    centers : ndarray of shape (k, d)
        The samples; float32 if X is float32, else float64.
    indices : ndarray of shape (k,), int64
        Which they are. All differ, unless X has fewer distinct samples (of positive weight) than k:
        then the first one is repeated.

    Raises
    ------
    ValueError
        If X is not a finite 2-d array with a row and a column, if its squared distances would
        overflow or vanish, or if `n_clusters` is less than 1 or greater than the number of rows (of
        positive weight).
    TypeError
        If a parameter has the wrong type.

    See Also
    --------
    statfast.cluster.KMeans : clusters from such a start.

    Notes
    -----
    Exact: distances decide by float64 arithmetic on differences, whatever the dtype of X; ties go
    to the row drawn first. The rows drawn are the same for any number of threads.

    Cost: O(n d k log k). Memory: for rows of an array 4 (d + 1) bytes each in float32, while all of
    that is at most 256 MB, and 50 (more where vectors are short), in 24 columns or more 168
    besides; or without that 16, and 8 for each of the 2 + floor(log k) candidates while all of
    those fit in 256 MB.

    References
    ----------
    Arthur, D. and Vassilvitskii, S. (2007). k-means++: the advantages of careful seeding. SODA
    2007, 1027-1035. doi:10.5555/1283383.1283494

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.cluster import kmeans_plusplus
    >>> X = np.array([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> centers, indices = kmeans_plusplus(X, 2, random_state=0)
    >>> centers
    array([[10.,  4.],
           [ 1.,  2.]])
    >>> indices  # the rows of X that the centers are
    array([4, 0])
    """
    k = as_count(n_clusters, "n_clusters")
    rng = as_generator(random_state)
    data = survey_rows(as_any_rows(X), sample_weight, n_jobs)
    require_enough(data, k)
    require_spread(data, k)
    (seed,) = rng.integers(2**32, size=1)
    centers, indices, _ = spread(data, k, np.random.default_rng(int(seed)))
    return centers.astype(data.dtype), indices.astype(np.int64)
