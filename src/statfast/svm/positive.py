# SPDX-License-Identifier: BSD-3-Clause
"""Systems with a positive matrix: products of columns plus the penalty's diagonal."""

import numpy as np

from statfast._core import irls as kernel

SMALL = 160  # columns up to which a factor of our own is quicker than a library's threads
PIVOT = 1e-15  # of the scaled matrix: below, its eigenvalues are looked at
LARGEST = 1e200  # of the diagonal: room is left for products
LEAST = 1e-16  # of the largest eigenvalue: smaller ones are rounding


def require_products(largest):
    """Raise ValueError if sums of squares of X are too large to work with."""
    if not largest < LARGEST:
        raise ValueError(
            "X holds numbers so large, for this C, that sums of their squares overflow. Scale its "
            "columns."
        )


def factored(h, ridge):
    """A factor of h (lower triangle, overwritten) + diag(ridge), its diagonal scaled to one."""
    diagonal = h.reshape(-1)[:: len(h) + 1]
    diagonal += ridge
    require_products(float(diagonal.max()))
    root = 1.0 / np.sqrt(diagonal)
    h *= root
    h *= root[:, None]
    if len(h) <= SMALL:
        lower, scale = np.empty_like(h), np.empty(len(h))
        if kernel.cholesky(h, lower, scale) > PIVOT:
            return root, (lower, scale), "own"
    else:
        from scipy.linalg import LinAlgError, cho_factor

        try:
            return root, cho_factor(h, lower=True, check_finite=False), "lapack"
        except LinAlgError:
            pass
    from scipy.linalg import eigh

    values, vectors = eigh(h, lower=True, check_finite=False)
    return root, (np.maximum(values, LEAST * values[-1]), vectors), "eigen"


def solved(factor, right):
    """The solution of a system with a factor of `factored`."""
    root, parts, kind = factor
    x = right * root
    if kind == "own":
        kernel.cholesky_solve(*parts, x)
    elif kind == "lapack":
        from scipy.linalg import cho_solve

        x = cho_solve(parts, x, check_finite=False)
    else:
        values, vectors = parts
        x = vectors @ ((vectors.T @ x) / values)
    return x * root
