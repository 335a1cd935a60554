# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``rules``: the best subgroups of all conjunctions, and lists of rules by RIPPER."""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, Estimator, FitThen
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, difference
from benchmarks.harness.problem import F64, Problem
from benchmarks.harness.suite import Growth, Library, Suite

N_SUBGROUPS, DEPTH = 20, 3

# --- data and problems ---


def _categories(n, d, levels, numeric, seed):
    """Columns of few categories, three of which make a target likely, or large."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, size=(n, d)).astype(np.float64)
    lucky = (X[:, 0] == 1) & (X[:, 1] == 0) | (X[:, 2] == 1) & (X[:, 3] == 2)
    if numeric:
        return {"X": X, "y": lucky + rng.standard_normal(n)}
    return {"X": X, "y": (rng.random(n) < np.where(lucky, 0.7, 0.2)).astype(np.int64)}


def _labeled(n, d, seed):
    """Rows that two rules label, one in ten wrongly, and rows to classify with true labels."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n + 2000, d))
    y = ((X[:, 0] > 0.5) & (X[:, 1] < 0.0) | (X[:, 2] > 1.2)).astype(np.int64)
    noisy = np.where(rng.random(n) < 0.1, 1 - y[:n], y[:n])
    return {"X": X[:n], "y": noisy, "asked": X[n:], "truth": y[n:]}


def _subgroups(n, d, levels, task="subgroups"):
    make = partial(_categories, n, d, levels, task == "numeric subgroups")
    name = f"{task}, {n}x{d}, {levels} categories a column, {DEPTH} conditions"
    return Problem(name, task, make, F64, 0.0, 8.0 * n * d, 1.0, group=task)


def _ripper(n, d):
    make = partial(_labeled, n, d)
    return Problem(f"RIPPER, {n}x{d}", "ripper", make, F64, 0.0, 8.0 * n * d, 1.0, group="ripper")


# --- adapters ---


class Subgroups(Estimator):
    """Qualities of the best subgroups, whatever their rows have in common."""

    def prepare(self, data, threads):
        self.data = data
        self.model = self.estimator(
            threads=threads, n_subgroups=N_SUBGROUPS, max_depth=DEPTH, distinct=False,
            categorical_features=[*range(data["X"].shape[1])],
        )  # fmt: skip

    def fit(self):
        self.model.fit(self.data["X"], self.data["y"])

    def answer(self):
        return {"qualities": self.model.subgroups_.quality}


class PySubgroup(Adapter):
    """Its depth-first search by bit sets, or with bounds of a numeric target."""

    def __init__(self, *, numeric):
        self.numeric = numeric

    def prepare(self, data, threads):
        import pandas
        import pysubgroup

        self.library = pysubgroup
        X = data["X"].astype(np.int64)
        frame = pandas.DataFrame({f"x{j}": X[:, j] for j in range(X.shape[1])})
        frame["y"] = data["y"] if self.numeric else data["y"] == 1
        space = [
            pysubgroup.EqualitySelector(f"x{j}", int(value))
            for j in range(X.shape[1]) for value in np.unique(X[:, j])
        ]  # fmt: skip
        if self.numeric:
            target, quality = pysubgroup.NumericTarget("y"), pysubgroup.StandardQFNumeric(1.0)
        else:
            target, quality = pysubgroup.BinaryTarget("y", True), pysubgroup.WRAccQF()
        self.task = pysubgroup.SubgroupDiscoveryTask(
            frame, target, space, result_set_size=N_SUBGROUPS, depth=DEPTH, qf=quality
        )

    def fit(self):
        search = (
            self.library.DFSNumeric() if self.numeric
            else self.library.DFS(self.library.BitSetRepresentation)
        )  # fmt: skip
        self.result = search.execute(self.task)

    def answer(self):
        qualities = [row[0] for row in self.result.to_descriptions()]
        qualities = np.array(sorted(qualities, reverse=True), np.float64)
        # Those of numbers are n (mean - mean of all), without the number of all rows.
        return {"qualities": qualities / len(self.task.data) if self.numeric else qualities}


# --- checks ---


def best_qualities(data):
    """The qualities of all conjunctions: for each pair of conditions, with each third one."""
    X, y = data["X"], data["y"]
    columns, rows = [], []
    for j in range(X.shape[1]):
        for value in np.unique(X[:, j]):
            columns.append(j)
            rows.append(X[:, j] == value)
    rows, columns = np.array(rows, np.float64), np.array(columns)
    away = (y - y.mean()) / len(y)
    found = [rows @ away]
    for i in range(len(rows)):
        later = columns > columns[i]
        pairs = rows[later] * rows[i]
        found.append(pairs @ away)
        places = np.flatnonzero(later)
        sums = (pairs * away) @ rows.T  # of a pair and a third condition
        found.append(sums[columns > columns[places][:, None]])
    return {"qualities": np.sort(np.concatenate(found))[::-1][:N_SUBGROUPS]}


class HeldOut(Check):
    """The share of wrong labels among rows that were not learned from."""

    def __init__(self, data):
        self.truth = data["truth"]
        self.parts = {"labels": self.truth.shape}

    def errors(self, answer):
        return {"wrong labels": float(np.mean(np.asarray(answer["labels"]) != self.truth))}


# --- the suite ---

QUALITIES = Check.of_twin(best_qualities, {"qualities": difference})
EXACT = Tolerances(*({"qualities": bound} for bound in (1e-10, 1e-10, 1e-6)))
LEARNED = Tolerances(*({"wrong labels": bound} for bound in (0.05, 0.05, 0.05)))
SUITE = Suite(
    name="rules",
    title="subgroups of equal quality, and lists of rules that are as accurate",
    family="clustering, mixtures, patterns",
    problems=[
        _subgroups(20_000, 20, 4),
        _subgroups(200_000, 12, 3),
        _subgroups(20_000, 12, 4, "numeric subgroups"),
        _ripper(5_000, 10),
    ],
    quick=[
        _subgroups(1_000, 8, 3), _subgroups(1_000, 8, 3, "numeric subgroups"), _ripper(1_000, 5),
    ],
    growth=Growth(200_000, lambda n: _subgroups(n, 12, 3)),
    libraries={
        "statfast": Library({
            "subgroups": partial(Subgroups, "statfast.SubgroupDiscovery", target="nominal"),
            "numeric subgroups": partial(Subgroups, "statfast.SubgroupDiscovery", target="numeric"),
            "ripper": partial(
                FitThen, "statfast.RuleListClassifier", algorithm="ripper", random_state=0,
                asked="asked", answers={"labels": "predict"}, threaded=False,
            ),
        }),
        "pysubgroup": Library({
            "subgroups": partial(PySubgroup, numeric=False),
            "numeric subgroups": partial(PySubgroup, numeric=True),
        }),
        "wittgenstein": Library({
            "ripper": partial(
                FitThen, "wittgenstein.RIPPER", random_state=0, asked="asked",
                answers={"labels": "predict"}, threaded=False,
            ),
        }),
    },
    checks={"subgroups": QUALITIES, "numeric subgroups": QUALITIES, "ripper": HeldOut},
    tolerances={"subgroups": EXACT, "numeric subgroups": EXACT, "ripper": LEARNED},
    bars={
        "subgroups": [Bar("subgroups of a class, exhaustive", least=5.0)],
        "numeric subgroups": [Bar("subgroups of a number, exhaustive", least=5.0)],
        "ripper": [Bar("RIPPER", least=5.0)],
    },
)  # fmt: skip
