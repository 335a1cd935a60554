# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``mixture``: twenty iterations of EM for normal mixtures, from the same start."""

import warnings
from functools import partial

import numpy as np

from benchmarks.harness.adapter import FitThen
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, difference, row_blocks
from benchmarks.harness.problem import F32, F64, SIZES, Problem
from benchmarks.harness.suite import Growth, Library, Suite

N_ITER = 20

# --- data and problems ---


def _clouds(n, d, k, diagonal, dtype, seed):
    """Components that overlap, and a start that is near their means but not there."""
    rng = np.random.default_rng(seed)
    centers = 3.0 * rng.standard_normal((k, d)) / np.sqrt(d / 4.0)
    mix = np.eye(d) + 0.3 * rng.standard_normal((k, d, d)) / np.sqrt(d)
    codes = np.append(np.arange(k), rng.integers(k, size=n))[:n]
    X = rng.standard_normal((n, d))
    for c in range(k):
        mine = codes == c
        X[mine] = centers[c] + X[mine] @ mix[c]
    return {
        "X": X.astype(dtype),
        "n_components": k,
        "weights": np.full(k, 1.0 / k),
        "means": centers + 0.5 * rng.standard_normal((k, d)),
        "precisions": np.ones((k, d)) if diagonal else np.tile(np.eye(d), (k, 1, 1)),
    }


def _problem(n, d, k, dtype=F64, *, task="full", group=""):
    make = partial(_clouds, n, d, k, task == "diag", dtype)
    flops = N_ITER * n * k * (6.0 * d if task == "diag" else 2.0 * d * (d + 1.0))
    name = f"EM {task}, {n}x{d} K={k}, {N_ITER} iterations {dtype}"
    nbytes = N_ITER * n * d * SIZES[dtype]
    return Problem(name, task, make, dtype, flops, nbytes, 0.05, not group, group=group)


# --- adapters ---


class FixedIterations(FitThen):
    """A fit that is not meant to converge."""

    def fit(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            super().fit()


# --- checks ---


def em_by_blocks(data):
    """EM in plain numpy, a block of rows and a component at a time; the likelihood it reaches."""
    X = data["X"].astype(np.float64)
    weights, means = data["weights"], data["means"]
    diagonal = data["precisions"].ndim == 2
    d = X.shape[1]
    covariances = np.tile(np.eye(d), (len(weights), 1, 1))
    for _ in range(N_ITER):
        counts, sums, squares = 0.0, 0.0, 0.0
        for where in row_blocks(len(X), 8 * len(weights)):
            joint = _log_joint(X[where], weights, means, covariances)
            joint -= joint.max(axis=1, keepdims=True)
            posteriors = np.exp(joint)
            posteriors /= posteriors.sum(axis=1, keepdims=True)
            away = [X[where] - mean for mean in means]
            counts = counts + posteriors.sum(axis=0)
            sums = sums + np.array([p @ u for p, u in zip(posteriors.T, away, strict=True)])
            squares = squares + np.array(
                [(u.T * p) @ u for p, u in zip(posteriors.T, away, strict=True)]
            )
        moved = sums / counts[:, None]
        covariances = squares / counts[:, None, None] - moved[:, :, None] * moved[:, None, :]
        covariances += 1e-6 * np.eye(d)
        if diagonal:
            covariances *= np.eye(d)
        weights, means = counts / len(X), means + moved
    total = 0.0
    for where in row_blocks(len(X), 8 * len(weights)):
        joint = _log_joint(X[where], weights, means, covariances)
        top = joint.max(axis=1)
        total += (top + np.log(np.exp(joint - top[:, None]).sum(axis=1))).sum()
    return {"mean log density": np.array(total / len(X))}


def _log_joint(X, weights, means, covariances):
    out = np.empty((len(X), len(weights)))
    for k, (weight, mean, S) in enumerate(zip(weights, means, covariances, strict=True)):
        root = np.linalg.inv(np.linalg.cholesky(S))
        squares = (((X - mean) @ root.T) ** 2).sum(axis=1)
        height = np.log(weight) + np.log(root.diagonal()).sum()
        out[:, k] = height - 0.5 * (squares + X.shape[1] * np.log(2.0 * np.pi))
    return out


# --- the suite ---


def _em(path, covariance_type, **options):
    return partial(
        FixedIterations, path, covariance_type=covariance_type,
        answers={"mean log density": "score"},
        from_data={
            "n_components": "n_components", "weights_init": "weights", "means_init": "means",
            "precisions_init": "precisions",
        },
        max_iter=N_ITER, tol=0.0, **options,
    )  # fmt: skip


TOLERANCES = Tolerances(*({"likelihood": bound} for bound in (1e-8, 1e-4, 1e-2)))
LIKELIHOOD = Check.of_twin(em_by_blocks, {"likelihood": difference})
TASKS = ("full", "diag")
SUITE = Suite(
    name="mixture",
    title="normal mixtures by EM, at equal likelihood",
    family="clustering, mixtures, patterns",
    problems=[
        _problem(1_000_000, 10, 20, group="narrow"),
        _problem(20_000, 50, 10, group="wide"),
        _problem(200_000, 10, 20, F32),
        _problem(200_000, 10, 20, task="diag"),
        _problem(500, 4, 3),
    ],
    quick=[_problem(3_000, 4, 3, group="narrow"), _problem(2_000, 4, 3, task="diag")],
    growth=Growth(1_000_000, lambda n: _problem(n, 10, 20, group="narrow")),
    libraries={
        "statfast": Library(
            {task: _em("statfast.mixture.GaussianMixture", task) for task in TASKS}
        ),
        "scikit-learn": Library(
            {task: _em("sklearn.mixture.GaussianMixture", task, threaded=False) for task in TASKS}
        ),
    },
    checks=dict.fromkeys(TASKS, LIKELIHOOD),
    tolerances=dict.fromkeys(TASKS, TOLERANCES),
    bars={
        "narrow": [Bar("Gaussian mixture of 10 columns, 20 iterations of EM", least=5.0)],
        "wide": [Bar("Gaussian mixture of 50 columns, 20 iterations of EM", least=3.0)],
        "": [Bar("other mixtures")],
    },
)
