# SPDX-License-Identifier: BSD-3-Clause
"""The lasso and the elastic net of several tasks, which share their columns.

In the units of `Columns`, with a column of B for each column of Z and a row for each task, minimize

    |Y - B Z'|^2 / 2 + l1 sum_j |B_j| + l2 |B|^2 / 2

Working set, duality gap and screening are those of one task, with the lengths of columns in place
of absolute values (Ndiaye, Fercoq, Gramfort & Salmon 2015, "Gap safe screening rules for
sparse multi-task and multi-class models", arXiv:1506.03736).
"""

from __future__ import annotations

import numpy as np

from statfast._core.linear.block_descent import NUMBERS_OF_WORK, Tasks, descend, gap
from statfast._core.linear.coordinate_descent import refresh
from statfast._engine import checkpoint
from statfast._typing import Array
from statfast.linear.penalized.coordinate_descent import (
    MULTIPLICATIONS_OF_CALL,
    Descent,
    find_active,
)

# From so many columns that are not zero for each row on, residuals are kept up to date: a sweep
# over k columns then takes 2 n k multiplications a task, where by products it takes k^2.
MIN_COLUMNS_PER_ROW = 2
# A move that gains a smaller share of |Y|^2 is all rounding: where the gap is g, moves gain g^2.
MIN_GAIN_OF_MOVE = 1e-28


class BlockDescent(Descent):
    """`Descent` for y (T, n): of columns, the coefficients of all tasks are zero, or none need be.

    Sweeps lead to the answer, and Anderson extrapolation: there are no Newton steps.
    """

    table: Array | None = None  # (m, n) the working columns, once there are far more than rows

    def refresh(self) -> None:
        """Make the gradient that of the coefficients `b`, set from outside."""
        for inner, b, q in zip(self.inner, self.b, self.q, strict=True):
            refresh(self.G, inner, b, q)

    def _product(self, known: bool) -> Array:
        return self.columns.correlation if self.y is None else self._correlate(self.y)

    def _correlate(self, r: Array, index: Array | None = None) -> Array:
        return self.columns.correlate_tasks(r, index)

    def _combine(self, index: Array, coef: Array) -> Array:
        return self.columns.combine_tasks(index, coef)

    def _tasks(self, l1: float, l2: float) -> Tasks:
        return Tasks(self.G, self.inner, self.yy, l1, l2, self.b, self.q)

    def _gap_of_products(self, l1: float, l2: float) -> float:
        answer: float = gap(self._tasks(l1, l2), self.work[0])
        return answer

    def _size(self, gradient: Array) -> Array:
        """The lengths of columns."""
        lengths: Array = np.sqrt((gradient * gradient).sum(axis=0))
        return lengths

    def _room(self, size: int, length: int = 0) -> tuple[Array, Array]:
        n_tasks = len(self.product)
        numbers = max(size, length) * (1 + NUMBERS_OF_WORK * n_tasks) + n_tasks
        return np.empty(size * size // 4 + numbers), np.empty(3 * size, dtype=np.intp)

    def _solve_working(self, l1: float, l2: float, goal: float, most: int) -> int:
        """Minimize within the working set; returns the number of sweeps."""
        rounds, ended = 0, self.b.shape[1] == 0
        small, n = MIN_GAIN_OF_MOVE * self.yy, self.columns.n
        problem: Tasks | None = None
        room, by_residuals = self.work if len(self.working) else (), False
        while not ended and rounds < max(most, 1):
            may_change = not by_residuals and self.y is not None
            if may_change and find_active(self.b).sum() > MIN_COLUMNS_PER_ROW * n:
                problem, by_residuals = self._tasks_by_residuals(l1, l2), True
                room = self._room(self.b.shape[1], n)
            elif problem is None:
                problem = self._tasks(l1, l2)
            ended, made = descend(
                problem, goal, small, max(most - rounds, 1), MULTIPLICATIONS_OF_CALL, *room
            )
            checkpoint()
            rounds += made
        return rounds

    def _tasks_by_residuals(self, l1: float, l2: float) -> Tasks:
        """The problem by columns and residuals: the gradient is not kept."""
        columns, working = self.columns, self.working
        if self.table is None or len(self.table) < len(working):
            self.table = columns.dense_rows(working)
        residuals = self.y * columns.root - self.b @ self.table
        return Tasks(
            self.table, self.inner, self.yy, l1, l2, self.b, residuals, columns.square[working]
        )
