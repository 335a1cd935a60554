# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``cross_validation``: the same folds, by merged statistics, closed forms and refits.

scikit-learn validates its own twin of each model with the same folds. Leave-one-out of nearest
neighbors for 30 k would be 600 000 of its fits: its time is that of a part of the rows, times the
rest, and has no answer.
"""

import importlib
import time
from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, named
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Tolerances
from benchmarks.harness.fold_checks import (
    CHECKS,
    COSTS,
    FOLDS,
    NEIGHBORS,
    PERMUTATIONS,
    ROWS_REFITTED,
    SVC_FOLDS,
)
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite

BOUNDS = {"budget": 3.0, "hopeless": 2000.0, "limit": 240.0}


# --- data and problems ---


def _classes(n, d, k, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    means = 1.5 * rng.standard_normal((k, d)) / np.sqrt(d) * 2
    return {"X": rng.standard_normal((n, d)) + means[y], "y": y}


def _numbers(n, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return {"X": X, "y": X @ rng.standard_normal(d) + rng.standard_normal(n)}


def _penalties(n, d, count, seed):
    return _numbers(n, d, seed) | {"alphas": np.geomspace(1e-2, 1e6, count)}


def _curved(n, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    side = X[:, 0] + 0.5 * X[:, 1] * X[:, 2] + 0.7 * rng.standard_normal(n)
    return {"X": X, "y": (side > 0).astype(np.intp)}


def _problem(task, name, make):
    return Problem(name, task, make, group=task, **BOUNDS)


def _lda(n, d, k):
    return _problem("lda folds", f"LDA 10-fold {n}x{d}", partial(_classes, n, d, k))


def _ridge(n, d, count):
    name = f"ridge {count} penalties 10-fold {n}x{d}"
    return _problem("ridge folds", name, partial(_penalties, n, d, count))


def _machines(n, d):
    return _problem("SVC grid", f"SVC 5 C 5-fold {n}x{d}", partial(_curved, n, d))


def _chances(n, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    eta = X @ rng.standard_normal(d) / 2
    return {"X": X, "y": (rng.random(n) < 1 / (1 + np.exp(-eta))).astype(np.int64)}


def _few_columns_matter(n, d, seed):
    data = _numbers(n, d, seed)
    rng = np.random.default_rng(seed)
    y = data["X"][:, : d // 10] @ rng.standard_normal(d // 10) + rng.standard_normal(n)
    alphas = np.geomspace(1.0, 1e-3, 100)  # of the penalties that leave some columns
    return data | {"y": y, "alphas": alphas}


def _logistic(n, d):
    return _problem("logistic folds", f"logistic 10-fold {n}x{d}", partial(_chances, n, d))


def _lasso(n, d):
    make = partial(_few_columns_matter, n, d)
    return _problem("lasso folds", f"lasso path 10-fold {n}x{d}", make)


def _left_out(task, n, d, make):
    return _problem(task, f"{task} {n}x{d}", make)


# --- adapters ---


class Validation(Adapter):
    """A library's cross-validation: its modules are prepared, its calls are timed."""

    def __init__(self, library):
        self.library = library

    def prepare(self, data, threads):
        self.data, self.threads = data, threads
        self.X, self.y = data["X"], data["y"]
        self.selection = importlib.import_module(f"{self.library}.model_selection")
        self.ready()

    def model(self, path, peer_path, **params):
        return named(path if self.library == "statfast" else peer_path)(**params)

    def ready(self):
        raise NotImplementedError


LDA = (
    "statfast.LinearDiscriminantAnalysis",
    "sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
)


class DiscriminantFolds(Validation):
    def ready(self):
        self.lda, self.cv = self.model(*LDA), self.selection.KFold(FOLDS)

    def answer(self):
        scores = self.selection.cross_val_score(
            self.lda, self.X, self.y, cv=self.cv, scoring="accuracy"
        )
        return {"scores": scores}


class RidgeFolds(Validation):
    def ready(self):
        ridge = self.model("statfast.Ridge", "sklearn.linear_model.Ridge")
        self.search = self.selection.GridSearchCV(
            ridge, {"alpha": self.data["alphas"].tolist()}, cv=self.selection.KFold(FOLDS),
            scoring="neg_mean_squared_error", refit=False,
        )  # fmt: skip

    def answer(self):
        return {"errors": -self.search.fit(self.X, self.y).cv_results_["mean_test_score"]}


