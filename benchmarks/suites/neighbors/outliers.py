# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``outliers``: local outlier factors of rows, and of new rows."""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import FitThen
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Sample, Tolerances, difference
from benchmarks.harness.problem import F64, SIZES, Problem
from benchmarks.harness.suite import Growth, Library, Suite

NEIGHBORS = 20
CHECKED_ROWS = 6  # whose factors are computed by their definition, with those of 400 neighbors
OUTLIERS = 0.01  # the share of rows that are drawn from a wider distribution

# --- data and problems ---


def _groups(n, m, d, seed):
    """Five normal groups of different spread, and rows around them all."""
    rng = np.random.default_rng(seed)
    centers, spreads = 4.0 * rng.standard_normal((5, d)), np.array([0.2, 0.5, 1.0, 1.0, 2.0])

    def rows(count):
        group = rng.integers(5, size=count)
        spread = np.where(rng.random(count) < OUTLIERS, 6.0, spreads[group])
        return centers[group] + spread[:, None] * rng.standard_normal((count, d))

    return {"X": rows(n), "Q": rows(m)}


def _problem(task, n, d, group=""):
    m = max(64, n // 5)
    asked = n if task == "factors" else m
    return Problem(
        f"{task}, {asked} among {n}x{d}", task, partial(_groups, n, m, d), F64,
        float(n) * asked * 2.0 * d, n * d * SIZES[F64], beyond=not group, group=group,
    )  # fmt: skip


# --- checks ---


def _nearest(X, Q, places=None):
    """Distances and places of the nearest rows of X, by differences; without rows themselves."""
    distances, ids = np.empty((len(Q), NEIGHBORS)), np.empty((len(Q), NEIGHBORS), np.intp)
    for i, q in enumerate(Q):
        apart = np.sqrt(((X - q) ** 2).sum(axis=1))
        if places is not None:
            apart[places[i]] = np.inf
        near = np.argpartition(apart, NEIGHBORS)[:NEIGHBORS]
        ids[i] = near[np.argsort(apart[near])]
        distances[i] = apart[ids[i]]
    return distances, ids


def _densities(X, distances, ids):
    """Of rows with these neighbors, whose own k-distances are searched."""
    rows, places = np.unique(ids, return_inverse=True)
    k_distances = _nearest(X, X[rows], rows)[0][:, -1][places.reshape(ids.shape)]
    return 1.0 / (np.maximum(distances, k_distances).mean(axis=1) + 1e-10)


def by_definition(task, data):
    X, asked = data["X"], data["X" if task == "factors" else "Q"]
    rows = np.linspace(0, len(asked) - 1, CHECKED_ROWS).astype(np.intp)
    distances, ids = _nearest(X, asked[rows], rows if task == "factors" else None)
    near = np.unique(ids)
    of_near = dict(zip(near, _densities(X, *_nearest(X, X[near], near)), strict=True))
    means = np.array([np.mean([of_near[i] for i in row]) for row in ids])
    factors = -means / _densities(X, distances, ids)
    return {"factors": Sample(len(asked), rows, factors)}


# --- the suite ---


def _library(path):
    return Library({
        "factors": partial(FitThen, path, answers={"factors": "negative_outlier_factor_"}),
        "factors of new rows": partial(
            FitThen, path, asked="Q", answers={"factors": "score_samples"}, novelty=True
        ),
    })  # fmt: skip


TASKS = ("factors", "factors of new rows")

SUITE = Suite(
    name="outliers",
    title="local outlier factors of rows by their 20 neighbors, and of new rows",
    family="outliers, densities, radii",
    problems=[
        _problem("factors", 100_000, 5, group="few columns"),
        _problem("factors", 20_000, 20, group="more columns"),
        _problem("factors of new rows", 100_000, 5, group="few columns"),
        _problem("factors of new rows", 20_000, 20, group="more columns"),
    ],
    quick=[_problem(task, 2_000, 5, group="few columns") for task in TASKS],
    growth=Growth(100_000, lambda n: _problem("factors", n, 5, group="few columns"), power=2),
    libraries={
        "statfast": _library("statfast.LocalOutlierFactor"),
        "scikit-learn": _library("sklearn.neighbors.LocalOutlierFactor"),
    },
    checks={
        task: Check.of_twin(partial(by_definition, task), {"error": difference}) for task in TASKS
    },
    tolerances={task: Tolerances({"error": 1e-8}) for task in TASKS},
    bars={
        "few columns": [Bar("outlier factors among 100 000 x 5", least=3.0)],
        "more columns": [Bar("outlier factors among 20 000 x 20", least=3.0)],
    },
)
