# SPDX-License-Identifier: BSD-3-Clause
"""The information of weighted rows from their QR factor, and which columns are independent."""

from __future__ import annotations

import numpy as np

from statfast._engine import interruptible
from statfast._linalg import triangle_inverse
from statfast._typing import Array

COLUMNS_OF_BLOCK = 64  # Products with the columns before are made for so many columns together.
# A column of which the others leave a smaller share is made orthogonal to them once more.
MIN_LENGTH_LEFT = 0.1
# A column of which others leave a smaller share is aliased, as in R's glm.
MAX_LENGTH_OF_ALIASED = 1e-11


class QRInformation:
    """Solutions and the inverse of R'R, from the factor R of QR."""

    pivot = 1.0

    def __init__(self, R: Array) -> None:
        self.R = R

    def solve(self, g: Array) -> Array:
        from scipy.linalg import solve_triangular

        half = solve_triangular(self.R, g, trans="T", check_finite=False)
        return solve_triangular(self.R, half, check_finite=False)

    def inverse(self) -> Array:
        half = triangle_inverse(self.R)
        # The squares of columns that are too small may vanish.
        with np.errstate(over="ignore", invalid="ignore"):
            return interruptible(np.matmul, half, half.T)


def independent(R: Array, floor: Array) -> Array:
    """Which columns those before them leave more of than ALIASED of their length, and `floor`."""
    m, q = R.shape
    least = np.maximum(MAX_LENGTH_OF_ALIASED * np.sqrt((R * R).sum(axis=0)), floor)
    basis, kept, k = np.empty((m, min(m, q)), order="F"), np.zeros(q, dtype=bool), 0
    for start in range(0, q, COLUMNS_OF_BLOCK):
        block, first = np.arange(start, min(q, start + COLUMNS_OF_BLOCK)), k
        rest = R[:, block] - _within(basis[:, :first], R[:, block])
        length = np.sqrt((rest * rest).sum(axis=0))
        for j, column, size in zip(block.tolist(), rest.T, length.tolist(), strict=True):
            column = column - _within(basis[:, first:k], column)
            if (
                not column @ column > (MIN_LENGTH_LEFT * size) ** 2
                or size <= MIN_LENGTH_LEFT * least[j] / MAX_LENGTH_OF_ALIASED
            ):
                for _ in range(2):
                    column = column - _within(basis[:, :k], column)
            size = np.sqrt(column @ column)
            if size > least[j] and k < m:
                basis[:, k], kept[j] = column / size, True
                k += 1
    return kept


def _within(basis: Array, table: Array) -> Array:
    """What orthonormal columns explain of others."""
    return interruptible(np.matmul, basis, interruptible(np.matmul, basis.T, table))
