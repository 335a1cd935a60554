# SPDX-License-Identifier: BSD-3-Clause
"""Memory that one fit leaves to the next: to get it afresh costs more than to fill it.

Of rows by the thousand the kernel matrix takes megabytes, which go back to the system after a fit;
a search over parameters, or a cross-validation, would get them zeroed, page by page, a hundred
times. One matrix of up to 4 MB stays.
"""

import numpy as np

MOST = 1 << 20  # numbers that stay: the square of 1000 points
NONE = np.empty(0, np.float32)

_left: list[np.ndarray] = []  # one at most, or as many as threads left one at a time


def taken(least, size):
    """What was left if it has `least` numbers, or new memory for `size`."""
    try:
        found = _left.pop()
    except IndexError:
        found = NONE
    return found if found.size >= least else np.empty(size, np.float32)


def leave(memory):
    """Memory that nobody reads or writes any more."""
    if 0 < memory.size <= MOST and not _left:
        _left.append(memory)
