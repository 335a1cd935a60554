# SPDX-License-Identifier: BSD-3-Clause
"""Memory that one fit leaves to the next: to get it afresh costs more than to fill it.

Of rows by the thousand the kernel matrix takes megabytes, which go back to the system after a fit;
a search over parameters, or a cross-validation, would get them zeroed, page by page, a hundred
times. One matrix of up to 4 MB stays. It begins with a cache line, as its rows do then.
"""

import numpy as np

MOST = 1 << 20  # numbers that stay: the square of 1000 points
LINE = 16  # numbers of a cache line
NONE = np.empty(0, np.float32)

_left: list[np.ndarray] = []  # one at most, or as many as threads left one at a time


def taken(least, size):
    """What was left if it has `least` numbers, or new memory for `size`."""
    try:
        found = _left.pop()
    except IndexError:
        found = NONE
    if found.size >= least:
        return found
    found = np.empty(size + LINE, np.float32)
    skip = -(found.ctypes.data // found.itemsize) % LINE
    return found[skip : skip + size]


def leave(memory):
    """Memory that nobody reads or writes any more."""
    if 0 < memory.size <= MOST and not _left:
        _left.append(memory)
