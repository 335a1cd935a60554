# SPDX-License-Identifier: BSD-3-Clause
"""Slow, obvious twins of the packing and of the arg-max epilogues in
`statfast._core.tile.tiles`."""

import numpy as np


def pack(x, width):
    """Panels of `width` points, feature by feature; missing points are zero."""
    n, d = x.shape
    panels = np.zeros((-(-n // width), d, width), x.dtype)
    for i, row in enumerate(x):
        panels[i // width, :, i % width] = row
    return panels.ravel()


def scores(a, b):
    """a.b - |a|^2 / 2 in float64, rows of `a` down, points `b` across."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    return a @ b.T - (a**2).sum(axis=1, keepdims=True) / 2


def two_largest(scores):
    """Of each column: the largest, the second largest, and the first row with the largest."""
    falling = np.sort(np.vstack([scores, np.full_like(scores[:1], -np.inf)]), axis=0)[::-1]
    return falling[0], falling[1], scores.argmax(axis=0)
