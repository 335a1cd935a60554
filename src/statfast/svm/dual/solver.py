# SPDX-License-Identifier: BSD-3-Clause
"""The dual of support vector machines: minimize a'Qa/2 + p'a, 0 <= a <= upper, s'a as it is.

Three levels. Of all variables an active set of some hundreds or thousands is chosen
(`next_active`). Its square of the kernel matrix is made, and on it the compiled solver
(_core/svm/smo.pyx) works with working sets of some hundreds that stay in the second cache. What has
changed then moves the gradient of all variables by rows of the matrix. That is shrinking turned
round: variables at a bound that they will not leave never become active. Of a few thousand
variables most of which stay at zero, all are active, and rows of the matrix are made when a working
set wants them. Where so many are free that half of all should be active, sets of them chase each
other: all are active then, and in the working set, as far as their square can be kept. Steps of
LIBSVM's kind are then taken over all of them, each of which reads two rows.

The matrix is float32, as LIBSVM's is; gradients are float64. At the end the gradient is made again
from a float64 matrix, on all points. What then violates the conditions is worked on further, from
that gradient: the answer is that of the float64 problem, to `tol`.

In terms of b = s a the problem is symmetric: b moves within a box, its sum stays, and -f = -(Kb +
s p) of what may rise exceeds that of what may fall by at most tol (LIBSVM's criterion).
"""

import time
from collections.abc import Callable
from math import inf
from typing import NamedTuple

import numpy as np

from statfast._core.svm import smo
from statfast._engine import checkpoint
from statfast.svm.dual.active_set import next_active

ACTIVE = 2048  # variables, where few are free: their square takes 16 MB
MOST_ACTIVE = 4096  # where many change from bound to bound: 64 MB
WHOLE = 0.5  # of all variables: if more should be active for the free ones, all are; so they are
DENSE = 0.9  # if so much of an active set is free; but
EVERY = 8192  # where the matrix is there as a whole, so that no rounds are needed: 256 MB
WORKING = 1024  # variables of a working set, where few are free
LEAN = 384  # the same where rows are made when they are wanted
FEW = 4096  # variables, of which so many may be worked on row by row
SPARSE = 0.25  # if fewer of the first active set are support vectors: of all still fewer are; while
PART = 0.5  # of the rows, or fewer, are wanted: more cost more than squares
ROOM = 1.25  # times the free variables: sets that hold them all are few
BUDGET = 4e7  # multiply-adds between two looks at the clock
STEPS = 20  # on a working set, for each of its variables,
UNASKED = 2e7  # steps, or
FOR_EACH = 200  # for each variable, where nobody says how many: twice as many as LIBSVM takes
LONG = 4e8  # multiply-adds, or as many as take so long: nobody is heard meanwhile
SHARE = 0.1  # of the violation may be left within a working set
NARROW = 3e-4  # margin, of the largest length of an image, that float32 cannot tell from none
MEETING = 1e-4  # the same of the nu problem, whose hulls are those of averages of rows
TOUCHING = 1e-13  # of the squared lengths: margins that float64 cannot tell from none
AHEAD = 0.1  # of the violation is left before other variables are looked at,
NEAR = 0.05  # or this where all that violate are active
INNER = 0.5  # of tol: what rounding to float32 may leave is less than the rest
FRESH = 0.5  # of the multipliers have changed: what is left of earlier sums is not worth keeping
GRAIN = 2.0**-24  # of a change: what the rounding of the matrix to float32 may leave of it
FULL = 1.0 - 1e-14  # of an upper bound is all of it
EMPTY = 1e-14  # of the largest multiplier is nothing of it
ROUNDING = 1e-14  # of the largest f: so little is none
IDLE = 10  # rounds without a smaller violation after which there will be none


