# SPDX-License-Identifier: BSD-3-Clause
"""Recall against time of approximate search: ``python -m benchmarks.lsh_curve mnist``, ``--plot``.

Every library answers the same queries, all at once, on the same threads, at several settings;
recall is the fraction of a query's ten answers no farther than its tenth neighbour, by float64
brute force. A run adds its points to `results/lsh-curve.json`; `--plot` draws the picture of the
documentation from that file.
"""

import argparse
import json
import os
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.problem import SPREAD, mnist

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "lsh-curve.json"
PICTURE = ROOT / "docs" / "theory" / "lsh_curve.png"
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


# ------------------------------------------------------------------ libraries
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
def timed(work):
    start = time.perf_counter()
    answer = work()
    return time.perf_counter() - start, answer


def recall_of(ids, X, Q, limit):
    """`limit` is a little more than the squared distance to the last true neighbour."""
    found = X[ids.astype(np.intp)].astype(np.float64) - Q[:, None]
    return float(((found**2).sum(axis=2) <= limit[:, None]).mean())


def run(kind, names):
    """Measure, and add to the file of results."""
    from statfast.neighbors import NearestNeighbors

    X, Q = rows_of(kind)
    exact = NearestNeighbors(K, algorithm="brute").fit(X).kneighbors(Q)[0]
    limit = exact[:, -1] ** 2 * (1 + 1e-9)
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in names:
        points = []
        try:
            for setting, build, answer in LIBRARIES[name](X, Q):
                answer()
                rounds = [timed(answer) for _ in range(ROUNDS)]
                seconds = min(second for second, _ in rounds)
                recall = recall_of(rounds[0][1], X, Q, limit)
                points.append({
                    "setting": setting, "recall": round(recall, 4), "build": round(build, 3),
                    "microseconds": round(seconds / len(Q) * 1e6, 2),
                })  # fmt: skip
                print(f"{kind:9} {name:30} {points[-1]}", flush=True)
        except ImportError as error:
            print(f"{kind:9} {name:30} skipped: {error}")
            continue
        results.setdefault(kind, {})[name] = points
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")


def plot():
    """Draw what the file of results holds."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    results = json.loads(RESULTS.read_text())
    kinds = [kind for kind in TITLES if kind in results]
    figure, axes = plt.subplots(1, len(kinds), figsize=(4.6 * len(kinds), 4.4), squeeze=False)
    marks = dict(zip(LIBRARIES, "o*XvsD^P", strict=True))
    colours = dict(zip(LIBRARIES, plt.cm.tab10.colors, strict=False))
    for ax, kind in zip(axes[0], kinds, strict=True):
        for name in LIBRARIES:
            points = sorted(results[kind].get(name, []), key=lambda point: point["recall"])
            if not points:
                continue
            x, y = ([point[key] for point in points] for key in ("recall", "microseconds"))
            ours_too = name.startswith("statfast")
            ax.plot(x, y, marks[name] + "-", color=colours[name], label=name,
                    lw=2.2 if ours_too else 1.2, ms=11 if "exact" in name else 5)  # fmt: skip
        ax.set(yscale="log", title=TITLES[kind], xlabel="recall of 10 neighbours")
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
        if os.environ.get(variable) != str(THREADS):
            os.environ[variable] = str(THREADS)
    for one in given.kinds:
        run(one, given.libraries)
    if given.plot:
        plot()
    sys.exit(0)
