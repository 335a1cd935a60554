# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""One step of modified Gram-Schmidt on rows in two parts, with the products that choose the next.

What a pivot takes off each row, by its share in the first part, is taken off the second part as
well (A. Bjorck 1967, Solving linear least squares problems by Gram-Schmidt orthogonalization,
doi:10.1007/BF01934122). A pass over both parts, where products of matrices and vectors by BLAS are
six; threads of BLAS, which spin on after a call, cost many times the step where cores are taken.

Cost: 5 (n + m) multiply-adds a row. The caller guarantees rows few enough for Ctrl-C.
"""

from statfast._core.tile.tiles cimport level

cdef extern from "linear/column_sweeps_table.h" nogil:
    ctypedef struct column_sweeps_kernels:
        double (*dot)(const double *a, const double *b, Py_ssize_t n) noexcept nogil
        void (*less)(
            double *y, const double *x, double share, Py_ssize_t n, const double *target,
            double *sums
        ) noexcept nogil
    const column_sweeps_kernels *column_sweeps_at(int level)

cdef const column_sweeps_kernels *table = column_sweeps_at(level())


def take_off(
    double[:, ::1] first,           # INOUT (k, n)
    double[:, ::1] second,          # INOUT (k, m)
    const double[::1] pivot,        # IN (n,) what is taken off the first parts
    const double[::1] beside,       # IN (m,) what is taken off the second parts
    double size,                    # squared length of the pivot
    const double[::1] target,       # IN (n,) may be a row of `first`, after those above it
    const double[::1] held_target,  # IN (m,) may be a row of `second`
    double[::1] share,              # OUT (k,) of the pivot in each row
    double[:, ::1] sums,            # OUT (4, k) squared lengths and products with targets, of both
):
    """Take the pivot off all rows, and sum up what is left of them."""
    cdef Py_ssize_t j, n = first.shape[1], m = second.shape[1]
    cdef double[2] of_row
    cdef double *row = NULL
    cdef double *other = NULL
    cdef const double *x = &pivot[0] if n else NULL
    cdef const double *z = &beside[0] if m else NULL
    cdef const double *t = &target[0] if n else NULL
    cdef const double *u = &held_target[0] if m else NULL
    with nogil:
        for j in range(first.shape[0]):
            if n:
                row = &first[j, 0]
            if m:
                other = &second[j, 0]
            share[j] = table.dot(row, x, n) / size
            table.less(row, x, share[j], n, t, of_row)
            sums[0, j], sums[1, j] = of_row[0], of_row[1]
            table.less(other, z, share[j], m, u, of_row)
            sums[2, j], sums[3, j] = of_row[0], of_row[1]
