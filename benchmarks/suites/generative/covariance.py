# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``covariance``: shrunk covariances, and covariances that outliers do not move."""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import FitThen
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, scaled_difference
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite

# --- data and problems ---


def normal_rows(n, d, seed):
    """Correlated normal rows, a twentieth of which lies apart from the others."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) @ rng.standard_normal((d, d))
    X[: n // 20] = rng.standard_normal((n // 20, d)) + 30.0
    return {"X": X, "regular": np.arange(n) >= n // 20}


def _problem(task, n, d, group=""):
    rows = partial(normal_rows, n, d)
    return Problem(f"{task} of {n}x{d}", task, rows, group=group, beyond=not group)


# --- checks ---


def by_definition(data):
    """Ledoit and Wolf's covariance."""
    u = data["X"] - data["X"].mean(axis=0)
    n, d = u.shape
    S = u.T @ u / n
    size, norm = np.trace(S) / d, (S**2).sum()
    delta = (norm - d * size**2) / d
    beta = min(delta, (((u**2).sum(axis=1) ** 2).sum() / n - norm) / (d * n))
    return {"covariance": (1.0 - beta / delta) * S + beta / delta * size * np.eye(d)}


class SupportCheck(Check):
    """The share of planted outliers that count."""

    def __init__(self, data):
        self.regular = data["regular"]
        self.parts = {"support": self.regular.shape}

    def errors(self, answer):
        return {"outliers that count": np.asarray(answer["support"])[~self.regular].mean()}


# --- the suite ---


def _library(package):
    fit = partial(FitThen, threaded=package == "statfast")
    shrunk = partial(fit, f"{package}.covariance.LedoitWolf", answers={"covariance": "covariance_"})
    robust = partial(
        fit, f"{package}.covariance.MinCovDet", answers={"support": "support_"}, random_state=0
    )
    return Library({"shrunk covariance": shrunk, "robust covariance": robust})


SUITE = Suite(
    name="covariance",
    title="covariances: Ledoit and Wolf's, and the minimum covariance determinant",
    family="discriminants, naive Bayes",
    problems=[
        _problem("shrunk covariance", 200_000, 50, "shrunk"),
        _problem("shrunk covariance", 2_000, 500),
        _problem("robust covariance", 2_000, 10, "robust"),
        _problem("robust covariance", 20_000, 20, "robust"),
        _problem("robust covariance", 400, 5),
    ],
    quick=[
        _problem("shrunk covariance", 2_000, 10, "shrunk"),
        _problem("robust covariance", 300, 3, "robust"),
    ],
    growth=Growth(20_000, lambda n: _problem("robust covariance", n, 20, "robust")),
    libraries={"statfast": _library("statfast"), "scikit-learn": _library("sklearn")},
    checks={
        "shrunk covariance": Check.of_twin(by_definition, {"error": scaled_difference}),
        "robust covariance": SupportCheck,
    },
    tolerances={
        "shrunk covariance": Tolerances({"error": 1e-9}),
        "robust covariance": Tolerances({"outliers that count": 0.0}),
    },
    bars={
        "shrunk": [Bar("Ledoit-Wolf, 200 000 x 50", least=1.5)],
        "robust": [Bar("minimum covariance determinant", least=3.0)],
        "": [Bar("other shapes")],
    },
)
