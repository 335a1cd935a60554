# SPDX-License-Identifier: BSD-3-Clause
"""An interior-point method for the hinge and the absolute loss: a point of its path, and the step.

Every loss is a sum of hinges c max(0, level - sign f): one for a row of a class, two in regression.
With multipliers 0 < a < c, slacks xi = loss and r = xi - (level - sign f), the conditions

    diag(ridge) v = sum a sign z,    a r = mu,    (c - a) xi = mu

are followed to mu = 0 by Mehrotra's predictor and corrector (1992, doi:10.1137/0802028). The dual
matrix has the rank of the columns, so that a step is a system of q equations with the matrix
diag(ridge) + z' theta z, theta = 1 / (r / a + xi / (c - a)): Ferris & Munson 2002,
doi:10.1137/S1052623400374379. Steps do not depend on how many rows are on their margins, where
coordinate descent takes hundreds of sweeps.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from statfast._core.svm import dual_descent as kernel
from statfast._engine import checkpoint
from statfast._linalg import MIN_PIVOT
from statfast._typing import Array
from statfast.svm.linear.objective import LinearSolution, Problem
from statfast.svm.linear.positive import MAX_DIAGONAL, factored

SHARE_OF_LONGEST_STEP = 0.995  # A step goes this share of the way to the nearest bound.
START_SLACK = 3.0  # Slacks begin so many times the size of levels above the least.
MAX_INVERSE_DISTANCE = 1e6  # Multipliers begin no closer to a bound than one over this.
# Below this gap, relative to the primal, the rows on the margin may be known.
MAX_GAP_FOR_POLISHING = 1e-3
ROUNDING_OF_GAP = 1e-12  # A gap that is a smaller share of the primal is rounding.
MIN_PROGRESS = 1e-14  # Progress that is a smaller share of the primal does not count.
MAX_IDLE_ITERATIONS = 5  # Iterations end after so many without progress.
# A step that goes less of its way is short; after so many short steps in a row the path is lost.
SHORT_STEP, MAX_SHORT_STEPS = 0.1, 3
# Iterations after convergence while the rows on the margin may soon be known; one of them is nearly
# free.
EXTRA_ITERATIONS = 3
# So many products of numbers of a table of rows take less time than calls of other kernels.
MAX_PRODUCTS_OF_TABLE = 3e4
# The step of few rows is made with a factor whose pivots and diagonal are within these.
LIMITS = np.array([MIN_PIVOT, MAX_DIAGONAL, SHARE_OF_LONGEST_STEP])
# Arrays of a path, one after the other, as the kernel knows them; SIDE more for each hinge.
TARGET, COST, F, ALONG, SCORE, WEIGHT, ALL = range(7)
A, R, XI, SIDE = 0, 1, 2, 7
# A row is far from its margin where c |short| is more than so many times mu.
FAR_FROM_MARGIN = 10.0
# The same limit once the gap has shown that some rows were dropped wrongly.
FAR_AFTER_MISJUDGMENT = 40.0
MIN_ROWS, MIN_ROWS_PER_COLUMN = 256, 4  # The least rows that are kept, in all and for each column.
# Rows are chosen anew when mu has fallen by this factor, and would leave fewer rows by this factor.
MIN_FALL_OF_MU, MIN_FALL_OF_ROWS = 2.0, 2.0
ROWS_PER_SAMPLED_ROW = 16  # One in so many rows is looked at to estimate how many would be left.
# Rows are not dropped where that makes the gap grow by more than about this factor.
MAX_GROWTH_OF_GAP = 100.0
# After so many sets of rows whose solution is not that of all rows, no row is dropped any more.
MAX_MISJUDGED_SETS = 2
# With more rows on the margin than so many times the columns, they are not yet the right ones.
MAX_MARGIN_ROWS_PER_COLUMN = 4
# The equations of the rows on the margin may cost so many operations, or this share of a pass.
EQUATION_OPERATIONS, EQUATION_SHARE_OF_PASS = 1e6, 0.05
MAX_EQUATION_OPERATIONS = 5e7  # More operations would keep Ctrl-C waiting.
NUMBERS_OF_LAPACK = 64  # LAPACK may use so many numbers of memory for each row and column.


def follow(path, tol, clock, n_iter=0, leave=None):
    """Go on until the gap is at most tol^2 of the primal, or until ``leave(path)``.

    Returns a Solution, the number of iterations, and whether that is the end.
    """
    best, idle, extra, total, first = None, 0, 0, np.inf, n_iter
    while True:
        solution = path.solution(n_iter)
        last = solution.gap <= max(tol**2 * solution.primal, path.rounding)
        if solution.gap <= MAX_GAP_FOR_POLISHING * solution.primal:
            solution = min(
                [solution, *polished(path, n_iter, last)], key=lambda candidate: candidate.gap
            )
        better = best is None or solution.gap < best.gap - MIN_PROGRESS * abs(best.primal)
        falls = abs(best.primal if best else 0.0) * MIN_PROGRESS < path.total < 0.9 * total
        idle = 0 if better or falls else idle + 1
        total = min(total, path.total)
        best = solution if better else best
        if best.gap <= ROUNDING_OF_GAP * best.primal or (
            last and (extra == EXTRA_ITERATIONS or (extra and not path.margin_is_known))
        ):
            break
        extra += last
        reason = clock.stopped(n_iter)
        if idle >= MAX_IDLE_ITERATIONS and not reason:
            reason = f"in {n_iter} iterations, as rounding hides the rest"
        if not (np.isfinite(solution.gap) or reason or n_iter == first):
            reason = f"in {n_iter} iterations, as rounding hides the rest"
        if reason:
            best.reason = reason
            break
        if leave is not None and not last and leave(path):
            return solution, n_iter, False
        path.step()
        n_iter += 1
    best.n_iter = n_iter
    best.converged = is_enough(best, tol, path.rounding)
    if best.converged:
        best.reason = ""
    return best, n_iter, True


def is_enough(solution: Any, tol: float, rounding: float) -> bool:
    """Whether a solution has converged."""
    return bool(solution.gap <= max(max(tol**2, ROUNDING_OF_GAP) * solution.primal, rounding))


class Path:
    """A point of the path and the step from it.

    It begins at v = 0, or at given coefficients v, values f and mu, all multipliers as they are on
    the path at these values.
    """

    def __init__(self, problem: Problem, start: Any = None) -> None:
        self.problem, self.rows = problem, problem.rows
        self.sides = 1 if problem.classes else 2
        rows, n = problem.rows, problem.rows.n
        # The rows of the state are not a power of two apart, which caches would not like.
        self.state = np.zeros((ALL + SIDE * self.sides, (n | 63) + 9))
        self.state[TARGET, :n], self.state[COST, :n] = problem.target, problem.cost
        self.cost, self.f = self.state[COST, :n], self.state[F, :n]
        self.a, self.r, self.xi = (self.state[ALL + k :: SIDE, :n] for k in (A, R, XI))
        self.scale, self.rounding = problem.scale, problem.rounding
        # How far the multipliers still have to go; None where the sums of the point are known.
        self.t: float | None = 0.0
        self.v = np.zeros(self.rows.q)
        if start is None:
            self.a[...] = 0.5 * self.cost * problem.balance
            self.xi[...] = np.maximum(self.level, 0.0) + START_SLACK * self.scale
            self.r[...] = self.xi - self.level
        else:
            self.v, self.f[...], mu = start
            self._center(mu)
        # The columns of few rows, that of ones too, or None.
        is_small = not rows.sparse and rows.pairs <= MAX_PRODUCTS_OF_TABLE
        self.table = np.ascontiguousarray(rows.take(np.arange(n)).T) if is_small else None
        self.guess: Any = None  # which rows were on the margin at the last point
        self.margin_is_known = False  # Whether they were so few that they may be the right ones.
        self.stumbles = 0  # short steps, one after the other
        self._measure()

    def take(self, source: Any, index: Any, old: Any) -> None:
        """Multipliers of another path, for those of rows `index` that are among its rows `old`."""
        at = np.arange(len(index)), index
        if old is not None:
            place = np.minimum(np.searchsorted(old, index), len(old) - 1)
            same = np.flatnonzero(old[place] == index)
            at = same, place[same]
        for values, source_values in ((self.a, source.a), (self.r, source.r), (self.xi, source.xi)):
            values[:, at[0]] = source_values[:, at[1]]
        self._measure()

    @property
    def is_lost(self) -> Any:
        """Whether it makes no headway."""
        return self.stumbles >= MAX_SHORT_STEPS or not np.isfinite(self.total)

    def excess(self) -> Any:
        """What the gap is about, where values are near those of the multipliers."""
        return self.total + 0.5 * float(self.lag @ (self.lag / self.rows.ridge))

    @cached_property
    def sign(self) -> Array:
        return self.problem.hinges[0]

    @cached_property
    def level(self) -> Array:
        return self.problem.hinges[1]

    @property
    def stride(self) -> float:
        """The most that f changed in the last step."""
        return float(np.abs(self.state[ALONG, : self.rows.n]).max())

    def _measure(self) -> None:
        """How far the conditions are from being met: ridge v - z'beta, and the products."""
        self.lag = self.rows.ridge * self.v - self.problem.gathered(self.beta())
        self.total = float((self.a * self.r + (self.cost - self.a) * self.xi).sum())

    def beta(self) -> Array:
        return self.signed(self.a)

    def signed(self, values: Array) -> Array:
        """Values of hinges, times their signs, added up for each row."""
        return values[0] - values[1] if self.sides == 2 else self.problem.target * values[0]

    @property
    def mu(self) -> float:
        return self.total / (2 * self.a.size)

    def short(self, where: slice = slice(None)) -> Any:
        """level - sign f of hinges."""
        return self.level[:, where] - self.sign[:, where] * self.f[where]

    def _center(self, mu: Any) -> None:
        """Multipliers of the path: with k = c short / mu and p = a / c, 1 / (1 - p) - 1 / p = k."""
        k = np.clip(self.cost * self.short() / mu, -MAX_INVERSE_DISTANCE, MAX_INVERSE_DISTANCE)
        root = np.sqrt(k * k + 4.0)
        small = (1.0 + 2.0 / (root + np.abs(k))) / (root + 2.0)  # the lesser of p and 1 - p
        p, rest = np.where(k < 0.0, small, 1.0 - small), np.where(k < 0.0, 1.0 - small, small)
        self.a[...] = self.cost * p
        self.r[...], self.xi[...] = mu / (self.cost * p), mu / (self.cost * rest)

    def solution(self, n_iter: int) -> LinearSolution:
        """The Solution here; the system for the next step is made on the way."""
        rows, problem = self.rows, self.problem
        if self.t is not None:
            self.pull, self.h, self.sums, _ = self._stage(kernel.LOOK, self.t)
        loss, reward, self.total = self.sums[:3].tolist()
        self.t = 0.0
        g = rows.ridge * self.v - self.lag
        primal = problem.quadratic(self.v) + loss
        dual = problem.base + reward - 0.5 * float(g @ (g / rows.ridge))
        return LinearSolution(self.v.copy(), self.beta(), primal, dual, n_iter, False)

    def step(self) -> None:
        """Predictor and corrector."""
        length = self._step_of_few() if self.table is not None else -1.0
        if length < 0.0:
            length = self.t = self._step_of_stages()
        self.stumbles = self.stumbles + 1 if length < SHORT_STEP else 0

    def _step_of_few(self) -> float:
        """The step, and the sums of the next `solution`, in one call; -1 where the matrix has no
        factor of Cholesky's to rounding."""
        checkpoint()
        n, q, problem, sums = self.rows.n, self.rows.q, self.problem, np.empty(4)
        vectors = np.array([self.pull, self.rows.ridge, self.lag, self.v])
        length: float = kernel.path_step(
            self.state, n, self.sides, problem.epsilon or 0.0, self.total, self.table, self.h,
            vectors, sums, LIMITS, np.empty((q + 3, q)),
        )  # fmt: skip
        if length >= 0.0:
            self.t, self.sums, (self.pull, _, self.lag, self.v) = None, sums, vectors
        return length

    def _step_of_stages(self) -> float:
        """The step; the multipliers move in the next `solution`."""
        rows = self.rows
        factor = factored(self.h, rows.ridge)
        guess = factor.solve(self.pull - self.lag)
        _, _, (linear, square, _), most = self._stage(kernel.PREDICT, 0.0, guess)
        t = min(1.0, most.step_length)
        after = self.total + t * linear + t * t * square
        mu = self.mu * (max(after, 0.0) / self.total) ** 3
        dv = factor.solve(self._stage(kernel.AIM, mu)[0] - self.lag)
        most = self._stage(kernel.CORRECT, mu, dv)[3]
        length: float = min(1.0, SHARE_OF_LONGEST_STEP * most.step_length)
        self.v += length * dv
        self.lag *= 1.0 - length
        return length

    def _stage(self, stage: int, number: float, v: Array | None = None) -> list[Any]:
        """A stage of a step, along coefficients `v` or none: scaled rows added up, products of
        columns, three sums and the longest step, as far as the stage makes them."""
        rows, state, q = self.rows, self.state, self.rows.q
        epsilon, looks = self.problem.epsilon or 0.0, stage == kernel.LOOK

        def partial(where: slice, block: Array | None) -> list[Any]:
            sums = np.zeros(4)
            g = np.zeros(q) if v is None else None
            h = np.zeros((q, q)) if looks else None
            ours = () if self.table is None else (self.table, v, g, h)
            if self.table is None and v is not None:
                state[ALONG, where] = rows.predict(where, v, block)
            kernel.hinges(
                stage, state, where.start, where.stop, self.sides, epsilon, number, sums, *ours
            )
            if self.table is None and g is not None:
                weight = state[WEIGHT, where] if looks else None
                rows.accumulate(where, block, state[SCORE, where], weight, h, g)
            return [0.0 if g is None else g, 0.0 if h is None else h, sums[:3], _Most(sums[3])]

        if self.table is None:
            return rows.sums(partial, pairs=looks)
        checkpoint()
        return partial(slice(0, rows.n), None)


