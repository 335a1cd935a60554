# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``nmf``: nonnegative factors, fitted until a library's own rule ends them."""

import warnings
from functools import partial

import numpy as np

from benchmarks.harness.adapter import Estimator
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, row_blocks
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite

MAX_ITERATIONS = 200


def _data(n, d, k, dtype, seed):
    """A product of sparse factors, each entry times a random number near one."""
    rng = np.random.default_rng(seed)
    W, H = rng.gamma(0.3, size=(n, k)), rng.gamma(0.3, size=(k, d))
    X = W @ H
    for rows in row_blocks(n, d):
        X[rows] *= rng.gamma(5.0, 0.2, size=X[rows].shape)
    return {"X": X.astype(dtype), "k": k, "planted": (W, H)}


def _nmf(n, d, k, dtype="float64"):
    make = partial(_data, n, d, k, dtype)
    flops = 30 * 4.0 * n * d * k  # of some thirty iterations
    return Problem(f"NMF {n}x{d} k={k} {dtype}", "nmf", make, dtype, flops, 8.0 * n * d, 30.0,
                   group="nmf")  # fmt: skip


class Factors(Estimator):
    """A class with scikit-learn's names, from positive parts of singular vectors."""

    def prepare(self, data, threads):
        self.X = data["X"]
        self.model = self.estimator(
            threads=threads, n_components=data["k"], init="nndsvda", max_iter=MAX_ITERATIONS,
            random_state=0,
        )  # fmt: skip

    def fit(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.W = self.model.fit_transform(self.X)

    def answer(self):
        return {"W": np.asarray(self.W, float), "H": np.asarray(self.model.components_, float)}


class LossCheck(Check):
    """The squared error against that of the planted factors; both are nonnegative."""

    def __init__(self, data):
        self.X, (W, H) = data["X"], data["planted"]
        (n, d), k = self.X.shape, data["k"]
        self.parts = {"W": (n, k), "H": (k, d)}
        self.planted = self.loss(W, H)

    def loss(self, W, H):
        blocks = row_blocks(len(W), H.shape[1])
        return sum(float(np.square(self.X[rows] - W[rows] @ H).sum()) for rows in blocks)

    def errors(self, answer):
        W, H = answer["W"], answer["H"]
        least = min(float(W.min()), float(H.min()))
        return {"loss": self.loss(W, H) / self.planted - 1.0, "negative": max(0.0, -least)}


NMF = Suite(
    name="nmf",
    title="nonnegative matrix factorization (to each library's default tolerance)",
    family="components, ratings",
    problems=[
        _nmf(20_000, 2_000, 20),
        _nmf(20_000, 2_000, 20, "float32"),
        _nmf(100_000, 100, 10),
    ],
    quick=[_nmf(600, 80, 5)],
    growth=Growth(100_000, lambda n: _nmf(n, 100, 10)),
    libraries={
        "statfast": Library({"nmf": partial(Factors, "statfast.NMF")}),
        "scikit-learn": Library(
            {"nmf": partial(Factors, "sklearn.decomposition.NMF", threaded=False)}
        ),
        "scikit-learn (mu)": Library(
            {"nmf": partial(Factors, "sklearn.decomposition.NMF", threaded=False, solver="mu")}
        ),
    },
    checks={"nmf": LossCheck},
    tolerances={"nmf": Tolerances({"loss": 0.0, "negative": 0.0})},
    bars={"nmf": [Bar("20000 x 2000, 20 components, at equal loss", least=2.0)]},
)
