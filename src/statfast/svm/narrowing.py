# SPDX-License-Identifier: BSD-3-Clause
"""The interior point on ever fewer rows: those near the margin.

On the path at mu the multiplier of a row that is far from its margin, |short| c >> mu, is all but
at a bound. With those multipliers held at their bounds, the rows drop out of the problem, but for
their sum. As mu falls, the rows left are ever fewer, until they are about as many as columns. Each
time rows are chosen anew from all of them, so that what was held at the wrong bound comes back; and
the gap at the end is that of all rows.
"""

import numpy as np

from statfast.svm.interior import Path, follow, is_enough
from statfast.svm.linear_problem import Solution

REACH = 10.0  # times mu: c |short| of a row that is far from its margin
WIDER = 40.0  # the same where the gap shows that this was too short
KEPT, EACH = 256, 4  # rows that stay at least, and rows for each column
FALL, WORTH = 2.0, 2.0  # what mu has to fall by, and the rows, that they are chosen anew
SOME = 16  # rows of which one is looked at for that
JUMP = 100.0  # of the gap, about: where it grows more when rows drop out, they had better not
TRIES = 2  # parts whose solution is not that of all rows: then no row drops out any more


def narrow(problem, tol, clock):
    """Solve a problem of hinges until the gap is at most tol^2 of the primal; a Solution."""
    least = KEPT + EACH * problem.rows.q
    path, index, beta = Path(problem), None, None
    n_iter, begun, tries = 0, np.inf, 0
    while True:

        def leave(path, begun=begun, part=index is not None):
            if part and path.is_lost:
                return True
            if path.rows.n <= 2 * least or path.mu > begun / FALL:
                return False
            far = _far(path, slice(None, None, SOME))
            return WORTH * (far <= _limit(path)).mean() < 1.0

        found, n_iter, ended = follow(path, tol, clock, n_iter, leave if tries < TRIES else None)
        if index is None and ended:
            return found
        f, mu, limit = problem.rows.product(found.v), path.mu, _limit(path)
        if ended:
            beta[index] = found.beta
            primal = problem.primal(found.v, f)
            whole = Solution(found.v, beta, primal, found.dual, n_iter, False, found.reason)
            whole.converged = is_enough(whole, tol, path.rounding)
            if whole.converged or clock.stopped(n_iter):
                whole.reason = "" if whole.converged else found.reason
                return whole
            tries = TRIES if found.reason else tries + 1
            mu, limit = _misjudged(problem, f, beta, index, mu)
        elif path.is_lost:
            tries = TRIES
        near = _near(problem, f, limit, least) if tries < TRIES else None
        part = None
        if near is not None:
            part = Path(problem.near(*near), (found.v, f[near[0]], mu))
            if not ended:
                part.take(path, near[0], index)
                if not part.excess() < JUMP * path.excess():
                    part = None
        if part is not None:
            path, (index, beta), begun = part, near, mu
        elif ended or path.is_lost:
            path, index, beta, tries = Path(problem), None, None, TRIES
        else:
            begun = mu  # it goes on with the rows it has


def _far(path, some):
    """How far rows of a path are from their margin, in units of mu."""
    return np.abs(path.short(some)).min(axis=0) * path.cost[some]


def _limit(path):
    """How far is far: beyond what mu says, and what the last step may be off by."""
    return max(REACH * path.mu, path.stride * float(path.cost.max()))


def _near(problem, f, limit, least):
    """Which rows are near their margin, and all multipliers at bounds; None if most rows are."""
    sign, level = problem.hinges
    short = level - sign * f
    far = np.abs(short).min(axis=0) * problem.cost
    on = far <= limit
    if on.sum() < least < problem.rows.n:
        on = far <= np.partition(far, least)[least]
    if WORTH * on.sum() > problem.rows.n:
        return None
    index = np.flatnonzero(on)
    beta = (sign * np.where(short > 0.0, problem.cost, 0.0)).sum(axis=0)
    return index, beta


def _misjudged(problem, f, beta, index, mu):
    """Where to go on, mu and how far rows may be, if some were held at the wrong bound: they have
    to come back."""
    u = problem.left(f)
    excess = problem.cost * np.abs(u) - (problem.target - f) * beta
    if problem.epsilon:
        excess += problem.epsilon * np.abs(beta)
    excess[index] = 0.0
    mu = max(mu, float(excess.sum()) / (2.0 * len(index)))
    return mu, max(WIDER * mu, float(excess.max()))
