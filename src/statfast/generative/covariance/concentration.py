# SPDX-License-Identifier: BSD-3-Clause
"""The h rows whose covariance has the least determinant, by concentration steps (FAST-MCD).

Rousseeuw and Van Driessen (1999), "A fast algorithm for the minimum covariance determinant
estimator", Technometrics 41, 212-223, doi:10.1080/00401706.1999.10485670. A step takes the mean and
the covariance of h rows and then the h rows that are nearest by them; the determinant does not
grow. Deviation: to each covariance of standardized rows a small multiple of the identity is added,
so that h rows in a hyperplane need no case of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from statfast._core.generative import concentration
from statfast._engine import checkpoint, each, interruptible
from statfast._linalg import triangle_inverse
from statfast._typing import Array, Jobs
from statfast.generative.normal.class_moments import class_scatters
from statfast.generative.normal.discriminant_rules import squared_distances

MULTIPLICATIONS_OF_CALL = 1e8  # of the kernel, so that Ctrl-C is looked for between two calls
MAX_STEPS_OF_CALL = 10
N_MINIMAL_STARTS = 300  # sets of d + 1 rows from which steps start, for all subsets together
N_SUPPORT_STARTS = 100  # sets of h rows
N_FIRST_STEPS = 2
N_KEPT = 12  # candidates that go on, of each subset and of the subsets together
ROWS_OF_SUBSET = 300
MAX_SUBSETS = 5
MAX_STEPS = 100
RIDGE = 1e-12  # beside the mean variance of standardized columns
MIN_RIDGE = 1e-60  # where h rows are equal
MAX_STANDARDIZED = 1e30  # Values further out count as this far, so that squares do not overflow.


@dataclass(frozen=True)
class SupportSets:
    """Normal distributions of sets of h rows."""

    centers: NDArray[np.float64]  # (s, d)
    factors: NDArray[np.float64]  # (s, d, d) Cholesky factors of the covariances
    log_dets: NDArray[np.float64]  # (s,) of the covariances
    supports: NDArray[np.intp]  # (s, h) the rows, ascending

    def taken(self, which: Array) -> SupportSets:
        """Some of them."""
        return SupportSets(
            self.centers[which], self.factors[which], self.log_dets[which], self.supports[which]
        )

    def best(self, count: int) -> SupportSets:
        """Those of the least determinants, each set of rows once."""
        order = np.argsort(self.log_dets, kind="stable")
        kept: dict[bytes, int] = {}
        for place in order.tolist():
            kept.setdefault(self.supports[place].tobytes(), place)
            if len(kept) == count:
                break
        return self.taken(np.array(list(kept.values())))


def _joined(parts: list[SupportSets]) -> SupportSets:
    return SupportSets(
        np.concatenate([part.centers for part in parts]),
        np.concatenate([part.factors for part in parts]),
        np.concatenate([part.log_dets for part in parts]),
        np.concatenate([part.supports for part in parts]),
    )


def least_determinant_rows(
    X: Array, h: int, generator: np.random.Generator, n_jobs: Jobs = None
) -> Array:
    """A mask of the h rows of X (n, d) found to have the covariance of least determinant.

    Exact for one column; otherwise the best of many searches, the same for any number of threads.
    """
    n, d = X.shape
    mask = np.zeros(n, bool)
    if h == n:
        mask[:] = True
    elif d == 1:
        mask[_least_variance_window(X[:, 0].astype(np.float64), h)] = True
    else:
        mask[_search(_standardized(X), h, generator, n_jobs)] = True
    return mask


# ------------------------------------------------------------------ one column
def _least_variance_window(x: Array, h: int) -> Array:
    """The rows of the h adjacent sorted values of least variance; ties go to the lowest.

    With the range r of the narrowest window, the least variance is at most r^2 / 4, and a window of
    range R has at least R^2 / (2 h). So only windows up to r sqrt(h / 2) can be the best: runs of
    them are summed about a value of their own, without digits lost to rows far away.
    """
    order = np.argsort(x, kind="stable")
    values = np.ldexp(x[order], -2)
    widths = values[h - 1 :] - values[: len(x) - h + 1]
    starts = np.flatnonzero(widths <= widths.min() * np.sqrt(h / 2.0) * (1.0 + 1e-12))
    cuts = np.flatnonzero((np.diff(starts) > 1) | (np.diff(starts // h) > 0)) + 1
    unit = widths.min() or 1.0
    best, least = int(starts[0]), np.inf
    for run in np.split(starts, cuts):
        part = values[run[0] : run[-1] + h]
        u = (part - part[len(part) // 2]) / unit
        sums, squares = (np.concatenate([[0.0], np.cumsum(v)]) for v in (u, u * u))
        spread = squares[h:] - squares[:-h] - (sums[h:] - sums[:-h]) ** 2 / h
        place = int(spread.argmin())
        if spread[place] < least:
            best, least = int(run[0]) + place, float(spread[place])
        checkpoint()
    window: Array = order[best : best + h]
    return window


# ------------------------------------------------------------------ several columns
def _standardized(X: Array) -> Array:
    """Columns about their medians, in units of their median absolute deviations."""
    rows = np.array(X, dtype=np.float64, order="C")
    with np.errstate(over="ignore"):
        rows -= interruptible(np.median, rows, axis=0)
        rows[~np.isfinite(rows)] = np.finfo(np.float64).max
        away = np.abs(rows)
        scale = interruptible(np.median, away, axis=0)
        # Half of such a column is one value.
        largest = away.max(axis=0)
        scale[scale == 0.0] = largest[scale == 0.0]
        scale[scale == 0.0] = 1.0
        rows /= scale
    return np.clip(rows, -MAX_STANDARDIZED, MAX_STANDARDIZED, out=rows)


def _search(X: Array, h: int, generator: np.random.Generator, n_jobs: Jobs) -> Array:
    """The rows of the best candidate: of subsets first, then of them together, then of all rows."""
    n, d = X.shape
    size = max(ROWS_OF_SUBSET, 5 * d)
    n_subsets = max(1, min(MAX_SUBSETS, n // size))
    merged = X
    if n > MAX_SUBSETS * size:
        merged = X[np.sort(generator.permutation(n)[: MAX_SUBSETS * size])]
    order, size = generator.permutation(len(merged)), len(merged) // n_subsets
    best = []
    for k in range(n_subsets):
        rows = merged[order[k * size : (k + 1) * size]]
        h_subset = ceil(size * h / n)
        # Few rows may all be regular where many are not; many give the better start where they are.
        for m, count in ((min(d + 1, size), N_MINIMAL_STARTS), (h_subset, N_SUPPORT_STARTS)):
            drawn = _drawn(size, m, count // n_subsets, generator)
            best.append(_started(rows, drawn, h_subset, n_jobs).best(N_KEPT))
    h_merged = ceil(len(merged) * h / n)
    final = _converged(merged, _joined(best), h_merged, n_jobs).best(N_KEPT)
    if len(merged) < n:
        final = _converged(X, final, h, n_jobs)
    support: Array = final.best(1).supports[0]
    return support


def _drawn(n: int, m: int, count: int, generator: np.random.Generator) -> Array:
    """Sets (count, m) of m numbers below n, all equally likely (Floyd 1987)."""
    sets = np.empty((count, m), np.intp)
    for j in range(m):
        last = n - m + j
        drawn = generator.integers(last + 1, size=count)
        there = (sets[:, :j] == drawn[:, None]).any(axis=1)
        sets[:, j] = np.where(there, last, drawn)
    return sets


def _pieces(X: Array, count: int, n_steps: int) -> list[slice]:
    """SupportSets that go to the kernel at once."""
    step = max(1, int(MULTIPLICATIONS_OF_CALL / (n_steps * _cost_of_step(X))))
    return [slice(start, start + step) for start in range(0, count, step)]


def _cost_of_step(X: Array) -> float:
    n, d = X.shape
    return n * (d * d + 30.0) + d**3 / 3.0


def _started(X: Array, drawn: Array, h: int, n_jobs: Jobs) -> SupportSets:
    """The distributions of drawn rows (s, m), after the first steps."""
    count, d = len(drawn), X.shape[1]
    out = _empty(count, d, h)
    if _cost_of_step(X) > MULTIPLICATIONS_OF_CALL:
        for place, rows in enumerate(drawn):
            current = _fitted_rows(X, rows, n_jobs)
            for _ in range(N_FIRST_STEPS):
                current = _step_of_all_rows(X, current, h, n_jobs)
            _put(out, place, current)
        return out

    def start(piece: slice) -> None:
        checkpoint()
        parts = out.centers[piece], out.factors[piece], out.log_dets[piece]
        concentration.fit_rows(X, drawn[piece], *parts)
        concentration.concentrate(X, N_FIRST_STEPS, *parts, out.supports[piece])

    each(start, _pieces(X, count, N_FIRST_STEPS), n_jobs=n_jobs, effort=count * _cost_of_step(X))
    return out


def _converged(X: Array, candidates: SupportSets, h: int, n_jobs: Jobs) -> SupportSets:
    """Each candidate after as many steps as it takes."""
    count, d = candidates.centers.shape
    out = _empty(count, d, h)
    out.centers[:], out.factors[:] = candidates.centers, candidates.factors
    if _cost_of_step(X) > MULTIPLICATIONS_OF_CALL:
        for place in range(count):
            candidate = out.taken(np.array([place]))
            for _ in range(MAX_STEPS):
                after = _step_of_all_rows(X, candidate, h, n_jobs)
                if np.array_equal(after.supports, candidate.supports):
                    break
                candidate = after
            _put(out, place, candidate)
        return out

    n_steps = min(MAX_STEPS_OF_CALL, int(MULTIPLICATIONS_OF_CALL / _cost_of_step(X)))

    def converge(place: int) -> None:
        parts = (array[place : place + 1] for array in vars(out).values())
        centers, factors, log_dets, supports = parts
        for _ in range(MAX_STEPS // n_steps):
            checkpoint()
            before = supports.copy()
            concentration.concentrate(X, n_steps, centers, factors, log_dets, supports)
            if np.array_equal(before, supports):
                break

    each(converge, range(count), n_jobs=n_jobs, effort=10.0 * count * _cost_of_step(X))
    return out


def _empty(count: int, d: int, h: int) -> SupportSets:
    supports = np.full((count, h), -1, np.intp)
    return SupportSets(
        np.empty((count, d)), np.empty((count, d, d)), np.full(count, np.inf), supports
    )


def _put(out: SupportSets, place: int, source: SupportSets) -> None:
    for array, values in zip(vars(out).values(), vars(source).values(), strict=True):
        array[place] = values[0]


# ------------------------------------------------------------------ steps of many rows
def _fitted_rows(X: Array, rows: Array, n_jobs: Jobs) -> SupportSets:
    """The distribution of rows, by sums over blocks of all rows."""
    weights = np.zeros(X.shape[0])
    weights[rows] = 1.0
    total = class_scatters(X, np.zeros(X.shape[0], np.intp), weights, 1, n_jobs=n_jobs)
    covariance = total.scatters[0] / len(rows)
    variances = covariance.diagonal()
    ridge = RIDGE * variances.mean() + MIN_RIDGE
    factor = interruptible(np.linalg.cholesky, covariance + ridge * np.eye(len(covariance)))
    log_det = 2.0 * np.log(factor.diagonal()).sum(keepdims=True)
    return SupportSets(total.means, factor[None], log_det, rows[None])


def _step_of_all_rows(X: Array, candidate: SupportSets, h: int, n_jobs: Jobs) -> SupportSets:
    """One step, in threads; ties go to the lowest index."""
    checkpoint()
    whitener = triangle_inverse(candidate.factors[0], lower=True)
    distances = squared_distances(X, candidate.centers[0], whitener, n_jobs)
    last = interruptible(np.partition, distances, h - 1)[h - 1]
    near = distances < last
    tied = np.flatnonzero(distances == last)
    near[tied[: h - int(near.sum())]] = True
    return _fitted_rows(X, np.flatnonzero(near), n_jobs)
