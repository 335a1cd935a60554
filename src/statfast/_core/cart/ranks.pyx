# SPDX-License-Identifier: BSD-3-Clause
"""Values of columns as ranks among their distinct values (cart/cart.h).

Cost: O(n) for a column that is sorted. The caller guarantees `order` to sort the column, NaN last.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t

ctypedef fused rank_t:
    uint16_t
    uint32_t


def count_distinct(
    const double[::1] column,   # IN (n,)
    const int64_t[::1] order,   # IN (n,) ascending, NaN last
):
    """How many values are distinct, and how many are known (not NaN)."""
    cdef Py_ssize_t i, n = column.shape[0], found = 0, known = n
    with nogil:
        while known and column[order[known - 1]] != column[order[known - 1]]:
            known -= 1
        for i in range(known):
            found += i == 0 or column[order[i]] != column[order[i - 1]]
    return found, known


def rank(
    const double[::1] column,   # IN (n,)
    const int64_t[::1] order,   # IN (n,) ascending, NaN last
    Py_ssize_t known,           # of them no NaN
    int shift,
    rank_t[::1] ranks,          # OUT (n,) of NaN: the number of distinct values
    uint8_t[::1] codes,         # OUT (n,) rank >> shift
    double[::1] values,         # OUT the distinct values
):
    """Ranks and codes of a column, and its distinct values."""
    cdef Py_ssize_t i, n = column.shape[0], at = -1, row
    with nogil:
        for i in range(n):
            row = order[i]
            if i >= known:
                at = values.shape[0]
            elif i == 0 or column[row] != column[order[i - 1]]:
                at += 1
                values[at] = column[row]
            ranks[row] = <rank_t>at
            codes[row] = <uint8_t>(at >> shift)
