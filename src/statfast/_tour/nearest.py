# SPDX-License-Identifier: BSD-3-Clause
"""Nearest neighbors: digits, in two sizes; densities."""

from __future__ import annotations

import time
from typing import Any

from statfast._tour.finding import Finding
from statfast.datasets import load_digits, load_iris, load_mnist
from statfast.generative import MultivariateT
from statfast.neighbors import KernelDensity, KNeighborsClassifier, TangentDistanceClassifier


def nearest_neighbors() -> Finding:
    """Handwritten digits, against brute force in integers."""
    digits = load_digits()
    X, y = digits.data, digits.target
    known = 769  # by all distances in integers, ties to the lowest index, then the lowest digit
    known_tangent = 777  # by least squares on the 100 nearest

    start = time.perf_counter()
    models = KNeighborsClassifier(n_neighbors=3), TangentDistanceClassifier()
    predicted = [model.fit(X[:1000], y[:1000]).predict(X[1000:]) for model in models]
    seconds = time.perf_counter() - start

    correct, tangent = (int((labels == y[1000:]).sum()) for labels in predicted)
    return Finding(
        "3 nearest neighbors: handwritten digits 8 x 8, the last 797 against the first 1000",
        [
            f"correct: {correct} of 797, known {known}",
            f"1 nearest in tangent distance: {tangent} of 797, known {known_tangent}",
        ],
        (correct, tangent) == (known, known_tangent),
        seconds,
    )


def densities() -> Finding:
    """Kernel densities of the classes of iris, against sums over all pairs."""
    iris = load_iris()
    X, y = iris.data, iris.target
    known, known_t = -184.1444, 46.1539  # by sums in float64; by a general optimizer

    start = time.perf_counter()
    model = KernelDensity(bandwidth=0.3)
    likelihood = sum(float(model.fit(X[y == k]).leave_one_out().sum()) for k in range(3))
    robust = MultivariateT().fit(X[y == 0])
    seconds = time.perf_counter() - start

    return Finding(
        "densities: iris, Gaussian kernels of bandwidth 0.3 and a t distribution",
        [
            f"leave-one-out log-likelihood of the species: {likelihood:.4f}, known {known}",
            f"t distribution of setosa, log-likelihood: {robust.log_likelihood_:.4f}, "
            f"known {known_t}",
        ],
        abs(likelihood - known) < 1e-4 and abs(robust.log_likelihood_ - known_t) < 1e-4,
        seconds,
    )


def mnist() -> Finding | None:
    """MNIST's test images, against the published error; None without its files."""
    try:
        data = load_mnist()
    except FileNotFoundError:
        return None

    def errors(k: int) -> Any:
        labels = model.set_params(n_neighbors=k).predict(data.X_test)
        return int((labels != data.y_test).sum())

    start = time.perf_counter()
    model = KNeighborsClassifier(ties="nearest").fit(data.X_train, data.y_train)
    nearest = errors(1)
    seconds = time.perf_counter() - start
    wrong = [nearest, errors(3)]

    lines = {
        "k": [1, 3],
        'errors, ties="nearest"': wrong,
        "errors in the literature": [309, 294],
    }
    return Finding(
        f"nearest neighbors: MNIST, {len(data.y_test)} images against {len(data.y_train)}, exact",
        [
            *(f"{name:<32}" + "".join(f"{n:6d}" for n in row) for name, row in lines.items()),
            f"1 nearest: {nearest} errors, known 309 = 3.09 %",
        ],
        wrong == [309, 283],
        seconds,
    )
