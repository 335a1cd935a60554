# SPDX-License-Identifier: BSD-3-Clause
"""Maxima of the likelihood where some means are at an end of their range.

With links such as the identity for counts or the logarithm for shares, not all coefficients give
means, and the largest likelihood may be where rows with no successes have mean 0, or those with
successes only have mean 1. Its slope is not zero there. It is followed from inside: the likelihood
plus t times the logarithms of the distances of these rows from their end has a maximum inside,
which approaches that of the likelihood as t falls to 0 (Fiacco & McCormick 1968, Nonlinear
Programming, doi:10.1137/1.9781611971316).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._engine import checkpoint
from statfast._linalg import CholeskyFactor
from statfast._typing import Array
from statfast.linear.glm.irls_sums import IRLSSums, ModelRows
from statfast.linear.glm.links import bounds_of

# Rows at a smaller share of the mean distance at first lose their digits to rounding.
MIN_DISTANCE = 1e-10
# A row at a smaller share of the mean distance at first counts as being at its end.
MAX_DISTANCE_AT_END = 1e-5
# A row is looked at whose distance from its end is a smaller share of the mean.
MAX_DISTANCE_LOOKED_AT = 1e-4
DECADES_OF_BARRIER = 11  # The weight t of the barrier falls by so many.
FIRST_BARRIER = 0.1  # A likelihood that falls slowly has a maximum with such a t, too.
MAX_NEWTON_STEPS = 50  # Newton steps for each weight t of the barrier.
MIN_SHARE_OF_FALL = 0.1  # A step has to bring this share of what the slope promises.
MAX_SHARE_OF_WAY = 0.99  # A step goes at most this share of the way to the next end.


class Boundary:
    """The bounds of linear predictors that rows of a model can reach."""

    def __init__(self, rows: ModelRows) -> None:
        self.rows = rows
        ends, means = bounds_of(rows.link, rows.family)
        on = np.ones(rows.n, bool) if rows.weights is None else rows.weights > 0
        self.ends, self.all = ends, np.flatnonzero(on)
        self.sides = [on & rows.can_have(mean) for mean in means]

    def is_reached(self) -> bool:
        """Whether any row can be at an end."""
        return any(side.any() for side in self.sides)

    def is_near(self, b: Array) -> bool:
        """Whether a row is so near an end that the maximum may be there."""
        eta = self.rows.predictor(b)
        return any(
            side.any()
            and (room := np.abs(eta - end))[side].min() < MAX_DISTANCE_LOOKED_AT * room.mean()
            for end, side in zip(self.ends, self.sides, strict=True)
        )

    def maximize(self, b: Array, penalty: Array, tol: float, kept: Array) -> Any:
        """The maximum from a point inside: coefficients or None, rows at an end, steps.

        Coefficients that are not kept are 0.
        """
        rows, on = self.rows, self.all
        z = rows.X[on] - rows.shift
        self.z = (np.column_stack([np.ones(len(z)), z]) if rows.intercept else z)[:, kept]
        b, whole = b[kept], np.zeros(rows.q)
        self.y, self.sides = rows.y[on], [side[on] for side in self.sides]
        self.weights = np.ones(len(z)) if rows.weights is None else rows.weights[on]
        self.offset = 0.0 if rows.offset is None else rows.offset[on]
        self.penalty = penalty[kept]
        rooms = self._rooms(self.z @ b + self.offset)
        unit = np.mean([room.mean() for room in rooms if room.size])
        steps, distances = 0, np.array([unit])
        with np.errstate(all="ignore"):
            for decade in range(DECADES_OF_BARRIER):
                t = min(unit, FIRST_BARRIER) * 0.1**decade
                top, more = self._climb(b, t, max(tol, 1e-8))
                steps += more
                if top is None:
                    break
                b, distances = top, np.concatenate(self._rooms(self.z @ top + self.offset))
                if distances.min() < MIN_DISTANCE * unit:
                    break
        if top is None and distances.min() > MAX_DISTANCE_AT_END * unit:
            return None, 0, steps
        whole[kept] = b
        return whole, np.count_nonzero(distances < MAX_DISTANCE_AT_END * unit), steps

    def _rooms(self, eta: Array) -> tuple[Array, Array]:
        """Distances from the ends of the rows that can reach them."""
        (low, high), (below, above) = self.ends, self.sides
        return eta[below] - low, high - eta[above]

    def _climb(self, b: Array, t: float, tol: float) -> Any:
        """The maximum for one t, or None, and Newton's steps to it."""
        total_weight = self.weights.sum()
        height, g, h = self._derivatives(b, t)
        for taken in range(MAX_NEWTON_STEPS):
            checkpoint()
            factor = CholeskyFactor(h)
            if not factor.pivot > 0.0:  # The objective is not concave at this point.
                factor = CholeskyFactor(self._derivatives(b, t, observed=False)[2])
            if not factor.pivot > 0.0:
                break
            step = factor.solve(g)
            gain = float(step @ g)
            if gain <= tol**2 * total_weight:
                return b, taken
            length = self._longest(b, step)
            while length > 1e-12:
                trial = b + length * step
                new, *derivatives = self._derivatives(trial, t)
                if new >= height + MIN_SHARE_OF_FALL * length * gain - 1e-13 * abs(height):
                    break
                length *= 0.5
            else:
                return (b if gain <= 1e-12 * total_weight else None), taken
            b, height, (g, h) = trial, new, derivatives
        return None, MAX_NEWTON_STEPS

    def _longest(self, b: Array, step: Array) -> float:
        """How much of a step stays inside, at most 1."""
        eta, move = self.z @ b + self.offset, self.z @ step
        low, high = self.ends
        down = np.min((low - eta[move < 0]) / move[move < 0], initial=np.inf)
        up = np.min((high - eta[move > 0]) / move[move > 0], initial=np.inf)
        return min(1.0, MAX_SHARE_OF_WAY * float(min(down, up)))

    def _derivatives(
        self, b: Array, t: float, *, observed: bool = True
    ) -> tuple[float, Array, Array]:
        """The likelihood with its barrier, its gradient, and less its second derivatives."""
        eta = self.z @ b + self.offset
        sums = IRLSSums(np.zeros((0, 0)), np.zeros(0), 0.0, 0.0, observed=observed)
        s, w = self.rows._score(sums, eta, self.y, self.weights)
        height = -0.5 * (sums.deviance + self.penalty @ b**2)
        for side, room, sign in zip(self.sides, self._rooms(eta), (1.0, -1.0), strict=True):
            a = t * self.weights[side]
            height += float(a @ np.log(room))
            s[side] += sign * a / room
            w[side] += a / room**2
        g = self.z.T @ s - self.penalty * b
        return height, g, (self.z * w[:, None]).T @ self.z + np.diag(self.penalty)
