# SPDX-License-Identifier: BSD-3-Clause
"""The suites ``kmeans``, 20 iterations from the same start, and ``convergence``.

All libraries start a run to convergence from the same rows, and stop when no row changes its
cluster. The groups of clustered rows are as many as the clusters; their spread is such that
neighboring groups touch.
"""

import importlib
from functools import partial

import numpy as np
from scipy.sparse import csr_array, issparse

from benchmarks.harness.adapter import Adapter, FitThen
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, row_blocks
from benchmarks.harness.problem import F32, F64, SIZES, Problem
from benchmarks.harness.rows import mnist, rows_of
from benchmarks.harness.suite import Growth, Library, Suite

MAX_ITERATIONS = 1_000  # iterations; what is not at rest by then is no problem of this suite
BUDGET = 6.0  # seconds of rounds for each library and problem
LIMIT = 120.0  # seconds of a library's first run
HOPELESS = 6.0
STEPS = 5  # of Lloyd's algorithm in float64, which a run to convergence must not stay behind


# --- data and problems ---


def _kmeans_data(kind, n, d, k, dtype, iterations, seed):
    """Four centers start in each group, so that there is work left after twenty steps."""
    groups = max(1, k // 4)
    rng = np.random.default_rng(seed)
    if kind == "mnist":
        rows = mnist().X_train[:n].astype(dtype)
    else:
        rows = rows_of(kind, rng, n, d, dtype, groups)
    turn, group = np.divmod(np.arange(k), groups)
    init = rows[rng.choice(n // groups, turn[-1] + 1, replace=False)[turn] * groups + group]
    return {"X": rows, "init": init, "k": k, "iterations": iterations}


def touching_rows(kind, rng, n, d, k, dtype):
    if kind == "uniform":
        return rng.random((n, d)).astype(dtype)
    centers = rng.uniform(-1, 1, (k, d)) * (10 if d > 4 else 30)
    spread = 1.0 if d <= 8 else 2.5
    return (centers[rng.integers(k, size=n)] + spread * rng.standard_normal((n, d))).astype(dtype)


def _converge_data(kind, n, d, k, dtype, seed):
    rng = np.random.default_rng(seed)
    rows = touching_rows(kind, rng, n, d, k, dtype)
    init = rows[rng.choice(n, k, replace=False)]
    return {"X": rows, "init": init, "k": k, "iterations": MAX_ITERATIONS}


def _sparse_data(n, d, k, density, seed):
    from scipy.sparse import csr_matrix, random_array

    rng = np.random.default_rng(seed)
    rows = csr_matrix(random_array((n, d), density=density, format="csr", random_state=rng))
    init = rows[rng.choice(n, k, replace=False)].toarray()
    return {"X": rows, "init": init, "k": k, "iterations": 20}


def _kmeans(kind, n, d, k, dtype, *, beyond=False, iterations=20):
    name = f"{kind} n={n} d={d} k={k} {dtype}"
    make = partial(_kmeans_data, kind, n, d, k, dtype, iterations)
    passes = iterations + 1  # the last one labels the rows by the final centers
    flops = 2.0 * n * k * d * passes
    return Problem(name, "kmeans", make, dtype, flops, n * d * SIZES[dtype], passes, beyond)


def _problem(name, task, make, dtype, **more):
    bounds = {"budget": BUDGET, "hopeless": HOPELESS, "limit": LIMIT} | more
    return Problem(name, task, make, dtype, **bounds)


def _converge(kind, n, d, k, dtype=F64, **more):
    """Uniform rows take hundreds of iterations, in which ever fewer rows move."""
    name = f"to convergence: {kind} n={n} d={d} k={k} {dtype}"
    make = partial(_converge_data, kind, n, d, k, dtype)
    return _problem(name, "kmeans to convergence", make, dtype, group=kind, **more)


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


# --- adapters ---


KMEANS = partial(
    FitThen, answers={"centers": "cluster_centers_", "labels": "labels_"}, n_init=1, tol=0.0
)
LLOYD = partial(KMEANS, from_data={"n_clusters": "k", "init": "init", "max_iter": "iterations"})


class FaissKMeans(Adapter):
    """All rows (faiss would sample 256 a center), the given start, labels by the final centers."""

    remark = "in float32"

    def prepare(self, data, threads):
        import faiss

        faiss.omp_set_num_threads(threads)
        self.faiss, self.X, self.data = faiss, data["X"], data
        self.init = data["init"].astype(np.float32)

    def fit(self):
        k, d = self.init.shape
        self.model = self.faiss.Kmeans(
            d,
            k,
            niter=self.data["iterations"],
            max_points_per_centroid=len(self.X),
            min_points_per_centroid=1,
        )
        rows = self.X.astype(np.float32, copy=False)
        self.model.train(rows, init_centroids=self.init)
        self.labels = self.model.index.search(rows, 1)[1][:, 0]

    def answer(self):
        return {"centers": self.model.centroids, "labels": self.labels}


class ScipyKMeans(Adapter):
    remark = "1 thread"

    def prepare(self, data, threads):
        from scipy.cluster import vq

        self.vq, self.data = vq, data

    def fit(self):
        X, init, steps = self.data["X"], self.data["init"], self.data["iterations"]
        self.centers, _ = self.vq.kmeans2(X, init.copy(), iter=steps, minit="matrix")
        self.labels, _ = self.vq.vq(X, self.centers)

    def answer(self):
        return {"centers": self.centers, "labels": self.labels}


class SuperKMeans(Adapter):
    """All rows (it would sample 256 a center), as many iterations; it takes no start."""

    remark = "from a start of its own, in float32"

    def prepare(self, data, threads):
        self.kind = importlib.import_module("superkmeans").SuperKMeans
        self.X, (self.k, self.d) = data["X"], data["init"].shape
        self.options = {
            "hierarchical": False,
            "iters": data["iterations"],
            "sampling_fraction": 1.0,
            "max_points_per_cluster": len(self.X),
            "early_termination": False,
            "tol": 0.0,
            "n_threads": threads,
        }

    def fit(self):
        rows = self.X.astype(np.float32, copy=False)
        model = self.kind(self.k, self.d, **self.options)
        self.centers = model.train(rows)
        self.labels = model.assign_training_points(rows, self.centers)

    def answer(self):
        return {"centers": self.centers, "labels": self.labels.astype(np.int64)}


def _estimators(*tasks):
    """Libraries of estimators; faiss has no test of convergence."""
    sklearn = "sklearn.cluster.KMeans"
    made = {
        "statfast": partial(LLOYD, "statfast.cluster.KMeans"),
        "scikit-learn": partial(LLOYD, sklearn, threaded=False, algorithm="lloyd"),
        "scikit-learn (elkan)": partial(LLOYD, sklearn, threaded=False, algorithm="elkan"),
        "scikit-learn-intelex": partial(LLOYD, "sklearnex.cluster.KMeans"),
    }
    return {name: Library(dict.fromkeys(tasks, adapter)) for name, adapter in made.items()}


# --- the checks ---


def _float64(rows):
    return rows.toarray() if issparse(rows) else rows.astype(np.float64)


def nearest_centers(X, centers):
    """Labels and squared distances in float64: labels by expansion, distances by differences."""
    centers = np.asarray(centers, dtype=np.float64)
    labels, d2 = np.empty(X.shape[0], dtype=np.intp), np.empty(X.shape[0])
    squares = (centers**2).sum(1)
    for part in row_blocks(X.shape[0], max(X.shape[1], len(centers))):
        rows = _float64(X[part])
        labels[part] = (squares - 2.0 * (rows @ centers.T)).argmin(1)
        d2[part] = ((rows - centers[labels[part]]) ** 2).sum(1)
    return labels, d2


def lloyd(X, init, iterations, *, keep_empty=False):
    """Centers after that many steps of Lloyd's algorithm in float64.

    An empty cluster is an error, as libraries do not agree on it, unless its center is to stay.
    """
    centers = np.asarray(init, dtype=np.float64)
    for _ in range(iterations):
        labels, _ = nearest_centers(X, centers)
        counts = np.bincount(labels, minlength=len(centers))
        if not (keep_empty or counts.all()):
            raise ValueError("a cluster of the reference is empty: give the problem another name")
        means = _sums(X, labels, len(centers)) / np.maximum(counts, 1)[:, None]
        moved = np.where(counts[:, None] > 0, means, centers)
        if (moved == centers).all():
            break
        centers = moved
    return centers


def _sums(X, labels, k):
    total = np.zeros((k, X.shape[1]))
    for part in row_blocks(*X.shape):
        rows = _float64(X[part])
        ones, starts = np.ones(len(rows)), np.arange(len(rows) + 1)
        total += csr_array((ones, labels[part], starts), shape=(len(rows), k)).T @ rows
    return total


class KMeansCheck(Check):
    """One float64 checker measures every library's centers, against Lloyd's own in float64."""

    keep_empty = False

    def __init__(self, data):
        self.X, init = data["X"], data["init"]
        self.parts = {"centers": init.shape, "labels": self.X.shape[:1]}
        self.names = {"labels": len(init)}
        centers = lloyd(self.X, init, self.steps(data), keep_empty=self.keep_empty)
        self.inertia = nearest_centers(self.X, centers)[1].sum()

    def steps(self, data):
        return data["iterations"]

    def errors(self, answer):
        centers, labels = np.asarray(answer["centers"], np.float64), np.asarray(answer["labels"])
        nearest, best = nearest_centers(self.X, centers)
        (other,) = np.nonzero(labels != nearest)
        own = ((_float64(self.X[other]) - centers[labels[other]]) ** 2).sum(1)
        wrong = (own > best[other] * (1 + 1e-9)).sum()
        return {
            "inertia excess": abs(float(best.sum() / self.inertia - 1)),
            "wrong labels": float(wrong / len(labels)),
        }


class SparseCheck(KMeansCheck):
    """The same for sparse rows, of which some clusters may be empty."""

    keep_empty = True


class ConvergedCheck(SparseCheck):
    """Whether the answer is at rest: each center the mean of the rows that are nearest to it.

    So would be a single center given k times: its inertia must not exceed that of a few steps from
    the start either.
    """

    def steps(self, data):
        return min(STEPS, data["iterations"])

    def errors(self, answer):
        centers, labels = np.asarray(answer["centers"], np.float64), np.asarray(answer["labels"])
        best = nearest_centers(self.X, centers)[1]
        count = np.bincount(labels, minlength=len(centers))[:, None]
        means = _sums(self.X, labels, len(centers)) / np.maximum(count, 1)
        shift = np.where(count > 0, means - centers, 0.0)
        return super().errors(answer) | {
            "inertia excess": float(best.sum() / self.inertia - 1),  # less than 0 as a rule
            "shift": float(np.abs(shift).max() / np.sqrt(best.mean())),
        }


# --- the suites ---

STRICT = {"inertia excess": 1e-6, "wrong labels": 1e-4}
LOOSE = {"inertia excess": 1e-3, "wrong labels": 0.01}

FIXED = Suite(
    name="kmeans",
    title="k-means (20 iterations from the same start)",
    family="k-means",
    problems=[
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
    quick=[
        _kmeans("blobs", 5_000, 16, 8, F64),
        _kmeans("blobs", 2_000, 33, 17, F32, beyond=True),
    ],
    growth=Growth(100_000, lambda n: _kmeans("blobs", n, 128, 1_000, F32)),
    libraries={
        **_estimators("kmeans"),
        "superkmeans": Library({"kmeans": SuperKMeans}),
        "faiss": Library({"kmeans": FaissKMeans}, packages=("faiss-cpu",)),
        "scipy": Library({"kmeans": ScipyKMeans}),
    },
    checks={"kmeans": KMeansCheck},
    tolerances={"kmeans": Tolerances(STRICT, loose=LOOSE)},
    bars={},
)

CONVERGENCE = Suite(
    name="convergence",
    title="k-means (until no row changes its cluster, from the same start)",
    family="k-means",
    problems=[
        *(_converge(C, *shape) for shape in SHAPES),
        *(_converge(U, *shape) for shape in SHAPES if shape[0] * shape[1] * shape[2] < 7e8),
        _converge(C, 100_000, 32, 100, F32, beyond=True),
        _converge(U, 100_000, 8, 50, F32, beyond=True),
        _converge(C, 150, 4, 3, beyond=True),
        _sparse(20_000, 10_000, 20, 0.005),
        _sparse(50_000, 1_000, 100, 0.02),
    ],
    quick=[_converge(C, 2_000, 4, 8)],
    growth=Growth(1_000_000, lambda n: _converge(U, n, 8, 20)),
    libraries=_estimators("kmeans to convergence", "kmeans sparse"),
    checks={"kmeans to convergence": ConvergedCheck, "kmeans sparse": SparseCheck},
    tolerances={
        "kmeans to convergence": Tolerances(
            STRICT | {"shift": 1e-9}, STRICT | {"shift": 1e-5}, LOOSE | {"shift": 1e-2}
        ),
        "kmeans sparse": Tolerances(STRICT),
    },
    bars={
        "clusters": [Bar("to convergence, clusters", mean=4.0)],
        "uniform": [Bar("to convergence, uniform rows", mean=2.0)],
        "": [Bar("other shapes, and 20 iterations on sparse rows")],
    },
)
