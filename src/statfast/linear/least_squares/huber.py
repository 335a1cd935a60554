# SPDX-License-Identifier: BSD-3-Clause
"""Linear regression that outliers do not pull."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np

from statfast._core.linear.irls import accumulate
from statfast._engine import checkpoint, interruptible, reduce
from statfast._estimator import Estimator, Regressor, count, fitted, flag, param, real
from statfast._linalg import CholeskyFactor, mirrored, power_of_two
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_rows, as_weights, warn_not_converged
from statfast.linear.design.design import LinearPredictor, linear_values
from statfast.linear.design.targets import as_target
from statfast.linear.least_squares.lstsq import least_squares

NUMBERS_OF_BLOCK = 1 << 15  # Numbers of rows that the nearest cache holds.
MAX_HALVINGS = 40
# A residual that is a smaller share of the largest response is rounding.
ROUNDING_OF_RESIDUAL = 1e-14
MAX_IDLE_ITERATIONS = 3  # Iterations end after so many that gain nothing.
MAX_PENALTY = 1e200  # A penalty this large leaves no coefficient but 0.
# No residual is so many scales, and the square of this number does not overflow.
MAX_EPSILON = 1e100
MIN_PIVOT = 1e-10  # Columns that leave less of a square are taken for dependent.
MULTIPLICATIONS_OF_CALL = 5e8  # A kernel call takes less than 0.1 s.


class HuberRegressor(LinearPredictor, Regressor, Estimator):
    """Huber regression: least squares for small residuals, absolute error for large.

    Minimizes over b_0, b and the scale s > 0, as scikit-learn does::

        sum_i w_i (s + H(r_i / s) s) + alpha |b|^2,    r_i = y_i - b_0 - x_i'b

    where H(z) is ``z^2`` up to ``|z| = epsilon``, and ``2 epsilon |z| - epsilon^2`` beyond.

    Parameters
    ----------
    epsilon : float, default=1.35
        Above 1; 1.35 has 95 % of the efficiency of least squares where errors are normal.
    alpha : float, default=0.0001
        Penalty on the squares of the coefficients.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    tol : float, default=1e-8
        The iterations end when a step changes no fitted value by more than so many scales.
    max_iter : int, default=100
        Maximum number of iterations.
    warm_start : bool, default=False
        Start with the coefficients of the last fit, if they are for as many columns and its scale
        was not 0. The end is the same, to `tol`.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
        Coefficients.
    intercept_ : float
        Intercept.
    scale_ : float
        s; 0 if all samples but outliers, and those few, lie on the fit: it is then that of the
        least absolute errors.
    outliers_ : ndarray of bool, shape (n,)
        Samples with residuals beyond epsilon s.
    n_iter_ : int
        Number of iterations.
    converged_ : bool
        Whether the iterations converged.

    Raises
    ------
    ValueError
        By ``fit``: if X or y holds NaN or infinity, their shapes do not match, or a parameter is
        out of range.

    Notes
    -----
    Newton's method with halved steps on the convex objective, from least squares; where these are
    short, least squares of the samples within epsilon scales is tried. O(n d^2) time an iteration,
    O(n d) memory.

    References
    ----------
    P. J. Huber (1981), Robust Statistics, section 7.7. doi:10.1002/0471725250
    A. B. Owen (2007), "A robust hybrid of lasso and ridge regression".
    doi:10.1090/conm/443/08555

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import HuberRegressor
    >>> x = np.arange(20.0)[:, None]
    >>> y = 2 * x[:, 0] + np.tile([0.5, -0.5, -0.5, 0.5], 5)
    >>> y[3] = 500.0
    >>> model = HuberRegressor().fit(x, y)
    >>> bool(abs(model.coef_[0] - 2) < 0.05), np.flatnonzero(model.outliers_)
    (True, array([3]))
    """

    epsilon: float = param(real(1.0, open_low=True), default=1.35)
    alpha: float = param(real(0.0), default=0.0001)
    fit_intercept: bool = param(flag, default=True)
    tol: float = param(real(0.0), default=1e-8)
    max_iter: int = param(count(), default=100)
    warm_start: bool = param(flag, default=False)

    coef_: Array = fitted()
    intercept_: float = fitted()
    scale_: float = fitted()
    outliers_: Array = fitted()
    n_iter_: int = fitted()
    converged_: bool = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples.
        y : array-like of shape (n,)
            Target values.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self
        """
        params = self._checked()
        intercept, epsilon = params.fit_intercept, params.epsilon
        rows = as_rows(X)
        target = as_target(y, len(rows))
        weights = as_weights(sample_weight, len(rows))
        # The target is divided by a power of two, which rounds nothing, so that squares do not
        # overflow.
        unit = power_of_two(np.abs(target).max())
        target = np.ldexp(target, -unit)
        before = self._coefs_before(rows.shape[1])
        if before is None:
            first = least_squares(rows, target[:, None], weights, intercept, 1e-11)
            coef, b0 = first.coef[0], first.intercept[:intercept]
        else:
            coef, b0 = np.ldexp(before[1:], -unit), np.ldexp(before[:intercept], -unit)
        w = np.ones(len(rows)) if weights is None else weights
        table, mean, size = _table(rows, w, int(intercept))
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            # A constant column gives inf / inf, which fmin ignores.
            penalty = np.fmin(np.ldexp(params.alpha, unit) / size**2, MAX_PENALTY)
        problem = _Huber(table, target, w, min(epsilon, MAX_EPSILON), penalty, int(intercept))
        slopes = coef * np.where(size < np.inf, size, 0.0)
        start = np.concatenate([b0 + coef @ mean, slopes])
        b, scale, turns, done = problem.solve(start, params.tol, params.max_iter)
        if not done:
            warn_not_converged(self, turns)
        residuals = problem.residuals(b)
        b[intercept:] /= size
        b[:intercept] -= b[intercept:] @ mean
        with np.errstate(over="ignore"):
            b = np.ldexp(b, unit)
        if not np.isfinite(b).all():
            raise ValueError("The coefficients overflow float64. Scale X up, or y down.")
        return self._publish(
            X,
            coef_=b[int(intercept) :].copy(),
            intercept_=float(b[0]) if intercept else 0.0,
            scale_=float(np.ldexp(scale, unit)),
            outliers_=np.abs(residuals) > (epsilon * scale or problem.rounding(residuals)),
            n_iter_=turns,
            converged_=bool(done),
        )

    def _coefs_before(self, d: int) -> Array | None:
        """Intercept and coefficients (1 + d,) of the last fit, if this one is to go on there."""
        known = self._checked_value("warm_start") and self.__dict__.get("scale_", 0.0) > 0.0
        if not known or self.coef_.shape != (d,):
            return None
        return np.append(self.intercept_, self.coef_)


