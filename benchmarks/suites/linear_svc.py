# SPDX-License-Identifier: BSD-3-Clause
"""What the suite ``linear-svc`` asks of a library; and how far an objective is from the least."""

import numpy as np

from benchmarks.works import Estimator

WIDTHS = 10.0 ** -np.minimum(np.arange(0.0, 15.0, 0.5), 4.0)  # of the hinge's corner, rounded off
STEPS, HALVINGS = 50, 40
MATRIX = 1000  # equations: more are solved by conjugate gradients
PRODUCTS, ROUGH = 1000, 1e-8  # of those: most, and what they may leave
STILL = 1e-9  # of the objective: what may be left


class Linear(Estimator):
    """An estimator LinearSVC with its own tolerance, C = 1 and an intercept."""

    def prepare(self, data, threads):
        self.X, self.y = data["X"], data["y"]
        self.model = self.estimator(loss=data["loss"], random_state=0, threads=threads)

    def fit(self):
        self.model.fit(self.X, self.y)

    def answer(self):
        self.remark = f"{self.model.n_iter_} iterations"
        return {"v": np.append(self.model.coef_[0], self.model.intercept_)}


class ObjectiveCheck:
    """How far the primal objective is above a lower bound of it, as a share.

    The bound is the dual at multipliers found by Newton's method, in plain numpy. The hinge's is
    that of a smaller function, with its corner rounded off from below, about the multipliers of the
    one before (the proximal method of multipliers, Rockafellar 1976, doi:10.1287/moor.1.2.97).
    """

    def __init__(self, data):
        X, ones = data["X"], np.ones((data["X"].shape[0], 1))
        if hasattr(X, "tocsr"):
            from scipy.sparse import csr_array, hstack

            self.Z = csr_array(hstack([X, ones]))
            self.turned = csr_array(self.Z.T)
        else:
            self.Z = np.hstack([X, ones], dtype=np.float64)
            self.turned = self.Z.T
        self.y, self.squared = data["y"], data["loss"] == "squared_hinge"
        v, beta, self.least = np.zeros(self.Z.shape[1]), np.zeros(len(self.y)), 0.0
        for width in WIDTHS:
            v, beta = self._newton(v, beta, width)
            self.least = max(self.least, self._dual(beta))
            if self._primal(v) - self.least <= STILL * self.least:
                break

    def __call__(self, answer):
        value = self._primal(np.asarray(answer["v"], np.float64))
        return {"objective excess": float(value / self.least - 1)}

    def _primal(self, v):
        short = np.maximum(1 - self.y * (self.Z @ v), 0)
        return 0.5 * v @ v + (short @ short if self.squared else short.sum())

    def _dual(self, beta):
        v = self.turned @ (self.y * beta)
        return beta.sum() - 0.5 * v @ v - (0.25 * beta @ beta if self.squared else 0.0)

    def _value(self, v, about, width):
        """The objective, the multipliers, and the second derivative of the losses by the margin."""
        short = 1 - self.y * (self.Z @ v)
        if self.squared:
            beta = 2 * np.maximum(short, 0)
            return 0.5 * v @ v + 0.25 * beta @ beta, beta, 2.0 * (short > 0)
        free = about + short / width
        beta = np.clip(free, 0, 1)
        loss = beta @ short - 0.5 * width * ((beta - about) ** 2).sum()
        return 0.5 * v @ v + loss, beta, ((free > 0) & (free < 1)) / width

    def _newton(self, v, about, width):
        for _ in range(STEPS):
            value, beta, curve = self._value(v, about, width)
            gradient = v - self.turned @ (beta * self.y)
            if 0.5 * gradient @ gradient <= STILL * value:
                break
            step, t = _newton_step(self.Z[np.flatnonzero(curve)], curve[curve > 0], gradient), 1.0
            for _ in range(HALVINGS):
                if self._value(v - t * step, about, width)[0] <= value - 1e-4 * t * step @ gradient:
                    break
                t /= 2
            v = v - t * step
        return v, beta


def _newton_step(Z, weights, gradient):
    """(I + Z' W Z)^-1 gradient, from the smaller of that matrix and W^-1 + Z Z'."""
    n, d = Z.shape
    if min(n, d) > MATRIX:
        return _conjugate_step(Z, weights, gradient)
    if n < d:
        inner = _dense(Z @ Z.T) + np.diag(1 / weights)
        return gradient - Z.T @ np.linalg.solve(inner, Z @ gradient)
    outer = _dense(Z.T @ (Z * weights[:, None])) + np.eye(d)
    return np.linalg.solve(outer, gradient)


def _conjugate_step(Z, weights, gradient):
    """The same by conjugate gradients, whose steps are scaled by the matrix's diagonal."""
    n, d = Z.shape
    turned, squares = Z.T if not hasattr(Z, "tocsr") else Z.T.tocsr(), Z * Z
    if n < d:
        diagonal = 1 / weights + squares.sum(axis=1)
        inner = _conjugate(lambda x: x / weights + Z @ (turned @ x), diagonal, Z @ gradient)
        return gradient - turned @ inner
    return _conjugate(lambda x: x + turned @ (weights * (Z @ x)), 1 + weights @ squares, gradient)


def _conjugate(apply, diagonal, b):
    x, left = np.zeros_like(b), b
    along = near = left / diagonal
    size = enough = left @ near
    for _ in range(PRODUCTS):
        turned = apply(along)
        t = size / (along @ turned)
        x, left = x + t * along, left - t * turned
        near, before = left / diagonal, size
        size = left @ near
        if size <= ROUGH**2 * enough:
            break
        along = near + size / before * along
    return x


def _dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix
