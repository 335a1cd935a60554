# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""The upper triangle of a dissimilarity matrix: its extent, and all nearest neighbors.

rows[r] is the address of the numbers of row r, for the columns r + 1, r + 2, ..., m - 1, so that
condensed and square matrices and separate pieces of memory are all read without a copy. Ties go to
the lowest index.

Cost: one read of the matrix. The caller guarantees addresses, and finite numbers for `neighbors`.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t

from statfast._core.tile.rows cimport real
from statfast._core.tile.tiles cimport level

cdef extern from "distance/triangle_table.h" nogil:
    ctypedef struct triangle_f32:
        bint (*extent)(const float *x, Py_ssize_t n, double *low, double *high) noexcept nogil
        void (*scan)(
            const float *x, Py_ssize_t n, Py_ssize_t row, Py_ssize_t first, float *low,
            int32_t *who, float *best, int32_t *at
        ) noexcept nogil

    ctypedef struct triangle_f64:
        bint (*extent)(const double *x, Py_ssize_t n, double *low, double *high) noexcept nogil
        void (*scan)(
            const double *x, Py_ssize_t n, Py_ssize_t row, Py_ssize_t first, double *low,
            int32_t *who, double *best, int32_t *at
        ) noexcept nogil

    ctypedef struct triangle_kernels:
        triangle_f32 f32
        triangle_f64 f64

    const triangle_kernels *triangle_at(int level)

cdef const triangle_kernels *kernels = triangle_at(level())


def extent(
    const real[::1] numbers,            # IN (n,)
):
    """The smallest and the largest number, and whether all are finite."""
    cdef double low = INFINITY, high = -INFINITY
    cdef bint finite
    with nogil:
        if real is float:
            finite = kernels.f32.extent(&numbers[0], numbers.shape[0], &low, &high)
        else:
            finite = kernels.f64.extent(&numbers[0], numbers.shape[0], &low, &high)
    return low, high, finite


def neighbors(
    const Py_ssize_t[::1] rows,         # IN (m,) addresses
    Py_ssize_t begin,                   # IN the rows to look at
    Py_ssize_t end,
    real[::1] low,                      # INOUT (m,) smallest number of each column in those rows
    int32_t[::1] who,                   # INOUT (m,) the first such row
    real[::1] right_low,                # OUT [begin, end) of (m,): smallest number of the row
    int32_t[::1] right_who,             # OUT, as right_low: the first such column
):
    """The smallest number of rows, and of columns in them."""
    cdef Py_ssize_t m = rows.shape[0], r
    with nogil:
        for r in range(begin, end):
            right_low[r] = <real>INFINITY
            right_who[r] = -1
            if r + 1 < m:
                scan(<const real *>rows[r], m - r - 1, r, r + 1, &low[r + 1], &who[r + 1],
                     &right_low[r], &right_who[r])


def absorb(
    const real[::1] part_low,           # IN (m,) of other rows
    const int32_t[::1] part_who,        # IN (m,)
    real[::1] low,                      # INOUT (m,)
    int32_t[::1] who,                   # INOUT (m,)
):
    """Take the smaller of two minima, and of equal ones the one in the lower row."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(low.shape[0]):
            if part_low[k] < low[k] or (part_low[k] == low[k] and 0 <= part_who[k] < who[k]):
                low[k] = part_low[k]
                who[k] = part_who[k]


cdef inline void scan(
    const real *x, Py_ssize_t n, Py_ssize_t row, Py_ssize_t first, real *low, int32_t *who,
    real *best, int32_t *at,
) noexcept nogil:
    """The smallest number of a row, and the minima of the columns: see distance/triangle.h."""
    if real is float:
        kernels.f32.scan(x, n, row, first, low, who, best, at)
    else:
        kernels.f64.scan(x, n, row, first, low, who, best, at)
