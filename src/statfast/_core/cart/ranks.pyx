# SPDX-License-Identifier: BSD-3-Clause
"""Values of columns as ranks among their distinct values (cart/cart.h).

A word is a value rounded to 32 bits, above the number of its row. Words are sorted as integers, in
a fifth of the time of numpy.argsort; values whose upper halves agree are then put in order. Cost:
O(n) for a column whose words are sorted. The caller guarantees fewer than 2^32 rows.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef enum:
    MAX_AGREEING_VALUES = 64  # different values whose words agree: more are not put in order here

ctypedef fused rank_t:
    uint16_t
    uint32_t


def words(
    const double[::1] column,   # IN (n,)
    uint64_t[::1] word,         # OUT (n,) in the order of the values, NaN last
):
    """The value rounded to 32 bits << 32 | the row."""
    cdef Py_ssize_t i
    cdef float value
    cdef uint32_t bits
    cdef int32_t sign
    with nogil:
        for i in range(column.shape[0]):
            value = <float>column[i]
            memcpy(&bits, &value, 4)
            sign = <int32_t>bits >> 31
            bits ^= <uint32_t>sign | <uint32_t>0x80000000
            if value != value:
                bits = 0xffffffff
            word[i] = <uint64_t>bits << 32 | <uint64_t>i


def arrange(
    const double[::1] column,   # IN (n,)
    uint64_t[::1] word,         # INOUT (n,) sorted; rows come to be in order
    double[::1] ascending,      # OUT (n,) the values in order
):
    """The numbers of distinct values and of known values (not NaN); (-1, -1) if so many words agree
    that the caller has to sort the rows by another method."""
    cdef Py_ssize_t i, j, begin = 0, n = column.shape[0], found = 0, known = n
    cdef uint64_t own
    cdef double value
    cdef bint differ
    with nogil:
        for i in range(n):
            ascending[i] = column[<uint32_t>word[i]]
        while known and ascending[known - 1] != ascending[known - 1]:
            known -= 1
        while begin < known:
            i = begin + 1
            differ = False
            while i < known and word[i] >> 32 == word[begin] >> 32:
                differ |= ascending[i] != ascending[begin]
                i += 1
            if differ and i - begin > MAX_AGREEING_VALUES:
                break
            if differ:
                for j in range(begin + 1, i):
                    own, value = word[j], ascending[j]
                    while j > begin and ascending[j - 1] > value:
                        word[j], ascending[j] = word[j - 1], ascending[j - 1]
                        j -= 1
                    word[j], ascending[j] = own, value
            begin = i
        for i in range(known):
            found += i == 0 or ascending[i] != ascending[i - 1]
    if begin < known:
        return -1, -1
    return found, known


def rank(
    const uint64_t[::1] word,       # IN (n,) whose lower halves are rows in order
    const double[::1] ascending,    # IN (n,) their values
    Py_ssize_t known,               # the number of values that are not NaN
    int shift,
    rank_t[::1] ranks,              # OUT (n,) of NaN: the number of distinct values
    uint8_t[::1] codes,             # OUT (n,) rank >> shift
    double[::1] values,             # OUT the distinct values
):
    """Ranks and codes of a column, and its distinct values."""
    cdef Py_ssize_t i, at = -1, row
    with nogil:
        for i in range(word.shape[0]):
            row = <uint32_t>word[i]
            if i >= known:
                at = values.shape[0]
            elif i == 0 or ascending[i] != ascending[i - 1]:
                at += 1
                values[at] = ascending[i]
            ranks[row] = <rank_t>at
            codes[row] = <uint8_t>(at >> shift)
