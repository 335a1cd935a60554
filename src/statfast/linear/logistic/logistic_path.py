# SPDX-License-Identifier: BSD-3-Clause
"""Logistic regression with an l1 or elastic-net penalty, for a falling sequence of penalties.

Minimizes  -log L(b_0, b) + l1 |b|_1 + l2 |b|^2 / 2  with log L the weighted log-likelihood. The
quadratic approximation is a lasso with weights mu (1 - mu), solved by `Descent` on a working set of
columns (Friedman, Hastie & Tibshirani 2010, doi:10.18637/jss.v033.i01; Yuan, Ho & Lin 2012 for the
line search, JMLR 13, 1999-2030); one pass over all columns then gives the duality gap of the whole
problem and the columns that were missed.
"""

import numpy as np

from statfast._engine import checkpoint
from statfast._validation import (
    ConvergenceWarning,
    as_count,
    as_flag,
    as_labels,
    as_real,
    as_weights,
    shown,
    warn_user,
)
from statfast.linear.design.columns import columns_of
from statfast.linear.design.design import table_of
from statfast.linear.design.units import HEAVY
from statfast.linear.penalized.coordinate_descent import Descent
from statfast.linear.penalized.lasso_path import RegularizationPath
from statfast.linear.penalized.penalties import alpha_grid, as_alphas

HALVINGS = 30
LEAST_WEIGHT = 1e-5  # of a row in the quadratic approximation, of its error
TINY = 1e-16  # the same of any row: more certain probabilities round to 1
ROUNDING = 1e-15  # of the null model's loss
IDLE = 3  # steps that gain next to nothing: perhaps the gap is small enough
SWEEPS = 500  # at most for a step: another one is better then than a sharper one
LED = 1e-8  # of the largest penalty: how far others lead down
SMALL = 1e-11  # change of the log-odds: no further step tells


