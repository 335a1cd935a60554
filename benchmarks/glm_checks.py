# SPDX-License-Identifier: BSD-3-Clause
"""The solution of a generalised linear model by plain Newton steps in numpy, and how far one is."""

import numpy as np

STEPS = 100


def solution(X, y, family):
    """Coefficients, the intercept first: canonical links, and the logarithm for gamma."""
    Z = np.column_stack([np.ones(len(X)), X])
    b = np.zeros(Z.shape[1])
    if family != "binomial":
        b[0] = np.log(y.mean())
    for _ in range(STEPS):
        eta = Z @ b
        if family == "binomial":
            mu = 1 / (1 + np.exp(-eta))
            s, w = y - mu, mu * (1 - mu)
        elif family == "poisson":
            mu = np.exp(eta)
            s, w = y - mu, mu
        else:
            s = y * np.exp(-eta) - 1
            w = y * np.exp(-eta)  # the observed information: quadratic convergence
        step = np.linalg.solve((Z * w[:, None]).T @ Z, Z.T @ s)
        b += step
        if np.abs(step).max() < 1e-13 * np.abs(b).max():
            break
    return b


class CoefficientCheck:
    """The largest error of a coefficient, as a share of the largest coefficient."""

    def __init__(self, data):
        self.best = solution(data["X"], data["y"], data["family"])

    def __call__(self, answer):
        given = answer["coefficients"]
        if given.shape != self.best.shape:
            return {"coefficient error": np.inf}
        error = np.abs(given - self.best).max() / np.abs(self.best).max()
        return {"coefficient error": float(error)}
