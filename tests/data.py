# SPDX-License-Identifier: BSD-3-Clause
"""Rows and responses that tests of several files draw, each kind by its name.

What a single file needs stands in that file. All draws are seeded: a test sees the same rows in
every run.
"""

import numpy as np


def normal_rows(n, d, seed=0):
    """Independent standard normal columns."""
    return np.random.default_rng(seed).standard_normal((n, d))


def blobs(n=2000, d=3, k=6, seed=0, *, spread=20.0, dtype=np.float64):
    """Groups of unit variance about centers drawn from a cube: most of them lie apart."""
    rng = np.random.default_rng(seed)
    centers = rng.uniform(-spread, spread, (k, d))
    return (centers[rng.integers(0, k, n)] + rng.normal(size=(n, d))).astype(dtype)


def three_groups(n, d=2):
    """Three groups of n rows each, without a doubt about which row is of which."""
    X = normal_rows(3 * n, d)
    X[:n, 0] += 9
    X[n : 2 * n, 1] += 9
    return X


def correlated_columns(rng, n, p, rho):
    """Normal columns whose correlations fall as powers of rho with their distance."""
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    return X


def interaction(n=400, p=5, seed=0, noise=0.3):
    """Normal rows, and numbers by one column and the product of two."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X[:, 0] + X[:, 1] * X[:, 2] + noise * rng.normal(size=n)


def noise_labels(n, d=10):
    """Rows, and labels that have nothing to do with them: as hard as can be."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, d)), rng.integers(0, 2, n)


def signed_labels(n=200, d=5, noise=1.0, seed=0):
    """Rows, and labels of 1 and -1 by the side of a plane, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    scores = X @ rng.standard_normal(d) + 0.5 + noise * rng.standard_normal(n)
    return X, np.where(scores > 0, 1, -1)


def softmax_labels(scores, rng):
    """A label for each row of scores, drawn with the probabilities of their softmax."""
    return (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
