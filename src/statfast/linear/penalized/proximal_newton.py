# SPDX-License-Identifier: BSD-3-Clause
"""Smooth losses of linear values with an l1 or elastic-net penalty, by proximal Newton steps.

Minimizes  loss(b_0 + Z b) + l1 |b|_1 + l2 |b|^2 / 2.  The quadratic approximation of the loss is a
weighted lasso, solved by `Descent` on a working set of columns (Friedman, Hastie & Tibshirani 2010,
doi:10.18637/jss.v033.i01; Yuan, Ho & Lin 2012 for the line search, JMLR 13, 1999-2030); one pass
over all columns then gives the duality gap of the whole problem and the columns that were missed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._engine import checkpoint
from statfast._typing import Array
from statfast.linear.design.column_scaling import MAX_PENALTY
from statfast.linear.penalized.lasso_path import descent_of
from statfast.linear.penalized.sparse_newton import sparse_steps

MAX_HALVINGS = 30
ROUNDING_OF_LOSS = 1e-15  # The rounding of the loss, relative to the null model's.
# After so many steps that gain next to nothing, the gap is perhaps small enough.
MAX_IDLE_STEPS = 3
MAX_SWEEPS_OF_STEP = 500  # After so many sweeps another step is better than a sharper one.
MIN_PENALTY_OF_LEAD = 1e-8  # Other penalties lead down to this share of the largest.
LOOSE, SHARP = 1e-3, 1e-13  # The gaps of the lassos of the first steps, and of the last.
# The next step's lasso may leave this share of what the last step has gained.
GAP_LEFT_OF_GAIN = 1e-2
MIN_GAP = 1e-13  # The least gap of a lasso, relative to the squares of its target.
MIN_CHANGE = 1e-11  # Steps end where the values change by less.


class ProximalNewton:
    """A penalized loss, minimized for one penalty after the other.

    A loss is told by ``_curvature()``, minus its derivative and its second derivative of each row's
    value (without the row's weight); ``_loss(eta)`` at values (n,); ``_gradient()``, minus that of
    the columns, which sets `score`; and ``gap(l1, l2)``, which sets `gradient`.
    """

    # What subclasses declare, or a fit sets.
    _loss: Callable[..., Any]
    _gradient: Callable[..., Any]
    gap: Any
    _curvature: Callable[..., Any]
    offset: Array | float = 0.0  # (n,) added to the values

    def __init__(
        self,
        columns: Any,
        weights: Array | None,
        intercept: bool,
        b0: float = 0.0,
        most: float = 1.0,
    ) -> None:
        """`most` times the mass is the most that the absolute values of w score sum to."""
        self.columns, self.intercept = columns, intercept
        n = columns.n
        self.total_weight = float(n if weights is None else weights.sum())
        self.w = np.ones(n) if weights is None else weights
        # The columns' weights sum to n, those of the loss to the total weight.
        self.per = self.total_weight / n
        self.most = most * self.total_weight
        self.spent = False
        self.b0 = b0
        self.b = np.zeros(columns.p)
        self.eta = np.full(n, b0)
        self.null = self._loss(self.eta)
        self.gradient = self._gradient()

    def begin(self, start: Array) -> bool:
        """Go to coefficients (q,) for X as it is, the intercept first; returns whether the loss is
        finite there."""
        columns, n_intercepts = self.columns, int(self.intercept)
        coef = columns.scale_coefs(start[n_intercepts:])
        b = np.divide(coef, columns.scale, out=np.zeros(len(coef)), where=columns.scale != 0)
        coef = b * columns.scale
        first = float(columns.mean @ coef) + (float(start[0]) if n_intercepts else 0.0)
        index = np.flatnonzero(coef)
        eta = first + self.offset + columns.combine(index, coef[index])
        if not np.isfinite(self._loss(eta)):
            return False
        self.b, self.b0, self.eta = b, first, eta
        self.gradient = self._gradient()
        return True

    def is_late(self) -> bool:
        """Whether there is no time left."""
        return False

    def penalties(self, l1: float, l2: float, factor: float = 1.0) -> Any:
        """`factor` times the penalties on coefficients of X, for the columns."""
        l1, l2 = self.columns.penalties(l1, l2, factor, heavy=MAX_PENALTY * self.per)
        self.columns.refuse_vanished(l1, self.most)
        return l1, l2

    @property
    def largest(self) -> float:
        """The least l1 at which all coefficients are zero, before the first penalty."""
        return float(np.abs(self.gradient).max())

    def lead_down(self, l1: float, l2: float, max_iter: int) -> tuple[float, int]:
        """Solve a few larger penalties, roughly; returns the least of them, and the steps."""
        top, before, turns = self.largest, np.inf, 0
        least = max(10 * l1, MIN_PENALTY_OF_LEAD * top)
        while least < top and not self.spent and turns < max_iter:
            top *= 0.2
            turns += self.solve(top, l2, before, 1e-3, max_iter)[1]
            before = top
        return before, turns

    def solve(
        self, l1: float, l2: float, before: float, tol: float, max_iter: int
    ) -> tuple[float, int]:
        """Minimize from where the last penalty ended, to a gap of `tol` times the null model's.

        The penalties are those for the columns. Returns the gap and the number of Newton's steps.
        """
        goal = max(tol * self.null, ROUNDING_OF_LOSS * self.null)
        margin = max(before - l1, 0.0) if np.isfinite(before) else 0.0
        working = (np.abs(self.gradient) >= l1 - margin) | (self.b != 0)
        working &= ~self.columns.constant
        turns = 0
        while True:
            turns += self._newton(np.flatnonzero(working), l1, l2, goal, max_iter - turns)
            gap = self.gap(l1, l2)
            missed = (np.abs(self.gradient) > l1) & ~working & ~self.columns.constant
            if gap <= goal or turns >= max_iter or (not missed.any() and self.still):
                break
            if self.is_late():
                break
            working |= missed
        # Whether all iterations were used up before the gap was reached.
        self.spent = gap > goal and not self.still
        return max(gap, 0.0), turns

    # ------------------------------------------------------------ Newton's steps
    def _newton(self, working: Array, l1: float, l2: float, goal: float, most: int) -> int:
        """Steps within the working columns; returns their number. `still` tells if none helped."""
        self.still = False
        if self.columns.has_few_nonzeros:
            turns, self.still = sparse_steps(self, working, l1, l2, goal, most)
            return turns
        inside = self.columns.part(working)
        value = self._objective(self.eta, self.b, l1, l2)
        turns = idle = flat = 0
        share = LOOSE  # The gap that a step's lasso may leave, as a share of the loss.
        while turns < max(most, 1) and idle < MAX_IDLE_STEPS and not self.is_late():
            turns += 1
            score, h = self._curvature()
            step, first = self._direction(inside, working, h, score / h, l1, l2, share)
            change = inside @ step + first
            part = 1.0
            for _ in range(MAX_HALVINGS):
                b = self.b.copy()
                b[working] += part * step
                eta = self.eta + part * change
                now = self._objective(eta, b, l1, l2)
                if now <= value + ROUNDING_OF_LOSS * self.null:
                    break
                part *= 0.5
            checkpoint()
            sharp = share <= SHARP
            share = max(SHARP, min(share, GAP_LEFT_OF_GAIN * max(value - now, 0.0) / self.null))
            if now > value + ROUNDING_OF_LOSS * self.null:
                if not sharp:
                    continue
                self.still = True
                return turns
            gained, value = value - now, now
            self.b, self.eta, self.b0 = b, eta, self.b0 + part * first
            moved = part * float(np.abs(change).max(initial=0.0))
            flat = flat + 1 if gained <= ROUNDING_OF_LOSS * self.null else 0
            self.still = moved <= MIN_CHANGE or flat == MAX_IDLE_STEPS
            idle = idle + 1 if gained <= 1e-3 * goal else 0
            if not sharp:
                self.still, idle, flat = False, 0, 0
            if self.still or (idle and moved <= 1e-4):
                return turns
        return turns

    def _direction(
        self,
        inside: Any,
        working: Array,
        h: Array,
        residuals: Array,
        l1: float,
        l2: float,
        share: float,
    ) -> tuple[Array, float]:
        """The step of the penalized quadratic approximation: working columns and intercept.

        It leaves a gap of a share of the null model's loss, or is as good as rounding lets it be.
        """
        weights = self.w * h
        # The weights of Columns sum to n, and so do the penalties.
        scale = len(weights) / weights.sum()
        target = inside @ self.b[working] + residuals
        if len(working) == 0:
            return np.zeros(0), float(weights @ residuals / weights.sum()) * self.intercept
        middle = float(weights @ target) / weights.sum() if self.intercept else 0.0
        target -= middle
        columns = inside.weighted(weights, self.intercept, target)
        descent = descent_of(columns, target)
        descent.b[:] = self.b[working]
        descent.refresh()
        tol = min(1e-2, share * self.null * scale / descent.yy) if descent.yy else 1.0
        descent.solve(l1 * scale, l2 * scale, np.inf, max(MIN_GAP, tol), MAX_SWEEPS_OF_STEP)
        solution = descent.sharpened(l1 * scale, l2 * scale)
        b = np.zeros(len(working))
        b[solution.index] = solution.coef * columns.scale[solution.index]
        step = b - self.b[working]
        if not self.intercept:
            return step, 0.0
        return step, float(weights @ (residuals - inside @ step) / weights.sum())

    def _objective(self, eta: Array, b: Array, l1: float, l2: float) -> float:
        return self._loss(eta) + l1 * float(np.abs(b).sum()) + 0.5 * float((l2 * b) @ b)

    def original(self) -> tuple[Array, float]:
        """Coefficients and intercept for X as it is."""
        coef = self.b * self.columns.scale
        first = self.b0 - float(self.columns.mean @ coef)
        return self.columns.unscale_coefs(coef[:, None])[:, 0], first
