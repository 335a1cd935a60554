# SPDX-License-Identifier: BSD-3-Clause
"""What the suite ``linear-svc`` asks of a library; and how far an objective is from the least."""

import numpy as np

from benchmarks.works import Estimator

WIDTHS = 10.0 ** -np.arange(0.0, 8.5, 0.5)  # of the hinge's corner, rounded off
STEPS, HALVINGS = 50, 40
STILL = 1e-9  # of the objective: half the squared gradient, which bounds what is left


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

    The bound is the least value of a smaller function: Newton's method, in plain numpy, on the
    hinge with its corner rounded off from below, ever less, and the gradient's share taken off.
    """

    def __init__(self, data):
        X, ones = data["X"], np.ones((data["X"].shape[0], 1))
        if hasattr(X, "tocsr"):
            from scipy.sparse import csr_array, hstack

            self.Z = csr_array(hstack([X, ones]))
        else:
            self.Z = np.hstack([X, ones], dtype=np.float64)
        self.y, self.squared = data["y"], data["loss"] == "squared_hinge"
        v = np.zeros(self.Z.shape[1])
        for width in [1.0] if self.squared else WIDTHS:
            v, self.least = self._newton(v, width)

    def __call__(self, answer):
        v = np.asarray(answer["v"], np.float64)
        short = np.maximum(1 - self.y * (self.Z @ v), 0)
        value = 0.5 * v @ v + (short @ short if self.squared else short.sum())
        return {"objective excess": float(value / self.least - 1)}

    def _value(self, v, width):
        """The objective, and the first and second derivative of the losses by the margin."""
        short = 1 - self.y * (self.Z @ v)
        if self.squared:
            on = np.maximum(short, 0)
            return 0.5 * v @ v + on @ on, -2 * on, 2.0 * (short > 0)
        part = np.clip(short / width, 0, 1)
        loss = np.where(short > width, short - width / 2, width / 2 * part**2)
        return 0.5 * v @ v + loss.sum(), -part, ((short > 0) & (short < width)) / width

    def _newton(self, v, width):
        for _ in range(STEPS):
            value, slope, curve = self._value(v, width)
            gradient = v + self.Z.T @ (slope * self.y)
            bound = value - 0.5 * gradient @ gradient
            if value - bound <= STILL * value:
                break
            step, t = _newton_step(self.Z[np.flatnonzero(curve)], curve[curve > 0], gradient), 1.0
            for _ in range(HALVINGS):
                if self._value(v - t * step, width)[0] <= value - 1e-4 * t * step @ gradient:
                    break
                t /= 2
            v = v - t * step
        return v, bound


def _newton_step(Z, weights, gradient):
    """(I + Z' W Z)^-1 gradient, from the smaller of that matrix and W^-1 + Z Z'."""
    if Z.shape[0] < Z.shape[1]:
        inner = _dense(Z @ Z.T) + np.diag(1 / weights)
        return gradient - Z.T @ np.linalg.solve(inner, Z @ gradient)
    outer = _dense(Z.T @ (Z * weights[:, None])) + np.eye(len(gradient))
    return np.linalg.solve(outer, gradient)


def _dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix
