# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``moments``: linear discriminant analysis, whose fit is one pass of class moments."""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import FitThen
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import F32, SIZES, Problem
from benchmarks.harness.suite import Growth, Library, Suite

# --- data and problems ---


def _lda_data(n, d, classes, dtype, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    mix = np.eye(d) + 0.3 * rng.standard_normal((d, d)) / np.sqrt(d)  # features are correlated
    means = 2 * rng.standard_normal((classes, d)) / np.sqrt(d)
    rows = rng.standard_normal((n, d)) @ mix + means[y]
    return {"X": rows.astype(dtype), "y": y}


def _lda(n, d, classes, dtype="float64", *, beyond=False):
    name = f"LDA {n}x{d} K={classes} {dtype}"
    make = partial(_lda_data, n, d, classes, dtype)
    flops = n * d * (d + 1.0) + 2.0 * n * d * classes  # half a scatter matrix, then the scores
    return Problem(name, "lda", make, dtype, flops, n * d * SIZES[dtype], 2.0, beyond)


# --- adapters and the check ---


POSTERIORS = partial(FitThen, answers={"posteriors": "predict_proba"})


def posteriors(X, y):
    """Linear discriminant analysis in float64 with the observed priors.

    Two arrays: the pooled covariance divided by n - K (R) and by n (scikit-learn).
    """
    X = X.astype(np.float64)
    X -= X.mean(0)
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    means = np.stack([X[codes == c].mean(0) for c in range(len(classes))])
    within = X - means[codes]
    slopes = np.linalg.solve(within.T @ within, means.T)
    heights = X @ slopes - 0.5 * (means.T * slopes).sum(0)
    for divisor in (len(X) - len(classes), len(X)):
        scores = divisor * heights + np.log(counts / len(X))
        p = np.exp(scores - scores.max(1, keepdims=True))
        yield p / p.sum(1, keepdims=True)


class PosteriorCheck(Check):
    """The error against the nearer of the two conventions: both are in use, and documented."""

    def __init__(self, data):
        self.either = list(posteriors(data["X"], data["y"]))
        self.parts = {"posteriors": self.either[0].shape}

    def errors(self, answer):
        errors = (abs(answer["posteriors"] - p).max() for p in self.either)
        return {"posterior error": float(min(errors))}


# --- the suite ---

SKLEARN = "sklearn.discriminant_analysis.LinearDiscriminantAnalysis"
STRICT, ROUNDED, LOOSE = ({"posterior error": bound} for bound in (1e-8, 1e-4, 0.01))
SUITE = Suite(
    name="moments",
    title="linear discriminant analysis (fit + posteriors)",
    family="discriminants, naive Bayes",
    problems=[
        _lda(200_000, 30, 5),
        _lda(150, 4, 3, beyond=True),
        _lda(1_000, 30, 5, beyond=True),
        _lda(1_000_000, 3, 2, beyond=True),
        _lda(1_000_000, 10, 3, beyond=True),
        _lda(100_003, 33, 20, beyond=True),
        _lda(200_000, 30, 5, F32, beyond=True),
        _lda(200_000, 200, 5, beyond=True),
        _lda(50_000, 200, 20, F32, beyond=True),
        _lda(20_000, 500, 10, beyond=True),
        _lda(10_000, 1_500, 3, beyond=True),
    ],
    quick=[_lda(5_000, 30, 5), _lda(1_000, 10, 20, F32, beyond=True)],
    growth=Growth(200_000, lambda n: _lda(n, 200, 5, beyond=True)),
    libraries={
        "statfast": Library(
            {"lda": partial(POSTERIORS, "statfast.generative.LinearDiscriminantAnalysis")}
        ),
        "scikit-learn": Library({"lda": partial(POSTERIORS, SKLEARN, threaded=False)}),
        "scikit-learn (lsqr)": Library(
            {"lda": partial(POSTERIORS, SKLEARN, threaded=False, solver="lsqr")}
        ),
    },
    checks={"lda": PosteriorCheck},
    tolerances={"lda": Tolerances(STRICT, ROUNDED, LOOSE)},
    bars={},
)
