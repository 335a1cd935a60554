# SPDX-License-Identifier: BSD-3-Clause
"""What the suites ``lasso`` and ``ols`` ask of a library, each in its own words; and the checks."""

import importlib

import numpy as np
from scipy.sparse import issparse

from benchmarks.works import Work


class Paths(Work):
    """A library's lasso path for given penalties: coefficients (p, A)."""

    def prepare(self, data, threads):
        self.X, self.y = data["X"], data["y"]
        self.alphas, self.tol, self.threads = data["alphas"], data["tol"], threads
        self.load()

    def load(self):
        raise NotImplementedError


class StatfastPath(Paths):
    def load(self):
        self.path = importlib.import_module("statfast.linear").lasso_path

    def answer(self):
        found = self.path(
            self.X, self.y, alphas=self.alphas, tol=self.tol, n_jobs=self.threads,
            fit_intercept=not issparse(self.X),
        )  # fmt: skip
        return {"coefs": found.coefs}


class SklearnPath(Paths):
    def load(self):
        self.path = importlib.import_module("sklearn.linear_model").lasso_path

    def answer(self):
        found = self.path(self.X, self.y, alphas=self.alphas, tol=self.tol, max_iter=100_000)
        return {"coefs": found[1]}


class CelerPath(Paths):
    """Its tolerance is on another gap: the loosest power of ten that gave the one asked for."""

    def load(self):
        self.path = importlib.import_module("celer").celer_path

    def answer(self):
        found = self.path(
            self.X, self.y, "lasso", alphas=self.alphas, tol=self.tol / 100, max_iter=1_000
        )
        return {"coefs": found[1]}


class SkglmPath(Paths):
    """Its tolerance is on the conditions of optimality: the loosest that gave the gap asked for."""

    def load(self):
        estimator = importlib.import_module("skglm").Lasso
        size = np.sqrt(self.tol) * np.abs(self.X.T @ self.y).max() / len(self.y)
        self.model = estimator(fit_intercept=False, tol=float(size * 1e-3), max_iter=1_000)

    def answer(self):
        return {"coefs": self.model.path(self.X, self.y, alphas=self.alphas)[1]}


class GlmnetPath(Paths):
    """Its threshold is on the gain of a sweep: the loosest power of ten that gave the gap."""

    def load(self):
        if issparse(self.X):
            raise NotImplementedError("takes dense rows here")
        glmnet = importlib.import_module("glmnet")
        control = importlib.import_module("glmnet.paths.fastnet").FastNetControl
        self.model = glmnet.GaussNet(
            lambda_values=self.alphas, standardize=False, fit_intercept=False,
            control=control(thresh=self.tol * 1e-9, fdev=0.0, devmax=1.0, maxit=10_000_000),
        )  # fmt: skip

    def answer(self):
        return {"coefs": self.model.fit(self.X, self.y).coefs_.T}


class LeastSquares(Work):
    """The estimator ``LinearRegression`` of a package; statfast's also has its inference ready."""

    def __init__(self, module):
        self.module = module

    def prepare(self, data, threads):
        self.X, self.y = data["X"], data["y"]
        more = {"n_jobs": threads} if self.module.startswith("statfast") else {}
        self.model = importlib.import_module(self.module).LinearRegression(**more)

    def fit(self):
        self.model.fit(self.X, self.y)

    def answer(self):
        return {"coefficients": np.append(self.model.intercept_, self.model.coef_)}


class StatfastRidge(Work):
    def prepare(self, data, threads):
        self.X, self.y, self.alphas, self.threads = *map(data.get, ("X", "y", "alphas")), threads
        self.path = importlib.import_module("statfast.linear").ridge_path

    def answer(self):
        found = self.path(self.X, self.y, self.alphas, n_jobs=self.threads)
        return {"coefs": found.coefs[:, ::-1]}


class SklearnRidge(Work):
    """One target repeated for each penalty: its quickest way to a path."""

    def prepare(self, data, threads):
        self.X, self.alphas = data["X"], data["alphas"]
        self.Y = np.repeat(data["y"][:, None], len(self.alphas), axis=1)
        self.Ridge = importlib.import_module("sklearn.linear_model").Ridge

    def answer(self):
        return {"coefs": self.Ridge(alpha=self.alphas).fit(self.X, self.Y).coef_.T}


class SklearnRidges(SklearnRidge):
    """One fit for each penalty."""

    def answer(self):
        y = self.Y[:, 0]
        return {
            "coefs": np.array([self.Ridge(alpha=a).fit(self.X, y).coef_ for a in self.alphas]).T
        }


# --- the checks ---


class GapCheck:
    """The largest duality gap along the path, as a share of |y|^2."""

    def __init__(self, data):
        self.data = data

    def __call__(self, answer):
        X, y, alphas = self.data["X"], self.data["y"], self.data["alphas"]
        coefs, whole = answer["coefs"], float(y @ y)
        if coefs.shape != (X.shape[1], len(alphas)) or not np.isfinite(coefs).all():
            return {"duality gap": np.inf}
        R = y[:, None] - X @ coefs
        size, worst = np.abs(X.T @ R).max(axis=0), 0.0
        for r, b, top, l1 in zip(R.T, coefs.T, size, len(y) * alphas, strict=True):
            theta = r * min(1.0, l1 / top)
            primal = 0.5 * r @ r + l1 * np.abs(b).sum()
            worst = max(worst, primal - 0.5 * whole + 0.5 * (y - theta) @ (y - theta))
        return {"duality gap": float(worst / whole)}


class SolutionCheck:
    """The largest error of a coefficient, as a share of the largest."""

    def __init__(self, data):
        A = np.column_stack([np.ones(len(data["X"])), data["X"]])
        self.best = np.linalg.lstsq(A, data["y"])[0]

    def __call__(self, answer):
        error = np.abs(answer["coefficients"] - self.best).max() / np.abs(self.best).max()
        return {"coefficient error": float(error)}


class RidgeCheck:
    def __init__(self, data):
        Z, y = data["X"] - data["X"].mean(axis=0), data["y"]
        s2, V = np.linalg.eigh(Z.T @ Z)
        c = V.T @ (Z.T @ (y - y.mean()))
        self.best = V @ (c[:, None] / (s2[:, None] + data["alphas"]))

    def __call__(self, answer):
        error = np.abs(answer["coefs"] - self.best).max() / np.abs(self.best).max()
        return {"coefficient error": float(error)}
