# SPDX-License-Identifier: BSD-3-Clause
"""Whether float32 serves for the values of a kernel, or what to do that it does."""

import numpy as np

from statfast._core import gram as tiles

FAR = 1e12  # numbers beyond may overflow float32 when squared
FAR_OFF = 16.0  # times their squared distances: squared lengths of images that are far from 0


def is_far(extent):
    """Whether rows are farther from 0 than their spread."""
    low, high = extent.low.astype(np.float64), extent.high.astype(np.float64)
    with np.errstate(over="ignore"):
        return bool(np.square(extent.mean).sum() > np.square(high - low).sum())


def away_of(diagonal, row, middle):
    """What to take off values for points i and j, a_i + a_j, so that images lie about that of the
    middle point, given its row; None if they are not far from 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        away = row - 0.5 * diagonal[middle]
        spread = np.abs(diagonal - 2.0 * away).mean()
        return away if np.abs(diagonal).mean() > FAR_OFF * spread else None


def moderate(extent, kind, gamma, degree, coef0):
    """Whether float32 tiles neither overflow nor lose all digits on rows of that extent."""
    low, high = extent.low.astype(np.float64), extent.high.astype(np.float64)
    if kind == tiles.RBF:
        reach = float(np.square(high - low).sum())  # of squared distances
        return (gamma * reach < 1e4 and 1e-24 < reach < FAR**2) or reach == 0
    reach = float(np.square(np.maximum(np.abs(low), np.abs(high))).sum())
    if not 1e-24 < reach < FAR**2:
        return reach == 0
    if kind == tiles.LINEAR:
        return True
    if is_far(extent):
        return False
    inner = abs(gamma) * reach + abs(coef0)
    return inner < 1e6 if kind == tiles.SIGMOID else inner ** max(degree, 1) < 1e30
