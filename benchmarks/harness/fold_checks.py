# SPDX-License-Identifier: BSD-3-Clause
"""What answers of cross-validation have to be: refits of folds in plain numpy."""

import numpy as np

from benchmarks.harness.check import Check

FOLDS = 10
NEIGHBORS = range(1, 31)
COSTS, SVC_FOLDS = (0.1, 0.3, 1.0, 3.0, 10.0), 5
SOME = 200  # rows whose leave-one-out is fitted anew: by the checks, and by scikit-learn's clock


def folds_of(n, k=FOLDS):
    """Runs of rows, as ``KFold(k)`` has them."""
    return np.array_split(np.arange(n), k)


def labels_by(X, y, X_new):
    """Labels of new rows by linear discriminants, in plain numpy."""
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    means = np.stack([X[codes == c].mean(0) for c in range(len(classes))])
    within = X - means[codes]
    slopes = np.linalg.solve(within.T @ within / (len(X) - len(classes)), means.T)
    scores = X_new @ slopes - 0.5 * (means.T * slopes).sum(0) + np.log(counts / len(X))
    return classes[scores.argmax(1)]


class FoldsCheck(Check):
    def __init__(self, data):
        X, y = data["X"], data["y"]
        self.truth = []
        for test in folds_of(len(X)):
            train = np.delete(np.arange(len(X)), test)
            self.truth.append((labels_by(X[train], y[train], X[test]) == y[test]).mean())
        self.parts = {"scores": (FOLDS,)}

    def errors(self, answer):
        return {"score error": float(np.abs(answer["scores"] - self.truth).max())}


class RidgeCheck(Check):
    """Mean squared errors by the normal equations of each fold."""

    def __init__(self, data):
        X, y, alphas = data["X"], data["y"], data["alphas"]
        total = np.zeros(len(alphas))
        for test in folds_of(len(X)):
            train = np.delete(np.arange(len(X)), test)
            Z, z = X[train] - X[train].mean(0), y[train] - y[train].mean()
            values, vectors = np.linalg.eigh(Z.T @ Z)
            product = vectors.T @ (Z.T @ z)
            b = vectors @ (product[:, None] / (values[:, None] + alphas))
            said = (X[test] - X[train].mean(0)) @ b + y[train].mean()
            total += ((y[test, None] - said) ** 2).mean(0)
        self.truth = total / FOLDS
        self.parts = {"errors": (len(alphas),)}

    def errors(self, answer):
        return {"relative error": float(np.abs(answer["errors"] / self.truth - 1).max())}


def machine_by(K, sign, cost, tol=1e-3):
    """Multipliers and offset of a machine, a pair after the other, in plain numpy (Fan, Chen & Lin
    2005, https://www.jmlr.org/papers/v6/fan05a.html)."""
    b, f = np.zeros(len(sign)), -sign.astype(np.float64)
    low, high = np.minimum(0.0, cost * sign), np.maximum(0.0, cost * sign)
    diagonal = K.diagonal()
    while True:
        up, down = np.where(b < high, -f, -np.inf), np.where(b > low, -f, np.inf)
        i = int(up.argmax())
        if up[i] - down.min() <= tol:
            return b, -(up[i] + down.min()) / 2
        apart = np.maximum(up[i] - down, 0.0)
        curve = np.maximum(diagonal[i] + diagonal - 2.0 * K[i], 1e-12)
        j = int((apart**2 / curve).argmax())
        step = min(apart[j] / curve[j], high[i] - b[i], b[j] - low[j])
        b[i], b[j] = b[i] + step, b[j] - step
        f += step * (K[i] - K[j])


class MachineCheck(Check):
    """Accuracies of machines trained on each fold."""

    def __init__(self, data):
        X, y = data["X"], data["y"]
        sign, squares = np.where(y == 1, 1.0, -1.0), (X**2).sum(1)
        K = np.exp((2.0 * X @ X.T - squares - squares[:, None]) / X.shape[1])
        self.truth = np.zeros(len(COSTS))
        for test in folds_of(len(X), SVC_FOLDS):
            train = np.delete(np.arange(len(X)), test)
            part = np.ascontiguousarray(K[np.ix_(train, train)])
            for c, cost in enumerate(COSTS):
                b, rho = machine_by(part, sign[train], cost)
                said = K[np.ix_(test, train)] @ b - rho
                self.truth[c] += ((said > 0) == (sign[test] > 0)).mean() / SVC_FOLDS
        self.parts = {"scores": (len(COSTS),)}

    def errors(self, answer):
        return {"score error": float(np.abs(answer["scores"] - self.truth).max())}


