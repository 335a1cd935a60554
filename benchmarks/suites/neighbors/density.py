# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``density``: log densities of Gaussian kernels at new rows, to a relative tolerance."""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import FitThen
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Sample, Tolerances
from benchmarks.harness.problem import F32, F64, SIZES, Problem
from benchmarks.harness.suite import Growth, Library, Suite

CHECKED_ROWS = 64  # whose densities are summed by their definition
RTOL = 1e-6  # of the densities that are asked for

# --- data and problems ---


def _normal(n, m, d, bandwidth, dtype, seed):
    """Standard normal rows, and queries of the same distribution."""
    rng = np.random.default_rng(seed)
    if bandwidth is None:
        bandwidth = n ** (-1.0 / (d + 4))  # Scott's
    return {
        "X": rng.standard_normal((n, d)).astype(dtype),
        "Q": rng.standard_normal((m, d)).astype(dtype),
        "bandwidth": float(bandwidth),
    }


def _problem(n, m, d, dtype=F64, *, bandwidth=None, group=""):
    make = partial(_normal, n, m, d, bandwidth, dtype)
    width = "Scott's bandwidth" if bandwidth is None else f"bandwidth {bandwidth:g}"
    name = f"{m} densities of {n}x{d}, {width} {dtype}"
    return Problem(
        name, "log densities", make, dtype, float(n) * m * (3.0 * d + 20.0), n * d * SIZES[dtype],
        beyond=not group, group=group,
    )  # fmt: skip


# --- checks ---


def by_definition(data):
    """Log densities of some queries, in float64 by the sums of all kernels."""
    X, Q, h = data["X"].astype(np.float64), data["Q"].astype(np.float64), data["bandwidth"]
    rows = np.linspace(0, len(Q) - 1, CHECKED_ROWS).astype(np.intp)
    d, logs = X.shape[1], np.empty(len(rows))
    for place, row in enumerate(rows):
        exponents = -0.5 * ((X - Q[row]) ** 2).sum(axis=1) / h**2
        top = exponents.max()
        logs[place] = top + np.log(np.exp(exponents - top).sum())
    logs -= np.log(len(X)) + d * np.log(h) + 0.5 * d * np.log(2.0 * np.pi)
    return {"log densities": Sample(len(Q), rows, logs)}


def relative_error(array, expected):
    """Of the densities themselves."""
    return np.abs(np.expm1(array - expected)).max()


# --- the suite ---


def _density(path, **options):
    return partial(
        FitThen, path, asked="Q", answers={"log densities": "score_samples"},
        from_data={"bandwidth": "bandwidth"}, rtol=RTOL, **options,
    )  # fmt: skip


SUITE = Suite(
    name="density",
    title="kernel density estimates to a relative tolerance of 1e-6",
    family="outliers, densities, radii",
    problems=[
        # As many queries as rows would take scikit-learn minutes; both times grow with them alone.
        _problem(100_000, 10_000, 3, group="three"),
        _problem(100_000, 10_000, 1),
        _problem(100_000, 10_000, 2),
        _problem(100_000, 10_000, 3, F32),
        _problem(100_000, 10_000, 3, bandwidth=1.0),
        _problem(20_000, 2_000, 10),
    ],
    quick=[_problem(5_000, 500, 3, group="three"), _problem(5_000, 500, 1)],
    growth=Growth(100_000, lambda n: _problem(n, n // 10, 3, group="three"), power=2),
    libraries={
        "statfast": Library({"log densities": _density("statfast.KernelDensity")}),
        "scikit-learn": Library(
            {"log densities": _density("sklearn.neighbors.KernelDensity", threaded=False)}
        ),
    },
    checks={"log densities": Check.of_twin(by_definition, {"error": relative_error})},
    # Answers that are rounded to float32 have the tolerance of that.
    tolerances={"log densities": Tolerances({"error": 1.01 * RTOL}, {"error": 1e-5})},
    bars={
        "three": [Bar("densities at new rows of 100 000 x 3", least=5.0)],
        "": [Bar("other densities")],
    },
)
