# SPDX-License-Identifier: BSD-3-Clause
"""The problems of the suite ``svc-predict``: decision values of fitted support vector classifiers.

Labels are drawn without regard to the rows, so that nearly all training rows become support
vectors; training is not timed.
"""

from functools import partial

import numpy as np

from benchmarks.problem import SIZES, Problem

BUDGET = 4.0  # seconds of rounds for each library and problem
LIMIT = 60.0
SINGLES = 200  # rows that come one by one


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


PROBLEMS = [
    _values(10_000, 5_000, 50, group="values"),
    _values(10_000, 1_000, 10, beyond=True),
    _values(10_000, 2_000, 784, beyond=True),
    _values(10_000, 2_000, 50, kernel="poly", beyond=True),
    _values(10_000, 2_000, 20, classes=5, beyond=True),
    _values(10_000, 5_000, 50, dtype="float32", beyond=True),
    _single(100, 10, beyond=True),
    _single(2_000, 50, beyond=True),
]

QUICK = [
    _values(300, 200, 5, group="values"),
    _values(100, 90, 4, classes=3, beyond=True),
    _single(50, 4, beyond=True),
]
