# SPDX-License-Identifier: BSD-3-Clause
"""Checks of k-means to convergence, of its starts, and on sparse rows: twins in plain numpy."""

import numpy as np

from benchmarks.checks import nearest_centres


class ConvergedCheck:
    """Whether the answer is at rest: each centre the mean of the rows that are nearest to it."""

    def __init__(self, data):
        self.X = data["X"]

    def __call__(self, answer):
        centres, labels = np.asarray(answer["centres"], np.float64), np.asarray(answer["labels"])
        nearest, best = nearest_centres(self.X, centres)
        (other,) = np.nonzero(labels != nearest)
        own = ((self.X[other].astype(np.float64) - centres[labels[other]]) ** 2).sum(1)
        wrong = int((own > best[other] * (1 + 1e-9)).sum())
        sums = np.zeros_like(centres)
        np.add.at(sums, labels, self.X.astype(np.float64))
        count = np.bincount(labels, minlength=len(centres))[:, None]
        shift = np.where(count > 0, sums / np.maximum(count, 1) - centres, 0.0)
        spread = np.sqrt(best.mean())
        return {"shift": float(np.abs(shift).max() / spread), "wrong labels": wrong / len(labels)}


class SparseCheck:
    """Lloyd's algorithm in plain numpy, a dense block of rows at a time."""

    def __init__(self, data):
        self.X, centres = data["X"], np.array(data["init"], np.float64)
        for _ in range(data["iterations"]):
            labels, _ = _sparse_nearest(self.X, centres)
            count = np.bincount(labels, minlength=len(centres))
            sums = np.zeros_like(centres)
            for rows in _blocks(self.X):
                np.add.at(sums, labels[rows], self.X[rows].toarray())
            some = count > 0
            centres[some] = sums[some] / count[some, None]
        self.inertia = _sparse_nearest(self.X, centres)[1].sum()

    def __call__(self, answer):
        centres = np.asarray(answer["centres"], np.float64)
        total = _sparse_nearest(self.X, centres)[1].sum()
        return {"inertia excess": abs(float(total / self.inertia - 1))}


def _blocks(X):
    return [slice(start, start + 1024) for start in range(0, X.shape[0], 1024)]


def _sparse_nearest(X, centres):
    found = [nearest_centres(X[rows].toarray(), centres) for rows in _blocks(X)]
    return np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])


class SeedingCheck:
    """The potential against greedy k-means++ in plain numpy, the mean of several seeds.

    Chance alone moves one start by tens of percent where there are as many groups as centres, some
    of which get none: what counts is what exceeds three standard deviations.
    """

    def __init__(self, data):
        self.X = data["X"].astype(np.float64)
        self.k = data["k"]
        seeds = range(1, 9 if self.k <= 50 else 3)
        found = [self._potential(np.random.default_rng(seed)) for seed in seeds]
        self.potential = float(np.mean(found))
        self.chance = 3 * float(np.std(found, ddof=1)) / self.potential

    def _potential(self, rng):
        X, trials = self.X, 2 + int(np.log(self.k))
        squares = (X**2).sum(1)
        centres = X[rng.integers(len(X))][None]
        closest = ((X - centres[0]) ** 2).sum(1)
        for _ in range(1, self.k):
            drawn = rng.choice(len(X), trials, p=closest / closest.sum())
            d2 = squares[:, None] - 2 * X @ X[drawn].T + squares[drawn]
            left = np.minimum(closest[:, None], np.maximum(d2, 0.0))
            best = left.sum(0).argmin()
            closest, centres = left[:, best], np.vstack([centres, X[drawn[best]]])
        step = nearest_centres(X, centres)[0]
        means = np.stack([X[step == c].mean(0) for c in range(self.k)])
        return nearest_centres(X, means)[1].sum()

    def __call__(self, answer):
        _, best = nearest_centres(self.X, np.asarray(answer["centres"], np.float64))
        excess = float(best.sum() / self.potential - 1)
        return {"potential excess": excess - min(max(excess, 0.0), self.chance)}
