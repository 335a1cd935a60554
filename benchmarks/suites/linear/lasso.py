# SPDX-License-Identifier: BSD-3-Clause
"""The suites ``lasso``, paths of penalties, and ``ols``, least squares and ridge regression.

Columns and targets are centered, so that libraries without an intercept solve the same problem;
columns are contiguous, as all libraries like them. Correlations between columns fall as powers of
rho with their distance. A path ends at a hundredth of the largest penalty where there are more
columns than rows, else at a thousandth.
"""

import importlib
from functools import partial

import numpy as np
from scipy.sparse import csc_matrix, issparse, random_array

from benchmarks.harness.adapter import Adapter, FitThen, linear_coefficients
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, scaled_difference
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite

PENALTIES = 50
RHO_OF_TASKS = 0.5
RELEVANT = 100  # columns in the true model
NOISE = 1 / 3  # of the deviation of the signal
GAP = 1e-6  # of |y|^2: the duality gap asked for
BUDGET, HOPELESS, LIMIT = 3.0, 8.0, 60.0


# --- data and problems ---


def _path_data(n, p, rho, relevant, seed):
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.standard_normal((n, p)))
    for j in range(1, p if rho else 0):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    b = np.zeros(p)
    relevant = min(relevant, p // 4)
    b[rng.choice(p, relevant, replace=False)] = rng.standard_normal(relevant)
    signal = X @ b
    y = signal + NOISE * signal.std() * rng.standard_normal(n)
    X -= X.mean(axis=0)
    y -= y.mean()
    top = np.abs(X.T @ y).max() / n
    alphas = np.geomspace(top, top * (1e-2 if p > n else 1e-3), PENALTIES)
    return {"X": X, "y": y, "alphas": alphas, "tol": GAP}


def _tasks_data(n, p, n_tasks, end, relevant, seed):
    """Columns that matter do for all tasks."""
    rng = np.random.default_rng(seed)
    X = _path_data(n, p, RHO_OF_TASKS, relevant, seed)["X"]
    B = np.zeros((p, n_tasks))
    B[rng.choice(p, relevant, replace=False)] = rng.standard_normal((relevant, n_tasks))
    signal = X @ B
    Y = signal + NOISE * signal.std() * rng.standard_normal((n, n_tasks))
    Y -= Y.mean(axis=0)
    top = np.linalg.norm(X.T @ Y, axis=1).max() / n
    return {"X": X, "y": Y, "alphas": np.geomspace(top, top * end, PENALTIES), "tol": GAP}


def _sparse_data(n, p, share, seed):
    """Columns that are not centered, so that no library has an intercept; targets that are."""
    rng = np.random.default_rng(seed)
    X = random_array(
        (n, p), density=share, random_state=rng, data_sampler=rng.standard_normal
    ).tocsc()
    X = csc_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=(n, p))
    b = np.zeros(p)
    b[rng.choice(p, RELEVANT, replace=False)] = rng.standard_normal(RELEVANT)
    signal = X @ b
    y = signal + NOISE * signal.std() * rng.standard_normal(n)
    y -= y.mean()
    top = np.abs(X.T @ y).max() / n
    return {"X": X, "y": y, "alphas": np.geomspace(top, top * 1e-2, PENALTIES), "tol": GAP}


