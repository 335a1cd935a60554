# SPDX-License-Identifier: BSD-3-Clause
"""Queries put into an order in which neighbors in space follow one another.

The order is that of Morton codes (G. M. Morton 1966): of each coordinate the highest bits within a
frame, interleaved. Sorted by counting, least digits first, so that equal codes stay in the order
of their rows. Answers do not depend on it, only how much of the tree is in the cache.

Cost: O(m d). The caller guarantees rows of finite numbers and codes of at most 2 * DIGIT bits.
"""

from libc.stdint cimport int32_t, uint32_t
from libc.string cimport memset

from statfast._core.tile.rows cimport real

cdef enum:
    DIGIT = 11  # bits: 2048 counters stay in the level-1 cache


def encode(
    const real[:, :] Q,             # IN (m, d) any strides
    Py_ssize_t start,
    Py_ssize_t stop,
    const double[::1] low,          # IN (axes,) the frame: its lower end,
    const double[::1] scale,        # IN (axes,) and cells per unit
    Py_ssize_t bits,                # of each axis
    uint32_t[::1] code,             # OUT (m,)
):
    """The codes of the rows start .. stop - 1, from their first `axes` coordinates."""
    cdef Py_ssize_t axes = low.shape[0], i, p, b
    cdef uint32_t cell, found
    cdef double place, most = (1 << bits) - 1
    with nogil:
        for i in range(start, stop):
            found = 0
            for p in range(axes):
                place = (Q[i, p] - low[p]) * scale[p]
                place = place if place > 0 else 0
                place = place if place < most else most
                cell = <uint32_t>place
                for b in range(bits):
                    found |= ((cell >> b) & 1) << (b * axes + p)
            code[i] = found


cdef void sort_digit(
    const uint32_t *code, const int32_t *order, Py_ssize_t m, int shift, int32_t *out
) noexcept nogil:
    cdef Py_ssize_t[1 << DIGIT] place
    cdef Py_ssize_t i, total = 0, count, digit
    cdef Py_ssize_t mask = (1 << DIGIT) - 1
    memset(place, 0, sizeof(place))
    for i in range(m):
        place[(code[i] >> shift) & mask] += 1
    for digit in range(1 << DIGIT):
        count = place[digit]
        place[digit] = total
        total += count
    for i in range(m):
        count = i if order == NULL else order[i]
        digit = (code[count] >> shift) & mask
        out[place[digit]] = <int32_t>count
        place[digit] += 1


def sort(
    const uint32_t[::1] code,       # IN (m,)
    int32_t[::1] work,              # OUT (m,)
    int32_t[::1] order,             # OUT (m,) the rows by rising code
):
    """The rows in the order of their codes."""
    cdef Py_ssize_t m = code.shape[0]
    with nogil:
        sort_digit(&code[0], NULL, m, 0, &work[0])
        sort_digit(&code[0], &work[0], m, DIGIT, &order[0])
