# SPDX-License-Identifier: BSD-3-Clause
"""A kernel matrix made block by block, on all threads; of one set of points, half of it.

What fills a block is a kernel's affair (`Kernel._between`). Blocks are small enough for sums,
products and powers of kernels to find their parts still in the level-2 cache, and cut by the sizes
alone, so that the matrix has the same bits for any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._core.distance.pairwise import mirror
from statfast._core.rows.extent import all_finite
from statfast._engine import checkpoint, each, grid
from statfast._validation import refuse_large

Fill = Callable[[slice, slice, np.ndarray], None]  # (rows, columns, OUT their kernel values)

OPERATIONS_OF_BLOCK = 1 << 25  # The multiplications of a block, which take some milliseconds.
# From so many columns on, a value is copied across the diagonal and not computed twice.
MIN_COLUMNS_TO_COPY = 32


def filled(
    fill: Fill, n: int, m: int, *, half: bool, width: int, depth: int, dtype: Any,
    n_jobs: int | None, kernel: Any,
) -> np.ndarray:  # fmt: skip
    """The (n, m) matrix of `fill`, float64, or float32 rounded once.

    `half` says that it is symmetric, which pays where values take longer than the copies of them;
    `width` columns of a block, a multiple of 64; `depth` multiplications of a value.
    """
    half = half and depth >= MIN_COLUMNS_TO_COPY
    size = np.dtype(dtype).itemsize
    refuse_large(
        n * m * size, f"The {n} x {m} kernel matrix",
        "Pass dtype=np.float32, fewer points, or one part of the points after the other as X.",
    )  # fmt: skip
    out: np.ndarray = np.empty((n, m), dtype)

    def strip(rows: slice) -> None:
        for first in range(rows.start if half else 0, m, width):
            checkpoint()
            columns = slice(first, min(m, first + width))
            block = out[rows, columns]
            made = block if block.dtype == np.float64 else np.empty(block.shape)
            fill(rows, columns, made)
            if made is not block:
                block[...] = made
            if not all_finite(block):
                raise overflow(kernel, made, block)
            if half:
                first = max(columns.start, rows.stop)
                mirror(out, rows.start, rows.stop, first, columns.stop)

    most = max(64, OPERATIONS_OF_BLOCK // (min(m, width) * depth) // 64 * 64)
    strips = grid(n, least=64, most=min(256, most))
    with np.errstate(over="ignore", invalid="ignore"):
        each(strip, strips, n_jobs=n_jobs, effort=float(n) * m * (depth + 16))
    return out


def overflow(kernel: Any, made: Any, block: Any) -> Any:
    """The exception for values beyond the type; the caller raises it."""
    if np.isfinite(made).all():
        return ValueError(
            f"{kernel} has values too large for {block.dtype}. Pass dtype=np.float64."
        )
    return ValueError(
        f"Values of {kernel} overflow float64. Scale the rows down, or lower gamma, coef0 or the "
        "degree."
    )
