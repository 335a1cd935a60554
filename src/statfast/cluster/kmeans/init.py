# SPDX-License-Identifier: BSD-3-Clause
"""The parameters `init` and `n_init` of the estimators: where runs start, and how many do."""

import numpy as np

from statfast._estimator import array, callable_, count, one_of
from statfast._validation import MANY, as_rows, warn_user
from statfast.cluster.kmeans.data import require_range
from statfast.cluster.kmeans.parallel_init import k_means_parallel
from statfast.cluster.kmeans.part_starts import parallel_start, plus_plus_start, random_start
from statfast.cluster.kmeans.plus_plus import random_rows, spread

STARTS = {"k-means||": k_means_parallel, "random": random_rows}
PART_STARTS = {
    "k-means++": plus_plus_start, "k-means||": parallel_start, "random": random_start,
}  # fmt: skip

INIT = one_of("k-means++", *STARTS) | callable_ | array
N_INIT = one_of("auto") | count(high=MANY)


def runs_of(given, plain=10):
    """How many starts to run from; `plain` many where "auto" meets starts that are not spread.

    ``given`` are checked parameters, `init` and `n_init` among them.
    """
    init, runs = given.init, given.n_init
    if runs == "auto":
        runs = plain if callable(init) or (isinstance(init, str) and init == "random") else 1
    if not isinstance(init, str) and not callable(init):
        if runs > 1:
            warn_user(
                f"init is an array, from which n_init={runs} runs would all be the same: "
                'one is made. Leave n_init at "auto".'
            )
        runs = 1
    return runs


def start_of_parts(init, data, k, seed):
    """The same for rows in parts."""
    if isinstance(init, str):
        return PART_STARTS[init](data, k, np.random.default_rng(seed))
    return start_of(init, data, k, seed)[0]


def start_of(init, data, k, seed):
    """Where a run over the surveyed rows starts from.

    Returns
    -------
    centers : ndarray of shape (k, d), float64
    nearest : tuple of ndarray, or None
        The nearest of them for each row and its squared distance, where that is known already.
    """
    if isinstance(init, str) and init == "k-means++":
        centers, _, nearest = spread(data, k, np.random.default_rng(seed))
        return centers, nearest
    if isinstance(init, str):
        return STARTS[init](data, k, np.random.default_rng(seed)), None
    if callable(init):
        # RandomState, for which init functions are written elsewhere too.
        rows = data.rows.matrix
        init = init(rows, k, random_state=np.random.RandomState(seed))
    start = as_rows(init, name="init")
    if start.shape != (k, data.shape[1]):
        raise ValueError(
            f"init must have shape ({k}, {data.shape[1]}), a row for each of n_clusters and "
            f"a column for each of X; got {start.shape}."
        )
    start = data.rounded(np.array(start, dtype=np.float64, order="C"))
    low = np.minimum(data.low, start.min(axis=0))
    high = np.maximum(data.high, start.max(axis=0))
    require_range(low, high, data.mass, "init")
    return start, None
