# SPDX-License-Identifier: BSD-3-Clause
"""Whether the problem of a machine is convex, judged by a part of the kernel matrix.

DualVariables move with their sum fixed, so that what matters is the matrix without the means of its
rows and columns: a kernel that is only conditionally positive definite does as well. A square part
of a matrix, on some points, has no eigenvalue below the smallest of the whole (Cauchy's
interlacing): a negative one tells, and none is missed where the points are few.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._distance import scale_of
from statfast._typing import Array
from statfast._validation import warn_user

MAX_POINTS = 256  # The eigenvalues of a matrix between so many points take a few milliseconds.
ROUNDING = 1e-5  # The rounding of a matrix to float32 leaves a smaller share of the largest value.


def warn_if_indefinite(name: str, points: Any, support: Array) -> None:
    """Warn if the kernel matrix between support vectors, and some others, is indefinite."""
    if points.kernel.positive_definite:
        return
    rows = choose_points(len(points), support)
    low, high, bound = extreme_eigenvalues(points.matrix_between(rows))
    if low < -bound:
        warn_user(
            f"{name}: {points.kernel} is not positive semi-definite on X: without its means, the "
            f"matrix between {len(rows)} of the rows has eigenvalues from {low:.3g} to {high:.3g}. "
            "What was found need not be the best machine. Choose another kernel, such as 'rbf', or "
            "other parameters; of a matrix made before, set the negative eigenvalues to 0."
        )


def choose_points(n: int, support: Array) -> Array:
    """Support vectors first, then other points, evenly taken where they are too many."""
    support = np.unique(support)
    rest = np.setdiff1d(np.arange(n), support, assume_unique=True)
    support, rest = take_evenly(support, MAX_POINTS), take_evenly(rest, MAX_POINTS - len(support))
    return np.sort(np.concatenate([support, rest]))


def take_evenly(places: Array, count: int) -> Array:
    """So many of the places, spread evenly over them."""
    if len(places) <= count:
        return places
    return places[np.arange(max(0, count)) * len(places) // max(1, count)]


def extreme_eigenvalues(matrix: Array) -> tuple[float, float, float]:
    """The smallest and the largest eigenvalue of the centered matrix, and what counts as none."""
    from scipy.linalg import eigvalsh

    size = float(np.abs(matrix).max())
    scale = scale_of(size)
    centered = matrix * scale
    centered = (centered + centered.T) / 2
    means = centered.mean(axis=0)
    centered += means.mean() - means - means[:, None]
    values = eigvalsh(centered, overwrite_a=True, check_finite=False) / scale
    return float(values[0]), float(values[-1]), ROUNDING * size
