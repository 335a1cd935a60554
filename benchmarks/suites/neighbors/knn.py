# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``knn-brute``: rows of floats, bytes, bits, sparse rows and other metrics."""

from functools import partial

import numpy as np
from scipy.sparse import csr_matrix, issparse, random_array

from benchmarks.harness.adapter import Adapter, Estimator
from benchmarks.harness.check import Check, Tolerances, row_blocks
from benchmarks.harness.problem import F32, F64, SIZES, Problem
from benchmarks.harness.rows import mnist, rows_of
from benchmarks.harness.suite import Growth, Library, Suite

# Seconds of rounds for each library, and how many times the fastest peer's time ends another.
BOUNDS = {"budget": 10.0, "hopeless": 4.0}
TREE_FEATURES = 20  # the most features for which a k-d tree is worth waiting for
CDIST_ELEMENTS = 3e10  # the most that are worth comparing on one thread
SAMPLED_ELEMENTS = 2e9  # of the check, in elements compared
# Differences of rows with so few features are taken column by column, which is much quicker.
MAX_FEATURES_BY_COLUMN = 16
MNIST_ERRORS = 309  # of one neighbor among all the training digits


# --- data and problems ---


def neighbors_data(kind, n, m, d, k, dtype, seed):
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
        data, digits = neighbors_data(kind, n, m, d, k, np.uint8, seed), mnist()
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
    return neighbors_data(kind, n, m, d, k, dtype, seed) | {"metric": metric}


def _sparse_data(n, m, d, k, density, dtype, seed):
    rows = random_array(
        (n + m, d),
        density=density,
        format="csr",
        dtype=dtype,
        random_state=np.random.default_rng(seed),
    )
    return {"X": csr_matrix(rows[:n]), "Q": csr_matrix(rows[n:]), "k": k}


def _neighbors(kind, n, m, d, k, dtype, *, beyond=False):
    name = f"{kind} {n}x{m}x{d} k={k} {dtype}"
    make = partial(neighbors_data, kind, n, m, d, k, dtype)
    nbytes = float(n * d * SIZES[dtype])
    return Problem(name, "neighbors", make, dtype, 2.0 * n * m * d, nbytes, beyond=beyond, **BOUNDS)


def _bytes(kind, n, m, d, k, *, beyond=False):
    make = partial(_bytes_data, kind, n, m, d, k)
    name = f"{kind} {n}x{m}x{d} k={k} uint8"
    flops, nbytes = 2.0 * n * m * d, 1.0 * n * d
    return Problem(name, "neighbors bytes", make, "uint8", flops, nbytes, beyond=beyond, **BOUNDS)


def _metric(metric, kind, n, m, d, k, dtype):
    """Other metrics carry no bar."""
    task = "neighbors hamming" if metric == "hamming" else "neighbors metric"
    make = partial(_metric_data, metric, kind, n, m, d, k, dtype)
    name = f"{metric} {kind} {n}x{m}x{d} k={k} {dtype}"
    return Problem(name, task, make, dtype, beyond=True, **BOUNDS)


def _sparse(n, m, d, k, density, dtype):
    make = partial(_sparse_data, n, m, d, k, density, dtype)
    name = f"sparse {density:.0%} of {n}x{m}x{d} k={k} {dtype}"
    return Problem(name, "neighbors sparse", make, dtype, beyond=True, **BOUNDS)


# --- adapters ---


class Neighbors(Estimator):
    def prepare(self, data, threads):
        self.X, self.Q = data["X"], data["Q"]
        self.model = self.estimator(n_neighbors=data["k"], algorithm="brute", threads=threads)

    def fit(self):
        self.model.fit(self.X)

    def answer(self):
        distances, ids = self.model.kneighbors(self.Q)
        self.note_fallback(self.model)
        return {"ids": ids, "distances": distances}


def _with_dtype(data, dtype):
    return data | {name: data[name].astype(dtype) for name in ("X", "Q")}


class ByteNeighbors(Neighbors):
    """Bytes for a library that computes with floats: given as float32, at no cost to it."""

    remark = "given as float32"

    def prepare(self, data, threads):
        super().prepare(_with_dtype(data, np.float32), threads)


class MetricNeighbors(Neighbors):
    """An estimator's `metric`."""

    def prepare(self, data, threads):
        self.options = self.options | {"metric": data["metric"]}
        super().prepare(data, threads)


class HammingNeighbors(MetricNeighbors):
    """scikit-learn wants truth values for its compiled loop; they are made at no cost to it."""

    remark = "given as bool"

    def prepare(self, data, threads):
        super().prepare(_with_dtype(data, bool), threads)


class FaissNeighbors(Adapter):
    def prepare(self, data, threads):
        import faiss

        faiss.omp_set_num_threads(threads)
        self.faiss, self.X, self.Q, self.k = faiss, data["X"], data["Q"], data["k"]

    def fit(self):
        self.index = self.faiss.IndexFlatL2(self.X.shape[1])
        self.index.add(self.X)

    def answer(self):
        d2, ids = self.index.search(self.Q, self.k)
        return {"ids": ids, "distances": np.sqrt(np.maximum(d2, 0))}


