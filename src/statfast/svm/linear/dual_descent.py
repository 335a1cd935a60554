# SPDX-License-Identifier: BSD-3-Clause
"""The dual of a linear machine as descent sees it, and leaps on the face it has come to.

Sweeps soon tell which multipliers are at a bound. They may then take hundreds to bring the others
to rest, the more the nearer the rows on the margin are to being dependent. Of these others the dual
is a quadratic. Its lowest point is found by conjugate gradients: products with the rows on the
margin alone, two passes over them. What would go beyond a bound stays at the bound, and the way
is halved until the dual falls as it should; the next sweeps free what had better not be there. That
is the method of Moré and Toraldo (1991, doi:10.1137/0801008), with sweeps in the place of projected
gradients.
"""

import numpy as np

from statfast._products import dot
from statfast.svm.positive import require_products

TARGET, SHARE, SOFT, LOW, HIGH, BETA, RECORD = 0, 1, 2, 3, 4, 5, 8  # as the kernel knows them
LINE = 64  # bytes of a cache line
ROUGH = 0.4  # of the gradient: what a leap may leave of it
MOST = 60  # products for a leap
FLAT = 1e-10  # of the curvature of rows by themselves: with less there is no lowest point
HALVINGS = 6
WORTH = 0.1  # of the fall that the gradient promises: a leap must bring so much


class Dual:
    """Of every row the target, the share of a gradient that a step is, soft, low, high and beta.

    `state` is (n, 8), a cache line for each row.
    """

    def __init__(self, problem):
        n, cost = problem.rows.n, problem.cost
        self.problem = problem
        room = np.zeros((n + 1) * RECORD)
        first = -room.ctypes.data % LINE // room.itemsize
        self.state = room[first : first + n * RECORD].reshape(n, RECORD)
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


def leap(dual, active, v, clock):
    """Move those multipliers of the rows `active` that are at no bound, and `v`, which is (1 + d,),
    with them; whether that was of use."""
    problem, epsilon = dual.problem, dual.problem.epsilon or 0.0
    index = np.sort(active)
    _, _, _, low, high, now = dual.state[index, : BETA + 1].T
    free = (now > low) & (now < high)
    if epsilon:
        free &= now != 0.0
    index = index[free]
    if not 0 < len(index) <= problem.rows.q:  # more rows are dependent
        return False
    target, share, soft, low, high, now = np.ascontiguousarray(dual.state[index, : BETA + 1].T)
    if epsilon:  # on the same side of 0
        target = target - epsilon * np.sign(now)
        low, high = np.where(now > 0.0, 0.0, low), np.where(now < 0.0, 0.0, high)
    rows = problem.rows.part(index)
    w = v[1 - rows.one :]
    slope = rows.product(w) - target + soft * now
    step = _to_the_lowest(rows, slope, share, soft, clock)
    for _ in range(HALVINGS):
        change = np.clip(now + step, low, high) - now
        moved = rows.combined(change) / rows.ridge
        promised = dot(slope, change)
        bend = 0.5 * (dot(rows.ridge * moved, moved) + dot(soft * change, change))
        if promised + bend <= WORTH * promised < 0.0:
            dual.beta[index] = now + change
            w += moved
            return True
        step = 0.5 * step
    return False


def _to_the_lowest(rows, slope, share, soft, clock):
    """About the step to the lowest point, were there no bounds."""
    step, left = np.zeros(rows.n), -slope
    near = share * left
    along, size = near, dot(left, near)
    enough, alone = ROUGH**2 * size, 1.0 / share
    room = np.empty(rows.q)
    for _ in range(MOST):
        moved = rows.combined(along, room)
        moved /= rows.ridge
        turned = rows.product(moved) + soft * along
        bend = dot(along, turned)
        if not bend > FLAT * dot(alone * along, along):
            break
        t = size / bend
        step = step + t * along
        left = left - t * turned
        near, before = share * left, size
        size = dot(left, near)
        if size <= enough or clock.stopped(0):
            break
        along = near + (size / before) * along
    return step
