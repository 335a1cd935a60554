# SPDX-License-Identifier: BSD-3-Clause
"""The suites ``kmedoids`` and ``silhouette``.

FasterPAM starts from the same medoids for everyone and has to reach the same loss. "from points"
begins with rows, whose distances count; without a matrix there is no peer.
"""

import importlib
from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, difference
from benchmarks.harness.problem import F64, Problem
from benchmarks.harness.rows import rows_of
from benchmarks.harness.suite import Growth, Library, Suite

BUDGET = 20.0  # seconds of rounds for each library and problem
LIMIT = 120.0  # seconds of a library's first run
HOPELESS = 3.0
MAX_ROWS_OF_MATRIX = 30_000  # rows whose matrix a peer may build
CANDIDATES = 200  # rows that a check tries as medoids


# --- data and problems ---


def _data(kind, n, d, k, seed):
    from scipy.spatial.distance import cdist

    data = _points(kind, n, d, k, seed)
    return {**data, "D": cdist(data["X"], data["X"])}


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


# --- adapters ---


class Medoids(Adapter):
    """FasterPAM on a matrix, or from rows, of statfast."""

    def __init__(self, *, from_points=False):
        self.from_points = from_points

    def prepare(self, data, threads):
        KMedoids = importlib.import_module("statfast.cluster").KMedoids
        start = data["start"]
        metric = "euclidean" if self.from_points else "precomputed"
        self.X = data["X" if self.from_points else "D"]
        self.model = KMedoids(len(start), metric=metric, init=start, n_jobs=threads)

    def fit(self):
        self.model.fit(self.X)

    def answer(self):
        loss = f"loss {self.model.inertia_:.6g}"
        self.remark = f"{loss}, {self.model.n_swaps_} swaps in {self.model.n_iter_} passes"
        return {"medoids": self.model.medoid_indices_, "loss": np.array(self.model.inertia_)}


class PeerMedoids(Adapter):
    """The package kmedoids; from rows after scipy's cdist. One thread is its fastest."""

    def __init__(self, *, from_points=False):
        self.from_points = from_points

    def prepare(self, data, threads):
        self.kmedoids = importlib.import_module("kmedoids")
        self.X, self.D = data["X"], data.get("D")
        self.start = data["start"].astype(np.uint64)
        if len(self.X) > MAX_ROWS_OF_MATRIX:
            raise NotImplementedError("the matrix would not fit")

    def fit(self):
        if self.from_points:
            from scipy.spatial.distance import cdist

            self.D = cdist(self.X, self.X)
        self.result = self.kmedoids.fasterpam(self.D, self.start.copy(), n_cpu=1)

    def answer(self):
        return {"medoids": np.asarray(self.result.medoids), "loss": np.array(self.result.loss)}


class BanditMedoids(Adapter):
    """The package banditpam: PAM by samples, from rows and a start of its own; float32 inside."""

    remark = "from a start of its own"

    def prepare(self, data, threads):
        self.KMedoids = importlib.import_module("banditpam").KMedoids
        self.X, self.k = data["X"], len(data["start"])

    def fit(self):
        self.model = self.KMedoids(n_medoids=self.k, algorithm="BanditPAM")
        self.model.fit(self.X, "L2")

    def answer(self):
        loss = np.array(self.model.average_loss * len(self.X))
        return {"medoids": np.asarray(self.model.medoids).astype(np.intp), "loss": loss}


class Samples(Adapter):
    """CLARA: how much is lost by looking at samples alone."""

    def prepare(self, data, threads):
        CLARA = importlib.import_module("statfast.cluster").CLARA
        k = len(data["start"])
        self.X, self.model = data["X"], CLARA(k, random_state=0, n_jobs=threads)

    def fit(self):
        self.model.fit(self.X)

    def answer(self):
        self.remark = f"loss {self.model.inertia_:.6g}"
        return {"medoids": self.model.medoid_indices_, "loss": np.array(self.model.inertia_)}


class Silhouette(Adapter):
    """`silhouette_score` of a module."""

    def __init__(self, module):
        self.module = module

    def prepare(self, data, threads):
        self.score = importlib.import_module(self.module).silhouette_score
        self.data = data
        self.options = {"n_jobs": threads}

    def answer(self):
        score = self.score(self.data["X"], self.data["labels"], **self.options)
        return {"score": np.array(score)}


# --- the checks ---


