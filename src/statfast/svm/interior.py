# SPDX-License-Identifier: BSD-3-Clause
"""An interior-point method for the hinge and the absolute loss: a few dozen passes over the rows.

Every loss is a sum of hinges c max(0, level - sign f): one for a row of a class, two in regression.
With multipliers 0 < a < c, slacks xi = loss and r = xi - (level - sign f), the conditions

    diag(ridge) v = sum a sign z,    a r = mu,    (c - a) xi = mu

are followed to mu = 0 by Mehrotra's predictor and corrector (1992, doi:10.1137/0802028). The dual
matrix has the rank of the columns, so that a step is a system of q equations with the matrix
diag(ridge) + z' theta z, theta = 1 / (r / a + xi / (c - a)): Ferris & Munson 2002,
doi:10.1137/S1052623400374379. Three passes a step; steps do not depend on how many rows are on
their margins, where coordinate descent takes hundreds of sweeps.

Once the rows on the margin can be told, `polished` makes the solution from them.
"""

import numpy as np

from statfast.svm.linear_problem import Solution
from statfast.svm.polish import polished
from statfast.svm.positive import factored, solved

NEARLY = 0.995  # of the way to the nearest bound
NEAR = 1e-3  # of the primal: a gap at which the rows on the margin may be known
EXACT = 1e-12  # of the primal: a gap of so little is rounding
TINY = 1e-14  # of the primal: progress of so little is none
PATIENCE = 5  # iterations without progress
EXTRA = 3  # iterations more that the rows on the margin are worth, if they may soon be known
ROUNDING = 1e-15  # of the losses of rows at 0


def follow(problem, tol, clock):
    """Solve the problem until the gap is at most tol^2 of the primal; returns a Solution."""
    path = _Path(problem)
    best, n_iter, idle, extra, total = None, 0, 0, 0, np.inf
    while True:
        point = path.look()
        found = [Solution(path.v.copy(), path.beta(), *point, n_iter, False)]
        last = found[0].gap <= max(tol**2 * found[0].primal, path.rounding)
        if found[0].gap <= NEAR * found[0].primal:
            found += polished(problem, path, n_iter, last)
        found = min(found, key=lambda one: one.gap)
        better = best is None or found.gap < best.gap - TINY * abs(best.primal)
        idle = 0 if better or path.total < 0.9 * total else idle + 1
        total = min(total, path.total)
        best = found if better else best
        if best.gap <= EXACT * best.primal or (last and (extra == EXTRA or not path.told)):
            break
        extra += last
        reason = clock.stopped(n_iter)
        if idle >= PATIENCE and not reason:
            reason = f"in {n_iter} iterations, as rounding hides the rest"
        if reason:
            best.reason = reason
            break
        path.step()
        n_iter += 1
    best.n_iter = n_iter
    best.converged = best.gap <= max(max(tol**2, EXACT) * best.primal, path.rounding)
    if best.converged:
        best.reason = ""
    return best