class LogisticDescent:
    """The penalized likelihood of 0/1 responses, solved for one penalty after the other."""

    def __init__(self, X, y01, weights, intercept, standardize=False, n_jobs=None):
        self.columns = columns_of(X, weights, intercept or standardize, standardize, n_jobs)
        if standardize and not intercept:  # columns as they are, over their standard deviations
            about = self.columns
            self.columns = type(about)(about.X, weights, False, False, n_jobs)
            self.columns.scale, self.columns.powers = about.scale, about.powers
            with np.errstate(over="ignore", invalid="ignore"):  # of a constant column, times 0
                self.columns.square = np.nan_to_num(self.columns.squares * about.scale**2)
        self.intercept = intercept
        n = self.columns.n
        self.y, self.mass = y01, float(n if weights is None else weights.sum())
        self.w = np.ones(n) if weights is None else weights
        self.per = self.mass / n  # the columns' weights sum to n, the likelihood's to the mass
        both = [float(self.w @ (y01 == side)) for side in (1.0, 0.0)]
        if not all(both):
            raise ValueError(
                "y must hold two classes among the rows of positive weight; got one. Give rows of "
                "both some weight."
            )
        self.spent = False
        self.b0 = float(np.log(both[0]) - np.log(both[1])) if intercept else 0.0
        self.b = np.zeros(self.columns.p)
        self.eta = np.full(n, self.b0)
        self.null = self._loss(self.eta)
        self.gradient = self._gradient()

    def penalties(self, l1, l2, mass=1.0):
        """`mass` times the penalties on coefficients of X, for the columns."""
        l1, l2 = self.columns.penalties(l1, l2, mass, heavy=HEAVY * self.per)
        self.columns.refuse_vanished(l1, self.mass)
        return l1, l2

    @property
    def largest(self):
        """The least l1 at which all coefficients are zero, before the first penalty."""
        return float(np.abs(self.gradient).max())

    def grid(self, l1_ratio, how_many, eps):
        """Penalties for the mean of the likelihood, see `alpha_grid`; before the first penalty."""
        most = np.sqrt(self.columns.square.max() * (self.columns.weights @ self.score**2))
        reach = self.largest / self.per, float(most)
        return alpha_grid(reach, self.columns, l1_ratio, how_many, eps)

    def solve(self, l1, l2, before, tol, max_iter):
        """Minimize from where the last penalty ended, to a gap of `tol` times the null model's.

        The penalties are those for the columns. Returns the gap and the number of Newton's steps.
        """
        goal = max(tol * self.null, ROUNDING * self.null)
        margin = max(before - l1, 0.0) if np.isfinite(before) else 0.0
        working = (np.abs(self.gradient) >= l1 - margin) | (self.b != 0)
        working &= ~self.columns.constant
        turns = 0
        while True:
            turns += self._newton(np.flatnonzero(working), l1, l2, goal, max_iter - turns)
            gap = self.gap(l1, l2)
            missed = (np.abs(self.gradient) > l1) & ~working & ~self.columns.constant
            if gap <= goal or turns >= max_iter or (not missed.any() and self.still):
                break
            working |= missed
        self.spent = gap > goal and not self.still  # its turns, before it was there
        return max(gap, 0.0), turns

    # ------------------------------------------------------------ Newton's steps
    def _newton(self, working, l1, l2, goal, most):
        """Steps within the working columns; returns their number. `still` tells if none helped."""
        self.still = False
        inside = self.columns.part(working)
        value = self._objective(self.eta, self.b, l1, l2)
        turns = idle = flat = 0
        while turns < max(most, 1) and idle < IDLE:
            turns += 1
            mu, h = self._weights()
            score = self.y - mu
            step, first = self._direction(inside, working, h, score / h, l1, l2)
            change = inside @ step + first
            part = 1.0
            for _ in range(HALVINGS):
                b = self.b.copy()
                b[working] += part * step
                eta = self.eta + part * change
                now = self._objective(eta, b, l1, l2)
                if now <= value + ROUNDING * self.null:
                    break
                part *= 0.5
            checkpoint()
            if now > value + ROUNDING * self.null:
                self.still = True
                return turns
            gained, value = value - now, now
            self.b, self.eta, self.b0 = b, eta, self.b0 + part * first
            moved = part * float(np.abs(change).max(initial=0.0))
            flat = flat + 1 if gained <= ROUNDING * self.null else 0
            self.still = moved <= SMALL or flat == IDLE
            idle = idle + 1 if gained <= 1e-3 * goal else 0
            if self.still or (idle and moved <= 1e-4):
                return turns
        return turns

    def _direction(self, inside, working, h, apart, l1, l2):
        """The step of the penalized quadratic approximation: working columns and intercept."""
        weights = self.w * h
        scale = len(weights) / weights.sum()  # weights of Columns sum to n: so do the penalties
        target = inside @ self.b[working] + apart
        if len(working) == 0:
            return np.zeros(0), float(weights @ apart / weights.sum()) * self.intercept
        middle = float(weights @ target) / weights.sum() if self.intercept else 0.0
        target -= middle
        columns = inside.weighted(weights, self.intercept, target)
        descent = Descent(columns, target)
        descent.b[:] = self.b[working]
        descent.refresh()
        descent.solve(l1 * scale, l2 * scale, np.inf, 1e-13, SWEEPS)
        found = descent.sharpened(l1 * scale, l2 * scale)
        b = np.zeros(len(working))
        b[found.index] = found.coef * columns.scale[found.index]
        step = b - self.b[working]
        if not self.intercept:
            return step, 0.0
        return step, float(weights @ (apart - inside @ step) / weights.sum())

    def _weights(self):
        from scipy.special import expit

        mu = expit(self.eta)
        # A response that is far off tells little of the curvature; one that is right tells it.
        return mu, np.maximum(mu * (1 - mu), LEAST_WEIGHT * np.abs(self.y - mu) + TINY)

    def _loss(self, eta):
        return float(self.w @ (np.logaddexp(0.0, eta) - self.y * eta))

    def _objective(self, eta, b, l1, l2):
        return self._loss(eta) + l1 * float(np.abs(b).sum()) + 0.5 * float((l2 * b) @ b)

    # ------------------------------------------------------------ the whole problem
    def _gradient(self):
        from scipy.special import expit

        self.score = self.y - expit(self.eta)
        return self.columns.correlate(self.score) * self.per

    def gap(self, l1, l2):
        """The duality gap, the scores scaled into the dual set."""
        from scipy.special import entr

        self._center()
        self.gradient = self._gradient()
        top = float(np.abs(self.gradient - l2 * self.b).max(initial=0.0))
        shrink = l1 / top if top > l1 else 1.0
        theta = shrink * self.score  # y - theta is within [0, 1] where 0 <= shrink <= 1
        inside = np.clip(self.y - theta, 0.0, 1.0)
        dual = float(self.w @ (entr(inside) + entr(1 - inside)))
        dual -= 0.5 * shrink**2 * float((l2 * self.b) @ self.b)
        if l2:  # every point is feasible: also the scores as they are
            excess = np.maximum(np.abs(self.gradient) - l1, 0.0)
            mu = self.y - self.score
            free = float(self.w @ (entr(mu) + entr(1 - mu))) - 0.5 * float(excess @ excess) / l2
            dual = max(dual, free)
        return self._objective(self.eta, self.b, l1, l2) - dual

    def _center(self):
        """Newton's steps for the intercept alone, so that the scores sum to zero."""
        if not self.intercept:
            return
        for _ in range(20):
            mu, h = self._weights()
            step = float(self.w @ (self.y - mu)) / float(self.w @ h)
            self.eta += step
            self.b0 += step
            if abs(step) <= 1e-15 * (1 + abs(self.b0)):
                break

    def original(self):
        """Coefficients and intercept for X as it is."""
        coef = self.b * self.columns.scale
        first = self.b0 - float(self.columns.mean @ coef)
        return self.columns.restored(coef[:, None])[:, 0], first


