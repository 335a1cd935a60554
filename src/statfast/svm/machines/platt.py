# SPDX-License-Identifier: BSD-3-Clause
"""Rows held out in turn, so that Platt's sigmoid is fitted to values of rows not seen."""

import numpy as np


def held_out(rows_key, codes, parts):
    """Which part of a cross-validation each row is in, (n,): rows that are alike in the same.

    `rows_key` has one number for each row, the same for rows that are alike. Those of each class
    are dealt out to the parts in its order, so that an order of the rows has no say in it.
    """
    part = np.empty(len(codes), dtype=np.intp)
    dealt = 0
    for code in range(codes.max() + 1):
        own = np.flatnonzero(codes == code)
        distinct, rank = np.unique(rows_key[own], return_inverse=True)
        part[own] = (rank.reshape(-1) + dealt) % parts
        dealt += len(distinct)
    return part
