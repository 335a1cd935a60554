# SPDX-License-Identifier: BSD-3-Clause
"""Separation: whether maximum likelihood estimates of a logistic model exist, and if not, why.

They exist unless some direction of the coefficients raises no row's other classes above its own,
and for some row lowers one: along it the likelihood grows without bound (Albert and Anderson 1984,
https://doi.org/10.1093/biomet/71.1.1). Separation is complete if every row's other classes are
lowered, else quasi-complete. A linear program finds such a direction (Konis 2007, Linear
programming algorithms for detecting separated data in binary logistic regression models, DPhil
thesis, Oxford); the coefficients it moves are the infinite ones.

Ordinary fits never get that far. The loss f is self-concordant in the way of Bach (2010,
https://doi.org/10.1214/09-EJS521): along a direction of length 1 in the metric of the Hessian H at
the estimate, f' grows from at least -l to at least (1 - exp(-R t)) / R - l, where l is Newton's
decrement and R bounds how far apart the direction moves two classes of a row. Where l R < 1 it
becomes positive in every direction, and a minimum exists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from statfast._engine import checkpoint, each, grid, interruptible
from statfast._typing import Array, Jobs
from statfast._validation import SeparationWarning, warn_user
from statfast.linear.design.standardization import Standardization, frame_of
from statfast.linear.glm.irls_sums import ModelRows

# Smaller margins are 0 to the program, whose columns and directions are up to 1.
MAX_ZERO_MARGIN = 1e-8
ROUNDING_OF_POSTERIOR = 4e-16  # The rounding of a posterior probability.
CONSTRAINTS_AT_FIRST = 512  # The linear program begins with so many constraints.
MAX_NUMBERS_OF_PROGRAM = 10**7  # The most constraints times coefficients of the program.
# The most numbers that all steps of the programs read, about 1e9 a second.
MAX_NUMBERS_OF_STEPS = 1e10
MAX_STEPS_OF_SOLVER = 2**31 - 1  # The largest number of steps that the solver can count.
ADVICE = "Use method='firth' or C=1.0, or drop columns."


@dataclass(frozen=True)
class Separation:
    """A direction along which the likelihood of the rows grows without bound."""

    complete: bool | None  # None where this was not decided
    direction: np.ndarray  # (K, q), 0 for the first class; of columns in the frame
    columns: np.ndarray  # Columns that the direction moves, ascending.


class Undecided(Exception):
    """The search for a direction has come to the bound on its work, or on that of the solver."""


def maximum_exists(gradient: np.ndarray, inverse: np.ndarray, total_weight: float) -> bool:
    """Whether the estimates certainly exist; False leaves it to `find_separation`.

    Parameters
    ----------
    gradient : ndarray of shape (K - 1, q)
        Of the log-likelihood at the estimates, relative to one class, in a frame where no column
        is larger than 1 in any row.
    inverse : ndarray of shape (K - 1, q, K - 1, q)
        Of the information there.
    mass : float
        Sum of the weights: that many roundings may be in the gradient.
    """
    k, q = gradient.shape
    if not np.isfinite(inverse).all():
        return False
    g = gradient.ravel()
    largest = 0.0
    for a in range(k):
        block = inverse[a, :, a]
        largest = max(largest, np.abs(block).sum())
        for b in range(a):
            pair = block + inverse[b, :, b] - inverse[a, :, b] - inverse[b, :, a]
            largest = max(largest, np.abs(pair).sum())
    exact = max(0.0, float(g @ inverse.reshape(k * q, k * q) @ g)) ** 0.5
    decrement = exact + ROUNDING_OF_POSTERIOR * total_weight * largest**0.5
    return decrement * largest**0.5 <= 0.5


def find_separation(
    design: Callable[..., Any],
    codes: Array,
    n_classes: int,
    coef: Array | None = None,
    *,
    n_jobs: Jobs = None,
) -> Separation | None:
    """The direction that separates the rows, or None if there is none.

    Parameters
    ----------
    design : callable
        ``design(rows)``: columns of the rows in a slice or array, none larger than 1 in size, as
        ndarray of shape (m, q).
    codes : ndarray of shape (n,), intp
        Of rows with a positive weight.
    n_classes : int
        Each has a row.
    coef : ndarray of shape (K, q), optional
        Estimates, in the same columns; the rows they fit worst come into the program first.

    Raises
    ------
    Undecided
        If it takes more than `MAX_NUMBERS_OF_STEPS` to find one, or to find that there is none.

    Notes
    -----
    Estimates that separate all rows already are such a direction: there is nothing to solve.
    The program has (K - 1) q variables and, of the n (K - 1) constraints, only those it has
    broken so far: it is solved again until it breaks no other.
    """
    table = _Margins(design, codes, n_classes, n_jobs)
    start = np.zeros((n_classes, table.q)) if coef is None else coef
    if table.separates(start):
        return _along(start - start[0], True)
    chosen = table.smallest(start, CONSTRAINTS_AT_FIRST, np.inf)
    sides, chosen = table.solve(chosen, strict=False)
    if sides is None:
        return None
    # The direction that gains most may leave rows where they are though another moves them all.
    complete = table.smallest(sides, 1, MAX_ZERO_MARGIN).size == 0
    if not complete:
        try:
            strictly, _ = table.solve(chosen, strict=True)
        except Undecided:
            return _along(sides, None)
        if strictly is not None:
            sides, complete = strictly, True
    return _along(sides, complete)


def _along(sides: Array, complete: Any) -> Separation:
    moved = np.abs(sides).max(axis=0)
    return Separation(complete, sides, np.flatnonzero(moved > 1e-6 * moved.max()))


class _Margins:
    """How far a direction raises each row's own class above each other: the constraints.

    Constraint i * K + k is that of row i and class k.
    """

    def __init__(
        self, design: Callable[..., Any], codes: Array, n_classes: int, n_jobs: Jobs
    ) -> None:
        self.design, self.codes, self.n_classes, self.n_jobs = design, codes, n_classes, n_jobs
        self.blocks = grid(len(codes))
        totals = each(self._total, self.blocks, n_jobs=n_jobs)
        self.total = sum(totals)  # (K, q): the sum of all constraints
        self.q = self.total.shape[1]
        self.work = MAX_NUMBERS_OF_STEPS  # The work that is left.

    def _total(self, rows: slice) -> Array:
        z, codes = self.design(rows), self.codes[rows]
        class_sums = np.zeros((self.n_classes, z.shape[1]))
        np.add.at(class_sums, codes, z)
        return self.n_classes * class_sums - z.sum(axis=0)

    def smallest(self, direction: Array, count: int, below: float) -> Array:
        """Up to so many constraints that the direction meets by less than `below`, worst first."""

        def work(rows: slice) -> tuple[Array, Array]:
            checkpoint()
            z, codes = self.design(rows), self.codes[rows]
            height = z @ direction.T
            margin = height[np.arange(len(codes)), codes][:, None] - height
            margin[np.arange(len(codes)), codes] = np.inf
            margin = margin.ravel()
            constraints = np.flatnonzero((margin < below) & (margin < np.inf))
            if len(constraints) > count:
                constraints = constraints[np.argpartition(margin[constraints], count)[:count]]
            return margin[constraints], constraints + rows.start * self.n_classes

        parts = each(work, self.blocks, n_jobs=self.n_jobs)
        margins, constraints = (np.concatenate(part) for part in zip(*parts, strict=True))
        return constraints[np.argsort(margins, kind="stable")[:count]]

    def separates(self, coef: Array) -> bool:
        """Whether coefficients, which may be the estimates, meet all constraints strictly."""
        size = np.abs(coef).max(initial=0.0)
        return size > 0.0 and self.smallest(coef / size, 1, MAX_ZERO_MARGIN).size == 0

    def matrix(self, constraints: Array) -> Array:
        """Their rows, over the coefficients of all classes but the first."""
        row, rival = np.divmod(constraints, self.n_classes)
        z, at = self.design(row), np.arange(len(row))
        out = np.zeros((len(row), self.n_classes, self.q))
        out[at, self.codes[row]] += z
        out[at, rival] -= z
        return out[:, 1:].reshape(len(row), -1)

    def solve(self, chosen: Array, strict: bool) -> tuple[Array | None, Array]:
        """The direction of most gain (or, strictly, of the largest least margin), or None.

        Also the constraints that took part.
        """
        from scipy.optimize import linprog

        size = (self.n_classes - 1) * self.q
        gain = self.total[1:].ravel() / max(1.0, np.abs(self.total).max())
        while True:
            checkpoint()
            numbers = len(chosen) * size
            if not numbers <= min(MAX_NUMBERS_OF_PROGRAM, self.work):
                raise Undecided
            rows = self.matrix(chosen)
            bounds = [(-1.0, 1.0)] * size
            if strict:
                rows = np.column_stack([rows, -np.ones(len(rows))])
                target, bounds = np.append(np.zeros(size), -1.0), [*bounds, (0.0, None)]
            else:
                target = -gain
            program = partial(
                linprog, target, b_ub=np.zeros(len(rows)), bounds=bounds, method="highs",
                options={
                    "primal_feasibility_tolerance": 1e-10,
                    "maxiter": int(min(self.work / numbers, MAX_STEPS_OF_SOLVER)),
                },
            )  # fmt: skip
            answer = interruptible(program, -rows)  # The rows are the argument A_ub.
            self.work -= answer.nit * numbers
            if answer.status != 0:
                raise Undecided
            if -answer.fun <= (MAX_ZERO_MARGIN if strict else 10.0 * MAX_ZERO_MARGIN):
                return None, chosen
            direction = np.vstack([np.zeros(self.q), answer.x[:size].reshape(-1, self.q)])
            floor = 0.5 * answer.x[-1] if strict else -MAX_ZERO_MARGIN
            broken = self.smallest(direction, max(CONSTRAINTS_AT_FIRST, size), floor)
            fresh = np.setdiff1d(broken, chosen)
            if fresh.size == 0:
                return direction, chosen
            chosen = np.union1d(chosen, fresh)


def in_memory(X: Any) -> bool:
    """Whether these are rows that `separated_rows` can look through."""
    return isinstance(X, np.ndarray)


def separated_rows(
    rows: Any,
    codes: Array,
    chosen: Array | None,
    frame: Standardization,
    coef: Array,
    n_jobs: Jobs = None,
) -> Separation | None:
    """`find_separation` for some rows, of these classes, in a frame (see
    linear/logistic/softmax_sums.py).

    `chosen` are the places of the rows, those of positive weight, or None for all. The columns of
    the answer are those of 1 and x: the intercept counts if it is moved there.
    """

    def design(where: Array | slice) -> Array:
        return frame.design(rows[where if chosen is None else chosen[where]])

    separation = find_separation(design, codes, len(coef), coef, n_jobs=n_jobs)
    if separation is None or not frame.intercept:
        return separation
    moved = set(separation.columns.tolist())
    terms = separation.direction * np.append(1.0, -frame.shift * frame.scale)
    here = np.abs(terms.sum(axis=1)) > 1e-6 * np.abs(terms).sum(axis=1)
    moved = (moved | {0}) if here.any() else (moved - {0})
    return replace(separation, columns=np.array(sorted(moved), np.intp))


def warn_separated(
    separation: Separation, names: tuple[Any, ...], who: str, advice: str = ADVICE
) -> None:
    """Name the columns whose coefficients are infinite."""
    columns = [str(names[j]) for j in separation.columns.tolist()]
    listed = ", ".join(columns[:8]) + (f" and {len(columns) - 8} more" if len(columns) > 8 else "")
    kinds = {True: "completely", False: "quasi-completely", None: "completely or in part"}
    kind = kinds[separation.complete]
    warn_user(
        f"{who} {kind} separated by {listed}: the likelihood has no finite maximum, and these "
        "coefficients are infinite; the values reported are where the iteration stopped. "
        f"{advice}",
        SeparationWarning,
    )


def warn_undecided(who: str, advice: str = ADVICE) -> None:
    """Say that it is not known whether coefficients are infinite."""
    warn_user(
        f"{who} perhaps separated, completely or in part: whether the likelihood has a finite "
        "maximum was not decided, as that takes too large a linear program. Where it has none, "
        f"these coefficients and their standard errors mean nothing. {advice}",
        SeparationWarning,
    )


def warn_no_maximum(
    rows: ModelRows, coef: Array, names: Any, who: str, advice: str = ADVICE
) -> None:
    """Where iterations for shares of successes found no end: say which columns separate these.

    A share between 0 and 1 is of both kinds. The link of the mean rises from 0 to 1; offsets are
    finite, and do not change where the likelihood grows without bound.
    """
    y, on = rows.y, True if rows.weights is None else rows.weights > 0
    kinds = [np.flatnonzero((y < 1) & on), np.flatnonzero((y > 0) & on)]
    if in_memory(rows.X) and all(kind.size for kind in kinds):
        chosen = np.concatenate(kinds)
        codes = np.repeat(np.arange(2), [kind.size for kind in kinds])
        order = np.argsort(chosen, kind="stable")
        frame = frame_of(rows.X, rows.intercept, rows.n_jobs, rows.weights)
        start = frame.from_user(np.stack([np.zeros(len(coef)), coef]))
        try:
            separation = separated_rows(
                rows.X, codes[order], chosen[order], frame, start, rows.n_jobs
            )
        except Undecided:
            separation = None
        if separation is not None:
            warn_separated(separation, names, who, advice)
            return
    warn_user(
        f"{who} separated, completely or in part, or nearly so: the likelihood has no finite "
        f"maximum, or one too far to reach, and coefficients grow without bound. {advice}"
    )
