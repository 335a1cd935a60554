# SPDX-License-Identifier: BSD-3-Clause
"""The suites ``irls`` and ``glm``: maximum likelihood from dense rows.

Columns are normal with means and sizes of their own, as those of data are, and the responses come
from the model. Every library has to come within 1e-8 of the solution: the tolerance of each is the
loosest power of ten with which it does on all problems. With none does scikit-learn's lbfgs, which
also stops where the loss falls by less than 64 units of rounding: coefficients are then off by
about 1e-7. Ours includes the covariance matrix, as does statsmodels'; the others have none.
"""

import importlib
from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, linear_coefficients
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, scaled_difference
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite
from tests.reference import irls

BUDGET = 4.0  # seconds of rounds for each library and problem
HOPELESS = 30.0  # times the fastest peer's first run; statsmodels has bars of its own
LIMIT = 120.0  # seconds of a library's first run
PASSES = 6  # that Newton's method takes from zero
STEPS = 100


# --- data and problems ---


def _data(family, n, p, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    if p > 1:
        X[:, 1:] += 0.3 * X[:, :-1]  # neighbors are correlated
    b = rng.standard_normal(p) / np.sqrt(p)
    eta = 0.5 * (X @ b) + 0.3 if family != "binomial" else X @ b - 0.3
    mu = 1 / (1 + np.exp(-eta)) if family == "binomial" else np.exp(eta)
    draw = {
        "binomial": lambda: (rng.random(n) < mu).astype(float),
        "poisson": lambda: rng.poisson(mu).astype(float),
        "gamma": lambda: np.maximum(rng.gamma(2.0, mu / 2.0), 1e-8),
    }
    return {"X": X, "y": draw[family](), "family": family}


def _problem(family, n, p, **more):
    task = "logistic" if family == "binomial" else "glm"
    flops = PASSES * n * (p + 1.0) ** 2
    bounds = {"budget": BUDGET, "hopeless": HOPELESS, "limit": LIMIT} | more
    return Problem(
        f"{family} {n}x{p}", task, partial(_data, family, n, p), flops=flops,
        nbytes=8.0 * n * p, passes=PASSES, **bounds,
    )  # fmt: skip


# --- adapters ---


class Fit(Adapter):
    """A fit; `solve` returns the coefficients, the intercept first."""

    def prepare(self, data, threads):
        self.X, self.y, self.family = data["X"], data["y"], data["family"]
        self.threads = threads
        self.load()

    def load(self):
        raise NotImplementedError

    def solve(self):
        raise NotImplementedError

    def answer(self):
        return {"coefficients": np.asarray(self.solve(), dtype=float)}


class Statfast(Fit):
    def load(self):
        linear = importlib.import_module("statfast.linear")
        if self.family == "binomial":
            self.make = lambda: linear.LogisticRegression(n_jobs=self.threads)
        else:
            self.make = lambda: linear.GeneralizedLinearModel(
                self.family, "log", n_jobs=self.threads
            )

    def solve(self):
        model = self.make().fit(self.X, self.y)
        self.covariance = model.covariance_
        return linear_coefficients(model)


class Sklearn(Fit):
    """scikit-learn, and its Intel extension where it has the solver."""

    def __init__(self, solver, tol, module="sklearn"):
        self.solver, self.tol, self.module = solver, tol, module

    def load(self):
        module = importlib.import_module(f"{self.module}.linear_model")
        if self.family == "binomial":
            self.model = module.LogisticRegression(
                C=np.inf, solver=self.solver, tol=self.tol, max_iter=10_000
            )
        else:
            kind = {"poisson": "PoissonRegressor", "gamma": "GammaRegressor"}[self.family]
            self.model = getattr(module, kind)(
                alpha=0, solver=self.solver, tol=self.tol, max_iter=10_000
            )

    def solve(self):
        self.model.fit(self.X, self.y)
        if self.module == "sklearnex" and not hasattr(self.model, "_onedal_estimator"):
            self.remark = "fell back to scikit-learn"
        return linear_coefficients(self.model)


class Glum(Fit):
    def load(self):
        glum = importlib.import_module("glum")
        self.model = glum.GeneralizedLinearRegressor(
            family=self.family, link="logit" if self.family == "binomial" else "log", alpha=0,
            gradient_tol=1e-9, max_iter=1_000,
        )  # fmt: skip

    def solve(self):
        self.model.fit(self.X, self.y)
        return linear_coefficients(self.model)


class Statsmodels(Fit):
    """The linear predictor with a column of ones, which a user has made."""

    def load(self):
        self.api = importlib.import_module("statsmodels.api")
        self.Z = self.api.add_constant(self.X)

    def solve(self):
        families = self.api.families
        if self.family == "binomial":
            model = self.api.Logit(self.y, self.Z).fit(method="newton", disp=0, tol=1e-8)
        else:
            kind = {"poisson": families.Poisson, "gamma": families.Gamma}[self.family]
            kind = kind(link=families.links.Log())
            model = self.api.GLM(self.y, self.Z, family=kind).fit(tol=1e-10)
        self.covariance = model.cov_params()
        return model.params


# --- the check ---


def solution(data):
    """Maximum likelihood by Fisher's scoring: coefficients, the intercept first."""
    y, family = data["y"], data["family"]
    Z = np.column_stack([np.ones(len(y)), data["X"]])
    scores = irls.PAIRS[family, "logit" if family == "binomial" else "log"]
    b = np.zeros(Z.shape[1])
    if family != "binomial":
        b[0] = np.log(y.mean())
    for _ in range(STEPS):
        s, w, _ = scores(Z @ b, y)
        step = np.linalg.solve((Z * w[:, None]).T @ Z, Z.T @ s)
        b += step
        if np.abs(step).max() < 1e-13 * np.abs(b).max():
            break
    return {"coefficients": b}


LIKELIHOOD = Check.of_twin(solution, {"coefficient error": scaled_difference})


# --- the suites ---

TOLERANCES = Tolerances({"coefficient error": 1e-8})

IRLS = Suite(
    name="irls",
    title="logistic regression by maximum likelihood, to 1e-8 (ours with the covariance)",
    family="generalized linear models",
    problems=[
        *(
            _problem("binomial", *shape, group="few")
            for shape in ((100_000, 20), (1_000_000, 10), (10_000, 50), (1_000, 5))
        ),
        *(
            _problem("binomial", *shape, group="many")
            for shape in ((20_000, 300), (50_000, 200), (100_000, 500))
        ),
        _problem("binomial", 4_000_000, 10, beyond=True),
        _problem("binomial", 2_000, 100, beyond=True),
    ],
    quick=[
        _problem("binomial", 2_000, 5, group="few"),
        _problem("binomial", 2_000, 70, group="many"),
        _problem("binomial", 500, 3, beyond=True),
    ],
    growth=Growth(100_000, lambda n: _problem("binomial", n, 500, group="many")),
    libraries={
        "statfast": Library({"logistic": Statfast}),
        "scikit-learn": Library({"logistic": partial(Sklearn, "lbfgs", 1e-8)}),
        "scikit-learn (newton-cholesky)": Library(
            {"logistic": partial(Sklearn, "newton-cholesky", 1e-9)}
        ),
        "scikit-learn (newton-cg)": Library({"logistic": partial(Sklearn, "newton-cg", 1e-10)}),
        "scikit-learn-intelex": Library({"logistic": partial(Sklearn, "lbfgs", 1e-8, "sklearnex")}),
        "scikit-learn-intelex (newton-cg)": Library(
            {"logistic": partial(Sklearn, "newton-cg", 1e-10, "sklearnex")}
        ),
        "glum": Library({"logistic": Glum}),
        "statsmodels": Library({"logistic": Statsmodels}),
    },
    checks={"logistic": LIKELIHOOD},
    tolerances={"logistic": TOLERANCES},
    bars={
        "few": [Bar("logistic, p = 5 to 50", mean=4.0, least=2.5)],
        "many": [
            Bar("logistic, p = 200 and 500", least=1.8),
            Bar("the same", ("glum",), least=8.0),
            Bar("the same", ("statsmodels",), least=8.0),
        ],
        "": [Bar("other shapes")],
    },
)

GLM = Suite(
    name="glm",
    title="Poisson and gamma regression, log link, to 1e-8 (ours with the covariance)",
    family="generalized linear models",
    problems=[
        *(_problem(family, 100_000, 20, group="glm") for family in ("poisson", "gamma")),
        _problem("poisson", 1_000, 5, beyond=True),
        _problem("gamma", 1_000_000, 10, beyond=True),
    ],
    quick=[
        *(_problem(family, 2_000, 5, group="glm") for family in ("poisson", "gamma")),
        _problem("poisson", 500, 3, beyond=True),
    ],
    growth=Growth(1_000_000, lambda n: _problem("gamma", n, 10, beyond=True)),
    libraries={
        "statfast": Library({"glm": Statfast}),
        "scikit-learn": Library({"glm": partial(Sklearn, "lbfgs", 1e-8)}),
        "scikit-learn (newton-cholesky)": Library(
            {"glm": partial(Sklearn, "newton-cholesky", 1e-6)}
        ),
        "glum": Library({"glm": Glum}),
        "statsmodels": Library({"glm": Statsmodels}),
    },
    checks={"glm": LIKELIHOOD},
    tolerances={"glm": TOLERANCES},
    bars={
        "glm": [
            Bar("Poisson and gamma, n = 1e5, p = 20", ("glum",), least=5.0),
            Bar("the same", ("statsmodels",), least=15.0),
            Bar("the same"),
        ],
        "": [Bar("other shapes")],
    },
)
