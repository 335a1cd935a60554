# SPDX-License-Identifier: BSD-3-Clause
"""Moments of rows with the fourth powers of their lengths, for Ledoit and Wolf's shrinkage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from statfast._engine import checkpoint, reduce
from statfast._typing import Array, Jobs
from statfast.generative.normal.class_moments import ClassScatters, class_scatters

MIN_QUARTIC = 1e-290  # Smaller sums of fourth powers have lost digits.
ROWS_OF_PRODUCT = 2048  # Ctrl-C is looked for between products of so many rows.


@dataclass(frozen=True)
class QuarticMoments:
    """Sums over rows of powers of u = x - mean; those of two samples add to those of both.

    Arrays are those of `ClassScatters` of one class.
    """

    class_counts: NDArray[np.float64]  # (1,) sum of the weights
    means: NDArray[np.float64]  # (1, d)
    scatters: NDArray[np.float64]  # (1, d, d) sum of w u u'
    cubic: NDArray[np.float64]  # (d,) sum of w |u|^2 u
    quartic: float  # sum of w |u|^4

    def __add__(self, other: QuarticMoments) -> QuarticMoments:
        both = self.without_fourth() + other.without_fourth()
        pairs = [part.about(both.means) for part in (self, other)]
        _, cubic, quartic = (sum(values) for values in zip(*pairs, strict=True))
        return QuarticMoments(both.class_counts, both.means, both.scatters, cubic, quartic)

    def without_fourth(self) -> ClassScatters:
        """The moments up to the second order."""
        return ClassScatters(self.class_counts, self.means, self.scatters)

    def about(self, means: Array) -> tuple[Array, Array, float]:
        """Scatters, cubic and quartic sums about another mean (1, d)."""
        a, weight, S = (self.means - means)[0], self.class_counts[0], self.scatters[0]
        square, trace, product = a @ a, np.trace(S), S @ a
        cubic = self.cubic + trace * a + 2.0 * product + weight * square * a
        quartic = (
            self.quartic
            + 4.0 * (a @ self.cubic)
            + 2.0 * square * trace
            + 4.0 * (a @ product)
            + weight * square**2
        )
        return self.scatters + weight * np.outer(a, a), cubic, float(quartic)


def quartic_moments(X: Array, weights: Array | None, *, n_jobs: Jobs = None) -> QuarticMoments:
    """Moments of rows in memory, in two passes.

    Cost: n d^2 operations; O(d^2) memory a thread.
    """
    total = class_scatters(X, np.zeros(X.shape[0], np.intp), weights, 1, n_jobs=n_jobs)
    mean = total.means[0]

    def partial(rows: slice, block: Array, block_weights: Array | None) -> tuple[Array, float]:
        cubic, quartic = np.zeros(len(mean)), 0.0
        for start in range(0, len(block), ROWS_OF_PRODUCT):
            checkpoint()
            where = slice(start, start + ROWS_OF_PRODUCT)
            w = None if block_weights is None else block_weights[where]
            u = (block[where] if w is None else block[where][w > 0.0]) - mean
            squares = np.einsum("ij,ij->i", u, u)
            weighted = squares if w is None else w[w > 0.0] * squares
            cubic += weighted @ u
            quartic += float(weighted @ squares)
        return cubic, quartic

    def merge(total: tuple[Array, float], more: tuple[Array, float]) -> tuple[Array, float]:
        return total[0] + more[0], total[1] + more[1]

    with np.errstate(over="ignore", invalid="ignore"):
        cubic, quartic = reduce(
            partial, X, weights, merge=merge, n_jobs=n_jobs, effort=8.0 * X.size
        )
    if not (np.isfinite(cubic).all() and np.isfinite(quartic)):
        raise ValueError(
            "X holds values so large that their fourth powers overflow. Divide its columns by "
            "their size."
        )
    if quartic < MIN_QUARTIC and total.scatters[0].any():
        raise ValueError(
            "X varies so little that fourth powers vanish. Multiply its columns by a large number."
        )
    return QuarticMoments(total.class_counts, total.means, total.scatters, cubic, quartic)
