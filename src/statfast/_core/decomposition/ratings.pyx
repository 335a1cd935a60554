# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Half a step of alternating least squares: one side's factors from the other's.

For each row of ratings, with Z the factors of what it rates and t the ratings less what is known,
    (base + Z' W Z + lambda I) x = Z' W t
is made by the register tile, the targets being one more column of Z, and solved at once, with
x >= 0 where that is asked for. Zhou,
Wilkinson, Schreiber & Pan 2008, doi:10.1007/978-3-540-68880-8_32; implicit feedback: Hu, Koren &
Volinsky 2008, doi:10.1109/ICDM.2008.22.

Cost: q^2 flop a rating, in float32 where the table is given so, and q^3 / 3 a row. The caller
guarantees places within the table, and calls short enough for Ctrl-C.
"""

from libc.stdlib cimport free, malloc
from libc.string cimport memset

from statfast._core.tile.rows cimport aligned, panel_columns, real
from statfast._core.tile.tiles cimport active, level

cdef extern from "decomposition/ratings_table.h" nogil:
    ctypedef struct ratings_kernels:
        void (*gather)(
            const double *table, Py_ssize_t q, const int *places, const double *target,
            const double *w, Py_ssize_t n, double *z, double *wz, Py_ssize_t ld
        ) noexcept nogil
        void (*gather_rough)(
            const float *table, Py_ssize_t q, const int *places, const double *target,
            const double *w, Py_ssize_t n, float *z, float *wz, Py_ssize_t ld
        ) noexcept nogil
        void (*solve)(
            double *upper, Py_ssize_t q, Py_ssize_t ld, double least, double *x
        ) noexcept nogil
        void (*solve_bounded)(
            double *upper, Py_ssize_t q, Py_ssize_t ld, Py_ssize_t bounded, double least, double *x
        ) noexcept nogil
    const ratings_kernels *ratings_at(int level)

cdef const ratings_kernels *kernels = ratings_at(level())

cdef enum:
    SHEET_ROWS = 128        # ratings gathered at a time: of 50 factors, 64 KB

cdef extern from *:
    """
    #define STATFAST_UNDETERMINED 1e-13
    """
    const double UNDETERMINED "STATFAST_UNDETERMINED"  # of a pivot: below it is rounding


def half_step(
    const Py_ssize_t[::1] starts,   # IN (n + 1,) of the rows' ratings
    const int[::1] places,          # IN what is rated
    const double[::1] targets,      # IN (as many)
    const double[::1] weights,      # IN (as many) or None for ones
    Py_ssize_t first,               # rows first..stop are solved for
    Py_ssize_t stop,
    const double[:, ::1] table,     # IN (m, q + 1) factors of the other side, and what is known
    const float[:, ::1] rough,      # IN the table in float32, of which sums are made; or None
    const double[:, ::1] base,      # IN (q, q) symmetric, or None for 0
    const double[::1] ridges,       # IN (n,) on each x^2 of a row
    Py_ssize_t bounded,             # the first so many factors are not negative
    double[:, ::1] out,             # OUT (n, q)
):
    """Solve for some rows. Returns the sum of what is left of their objectives."""
    cdef Py_ssize_t q = table.shape[1] - 1, across = panel_columns(<float>0), down = active().rows
    cdef Py_ssize_t tall = (q + down) // down * down, wide = (q + across) // across * across
    cdef Py_ssize_t ld = (max(tall, wide) + 7) // 8 * 8, row, here, i, j, n
    cdef double left = 0
    cdef const double *w = NULL
    cdef const float *table32 = NULL
    cdef void *block = malloc(64 + sizeof(double) * ld * (2 * SHEET_ROWS + tall + q + 5))
    cdef double *work
    cdef double *upper
    cdef double *right
    if block == NULL:
        raise MemoryError
    if rough is not None:
        table32 = &rough[0, 0]
    with nogil:
        memset(block, 0, 64 + sizeof(double) * ld * (2 * SHEET_ROWS + tall + q + 5))
        right = <double *>aligned(block)
        upper = right + ld
        work = upper + (q + 4) * ld
        for row in range(first, stop):
            here = starts[row]
            n = starts[row + 1] - here
            if n == 0:
                for j in range(q):
                    out[row, j] = 0
                continue
            if weights is not None:
                w = &weights[here]
            if table32 != NULL:
                left += sum_up(
                    table32, q, &places[here], &targets[here], w, n, <float *>work, ld, tall,
                    upper, right
                )
            else:
                left += sum_up(
                    &table[0, 0], q, &places[here], &targets[here], w, n, work, ld, tall,
                    upper, right
                )
            for i in range(q):
                if base is not None:
                    for j in range(i, q):
                        upper[i * ld + j] += base[i, j]
                upper[i * ld + i] += ridges[row]
                upper[i * ld + q] = right[i]
            if bounded:
                kernels.solve_bounded(upper, q, ld, bounded, UNDETERMINED, &out[row, 0])
            else:
                kernels.solve(upper, q, ld, UNDETERMINED, &out[row, 0])
            for j in range(q):
                left -= out[row, j] * right[j]
    free(block)
    return left


cdef double sum_up(
    const real *table, Py_ssize_t q, const int *places, const double *target, const double *w,
    Py_ssize_t n, real *z, Py_ssize_t ld, Py_ssize_t tall, double *upper, double *right
) noexcept nogil:
    """upper = Z' W Z, right = Z' W t; returns t' W t. Made in sheets of rows from z on."""
    cdef Py_ssize_t here = 0, some, i, j
    cdef real *wz = z + SHEET_ROWS * ld if w != NULL else z
    cdef real *sums = z + 2 * SHEET_ROWS * ld
    memset(sums, 0, sizeof(real) * tall * ld)
    while here < n:
        some = min(<Py_ssize_t>SHEET_ROWS, n - here)
        if real is float:
            kernels.gather_rough(
                table, q, places + here, target + here, w + here if w != NULL else NULL, some,
                z, wz, ld
            )
            active().f32.rank_update(z, wz, ld, some, q + 1, sums)
        else:
            kernels.gather(
                table, q, places + here, target + here, w + here if w != NULL else NULL, some,
                z, wz, ld
            )
            active().f64.rank_update(z, wz, ld, some, q + 1, sums)
        here += some
    for i in range(q):
        for j in range(i, q):
            upper[i * ld + j] = sums[j * ld + i]
        right[i] = sums[q * ld + i]
    return sums[q * ld + q]