class _Path:
    """A point of the path and the step from it. Arrays of hinges are (m, n), m = 1 or 2."""

    def __init__(self, problem):
        self.problem, self.rows = problem, problem.rows
        t, n = problem.target, problem.rows.n
        if problem.classes:
            self.sign, self.level = t[None], np.ones((1, n))
        else:
            self.sign = np.array([[1.0], [-1.0]]) * np.ones(n)
            self.level = np.stack([t - problem.epsilon, -t - problem.epsilon])
        self.cost = problem.cost
        self.scale = float(np.abs(self.level).mean()) or 1.0
        self.rounding = ROUNDING * self.scale * float(self.cost.sum())
        self.v, self.f = np.zeros(self.rows.q), np.zeros(n)
        self.a = 0.5 * np.repeat(self.cost[None], len(self.level), axis=0)
        self.xi = np.maximum(self.level, 0.0) + self.scale
        self.r = self.xi - self.level
        self.guess = None  # which rows were on the margin at the last point
        self.told = False  # whether so few were that they may be the right ones
        self.lag = -self.rows.combined(self.beta())  # ridge v - z'beta
        self.theta, self.first, self.second, self.da, self.dr, self.dxi = (
            np.empty_like(self.a) for _ in range(6)
        )

    def beta(self):
        return (self.sign * self.a).sum(axis=0)

    def look(self):
        """The primal and dual objectives here; the system for the next step is made on the way."""
        rows, q = self.rows, self.rows.q

        def partial(some, block):
            a, r, xi, sign = self.a[:, some], self.r[:, some], self.xi[:, some], self.sign[:, some]
            rest = self.cost[some] - a
            short = self.level[:, some] - sign * self.f[some]
            theta = self.theta[:, some]
            theta[...] = 1.0 / (r / a + xi / rest)
            h, g = np.zeros((q, q)), np.zeros(q)
            rows.accumulate(
                some, block, (sign * theta * short).sum(axis=0), theta.sum(axis=0), h, g
            )
            loss = float((self.cost[some] * np.maximum(short, 0.0)).sum())
            return [h, g, loss, float((a * self.level[:, some]).sum()), _product(a, r, rest, xi)]

        h, self.pull, loss, reward, self.total = rows.sums(partial)
        penalty = 0.5 * float(self.v @ (rows.ridge * self.v))
        g = rows.ridge * self.v - self.lag
        self.h = h
        return penalty + loss, reward - 0.5 * float(g @ (g / rows.ridge))

    def step(self):
        """Predictor and corrector."""
        rows, factor = self.rows, factored(self.h, self.rows.ridge)
        guess = solved(factor, self.pull - self.lag)

        def predict(some, block):
            a, r, xi, sign = self.a[:, some], self.r[:, some], self.xi[:, some], self.sign[:, some]
            rest, theta = self.cost[some] - a, self.theta[:, some]
            short = self.level[:, some] - sign * self.f[some]
            da = theta * (short - sign * rows.predict(some, guess, block))
            dr, dxi = -r - r * da / a, -xi + xi * da / rest
            self.da[:, some], self.dr[:, some], self.dxi[:, some] = da, dr, dxi
            first = short - da * dr / a - da * dxi / rest
            second = 1.0 / a - 1.0 / rest
            self.first[:, some], self.second[:, some] = first, second
            sums = np.zeros((2, rows.q))
            for g, part in zip(sums, (first, second), strict=True):
                rows.accumulate(some, block, (sign * theta * part).sum(axis=0), None, None, g)
            linear = _product(a, dr, rest, dxi) + _product(da, r, -da, xi)
            far = _Least(_reach(a, da, rest, r, dr, xi, dxi))
            return [sums, linear, _product(da, dr, -da, dxi), far]

        sums, linear, square, far = rows.sums(predict, pairs=False)
        t = min(1.0, far.value)
        after = self.total + t * linear + t * t * square
        mu = self.total / (2 * self.a.size) * (max(after, 0.0) / self.total) ** 3
        dv = solved(factor, sums[0] + mu * sums[1] - self.lag)
        along = np.empty(rows.n)

        def correct(some, block):
            a, r, xi, sign = self.a[:, some], self.r[:, some], self.xi[:, some], self.sign[:, some]
            rest, da = self.cost[some] - a, self.da[:, some]
            dr, dxi = self.dr[:, some], self.dxi[:, some]
            along[some] = rows.predict(some, dv, block)
            now = self.first[:, some] + mu * self.second[:, some] - sign * along[some]
            now *= self.theta[:, some]
            dr[...] = (mu - da * dr - r * now) / a - r
            dxi[...] = (mu + da * dxi + xi * now) / rest - xi
            da[...] = now
            return [_Least(_reach(a, da, rest, r, dr, xi, dxi))]

        (far,) = rows.sums(correct, pairs=False)
        t = min(1.0, NEARLY * far.value)
        self.v += t * dv
        self.f += t * along
        self.lag *= 1.0 - t
        for state, change in ((self.a, self.da), (self.r, self.dr), (self.xi, self.dxi)):
            change *= t
            state += change


class _Least:
    """A number of which the least of several is the sum."""

    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return _Least(min(self.value, other.value))


def _product(a, r, rest, xi):
    return float((a * r).sum() + (rest * xi).sum())


def _reach(a, da, rest, r, dr, xi, dxi):
    """The longest step that keeps everything positive."""
    ratios = (-da / a).max(), (da / rest).max(), (-dr / r).max(), (-dxi / xi).max()
    most = max(map(float, ratios))
    return 1.0 / most if most > 0.0 else np.inf
