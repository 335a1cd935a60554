# SPDX-License-Identifier: BSD-3-Clause
"""An interior-point method for the hinge and the absolute loss: a point of its path, and the step.

Every loss is a sum of hinges c max(0, level - sign f): one for a row of a class, two in regression.
With multipliers 0 < a < c, slacks xi = loss and r = xi - (level - sign f), the conditions

    diag(ridge) v = sum a sign z,    a r = mu,    (c - a) xi = mu

are followed to mu = 0 by Mehrotra's predictor and corrector (1992, doi:10.1137/0802028). The dual
matrix has the rank of the columns, so that a step is a system of q equations with the matrix
diag(ridge) + z' theta z, theta = 1 / (r / a + xi / (c - a)): Ferris & Munson 2002,
doi:10.1137/S1052623400374379. Steps do not depend on how many rows are on their margins, where
coordinate descent takes hundreds of sweeps.
"""

from functools import cached_property

import numpy as np

from statfast._core import dual_descent as kernel
from statfast.svm.linear_problem import Solution
from statfast.svm.polish import polished
from statfast.svm.positive import factored

NEARLY = 0.995  # of the way to the nearest bound
MOST = 1e6  # of k, below: multipliers are no closer to a bound than 1 / k, at the beginning
NEAR = 1e-3  # of the primal: a gap at which the rows on the margin may be known
EXACT = 1e-12  # of the primal: a gap of so little is rounding
TINY = 1e-14  # of the primal: progress of so little is none
PATIENCE = 5  # iterations without progress
STUMBLE, STUMBLES = 0.1, 3  # a step is short; so many are no way to go
EXTRA = 3  # iterations more, if the rows on the margin may soon be known; one is nearly free

# Arrays of a path, one after the other, as the kernel knows them; SIDE more for each hinge.
TARGET, COST, F, ALONG, SCORE, WEIGHT, ALL = range(7)
A, R, XI, SIDE = 0, 1, 2, 7


def follow(path, tol, clock, n_iter=0, leave=None):
    """Go on until the gap is at most tol^2 of the primal, or until ``leave(path)``.

    Returns a Solution, the number of iterations, and whether that is the end.
    """
    best, idle, extra, total, first = None, 0, 0, np.inf, n_iter
    while True:
        found = path.look(n_iter)
        last = found.gap <= max(tol**2 * found.primal, path.rounding)
        if found.gap <= NEAR * found.primal:
            found = min([found, *polished(path, n_iter, last)], key=lambda one: one.gap)
        better = best is None or found.gap < best.gap - TINY * abs(best.primal)
        falls = abs(best.primal if best else 0.0) * TINY < path.total < 0.9 * total
        idle = 0 if better or falls else idle + 1
        total = min(total, path.total)
        best = found if better else best
        if best.gap <= EXACT * best.primal or (
            last and (extra == EXTRA or (extra and not path.told))
        ):
            break
        extra += last
        reason = clock.stopped(n_iter)
        if idle >= PATIENCE and not reason:
            reason = f"in {n_iter} iterations, as rounding hides the rest"
        if not (np.isfinite(found.gap) or reason or n_iter == first):
            reason = f"in {n_iter} iterations, as rounding hides the rest"
        if reason:
            best.reason = reason
            break
        if leave is not None and not last and leave(path):
            return found, n_iter, False
        path.step()
        n_iter += 1
    best.n_iter = n_iter
    best.converged = is_enough(best, tol, path.rounding)
    if best.converged:
        best.reason = ""
    return best, n_iter, True


def is_enough(solution, tol, rounding):
    """Whether a solution has converged."""
    return bool(solution.gap <= max(max(tol**2, EXACT) * solution.primal, rounding))