class LogisticCheck(Check):
    """Log losses of Newton's method, fold by fold."""

    def __init__(self, data):
        Z = np.column_stack([np.ones(len(data["X"])), data["X"]])
        y = data["y"]
        self.truth = []
        for test in folds_of(len(y)):
            train = np.delete(np.arange(len(y)), test)
            A, b = Z[train], np.zeros(Z.shape[1])
            for _ in range(12):
                p = 1 / (1 + np.exp(-A @ b))
                b += np.linalg.solve((A.T * (p * (1 - p))) @ A, A.T @ (y[train] - p))
            eta = Z[test] @ b
            self.truth.append((np.logaddexp(0, eta) - y[test] * eta).mean())
        self.parts = {"losses": (FOLDS,)}

    def errors(self, answer):
        return {"loss error": float(np.abs(answer["losses"] - self.truth).max())}


class LassoCheck(Check):
    """Mean squared errors of coordinate descent on the products of each fold, in plain numpy."""

    def __init__(self, data):
        X, y, alphas = data["X"], data["y"], data["alphas"]
        total = np.zeros(len(alphas))
        for test in folds_of(len(X)):
            train = np.delete(np.arange(len(X)), test)
            Z, z = X[train] - X[train].mean(0), y[train] - y[train].mean()
            G, c, n = Z.T @ Z / len(z), Z.T @ z / len(z), len(alphas)
            B = np.zeros((X.shape[1], n))  # all penalties beside each other
            for _ in range(500):
                before = B.copy()
                for j in range(len(B)):
                    left = c[j] - G[j] @ B + G[j, j] * B[j]
                    B[j] = np.sign(left) * np.maximum(np.abs(left) - alphas, 0) / G[j, j]
                if np.abs(B - before).max() < 1e-9:
                    break
            said = (X[test] - X[train].mean(0)) @ B + y[train].mean()
            total += ((y[test, None] - said) ** 2).mean(0)
        self.truth = total / FOLDS
        self.parts = {"errors": (len(alphas),)}

    def errors(self, answer):
        return {"relative error": float(np.abs(answer["errors"] / self.truth - 1).max())}


class LineCheck(Check):
    """Some rows, each predicted from all others."""

    def __init__(self, data):
        X, y = data["X"], data["y"]
        A = np.column_stack([np.ones(len(X)), X])
        self.rows = np.arange(min(SOME, len(X)))
        self.truth = np.array([
            A[i] @ np.linalg.lstsq(np.delete(A, i, 0), np.delete(y, i), rcond=None)[0]
            for i in self.rows
        ])  # fmt: skip
        self.parts = {"predictions": (len(X),)}

    def errors(self, answer):
        return {"error": float(np.abs(answer["predictions"][self.rows] - self.truth).max())}


class DiscriminantCheck(Check):
    def __init__(self, data):
        X, y = data["X"], data["y"]
        self.rows = np.arange(min(SOME, len(X)))
        self.truth = np.array([
            labels_by(np.delete(X, i, 0), np.delete(y, i), X[i : i + 1])[0] for i in self.rows
        ])  # fmt: skip
        self.parts = {"predictions": (len(X),)}

    def errors(self, answer):
        return {"share wrong": float((answer["predictions"][self.rows] != self.truth).mean())}


class NeighborsCheck(Check):
    """The votes of some rows' neighbors bound the errors of all: they are counted for all rows."""

    def __init__(self, data):
        X, y = data["X"], data["y"]
        wrong = np.zeros(len(NEIGHBORS))
        squares = (X**2).sum(1)
        for first in range(0, len(X), 500):
            some = np.arange(first, min(first + 500, len(X)))
            far = squares - 2 * X[some] @ X.T
            far[np.arange(len(some)), some] = np.inf
            near = np.argsort(far, axis=1, kind="stable")[:, : max(NEIGHBORS)]
            votes = np.zeros((len(some), y.max() + 1))
            for place, _ in enumerate(NEIGHBORS):
                votes[np.arange(len(some)), y[near[:, place]]] += 1
                wrong[place] += (votes.argmax(1) != y[some]).sum()
        self.truth = wrong / len(X)
        self.parts = {"errors": (len(NEIGHBORS),)}

    def errors(self, answer):
        return {"error": float(np.abs(answer["errors"] - self.truth).max())}


class PartsCheck(Check):
    """The loss of the rule by all rows fitted, about which those of the samples vary."""

    def __init__(self, data):
        X, y = data["X"], data["y"]
        cut = len(X) * 7 // 10
        said = labels_by(X[:cut], y[:cut], X[cut:])
        self.truth = float((said != y[cut:]).mean())
        self.parts = {"loss": (2,)}

    def errors(self, answer):
        return {"loss error": float(np.abs(answer["loss"] - self.truth).max())}
