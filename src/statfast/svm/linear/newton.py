# SPDX-License-Identifier: BSD-3-Clause
"""Newton's method for the squared losses: exact after finitely many steps.

The primal is piecewise quadratic. At each point one pass over the rows gives its gradient and the
Hessian ``diag(ridge) + 2 z'cz`` over the rows that have a loss; the step is followed to the lowest
point of its line. Where the rows with a loss are those of the solution, the next step is the
solution (Mangasarian 2002, doi:10.1080/1055678021000028375; Keerthi and DeCoste 2005,
https://jmlr.org/papers/v6/keerthi05a.html).

At any v, beta = 2 c u is feasible for the dual, and the gap is half the squared length of the
gradient in the metric of the penalty.

How the steps are found is another's part: `Products` here, or `Conjugate`, for many columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._linalg import dot
from statfast._typing import Array
from statfast.svm.linear.objective import Clock, LinearSolution, Problem
from statfast.svm.linear.positive import factored, require_products

# The most points of a line search; the objective is piecewise quadratic, so that few are needed.
MAX_POINTS_OF_LINE = 60
# A line search ends where the slope is within these shares of that at the start, before and beyond
# the lowest point.
MIN_SLOPE_OF_LINE, MAX_SLOPE_BEYOND = 0.1, 1e-3
# With at least so many rows, and so many for each column, a sample of them is solved first.
MIN_ROWS_FOR_SAMPLE, MIN_ROWS_PER_COLUMN = 6000, 160
ROWS_PER_SAMPLED_ROW = 8  # The sample has one row in so many, with so many times its cost.
# The tolerance of the sample, whose solution is off by more than that anyway.
TOLERANCE_OF_SAMPLE = 1e-2
# Steps go on to this share of the gradient that was asked for, as Newton's last step is nearly
# free.
SHARPER_GRADIENT = 1e-6
# After rows have been subtracted, more than this share of each diagonal element must be left.
MIN_SHARE_OF_DIAGONAL = 1e-6
ROUNDING_OF_GAP = 1e-15  # A gap that is a smaller share of the primal is rounding.
ROUNDING_OF_FALL = 1e-14  # A fall that is a smaller share of the primal is rounding.
MAX_GRADIENT_LEFT = 0.1  # Far from the solution, a step may leave this share of the gradient.
MAX_PRODUCTS_OF_STEP = 1000  # The most products with the Hessian in a step.


def minimize(
    problem: Problem, tol: float, clock: Clock, finer: float = SHARPER_GRADIENT, by: Any = None
) -> LinearSolution:
    """Minimize the primal; returns a Solution. `tol` is the length of the gradient, relative to
    that at 0, at which it counts as converged; the iteration goes on to `finer` times that. Steps
    are found `by` something other than products of columns, if given."""
    rows, wide = problem.rows, by is not None
    by = by or Products(problem)
    v, f = np.zeros(rows.q), np.zeros(rows.n)
    first = float(np.linalg.norm(rows.combined(2.0 * problem.cost * problem.excess(f))))
    if not wide and rows.n >= max(MIN_ROWS_FOR_SAMPLE, MIN_ROWS_PER_COLUMN * rows.q):
        v = minimize(
            problem.part(np.arange(0, rows.n, ROWS_PER_SAMPLED_ROW), ROWS_PER_SAMPLED_ROW),
            TOLERANCE_OF_SAMPLE,
            clock,
            1.0,
        ).v
        f = rows.product(v)
    best, last, n_iter, reason = None, np.inf, 0, ""
    while True:
        pull, loss = by.pull_and_loss(f)
        gradient = rows.ridge * v - pull
        primal = 0.5 * float(v @ (rows.ridge * v)) + loss
        gap, size = 0.5 * float(gradient @ (gradient / rows.ridge)), np.linalg.norm(gradient)
        if best is None or gap < best[1]:
            best, stalled = (primal, gap, size, v, f), False
        else:
            stalled = not primal < last * (1.0 - ROUNDING_OF_FALL)
        if size <= finer * tol * first or gap <= ROUNDING_OF_GAP * primal or stalled:
            break
        reason = clock.stopped(n_iter)
        if reason:
            break
        step = by.step(gradient, size / first)
        along = rows.product(step)
        t = _lowest(problem, v, f, step, along)
        v, f, last = v + t * step, f + t * along, primal
        n_iter += 1
    primal, gap, size, v, f = best
    beta = 2.0 * problem.cost * problem.excess(f)
    converged = bool(size <= tol * first or gap <= ROUNDING_OF_GAP * primal)
    reason = "" if converged else reason or f"in {n_iter} iterations, as rounding hides the rest"
    return LinearSolution(v, beta, primal, primal - gap, n_iter, converged, reason)


class Products:
    """Steps by Cholesky's factor of the Hessian, which changes by the rows that change sides."""

    def __init__(self, problem: Problem) -> None:
        rows = problem.rows
        self.problem, self.active = problem, None
        self.h, self.peak = np.zeros((rows.q, rows.q)), rows.ridge

    def pull_and_loss(self, f: Array) -> tuple[Array, float]:
        """z'(2 c u), and the sum of the losses, at values f."""
        before, self.active = self.active, self.problem.excess(f) != 0.0
        if before is not None and 4 * (self.active != before).sum() > self.active.sum():
            before = None
        more, pull, loss = self._sums(f, before)
        self.h = more if before is None else self.h + more
        diagonal, ridge = self.h.diagonal(), self.problem.rows.ridge
        require_products(float(diagonal.max()))
        self.peak = np.maximum(self.peak, diagonal)
        # Where large rows were subtracted, only rounding is left.
        if (diagonal + ridge < MIN_SHARE_OF_DIAGONAL * self.peak).any():
            self.h, self.peak = self._sums(f, None)[0], ridge
        return pull, loss

    def step(self, gradient: Array, share: Any) -> Array:
        """The step to the lowest point of the piece that f lies on."""
        return -factored(self.h.copy(), self.problem.rows.ridge).solve(gradient)

    def _sums(self, f, before):
        """By how much the Hessian (lower triangle, without the penalty) changes when the rows with
        a loss were others before, of which there are few; z'(2 c u); and the sum of the losses."""
        problem, rows = self.problem, self.problem.rows
        new = self.active if before is None else self.active & ~before
        old = None if before is None else before & ~self.active

        def partial(where, block):
            u, cost = problem.excess(f[where], where), 2.0 * problem.cost[where]
            h, g = np.zeros((rows.q, rows.q)), np.zeros(rows.q)
            if before is None:
                rows.accumulate(where, block, cost * u, np.where(new[where], cost, 0.0), h, g)
            else:
                rows.accumulate(where, block, cost * u, None, None, g)
                rows.products(where, block, np.where(old[where], cost, 0.0), h)
                h *= -1.0
                rows.products(where, block, np.where(new[where], cost, 0.0), h)
            return [h, g, problem.loss(u, where)]

        return rows.sums(partial, pairs=before is None)


