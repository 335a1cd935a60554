# SPDX-License-Identifier: BSD-3-Clause
"""The problems of the suite ``linear-svc``: linear support vector machines for two classes.

a9a is LIBSVM's version of the census data, 32561 x 123 with 14 ones a row; "normal" has 50 columns
and noise in its labels; "text" has many columns, few of which each row has, and "words" columns
some of which are far more frequent than others, as in texts, weighted by how rare they are.
"""

import gzip
import os
from functools import partial
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, random_array

from benchmarks.problem import Problem

BUDGET, HOPELESS, LIMIT = 3.0, 30.0, 60.0
COLUMNS = {"a9a": 123}


def read_libsvm(name, columns):
    """Rows and labels of a file in LIBSVM's format, from ``$STATFAST_DATA`` or shared/data."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("STATFAST_DATA", beside)) / "libsvm"
    with gzip.open(folder / f"{name}.gz", "rt") as file:
        lines = [line.split() for line in file]
    y = np.array([float(line[0]) for line in lines])
    pairs = [pair.split(":") for line in lines for pair in line[1:]]
    column = np.array([int(pair[0]) for pair in pairs]) - 1
    value = np.array([float(pair[1]) for pair in pairs])
    start = np.concatenate([[0], np.cumsum([len(line) - 1 for line in lines])])
    return csr_matrix((value, column, start), shape=(len(lines), columns)), y


def _file_data(name, dense, loss, seed):
    X, y = read_libsvm(name, COLUMNS[name])
    return {"X": X.toarray() if dense else X, "y": y, "loss": loss}


def _normal_data(n, d, dtype, loss, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    scores = X @ rng.standard_normal(d) * (2 / np.sqrt(d)) + rng.logistic(size=n)
    return {"X": X.astype(dtype), "y": np.where(scores > 0.3, 1.0, -1.0), "loss": loss}


def _text_data(n, d, density, loss, seed):
    rng = np.random.default_rng(seed)
    X = random_array((n, d), density=density, format="csr", rng=rng)
    X = csr_matrix(X.multiply(1 / np.sqrt(X.multiply(X).sum(axis=1))[:, None]))
    scores = X @ rng.standard_normal(d) + 0.3 * rng.standard_normal(n)
    return {"X": X, "y": np.where(scores > 0, 1.0, -1.0), "loss": loss}


def _words_data(n, d, words, loss, seed):
    rng = np.random.default_rng(seed)
    share = 1 / (np.arange(d) + 20.0)
    length = 3 + rng.poisson(words * rng.lognormal(-0.125, 0.5, n))
    row = np.repeat(np.arange(n), length)
    column = rng.choice(d, p=share / share.sum(), size=len(row))
    X = csr_matrix((np.ones(len(row)), (row, column)), shape=(n, d))
    X.sum_duplicates()
    rare = np.log(n / np.maximum(np.bincount(X.indices, minlength=d), 1))
    X.data = (1 + np.log(X.data)) * rare[X.indices]
    X = csr_matrix(X.multiply(1 / np.sqrt(X.multiply(X).sum(axis=1))))
    scores = X @ rng.standard_normal(d) + 0.3 * rng.standard_normal(n)
    return {"X": X, "y": np.where(scores > 0, 1.0, -1.0), "loss": loss}


def _problem(name, loss, make, dtype="float64", **more):
    bounds = {"budget": BUDGET, "hopeless": HOPELESS, "limit": LIMIT} | more
    return Problem(f"{name} {loss} {dtype}", "linear svc", make, dtype, **bounds)


def _file(name, loss, *, dense, **more):
    make = partial(_file_data, name, dense, loss)
    return _problem(f"{name} {'dense' if dense else 'sparse'}", loss, make, **more)


def _normal(n, d, loss, dtype="float64", **more):
    return _problem(
        f"normal {n}x{d}", loss, partial(_normal_data, n, d, dtype, loss), dtype, **more
    )


def _text(n, d, density, loss, **more):
    make = partial(_text_data, n, d, density, loss)
    return _problem(f"text {n}x{d} {density:.1%}", loss, make, **more)


def _words(n, d, words, loss, **more):
    return _problem(f"words {n}x{d}", loss, partial(_words_data, n, d, words, loss), **more)


LOSSES = ("squared_hinge", "hinge")
WORDS = ((20_000, 50_000), (5_000, 100_000), (100_000, 20_000))
PROBLEMS = [
    *(_file("a9a", loss, dense=dense, group="bar") for dense in (False, True) for loss in LOSSES),
    *(_normal(100_000, 50, loss, group="bar") for loss in LOSSES),
    *(_normal(100_000, 50, loss, "float32", beyond=True) for loss in LOSSES),
    *(_normal(500, 10, loss, beyond=True) for loss in LOSSES),
    *(_normal(20_000, 500, loss, beyond=True) for loss in LOSSES),
    *(_text(20_000, 5_000, 0.005, loss, beyond=True) for loss in LOSSES),
    *(_words(n, d, 60, loss, beyond=True) for n, d in WORDS for loss in LOSSES),
]
QUICK = [
    *(_normal(2_000, 5, loss, group="bar") for loss in LOSSES),
    _normal(300, 600, "squared_hinge", beyond=True),
]
