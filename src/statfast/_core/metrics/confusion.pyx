# SPDX-License-Identifier: BSD-3-Clause
"""How many rows have each pair of labels, counted in a table over the range of the labels.

Rows go in turn to four tables, so that an addition need not wait for the one before it to the same
cell. Labels out of range end the count: the caller then looks for the range and counts again.

Cost: one reading of both, about a nanosecond a row. The caller guarantees a table of span x span.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t

ctypedef fused label:
    uint8_t
    int8_t
    int32_t
    int64_t


def extent(
    const label[::1] a,             # IN (n,)
    const label[::1] b,             # IN (n,)
):
    """The lowest and the highest of all labels."""
    cdef label low, high
    cdef Py_ssize_t i
    with nogil:
        low = high = a[0]
        for i in range(a.shape[0]):
            low = min(low, min(a[i], b[i]))
            high = max(high, max(a[i], b[i]))
    return low, high


def count(
    const label[::1] a,             # IN (n,) rows of the table
    const label[::1] b,             # IN (n,) columns
    int64_t low,                    # the label of the first row and column
    int64_t[:, :, ::1] tables,      # IN, OUT (4, span, span) plus the pairs
):
    """Whether all labels were in range."""
    cdef uint64_t x, y, base = <uint64_t>low, span = tables.shape[1]
    cdef Py_ssize_t i, n = a.shape[0]
    with nogil:
        for i in range(n):
            x = <uint64_t><int64_t>a[i] - base
            y = <uint64_t><int64_t>b[i] - base
            if x >= span or y >= span:
                break
            tables[i & 3, x, y] += 1
        else:
            i = n
    return i == n


def add(
    const label[::1] a,             # IN (n,) rows of the table
    const label[::1] b,             # IN (n,) columns
    const double[::1] weights,      # IN (n,)
    int64_t low,                    # the label of the first row and column
    double[:, ::1] table,           # IN, OUT (span, span) plus the weights of the pairs
    uint8_t[::1] seen,              # IN, OUT (span,) 1 for labels that are there
):
    """Whether all labels were in range."""
    cdef uint64_t x, y, base = <uint64_t>low, span = table.shape[0]
    cdef Py_ssize_t i, n = a.shape[0]
    with nogil:
        for i in range(n):
            x = <uint64_t><int64_t>a[i] - base
            y = <uint64_t><int64_t>b[i] - base
            if x >= span or y >= span:
                break
            table[x, y] += weights[i]
            seen[x] = seen[y] = 1
        else:
            i = n
    return i == n
