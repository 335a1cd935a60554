# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``multinomial``: logistic models of several classes, with and without a penalty.

Labels are drawn from such a model. "correlated" columns have correlation 1/2; of "rare" classes the
last has one row in a hundred. Tolerances are the loosest powers of ten with which a solver meets
the bound of the check on the suite's shapes. Without a penalty ours brings the covariance matrix
along.
"""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import Estimator
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Library, Suite

BUDGET = 3.0  # seconds of rounds for each library and problem
LIMIT = 90.0  # seconds of a library's first run
STRENGTH = 2.0  # standard deviation of a class's score
BLOCK = 4096  # rows that the check takes together


# --- data and problems ---


def _data(kind, n, d, n_classes, C, dtype, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    if kind == "correlated":
        X = (X + rng.standard_normal((n, 1))) / np.sqrt(2.0)
    scores = X @ rng.standard_normal((d, n_classes)) * (STRENGTH / np.sqrt(d))
    if kind == "rare":
        scores[:, -1] -= 7.0
    y = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    return {"X": X.astype(dtype), "y": y, "C": C}


def _problem(kind, n, d, n_classes, C=1.0, dtype="float64", **more):
    penalty = "none" if C is None else f"C={C:g}"
    name = f"{kind} {n}x{d} K={n_classes} {penalty} {dtype}"
    make = partial(_data, kind, n, d, n_classes, C, dtype)
    bounds = {"budget": BUDGET, "limit": LIMIT} | more
    return Problem(name, "multinomial", make, dtype, **bounds)


# --- adapters ---


class Multinomial(Estimator):
    """Ours."""

    def prepare(self, data, threads):
        self.X, self.y = data["X"], data["y"]
        given = {} if data["C"] is None else {"C": data["C"]}
        self.model = self.estimator(threads=threads, multi_class="multinomial", **given)

    def fit(self):
        self.model.fit(self.X, self.y)

    def answer(self):
        return {"coef": np.column_stack([self.model.intercept_, self.model.coef_])}


class Sklearn(Multinomial):
    """scikit-learn's solvers; `tol` for its stopping rule, on gradients of the mean loss."""

    def prepare(self, data, threads):
        self.X, self.y = data["X"], data["y"]
        C = np.inf if data["C"] is None else data["C"]
        self.model = self.estimator(C=C, max_iter=10_000)

    def fit(self):
        super().fit()
        self.note_fallback(self.model)


# --- the check ---


class MultinomialCheck(Check):
    """How far coefficients, the intercepts first, are from those of Newton's method in plain
    numpy, as far as it goes."""

    def __init__(self, data):
        X, y = np.float64(data["X"]), data["y"]
        self.best = _newton(np.column_stack([np.ones(len(X)), X]), y, data["C"])
        self.parts = {"coef": self.best.shape}

    def errors(self, answer):
        coef = np.float64(answer["coef"])
        error = np.abs(coef - coef.mean(axis=0) - self.best).max()
        return {"solution error": float(error)}


def _newton(Z, y, C, rounds=30):
    """Coefficients (K, q) that sum to 0 over the classes; Z holds the intercept first."""
    K, q = y.max() + 1, Z.shape[1]
    ridge = np.zeros(q)
    ridge[1:] = 0.0 if C is None else 1.0 / C
    own, coef = np.eye(K)[y], np.zeros((K, q))
    for _ in range(rounds):
        gradient, hessian = ridge * coef, np.zeros((K, q, K, q))
        for start in range(0, len(Z), BLOCK):
            z = Z[start : start + BLOCK]
            eta = z @ coef.T
            p = np.exp(eta - eta.max(axis=1, keepdims=True))
            p /= p.sum(axis=1, keepdims=True)
            gradient += (p - own[start : start + BLOCK]).T @ z
            for a in range(K):
                for b in range(K):
                    weight = p[:, a] * ((a == b) - p[:, b])
                    hessian[a, :, b] += (z * weight[:, None]).T @ z
        flat = hessian.reshape(K * q, K * q) + np.diag(np.tile(ridge, K))
        flat += np.kron(np.ones((K, K)) / K, np.diag(hessian[0, :, 0].diagonal()))
        step = np.linalg.solve(flat, gradient.ravel()).reshape(K, q)
        coef -= step
        if np.abs(step).max() < 1e-12:
            break
    return coef - coef.mean(axis=0)


# --- the suite ---


def _sklearn(tol, path="sklearn.linear_model.LogisticRegression", **solver):
    return Library({"multinomial": partial(Sklearn, path, threaded=False, tol=tol, **solver)})


SOLVERS = tuple(f"scikit-learn ({name})" for name in ("lbfgs", "newton-cg", "newton-cholesky"))
SUITE = Suite(
    name="multinomial",
    title="multinomial logistic regression with an l2 penalty, to 1e-8",
    family="generalized linear models",
    problems=[
        _problem("normal", 50_000, 20, 5, group="bar"),
        _problem("normal", 20_000, 50, 10, group="bar"),
        _problem("correlated", 50_000, 20, 5, beyond=True),
        _problem("correlated", 20_000, 50, 10, beyond=True),
        _problem("rare", 50_000, 20, 5, beyond=True),
        _problem("normal", 50_000, 20, 5, None, beyond=True),
        _problem("normal", 20_000, 50, 10, None, beyond=True),
        _problem("normal", 500_000, 10, 3, beyond=True),
        _problem("normal", 300, 4, 3, beyond=True),
        _problem("normal", 5_000, 200, 10, beyond=True),
        _problem("normal", 50_000, 20, 5, dtype="float32", beyond=True),
    ],
    quick=[
        _problem("normal", 1_000, 5, 3, group="bar"),
        _problem("rare", 2_000, 6, 4, None, beyond=True),
    ],
    libraries={
        "statfast": Library(
            {"multinomial": partial(Multinomial, "statfast.linear.LogisticRegression")}
        ),
        "scikit-learn (newton-cholesky)": _sklearn(1e-6, solver="newton-cholesky"),
        "scikit-learn (newton-cg)": _sklearn(1e-8, solver="newton-cg"),
        "scikit-learn (lbfgs)": _sklearn(1e-8, solver="lbfgs"),
        "scikit-learn-intelex": _sklearn(1e-8, "sklearnex.linear_model.LogisticRegression"),
    },
    checks={"multinomial": MultinomialCheck},
    tolerances={
        "multinomial": Tolerances(  # L-BFGS of scikit-learn stops at 1e-6
            {"solution error": 1e-6},
            loose={"solution error": 0.01},
            ours={"solution error": 1e-8},
        )
    },
    bars={
        "bar": [Bar("K classes with L2, n = 2e4 and 5e4", SOLVERS, least=3.0)],
        "": [Bar("other shapes")],
    },
)
