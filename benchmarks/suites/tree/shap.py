# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``shap``: Shapley values of trees that are grown before the clock starts."""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, Estimator, named
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite

# --- data and problems ---


def waves(n, asked, p, seed, **settings):
    """Rows whose target is a sum and a product of waves with noise; the first ones are asked."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(n)
    return {"X": X, "y": y, "asked": X[:asked].copy(), **settings}


def _forest(n, asked, p, trees, group=""):
    make = partial(waves, n, asked, p, trees=trees)
    name = f"{trees} deep trees of {n} rows, {asked}x{p}"
    return Problem(name, "shares of forests", make, group=group, beyond=not group)


def _boosting(n, asked, p, trees, leaves, group=""):
    make = partial(waves, n, asked, p, trees=trees, leaves=leaves)
    name = f"{trees} rounds of {leaves} leaves, {asked}x{p}"
    return Problem(name, "shares of boosting", make, group=group, beyond=not group)


# --- checks ---


class SumCheck(Check):
    """How far the values and the mean answer are from summing to the predictions of the model."""

    def __init__(self, data):
        self.parts = {"values": data["asked"].shape}
        self.parts |= {name: (len(data["asked"]),) for name in ("base", "predictions")}

    def errors(self, answer):
        sums = answer["values"].sum(axis=1) + answer["base"]
        scale = np.abs(answer["predictions"]).max()
        return {"sum": np.abs(sums - answer["predictions"]).max() / scale}


# --- libraries ---


class Explained(Adapter):
    """A fitted model, whose answers for the rows asked are divided among their columns."""

    def __init__(self, path, **options):
        self.estimator = Estimator(path, **options)

    def prepare(self, data, threads):
        words = {"trees": self.trees, "leaves": self.leaves}
        settings = {words[name]: data[name] for name in words if name in data}
        self.model = self.estimator.estimator(threads=threads, **settings)
        self.model.fit(data["X"], data["y"])
        self.rows, self.threads = data["asked"], threads
        self.predictions = np.asarray(self.model.predict(self.rows), dtype=float)

    def answer(self):
        values, base = self.explain()
        base = np.broadcast_to(np.asarray(base, dtype=float).ravel(), len(values))
        return {"values": np.asarray(values), "base": base, "predictions": self.predictions}


class Here(Explained):
    """Ours."""

    leaves = "max_leaf_nodes"

    def __init__(self, path, trees, **options):
        super().__init__(path, **options)
        self.trees = trees

    def explain(self):
        explain = named("statfast.inspection.shap_values")
        found = explain(self.model, self.rows, n_jobs=self.threads)
        return found.values, found.base_values


class ByShap(Here):
    """scikit-learn's model, and the explainer of shap."""

    def explain(self):
        explainer = named("shap.TreeExplainer")(self.model)
        return explainer.shap_values(self.rows, check_additivity=False), explainer.expected_value


class ByXgboost(Explained):
    """Contributions that the booster itself predicts."""

    trees, leaves = "n_estimators", "max_leaves"

    def explain(self):
        rows = named("xgboost.DMatrix")(self.rows, nthread=self.threads)
        found = self.model.get_booster().predict(rows, pred_contribs=True)
        return found[:, :-1], found[:, -1]


# --- the suite ---

GROWN = {"min_samples_leaf": 5, "random_state": 0}
BOOSTED = {"threaded": False, "early_stopping": False, "random_state": 0}
NAME = "HistGradientBoostingRegressor"

FOREST, BOOSTING = "shares of forests", "shares of boosting"  # tasks
HERE = {
    FOREST: partial(Here, "statfast.RandomForestRegressor", "n_estimators", **GROWN),
    BOOSTING: partial(Here, f"statfast.{NAME}", "max_iter", **BOOSTED),
}
SHAP = {
    FOREST: partial(ByShap, "sklearn.ensemble.RandomForestRegressor", "n_estimators", **GROWN),
    BOOSTING: partial(ByShap, f"sklearn.ensemble.{NAME}", "max_iter", **BOOSTED),
}
BOOSTER = {"max_depth": 0, "grow_policy": "lossguide", "tree_method": "hist", "random_state": 0}
XGBOOST = {BOOSTING: partial(ByXgboost, "xgboost.XGBRegressor", **BOOSTER)}

SUITE = Suite(
    name="shap",
    title="Shapley values of trees (path-dependent)",
    family="trees and ensembles",
    problems=[
        _forest(4_000, 500, 20, 100, "forest"),
        _forest(32_236, 50, 20, 100),
        _boosting(20_000, 2_000, 20, 100, 31, "boosting"),
        _boosting(20_000, 500, 20, 100, 255),
    ],
    quick=[_forest(500, 50, 5, 10, "forest"), _boosting(1_000, 100, 5, 20, 15, "boosting")],
    growth=Growth(500, lambda n: _boosting(20_000, n, 20, 100, 255)),
    libraries={"statfast": Library(HERE), "shap": Library(SHAP), "xgboost": Library(XGBOOST)},
    checks={FOREST: SumCheck, BOOSTING: SumCheck},
    # xgboost adds in float32.
    tolerances={FOREST: Tolerances({"sum": 1e-3}), BOOSTING: Tolerances({"sum": 1e-3})},
    bars={
        "forest": [Bar("forest of 100 deep trees", ("shap",), least=10.0)],
        "boosting": [Bar("100 rounds, 31 leaves", ("xgboost",), least=2.0)],
        "": [Bar("other shapes")],
    },
)
