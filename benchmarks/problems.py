# SPDX-License-Identifier: BSD-3-Clause
"""The problems: named, seeded, and the same in every process that makes them.

A problem says which `work` is asked of the libraries, how its data are made, and how many
floating-point operations and bytes the plain algorithm needs. Its seed comes from its name.
"""

from functools import partial

import numpy as np
from scipy.sparse import csr_matrix, random_array

from benchmarks import (
    glm_problems,
    kmeans_problems,
    lasso_problems,
    linkage_problems,
    medoid_problems,
    svc_problems,
    svm_predict_problems,
    tree_problems,
)
from benchmarks import multinomial_problems as multinomial
from benchmarks.problem import SIZES, Problem, mnist, rows_of


def _neighbors_data(kind, n, m, d, k, dtype, seed):
    if kind == "mnist":
        digits = mnist()
        rows, queries = digits.X_train[:n].astype(dtype), digits.X_test[:m].astype(dtype)
    else:
        both = rows_of(kind, np.random.default_rng(seed), n + m, d, dtype)
        rows, queries = both[:n], both[n:].copy()
    return {"X": rows, "Q": queries, "k": k}


def _bytes_data(kind, n, m, d, k, seed):
    """MNIST with its labels, or bytes: uniform, or clusters as descriptors of images are."""
    if kind == "mnist":
        data, digits = _neighbors_data(kind, n, m, d, k, np.uint8, seed), mnist()
        return data | {"labels": (digits.y_train[:n], digits.y_test[:m])}
    rng = np.random.default_rng(seed)
    if kind == "descriptors":
        rows = 20 + 12 * abs(rows_of("blobs", rng, n + m, d, "float32", groups=200))
        both = np.clip(rows, 0, 255).astype(np.uint8)
    else:
        both = rng.integers(256, size=(n + m, d), dtype=np.uint8)
    return {"X": both[:n], "Q": both[n:].copy(), "k": k}


def _metric_data(metric, kind, n, m, d, k, dtype, seed):
    if metric == "hamming":
        both = np.random.default_rng(seed).integers(2, size=(n + m, d), dtype=np.uint8)
        return {"X": both[:n], "Q": both[n:].copy(), "k": k, "metric": metric}
    return _neighbors_data(kind, n, m, d, k, dtype, seed) | {"metric": metric}


def _sparse_data(n, m, d, k, density, dtype, seed):
    rows = random_array(
        (n + m, d), density=density, format="csr", dtype=dtype, rng=np.random.default_rng(seed)
    )
    return {"X": csr_matrix(rows[:n]), "Q": csr_matrix(rows[n:]), "k": k}


