# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``discriminant``: classes with covariances of their own, and normal densities."""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, named
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import F32, F64, SIZES, Problem
from benchmarks.harness.suite import Library, Suite
from benchmarks.suites.generative.lda import Discriminant, PosteriorCheck

SHARES = np.arange(11) / 10.0

# --- data and problems ---


def _classes(n, d, classes, dtype, seed):
    """Normal classes, each with a covariance of its own."""
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(classes).repeat(2 * d), rng.integers(classes, size=n))[:n]
    mix = np.eye(d) + 0.3 * rng.standard_normal((classes, d, d)) / np.sqrt(d)
    X = 2 * rng.standard_normal((classes, d))[y] / np.sqrt(d)
    for k in range(classes):
        mine = y == k
        X[mine] += rng.standard_normal((mine.sum(), d)) @ mix[k]
    return {"X": X.astype(dtype), "y": y}


def _qda(n, d, classes, dtype=F64, group=""):
    name = f"QDA {n}x{d} K={classes} {dtype}"
    make = partial(_classes, n, d, classes, dtype)
    flops = n * d * (d + 1.0) * (1 + classes)  # half a scatter matrix, and K triangles
    beyond = not group
    return Problem(name, "qda", make, dtype, flops, n * d * SIZES[dtype], 2.0, beyond, group=group)


def _lda(n, d, classes, group=""):
    name = f"LDA {n}x{d} K={classes}"
    make = partial(_classes, n, d, classes, F64)
    flops = n * d * (d + 1.0) + 2.0 * n * d * classes
    return Problem(name, "lda", make, F64, flops, 8.0 * n * d, 2.0, not group, group=group)


def _rda(n, d, classes, shares=SHARES, group=""):
    def make(seed):
        return _classes(n, d, classes, F64, seed) | {"shares": shares}

    pairs = len(shares) ** 2
    name = f"RDA {n}x{d} K={classes}, {len(shares)} x {len(shares)}, leave-one-out"
    flops = len(shares) * classes * (4.0 * n * d * d + 25.0 * d**3) + 8.0 * pairs * classes * n * d
    return Problem(name, "rda", make, F64, flops, 8.0 * n * d, 1.0, not group, group=group)


def _density_data(n, d, dtype, seed):
    rng = np.random.default_rng(seed)
    A = np.eye(d) + 0.3 * rng.standard_normal((d, d)) / np.sqrt(d)
    mean = rng.standard_normal(d)
    X = mean + rng.standard_normal((n, d)) @ A.T
    return {"X": X.astype(dtype), "mean": mean, "S": A @ A.T}


def _density(n, d, dtype=F64, group=""):
    name = f"normal log density {n}x{d} {dtype}"
    make = partial(_density_data, n, d, dtype)
    flops = n * d * (d + 1.0)
    return Problem(
        name, "density", make, dtype, flops, n * d * SIZES[dtype], 1.0, not group, group=group
    )


# --- adapters ---


class Grid(Adapter):
    """Ours: the whole grid from one pass."""

    def prepare(self, data, threads):
        self.X, self.y = data["X"], data["y"]
        search = named("statfast.generative.RegularizedDiscriminantAnalysisCV")
        self.model = search(data["shares"], data["shares"], n_jobs=threads)

    def fit(self):
        self.model.fit(self.X, self.y)

    def answer(self):
        return {"errors": self.model.errors_, "losses": self.model.log_losses_}


class GridByRows(Adapter):
    """numpy: the covariances of the fit without each row, all rows of a class at a time."""

    def prepare(self, data, threads):
        self.data = data

    def fit(self):
        self.found = grid_by_rows(**self.data)

    def answer(self):
        return dict(zip(("errors", "losses"), self.found, strict=True))


class Density(Adapter):
    def prepare(self, data, threads):
        self.X = data["X"]
        self.normal = named("statfast.MultivariateNormal").of(
            data["mean"], data["S"], n_jobs=threads
        )

    def answer(self):
        return {"log densities": self.normal.score_samples(self.X)}