class FaissBytes(FaissNeighbors):
    remark = "given as float32"

    def prepare(self, data, threads):
        super().prepare(_with_dtype(data, np.float32), threads)


FAISS = {"manhattan": "METRIC_L1", "chebyshev": "METRIC_Linf", "cosine": None}


class FaissMetric(FaissNeighbors):
    """Its index of that metric; cosine is the product of rows that it normalizes itself."""

    def prepare(self, data, threads):
        super().prepare(data, threads)
        self.metric = FAISS[data["metric"]]

    def _normal(self, rows):
        rows = rows.copy()
        self.faiss.normalize_L2(rows)
        return rows

    def fit(self):
        d = self.X.shape[1]
        if self.metric is None:
            self.index = self.faiss.IndexFlatIP(d)
            self.index.add(self._normal(self.X))
        else:
            self.index = self.faiss.IndexFlat(d, getattr(self.faiss, self.metric))
            self.index.add(self.X)

    def answer(self):
        if self.metric is None:
            products, ids = self.index.search(self._normal(self.Q), self.k)
            return {"ids": ids, "distances": 1 - products}
        distances, ids = self.index.search(self.Q, self.k)
        return {"ids": ids, "distances": distances}


class FaissHamming(FaissNeighbors):
    """Bits are packed in `fit` and `answer`, as ours are."""

    def fit(self):
        packed = np.packbits(self.X, axis=1)
        self.index = self.faiss.IndexBinaryFlat(8 * packed.shape[1])
        self.index.add(packed)

    def answer(self):
        counts, ids = self.index.search(np.packbits(self.Q, axis=1), self.k)
        return {"ids": ids, "distances": counts / self.X.shape[1]}


class TreeNeighbors(Adapter):
    def prepare(self, data, threads):
        from scipy.spatial import cKDTree

        self.tree_class, self.threads = cKDTree, threads
        self.X, self.Q, self.k = data["X"], data["Q"], data["k"]
        if self.X.shape[1] > TREE_FEATURES:
            raise NotImplementedError(f"a k-d tree is not for more than {TREE_FEATURES} features")

    def fit(self):
        self.tree = self.tree_class(self.X)

    def answer(self):
        distances, ids = self.tree.query(self.Q, k=range(1, self.k + 1), workers=self.threads)
        return {"ids": ids, "distances": distances}


class CdistNeighbors(Adapter):
    """What a scipy user writes: blocks of cdist, then a partition; one thread."""

    remark = "cdist, 1 thread"

    def prepare(self, data, threads):
        from scipy.spatial.distance import cdist

        self.cdist, self.X, self.Q, self.k = cdist, data["X"], data["Q"], data["k"]
        if self.X.size * len(self.Q) > CDIST_ELEMENTS:
            raise NotImplementedError("minutes a round on one thread")

    def answer(self):
        ids = np.empty((len(self.Q), self.k), dtype=np.intp)
        distances = np.empty(ids.shape)
        for start in range(0, len(ids), 256):
            part = slice(start, start + 256)
            table = self.cdist(self.Q[part], self.X)
            near = np.argpartition(table, self.k - 1, axis=1)[:, : self.k]
            far = np.take_along_axis(table, near, 1)
            order = np.argsort(far, axis=1)
            ids[part] = np.take_along_axis(near, order, 1)
            distances[part] = np.take_along_axis(far, order, 1)
        return {"ids": ids, "distances": distances}


def _estimator(path, *, bits=HammingNeighbors, bytewise=ByteNeighbors):
    return {
        "neighbors": partial(Neighbors, path),
        "neighbors bytes": partial(bytewise, path),
        "neighbors metric": partial(MetricNeighbors, path),
        "neighbors hamming": partial(bits, path),
        "neighbors sparse": partial(Neighbors, path),
    }


# --- the check ---


def _dense(rows):
    return rows.toarray() if issparse(rows) else rows


def _squares(rows, q):
    return ((rows - q) ** 2).sum(1)


def _cosine(rows, q):
    rows = rows.astype(np.float64)
    return 1 - rows @ q / np.sqrt((rows**2).sum(1) * (q @ q))


REDUCED = {
    "euclidean": _squares,
    "manhattan": lambda rows, q: abs(rows - q).sum(1),
    "chebyshev": lambda rows, q: abs(rows - q).max(1),
    "cosine": _cosine,
    "hamming": lambda rows, q: (rows != q).mean(1),
}