class Path:
    """A point of the path and the step from it.

    It begins at v = 0, or at given coefficients v, values f and mu, all multipliers as they are on
    the path at these values.
    """

    def __init__(self, problem, start=None):
        self.problem, self.rows = problem, problem.rows
        self.sides = 1 if problem.classes else 2
        n = problem.rows.n
        self.state = np.zeros((ALL + SIDE * self.sides, (n | 63) + 9))  # no power of two apart
        self.state[TARGET, :n], self.state[COST, :n] = problem.target, problem.cost
        self.cost, self.f = self.state[COST, :n], self.state[F, :n]
        self.a, self.r, self.xi = (self.state[ALL + k :: SIDE, :n] for k in (A, R, XI))
        self.scale, self.rounding = problem.scale, problem.rounding
        self.v, self.t = np.zeros(self.rows.q), 0.0
        if start is None:
            self.a[...] = 0.5 * self.cost * problem.balance
            self.xi[...] = np.maximum(self.level, 0.0) + self.scale
            self.r[...] = self.xi - self.level
        else:
            self.v, self.f[...], mu = start
            self._centre(mu)
        self.guess = None  # which rows were on the margin at the last point
        self.told = False  # whether so few were that they may be the right ones
        self.stride = 0.0  # the most that f changed in the last step
        self.stumbles = 0  # short steps, one after the other
        self._measure()

    def take(self, other, index, old):
        """Multipliers of another path, for those of rows `index` that are among its rows `old`."""
        at = np.arange(len(index)), index
        if old is not None:
            place = np.minimum(np.searchsorted(old, index), len(old) - 1)
            same = np.flatnonzero(old[place] == index)
            at = same, place[same]
        for mine, others in ((self.a, other.a), (self.r, other.r), (self.xi, other.xi)):
            mine[:, at[0]] = others[:, at[1]]
        self._measure()

    @property
    def is_lost(self):
        """Whether it makes no headway."""
        return self.stumbles >= STUMBLES or not np.isfinite(self.total)

    def excess(self):
        """What the gap is about, where values are near those of the multipliers."""
        return self.total + 0.5 * float(self.lag @ (self.lag / self.rows.ridge))

    @cached_property
    def sign(self):
        return self.problem.hinges[0]

    @cached_property
    def level(self):
        return self.problem.hinges[1]

    def _measure(self):
        """How far the conditions are from being met: ridge v - z'beta, and the products."""
        self.lag = self.rows.ridge * self.v - self.problem.gathered(self.beta())
        self.total = float((self.a * self.r + (self.cost - self.a) * self.xi).sum())

    def beta(self):
        return (self.sign * self.a).sum(axis=0)

    @property
    def mu(self):
        return self.total / (2 * self.a.size)

    def short(self, some=slice(None)):
        """level - sign f of hinges."""
        return self.level[:, some] - self.sign[:, some] * self.f[some]

    def _centre(self, mu):
        """Multipliers of the path: with k = c short / mu and p = a / c, 1 / (1 - p) - 1 / p = k."""
        k = np.clip(self.cost * self.short() / mu, -MOST, MOST)
        root = np.sqrt(k * k + 4.0)
        small = (1.0 + 2.0 / (root + np.abs(k))) / (root + 2.0)  # the lesser of p and 1 - p
        p, rest = np.where(k < 0.0, small, 1.0 - small), np.where(k < 0.0, 1.0 - small, small)
        self.a[...] = self.cost * p
        self.r[...], self.xi[...] = mu / (self.cost * p), mu / (self.cost * rest)

    def look(self, n_iter):
        """The Solution here; the system for the next step is made on the way."""
        rows, q, problem = self.rows, self.rows.q, self.problem

        def partial(some, block):
            sums, h, g = np.zeros(3), np.zeros((q, q)), np.zeros(q)
            self._stage(kernel.LOOK, some, self.t, sums)
            rows.accumulate(some, block, self.state[SCORE, some], self.state[WEIGHT, some], h, g)
            return [h, g, sums]

        self.h, self.pull, sums = rows.sums(partial)
        loss, reward, self.total = map(float, sums)
        self.t = 0.0
        g = rows.ridge * self.v - self.lag
        primal = problem.quadratic(self.v) + loss
        dual = problem.base + reward - 0.5 * float(g @ (g / rows.ridge))
        return Solution(self.v.copy(), self.beta(), primal, dual, n_iter, False)

    def step(self):
        """Predictor and corrector; the multipliers move in the next `look`."""
        rows, state = self.rows, self.state
        factor = factored(self.h, rows.ridge)
        guess = factor.solve(self.pull - self.lag)

        def predict(some, block):
            sums = np.zeros(3)
            state[ALONG, some] = rows.predict(some, guess, block)
            self._stage(kernel.PREDICT, some, 0.0, sums)
            return [sums[:2], _Most(sums[2])]

        (linear, square), most = rows.sums(predict, pairs=False)
        t = min(1.0, most.reach)
        after = self.total + t * linear + t * t * square
        mu = self.mu * (max(after, 0.0) / self.total) ** 3

        def aim(some, block):
            g = np.zeros(rows.q)
            self._stage(kernel.AIM, some, mu, g)
            rows.accumulate(some, block, state[SCORE, some], None, None, g)
            return [g]

        dv = factor.solve(rows.sums(aim, pairs=False)[0] - self.lag)

        def correct(some, block):
            sums = np.zeros(3)
            state[ALONG, some] = rows.predict(some, dv, block)
            self._stage(kernel.CORRECT, some, mu, sums)
            return [_Most(sums[2])]

        (most,) = rows.sums(correct, pairs=False)
        self.t = min(1.0, NEARLY * most.reach)
        self.stumbles = self.stumbles + 1 if self.t < STUMBLE else 0
        self.stride = float(np.abs(state[ALONG, : rows.n]).max())
        self.v += self.t * dv
        self.lag *= 1.0 - self.t

    def _stage(self, stage, some, number, sums):
        """The arithmetic of some rows."""
        epsilon = self.problem.epsilon or 0.0
        kernel.hinges(stage, self.state, some.start, some.stop, self.sides, epsilon, number, sums)


class _Most:
    """A number of which the largest of several is the sum; one over it, or infinity, is how far a
    step can go."""

    def __init__(self, value):
        self.value = float(value)

    def __add__(self, other):
        return _Most(max(self.value, other.value))

    @property
    def reach(self):
        return 1.0 / self.value if self.value > 0.0 else np.inf
