# SPDX-License-Identifier: BSD-3-Clause
"""The information of weighted rows from their QR factor, and which columns are independent."""

import numpy as np

from statfast._engine import aside
from statfast._linalg import triangle_inverse

ALIASED = 1e-11  # of a column's length, as in R's glm: what is left of one that depends on others


class QRInformation:
    """Solutions and the inverse of R'R, from the factor R of QR."""

    pivot = 1.0

    def __init__(self, R):
        self.R = R

    def solve(self, g):
        from scipy.linalg import solve_triangular

        half = solve_triangular(self.R, g, trans="T", check_finite=False)
        return solve_triangular(self.R, half, check_finite=False)

    def inverse(self):
        half = triangle_inverse(self.R)
        with np.errstate(over="ignore", invalid="ignore"):  # of columns that are too small
            return aside(np.matmul, half, half.T)


def independent(R, floor):
    """Which columns those before them leave more of than ALIASED of their length, and `floor`."""
    q = R.shape[1]
    basis, kept = np.zeros((len(R), 0)), np.zeros(q, dtype=bool)
    for j in range(q):
        left = R[:, j]
        for _ in range(2):
            left = left - basis @ (basis.T @ left)
        size = np.sqrt(left @ left)
        if size > max(ALIASED * np.sqrt(R[:, j] @ R[:, j]), floor[j]):
            kept[j] = True
            basis = np.column_stack([basis, left / size])
    return kept
