# SPDX-License-Identifier: BSD-3-Clause
"""The problem of a linear support vector machine, primal and dual, whatever its loss.

With f = z'v the value of a row, t its target and c its cost, the primal is to minimize

    v' diag(ridge) v / 2 + sum c |u|   or   sum c u^2  (the squared losses),

where u is what is left of t - f. For classes t is 1 or -1, and u = t - f where the row is on the
wrong side of its margin (t f < 1), else 0: |u| is the hinge. In regression u is t - f shrunk by
epsilon towards 0. The dual is to maximize, over beta, one number a row,

    t'beta - epsilon |beta|_1 - g' diag(1 / ridge) g / 2 - sum soft beta^2 / 2,   g = z'beta,

where soft is 0 and |beta| <= c for |u|, soft is 1 / (2 c) for u^2; and for classes t beta >= 0.
Any beta gives a lower bound: what the primal is above it is the gap.

Where the multipliers of some rows are held at a bound, these rows are linear in v: what is left is
the problem of the others with `base` - `pull`'v added to the primal, and `pull` to g in the dual.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._linalg import dot
from statfast._typing import Array

# The rounding of the objective, relative to the losses of all rows at v = 0.
ROUNDING_OF_LOSS = 1e-15
MIN_BALANCE = 0.1  # The least factor by which the multipliers of the heavier class begin lower.


@dataclass
class Problem:
    """See above. `epsilon` is None for classes."""

    rows: Any  # LinearRows
    target: NDArray[np.float64]  # (n,)
    cost: NDArray[np.float64]  # (n,) positive
    squared: bool
    epsilon: float | None = None
    pull: Any = 0.0  # (q,) the sum of the rows that are held at a bound.
    base: float = 0.0  # What the rows held at a bound add to both objectives.

    @property
    def classes(self) -> bool:
        return self.epsilon is None

    def excess(self, f: Array, rows: slice = slice(None)) -> Array:
        """u at values f of the rows in a slice."""
        target = self.target[rows]
        u = target - f
        if self.epsilon is None:
            return np.where(u * target > 0.0, u, 0.0)
        return np.sign(u) * np.maximum(np.abs(u) - self.epsilon, 0.0)

    def loss(self, u: Array, rows: slice = slice(None)) -> float:
        """The sum of the losses."""
        return dot(self.cost[rows], u * u if self.squared else np.abs(u))

    def primal(self, v: Array, f: Array) -> float:
        """The primal objective at v, whose values are f."""
        return self.quadratic(v) + self.loss(self.excess(f))

    def quadratic(self, v: Array) -> float:
        """The primal objective without the losses."""
        return float(v @ (0.5 * self.rows.ridge * v - self.pull)) + self.base

    @cached_property
    def hinges(self):
        """Signs and levels (m, n) of the hinges c max(0, level - sign f) that a loss is made of."""
        if self.classes:
            return self.target[None], np.ones((1, self.rows.n))
        sign = np.array([[1.0], [-1.0]]) * np.ones(self.rows.n)
        return sign, sign * self.target - self.epsilon

    @property
    def balance(self) -> Array | float:
        """Factors of costs with which both signs weigh the same."""
        if not self.classes:
            return 1.0
        on = self.target > 0.0
        positive, negative = float(self.cost[on].sum()), float(self.cost[~on].sum())
        if not (positive and negative):
            return 1.0
        return np.where(
            on,
            *(
                max(min(1.0, ratio), MIN_BALANCE)
                for ratio in (negative / positive, positive / negative)
            ),
        )

    @cached_property
    def scale(self) -> float:
        """The size of levels."""
        return 1.0 if self.classes else float(np.abs(self.hinges[1]).mean()) or 1.0

    @cached_property
    def rounding(self) -> float:
        """A gap of so little is rounding."""
        return ROUNDING_OF_LOSS * self.scale * float(self.cost.sum())

    def part(self, index: Any, share: Any) -> Any:
        """The problem of some rows, their costs times a factor."""
        rows, cost = self.rows.part(index), share * self.cost[index]
        return Problem(rows, self.target[index], cost, self.squared, self.epsilon)

    def near(self, index: Any, beta: Any) -> Any:
        """The problem of some rows, where the multipliers beta of the others are held."""
        rest = beta.copy()
        rest[index] = 0.0
        reward = dot(self.target, rest) - (self.epsilon or 0.0) * float(np.abs(rest).sum())
        rows, pull = self.rows.part(index), self.rows.combined(rest)
        part = Problem(
            rows, self.target[index], self.cost[index], self.squared, self.epsilon, pull, reward
        )
        part.scale, part.rounding = self.scale, self.rounding
        return part

    def gathered(self, beta: Array) -> Array:
        """What all rows add up to, with multipliers beta."""
        return self.rows.combined(beta) + self.pull

    def dual(self, beta: Array, g: Array) -> float:
        """The dual objective at beta, where all rows add up to g."""
        value = self.base + dot(self.target, beta) - 0.5 * float(g @ (g / self.rows.ridge))
        if self.epsilon:
            value -= self.epsilon * float(np.abs(beta).sum())
        if self.squared:
            value -= 0.25 * float((beta * beta / self.cost).sum())
        return value


@dataclass
class LinearSolution:
    """What a solver found: v, the multipliers beta, and how far they are from the optimum."""

    v: NDArray[np.float64]
    beta: NDArray[np.float64]
    primal: float
    dual: float
    n_iter: int
    converged: bool
    reason: str = ""  # Why the solver stopped, where it did not converge.
    gap: float = field(init=False)

    def __post_init__(self) -> None:
        self.gap = self.primal - self.dual


class Clock:
    """Whether an iteration may go on."""

    def __init__(self, max_iter: int, deadline: float | None, now: Callable[..., Any]) -> None:
        self.max_iter, self.deadline, self.now = max_iter, deadline, now

    def stopped(self, n_iter: int) -> str:
        """Why to stop after so many iterations; "" to go on."""
        if n_iter >= self.max_iter:
            return f"in {n_iter} iterations"
        if self.deadline is not None and self.now() > self.deadline:
            return "before time_limit"
        return ""
