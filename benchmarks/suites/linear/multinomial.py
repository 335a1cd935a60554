# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``multinomial``: logistic models of several classes, with and without a penalty.

Labels are drawn from such a model. "correlated" columns have correlation 1/2; of "rare" classes the
last has one row in a hundred. Tolerances are the loosest powers of ten with which a solver meets
the bound of the check on the suite's shapes. Without a penalty ours brings the covariance matrix
along.
"""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import FitThen
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite
from tests.reference import multinomial as twin

BUDGET = 3.0  # seconds of rounds for each library and problem
LIMIT = 90.0  # seconds of a library's first run
STRENGTH = 2.0  # standard deviation of a class's score
ROWS_PER_BLOCK = 4096  # rows that the check takes together


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
    penalty = "none" if np.isinf(C) else f"C={C:g}"
    name = f"{kind} {n}x{d} K={n_classes} {penalty} {dtype}"
    make = partial(_data, kind, n, d, n_classes, C, dtype)
    bounds = {"budget": BUDGET, "limit": LIMIT} | more
    return Problem(name, "multinomial", make, dtype, **bounds)


# --- adapters ---

MULTINOMIAL = partial(
    FitThen,
    answers={"coef": lambda model: np.column_stack([model.intercept_, model.coef_])},
    from_data={"C": "C"},
)


# --- the check: how far coefficients are from those of Newton's method ---


def solution(data, rounds=30):
    """Newton's method, as far as it goes: coefficients (K, q) that sum to 0 over the classes, the
    intercept first."""
    y, Z, C = data["y"], twin.design(np.float64(data["X"])), data["C"]
    K, q = y.max() + 1, Z.shape[1]
    ridge = np.zeros(q)
    ridge[1:] = 1.0 / C
    coef = np.zeros((K, q))
    for _ in range(rounds):
        gradient, hessian = ridge * coef, np.zeros((K, q, K, q))
        for start in range(0, len(Z), ROWS_PER_BLOCK):
            rows = slice(start, start + ROWS_PER_BLOCK)
            weights = np.ones(len(Z[rows]))
            gradient += twin.gradient(Z[rows], y[rows], weights, coef)
            hessian += twin.hessian(Z[rows], weights, coef)
        flat = hessian.reshape(K * q, K * q) + np.diag(np.tile(ridge, K))
        flat += np.kron(np.ones((K, K)) / K, np.diag(hessian[0, :, 0].diagonal()))
        step = np.linalg.solve(flat, gradient.ravel()).reshape(K, q)
        coef -= step
        if np.abs(step).max() < 1e-12:
            break
    return {"coef": coef - coef.mean(axis=0)}


def centered_difference(coef, expected):
    coef = np.float64(coef)
    return np.abs(coef - coef.mean(axis=0) - expected).max()


# --- the suite ---


def _sklearn(tol, path="sklearn.linear_model.LogisticRegression", **solver):
    adapter = partial(MULTINOMIAL, path, threaded=False, tol=tol, max_iter=10_000, **solver)
    return Library({"multinomial": adapter})


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
        _problem("normal", 50_000, 20, 5, np.inf, beyond=True),
        _problem("normal", 20_000, 50, 10, np.inf, beyond=True),
        _problem("normal", 500_000, 10, 3, beyond=True),
        _problem("normal", 300, 4, 3, beyond=True),
        _problem("normal", 5_000, 200, 10, beyond=True),
        _problem("normal", 50_000, 20, 5, dtype="float32", beyond=True),
    ],
    quick=[
        _problem("normal", 1_000, 5, 3, group="bar"),
        _problem("rare", 2_000, 6, 4, np.inf, beyond=True),
    ],
    growth=Growth(500_000, lambda n: _problem("normal", n, 10, 3, beyond=True)),
    libraries={
        "statfast": Library(
            {"multinomial": partial(MULTINOMIAL, "statfast.linear.LogisticRegression")}
        ),
        "scikit-learn (newton-cholesky)": _sklearn(1e-6, solver="newton-cholesky"),
        "scikit-learn (newton-cg)": _sklearn(1e-8, solver="newton-cg"),
        "scikit-learn (lbfgs)": _sklearn(1e-8, solver="lbfgs"),
        "scikit-learn-intelex": _sklearn(1e-8, "sklearnex.linear_model.LogisticRegression"),
    },
    checks={"multinomial": Check.of_twin(solution, {"solution error": centered_difference})},
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
