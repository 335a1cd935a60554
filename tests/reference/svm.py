# SPDX-License-Identifier: BSD-3-Clause
"""Support vector machines, slowly: the dual problem one pair of multipliers at a time.

`solve` has the signature of `statfast.svm.dual.solver.solve`. It follows Fan, Chen & Lin (2005),
working set selection using second order information, https://www.jmlr.org/papers/v6/fan05a.html, on
the whole matrix in float64.
"""

from typing import NamedTuple

import numpy as np


class Dual(NamedTuple):
    """As `statfast.svm.dual.solver.DualSolution`."""

    alpha: np.ndarray
    gradient: np.ndarray
    rho: float
    r: float
    dual: float
    n_iter: int
    gap: float
    converged: bool
    reason: str


class Whole:
    """A matrix of kernel values with the methods of `statfast.svm.dual.gram.Gram`."""

    def __init__(self, K):
        self.K = np.asarray(K, dtype=np.float64)
        self.n, self.diagonal = len(K), np.diag(self.K).copy()

    def rows(self, index):
        return self.K[index].astype(np.float32)

    def exact(self, index, weights):
        return self.K[:, index] @ weights


def candidates(alpha, sign, upper, group):
    """Which multipliers may move up, in the direction of their sign, and which down."""
    room, used = alpha < upper, alpha > 0
    return group & np.where(sign > 0, room, used), group & np.where(sign > 0, used, room)


def violation(alpha, gradient, sign, upper, groups):
    """m(alpha) - M(alpha): how far the conditions of Karush, Kuhn and Tucker are from holding."""
    worst = -np.inf
    for group in members(sign, groups):
        up, low = candidates(alpha, sign, upper, group)
        if up.any() and low.any():
            score = -sign * gradient
            worst = max(worst, score[up].max() - score[low].min())
    return worst


def members(sign, groups):
    return [np.ones(len(sign), dtype=bool)] if groups == "one" else [sign > 0, sign < 0]


def solve(
    gram, linear, sign, upper, *, start=None, sums=None, point=None, groups="one", tol=1e-3,
    max_iter=None, time_limit=None, progress=None, hard=False,
):  # fmt: skip
    """min a'Qa / 2 + p'a with s'a constant and 0 <= a <= upper, Q_ij = s_i s_j K(i, j)."""
    point = np.arange(len(linear)) if point is None else np.asarray(point)
    K = gram.K[np.ix_(point, point)]
    Q = sign[:, None] * sign * K
    alpha = np.zeros(len(linear)) if start is None else np.array(start, dtype=np.float64)
    gradient = Q @ alpha + linear
    steps, gap, reason = 0, np.inf, "tol"
    most = 1_000_000 if max_iter is None else max_iter
    while (gap := violation(alpha, gradient, sign, upper, groups)) > tol:
        if steps >= most:
            reason = "max_iter"
            break
        i, j = pair(K, alpha, gradient, sign, upper, groups)
        curve = max(K[i, i] + K[j, j] - 2 * K[i, j], 1e-12)
        step = (sign[j] * gradient[j] - sign[i] * gradient[i]) / curve
        step = min(step, upper[i] - alpha[i] if sign[i] > 0 else alpha[i])
        step = min(step, alpha[j] if sign[j] > 0 else upper[j] - alpha[j])
        for k, change in ((i, step * sign[i]), (j, -step * sign[j])):
            alpha[k] += change
            if abs(alpha[k] - upper[k]) < 1e-15 * abs(upper[k]):
                alpha[k] = upper[k]
            gradient += Q[:, k] * change
        steps += 1
    offsets = [offset(alpha, gradient, sign, upper, group) for group in members(sign, groups)]
    rho, r = offsets[0], 0.0
    if groups == "each":  # in the signs' own direction
        rho, r = (offsets[0] + offsets[1]) / 2, (offsets[0] - offsets[1]) / 2
    dual = 0.5 * float(alpha @ (gradient + linear))
    return Dual(alpha, gradient, rho, r, dual, steps, float(gap), gap <= tol, reason)


def pair(K, alpha, gradient, sign, upper, groups):
    """The pair that lowers the objective most, its first member violating most."""
    best = None
    score = -sign * gradient
    for group in members(sign, groups):
        up, low = candidates(alpha, sign, upper, group)
        if not up.any():
            continue
        i = np.flatnonzero(up)[score[up].argmax()]
        apart = score[i] - score
        curve = np.maximum(K[i, i] + np.diag(K) - 2 * K[i], 1e-12)
        gain = np.where(low & (apart > 0), apart**2 / curve, -np.inf)
        j = gain.argmax()
        if best is None or gain[j] > best[0]:
            best = gain[j], i, j
    return best[1:]


def offset(alpha, gradient, sign, upper, group):
    """s_i G_i of free multipliers, on average; between its bounds where there are none."""
    free = group & (alpha > 0) & (alpha < upper)
    if free.any():
        return float((sign * gradient)[free].mean())
    up, low = candidates(alpha, sign, upper, group)
    score = -sign * gradient
    ends = [score[up].max()] if up.any() else []
    ends += [score[low].min()] if low.any() else []
    return -float(np.mean(ends)) if ends else 0.0
