# SPDX-License-Identifier: BSD-3-Clause
"""Linear predictors, and kernels."""

from __future__ import annotations

import time

import numpy as np

from statfast._tour.finding import Finding
from statfast._typing import Array
from statfast.datasets import load_iris
from statfast.linear import GeneralizedLinearModel, LinearRegression
from statfast.svm import SVC


def generalized_linear_model() -> Finding:
    """Counts of a randomized trial (Dobson 1990, page 93), against R's ``?glm``."""
    counts = [18, 17, 15, 20, 10, 20, 25, 13, 12]
    outcome, treatment = np.tile([1, 2, 3], 3), np.repeat([1, 2, 3], 3)
    X = np.column_stack([outcome == 2, outcome == 3, treatment == 2, treatment == 3])
    known, known_error = 5.12914107700115, 0.202170759193845  # deviance, error of outcome 2

    start = time.perf_counter()
    model = GeneralizedLinearModel("poisson").fit(X, counts)
    seconds = time.perf_counter() - start

    deviance, error = model.deviance_, model.standard_errors_[1]
    return Finding(
        "Poisson regression: counts of a randomized trial, 9 x 4",
        [
            f"deviance: {deviance:.6f}, known {known:.6f}",
            f"a standard error: {error:.6f}, known {known_error:.6f}",
        ],
        abs(deviance - known) < 1e-10 and abs(error - known_error) < 1e-10,
        seconds,
    )


def support_vectors() -> Finding:
    """Iris species by their standardized measurements, against R's e1071."""
    iris = load_iris()
    X = (iris.data - iris.data.mean(axis=0)) / iris.data.std(axis=0, ddof=1)
    known, known_value = [8, 22, 22], 1.1960717629096254

    start = time.perf_counter()
    model = SVC(gamma=0.25, tol=1e-10, decision_function_shape="ovo").fit(X, iris.target)
    value = model.decision_function(X[:1])[0, 0]
    correct = int((model.predict(X) == iris.target).sum())
    seconds = time.perf_counter() - start

    counts = model.n_support_.tolist()
    return Finding(
        "Support vector machine: iris, 150 x 4, Gaussian kernel",
        [
            f"support vectors: {', '.join(map(str, counts))}, known {', '.join(map(str, known))}; "
            f"correct: {correct} of 150, known 146",
            f"value of the first flower: {value:.6f}, known {known_value:.6f}",
        ],
        counts == known and correct == 146 and abs(value - known_value) < 1e-6,
        seconds,
    )


def conformal_intervals() -> Finding:
    """Intervals from one fit, against those of a fit without each row."""
    iris = load_iris()
    X, y = iris.data[:, :3], iris.data[:, 3]
    new, level = X[[0, 60, 120]], 0.9

    start = time.perf_counter()
    model = LinearRegression(store_left_out=True).fit(X, y)
    _, ends = model.predict(new, interval="conformal", level=level)
    seconds = time.perf_counter() - start

    known = _ends_by_refits(X, y, new, level)
    middle = ends[1].round(3)
    return Finding(
        "Conformal intervals: iris, petal widths, from one fit and by 150 refits without a row",
        [f"a versicolor: {middle[0]:.3f} to {middle[1]:.3f}; by refits {known[1, 0]:.3f} to "
         f"{known[1, 1]:.3f}"],
        bool(np.abs(ends - known).max() < 1e-9),
        seconds,
    )  # fmt: skip


def _ends_by_refits(X: Array, y: Array, new: Array, level: float) -> Array:
    """Ends of the jackknife+ by their definition."""
    n, table = len(y), np.column_stack([np.ones(len(y)), X])
    points = np.column_stack([np.ones(len(new)), new])
    low, high = np.empty((n, len(new))), np.empty((n, len(new)))
    for i in range(n):
        kept = np.arange(n) != i
        coef = np.linalg.lstsq(table[kept], y[kept], rcond=None)[0]
        error = abs(y[i] - table[i] @ coef)
        low[i], high[i] = points @ coef - error, points @ coef + error
    k = int(np.ceil(level * (n + 1)))
    return np.column_stack([-np.sort(-low, axis=0)[k - 1], np.sort(high, axis=0)[k - 1]])
