# SPDX-License-Identifier: BSD-3-Clause
"""Linear predictors, and kernels."""

from __future__ import annotations

import time

import numpy as np

from statfast._tour.finding import Finding
from statfast.datasets import load_iris
from statfast.linear import GeneralizedLinearModel
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
