# SPDX-License-Identifier: BSD-3-Clause
"""Iteratively reweighted least squares: Fisher's scoring, then Newton's steps, with a line search.

At each point one pass over the rows gives the information z'Wz, the score z's and the deviance
(McCullagh & Nelder 1989, section 2.5, doi:10.1007/978-1-4899-3242-6; Green 1984,
doi:10.1111/j.2517-6161.1984.tb01288.x). Of many rows a sample is fitted first: its solution is so
near that two or three passes over all are left. Of many columns, the information is summed in
float32 while the solution is far, where half its digits make as good a step; scores, deviances and
the last information are in float64.

With a link that is not canonical Fisher's steps shrink by a constant, which a few outliers make
nearly 1 or more: where they shrink slowly, steps are Newton's, of the observed information, as far
as that is positive definite; or where no information is asked for at the solution, scores alone are
followed, by which the information is corrected. Every step is halved until the deviance falls by a
share of what its slope promises (Armijo 1966, doi:10.2140/pjm.1966.16.1), so that steps cannot
alternate.

The step is solved by Cholesky's factor of the information with its diagonal scaled to one. Where
its pivots tell that columns are collinear, or nearly, QR of the weighted rows decides, and columns
that depend on those before them are left out, as R does.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from math import isfinite, isnan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.linear import irls as kernel
from statfast._engine import interruptible
from statfast._linalg import CholeskyFactor
from statfast._typing import Array
from statfast.linear.glm.irls_sums import MIN_COLUMNS_FOR_SCORES, IRLSSums, ModelRows
from statfast.linear.glm.qr_information import QRInformation, independent


@dataclass(frozen=True)
class SampleRules:
    """Of many rows a sample is fitted first."""

    rows_for_one: int = 16
    """A sample is one in so many rows,"""
    rows_for_one_of_many_columns: int = 4
    """or in so many where the information costs far more than the score."""
    min_rows_per_coefficient: int = 12
    """Smaller samples are not taken."""
    min_rows_for_information: int = 40
    """The information of so many rows for each coefficient is that of all, except for a third."""


@dataclass(frozen=True)
class StepRules:
    """How far a step goes, and which steps are taken."""

    max_halvings: int = 30
    """A step is halved no more often."""
    share_of_slope: float = 0.1
    """The deviance falls by this share of what the slope promises, or the step is halved. Near the
    maximum the slope promises twice what comes."""
    max_score_steps: int = 12
    """So many steps are taken by scores alone before the information is summed again."""
    move_for_scores: float = 0.5
    """After a step that moves the linear predictor by no more, scores alone are followed."""
    newton_rate: float = 0.1
    """After a step that is a larger share of the one before, steps are Newton's."""
    score_rate: float = 0.01
    """A step that is a larger share of the one before is none of Newton's, whose sizes square."""
    max_halved_steps: int = 4
    """More steps halved one after another tell of a maximum at a boundary."""
    stalled: int = 8
    """A step that will converge has shrunk by half after so many iterations."""


@dataclass(frozen=True)
class ScoringTolerances:
    """What rounding hides, and what is near enough."""

    pivot: float = 1e-11
    """Below this pivot of the scaled information, QR decides whether columns are independent."""
    pivot_for_covariance: float = 1e-6
    """Below this pivot the covariance is made by QR."""
    pivot_for_float32: float = 1e-4
    """Pivots below this are not trusted in float32."""
    deviance: float = 1e-9
    """The deviance may rise by this share of itself."""
    step: float = 1e-14
    """A step of this share of the coefficients is none."""
    move_with_same_information: float = 3e-8
    """A step that moves the linear predictor by no more leaves 7 digits of the information."""
    min_numbers_for_same_information: int = 1 << 20
    """Of fewer numbers in the rows, another pass costs less than those digits."""


SAMPLE = SampleRules()
STEP = StepRules()
TOLERANCES = ScoringTolerances()


