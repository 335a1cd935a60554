# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``seeding``: k-means++ and one iteration.

What k-means++ leaves over many seeds: ``python -m benchmarks.suites.cluster.seeding [--seeds 20]``
prints the mean potential of starts by statfast and by scikit-learn, and the standard error of their
ratio: both are greedy k-means++ with 2 + floor(log k) candidates a center, so they differ by chance
alone.
"""

import argparse
from functools import partial

import numpy as np

from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import F32, F64, Problem
from benchmarks.harness.suite import Growth, Library, Suite
from benchmarks.suites.cluster.kmeans import (
    BUDGET,
    HOPELESS,
    KMEANS,
    LIMIT,
    nearest_centers,
    touching_rows,
)


def _seeding_data(kind, n, d, k, dtype, seed):
    return {"X": touching_rows(kind, np.random.default_rng(seed), n, d, k, dtype), "k": k}


def _seeding(kind, n, d, k, dtype=F64, *, beyond=False):
    name = f"start and one iteration: {kind} n={n} d={d} k={k} {dtype}"
    make = partial(_seeding_data, kind, n, d, k, dtype)
    group = "" if beyond else "seeding"
    return Problem(
        name, "seeding", make, dtype, group=group, beyond=beyond,
        budget=BUDGET, hopeless=HOPELESS, limit=LIMIT,
    )  # fmt: skip


# By the estimator: the start alone is not public everywhere.
SEEDING = partial(KMEANS, from_data={"n_clusters": "k"}, max_iter=1, random_state=0)


class SeedingCheck(Check):
    """The potential against greedy k-means++ in plain numpy, the mean of several seeds.

    Chance alone moves one start by tens of percent where there are as many groups as centers, some
    of which get none: what counts is what exceeds three standard deviations.
    """

    def __init__(self, data):
        self.X = data["X"].astype(np.float64)
        self.k = data["k"]
        self.parts = {"centers": (self.k, self.X.shape[1])}
        seeds = range(1, 9 if self.k <= 50 else 3)
        found = [self._potential(np.random.default_rng(seed)) for seed in seeds]
        self.potential = float(np.mean(found))
        self.chance = 3 * float(np.std(found, ddof=1)) / self.potential

    def _potential(self, rng):
        X, trials = self.X, 2 + int(np.log(self.k))
        squares = (X**2).sum(1)
        centers = X[rng.integers(len(X))][None]
        closest = ((X - centers[0]) ** 2).sum(1)
        for _ in range(1, self.k):
            drawn = rng.choice(len(X), trials, p=closest / closest.sum())
            d2 = squares[:, None] - 2 * X @ X[drawn].T + squares[drawn]
            inertia = np.minimum(closest[:, None], np.maximum(d2, 0.0))
            best = inertia.sum(0).argmin()
            closest, centers = inertia[:, best], np.vstack([centers, X[drawn[best]]])
        step = nearest_centers(X, centers)[0]
        means = np.stack([X[step == c].mean(0) for c in range(self.k)])
        return nearest_centers(X, means)[1].sum()

    def errors(self, answer):
        _, best = nearest_centers(self.X, np.asarray(answer["centers"], np.float64))
        excess = float(best.sum() / self.potential - 1)
        return {"potential excess": excess - min(max(excess, 0.0), self.chance)}


SKLEARN = partial(SEEDING, "sklearn.cluster.KMeans", threaded=False)
C, U = "clusters", "uniform"
SUITE = Suite(
    name="seeding",
    title="k-means++ and one iteration",
    family="k-means",
    problems=[
        *(_seeding(kind, 100_000, d, k) for kind in (C, U) for d in (16, 64) for k in (50, 500)),
        _seeding(C, 100_000, 32, 200),
        _seeding(C, 100_000, 32, 200, F32),
        _seeding(C, 1_000, 4, 8, beyond=True),
        _seeding(U, 1_000_000, 4, 20, beyond=True),
    ],
    quick=[_seeding(C, 2_000, 8, 10)],
    growth=Growth(100_000, lambda n: _seeding(U, n, 64, 500)),
    libraries={
        "statfast": Library({"seeding": partial(SEEDING, "statfast.cluster.KMeans")}),
        "scikit-learn": Library({"seeding": partial(SKLEARN, algorithm="lloyd")}),
        "scikit-learn (elkan)": Library({"seeding": partial(SKLEARN, algorithm="elkan")}),
        "scikit-learn-intelex": Library({"seeding": partial(SEEDING, "sklearnex.cluster.KMeans")}),
    },
    checks={"seeding": SeedingCheck},
    tolerances={"seeding": Tolerances({"potential excess": 0.05})},
    bars={
        "seeding": [Bar("k-means++ and an iteration, n = 1e5, d = 16 to 64", mean=2.5)],
        "": [Bar("other shapes")],
    },
)


# --- over many seeds ---

SHAPES = ("d=16 k=50", "d=64 k=50", "d=16 k=500", "d=32 k=200 float64")


def potentials(draw, seeds):
    return np.array([draw(seed) for seed in range(seeds)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", default="", help="problems whose name holds this")
    options = parser.parse_args()
    from sklearn.cluster import kmeans_plusplus

    from statfast.cluster.kmeans.data import survey_rows
    from statfast.cluster.kmeans.plus_plus import plus_plus

    print("| problem | statfast | scikit-learn | ratio | standard error |\n|---|---|---|---|---|")
    for problem in SUITE.problems:
        if options.only not in problem.name or not any(shape in problem.name for shape in SHAPES):
            continue
        problem_data = problem.data()
        X, k = problem_data["X"], problem_data["k"]
        data = survey_rows(X, None, None)

        def inertia(centers, X=X):
            return nearest_centers(X, centers)[1].sum()

        def potential_of_ours(seed, data=data, k=k, inertia=inertia):
            return inertia(plus_plus(data, k, np.random.default_rng(seed)))

        def potential_of_sklearn(seed, X=X, k=k, inertia=inertia):
            return inertia(kmeans_plusplus(X, k, random_state=seed)[0])

        a, b = (
            potentials(potential_of_ours, options.seeds),
            potentials(potential_of_sklearn, options.seeds),
        )
        error = np.hypot(a.std(ddof=1), b.std(ddof=1)) / np.sqrt(options.seeds) / b.mean()
        name = problem.name.removeprefix("start and one iteration: ")
        ratio = a.mean() / b.mean()
        print(
            f"| {name} | {a.mean():.6g} | {b.mean():.6g} | {ratio:.4f} | {error:.4f} |", flush=True
        )


if __name__ == "__main__":
    main()
