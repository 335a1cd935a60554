# SPDX-License-Identifier: BSD-3-Clause
"""Shifts and scales of columns, a few rows at a time, so that they stay in the cache."""

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import explain_nonfinite

NUMBERS_PER_BLOCK = 1 << 15  # numbers of a block of rows, which the cache holds


def in_blocks(rows: Array, change: Callable[..., Any]) -> Array:
    """Rows changed by ``change(block, out)`` in float64, in their own type; refuses overflows."""
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
    explain_nonfinite(out, "X scaled")
    return out


def less_and_over(shift: Array, scale: Array) -> Callable[..., Any]:
    """For `in_blocks`: subtract a number for each column, and divide by another."""
    return lambda Z, out: np.divide(np.subtract(Z, shift, out=out), scale, out=out)


def times_and_more(scale: Array, shift: Array) -> Callable[..., Any]:
    """For `in_blocks`: multiply by a number for each column, and add another."""
    return lambda Z, out: np.add(np.multiply(Z, scale, out=out), shift, out=out)
