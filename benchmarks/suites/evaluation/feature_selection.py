# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``feature_selection``: scores of single columns."""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, named
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, difference, relative_difference
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite

BYTES_OF_NUMBER = 8.0

# --- data and problems ---


def _table(n, d, kind, seed):
    """Rows with three classes, or a target of numbers, that a few of the columns tell of."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    signal = X[:, 0] + 0.5 * X[:, 1] ** 2 + rng.standard_normal(n)
    if kind == "numbers":
        return {"X": X, "y": signal}
    y = np.digitize(signal, np.quantile(signal, [1 / 3, 2 / 3]))
    return {"X": np.abs(X) if kind == "counts" else X, "y": y}


def _problem(task, n, d, **more):
    kind = {"chi2": "counts", "slope": "numbers", "plane": "numbers"}.get(task, "classes")
    name, nbytes = f"{task} n={n} d={d}", BYTES_OF_NUMBER * n * d
    return Problem(name, task, partial(_table, n, d, kind), nbytes=nbytes, **more)


# --- adapters ---


class Scores(Adapter):
    """A score function of rows and target."""

    def __init__(self, path, *, threaded=False, **options):
        self.path, self.threaded, self.options = path, threaded, options

    def prepare(self, data, threads):
        self.function = named(self.path)
        self.X, self.y = data["X"], data["y"]
        if self.threaded:
            self.options = {**self.options, "n_jobs": threads}

    def fit(self):
        self.scores = self.function(self.X, self.y, **self.options)

    def answer(self):
        scores = self.scores[0] if isinstance(self.scores, tuple) else self.scores
        return {"scores": scores}


class Variances(Scores):
    """The selector whose fit computes variances."""

    def fit(self):
        self.scores = self.function().fit(self.X).variances_


# --- checks ---


def variances(data):
    return {"scores": data["X"].var(axis=0)}


def f_of_classes(data):
    X, y = data["X"], data["y"]
    mean, K = X.mean(axis=0), 3
    groups = [X[y == k] for k in range(K)]
    between = sum(len(rows) * (rows.mean(axis=0) - mean) ** 2 for rows in groups)
    within = sum(len(rows) * rows.var(axis=0) for rows in groups)
    return {"scores": (between / (K - 1)) / (within / (len(X) - K))}


def chi_squared(data):
    X, y = data["X"], data["y"]
    observed = np.array([X[y == k].sum(axis=0) for k in range(3)])
    expected = np.bincount(y)[:, None] / len(y) * X.sum(axis=0)
    return {"scores": ((observed - expected) ** 2 / expected).sum(axis=0)}


def f_of_slopes(data):
    X, y = data["X"] - data["X"].mean(axis=0), data["y"] - data["y"].mean()
    squared = (y @ X) ** 2 / ((X**2).sum(axis=0) * (y @ y))
    return {"scores": squared / (1 - squared) * (len(y) - 2)}


def nearer(values, distance):
    """How many values are nearer to each than its distance, itself among them.

    The neighbor at this very distance is not: what rounding and the noise of 1e-10 add is cut off.
    """
    distance = distance * (1.0 - 1e-6)
    ascending = np.sort(values)
    last = np.searchsorted(ascending, values + distance, "left")
    return last - np.searchsorted(ascending, values - distance, "right")


def information(data, plane):
    """Ross's estimate, or that of Kraskov and others, of each column, by scipy's k-d trees."""
    from scipy.spatial import cKDTree
    from scipy.special import digamma

    X, y, k = data["X"] / data["X"].std(axis=0), data["y"], 3
    y = y / y.std() if plane else y
    scores = []
    for x in X.T:
        if plane:
            points = np.column_stack([x, y])
            distance = cKDTree(points).query(points, k + 1, p=np.inf)[0][:, k]
            terms = digamma(k) - digamma(nearer(x, distance)) - digamma(nearer(y, distance))
        else:
            distance, sizes = np.empty(len(x)), np.bincount(y)[y]
            for label in np.unique(y):
                own = x[y == label][:, None]
                distance[y == label] = cKDTree(own).query(own, k + 1)[0][:, k]
            terms = digamma(k) - digamma(sizes) - digamma(nearer(x, distance))
        scores.append(max(0.0, digamma(len(x)) + terms.mean()))
    return {"scores": np.array(scores)}


OURS, PEERS = "statfast.feature_selection.", "sklearn.feature_selection."


def _library(path):
    return Library({
        "f_classif": partial(Scores, path + "f_classif"),
        "chi2": partial(Scores, path + "chi2"),
        "slope": partial(Scores, path + "f_regression"),
        "variance": partial(Variances, path + "VarianceThreshold"),
        "classes": partial(
            Scores, path + "mutual_info_classif", threaded=True, random_state=0
        ),
        "plane": partial(
            Scores, path + "mutual_info_regression", threaded=True, random_state=0
        ),
    })  # fmt: skip


SUITE = Suite(
    name="feature_selection",
    title="scores of single columns: F tests, chi squared, variances, mutual information",
    family="preprocessing, selection",
    problems=[
        _problem("f_classif", 1_000_000, 100, group="sums"),
        _problem("chi2", 1_000_000, 100, group="sums"),
        _problem("slope", 1_000_000, 100, group="sums"),
        _problem("variance", 1_000_000, 100, group="sums"),
        _problem("classes", 20_000, 20, group="classes"),
        _problem("plane", 20_000, 20, group="plane"),
    ],
    quick=[
        _problem("f_classif", 20_000, 10), _problem("chi2", 20_000, 10),
        _problem("slope", 20_000, 10), _problem("variance", 20_000, 10),
        _problem("classes", 1_000, 4), _problem("plane", 1_000, 4),
    ],
    growth=Growth(1_000_000, lambda n: _problem("chi2", n, 100, group="sums")),
    libraries={"statfast": _library(OURS), "scikit-learn": _library(PEERS)},
    checks={
        "f_classif": Check.of_twin(f_of_classes, {"relative error": relative_difference}),
        "chi2": Check.of_twin(chi_squared, {"relative error": relative_difference}),
        "slope": Check.of_twin(f_of_slopes, {"relative error": relative_difference}),
        "variance": Check.of_twin(variances, {"relative error": relative_difference}),
        "classes": Check.of_twin(partial(information, plane=False), {"nats": difference}),
        "plane": Check.of_twin(partial(information, plane=True), {"nats": difference}),
    },
    tolerances={
        "f_classif": Tolerances({"relative error": 1e-6}),
        "chi2": Tolerances({"relative error": 1e-8}),
        "slope": Tolerances({"relative error": 1e-6}),
        "variance": Tolerances({"relative error": 1e-9}),
        "classes": Tolerances({"nats": 1e-5}),
        "plane": Tolerances({"nats": 1e-5}),
    },
    bars={
        "sums": [Bar("univariate scores of 1e6 x 100", least=3.0)],
        "classes": [Bar("mutual information with classes, 20 000 x 20", least=5.0)],
        "plane": [Bar("mutual information with numbers, 20 000 x 20")],
    },
)  # fmt: skip