class MachineGrid(Validation):
    def ready(self):
        svc = self.model("statfast.SVC", "sklearn.svm.SVC", gamma=1.0 / self.X.shape[1])
        self.search = self.selection.GridSearchCV(
            svc, {"C": list(COSTS)}, cv=self.selection.KFold(SVC_FOLDS), refit=False
        )

    def answer(self):
        return {"scores": self.search.fit(self.X, self.y).cv_results_["mean_test_score"]}


class LogisticFolds(Validation):
    """Without a penalty: mean log losses."""

    def ready(self):
        self.logistic = (
            named("statfast.LogisticRegression")()
            if self.library == "statfast"
            else named("sklearn.linear_model.LogisticRegression")(C=np.inf, tol=1e-6)
        )
        self.cv = self.selection.KFold(FOLDS)

    def answer(self):
        scores = self.selection.cross_val_score(
            self.logistic, self.X, self.y, cv=self.cv, scoring="neg_log_loss"
        )
        return {"losses": -scores}


class LassoFolds(Validation):
    def ready(self):
        lasso = named("statfast.LassoCV" if self.library == "statfast" else LASSO)
        self.lasso = lasso(alphas=self.data["alphas"], cv=self.selection.KFold(FOLDS))

    def answer(self):
        return {"errors": self.lasso.fit(self.X, self.y).mse_path_.mean(axis=1)}


LASSO = "sklearn.linear_model.LassoCV"


class LineLeftOut(Validation):
    def ready(self):
        self.line = self.model("statfast.LinearRegression", "sklearn.linear_model.LinearRegression")
        self.cv = self.selection.LeaveOneOut()

    def answer(self):
        said = self.selection.cross_val_predict(self.line, self.X, self.y, cv=self.cv)
        return {"predictions": said}


class PermutedTargets(Validation):
    def ready(self):
        self.line = self.model("statfast.LinearRegression", "sklearn.linear_model.LinearRegression")
        self.cv = self.selection.KFold(FOLDS)

    def answer(self):
        _, scores, _ = self.selection.permutation_test_score(
            self.line, self.X, self.y, cv=self.cv, n_permutations=PERMUTATIONS
        )
        return {"scores": scores}


class DiscriminantLeftOut(LineLeftOut):
    def ready(self):
        self.line, self.cv = self.model(*LDA), self.selection.LeaveOneOut()


class NeighborsLeftOut(Validation):
    def ready(self):
        self.search = self.selection.GridSearchCV(
            named("statfast.KNeighborsClassifier")(), {"n_neighbors": list(NEIGHBORS)},
            cv=self.selection.LeaveOneOut(), scoring="accuracy", refit=False,
        )  # fmt: skip

    def answer(self):
        return {"errors": 1 - self.search.fit(self.X, self.y).cv_results_["mean_test_score"]}


class NeighborsClock(Validation):
    """scikit-learn's time for all rows and k, from some folds of one k."""

    def ready(self):
        self.knn = named("sklearn.neighbors.KNeighborsClassifier")(n_neighbors=15)

    def answer(self):
        rows, some = np.arange(len(self.X)), min(ROWS_REFITTED, len(self.X))
        cv = [(np.delete(rows, row), [row]) for row in range(some)]
        start = time.perf_counter()
        self.selection.cross_val_score(self.knn, self.X, self.y, cv=cv)
        spent = time.perf_counter() - start
        return {"seconds": np.float64(spent * len(rows) / some * len(NEIGHBORS))}


class Parts(Validation):
    """Predictions of fits to bootstrap samples, and the parts of their error."""

    rounds = 200

    def ready(self):
        self.lda = self.model(*LDA)
        cut = len(self.X) * 7 // 10
        self.fitted, self.held = slice(0, cut), slice(cut, None)

    def answer(self):
        found = self.selection.bias_variance(
            self.lda, self.X[self.fitted], self.y[self.fitted], X_test=self.X[self.held],
            y_test=self.y[self.held], loss="domingos", n_rounds=self.rounds, random_state=0,
        )  # fmt: skip
        return {"loss": np.array([found.loss, found.bias])}


class PartsByHand(Parts):
    def answer(self):
        X, y = self.X[self.fitted], self.y[self.fitted]
        rng = np.random.default_rng(0)
        drawn = rng.integers(0, len(X), (self.rounds, len(X)))
        said = np.array([self.lda.fit(X[r], y[r]).predict(self.X[self.held]) for r in drawn])
        truth = self.y[self.held]
        modes = np.array([np.bincount(column).argmax() for column in said.T])
        return {"loss": np.array([(said != truth).mean(), (modes != truth).mean()])}


# --- the suite ---

