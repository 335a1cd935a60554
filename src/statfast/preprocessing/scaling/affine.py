# SPDX-License-Identifier: BSD-3-Clause
"""Shifts and scales of columns, a few rows at a time, so that they stay in the cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._typing import Array, Matrix, Rows
from statfast._validation import as_csr, is_sparse, require_finite, rows_for

NUMBERS_PER_BLOCK = 1 << 15  # numbers of a block of rows, which the cache holds


def in_blocks(rows: Array, change: Callable[..., Any], name: str = "X scaled") -> Array:
    """Rows changed by ``change(block, out)`` in float64, in their own type; refuses overflows.

    NaN stays where it is. `name` is what the refusal calls the answer.
    """
    out = np.empty_like(rows)
    step = max(1, NUMBERS_PER_BLOCK // rows.shape[1])
    with np.errstate(over="ignore", under="ignore"):
        for start in range(0, len(rows), step):
            block, out_block = rows[start : start + step], out[start : start + step]
            if rows.dtype == np.float64:
                change(block, out_block)
            else:
                wide = block.astype(np.float64)
                change(wide, wide)
                out_block[...] = wide
    require_finite(out, name, allow_nan=True)
    return out


def less_and_over(shift: Array, scale: Array) -> Callable[..., Any]:
    """For `in_blocks`: subtract a number for each column, and divide by another."""
    return lambda Z, out: np.divide(np.subtract(Z, shift, out=out), scale, out=out)


def times_and_more(scale: Array, shift: Array) -> Callable[..., Any]:
    """For `in_blocks`: multiply by a number for each column, and add another."""
    return lambda Z, out: np.add(np.multiply(Z, scale, out=out), shift, out=out)


def sparse_scaled(
    estimator: Any, X: Matrix, scale: Array, change: Callable[..., Any], named: bool = True
) -> Matrix:
    """Sparse rows whose stored values are changed by the number of their column, in their type."""
    rows = as_csr(X, allow_nan=True)
    rows_for(estimator, np.zeros((1, rows.shape[1])), named=named)  # refuses other columns
    scaled = rows.copy()
    scaled.data = change(scaled.data, scale[scaled.indices])
    return scaled.astype(np.float32) if X.dtype == np.float32 else scaled


def refuse_other_columns(estimator: Any, X: Rows) -> None:
    """Refuse rows of ``partial_fit`` whose columns are not those of the rows before."""
    rows = np.zeros((1, X.shape[1])) if is_sparse(X) else X
    rows_for(estimator, rows, finite=False)
