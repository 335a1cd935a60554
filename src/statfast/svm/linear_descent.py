# SPDX-License-Identifier: BSD-3-Clause
"""Dual coordinate descent: sweeps over the rows in random order (Hsieh et al. 2008).

The kernel makes the steps; here is what comes between sweeps. Where the rows on the margin are
fewer than the columns, their multipliers are moved together from time to time (`face`), which takes
the place of some hundred sweeps. Rows that have left the order come back before the end, which is
LIBLINEAR's: for classes the largest less the least projected gradient is at most tol (over
alpha = y beta), in regression the sum of their sizes at most tol times that of the first sweep
(Ho and Lin 2012). For classes the gap is to be small as well.
"""

import numpy as np

from statfast._blocks import checkpoint
from statfast._core import dual_descent as kernel
from statfast.svm.face import Dual, leap
from statfast.svm.linear_problem import Solution

CALL = 2e7  # numbers of rows visited in a kernel call: some 20 ms
BEFORE, BETWEEN = 15, 5  # sweeps before the first leap, and between two
GAP, TIMES = 1e-2, 3  # times tol: a gap, relative to the objective, beyond which tol is lowered


def descend(problem, tol, clock, rng):
    """Solve the dual; returns a Solution."""
    rows, n = problem.rows, problem.rows.n
    dual, v = Dual(problem), np.zeros(1 + rows.d)
    order, sources = np.arange(n, dtype=np.int32), _sources(rows)
    one = rows.scale**2 if rows.intercept else 0.0
    step = max(256, int(CALL * n / (rows.size + 20.0 * n)))
    count, slack, first, n_iter, reason = n, np.inf, None, 0, ""
    wait, due, asked, tries = BETWEEN, BEFORE, tol, TIMES
    while True:
        kernel.shuffle(order, count, int(rng.integers(1, 2**63)))
        seen, kept = np.array([-np.inf, np.inf, 0.0]), 0
        for begin in range(0, count, step):
            kept = kernel.sweep(
                *sources, one, dual.state, problem.epsilon or 0.0, slack, v, order, begin,
                min(count, begin + step), kept, seen,
            )  # fmt: skip
            checkpoint()
        n_iter += 1
        if problem.classes:
            left, enough = (seen[0] - seen[1] if kept else 0.0), tol
        else:
            first = float(seen[2]) if first is None else first
            left, enough = float(seen[2]), tol * first
        if left <= enough:
            if count == n:
                found = _solution(dual, n_iter)
                if not problem.classes or not tries or found.gap <= GAP * asked * found.primal:
                    return found
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


def _solution(dual, n_iter, reason=""):
    """The Solution at the multipliers."""
    problem, rows, beta = dual.problem, dual.problem.rows, dual.beta.copy()
    g = rows.combined(beta)
    v = g / rows.ridge
    primal, least = problem.primal(v, rows.product(v)), problem.dual(beta, g)
    return Solution(v, beta, primal, least, n_iter, not reason, reason)


def _sources(rows):
    """The rows as one of the three kinds that the kernel takes."""
    if rows.sparse:
        return None, None, *rows.parts
    X = rows.lined_up
    single = X.dtype == np.float32
    return None if single else X, X if single else None, None, None, None