def solve_logistic(X, y01, weights, l1, l2, *, intercept=True, standardize=False, tol=1e-10,
                   max_iter=100, n_jobs=None):  # fmt: skip
    """Fit one penalty on minus the log-likelihood.

    Returns coefficients (d,), the intercept, the duality gap, Newton's steps, and whether the gap
    is at most `tol` times the deviance of the null model, or as small as rounding lets it be.
    """
    descent = LogisticDescent(X, y01, weights, intercept, standardize, n_jobs)
    l1, l2 = descent.penalties(l1, l2)
    top, before, turns = descent.largest, np.inf, 0
    least = max(10 * l1, LED * top)
    while least < top and not descent.spent:  # larger penalties lead down to it
        top *= 0.2
        turns += descent.solve(top, l2, before, 1e-3, max_iter)[1]
        before = top
    gap, last = descent.solve(l1, l2, before, tol, max_iter)
    coef, first = descent.original()
    done = gap <= max(tol, 1e-12) * descent.null or descent.still
    return coef, first, gap, turns + last, done


def logistic_path(
    X, y, *, l1_ratio=1.0, alphas=100, eps=1e-3, sample_weight=None,
    fit_intercept=True, standardize=False, tol=1e-8, max_iter=100, n_jobs=None,
):  # fmt: skip
    """Logistic regression with an l1 or elastic-net penalty, for falling penalties.

    At each alpha the coefficients minimize, with n the sum of the weights,

        -log L(b_0, b) / n + alpha (l1_ratio |b|_1 + (1 - l1_ratio) |b|^2 / 2).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
    y : array-like of shape (n,)
        Labels of two classes; the log-odds are those of the second.
    l1_ratio : float, default=1.0
        Between 0 (ridge) and 1 (lasso).
    alphas : int or array-like of shape (A,), default=100
        Penalties, used in falling order; or how many, evenly spaced on a log scale from the least
        that leaves no coefficient down to `eps` times it.
    eps : float, default=1e-3
    sample_weight : array-like of shape (n,), optional
    fit_intercept : bool, default=True
    standardize : bool, default=False
        Penalize each coefficient times the standard deviation of its column (divisor n).
    tol : float, default=1e-8
        Duality gap to reach, as a share of minus the log-likelihood of the null model.
    max_iter : int, default=100
        Most Newton steps for a penalty. Where they do not suffice the path ends, with a warning:
        smaller penalties have the coefficients found there, the gaps that those leave, and 0 steps.
    n_jobs : int, optional

    Returns
    -------
    RegularizationPath
        Its ``predict`` gives log-odds.

    Raises
    ------
    ValueError
        If X holds NaN or infinity, y has not two classes, or a parameter is out of range.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` steps were not enough for a penalty, and smaller ones were not tried.

    Notes
    -----
    Newton's method, each step a weighted lasso on the columns that the strong rule suspects, which
    are copied; about five steps and two passes over the columns for each penalty.

    References
    ----------
    J. Friedman, T. Hastie & R. Tibshirani (2010). doi:10.18637/jss.v033.i01

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import logistic_path
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0], [5.0, 0.0]])
    >>> path = logistic_path(X, [0, 0, 1, 0, 1, 1], alphas=3, eps=0.1)
    >>> (path.coefs != 0).sum(axis=0)
    array([0, 1, 2])
    """
    rows = table_of(X, finite=False)
    labels, codes = as_labels(y, rows.shape[0])
    if len(labels) != 2:
        raise ValueError(f"y must hold two classes; got {len(labels)}: {shown(labels.tolist())}.")
    weights = as_weights(sample_weight, rows.shape[0])
    ratio = as_real(l1_ratio, "l1_ratio", 0.0, 1.0)
    tol, most = as_real(tol, "tol", 0.0), as_count(max_iter, "max_iter")
    one, std = as_flag(fit_intercept, "fit_intercept"), as_flag(standardize, "standardize")
    path = fit_logistic_path(
        rows, codes.astype(float), weights, alphas=as_alphas(alphas), l1_ratio=ratio,
        eps=eps, intercept=one, standardize=std, tol=tol, max_iter=most, n_jobs=n_jobs,
    )  # fmt: skip
    if not path.n_iters.all():
        last = path.alphas[path.n_iters.argmin() - 1]
        warn_user(
            f"logistic_path did not converge in {most} iterations at alpha={last:.3g}; smaller "
            "penalties were not tried and have its coefficients. Raise max_iter or tol.",
            ConvergenceWarning,
        )
    return path


def fit_logistic_path(X, y01, weights, *, alphas, l1_ratio, eps=1e-3, intercept=True,
                      standardize=False, tol=1e-8, max_iter=100, n_jobs=None):  # fmt: skip
    """`logistic_path` for checked arguments."""
    descent = LogisticDescent(X, y01, weights, intercept, standardize, n_jobs)
    if isinstance(alphas, int):
        alphas = descent.grid(l1_ratio, alphas, eps)
    coefs, firsts, gaps, turns, before = [], [], [], [], np.inf
    for alpha in alphas:
        l1, l2 = descent.penalties(alpha * l1_ratio, alpha * (1 - l1_ratio), descent.mass)
        if descent.spent:  # smaller penalties would be harder
            gap, steps = descent.gap(l1, l2), 0
        else:
            gap, steps = descent.solve(l1, l2, before, tol, max_iter)
        before = l1
        coef, first = descent.original()
        coefs.append(coef)
        firsts.append(first)
        gaps.append(gap / descent.mass)
        turns.append(steps)
    return RegularizationPath(
        alphas, np.array(coefs).T.copy(), np.array(firsts), np.array(gaps), np.array(turns)
    )
