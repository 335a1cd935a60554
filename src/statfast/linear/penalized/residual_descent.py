# SPDX-License-Identifier: BSD-3-Clause
"""The lasso and the elastic net where columns have few nonzeros: descent on the residuals.

A visit to a column then costs its nonzeros, where with the Gram matrix of the working set a move
costs as many numbers as there are columns in it. In place of Newton steps, a few sweeps tell where
they lead (Anderson extrapolation: Bertrand & Massias 2021, Anderson acceleration of coordinate
descent, proceedings.mlr.press/v130/bertrand21a.html), which is taken where the objective is less.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._core.linear.coordinate_descent import gap
from statfast._core.linear.residual_descent import Columns, descend
from statfast._engine import checkpoint
from statfast._linalg import dot
from statfast._typing import Array
from statfast.linear.penalized.coordinate_descent import Descent

MIN_GAIN_OF_SWEEP = 1e-26  # A sweep whose moves gain a smaller share of |y|^2 is all rounding.
SWEEPS_OF_EXTRAPOLATION = 5  # The number of sweeps of an extrapolation.
INNER_SHARE_OF_GAP = 0.3  # The columns that are not zero are to reach this share of the gap.
NUMBERS_OF_CALL = 5e6  # A kernel call visits so many numbers of columns in some 20 ms.
RIDGE_OF_DEPENDENCE = 1e-12  # This share of the trace is added where sweeps depend on each other.


class ResidualDescent(Descent):
    """`Descent` without a Gram matrix: `columns` are sparse."""

    def refresh(self) -> None:
        """Nothing: products are made of the residuals."""

    def sharpened(self, l1: float, l2: float) -> Any:
        """The last answer: there are no Newton steps."""
        return self._answer(0.0, 0)

    def _newton(self, l1: float, l2: float) -> Any:
        raise NotImplementedError

    def _admit(self, new: Array) -> None:
        columns = self.columns
        self.working = np.concatenate([self.working, new])
        self.member[new] = True
        self.b = np.concatenate([self.b, np.zeros(len(new))])
        self.q = self.gradient[self.working]
        self.inner = self.product[self.working]
        self.table, self.shift = columns.weighted_table(self.working)
        table = self.table
        self.view = Columns(
            table.indptr.astype(np.intp), table.indices.astype(np.int32), table.data,
            columns.n * self.shift, self.shift, columns.square[self.working],
        )  # fmt: skip

    def _solve_working(self, l1: float, l2: float, goal: float, most: Any) -> Any:
        if not len(self.b):
            return 0
        every = np.arange(len(self.b), dtype=np.intp)
        small, rounds = MIN_GAIN_OF_SWEEP * self.yy, 0
        self._set(self.b)
        while rounds < max(most, 1):
            _, gain = self._sweep(every, l1, l2, small, np.empty((1, len(every))))
            rounds += 1
            if gain <= small or self._gap_of(every, l1, l2) <= goal:
                break
            active = np.flatnonzero(self.b)
            rounds += self._settle(active, l1, l2, INNER_SHARE_OF_GAP * goal, small, most - rounds)
        return rounds

    def _settle(self, active: Any, l1: float, l2: float, goal: float, small: Any, most: Any) -> Any:
        """Minimize within some columns; returns the number of sweeps."""
        rounds = 0
        trail = np.empty((SWEEPS_OF_EXTRAPOLATION + 1, len(active)))
        while rounds < most:
            trail[0] = self.b[active]
            made, gain = self._sweep(active, l1, l2, small, trail[1:])
            rounds += made
            if gain <= small:
                break
            self._extrapolate(active, l1, l2, trail)
            if self._gap_of(active, l1, l2) <= goal:
                break
        return rounds

    def _extrapolate(self, active, l1, l2, trail):
        moves = np.diff(trail, axis=0)
        products = np.inner(moves, moves)
        products[np.diag_indices(SWEEPS_OF_EXTRAPOLATION)] += RIDGE_OF_DEPENDENCE * products.trace()
        shares = np.linalg.solve(products, np.ones(SWEEPS_OF_EXTRAPOLATION))
        there = shares @ trail[1:] / shares.sum()
        if self.positive:
            there = np.maximum(there, 0.0)
        if not np.isfinite(there).all():
            return
        now = self._objective(l1, l2)
        b, rest, offset = self.b, self.rest, self.offset
        trial = b.copy()
        trial[active] = there
        self._set(trial)
        if not self._objective(l1, l2) < now:
            self.b, self.rest, self.offset = b, rest, offset

    # ------------------------------------------------------------ its parts
    def _set(self, b: Array) -> None:
        """Make the coefficients these, and the residuals theirs."""
        self.b = b
        self.rest = self.columns.root * self.y - self.table @ b
        self.offset = np.array([-(self.shift @ b)])

    def _sweep(
        self, active: Any, l1: float, l2: float, small: Any, trail: Any, still: bool = False
    ) -> Any:
        answer = descend(
            self.view, l1, l2, self.positive, small, active, self.b, self.q, self.rest,
            self.offset, trail, still,
        )  # fmt: skip
        checkpoint()
        return answer

    def _residuals(self) -> Any:
        return self.rest - self.offset[0] * self.columns.root

    def _objective(self, l1: float, l2: float) -> Any:
        r, b = self._residuals(), self.b
        return 0.5 * dot(r, r) + l1 * float(np.abs(b).sum()) + 0.5 * float((l2 * b) @ b)

    def _gap_of(self, active: Any, l1: float, l2: float) -> Any:
        """The duality gap of the problem of some columns, the only ones that are not zero."""
        self._sweep(active, l1, l2, 0.0, np.empty((1, len(active))), still=True)
        b, q, inner = self.b[active], self.q[active], self.inner[active]
        return gap(b, q, inner, self.yy, l1, l2, self.positive)