class NeighborsCheck(Check):
    """Brute force by differences in float64 for a sample of the queries.

    Without queries the rows are asked for their own neighbors, each without itself. What is
    compared is the squared distance, or that of the metric. Where the rows have labels, the
    queries that one neighbor would name wrongly are counted too, over all queries.
    """

    def __init__(self, data):
        self.k, self.labels = data["k"], data.get("labels")
        self.X, Q = _dense(data["X"]), _dense(data.get("Q", data["X"]))
        self.reduced = REDUCED[data.get("metric", "euclidean")]
        self.root = np.asarray if "metric" in data else np.sqrt
        self.columns = None
        if "metric" not in data and self.X.shape[1] <= MAX_FEATURES_BY_COLUMN:
            self.columns = np.array(self.X.T, dtype=np.float64, order="C")
        count = int(np.clip(SAMPLED_ELEMENTS / self.X.size, 20, 200))
        rng = np.random.default_rng(0)
        self.rows = rng.choice(len(Q), min(count, len(Q)), replace=False)
        self.queries = Q[self.rows].astype(np.float64)
        query_row = [None] * len(self.rows) if "Q" in data else self.rows
        self.parts = dict.fromkeys(("ids", "distances"), (len(Q), self.k))
        self.names = {"ids": len(self.X)}
        nearest = [self._nearest(*both) for both in zip(self.queries, query_row, strict=True)]
        self.best, self.ids = (np.stack(part) for part in zip(*nearest, strict=True))

    def _nearest(self, q, query_row):
        """The k least reduced distances and their rows; ties to the lowest index."""
        if self.columns is None:
            parts = row_blocks(*self.X.shape)
            d2 = np.concatenate([self.reduced(self.X[part], q) for part in parts])
        else:
            d2 = sum((column - x) ** 2 for column, x in zip(self.columns, q, strict=True))
        if query_row is not None:
            d2[query_row] = np.inf
        some = d2[:: max(1, len(d2) // (100 * self.k))]  # its k-th least bounds that of all
        (near,) = np.nonzero(d2 <= np.partition(some, self.k - 1)[self.k - 1])
        near = near[np.argsort(d2[near], kind="stable")[: self.k]]
        return d2[near], near

    def _reduced_distances(self, ids):
        """The reduced distances (queries, k) of these rows."""
        pairs = zip(ids, self.queries, strict=True)
        return np.stack([self.reduced(self.X[i], q) for i, q in pairs])

    def errors(self, answer):
        ids, distances = answer["ids"][self.rows].astype(np.intp), answer["distances"][self.rows]
        given = self._reduced_distances(ids)
        right = self.root(self.best)
        unique = np.array([len(set(row)) == self.k for row in ids.tolist()])
        farther = (given > self.best * (1 + 1e-13)) | ~unique[:, None]
        scale = np.maximum(right, right.max() * 1e-3)
        scale[scale == 0] = 1.0
        errors = {
            "farther ids": float(farther.mean()),
            "other ids": float((ids != self.ids).mean()),
            "distance error": float((abs(distances - right) / scale).max()),
            "wrong labels": 0,
        }
        if self.labels:
            rows, queries = self.labels
            errors["wrong labels"] = int((rows[answer["ids"][:, 0]] != queries).sum())
        return errors


# --- the suite ---

STRICT = {"farther ids": 0.0, "distance error": 1e-9}
ROUNDED = {"farther ids": 0.0, "distance error": 1e-6}
LOOSE = {"farther ids": 0.01, "distance error": 0.01}
# Ties go to the lowest index.
OURS = {"other ids": 0.0, "wrong labels": MNIST_ERRORS}
TOLERANCES = Tolerances(STRICT, ROUNDED, LOOSE, ours=OURS)
TASKS = tuple(f"neighbors{of}" for of in ("", " bytes", " metric", " hamming", " sparse"))

SUITE = Suite(
    name="knn-brute",
    title="k nearest neighbors, brute force (build + query)",
    family="nearest neighbors: brute force",
    problems=[
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
    quick=[
        _neighbors("normal", 2_000, 500, 64, 5, F32),
        _neighbors("uniform", 1_009, 101, 3, 10, F64, beyond=True),
        _bytes("descriptors", 1_009, 101, 128, 5, beyond=True),
        _bytes("uniform", 1_009, 101, 33, 1, beyond=True),
    ],
    growth=Growth(60_000, lambda n: _neighbors("normal", n, 10_000, 784, 5, F32)),
    libraries={
        "statfast": Library(
            _estimator(
                "statfast.neighbors.NearestNeighbors", bits=MetricNeighbors, bytewise=Neighbors
            )
        ),
        "scikit-learn": Library(_estimator("sklearn.neighbors.NearestNeighbors")),
        "scikit-learn-intelex": Library(
            _estimator("sklearnex.neighbors.NearestNeighbors"),
            packages=("scikit-learn-intelex", "daal"),
        ),
        "faiss": Library(
            {
                "neighbors": FaissNeighbors,
                "neighbors bytes": FaissBytes,
                "neighbors metric": FaissMetric,
                "neighbors hamming": FaissHamming,
            },
            packages=("faiss-cpu",),
            dtypes={"neighbors": (F32,), "neighbors metric": (F32,)},
        ),
        "scipy": Library({"neighbors": CdistNeighbors}),
        "scipy (k-d tree)": Library({"neighbors": TreeNeighbors}, not_a_peer="another algorithm"),
    },
    checks=dict.fromkeys(TASKS, NeighborsCheck),
    tolerances=dict.fromkeys(TASKS, TOLERANCES),
    bars={},
)
