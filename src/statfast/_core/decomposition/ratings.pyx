# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Half a step of alternating least squares: one side's factors from the other's.

For each row of ratings, with Z the factors of what it rates and t the ratings less what is known,
    (base + Z' W Z + lambda I) x = Z' W t
is made by the register tile, the targets being one more column of Z, and solved at once. Zhou,
Wilkinson, Schreiber & Pan 2008, doi:10.1007/978-3-540-68880-8_32; implicit feedback: Hu, Koren &
Volinsky 2008, doi:10.1109/ICDM.2008.22.

Cost: q^2 flop a rating and q^3 / 3 a row. The caller guarantees places within the table, and calls
short enough for Ctrl-C.
"""

from libc.stdlib cimport free, malloc
from libc.string cimport memset

from statfast._core.tile.rows cimport aligned, panel_columns
from statfast._core.tile.tiles cimport active, level

cdef extern from "decomposition/ratings_table.h" nogil:
    ctypedef struct ratings_kernels:
        void (*gather)(
            const double *table, Py_ssize_t q, const int *places, const double *target,
            const double *w, Py_ssize_t n, double *z, double *wz, Py_ssize_t ld
        ) noexcept nogil
        void (*solve)(
            double *upper, Py_ssize_t q, Py_ssize_t ld, double least, double *x
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
    const double[:, ::1] base,      # IN (q, q) symmetric, or None for 0
    double penalty,                 # on each x^2 ...
    bint counted,                   # ... times the number of ratings of the row
    double[:, ::1] out,             # OUT (n, q)
):
    """Solve for some rows. Returns the sum of what is left of their objectives."""
    cdef Py_ssize_t q = table.shape[1] - 1, across = panel_columns(<double>0), down = active().rows
    cdef Py_ssize_t tall = (q + down) // down * down, wide = (q + across) // across * across
    cdef Py_ssize_t ld = (max(tall, wide) + 7) // 8 * 8, row, here, some, i, j, n
    cdef double left = 0, ridge
    cdef const double *w = NULL
    cdef void *block = malloc(64 + sizeof(double) * ld * (2 * SHEET_ROWS + tall + q + 4))
    cdef double *z
    cdef double *wz
    cdef double *sums
    cdef double *upper
    if block == NULL:
        raise MemoryError
    with nogil:
        memset(block, 0, 64 + sizeof(double) * ld * (2 * SHEET_ROWS + tall + q + 4))
        z = <double *>aligned(block)
        wz = z + SHEET_ROWS * ld if weights is not None else z
        sums = z + 2 * SHEET_ROWS * ld
        upper = sums + tall * ld
        for row in range(first, stop):
            here = starts[row]
            n = starts[row + 1] - here
            if n == 0:
                for j in range(q):
                    out[row, j] = 0
                continue
            memset(sums, 0, sizeof(double) * tall * ld)
            while here < starts[row + 1]:
                some = min(<Py_ssize_t>SHEET_ROWS, starts[row + 1] - here)
                if weights is not None:
                    w = &weights[here]
                kernels.gather(&table[0, 0], q, &places[here], &targets[here], w, some, z, wz, ld)
                active().f64.rank_update(z, wz, ld, some, q + 1, sums)
                here += some
            ridge = penalty * n if counted else penalty
            for i in range(q):
                for j in range(i + 1):
                    upper[j * ld + i] = sums[i * ld + j]
                    if base is not None:
                        upper[j * ld + i] += base[i, j]
                upper[i * ld + i] += ridge
                upper[i * ld + q] = sums[q * ld + i]
            kernels.solve(upper, q, ld, UNDETERMINED, &out[row, 0])
            left += sums[q * ld + q]
            for j in range(q):
                left -= out[row, j] * sums[q * ld + j]
    free(block)
    return left
