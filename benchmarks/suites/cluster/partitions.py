# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``partitions``: k-prototypes, spherical k-means and k-means with bounds on sizes.

Rows are drawn around planted centers, and answers compared with the planted partition by cost.
"""

import importlib
from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, FitThen
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Library, Suite

CODED = 14  # columns of categories of a table
KINDS = 6  # categories of such a column
NOISE = 0.4  # the share of categories that are drawn anew
ITERATIONS = 20  # of faiss, which has no test of convergence
CATEGORIES = list(range(CODED))

# --- data and problems ---


def table(n, p, k, seed):
    """Columns of categories and of numbers, each about the prototype of its group."""
    rng = np.random.default_rng(seed)
    group = rng.integers(k, size=n)
    codes = rng.integers(KINDS, size=(k, CODED))[group]
    drawn = rng.random(codes.shape) < NOISE
    codes[drawn] = rng.integers(KINDS, size=drawn.sum())
    numbers = 3.0 * rng.standard_normal((k, p))[group] + rng.standard_normal((n, p))
    return {"X": np.hstack([codes, numbers]), "k": k, "group": group}


def directions(n, d, k, seed):
    rng = np.random.default_rng(seed)
    group = rng.integers(k, size=n)
    rows = rng.standard_normal((k, d))[group] + 1.2 * rng.standard_normal((n, d))
    return {"X": rows.astype(np.float32), "k": k, "group": group}


def uneven(n, d, k, seed):
    """Groups of which the first is half of the rows, and bounds that make all equal."""
    rng = np.random.default_rng(seed)
    group = np.where(rng.random(n) < 0.5, 0, rng.integers(k, size=n))
    rows = rng.standard_normal((k, d))[group] + rng.standard_normal((n, d))
    return {"X": rows, "k": k, "size": n // k, "group": np.arange(n) % k}


def _problem(task, make, n, d, k, *, beyond=False):
    size = f"{CODED} + {d}" if task == "prototypes" else d
    name = f"{task} {n} x {size} k={k}"
    return Problem(name, task, partial(make, n, d, k), group="" if beyond else task, beyond=beyond)


# --- the libraries ---


class KModesPrototypes(Adapter):
    """The package kmodes, which is told the columns of categories when it fits."""

    remark = "1 thread"

    def prepare(self, data, threads):
        kind = importlib.import_module("kmodes.kprototypes").KPrototypes
        self.X, self.model = data["X"], kind(data["k"], init="Cao", n_init=1, random_state=0)

    def fit(self):
        self.model.fit(self.X, categorical=CATEGORIES)

    def answer(self):
        return {"labels": self.model.labels_}


class FaissSpherical(Adapter):
    """All rows (faiss would sample 256 a center), divided by their lengths."""

    def prepare(self, data, threads):
        import faiss

        faiss.omp_set_num_threads(threads)
        self.faiss, self.X, self.k = faiss, data["X"], data["k"]

    def fit(self):
        rows = self.X.copy()
        self.faiss.normalize_L2(rows)
        model = self.faiss.Kmeans(
            rows.shape[1], self.k, niter=ITERATIONS, spherical=True,
            max_points_per_centroid=len(rows), min_points_per_centroid=1,
        )  # fmt: skip
        model.train(rows)
        self.labels = model.index.search(rows, 1)[1][:, 0]

    def answer(self):
        return {"labels": self.labels}


_LABELS = {"labels": "labels_"}
_SIZED = {"n_clusters": "k", "size_min": "size", "size_max": "size"}
OURS = {
    "prototypes": partial(
        FitThen, "statfast.KPrototypes", answers=_LABELS, from_data={"n_clusters": "k"},
        categorical_features=CATEGORIES,
    ),
    "spherical": partial(
        FitThen, "statfast.SphericalKMeans", answers=_LABELS, from_data={"n_clusters": "k"},
        random_state=0,
    ),
    "sized": partial(
        FitThen, "statfast.KMeansConstrained", answers=_LABELS, from_data=_SIZED, random_state=0
    ),
}  # fmt: skip
CONSTRAINED = partial(
    FitThen, "k_means_constrained.KMeansConstrained", answers=_LABELS, from_data=_SIZED,
    n_init=1, random_state=0,
)  # fmt: skip

# --- the checks ---


def _scatter(X, labels):
    """The sum of squared distances to the means of the clusters."""
    total = float((X * X).sum())
    for c in np.unique(labels):
        members = X[labels == c]
        total -= float((members.sum(axis=0) ** 2).sum()) / len(members)
    return total


def _unit_cost(X, labels):
    """The sum of 1 - cosine with the directions of the clusters."""
    X = X / np.sqrt((X * X).sum(axis=1, keepdims=True))
    sums = [X[labels == c].sum(axis=0) for c in np.unique(labels)]
    return len(X) - sum(float(np.sqrt(total @ total)) for total in sums)


def _table_cost(X, labels):
    """The cost of k-prototypes by the modes and means of the clusters."""
    gamma = 0.5 * X[:, CODED:].std(axis=0).mean()
    mismatches = 0
    for c in np.unique(labels):
        codes = X[labels == c, :CODED].astype(np.intp)
        mismatches += codes.size - sum(np.bincount(column).max() for column in codes.T)
    return _scatter(X[:, CODED:], labels) + gamma * mismatches


COSTS = {"prototypes": _table_cost, "spherical": _unit_cost, "sized": _scatter}


class CostCheck(Check):
    """How much more a partition costs than the planted one, and how far sizes are off."""

    def __init__(self, data, cost):
        self.X, self.k, self.cost = data["X"].astype(np.float64), data["k"], cost
        self.size, self.parts = data.get("size"), {"labels": (len(self.X),)}
        self.planted = cost(self.X, data["group"])

    def errors(self, answer):
        labels = np.asarray(answer["labels"]).astype(np.intp)
        errors = {"excess cost": max(0.0, self.cost(self.X, labels) / self.planted - 1.0)}
        if self.size is not None:
            sizes = np.bincount(labels, minlength=self.k)
            errors["size error"] = float(np.abs(sizes - self.size).max())
        return errors


SUITE = Suite(
    name="partitions",
    title="k-prototypes, spherical and constrained k-means (fit)",
    family="k-means",
    problems=[
        _problem("prototypes", table, 100_000, 6, 10),
        _problem("spherical", directions, 100_000, 128, 50),
        _problem("spherical", directions, 20_000, 300, 100, beyond=True),
        _problem("sized", uneven, 23_000, 50, 10),
    ],
    quick=[
        _problem("prototypes", table, 600, 2, 3),
        _problem("spherical", directions, 600, 8, 3),
        _problem("sized", uneven, 600, 4, 3),
    ],
    libraries={
        "statfast": Library(OURS),
        "kmodes": Library({"prototypes": KModesPrototypes}),
        "faiss": Library({"spherical": FaissSpherical}),
        "k-means-constrained": Library({"sized": CONSTRAINED}),
    },
    checks={task: partial(CostCheck, cost=cost) for task, cost in COSTS.items()},
    tolerances={
        "prototypes": Tolerances({"excess cost": 0.2}),
        "spherical": Tolerances({"excess cost": 0.2}),
        "sized": Tolerances({"excess cost": 0.0, "size error": 0.0}),
    },
    bars={
        "prototypes": [Bar("100 000 rows of 14 categories and 6 numbers", least=10.0)],
        "spherical": [Bar("100 000 x 128, k = 50", least=3.0)],
        "sized": [Bar("23 000 x 50, k = 10 of equal size", least=10.0)],
        "": [Bar("other shapes")],
    },
)
