# SPDX-License-Identifier: BSD-3-Clause
"""The problems of the suite ``svc``: two classes, a Gaussian kernel, LIBSVM's default tolerance.

Synthetic rows are normal, and their classes a wave across a plane with noise, so that from a third
to two thirds of the rows are support vectors. Real ones are those of LIBSVM's collection, as they
are given there (of dna the third class against the others), and the digits of MNIST, odd against
even, as parts of 255.
"""

import bz2
import gzip
import os
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.problem import Problem, mnist

BUDGET, HOPELESS, LIMIT = 4.0, 12.0, 120.0
FOLDER = Path(os.environ.get("STATFAST_DATA", Path(__file__).resolve().parents[2] / "shared/data"))
OPENERS = {".gz": gzip.open, ".bz2": bz2.open}


def libsvm_rows(name, n=None):
    """The first n rows of a file in LIBSVM's format, dense, and their labels."""
    path = FOLDER / "libsvm" / name
    labels, rows = [], []
    with OPENERS.get(path.suffix, open)(path, "rt") as lines:
        for line in lines:
            if len(labels) == n:
                break
            label, *pairs = line.split()
            labels.append(float(label))
            rows.append([pair.split(":") for pair in pairs])
    width = max(int(at) for row in rows for at, _ in row)
    X = np.zeros((len(rows), width))
    for x, row in zip(X, rows, strict=True):
        for at, value in row:
            x[int(at) - 1] = float(value)
    return X, np.where(np.array(labels) > (2 if "dna" in name else 0), 1.0, -1.0)


def _wave(n, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    slope = X @ rng.standard_normal(d) / np.sqrt(d)
    y = np.where(np.sin(2 * X[:, 0]) + slope + 0.5 * rng.standard_normal(n) > 0, 1.0, -1.0)
    return X, y


def _data(rows, C, gamma, seed):
    X, y = rows(seed)
    return {"X": X, "y": y, "C": float(C), "gamma": gamma or 1 / X.shape[1]}


def _digits(n, seed):
    digits = mnist()
    X = digits.X_train[:n].astype(np.float64).reshape(n, -1) / 255
    return X, np.where(digits.y_train[:n] % 2 == 1, 1.0, -1.0)


def _problem(name, rows, C, gamma, **more):
    bounds = {"budget": BUDGET, "hopeless": HOPELESS, "limit": LIMIT} | more
    label = f"{name} C={C:g}" + (f" gamma={gamma:g}" if gamma else "")
    return Problem(label, "svc", partial(_data, rows, C, gamma), **bounds)


def _synthetic(n, d, C, gamma=None, **more):
    return _problem(f"wave {n}x{d}", partial(_wave, n, d), C, gamma, **more)


def _file(name, n, C, gamma, **more):
    label = f"{name.split('.')[0]} n={n}"
    return _problem(label, lambda seed: libsvm_rows(name, n), C, gamma, **more)


def _mnist(n, C, gamma, **more):
    return _problem(f"MNIST odd/even {n}x784", partial(_digits, n), C, gamma, **more)


SVC = [
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
    _mnist(10_000, 10, 0.02, group="mnist"),
    _synthetic(60_000, 10, 1, beyond=True),
    _synthetic(10_000, 2, 10, 2.0, beyond=True),
]
QUICK = [_synthetic(400, 5, 1, group="small"), _synthetic(600, 4, 1_000, group="large")]
