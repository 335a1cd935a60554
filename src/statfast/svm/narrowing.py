# SPDX-License-Identifier: BSD-3-Clause
"""The interior point on ever fewer rows: those near the margin.

On the path at mu the multiplier of a row that is far from its margin, |short| c >> mu, is all but
at a bound. With those multipliers held at their bounds, the rows drop out of the problem, but for
their sum. As mu falls, the rows left are ever fewer, until they are about as many as columns. Each
time rows are chosen anew from all of them, so that what was held at the wrong bound comes back; and
the gap at the end is that of all rows.

Of many rows every eighth is solved first, roughly: that tells most rows from the margin at once.
"""

import numpy as np

from statfast.svm.interior import Path, follow, is_enough
from statfast.svm.linear_problem import Solution

FEW, COLUMNS = 6000, 80  # rows, and rows for each column, from which a sample is solved first
SHARE = 8  # one row in so many, at so many times the cost
ROUGH = 0.3  # tolerance of a sample, whose solution is off by more than that
DRIFT = 0.3  # mu after a sample, in units of what its solution is off by
REACH = 10.0  # times mu: c |short| of a row that is far from its margin
WIDER = 4.0  # times that reach, where the gap shows that it was too short
KEPT, EACH = 256, 4  # rows that stay at least, and rows for each column
FALL, WORTH = 4.0, 3.0  # what mu has to fall by, and the rows, that they are chosen anew
SOME = 16  # rows of which one is looked at for that


def narrow(problem, tol, clock):
    """Solve a problem of hinges until the gap is at most tol^2 of the primal; a Solution."""
    n_iter, reach, start = 0, REACH, None
    least = KEPT + EACH * problem.rows.q
    if problem.rows.n >= max(FEW, COLUMNS * problem.rows.q):
        start = _sampled(problem, clock)
    while True:
        part, index, beta = _near(problem, start, reach, least) if start else (problem, None, None)
        if index is None:
            path = Path(problem, start)
        else:
            path = Path(part, (start[0], start[1][index], start[2]))
        begun = start[2] if start else np.inf

        def leave(path, begun=begun, reach=reach):
            if path.rows.n <= 2 * least or path.mu > begun / FALL:
                return False
            some = slice(None, None, SOME)
            near = np.abs(path.short(some)).min(axis=0) * path.cost[some] <= reach * path.mu
            return WORTH * near.mean() < 1.0

        found, n_iter, ended = follow(path, tol, clock, n_iter, leave)
        if index is None and ended:
            return found
        f = problem.rows.product(found.v)
        if ended:
            beta[index] = found.beta
            primal = problem.primal(found.v, f)
            whole = Solution(found.v, beta, primal, found.dual, n_iter, False, found.reason)
            whole.converged = is_enough(whole, tol, path.rounding)
            if whole.converged or found.reason:
                whole.reason = "" if whole.converged else found.reason
                return whole
            reach *= WIDER
        start = found.v, f, path.mu
        if ended:
            start = found.v, f, max(path.mu, _misjudged(problem, f, beta, index))


def _sampled(problem, clock):
    """Where to begin: v of a sample, all values, and a mu that allows for what v is off by."""
    rows = problem.rows
    path = Path(problem.part(np.arange(0, rows.n, SHARE), SHARE))
    v = follow(path, ROUGH, clock)[0].v
    f = rows.product(v)
    sign, level = problem.hinges
    size = float(np.abs(level - sign * f).min(axis=0).mean() * problem.cost.mean())
    off = DRIFT * size * np.sqrt(rows.q / path.rows.n)
    return v, f, max(path.mu / SHARE, off)


def _near(problem, start, reach, least):
    """The problem of the rows near their margin, which they are, and all multipliers at bounds;
    the whole problem and None twice if that is not much less."""
    _, f, mu = start
    sign, level = problem.hinges
    short = level - sign * f
    far = np.abs(short).min(axis=0) * problem.cost
    on = far <= reach * mu
    if on.sum() < least < problem.rows.n:
        on = far <= np.partition(far, least)[least]
    if WORTH * on.sum() > (WORTH - 1.0) * problem.rows.n:
        return problem, None, None
    index = np.flatnonzero(on)
    beta = (sign * np.where(short > 0.0, problem.cost, 0.0)).sum(axis=0)
    return problem.near(index, beta), index, beta


def _misjudged(problem, f, beta, index):
    """What a row adds to the gap, on average, whose multiplier was held at the wrong bound."""
    u = problem.left(f)
    excess = problem.cost * np.abs(u) - (problem.target - f) * beta
    if problem.epsilon:
        excess += problem.epsilon * np.abs(beta)
    excess[index] = 0.0
    wrong = excess > 0.0
    return float(excess[wrong].mean()) if wrong.any() else 0.0
