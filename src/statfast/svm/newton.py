# SPDX-License-Identifier: BSD-3-Clause
"""Newton's step on the free multipliers, where steps of two variables would take too many.

While no bound is met, the dual is a quadratic on the free multipliers whose minimum is one linear
system away; with a large C thousands of multipliers are free and their matrix is ill-conditioned,
so that coordinate methods crawl. The step is projected onto the box and shortened to the minimum
along it, so it never raises the objective; which multipliers are free is left to SMO.

J. J. Moré & G. Toraldo 1991, On the solution of large quadratic programming problems with bound
constraints, doi:10.1137/0801008 (steps on a face between steps that change it).

Cost: k^3 / 3 multiply-adds and 8 k^2 bytes for k free multipliers.
"""

import numpy as np

from statfast._core import smo

MOST = 3072  # free multipliers: their factor takes 0.2 s
ROUNDING = 1e-13  # of a box, or of the largest: a variable is at a bound that is so near
RIDGES = (1e-7, 1e-5, 1e-3)  # of the mean diagonal, the first that makes it positive definite


def worth(count, work):
    """Whether a step for so many free multipliers costs less than `work` multiply-adds of SMO."""
    return 1 < count <= MOST and work >= count**3 / 4


def leap(block, b, f, low, high, group, groups):
    """One step, of b and f in place; returns whether it lowered the objective."""
    free = np.flatnonzero((b > low) & (b < high))
    direction = _direction(block[free][:, free], f[free], group[free], groups)
    if direction is None:
        return False
    step = np.zeros_like(direction)
    for g in range(groups):
        some = group[free] == g
        if some.any():
            at = free[some]
            step[some] = _projected(b[at], direction[some], low[at], high[at])
    slope = float(f[free] @ step)
    if not slope < 0:
        return False
    change = np.zeros_like(f)
    smo.add(block, free.astype(np.int32), step, 0, len(f), change)
    bend = float(change[free] @ step)
    length = 1.0 if bend <= -slope else -slope / bend
    f += length * change
    target = b[free] + length * step
    b[free] = _snapped(target, low[free], high[free])
    # A rounding error of a large multiplier is much for f and for the sum, so both hear of it.
    extra = b[free] - target
    for g in range(groups):
        some = group[free] == g
        extra[some] += _returned(b, free[some], extra[some].sum(), low, high)
    moved = np.flatnonzero(extra)
    smo.add(block, free[moved].astype(np.int32), extra[moved], 0, len(f), f)
    return True


def _snapped(b, low, high):
    """Values in the box; what is a rounding error away from a bound is at it."""
    width = np.minimum(high - low, np.abs(b).max())
    for bound in (low, high):
        near = np.isfinite(bound) & (np.abs(b - bound) <= ROUNDING * width)
        b = np.where(near, bound, b)
    return np.clip(b, low, high)


def _returned(b, places, excess, low, high):
    """Take the excess off the variable with most room, in place; the changes of all."""
    changes = np.zeros(len(places))
    if excess != 0.0:
        room = np.minimum(b[places] - low[places], high[places] - b[places])
        at = int(room.argmax())
        if room[at] > abs(excess):
            b[places[at]] -= excess
            changes[at] = -excess
    return changes


def _direction(K, f, group, groups):
    """-K^-1 f, with zero sum in each group; None if K is not positive definite by far."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    size = float(np.einsum("ii->", K, dtype=np.float64)) / len(K)
    sides = np.column_stack([-f, *(np.asarray(group == g, np.float64) for g in range(groups))])
    sides = sides[:, [True, *(sides[:, 1:].any(axis=0))]]
    for ridge in RIDGES:
        A = K.astype(np.float64)
        A[np.diag_indices(len(A))] += ridge * size
        try:
            factor = cho_factor(A.T, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            continue
        found = cho_solve(factor, sides, check_finite=False)
        ones = sides[:, 1:]
        share = np.linalg.lstsq(ones.T @ found[:, 1:], ones.T @ found[:, 0])[0]
        direction = found[:, 0] - found[:, 1:] @ share
        return direction if np.isfinite(direction).all() else None
    return None


def _projected(b, direction, low, high):
    """The change to the nearest point of the box to b + direction that has b's sum, nearly."""
    target = b + direction
    inside = (target >= low) & (target <= high)
    if inside.all():
        return direction
    left, right = -np.abs(direction).max(), np.abs(direction).max()
    for _ in range(60):
        shift = 0.5 * (left + right)
        excess = float((np.clip(target + shift, low, high) - b).sum())
        left, right = (left, shift) if excess > 0 else (shift, right)
    step = np.clip(target + 0.5 * (left + right), low, high) - b
    movable = (b + step > low) & (b + step < high)
    if movable.any():
        step[movable] -= step.sum() / movable.sum()
    return step
