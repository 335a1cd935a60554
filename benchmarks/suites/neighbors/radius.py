# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``radius``: votes, averages and lists of all rows within a radius, many or few."""

import time
from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, FitThen, named
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Sample, Tolerances, difference
from benchmarks.harness.problem import F64, SIZES, Problem
from benchmarks.harness.suite import Growth, Library, Suite

CHECKED_ROWS = 64  # whose neighbors are found by their definition
CLASSES = 3

# --- data and problems ---


def _normal(n, m, d, share, seed):
    """Normal rows, and queries in their middle, so that none is without neighbors; on average about
    this share of the rows is within the radius."""
    rng = np.random.default_rng(seed)
    X, Q = rng.standard_normal((n, d)), 0.5 * rng.standard_normal((m, d))
    apart = np.sqrt(((Q[:100, None] - X[:2000]) ** 2).sum(axis=2))
    y = rng.integers(0, CLASSES, n)
    return {"X": X, "Q": Q, "y": y, "radius": float(np.quantile(apart, share))}


def _problem(task, n, m, d, share, group=""):
    return Problem(
        f"{task} of {m} queries, {share:.1%} of {n}x{d} within", task,
        partial(_normal, n, m, d, share), F64, float(n) * m * 2.0 * d, n * d * SIZES[F64],
        beyond=not group, group=group,
    )  # fmt: skip


# --- checks ---


def by_definition(task, data):
    X, y = data["X"], data["y"]
    rows = np.linspace(0, len(data["Q"]) - 1, CHECKED_ROWS).astype(np.intp)
    apart = np.sqrt(((data["Q"][rows, None] - X) ** 2).sum(axis=2))
    near = apart <= data["radius"]
    if task == "radius lists":
        values = {"counts": near.sum(axis=1), "sums": near @ np.arange(len(X))}
    else:
        votes = np.stack([near[:, y == c].sum(axis=1) for c in range(CLASSES)], axis=1)
        if task == "radius votes":
            values = {"labels": votes.argmax(axis=1)}
        else:
            values = {"means": votes @ np.arange(CLASSES) / near.sum(axis=1)}
    return {name: Sample(len(data["Q"]), rows, value) for name, value in values.items()}


# --- adapters ---


class Lists(Adapter):
    """A tree that was built before lists the rows within; its own clock leaves out the sums."""

    def __init__(self, path):
        self.path = path

    def prepare(self, data, threads):
        self.tree, self.Q, self.radius = named(self.path)(data["X"]), data["Q"], data["radius"]

    def answer(self):
        start = time.perf_counter()
        lists = self.tree.query_radius(self.Q, self.radius)
        seconds = time.perf_counter() - start
        return {
            "seconds": seconds,
            "counts": np.array([len(ids) for ids in lists]),
            "sums": np.array([ids.sum() for ids in lists]),
        }


# --- the suite ---


def _library(module):
    model = partial(FitThen, asked="Q", from_data={"radius": "radius"})
    return Library({
        "radius votes": partial(
            model, f"{module}.RadiusNeighborsClassifier", answers={"labels": "predict"},
            outlier_label=0,
        ),
        "radius means": partial(
            model, f"{module}.RadiusNeighborsRegressor", answers={"means": "predict"}
        ),
        "radius lists": partial(Lists, f"{module}.BallTree"),
    })  # fmt: skip


TASKS = ("radius votes", "radius means", "radius lists")
SHAPES = (  # rows, queries, columns, share within
    (10_000, 1_000, 3, 0.05),
    (10_000, 1_000, 3, 0.5),
    (10_000, 1_000, 20, 0.1),
    (200_000, 10_000, 3, 0.002),
    (2_000, 2_000, 5, 0.3),
)

SUITE = Suite(
    name="radius",
    title="votes, averages and lists of the rows within a radius",
    family="outliers, densities, radii",
    problems=[_problem(task, *shape, group=task) for shape in SHAPES for task in TASKS],
    quick=[_problem(task, 2_000, 200, 3, 0.3, group=task) for task in TASKS],
    growth=Growth(
        200_000,
        lambda n: _problem("radius lists", n, n // 20, 3, 0.002, group="radius lists"),
        power=2,
    ),
    libraries={
        "statfast": _library("statfast.neighbors"),
        "scikit-learn": _library("sklearn.neighbors"),
    },
    checks={
        task: Check.of_twin(partial(by_definition, task), {"error": difference}) for task in TASKS
    },
    tolerances={task: Tolerances({"error": 1e-9}) for task in TASKS},
    bars={
        "radius votes": [Bar("votes within a radius", mean=1.5)],
        "radius means": [Bar("averages within a radius", mean=1.5)],
        "radius lists": [Bar("lists of a ball tree", mean=1.5)],
    },
)
