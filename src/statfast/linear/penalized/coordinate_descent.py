# SPDX-License-Identifier: BSD-3-Clause
"""The lasso and the elastic net for a falling sequence of penalties.

In the units of `Columns`, minimize  |y - Z b|^2 / 2 + l1 |b|_1 + l2 |b|^2 / 2.

A working set holds the columns that have been active or that the strong rule suspects (Tibshirani
et al. 2012, doi:10.1111/j.1467-9868.2011.01004.x), and their Gram matrix. In it, sweeps of
coordinate descent find the signs; where they are slow, the normal equations of the active columns
give the answer for these signs, and a step that would turn signs ends where the objective is least
along it, in the manner of feature-sign search (Lee, Battle, Raina & Ng 2006). Then one pass over
all columns tells the duality gap of the whole problem and the columns that were missed; of further
passes for the same penalty, columns are spared that the gap proves inactive (gap-safe rule: Ndiaye,
Fercoq, Gramfort & Salmon 2017, JMLR 18(128), 1-33). Where there are more dense rows than columns,
and not too many of those, the working set is all columns, and no pass is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.linear.coordinate_descent import (
    DONE,
    PAUSED,
    Penalized,
    descend,
    gap,
    newton,
    refresh,
)
from statfast._engine import checkpoint
from statfast._linalg import dot
from statfast._typing import Array
from statfast.linear.penalized.active_gram import ActiveGram

# A column that the strong rule misses costs a pass, so that only half its margin is trusted.
SUSPECTED_SHARE_OF_MARGIN = 0.5
# So many columns join the working set at once, or so many for each that is not zero.
MIN_COLUMNS_ADMITTED = 100
ADMITTED_PER_ACTIVE = 2
MULTIPLICATIONS_OF_CALL = 5e7  # A kernel call takes less than 0.05 s.
# Sweeps before a Newton step, besides those that could be made in its time. That is the time of
# a factor of k columns, of which most is kept: this share of k^3 multiplications.
MIN_SWEEPS_BEFORE_NEWTON = 4
COST_OF_NEWTON = 0.01
# Moves below this share of the gap to reach, over the columns, are left out at first.
MIN_MOVE = 1e-3
MIN_GAIN = 1e-18  # A move that gains a smaller share of |y|^2 is none.
ROUNDING_OF_GAP = 1e-15  # A duality gap that is a smaller share of |y|^2 is all rounding.
# Rounding takes less than this share of |y|^2 from a gap that proves something.
MAX_ROUNDING_OF_GAP = 1e-13


@dataclass
class Answer:
    """The solution at one penalty."""

    index: NDArray[np.intp]  # Places of the coefficients that are not zero.
    coef: NDArray[np.float64]  # The coefficients of Z.
    gap: float
    rounds: int  # The number of sweeps and direct solutions.


class Descent:
    """Coordinate descent with a working set that lasts from one penalty to the next.

    Arrays of coefficients and gradients end with an axis of columns: `BlockDescent` has several
    tasks before it.
    """

    def __init__(self, columns: Any, y: Array | None, positive: bool = False) -> None:
        """`y` (n,) centered if there is an intercept; rows of weight w count w times. None for
        columns that are known by their products alone."""
        self.columns, self.y, self.positive = columns, y, positive
        self.yy = columns.yy if y is None else dot(columns.weights * y, y)
        known = columns.products is not None
        self.product = self._product(known)  # Z'y
        p, self.whole = columns.p, columns.whole
        self.working = np.zeros(0, dtype=np.intp)
        self.member = np.zeros(p, dtype=bool)
        self.G, self.b, self.q = np.zeros((0, 0)), self._zeros(0), self._zeros(0)
        self.inner = self._zeros(0)  # Z'y of the working columns
        self.gradient = self.product.copy()  # Z'(y - Z b) of all columns
        self.factor = ActiveGram()
        self.hard = False  # Whether the last penalty asked for Newton steps.
        self.spared = np.zeros(p, dtype=bool)  # Columns proved inactive at the present penalty.
        if known:
            self.G = columns.products
        if self.whole:
            self._admit(np.arange(p, dtype=np.intp))

    @property
    def largest(self) -> float:
        """The least l1 at which all coefficients are zero."""
        return max(float(self._size(self.product).max()), 0.0)

    @property
    def largest_products(self) -> tuple[float, float]:
        """`largest`, and what it could be for another y of that length."""
        return self.largest, float(np.sqrt(self.columns.square.max() * self.yy))

    def refresh(self) -> None:
        """Make the gradient that of the coefficients `b`, set from outside."""
        refresh(self.G, self.inner, self.b, self.q)

    def begin(self, coefs: Array) -> None:
        """Go on from coefficients (p,) of the scaled columns."""
        if not self.whole:
            self._admit(np.flatnonzero(find_active(coefs) & ~self.member & ~self.columns.constant))
        self.b[:] = coefs[..., self.working]
        if self.whole and self.columns.exact:
            self.refresh()
            self.gradient[..., self.working] = self.q
        else:
            self._check_gradient(0.0, 0.0)

    # ------------------------------------------------------------ one penalty
    def solve(self, l1: float, l2: float, before: float, tol: float, max_iter: int) -> Answer:
        """Minimize from where the last penalty ended; `before` was its l1, infinite at first.

        The gap is brought below tol |y|^2, or what `max_iter` sweeps reach.
        """
        goal = max(tol, ROUNDING_OF_GAP) * self.yy
        rounds, inner = 0, 0.5 * goal
        self.spared[:] = False
        if not self.whole:
            margin = SUSPECTED_SHARE_OF_MARGIN * (before - l1) if np.isfinite(before) else 0.0
            self._admit_above(l1 - margin)
        # After a penalty that needed Newton steps, a step along the tangent of the path is a good
        # start.
        if self.hard:
            self._newton(l1, l2)
            rounds += 1
        self.hard = False
        while True:
            rounds += self._solve_working(l1, l2, inner, max_iter - rounds)
            state = self._check_gradient(l1, l2)
            if state <= goal or rounds >= max_iter:
                break
            if not self._admit_above(l1):
                if inner < 1e-3 * goal:  # The gap is as small as rounding allows.
                    break
                inner *= 0.1
        return self._answer(state, rounds)

    def sharpened(self, l1: float, l2: float) -> Answer:
        """The last answer after a Newton step: to rounding, if its signs are right."""
        self._newton(l1, l2)
        return self._answer(0.0, 0)

    def _answer(self, state: float, rounds: int) -> Answer:
        active = np.flatnonzero(find_active(self.b))
        coef = self.b[..., active]
        return Answer(self.working[active], coef, max(state, 0.0), rounds)

    def _check_gradient(self, l1: float, l2: float) -> float:
        """The gap of the whole problem, from residuals and products made anew."""
        if self.whole and self.columns.exact:
            self.refresh()
            self.gradient[..., self.working] = self.q
            return self._gap_of_products(l1, l2)
        active = np.flatnonzero(find_active(self.b))
        columns, index = self.columns, self.working[active]
        fit = self._combine(index, self.b[..., active] * columns.scale[index])
        r = self.y - fit
        seen = ~self.spared | self.member
        if seen.all():
            self.gradient = self._correlate(r)
        else:
            seen = np.flatnonzero(seen)
            self.gradient[..., seen] = self._correlate(r, seen)
        self.q = self.gradient.take(self.working, axis=-1)
        with np.errstate(over="ignore"):  # Residuals may be large far from the solution.
            rr = dot(columns.weights * r, r)
        return self._gap(l1, l2, rr)

    # ------------------------------------------------------------ what several tasks do otherwise
    def _product(self, known: bool) -> Array:
        columns = self.columns
        return columns.correlation if known else columns.correlate(self.y)

    def _correlate(self, r: Array, index: Array | None = None) -> Array:
        return self.columns.correlate(r, index)

    def _combine(self, index: Array, coef: Array) -> Array:
        return self.columns.combine(index, coef)

    def _gap_of_products(self, l1: float, l2: float) -> float:
        return gap(self.b, self.q, self.inner, self.yy, l1, l2, self.positive)

    def _size(self, gradient: Array) -> Array:
        return gradient if self.positive else np.abs(gradient)

    def _room(self, size: int) -> tuple[Array, Array]:
        """What sweeps over so many columns write on."""
        return np.empty(size * size // 4 + 4 * size), np.empty(3 * size, dtype=np.intp)

    def _zeros(self, size: int) -> Array:
        """Coefficients of so many columns."""
        return np.zeros((*self.product.shape[:-1], size))

    # ------------------------------------------------------------ the gap

    def _gap(self, l1: float, l2: float, rr: float) -> float:
        """The duality gap, of the squares of the residuals and the gradient; spares columns.

        The dual point is the residuals: scaled until no product exceeds l1, or as they are, where a
        ridge penalty makes every point feasible; whichever is the better.
        """
        b, q, outside = self.b, self.q, self.gradient[..., ~self.member & ~self.spared]
        fitted = float(np.vdot(b, self.inner))  # y'Z b
        top = float(self._size(q - l2 * b).max(initial=0.0))
        top = max(top, float(self._size(outside).max(initial=0.0)))
        shrink = l1 / top if top > l1 else 1.0
        whole = rr + float(np.vdot(l2 * b, b))
        primal = 0.5 * whole + l1 * float(self._size(b).sum())
        gap = primal + 0.5 * shrink**2 * whole - shrink * (self.yy - fitted)
        if not self.whole:
            self._spare(l1, l2, shrink, gap)
        if l2:
            excess = float((np.maximum(self._size(q) - l1, 0.0) ** 2).sum())
            excess += float((np.maximum(self._size(outside) - l1, 0.0) ** 2).sum())
            gap = min(gap, primal + 0.5 * rr - (self.yy - fitted) + 0.5 * excess / l2)
        return gap

    def _spare(self, l1: float, l2: float, shrink: float, state: float) -> None:
        """Mark the columns that cannot be active at the solution, whatever it is.

        The dual objective is strongly concave: its maximum is within sqrt(2 gap) of the scaled
        residuals, and a column whose product stays below l1 all over that ball is not active.
        """
        columns = self.columns
        radius = np.sqrt(2.0 * (max(state, 0.0) + MAX_ROUNDING_OF_GAP * self.yy))
        bounds = radius * np.sqrt(columns.square + l2)
        self.spared |= shrink * self._size(self.gradient) + bounds < l1
        self.spared[self.working[find_active(self.b)]] = False

    # ------------------------------------------------------------ the working set
    def _admit_above(self, bound: float) -> int:
        """Columns of gradients above a bound join, the largest first; returns how many."""
        size = self._size(self.gradient)
        new = np.flatnonzero((size > bound) & ~(self.member | self.spared | self.columns.constant))
        most = max(MIN_COLUMNS_ADMITTED, ADMITTED_PER_ACTIVE * int(find_active(self.b).sum()))
        if len(new) > most:  # The others follow if they are missed once these are solved for.
            new = np.sort(new[np.argsort(-size[new], kind="stable")[:most]])
        if len(new):
            self._admit(new)
        return len(new)

    def _admit(self, new: Array) -> None:
        """Columns join the working set, their products with its columns the Gram matrix."""
        old, size = len(self.working), len(self.working) + len(new)
        if size > len(self.G):
            room = max(size, min(2 * size, self.columns.p))
            grown = np.zeros((room, room))
            grown[:old, :old] = self.G[:old, :old]
            self.G = grown
        self.working = np.concatenate([self.working, new])
        self.member[new] = True
        if self.columns.products is None:
            block = self.columns.gram(new, self.working)
            self.G[old:size, :old] = block[:, :old]
            self.G[:old, old:size] = block[:, :old].T
            lower = np.tril(block[:, old:])
            self.G[old:size, old:size] = lower + np.tril(lower, -1).T
        self.b = np.concatenate([self.b, self._zeros(len(new))], axis=-1)
        self.q = self.gradient.take(self.working, axis=-1)
        self.inner = self.product.take(self.working, axis=-1)
        self.work = self._room(size)

    # ------------------------------------------------------------ within it
    def _solve_working(self, l1: float, l2: float, goal: float, most: int) -> int:
        """Minimize within the working set; returns the number of rounds."""
        rounds, since = 0, 0
        small = MIN_GAIN * self.yy
        tiny = max(MIN_MOVE * goal / max(len(self.b), 1), small)
        if not len(self.b):
            return 0
        problem = Penalized(self.G, self.inner, self.yy, l1, l2, self.positive, self.b, self.q)
        while rounds < max(most, 1):
            state, made, since = descend(
                problem, goal, tiny, small, MIN_SWEEPS_BEFORE_NEWTON, COST_OF_NEWTON, since,
                max(most - rounds, 1), MULTIPLICATIONS_OF_CALL, *self.work,
            )  # fmt: skip
            checkpoint()
            rounds += made
            if state == DONE:
                break
            if state != PAUSED:
                # Tiny moves were left out in the first round, and add up.
                tiny = tiny if made > 1 else small
                self.hard = True
                self._newton(l1, l2)
                rounds, since = rounds + 1, 0
        return rounds

    def _newton(self, l1: float, l2: float) -> None:
        """A Newton step on what is not zero, to the least of the objective along it.

        If its signs hold, it ends at the solution for these columns. Where they depend on each
        other, a little is added to the diagonal: the step then runs along what leaves the fit as
        it is, and drops a column.
        """
        if self.b.any():
            factor = self.factor
            made = factor.update(self.G, self.b, l2)
            newton(
                self.G, factor.order, factor.L if made else None, factor.inverse, l1, l2,
                self.positive, self.b, self.q, self.work[0],
            )  # fmt: skip
            checkpoint()


def find_active(coefs: Array) -> Array:
    """Which columns have a coefficient that is not zero."""
    other = coefs != 0.0
    return other if coefs.ndim == 1 else other.any(axis=0)