@dataclass
class Fit:
    """A solution, for the rows as they are (not less a shift). q counts the intercept, first.

    Attributes
    ----------
    coef : (q,), 0 where aliased
    covariance : (q, q) inverse of the information, 0 where aliased; times the dispersion it is the
        covariance of the estimates. None with a penalty
    aliased : (q,) columns that depend on those before them, and were left out
    deviance, chi2 : float
    n_iter : passes over the rows
    converged : whether the last step was as small as asked for
    diverged : whether the coefficients grew by steps that did not shrink, or the deviance did not
        fall any more by such steps: no finite maximum of the likelihood
    boundary : number of rows whose means are at an end of their range, as the maximum is there; 1
        if the steps lead there but did not converge
    center, about : a row, and the covariance for rows less that one, which loses no digits where
        rows lie far from 0
    """

    coef: NDArray[np.float64]
    covariance: NDArray[np.float64] | None
    aliased: NDArray[np.bool_]
    deviance: float
    chi2: float
    n_iter: int
    converged: bool
    diverged: bool
    boundary: int = 0
    sizes: list = field(default_factory=list, repr=False)
    center: NDArray[np.float64] | None = field(default=None, repr=False)
    about: NDArray[np.float64] | None = field(default=None, repr=False)

    @property
    def rank(self) -> int:
        return int((~self.aliased).sum())


class Unsolvable(ValueError):
    """The start, or the sums there, are not finite."""

    def __init__(self) -> None:
        super().__init__(
            "X holds values so large that sums of their squares overflow, or y such that no start "
            "gives finite means. Divide the columns by their size, or choose another link."
        )


def solve(
    rows: ModelRows,
    *,
    ridge: float = 0.0,
    max_iter: int = 100,
    tol: float = 1e-10,
    start: Any = None,
) -> Fit:
    """Maximize the likelihood less ``ridge / 2`` times the squares of all but the intercept.

    Parameters
    ----------
    rows : ModelRows
    ridge : float
    max_iter : int
    tol : float
        The iterations end when a step moves the linear predictor by no more, in root mean square
        and in units of a response's standard deviation on the scale of the link.
    start : ndarray of shape (q,), optional
        Coefficients of the rows as they are.
    """
    loop = Scoring(rows, ridge, tol)
    loop.scores_end = bool(ridge)
    if start is not None:
        loop.rough = False  # The sample's solution need only be near.
        fit = loop.run(max_iter, rows.from_user(start), covariance=not ridge)
    else:
        fit = loop.run(max_iter, *beginning(rows, ridge), covariance=not ridge)
    return _within_bounds(loop, fit, max_iter) if loop.bounded else fit


def _within_bounds(loop: Scoring, fit: Fit, max_iter: int) -> Fit:
    """The fit, or where it did not end inside the range of the means, that at its boundary."""
    from statfast.linear.glm.boundary import Boundary

    rows = loop.rows
    if not fit.converged and loop.cuts > STEP.max_halved_steps:
        fit = replace(fit, diverged=False, boundary=1)
    if not isinstance(rows.X, np.ndarray):
        return fit
    boundary = Boundary(rows)
    if not boundary.is_reached() or (fit.converged and not boundary.is_near(loop.b)):
        return fit
    inside = _plain_beginning(rows)
    start = inside if _is_start(rows, inside) else loop.b
    b, count, steps = boundary.maximize(start, loop.penalty, loop.tol, ~fit.aliased)
    if b is None:
        return fit
    again = loop.run(1 if count else max_iter, b, covariance=fit.covariance is not None)
    again.n_iter += fit.n_iter + steps
    if not count:
        return again
    return replace(again, coef=rows.to_user(b), converged=True, diverged=False, boundary=count)


def beginning(rows: ModelRows, ridge: float) -> Any:
    """Coefficients, and about the factor of the information there or None: those of a sample.

    Where the information costs far more than the score, a larger sample gives both.
    """
    wide = rows.q >= MIN_COLUMNS_FOR_SCORES
    usual = SAMPLE.rows_for_one_of_many_columns if wide else SAMPLE.rows_for_one
    share = rows.share_of(usual)
    if share and rows.n >= share * max(SAMPLE.min_rows_per_coefficient * rows.q, 1024):
        with suppress(Unsolvable):
            sample = rows.sample(share)
            if sample.weights is None or sample.weights.any():
                loop = Scoring(sample, ridge / share, 1e-3)
                fit = loop.run(10, *beginning(sample, ridge / share), covariance=False)
                if not (fit.diverged or fit.aliased.any()) and np.isfinite(loop.b).all():
                    near = wide and sample.n >= SAMPLE.min_rows_for_information * rows.q
                    b = rows.refined(loop.b, loop.penalty, share, usual)
                    return b, _Times(loop.factor, share) if near else None
    return _plain_beginning(rows), None


