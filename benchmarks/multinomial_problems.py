# SPDX-License-Identifier: BSD-3-Clause
"""The problems of the suite ``multinomial``: logistic models of several classes.

Labels are drawn from such a model. "correlated" columns have correlation 1/2; of "rare" classes the
last has one row in a hundred.
"""

from functools import partial

import numpy as np

from benchmarks.problem import Problem

BUDGET = 3.0  # seconds of rounds for each library and problem
LIMIT = 90.0  # seconds of a library's first run
STRENGTH = 2.0  # standard deviation of a class's score


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


PROBLEMS = [
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
]

QUICK = [
    _problem("normal", 1_000, 5, 3, group="bar"),
    _problem("rare", 2_000, 6, 4, None, beyond=True),
]
