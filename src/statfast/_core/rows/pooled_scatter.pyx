# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Class moments of a block of rows: weights, sums and the pooled scatter, about given shifts.

Shifted sums and their pairwise merge: Chan, Golub & LeVeque 1983, Algorithms for computing the
sample variance, doi:10.1080/00031305.1983.10483115. With every class shifted by a point near its
mean, the sum of products is nearly the pooled within-class scatter, and subtracting the product of
the sums loses no digits.

Cost: n d^2 flop at the float64 multiply-add rate (one triangle), one read of the rows. The caller
guarantees rows of contiguous numbers and codes below the number of classes.
"""

from cython.view cimport contiguous
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from statfast._core.tile.rows cimport aligned, kind_of, number, panel_columns, stride_of
from statfast._core.tile.tiles cimport active

cdef enum:
    SHEET_BYTES = 262144  # bytes of shifted rows multiplied together; they stay in cache


def class_scatter(
    const number[:, ::contiguous] X,  # IN (n, d)
    const Py_ssize_t[::1] codes,      # IN (n,) class of every row
    const double[::1] weights,        # IN (n,) or None for ones
    const double[:, ::1] shift,       # IN (K, d)
    double[::1] total_weight,                 # INOUT (K,) += weights
    double[:, ::1] sums,              # INOUT (K, d) += w (x - shift)
    double[:, ::1] scatter,           # INOUT (d, d) lower triangle += w (x - shift)(x - shift)'
):
    """Add one block of rows to the moments of its classes."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1]
    cdef Py_ssize_t down = active().rows, across = panel_columns(<double>0)
    cdef Py_ssize_t tall = (d + down - 1) // down * down
    cdef Py_ssize_t ld = max(tall, (d + across - 1) // across * across)
    cdef Py_ssize_t sheet = max(16, min(512, SHEET_BYTES // (8 * max(ld, 1)))), first, some, i, p
    cdef bint weighted = weights is not None
    cdef const double *weight = NULL
    cdef void *block
    cdef double *z
    cdef double *wz
    cdef double *total
    if n == 0:
        return
    if weighted:
        weight = &weights[0]
    block = malloc(64 + sizeof(double) * ld * (tall + sheet * (1 + weighted)))
    if block == NULL:
        raise MemoryError
    with nogil:
        total = <double *>aligned(block)
        z = total + tall * ld
        wz = z + sheet * ld if weighted else z
        memset(total, 0, sizeof(double) * ld * (tall + sheet * (1 + weighted)))
        first = 0
        while first < n:
            some = min(sheet, n - first)
            shift_rows(&X[first, 0], stride_of(X), some, d, weight, &codes[first],
                       &shift[0, 0], &total_weight[0], &sums[0, 0], z, wz, ld)
            if weighted:
                weight += some
            active().f64.rank_update(z, wz, ld, some, d, total)
            first += some
        for i in range(d):
            for p in range(i + 1):
                scatter[i, p] += total[i * ld + p]
    free(block)


cdef inline void shift_rows(
    const number *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, const double *weights,
    const Py_ssize_t *codes, const double *shift, double *total_weight, double *sums,
    double *z, double *wz, Py_ssize_t ld,
) noexcept nogil:
    """z = x - shift and wz = w z of every row, which are added to the sums of the classes."""
    active().shift[kind_of(x)](x, ldx, n, d, weights, codes, shift, total_weight, sums, z, wz, ld)
