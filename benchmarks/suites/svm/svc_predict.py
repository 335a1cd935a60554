# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``svc-predict``: decision values of support vector classifiers fitted before.

Labels are drawn without regard to the rows, so that nearly all training rows become support
vectors; training is not timed. Every library trains its own model, to a tolerance at which all have
the same; the values of a sample of rows are checked against those of multipliers that are shown to
be the solution's.
"""

import time
from functools import partial
from itertools import combinations

import numpy as np

from benchmarks.harness.adapter import Estimator
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Sample, Tolerances, scaled_difference
from benchmarks.harness.problem import SIZES, Problem
from benchmarks.harness.suite import Growth, Library, Suite

BUDGET = 4.0  # seconds of rounds for each library and problem
LIMIT = 60.0
SINGLES = 200  # rows that come one by one
SAMPLE = 200


# --- data and problems ---


def _data(n, m, d, classes, kernel, dtype, seed):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((m + n, d)).astype(dtype)
    y = rng.permutation(np.arange(m) % classes)
    params = {"kernel": kernel, "gamma": 1.0 / d, "C": 1.0, "tol": 1e-5}
    return {"X": rows[:m], "y": y, "Q": rows[m:].copy(), "params": params}


def _values(n, m, d, *, classes=2, kernel="rbf", dtype="float64", **more):
    name = f"{kernel} {n} rows, {m} support vectors, d={d}"
    name += f", {classes} classes" * (classes > 2) + f" {dtype}"
    return Problem(
        name, "svm values", partial(_data, n, m, d, classes, kernel, dtype), dtype,
        flops=2.0 * n * m * d, nbytes=(n + m) * d * float(SIZES[dtype]), budget=BUDGET,
        limit=LIMIT, **more,
    )  # fmt: skip


def _single(m, d, **more):
    return Problem(
        f"one row of {d}, {m} support vectors", "svm one row",
        partial(_data, SINGLES, m, d, 2, "rbf", "float64"), budget=BUDGET, limit=LIMIT, **more,
    )  # fmt: skip


# --- adapters ---


class Values(Estimator):
    """All rows at once."""

    def prepare(self, data, threads):
        self.Q = data["Q"]
        model = self.estimator(threads=threads, decision_function_shape="ovo", **data["params"])
        self.model = model.fit(data["X"], data["y"])
        self.note_fallback(self.model)

    def answer(self):
        return {"values": self.model.decision_function(self.Q)}


class SingleValues(Values):
    """Rows one by one; its own clock gives seconds a row."""

    def answer(self):
        one, rows = self.model.decision_function, [row[None] for row in self.Q]
        start = time.perf_counter()
        values = [one(row) for row in rows]
        seconds = (time.perf_counter() - start) / len(rows)
        return {"seconds": seconds, "values": np.concatenate(values)}


# --- the check ---


def values_of_solution(data):
    """The values of a sample of rows, by LIBSVM's multipliers.

    That no pair of these violates the conditions of optimality by more than the tolerance, and the
    values, are worked out here, by definition.
    """
    X, Q = (data[name].astype(np.float64) for name in ("X", "Q"))
    y, pairs = data["y"], list(combinations(np.unique(data["y"]), 2))
    rows = np.random.default_rng(0).choice(len(Q), min(SAMPLE, len(Q)), replace=False)
    columns = []
    for first, second in pairs:
        here = (y == first) | (y == second)
        sign = np.where(y[here] == first, 1.0, -1.0)
        columns.append(_solution_values(X[here], sign, Q[rows], data["params"]))
    values = np.column_stack(columns) if len(pairs) > 1 else -columns[0]
    return {"values": Sample(len(Q), rows, values)}


def _solution_values(X, y, Q, params):
    """Decision values, positive for y = 1, of a machine for labels 1 and -1."""
    from sklearn.svm import SVC

    model, C = SVC(**params).fit(X, y), params["C"]
    coef = np.zeros(len(X))
    coef[model.support_] = model.dual_coef_[0]
    alpha, missing = coef * y, y - _kernel(X, X, params) @ coef
    assert ((alpha >= 0) & (alpha <= C)).all(), "LIBSVM's multipliers are out of bounds"
    rises = np.where(y > 0, alpha < C, alpha > 0)  # those that may, in the direction of y
    falls = np.where(y > 0, alpha > 0, alpha < C)
    low, high = missing[rises].max(), missing[falls].min()  # what the intercept lies between
    assert low - high <= 2 * params["tol"], f"LIBSVM's multipliers are {low - high:.3g} off"
    return _kernel(Q, X, params) @ coef + (low + high) / 2


def _kernel(A, B, params):
    product = A @ B.T
    if params["kernel"] == "poly":
        return (params["gamma"] * product) ** 3
    return np.exp(-params["gamma"] * ((A**2).sum(1)[:, None] - 2 * product + (B**2).sum(1)))


# --- the suite ---


def _machine(path, **options):
    return Library(
        {
            "svm values": partial(Values, path, **options),
            "svm one row": partial(SingleValues, path, **options),
        }
    )


TASKS = ("svm values", "svm one row")
SUITE = Suite(
    name="svc-predict",
    title="decision values of support vector classifiers (after the fit)",
    family="support vector machines",
    problems=[
        _values(10_000, 5_000, 50, group="values"),
        _values(10_000, 1_000, 10, beyond=True),
        _values(10_000, 2_000, 784, beyond=True),
        _values(10_000, 2_000, 50, kernel="poly", beyond=True),
        _values(10_000, 2_000, 20, classes=5, beyond=True),
        _values(10_000, 5_000, 50, dtype="float32", beyond=True),
        _single(100, 10, beyond=True),
        _single(2_000, 50, beyond=True),
    ],
    quick=[
        _values(300, 200, 5, group="values"),
        _values(100, 90, 4, classes=3, beyond=True),
        _single(50, 4, beyond=True),
    ],
    growth=Growth(10_000, lambda n: _values(n, 2_000, 784, beyond=True)),
    libraries={
        "statfast": _machine("statfast.svm.SVC"),
        "scikit-learn": _machine("sklearn.svm.SVC", threaded=False),
        "scikit-learn-intelex": _machine("sklearnex.svm.SVC", threaded=False),
    },
    checks=dict.fromkeys(
        TASKS, Check.of_twin(values_of_solution, {"value error": scaled_difference})
    ),
    tolerances=dict.fromkeys(TASKS, Tolerances({"value error": 1e-4})),
    bars={
        "values": [
            Bar("10 000 rows, 5000 support vectors, d = 50", ("scikit-learn",), least=4.0),
            Bar("the same", ("scikit-learn-intelex",), least=1.5),
        ],
        "": [Bar("other shapes")],
    },
)
