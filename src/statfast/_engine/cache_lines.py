# SPDX-License-Identifier: BSD-3-Clause
"""Memory aligned to cache lines, for the vectors of kernels."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

CACHE_LINE_BYTES = 64  # bytes of a cache line


def aligned(
    shape: int | tuple[int, ...], dtype: Any, multiple: int = CACHE_LINE_BYTES
) -> np.ndarray:
    """An empty array at an address that is a multiple of a cache line, or of `multiple`."""
    shape = (shape,) if isinstance(shape, int) else shape
    size = prod(shape) * np.dtype(dtype).itemsize
    block = np.empty(size + multiple, np.uint8)
    start = -block.ctypes.data % multiple
    return block[start : start + size].view(dtype).reshape(shape)
