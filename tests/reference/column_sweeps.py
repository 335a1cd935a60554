# SPDX-License-Identifier: BSD-3-Clause
"""Steps of Gram-Schmidt, and factors of rows one above the other, as they are written down."""

import numpy as np


def taken_off(first, second, pivot, beside, size, target, held_target):
    """What a pivot leaves of both parts of all rows, its shares, and the sums of what is left."""
    share = first @ pivot / size
    first, second = first - np.outer(share, pivot), second - np.outer(share, beside)
    sums = (first**2).sum(1), first @ target, (second**2).sum(1), second @ held_target
    return first, second, share, np.array(sums)


def stacked_factor(upper, lower):
    """R of both, its diagonal not negative."""
    R = np.linalg.qr(np.vstack([upper, lower]), mode="r")
    return R * np.where(R.diagonal() < 0.0, -1.0, 1.0)[:, None]
