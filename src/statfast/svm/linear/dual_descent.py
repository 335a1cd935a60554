# SPDX-License-Identifier: BSD-3-Clause
"""Dual coordinate descent: sweeps over the rows in random order (Hsieh et al. 2008).

The kernel makes the steps; here is what comes between sweeps. Where the rows on the margin are
fewer than the columns, their multipliers are moved together from time to time (`face`), which takes
the place of some hundred sweeps. Rows that have left the order come back before the end, which is
LIBLINEAR's: for classes the largest less the least projected gradient is at most tol (over
alpha = y beta), in regression the sum of their sizes at most tol times that of the first sweep
(Ho and Lin 2012). For classes the gap is to be small as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._core.svm import dual_descent as kernel
from statfast._engine import aligned, checkpoint
from statfast._linalg import dot
from statfast._typing import Array
from statfast.svm.linear.objective import Clock, LinearSolution, Problem
from statfast.svm.linear.positive import require_products
from statfast.svm.linear.rows import LinearRows

NUMBERS_OF_CALL = 2e7  # A kernel call visits so many numbers in about 20 ms.
# The number of sweeps before the first leap, and between two leaps.
SWEEPS_BEFORE_LEAPS, SWEEPS_BETWEEN_LEAPS = 15, 5
# The tolerance is lowered, at most so many times, while the gap is more than this many tolerances
# of the objective.
MAX_GAP_PER_TOLERANCE, MAX_LOWERED_TOLERANCES = 1e-2, 3
# The columns of a row's state, in the order of the kernel.
TARGET, SHARE, SOFT, LOW, HIGH, BETA, RECORD = 0, 1, 2, 3, 4, 5, 8
MAX_GRADIENT_OF_LEAP = 0.4  # A leap may leave this share of the gradient.
MAX_PRODUCTS_OF_LEAP = 60
# With a smaller share of the curvature of the rows by themselves, the quadratic has no lowest
# point.
MIN_CURVATURE = 1e-10
HALVINGS = 6
MIN_SHARE_OF_FALL = 0.1  # A leap must bring this share of the fall that the gradient promises.


def descend(problem: Problem, tol: float, clock: Clock, rng: np.random.Generator) -> LinearSolution:
    """Solve the dual; returns a Solution."""
    rows, n = problem.rows, problem.rows.n
    dual, v = DescentVariables(problem), np.zeros(1 + rows.d)
    order, view = np.arange(n, dtype=np.int32), _view_of(rows)
    constant = rows.scale**2 if rows.intercept else 0.0
    step = max(256, int(NUMBERS_OF_CALL * n / (rows.size + 20.0 * n)))
    count, slack, first, n_iter, reason = n, np.inf, None, 0, ""
    wait, due, asked, tries = SWEEPS_BETWEEN_LEAPS, SWEEPS_BEFORE_LEAPS, tol, MAX_LOWERED_TOLERANCES
    while True:
        kernel.shuffle(order, count, int(rng.integers(1, 2**63)))
        seen, kept = np.array([-np.inf, np.inf, 0.0]), 0
        for begin in range(0, count, step):
            kept = kernel.sweep(
                view, constant, dual.state, problem.epsilon or 0.0, slack, v, order, begin,
                min(count, begin + step), kept, seen,
            )  # fmt: skip
            checkpoint()
        n_iter += 1
        if problem.classes:
            violation, enough = (seen[0] - seen[1] if kept else 0.0), tol
        else:
            first = float(seen[2]) if first is None else first
            violation, enough = float(seen[2]), tol * first
        if violation <= enough:
            if count == n:
                solution = _solution(dual, n_iter)
                goal = MAX_GAP_PER_TOLERANCE * asked * solution.primal
                if not problem.classes or not tries or solution.gap <= goal:
                    return solution
                tries -= 1
                tol *= 0.25
            order[:] = np.arange(n)
            count, slack = n, np.inf
        else:
            count, slack = kept, max(seen[0], -seen[1], 0.0) or np.inf
            if n_iter >= due:
                if leap(dual, order[:count], v, clock):
                    slack = np.inf
                else:
                    wait *= 2
                due = n_iter + wait
        reason = clock.stopped(n_iter)
        if reason:
            return _solution(dual, n_iter, reason)


def _solution(dual: DescentVariables, n_iter: int, reason: str = "") -> LinearSolution:
    """The Solution at the multipliers."""
    problem, rows, beta = dual.problem, dual.problem.rows, dual.beta.copy()
    g = rows.combined(beta)
    v = g / rows.ridge
    primal, least = problem.primal(v, rows.product(v)), problem.dual(beta, g)
    return LinearSolution(v, beta, primal, least, n_iter, not reason, reason)


def _view_of(rows: LinearRows) -> Any:
    """The rows as the kernel takes them."""
    if rows.sparse:
        return kernel.RowsView(None, None, *rows.parts)
    X = rows.lined_up
    single = X.dtype == np.float32
    return kernel.RowsView(None if single else X, X if single else None, None, None, None)


# Sweeps soon tell which multipliers are at a bound. They may then take hundreds of rounds to settle
# the others, the more the nearer the rows on the margin are to being dependent. In these other
# multipliers the dual is a quadratic. Its lowest point is found by conjugate gradients: products
# with the rows on the margin alone, two passes over them. Multipliers that would go beyond a bound
# stay at the bound, and the step is halved until the dual falls as it should; the next sweeps free
# multipliers that should not be at a bound. That is the method of Moré and Toraldo (1991,
# doi:10.1137/0801008), with sweeps in place of projected gradients.
class DescentVariables:
    """Of every row the target, the share of a gradient that a step is, soft, low, high and beta.

    `state` is (n, 8), a cache line for each row.
    """

    def __init__(self, problem: Problem) -> None:
        n, cost = problem.rows.n, problem.cost
        self.problem = problem
        self.state = aligned((n, RECORD), np.float64)
        self.state[:] = 0.0
        target, share, soft, low, high, self.beta = self.state.T[: BETA + 1]
        target[:] = problem.target
        if problem.squared:
            soft[:] = 0.5 / cost
        curve = problem.rows.squares() + soft
        require_products(dot(cost, curve))
        np.divide(1.0, curve, out=share, where=curve > 0.0)
        high[:] = np.inf if problem.squared else cost
        low[:] = -high
        if problem.classes:
            low[target > 0.0] = 0.0
            high[target < 0.0] = 0.0


def leap(dual: DescentVariables, active: Array, v: Array, clock: Clock) -> bool:
    """Move those multipliers of the rows `active` that are at no bound, and `v`, which is (1 + d,),
    with them; whether that was of use."""
    problem, epsilon = dual.problem, dual.problem.epsilon or 0.0
    index = np.sort(active)
    _, _, _, low, high, now = dual.state[index, : BETA + 1].T
    free = (now > low) & (now < high)
    if epsilon:
        free &= now != 0.0
    index = index[free]
    if not 0 < len(index) <= problem.rows.q:  # More rows than columns are dependent.
        return False
    target, share, soft, low, high, now = np.ascontiguousarray(dual.state[index, : BETA + 1].T)
    if epsilon:  # The multiplier has to stay on the same side of 0.
        target = target - epsilon * np.sign(now)
        low, high = np.where(now > 0.0, 0.0, low), np.where(now < 0.0, 0.0, high)
    rows = problem.rows.part(index)
    w = v[1 - rows.n_intercepts :]
    slope = rows.product(w) - target + soft * now
    step = _to_the_lowest(rows, slope, share, soft, clock)
    for _ in range(HALVINGS):
        change = np.clip(now + step, low, high) - now
        moved = rows.combined(change) / rows.ridge
        promised = dot(slope, change)
        bend = 0.5 * (dot(rows.ridge * moved, moved) + dot(soft * change, change))
        if promised + bend <= MIN_SHARE_OF_FALL * promised < 0.0:
            dual.beta[index] = now + change
            w += moved
            return True
        step = 0.5 * step
    return False


def _to_the_lowest(
    rows: LinearRows, slope: Array, share: Array, soft: Array, clock: Clock
) -> Array:
    """About the step to the lowest point, were there no bounds."""
    step, residual = np.zeros(rows.n), -slope
    near = share * residual
    along, size = near, dot(residual, near)
    enough, alone = MAX_GRADIENT_OF_LEAP**2 * size, 1.0 / share
    workspace = np.empty(rows.q)
    for _ in range(MAX_PRODUCTS_OF_LEAP):
        moved = rows.combined(along, workspace)
        moved /= rows.ridge
        turned = rows.product(moved) + soft * along
        bend = dot(along, turned)
        if not bend > MIN_CURVATURE * dot(alone * along, along):
            break
        t = size / bend
        step = step + t * along
        residual = residual - t * turned
        near, before = share * residual, size
        size = dot(residual, near)
        if size <= enough or clock.stopped(0):
            break
        along = near + (size / before) * along
    return step
