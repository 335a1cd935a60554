# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``lsh``: approximate neighbors, every library at settings that reach a recall of 0.9.

Recall against time at several settings: ``python -m benchmarks.suites.neighbors.lsh mnist``, and
the picture with ``--plot``.
Every library answers the same queries, all at once, on the same threads; recall is the fraction of
a query's ten answers no farther than its tenth neighbor, by float64 brute force. A run adds its
points to `results/lsh-curve.jsonl`, a line for each; `--plot` draws them, beside it.
"""

import argparse
import json
import os
import time
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.harness.adapter import Estimator
from benchmarks.harness.check import Tolerances
from benchmarks.harness.problem import F32, SIZES, Problem
from benchmarks.harness.rows import SPREAD, mnist
from benchmarks.harness.suite import Growth, Library, Suite
from benchmarks.suites.neighbors.knn import (
    FaissNeighbors,
    Neighbors,
    NeighborsCheck,
    neighbors_data,
)

# ------------------------------------------------------------------ the suite


def _approximate(kind, n, m, d, k):
    name = f"{kind} {n}x{m}x{d} k={k} recall 0.9"
    make = partial(neighbors_data, kind, n, m, d, k, F32)
    nbytes = float(n * d * SIZES[F32])
    return Problem(name, "approximate", make, F32, 2.0 * n * m * d, nbytes)


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


class RecallCheck(NeighborsCheck):
    """How many answers are farther than the k-th neighbor, or there twice: 1 - recall.

    The target is 0.1; a sample of queries is asked, so 0.13 passes. A negative id stands for none
    found, as with faiss.
    """

    def __init__(self, data):
        super().__init__(data)
        self.names = {}

    def errors(self, answer):
        ids, distances = answer["ids"][self.rows].astype(np.intp), answer["distances"][self.rows]
        there = (ids >= 0) & (ids < len(self.X))
        given = self._reduced_distances(np.where(there, ids, 0))
        found = (there & (given <= self.best[:, -1:] * (1 + 1e-9))).mean()
        twice = 1 - np.mean([len(set(row)) / self.k for row in ids.tolist()])
        scale = np.sqrt(self.best).max()
        error = np.where(there, abs(distances - np.sqrt(given)) / scale, 0.0).max()
        return {"missed": float(1 - found + twice), "distance error": float(error)}


ROUNDED = {"missed": 0.13, "distance error": 1e-6}
SUITE = Suite(
    name="lsh",
    title="approximate neighbors, at a recall of 0.9 (build + query)",
    problems=[
        _approximate("mnist", 60_000, 10_000, 784, 10),
        _approximate("clusters", 200_000, 10_000, 32, 10),
        _approximate("normal", 100_000, 10_000, 64, 10),
    ],
    quick=[_approximate("normal", 3_000, 500, 16, 5)],
    growth=Growth(200_000, lambda n: _approximate("clusters", n, 10_000, 32, 10)),
    libraries={
        "statfast": Library(
            {"approximate": partial(HashNeighbors, "statfast.neighbors.LSHNeighbors")}
        ),
        "statfast (brute force)": Library(
            {"approximate": partial(Neighbors, "statfast.neighbors.NearestNeighbors")},
            not_a_peer="exact",
        ),
        "faiss (IVF)": Library(
            {"approximate": partial(FaissApproximate, "IVF256,Flat", "nprobe")},
            packages=("faiss-cpu",),
        ),
        "faiss (HNSW)": Library(
            {"approximate": partial(FaissApproximate, "HNSW16", "efSearch")},
            packages=("faiss-cpu",),
        ),
    },
    checks={"approximate": RecallCheck},
    tolerances={"approximate": Tolerances(ROUNDED, loose=ROUNDED | {"distance error": 0.01})},
    bars={},
)

# ------------------------------------------------------------------ the curve
ROOT = Path(__file__).resolve().parents[3]
CURVE = ROOT / "benchmarks" / "results" / "lsh-curve.jsonl"
PICTURE = ROOT / "benchmarks" / "results" / "lsh_curve.png"
K, QUERIES, THREADS, ROUNDS = 10, 2000, 2, 3
TITLES = {
    "mnist": "MNIST, 60 000 x 784",
    "clusters": "20 clusters, 200 000 x 32",
    "normal": "normal, 100 000 x 64",
}


def rows_of(kind):
    """Fitted rows and queries, float32."""
    if kind == "mnist":
        digits = mnist()
        return digits.X_train.astype(np.float32), digits.X_test[:QUERIES].astype(np.float32)
    n, d = {"clusters": (200_000, 32), "normal": (100_000, 64)}[kind]
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((n + QUERIES, d), np.float32)
    if kind == "clusters":
        rows += SPREAD[kind] * rng.standard_normal((20, d), np.float32)[np.arange(len(rows)) % 20]
    return rows[:n], rows[n:].copy()


# ------------------------------------------------------------------ libraries of the curve
# Each yields (setting, seconds of the build, a function that answers).


def ours(X, Q):
    from statfast.neighbors import LSHNeighbors

    for recall in (0.5, 0.7, 0.8, 0.9, 0.95, 0.98):
        model = LSHNeighbors(K, recall=recall, random_state=0, n_jobs=THREADS)
        seconds = timed(partial(model.fit, X))[0]
        yield f"recall={recall}", seconds, lambda model=model: model.kneighbors(Q)[1]


def ours_exact(algorithm, X, Q):
    from statfast.neighbors import NearestNeighbors

    model = NearestNeighbors(K, algorithm=algorithm, n_jobs=THREADS)
    seconds = timed(partial(model.fit, X))[0]
    yield "exact", seconds, lambda: model.kneighbors(Q)[1]


def of_faiss(make, setting, values, X, Q):
    import faiss

    faiss.omp_set_num_threads(THREADS)
    index = make(faiss, X.shape[1])

    def build():
        if not index.is_trained:
            index.train(X)
        index.add(X)

    seconds = timed(build)[0]
    for value in values:
        if setting:
            faiss.ParameterSpace().set_index_parameter(index, setting, value)
        yield f"{setting}={value}", seconds, lambda: index.search(Q, K)[1]


def faiss_lsh(X, Q):
    for bits in (256, 1024, 4096):
        yield from of_faiss(lambda f, d, bits=bits: f.IndexLSH(d, bits), "", [bits], X, Q)


def faiss_ivf(X, Q):
    def make(f, d):
        return f.index_factory(d, "IVF256,Flat")

    yield from of_faiss(make, "nprobe", [1, 2, 4, 8, 16, 32, 64], X, Q)


def faiss_hnsw(X, Q):
    def make(f, d):
        index = f.IndexHNSWFlat(d, 16)
        index.hnsw.efConstruction = 60
        return index

    yield from of_faiss(make, "efSearch", [16, 32, 64, 128, 256], X, Q)


def usearch(X, Q):
    from usearch.index import Index

    index = Index(ndim=X.shape[1], metric="l2sq", dtype="f32", connectivity=16, expansion_add=60)
    seconds = timed(lambda: index.add(np.arange(len(X)), X, threads=THREADS))[0]
    for breadth in (16, 32, 64, 128, 256):
        index.expansion_search = breadth
        yield (
            f"expansion_search={breadth}",
            seconds,
            lambda: np.asarray(index.search(Q, K, threads=THREADS).keys),
        )


def pynndescent(X, Q):
    from pynndescent import NNDescent

    index = NNDescent(X, n_neighbors=30, n_jobs=THREADS, random_state=0)
    seconds = timed(index.prepare)[0]  # with its compilation, without the descent before it
    for epsilon in (0.0, 0.1, 0.2, 0.3):
        yield f"epsilon={epsilon}", seconds, lambda e=epsilon: index.query(Q, K, epsilon=e)[0]


LIBRARIES = {
    "statfast LSHNeighbors": ours,
    "statfast brute force (exact)": partial(ours_exact, "brute"),
    "statfast k-d tree (exact)": partial(ours_exact, "kd_tree"),
    "faiss IndexLSH": faiss_lsh,
    "faiss IVF256,Flat": faiss_ivf,
    "faiss HNSW (16)": faiss_hnsw,
    "usearch HNSW (16)": usearch,
    "pynndescent": pynndescent,
}


# ------------------------------------------------------------------ measurement
def timed(call):
    start = time.perf_counter()
    answer = call()
    return time.perf_counter() - start, answer


def recall_of(ids, X, Q, limit):
    """`limit` is a little more than the squared distance to the last true neighbor.

    Ids that are no row's, and all but one of those given twice, are not found.
    """
    ids = np.sort(ids.astype(np.intp), axis=1)
    there = (ids >= 0) & (ids < len(X))
    there[:, 1:] &= ids[:, 1:] != ids[:, :-1]
    found = X[np.where(there, ids, 0)].astype(np.float64) - Q[:, None]
    return float((there & ((found**2).sum(axis=2) <= limit[:, None])).mean())


def limits_of(X, Q):
    """The limit of each query in float64: by differences, of the nearest by an expansion."""
    X, Q = X.astype(np.float64), Q.astype(np.float64)
    squares, last = (X**2).sum(axis=1), []
    for q in Q:
        near = np.argpartition(squares - 2 * (X @ q), 2 * K)[: 2 * K]
        last.append(np.sort(((X[near] - q) ** 2).sum(axis=1))[K - 1])
    return np.array(last) * (1 + 1e-9)


def run(kind, names):
    """Measure, and write the points among those of the other rows and libraries."""
    X, Q = rows_of(kind)
    limit = limits_of(X, Q)
    for name in names:
        points = []
        try:
            for setting, build, answer in LIBRARIES[name](X, Q):
                answer()
                rounds = [timed(answer) for _ in range(ROUNDS)]
                seconds = min(second for second, _ in rounds)
                points.append({
                    "rows": kind, "library": name, "setting": setting,
                    "recall": round(recall_of(rounds[0][1], X, Q, limit), 4),
                    "build": round(build, 3), "microseconds": round(seconds / len(Q) * 1e6, 2),
                })  # fmt: skip
                print(*points[-1].values(), flush=True)
        except ImportError as error:
            print(f"{kind:9} {name:30} skipped: {error}")
            continue
        others = [one for one in curve() if (one["rows"], one["library"]) != (kind, name)]
        CURVE.write_text("".join(json.dumps(one) + "\n" for one in others + points))


def curve():
    """The points of all runs."""
    lines = CURVE.read_text().splitlines() if CURVE.exists() else []
    return [json.loads(line) for line in lines]


def plot():
    """Draw what the file of results holds."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    every = curve()
    kinds = [kind for kind in TITLES if any(one["rows"] == kind for one in every)]
    figure, axes = plt.subplots(1, len(kinds), figsize=(4.6 * len(kinds), 4.4), squeeze=False)
    marks = dict(zip(LIBRARIES, "o*XvsD^P", strict=True))
    colors = dict(zip(LIBRARIES, plt.cm.tab10.colors, strict=False))
    for ax, kind in zip(axes[0], kinds, strict=True):
        for name in LIBRARIES:
            points = [one for one in every if (one["rows"], one["library"]) == (kind, name)]
            points.sort(key=lambda point: point["recall"])
            if not points:
                continue
            x, y = ([point[key] for point in points] for key in ("recall", "microseconds"))
            ours_too = name.startswith("statfast")
            ax.plot(x, y, marks[name] + "-", color=colors[name], label=name,
                    lw=2.2 if ours_too else 1.2, ms=11 if "exact" in name else 5)  # fmt: skip
        ax.set(yscale="log", title=TITLES[kind], xlabel="recall of 10 neighbors")
        ax.grid(which="both", alpha=0.25)
    axes[0][0].set_ylabel("microseconds a query, two threads")
    handles = {}
    for ax in axes[0]:
        handles |= dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    figure.legend(handles.values(), handles.keys(), loc="lower center", ncol=4, frameon=False)
    figure.tight_layout(rect=(0, 0.12, 1, 1))
    figure.savefig(PICTURE, dpi=110)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", help="of " + ", ".join(TITLES))
    parser.add_argument("--libraries", nargs="*", default=list(LIBRARIES))
    parser.add_argument("--plot", action="store_true")
    given = parser.parse_args()
    for variable in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "STATFAST_NUM_THREADS"):
        os.environ[variable] = str(THREADS)
    for one in given.kinds:
        run(one, given.libraries)
    if given.plot:
        plot()
