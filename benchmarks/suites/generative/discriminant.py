# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``discriminant``: classes with covariances of their own, and normal densities."""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, FitThen, named
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, difference, relative_difference
from benchmarks.harness.problem import F32, F64, SIZES, Problem
from benchmarks.harness.suite import Growth, Library, Suite
from benchmarks.suites.generative.lda import POSTERIORS, PosteriorCheck
from tests.reference import discriminant as twin
from tests.reference import naive_bayes

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


class GridByRows(Adapter):
    """numpy: the covariances of the fit without each row, all rows of a class at a time."""

    def prepare(self, data, threads):
        self.data = data

    def fit(self):
        self.grid = grid_by_rows(self.data)

    def answer(self):
        return self.grid


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


def quadratic_posteriors(data):
    """Quadratic discriminant analysis by definition, with covariances divided by n_k."""
    X, codes = data["X"].astype(np.float64), np.unique(data["y"], return_inverse=True)[1]
    counts, means, covariances = twin.class_covariances(X, codes, None, codes.max() + 1, 0)
    joint = twin.log_joint(X, counts / len(X), means, covariances)
    return {"posteriors": naive_bayes.posteriors(joint)}


def grid_by_rows(data):
    """Leave-one-out errors and log losses of each pair (alpha, gamma), from raw sums."""
    X, y, shares = data["X"] - data["X"].mean(0), data["y"], data["shares"]
    n, d = X.shape
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
    return {"errors": wrong / n, "losses": loss / n}


def log_densities(data):
    u = data["X"].astype(np.float64) - data["mean"]
    far = np.einsum("ij,ij->i", u, np.linalg.solve(data["S"], u.T).T)
    height = u.shape[1] * np.log(2 * np.pi) + np.linalg.slogdet(data["S"])[1]
    return {"log densities": -0.5 * (height + far)}


def relative_beyond_one(array, expected):
    """The largest difference, as a share of what is larger than one."""
    return (abs(array - expected) / np.maximum(1, abs(expected))).max()


# --- the suite ---

SKLEARN = "sklearn.discriminant_analysis"
OURS = "statfast.generative"
TOLERANCES = Tolerances(*({"posterior error": bound} for bound in (1e-8, 1e-4, 0.01)))
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
    growth=Growth(50_000, lambda n: _qda(n, 150, 10)),
    libraries={
        "statfast": Library(
            {
                "qda": partial(POSTERIORS, f"{OURS}.QuadraticDiscriminantAnalysis"),
                "lda": partial(POSTERIORS, f"{OURS}.LinearDiscriminantAnalysis"),
                "rda": partial(
                    FitThen,
                    f"{OURS}.RegularizedDiscriminantAnalysisCV",
                    answers={"errors": "errors_", "losses": "log_losses_"},
                    from_data={"alphas": "shares", "gammas": "shares"},
                ),
                "density": Density,
            }
        ),
        "scikit-learn": Library(
            {
                "qda": partial(
                    POSTERIORS, f"{SKLEARN}.QuadraticDiscriminantAnalysis", threaded=False
                ),
                "lda": partial(POSTERIORS, f"{SKLEARN}.LinearDiscriminantAnalysis", threaded=False),
            }
        ),
        "scikit-learn (eigen, lsqr)": Library(
            {
                "qda": partial(
                    POSTERIORS,
                    f"{SKLEARN}.QuadraticDiscriminantAnalysis",
                    threaded=False,
                    solver="eigen",
                ),
                "lda": partial(
                    POSTERIORS,
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
        "qda": Check.of_twin(quadratic_posteriors, {"posterior error": difference}),
        "lda": PosteriorCheck,
        "rda": Check.of_twin(
            grid_by_rows,
            {
                "share of errors": (difference, "errors"),
                "log loss": (relative_difference, "losses"),
            },
        ),
        "density": Check.of_twin(log_densities, {"relative error": relative_beyond_one}),
    },
    tolerances={
        "qda": TOLERANCES,
        "lda": TOLERANCES,
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
