# SPDX-License-Identifier: BSD-3-Clause
"""Class moments of a block of rows: weights, sums and the pooled scatter, about given shifts.

Shifted sums and their pairwise merge: Chan, Golub & LeVeque 1983, Algorithms for computing the
sample variance, doi:10.1080/00031305.1983.10483115. With every class shifted by a point near its
mean, what is summed is pooled within-class scatter, and nothing cancels when the sums are taken
off.

Cost: n d^2 flop at the float64 multiply-add rate (one triangle), one read of the rows. The caller
guarantees rows of contiguous numbers and codes below the number of classes.
"""

from libc.stdlib cimport free, malloc
from libc.string cimport memset

from statfast._core.rows cimport aligned, number, panel_columns
from statfast._core.tiles cimport active

cdef enum:
    SHEET_BYTES = 262144  # of shifted rows that are multiplied together: they stay in cache


def class_scatter(
    const number[:, :] X,             # IN (n, d)
    const Py_ssize_t[::1] codes,      # IN (n,) class of every row
    const double[::1] weights,        # IN (n,) or None for ones
    const double[:, ::1] shift,       # IN (K, d)
    double[::1] mass,                 # INOUT (K,) += weights
    double[:, ::1] sums,              # INOUT (K, d) += w (x - shift)
    double[:, ::1] scatter,           # INOUT (d, d) lower triangle += w (x - shift)(x - shift)'
):
    """Add one block of rows to the moments of its classes."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1]
    cdef Py_ssize_t down = active().rows, across = panel_columns(<double>0)
    cdef Py_ssize_t tall = (d + down - 1) // down * down
    cdef Py_ssize_t ld = max(tall, (d + across - 1) // across * across)
    cdef Py_ssize_t sheet = max(16, min(512, SHEET_BYTES // (8 * ld))), first, some, i, p
    cdef bint weighted = weights is not None
    cdef void *block
    cdef double *z
    cdef double *wz
    cdef double *total
    if n == 0:
        return
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
            for i in range(some):
                shift_row(&X[first + i, 0], d, weights[first + i] if weighted else 1,
                          &shift[codes[first + i], 0], z + i * ld, wz + i * ld,
                          &mass[codes[first + i]], &sums[codes[first + i], 0])
            active().f64.rank_update(z, wz, ld, some, d, total)
            first += some
        for i in range(d):
            for p in range(i + 1):
                scatter[i, p] += total[i * ld + p]
    free(block)


cdef inline void shift_row(
    const number *x, Py_ssize_t d, double w, const double *shift, double *z, double *wz,
    double *mass, double *sum,
) noexcept nogil:
    cdef Py_ssize_t p
    mass[0] += w
    if z == wz:
        for p in range(d):
            z[p] = x[p] - shift[p]
            sum[p] += z[p]
    else:
        for p in range(d):
            z[p] = x[p] - shift[p]
            wz[p] = w * z[p]
            sum[p] += wz[p]
