# SPDX-License-Identifier: BSD-3-Clause
"""The least determinant of a covariance of h rows, by trying all, and a concentration step."""

from itertools import combinations

import numpy as np


def least_determinant(X, h):
    """The least determinant of a covariance of h rows, over all subsets."""
    return min(
        np.linalg.det(np.cov(X[list(rows)].T, bias=True).reshape(X.shape[1], -1))
        for rows in combinations(range(len(X)), h)
    )


def concentration_step(X, support):
    """The rows nearest by mean and covariance of some rows, ascending; ties to the lowest."""
    u = X - X[support].mean(axis=0)
    S = np.cov(X[support].T, bias=True).reshape(X.shape[1], -1)
    distances = np.einsum("ij,ij->i", u, np.linalg.solve(S, u.T).T)
    return np.sort(np.argsort(distances, kind="stable")[: len(support)])
