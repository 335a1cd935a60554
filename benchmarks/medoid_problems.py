# SPDX-License-Identifier: BSD-3-Clause
"""The problems of the suites ``kmedoids`` and ``silhouette``.

FasterPAM starts from the same medoids for everyone and has to reach the same loss. "from points"
begins with rows, whose distances count; without a matrix there is no peer.
"""

from functools import partial

import numpy as np

from benchmarks.problem import Problem, rows_of

BUDGET = 20.0  # seconds of rounds for each library and problem
LIMIT = 120.0  # seconds of a library's first run
HOPELESS = 3.0
F64 = "float64"


def _data(kind, n, d, k, seed):
    from scipy.spatial.distance import cdist

    found = _points(kind, n, d, k, seed)
    return {**found, "D": cdist(found["X"], found["X"])}


def _points(kind, n, d, k, seed):
    rng = np.random.default_rng(seed)
    X = rows_of(kind, rng, n, d, F64)
    return {"X": X, "start": rng.choice(n, k, replace=False)}


def _scored(n, d, k, seed):
    rng = np.random.default_rng(seed)
    return {"X": rows_of("blobs", rng, n, d, F64), "labels": rng.integers(0, k, n)}


def swaps(kind, n, k, d=10, **more):
    """FasterPAM on a matrix."""
    return Problem(
        f"FasterPAM {kind} n={n} k={k}", "kmedoids", partial(_data, kind, n, d, k),
        nbytes=8.0 * n * n, group="swaps", budget=BUDGET, **more,
    )  # fmt: skip


def points(kind, n, k, d=10, **more):
    """From rows to medoids."""
    return Problem(
        f"from points {kind} {n}x{d} k={k}", "kmedoids points", partial(_points, kind, n, d, k),
        budget=BUDGET, limit=LIMIT, hopeless=HOPELESS, **more,
    )  # fmt: skip


def silhouette(n, d, k, **more):
    """The mean silhouette width."""
    return Problem(
        f"silhouette {n}x{d} k={k}", "silhouette", partial(_scored, n, d, k),
        flops=2.0 * n * n * d, group="silhouette", budget=BUDGET, **more,
    )  # fmt: skip


PROBLEMS = [
    *(swaps("blobs", n, k) for n in (5_000, 10_000, 20_000) for k in (10, 50, 200)),
    swaps("uniform", 10_000, 50),
    points("blobs", 20_000, 50, group="points"),
    points("blobs", 100_000, 50, beyond=True),
]
QUICK = [swaps("blobs", 600, 7), points("blobs", 500, 5)]
SILHOUETTES = [
    silhouette(20_000, 10, 10),
    silhouette(20_000, 2, 50, beyond=True),
    silhouette(5_000, 100, 5, beyond=True),
]
QUICK_SILHOUETTES = [silhouette(500, 4, 3)]
