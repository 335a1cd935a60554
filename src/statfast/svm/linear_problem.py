# SPDX-License-Identifier: BSD-3-Clause
"""The problem of a linear support vector machine, primal and dual, whatever its loss.

With f = z'v the value of a row, t its target and c its cost, the primal is to minimise

    v' diag(ridge) v / 2 + sum c |u|   or   sum c u^2  (the squared losses),

where u is what is left of t - f. For classes t is 1 or -1, and u = t - f where the row is on the
wrong side of its margin (t f < 1), else 0: |u| is the hinge. In regression u is t - f shrunk by
epsilon towards 0. The dual is to maximise, over beta, one number a row,

    t'beta - epsilon |beta|_1 - g' diag(1 / ridge) g / 2 - sum soft beta^2 / 2,   g = z'beta,

where soft is 0 and |beta| <= c for |u|, soft is 1 / (2 c) for u^2; and for classes t beta >= 0.
Any beta gives a lower bound: what the primal is above it is the gap.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass
class Problem:
    """See above. `epsilon` is None for classes."""

    rows: Any  # LinearRows
    target: NDArray[np.float64]  # (n,)
    cost: NDArray[np.float64]  # (n,) positive
    squared: bool
    epsilon: float | None = None

    @property
    def classes(self):
        return self.epsilon is None

    def left(self, f, rows=slice(None)):
        """u at values f of the rows in a slice."""
        target = self.target[rows]
        u = target - f
        if self.epsilon is None:
            return np.where(u * target > 0.0, u, 0.0)
        return np.sign(u) * np.maximum(np.abs(u) - self.epsilon, 0.0)

    def loss(self, u, rows=slice(None)):
        """The sum of the losses."""
        return float(self.cost[rows] @ (u * u if self.squared else np.abs(u)))

    def primal(self, v, f):
        """The primal objective at v, whose values are f."""
        return 0.5 * float(v @ (self.rows.ridge * v)) + self.loss(self.left(f))

    def part(self, index, share):
        """The problem of some rows, their costs times a factor."""
        rows, cost = self.rows.part(index), share * self.cost[index]
        return Problem(rows, self.target[index], cost, self.squared, self.epsilon)

    def dual(self, beta, g):
        """The dual objective at beta, whose rows add up to g."""
        value = float(self.target @ beta) - 0.5 * float(g @ (g / self.rows.ridge))
        if self.epsilon:
            value -= self.epsilon * float(np.abs(beta).sum())
        if self.squared:
            value -= 0.25 * float((beta * beta) @ (1.0 / self.cost))
        return value


@dataclass
class Solution:
    """What a solver found: v, the multipliers beta, and how far they are from the optimum."""

    v: NDArray[np.float64]
    beta: NDArray[np.float64]
    primal: float
    dual: float
    n_iter: int
    converged: bool
    reason: str = ""  # why it stopped, where it did not converge
    gap: float = field(init=False)

    def __post_init__(self):
        self.gap = self.primal - self.dual


class Clock:
    """Whether an iteration may go on."""

    def __init__(self, max_iter, deadline, now):
        self.max_iter, self.deadline, self.now = max_iter, deadline, now

    def stopped(self, n_iter):
        """Why to stop after so many iterations; "" to go on."""
        if n_iter >= self.max_iter:
            return f"in {n_iter} iterations"
        if self.deadline is not None and self.now() > self.deadline:
            return "before time_limit"
        return ""
