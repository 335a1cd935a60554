# SPDX-License-Identifier: BSD-3-Clause
"""Dual coordinate descent: sweeps over the rows in random order (Hsieh et al. 2008).

The kernel makes the steps; here is what comes between sweeps. Rows that have left the order come
back before the end, which is LIBLINEAR's: for classes the largest less the least projected
gradient is at most tol (over alpha = y beta), in regression the sum of their sizes at most tol
times that of the first sweep (Ho and Lin 2012).
"""

import numpy as np

from statfast._blocks import checkpoint
from statfast._core import dual_descent as kernel
from statfast._products import dot
from statfast.svm.linear_problem import Solution
from statfast.svm.positive import require_products

CALL = 2e7  # numbers of rows visited in a kernel call: some 20 ms


def descend(problem, tol, clock, rng):
    """Solve the dual; returns a Solution."""
    rows, n = problem.rows, problem.rows.n
    terms = _terms(problem)
    beta, v = np.zeros(n), np.zeros(1 + rows.d)
    order, sources = np.arange(n, dtype=np.int32), _sources(rows)
    one = rows.scale**2 if rows.intercept else 0.0
    step = max(256, int(CALL * n / (rows.size + 20.0 * n)))
    count, slack, first, n_iter, reason = n, np.inf, None, 0, ""
    while True:
        kernel.shuffle(order, count, int(rng.integers(1, 2**63)))
        seen, kept = np.array([-np.inf, np.inf, 0.0]), 0
        for begin in range(0, count, step):
            kept = kernel.sweep(
                *sources, one, terms, problem.epsilon or 0.0, slack, beta, v, order, begin,
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
                break
            order[:] = np.arange(n)
            count, slack = n, np.inf
        else:
            count, slack = kept, max(seen[0], -seen[1], 0.0) or np.inf
        reason = clock.stopped(n_iter)
        if reason:
            break
    g = rows.combined(beta)
    v = g / rows.ridge
    primal, dual = problem.primal(v, rows.product(v)), problem.dual(beta, g)
    return Solution(v, beta, primal, dual, n_iter, not reason, reason)


def _terms(problem):
    """Target, curvature, soft, low and high of every row."""
    n, cost = problem.rows.n, problem.cost
    terms = np.zeros((5, n))
    terms[0] = problem.target
    if problem.squared:
        terms[2] = 0.5 / cost
    terms[1] = problem.rows.squares() + terms[2]
    require_products(dot(cost, terms[1]))
    bound = np.inf if problem.squared else cost
    terms[4], terms[3] = bound, -np.asarray(bound)
    if problem.classes:
        terms[3, problem.target > 0] = 0.0
        terms[4, problem.target < 0] = 0.0
    return terms


def _sources(rows):
    """The rows as one of the three kinds that the kernel takes."""
    if rows.sparse:
        return None, None, *rows.parts
    X = rows.lined_up
    single = X.dtype == np.float32
    return None if single else X, X if single else None, None, None, None
