# SPDX-License-Identifier: BSD-3-Clause
"""The works: how each kind of library does what a problem asks.

A work has three steps. ``prepare(data, threads)`` imports the library and makes what a user would
have at hand, untimed; ``fit()`` and ``answer()`` are timed, and `answer` returns the result as a
dict of arrays (see checks.py). A work that keeps its own clock puts "seconds" into its answer.
"""

import importlib
import subprocess
import sys

import numpy as np

TREE_FEATURES = 20  # the most features for which a k-d tree is worth waiting for
CDIST_ELEMENTS = 3e10  # the most that are worth comparing on one thread
KNN = 5
FMA_SECONDS = 0.1
NOTHING: dict = {}


class Work:
    """The steps of a work, and an optional remark about how it was done."""

    remark = ""

    def prepare(self, data, threads):
        raise NotImplementedError

    def fit(self):
        pass

    def answer(self) -> dict:
        raise NotImplementedError


def _class(path):
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


# --- estimators with scikit-learn's signatures: statfast, scikit-learn, scikit-learn-intelex ---


class Estimator(Work):
    """Common ground of the works done by an estimator class of the given path.

    `threaded` says whether it takes n_jobs; the others' threads are set in the environment.
    """

    def __init__(self, path, *, threaded=True, **options):
        self.path, self.threaded, self.options = path, threaded, options

    def estimator(self, *, threads=None, **given):
        jobs = {"n_jobs": threads} if self.threaded and threads else {}
        return _class(self.path)(**given, **jobs, **self.options)

    def note_fallback(self, model):
        if "sklearnex" in self.path and not hasattr(model, "_onedal_estimator"):
            self.remark = "fell back to scikit-learn"


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


class KMeans(Estimator):
    def prepare(self, data, threads):
        self.X, init = data["X"], data["init"]
        self.model = self.estimator(
            n_clusters=len(init),
            init=init,
            n_init=1,
            max_iter=data["iterations"],
            tol=0.0,
            threads=threads,
        )

    def fit(self):
        self.model.fit(self.X)

    def answer(self):
        self.note_fallback(self.model)
        return {"centres": self.model.cluster_centers_, "labels": self.model.labels_}


class Discriminant(Estimator):
    def prepare(self, data, threads):
        self.X, self.y = data["X"], data["y"]
        self.model = self.estimator(threads=threads)

    def fit(self):
        self.model.fit(self.X, self.y)

    def answer(self):
        return {"posteriors": self.model.predict_proba(self.X)}


class Predict(Estimator):
    """One row through `predict` of a model that was fitted before; defaults, as a user has them."""

    def prepare(self, data, threads):
        X, y, self.row = data["X"], data["y"], data["row"]
        name = self.path.rpartition(".")[2]
        given = {}
        if name == "KMeans":
            given = {"n_clusters": len(data["init"]), "init": data["init"], "n_init": 1}
        elif name == "KNeighborsClassifier":
            given = {"n_neighbors": KNN}
        model = self.estimator(**given)
        model.fit(X) if name == "KMeans" else model.fit(X, y)
        self.predict = model.predict

    def answer(self):
        return {"labels": self.predict(self.row)}


# --- faiss: float32 only ---


class FaissNeighbors(Work):
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


class FaissKMeans(Work):
    """All rows (faiss would sample 256 a centre), the given start, labels by the final centres."""

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
        return {"centres": self.model.centroids, "labels": self.labels}


# --- approximate neighbours, each at settings that reach a recall of 0.9 or a little more ---


class HashNeighbors(Estimator):
    def prepare(self, data, threads):
        self.X, self.Q = data["X"], data["Q"]
        self.model = self.estimator(
            n_neighbors=data["k"], recall=0.9, random_state=0, threads=threads
        )

    def fit(self):
        self.model.fit(self.X)

    def answer(self):
        distances, ids = self.model.kneighbors(self.Q)
        self.remark = f"recall_ {self.model.recall_:.3f}"
        return {"ids": ids, "distances": distances}


