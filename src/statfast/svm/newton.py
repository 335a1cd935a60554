# SPDX-License-Identifier: BSD-3-Clause
"""Newton's method for the squared losses: exact after finitely many steps.

The primal is piecewise quadratic. At each point one pass over the rows gives its gradient and the
Hessian ``diag(ridge) + 2 z'cz`` over the rows that have a loss; the step is followed to the lowest
point of its line. Where the rows with a loss are those of the solution, the next step is the
solution (Mangasarian 2002, doi:10.1080/1055678021000028375; Keerthi and DeCoste 2005,
https://jmlr.org/papers/v6/keerthi05a.html).

At any v, beta = 2 c u is feasible for the dual, and the gap is half the squared length of the
gradient in the metric of the penalty.
"""

import numpy as np

from statfast.svm.linear_problem import Solution
from statfast.svm.positive import factored, solved

ROUNDS = 60  # on a line: it is piecewise quadratic, so they are few
SHORT, BEYOND = 0.1, 1e-3  # of the slope at the start: short of the lowest point, and beyond it
FINER = 1e-6  # of the gradient asked for: Newton's last step is nearly free, so it is taken
EXACT = 1e-15  # of the primal: a gap of so little is rounding
STILL = 1e-14  # of the primal: a fall of so little is rounding


def minimise(problem, tol, clock):
    """Minimise the primal; returns a Solution. `tol` is the length of the gradient, relative to
    that at 0, at which it counts as converged; the iteration goes on while that is nearly free."""
    rows = problem.rows
    v, f = np.zeros(rows.q), np.zeros(rows.n)
    best, last, first, n_iter, reason = None, np.inf, 0.0, 0, ""
    while True:
        h, pull, loss = _sums(problem, f)
        gradient = rows.ridge * v - pull
        primal = 0.5 * float(v @ (rows.ridge * v)) + loss
        gap, size = 0.5 * float(gradient @ (gradient / rows.ridge)), np.linalg.norm(gradient)
        if best is None:
            first = size
        if best is None or gap < best[1]:
            best, stalled = (primal, gap, size, v, f), False
        else:
            stalled = primal >= last * (1.0 - STILL)
        if size <= FINER * tol * first or gap <= EXACT * primal or stalled:
            break
        reason = clock.stopped(n_iter)
        if reason:
            break
        step = -solved(factored(h, rows.ridge), gradient)
        along = rows.product(step)
        t = _lowest(problem, v, f, step, along)
        v, f, last = v + t * step, f + t * along, primal
        n_iter += 1
    primal, gap, size, v, f = best
    beta = 2.0 * problem.cost * problem.left(f)
    converged = bool(size <= tol * first)
    reason = "" if converged else reason or f"in {n_iter} iterations, as rounding hides the rest"
    return Solution(v, beta, primal, primal - gap, n_iter, converged, reason)


def _sums(problem, f):
    """The Hessian without the penalty (lower triangle), z'(2 c u), and the sum of the losses."""
    rows = problem.rows

    def partial(some, block):
        u, cost = problem.left(f[some], some), 2.0 * problem.cost[some]
        h, g = np.zeros((rows.q, rows.q)), np.zeros(rows.q)
        rows.accumulate(some, block, cost * u, np.where(u != 0.0, cost, 0.0), h, g)
        return [h, g, problem.loss(u, some)]

    return rows.sums(partial)


def _lowest(problem, v, f, step, along):
    """How far to go: near the lowest point of the line, by Newton's method between bounds."""
    ridge, cost = problem.rows.ridge, 2.0 * problem.cost
    bend, slope = float(step @ (ridge * step)), float(step @ (ridge * v))
    start = slope - float((cost * problem.left(f)) @ along)
    if not start < 0.0:
        return 1.0  # rounding: the caller sees that nothing falls
    weighted, t, low, high = cost * along, 1.0, 0.0, np.inf
    for _ in range(ROUNDS):
        u = problem.left(f + t * along)
        now = slope + t * bend - float(u @ weighted)
        if start * SHORT <= now <= -start * BEYOND:
            break
        low, high = (t, high) if now < 0.0 else (low, t)
        curve = bend + float(weighted[u != 0.0] @ along[u != 0.0])
        t = t - now / curve if curve > 0.0 else np.inf
        if not low < t < high:
            t = 0.5 * (low + high) if high < np.inf else 2.0 * max(low, 1.0)
    return t
