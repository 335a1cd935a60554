# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``svc``: two classes, a Gaussian kernel, LIBSVM's default tolerance.

Synthetic rows are normal, and their classes a wave across a plane with noise, so that from a third
to two thirds of the rows are support vectors. Sines and products of four columns among a hundred
make nearly all rows support vectors, most of them free where C is not small. Real ones are those of
LIBSVM's collection, as they are given there (of dna the third class against the others), and the
digits of MNIST, odd against even, as parts of 255.
"""

import importlib
from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, row_blocks
from benchmarks.harness.problem import Problem
from benchmarks.harness.rows import mnist, read_libsvm
from benchmarks.harness.suite import Growth, Library, Suite

BUDGET, HOPELESS, LIMIT = 4.0, 12.0, 120.0
TOL = 1e-3
CACHE = 2_000.0  # megabytes for everyone
FINER = 1e-6  # of the tolerance: with what the multipliers of the bound are sought


# --- data and problems ---


def _wave(n, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    slope = X @ rng.standard_normal(d) / np.sqrt(d)
    y = np.where(np.sin(2 * X[:, 0]) + slope + 0.5 * rng.standard_normal(n) > 0, 1.0, -1.0)
    return X, y


def _products(n, d, dtype, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    noise = 0.5 * rng.standard_normal(n)
    values = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] + noise
    return X.astype(dtype), np.where(values > 0, 1.0, -1.0)


def _digits(n, seed):
    digits = mnist()
    X = digits.X_train[:n].astype(np.float64).reshape(n, -1) / 255
    return X, np.where(digits.y_train[:n] % 2 == 1, 1.0, -1.0)


def _libsvm(name, n, seed):
    X, y = read_libsvm(name, n)
    return X.toarray(), np.where(y > (2 if "dna" in name else 0), 1.0, -1.0)


def _data(rows, C, gamma, seed):
    X, y = rows(seed)
    return {"X": X, "y": y, "C": float(C), "gamma": gamma or 1 / X.shape[1]}


def _problem(name, rows, C, gamma, **more):
    bounds = {"budget": BUDGET, "hopeless": HOPELESS, "limit": LIMIT} | more
    label = f"{name} C={C:g}" + (f" gamma={gamma:g}" if gamma else "")
    return Problem(label, "svc", partial(_data, rows, C, gamma), **bounds)


def _synthetic(n, d, C, gamma=None, **more):
    return _problem(f"wave {n}x{d}", partial(_wave, n, d), C, gamma, **more)


def _free(n, C, dtype="float64", **more):
    rows = partial(_products, n, 100, dtype)
    return _problem(f"products {n}x100 {dtype}", rows, C, None, group="free", **more)


def _file(name, n, C, gamma, **more):
    label = f"{name.split('.')[0]} n={n}"
    return _problem(label, partial(_libsvm, name, n), C, gamma, **more)


def _mnist(n, C, gamma, **more):
    return _problem(f"MNIST odd/even {n}x784", partial(_digits, n), C, gamma, **more)


# --- adapters ---


class Machine(Adapter):
    """A package's ``SVC``; the answer is y_i alpha_i at support vectors, and the intercept."""

    def __init__(self, module, threaded=False):
        self.module, self.threaded = module, threaded  # whether it takes `n_jobs`

    def prepare(self, data, threads):
        self.X, self.y = data["X"], data["y"]
        more = {"n_jobs": threads} if self.threaded else {}
        estimator = importlib.import_module(self.module).SVC
        self.model = estimator(C=data["C"], gamma=data["gamma"], tol=TOL, cache_size=CACHE, **more)

    def fit(self):
        self.model.fit(self.X, self.y)

    def answer(self):
        return {
            "support": np.asarray(self.model.support_),
            "coef": np.asarray(self.model.dual_coef_, np.float64)[0],
            "intercept": np.float64(np.ravel(self.model.intercept_)[0]),
        }


class ThunderMachine(Machine):
    """ThunderSVM's, whose coefficients are positive for the class it meets first."""

    def __init__(self):
        super().__init__("thundersvm", threaded=True)

    def answer(self):
        found = super().answer()
        return found | {name: self.y[0] * found[name] for name in ("coef", "intercept")}


# --- the check ---


