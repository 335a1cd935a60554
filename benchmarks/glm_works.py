# SPDX-License-Identifier: BSD-3-Clause
"""What the suites ``irls`` and ``glm`` ask of a library: coefficients by maximum likelihood.

The tolerance of each is the loosest power of ten with which its answers come within 1e-8 of the
solution on all problems. With none does scikit-learn's lbfgs, which also stops where the loss falls
by less than 64 units of rounding: coefficients are then off by about 1e-7. Ours includes the
covariance matrix, as does statsmodels'; the others have none.
"""

import importlib

import numpy as np

from benchmarks.works import Work


class Fit(Work):
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
        return np.append(model.intercept_, model.coef_)


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
        return np.append(self.model.intercept_, self.model.coef_)


class Glum(Fit):
    def load(self):
        glum = importlib.import_module("glum")
        self.model = glum.GeneralizedLinearRegressor(
            family=self.family, link="logit" if self.family == "binomial" else "log", alpha=0,
            gradient_tol=1e-9, max_iter=1_000,
        )  # fmt: skip

    def solve(self):
        self.model.fit(self.X, self.y)
        return np.append(self.model.intercept_, self.model.coef_)


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
