# SPDX-License-Identifier: BSD-3-Clause
"""The parameters `init` and `n_init` of k-means estimators: the starts of runs, and their
number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._estimator import array, callable_, count, one_of
from statfast._typing import Array
from statfast._validation import MAX_REPEATS, as_rows, warn_user
from statfast.cluster.kmeans.assignment import Assignment
from statfast.cluster.kmeans.data import require_range
from statfast.cluster.kmeans.lloyd import (
    LloydRun,
    directions,
    iterate,
    iterate_in_one_call,
    tolerance,
)
from statfast.cluster.kmeans.parallel_init import k_means_parallel
from statfast.cluster.kmeans.part_data import PartsData
from statfast.cluster.kmeans.part_plus_plus import by_rounds, require_few
from statfast.cluster.kmeans.plus_plus import random_rows, spread

NAMES = ("k-means++", "k-means||", "random")

INIT = one_of(*NAMES) | callable_ | array
N_INIT = one_of("auto") | count(high=MAX_REPEATS)


def runs_of(checked: Any, plain: int = 10) -> int:
    """How many runs to make; for "auto", `plain` many if starts are not spread, else one.

    ``checked`` are checked parameters, `init` and `n_init` among them.
    """
    init, runs = checked.init, checked.n_init
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


def best_run(
    estimator: Any, data: Any, assignment: Callable[..., Any], seeds: Array,
    direct: bool = False,
) -> LloydRun:  # fmt: skip
    """The run of least inertia, the first of equals, of one from each seed.

    ``assignment`` makes a `RowAssignment` of data, centers and what is known of the nearest;
    ``estimator`` has the checked parameters of k-means; of `direct` see `iterate`.
    """
    best: LloydRun | None = None
    tol, report = tolerance(data, estimator.tol), print if estimator.verbose else None
    for seed in seeds.tolist():
        centers, nearest = start_of(estimator.init, data, estimator.n_clusters, seed)
        if direct and nearest is None:
            centers = directions(centers, centers)
        run = None
        if assignment is Assignment and not (report or direct):
            run = iterate_in_one_call(data, centers, tol=tol, max_iter=estimator.max_iter)
        run = run or iterate(
            assignment(data, centers, nearest),
            tol=tol, max_iter=estimator.max_iter, report=report, direct=direct,
        )  # fmt: skip
        if best is None or run.inertia < best.inertia:
            best = run
    assert best is not None
    return best


def start_of(init: Any, data: Any, k: int, seed: int) -> tuple[Array, None]:
    """The centers from which a run over the data starts.

    Returns
    -------
    centers : ndarray of shape (k, d), float64
    nearest : tuple of ndarray, or None
        The nearest of them for each row and its squared distance, where that is known already.
    """
    in_parts = isinstance(data, PartsData)
    if isinstance(init, str):
        rng = np.random.default_rng(seed)
        if init == "k-means||":
            return k_means_parallel(data, k, rng), None
        if init == "random":
            if in_parts and data.weights is not None:
                raise ValueError(
                    "init='random' takes no weights for rows in parts. Use 'k-means++' or "
                    "'k-means||'."
                )
            return random_rows(data, k, rng), None
        if in_parts:
            require_few(k)
            return by_rounds(data, k, rng), None
        centers, _, nearest = spread(data, k, rng)
        return centers, nearest
    if callable(init):
        if in_parts:
            raise ValueError(
                "init must be a name or an array for rows in parts; got a callable, which takes "
                "all rows in memory. Use init='k-means||'."
            )
        # init functions are written for RandomState, as scikit-learn passes that.
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
    require_range(low, high, data.total_weight, "init")
    return start, None
