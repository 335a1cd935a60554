# SPDX-License-Identifier: BSD-3-Clause
"""Logistic regression with an l1 or elastic-net penalty, for a falling sequence of penalties.

Minimizes  -log L(b_0, b) + l1 |b|_1 + l2 |b|^2 / 2  with log L the weighted log-likelihood, by
the proximal Newton steps of `ProximalNewton`: lassos with weights mu (1 - mu).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._estimator import weighted_labels
from statfast._typing import Array, ArrayLike, Jobs, Matrix, Rows, Weights
from statfast._validation import (
    ConvergenceWarning,
    as_count,
    as_flag,
    as_real,
    shown,
    warn_user,
)
from statfast.linear.design.columns import columns_of
from statfast.linear.design.design import table_of
from statfast.linear.penalized.lasso_path import RegularizationPath
from statfast.linear.penalized.penalties import alpha_grid, as_alphas
from statfast.linear.penalized.proximal_newton import ProximalNewton

# The least weight of a row in the quadratic approximation, relative to its error.
MIN_WEIGHT = 1e-5
# The least weight of any row, as more certain probabilities round to 1.
MIN_WEIGHT_OF_ANY_ROW = 1e-16


class LogisticDescent(ProximalNewton):
    """The penalized likelihood of 0/1 responses, solved for one penalty after the other."""

    def __init__(self, X, y01, weights, intercept, standardize=False, n_jobs=None):
        columns = columns_of(X, weights, intercept or standardize, standardize, n_jobs)
        # The columns are not centered, but divided by their standard deviations.
        if standardize and not intercept:
            columns = columns.uncentered(weights)
        self.y = y01
        w = np.ones(len(y01)) if weights is None else weights
        # The caller has checked that there are rows of both classes.
        both = [float(w @ (y01 == side)) for side in (1.0, 0.0)]
        b0 = float(np.log(both[0]) - np.log(both[1])) if intercept else 0.0
        super().__init__(columns, weights, intercept, b0)

    def grid(self, l1_ratio: float, how_many: int, eps: float) -> Array:
        """Penalties for the mean of the likelihood, see `alpha_grid`; before the first penalty."""
        most = np.sqrt(self.columns.square.max() * (self.columns.weights @ self.score**2))
        largest = self.largest / self.per, float(most)
        return alpha_grid(largest, self.columns, l1_ratio, how_many, eps)

    # ------------------------------------------------------------ the likelihood
    def _curvature(self) -> tuple[Array, Array]:
        mu, h = self._weights()
        return self.y - mu, h

    def _weights(self) -> tuple[Array, Array]:
        from scipy.special import expit

        mu = expit(self.eta)
        # The weight of a row is its curvature, but at least a share of its error.
        return mu, np.maximum(
            mu * (1 - mu), MIN_WEIGHT * np.abs(self.y - mu) + MIN_WEIGHT_OF_ANY_ROW
        )

    def _loss(self, eta: Array) -> float:
        return float(self.w @ (np.logaddexp(0.0, eta) - self.y * eta))

    # ------------------------------------------------------------ the whole problem
    def _gradient(self) -> Array:
        from scipy.special import expit

        self.score = self.y - expit(self.eta)
        return self.columns.correlate(self.score) * self.per

    def gap(self, l1: float, l2: float) -> float:
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
        if l2:  # With an l2 penalty every point of the dual is feasible, the unscaled one too.
            excess = np.maximum(np.abs(self.gradient) - l1, 0.0)
            mu = self.y - self.score
            # With a tiny l2 penalty this bound may overflow, and the other one holds.
            with np.errstate(over="ignore"):
                square = np.divide(0.5 * float(excess @ excess), l2)
            dual = max(dual, float(self.w @ (entr(mu) + entr(1 - mu)) - square))
        return self._objective(self.eta, self.b, l1, l2) - dual

    def _center(self) -> None:
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


def solve_logistic(
    X: Matrix,
    y01: Array,
    weights: Any,
    l1: float,
    l2: float,
    *,
    intercept: bool = True,
    standardize: bool = False,
    tol: float = 1e-10,
    max_iter: int = 100,
    n_jobs: Jobs = None,
    start: Any = None,
) -> tuple[Array, float, float, int, bool]:
    """Fit one penalty on minus the log-likelihood, from coefficients (q,) or larger penalties.

    Returns coefficients (d,), the intercept, the duality gap, Newton's steps, and whether the gap
    is at most `tol` times the deviance of the null model, or as small as rounding lets it be.
    """
    descent = LogisticDescent(X, y01, weights, intercept, standardize, n_jobs)
    l1, l2 = descent.penalties(l1, l2)
    before, turns = np.inf, 0
    if start is None or not descent.begin(start):
        before, turns = descent.lead_down(l1, l2, max_iter)
    gap, last = descent.solve(l1, l2, before, tol, max_iter)
    coef, first = descent.original()
    done = gap <= max(tol, 1e-12) * descent.null or descent.still
    return coef, first, gap, turns + last, done


def logistic_path(
    X: Rows,
    y: ArrayLike,
    *,
    l1_ratio: float = 1.0,
    alphas: ArrayLike = 100,
    eps: float = 1e-3,
    sample_weight: Weights = None,
    fit_intercept: bool = True,
    standardize: bool = False,
    tol: float = 1e-8,
    max_iter: int = 100,
    n_jobs: int | None = None,
) -> RegularizationPath:
    """Regularization path of logistic regression with an l1 or elastic-net penalty.

    At each alpha the coefficients minimize, with n the sum of the weights::

        -log L(b_0, b) / n + alpha (l1_ratio |b|_1 + (1 - l1_ratio) |b|^2 / 2)

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Samples.
    y : array-like of shape (n,)
        Labels of two classes; the log-odds are those of the second.
    l1_ratio : float, default=1.0
        Between 0 (ridge) and 1 (lasso).
    alphas : int or array-like of shape (A,), default=100
        Penalties, used in falling order; or how many, evenly spaced on a log scale from the least
        that leaves no coefficient down to `eps` times it.
    eps : float, default=1e-3
        Smallest penalty relative to the largest.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    standardize : bool, default=False
        Penalize each coefficient times the standard deviation of its column (divisor n).
    tol : float, default=1e-8
        Duality gap to reach, as a fraction of minus the log-likelihood of the null model.
    max_iter : int, default=100
        Maximum number of Newton steps for a penalty. Where they do not suffice the path ends, with
        a warning: smaller penalties have the coefficients found there, the gaps that those leave,
        and 0 steps.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

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
    labels, codes, weights = weighted_labels(y, rows.shape[0], sample_weight)
    if len(labels) != 2:
        raise ValueError(f"y must hold two classes; got {len(labels)}: {shown(labels.tolist())}.")
    ratio = as_real(l1_ratio, "l1_ratio", 0.0, 1.0)
    tol, most = as_real(tol, "tol", 0.0), as_count(max_iter, "max_iter")
    intercept, std = as_flag(fit_intercept, "fit_intercept"), as_flag(standardize, "standardize")
    path = fit_logistic_path(
        rows, codes.astype(float), weights, alphas=as_alphas(alphas), l1_ratio=ratio,
        eps=eps, intercept=intercept, standardize=std, tol=tol, max_iter=most, n_jobs=n_jobs,
    )  # fmt: skip
    if not path.n_iters.all():
        last = path.alphas[path.n_iters.argmin() - 1]
        warn_user(
            f"logistic_path did not converge in {most} iterations at alpha={last:.3g}; smaller "
            "penalties were not tried and have its coefficients. Raise max_iter or tol.",
            ConvergenceWarning,
        )
    return path


