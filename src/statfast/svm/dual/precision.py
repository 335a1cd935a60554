# SPDX-License-Identifier: BSD-3-Clause
"""The type in which kernel values are made, and the shift of rows that lets float32 suffice."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from statfast._core.svm import gram as tiles
from statfast._distance import Extent
from statfast._typing import Array
from statfast.kernels import RBF, Linear, Polynomial, Sigmoid
from statfast.kernels.kernel import Kernel

MAX_FLOAT32_VALUE = 1e12  # The squares of larger numbers, summed, may overflow float32.
# The largest gamma |x - z|^2 for tiles of each type.
MAX_EXPONENTS = ((1e4, np.float32), (1e5, np.float64))
# Images are far from 0 where their squared lengths are more than so many times their squared
# distances.
MIN_LENGTH_OF_FAR_IMAGES = 16.0


def is_far(extent: Extent) -> bool:
    """Whether rows are farther from 0 than their spread."""
    low, high = extent.low.astype(np.float64), extent.high.astype(np.float64)
    with np.errstate(over="ignore"):
        return bool(np.square(extent.mean).sum() > np.square(high - low).sum())


def away_of(diagonal: Array, row: Array, middle: int) -> Array | None:
    """What to take off values for points i and j, a_i + a_j, so that images lie about that of the
    middle point, given its row; None if they are not far from 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        away = row - 0.5 * diagonal[middle]
        spread = np.abs(diagonal - 2.0 * away).mean()
        return away if np.abs(diagonal).mean() > MIN_LENGTH_OF_FAR_IMAGES * spread else None


def tile_shape(kernel: Kernel) -> tuple[int | None, float | None, int | None, float | None]:
    """The kind, gamma, degree and coef0 of a kernel for the tiles; None of one they cannot make."""
    if type(kernel) is RBF:
        return tiles.RBF, kernel.gamma, 0, 0.0
    if type(kernel) is Linear:
        return tiles.LINEAR, 1.0, 0, 0.0
    if type(kernel) is Polynomial:
        return tiles.POLYNOMIAL, kernel.gamma, kernel.degree, kernel.coef0
    if type(kernel) is Sigmoid:
        return tiles.SIGMOID, kernel.gamma, 0, kernel.coef0
    return None, None, None, None


def tile_type(extent: Extent, kind: int, gamma: Any, degree: Any, coef0: Any) -> type[Any] | None:
    """The type in which tiles neither overflow nor lose, on rows of that extent, digits that
    float32 holds; None if neither does."""
    if kind == tiles.RBF:
        low, high = extent.low.astype(np.float64), extent.high.astype(np.float64)
        diameter = float(np.square(high - low).sum())  # The largest squared distance.
        if not 1e-24 < diameter < MAX_FLOAT32_VALUE**2:
            return np.float32 if diameter == 0 else None
        return next((dtype for most, dtype in MAX_EXPONENTS if gamma * diameter < most), None)
    return np.float32 if _moderate(extent, kind, gamma, degree, coef0) else None


def _moderate(extent: Extent, kind: int, gamma: float, degree: int, coef0: float) -> bool:
    low, high = extent.low.astype(np.float64), extent.high.astype(np.float64)
    largest = float(np.square(np.maximum(np.abs(low), np.abs(high))).sum())
    if not 1e-24 < largest < MAX_FLOAT32_VALUE**2:
        return largest == 0
    if kind == tiles.LINEAR:
        return True
    if is_far(extent):
        return False
    inner = abs(gamma) * largest + abs(coef0)
    if kind == tiles.SIGMOID:
        return inner < 1e6
    return inner <= 1 or max(degree, 1) * log(inner) < log(1e30)
