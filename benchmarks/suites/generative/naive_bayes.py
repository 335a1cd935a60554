# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``naive_bayes``: fit and posteriors of normal, multinomial and mixed columns."""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import Estimator
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Library, Suite

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


class Posteriors(Estimator):
    def prepare(self, data, threads):
        self.X, self.y = data["X"], data["y"]
        self.model = self.estimator(threads=threads)

    def fit(self):
        self.model.fit(self.X, self.y)

    def answer(self):
        return {"posteriors": np.asarray(self.model.predict_proba(self.X))}


KINDS = ("gaussian", "bernoulli", "categorical", "poisson")


class OurMixed(Posteriors):
    def prepare(self, data, threads):
        super().prepare(data, threads)
        self.model.set_params(densities=[kind for kind in KINDS for _ in range(4)], alpha=0.0)


class TheirMixed(Posteriors):
    def prepare(self, data, threads):
        from wnb import Distribution as D
        from wnb import GeneralNB

        X, self.y = data["X"], data["y"]  # it wants Python's integers
        self.X = np.column_stack([X[:, :4].astype(object), X[:, 4:].astype(int).astype(object)])
        kinds = (D.NORMAL, D.BERNOULLI, D.CATEGORICAL, D.POISSON)
        self.model = GeneralNB(
            distributions=[kind for kind in kinds for _ in range(4)], alpha=1e-10
        )


# --- the check ---


class PosteriorCheck(Check):
    """Posteriors of some rows by definition, in numpy."""

    def __init__(self, data):
        self.y = np.asarray(data["y"])
        self.parts = {"posteriors": (len(self.y), len(np.unique(self.y)))}
        self.some = np.arange(0, len(self.y), max(1, len(self.y) // 500))
        self.some[-1] = len(self.y) - 1
        joint = self.joint(data["X"]) + np.log(np.bincount(self.y) / len(self.y))
        p = np.exp(joint - joint.max(axis=1, keepdims=True))
        self.right = p / p.sum(axis=1, keepdims=True)

    def joint(self, X):
        return self.normal(X)

    def normal(self, X, epsilon=None):
        epsilon = 1e-9 * X.var(axis=0).max() if epsilon is None else epsilon
        found = []
        for k in range(self.y.max() + 1):
            mean = X[self.y == k].mean(axis=0)
            variance = X[self.y == k].var(axis=0) + epsilon
            z = (X[self.some] - mean) ** 2 / variance
            found.append(-0.5 * (z + np.log(2 * np.pi * variance)).sum(axis=1))
        return np.stack(found, axis=1)

    def errors(self, answer):
        return {
            "posterior error": float(np.abs(answer["posteriors"][self.some] - self.right).max())
        }


class CountCheck(PosteriorCheck):
    def joint(self, X):
        found = []
        for k in range(self.y.max() + 1):
            counts = np.asarray(X[self.y == k].sum(axis=0)).ravel() + 1.0
            found.append(X[self.some] @ np.log(counts / counts.sum()))
        return np.stack(found, axis=1)


class MixedCheck(PosteriorCheck):
    def joint(self, X):
        found = self.normal(X[:, :4])
        for k in range(self.y.max() + 1):
            own = X[self.y == k]
            ones = own[:, 4:8].mean(axis=0)
            found[:, k] += np.where(X[self.some, 4:8] > 0, np.log(ones), np.log(1 - ones)).sum(
                axis=1
            )
            for j in range(8, 12):
                shares = np.bincount(own[:, j].astype(int), minlength=7) / len(own)
                with np.errstate(divide="ignore"):
                    found[:, k] += np.log(shares)[X[self.some, j].astype(int)]
            rates = own[:, 12:].mean(axis=0)
            found[:, k] += (X[self.some, 12:] * np.log(rates) - rates).sum(axis=1)
        return found


# --- the suite ---

OURS, THEIRS = "statfast.generative.", "sklearn.naive_bayes."
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
    libraries={
        "statfast": Library(
            {
                "normal": partial(Posteriors, f"{OURS}GaussianNB"),
                "counts": partial(Posteriors, f"{OURS}MultinomialNB"),
                "mixed": partial(OurMixed, f"{OURS}MixedNB"),
            }
        ),
        "scikit-learn": Library(
            {
                "normal": partial(Posteriors, f"{THEIRS}GaussianNB", threaded=False),
                "counts": partial(Posteriors, f"{THEIRS}MultinomialNB", threaded=False),
            }
        ),
        "wnb": Library({"mixed": partial(TheirMixed, "wnb.GeneralNB", threaded=False)}),
    },
    checks={"normal": PosteriorCheck, "counts": CountCheck, "mixed": MixedCheck},
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
