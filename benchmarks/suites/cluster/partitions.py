# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``partitions``: k-modes, k-prototypes, spherical k-means, k-means with bounds on sizes,
and Genie.

Rows are drawn around planted centers, and answers compared with the planted partition by cost;
those of Genie are compared with its definition.
"""

import importlib
from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, FitThen
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite
from benchmarks.suites.cluster.linkage import spanning_tree

CODED = 14  # columns of categories of a table
KINDS = 6  # categories of such a column
NOISE = 0.4  # the share of categories that are drawn anew
ITERATIONS = 20  # of faiss, which has no test of convergence
CATEGORIES = list(range(CODED))
SECONDS_ALLOWED = 100.0  # of a run: kmodes would take many minutes for 100 000 rows
GINI = 0.3  # the inequality of sizes above which Genie merges the smallest clusters

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
    rows = (rng.standard_normal((k, d))[group] + 1.2 * rng.standard_normal((n, d))).astype("f")
    start = rows[rng.choice(n, k, replace=False)]
    start /= np.sqrt((start * start).sum(axis=1, keepdims=True))
    return {"X": rows, "k": k, "group": group, "start": start}


def uneven(n, d, k, seed):
    """Groups of which the first is half of the rows, and bounds that make all equal."""
    rng = np.random.default_rng(seed)
    group = np.where(rng.random(n) < 0.5, 0, rng.integers(k, size=n))
    rows = rng.standard_normal((k, d))[group] + rng.standard_normal((n, d))
    return {"X": rows, "k": k, "size": n // k, "group": np.arange(n) % k}


def codes(n, p, k, seed):
    """Columns of categories alone."""
    data = table(n, 0, k, seed)
    return data | {"X": data["X"].astype(np.int64)}


def clouds(n, d, k, seed):
    """Clouds with as many rows each, wide enough to touch."""
    rng = np.random.default_rng(seed)
    X = 4.0 * rng.standard_normal((k, d))[np.arange(n) % k] + rng.standard_normal((n, d))
    return {"X": X, "k": k}


def _problem(task, make, n, d, k, *, beyond=False):
    size = {"prototypes": f"{CODED} + {d}", "modes": CODED}.get(task, d)
    name = f"{task} {n} x {size} k={k}"
    group = "" if beyond else task
    return Problem(
        name, task, partial(make, n, d, k), group=group, beyond=beyond, limit=SECONDS_ALLOWED
    )


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


class NewGenie(FitThen):
    """Genie, as a new model for each fit: the package genieclust keeps the tree of the last."""

    def fit(self):
        self.prepare(self.data, self.threads)
        super().fit()

    def prepare(self, data, threads):
        self.data, self.threads = data, threads
        super().prepare(data, threads)


class FaissSpherical(Adapter):
    """All rows (faiss would sample 256 a center), divided by their lengths; from the start that is
    given, or from rows drawn at random, as faiss does by default."""

    def __init__(self, same_start):
        self.same_start = same_start

    def prepare(self, data, threads):
        import faiss

        faiss.omp_set_num_threads(threads)
        self.faiss, self.X, self.k = faiss, data["X"], data["k"]
        self.start = data["start"] if self.same_start else None

    def fit(self):
        rows = self.X.copy()
        self.faiss.normalize_L2(rows)
        model = self.faiss.Kmeans(
            rows.shape[1], self.k, niter=ITERATIONS, spherical=True,
            max_points_per_centroid=len(rows), min_points_per_centroid=1,
        )  # fmt: skip
        model.train(rows, init_centroids=self.start)
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
    "modes": partial(
        FitThen, "statfast.KModes", answers=_LABELS, from_data={"n_clusters": "k"}, init="cao"
    ),
    "genie": partial(
        FitThen, "statfast.AgglomerativeClustering", answers=_LABELS, from_data={"n_clusters": "k"},
        linkage="genie", gini_threshold=GINI,
    ),
    "spherical": partial(
        FitThen, "statfast.SphericalKMeans", answers=_LABELS,
        from_data={"n_clusters": "k", "init": "start"}, max_iter=ITERATIONS, tol=0.0,
    ),
    "spherical, own start": partial(
        FitThen, "statfast.SphericalKMeans", answers=_LABELS, from_data={"n_clusters": "k"},
        random_state=0,
    ),
    "sized": partial(
        FitThen, "statfast.KMeansConstrained", answers=_LABELS, from_data=_SIZED, random_state=0
    ),
}  # fmt: skip
CONSTRAINED = partial(
    FitThen, "k_means_constrained.KMeansConstrained", answers=_LABELS, from_data=_SIZED,
    threaded=False, n_init=1, random_state=0,
)  # fmt: skip
KMODES = partial(
    FitThen, "kmodes.kmodes.KModes", answers=_LABELS, from_data={"n_clusters": "k"}, init="Cao",
    n_init=1,
)  # fmt: skip
GENIE = partial(
    NewGenie, "genieclust.Genie", answers=_LABELS, from_data={"n_clusters": "k"}, threaded=False,
    gini_threshold=GINI,
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


def _mismatches(X, labels):
    """The mismatches of categories with the modes of the clusters."""
    total = 0
    for c in np.unique(labels):
        codes = X[labels == c, :CODED].astype(np.intp)
        total += codes.size - sum(np.bincount(column).max() for column in codes.T)
    return total


def _table_cost(X, labels):
    """The cost of k-prototypes by the modes and means of the clusters."""
    gamma = 0.5 * X[:, CODED:].std(axis=0).mean()
    return _scatter(X[:, CODED:], labels) + gamma * _mismatches(X, labels)


COSTS = {
    "modes": _mismatches, "prototypes": _table_cost, "spherical": _unit_cost,
    "spherical, own start": _unit_cost, "sized": _scatter,
}  # fmt: skip


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


def genie_labels(edges, n, k, threshold):
    """The clusters of Genie by its definition, an edge (a, b) of the spanning tree at a time; edges
    rise."""
    parent, size = list(range(n)), [1] * n
    counts, clusters, gap = {1: n}, n, 0  # clusters of each size; the sum of differences of sizes
    taken, first, light, least = bytearray(len(edges)), 0, 0, 1

    def root(point):
        while parent[point] != point:
            parent[point] = point = parent[parent[point]]
        return point

    def differences(value):
        return sum(times * abs(value - other) for other, times in counts.items())

    while clusters > k:
        if gap > threshold * n * (clusters - 1):
            while taken[light] or min(size[root(point)] for point in edges[light]) > least:
                light += 1
            e = light
        else:
            while taken[first]:
                first += 1
            e = first
        taken[e] = 1
        a, b = (root(point) for point in edges[e])
        p, q = size[a], size[b]
        gap += abs(p - q) - differences(p) - differences(q)
        for value in (p, q):
            counts[value] -= 1
            if not counts[value]:
                del counts[value]
        gap += differences(p + q)
        counts[p + q] = counts.get(p + q, 0) + 1
        parent[b], size[a] = a, p + q
        clusters -= 1
        if least != min(counts):
            least, light = min(counts), 0
    return np.unique([root(point) for point in range(n)], return_inverse=True)[1]


class GenieCheck(Check):
    """The share of rows that are not in the cluster which the definition has them in."""

    def __init__(self, data):
        X, n = data["X"], len(data["X"])
        tree = spanning_tree(X)
        order = np.argsort(tree.data)
        edges = list(zip(tree.row[order].tolist(), tree.col[order].tolist(), strict=True))
        self.labels = genie_labels(edges, n, data["k"], GINI)
        self.parts = {"labels": (n,)}

    def errors(self, answer):
        labels = np.asarray(answer["labels"]).astype(np.intp)
        pairs, count = np.unique(np.column_stack([self.labels, labels]), axis=0, return_counts=True)
        in_both = [count[pairs[:, 0] == c].max() for c in np.unique(self.labels)]
        apart = abs(len(np.unique(labels)) - len(in_both))
        return {"rows elsewhere": 1.0 - sum(in_both) / len(labels) + apart}


SUITE = Suite(
    name="partitions",
    title="k-modes, k-prototypes, spherical and constrained k-means, Genie (fit)",
    family="k-means",
    problems=[
        _problem("modes", codes, 20_000, 0, 10),
        _problem("prototypes", table, 10_000, 6, 10),
        _problem("prototypes", table, 100_000, 6, 10, beyond=True),
        _problem("spherical", directions, 100_000, 128, 50),
        _problem("spherical", directions, 20_000, 300, 100),
        _problem("spherical, own start", directions, 100_000, 128, 50, beyond=True),
        _problem("spherical, own start", directions, 20_000, 300, 100, beyond=True),
        _problem("sized", uneven, 23_000, 50, 10),
        _problem("genie", clouds, 100_000, 2, 10),
        _problem("genie", clouds, 100_000, 3, 10),
    ],
    quick=[
        _problem("modes", codes, 600, 0, 3),
        _problem("prototypes", table, 600, 2, 3),
        _problem("spherical", directions, 600, 8, 3),
        _problem("spherical, own start", directions, 600, 8, 3, beyond=True),
        _problem("sized", uneven, 600, 4, 3),
        _problem("genie", clouds, 600, 2, 3),
    ],
    growth=Growth(100_000, lambda n: _problem("spherical", directions, n, 128, 50)),
    libraries={
        "statfast": Library(OURS),
        "kmodes": Library({"modes": KMODES, "prototypes": KModesPrototypes}),
        "faiss": Library(
            {
                "spherical": partial(FaissSpherical, True),
                "spherical, own start": partial(FaissSpherical, False),
            }
        ),
        "k-means-constrained": Library({"sized": CONSTRAINED}),
        "genieclust": Library({"genie": GENIE}),
    },
    checks={
        **{task: partial(CostCheck, cost=cost) for task, cost in COSTS.items()},
        "genie": GenieCheck,
    },
    tolerances={
        "modes": Tolerances({"excess cost": 0.2}),
        "prototypes": Tolerances({"excess cost": 0.2}),
        "spherical": Tolerances({"excess cost": 0.2}),
        "spherical, own start": Tolerances({"excess cost": 0.2}),
        "sized": Tolerances({"excess cost": 0.0, "size error": 0.0}),
        "genie": Tolerances({"rows elsewhere": 0.0}),
    },
    bars={
        "modes": [Bar("20 000 rows of 14 categories", least=10.0)],
        "genie": [Bar("Genie, 100 000 rows in 2 and 3 columns", least=1.0)],
        "prototypes": [Bar("10 000 rows of 14 categories and 6 numbers", least=10.0)],
        "spherical": [Bar("spherical, 20 iterations from the same start", mean=3.0)],
        "sized": [Bar("23 000 x 50, k = 10 of equal size", least=10.0)],
        "": [Bar("other shapes")],
    },
)
