# SPDX-License-Identifier: BSD-3-Clause
"""The problems of the suites ``irls`` and ``glm``: maximum likelihood from dense rows.

Columns are normal with means and sizes of their own, as those of data are, and the responses come
from the model. Every library has to come within 1e-8 of the solution.
"""

from functools import partial

import numpy as np

from benchmarks.problem import Problem

BUDGET = 4.0  # seconds of rounds for each library and problem
HOPELESS = 30.0  # times the fastest peer's first run; statsmodels has bars of its own
LIMIT = 120.0  # seconds of a library's first run
PASSES = 6  # that Newton's method takes from zero


def _data(family, n, p, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    if p > 1:
        X[:, 1:] += 0.3 * X[:, :-1]  # neighbours are correlated
    b = rng.standard_normal(p) / np.sqrt(p)
    eta = 0.5 * (X @ b) + 0.3 if family != "binomial" else X @ b - 0.3
    mu = 1 / (1 + np.exp(-eta)) if family == "binomial" else np.exp(eta)
    draw = {
        "binomial": lambda: (rng.random(n) < mu).astype(float),
        "poisson": lambda: rng.poisson(mu).astype(float),
        "gamma": lambda: np.maximum(rng.gamma(2.0, mu / 2.0), 1e-8),
    }
    return {"X": X, "y": draw[family](), "family": family}


def _problem(family, n, p, **more):
    work = "logistic" if family == "binomial" else "glm"
    flops = PASSES * n * (p + 1.0) ** 2
    bounds = {"budget": BUDGET, "hopeless": HOPELESS, "limit": LIMIT} | more
    return Problem(
        f"{family} {n}x{p}", work, partial(_data, family, n, p), flops=flops,
        nbytes=8.0 * n * p, passes=PASSES, **bounds,
    )  # fmt: skip


IRLS = [
    *(
        _problem("binomial", *shape, group="few")
        for shape in ((100_000, 20), (1_000_000, 10), (10_000, 50), (1_000, 5))
    ),
    *(_problem("binomial", *shape, group="many") for shape in ((50_000, 200), (100_000, 500))),
    _problem("binomial", 4_000_000, 10, beyond=True),
    _problem("binomial", 2_000, 100, beyond=True),
]
GLM = [
    *(_problem(family, 100_000, 20, group="glm") for family in ("poisson", "gamma")),
    _problem("poisson", 1_000, 5, beyond=True),
    _problem("gamma", 1_000_000, 10, beyond=True),
]
QUICK_IRLS = [
    _problem("binomial", 2_000, 5, group="few"),
    _problem("binomial", 2_000, 70, group="many"),
    _problem("binomial", 500, 3, beyond=True),
]
QUICK_GLM = [
    *(_problem(family, 2_000, 5, group="glm") for family in ("poisson", "gamma")),
    _problem("poisson", 500, 3, beyond=True),
]