def _lowest(problem: Problem, v: Array, f: Array, step: Array, along: Array) -> float:
    """How far to go: near the lowest point of the line, by Newton's method between bounds."""
    ridge, cost = problem.rows.ridge, 2.0 * problem.cost
    bend, slope = float(step @ (ridge * step)), float(step @ (ridge * v))
    start = slope - dot(cost * problem.excess(f), along)
    if not start < 0.0:
        return 1.0  # The slope is rounding: the caller sees that the objective does not fall.
    weighted, t, low, high = cost * along, 1.0, 0.0, np.inf
    for _ in range(MAX_POINTS_OF_LINE):
        u = problem.excess(f + t * along)
        now = slope + t * bend - dot(u, weighted)
        if start * MIN_SLOPE_OF_LINE <= now <= -start * MAX_SLOPE_BEYOND:
            break
        low, high = (t, high) if now < 0.0 else (low, t)
        curve = bend + dot(weighted[u != 0.0], along[u != 0.0])
        t = t - now / curve if curve > 0.0 else np.inf
        if not low < t < high:
            t = 0.5 * (low + high) if high < np.inf else 2.0 * max(low, 1.0)
    return t


# ---------- Newton steps by conjugate gradients, where columns are many: no matrix is made
# A product with the Hessian ``diag(ridge) + 2 z'cz`` over the rows that have a loss is two passes
# over these rows. The steps are inexact, the less so the nearer the solution (Keerthi and DeCoste
# 2005, https://jmlr.org/papers/v6/keerthi05a.html); the Hessian's diagonal, if all rows had a
# loss, is the preconditioner (Hsia, Chiang and Lin 2018,
# https://proceedings.mlr.press/v95/hsia18a.html).
class Conjugate:
    """Steps for `minimize`."""

    def __init__(self, problem: Any, clock: Clock) -> None:
        self.problem, self.clock = problem, clock
        self.diagonal = problem.rows.ridge + problem.rows.column_squares(2.0 * problem.cost)
        require_products(float(self.diagonal.max()))

    def pull_and_loss(self, f: Array) -> Any:
        """z'(2 c u), and the sum of the losses, at values f."""
        problem = self.problem
        u = problem.excess(f)
        self.on = u != 0.0
        return problem.rows.combined(2.0 * problem.cost * u), problem.loss(u)

    def step(self, gradient: Array, share: Any) -> Any:
        """About the step to the lowest point of the piece that f lies on; `share` is how long the
        gradient is, relative to that at 0."""
        index, ridge, diagonal = np.flatnonzero(self.on), self.problem.rows.ridge, self.diagonal
        if not len(index):
            return -gradient / ridge
        rows, cost = self.problem.rows.part(index), 2.0 * self.problem.cost[index]
        step, residual, workspace = np.zeros(rows.q), -gradient, np.empty(rows.q)
        near = residual / diagonal
        along, size = near.copy(), float(residual @ near)
        enough = min(MAX_GRADIENT_LEFT**2, share**0.5) * size
        for _ in range(MAX_PRODUCTS_OF_STEP):
            turned = ridge * along
            turned += rows.turned(along, cost, workspace)
            t = size / float(along @ turned)
            step += t * along
            turned *= t
            residual -= turned
            np.divide(residual, diagonal, out=near)
            before = size
            size = float(residual @ near)
            if size <= enough or self.clock.stopped(0):
                break
            along *= size / before
            along += near
        return step