class DensityOfScipy(Adapter):
    def prepare(self, data, threads):
        self.X = data["X"]
        self.normal = named("scipy.stats.multivariate_normal")(data["mean"], data["S"])

    def answer(self):
        return {"log densities": self.normal.logpdf(self.X)}


# --- checks ---


def quadratic_posteriors(X, y):
    """Quadratic discriminant analysis by definition, with covariances divided by n_k."""
    X = X.astype(np.float64)
    classes, counts = np.unique(y, return_counts=True)
    scores = np.empty((len(X), len(classes)))
    for k, label in enumerate(classes):
        own = X[y == label]
        S = np.cov(own.T, ddof=0).reshape(X.shape[1], -1)
        u = X - own.mean(0)
        scores[:, k] = -0.5 * (
            np.linalg.slogdet(S)[1] + np.einsum("ij,ij->i", u, np.linalg.solve(S, u.T).T)
        )
    scores += np.log(counts / len(X))
    p = np.exp(scores - scores.max(1, keepdims=True))
    return p / p.sum(1, keepdims=True)


class QuadraticCheck(Check):
    def __init__(self, data):
        self.right = quadratic_posteriors(**data)
        self.parts = {"posteriors": self.right.shape}

    def errors(self, answer):
        return {"posterior error": float(abs(answer["posteriors"] - self.right).max())}


def grid_by_rows(X, y, shares):
    """Leave-one-out errors and log losses of each pair (alpha, gamma), from raw sums."""
    n, d = X.shape
    X = X - X.mean(0)
    labels = np.unique(y)
    n_classes = len(labels)
    codes = np.searchsorted(labels, y)
    mass = np.bincount(codes).astype(float)
    sums = np.stack([X[codes == k].sum(0) for k in range(n_classes)])
    squares = np.stack([X[codes == k].T @ X[codes == k] for k in range(n_classes)])
    wrong, loss = (np.zeros((len(shares), len(shares))) for _ in range(2))
    for g in range(n_classes):
        rows = X[codes == g]
        own = mass - (np.arange(n_classes) == g)
        means = np.repeat(sums[None], len(rows), 0)
        means[:, g] -= rows
        means /= own[:, None]
        scatters = np.repeat(squares[None], len(rows), 0)
        scatters[:, g] -= rows[:, :, None] * rows[:, None]
        scatters -= own[:, None, None] * means[..., None] * means[:, :, None]
        pooled = scatters.sum(1, keepdims=True) / (n - 1 - n_classes)
        each = scatters / (own - 1)[:, None, None]
        away = rows[:, None] - means
        for i, alpha in enumerate(shares):
            mixed = alpha * each + (1 - alpha) * pooled
            size = np.trace(mixed, axis1=2, axis2=3)[..., None, None] / d * np.eye(d)
            for j, gamma in enumerate(shares):
                S = (1 - gamma) * mixed + gamma * size
                far = (away * np.linalg.solve(S, away[..., None])[..., 0]).sum(2)
                scores = np.log(own / (n - 1)) - 0.5 * (np.linalg.slogdet(S)[1] + far)
                scores -= scores.max(1, keepdims=True)
                wrong[i, j] += (scores.argmax(1) != g).sum()
                loss[i, j] -= (scores[:, g] - np.log(np.exp(scores).sum(1))).sum()
    return wrong / n, loss / n


class GridCheck(Check):
    def __init__(self, data):
        self.wrong, self.loss = grid_by_rows(**data)
        self.parts = {"errors": self.wrong.shape, "losses": self.loss.shape}

    def errors(self, answer):
        return {
            "share of errors": float(abs(answer["errors"] - self.wrong).max()),
            "log loss": float(abs(answer["losses"] / self.loss - 1).max()),
        }


