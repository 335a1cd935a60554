# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``isolation``: isolation forests, and the scores of their rows."""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import FitThen
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite

OUTLIERS = 0.002  # the share of rows that are far from all others

# --- data and problems ---


def clouds(n, p, seed):
    """Three normal clouds, and outliers in all directions from them."""
    rng = np.random.default_rng(seed)
    X = 3.0 * rng.standard_normal((3, p))[rng.integers(3, size=n)] + rng.standard_normal((n, p))
    far = rng.choice(n, max(2, int(OUTLIERS * n)), replace=False)
    X[far] = rng.choice([-20.0, 20.0], (len(far), p)) + rng.standard_normal((len(far), p))
    return {"X": X, "far": far}


def _problem(n, p, group=""):
    name = f"scores of {n}x{p}"
    return Problem(name, "scores", partial(clouds, n, p), group=group, beyond=not group)


# --- checks ---


class OutlierCheck(Check):
    """The share of planted outliers that are not among as many rows of the lowest scores."""

    def __init__(self, data):
        self.far, self.parts = data["far"], {"scores": (len(data["X"]),)}

    def errors(self, answer):
        lowest = np.argsort(answer["scores"])[: len(self.far)]
        return {"outliers missed": 1.0 - np.isin(self.far, lowest).mean()}


# --- the suite ---


def _library(path):
    task = partial(FitThen, path, answers={"scores": "score_samples"}, random_state=0)
    return Library({"scores": task})


SUITE = Suite(
    name="isolation",
    title="isolation forests of 100 trees (fit + scores)",
    family="trees and ensembles",
    problems=[_problem(100_000, 10, "scores"), _problem(1_000_000, 5), _problem(2_000, 100)],
    quick=[_problem(2_000, 5, "scores")],
    growth=Growth(1_000_000, lambda n: _problem(n, 5)),
    libraries={
        "statfast": _library("statfast.IsolationForest"),
        "scikit-learn": _library("sklearn.ensemble.IsolationForest"),
    },
    checks={"scores": OutlierCheck},
    tolerances={"scores": Tolerances({"outliers missed": 0.1})},
    bars={
        "scores": [Bar("isolation forest, 100 000 x 10", least=3.0)],
        "": [Bar("other shapes")],
    },
)
