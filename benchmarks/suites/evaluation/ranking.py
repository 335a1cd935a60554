# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``ranking``: areas under ROC curves, the curves, DeLong's test and the bootstrap."""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, named
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, difference, relative_difference
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite

REPLICATES = 2000

# --- data and problems ---


def _data(n, kind, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    s = rng.standard_normal(n) + y
    if kind == "tied":
        s = s.round(2)
    elif kind == "skewed":
        s = np.exp(5 * s)
    return {"y": y, "scores": s, "other_scores": s + rng.standard_normal(n)}


def _problem(task, n, kind="normal", **more):
    name = f"{task} n={n} {kind}"
    return Problem(name, task, partial(_data, n, kind), nbytes=16.0 * n, **more)


# --- adapters ---


class Scores(Adapter):
    """A function of labels and scores, and what to make of its result."""

    def __init__(self, path, made, **options):
        self.path, self.made, self.options = path, made, options

    def prepare(self, data, threads):
        self.function = named(self.path)
        self.y, self.scores, self.other_scores = (data[k] for k in ("y", "scores", "other_scores"))

    def fit(self):
        self.result = self.function(self.y, self.scores, **self.options)

    def answer(self):
        return self.made(self.result)


class Paired(Scores):
    def fit(self):
        self.result = self.function(self.y, self.scores, self.other_scores)


class FastDelong(Paired):
    """Sun and Xu's algorithm, of which the package has the covariance for sorted rows."""

    def fit(self):
        order = np.argsort(-self.y, kind="stable")
        columns = np.vstack([self.scores, self.other_scores])[:, order]
        areas, cov = self.function(columns, int(self.y.sum()))
        self.result = *areas, (areas[0] - areas[1]) / np.sqrt(cov[0, 0] + cov[1, 1] - 2 * cov[0, 1])


class Midranks(Paired):
    """The same with the ranks of scipy: what a user of it would write."""

    def fit(self):
        ones = self.y == 1
        p, q = ones.sum(), (~ones).sum()
        placed, areas = [], []
        for s in (self.scores, self.other_scores):
            ranks, own, rest = (self.function(part) for part in (s, s[ones], s[~ones]))
            up, down = (ranks[ones] - own) / q, 1 - (ranks[~ones] - rest) / p
            placed.append((up, down))
            areas.append(up.mean())
        (a, b), (c, d) = placed
        error = ((a - c).var(ddof=1) / p + (b - d).var(ddof=1) / q) ** 0.5
        self.result = *areas, (areas[0] - areas[1]) / error


class Resampled(Scores):
    """Areas of rows drawn again, one by one."""

    def fit(self):
        rng = np.random.default_rng(0)
        areas, n = [], len(self.y)
        for _ in range(REPLICATES):
            rows = rng.integers(0, n, n)
            areas.append(self.function(self.y[rows], self.scores[rows]))
        self.result = np.quantile(areas, [0.025, 0.975])


# --- checks ---


def steps(y, s):
    """Positives and negatives at each distinct score, falling."""
    values, at = np.unique(-s, return_inverse=True)
    ones = np.bincount(at, y, len(values))
    return ones, np.bincount(at, 1 - y, len(values)), at


def placed(y, s):
    """The area, and the share of the other class on the right side of each row."""
    ones, zeros, at = steps(y, s)
    above, passed = np.cumsum(ones), np.cumsum(zeros)
    right = np.where(
        y == 1,
        (passed[-1] - passed[at] + zeros[at] / 2) / passed[-1],
        (above[at] - ones[at] / 2) / above[-1],
    )
    return right[y == 1].mean(), right


def area(data):
    return {"area": placed(data["y"], data["scores"])[0]}


def curve(data):
    ones, zeros, _ = steps(data["y"], data["scores"])
    tpr, fpr = (np.cumsum([0, *counts]) / counts.sum() for counts in (ones, zeros))
    return {"fpr": fpr, "tpr": tpr}


def variance_of_mean(values, y):
    """Of a difference of the classes' means."""
    return sum(values[y == c].var(ddof=1) / (y == c).sum() for c in (0, 1))


def delong(data):
    (a, first), (b, second) = (placed(data["y"], data[name]) for name in ("scores", "other_scores"))
    error = variance_of_mean(first - second, data["y"]) ** 0.5
    return {"test": np.array([a, b, (a - b) / error])}


def interval(data):
    """DeLong's, whose ends those of the bootstrap are near to."""
    area, right = placed(data["y"], data["scores"])
    return {"interval": area + np.array([-1.96, 1.96]) * variance_of_mean(right, data["y"]) ** 0.5}


def in_standard_errors(ends, expected):
    return abs(ends - expected).max() / ((expected[1] - expected[0]) / (2 * 1.96))


# --- the suite ---


def _area(result):
    return {"area": result}


def _curve(result):
    return {"fpr": result[0], "tpr": result[1]}


def _test(result):
    return {"test": np.array([result.auc1, result.auc2, result.statistic])}


def _ends(result):
    return {"interval": np.array([result.low, result.high])}


SUITE = Suite(
    name="ranking",
    title="rankings: areas, ROC curves, DeLong's test of two, 2000 bootstrap replicates",
    family="scores and rankings",
    problems=[
        _problem("area", 2_000_000, group="area"),
        _problem("area", 2_000_000, "tied", beyond=True),
        _problem("area", 2_000_000, "skewed", beyond=True),
        _problem("area", 1_000, group="small"),
        _problem("curve", 2_000_000, group="curve"),
        _problem("curve", 1_000, beyond=True),
        _problem("delong", 1_000_000, group="delong"),
        _problem("bootstrap", 10_000, group="bootstrap", budget=30.0),
    ],
    quick=[
        _problem("area", 20_000), _problem("curve", 5_000, "tied"), _problem("delong", 5_000),
        _problem("bootstrap", 1_000),
    ],
    growth=Growth(1_000_000, lambda n: _problem("delong", n, group="delong")),
    libraries={
        "statfast": Library({
            "area": partial(Scores, "statfast.metrics.roc_auc_score", _area),
            "curve": partial(Scores, "statfast.metrics.roc_curve", _curve, drop_intermediate=False),
            "delong": partial(Paired, "statfast.metrics.auc_test", _test),
            "bootstrap": partial(
                Scores, "statfast.metrics.auc_interval", _ends, method="bootstrap", random_state=0,
                n_resamples=REPLICATES, stratified=False,
            ),
        }),
        "scikit-learn": Library({
            "area": partial(Scores, "sklearn.metrics.roc_auc_score", _area),
            "curve": partial(Scores, "sklearn.metrics.roc_curve", _curve, drop_intermediate=False),
            "bootstrap": partial(
                Resampled, "sklearn.metrics.roc_auc_score", lambda ends: {"interval": ends}
            ),
        }),
        "scipy": Library({
            "delong": partial(
                Midranks, "scipy.stats.rankdata", lambda values: {"test": np.array(values)}
            ),
        }),
        "confidenceinterval": Library({
            "delong": partial(
                FastDelong, "confidenceinterval.delong.fastDeLong_no_weights",
                lambda values: {"test": np.array(values)},
            ),
        }),
    },
    checks={
        "area": Check.of_twin(area, {"area": difference}),
        "curve": Check.of_twin(curve, {"rates": difference}),
        "delong": Check.of_twin(delong, {"relative error": relative_difference}),
        "bootstrap": Check.of_twin(interval, {"standard errors": in_standard_errors}),
    },
    tolerances={
        "area": Tolerances({"area": 1e-12}),
        "curve": Tolerances({"rates": 1e-14}),
        "delong": Tolerances({"relative error": 1e-9}),
        "bootstrap": Tolerances({"standard errors": 0.35}),
    },
    bars={
        "area": [Bar("AUC of 2e6 scores", least=20.0)],
        "small": [Bar("AUC of 1000 scores", seconds=30e-6)],
        "curve": [Bar("ROC curve of 2e6 scores", least=5.0)],
        "delong": [Bar("DeLong's test of two curves of 1e6", least=10.0)],
        "bootstrap": [Bar("2000 bootstrap replicates, n = 1e4", seconds=0.05)],
        "": [Bar("other scores")],
    },
)  # fmt: skip
