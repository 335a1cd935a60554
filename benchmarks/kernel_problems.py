# SPDX-License-Identifier: BSD-3-Clause
"""The problems of the suite ``spectrum``: kernel matrices of strings, and beyond, of rows."""

from functools import partial

import numpy as np

from benchmarks.problem import Problem, rows_of

BUDGET = 3.0  # seconds of rounds for each library and problem
ALPHABETS = {"DNA": "ACGT", "protein": "ACDEFGHIKLMNPQRSTVWY"}


def _strings_data(seed, *, kind, n, length, k):
    """Letters drawn one by one; of proteins some are several times as frequent as others."""
    rng = np.random.default_rng(seed)
    letters = list(ALPHABETS[kind])
    shares = None if kind == "DNA" else rng.dirichlet(np.full(len(letters), 8.0))
    drawn = rng.choice(letters, size=(n, length), p=shares)
    return {"strings": ["".join(row) for row in drawn], "k": k}


def _strings(kind, n, length, k, **more):
    return Problem(
        f"spectrum k={k} of {n} {kind} strings of {length}",
        "string kernel",
        partial(_strings_data, kind=kind, n=n, length=length, k=k),
        budget=BUDGET,
        **more,
    )


def _rows_data(seed, *, kernel, n, d):
    X = rows_of("normal", np.random.default_rng(seed), n, d, "float64")
    return {"X": X, "kernel": kernel, "gamma": 1.0 / d}


def _rows(kernel, n, d, **more):
    return Problem(
        f"{kernel} n={n} d={d}",
        "kernel matrix",
        partial(_rows_data, kernel=kernel, n=n, d=d),
        flops=2.0 * n * n * d,
        budget=BUDGET,
        beyond=True,
        **more,
    )


PROBLEMS = [
    _strings("DNA", 2_000, 500, 4, group="spectrum"),
    _strings("protein", 2_000, 500, 4, group="spectrum"),
    _strings("DNA", 2_000, 500, 8, beyond=True),
    _strings("protein", 2_000, 500, 2, beyond=True),
    *(_rows(kernel, 4_000, 100) for kernel in ("linear", "poly", "rbf", "laplacian")),
    _rows("rbf", 4_000, 10),
    _rows("rbf", 500, 20),
]

QUICK = [
    _strings("DNA", 200, 50, 4, group="spectrum"),
    _strings("protein", 100, 50, 3, beyond=True),
    *(_rows(kernel, 300, 7) for kernel in ("linear", "poly", "rbf", "laplacian")),
]