def _table(rows: Array, w: Array, intercept: int) -> tuple[Array, Array, Array]:
    """Ones, and the columns about their means and of size one: Newton's matrix is then as good as
    it can be. Also the means (zeros without an intercept), and the sizes, infinite of constants."""
    n, d = rows.shape
    table, total_weight = np.empty((n, intercept + d)), w.sum()

    def total(block: Array, w: Array) -> Array:
        return np.einsum("i,ij->j", w, block)  # A product by BLAS would start threads that spin on.

    def moved(where: slice, block: Array, w: Array) -> Array:
        table[where, :intercept] = 1.0
        table[where, intercept:] = block - mean
        return total(table[where, intercept:] ** 2, w)

    def divided(where: slice, _: Array) -> None:
        table[where, intercept:] /= size

    mean = np.zeros(d)
    if intercept:
        mean = _reduced(lambda _, block, w: total(block, w), rows, w) / total_weight
    size = np.sqrt(_reduced(moved, rows, w) / total_weight)
    size[size <= 1e-14 * np.abs(mean)] = np.inf
    _reduced(divided, table)
    return table, mean, size


def _reduced(
    partial: Callable[..., Any], table: Array, *aligned: Array, effort: float = 0.0
) -> Array | None:
    """The sum of arrays over blocks of rows, of `effort` operations a row beside a look at it."""
    effort = (effort + 8.0 * table.shape[1]) * len(table)
    least = max(256, NUMBERS_OF_BLOCK // max(table.shape[1], 1))
    return reduce(partial, table, *aligned, merge=_added, effort=effort, least=least)


def _added(total: Any, more: Any) -> Any:
    if more is None:
        return None
    total += more
    return total


class _Point(NamedTuple):
    b: np.ndarray
    r: np.ndarray  # The residuals.
    scale: float
    value: float  # The value of the objective.


class _Huber:
    """The objective, its derivatives, and Newton's method, for a table with its ones."""

    def __init__(
        self, A: Array, y: Array, w: Array, epsilon: float, alpha: Array, intercept: int
    ) -> None:
        self.A, self.y, self.w, self.epsilon = A, y, w, epsilon
        self.penalty = np.append(np.zeros(intercept), alpha)

    def solve(self, b: Array, tol: float, most: int) -> tuple[Array, float, int, bool]:
        at = self._point(b)
        size, stalled, part, last = np.abs(self.y).max(initial=0.0), 0, 1.0, np.inf
        for turn in range(1, most + 1):
            if part < 1.0 or at.scale < 0.1 * last:
                # Steps are short where rows become outliers or cease to be: the rows that are none
                # now are fitted.
                last = at.scale
                inside = np.abs(at.r) <= self.epsilon * at.scale
                jump = self._point(self._least_squares(inside), at.scale)
                at = jump if jump.value < at.value else at
                if self._is_perfect(jump):
                    return jump.b, 0.0, turn, True
            if at.scale <= 1e-13 * size:  # All rows that are not outliers are fitted perfectly.
                return at.b, 0.0, turn, True
            step = self._step(at.b, at.r, at.scale)
            moved = self._fitted(step)
            part = 1.0
            for _ in range(MAX_HALVINGS):
                new = self._point(at.b + part * step, at.scale)
                if new.value <= at.value * (1 + 1e-15):
                    break
                part *= 0.5
            stalled = stalled + 1 if new.value >= at.value * (1 - 1e-14) else 0
            at = new
            if stalled == MAX_IDLE_ITERATIONS:  # Rounding hides what is left to gain.
                return at.b, at.scale, turn, True
            if part * np.abs(moved[self.w > 0]).max(initial=0.0) <= tol * at.scale:
                return at.b, at.scale, turn, True
        return at.b, at.scale, most, False

    def _point(self, b: Array, guess: float = np.inf) -> _Point:
        r = self.residuals(b)
        scale = self._scale(r, guess or np.inf)
        return _Point(b, r, scale, self._value(b, r, scale))

    def _value(self, b: Array, r: Array, scale: float) -> float:
        if scale == 0:
            return np.inf if r.any() else 0.0
        z = np.abs(r) / scale
        inside = z <= self.epsilon
        loss = np.where(inside, z * z, 2 * self.epsilon * z - self.epsilon**2)
        return float(self.w @ (scale + loss * scale) + (self.penalty * b) @ b)

    def _step(self, b, r, scale):
        """Newton's step for b, the scale following: the Schur complement of its second derivative.

        The scale's own equation is linear in 1 / s^2, so that at its solution the derivative of the
        objective by the coefficients is that with the scale held.
        """
        q, epsilon = len(b), self.epsilon
        none, step = np.zeros(q), max(64, int(MULTIPLICATIONS_OF_CALL / q**2))

        def partial(_: slice, block: Array, r: Array, w: Array) -> Array:
            sums = np.zeros((q + 3, q))  # Sums of z'Wz, of the pull, the cross terms, and r^2.
            inside = np.abs(r) <= epsilon * scale
            pull = np.where(inside, r / scale, epsilon * np.sign(r)) * w
            w = np.where(inside, w, 0.0)
            for start in range(0, len(block), step):
                where = slice(start, start + step)
                z = block[where]
                accumulate(z, none, False, pull[where], w[where], sums[:q], sums[q])
                accumulate(z, none, False, (w * r)[where], w[where], None, sums[q + 1])
                checkpoint()
            sums[q + 2, 0] = (w * r**2).sum()
            return sums

        sums = _reduced(partial, self.A, r, self.w, effort=2.0 * q**2)
        gradient = -2 * sums[q] + 2 * self.penalty * b
        cross, curve = 2 / scale**2 * sums[q + 1], 2 / scale**3 * sums[q + 2, 0]
        full = 2 / scale * mirrored(sums[:q])
        if curve > 0:
            full -= np.outer(cross, cross) / curve
        full += np.diag(2 * self.penalty)
        diagonal = full.diagonal().max()
        full += 1e-13 * max(diagonal, 2 / scale * float(self.w.sum()) * 1e-12) * np.eye(q)
        factor = CholeskyFactor(full)
        if factor.pivot > MIN_PIVOT:  # Singular values take five times as long.
            return factor.solve(-gradient)
        return interruptible(np.linalg.lstsq, full, -gradient, rcond=1e-14)[0]

    @np.errstate(over="ignore", invalid="ignore")
    def _is_perfect(self, at: _Point) -> bool:
        """Whether these coefficients, which fit all rows but outliers perfectly, are the minimum.

        There the scale is 0, and the minimum that of absolute errors. The objective of a row at
        r = s = 0 has the subgradients (2z, v) with v <= 1 - z^2, |z| <= epsilon. Outliers pull by
        c; the z of the least sum of w z^2 that balance it, z = A (A'WA)^-1 c over the rows without
        error, leave the scale at 0 if that sum, c'(A'WA)^-1 c, is at most what outliers leave.
        """
        used = self.w > 0
        small = np.abs(at.r) <= self.rounding(at.r)
        exact, out = used & small, used & ~small
        slack = float(self.w.sum()) - self.epsilon**2 * float(self.w[out].sum())
        if slack <= 0.0 or not exact.any():
            return False
        signs = self.w[out] * np.sign(at.r[out])
        pull = self.epsilon * signs @ self.A[out] - self.penalty * at.b
        rows = self.A[exact] * np.sqrt(self.w[exact])[:, None]
        R = interruptible(np.linalg.qr, rows, mode="r")
        balance = interruptible(np.linalg.lstsq, R.T, pull, rcond=1e-12)[0]
        z = self.A[exact] @ interruptible(np.linalg.lstsq, R, balance, rcond=1e-12)[0]
        met = np.linalg.norm(R.T @ balance - pull) <= 1e-9 * np.linalg.norm(pull)
        return bool(met and balance @ balance <= slack and np.abs(z).max() <= self.epsilon)

    def rounding(self, r: Array) -> float:
        """The size of a residual that is none."""
        used = self.w > 0
        y = self.y[used]
        return ROUNDING_OF_RESIDUAL * (np.abs(y).max() + np.abs(y - r[used]).max())

    def _least_squares(self, kept: Array) -> Array:
        root = np.sqrt(self.w[kept])
        return interruptible(
            np.linalg.lstsq, self.A[kept] * root[:, None], self.y[kept] * root, rcond=1e-13
        )[0]

    def residuals(self, b: Array) -> Array:
        return self.y - self._fitted(b)

    def _fitted(self, b: Array) -> Array:
        return linear_values(self.A, b, 0.0)

    def _scale(self, r: Array, guess: float = np.inf) -> float:
        """The scale of the least objective for these residuals.

        sum w = sum over |r| > epsilon s of w epsilon^2 + sum over the others of w r^2 / s^2: the
        right side is concave and piecewise linear in 1 / s^2, so that Newton's method goes up to
        the solution and ends there, from where all are inside, and after its first step from any
        guess. At 0 all that weigh fit perfectly, or so many that the objective falls to the end.
        """
        size, total_weight = np.abs(r), float(self.w.sum())
        squares, scale, before = self.w * size**2, guess, np.inf
        while True:
            inside = size <= self.epsilon * scale
            outside = float(np.where(inside, 0.0, self.w).sum())
            divisor = total_weight - self.epsilon**2 * outside
            total = float(np.where(inside, squares, 0.0).sum())
            if not (total > 0.0 and divisor > 0.0):
                return 0.0 if guess == np.inf else self._scale(r)
            first, before, scale = before == np.inf, scale, float(np.sqrt(total / divisor))
            if not first and not scale < before * (1 - 1e-15):
                return scale