class _Most:
    """A number of which the largest of several is the sum; one over it, or infinity, is how far a
    step can go."""

    def __init__(self, value: float) -> None:
        self.value = float(value)

    def __add__(self, other: Any) -> Any:
        return _Most(max(self.value, other.value))

    @property
    def step_length(self) -> Any:
        return 1.0 / self.value if self.value > 0.0 else np.inf


# ---------- The interior point on ever fewer rows: those near the margin
# On the path at mu the multiplier of a row that is far from its margin, |short| c >> mu, is all but
# at a bound. With those multipliers held at their bounds, the rows drop out of the problem, except
# for their sum. As mu falls, the rows left are ever fewer, until they are about as many as columns.
# Each time rows are chosen anew from all of them, so that what was held at the wrong bound comes
# back; and the gap at the end is that of all rows.
def narrow(problem, tol, clock):
    """Solve a problem of hinges until the gap is at most tol^2 of the primal; a Solution."""
    least = MIN_ROWS + MIN_ROWS_PER_COLUMN * problem.rows.q
    path, index, beta = Path(problem), None, None
    n_iter, begun, tries = 0, np.inf, 0
    while True:

        def leave(path: Path, begun: float = begun, part: bool = index is not None) -> bool:
            if part and path.is_lost:
                return True
            if path.rows.n <= 2 * least or path.mu > begun / MIN_FALL_OF_MU:
                return False
            far = _far(path, slice(None, None, ROWS_PER_SAMPLED_ROW))
            return MIN_FALL_OF_ROWS * (far <= _limit(path)).mean() < 1.0

        solution, n_iter, ended = follow(
            path, tol, clock, n_iter, leave if tries < MAX_MISJUDGED_SETS else None
        )
        if index is None and ended:
            return solution
        f, mu, limit = problem.rows.product(solution.v), path.mu, _limit(path)
        if ended:
            beta[index] = solution.beta
            primal = problem.primal(solution.v, f)
            full_solution = LinearSolution(
                solution.v, beta, primal, solution.dual, n_iter, False, solution.reason
            )
            full_solution.converged = is_enough(full_solution, tol, path.rounding)
            if full_solution.converged or clock.stopped(n_iter):
                full_solution.reason = "" if full_solution.converged else solution.reason
                return full_solution
            tries = MAX_MISJUDGED_SETS if solution.reason else tries + 1
            mu, limit = _misjudged(problem, f, beta, index, mu)
        elif path.is_lost:
            tries = MAX_MISJUDGED_SETS
        near = _near(problem, f, limit, least) if tries < MAX_MISJUDGED_SETS else None
        part = None
        if near is not None:
            part = Path(problem.near(*near), (solution.v, f[near[0]], mu))
            if not ended:
                part.take(path, near[0], index)
                if not part.excess() < MAX_GROWTH_OF_GAP * path.excess():
                    part = None
        if part is not None:
            path, (index, beta), begun = part, near, mu
        elif ended or path.is_lost:
            path, index, beta, tries = Path(problem), None, None, MAX_MISJUDGED_SETS
        else:
            begun = mu  # The path goes on with the rows it has.


