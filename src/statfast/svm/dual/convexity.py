# SPDX-License-Identifier: BSD-3-Clause
"""Is the problem of a machine convex? Some of the kernel matrix is looked at, where it may not be.

DualVariables move with their sum fixed, so that what matters is the matrix without the means of its
rows and columns: a kernel that is only conditionally positive definite does as well. A square part
of a matrix, on some points, has no eigenvalue below the smallest of the whole (Cauchy's
interlacing): a negative one tells, and none is missed where the points are few.
"""

import numpy as np

from statfast._distance import scale_of
from statfast._validation import warn_user

SOME = 256  # points: their eigenvalues take some milliseconds
NEGATIVE = 1e-5  # of the largest value: the rounding of a matrix to float32 leaves less


def warn_indefinite(name, points, support):
    """Warn if the kernel matrix between support vectors, and some others, is indefinite."""
    if points.kernel.positive_definite:
        return
    some = _chosen(len(points), support)
    low, high, bound = _ends(points.among(some))
    if low < -bound:
        warn_user(
            f"{name}: {points.kernel} is not positive semi-definite on X: without its means, the "
            f"matrix between {len(some)} of the rows has eigenvalues from {low:.3g} to {high:.3g}. "
            "What was found need not be the best machine. Choose another kernel, such as 'rbf', or "
            "other parameters; of a matrix made before, set the negative eigenvalues to 0."
        )


def _chosen(n, support):
    """Support vectors first, then others, evenly taken where they are too many."""
    support = np.unique(support)
    others = np.setdiff1d(np.arange(n), support, assume_unique=True)
    return np.sort(np.concatenate([_part(support, SOME), _part(others, SOME - len(support))]))


def _part(places, most):
    if len(places) <= most:
        return places
    return places[np.arange(max(0, most)) * len(places) // max(1, most)]


def _ends(matrix):
    """The smallest and the largest eigenvalue of the centered matrix, and what counts as none."""
    from scipy.linalg import eigvalsh

    size = float(np.abs(matrix).max())
    scale = scale_of(size)
    centered = matrix * scale
    centered = (centered + centered.T) / 2
    means = centered.mean(axis=0)
    centered += means.mean() - means - means[:, None]
    values = eigvalsh(centered, overwrite_a=True, check_finite=False) / scale
    return float(values[0]), float(values[-1]), NEGATIVE * size
