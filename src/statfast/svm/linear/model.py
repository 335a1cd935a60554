# SPDX-License-Identifier: BSD-3-Clause
"""What linear machines have in common: their parameters checked, a solver chosen, values."""

from __future__ import annotations

import time
from typing import Any, Literal

import numpy as np

from statfast._engine import each, grid
from statfast._estimator import (
    Estimator,
    checked_by,
    count,
    fitted,
    flag,
    jobs,
    nothing,
    param,
    randomness,
    real,
)
from statfast._typing import Array, Jobs, Matrix, Seed
from statfast._validation import (
    ConvergenceWarning,
    as_generator,
    as_real,
    explain_nonfinite,
    warn_user,
    wrong_type,
)
from statfast.svm.linear.dual_descent import descend
from statfast.svm.linear.interior_point import narrow
from statfast.svm.linear.newton import Conjugate, minimize
from statfast.svm.linear.objective import Clock, LinearSolution, Problem
from statfast.svm.linear.positive import require_products
from statfast.svm.linear.rows import VECTOR_SPEED, LinearRows

# A direct method is used if it costs no more than so many sweeps of coordinate descent.
SWEEPS_WORTH_DIRECT_METHOD = 100
# Within this range of intercept_scaling the fourth powers of the scaling can be summed.
RANGE_OF_INTERCEPT_SCALING = 1e-50, 1e50
# Inexact Newton steps go on to this share of the gradient that was asked for.
SHARPER_GRADIENT = 0.3


def as_dual(value: bool | str, name: str) -> bool | str:
    """Check whether the dual is solved: True, False or "auto"."""
    if isinstance(value, bool | np.bool_) or (isinstance(value, str) and value == "auto"):
        return value
    raise wrong_type(name, "True or False or 'auto'", value)


def as_fraction(value: float | str, name: str) -> float:
    """Check a positive number that is squared as a fraction: at most 1."""
    return min(as_real(value, name, 0.0, open_low=True), 1.0)


class LinearMachine(Estimator):
    """An estimator that is a linear machine."""

    C: float = param(real(0, open_low=True), default=1.0)
    fit_intercept: bool = param(flag, default=True)
    intercept_scaling: float = param(real(*RANGE_OF_INTERCEPT_SCALING), default=1.0)
    dual: Literal["auto"] | bool = param(checked_by(as_dual, "auto", True, False), default="auto")
    tol: float = param(checked_by(as_fraction, 1e-4, 0.5, 2.0), default=1e-4)
    random_state: Seed = param(randomness, default=None)
    max_iter: int = param(count(), default=1000)
    time_limit: float | None = param(nothing | real(0), default=None)
    n_jobs: Jobs = param(jobs, default=None)

    coef_: Array = fitted()
    intercept_: Any = fitted()
    n_iter_: int = fitted()
    converged_: bool = fitted()
    solver_: str = fitted()

    def _rows(
        self, rows: Matrix, params: Any, weights: Array | None, target: Array
    ) -> tuple[LinearRows, Array, Array]:
        """The rows that have a weight, their costs and their targets."""
        costs = np.full(len(target), params.C) if weights is None else params.C * weights
        on = costs > 0.0
        if not on.all():
            rows, costs, target = rows[on], costs[on], target[on]
        made = LinearRows(rows, params.fit_intercept, params.intercept_scaling, self.n_jobs)
        return made, costs, target

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def clock_of(params: Any) -> Clock:
    """What stops the solvers of one fit."""
    limit = params.time_limit
    deadline = None if limit is None else time.monotonic() + limit
    return Clock(params.max_iter, deadline, time.monotonic)


def is_direct(rows: LinearRows) -> bool:
    """Whether sums of products of columns cost less than coordinate descent is likely to."""
    work = rows.pairs / (1.0 if rows.sparse else VECTOR_SPEED) + rows.q**3 / 3.0
    return work <= SWEEPS_WORTH_DIRECT_METHOD * (rows.size + rows.n)


def solved(
    problem: Problem, params: Any, clock: Clock, seed: Any, enough: float = 1.0
) -> tuple[LinearSolution, str]:
    """The Solution, and the name of what found it."""
    rows = problem.rows
    direct = is_small = is_direct(rows)
    if not isinstance(params.dual, str):
        direct = not params.dual
    elif problem.squared:
        direct = is_small or rows.n >= rows.q
    with np.errstate(all="ignore"):  # A gap that is not finite is not small.
        if not direct:
            return descend(problem, params.tol, clock, as_generator(seed)), "descent"
        if not problem.squared:
            return narrow(problem, params.tol, clock), "interior point"
        if is_small:
            return minimize(problem, params.tol * enough, clock), "newton"
        by = Conjugate(problem, clock)
        return minimize(problem, params.tol * enough, clock, SHARPER_GRADIENT, by), "newton"


def warn_stopped(model: LinearMachine, solution: LinearSolution, of: str = "") -> None:
    """Warn of a solution that has not converged; refuse one whose bounds are not numbers."""
    require_products(0.0 if np.isfinite([solution.primal, solution.gap]).all() else np.inf)
    if solution.converged:
        return
    if "time_limit" in solution.reason:
        fix = "Raise time_limit."
    elif "rounding" in solution.reason:
        fix = "Center and scale the columns of X, or raise tol."
    else:
        fix = "Raise max_iter or tol, or scale the columns of X."
    warn_user(
        f"{type(model).__name__} did not converge {solution.reason}{of}: its objective "
        f"{solution.primal:.6g} is at most {solution.gap:.3g} above the least. {fix}",
        ConvergenceWarning,
    )


def values(rows: Matrix, coef: Array, intercept: Array, n_jobs: Jobs) -> Array:
    """The values of rows under K machines, (m, K): float32 for float32 rows, else float64."""
    made = LinearRows(rows, True)
    out = np.empty((made.n, len(coef)), rows.dtype if rows.dtype == np.float32 else np.float64)
    vectors = [np.append(b, c) for b, c in zip(intercept, coef, strict=True)]

    def work(where: slice) -> None:
        block = None if made.sparse else np.ascontiguousarray(rows[where])
        for k, v in enumerate(vectors):
            out[where, k] = made.predict(where, v, block)

    with np.errstate(all="ignore"):
        each(work, grid(made.n), n_jobs=n_jobs, effort=4.0 * made.size * len(coef))
    if not np.isfinite(out).all():
        for column in out.T:
            explain_nonfinite(column, "The decision function of X")
    return out
