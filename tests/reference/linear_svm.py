# SPDX-License-Identifier: BSD-3-Clause
"""Linear support vector machines as their definition says, slowly.

Rows Z have the constant column last; hinges are triples (sign, level, cost) of a row.
"""

import numpy as np


def with_constant(X, scale=1.0):
    return np.column_stack([X, np.full(len(X), scale)])


def left_over(target, f, epsilon=None):
    """What the loss is of: epsilon None is the hinge of labels 1 and -1."""
    if epsilon is None:
        return np.maximum(1 - target * f, 0)
    return np.maximum(np.abs(target - f) - epsilon, 0)


def primal(w, Z, target, cost, squared, epsilon=None):
    short = left_over(target, Z @ w, epsilon)
    return 0.5 * w @ w + cost @ (short**2 if squared else short)


def dual(beta, Z, target, cost, squared, epsilon=None):
    w = Z.T @ beta
    value = target @ beta - 0.5 * w @ w - (epsilon or 0.0) * np.abs(beta).sum()
    return value - (beta**2 @ (0.25 / cost) if squared else 0.0)


def solve_dual(Z, target, cost, squared, epsilon=None, sweeps=2000, tol=1e-13):
    """Cyclic coordinate descent, row after row; returns (w, beta)."""
    n = len(Z)
    soft = 0.5 / cost if squared else np.zeros(n)
    top = np.full(n, np.inf) if squared else cost
    low = np.where(target > 0, 0.0, -top) if epsilon is None else -top
    high = np.where(target > 0, top, 0.0) if epsilon is None else top
    beta, w, e = np.zeros(n), np.zeros(Z.shape[1]), epsilon or 0.0
    for _ in range(sweeps):
        moved = 0.0
        for i in range(n):
            curve = Z[i] @ Z[i] + soft[i]
            z = beta[i] - (Z[i] @ w - target[i] + soft[i] * beta[i]) / curve
            new = np.clip(np.sign(z) * max(abs(z) - e / curve, 0.0), low[i], high[i])
            w += (new - beta[i]) * Z[i]
            moved = max(moved, abs(new - beta[i]) * np.sqrt(curve))
            beta[i] = new
        if moved <= tol:
            break
    return w, beta