def _plain_beginning(rows: ModelRows) -> Array:
    """The model without columns; else least squares on the scale of the link."""
    if rows.intercept and rows.offset is None:
        with np.errstate(all="ignore"):
            first = rows.link.link(np.float64(rows.mean))
        if rows.family.inside(rows.mean) and np.isfinite(first):
            return np.append(first, np.zeros(rows.p))
    if rows.kind is not None and rows.offset is None and rows.link.name in ("logit", "log"):
        return np.zeros(rows.q)
    if rows.kind is not None and rows.link.name == "identity":
        return np.zeros(rows.q)
    sums = rows.start()
    factor = CholeskyFactor(sums.h)
    b = _least(sums) if factor.pivot < TOLERANCES.pivot else factor.solve(sums.g)
    if rows.intercept and rows.offset is not None and not _is_start(rows, b):
        with np.errstate(all="ignore"):
            first = rows.link.link(np.float64(rows.mean)) - rows.offset.mean()
        constant = np.append(first, np.zeros(rows.p))
        return constant if _is_start(rows, constant) else b
    return b


def _is_start(rows: ModelRows, b: Array) -> bool:
    """Whether all rows have means at coefficients `b`."""
    return isfinite(rows.sums_at(b, hessian=False).deviance)


def _least(sums: IRLSSums) -> Array:
    """The shortest solution, where that of the normal equations is not unique."""
    full = np.tril(sums.h) + np.tril(sums.h, -1).T
    if not np.isfinite(full).all():
        raise Unsolvable
    return interruptible(np.linalg.lstsq, full, sums.g, rcond=1e-12)[0]


class _Times:
    """The factor of so many times a matrix."""

    def __init__(self, factor: Any, share: Any) -> None:
        self.factor, self.share = factor, share

    def solve(self, g: Array) -> Any:
        return self.factor.solve(g) / self.share


def _unit(family: Any, y: Array) -> float:
    """What y says is small: the root of the unit of the deviance, if that has one."""
    if family.kernel_name == "gaussian":
        return max(y.max(), -y.min())
    return y.max() ** -0.5 if family.name == "inverse_gaussian" else 1.0


def corrected(score: Any, pairs: Any, solve: Callable[..., Any]) -> Array:
    """The step for a score: that of `solve`, corrected by steps and the changes of the score that
    they made (two-loop recursion)."""
    out, shares = score.copy(), []
    for step, change in reversed(pairs):
        rate = 1 / (change @ step)
        share = rate * (step @ out)
        out -= share * change
        shares.append((rate, share))
    out = solve(out)
    for (step, change), (rate, share) in zip(pairs, reversed(shares), strict=True):
        out += (share - rate * (change @ out)) * step
    return out


