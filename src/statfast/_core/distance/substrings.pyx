# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Counts of the substrings of strings, and their products.

The spectrum kernel of C. Leslie, E. Eskin & W. S. Noble 2002, doi:10.1142/9789812799623_0053, by
lists from substrings to strings (which the mismatch tree of Leslie et al. 2004,
doi:10.1093/bioinformatics/btg431, visits one by one): the products of a string with all others are
added in one row of the matrix, which stays in the level-1 cache.

Substrings are given as numbers, one for each letter of the strings in sequence. A table maps them
to columns in the order of their first occurrence, so that nothing is sorted. The numpy version
(np.unique of pairs of string and substring) takes ten times as long.

Cost: one look-up a letter; two operations for each pair of a substring in one string and in
another. The caller guarantees that numbers and columns are in range.
"""

from cython.view cimport contiguous
from libc.stdint cimport int32_t, int64_t


def count(
    const int64_t[::1] code,        # IN the number of the substring at each letter
    const Py_ssize_t[::1] starts,   # IN (n,) the first letter of each string
    const Py_ssize_t[::1] windows,  # IN (n,) the number of its substrings
    Py_ssize_t first,               # strings first, first + 1, ..., last - 1
    Py_ssize_t last,
    Py_ssize_t known,               # columns so far
    int32_t[::1] table,             # INOUT the column of each number, -1 if it has none yet
    Py_ssize_t[::1] slot,           # INOUT (columns,) where a column was counted last
    Py_ssize_t[::1] begins,         # INOUT (n + 1,) where the counts of a string begin
    int32_t[::1] column,            # OUT
    int32_t[::1] tally,             # OUT
    Py_ssize_t[::1] place,          # OUT the first letter of the first one
):
    """Count the substrings of some strings; returns the number of columns so far."""
    cdef Py_ssize_t i, p, row, filled = begins[first], top = known
    cdef int32_t c
    with nogil:
        for i in range(first, last):
            row = filled
            for p in range(starts[i], starts[i] + windows[i]):
                c = table[code[p]]
                if c < 0:
                    c = <int32_t>top
                    table[code[p]] = c
                    slot[c] = -1
                    top += 1
                if slot[c] < row:  # not yet in this string
                    slot[c] = filled
                    column[filled] = c
                    tally[filled] = 0
                    place[filled] = p
                    filled += 1
                tally[slot[c]] += 1
            begins[i + 1] = filled
    return top


def transpose(
    const Py_ssize_t[::1] begins,   # IN (n + 1,)
    const int32_t[::1] column,      # IN
    const int32_t[::1] tally,       # IN
    Py_ssize_t[::1] at,             # INOUT (columns + 1,) where lists begin; then where they end
    int32_t[::1] row,               # OUT the strings of each list in ascending order
    int32_t[::1] times,             # OUT
):
    """From counts by string to counts by column."""
    cdef Py_ssize_t i, e, to
    with nogil:
        for i in range(begins.shape[0] - 1):
            for e in range(begins[i], begins[i + 1]):
                to = at[column[e]]
                row[to] = <int32_t>i
                times[to] = tally[e]
                at[column[e]] = to + 1


def add(
    const Py_ssize_t[::1] begins,   # IN (n + 1,) the counts of the strings down
    const int32_t[::1] column,      # IN
    const int32_t[::1] tally,       # IN
    const Py_ssize_t[::1] starts,   # IN (columns + 1,) the lists of the strings across
    const int32_t[::1] row,         # IN
    const int32_t[::1] times,       # IN
    double weight,
    Py_ssize_t first,               # the string of the first row of out
    Py_ssize_t left,                # and of its first column
    double[:, ::contiguous] out,    # INOUT rows of contiguous numbers
):
    """out[i, j] += weight times the sum of products of counts."""
    cdef Py_ssize_t i, e, p, end, right = left + out.shape[1]
    cdef double times_that
    cdef double *to
    with nogil:
        for i in range(out.shape[0]):
            to = &out[i, 0]
            for e in range(begins[first + i], begins[first + i + 1]):
                times_that = weight * tally[e]
                p, end = starts[column[e]], starts[column[e] + 1]
                if p < end and row[p] < left:
                    p = find_string(row, p, end, left)
                if p < end and row[end - 1] >= right:
                    end = find_string(row, p, end, right)
                while p < end:
                    to[row[p] - left] += times_that * times[p]
                    p += 1


cdef inline Py_ssize_t find_string(
    const int32_t[::1] row, Py_ssize_t low, Py_ssize_t high, Py_ssize_t least
) noexcept nogil:
    """The first place from low to high whose string is at least `least`."""
    cdef Py_ssize_t middle
    while low < high:
        middle = (low + high) // 2
        if row[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low