class DensityCheck(Check):
    def __init__(self, data):
        u = data["X"].astype(np.float64) - data["mean"]
        d = u.shape[1]
        far = np.einsum("ij,ij->i", u, np.linalg.solve(data["S"], u.T).T)
        height = d * np.log(2 * np.pi) + np.linalg.slogdet(data["S"])[1]
        self.right = -0.5 * (height + far)
        self.parts = {"log densities": self.right.shape}

    def errors(self, answer):
        off = abs(answer["log densities"] - self.right) / np.maximum(1, abs(self.right))
        return {"relative error": float(off.max())}


# --- the suite ---

SKLEARN = "sklearn.discriminant_analysis"
OURS = "statfast.generative"
POSTERIORS = Tolerances(*({"posterior error": bound} for bound in (1e-8, 1e-4, 0.01)))
SUITE = Suite(
    name="discriminant",
    title="discriminants with covariances of the classes, and normal densities",
    family="discriminants, naive Bayes",
    problems=[
        _qda(200_000, 30, 5, group="qda"),
        _qda(200_000, 30, 5, F32),
        _qda(1_000, 10, 3),
        _qda(1_000_000, 5, 2),
        _qda(50_000, 150, 10),
        _rda(2_000, 20, 3, group="rda"),
        _rda(2_000, 20, 5, group="rda"),
        _rda(20_000, 10, 3),
        _density(1_000_000, 20, group="density"),
        _density(1_000_000, 20, F32),
        _density(1_000_000, 2),
        _density(100_000, 100),
        _lda(150, 4, 3, group="small"),
        _lda(1_000, 10, 3, group="small"),
    ],
    quick=[
        _qda(5_000, 10, 3, group="qda"),
        _rda(200, 4, 3, np.array([0.0, 0.5, 1.0]), group="rda"),
        _density(10_000, 5, group="density"),
        _lda(150, 4, 3, group="small"),
    ],
    libraries={
        "statfast": Library(
            {
                "qda": partial(Discriminant, f"{OURS}.QuadraticDiscriminantAnalysis"),
                "lda": partial(Discriminant, f"{OURS}.LinearDiscriminantAnalysis"),
                "rda": Grid,
                "density": Density,
            }
        ),
        "scikit-learn": Library(
            {
                "qda": partial(
                    Discriminant, f"{SKLEARN}.QuadraticDiscriminantAnalysis", threaded=False
                ),
                "lda": partial(
                    Discriminant, f"{SKLEARN}.LinearDiscriminantAnalysis", threaded=False
                ),
            }
        ),
        "scikit-learn (eigen, lsqr)": Library(
            {
                "qda": partial(
                    Discriminant,
                    f"{SKLEARN}.QuadraticDiscriminantAnalysis",
                    threaded=False,
                    solver="eigen",
                ),
                "lda": partial(
                    Discriminant,
                    f"{SKLEARN}.LinearDiscriminantAnalysis",
                    threaded=False,
                    solver="lsqr",
                ),
            },
            packages=("scikit-learn",),
        ),
        "scipy": Library({"density": DensityOfScipy}),
        "numpy": Library({"rda": GridByRows}),
    },
    checks={
        "qda": QuadraticCheck,
        "lda": PosteriorCheck,
        "rda": GridCheck,
        "density": DensityCheck,
    },
    tolerances={
        "qda": POSTERIORS,
        "lda": POSTERIORS,
        "rda": Tolerances({"share of errors": 1e-12, "log loss": 1e-9}),
        "density": Tolerances(*({"relative error": bound} for bound in (1e-9, 1e-5, 1e-3))),
    },
    bars={
        "qda": [Bar("QDA, fit and posteriors", least=6.0)],
        "rda": [Bar("RDA, 121 pairs by leave-one-out", seconds=1.0)],
        "density": [Bar("normal log density", least=5.0)],
        "small": [Bar("LDA of few rows", least=1.0)],
        "": [Bar("other shapes")],
    },
)
