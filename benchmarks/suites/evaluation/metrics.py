# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``metrics``: confusion matrices, scores of probabilities, isotonic regression."""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, FitThen, named
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, difference, relative_difference
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite

# --- data and problems ---


def _labels(n, k, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return {"y": y, "predicted": np.where(rng.random(n) < 0.8, y, rng.integers(0, k, n))}


def _shares(n, seed):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return {"y": (rng.random(n) < p).astype(np.int64), "predicted": p}


def _places(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.random(n)
    return {"X": x, "y": x + rng.standard_normal(n)}


def _confusion(n, k, **more):
    return Problem(
        f"confusion n={n} K={k}", "confusion", partial(_labels, n, k), nbytes=16.0 * n, **more
    )


def _of_shares(task, n, **more):
    return Problem(f"{task} n={n}", task, partial(_shares, n), nbytes=16.0 * n, **more)


def _isotonic(n, **more):
    return Problem(f"isotonic n={n}", "isotonic", partial(_places, n), nbytes=16.0 * n, **more)


# --- adapters ---


class Compared(Adapter):
    """A function of labels and of predictions."""

    def __init__(self, path):
        self.path = path

    def prepare(self, data, threads):
        self.function, self.y, self.predicted = named(self.path), data["y"], data["predicted"]

    def fit(self):
        self.result = self.function(self.y, self.predicted)

    def answer(self):
        return {"score": np.asarray(self.result)}


# --- checks ---


def table(data):
    k = data["y"].max() + 1
    counts = np.bincount(data["y"] * k + data["predicted"], minlength=k * k)
    return {"score": counts.reshape(k, k)}


def mean_loss(loss, data):
    """The mean of a loss of the probability that was given to the true class."""
    return {
        "score": loss(np.where(data["y"] == 1, data["predicted"], 1 - data["predicted"])).mean()
    }


def _loss_check(loss):
    return Check.of_twin(partial(mean_loss, loss), {"error": relative_difference})


class IsotonicCheck(Check):
    """The conditions of optimality: it rises, and where it does, the sums of residuals are 0 and
    never positive before."""

    def __init__(self, data):
        self.order = np.argsort(data["X"])
        self.y = data["y"][self.order]
        self.parts = {"fitted": self.y.shape}

    def errors(self, answer):
        fit = np.asarray(answer["fitted"])[self.order]
        sums = np.cumsum(self.y - fit) / len(fit)
        ends = np.append(np.diff(fit) > 0, True)
        return {
            "falls": float(max(0.0, -np.diff(fit).min())),
            "residuals": float(max(abs(sums[ends]).max(), -min(0.0, sums.min()))),
        }


# --- the suite ---

SKLEARN = "sklearn.metrics"
ISOTONIC = partial(FitThen, answers={"fitted": "predict"}, threaded=False)
SUITE = Suite(
    name="metrics",
    title="scores of labels and probabilities, isotonic regression",
    family="scores and rankings",
    problems=[
        _confusion(10_000_000, 10, group="confusion"),
        _confusion(10_000_000, 2, group="confusion"),
        _confusion(1_000_000, 300, beyond=True),
        _isotonic(1_000_000, group="isotonic"),
        _of_shares("log loss", 1_000_000, beyond=True),
        _of_shares("brier", 1_000_000, beyond=True),
    ],
    quick=[
        _confusion(20_000, 7), _isotonic(5_000), _of_shares("log loss", 5_000),
        _of_shares("brier", 5_000),
    ],
    growth=Growth(1_000_000, lambda n: _isotonic(n, group="isotonic")),
    libraries={
        "statfast": Library({
            "confusion": partial(Compared, "statfast.metrics.confusion_matrix"),
            "log loss": partial(Compared, "statfast.metrics.log_loss"),
            "brier": partial(Compared, "statfast.metrics.brier_score_loss"),
            "isotonic": partial(ISOTONIC, "statfast.calibration.IsotonicRegression"),
        }),
        "scikit-learn": Library({
            "confusion": partial(Compared, f"{SKLEARN}.confusion_matrix"),
            "log loss": partial(Compared, f"{SKLEARN}.log_loss"),
            "brier": partial(Compared, f"{SKLEARN}.brier_score_loss"),
            "isotonic": partial(ISOTONIC, "sklearn.isotonic.IsotonicRegression"),
        }),
    },
    checks={
        "confusion": Check.of_twin(table, {"error": difference}),
        "log loss": _loss_check(lambda p: -np.log(p)),
        "brier": _loss_check(lambda p: (1 - p) ** 2),
        "isotonic": IsotonicCheck,
    },
    tolerances={
        "confusion": Tolerances({"error": 0.0}),
        "log loss": Tolerances({"error": 1e-11}),
        "brier": Tolerances({"error": 1e-11}),
        "isotonic": Tolerances({"falls": 0.0, "residuals": 1e-10}),
    },
    bars={
        "confusion": [Bar("confusion matrix of 1e7 labels", least=10.0)],
        "isotonic": [Bar("isotonic regression of 1e6 rows", least=3.0)],
        "": [Bar("probabilities and many classes")],
    },
)  # fmt: skip
