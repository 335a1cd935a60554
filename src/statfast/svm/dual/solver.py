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

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np

from statfast._core.svm import smo
from statfast._engine import checkpoint
from statfast._typing import Array
from statfast.svm.dual.active_set import next_active


@dataclass(frozen=True)
class ActiveSetLimits:
    """How many variables are active at once, and when all of them are."""

    size: int = 2048
    """Where few variables are free. The square of the matrix takes 16 MB."""
    max_size: int = 4096
    """Where many move from bound to bound. The square takes 64 MB."""
    size_for_free: float = 1.25
    """So many times the free variables are active: few sets are needed that hold them all."""
    share_that_is_all: float = 0.5
    """If more of all variables should be active because they are free, all of them are."""
    dense_share: float = 0.9
    """If more of an active set is free, all variables become active."""
    max_rows_of_full_matrix: int = 8192
    """Where a matrix of no more rows is there as a whole (256 MB), no active sets are needed."""
    violation_left: float = 0.1
    """This share of the violation is left before other variables become active."""
    violation_left_of_all: float = 0.05
    """The same where all variables that violate the conditions are active."""
    rowwise_max_size: int = 4096
    """Of no more variables, rows of the matrix may be made one by one, when they are wanted."""
    rowwise_support_share: float = 0.25
    """They are if a smaller share of the first active set are support vectors: of all variables
    still fewer are."""
    rowwise_max_share: float = 0.5
    """Where more of the rows are wanted, the square of the matrix costs less."""


@dataclass(frozen=True)
class WorkingSetLimits:
    """How many variables a working set has, and when the compiled solver comes back."""

    min_size: int = 1024
    """Where few variables are free."""
    rowwise_min_size: int = 384
    """The same where rows are made one by one."""
    steps_per_variable: int = 20
    """More steps are not taken on a working set."""
    violation_left: float = 0.1
    """This share of the violation may be left within a working set."""
    multiply_adds_per_clock: float = 4e7
    """Work between two looks at the clock."""
    max_multiply_adds: float = 4e8
    """Work of a call, in which no interrupt is heard."""
    max_steps: float = 2e7
    """Steps that are taken where `max_iter` does not say how many,"""
    max_steps_per_variable: int = 200
    """or so many for each variable if that is more: twice what LIBSVM takes."""


@dataclass(frozen=True)
class Tolerances:
    """What rounding hides. The matrix is float32, the sums at the end are float64."""

    float32_margin: float = 3e-4
    """A margin of a smaller share of the longest image is none to float32."""
    float32_margin_of_nu: float = 1e-4
    """The same of the nu problem, whose hulls are those of averages of rows."""
    float64_margin: float = 1e-13
    """A margin of a smaller share of the squared lengths is none to float64."""
    float32_rounding: float = 2.0**-24
    """The rounding of the matrix may leave this share of a change."""
    inner_share_of_tol: float = 0.5
    """Rounds end at this share of tol: what float32 may leave is less than the rest."""
    changed_share: float = 0.5
    """Where more of the multipliers have changed, sums are made anew rather than corrected."""
    at_upper: float = 1.0 - 1e-14
    """This share of an upper bound is all of it."""
    at_zero: float = 1e-14
    """This share of the largest multiplier is zero."""
    float64_rounding: float = 1e-14
    """This share of the largest f is zero."""
    idle_rounds: int = 10
    """After so many rounds without a smaller violation there will be none."""


ACTIVE_SET = ActiveSetLimits()
WORKING_SET = WorkingSetLimits()
TOLERANCES = Tolerances()


class DualSolution(NamedTuple):
    """A solution.

    With f = s * gradient, `rho` is the mean of f over free variables: the decision function of a
    classifier is K b - rho. `dual` is the value reached, and minus `primal` a lower bound of it.
    """

    alpha: np.ndarray  # (m,)
    gradient: np.ndarray  # (m,) Q alpha + p, float64
    rho: float
    r: float  # The margin in problems with two groups, else 0.
    dual: float  # alpha'Q alpha / 2 + p'alpha
    n_iter: int  # steps of two variables
    gap: float  # by how much the worst pair of variables violates the conditions
    converged: bool
    reason: str  # "tol", or what ended it before: see `solve`
    # The value of the primal problem; inf if an unbounded variable should rise by more than
    # rounding.
    primal: float


