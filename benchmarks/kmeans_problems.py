# SPDX-License-Identifier: BSD-3-Clause
"""Problems of k-means but for those of a fixed number of iterations: to convergence, and starts.

All libraries start a run to convergence from the same rows, and stop when no row changes its
cluster. The groups of clustered rows are as many as the clusters; their spread is such that
neighbouring groups touch.
"""

from functools import partial

import numpy as np

from benchmarks.problem import Problem

MOST = 1_000  # iterations; what is not at rest by then is no problem of this suite
BUDGET = 6.0  # seconds of rounds for each library and problem
LIMIT = 120.0  # seconds of a library's first run
HOPELESS = 6.0
F32, F64 = "float32", "float64"


def _rows(kind, rng, n, d, k, dtype):
    if kind == "uniform":
        return rng.random((n, d)).astype(dtype)
    centres = rng.uniform(-1, 1, (k, d)) * (10 if d > 4 else 30)
    spread = 1.0 if d <= 8 else 2.5
    return (centres[rng.integers(k, size=n)] + spread * rng.standard_normal((n, d))).astype(dtype)


def _converge_data(kind, n, d, k, dtype, seed):
    rng = np.random.default_rng(seed)
    rows = _rows(kind, rng, n, d, k, dtype)
    init = rows[rng.choice(n, k, replace=False)]
    return {"X": rows, "init": init, "iterations": MOST}


def _seeding_data(kind, n, d, k, dtype, seed):
    return {"X": _rows(kind, np.random.default_rng(seed), n, d, k, dtype), "k": k}


def _sparse_data(n, d, k, density, seed):
    from scipy.sparse import csr_matrix, random_array

    rng = np.random.default_rng(seed)
    rows = csr_matrix(random_array((n, d), density=density, format="csr", rng=rng))
    init = rows[rng.choice(n, k, replace=False)].toarray()
    return {"X": rows, "init": init, "iterations": 20}


def _problem(name, work, make, dtype, **more):
    bounds = {"budget": BUDGET, "hopeless": HOPELESS, "limit": LIMIT} | more
    return Problem(name, work, make, dtype, **bounds)


def _converge(kind, n, d, k, dtype=F64, **more):
    """Uniform rows take hundreds of iterations, in which ever fewer rows move."""
    name = f"to convergence: {kind} n={n} d={d} k={k} {dtype}"
    make = partial(_converge_data, kind, n, d, k, dtype)
    return _problem(name, "kmeans to convergence", make, dtype, group=kind, **more)


def _seeding(kind, n, d, k, dtype=F64, *, beyond=False):
    name = f"start and one iteration: {kind} n={n} d={d} k={k} {dtype}"
    make = partial(_seeding_data, kind, n, d, k, dtype)
    group = "" if beyond else "seeding"
    return _problem(name, "seeding", make, dtype, group=group, beyond=beyond)


def _sparse(n, d, k, density):
    name = f"sparse {density:.1%} of n={n} d={d} k={k} float64"
    make = partial(_sparse_data, n, d, k, density)
    return _problem(name, "kmeans sparse", make, F64, beyond=True)


C, U = "clusters", "uniform"
SHAPES = [
    (100_000, 2, 10),
    (100_000, 2, 100),
    (1_000_000, 2, 50),
    (100_000, 3, 500),
    (100_000, 8, 50),
    (1_000_000, 8, 20),
    (100_000, 16, 10),
    (100_000, 16, 100),
    (100_000, 32, 500),
    (100_000, 64, 100),
    (100_000, 128, 20),
    (100_000, 128, 500),
]

CONVERGENCE = [
    *(_converge(C, *shape) for shape in SHAPES),
    *(_converge(U, *shape) for shape in SHAPES if shape[0] * shape[1] * shape[2] < 7e8),
    _converge(C, 100_000, 32, 100, F32, beyond=True),
    _converge(U, 100_000, 8, 50, F32, beyond=True),
    _converge(C, 150, 4, 3, beyond=True),
    _sparse(20_000, 10_000, 20, 0.005),
    _sparse(50_000, 1_000, 100, 0.02),
]

SEEDING = [
    *(_seeding(kind, 100_000, d, k) for kind in (C, U) for d in (16, 64) for k in (50, 500)),
    _seeding(C, 100_000, 32, 200),
    _seeding(C, 100_000, 32, 200, F32),
    _seeding(C, 1_000, 4, 8, beyond=True),
    _seeding(U, 1_000_000, 4, 20, beyond=True),
]

QUICK_CONVERGENCE = [_converge(C, 2_000, 4, 8)]
QUICK_SEEDING = [_seeding(C, 2_000, 8, 10)]
