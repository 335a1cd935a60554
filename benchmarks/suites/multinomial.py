# SPDX-License-Identifier: BSD-3-Clause
"""What the suite ``multinomial`` asks of a library: coefficients, with and without a penalty.

Tolerances are the loosest powers of ten with which a solver meets the bound of the check on the
suite's shapes. Without a penalty ours brings the covariance matrix along.
"""

import numpy as np

from benchmarks.works import Estimator

BLOCK = 4096  # rows that the check takes together


class Multinomial(Estimator):
    """Ours."""

    def prepare(self, data, threads):
        self.X, self.y = data["X"], data["y"]
        given = {"penalty": None} if data["C"] is None else {"penalty": "l2", "C": data["C"]}
        self.model = self.estimator(threads=threads, multi_class="multinomial", **given)

    def fit(self):
        self.model.fit(self.X, self.y)

    def answer(self):
        return {"coef": self.model.coef_}


class Sklearn(Multinomial):
    """scikit-learn's solvers; `tol` for its stopping rule, on gradients of the mean loss."""

    def prepare(self, data, threads):
        self.X, self.y = data["X"], data["y"]
        C = np.inf if data["C"] is None else data["C"]
        self.model = self.estimator(C=C, max_iter=10_000)

    def fit(self):
        super().fit()
        self.note_fallback(self.model)


class MultinomialCheck:
    """How far coefficients are from those of Newton's method in plain numpy, as far as it goes."""

    def __init__(self, data):
        self.C = data["C"]
        X, y = np.float64(data["X"]), data["y"]
        self.best = _newton(np.column_stack([np.ones(len(X)), X]), y, self.C)[:, 1:]

    def __call__(self, answer):
        coef = np.float64(answer["coef"])
        error = np.abs(coef - coef.mean(axis=0) - self.best).max()
        return {"solution error": float(error)}


def _newton(Z, y, C, rounds=30):
    """Coefficients (K, q) that sum to 0 over the classes; Z holds the intercept first."""
    K, q = y.max() + 1, Z.shape[1]
    ridge = np.zeros(q)
    ridge[1:] = 0.0 if C is None else 1.0 / C
    own, coef = np.eye(K)[y], np.zeros((K, q))
    for _ in range(rounds):
        gradient, hessian = ridge * coef, np.zeros((K, q, K, q))
        for start in range(0, len(Z), BLOCK):
            z = Z[start : start + BLOCK]
            eta = z @ coef.T
            p = np.exp(eta - eta.max(axis=1, keepdims=True))
            p /= p.sum(axis=1, keepdims=True)
            gradient += (p - own[start : start + BLOCK]).T @ z
            for a in range(K):
                for b in range(K):
                    weight = p[:, a] * ((a == b) - p[:, b])
                    hessian[a, :, b] += (z * weight[:, None]).T @ z
        flat = hessian.reshape(K * q, K * q) + np.diag(np.tile(ridge, K))
        flat += np.kron(np.ones((K, K)) / K, np.diag(hessian[0, :, 0].diagonal()))
        step = np.linalg.solve(flat, gradient.ravel()).reshape(K, q)
        coef -= step
        if np.abs(step).max() < 1e-12:
            break
    return coef - coef.mean(axis=0)