def solve(
    gram: Any,
    linear: Array,
    sign: Array,
    upper: Array,
    *,
    start: Array | None = None,
    sums: Any = None,
    point: Array | None = None,
    groups: str = "one",
    tol: float = 1e-3,
    max_iter: int | None = None,
    time_limit: float | None = None,
    callback: Callable | None = None,
    hard: bool = False,
) -> DualSolution:
    """Minimize a'Qa/2 + linear'a, 0 <= a <= upper, sign'a constant, Q_ij = s_i s_j K_ij.

    Parameters
    ----------
    gram : Gram
        The kernel matrix.
    linear, sign, upper : ndarray of shape (m,)
        The linear term, +1 or -1, and the bounds (perhaps inf). A sign of 0 is that of a multiplier
        between -upper and upper, which counts as with +1.
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
    DualSolution
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
        sign = np.asarray(sign, np.float64)
        self.sign = np.where(sign == 0.0, 1.0, sign)
        self.upper = np.asarray(upper, np.float64)
        self.point = np.arange(m) if point is None else np.asarray(point, np.intp)
        self.distinct = bool((self.point[1:] > self.point[:-1]).all())
        self.one_each = m == gram.n and self.distinct
        # The points of the variables.
        self.used = self.point if self.distinct else np.unique(self.point)
        self.used = None if self.one_each else self.used
        self.c = self.sign * np.asarray(linear, np.float64)
        rises = self.sign > 0
        self.low = np.where(sign > 0.0, 0.0, -self.upper)
        self.high = np.where(rises, self.upper, 0.0)
        self.groups = 1 if groups == "one" else 2
        self.group = np.zeros(m, np.int32) if groups == "one" else (~rises).astype(np.int32)
        self.b = np.zeros(m) if start is None else self.sign * np.asarray(start, np.float64)
        self.sums = np.zeros(gram._ld)  # K b of the points, and padding after them.
        self.is_exact = True  # whether the sums are those of a float64 matrix
        self.exact_b = np.zeros(m)  # the variables of the last exact sums
        self.exact_sums = np.zeros(gram._ld)  # The last exact sums.
        if sums is not None:
            self.sums[self.point] = sums
            self.exact_b, self.exact_sums = self.b.copy(), self.sums.copy()
        elif self.b.any():
            self.refresh()
        # With a margin g the hulls of the classes are 2g apart: |w| >= g sum(a), and as the dual
        # value, |w|^2 / 2 - sum(a), is never above 0, sum(a) <= 2 / g^2.
        margin2 = least_squared_margin(gram, TOLERANCES.float32_margin)
        self.max_sum = 2.0 / margin2 if margin2 > 1e-250 else 0.0
        if hard:  # Larger multipliers show that there is no margin.
            cap = max(2.0 * self.max_sum, 1.0)
            self.low, self.high = np.maximum(self.low, -cap), np.minimum(self.high, cap)
        # In the nu problem |w| is g times the sum of all |b|, which stays the same.
        meets = self.groups == 2 and not self.c.any()
        margin2 = least_squared_margin(gram, TOLERANCES.float32_margin_of_nu)
        self.touching = margin2 * float(np.abs(self.b).sum()) ** 2 if meets else -inf
        self.steps, self.rounds, self.reason = 0, 0, "tol"
        self.active: Any = None
        self.block: Any = None
        # Whether rows are made one by one, and how many have been.
        self.rowwise, self.fetched = False, 0
        # The smallest violation by float64 sums, and the rounds since then.
        self.best_violation, self.idle_rounds = inf, 0

    def f(self) -> Array:
        sums = self.sums[: self.gram.n]
        return (sums if self.one_each else sums[self.point]) + self.c

    def refresh(self) -> None:
        """Sums from a float64 matrix: where few variables have changed since the last, of these."""
        change = self.b - self.exact_b
        moved = np.flatnonzero(change)
        has_few_moves = len(moved) < TOLERANCES.changed_share * np.count_nonzero(self.b)
        if not has_few_moves:
            moved, change = np.flatnonzero(self.b), self.b
        index, weights = self.by_point(moved, change)
        where = slice(self.gram.n) if self.used is None else self.used
        self.sums[where] = self.gram.exact(index, weights, self.used)
        if has_few_moves:
            self.sums[where] += self.exact_sums[where]
        self.exact_b, self.exact_sums, self.is_exact = self.b.copy(), self.sums.copy(), True

    def by_point(self, variables: Array, values: Array) -> tuple[Array, Array]:
        """The points of variables, and the sum of values at each."""
        if self.distinct:
            return self.point[variables], values[variables]
        total = np.bincount(self.point[variables], values[variables], self.gram.n)
        index = np.flatnonzero(total)
        return index, total[index]

    def violation(self, f: Array) -> tuple[float, Array, Array]:
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

    def run(
        self, max_iter: int | None, deadline: float, callback: Callable[..., Any] | None
    ) -> DualSolution:
        """Rounds, until the violation is at most tol by float64 sums."""
        # The reason that is reported when the steps are used up.
        self.ends = "steps" if max_iter is None else "max_iter"
        if max_iter is None:
            max_iter = max(WORKING_SET.max_steps, WORKING_SET.max_steps_per_variable * len(self.b))
        while True:
            f = self.f()
            gap, top, bottom = self.violation(f)
            if self.steps and callback is not None and callback(self.steps, gap) is True:
                self.stop("callback")
            if self.hard and np.abs(self.b).sum() > self.max_sum:
                self.stop("inseparable")
            if float(self.b @ f) <= self.touching:
                if not self.is_exact:
                    self.refresh()
                    continue
                self.stop("inseparable")
            done = gap <= self.tol and self.reason != "inseparable"
            if (done and self.is_exact) or self.reason != "tol":
                if self.is_exact:
                    return self.solution(f, gap, done)
                self.refresh()
                continue
            if done:
                self.refresh()
                continue
            if self.is_exact and self.is_stalled(gap):
                self.stop("precision")
                continue
            share = self.choose_active(f, top, bottom)
            tol = max(TOLERANCES.inner_share_of_tol * self.tol, share * gap)
            self.solve_active(f, tol, max_iter, deadline, callback)

    def is_stalled(self, gap: float) -> bool:
        """Whether rounding keeps the violation from falling."""
        if gap < 0.9 * self.best_violation:
            self.best_violation, self.idle_rounds = gap, 0
        else:
            self.idle_rounds += 1
        return self.idle_rounds == TOLERANCES.idle_rounds

    def stop(self, reason: str) -> None:
        self.reason = reason if self.reason == "tol" else self.reason

    def choose_active(self, f: Array, top: Array, bottom: Array) -> float:
        """Choose the active set, all variables where they are few; the violation left to it."""
        m, free = len(f), np.count_nonzero((self.b > self.low) & (self.b < self.high))
        if self.rowwise:
            return 0.0
        # After many rounds many variables move from bound to bound.
        growing = min(ACTIVE_SET.size * (1 + self.rounds / 8), ACTIVE_SET.max_size)
        wanted = ACTIVE_SET.size_for_free * free + ACTIVE_SET.size / 2
        count = int(max(growing, min(wanted, self.max_active())))
        if m > count and not self.holds_all(free, wanted):
            middle = np.array([self.middle(f, top[g], bottom[g], g) for g in range(self.groups)])
            chosen = next_active(f, self.b, self.low, self.high, middle[self.group], count)
        else:
            chosen = np.arange(m)
        self.rowwise = len(chosen) > WORKING_SET.min_size and self.is_sparse()
        if self.rowwise:
            self.active, self.block = np.arange(m), None
            return 0.0
        if len(chosen) < m or self.block is None or len(self.active) < m:
            self.active, self.block = chosen, self.gram.block(self.point[chosen])
        if len(chosen) == m:
            return 0.0
        if self.b.any() and len(chosen) < count:
            return ACTIVE_SET.violation_left_of_all
        return ACTIVE_SET.violation_left

    def max_active(self) -> int:
        """How many variables may be active, if so many are free."""
        # Where variables share points, the square would hold copies of the same rows.
        return self.gram.side if self.distinct else ACTIVE_SET.max_size

    def holds_all(self, free: Any, wanted: Any) -> Any:
        """Whether the square of all is there, or is to be made as so many should be active."""
        m = len(self.b)
        if self.block is not None and len(self.active) == m:
            return True
        if self.gram.is_complete and self.distinct and m <= ACTIVE_SET.max_rows_of_full_matrix:
            return True
        dense = self.rounds > 1 and free > ACTIVE_SET.dense_share * len(self.active)
        large = wanted > max(ACTIVE_SET.max_size, ACTIVE_SET.share_that_is_all * m)
        return (dense or large) and m <= self.max_active()

    def is_sparse(self) -> Any:
        """Whether, as far as the first round tells, few rows of the matrix will be wanted."""
        if self.rounds != 1 or not self.one_each:
            return False
        if not ACTIVE_SET.size < len(self.b) <= ACTIVE_SET.rowwise_max_size:
            return False
        is_sparse = np.count_nonzero(self.b) < ACTIVE_SET.rowwise_support_share * len(self.active)
        return is_sparse and self.gram.by_rows()

    def middle(self, f: Array, top: Any, bottom: Any, g: Any) -> Any:
        """What -f of free variables of a group will be at the solution, about."""
        free = (self.b > self.low) & (self.b < self.high) & (self.group == g)
        if free.any():
            return -float(f[free].mean())
        return 0.5 * (top + bottom) if np.isfinite(top) and np.isfinite(bottom) else 0.0

    def solve_active(self, f, tol, max_iter, deadline, callback):
        """Solve for the active variables, then bring the sums up to date."""
        active = self.active
        if len(active) == len(self.b):
            low, high, group, b = self.low, self.high, self.group, self.b.copy()
        else:
            low, high, group = self.low[active], self.high[active], self.group[active]
            b, f = self.b[active], f[active]
        moving, q, begin = True, 0, b.copy()
        grain = TOLERANCES.float32_rounding * float(self.gram.diagonal.max())
        block, slot, wanted = self.block, None, None
        variables = smo.Variables(low, high, group, self.groups, b, f)
        if self.rowwise:
            block, slot = self.gram.kept()
        while moving and self.reason == "tol":
            checkpoint()
            free = np.count_nonzero((b > low) & (b < high))
            if q < min(ACTIVE_SET.size_for_free * free, len(active)) or not q:
                q = working_set_size(free, len(active), self.rowwise)
                recent, work = np.full(q, -1, np.int32), smo.work_space(len(active), q)
                wanted = recent.copy() if self.rowwise else None
            gap, steps, _, moving, missing = smo.descend(
                block, variables, tol, WORKING_SET.violation_left, steps_of_call(q),
                int(max_iter - self.steps), WORKING_SET.multiply_adds_per_clock,
                recent, work, slot, wanted,
            )  # fmt: skip
            self.steps += steps
            rounding = TOLERANCES.float64_rounding * np.abs(f).max()
            if gap <= max(tol, grain * np.linalg.norm(b - begin), rounding):
                break
            if self.hard and np.abs(b).sum() > self.max_sum:
                break
            if len(active) == len(self.b) and float(b @ f) <= self.touching:
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
                # A long round, or one on most rows, is worth making the square of the active set.
                self.rowwise = False
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
            # An inexact update would be corrected at once, and without any change the next round
            # would start from the same inexact sums.
            self.refresh()
        else:
            self.gram.add(*self.by_point(np.flatnonzero(change), change), self.sums, self.used)
            self.is_exact = False

    def fetch(self, wanted: Any) -> Any:
        """Have rows made, unless they become too many."""
        self.fetched += len(wanted)
        if self.fetched > ACTIVE_SET.rowwise_max_share * len(self.b):
            return False
        self.gram.hold(wanted)
        return True

    def solution(self, f: Array, gap: float, done: bool) -> DualSolution:
        # Variables that rounding keeps from their bounds would be taken for free ones.
        at_upper = np.abs(self.b) >= TOLERANCES.at_upper * self.upper
        self.b = np.where(at_upper, np.copysign(self.upper, self.b), self.b)
        self.b[np.abs(self.b) <= TOLERANCES.at_zero * np.abs(self.b).max(initial=0.0)] = 0.0
        alpha = self.sign * self.b
        free = (self.b > self.low) & (self.b < self.high)
        offsets = [self.offset(f, free, self.group == g) for g in range(self.groups)]
        if self.groups == 1:
            rho, r = offsets[0], 0.0
        else:
            rho, r = (offsets[0] + offsets[1]) / 2, (offsets[0] - offsets[1]) / 2
        gradient = self.sign * f
        dual = 0.5 * float(self.b @ (f + self.c))
        # Positive where a variable that may fall should do so.
        away = f - np.array(offsets)[self.group]
        away[np.abs(away) <= TOLERANCES.float64_rounding * np.abs(f).max()] = 0.0
        with np.errstate(invalid="ignore"):
            room = np.where(away > 0, self.b - self.low, self.high - self.b)
            slack = np.where(away == 0, 0.0, np.abs(away) * room)
        return DualSolution(
            alpha + 0.0, gradient, rho, r, dual, self.steps, gap, done,
            "tol" if done else self.reason, float(slack.sum()) - dual,
        )  # fmt: skip

    def offset(self, f: Array, free: Array, of_group: Array) -> float:
        """The mean f of the free variables of a group, or the middle of what is possible."""
        members = free if self.groups == 1 else free & of_group
        if members.any():
            return float(f[members].sum()) / int(np.count_nonzero(members))
        # With none free, -f of what may rise is below that of what may fall.
        ends = [
            -(-f[of_group & (self.b < self.high)]).max(initial=-inf),
            -(-f[of_group & (self.b > self.low)]).min(initial=inf),
        ]
        ends = [end for end in ends if np.isfinite(end)]
        return float(np.mean(ends)) if ends else 0.0


def working_set_size(free: Any, m: int, rowwise: bool) -> int:
    """How many variables are worked on: more than are free, or all, which saves copying."""
    least = WORKING_SET.rowwise_min_size if rowwise else WORKING_SET.min_size
    q = int(max(least, 1.2 * ACTIVE_SET.size_for_free * free))
    return q if q < 0.7 * m else m


def steps_of_call(q: int) -> int:
    """How many steps a call takes on a working set of q variables."""
    return int(min(WORKING_SET.steps_per_variable * q, WORKING_SET.max_multiply_adds / q))


def least_squared_margin(gram: Any, float32_margin: float) -> float:
    """The square of the least margin that neither float32 nor float64 takes for none."""
    by_float32 = float32_margin**2 * float(gram.diagonal.max())
    return max(by_float32, TOLERANCES.float64_margin * gram.longest)
