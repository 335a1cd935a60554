# SPDX-License-Identifier: BSD-3-Clause
"""Slow, obvious twins of `statfast._core.distance.pairwise`, and distances without any rounding."""

from fractions import Fraction

import numpy as np

GRAIN = 2**1074  # every float64 is a whole number of 1 / GRAIN


def squared(A, B):
    """Squared distances (n, m) by float64 differences, summed column by column."""
    total = np.zeros((len(A), len(B)))
    for p in range(A.shape[1]):
        total += (A[:, p, None].astype(np.float64) - B[:, p]) ** 2
    return total


def matrix(kind, A, B, gamma):
    if kind == "product":
        return sum(np.outer(A[:, p], B[:, p]) for p in range(A.shape[1]))
    d2 = squared(A, B)
    return {"squared": d2, "distance": np.sqrt(d2), "rbf": np.exp(-gamma * d2)}[kind]


@np.vectorize(otypes=[object])
def as_grains(x):
    """Numbers times GRAIN, as Python integers."""
    return int(Fraction(float(x)) * GRAIN)


def exactly_squared(A, B):
    """Squared distances times GRAIN**2, as Python integers."""
    away = as_grains(A)[:, None, :] - as_grains(B)[None, :, :]
    return (away * away).sum(axis=2)


@np.vectorize(otypes=[float])
def relative_error(computed, exact):
    """|computed - exact| / exact, of a float64 and an integer of GRAIN**2."""
    off = abs(int(Fraction(float(computed)) * GRAIN**2) - exact)
    return float(Fraction(off, exact)) if exact else float(off > 0)