def _ols_data(n, p, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return {"X": X, "y": X @ rng.standard_normal(p) + rng.standard_normal(n) + 1}


def _ridge_data(n, p, count, seed):
    return _ols_data(n, p, seed) | {"alphas": np.geomspace(1e-2, 1e6, count)}


def _path(n, p, rho, relevant=RELEVANT, **more):
    bounds = {"budget": BUDGET, "hopeless": HOPELESS, "limit": LIMIT} | more
    make = partial(_path_data, n, p, rho, relevant)
    return Problem(f"path {n}x{p} rho={rho:g}", "lasso path", make, **bounds)


def _tasks(n, p, n_tasks, end, relevant=20, **more):
    bounds = {"budget": BUDGET, "hopeless": HOPELESS, "limit": LIMIT} | more
    make = partial(_tasks_data, n, p, n_tasks, end, relevant)
    return Problem(f"path {n}x{p}, {n_tasks} tasks, to {end:g}", "tasks path", make, **bounds)


def _sparse(n, p, share, **more):
    bounds = {"budget": BUDGET, "hopeless": HOPELESS, "limit": LIMIT} | more
    make = partial(_sparse_data, n, p, share)
    return Problem(f"path {n}x{p}, {share:.0%} filled", "lasso path", make, **bounds)


def _ols(n, p, **more):
    return Problem(f"ols {n}x{p}", "ols", partial(_ols_data, n, p), **more)


def _ridge(n, p, count=100, **more):
    name = f"ridge {n}x{p}, {count} penalties"
    return Problem(name, "ridge path", partial(_ridge_data, n, p, count), **more)


# --- adapters ---


class Paths(Adapter):
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


class AdeliePath(Paths):
    """Its tolerance is on the change of a sweep: the loosest power of ten that gave the gap."""

    def load(self):
        if issparse(self.X):
            raise NotImplementedError("takes dense rows here")
        adelie = importlib.import_module("adelie")
        self.solve, self.glm = adelie.grpnet, adelie.glm.gaussian(y=self.y)

    def answer(self):
        state = self.solve(
            self.X, self.glm, lmda_path=self.alphas, intercept=False, early_exit=False,
            tol=self.tol * 1e-8, max_iters=10_000_000, n_threads=self.threads,
            progress_bar=False,
        )  # fmt: skip
        return {"coefs": state.betas.toarray().T}


class StatfastRidge(Adapter):
    def prepare(self, data, threads):
        self.X, self.y, self.alphas, self.threads = *map(data.get, ("X", "y", "alphas")), threads
        self.path = importlib.import_module("statfast.linear").ridge_path

    def answer(self):
        found = self.path(self.X, self.y, self.alphas, n_jobs=self.threads)
        return {"coefs": found.coefs[:, ::-1]}


class SklearnRidge(Adapter):
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


class GapCheck(Check):
    """The largest duality gap along the path, as a share of |y|^2."""

    def __init__(self, data):
        self.data = data
        self.parts = {"coefs": (data["X"].shape[1], len(data["alphas"]))}

    def errors(self, answer):
        X, y, alphas = self.data["X"], self.data["y"], self.data["alphas"]
        coefs, whole = answer["coefs"], float(y @ y)
        R = y[:, None] - X @ coefs
        size, gaps = np.abs(X.T @ R).max(axis=0), []
        for r, b, top, l1 in zip(R.T, coefs.T, size, len(y) * alphas, strict=True):
            theta = r * min(1.0, l1 / top)
            primal = 0.5 * r @ r + l1 * np.abs(b).sum()
            gaps.append(primal - 0.5 * whole + 0.5 * (y - theta) @ (y - theta))
        return {"duality gap": float(np.max(gaps) / whole)}


def least_squares(data):
    """By LAPACK's singular values."""
    Z = np.column_stack([np.ones(len(data["X"])), data["X"]])
    return {"coefficients": np.linalg.lstsq(Z, data["y"])[0]}


def ridge_path(data):
    """By the eigenvectors of the covariance."""
    Z, z = data["X"] - data["X"].mean(axis=0), data["y"] - data["y"].mean()
    s2, V = np.linalg.eigh(Z.T @ Z)
    return {"coefs": V @ ((V.T @ (Z.T @ z))[:, None] / (s2[:, None] + data["alphas"]))}


class TasksGapCheck(GapCheck):
    """The same of several tasks, with lengths in the place of absolute values."""

    def __init__(self, data):
        self.data = data
        self.parts = {
            "coefs": (data["y"].shape[1], data["X"].shape[1], len(data["alphas"])),
        }

    def errors(self, answer):
        X, Y, gaps = self.data["X"], self.data["y"], []
        for alpha, B in zip(self.data["alphas"], np.moveaxis(answer["coefs"], -1, 0), strict=True):
            R, l1 = Y - X @ B.T, len(Y) * alpha
            theta = R * min(1.0, l1 / np.linalg.norm(X.T @ R, axis=1).max())
            primal = 0.5 * (R**2).sum() + l1 * np.linalg.norm(B, axis=0).sum()
            gaps.append(primal - 0.5 * (Y**2).sum() + 0.5 * ((Y - theta) ** 2).sum())
        return {"duality gap": float(np.max(gaps) / (Y**2).sum())}


COEFFICIENT_ERROR = {"coefficient error": scaled_difference}
LINE = partial(FitThen, answers={"coefficients": linear_coefficients})  # ours brings inference


# --- the suites ---

SHAPES = [(1_000, 5_000), (50_000, 200), (10_000, 1_000)]
BETWEEN = [(2_000, 2_000), (200, 20_000), (20_000, 500)]

LASSO = Suite(
    name="lasso",
    title="lasso path of 50 penalties, to a duality gap of 1e-6",
    family="least squares, ridge, lasso",
    problems=[
        *(_path(n, p, rho, group="path") for n, p in SHAPES for rho in (0.0, 0.5, 0.9)),
        *(_path(n, p, 0.5, beyond=True) for n, p in BETWEEN),
        _path(3_000, 800, 0.44, relevant=60, group="products"),
        _sparse(20_000, 2_000, 0.01, group="sparse"),
        _sparse(2_000, 20_000, 0.01, group="sparse"),
        _tasks(1_000, 200, 5, 1e-3, group="tasks"),
        _tasks(5_000, 500, 10, 1e-3, group="tasks"),
        _tasks(200, 2_000, 20, 1e-1, group="tasks"),
        _tasks(200, 2_000, 20, 1e-2, group="tasks"),
    ],
    quick=[
        _path(200, 100, 0.5, group="path"),
        _path(60, 200, 0.9, group="path"),
        _tasks(200, 60, 3, 1e-2, relevant=5, group="tasks"),
    ],
    growth=Growth(5_000, lambda n: _tasks(n, 500, 10, 1e-3, group="tasks")),
    libraries={
        "statfast": Library({"lasso path": StatfastPath, "tasks path": StatfastPath}),
        "scikit-learn": Library({"lasso path": SklearnPath, "tasks path": SklearnPath}),
        "celer": Library({"lasso path": CelerPath}),
        "skglm": Library({"lasso path": SkglmPath}),
        "glmnet": Library({"lasso path": GlmnetPath}, packages=("glmstar",)),
        "adelie": Library({"lasso path": AdeliePath}),
    },
    checks={"lasso path": GapCheck, "tasks path": TasksGapCheck},
    tolerances=dict.fromkeys(("lasso path", "tasks path"), Tolerances({"duality gap": 1.0001e-6})),
    bars={
        "path": [Bar("lasso path, 50 penalties, gap 1e-6", mean=2.5), Bar("the same")],
        "products": [Bar("more rows than columns, by products", least=2.0)],
        "sparse": [Bar("columns of few nonzeros", least=1.2)],
        "tasks": [Bar("several tasks", least=1.5)],
        "": [Bar("other shapes")],
    },
)

OLS = Suite(
    name="ols",
    title="least squares (ours with inference) and ridge regression",
    family="least squares, ridge, lasso",
    problems=[
        _ols(1_000_000, 20, group="ols"),
        _ridge(100_000, 50, group="ols"),
        _ols(1_000, 5, beyond=True),
        _ridge(2_000, 200, beyond=True),
    ],
    quick=[_ols(2_000, 5, group="ols"), _ridge(500, 10, 20, group="ols")],
    growth=Growth(1_000_000, lambda n: _ols(n, 20, group="ols")),
    libraries={
        "statfast": Library(
            {"ols": partial(LINE, "statfast.linear.LinearRegression"), "ridge path": StatfastRidge}
        ),
        "scikit-learn": Library(
            {
                "ols": partial(LINE, "sklearn.linear_model.LinearRegression", threaded=False),
                "ridge path": SklearnRidge,
            }
        ),
        "scikit-learn (one by one)": Library({"ridge path": SklearnRidges}),
        "scikit-learn-intelex": Library(
            {"ols": partial(LINE, "sklearnex.linear_model.LinearRegression", threaded=False)}
        ),
    },
    checks={
        "ols": Check.of_twin(least_squares, COEFFICIENT_ERROR),
        "ridge path": Check.of_twin(ridge_path, COEFFICIENT_ERROR),
    },
    tolerances={
        "ols": Tolerances({"coefficient error": 1e-10}),
        "ridge path": Tolerances({"coefficient error": 1e-8}),
    },
    bars={
        "ols": [
            Bar("least squares; ridge for 100 penalties", ("scikit-learn",), least=3.0),
            Bar("the same"),
        ],
        "": [Bar("other shapes")],
    },
)
