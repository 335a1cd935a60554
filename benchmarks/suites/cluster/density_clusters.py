# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``density_clusters``: clusters of dense regions."""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import FitThen
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Library, Suite

MIN_SAMPLES = 10
SAMPLED_ROWS = 400
NOISE = 0.05  # the share of rows anywhere

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


def _growth(n):
    name = f"growth: DBSCAN of {n}x2"
    return Problem(name, "dbscan", partial(evenly_dense, n), beyond=True, limit=300.0)


def _problem(n, d, eps, group=""):
    name = f"DBSCAN of {n}x{d}, eps={eps}"
    return Problem(name, "dbscan", partial(clouds, n, d, eps), group=group, beyond=not group)


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


# --- the suite ---


def _library(path):
    task = partial(
        FitThen, path, answers={"labels": "labels_"}, from_data={"eps": "eps"},
        min_samples=MIN_SAMPLES,
    )  # fmt: skip
    return Library({"dbscan": task})


SUITE = Suite(
    name="density_clusters",
    title="clusters of dense regions (fit)",
    family="clustering",
    problems=[
        _problem(100_000, 2, 0.05, "dbscan"),
        _problem(100_000, 3, 0.1, "dbscan"),
        _problem(100_000, 2, 0.3),
        _problem(30_000, 10, 0.8),
        _problem(1_000_000, 3, 0.05),
        *(_growth(n) for n in (10_000, 100_000, 1_000_000, 10_000_000)),
    ],
    quick=[_problem(3_000, 2, 0.2, "dbscan")],
    libraries={
        "statfast": _library("statfast.DBSCAN"),
        "scikit-learn": _library("sklearn.cluster.DBSCAN"),
    },
    checks={"dbscan": CoreCheck},
    tolerances={"dbscan": Tolerances({"rows that are wrong": 0.0})},
    bars={
        "dbscan": [Bar("DBSCAN, 100 000 rows", least=5.0)],
        "": [Bar("other shapes")],
    },
)
