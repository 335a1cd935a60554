# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps of coordinate descent on the dual, two halves of the rows at a time where they are many.

Rows come in rounds. Each half of a round begins at the same coefficients and changes its own
multipliers, in a thread of its own if there is one; both changes are then added up, as far as that
lowers the dual: it is a quadratic along their sum, and the way to its lowest point, at most 1, is
known. A round has no more rows than there are columns, or each half would do what the other does.
Whether there are threads or not, the rounds are the same, and so are the bits.
"""

import numpy as np

from statfast._blocks import checkpoint, each
from statfast._core import dual_descent as kernel
from statfast._products import dot
from statfast.svm.linear_rows import SLOW

CALL = 2e7  # numbers of rows visited in a kernel call: some 20 ms
ROUNDS = 8  # of a sweep, at most; rounds are large, but a sweep ought to have some
VISIT = 25.0  # numbers of a row that take as long as its visit takes besides
WORK = 5e5  # numbers of a round, at least: about half a millisecond
COLUMNS = 5.0  # the same for each column, as the coefficients are copied


class Sweeps:
    """Visits to the rows of a Dual; `v` is (1 + d,), the constant column's coefficient first."""

    def __init__(self, dual, v):
        rows = dual.problem.rows
        self.dual, self.v, self.rows = dual, v, rows
        self.sources, self.epsilon = _sources(rows), dual.problem.epsilon or 0.0
        self.one = rows.scale**2 if rows.intercept else 0.0
        width = rows.size / rows.n
        self.call = max(256, int(CALL / (width + VISIT)))
        self.least = int(max(WORK / (width + VISIT), COLUMNS * rows.q / max(width, 1.0)))
        self.most = min(rows.q, 2 * self.call)
        self.room = None

    def __call__(self, order, slack):
        """Visit the rows in an order; returns how many of them stay, packed to the front, and the
        largest and the least projected gradient, and the sum of their sizes."""
        seen, kept = _nothing(), 0
        step = max(self.least, len(order) // ROUNDS)
        step = min(step, self.most) if self.least <= self.most else self.call
        for begin in range(0, len(order), step):
            some = order[begin : begin + step]
            if self.least <= len(some) <= self.most:
                stay = self._halves(some, slack, seen)
            else:
                stay = self._visit(some, slack, self.v, seen)
            order[kept : kept + stay] = some[:stay]
            kept += stay
            checkpoint()
        return kept, seen

    def _visit(self, some, slack, v, seen):
        return kernel.sweep(
            *self.sources, self.one, self.dual.state, self.epsilon, slack, v, some, 0, len(some),
            0, seen,
        )  # fmt: skip

    def _halves(self, some, slack, seen):
        beta, middle, index = self.dual.beta, len(some) // 2, some.copy()
        before = beta[index]
        if self.room is None:
            self.room = np.empty((2, len(self.v)))

        def half(k):
            part, change, noted = some[middle:] if k else some[:middle], self.room[k], _nothing()
            change[:] = self.v
            stay = self._visit(part, slack, change, noted)
            change -= self.v
            return stay, noted

        effort = SLOW * self.rows.cost_of(False) * len(some) / self.rows.n
        (first, one), (second, other) = each(
            half, range(2), n_jobs=self.rows.n_jobs, effort=effort
        )  # fmt: skip
        for noted in (one, other):
            seen[:] = max(seen[0], noted[0]), min(seen[1], noted[1]), seen[2] + noted[2]
        change = self.room[0]
        change += self.room[1]
        share = self._share(index, before, change)
        if share < 1.0:
            beta[index] = before + share * (beta[index] - before)
            change *= share
        self.v += change
        some[first : first + second] = some[middle : middle + second]
        return first + second

    def _share(self, index, before, change):
        """How far to go along the sum of the halves' changes."""
        problem, now = self.dual.problem, self.dual.beta[index]
        moved = now - before
        fall = dot(problem.target[index], moved) - dot(self.v[1:], change[1:])
        bend = dot(change[1:], change[1:])
        if self.one:
            fall -= float(self.v[0] * change[0]) / self.one
            bend += float(change[0]) ** 2 / self.one
        if self.epsilon:
            fall -= self.epsilon * float((np.abs(now) - np.abs(before)).sum())
        if problem.squared:
            pull = 0.5 / problem.cost[index] * moved
            fall, bend = fall - dot(pull, before), bend + dot(pull, moved)
        return max(fall, 0.0) / bend if fall < bend else 1.0


def _nothing():
    return np.array([-np.inf, np.inf, 0.0])


def _sources(rows):
    """The rows as one of the three kinds that the kernel takes."""
    if rows.sparse:
        return None, None, *rows.parts
    X = rows.lined_up
    single = X.dtype == np.float32
    return None if single else X, X if single else None, None, None, None
