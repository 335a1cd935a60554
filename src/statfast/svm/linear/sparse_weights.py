# SPDX-License-Identifier: BSD-3-Clause
"""The squared hinge loss with an l1 penalty: LIBLINEAR's solver 5.

Minimizes  |v|_1 + sum c max(0, 1 - t f)^2,  f = z'v, where z is a row after a constant number. Of
few columns by proximal Newton steps: at each point the rows inside their margin make the quadratic
approximation a lasso, which coordinate descent solves on the products of the columns that are in
the model or ought to be; where neither rows nor signs change any more, the next point is the
solution. Of many by coordinate descent with Newton directions (Yuan, Chang, Hsieh & Lin 2010, JMLR
11, 3183-3234, compare such methods).

For the dual, u = t - f of the rows inside their margin, beta = 2 c u is scaled until no product
|z'beta| of a column exceeds 1; then t'beta - sum beta^2 / (4 c) is a lower bound.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._core.svm.dual_descent import shuffle
from statfast._core.svm.primal_descent import sweep
from statfast._engine import checkpoint
from statfast._linalg import dot
from statfast._typing import Array, Jobs
from statfast._validation import refuse_large
from statfast.linear.design.columns import columns_of
from statfast.linear.penalized.proximal_newton import ProximalNewton
from statfast.svm.linear.objective import Clock, LinearSolution

MAX_COLUMNS_FOR_PRODUCTS = 1000  # Products of more columns take longer than sweeps.
NUMBERS_OF_CALL = 5e6  # A kernel call visits so many numbers in about 30 ms.
# Newton steps go on to this share of the gap that was asked for, as the last step is nearly free.
SHARPER_GAP = 1e-3
# Descent ends at a gap of this many tolerances, relative to the objective.
MAX_GAP_PER_TOLERANCE = 0.1
# The violations that end a round are lowered by this factor where the gap shows that they were too
# large.
VIOLATIONS_LOWERED = 0.1
ROUNDING_OF_GAP = 1e-12  # A gap that is a smaller share of the losses at 0 is rounding.
# The curvature of rows beyond their margin, which must be positive.
CURVATURE_BEYOND_MARGIN = 1e-16


def with_constant(X: Array, scale: float) -> Array:
    """Rows (n, 1 + d) that begin with a number."""
    if hasattr(X, "indptr"):
        from scipy.sparse import csc_array, hstack

        return csc_array(hstack([np.full((X.shape[0], 1), scale), X]))
    refuse_large(8 * X.size, "A copy of X with a constant column", "Pass fit_intercept=False.")
    return np.column_stack([np.full(len(X), scale), X])


class SquaredHinge(ProximalNewton):
    """The problem of one class against the others, its targets 1 and -1."""

    def __init__(
        self, rows: Array, target: Array, cost: Array, clock: Clock, n_jobs: Jobs = None
    ) -> None:
        self.target, self.clock = target, clock
        columns = columns_of(rows, cost, False, False, n_jobs)
        super().__init__(columns, cost, False, most=2.0)

    def is_late(self) -> bool:
        return bool(self.clock.stopped(0))

    def _losses(self, eta: Array) -> Array:
        u = self.target - eta
        return np.where(u * self.target > 0.0, u, 0.0)

    def _loss(self, eta: Array) -> float:
        u = self._losses(eta)
        return dot(self.w, u * u)

    def _curvature(self) -> tuple[Array, Array]:
        u = self._losses(self.eta)
        return 2.0 * u, np.where(u != 0.0, 2.0, CURVATURE_BEYOND_MARGIN)

    def _gradient(self) -> Array:
        self.score = 2.0 * self._losses(self.eta)
        return self.columns.correlate(self.score) * self.per

    def gap(self, l1: float, l2: float = 0.0) -> float:
        self.gradient = self._gradient()
        reward = dot(self.w, self.target * self.score)
        price = 0.25 * dot(self.w, self.score**2)
        share = min(1.0 / max(self.largest / l1, 1e-300), 0.5 * reward / price if price else 1.0)
        self.share = share
        return self._objective(self.eta, self.b, l1, l2) - share * (reward - share * price)


def sparsest(
    rows: Array,
    target: Array,
    cost: Array,
    tol: float,
    clock: Clock,
    seed: int,
    n_jobs: Jobs = None,
) -> tuple[LinearSolution, str]:
    """Minimize; the `LinearSolution`, and what found it. Steps end at a gap of tol^2 of the losses
    at 0, descent at one of tol / 10 of the objective."""
    if rows.shape[1] > MAX_COLUMNS_FOR_PRODUCTS:
        return _descended(rows, target, cost, tol, clock, seed), "coordinate descent"
    return _stepped(rows, target, cost, tol, clock, n_jobs), "proximal newton"


def _stepped(
    rows: Array, target: Array, cost: Array, tol: float, clock: Clock, n_jobs: Jobs
) -> LinearSolution:
    descent = SquaredHinge(rows, target, cost, clock, n_jobs)
    l1, l2 = descent.penalties(1.0, 0.0)
    before, turns = descent.lead_down(l1, l2, clock.max_iter)
    goal = max(tol**2, ROUNDING_OF_GAP)
    gap, more = descent.solve(l1, l2, before, SHARPER_GAP * goal, max(clock.max_iter - turns, 1))
    coef, _ = descent.original()
    primal = descent._objective(descent.eta, descent.b, l1, l2)
    beta = descent.share * descent.w * descent.score
    solution = LinearSolution(
        coef, beta, primal, primal - gap, turns + more, gap <= goal * descent.null
    )
    if not solution.converged:
        rounding = f"in {solution.n_iter} iterations, as rounding hides the rest"
        solution.reason = clock.stopped(solution.n_iter) or rounding
    return solution


def _descended(rows: Any, target: Array, cost: Any, tol: float, clock: Clock, seed: int) -> Any:
    """Coordinate descent; columns that have left the order come back before the end."""
    from scipy.sparse import csc_array

    columns = rows.tocsc() if hasattr(rows, "indptr") else csc_array(rows)
    q, rng = rows.shape[1], np.random.default_rng(seed)
    start, row = columns.indptr.astype(np.intp), columns.indices.astype(np.int32)
    root = np.sqrt(cost)
    value = columns.data * (root * target)[row]
    square = np.bincount(np.repeat(np.arange(q), np.diff(start)), value * value, minlength=q)
    scaled = csc_array((value, row, start), shape=columns.shape)
    v, residual = np.zeros(q), root.copy()
    step = max(64, int(NUMBERS_OF_CALL * q / (columns.nnz + 20.0 * q)))
    order, count, slack, n_iter, enough = np.arange(q, dtype=np.int32), q, np.inf, 0, 0.0
    while True:
        shuffle(order, count, int(rng.integers(1, 2**63)))
        seen, kept = np.zeros(2), 0
        for begin in range(0, count, step):
            kept = sweep(
                start, row, value, square, residual, v, order, begin, min(count, begin + step),
                kept, slack, seen,
            )  # fmt: skip
            checkpoint()
        n_iter += 1
        reason = clock.stopped(n_iter)
        enough = enough or tol * float(seen[1])
        if seen[1] <= enough or reason:
            residual = root - scaled @ v
            solution = _bounded(columns, target, cost, v, columns @ v, n_iter)
            solution.converged = bool(
                solution.gap <= max(MAX_GAP_PER_TOLERANCE * tol, ROUNDING_OF_GAP) * solution.primal
            )
            if solution.converged or reason:
                solution.reason = "" if solution.converged else reason
                return solution
            enough = enough if count < q else VIOLATIONS_LOWERED * enough
            order[:], count, slack = np.arange(q), q, np.inf
        else:
            count, slack = kept, float(seen[0]) / len(target)


def _bounded(columns: Any, target: Array, cost: Any, v: Array, f: Array, n_iter: int) -> Any:
    """The solution at v, its multipliers scaled to where the lower bound is highest."""
    u = target - f
    u[u * target <= 0.0] = 0.0
    beta = 2.0 * cost * u
    primal = float(np.abs(v).sum()) + dot(cost, u * u)
    reward, price = dot(target, beta), dot(cost, u * u)
    top = float(np.abs(columns.T @ beta).max())
    share = min(1.0 / max(top, 1e-300), 0.5 * reward / price if price else 1.0)
    return LinearSolution(v, share * beta, primal, share * (reward - share * price), n_iter, False)
