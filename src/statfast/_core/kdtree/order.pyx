# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""An order of queries in which near ones follow one another.

The order is that of Morton codes (G. M. Morton 1966): the highest bits of each coordinate within a
frame, interleaved. Codes are sorted by counting, lowest digits first, so that equal codes stay in
the order of their rows. The order does not change the results, only the use of the cache.

Cost: O(m d). The caller guarantees rows of finite numbers and codes of at most 2 * DIGIT_BITS bits.
"""

from libc.stdint cimport int32_t, uint32_t

from statfast._core.tile.rows cimport real

cdef extern from *:
    """
    #include <stdint.h>
    #include "order/counting_sort.h"

    typedef struct {
        const uint32_t *code;
        int shift;
    } code_digit;

    #define DIGIT_BITS 11
    #define N_DIGITS (1 << DIGIT_BITS)
    #define CODE_DIGIT(digit, row) ((digit).code[row] >> (digit).shift & (N_DIGITS - 1))
    DEFINE_COUNTING_SORT(sort_by_digit, int32_t, code_digit, CODE_DIGIT)
    """
    enum:
        DIGIT_BITS  # of a code, sorted by in one pass
        N_DIGITS    # whose counters stay in the level-1 cache

    ctypedef struct code_digit:
        const uint32_t *code
        int shift

    void sort_by_digit(
        const int32_t *rows, Py_ssize_t n, code_digit digit, Py_ssize_t n_digits, Py_ssize_t *end,
        int32_t *to
    ) noexcept nogil


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
    cdef uint32_t cell, morton
    cdef double place, most = (1 << bits) - 1
    with nogil:
        for i in range(start, stop):
            morton = 0
            for p in range(axes):
                place = (Q[i, p] - low[p]) * scale[p]
                place = place if place > 0 else 0
                place = place if place < most else most
                cell = <uint32_t>place
                for b in range(bits):
                    morton |= ((cell >> b) & 1) << (b * axes + p)
            code[i] = morton


def sort(
    const uint32_t[::1] code,       # IN (m,)
    int32_t[::1] work,              # OUT (m,)
    int32_t[::1] order,             # OUT (m,) the rows by rising code
):
    """The rows in the order of their codes."""
    cdef Py_ssize_t m = code.shape[0], i
    cdef Py_ssize_t[N_DIGITS + 1] end
    cdef code_digit digit
    digit.code, digit.shift = &code[0], 0
    with nogil:
        for i in range(m):
            order[i] = <int32_t>i
        sort_by_digit(&order[0], m, digit, N_DIGITS, end, &work[0])
        digit.shift = DIGIT_BITS
        sort_by_digit(&work[0], m, digit, N_DIGITS, end, &order[0])
