# SPDX-License-Identifier: BSD-3-Clause
"""Columns moved and scaled, a few rows at a time: each number comes into the cache once."""

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import explain_nonfinite

_CELLS = 1 << 15  # numbers of the rows that are worked on at once, in the cache


def in_blocks(rows: Array, change: Callable[..., Any]) -> Array:
    """Rows changed by ``way(block, out)``, float64, in their own type; refused if one overflows."""
    out = np.empty_like(rows)
    step = max(1, _CELLS // rows.shape[1])
    with np.errstate(over="ignore", under="ignore"):
        for start in range(0, len(rows), step):
            block, to = rows[start : start + step], out[start : start + step]
            if rows.dtype == np.float64:
                change(block, to)
            else:
                wide = block.astype(np.float64)
                change(wide, wide)
                to[...] = wide
    explain_nonfinite(out, "X scaled")
    return out


def less_and_over(shift: Array, scale: Array) -> Callable[..., Any]:
    """For `in_blocks`: less a number for each column, over another."""
    return lambda Z, out: np.divide(np.subtract(Z, shift, out=out), scale, out=out)


def times_and_more(scale: Array, shift: Array) -> Callable[..., Any]:
    """For `in_blocks`: times a number for each column, plus another."""
    return lambda Z, out: np.add(np.multiply(Z, scale, out=out), shift, out=out)
