# SPDX-License-Identifier: BSD-3-Clause
"""Profile-likelihood intervals of multinomial logistic models: see linear/glm/profile.py.

A coefficient is held by what it is in the frame (see linear/logistic/softmax_sums.py), l'b = c for
a vector l, so that intercepts of rows far from 0 lose no digits. Newton's step from a point where
that holds is the whole step g -> H^-1 g less what it does along H^-1 l.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from statfast._linalg import CholeskyFactor
from statfast._typing import Array, Jobs
from statfast.linear.glm.profile import end_of
from statfast.linear.logistic.lbfgs import minimize
from statfast.linear.logistic.multinomial import ROUNDING_OF_LOSS, hessian_of
from statfast.linear.logistic.softmax_sums import SoftmaxSums

TOLERANCE_OF_ROOT = 1e-9  # The tolerance of refits, in units of the root of the rise.
MAX_STEPS = 100


def multinomial_intervals(
    rows: Any,
    codes: Array,
    weights: Array | None,
    reference: int,
    intercept: bool,
    result: Any,
    quantile: float,
    n_jobs: Jobs,
) -> Any:
    """Ends (m, 2) of the coefficients relative to a class; NaN for aliased ones.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
    codes : ndarray of shape (n,), intp
    weights : ndarray of shape (n,) or None
    reference : int
        The class whose coefficients are 0.
    result : Result
        Of the fit: its coefficients are those of the other classes, one after the other.
    """
    n_varying = len(result.coef) // (rows.shape[1] + intercept)
    kept = np.flatnonzero(~result.aliased[: len(result.coef) // n_varying])
    sums = SoftmaxSums(rows, codes, weights, n_varying + 1, intercept, n_jobs)
    if len(kept) < sums.q:
        sums.take(kept[int(intercept) :] - intercept)
    held = _Held(sums, reference)
    with_reference = np.zeros((n_varying + 1, len(kept)))
    with_reference[held.varying] = result.coef.reshape(n_varying, -1)[:, kept]
    best = sums.frame.from_user(with_reference)[held.varying].ravel()
    _, _, solve = held.evaluate_free(best)
    lines = np.kron(np.eye(n_varying), sums.frame.to_user())
    ends = np.full((n_varying, len(result.coef) // n_varying, 2), np.nan)
    for j, line in enumerate(lines if solve else ()):
        follow = solve(line)
        error = sqrt(line @ follow)
        held.line = line

        def root(value: Any, start: Any, line: Any = line, follow: Any = follow) -> Any:
            b = start + (value - line @ start) / (line @ follow) * follow
            if len(b) > 1:
                minimum = minimize(b, held, tol=TOLERANCE_OF_ROOT, max_iter=MAX_STEPS)
                b, loss = minimum.x, held.evaluate_free(minimum.x)[0]
            else:
                loss = held.evaluate_free(b)[0]
            return sqrt(max(2 * loss - result.deviance, 0.0)) - quantile, b

        k, column = divmod(j, len(kept))
        ends[k, kept[column]] = [
            end_of(root, float(line @ best), best, sign * error, quantile) for sign in (-1.0, 1.0)
        ]
    return ends.reshape(-1, 2)


class _Held:
    """Minus the log-likelihood among the points where a line has its value, for `minimize`."""

    eager, cost, start = True, np.inf, None

    def __init__(self, sums: Any, reference: int) -> None:
        self.sums = sums
        self.varying = np.delete(np.arange(sums.n_classes), reference)
        total_weight = sums.n if sums.weights is None else sums.weights.sum()
        self.noise = ROUNDING_OF_LOSS * float(total_weight)
        self.line = None

    def evaluate_free(self, x: Any) -> Any:
        """Loss, gradient, and g -> H^-1 g (None if H is singular)."""
        coef = np.zeros((self.sums.n_classes, self.sums.q))
        coef[self.varying] = x.reshape(-1, self.sums.q)
        loss, gradient, pairs = self.sums.sums_at(coef, every=1)
        hessian = hessian_of(pairs, 0.0)[self.varying][:, :, self.varying]
        factor = CholeskyFactor(hessian.reshape(len(x), len(x)))
        return loss, gradient[self.varying].ravel(), factor.solve if factor.pivot > 0.0 else None

    def evaluate(self, x: Any) -> Any:
        loss, gradient, solve = self.evaluate_free(x)
        if solve is None:
            return loss, gradient, None
        line, follow = self.line, solve(self.line)

        def held(g: Array) -> Any:
            step = solve(g)
            return step - (line @ step) / (line @ follow) * follow

        return loss, gradient, held

    def hopeless(self, x: Any) -> Any:
        return False
