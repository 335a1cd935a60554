# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``density_clusters``: clusters of dense regions."""

from functools import partial

import numpy as np
from scipy.spatial import cKDTree

from benchmarks.harness.adapter import FitThen
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite

MIN_SAMPLES = 10
MIN_CLUSTER_SIZE = 20
SAMPLED_ROWS = 400
LISTED_ROWS = 40  # nearest rows of which the nearest by mutual reachability is taken
NOISE = 0.05  # the share of rows anywhere
SECONDS_ALLOWED = 100.0  # of a run: peers that compare all rows would take hours for a million

# --- data and problems ---


def clouds(n, d, eps, seed):
    """Normal clouds, a hundredth of the rows each, but for those anywhere."""
    rng = np.random.default_rng(seed)
    X = 10.0 * rng.random((100, d))[rng.integers(100, size=n)] + 0.3 * rng.standard_normal((n, d))
    anywhere = rng.random(n) < NOISE
    X[anywhere] = 12.0 * rng.random((anywhere.sum(), d)) - 1.0
    return {"X": X, "eps": eps}


def evenly_dense(n, seed):
    """Rows of a part of the plane that grows with n, so that all n have as many neighbors."""
    side = (n / 1000.0) ** 0.5
    X = side * np.random.default_rng(seed).random((n, 2))
    return {"X": X, "eps": 0.06}


def _growth(task, n):
    """A problem of a row of sizes, whose times show how they grow."""
    name = f"growth of {task.upper()}, {n}x2"
    return Problem(name, task, partial(evenly_dense, n), beyond=True, limit=SECONDS_ALLOWED)


def _problem(n, d, eps, group=""):
    name = f"DBSCAN of {n}x{d}, eps={eps}"
    return Problem(
        name, "dbscan", partial(clouds, n, d, eps), group=group, beyond=not group,
        limit=SECONDS_ALLOWED,
    )  # fmt: skip


def _persistent(n, d, group=""):
    name = f"HDBSCAN of {n}x{d}"
    return Problem(
        name, "hdbscan", partial(clouds, n, d, 0.0), group=group, beyond=not group,
        limit=SECONDS_ALLOWED,
    )  # fmt: skip


# --- checks ---


class CoreCheck(Check):
    """The share of sampled rows that are wrong by the definition: core rows near noise, and others
    with a label that no row near them has."""

    def __init__(self, data):
        self.parts = {"labels": (len(data["X"]),)}
        size = min(len(data["X"]), SAMPLED_ROWS)
        self.sample, self.near = np.random.default_rng(0).choice(len(data["X"]), size, False), []
        for row in data["X"][self.sample]:
            squares = ((data["X"] - row) ** 2).sum(axis=1)
            self.near.append(np.flatnonzero(squares <= data["eps"] ** 2))

    def errors(self, answer):
        labels = answer["labels"]
        wrong = [
            (labels[near] < 0).any()
            if len(near) >= MIN_SAMPLES
            else labels[row] >= 0 and (labels[near] == labels[row]).sum() < 2
            for row, near in zip(self.sample, self.near, strict=True)
        ]
        return {"rows that are wrong": float(np.mean(wrong))}


class ReachCheck(Check):
    """The share of sampled rows in clusters that are wrong: no row that is nearest by mutual
    reachability, which is joined to it first, is in the same one; and whether all is one."""

    def __init__(self, data):
        X = data["X"]
        self.parts = {"labels": (len(X),)}
        search, size = cKDTree(X), min(len(X), SAMPLED_ROWS)
        self.sample = np.random.default_rng(0).choice(len(X), size, False)
        apart, near = search.query(X[self.sample], LISTED_ROWS)
        core = search.query(X[near.ravel()], MIN_SAMPLES)[0][:, -1].reshape(near.shape)
        reach = np.maximum(np.maximum(apart, core), apart[:, [MIN_SAMPLES - 1]])[:, 1:]
        least = reach.min(axis=1, keepdims=True)
        self.near, self.first = near[:, 1:], reach <= least * (1 + 1e-9)
        self.known = (least[:, 0] < apart[:, -1]) & (near[:, 0] == self.sample)

    def errors(self, answer):
        labels = answer["labels"]
        own = labels[self.sample]
        with_nearest = ((labels[self.near] == own[:, None]) & self.first).any(axis=1)
        wrong = (own >= 0) & ~with_nearest & self.known
        return {"rows that are wrong": float(wrong.mean()), "one cluster": float(labels.max() < 1)}