class DualSolution(NamedTuple):
    """A solution.

    With f = s * gradient, `rho` is the mean of f over free variables: the decision function of a
    classifier is K b - rho. `dual` is the value reached, and minus `primal` a lower bound of it.
    """

    alpha: np.ndarray  # (m,)
    gradient: np.ndarray  # (m,) Q alpha + p, float64
    rho: float
    r: float  # of problems with two groups, else 0
    dual: float  # alpha'Q alpha / 2 + p'alpha
    n_iter: int  # steps of two variables
    gap: float  # by how much the worst pair of variables violates the conditions
    converged: bool
    reason: str  # "tol", or what ended it before: see `solve`
    primal: float  # of the primal problem; inf if an unbounded variable is to rise, to rounding


def solve(
    gram, linear, sign, upper, *, start=None, sums=None, point=None, groups="one", tol=1e-3,
    max_iter=None, time_limit=None, callback: Callable | None = None, hard=False,
):  # fmt: skip
    """Minimize a'Qa/2 + linear'a, 0 <= a <= upper, sign'a constant, Q_ij = s_i s_j K_ij.

    Parameters
    ----------
    gram : Gram
        The kernel matrix.
    linear, sign, upper : ndarray of shape (m,)
        The linear term, +1 or -1, and the bounds (perhaps inf).
    start : ndarray of shape (m,), optional
        Feasible multipliers; zero by default.
    sums : ndarray of shape (m,), optional
        K b at the point of each variable, for those multipliers, if it is known.
    point : ndarray of shape (m,), optional
        The point of each variable; by default variable i is point i.
    groups : {"one", "each"}
        Whether steps pair any two variables, or those of one sign (the nu problems).
    tol : float
        The violation at which to stop.
    max_iter : int, optional
        Steps; by default 2e7, or 200 for each variable if that is more.
    time_limit : float, optional
        Seconds.
    callback : callable, optional
        ``callback(steps, violation)``, in between; where it returns True the work ends.
    hard : bool
        Whether an unbounded dual is to be found out: a classifier has no margin then.

    Returns
    -------
    Dual
        Its `reason` is "tol"; "max_iter", "time_limit" or "callback"; "steps" after those taken
        unasked; "precision" if steps become too small for float64; "inseparable" if, with `hard`,
        the margin would be less than 3e-4 of the largest length of an image (of the nu problem of
        classes, 1e-4).
    """
    return _Descent(gram, linear, sign, upper, start, sums, point, groups, tol, hard).run(
        max_iter,
        inf if time_limit is None else time.monotonic() + time_limit,
        callback,
    )


