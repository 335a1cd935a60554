# SPDX-License-Identifier: BSD-3-Clause
"""The five machines as one dual problem, and what its multipliers say about each.

C-SVC, nu-SVC, epsilon-SVR, nu-SVR and the one-class machine all minimize a'Qa / 2 + p'a with s'a
constant and 0 <= a <= upper (Chang & Lin 2011, LIBSVM, doi:10.1145/1961189.1961199). Each function
here states its own p, s and upper, and returns a `Machine`: f(x) = sum coef_i K(x_i, x) - rho.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._distance import scale_of
from statfast._linalg import dot
from statfast._typing import Array
from statfast.svm.dual.solver import DualSolution

MIN_MARGIN = 1e-8  # A margin that is a smaller share of the gradient counts as 0.
MIN_TOLERANCE = 1e-14  # No tolerance is a smaller share of the gradient.
MAX_GAP_OF_MARGIN = 0.1  # If rounding leaves a larger gap, there is no hard margin.
INSEPARABLE = "inseparable"  # The reason of a solution whose classes have no margin.


@dataclass(frozen=True)
class Machine:
    """A trained machine on some of the training rows."""

    rows: NDArray[np.intp]  # (m,) those rows
    alpha: NDArray[np.float64]  # (m,) their multipliers,
    upper: NDArray[np.float64]  # (m,) their upper bounds.
    coef: NDArray[np.float64]  # (m,) their coefficients in f, multipliers times signs.
    rho: float
    norm2: float  # |w|^2
    primal: float
    dual: float
    n_iter: int
    violation: float  # By how much the conditions of Karush, Kuhn and Tucker are violated.
    converged: bool
    reason: str
    epsilon: float = 0.0  # half the width of the tube
    scale: float = 1.0  # multipliers were divided by it
    # (m,) f + rho of the rows, from which another training may start.
    values: NDArray[np.float64] | None = None

    @property
    def margin(self) -> float:
        """The width 2 / |w| of the strip around f = 0."""
        return 2.0 / np.sqrt(self.norm2) if self.norm2 > 0.0 else np.inf


def moderate(weights: Array) -> tuple[float, Array]:
    """A power of two, and weights times it, of which the largest is between 1 and 2: what nu is a
    share of has no unit, so that a tolerance should not depend on it."""
    unit = 2.0 * scale_of(float(weights.max()))
    return unit, weights * unit


def filled(upper: Array, total: float) -> Array:
    """DualVariables of the given sum, each as large as it may be until the sum is reached."""
    before = np.cumsum(upper) - upper
    return np.clip(total - before, 0.0, upper)


def scaled(before: Any, costs: Any) -> tuple[None, None]:
    """Coefficients and values of a machine on the same rows whose costs are in one ratio to these:
    what is at a bound stays there. None twice if there is no such machine."""
    if before is None or not np.isfinite(before.upper[0]):
        return None, None
    ratio = costs[0] / before.upper[0]
    bound = before.alpha >= before.upper
    coef = np.where(bound, np.copysign(costs, before.coef), before.coef * ratio)
    return np.clip(coef, -costs, costs), before.values * ratio


def c_svc(
    solve: Any, rows: Array, sign: Array, costs: Array, before: Machine | None = None
) -> Machine:
    """Two classes: min |w|^2 / 2 + sum cost_i xi_i, y_i f_i >= 1 - xi_i; costs may be infinite."""
    hard = bool(np.isinf(costs).any())
    coef, sums = scaled(None if hard else before, costs)
    start = None if coef is None else sign * coef
    dual = solve(-np.ones(len(rows)), sign, costs, point=rows, start=start, sums=sums, hard=hard)
    # Without a margin, multipliers grow until rounding stops them.
    if hard and dual.reason == "precision" and dual.gap > MAX_GAP_OF_MARGIN:
        dual = dual._replace(reason=INSEPARABLE)
    slack = np.maximum(0.0, sign * dual.rho - dual.gradient)
    norm2 = max(0.0, dot(dual.alpha, dual.gradient + 1.0))
    if hard:
        primal = _widest(norm2, sign * (dual.gradient + 1.0), sign)
    else:
        primal = norm2 / 2 + dot(costs, slack)
    values = sign * (dual.gradient + 1.0)
    return _machine(dual, rows, dual.alpha, costs, sign * dual.alpha, norm2, primal, values=values)


def _widest(norm2: float, f: Array, sign: Array) -> float:
    """|w|^2 / 2 of w times what puts the nearest rows of the classes on the margin; inf if it
    does not separate them."""
    half = float(f[sign > 0].min() - f[sign < 0].max()) / 2
    length = norm2**0.5 / half if half > 0.0 else inf
    return length * length / 2


def nu_svc(solve: Any, rows: Array, sign: Array, weights: Array, nu: float) -> Machine | None:
    """Two classes, of which a share of about nu lies within the margin.

    It is the C-SVC with C = 1 / r, whose values are returned. None if r, the margin, is zero.
    """
    alpha = np.zeros(len(rows))
    unit, weights = moderate(weights)
    for side in (sign > 0, sign < 0):
        alpha[side] = filled(weights[side], nu * weights.sum() / 2)
    zero, tol, steps = np.zeros(len(rows)), solve.tol, 0
    while True:
        dual = solve(zero, sign, weights, point=rows, start=alpha, groups="each", tol=tol)
        steps += dual.n_iter
        scale = np.abs(dual.gradient).max(initial=0.0)
        if scale == 0.0 or dual.reason == INSEPARABLE:
            return None
        # What is returned is divided by the margin r, and so are the violations.
        none = dual.r <= MIN_MARGIN * scale
        wanted = (MIN_MARGIN * scale) if none else solve.tol * dual.r
        if not dual.converged or dual.gap <= wanted or tol <= MIN_TOLERANCE * scale:
            break
        alpha, tol = dual.alpha, max(min(0.1 * dual.gap, wanted), MIN_TOLERANCE * scale)
    if dual.converged and none:
        return None
    r = 1.0 if none else dual.r
    dual = dual._replace(
        gap=dual.gap / r, converged=dual.gap <= solve.tol * r, r=r, n_iter=steps,
        reason="precision" if dual.converged else dual.reason,
    )  # fmt: skip
    norm2 = max(0.0, dot(dual.alpha, dual.gradient))
    slack = np.maximum(0.0, 1.0 - (dual.gradient - sign * dual.rho) / dual.r)
    alpha, upper, norm2 = dual.alpha / dual.r, weights / dual.r, norm2 / dual.r**2
    dual = dual._replace(rho=dual.rho / dual.r, dual=norm2 / 2 - alpha.sum())
    primal = norm2 / 2 + dot(upper, slack)
    return _machine(dual, rows, alpha, upper, sign * alpha, norm2, primal, scale=dual.r / unit)


def _twice(*parts: Array) -> Array:
    return np.concatenate(parts)


def svr(
    solve: Any, rows: Array, y: Array, costs: Array, epsilon: float, before: Machine | None = None
) -> Machine:
    """Regression: min |w|^2 / 2 + sum cost_i max(0, |y_i - f_i| - epsilon)."""
    coef, sums = scaled(before, costs)
    if epsilon == 0.0:
        # The two multipliers of a row would both grow, and hide their difference.
        dual = solve(-y, np.zeros(len(rows)), costs, point=rows, start=coef, sums=sums)
        dual = dual._replace(
            alpha=_twice(np.maximum(dual.alpha, 0.0), np.maximum(-dual.alpha, 0.0)),
            gradient=_twice(dual.gradient, -dual.gradient),
        )
        return _tube(dual, rows, y, costs, epsilon, 0.0)
    start = None
    if coef is not None:
        start = _twice(np.maximum(coef, 0.0), np.maximum(-coef, 0.0))
        sums = _twice(sums, sums)
    sign = _twice(np.ones(len(rows)), -np.ones(len(rows)))
    linear = _twice(epsilon - y, epsilon + y)
    upper = _twice(costs, costs)
    dual = solve(linear, sign, upper, point=_twice(rows, rows), start=start, sums=sums)
    return _tube(dual, rows, y, costs, epsilon, 0.0)


def nu_svr(solve: Any, rows: Array, y: Array, costs: Array, nu: float) -> Machine:
    """Regression whose tube is as wide as lets a share of about nu of the rows lie outside."""
    sign = _twice(np.ones(len(rows)), -np.ones(len(rows)))
    start = filled(costs, nu * costs.sum() / 2)
    dual = solve(
        _twice(-y, y), sign, _twice(costs, costs), point=_twice(rows, rows),
        start=_twice(start, start), groups="each",
    )  # fmt: skip
    if dual.reason == INSEPARABLE:  # All targets are 0, and so is f.
        dual = dual._replace(converged=True, reason="tol")
    return _tube(dual, rows, y, costs, max(0.0, -dual.r), nu)


def _tube(
    dual: DualSolution, rows: Array, y: Array, costs: Array, epsilon: float, nu: float
) -> Machine:
    m = len(rows)
    up, down = dual.alpha[:m], dual.alpha[m:]
    coef = up - down
    # The first m of the gradient are K coef + p, whatever p is.
    values = (dual.gradient[:m] - dual.gradient[m:]) / 2 + y
    norm2 = max(0.0, dot(coef, values))
    loss = np.maximum(0.0, np.abs(y - (values - dual.rho)) - epsilon)
    primal = norm2 / 2 + dot(costs, loss) + nu * float(costs.sum()) * epsilon
    return _machine(
        dual, rows, up + down, costs, coef, norm2, primal, epsilon=epsilon, values=values
    )


def one_class(solve: Any, rows: Array, weights: Array, nu: float) -> Machine:
    """The region that leaves out a share of about nu: min |w|^2 / 2 - nu W rho + sum w_i xi_i."""
    unit, weights = moderate(weights)
    total = nu * weights.sum()
    ones = np.ones(len(rows))
    dual = solve(0.0 * ones, ones, weights, point=rows, start=filled(weights, total))
    norm2 = max(0.0, dot(dual.alpha, dual.gradient))
    loss = dot(weights, np.maximum(0.0, dual.rho - dual.gradient))
    primal = (norm2 / 2 + loss - total * dual.rho) / unit**2
    alpha, upper = dual.alpha / unit, weights / unit
    dual = dual._replace(rho=dual.rho / unit, dual=dual.dual / unit**2)
    return _machine(dual, rows, alpha, upper, alpha, norm2 / unit**2, primal, scale=unit)


def _machine(
    dual: DualSolution,
    rows: Array,
    alpha: Array,
    upper: Array,
    coef: Array,
    norm2: float,
    primal: float,
    **more: Any,
) -> Machine:
    return Machine(
        rows=rows, alpha=alpha, upper=upper, coef=coef, rho=float(dual.rho), norm2=norm2,
        primal=primal, dual=-float(dual.dual), n_iter=int(dual.n_iter),
        violation=max(0.0, float(dual.gap)), converged=bool(dual.converged), reason=dual.reason,
        **more,
    )  # fmt: skip
