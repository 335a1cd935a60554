# SPDX-License-Identifier: BSD-3-Clause
"""From a point near the optimum of a hinge problem to the optimum itself.

There a row is off its margin, with its multiplier at a bound, or on it. Given which rows are on it,
v is the solution of linear equations, and so are their multipliers: exact but for rounding. Where
the guess is wrong the gap says so.
"""

import numpy as np

from statfast.svm.linear_problem import Solution

MOST = 4  # times the columns: with more rows on the margin they are not told from the others yet
EFFORT, SHARE = 1e6, 0.05  # of the equations: they may cost so much, or this share of a pass
MOST_EFFORT = 5e7  # but no more, which would keep Ctrl-C waiting


def polished(path, n_iter, last):
    """A list of the Solution that the point of an interior path leads to; empty if none does.

    Where the rows on the margin are other than at the point before, they will hardly be the right
    ones: then nothing is tried, unless it is the last point.
    """
    from scipy.linalg import LinAlgError, lstsq

    problem, rows, cost = path.problem, path.rows, path.cost
    share = path.a / cost
    up = 1.0 - share <= path.xi / path.scale  # the multiplier is at its upper bound
    free = ~up & (share > path.r / path.scale)
    known = path.guess
    path.guess = up, free
    same = known is not None and all(map(np.array_equal, known, path.guess))
    index = np.flatnonzero(free.any(axis=0))
    most = min(max(EFFORT, SHARE * rows.pairs), MOST_EFFORT)
    path.told = len(index) <= MOST * rows.q and len(index) * rows.q**2 <= most
    if not (path.told and (last or same)):
        return []
    beta = (path.sign * np.where(up, cost, 0.0)).sum(axis=0)
    beta[index] = 0.0
    root = 1.0 / np.sqrt(rows.ridge)
    begin = root * problem.gathered(beta)
    if len(index):
        z = rows.take(index) * root
        weight = free[:, index]
        on = (weight * path.sign[:, index] * path.level[:, index]).sum(axis=0) / weight.sum(axis=0)
        try:
            more = lstsq(z, on - z @ begin, lapack_driver="gelsy", check_finite=False)[0]
            given = lstsq(z.T, more, lapack_driver="gelsy", check_finite=False)[0]
        except LinAlgError:
            return []
        signs = path.sign[:, index]
        low = np.where((weight & (signs < 0)).any(axis=0), -cost[index], 0.0)
        high = np.where((weight & (signs > 0)).any(axis=0), cost[index], 0.0)
        beta[index] = np.clip(given, low, high)
        begin = begin + more
    v = root * begin
    primal = problem.primal(v, rows.product(v))
    return [Solution(v, beta, primal, problem.dual(beta, problem.gathered(beta)), n_iter, False)]
