# SPDX-License-Identifier: BSD-3-Clause
"""Systems with a positive matrix: products of columns plus the penalty's diagonal."""

from __future__ import annotations

from typing import Any

from statfast import _linalg
from statfast._typing import Array

MAX_DIAGONAL = 1e200  # The largest diagonal element, which leaves room for products.


def require_products(largest: float) -> None:
    """Raise ValueError if sums of squares of X are too large to work with."""
    if not largest < MAX_DIAGONAL:
        raise ValueError(
            "X holds numbers so large, for this C, that sums of their squares overflow. Scale its "
            "columns."
        )


def factored(h: Array, ridge: Array) -> Any:
    """A factor of h (lower triangle, overwritten) + diag(ridge)."""
    diagonal = h.reshape(-1)[:: len(h) + 1]
    diagonal += ridge
    require_products(float(diagonal.max()))
    return _linalg.factored(h)
