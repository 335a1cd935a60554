# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``sparse_trees``: a tree, forests and boosting on sparse rows such as those of texts.

scikit-learn's boosting refuses sparse rows, and has the array of them.
"""

from functools import partial

import numpy as np

from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite
from benchmarks.suites.tree.trees import Forest, ForestCheck

TREES = 50
ROUNDS = 20
WORDS = 20  # of a text
TESTED = 2_000

# --- data and problems ---


def texts(n, p, seed):
    """Words weighted by their rarity, of lengths 1; a fifth of the words decide, with noise."""
    from scipy import sparse

    rng = np.random.default_rng(seed)
    chance = np.arange(1, p + 1) ** -0.8
    column = rng.choice(p, (n + TESTED) * WORDS, p=chance / chance.sum()).astype(np.int32)
    start = np.arange(0, len(column) + 1, WORDS, dtype=np.int32)
    X = sparse.csr_matrix((np.ones(len(column)), column, start), shape=(n + TESTED, p))
    X.sum_duplicates()
    X.data *= np.log(len(X.indptr) / (1.0 + np.bincount(X.indices, minlength=p)))[X.indices]
    X.data /= np.repeat(np.sqrt(np.asarray(X.multiply(X).sum(axis=1))[:, 0]), np.diff(X.indptr))
    signal = X @ (rng.standard_normal(p) * (rng.random(p) < 0.2))
    signal += 0.3 * signal.std() * rng.standard_normal(n + TESTED)
    y = (signal > np.median(signal)).astype(np.int64)
    return {"X": X[:n], "y": y[:n], "Z": X[n:], "z": y[n:], "classes": 2}


def _problem(task, n, p, *, group=""):
    return Problem(f"{task} {n}x{p}", task, partial(texts, n, p), group=group, beyond=not group)


class OfDense(Forest):
    """The same of the dense array, made beforehand."""

    def prepare(self, data, threads):
        super().prepare(data | {name: data[name].toarray() for name in ("X", "Z")}, threads)


# --- the suite ---


def _library(package, boosted=Forest, **options):
    one = partial(Forest, f"{package}.tree.DecisionTreeClassifier", random_state=0, **options)
    many = {"n_estimators": TREES, "random_state": 0}
    return Library({
        "tree": one,
        "random forest": partial(Forest, f"{package}.ensemble.RandomForestClassifier", **many),
        "extra-trees": partial(Forest, f"{package}.ensemble.ExtraTreesClassifier", **many),
        "boosting": partial(
            boosted, f"{package}.ensemble.HistGradientBoostingClassifier", max_iter=ROUNDS,
            early_stopping=False, **options,
        ),
    })  # fmt: skip


TASKS = ("tree", "random forest", "extra-trees", "boosting")

SUITE = Suite(
    name="sparse_trees",
    title="a tree, forests of 50 trees, 20 rounds of boosting, on sparse rows (fit + predictions)",
    family="trees and ensembles",
    problems=[_problem(task, 20_000, 2_000, group=task) for task in TASKS],
    quick=[_problem(task, 1_000, 200, group=task) for task in TASKS],
    growth=Growth(20_000, lambda n: _problem("extra-trees", n, 2_000, group="extra-trees")),
    libraries={
        "statfast": _library("statfast"),
        "scikit-learn": _library("sklearn", OfDense, threaded=False),
    },
    checks=dict.fromkeys(TASKS, ForestCheck),
    tolerances={task: Tolerances({"error": 0.95}) for task in TASKS},
    bars={task: [Bar(f"{task} on sparse rows, 20 000 x 2 000", least=2.0)] for task in TASKS},
)
