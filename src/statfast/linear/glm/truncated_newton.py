# SPDX-License-Identifier: BSD-3-Clause
"""Newton's method without a Hessian: its products with vectors alone, for rows of many columns.

The step solves H p = -g by preconditioned conjugate gradients, loosely while the minimum is far,
and the nearer the sharper, so that it converges faster than linearly (Dembo and Steihaug 1983,
Truncated-Newton algorithms for large-scale unconstrained optimization, doi:10.1007/BF02592055). An
iteration costs two passes over the rows, and no memory beyond some vectors. Where conjugate
gradients have cost as much as the Hessian and its factor would, and there is room for it, that
becomes the preconditioner, until it is out of date itself: the price is never far from the least.

The losses are sums over rows of a convex function of their linear values Z B, for coefficients B of
one response or of several.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np

from statfast._engine import checkpoint
from statfast._typing import Array

MAX_HALVINGS = 40
# The first steps leave this share of the gradient, in the preconditioner's norm.
MAX_GRADIENT_LEFT = 0.25
ROUNDING_OF_LOSS = 1e-15  # The rounding of the loss, relative to it.
PRODUCTS_OF_ITERATION = 100  # Products with the Hessian in an iteration, on average.
# A step that ends by rounding is near the minimum if it is below so many tolerances.
MAX_TOLERANCES_OF_ROUNDING = 1e4
# Newton's step is whole near the minimum: one that has to be so short goes down by rounding alone.
MIN_LENGTH_NEAR_MINIMUM = 2.0**-6


@dataclass(frozen=True)
class Point:
    """Coefficients x (q K,), and what the loss is there."""

    x: np.ndarray
    eta: np.ndarray  # (n, K) linear values
    value: float
    gradient: np.ndarray  # (q K,)
    curve: np.ndarray  # The curvature of the loss of each row, (n, K) or as the loss needs it.
    unit: float  # by which Newton's decrement is divided


@dataclass(frozen=True)
class End:
    """Where the iteration ended."""

    point: Point
    n_iter: int  # steps
    converged: bool
    sizes: list  # The sizes of the steps, in the linear predictors.


class PenalizedLoss:
    """A loss of the rows' linear values, with half the penalty times the squared coefficients.

    Parameters
    ----------
    products : SparseProducts or DenseProducts
    loss : object
        ``evaluate(eta)`` gives value, gradient (n, K) in the linear values, curve and unit, see
        `Point`;
        ``times(curve, V)`` the product of each row's Hessian with a row of V, and
        ``diagonal(curve)`` the diagonal of that Hessian.
    penalty : ndarray of shape (q,)
    n_values : int, K
    """

    factor_cost = inf  # of `factor`, in products with the Hessian; infinite where it is too large

    def __init__(self, products: Any, loss: Any, penalty: Array, n_values: int) -> None:
        self.products, self.loss, self.penalty = products, loss, penalty[:, None]
        self.shape = len(penalty), n_values

    def point_at(self, x: Array, eta: Array | None = None) -> Point:
        """The point of coefficients `x`, whose linear values may be known."""
        coef = x.reshape(self.shape)
        eta = self.products.values(coef) if eta is None else eta
        value, score, curve, unit = self.loss.evaluate(eta)
        pull = self.penalty * coef
        gradient = self.products.correlate(score) + pull
        value += 0.5 * float((pull * coef).sum())
        return Point(x, eta, value, gradient.ravel(), curve, unit)

    def times(self, curve: Array, v: Array) -> Array:
        """The product of the Hessian with a vector."""
        coef = v.reshape(self.shape)
        out = self.products.normal(coef, self.loss.times, curve)
        out += self.penalty * coef
        return out.ravel()

    def rough(self, point: Point) -> Callable[..., Any]:
        """A function that divides by the diagonal of the Hessian."""
        diagonal = self.products.squares(self.loss.diagonal(point.curve)) + self.penalty
        diagonal[diagonal <= 0.0] = 1.0
        inverse = 1.0 / diagonal.ravel()
        return lambda g: g * inverse

    def factor(self, point: Point) -> Any:
        """A function that solves with the Hessian; None if that is singular."""
        raise NotImplementedError

    def is_hopeless(self, point: Point, sizes: list[float]) -> bool:
        """Whether the loss is seen to have no minimum; by the sizes of the steps to here, too."""
        return False


def minimize(objective: Any, x: np.ndarray, *, tol: float, max_iter: int) -> End:
    """Minimize from `x` until Newton's decrement, over the point's unit, is at most `tol`."""
    point = objective.point_at(x)
    precondition, made = objective.rough(point), False
    first, before, converged, n_iter, since = inf, inf, False, 0, 0
    sizes: list = []
    products_left = PRODUCTS_OF_ITERATION * max_iter
    while n_iter < max_iter and products_left > 0 and not objective.is_hopeless(point, sizes):
        n_iter += 1
        share = MAX_GRADIENT_LEFT if first == inf else min(MAX_GRADIENT_LEFT, sqrt(before / first))
        step, size, precondition, made, products_left, since = _step(
            objective, point, precondition, made, share, products_left, since
        )
        size /= point.unit
        # The size of the next step, estimated from the rate of the last two and from the gradient
        # that this one leaves.
        after = size * min(1.0, max(size / before, share)) if before < inf else size
        first, before = size if first == inf else max(first, size), size
        converged = after <= tol and products_left > 0
        is_near = size <= MAX_TOLERANCES_OF_ROUNDING * tol
        trial, length = _searched(objective, point, step, size * point.unit)
        sizes.append(0.0 if trial is None else float(np.abs(trial.eta - point.eta).max()))
        if trial is None or (is_near and length < MIN_LENGTH_NEAR_MINIMUM):
            converged = is_near
            break
        point = trial
        if converged:
            break
        if not made:
            precondition = objective.rough(point)
    return End(point, n_iter, converged, sizes)


def _searched(
    objective: PenalizedLoss, point: Point, step: Array, size: float
) -> tuple[Point | None, float]:
    """The first of ever shorter steps that goes down, or None, and its length."""
    along = objective.products.values(step.reshape(objective.shape))
    noise, length = ROUNDING_OF_LOSS * abs(point.value), 1.0
    for _ in range(MAX_HALVINGS):
        checkpoint()
        trial = objective.point_at(point.x + length * step, point.eta + length * along)
        if trial.value <= point.value - 1e-4 * length * size**2 + noise:
            return trial, length
        length /= 2.0
    return None, length


def _step(
    objective: PenalizedLoss,
    point: Point,
    precondition: Callable[..., Any],
    made: bool,
    share: float,
    remaining: int,
    since: int,
) -> tuple[Any, ...]:
    """Newton's step by conjugate gradients, and its length in the metric of the Hessian.

    Of the gradient, in the norm of the preconditioner, no more than a share is left, unless all
    products that are left have been made. Also the preconditioner to go on with, whether it is a
    factor, how many products are left, and how many were made since the last factor: as many as
    one costs pay for it.
    """
    step, rest = np.zeros_like(point.x), -point.gradient
    turned = precondition(rest)
    direction, norm = turned, float(rest @ turned)
    goal, tried = share**2 * norm, False
    while norm > goal and remaining > 0:
        checkpoint()
        remaining -= 1
        image = objective.times(point.curve, direction)
        curvature = float(direction @ image)
        if not curvature > 0.0:  # The loss is flat in this direction, up to rounding.
            break
        length = norm / curvature
        step = step + length * direction
        rest = rest - length * image
        since += 1
        if since > objective.factor_cost and not tried:  # The factor is tried once at a point.
            solve, since, tried = objective.factor(point), 0, True
            if solve is not None:
                precondition, made = solve, True
                direction, goal = 0.0, share**2 * float(point.gradient @ solve(point.gradient))
        turned = precondition(rest)
        after = float(rest @ turned)
        direction = turned + (after / norm) * direction
        norm = after
    decrement = sqrt(max(0.0, -float(step @ point.gradient)) + max(norm, 0.0))
    return step, decrement, precondition, made, remaining, since
