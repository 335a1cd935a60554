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


def path_stage(stage, state, sides, epsilon, number):
    """What a stage of an interior point's step does to its arrays, rows one by one; its sums.

    Arrays are target, cost, f, along, score, weight, and for each hinge a, r, xi, theta, da, dr,
    dxi.
    """
    sums = [0.0, 0.0, 0.0]
    for row in state.T:  # views: a row's numbers
        if stage == 0:
            row[2] += number * row[3]
        if stage in (0, 2):
            row[4] = 0.0
        if stage == 0:
            row[5] = 0.0
        for k in range(sides):
            side = row[6 + 7 * k : 13 + 7 * k]
            if stage == 0:
                side[:3] += number * side[4:]
            sign = row[0] if sides == 1 else (1.0, -1.0)[k]
            level = 1.0 if sides == 1 else sign * row[0] - epsilon
            short = level - sign * row[2]
            a, r, xi, theta, da, dr, dxi = side
            rest = row[1] - a
            if stage == 0:
                side[3] = 1.0 / (r / a + xi / rest)
                row[4] += sign * side[3] * short
                row[5] += side[3]
                sums[0] += row[1] * max(short, 0.0)
                sums[1] += a * level
                sums[2] += a * r + rest * xi
            elif stage == 1:
                da = theta * (short - sign * row[3])
                dr, dxi = -r - r * da / a, -xi + xi * da / rest
                sums[0] += a * dr + rest * dxi + da * r - da * xi
                sums[1] += da * dr - da * dxi
                sums[2] = max(sums[2], -da / a, da / rest, -dr / r, -dxi / xi)
                side[4:] = da, short - da * dr / a - da * dxi / rest, 1.0 / a - 1.0 / rest
            elif stage == 2:
                row[4] += sign * theta * (dr + number * dxi)
            else:
                now = theta * (dr + number * dxi - sign * row[3])
                old_r, old_xi = -r - r * da / a, -xi + xi * da / rest
                dr = (number - da * old_r - r * now) / a - r
                dxi = (number + da * old_xi + xi * now) / rest - xi
                sums[2] = max(sums[2], -now / a, now / rest, -dr / r, -dxi / xi)
                side[4:] = now, dr, dxi
    return sums


def class_sweep(X, codes, cost, constant, slack, room, v, order):
    """One sweep over the rows of all classes together, each row's rooms by sorted heights.

    Changes `room` (n, K) and `v` (1 + d, K); returns the rows that stay, and the largest violation.
    """
    kept, largest, K = [], 0.0, room.shape[1]
    for i in order:
        z = np.concatenate([[constant], X[i].astype(float)])
        gradient = v[0] + X[i] @ v[1:] - (np.arange(K) == codes[i])
        free = room[i] > 0.0
        least = gradient[free].min()
        if free.sum() == 1 and np.max(gradient[~free], initial=-np.inf) < least - slack:
            continue
        kept.append(i)
        violation = gradient.max() - least
        largest = max(largest, violation)
        if violation <= 1e-12:
            continue
        height = gradient / (constant + X[i].astype(float) @ X[i]) + room[i]
        falling = np.sort(height)[::-1]
        lower = (np.cumsum(falling) - cost[i]) / np.arange(1, K + 1)
        now = np.maximum(height - lower[np.flatnonzero(falling > lower)[-1]], 0.0)
        v += np.outer(z, room[i] - now)
        room[i] = now
    return kept, largest
