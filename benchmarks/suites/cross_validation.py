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
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Library, Suite

FOLDS = 10
NEIGHBORS = range(1, 31)
SOME = 200  # rows whose leave-one-out is fitted anew: by the checks, and by scikit-learn's clock
BOUNDS = {"budget": 3.0, "hopeless": 2000.0, "limit": 120.0}


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


def _problem(task, name, make):
    return Problem(name, task, make, group=task, **BOUNDS)


def _lda(n, d, k):
    return _problem("lda folds", f"LDA 10-fold {n}x{d}", partial(_classes, n, d, k))


def _ridge(n, d, count):
    name = f"ridge {count} penalties 10-fold {n}x{d}"
    return _problem("ridge folds", name, partial(_penalties, n, d, count))


def _left_out(task, n, d, make):
    return _problem(task, f"{task} {n}x{d}", make)


# --- adapters ---


def folds_of(n, k=FOLDS):
    """Runs of rows, as ``KFold(k)`` has them."""
    return np.array_split(np.arange(n), k)


class Validation(Adapter):
    """A library's cross-validation: its modules are prepared, its calls are timed."""

    def __init__(self, library):
        self.library = library

    def prepare(self, data, threads):
        self.data, self.threads = data, threads
        self.X, self.y = data["X"], data["y"]
        self.selection = importlib.import_module(f"{self.library}.model_selection")
        self.ready()

    def model(self, ours, theirs, **params):
        return named(ours if self.library == "statfast" else theirs)(**params)

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


class LineLeftOut(Validation):
    def ready(self):
        self.line = self.model("statfast.LinearRegression", "sklearn.linear_model.LinearRegression")
        self.cv = self.selection.LeaveOneOut()

    def answer(self):
        said = self.selection.cross_val_predict(self.line, self.X, self.y, cv=self.cv)
        return {"predictions": said}


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
        rows, some = np.arange(len(self.X)), min(SOME, len(self.X))
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


# --- checks ---


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


# --- the suite ---

ADAPTERS = {
    "lda folds": DiscriminantFolds,
    "ridge folds": RidgeFolds,
    "least squares leave-one-out": LineLeftOut,
    "LDA leave-one-out": DiscriminantLeftOut,
    "neighbors leave-one-out": NeighborsLeftOut,
    "bias and variance": Parts,
}
THEIRS = ADAPTERS | {"neighbors leave-one-out": NeighborsClock, "bias and variance": PartsByHand}
SUITE = Suite(
    name="cross_validation",
    title="cross-validation, the same folds",
    problems=[
        _lda(200_000, 30, 5),
        _ridge(100_000, 100, 100),
        _left_out("least squares leave-one-out", 5_000, 20, partial(_numbers, 5_000, 20)),
        _left_out("LDA leave-one-out", 5_000, 20, partial(_classes, 5_000, 20, 5)),
        _left_out("neighbors leave-one-out", 20_000, 8, partial(_classes, 20_000, 8, 3)),
        _left_out("bias and variance", 10_000, 20, partial(_classes, 10_000, 20, 5)),
    ],
    quick=[
        _lda(2_000, 5, 3),
        _ridge(1_000, 6, 5),
        _left_out("least squares leave-one-out", 200, 4, partial(_numbers, 200, 4)),
        _left_out("LDA leave-one-out", 200, 4, partial(_classes, 200, 4, 3)),
        _left_out("neighbors leave-one-out", 300, 4, partial(_classes, 300, 4, 3)),
        _left_out("bias and variance", 1_000, 4, partial(_classes, 1_000, 4, 3)),
    ],
    libraries={
        "statfast": Library({task: partial(a, "statfast") for task, a in ADAPTERS.items()}),
        "scikit-learn": Library(
            {task: partial(a, "sklearn") for task, a in THEIRS.items()
             if task != "neighbors leave-one-out"}
        ),
        "scikit-learn (by a part)": Library(
            {"neighbors leave-one-out": partial(NeighborsClock, "sklearn")},
            packages=("scikit-learn",), rate=True,
        ),
    },
    checks={
        "lda folds": FoldsCheck,
        "ridge folds": RidgeCheck,
        "least squares leave-one-out": LineCheck,
        "LDA leave-one-out": DiscriminantCheck,
        "neighbors leave-one-out": NeighborsCheck,
        "bias and variance": PartsCheck,
    },
    tolerances={
        "lda folds": Tolerances({"score error": 1e-3}),
        "ridge folds": Tolerances({"relative error": 1e-8}),
        "least squares leave-one-out": Tolerances({"error": 1e-8}),
        "LDA leave-one-out": Tolerances({"share wrong": 0.011}),
        "neighbors leave-one-out": Tolerances({"error": 1e-3}),
        "bias and variance": Tolerances({"loss error": 0.03}),
    },
    bars={
        "lda folds": [Bar("LDA, 10 folds", ("scikit-learn",), least=30)],
        "ridge folds": [Bar("ridge, 100 penalties and 10 folds", ("scikit-learn",), least=200)],
        "least squares leave-one-out": [
            Bar("least squares, leave-one-out", ("scikit-learn",), least=1000)
        ],
        "LDA leave-one-out": [Bar("LDA, leave-one-out", ("scikit-learn",), least=1000)],
        "neighbors leave-one-out": [
            Bar("neighbors, leave-one-out, 30 k", ("scikit-learn (by a part)",), least=500)
        ],
        "bias and variance": [Bar("LDA, 200 bootstrap samples", ("scikit-learn",), least=100)],
    },
)  # fmt: skip