class _Descent:
    """The state of a solution: multipliers b = s a, and the sums K b of all points."""

    def __init__(self, gram, linear, sign, upper, start, sums, point, groups, tol, hard):
        m = len(linear)
        self.gram, self.tol, self.hard = gram, float(tol), hard
        self.sign = np.asarray(sign, np.float64)
        self.upper = np.asarray(upper, np.float64)
        self.point = np.arange(m) if point is None else np.asarray(point, np.intp)
        self.distinct = bool((self.point[1:] > self.point[:-1]).all())
        self.one_each = m == gram.n and self.distinct
        self.at = self.point if self.distinct else np.unique(self.point)  # points that matter
        self.at = None if self.one_each else self.at
        self.c = self.sign * np.asarray(linear, np.float64)
        rises = self.sign > 0
        self.low, self.high = np.where(rises, 0.0, -self.upper), np.where(rises, self.upper, 0.0)
        self.groups = 1 if groups == "one" else 2
        self.group = np.zeros(m, np.int32) if groups == "one" else (~rises).astype(np.int32)
        self.b = np.zeros(m) if start is None else self.sign * np.asarray(start, np.float64)
        self.sums = np.zeros(gram._ld)  # K b of the points, and what lies beyond them
        self.is_exact = True  # whether the sums are those of a float64 matrix
        self.known = np.zeros(m)  # b of the last sums that were,
        self.known_sums = np.zeros(gram._ld)  # and these
        if sums is not None:
            self.sums[self.point] = sums
            self.known, self.known_sums = self.b.copy(), self.sums.copy()
        elif self.b.any():
            self.refresh()
        # With a margin g the hulls of the classes are 2g apart: |w| >= g sum(a), and as the dual
        # value, |w|^2 / 2 - sum(a), is never above 0, sum(a) <= 2 / g^2.
        least = max(NARROW**2 * float(gram.diagonal.max()), TOUCHING * gram.longest)
        self.most = 2.0 / least if least > 1e-250 else 0.0
        if hard:  # what is beyond is no answer, and need not be met
            cap = max(2.0 * self.most, 1.0)
            self.low, self.high = np.maximum(self.low, -cap), np.minimum(self.high, cap)
        # Of the nu problem, |w| is g times the sum of all |b|, which stays.
        meets = self.groups == 2 and not self.c.any()
        near = max(MEETING**2 * float(gram.diagonal.max()), TOUCHING * gram.longest)
        self.nothing = near * float(np.abs(self.b).sum()) ** 2 if meets else -inf
        self.steps, self.rounds, self.reason = 0, 0, "tol"
        self.active = self.block = None
        self.rowwise, self.fetched = False, 0  # whether rows are made one by one; how many
        self.least, self.idle = inf, 0  # the least violation by float64 sums, and rounds since

    def f(self):
        sums = self.sums[: self.gram.n]
        return (sums if self.one_each else sums[self.point]) + self.c

    def refresh(self):
        """Sums from a float64 matrix: where few variables have changed since the last, of these."""
        change = self.b - self.known
        moved = np.flatnonzero(change)
        few = len(moved) < FRESH * np.count_nonzero(self.b)
        if not few:
            moved, change = np.flatnonzero(self.b), self.b
        index, weights = self.by_point(moved, change)
        where = slice(self.gram.n) if self.at is None else self.at
        self.sums[where] = self.gram.exact(index, weights, self.at)
        if few:
            self.sums[where] += self.known_sums[where]
        self.known, self.known_sums, self.is_exact = self.b.copy(), self.sums.copy(), True

    def by_point(self, variables, values):
        """The points of variables, and the sum of values at each."""
        if self.distinct:
            return self.point[variables], values[variables]
        total = np.bincount(self.point[variables], values[variables], self.gram.n)
        index = np.flatnonzero(total)
        return index, total[index]

    def violation(self, f):
        """The largest -f of what may rise and the smallest of what may fall, in each group."""
        rises, falls = self.b < self.high, self.b > self.low
        top, bottom = np.empty(self.groups), np.empty(self.groups)
        for g in range(self.groups):
            if self.groups == 1:
                up, down = rises, falls
            else:
                up, down = rises & (self.group == g), falls & (self.group == g)
            top[g] = -f.min(initial=inf, where=up)
            bottom[g] = -f.max(initial=-inf, where=down)
        return max(0.0, float((top - bottom).max())), top, bottom

    def run(self, max_iter, deadline, callback):
        """Rounds, until the violation is at most tol by float64 sums."""
        self.ends = "steps" if max_iter is None else "max_iter"  # the reason, after so many
        if max_iter is None:
            max_iter = max(UNASKED, FOR_EACH * len(self.b))
        while True:
            f = self.f()
            gap, top, bottom = self.violation(f)
            if self.steps and callback is not None and callback(self.steps, gap) is True:
                self.stop("callback")
            if self.hard and np.abs(self.b).sum() > self.most:
                self.stop("inseparable")
            if float(self.b @ f) <= self.nothing:
                if not self.is_exact:
                    self.refresh()
                    continue
                self.stop("inseparable")
            done = gap <= self.tol and self.reason != "inseparable"
            if (done and self.is_exact) or self.reason != "tol":
                if self.is_exact:
                    return self.answer(f, gap, done)
                self.refresh()
                continue
            if done:
                self.refresh()
                continue
            if self.is_exact and self.rests(gap):
                self.stop("precision")
                continue
            ahead = self.choose(f, top, bottom)
            self.round(f, max(INNER * self.tol, ahead * gap), max_iter, deadline, callback)

    def rests(self, gap):
        """Whether rounding keeps the violation from falling."""
        self.least, self.idle = (gap, 0) if gap < 0.9 * self.least else (self.least, self.idle + 1)
        return self.idle == IDLE

    def stop(self, reason):
        self.reason = reason if self.reason == "tol" else self.reason

    def choose(self, f, top, bottom):
        """The active set: all variables where they are few."""
        m, free = len(f), np.count_nonzero((self.b > self.low) & (self.b < self.high))
        if self.rowwise:
            return 0.0
        slow = min(ACTIVE * (1 + self.rounds / 8), MOST_ACTIVE)  # many change from bound to bound
        wanted = ROOM * free + ACTIVE / 2
        count = int(max(slow, min(wanted, self.most_active())))
        if m > count and not self.holds_all(free, wanted):
            middle = np.array([self.middle(f, top[g], bottom[g], g) for g in range(self.groups)])
            chosen = next_active(f, self.b, self.low, self.high, middle[self.group], count)
        else:
            chosen = np.arange(m)
        self.rowwise = len(chosen) > WORKING and self.is_sparse()
        if self.rowwise:
            self.active, self.block = np.arange(m), None
            return 0.0
        if len(chosen) < m or self.block is None or len(self.active) < m:
            self.active, self.block = chosen, self.gram.block(self.point[chosen])
        if len(chosen) == m:
            return 0.0
        return NEAR if self.b.any() and len(chosen) < count else AHEAD

    def most_active(self):
        """How many variables may be active, if so many are free."""
        return self.gram.side if self.distinct else MOST_ACTIVE  # else the square is of copies

    def holds_all(self, free, wanted):
        """Whether the square of all is there, or is to be made as so many should be active."""
        m = len(self.b)
        if self.block is not None and len(self.active) == m:
            return True
        if self.gram.whole and self.distinct and m <= EVERY:
            return True
        dense = self.rounds > 1 and free > DENSE * len(self.active)
        return (dense or wanted > max(MOST_ACTIVE, WHOLE * m)) and m <= self.most_active()

    def is_sparse(self):
        """Whether, as far as the first round tells, few rows of the matrix will be wanted."""
        if self.rounds != 1 or not self.one_each or not ACTIVE < len(self.b) <= FEW:
            return False
        few = np.count_nonzero(self.b) < SPARSE * len(self.active)
        return few and self.gram.by_rows()

    def middle(self, f, top, bottom, g):
        """What -f of free variables of a group will be at the solution, about."""
        free = (self.b > self.low) & (self.b < self.high) & (self.group == g)
        if free.any():
            return -float(f[free].mean())
        return 0.5 * (top + bottom) if np.isfinite(top) and np.isfinite(bottom) else 0.0

    def round(self, f, tol, max_iter, deadline, callback):
        """Solve for the active variables, then bring the sums up to date."""
        active = self.active
        if len(active) == len(self.b):
            low, high, group, b = self.low, self.high, self.group, self.b.copy()
        else:
            low, high, group = self.low[active], self.high[active], self.group[active]
            b, f = self.b[active], f[active]
        moving, q, begin = True, 0, b.copy()
        grain = GRAIN * float(self.gram.diagonal.max())
        block, slot, wanted = self.block, None, None
        variables = smo.Variables(low, high, group, self.groups, b, f)
        if self.rowwise:
            block, slot = self.gram.kept()
        while moving and self.reason == "tol":
            checkpoint()
            free = np.count_nonzero((b > low) & (b < high))
            if q < min(ROOM * free, len(active)) or not q:
                q = _working(free, len(active), LEAN if self.rowwise else WORKING)
                recent, work = np.full(q, -1, np.int32), smo.work_space(len(active), q)
                wanted = recent.copy() if self.rowwise else None
            gap, steps, _, moving, missing = smo.descend(
                block, variables, tol, SHARE, int(min(STEPS * q, LONG / q)),
                int(max_iter - self.steps), BUDGET, recent, work, slot, wanted,
            )  # fmt: skip
            self.steps += steps
            if gap <= max(tol, grain * np.linalg.norm(b - begin), ROUNDING * np.abs(f).max()):
                break
            if self.hard and np.abs(b).sum() > self.most:
                break
            if len(active) == len(self.b) and float(b @ f) <= self.nothing:
                break
            if self.steps >= max_iter:
                self.stop(self.ends)
            elif time.monotonic() > deadline:
                self.stop("time_limit")
            elif callback is not None and callback(self.steps, gap) is True:
                self.stop("callback")
            elif slot is not None:
                if missing and self.fetch(wanted[:missing]):
                    continue
                self.rowwise = False  # long work, or on most rows: their square is worth making
                break
        change = np.zeros(len(self.b))
        change[active] = b - self.b[active]
        self.b[active] = b
        self.rounds += 1
        if slot is not None and not self.rowwise:
            self.sums[: len(f)], self.is_exact = f - self.c, False
            return
        if self.is_exact and not change.any() and self.reason == "tol":
            self.stop("precision")
        if len(active) == len(self.b) or not change.any():
            self.refresh()  # an inexact update would be made good at once; without one, what is
            # inexact already would be met again
        else:
            self.gram.add(*self.by_point(np.flatnonzero(change), change), self.sums, self.at)
            self.is_exact = False

    def fetch(self, wanted):
        """Have rows made, unless they become too many."""
        self.fetched += len(wanted)
        if self.fetched > PART * len(self.b):
            return False
        self.gram.hold(wanted)
        return True

    def answer(self, f, gap, done):
        full = np.abs(self.b) >= FULL * self.upper  # but for rounding, and else taken for free
        self.b = np.where(full, self.sign * self.upper, self.b)
        self.b[np.abs(self.b) <= EMPTY * np.abs(self.b).max(initial=0.0)] = 0.0  # likewise
        alpha = self.sign * self.b
        free = (self.b > self.low) & (self.b < self.high)
        offsets = [self._offset(f, free, self.group == g) for g in range(self.groups)]
        if self.groups == 1:
            rho, r = offsets[0], 0.0
        else:
            rho, r = (offsets[0] + offsets[1]) / 2, (offsets[0] - offsets[1]) / 2
        gradient = self.sign * f
        dual = 0.5 * float(self.b @ (f + self.c))
        away = f - np.array(offsets)[self.group]  # positive: what may fall should
        away[np.abs(away) <= ROUNDING * np.abs(f).max()] = 0.0
        with np.errstate(invalid="ignore"):
            room = np.where(away > 0, self.b - self.low, self.high - self.b)
            slack = np.where(away == 0, 0.0, np.abs(away) * room)
        return DualSolution(
            alpha + 0.0, gradient, rho, r, dual, self.steps, gap, done,
            "tol" if done else self.reason, float(slack.sum()) - dual,
        )  # fmt: skip

    def _offset(self, f, free, of_group):
        """The mean f of the free variables of a group, or the middle of what is possible."""
        some = free if self.groups == 1 else free & of_group
        if some.any():
            return float(f[some].sum()) / int(np.count_nonzero(some))
        # With none free, -f of what may rise is below that of what may fall.
        ends = [
            -(-f[of_group & (self.b < self.high)]).max(initial=-inf),
            -(-f[of_group & (self.b > self.low)]).min(initial=inf),
        ]
        ends = [end for end in ends if np.isfinite(end)]
        return float(np.mean(ends)) if ends else 0.0


def _working(free, m, least):
    """Variables of a working set: some more than are free, or all, which saves copying."""
    q = int(max(least, 1.2 * ROOM * free))
    return q if q < 0.7 * m else m