class StepHistory:
    """How far the steps went, by which the iterations are judged.

    `size` is the largest change of a coefficient in units of its column, `extent` the largest
    coefficient and response, `last_move` how far a step moves the linear predictor.
    """

    def __init__(
        self, unit: Any, response: float, same_information: float, last_move: float
    ) -> None:
        self.unit, self.response, self.last_move = unit, response, last_move
        # After a step this small the information is not summed again.
        self.same_information = same_information
        self.sizes: list[float] = []
        self.coefs: list[float] = []
        self.moves: list[float] = []
        self.rate = 0.0

    def add(self, step: Array, b: Array, move: float) -> None:
        """Note a step from `b`."""
        self.sizes.append(kernel.largest(step, self.unit))
        self.coefs.append(kernel.largest(b, self.unit))
        self.moves.append(move)
        self.size, self.extent = self.sizes[-1], self.response + self.coefs[-1]
        # The size of the next step is estimated from the last two; near the solution Newton's steps
        # square.
        squares = move <= self.same_information and self.last_move < np.inf
        self.next_move = move * min(1.0, move / self.last_move) if squares else move
        self.rate, self.last_move = move / self.last_move, move

    def shrink_slowly(self) -> bool:
        """Whether steps shrink by a constant, as those of Fisher may, rather than square."""
        late = self.last_move <= STEP.move_for_scores or len(self.sizes) > STEP.stalled
        return self.rate > STEP.newton_rate and late

    def grow_without_end(self) -> bool:
        """Whether the coefficients go to infinity: steps do not shrink, and lead away.

        Towards infinity less and less is gained; more is where it was not convex before.
        """
        before = -1 - STEP.stalled
        if len(self.sizes) <= STEP.stalled + 8:
            return False
        stalled = self.size > 0.5 * self.sizes[before] and self.moves[-1] <= self.moves[before]
        return stalled and self.coefs[-1] - self.coefs[before] > self.size


