# SPDX-License-Identifier: BSD-3-Clause
"""Moments of classes up to the fourth order, from which Ledoit and Wolf's shrinkage follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._engine import Chunks, checkpoint, reduce
from statfast._typing import Array
from statfast._validation import refuse_large, require_finite
from statfast.generative.normal.class_moments import ClassScatters, total_of_chunks

ROWS_OF_PRODUCT = 2048  # Ctrl-C is looked for between the products of so many rows.


@dataclass(frozen=True)
class FourthMoments:
    """Sums over the rows of each class of products of u = x - mean; those of two samples add."""

    class_counts: NDArray[np.float64]  # (K,)
    means: NDArray[np.float64]  # (K, d)
    scatters: NDArray[np.float64]  # (K, d, d) sum of w u_i u_j
    third: NDArray[np.float64]  # (K, d, d) sum of w u_i^2 u_j
    fourth: NDArray[np.float64]  # (K, d, d) sum of w u_i^2 u_j^2

    def __add__(self, other: FourthMoments) -> FourthMoments:
        # Both are moved to the common mean; in the powers of sums, the sums of u are 0.
        class_counts = self.class_counts + other.class_counts
        share = np.divide(
            other.class_counts,
            class_counts,
            out=np.zeros_like(class_counts),
            where=class_counts > 0.0,
        )[:, None]
        means = self.means + share * (other.means - self.means)
        parts = [part.about(means) for part in (self, other)]
        return FourthMoments(class_counts, means, *(sum(pair) for pair in zip(*parts, strict=True)))

    @property
    def sample_scatters(self) -> NDArray[np.float64]:
        """See `ClassScatters`."""
        return self.scatters

    def about(self, means: Array) -> tuple[Array, Array, Array]:
        """Scatters, third and fourth sums about other means."""
        away = self.means - means
        a, b = away[:, :, None], away[:, None, :]
        m = self.class_counts[:, None, None]
        diagonal = np.einsum("kii->ki", self.scatters)
        square_i, square_j = diagonal[:, :, None], diagonal[:, None, :]
        scatters = self.scatters + m * a * b
        third = self.third + b * square_i + 2.0 * a * self.scatters + m * a**2 * b
        fourth = (
            self.fourth
            + 2.0 * b * self.third
            + 2.0 * a * np.swapaxes(self.third, 1, 2)
            + b**2 * square_i
            + a**2 * square_j
            + 4.0 * a * b * self.scatters
            + m * a**2 * b**2
        )
        return scatters, third, fourth

    def of_classes(self, classes: Any) -> FourthMoments:
        """Those of some classes."""
        kept = (self.class_counts, self.means, self.scatters, self.third, self.fourth)
        return FourthMoments(*(part[classes] for part in kept))

    def pooled(self) -> Any:
        """The moments with the scatters of all classes added up."""
        return ClassScatters(self.class_counts, self.means, self.scatters).pooled()


def fourth_moments(
    X: Array, codes: Array, weights: Array | None, n_classes: int, *, n_jobs: Any = None
) -> FourthMoments:
    """Moments of the classes of rows, or of `Chunks` of them, as `class_moments` takes them.

    Cost: some 6 n d^2 operations; O(K d^2) memory a thread.
    """
    if isinstance(X, Chunks):
        return total_of_chunks(fourth_moments, X, codes, weights, n_classes, n_jobs)
    d = X.shape[1]
    refuse_large(40 * n_classes * d**2, f"Fourth moments of {d} columns", "Give shrinkage a number")

    def partial(rows: slice, block: Array, block_codes: Array, block_weights: Array | None) -> Any:
        total = None
        for start in range(0, len(block), ROWS_OF_PRODUCT):
            where = slice(start, start + ROWS_OF_PRODUCT)
            share = None if block_weights is None else block_weights[where]
            more = _of_block(block[where].astype(np.float64), block_codes[where], share, n_classes)
            total = more if total is None else total + more
            checkpoint()
        return total

    with np.errstate(over="ignore", invalid="ignore"):
        total = reduce(
            partial, X, codes, weights, merge=FourthMoments.__add__, n_jobs=n_jobs,
            effort=6.0 * X.size * d, least=max(256, 4 * d),
        )  # fmt: skip
    if not np.isfinite(total.fourth).all():
        require_finite(X)
        raise ValueError(
            "X holds values so large that their fourth powers overflow. Divide its columns by "
            "their size."
        )
    return total


def _of_block(block: Array, codes: Array, weights: Array | None, n_classes: int) -> FourthMoments:
    d = block.shape[1]
    class_counts, means = np.zeros(n_classes), np.zeros((n_classes, d))
    sums = np.zeros((3, n_classes, d, d))
    for k in np.unique(codes).tolist():
        members = codes == k if weights is None else (codes == k) & (weights > 0.0)
        rows, w = block[members], np.ones(members.sum()) if weights is None else weights[members]
        class_counts[k] = w.sum()
        if class_counts[k] == 0.0:
            continue
        means[k] = rows[0] + w @ (rows - rows[0]) / class_counts[k]
        u = rows - means[k]
        squares = u * u
        weighted = squares * w[:, None]
        sums[0, k] = (u * w[:, None]).T @ u
        sums[1, k] = weighted.T @ u
        sums[2, k] = weighted.T @ squares
    sums[0] = 0.5 * (sums[0] + np.swapaxes(sums[0], 1, 2))
    return FourthMoments(class_counts, means, *sums)
