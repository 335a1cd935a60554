# SPDX-License-Identifier: BSD-3-Clause
"""Memory for many arrays at once."""

from threading import Lock
from typing import Any

import numpy as np

PAGE = 1 << 21  # bytes: a large page, where the system has them


class Room:
    """Arrays out of one block of memory, in large pages.

    The first touch of a small page takes microseconds, and longer where two threads touch new
    pages together: they wait for each other, more than they work.

    Parameters
    ----------
    nbytes : int
        How much the arrays take; those beyond that, and few, have memory of their own.
    """

    def __init__(self, nbytes: int):
        whole = -(-nbytes // PAGE) * PAGE if nbytes > PAGE else 0
        block = np.empty(whole + PAGE if whole else 0, np.uint8)
        start = -block.ctypes.data % PAGE
        self._left = block[start : start + whole]
        self._lock = Lock()

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> np.ndarray:
        """An array like one of ``np.empty``."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        with self._lock:
            if size > len(self._left):
                return np.empty(shape, dtype)
            taken, self._left = self._left[:size], self._left[-(-size // 64) * 64 :]
        return taken.view(dtype).reshape(shape)
