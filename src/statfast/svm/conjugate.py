# SPDX-License-Identifier: BSD-3-Clause
"""Newton steps by conjugate gradients, where columns are many: no matrix is made.

A product with the Hessian ``diag(ridge) + 2 z'cz`` over the rows that have a loss is two passes
over these rows. The steps are inexact, the less so the nearer the solution (Keerthi and DeCoste
2005, https://jmlr.org/papers/v6/keerthi05a.html); the Hessian's diagonal, if all rows had a
loss, is the preconditioner (Hsia, Chiang and Lin 2018,
https://proceedings.mlr.press/v95/hsia18a.html).
"""

import numpy as np

from statfast.svm.positive import require_products

ROUGH = 0.1  # of the gradient: what a step may leave of it, far from the solution
MOST = 1000  # products with the Hessian for a step


class Conjugate:
    """Steps for `minimise`."""

    def __init__(self, problem, clock):
        self.problem, self.clock = problem, clock
        self.diagonal = problem.rows.ridge + problem.rows.column_squares(2.0 * problem.cost)
        require_products(float(self.diagonal.max()))

    def look(self, f):
        """z'(2 c u), and the sum of the losses, at values f."""
        problem = self.problem
        u = problem.left(f)
        self.on = u != 0.0
        return problem.rows.combined(2.0 * problem.cost * u), problem.loss(u)

    def step(self, gradient, share):
        """About the step to the lowest point of the piece that f lies on; `share` is how long the
        gradient is, relative to that at 0."""
        index, ridge, diagonal = np.flatnonzero(self.on), self.problem.rows.ridge, self.diagonal
        if not len(index):
            return -gradient / ridge
        rows, cost = self.problem.rows.part(index), 2.0 * self.problem.cost[index]
        step, left, room = np.zeros(rows.q), -gradient, np.empty(rows.q)
        near = left / diagonal
        along, size = near.copy(), float(left @ near)
        enough = min(ROUGH**2, share**0.5) * size
        for _ in range(MOST):
            turned = ridge * along
            turned += rows.turned(along, cost, room)
            t = size / float(along @ turned)
            step += t * along
            turned *= t
            left -= turned
            np.divide(left, diagonal, out=near)
            before = size
            size = float(left @ near)
            if size <= enough or self.clock.stopped(0):
                break
            along *= size / before
            along += near
        return step
