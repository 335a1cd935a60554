# SPDX-License-Identifier: BSD-3-Clause
"""The steps of k-modes and k-prototypes over columns of codes and of numbers.

Huang 1998, Extensions to the k-means algorithm for clustering large data sets with categorical
values, doi:10.1023/A:1009769707641. Deviation: all rows are assigned before any center moves, so
that rows are independent of each other, and centers of their order.

Columns lie one after the other, so that a tile of rows is compared with a center in loops that
vectorize. A missing code equals no mode, like one that the fit has not seen, and is taken off
again: the number of missing values is the same for all centers. A missing number adds nothing.

Cost: n k comparisons for each column of codes and 3 n k operations for each of numbers; n steps for
a mode, a mean or a median. The caller guarantees codes below the sizes of the columns or one of
MISSING and UNSEEN, labels below k, and at most 65535 columns of codes.
"""

from cython.view cimport contiguous
from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, uint8_t, uint16_t

ctypedef fused code:
    uint8_t
    int32_t

# Rows of a tile: counts and sums of a center stay in the nearest cache.
cdef enum:
    TILE_ROWS = 256

MISSING = -1  # as unsigned bytes 255 and 254
UNSEEN = -2


def assign(
    const code[:, ::contiguous] codes,       # IN (m, n)
    const double[:, ::contiguous] numbers,   # IN (p, n) NaN is missing
    const double[::1] scale,                 # IN (p,) what differences are multiplied by
    const double[::1] share,                 # IN (n,) what dissimilarities are multiplied by; None
    const code[:, ::1] modes,                # IN (k, m)
    const double[:, ::1] centers,            # IN (k, p)
    double gamma,                            # IN the weight of a mismatch
    bint absolute,                           # IN differences of numbers; else their squares
    int32_t[::1] labels,                     # OUT (n,) the nearest center, the first of equals
    double[::1] nearest,                     # OUT (n,) the dissimilarity to it
):
    cdef Py_ssize_t n = labels.shape[0], m = codes.shape[0], p = numbers.shape[0]
    cdef Py_ssize_t k = modes.shape[0], tile, first, rows, c, j, r
    cdef uint16_t missing[TILE_ROWS]
    cdef uint16_t count[TILE_ROWS]
    cdef double total[TILE_ROWS]
    with nogil:
        for tile in range((n + TILE_ROWS - 1) // TILE_ROWS):
            first = tile * TILE_ROWS
            rows = min(<Py_ssize_t>TILE_ROWS, n - first)
            for r in range(TILE_ROWS):
                missing[r] = 0
            for j in range(m):
                count_missing(&codes[j, first], rows, missing)
            for r in range(rows):
                nearest[first + r] = INFINITY
                labels[first + r] = 0
            for c in range(k):
                for r in range(TILE_ROWS):
                    count[r] = 0
                    total[r] = 0
                for j in range(m):
                    count_mismatches(&codes[j, first], modes[c, j], rows, count)
                for j in range(p):
                    if absolute:
                        add_differences(&numbers[j, first], centers[c, j], scale[j], rows, total)
                    else:
                        add_squares(&numbers[j, first], centers[c, j], rows, total)
                for r in range(rows):
                    total[r] += gamma * <double>(count[r] - missing[r])
                    if total[r] < nearest[first + r]:
                        nearest[first + r] = total[r]
                        labels[first + r] = <int32_t>c
            if share is not None:
                for r in range(rows):
                    nearest[first + r] *= share[first + r]


def count_modes(
    const code[::1] column,         # IN (n,)
    const int32_t[::1] labels,      # IN (n,)
    const double[::1] weights,      # IN (n,), or None: one each
    double[:, ::1] counts,          # INOUT (k, size) weights of the values in each cluster
):
    cdef Py_ssize_t size = counts.shape[1], i
    cdef Py_ssize_t value
    with nogil:
        for i in range(column.shape[0]):
            value = column[i]
            if 0 <= value < size:
                counts[labels[i], value] += 1.0 if weights is None else weights[i]


def add_up(
    const double[::1] column,       # IN (n,) NaN is missing
    const int32_t[::1] labels,      # IN (n,)
    const double[::1] weights,      # IN (n,), or None: one each
    double[::1] sums,               # INOUT (k,)
    double[::1] total_weight,       # INOUT (k,) of the rows that have a value
):
    cdef Py_ssize_t i
    cdef double weight
    with nogil:
        for i in range(column.shape[0]):
            if column[i] == column[i]:
                weight = 1.0 if weights is None else weights[i]
                sums[labels[i]] += weight * column[i]
                total_weight[labels[i]] += weight


def medians(
    const double[::1] column,       # IN (n,)
    const int32_t[::1] order,       # IN (m,) rows that have a value, by the value
    const int32_t[::1] labels,      # IN (n,)
    const double[::1] weights,      # IN (n,), or None: one each
    double[::1] half,               # INOUT (k,) 0; half the weight of each cluster
    double[::1] reached,            # INOUT (k,) 0
    double[::1] out,                # OUT (k,) the lower weighted median; kept where there is none
):
    cdef Py_ssize_t i, row
    cdef double weight
    cdef int32_t c
    with nogil:
        for i in range(order.shape[0]):
            row = order[i]
            half[labels[row]] += 0.5 if weights is None else 0.5 * weights[row]
        for i in range(order.shape[0]):
            row = order[i]
            c = labels[row]
            weight = 1.0 if weights is None else weights[row]
            if weight > 0 and reached[c] < half[c]:
                out[c] = column[row]
                reached[c] += weight


cdef inline void count_missing(
    const code *x, Py_ssize_t rows, uint16_t *missing
) noexcept nogil:
    cdef Py_ssize_t r
    cdef code nothing = <code>-1
    for r in range(rows):
        missing[r] += x[r] == nothing


cdef inline void count_mismatches(
    const code *x, code mode, Py_ssize_t rows, uint16_t *count
) noexcept nogil:
    cdef Py_ssize_t r
    for r in range(rows):
        count[r] += x[r] != mode


cdef inline void add_squares(
    const double *x, double center, Py_ssize_t rows, double *total
) noexcept nogil:
    cdef Py_ssize_t r
    cdef double difference
    for r in range(rows):
        difference = x[r] - center
        total[r] += difference * difference if difference == difference else 0.0


cdef inline void add_differences(
    const double *x, double center, double scale, Py_ssize_t rows, double *total
) noexcept nogil:
    cdef Py_ssize_t r
    cdef double difference
    for r in range(rows):
        difference = fabs(x[r] - center)
        total[r] += scale * difference if difference == difference else 0.0