def _kmeans_data(kind, n, d, k, dtype, iterations, seed):
    """Four centres start in each group, so that there is work left after twenty steps."""
    groups = max(1, k // 4)
    rng = np.random.default_rng(seed)
    if kind == "mnist":
        rows = mnist().X_train[:n].astype(dtype)
    else:
        rows = rows_of(kind, rng, n, d, dtype, groups)
    turn, group = np.divmod(np.arange(k), groups)
    init = rows[rng.choice(n // groups, turn[-1] + 1, replace=False)[turn] * groups + group]
    return {"X": rows, "init": init, "iterations": iterations}


def _lda_data(n, d, classes, dtype, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    mix = np.eye(d) + 0.3 * rng.standard_normal((d, d)) / np.sqrt(d)  # features are correlated
    means = 2 * rng.standard_normal((classes, d)) / np.sqrt(d)
    rows = rng.standard_normal((n, d)) @ mix + means[y]
    return {"X": rows.astype(dtype), "y": y}


def _latency_data(n, d, groups, dtype, seed):
    """Groups so far apart that every right answer is the group of the row."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % groups
    centres = 100.0 * rng.standard_normal((groups, d))
    rows = (centres[y] + rng.standard_normal((n, d))).astype(dtype)
    return {"X": rows, "y": y, "init": rows[:groups], "row": rows[n - 1 :].copy()}


# --- problems ---


def _neighbors(kind, n, m, d, k, dtype, *, beyond=False):
    name = f"{kind} {n}x{m}x{d} k={k} {dtype}"
    make = partial(_neighbors_data, kind, n, m, d, k, dtype)
    nbytes = float(n * d * SIZES[dtype])
    return Problem(name, "neighbors", make, dtype, 2.0 * n * m * d, nbytes, beyond=beyond)


def _bytes(kind, n, m, d, k, *, beyond=False):
    make = partial(_bytes_data, kind, n, m, d, k)
    name = f"{kind} {n}x{m}x{d} k={k} uint8"
    bounds = {"beyond": beyond, "budget": BUDGET, "hopeless": 4.0}
    return Problem(name, "neighbors bytes", make, "uint8", 2.0 * n * m * d, 1.0 * n * d, **bounds)


def _metric(metric, kind, n, m, d, k, dtype):
    """Other metrics carry no bar."""
    work = "neighbors hamming" if metric == "hamming" else "neighbors metric"
    make = partial(_metric_data, metric, kind, n, m, d, k, dtype)
    name = f"{metric} {kind} {n}x{m}x{d} k={k} {dtype}"
    return Problem(name, work, make, dtype, beyond=True, budget=BUDGET, hopeless=4.0)


def _sparse(n, m, d, k, density, dtype):
    make = partial(_sparse_data, n, m, d, k, density, dtype)
    name = f"sparse {density:.0%} of {n}x{m}x{d} k={k} {dtype}"
    return Problem(name, "neighbors sparse", make, dtype, beyond=True, budget=BUDGET)


def _kmeans(kind, n, d, k, dtype, *, beyond=False, iterations=20):
    name = f"{kind} n={n} d={d} k={k} {dtype}"
    make = partial(_kmeans_data, kind, n, d, k, dtype, iterations)
    passes = iterations + 1  # the last one labels the rows by the final centres
    flops = 2.0 * n * k * d * passes
    return Problem(name, "kmeans", make, dtype, flops, n * d * SIZES[dtype], passes, beyond)


def _lda(n, d, classes, dtype="float64", *, beyond=False):
    name = f"LDA {n}x{d} K={classes} {dtype}"
    make = partial(_lda_data, n, d, classes, dtype)
    flops = n * d * (d + 1.0) + 2.0 * n * d * classes  # half a scatter matrix, then the scores
    return Problem(name, "lda", make, dtype, flops, n * d * SIZES[dtype], 2.0, beyond)


def _latency(model, n, d, groups, dtype="float64", *, beyond=False):
    name = f"{model} predict, 1 row of {d}, fitted on {n}, {dtype}"
    make = partial(_latency_data, n, d, groups, dtype)
    return Problem(name, f"predict {model}", make, dtype, beyond=beyond)


def _tile(m, n, d, dtype, *, beyond=False):
    def make(seed):
        rng = np.random.default_rng(seed)
        A, B = (rng.standard_normal((rows, d), dtype=dtype) for rows in (m, n))
        return {"A": A, "B": B}

    return Problem(f"tile {m}x{n}x{d} {dtype}", "tile", make, dtype, 2.0 * m * n * d, beyond=beyond)


BUDGET = 10.0  # seconds of rounds for each library, where peers take long


def _approximate(kind, n, m, d, k):
    name = f"{kind} {n}x{m}x{d} k={k} recall 0.9"
    make = partial(_neighbors_data, kind, n, m, d, k, F32)
    nbytes = float(n * d * SIZES[F32])
    return Problem(name, "approximate", make, F32, 2.0 * n * m * d, nbytes)


F32, F64 = "float32", "float64"
BOTH = (F32, F64)

SUITES: dict[str, list[Problem]] = {
    "multinomial": multinomial.PROBLEMS,
    "tiles": [
        *(_tile(2048, 2048, d, t) for t in BOTH for d in (64, 128, 256, 512, 784)),
        *(_tile(2048, 2048, d, t, beyond=True) for t in BOTH for d in (3, 10, 33, 200, 1500)),
        *(_tile(1000, 300, 96, t, beyond=True) for t in BOTH),
    ],
    "knn-brute": [
        _neighbors("mnist", 60_000, 10_000, 784, 5, F32),
        _neighbors("normal", 60_000, 10_000, 784, 5, F32),
        _neighbors("normal", 20_000, 10_000, 128, 10, F64),
        _neighbors("normal", 100_000, 10_000, 64, 10, F64),
        _neighbors("mnist", 20_000, 5_000, 784, 1, F64, beyond=True),
        _neighbors("uniform", 1_000, 1_000, 10, 1, F64, beyond=True),
        _neighbors("normal", 1_000, 10, 33, 5, F32, beyond=True),
        _neighbors("normal", 100_000, 1, 128, 10, F32, beyond=True),
        _neighbors("normal", 100_000, 1, 64, 10, F64, beyond=True),
        _neighbors("uniform", 50_000, 5_000, 3, 1, F32, beyond=True),
        _neighbors("uniform", 50_000, 5_000, 3, 10, F64, beyond=True),
        _neighbors("clusters", 50_000, 5_000, 10, 10, F64, beyond=True),
        _neighbors("normal", 9_973, 4_999, 33, 100, F64, beyond=True),
        _neighbors("normal", 100_000, 5_000, 64, 100, F32, beyond=True),
        _neighbors("clusters", 30_011, 3_001, 200, 1, F32, beyond=True),
        _neighbors("clusters", 30_011, 3_001, 200, 10, F64, beyond=True),
        _neighbors("normal", 20_000, 2_000, 1_500, 10, F32, beyond=True),
        _neighbors("uniform", 10_000, 2_000, 1_500, 5, F64, beyond=True),
        _bytes("mnist", 60_000, 10_000, 784, 1),
        _bytes("mnist", 60_000, 10_000, 784, 10, beyond=True),
        _bytes("descriptors", 100_000, 10_000, 128, 1, beyond=True),
        _bytes("descriptors", 100_000, 10_000, 128, 10, beyond=True),
        _bytes("uniform", 100_000, 10_000, 128, 1, beyond=True),
        _bytes("uniform", 20_000, 5_000, 33, 5, beyond=True),
        _metric("manhattan", "normal", 20_000, 2_000, 32, 5, F32),
        _metric("manhattan", "normal", 20_000, 2_000, 32, 5, F64),
        _metric("chebyshev", "normal", 20_000, 2_000, 32, 5, F32),
        _metric("chebyshev", "normal", 20_000, 2_000, 32, 5, F64),
        _metric("cosine", "normal", 50_000, 5_000, 128, 10, F32),
        _metric("cosine", "normal", 20_000, 5_000, 128, 10, F64),
        _metric("hamming", "bits", 50_000, 5_000, 256, 10, "uint8"),
        _sparse(20_000, 2_000, 1_000, 10, 0.02, F64),
    ],
    "glm": glm_problems.GLM,
    "irls": glm_problems.IRLS,
    "kdtree": tree_problems.PROBLEMS,
    "lasso": lasso_problems.LASSO,
    "ols": lasso_problems.OLS,
    "svc": svc_problems.SVC,
    "kmedoids": medoid_problems.PROBLEMS,
    "silhouette": medoid_problems.SILHOUETTES,
    "linkage": linkage_problems.PROBLEMS,
    "svc-predict": svm_predict_problems.PROBLEMS,
    "lsh": [
        _approximate("mnist", 60_000, 10_000, 784, 10),
        _approximate("clusters", 200_000, 10_000, 32, 10),
        _approximate("normal", 100_000, 10_000, 64, 10),
    ],
    "kmeans": [
        _kmeans("blobs", 200_000, 16, 64, F64),
        _kmeans("blobs", 1_000_000, 2, 20, F64),
        _kmeans("blobs", 100_000, 64, 256, F32),
        _kmeans("mnist", 60_000, 784, 10, F32),
        _kmeans("blobs", 100_000, 128, 1_000, F32),
        _kmeans("blobs", 20_000, 8, 1_000, F64),
        _kmeans("blobs", 150, 4, 3, F64, beyond=True),
        _kmeans("normal", 5_003, 33, 1, F64, beyond=True),
        _kmeans("uniform", 10_007, 33, 17, F64, beyond=True),
        _kmeans("uniform", 100_000, 3, 8, F32, beyond=True),
        _kmeans("normal", 300_000, 3, 100, F64, beyond=True),
        _kmeans("clusters", 200_000, 16, 64, F64, beyond=True),
        _kmeans("clusters", 100_000, 10, 100, F64, beyond=True),
        _kmeans("normal", 50_000, 200, 100, F32, beyond=True),
        _kmeans("mnist", 60_000, 784, 100, F32, beyond=True),
        _kmeans("blobs", 20_000, 1_500, 20, F32, beyond=True),
        _kmeans("blobs", 5_000, 1_500, 50, F64, beyond=True),
    ],
    "convergence": kmeans_problems.CONVERGENCE,
    "seeding": kmeans_problems.SEEDING,
    "moments": [
        _lda(200_000, 30, 5),
        _lda(150, 4, 3, beyond=True),
        _lda(1_000, 30, 5, beyond=True),
        _lda(1_000_000, 3, 2, beyond=True),
        _lda(1_000_000, 10, 3, beyond=True),
        _lda(100_003, 33, 20, beyond=True),
        _lda(200_000, 30, 5, F32, beyond=True),
        _lda(200_000, 200, 5, beyond=True),
        _lda(50_000, 200, 20, F32, beyond=True),
        _lda(20_000, 500, 10, beyond=True),
        _lda(10_000, 1_500, 3, beyond=True),
    ],
    "latency": [
        _latency("KMeans", 100, 4, 3),
        _latency("LDA", 100, 4, 3),
        _latency("kNN", 100, 4, 3),
        _latency("KMeans", 5_000, 33, 20, beyond=True),
        _latency("LDA", 5_000, 33, 20, beyond=True),
        _latency("kNN", 5_000, 33, 20, beyond=True),
        _latency("KMeans", 100, 4, 3, F32, beyond=True),
        _latency("LDA", 100, 4, 3, F32, beyond=True),
        _latency("kNN", 100, 4, 3, F32, beyond=True),
    ],
    "import": [
        Problem("import after numpy and scipy.linalg", "import", lambda seed: {}),
    ],
}

# The same works on small shapes: a smoke test of the harness, and no figures to quote.
QUICK: dict[str, list[Problem]] = {
    "tiles": [_tile(256, 256, 64, t) for t in BOTH],
    "knn-brute": [
        _neighbors("normal", 2_000, 500, 64, 5, F32),
        _neighbors("uniform", 1_009, 101, 3, 10, F64, beyond=True),
        _bytes("descriptors", 1_009, 101, 128, 5, beyond=True),
        _bytes("uniform", 1_009, 101, 33, 1, beyond=True),
    ],
    "glm": glm_problems.QUICK_GLM,
    "irls": glm_problems.QUICK_IRLS,
    "kdtree": tree_problems.QUICK,
    "lasso": lasso_problems.QUICK_LASSO,
    "ols": lasso_problems.QUICK_OLS,
    "svc": svc_problems.QUICK,
    "kmedoids": medoid_problems.QUICK,
    "silhouette": medoid_problems.QUICK_SILHOUETTES,
    "linkage": linkage_problems.QUICK,
    "svc-predict": svm_predict_problems.QUICK,
    "lsh": [_approximate("normal", 3_000, 500, 16, 5)],
    "kmeans": [
        _kmeans("blobs", 5_000, 16, 8, F64),
        _kmeans("blobs", 2_000, 33, 17, F32, beyond=True),
    ],
    "convergence": kmeans_problems.QUICK_CONVERGENCE,
    "seeding": kmeans_problems.QUICK_SEEDING,
    "multinomial": multinomial.QUICK,
    "moments": [_lda(5_000, 30, 5), _lda(1_000, 10, 20, F32, beyond=True)],
    "latency": SUITES["latency"][:3],
    "import": SUITES["import"],
}


def find(suite: str, *, quick: bool = False) -> list[Problem]:
    """The problems of a suite; their names are unique in it."""
    return (QUICK if quick else SUITES)[suite]