class Scoring:
    """The iterations on some rows; `b` are coefficients of the rows less their shift."""

    def __init__(self, rows: ModelRows, ridge: float, tol: float) -> None:
        self.rows, self.tol = rows, tol
        self.penalty = np.full(rows.q, float(ridge))
        if rows.intercept:
            self.penalty[0] = 0.0
        self.penalized = bool(ridge) and rows.p > 0
        is_large = rows.n * rows.q >= TOLERANCES.min_numbers_for_same_information
        self.same_information = TOLERANCES.move_with_same_information if is_large else 0.0
        self.kept: Any = None  # None stands for all columns.
        # Whether the iterations may end on scores alone, as no information is needed at the
        # solution.
        self.scores_end = False
        self.unit: Any = None  # The sizes of columns, from the information summed first.
        self.observed = False  # whether steps are Newton's
        # Whether the information may be summed in float32, as it is not the last.
        self.rough = True
        self.bounded, self.cuts = rows.bounded, 0  # `cuts` counts steps in a row that were halved.
        self.total_weight = rows.total_weight
        fixed = float(rows.family.dispersion)  # NaN where it is estimated
        self.known_dispersion = None if isnan(fixed) else fixed
        self.size = _unit(rows.family, rows.y)

    def run(self, max_iter: int, b: Array, near: Any = None, *, covariance: bool = True) -> Fit:
        """Iterate from `b`, where `near` is about the factor of the information, or None."""
        last_move = np.inf
        if near is not None:
            b, sums, last_move = self._approach(b, near)
        else:
            sums = self.rows.sums_at(b, rough=self.rough)
        if not (sums.finite() and np.isfinite(sums.g).all() and np.isfinite(b).all()):
            raise Unsolvable
        self.unit = np.sqrt(np.maximum(sums.h.diagonal(), 0.0) / self.total_weight)
        steps = StepHistory(self.unit, self.size, self.same_information, last_move)
        converged = diverged = False
        for n_iter in range(1, max_iter + 1):
            score = self._score(sums, b)
            self.factor = factor = self._factor(sums, b, first=n_iter == 1)
            if factor is None and sums.observed:
                # The information observed is not positive definite: that expected may be.
                sums = self.rows.sums_at(b)
                self.factor = factor = self._factor(sums, b, first=False)
            if factor is None:
                diverged = True
                break
            step = self._solve(factor, score)
            steps.add(step, b, self._rms(step, score, sums))
            if steps.shrink_slowly():
                self.observed = True
            if steps.next_move <= self.tol:
                converged = bool(steps.size <= max(1e-4, 30 * self.tol) * steps.extent)
                diverged = not converged
                b = b + step
                break
            # A perfect fit has a dispersion of rounding, and steps that move by much of that.
            if steps.size <= TOLERANCES.step * steps.extent:
                converged = True
                break
            if steps.grow_without_end():
                diverged = True
                break
            if n_iter == max_iter:
                break
            b, sums, moved = self._advance(b, step, score, sums, steps, covariance)
            if moved and not len(sums.h):  # Scores alone have led to the solution.
                converged = True
                break
            if self.bounded and self.cuts > STEP.max_halved_steps:
                break
            if not moved:  # Rounding lets the deviance fall no further.
                converged = bool(steps.last_move <= 1e-6)
                break
        self.b = b
        # No step has reached coefficients that give all rows a mean.
        if not isfinite(sums.deviance):
            raise Unsolvable
        about = None
        if covariance:
            if sums.rough or sums.observed:
                sums = self.rows.sums_at(b)
                factor = self._factor(sums, b, first=False)
            about = self._covariance(factor, b)
        return Fit(
            self.rows.to_user(b), self.rows.covariance_to_user(about) if covariance else None,
            self._aliased(), sums.deviance, sums.chi2, n_iter, converged, diverged, 0,
            steps.sizes, self.rows.shift, about,
        )  # fmt: skip

    def _advance(
        self,
        b: Array,
        step: Array,
        score: Array,
        sums: IRLSSums,
        steps: StepHistory,
        covariance: bool,
    ) -> tuple[Array, IRLSSums, bool]:
        """The next coefficients, their sums, and whether these are others: by the step, or by
        scores alone where the information costs more than the steps that it saves."""
        wide = self.rows.q >= MIN_COLUMNS_FOR_SCORES
        slow = self.scores_end and steps.rate > STEP.score_rate
        if (wide or slow) and steps.last_move <= STEP.move_for_scores:
            return self._follow(b, step, sums, self.factor, rough=not covariance)
        return self._move(b, step, score, sums, rough=wide or not covariance)

    def _approach(self, b: Array, near: Any) -> Any:
        """Follow scores from `b`; also the sums where that ends, and the first step's size."""
        sums = self.rows.sums_at(b, hessian=False)
        if not np.isfinite(sums.g).all():
            raise Unsolvable
        score = self._score(sums, b)
        step = near.solve(score)
        before = self._rms(step, score, sums)
        b, sums, moved = self._follow(b, step, sums, near, rough=self.scores_end)
        return b, (sums if moved else self.rows.sums_at(b)), before

    def _rms(self, step: Array, score: Any, sums: IRLSSums) -> float:
        """How far a step moves the linear predictor, in units of the responses' deviation."""
        known = self.known_dispersion
        dispersion = self._estimate_dispersion(sums) if known is None else known
        return sqrt(max(float(step @ score), 0.0) / dispersion / self.total_weight)

    def _estimate_dispersion(self, sums: IRLSSums) -> float:
        return max(sums.chi2 / self.total_weight, 1e-300)

    def _aliased(self) -> Array:
        return np.zeros(self.rows.q, dtype=bool) if self.kept is None else ~self.kept

    def _score(self, sums: IRLSSums, b: Array) -> Array:
        return sums.g - self.penalty * b if self.penalized else sums.g

    def _objective(self, sums: IRLSSums, b: Array) -> float:
        return sums.deviance + (float(self.penalty @ b**2) if self.penalized else 0.0)

    def _move(
        self, b: Array, step: Array, score: Array, sums: IRLSSums, *, rough: bool
    ) -> tuple[Array, IRLSSums, bool]:
        """The step, halved until the penalized deviance falls enough."""
        before, slope = self._objective(sums, b), -2.0 * float(step @ score)
        slack = (
            TOLERANCES.deviance * (abs(before) + 1e-3 * self.size**2) if isfinite(before) else 0.0
        )
        for halvings in range(STEP.max_halvings):
            trial, least = b + step, STEP.share_of_slope * slope * 0.5**halvings
            new = self.rows.sums_at(trial, rough=rough and self.rough, observed=self.observed)
            after = self._objective(new, trial)
            if isfinite(after) and new.finite() and after <= before + least + slack:
                self.cuts = self.cuts + 1 if halvings else 0
                return trial, new, True
            step = 0.5 * step
        return b, sums, False

    def _follow(
        self, b: Array, step: Array, sums: IRLSSums, factor: CholeskyFactor, *, rough: bool
    ) -> tuple[Array, IRLSSums, bool]:
        """On from a point near the solution with scores alone, then the information there.

        The information changes little, so that its factor, corrected by the changes of the score
        seen since (limited-memory BFGS: Nocedal 1980, doi:10.1090/S0025-5718-1980-0572855-7),
        makes steps that converge faster than linearly, each at the price of one score. Where scores
        may end the iterations, and one does, the sums are those without information.
        """
        at, pairs = b, []
        ends = self.scores_end and self.unit is not None
        score = first = self._score(sums, b)
        before, last = self._objective(sums, b), np.inf
        for _ in range(STEP.max_score_steps):
            trial = at + step
            new = self.rows.sums_at(trial, hessian=False)
            after = self._objective(new, trial)
            if not (
                isfinite(after)
                and after <= before * (1 + TOLERANCES.deviance) + TOLERANCES.deviance
            ):
                break
            gained = self._score(new, trial)
            more = self._solve(factor, gained)
            size = abs(float(gained @ more))
            if not (size < last and step @ score > step @ gained):
                break
            pairs.append((step, score - gained))
            at, score, last, before = trial, gained, size, after
            known = self.known_dispersion
            dispersion = self._estimate_dispersion(new) if known is None else known
            rms = sqrt(size / (dispersion * self.total_weight))
            if ends and rms <= 0.1 * self.tol:
                extent = self.size + kernel.largest(at, self.unit)
                if kernel.largest(more, self.unit) <= 1e-4 * extent:
                    return at, new, True
            if rms <= max(0.1 * self.tol, 0.0 if ends else self.same_information):
                break
            step = corrected(score, pairs, partial(self._solve, factor))
        return self._move(b, at - b if pairs else step, first, sums, rough=rough)

    def _factor(self, sums, b, first):
        """The factor of the information of the columns kept; None if it has become singular."""
        h = sums.h
        if self.penalized:
            h = h.copy()
            h[np.diag_indices(len(h))] += self.penalty
        if self.kept is not None:
            h = h[np.ix_(self.kept, self.kept)]
        factor = CholeskyFactor(h)
        if sums.rough and not factor.pivot >= TOLERANCES.pivot_for_float32:
            fine = self.rows.sums_at(b)
            self.rough, sums.h, sums.rough = False, fine.h, False
            return self._factor(sums, b, first)
        if factor.pivot >= TOLERANCES.pivot:
            return factor
        if not first and factor.pivot <= 0.0:
            return None
        R = np.vstack([self.rows.triangle_at(b), np.diag(np.sqrt(self.penalty))])
        if first:
            lost = np.append(np.zeros(int(self.rows.intercept)), np.abs(self.rows.shift))
            floor = 1e-14 * lost * np.sqrt(max(sums.h[0, 0], 0.0) if self.rows.intercept else 0.0)
            kept = independent(R, floor)
            if not kept.all():
                self.kept = kept
        R = R if self.kept is None else R[:, self.kept]
        R = interruptible(np.linalg.qr, R, mode="r")
        return QRInformation(R) if (np.abs(R.diagonal()) > 0.0).all() else None

    def _solve(self, factor: CholeskyFactor, score: Array) -> Array:
        if self.kept is None or isinstance(factor, _Times):
            return factor.solve(score)
        step = np.zeros(len(score))
        step[self.kept] = factor.solve(score[self.kept])
        return step

    def _covariance(self, factor: Any, b: Array) -> Array:
        """The inverse of the information at the last point at which it was summed."""
        q = self.rows.q
        if factor is None:
            return np.full((q, q), np.nan)
        if factor.pivot < TOLERANCES.pivot_for_covariance and not self.penalty.any():
            R = self.rows.triangle_at(b)
            R = R if self.kept is None else R[:, self.kept]
            exact = QRInformation(interruptible(np.linalg.qr, R, mode="r"))
            factor = exact if np.abs(exact.R.diagonal()).min() > 0 else factor
        inverse = factor.inverse()
        if self.kept is None:
            return inverse
        out = np.zeros((q, q))
        out[np.ix_(self.kept, self.kept)] = inverse
        return out
