# SPDX-License-Identifier: BSD-3-Clause
"""What linear machines have in common: their parameters checked, a solver chosen, values."""

import time
from typing import NamedTuple

import numpy as np

from statfast._engine import each, grid
from statfast._estimator import Estimator
from statfast._validation import (
    ConvergenceWarning,
    as_count,
    as_generator,
    as_real,
    explain_nonfinite,
    warn_user,
    wrong_type,
)
from statfast.svm.linear.dual_descent import descend
from statfast.svm.linear.interior_point import narrow
from statfast.svm.linear.newton import Conjugate, minimize
from statfast.svm.linear.objective import Clock
from statfast.svm.linear.positive import require_products
from statfast.svm.linear.rows import VECTOR, LinearRows

SWEEPS = 100  # of coordinate descent that a direct method may cost, where both will do
SCALES = 1e-50, 1e50  # of the intercept: sums of their squares' squares stay within float64
FINER = 0.3  # of the gradient asked for: where Newton steps are inexact


class Settings(NamedTuple):
    """Parameters common to linear machines, checked."""

    C: float
    tol: float
    intercept: bool
    scale: float
    dual: object
    max_iter: int
    time_limit: float | None
    seeds: np.random.Generator


def settings_of(model):
    """The parameters of a machine; raises where one is wrong."""
    for name in ("fit_intercept", "dual"):
        value = getattr(model, name)
        if name == "dual" and isinstance(value, str) and value == "auto":
            continue
        if not isinstance(value, bool | np.bool_):
            other = " or 'auto'" if name == "dual" else ""
            raise wrong_type(name, f"True or False{other}", value)
    limit = model.time_limit
    if limit is not None:
        limit = as_real(limit, "time_limit", 0.0)
    return Settings(
        as_real(model.C, "C", 0.0, open_low=True),
        min(as_real(model.tol, "tol", 0.0, open_low=True), 1.0),  # a share, which is squared
        bool(model.fit_intercept), as_real(model.intercept_scaling, "intercept_scaling", *SCALES),
        model.dual, as_count(model.max_iter, "max_iter"), limit,
        as_generator(model.random_state),
    )  # fmt: skip


class LinearMachine(Estimator):
    """An estimator that is a linear machine."""

    def _rows(self, rows, settings, weights, target):
        """The rows that have a weight, their costs and their targets."""
        costs = np.full(len(target), settings.C) if weights is None else settings.C * weights
        on = costs > 0.0
        if not on.all():
            rows, costs, target = rows[on], costs[on], target[on]
        return LinearRows(rows, settings.intercept, settings.scale, self.n_jobs), costs, target

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def clock_of(settings):
    """What stops the solvers of one fit."""
    limit = settings.time_limit
    deadline = None if limit is None else time.monotonic() + limit
    return Clock(settings.max_iter, deadline, time.monotonic)


def is_direct(rows):
    """Whether sums of products of columns cost less than coordinate descent is likely to."""
    work = rows.pairs / (1.0 if rows.sparse else VECTOR) + rows.q**3 / 3.0
    return work <= SWEEPS * (rows.size + rows.n)


def solved(problem, settings, clock, seed, enough=1.0):
    """The Solution, and the name of what found it."""
    rows = problem.rows
    direct = few = is_direct(rows)
    if not isinstance(settings.dual, str):
        direct = not settings.dual
    elif problem.squared:
        direct = few or rows.n >= rows.q
    with np.errstate(all="ignore"):  # what is not finite has no small gap
        if not direct:
            return descend(problem, settings.tol, clock, np.random.default_rng(seed)), "descent"
        if not problem.squared:
            return narrow(problem, settings.tol, clock), "interior point"
        if few:
            return minimize(problem, settings.tol * enough, clock), "newton"
        by = Conjugate(problem, clock)
        return minimize(problem, settings.tol * enough, clock, FINER, by), "newton"


def warn_stopped(model, solution, of=""):
    """Warn of a solution that has not converged; refuse one whose bounds are no numbers."""
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


def values(rows, coef, intercept, n_jobs):
    """The values of rows under K machines, (m, K): float32 for float32 rows, else float64."""
    made = LinearRows(rows, True)
    out = np.empty((made.n, len(coef)), rows.dtype if rows.dtype == np.float32 else np.float64)
    vectors = [np.append(b, c) for b, c in zip(intercept, coef, strict=True)]

    def work(some):
        block = None if made.sparse else np.ascontiguousarray(rows[some])
        for k, v in enumerate(vectors):
            out[some, k] = made.predict(some, v, block)

    with np.errstate(all="ignore"):
        each(work, grid(made.n), n_jobs=n_jobs, effort=4.0 * made.size * len(coef))
    if not np.isfinite(out).all():
        for column in out.T:
            explain_nonfinite(column, "The decision function of X")
    return out
