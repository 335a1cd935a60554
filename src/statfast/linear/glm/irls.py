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

from dataclasses import dataclass, field, replace
from functools import partial
from math import isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

from statfast._core.linear import irls as kernel
from statfast._engine import interruptible
from statfast._linalg import CholeskyFactor
from statfast.linear.glm.qr_information import QRInformation, independent

# Below this pivot of the scaled information, QR tells whether columns are independent.
MIN_PIVOT = 1e-11
MIN_PIVOT_OF_COVARIANCE = 1e-6  # Smaller pivots cost the covariance digits: QR makes it then.
MAX_HALVINGS = 30
# From so many coefficients on, the information costs far more than the score.
MIN_COLUMNS_FOR_SCORES = 64
PAIRS_REMEMBERED = 12  # Of steps and changes of the score.
ROUNDING_OF_DEVIANCE = 1e-9  # The deviance may rise by this share of itself.
ROWS_PER_SAMPLED_ROW = 16  # One in so many rows is in the sample.
ROWS_PER_ROW_OF_LARGE_SAMPLE = 4
MIN_SAMPLE_PER_COLUMN = 12  # A sample has so many rows for each coefficient.
# With so many the sample's information is that of all rows, but for a third.
AMPLE_SAMPLE_PER_COLUMN = 40
# A smaller step leaves the information as it is, to 7 digits or more.
MAX_STEP_OF_SAME_INFORMATION = 3e-8
# From so many numbers in the rows on, those digits are not worth another pass.
MIN_NUMBERS_OF_DEAR_PASS = 1 << 20
MAX_STEP_BEFORE_SCORES = 0.5  # A step of a smaller root mean square is followed by scores alone.
# A step that is more of the one before is not one of Newton's, whose sizes square.
MAX_RATIO_OF_NEWTON = 0.01
MAX_RATIO_OF_SCORES = 0.1  # After a step that is more of the one before, steps are Newton's.
MIN_SHARE_OF_FALL = 0.1  # A step has to bring this share of what the slope promises.
MIN_PIVOT_OF_FLOAT32 = 1e-4  # Information of smaller pivots is not looked at in float32.
ROUNDING_OF_STEP = 1e-14  # A step this small beside the coefficients is none.
CUTS_AT_BOUNDARY = 4  # So many steps halved one after another tell of a maximum at a boundary.
ITERATIONS_TO_HALVE = 8  # In so many iterations a step that will converge has shrunk by half.


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
    def rank(self):
        return int((~self.aliased).sum())


class Unsolvable(ValueError):
    """The start, or the sums there, are not finite."""

    def __init__(self):
        super().__init__(
            "X holds values so large that sums of their squares overflow, or y such that no start "
            "gives finite means. Divide the columns by their size, or choose another link."
        )


