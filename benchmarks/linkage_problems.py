# SPDX-License-Identifier: BSD-3-Clause
"""The problems of the suite ``linkage``: from a matrix, and from rows without one."""

from functools import partial

import numpy as np
from scipy.spatial.distance import pdist

from benchmarks.problem import Problem, rows_of

BUDGET = 6.0  # seconds of rounds for each library and problem
LIMIT = 150.0  # seconds of a library's first run
HOPELESS = 8.0  # a peer is ended after so many times the fastest peer's time
F64 = "float64"


def _matrix_data(seed, *, kind, n, d, method):
    X = rows_of(kind, np.random.default_rng(seed), n, d, F64)
    return {"y": pdist(X), "method": method}


def _rows_data(seed, *, kind, n, d, method):
    return {"X": rows_of(kind, np.random.default_rng(seed), n, d, F64), "method": method}


def _matrix(method, kind, n, d, **more):
    return Problem(
        f"{method} from a matrix, {kind} n={n} d={d}",
        "linkage matrix",
        partial(_matrix_data, kind=kind, n=n, d=d, method=method),
        nbytes=4.0 * n * (n - 1),
        budget=BUDGET,
        limit=LIMIT,
        hopeless=HOPELESS,
        **more,
    )


def _rows(method, kind, n, d, **more):
    work = "spanning tree" if method == "single" else "linkage rows"
    return Problem(
        f"{method} from rows, {kind} n={n} d={d}",
        work,
        partial(_rows_data, kind=kind, n=n, d=d, method=method),
        nbytes=8.0 * n * d,
        budget=BUDGET,
        limit=LIMIT,
        **more,
    )


REDUCIBLE = ("complete", "average", "weighted", "ward")
SIZES = ((5_000, 2), (10_000, 10), (20_000, 16))

PROBLEMS = [
    *(_matrix(m, "normal", n, d, group="rounds") for n, d in SIZES for m in REDUCIBLE),
    *(_matrix(m, "clusters", 10_000, 10, group="rounds") for m in REDUCIBLE),
    *(_matrix("single", "normal", n, d, group="single") for n, d in SIZES),
    *(_matrix(m, "normal", n, d, group="one") for n, d in SIZES for m in ("centroid", "median")),
    *(
        _rows("single", "normal", n, d, group="spanning")
        for d in (2, 3, 5)
        for n in (30_000, 250_000, 1_000_000)
    ),
    _rows("ward", "normal", 20_000, 8, group="ward"),
    _rows("ward", "normal", 20_000, 16, group="ward"),
    _rows("ward", "clusters", 50_000, 8, group="ward"),
    _rows("ward", "normal", 100_000, 8, group="ward"),
    _rows("ward", "normal", 100_000, 16, group="ward"),
    # beyond
    _matrix("average", "normal", 5_000, 100, beyond=True),
    _matrix("centroid", "normal", 7_000, 5, beyond=True),
    _matrix("complete", "uniform", 500, 2, beyond=True),
    _rows("single", "clusters", 250_000, 2, beyond=True),
    _rows("single", "normal", 100_000, 8, beyond=True),
    _rows("single", "normal", 5_000, 64, beyond=True),
    _rows("centroid", "normal", 5_000, 8, beyond=True),
    _rows("median", "normal", 5_000, 32, beyond=True),
]

QUICK = [
    _matrix("average", "normal", 600, 3, group="rounds"),
    _matrix("single", "normal", 600, 3, group="single"),
    _matrix("median", "normal", 600, 3, group="one"),
    _rows("single", "normal", 3_000, 2, group="spanning"),
    _rows("ward", "normal", 1_000, 4, group="ward"),
    _rows("single", "clusters", 2_000, 2, beyond=True),
    _rows("single", "normal", 500, 20, beyond=True),
    _rows("centroid", "normal", 500, 3, beyond=True),
]
