# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``selection``: features chosen by scores on rows held out, and the best of all sets.

The whole forward path of 1e5 x 300 in 10 folds is 451 500 fits for who fits again: it is timed for
statfast alone, and beside scikit-learn where that takes seconds.
"""

from functools import partial
from itertools import combinations

import numpy as np

from benchmarks.harness.adapter import Adapter, named
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite

FOLDS = 10
BYTES_OF_NUMBER = 8.0
MAX_COLUMNS_TRIED = 12  # Sets of so many columns are all tried by the check.

# --- data and problems ---


def _line(n, d, seed):
    """Rows, of which a third of the columns tell of the target."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + 0.5 * rng.standard_normal((n, 1))
    slopes = rng.standard_normal(d) * (rng.random(d) < 1 / 3)
    return {"X": X, "y": X @ slopes + 5.0 * rng.standard_normal(n)}


def _problem(task, n, d, **more):
    name = f"{task} n={n} d={d}"
    return Problem(name, task, partial(_line, n, d), nbytes=BYTES_OF_NUMBER * n * d, **more)


# --- adapters ---


class Selector(Adapter):
    """A selector around least squares, to all columns but one if it goes by steps."""

    def __init__(self, path, line, **options):
        self.path, self.line, self.options = path, line, options

    def prepare(self, data, threads):
        self.X, self.y, d = data["X"], data["y"], data["X"].shape[1]
        more = {"n_features_to_select": d - 1} if "direction" in self.options else {}
        self.selector = named(self.path)(named(self.line)(), cv=FOLDS, **more, **self.options)

    def fit(self):
        self.selector.fit(self.X, self.y)

    def answer(self):
        return {"support": np.asarray(self.selector.support_, dtype=float)}


class Subsets(Adapter):
    """The best set of each size, as rows of a mask."""

    def prepare(self, data, threads):
        self.best_subset = named("statfast.feature_selection.best_subset")
        self.X, self.y = data["X"], data["y"]

    def fit(self):
        self.result = self.best_subset(self.X, self.y)

    def answer(self):
        masks = np.zeros((len(self.result.sets), self.X.shape[1]))
        for mask, columns in zip(masks, self.result.sets, strict=True):
            mask[columns] = 1.0
        return {"support": masks}


# --- checks ---


class Products:
    """Cross products of (1, X, y) in all rows, and in those of each fold."""

    def __init__(self, data):
        X, y = data["X"], data["y"]
        table = np.column_stack([np.ones(len(X)), X, y])
        parts = np.array_split(np.arange(len(X)), FOLDS)
        self.of_folds = [table[part].T @ table[part] for part in parts]
        self.total = sum(self.of_folds)

    def score(self, columns):
        """Mean R squared on the rows held out."""
        return np.mean([
            1.0 - self.squares(columns, self.total - held, held) / self.squares([], held, held)
            for held in self.of_folds
        ])  # fmt: skip

    def squares(self, columns, fitted, held):
        """Squares that a fit by some products leaves in others."""
        places = np.append(0, 1 + np.asarray(columns, dtype=int))
        slopes = np.linalg.solve(fitted[np.ix_(places, places)], fitted[places, -1])
        signs = np.append(slopes, -1.0)
        places = np.append(places, -1)
        return signs @ held[np.ix_(places, places)] @ signs


class LastStep(Check):
    """Of a path to all columns but one: what a better choice of that one would gain."""

    def __init__(self, data):
        self.products, d = Products(data), data["X"].shape[1]
        self.parts = {"support": (d,)}
        every = np.arange(d)
        self.scores = np.array([self.products.score(np.delete(every, j)) for j in every])

    def errors(self, answer):
        (gone,) = np.flatnonzero(np.asarray(answer["support"]) == 0.0)
        return {"score lost": float(self.scores.max() - self.scores[gone])}


