# SPDX-License-Identifier: BSD-3-Clause
"""Memory for kernels whose vectors are to lie within cache lines."""

from math import prod
from typing import Any

import numpy as np

CACHE_LINE_BYTES = 64  # bytes of a cache line


def aligned(shape: int | tuple[int, ...], dtype: Any, at: int = CACHE_LINE_BYTES) -> np.ndarray:
    """An empty array that begins at a cache line, or at another multiple of bytes."""
    shape = (shape,) if isinstance(shape, int) else shape
    size = prod(shape) * np.dtype(dtype).itemsize
    block = np.empty(size + at, np.uint8)
    start = -block.ctypes.data % at
    return block[start : start + size].view(dtype).reshape(shape)
