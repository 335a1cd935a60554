# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``naive_bayes``: fit and posteriors of normal, multinomial and mixed columns."""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, FitThen
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Sample, Tolerances, difference
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite
from tests.reference import naive_bayes as twin

# --- data and problems ---


def _normal(n, d, classes, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    return {"X": rng.standard_normal((n, d)) + rng.standard_normal((classes, d))[y], "y": y}


def _documents(n, words, length, classes, seed):
    """Counts by Zipf's law, each class with some words of its own."""
    from scipy import sparse

    rng = np.random.default_rng(seed)
    chances = 1.0 / np.arange(1, words + 1)
    chances /= chances.sum()
    y = rng.integers(classes, size=n)
    column = rng.choice(words, size=(n, length), p=chances)
    column[:, ::10] = (column[:, ::10] + 37 * y[:, None]) % words
    rows = np.repeat(np.arange(n), length)
    X = sparse.csr_matrix((np.ones(n * length), (rows, column.ravel())), shape=(n, words))
    X.sum_duplicates()
    return {"X": X, "y": y}


def _mixed(n, seed):
    """Four columns each of measurements, truth values, categories and counts."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    X = np.column_stack(
        [
            rng.standard_normal((n, 4)) + y[:, None],
            rng.random((n, 4)) < 0.2 + 0.2 * y[:, None],
            np.minimum(rng.poisson(1.0 + y, (4, n)).T, 6),
            rng.poisson(2.0 + y, (4, n)).T,
        ]
    ).astype(np.float64)
    return {"X": X, "y": y}


def _problem(name, task, make, group="", **more):
    return Problem(name, task, make, group=group, beyond=not group, **more)


# --- adapters ---


POSTERIORS = partial(FitThen, answers={"posteriors": "predict_proba"})


KINDS = ("gaussian", "bernoulli", "categorical", "poisson")
DENSITIES = [kind for kind in KINDS for _ in range(4)]


class TheirMixed(Adapter):
    def prepare(self, data, threads):
        from wnb import Distribution as D
        from wnb import GeneralNB

        X, self.y = data["X"], data["y"]  # it wants Python's integers
        self.X = np.column_stack([X[:, :4].astype(object), X[:, 4:].astype(int).astype(object)])
        kinds = (D.NORMAL, D.BERNOULLI, D.CATEGORICAL, D.POISSON)
        self.model = GeneralNB(
            distributions=[kind for kind in kinds for _ in range(4)], alpha=1e-10
        )

    def fit(self):
        self.model.fit(self.X, self.y)

    def answer(self):
        return {"posteriors": np.asarray(self.model.predict_proba(self.X))}


# --- the check ---


SAMPLED = 500


def posteriors(joint, data):
    """Posteriors of some rows: ``joint(X, y, rows)`` has their log densities by class."""
    X, y = data["X"], np.asarray(data["y"])
    rows = np.arange(0, len(y), max(1, len(y) // SAMPLED))
    rows[-1] = len(y) - 1
    log_joint = joint(X, y, X[rows]) + np.log(np.bincount(y) / len(y))
    return {"posteriors": Sample(len(y), rows, twin.posteriors(log_joint))}


def normal_columns(X, y, query):
    epsilon = 1e-9 * X.var(axis=0).max()
    densities = []
    for k in range(y.max() + 1):
        mean = X[y == k].mean(axis=0)
        variance = X[y == k].var(axis=0) + epsilon
        z = (query - mean) ** 2 / variance
        densities.append(-0.5 * (z + np.log(2 * np.pi * variance)).sum(axis=1))
    return np.stack(densities, axis=1)


def count_columns(X, y, query):
    densities = []
    for k in range(y.max() + 1):
        counts = np.asarray(X[y == k].sum(axis=0)).ravel() + 1.0
        densities.append(query @ np.log(counts / counts.sum()))
    return np.stack(densities, axis=1)


def mixed_columns(X, y, query):
    densities = normal_columns(X[:, :4], y, query[:, :4])
    for k in range(y.max() + 1):
        rows = X[y == k]
        ones = rows[:, 4:8].mean(axis=0)
        densities[:, k] += np.log(np.where(query[:, 4:8] > 0, ones, 1 - ones)).sum(axis=1)
        for j in range(8, 12):
            shares = np.bincount(rows[:, j].astype(int), minlength=7) / len(rows)
            with np.errstate(divide="ignore"):
                densities[:, k] += np.log(shares)[query[:, j].astype(int)]
        rates = rows[:, 12:].mean(axis=0)
        densities[:, k] += (query[:, 12:] * np.log(rates) - rates).sum(axis=1)
    return densities


def _check(joint):
    return Check.of_twin(partial(posteriors, joint), {"posterior error": difference})


# --- the suite ---

OURS, SKLEARN = "statfast.generative.", "sklearn.naive_bayes."
STRICT, LOOSE = {"posterior error": 1e-8}, {"posterior error": 1e-4}
SUITE = Suite(
    name="naive_bayes",
    title="naive Bayes (fit + posteriors)",
    family="discriminants, naive Bayes",
    problems=[
        _problem("normal 500000x30 K=5", "normal", partial(_normal, 500_000, 30, 5), "normal"),
        _problem("normal 10000x10 K=3", "normal", partial(_normal, 10_000, 10, 3)),
        _problem("normal 150x4 K=3", "normal", partial(_normal, 150, 4, 3)),
        _problem(
            "documents 20000x50000 K=20",
            "counts",
            partial(_documents, 20_000, 50_000, 120, 20),
            "counts",
        ),
        _problem("documents 2000x5000 K=2", "counts", partial(_documents, 2_000, 5_000, 60, 2)),
        _problem("mixed 100000x16 K=3", "mixed", partial(_mixed, 100_000), "mixed"),
    ],
    quick=[
        _problem("normal 2000x8 K=3", "normal", partial(_normal, 2_000, 8, 3), "normal"),
        _problem("documents 500x800 K=3", "counts", partial(_documents, 500, 800, 40, 3), "counts"),
        _problem("mixed 1000x16 K=3", "mixed", partial(_mixed, 1_000), "mixed"),
    ],
    growth=Growth(
        500_000,
        lambda n: _problem(f"normal {n}x30 K=5", "normal", partial(_normal, n, 30, 5), "normal"),
    ),
    libraries={
        "statfast": Library(
            {
                "normal": partial(POSTERIORS, f"{OURS}GaussianNB"),
                "counts": partial(POSTERIORS, f"{OURS}MultinomialNB"),
                "mixed": partial(POSTERIORS, f"{OURS}MixedNB", densities=DENSITIES, alpha=0.0),
            }
        ),
        "scikit-learn": Library(
            {
                "normal": partial(POSTERIORS, f"{SKLEARN}GaussianNB", threaded=False),
                "counts": partial(POSTERIORS, f"{SKLEARN}MultinomialNB", threaded=False),
            }
        ),
        "wnb": Library({"mixed": TheirMixed}),
    },
    checks={
        "normal": _check(normal_columns),
        "counts": _check(count_columns),
        "mixed": _check(mixed_columns),
    },
    tolerances={
        "normal": Tolerances(STRICT, LOOSE, LOOSE),
        "counts": Tolerances(STRICT, LOOSE, LOOSE),
        "mixed": Tolerances(STRICT, LOOSE, LOOSE),
    },
    bars={
        "normal": [Bar("GaussianNB, 5e5 x 30", least=20.0)],
        "counts": [Bar("MultinomialNB, sparse, 2e4 x 5e4", least=5.0)],
        "mixed": [Bar("MixedNB, four kinds", least=20.0)],
        "": [Bar("other shapes")],
    },
)