ADAPTERS = {
    "lda folds": DiscriminantFolds,
    "ridge folds": RidgeFolds,
    "SVC grid": MachineGrid,
    "logistic folds": LogisticFolds,
    "lasso folds": LassoFolds,
    "least squares leave-one-out": LineLeftOut,
    "permuted targets": PermutedTargets,
    "LDA leave-one-out": DiscriminantLeftOut,
    "neighbors leave-one-out": NeighborsLeftOut,
    "bias and variance": Parts,
}
SKLEARN = ADAPTERS | {"neighbors leave-one-out": NeighborsClock, "bias and variance": PartsByHand}
SUITE = Suite(
    name="cross_validation",
    title="cross-validation, the same folds",
    family="cross-validation",
    problems=[
        _lda(200_000, 30, 5),
        _ridge(100_000, 100, 100),
        _machines(5_000, 20),
        _logistic(100_000, 20),
        _lasso(50_000, 200),
        _left_out("least squares leave-one-out", 5_000, 20, partial(_numbers, 5_000, 20)),
        _left_out("permuted targets", 5_000, 20, partial(_numbers, 5_000, 20)),
        _left_out("LDA leave-one-out", 5_000, 20, partial(_classes, 5_000, 20, 5)),
        _left_out("neighbors leave-one-out", 20_000, 8, partial(_classes, 20_000, 8, 3)),
        _left_out("bias and variance", 10_000, 20, partial(_classes, 10_000, 20, 5)),
    ],
    quick=[
        _lda(2_000, 5, 3),
        _ridge(1_000, 6, 5),
        _machines(300, 4),
        _logistic(2_000, 4),
        _lasso(1_000, 20),
        _left_out("least squares leave-one-out", 200, 4, partial(_numbers, 200, 4)),
        _left_out("permuted targets", 200, 4, partial(_numbers, 200, 4)),
        _left_out("LDA leave-one-out", 200, 4, partial(_classes, 200, 4, 3)),
        _left_out("neighbors leave-one-out", 300, 4, partial(_classes, 300, 4, 3)),
        _left_out("bias and variance", 1_000, 4, partial(_classes, 1_000, 4, 3)),
    ],
    growth=Growth(5_000, lambda n: _machines(n, 20), power=2),
    libraries={
        "statfast": Library({task: partial(a, "statfast") for task, a in ADAPTERS.items()}),
        "scikit-learn": Library(
            {task: partial(a, "sklearn") for task, a in SKLEARN.items()
             if task != "neighbors leave-one-out"}
        ),
        "scikit-learn (by a part)": Library(
            {"neighbors leave-one-out": partial(NeighborsClock, "sklearn")},
            packages=("scikit-learn",), rate=True,
        ),
    },
    checks=CHECKS,
    tolerances={
        "lda folds": Tolerances({"score error": 1e-3}),
        "ridge folds": Tolerances({"relative error": 1e-8}),
        "SVC grid": Tolerances({"score error": 3e-3}),
        "logistic folds": Tolerances({"loss error": 1e-4}, ours={"loss error": 1e-8}),
        "lasso folds": Tolerances({"relative error": 1e-3}, ours={"relative error": 1e-6}),
        "least squares leave-one-out": Tolerances({"error": 1e-8}),
        "permuted targets": Tolerances({"error": 1e-8}),
        "LDA leave-one-out": Tolerances({"share wrong": 0.011}),
        "neighbors leave-one-out": Tolerances({"error": 1e-3}),
        "bias and variance": Tolerances({"loss error": 0.03}),
    },
    bars={
        "lda folds": [Bar("LDA, 10 folds", ("scikit-learn",), least=30)],
        "ridge folds": [Bar("ridge, 100 penalties and 10 folds", ("scikit-learn",), least=200)],
        "SVC grid": [Bar("SVC, 5 values of C and 5 folds", ("scikit-learn",), least=5)],
        "logistic folds": [Bar("logistic regression, 10 folds", ("scikit-learn",), least=20)],
        "lasso folds": [
            Bar("lasso, 100 penalties and 10 folds", ("scikit-learn",), least=10)
        ],
        "least squares leave-one-out": [
            Bar("least squares, leave-one-out", ("scikit-learn",), least=1000)
        ],
        "permuted targets": [Bar("least squares, 100 permutations", ("scikit-learn",), least=8)],
        "LDA leave-one-out": [Bar("LDA, leave-one-out", ("scikit-learn",), least=1000)],
        "neighbors leave-one-out": [
            Bar("neighbors, leave-one-out, 30 k", ("scikit-learn (by a part)",), least=500)
        ],
        "bias and variance": [Bar("LDA, 200 bootstrap samples", ("scikit-learn",), least=100)],
    },
)  # fmt: skip
