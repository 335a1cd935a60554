# SPDX-License-Identifier: BSD-3-Clause
"""Calibrators: Platt's sigmoid, and rising means by pooling adjacent violators."""

from __future__ import annotations

import numpy as np

from statfast._core.order import pool
from statfast._engine import interruptible
from statfast._typing import Array

MAX_STEPS = 100
# The least value; smaller ones have lost digits, and their reciprocals may be infinite.
MIN_VALUE = 1e-305
# The ridge that keeps a Hessian positive definite, absolute and relative to its size.
RIDGE, ROUNDING = 1e-12, 1e-15


def sigmoid_fit(values: Array, positive: Array, weights: Array) -> tuple[float, float]:
    """A and B of P(positive | f) = 1 / (1 + exp(A f + B)), by penalized maximum likelihood.

    Newton's method with a line search, by the formulas of Lin, Lin & Weng (2007), A note on Platt's
    probabilistic outputs for support vector machines, doi:10.1007/s10994-007-5018-6, which neither
    overflow nor cancel. The targets are Platt's: those of as many rows more, one of either kind.
    """
    up = weights[positive].sum()
    down = weights.sum() - up
    target = np.where(positive, (up + 1.0) / (up + 2.0), 1.0 / (down + 2.0))
    size = np.abs(values).max(initial=0.0)
    size = size if size > MIN_VALUE else 1.0
    f = values / size  # Values are scaled, so that one ridge serves all sizes.
    a, b = 0.0, np.log((down + 1.0) / (up + 1.0))
    loss = _loss(a, b, f, target, weights)
    for _ in range(MAX_STEPS):
        s = a * f + b
        tail = np.exp(-np.abs(s))
        p = np.where(s >= 0, tail, 1.0) / (1.0 + tail)
        curve = weights * tail / (1.0 + tail) ** 2
        slope = weights * (target - p)
        g = np.array([slope @ f, slope.sum()])
        if np.abs(g).max() <= 1e-12 * weights.sum():
            break
        mixed = curve @ f
        total = curve.sum()
        ridge = max(RIDGE, ROUNDING * total)  # All weights but one may be nearly 0.
        h = np.array([[curve @ f**2 + ridge, mixed], [mixed, total + ridge]])
        move = -np.linalg.solve(h, g)
        down_hill = g @ move
        step = 1.0
        while step >= 1e-10:
            new = _loss(a + step * move[0], b + step * move[1], f, target, weights)
            if new < loss + 1e-4 * step * down_hill:
                break
            step /= 2
        else:
            break  # Rounding hides any further fall.
        a, b, loss = a + step * move[0], b + step * move[1], new
    return a / size, b


def _loss(a: float, b: float, f: Array, target: Array, weights: Array) -> float:
    s = a * f + b
    return weights @ (np.where(s >= 0, target * s, (target - 1) * s) + np.log1p(np.exp(-np.abs(s))))


def sigmoid(values: Array, a: float, b: float) -> Array:
    """1 / (1 + exp(a f + b)), without overflow."""
    s = a * values + b
    tail = np.exp(-np.abs(s))
    return np.where(s >= 0, tail, 1.0) / (1.0 + tail)


def pooled(values: Array, weights: Array, increasing: bool = True) -> tuple[Array, Array]:
    """The rising (or falling) sequence nearest to values in weighted least squares.

    Returns the level of each block and where it ends. Weights are positive.
    """
    order = slice(None) if increasing else slice(None, None, -1)
    # These are copies, as the kernel merges in place.
    masses = np.array(weights[order], dtype=np.float64)
    sums = values[order] * masses
    ends = np.empty(len(sums), dtype=np.intp)
    count = interruptible(pool.pool, sums, masses, ends)
    levels, ends = sums[:count] / masses[:count], ends[:count]
    if increasing:
        return levels, ends
    return levels[::-1], len(sums) - np.concatenate([[0], ends[:-1]])[::-1]


def isotonic(values: Array, weights: Array, increasing: bool = True) -> Array:
    """The same, as a value for each of them."""
    levels, ends = pooled(values, weights, increasing)
    return np.repeat(levels, np.diff(ends, prepend=0))
