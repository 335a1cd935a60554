# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Moments of each class of a block of rows: weights, sums and a scatter for every class.

As rows/pooled_scatter.pyx, but with a scatter for each class. The rows are sorted by class, so that
those of a class are shifted into one sheet and multiplied together, in whatever order they come.

Cost: n d^2 flop at the float64 multiply-add rate (one triangle), one read of the rows; K d^2
numbers of memory. The caller guarantees rows of contiguous numbers and codes below K.
"""

from cython.view cimport contiguous
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from statfast._core.tile.rows cimport aligned, kind_of, number, panel_columns, stride_of
from statfast._core.tile.tiles cimport active

cdef enum:
    SHEET_BYTES = 131072  # bytes of shifted rows multiplied together; they stay in cache


def class_scatters(
    const number[:, ::contiguous] X,  # IN (n, d)
    const Py_ssize_t[::1] codes,      # IN (n,) class of every row
    const double[::1] weights,        # IN (n,) or None for ones
    const double[:, ::1] shift,       # IN (K, d)
    double[::1] total_weight,                 # INOUT (K,) += weights
    double[:, ::1] sums,              # INOUT (K, d) += w (x - shift)
    double[:, :, ::1] scatter,        # INOUT (K, d, d) lower triangles += w (x - shift)(x - shift)'
):
    """Add one block of rows to the moments of each class."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], classes = shift.shape[0]
    cdef Py_ssize_t down = active().rows, across = panel_columns(<double>0), ldx = stride_of(X)
    cdef Py_ssize_t tall = (d + down - 1) // down * down
    cdef Py_ssize_t ld = max(tall, (d + across - 1) // across * across)
    cdef Py_ssize_t sheet = max(16, min(512, SHEET_BYTES // (8 * max(ld, 1))))
    cdef bint weighted = weights is not None
    cdef Py_ssize_t *order
    cdef Py_ssize_t *start
    cdef Py_ssize_t i, j, k, p, filled
    cdef const double *weight = NULL
    cdef void *block
    cdef double *z
    cdef double *wz
    cdef double *total
    if n == 0:
        return
    order = <Py_ssize_t *>malloc(sizeof(Py_ssize_t) * (n + classes + 1))
    block = malloc(64 + sizeof(double) * ld * (tall + sheet * (1 + weighted)))
    if block == NULL or order == NULL:
        free(order)
        free(block)
        raise MemoryError
    with nogil:
        start = order + n
        count(&codes[0], n, classes, order, start)
        total = <double *>aligned(block)
        z = total + tall * ld
        wz = z + sheet * ld if weighted else z
        memset(z, 0, sizeof(double) * ld * sheet * (1 + weighted))
        for k in range(classes):
            if start[k] == start[k + 1]:
                continue
            memset(total, 0, sizeof(double) * ld * tall)
            filled = 0
            for j in range(start[k], start[k + 1]):
                i = order[j]
                if weighted:
                    weight = &weights[i]
                shift_row(&X[i, 0], ldx, d, weight, &codes[i], &shift[0, 0], &total_weight[0],
                          &sums[0, 0], z + filled * ld, wz + filled * ld, ld)
                filled += 1
                if filled == sheet or j + 1 == start[k + 1]:
                    active().f64.rank_update(z, wz, ld, filled, d, total)
                    filled = 0
            for i in range(d):
                for p in range(i + 1):
                    scatter[k, i, p] += total[i * ld + p]
    free(order)
    free(block)


cdef void count(
    const Py_ssize_t *codes, Py_ssize_t n, Py_ssize_t classes, Py_ssize_t *order, Py_ssize_t *start
) noexcept nogil:
    """order = the rows sorted by class, in their order; those of class k are from start[k] on."""
    cdef Py_ssize_t i, k
    memset(start, 0, sizeof(Py_ssize_t) * (classes + 1))
    for i in range(n):
        start[codes[i] + 1] += 1
    for k in range(classes):
        start[k + 1] += start[k]
    for i in range(n):
        order[start[codes[i]]] = i
        start[codes[i]] += 1
    for k in range(classes, 0, -1):
        start[k] = start[k - 1]
    start[0] = 0


cdef inline void shift_row(
    const number *x, Py_ssize_t ldx, Py_ssize_t d, const double *weight, const Py_ssize_t *code,
    const double *shift, double *total_weight, double *sums, double *z, double *wz, Py_ssize_t ld,
) noexcept nogil:
    """z = x - shift and wz = w z of one row, which is added to the sums of its class."""
    active().shift[kind_of(x)](x, ldx, 1, d, weight, code, shift, total_weight, sums, z, wz, ld)