class FaissApproximate(FaissNeighbors):
    """An index of faiss's factory, its one search parameter raised until a sample reaches 0.92."""

    def __init__(self, description, parameter):
        self.description, self.parameter, self.value = description, parameter, None

    def fit(self):
        self.index = self.faiss.index_factory(self.X.shape[1], self.description)
        self.index.train(self.X)
        self.index.add(self.X)

    def answer(self):
        if self.value is None:
            self.value = self.tuned()
            self.remark = f"{self.parameter}={self.value}"
        self.search_with(self.value)
        return super().answer()

    def search_with(self, value):
        self.faiss.ParameterSpace().set_index_parameter(self.index, self.parameter, value)

    def tuned(self):
        flat = self.faiss.IndexFlatL2(self.X.shape[1])
        flat.add(self.X)
        some = self.Q[:500]
        farthest = flat.search(some, self.k)[0][:, -1:] * 1.0001
        value = 1
        while value < 4096:
            self.search_with(value)
            if (self.index.search(some, self.k)[0] <= farthest).mean() >= 0.92:
                break
            value = max(value + 1, value * 5 // 4)
        return value


# --- scipy ---


class TreeNeighbors(Work):
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


class CdistNeighbors(Work):
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


class ScipyKMeans(Work):
    remark = "1 thread"

    def prepare(self, data, threads):
        from scipy.cluster import vq

        self.vq, self.data = vq, data

    def fit(self):
        X, init, steps = self.data["X"], self.data["init"], self.data["iterations"]
        self.centres, _ = self.vq.kmeans2(X, init.copy(), iter=steps, minit="matrix")
        self.labels, _ = self.vq.vq(X, self.centres)

    def answer(self):
        return {"centres": self.centres, "labels": self.labels}


# --- the tile family, one thread, and the two rates beside it ---


class Tile(Work):
    """The nearest row of B for every row of A, both laid out for the micro-kernel beforehand."""

    def prepare(self, data, threads):
        self.tiles = importlib.import_module("statfast._core.tiles")
        A, B = data["A"], data["B"]
        self.depth, single = A.shape[1], A.dtype == np.float32
        rows, columns = self.tiles.tile_shape("f" if single else "d")
        self.count = len(A)
        self.B = _padded(B, rows)
        self.start, norm = (np.empty(len(self.B), dtype=A.dtype) for _ in range(2))
        self.tiles.measure(self.B, self.depth, self.start, norm)
        self.start[len(B) :] = -np.inf  # the rows that only fill up the last tile
        A = _padded(A, columns)
        self.panels = np.empty(A.size, dtype=A.dtype)
        self.tiles.pack(A, self.panels)
        self.best = np.empty(len(A), dtype=A.dtype)
        self.index = np.empty(len(A), dtype=np.int32 if single else np.int64)

    def answer(self):
        self.best.fill(-np.inf)
        self.tiles.largest(self.B, self.start, self.panels, self.depth, self.best, self.index)
        return {"nearest": self.index[: self.count]}


def _padded(rows, multiple):
    """The rows, and as many rows of zeros as make their number a multiple."""
    return np.pad(rows, ((0, -len(rows) % multiple), (0, 0)))


class FmaLoop(Work):
    """The register-only loop, timed in the same rounds: the peak under the same clock."""

    def prepare(self, data, threads):
        self.tiles = importlib.import_module("statfast._core.tiles")
        (m, K), n = data["A"].shape, len(data["B"])
        self.kind, self.flops = data["A"].dtype.char, 2.0 * m * n * K

    def answer(self):
        return {"seconds": self.flops / self.tiles.fma_peak(self.kind, FMA_SECONDS)}


class Matmul(Work):
    remark = "matmul, no arg-min"

    def prepare(self, data, threads):
        self.A, self.B = data["A"], data["B"].T
        self.out = np.empty((len(data["A"]), len(data["B"])), dtype=data["A"].dtype)

    def answer(self):
        np.matmul(self.A, self.B, out=self.out)
        return NOTHING


# --- import time ---


class Import(Work):
    """A new process each time; what numpy and scipy.linalg need is loaded before the clock."""

    def __init__(self, *modules):
        self.modules = modules

    def prepare(self, data, threads):
        for module in self.modules:
            importlib.import_module(module)  # absent or broken: said here, and the disk is warm
        self.program = (
            "import time, numpy, scipy.linalg\n"
            "start = time.perf_counter()\n"
            f"import {', '.join(self.modules)}\n"
            "print(time.perf_counter() - start)"
        )

    def answer(self):
        command = [sys.executable, "-c", self.program]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        return {"seconds": float(run.stdout.splitlines()[-1])}
