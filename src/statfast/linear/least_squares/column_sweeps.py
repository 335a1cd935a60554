# SPDX-License-Identifier: BSD-3-Clause
"""Errors on rows held out of least squares and ridge with one column more, or less, by sweeps.

Of each fold there are two triangular factors, of the rows that it fits and of those that it holds
out. In the first, columns are made orthogonal to those that are selected (modified Gram-Schmidt),
which a penalty extends by rows sqrt(alpha) I; what this takes off a column is taken off it in the
second, too, so that its columns are what the selected ones leave of the rows held out. What one
column more does to the error is then known from two products for each, and to take it is a step of
rank one: O(d^2) for all columns together. Without one column less: the same of the dual basis, the
rows of the inverse factor (A. Beaton 1964, "The use of special matrix operators in statistical
calculus", has the sweeps of cross products, whose condition is that of the columns squared).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.linear.column_sweeps import take_off
from statfast._engine import checkpoint, interruptible
from statfast._typing import Array
from statfast.linear.least_squares.triangles import ROUNDING_OF_SPREAD, StackedFactor

# A column of which the selected ones leave a smaller share is fitted by itself.
MIN_SHARE_LEFT = 1e-6
# A column of which they leave no more, in both kinds of rows, is a copy, which changes no fit.
MAX_SHARE_OF_COPIES = 1e-13
MIN_SHARE_OF_TIES = 1e-10  # A column that is a smaller share of a copy has no part in it.
# Where a smaller share of the squares of a target is left about its mean, digits are lost.
MIN_SPREAD = 1e-12


class FoldFactors:
    """The factors of one fold, as rows: one for the target, the first, and one for each column."""

    def __init__(
        self, fitted: StackedFactor, held: StackedFactor, intercept: bool, alpha: float
    ) -> None:
        p, R = fitted.p, fitted.R
        H = held.R
        length = (R[:, 1:] ** 2).sum(axis=0)
        if intercept:
            means = R[0, 1:] / R[0, 0]
            R, H = R[1:, 1:], H[:, 1:] - H[:, :1] * means
        else:
            R, H = fitted.R_without_ones, H[:, 1:]
        spread = (R**2).sum(axis=0)
        # Columns that are constant where they are fitted have no part in any fit.
        constant = spread <= ROUNDING_OF_SPREAD**2 * length
        constant[-1] = False
        self.length = np.where(constant, 1.0, length)[:-1]
        held_length = (held.R[:, 1:] ** 2).sum(axis=0)[:-1]
        self.held_length = np.maximum(held_length, np.finfo(float).tiny)
        order = np.append(p, np.arange(p))
        penalty = np.sqrt(alpha) * np.eye(p + 1, p)[order][:, : p if alpha > 0.0 else 0]
        R = np.where(constant, 0.0, R)
        H = np.where(constant, 0.0, H)
        self.A = np.ascontiguousarray(np.hstack([R.T[order], penalty]))  # (1 + p, rows)
        self.E = np.ascontiguousarray(H.T[order])  # (1 + p, rows)


class Forward:
    """What the selected columns leave of the target and the rest, in one fold."""

    def __init__(self, factors: FoldFactors, min_share: float, skips_copies: bool) -> None:
        self.factors, self.min_share, self.skips_copies = factors, min_share, skips_copies
        self.A, self.E = factors.A.copy(), factors.E.copy()
        self.order = np.arange(len(factors.length))  # The columns of the rows after the first.
        self.valid = True
        nothing = np.zeros(self.A.shape[1]), np.zeros(self.E.shape[1])
        self.sums = taken_off(self.A, self.E, *nothing, 1.0, self.A[0], self.E[0])[1]

    def squares(self) -> tuple[Array, Array]:
        """Squares on the rows held out with each column more, in `order`, and which are certain."""
        order = self.order
        (size, product, held, held_product), of_target = self.sums[:, 1:], self.sums[2, 0]
        length = self.factors.length[order]
        certain = size > self.min_share**2 * length
        copies = (size <= MAX_SHARE_OF_COPIES**2 * length) & (
            held <= MAX_SHARE_OF_COPIES**2 * self.factors.held_length[order]
        )
        slope = np.divide(product, size, out=np.zeros_like(size), where=certain)
        squares = of_target - slope * (2.0 * held_product - slope * held)
        return squares, (certain | (copies & self.skips_copies)) & self.valid

    def take(self, place: int) -> None:
        """Select the column at a place of `order`."""
        A, E, row = self.A, self.E, 1 + place
        pivot, held = A[row].copy(), E[row].copy()
        size, held_size, column = self.sums[0, row], self.sums[2, row], self.order[place]
        length = self.factors.length[column]
        last = len(A) - 1
        A[row], E[row], self.order[place] = A[last], E[last], self.order[-1]
        self.A, self.E, self.order = A[:last], E[:last], self.order[:-1]
        self.sums[:, row] = self.sums[:, last]
        self.sums = self.sums[:, :last]
        if size > self.min_share**2 * length:
            self.sums = taken_off(self.A, self.E, pivot, held, size, self.A[0], self.E[0])[1]
        elif not (
            self.skips_copies
            and size <= MAX_SHARE_OF_COPIES**2 * length
            and held_size <= MAX_SHARE_OF_COPIES**2 * self.factors.held_length[column]
        ):
            self.valid = False


class Backward:
    """The dual basis of the selected columns, and what they leave of the target, in one fold.

    Copies, which depend on the others in all rows, stand beside the basis: a model without one of
    them, or without a column that it depends on, predicts what the model of all columns does.
    """

    def __init__(
        self, factors: FoldFactors, selected: list[int], min_share: float, skips_copies: bool
    ) -> None:
        self.arguments = factors, min_share, skips_copies
        self.selected = selected
        places = np.array(selected, dtype=np.intp)
        length = np.sqrt(factors.length[places])
        A, E = factors.A[1 + places], factors.E[1 + places]
        R = interruptible(np.linalg.qr, A.T, mode="r")
        size = np.zeros(len(places))
        size[: len(R)] = np.abs(R.diagonal())
        lives = size > MAX_SHARE_OF_COPIES * length
        self.free = ~lives  # Columns without which nothing changes.
        if not lives.all() and not skips_copies:
            self.valid = False
            return
        R = interruptible(np.linalg.qr, np.vstack([A[lives], A[~lives], factors.A[:1]]).T, mode="r")
        k = int(lives.sum())
        triangle, target = R[:k, :k], R[:k, -1]
        self.valid = bool((np.abs(triangle.diagonal()) > min_share * length[lives]).all())
        if not self.valid:
            return
        from scipy.linalg import solve_triangular

        self.T = solve_triangular(triangle, np.eye(k), check_finite=False)
        self.order = places[lives]
        if k < len(places):
            slopes = self.T @ R[:k, k:-1]  # (k, copies)
            held_length = np.sqrt(factors.held_length[places[~lives]])
            rest = np.linalg.norm(E[~lives] - slopes.T @ E[lives], axis=1)
            part = np.abs(slopes) * length[lives][:, None]
            tied = part > MIN_SHARE_LEFT * length[~lives]
            clear = tied | (part <= MIN_SHARE_OF_TIES * length[~lives])
            self.valid = bool((rest <= MAX_SHARE_OF_COPIES * held_length).all() and clear.all())
            self.free[lives] = tied.any(axis=1)
        self.b = self.T @ target
        self.U = np.ascontiguousarray(self.T @ (self.T.T @ E[lives]))
        self.T = np.ascontiguousarray(self.T)
        self.error = factors.E[0] - self.b @ E[lives]
        nothing = np.zeros(k), np.zeros(self.U.shape[1])
        self.sums = taken_off(self.T, self.U, *nothing, 1.0, nothing[0], self.error)[1]

    def squares(self) -> Array:
        """Squares on the rows held out without each of the selected columns."""
        size, _, held, product = self.sums
        rise = self.b / size
        of_all = self.error @ self.error
        squares = of_all + rise * (2.0 * product + rise * held)
        place = np.zeros(len(self.arguments[0].length), dtype=np.intp)
        place[self.order] = np.arange(len(self.order))
        without = squares[place[self.selected]] if len(squares) else np.zeros(len(self.selected))
        return np.where(self.free, of_all, without)

    def without(self, column: int) -> Backward:
        """That of the selected columns but one."""
        selected = [j for j in self.selected if j != column]
        if not self.valid or self.free.any():
            factors, min_share, skips_copies = self.arguments
            return Backward(factors, selected, min_share, skips_copies)
        (place,) = np.flatnonzero(self.order == column)
        row, held = self.T[place].copy(), self.U[place].copy()
        size, of_pivot = self.sums[0, place], self.b[place]
        self.error = self.error + of_pivot / size * held
        last = len(self.order) - 1
        for table in (self.T, self.U, self.b, self.order):
            table[place] = table[last]
        self.T, self.U, self.b = self.T[:last], self.U[:last], self.b[:last]
        self.order, self.free = self.order[:last], np.zeros(last, dtype=bool)
        self.selected = selected
        share, self.sums = taken_off(self.T, self.U, row, held, size, row, self.error)
        self.b = self.b - of_pivot * share
        return self


def taken_off(
    first: Array,
    second: Array,
    pivot: Array,
    beside: Array,
    size: float,
    target: Array,
    held_target: Array,
) -> tuple[Array, Array]:
    """Take a pivot off all rows (see `take_off`); its shares (k,), and the sums (4, k) of what is
    left."""
    share, sums = np.empty(len(first)), np.empty((4, len(first)))
    take_off(first, second, pivot, beside, size, target, held_target, share, sums)
    return share, sums


class LeastSquaresSweeps:
    """`ColumnSweeps` of one target by the factors of all folds."""

    def __init__(
        self, folds: list[FoldFactors], weights: Array, variances: Array, tol: float
    ) -> None:
        self.folds, self.weights, self.variances = folds, weights, variances
        self.min_share = max(MIN_SHARE_LEFT, np.sqrt(tol))
        # With a tolerance that is smaller, fits do not take copies for such.
        self.skips_copies = tol >= 10.0 * MAX_SHARE_OF_COPIES
        self.forward: list[Forward] = []
        self.backward: list[Backward] = []
        self.eliminated: dict[int, Backward] = {}  # by fold
        self.taken: list[int] = []  # What the steps have selected so far.
        self.remaining: list[int] = []

    def with_each(self, selected: Sequence[int], rest: Sequence[int]) -> tuple[Array, Array]:
        self._select(list(selected))
        squares = np.empty((len(self.folds), len(rest)))
        certain = np.empty(squares.shape, dtype=bool)
        place = np.empty(len(self.folds[0].length), dtype=np.intp)
        for k, step in enumerate(self.forward):
            checkpoint()
            found, sure = step.squares()
            place[step.order] = np.arange(len(step.order))
            squares[k], certain[k] = found[place[rest]], sure[place[rest]]
        return squares / self.weights[:, None], certain

    def without_each(self, selected: Sequence[int]) -> tuple[Array, Array]:
        self._keep(list(selected))
        squares = np.zeros((len(self.folds), len(selected)))
        certain = np.zeros(squares.shape, dtype=bool)
        for k, step in enumerate(self.backward):
            checkpoint()
            if step.valid:
                squares[k], certain[k] = step.squares(), True
        return squares / self.weights[:, None], certain

    def coefficients(self, k: int, selected: Sequence[int]) -> tuple[Array, float] | None:
        step, wanted = self.eliminated.get(k), list(selected)
        gone = [] if step is None else sorted({*step.selected}.difference(wanted))
        if step is None or len(step.selected) - len(gone) != len(wanted):
            step, gone = Backward(self.folds[k], wanted, self.min_share, self.skips_copies), []
        for j in gone:
            step = step.without(j)
        self.eliminated[k] = step
        if not step.valid or step.free.any():  # Copies have coefficients by the fit's own rule.
            return None
        coefs = step.b[np.argsort(step.order)]
        return coefs, float(step.error @ step.error / self.weights[k])

    def _select(self, selected: list[int]) -> None:
        """Have these columns taken by the forward steps, from where they are if that is less."""
        new = sorted({*selected}.difference(self.taken))
        if not self.forward or len(self.taken) + len(new) != len(selected):
            self.forward = [Forward(fold, self.min_share, self.skips_copies) for fold in self.folds]
            self.taken, new = [], selected
        for j in new:
            for step in self.forward:
                step.take(int(np.flatnonzero(step.order == j)[0]))
        self.taken = selected

    def _keep(self, selected: list[int]) -> None:
        """Have these columns alone left by the backward steps."""
        gone = sorted({*self.remaining}.difference(selected))
        if not self.backward or len(self.remaining) - len(gone) != len(selected):
            self.backward, gone = [], []
        if not self.backward:
            self.backward = [
                Backward(fold, selected, self.min_share, self.skips_copies) for fold in self.folds
            ]
        for j in gone:
            self.backward = [step.without(j) for step in self.backward]
        self.remaining = selected


def column_sweeps(
    fitted: list[Any], held: list[Any], intercept: bool, alpha: float, tol: float
) -> LeastSquaresSweeps | None:
    """The sweeps of all folds; None where the target has no spread that tells."""
    weights = np.array([part.total_weight for part in held])
    spread: NDArray[np.float64] = np.array([(part.R[1:, -1] ** 2).sum() for part in held])
    means = np.array([part.R[0, -1] ** 2 for part in held])
    if not ((weights > 0.0) & (spread > MIN_SPREAD * means)).all():
        return None
    if not all(part.total_weight > 0.0 for part in fitted):
        return None
    folds = [FoldFactors(f, h, intercept, alpha) for f, h in zip(fitted, held, strict=True)]
    return LeastSquaresSweeps(folds, weights, spread / weights, tol)