def _far(path: Any, where: slice) -> Any:
    """How far rows of a path are from their margin, in units of mu."""
    return np.abs(path.short(where)).min(axis=0) * path.cost[where]


def _limit(path: Any) -> Any:
    """How far is far: beyond what mu says, and what the last step may be off by."""
    return max(FAR_FROM_MARGIN * path.mu, path.stride * float(path.cost.max()))


def _near(problem: Any, f: Array, limit: Any, least: Any) -> Any:
    """Which rows are near their margin, and all multipliers at bounds; None if most rows are."""
    sign, level = problem.hinges
    short = level - sign * f
    far = np.abs(short).min(axis=0) * problem.cost
    on = far <= limit
    if on.sum() < least < problem.rows.n:
        on = far <= np.partition(far, least)[least]
    if MIN_FALL_OF_ROWS * on.sum() > problem.rows.n:
        return None
    index = np.flatnonzero(on)
    beta = (sign * np.where(short > 0.0, problem.cost, 0.0)).sum(axis=0)
    return index, beta


def _misjudged(problem: Any, f: Array, beta: Any, index: Any, mu: Any) -> Any:
    """Where to go on, mu and how far rows may be, if some were held at the wrong bound: they have
    to come back."""
    u = problem.excess(f)
    excess = problem.cost * np.abs(u) - (problem.target - f) * beta
    if problem.epsilon:
        excess += problem.epsilon * np.abs(beta)
    excess[index] = 0.0
    mu = max(mu, float(excess.sum()) / (2.0 * len(index)))
    return mu, max(FAR_AFTER_MISJUDGMENT * mu, float(excess.max()))