class MedoidsCheck(Check):
    """The loss that the medoids give, beside the one they are said to give; and by how much a swap
    of a medoid for a row, of a sample, would better it, which it must not."""

    def __init__(self, data):
        self.X = data["X"]
        self.parts = {"medoids": (len(data["start"]),), "loss": ()}
        self.names = {"medoids": len(self.X)}
        rng = np.random.default_rng(0)
        self.candidates = rng.choice(len(self.X), min(CANDIDATES, len(self.X)), replace=False)

    def _distances(self, row):
        return np.sqrt(np.square(self.X - self.X[row]).sum(axis=1))

    def errors(self, answer):
        medoids = np.asarray(answer["medoids"]).astype(np.intp)
        first = second = np.full(len(self.X), np.inf)
        nearest = np.zeros(len(self.X), dtype=np.intp)
        for number, medoid in enumerate(medoids):
            apart = self._distances(medoid)
            second = np.minimum(second, np.maximum(apart, first))
            nearest[apart < first] = number
            first = np.minimum(first, apart)
        loss, gain = first.sum(), 0.0
        for row in self.candidates:
            apart = self._distances(row)
            closer = np.minimum(apart - first, 0.0)
            without = np.minimum(apart, second) - first - closer  # where the row's medoid goes
            change = closer.sum() + np.bincount(nearest, without, minlength=len(medoids))
            gain = np.maximum(gain, -change.min())
        return {
            "loss error": abs(float(answer["loss"]) / loss - 1),
            "swap gain": float(gain / loss),
        }


def mean_silhouette(data):
    """The mean of the widths by sums over clusters, row by row."""
    X, labels = data["X"], data["labels"]
    widths = []
    clusters = np.unique(labels)
    for i in range(len(X)):
        distances = np.sqrt(np.square(X - X[i]).sum(axis=1))
        sums, sizes = np.bincount(labels, distances), np.bincount(labels)
        label = labels[i]
        inside = sums[label] / max(1, sizes[label] - 1)
        outside = min(sums[c] / sizes[c] for c in clusters if c != label)
        widths.append((outside - inside) / max(inside, outside) if sizes[label] > 1 else 0.0)
    return {"score": np.mean(widths)}


# --- the suites ---

TASKS = ("kmedoids", "kmedoids points")
KMEDOIDS = Suite(
    name="kmedoids",
    title="k-medoids by FasterPAM, from the same start",
    family="clustering, mixtures, patterns",
    problems=[
        *(swaps("blobs", n, k) for n in (5_000, 10_000, 20_000) for k in (10, 50, 200)),
        swaps("uniform", 10_000, 50),
        points("blobs", 20_000, 50, group="points"),
        points("blobs", 100_000, 50, beyond=True),
    ],
    quick=[swaps("blobs", 600, 7), points("blobs", 500, 5)],
    growth=Growth(100_000, lambda n: points("blobs", n, 50, beyond=True), power=2),
    libraries={
        "statfast": Library(
            {"kmedoids": Medoids, "kmedoids points": partial(Medoids, from_points=True)}
        ),
        "kmedoids": Library(
            {"kmedoids": PeerMedoids, "kmedoids points": partial(PeerMedoids, from_points=True)}
        ),
        "statfast (CLARA)": Library({"kmedoids points": Samples}, not_a_peer="samples of the rows"),
        "banditpam": Library({"kmedoids points": BanditMedoids}),
    },
    checks=dict.fromkeys(TASKS, MedoidsCheck),
    tolerances=dict.fromkeys(TASKS, Tolerances({"loss error": 1e-10, "swap gain": 1e-10})),
    bars={
        "swaps": [Bar("FasterPAM on a matrix, n = 5k to 20k, k = 10 to 200", least=4.0)],
        "points": [Bar("from points, n = 20k", least=4.0)],
    },
)

SILHOUETTE = Suite(
    name="silhouette",
    title="silhouettes",
    family="clustering, mixtures, patterns",
    problems=[
        silhouette(20_000, 10, 10),
        silhouette(20_000, 2, 50, beyond=True),
        silhouette(5_000, 100, 5, beyond=True),
    ],
    quick=[silhouette(500, 4, 3)],
    growth=Growth(20_000, lambda n: silhouette(n, 10, 10), power=2),
    libraries={
        "statfast": Library({"silhouette": partial(Silhouette, "statfast.metrics")}),
        "scikit-learn": Library({"silhouette": partial(Silhouette, "sklearn.metrics")}),
    },
    checks={"silhouette": Check.of_twin(mean_silhouette, {"score error": difference})},
    tolerances={"silhouette": Tolerances({"score error": 1e-9})},
    bars={"silhouette": [Bar("n = 2e4, d = 10", least=6.0)]},
)
