# SPDX-License-Identifier: BSD-3-Clause
"""The system (K + alpha W^-1) c = y of kernel ridge regression, W the weights of the rows.

It is solved as (S K S + alpha I) b = S y with S the root of W and c = S b, which holds where a
weight is 0 as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._engine import interruptible
from statfast._linalg import MIN_PIVOT, CholeskyFactor
from statfast._typing import Array

# Eigenvalues below this share of the largest, times the number of rows, count as 0.
ROUNDING_OF_EIGENVALUE = 1e-15


def weighted(K: Array, root: Array | None, alpha: float) -> Array:
    """S K S + alpha I, a new array; `root` is the diagonal of S, or None for ones."""
    M = K.copy() if root is None else K * root[:, None] * root
    np.einsum("ii->i", M)[:] += alpha
    return M


def factor_of(K: Array, root: Array | None, alpha: float) -> Any:
    """Cholesky's factor of S K S + alpha I, or None where that is not positive definite."""
    factor = CholeskyFactor(weighted(K, root, alpha), overwrite=True)
    return factor if factor.pivot > MIN_PIVOT else None


def multipliers(factor: CholeskyFactor, root: Array | None, Y: Array) -> Array:
    """c for each column of Y (n, T)."""
    root = 1.0 if root is None else root
    return np.stack([root * factor.solve(root * y) for y in Y.T], axis=1)


def least_squares(K: Any, root: Any, alpha: float, Y: Any) -> Any:
    """The shortest b where S K S + alpha I has no inverse, or is indefinite."""
    M = weighted(K, root, alpha)
    values, vectors = interruptible(np.linalg.eigh, M)
    kept = np.abs(values) > ROUNDING_OF_EIGENVALUE * len(M) * np.abs(values).max(initial=0.0)
    root = np.ones(len(M)) if root is None else root
    V = vectors[:, kept]
    return root[:, None] * (V @ ((V.T @ (root[:, None] * Y)) / values[kept, None]))
