# SPDX-License-Identifier: BSD-3-Clause
"""Convex minimization where a Hessian costs as much as many gradients: Newton's method, whose
Hessian is kept and corrected by limited-memory BFGS until a new one pays.

Liu and Nocedal (1989), On the limited memory BFGS method for large scale optimization,
https://doi.org/10.1007/BF01589116, with the factor of the last Hessian as its first matrix. With a
Hessian at every step it is Newton's method; with none it is BFGS preconditioned by `solve`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, log, sqrt
from typing import Any

import numpy as np

from statfast._typing import Array

PAIRS_REMEMBERED = 12  # The most pairs of steps and changes of the gradient that are kept.
# Steps may take this share of the cost of new curvature before it is made.
SHARE_OF_CURVATURE_COST = 0.25
MIN_RATE = 1e-3  # Steps are not expected to shrink faster than by this factor.
MAX_HALVINGS = 40
MAX_STEPS = 30  # Newton's method takes over only where the minimum is far, or nowhere.


@dataclass(frozen=True)
class Minimum:
    """Where the iteration ended."""

    x: np.ndarray
    value: float
    # Newton's decrement: the length of the last step in the metric of the Hessian.
    decrement: float
    n_iter: int  # steps
    converged: bool


def minimize(x: np.ndarray, objective: Any, *, tol: float, max_iter: int) -> Minimum:
    """Minimize a convex function from `x`.

    Parameters
    ----------
    x : ndarray of shape (m,)
    objective : object
        ``evaluate(x)`` gives value, gradient, and a function B^-1 g, where B is the Hessian at x if
        ``objective.eager``, and else None. ``start`` is such a function for any positive definite
        B, ``curvature(x)`` one for about the Hessian at x. Either is None if the matrix has no
        Cholesky factor. ``hopeless(x)``, asked after `MAX_STEPS` steps, is whether there is no
        minimum. Values differ by up to ``noise`` from rounding. ``cost`` is that of `curvature` in
        units of that of `evaluate`.
    tol : float
        Stop where, after one step more, Newton's decrement would be at most this, at the rate of
        the last two.
    max_iter : int
    """
    eager = objective.eager
    value, gradient, first = objective.evaluate(x)
    first = first if eager else objective.start
    pairs: deque = deque(maxlen=PAIRS_REMEMBERED)
    before, since, n_iter = inf, 0, 0
    while first is not None:
        step = -_inverse(first, pairs, gradient)
        decrement = sqrt(max(0.0, -float(step @ gradient)))
        if decrement * min(1.0, max(decrement / before, MIN_RATE)) <= tol:
            return Minimum(x + step, value, decrement, n_iter + 1, True)
        if n_iter == max_iter or (n_iter == MAX_STEPS and objective.hopeless(x)):
            return Minimum(x, value, decrement, n_iter, False)
        if not eager and _pays(objective.cost, since, decrement, before, tol):
            first = objective.curvature(x)
            pairs.clear()
            before, since = inf, 0
            continue
        length = 1.0
        for _ in range(MAX_HALVINGS):
            trial = x + length * step
            trial_value, turned, newer = objective.evaluate(trial)
            if trial_value <= value - 1e-4 * length * decrement**2 + objective.noise:
                break
            length /= 2.0
        else:  # No step lowers the objective any more, as rounding hides its changes.
            return Minimum(x, value, decrement, n_iter, decrement <= 1e4 * tol)
        if eager:
            first = newer
        else:
            moved, change = length * step, turned - gradient
            product = float(moved @ change)
            if product > 1e-10 * sqrt(float(moved @ moved) * float(change @ change)):
                pairs.append((moved, change, product))
        x, value, gradient = trial, trial_value, turned
        before, since, n_iter = decrement, since + 1, n_iter + 1
    return Minimum(x, value, inf, n_iter, False)


def _pays(cost: float, since: int, decrement: float, before: float, tol: float) -> bool:
    """Whether new curvature is cheaper than going on at the present rate, of which the first steps
    say little: as many are made as a part of it would cost."""
    if since < max(2.0, SHARE_OF_CURVATURE_COST * cost):
        return False
    rate = min(decrement / before, 0.99)
    # As corrections improve the rate, a new Hessian has to save more than its cost.
    return log(tol / decrement) / log(rate) > 2.0 * cost + 6.0


def _inverse(first: Callable[..., Any], pairs: Any, gradient: Array) -> Array:
    """The two loops of the method over the corrections."""
    out, shares = gradient, []
    for moved, turned, product in reversed(pairs):
        share = float(moved @ out) / product
        out = out - share * turned
        shares.append(share)
    out = first(out)
    for (moved, turned, product), share in zip(pairs, reversed(shares), strict=True):
        out = out + (share - float(turned @ out) / product) * moved
    return out