def fit_logistic_path(
    X: Array,
    y01: Array,
    weights: Array | None,
    *,
    alphas: Any,
    l1_ratio: float,
    eps: float = 1e-3,
    intercept: bool = True,
    standardize: bool = False,
    tol: float = 1e-8,
    max_iter: int = 100,
    n_jobs: Jobs = None,
) -> RegularizationPath:
    """`logistic_path` for checked arguments."""
    descent = LogisticDescent(X, y01, weights, intercept, standardize, n_jobs)
    if isinstance(alphas, int):
        alphas = descent.grid(l1_ratio, alphas, eps)
    coefs, firsts, gaps, turns, before = [], [], [], [], np.inf
    for alpha in alphas:
        l1, l2 = descent.penalties(alpha * l1_ratio, alpha * (1 - l1_ratio), descent.total_weight)
        if descent.spent:  # Smaller penalties would take even longer.
            gap, steps = descent.gap(l1, l2), 0
        else:
            gap, steps = descent.solve(l1, l2, before, tol, max_iter)
        before = l1
        coef, first = descent.original()
        coefs.append(coef)
        firsts.append(first)
        gaps.append(gap / descent.total_weight)
        turns.append(steps)
    return RegularizationPath(
        alphas, np.array(coefs).T.copy(), np.array(firsts), np.array(gaps), np.array(turns)
    )