class Path(Check):
    """The set of a greedy path to all columns but one, by cross products."""

    def __init__(self, data):
        products, d = Products(data), data["X"].shape[1]
        self.parts, selected = {"support": (d,)}, []
        while len(selected) < d - 1:
            rest = [j for j in range(d) if j not in selected]
            selected.append(max(rest, key=lambda j: products.score([*selected, j])))
        self.expected = np.isin(np.arange(d), selected)

    def errors(self, answer):
        return {"columns": float((np.asarray(answer["support"]) != self.expected).sum())}


class Eliminated(Check):
    """The score that an elimination gives away, of that of all columns."""

    def __init__(self, data):
        self.parts = {"support": (data["X"].shape[1],)}
        self.products = Products(data)

    def errors(self, answer):
        chosen = np.flatnonzero(answer["support"])
        every = np.arange(len(answer["support"]))
        lost = self.products.score(every) - self.products.score(chosen)
        return {"score lost": float(max(lost, 0.0))}


class BestSets(Check):
    """Squares that sets leave, less the least that trying all, or exchanging one column, finds."""

    def __init__(self, data):
        self.products, self.d = Products(data), data["X"].shape[1]
        self.parts = {"support": (self.d + 1, self.d)}

    def errors(self, answer):
        worst, total = 0.0, self.products.total
        for mask in np.asarray(answer["support"]):
            columns = np.flatnonzero(mask)
            if self.d <= MAX_COLUMNS_TRIED:
                sets = combinations(range(self.d), len(columns))
            else:
                rest = np.flatnonzero(mask == 0.0)
                sets = [np.append(np.delete(columns, i), j) for i in range(len(columns))
                        for j in rest] or [columns]  # fmt: skip
            least = min(self.products.squares(list(tried), total, total) for tried in sets)
            here = self.products.squares(columns, total, total)
            worst = max(worst, (here - least) / here)
        return {"squares lost": worst}


OURS, PEERS = "statfast.feature_selection.", "sklearn.feature_selection."


def _library(path, line):
    sequential = partial(Selector, path + "SequentialFeatureSelector", line)
    return {
        "forward": partial(sequential, direction="forward"),
        "path": partial(sequential, direction="forward"),
        "elimination": partial(Selector, path + "RFECV", line),
    }


SUITE = Suite(
    name="selection",
    title="features selected by least squares: steps by scores of ten folds, best of all sets",
    family="preprocessing, selection",
    problems=[
        _problem("forward", 100_000, 300, group="path"),
        _problem("path", 100_000, 10, group="steps"),
        _problem("elimination", 20_000, 40, group="elimination"),
        _problem("subsets", 1_000, 40, group="subsets"),
    ],
    quick=[
        _problem("forward", 2_000, 30), _problem("path", 1_000, 6),
        _problem("elimination", 1_000, 8), _problem("subsets", 300, 10),
    ],
    growth=Growth(100_000, lambda n: _problem("forward", n, 300, group="path")),
    libraries={
        "statfast": Library({
            **_library(OURS, "statfast.LinearRegression"), "subsets": Subsets,
        }),
        "scikit-learn": Library({
            task: adapter
            for task, adapter in _library(PEERS, "sklearn.linear_model.LinearRegression").items()
            if task != "forward"  # It would take a day.
        }),
    },
    checks={"forward": LastStep, "path": Path, "elimination": Eliminated, "subsets": BestSets},
    tolerances={
        "forward": Tolerances({"score lost": 1e-3}),
        "path": Tolerances({"columns": 0.5}),
        "elimination": Tolerances({"score lost": 1e-2}),
        "subsets": Tolerances({"squares lost": 1e-10}),
    },
    bars={
        "path": [Bar("the whole forward path of 1e5 x 300", seconds=3.0)],
        "steps": [Bar("steps of 1e5 x 10", ("scikit-learn",), least=20.0)],
        "elimination": [Bar("RFECV of 20 000 x 40", ("scikit-learn",), least=2.0)],
        "subsets": [Bar("best subsets of 40 columns", seconds=1.0)],
    },
)  # fmt: skip