class DualCheck(Check):
    """How far the dual value of an answer is below a bound of it, its primal value above, and its
    multipliers from feasible; as shares.

    The primal value of any multipliers is a bound of the dual value of all. It is computed here, by
    definition; those of our solver make it a tight one, and if they were wrong, a loose one, with
    which no answer passes.
    """

    def __init__(self, data):
        from statfast.kernels import RBF
        from statfast.svm.dual.gram import gram_of
        from statfast.svm.dual.solver import solve

        self.y, self.C, self.gamma = (data[name] for name in ("y", "C", "gamma"))
        self.X = np.asarray(data["X"], np.float64)
        self.parts = {"support": (None,), "coef": (None,), "intercept": ()}
        self.names = {"support": len(self.y)}
        n = len(self.y)
        upper = np.full(n, self.C)
        found = solve(gram_of(RBF(self.gamma), self.X), -np.ones(n), self.y, upper, tol=FINER * TOL)
        support = np.flatnonzero(found.alpha)
        square, values = self._expand(support, (self.y * found.alpha)[support])
        at = np.sort(self.y - values)[np.count_nonzero(self.y > 0) - 1]  # the best intercept
        self.bound = 0.5 * square + self._losses(values + at)

    def errors(self, answer):
        support, b = np.asarray(answer["support"]).astype(np.intp), np.asarray(answer["coef"])
        if len(b) != len(support) or len(np.unique(support)) != len(support) or len(b) == 0:
            return {"outside": 1.0}
        alpha = b * self.y[support]
        outside = np.max([0.0, -alpha.min(), alpha.max() - self.C, abs(b.sum())])
        square, values = self._expand(support, b)
        dual = alpha.sum() - 0.5 * square
        primal = 0.5 * square + self._losses(values + answer["intercept"])
        return {
            "dual shortfall": float(1 - dual / self.bound),
            "primal excess": float(primal / self.bound - 1),
            "outside": float(outside / self.C),
        }

    def _expand(self, support, b):
        """b'Kb, and the values at all rows, a block of them at a time."""
        S, values = self.X[support], np.empty(len(self.X))
        norms = (S**2).sum(axis=1)
        for part in row_blocks(len(self.X), len(S)):
            rows = self.X[part]
            square = (rows**2).sum(axis=1)[:, None] + norms - 2 * rows @ S.T
            values[part] = np.exp(-self.gamma * np.maximum(square, 0)) @ b
        return float(b @ values[support]), values

    def _losses(self, values):
        return float(self.C * np.maximum(1 - self.y * values, 0).sum())


# --- the suite ---

SUITE = Suite(
    name="svc",
    title="support vector classifiers, Gaussian kernel, to LIBSVM's default tolerance",
    family="support vector machines",
    problems=[
        _synthetic(10_000, 10, 1, group="rbf"),
        _synthetic(10_000, 10, 100, group="rbf"),
        _synthetic(10_000, 50, 10, group="rbf"),
        _synthetic(20_000, 20, 1, group="rbf"),
        _synthetic(10_000, 100, 1, group="rbf"),
        _file("a9a.gz", 10_000, 1, 0.05, group="rbf"),
        _file("a9a.gz", 20_000, 10, 0.01, group="rbf"),
        _file("ijcnn1.trn.bz2", 20_000, 1, 1.0, group="rbf"),
        _file("ijcnn1.trn.bz2", 10_000, 100, 0.5, group="rbf"),
        _synthetic(500, 10, 1, group="small"),
        _synthetic(1_000, 30, 10, group="small"),
        _synthetic(2_000, 10, 1, group="small"),
        _file("heart_scale", 270, 1, 0.1, group="small"),
        _file("german.numer.gz", 1_000, 1, 0.001, group="small"),
        _file("australian.gz", 690, 1, 1e-6, group="small"),
        _file("fourclass.gz", 862, 1, 0.001, group="small"),
        _file("dna.scale.gz", 2_000, 1, 0.01, group="small"),
        _file("svmguide1.gz", 3_089, 1, 0.001, beyond=True),
        _synthetic(5_000, 10, 100, group="large"),
        _synthetic(5_000, 10, 1_000, group="large"),
        _synthetic(5_000, 10, 10_000, group="large"),
        _file("ijcnn1.trn.bz2", 5_000, 10_000, 0.5, group="large"),
        *(_free(n, C) for n in (6_000, 10_000, 15_000) for C in (1, 5, 50)),
        *(_free(n, 5, "float32") for n in (6_000, 10_000, 15_000)),
        _mnist(10_000, 10, 0.02, group="mnist"),
        _synthetic(60_000, 10, 1, beyond=True),
        _synthetic(10_000, 2, 10, 2.0, beyond=True),
    ],
    quick=[
        _free(500, 5),
        _synthetic(400, 5, 1, group="small"),
        _synthetic(600, 4, 1_000, group="large"),
    ],
    growth=Growth(60_000, lambda n: _synthetic(n, 10, 1, beyond=True), power=2),
    libraries={
        "statfast": Library({"svc": partial(Machine, "statfast.svm", threaded=True)}),
        "scikit-learn": Library({"svc": partial(Machine, "sklearn.svm")}),
        "scikit-learn-intelex": Library({"svc": partial(Machine, "sklearnex.svm")}),
        "thundersvm": Library({"svc": ThunderMachine}, packages=("thundersvm-cpu",)),
    },
    checks={"svc": DualCheck},
    tolerances={"svc": Tolerances({"dual shortfall": 1e-6, "outside": 1e-9, "primal excess": 0.1})},
    bars={
        "rbf": [
            Bar("RBF, l = 1e4 and 2e4, C = 1 to 100", ("scikit-learn-intelex",), mean=2.0),
            Bar("the same", ("scikit-learn",), mean=4.0),
            Bar("the same", least=1.3),
        ],
        "small": [Bar("RBF, l = 500 to 2000", ("scikit-learn",), least=2.0)],
        "large": [Bar("C = 100 to 1e4, l = 5e3", least=3.0)],
        "free": [Bar("nearly all rows support vectors, d = 100, C = 1 to 50", least=1.5)],
        "mnist": [Bar("MNIST, odd against even, l = 1e4", least=1.5)],
        "": [Bar("other shapes")],
    },
)