def solve(rows, *, ridge=0.0, max_iter=100, tol=1e-10, start=None) -> Fit:
    """Maximize the likelihood less ``ridge / 2`` times the squares of all but the intercept.

    Parameters
    ----------
    rows : sweeps.Rows
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
        loop.rough = False  # which may be as near as can be
        fit = loop.run(max_iter, rows.from_user(start), covariance=not ridge)
    else:
        fit = loop.run(max_iter, *beginning(rows, ridge), covariance=not ridge)
    return _within_bounds(loop, fit, max_iter) if loop.bounded else fit


def _within_bounds(loop, fit, max_iter):
    """The fit, or where it did not end inside the range of the means, that at its boundary."""
    from statfast.linear.glm.boundary import Boundary

    rows = loop.rows
    if not fit.converged and loop.cuts > CUTS_AT_BOUNDARY:
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


def beginning(rows, ridge):
    """Coefficients, and about the factor of the information there or None: those of a sample.

    Where the information costs far more than the score, a larger sample gives both.
    """
    share = rows.share_of(
        ROWS_PER_ROW_OF_LARGE_SAMPLE if rows.q >= MIN_COLUMNS_FOR_SCORES else ROWS_PER_SAMPLED_ROW
    )
    if share and rows.n >= share * max(MIN_SAMPLE_PER_COLUMN * rows.q, 1024):
        try:
            sample = rows.sample(share)
            if sample.weights is None or sample.weights.any():
                loop = Scoring(sample, ridge / share, 1e-3)
                fit = loop.run(10, *beginning(sample, ridge / share), covariance=False)
                if not (fit.diverged or fit.aliased.any()) and np.isfinite(loop.b).all():
                    near = (
                        rows.q >= MIN_COLUMNS_FOR_SCORES
                        and sample.n >= AMPLE_SAMPLE_PER_COLUMN * rows.q
                    )
                    return loop.b, _Times(loop.factor, share) if near else None
        except Unsolvable:
            pass
    return _plain_beginning(rows), None


def _plain_beginning(rows):
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
    b = _least(sums) if factor.pivot < MIN_PIVOT else factor.solve(sums.g)
    if rows.intercept and rows.offset is not None and not _is_start(rows, b):
        with np.errstate(all="ignore"):
            first = rows.link.link(np.float64(rows.mean)) - rows.offset.mean()
        constant = np.append(first, np.zeros(rows.p))
        return constant if _is_start(rows, constant) else b
    return b


def _is_start(rows, b):
    """Whether all means are some at coefficients `b`."""
    return isfinite(rows.sums_at(b, hessian=False).deviance)


def _least(sums):
    """The shortest solution, where that of the normal equations is not unique."""
    full = np.tril(sums.h) + np.tril(sums.h, -1).T
    if not np.isfinite(full).all():
        raise Unsolvable
    return interruptible(np.linalg.lstsq, full, sums.g, rcond=1e-12)[0]


class _Times:
    """The factor of so many times a matrix."""

    def __init__(self, factor, share):
        self.factor, self.share = factor, share

    def solve(self, g):
        return self.factor.solve(g) / self.share


def _unit(family, y):
    """What y says is small: the root of the unit of the deviance, if that has one."""
    if family.own == "gaussian":
        return max(y.max(), -y.min())
    return y.max() ** -0.5 if family.name == "inverse_gaussian" else 1.0


def corrected(score, pairs, solve):
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


class Scoring:
    """The iterations on some rows; `b` are coefficients of the rows less their shift."""

    def __init__(self, rows, ridge, tol):
        self.rows, self.tol = rows, tol
        self.penalty = np.full(rows.q, float(ridge))
        if rows.intercept:
            self.penalty[0] = 0.0
        self.penalized = bool(ridge) and rows.p > 0
        self.close = (
            MAX_STEP_OF_SAME_INFORMATION if rows.n * rows.q >= MIN_NUMBERS_OF_DEAR_PASS else 0.0
        )
        self.kept = None  # all columns
        self.scores_end = False  # whether they may, as no information is asked for at the solution
        self.unit = None  # sizes of columns, by the information first summed
        self.observed = False  # whether steps are Newton's
        self.rough = True  # whether float32 may do for the information, while that is not the last
        self.bounded, self.cuts = rows.bounded, 0  # steps that were halved one after another
        self.mass = rows.mass
        self.size = _unit(rows.family, rows.y)

    def run(self, max_iter, b, near=None, *, covariance=True):
        """Iterate from `b`, where `near` is about the factor of the information, or None."""
        before = np.inf
        if near is not None:
            b, sums, before = self._approach(b, near)
        else:
            sums = self.rows.sums_at(b, rough=self.rough)
        if not (sums.finite() and np.isfinite(sums.g).all() and np.isfinite(b).all()):
            raise Unsolvable
        self.unit = np.sqrt(np.maximum(sums.h.diagonal(), 0.0) / self.mass)
        sizes, reaches, gains = [], [], []
        converged, diverged, step = False, False, None
        for n_iter in range(1, max_iter + 1):
            score = self._score(sums, b)
            factor = self._factor(sums, b, first=n_iter == 1)
            if factor is None and sums.observed:  # the likelihood is not concave here
                sums = self.rows.sums_at(b)
                factor = self._factor(sums, b, first=False)
            self.factor = factor
            if factor is None:
                diverged = True
                break
            step = self._solve(factor, score)
            rms = self._rms(step, score, sums)
            sizes.append(kernel.largest(step, self.unit))
            reaches.append(kernel.largest(b, self.unit))
            gains.append(rms)
            extent = self.size + reaches[-1]
            # What comes after this step, by the rate of the last two: Newton's steps square.
            after = rms * min(1.0, rms / before) if rms <= self.close and before < np.inf else rms
            rate, before = rms / before, rms
            if rate > MAX_RATIO_OF_SCORES and (
                rms <= MAX_STEP_BEFORE_SCORES or n_iter > ITERATIONS_TO_HALVE
            ):
                self.observed = True
            if after <= self.tol:
                converged = bool(sizes[-1] <= max(1e-4, 30 * self.tol) * extent)
                diverged = not converged
                b = b + step
                break
            if (
                sizes[-1] <= ROUNDING_OF_STEP * extent
            ):  # as of a perfect fit, whose dispersion is rounding
                converged = True
                break
            # Towards infinity less and less is gained; more is where it was not convex before.
            stalled = (
                n_iter > ITERATIONS_TO_HALVE + 8
                and sizes[-1] > 0.5 * sizes[-1 - ITERATIONS_TO_HALVE]
            )
            stalled = stalled and gains[-1] <= gains[-1 - ITERATIONS_TO_HALVE]
            if stalled and reaches[-1] - reaches[-1 - ITERATIONS_TO_HALVE] > sizes[-1]:
                diverged = True
                break
            if n_iter == max_iter:
                break
            slow = self.scores_end and rate > MAX_RATIO_OF_NEWTON
            if (self.rows.q >= MIN_COLUMNS_FOR_SCORES or slow) and rms <= MAX_STEP_BEFORE_SCORES:
                b, sums, moved = self._follow(b, step, sums, factor, rough=not covariance)
                if moved and not len(sums.h):
                    converged = True
                    break
            else:
                far = self.rows.q >= MIN_COLUMNS_FOR_SCORES or not covariance
                b, sums, moved = self._move(b, step, score, sums, rough=far)
            if self.bounded and self.cuts > CUTS_AT_BOUNDARY:
                break
            if not moved:  # as far down as rounding lets it
                converged = bool(rms <= 1e-6)
                break
        self.b = b
        if not isfinite(sums.deviance):  # no step has led to where all means are some
            raise Unsolvable
        about = None
        if covariance:
            if sums.rough or sums.observed:
                sums = self.rows.sums_at(b)
                factor = self._factor(sums, b, first=False)
            about = self._covariance(factor, b)
        return Fit(
            self.rows.to_user(b),
            self.rows.covariance_to_user(about) if covariance else None,
            self._aliased(),
            sums.deviance,
            sums.chi2,
            n_iter,
            converged,
            diverged,
            0,
            sizes,
            self.rows.shift,
            about,
        )

    def _approach(self, b, near):
        """Follow scores from `b`; also the sums where that ends, and the first step's size."""
        sums = self.rows.sums_at(b, hessian=False)
        if not np.isfinite(sums.g).all():
            raise Unsolvable
        score = self._score(sums, b)
        step = near.solve(score)
        before = self._rms(step, score, sums)
        b, sums, moved = self._follow(b, step, sums, near, rough=self.scores_end)
        return b, (sums if moved else self.rows.sums_at(b)), before

    def _rms(self, step, score, sums):
        """How far a step moves the linear predictor, in units of the responses' deviation."""
        return sqrt(max(float(step @ score), 0.0) / self._dispersion(sums) / self.mass)

    def _dispersion(self, sums):
        known = self.rows.family.dispersion
        if known == known:
            return known
        return max(sums.chi2 / self.mass, 1e-300)

    def _aliased(self):
        return np.zeros(self.rows.q, dtype=bool) if self.kept is None else ~self.kept

    def _score(self, sums, b):
        return sums.g - self.penalty * b if self.penalized else sums.g

    def _objective(self, sums, b):
        return sums.deviance + (float(self.penalty @ b**2) if self.penalized else 0.0)

    def _move(self, b, step, score, sums, *, rough):
        """The step, halved until the penalized deviance falls enough."""
        before, slope = self._objective(sums, b), -2.0 * float(step @ score)
        slack = (
            ROUNDING_OF_DEVIANCE * (abs(before) + 1e-3 * self.size**2) if isfinite(before) else 0.0
        )
        for halvings in range(MAX_HALVINGS):
            trial, least = b + step, MIN_SHARE_OF_FALL * slope * 0.5**halvings
            new = self.rows.sums_at(trial, rough=rough and self.rough, observed=self.observed)
            after = self._objective(new, trial)
            if isfinite(after) and new.finite() and after <= before + least + slack:
                self.cuts = self.cuts + 1 if halvings else 0
                return trial, new, True
            step = 0.5 * step
        return b, sums, False

    def _follow(self, b, step, sums, factor, *, rough):
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
        for _ in range(PAIRS_REMEMBERED):
            trial = at + step
            new = self.rows.sums_at(trial, hessian=False)
            after = self._objective(new, trial)
            if not (
                isfinite(after)
                and after <= before * (1 + ROUNDING_OF_DEVIANCE) + ROUNDING_OF_DEVIANCE
            ):
                break
            gained = self._score(new, trial)
            more = self._solve(factor, gained)
            size = abs(float(gained @ more))
            if not (size < last and step @ score > step @ gained):
                break
            pairs.append((step, score - gained))
            at, score, last, before = trial, gained, size, after
            rms = sqrt(size / (self._dispersion(new) * self.mass))
            if ends and rms <= 0.1 * self.tol:
                extent = self.size + kernel.largest(at, self.unit)
                if kernel.largest(more, self.unit) <= 1e-4 * extent:
                    return at, new, True
            if rms <= max(0.1 * self.tol, 0.0 if ends else self.close):
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
        if sums.rough and not factor.pivot >= MIN_PIVOT_OF_FLOAT32:
            fine = self.rows.sums_at(b)
            self.rough, sums.h, sums.rough = False, fine.h, False
            return self._factor(sums, b, first)
        if factor.pivot >= MIN_PIVOT:
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

    def _solve(self, factor, score):
        if self.kept is None or isinstance(factor, _Times):
            return factor.solve(score)
        step = np.zeros(len(score))
        step[self.kept] = factor.solve(score[self.kept])
        return step

    def _covariance(self, factor, b):
        """The inverse of the information at the last point at which it was summed."""
        q = self.rows.q
        if factor is None:
            return np.full((q, q), np.nan)
        if factor.pivot < MIN_PIVOT_OF_COVARIANCE and not self.penalty.any():
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