# --- the suite ---


def _library(path):
    task = partial(
        FitThen, path, answers={"labels": "labels_"}, from_data={"eps": "eps"},
        min_samples=MIN_SAMPLES,
    )  # fmt: skip
    return task


def _hierarchy(path, counts_itself=True, **options):
    """A library whose `min_samples` counts the row itself, or not."""
    return partial(
        FitThen, path, answers={"labels": "labels_"}, min_cluster_size=MIN_CLUSTER_SIZE,
        min_samples=MIN_SAMPLES - (not counts_itself), **options,
    )  # fmt: skip


SUITE = Suite(
    name="density_clusters",
    title="clusters of dense regions (fit)",
    family="clustering, mixtures, patterns",
    problems=[
        _problem(100_000, 2, 0.05, "dbscan"),
        _problem(100_000, 3, 0.1, "dbscan"),
        _problem(100_000, 2, 0.3),
        _problem(30_000, 10, 0.8),
        _problem(1_000_000, 3, 0.05),
        *(_growth("dbscan", n) for n in (10_000, 100_000, 1_000_000, 10_000_000)),
        *(_growth("hdbscan", n) for n in (10_000, 100_000, 1_000_000, 10_000_000)),
        *(_persistent(n, d, "hdbscan") for n in (10_000, 100_000) for d in (2, 3, 10)),
        _persistent(1_000_000, 2, "hdbscan"),
        *(_persistent(10_000, d, "many columns") for d in (50, 100, 300)),
    ],
    quick=[_problem(3_000, 2, 0.2, "dbscan"), _persistent(3_000, 2, "hdbscan")],
    growth=Growth(10_000_000, partial(_growth, "hdbscan")),
    libraries={
        "statfast": Library(
            {"dbscan": _library("statfast.DBSCAN"), "hdbscan": _hierarchy("statfast.HDBSCAN")}
        ),
        "scikit-learn": Library(
            {
                "dbscan": _library("sklearn.cluster.DBSCAN"),
                "hdbscan": _hierarchy("sklearn.cluster.HDBSCAN", copy=True),
            }
        ),
        "scikit-learn-intelex": Library({"dbscan": _library("sklearnex.cluster.DBSCAN")}),
        "hdbscan": Library({"hdbscan": _hierarchy("hdbscan.HDBSCAN", False, threaded=False)}),
        "fast_hdbscan": Library(
            {"hdbscan": _hierarchy("fast_hdbscan.HDBSCAN", False, threaded=False)},
            packages=("fast-hdbscan",),
        ),
        "fast-plscan": Library(
            {"hdbscan": _hierarchy("fast_plscan.PLSCAN", threaded=False)},
            packages=("fast-plscan",),
        ),
    },
    checks={"dbscan": CoreCheck, "hdbscan": ReachCheck},
    tolerances={
        "dbscan": Tolerances({"rows that are wrong": 0.0}),
        # Some work in float32, or give rows at a saddle to another cluster.
        "hdbscan": Tolerances(
            {"rows that are wrong": 0.02, "one cluster": 0.0}, ours={"rows that are wrong": 0.0}
        ),
    },
    bars={
        "dbscan": [Bar("DBSCAN, 100 000 rows", least=5.0)],
        "hdbscan": [
            Bar("HDBSCAN, up to ten columns", least=3.0),
            Bar("HDBSCAN, up to ten columns", ("scikit-learn",), least=20.0),
        ],
        "many columns": [Bar("HDBSCAN, 50 to 300 columns", least=2.0)],
        "": [Bar("other shapes")],
    },
)