# ---------- From a point near the optimum of a hinge problem to the optimum itself
# There a row is off its margin, with its multiplier at a bound, or on it. Given which rows are on
# it, v is the solution of linear equations, and so are their multipliers: exact except for
# rounding. Where the guess is wrong the gap says so.
def polished(path: Path, n_iter: int, last: bool) -> list[LinearSolution]:
    """A list of the Solution that the point of an interior path leads to; empty if none does.

    Where the rows on the margin are other than at the point before, they will hardly be the right
    ones: then nothing is tried, unless it is the last point.
    """
    problem, rows, cost = path.problem, path.rows, path.cost
    share = path.a / cost
    up = 1.0 - share <= path.xi / path.scale  # the multiplier is at its upper bound
    free = ~up & (share > path.r / path.scale)
    guess = up.tobytes(), free.tobytes()
    same, path.guess = path.guess == guess, guess
    index = np.flatnonzero(free.any(axis=0))
    most = min(
        max(EQUATION_OPERATIONS, EQUATION_SHARE_OF_PASS * rows.pairs), MAX_EQUATION_OPERATIONS
    )
    path.margin_is_known = (
        len(index) <= MAX_MARGIN_ROWS_PER_COLUMN * rows.q and len(index) * rows.q**2 <= most
    )
    if not (path.margin_is_known and (last or same)):
        return []
    beta = path.signed(np.where(up, cost, 0.0))
    beta[index] = 0.0
    root = 1.0 / np.sqrt(rows.ridge)
    begin = root * problem.gathered(beta)
    if len(index):
        z = (rows.take(index) if path.table is None else path.table.T[index]) * root
        weight = free[:, index]
        on = (weight * path.sign[:, index] * path.level[:, index]).sum(axis=0) / weight.sum(axis=0)
        more = _least_squares(z, on - z @ begin)
        multipliers = _least_squares(z.T, more)
        signs = path.sign[:, index]
        low = np.where((weight & (signs < 0)).any(axis=0), -cost[index], 0.0)
        high = np.where((weight & (signs > 0)).any(axis=0), cost[index], 0.0)
        beta[index] = np.clip(multipliers, low, high)
        begin = begin + more
    v = root * begin
    primal = problem.primal(v, rows.product(v))
    return [
        LinearSolution(v, beta, primal, problem.dual(beta, problem.gathered(beta)), n_iter, False)
    ]


def _least_squares(a: Array, b: Array) -> Array:
    """The shortest solution, by LAPACK's factor with pivots: scipy's function for all kinds of
    equations takes longer than few of them."""
    from scipy.linalg.lapack import dgelsy

    rows, columns = a.shape
    right = np.zeros((max(a.shape), 1))
    right[:rows, 0] = b
    pivots, room = np.zeros(columns, np.int32), NUMBERS_OF_LAPACK * sum(a.shape)
    solution: Array = dgelsy(a, right, pivots, np.finfo(np.float64).eps, room)[1]
    return solution[:columns, 0]
