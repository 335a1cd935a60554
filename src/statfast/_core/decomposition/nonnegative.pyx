# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Nonnegative least squares of many rows with the same Gram matrix, by cyclic coordinate descent.

Each row w of W minimizes w' G w / 2 - p' w over w >= 0. A sweep sets each coordinate in turn to its
minimum with all others fixed, max(0, w_t - (G w - p)_t / G_tt), and keeps the slope G w - p up to
date (Cichocki & Phan 2009, doi:10.1587/transfun.E92.A.708). A coordinate without curvature is left
as it is.

Cost: k^2 flop a row and sweep. The caller guarantees calls short enough for Ctrl-C.
"""

from libc.stdlib cimport free, malloc
from libc.string cimport memset

from statfast._core.tile.rows cimport aligned
from statfast._core.tile.tiles cimport level

cdef extern from "decomposition/nonnegative_table.h" nogil:
    ctypedef struct nonnegative_kernels:
        double (*sweep_row)(
            const double *gram, const double *inverse, const double *target, Py_ssize_t k,
            Py_ssize_t ld, Py_ssize_t most, double tol, double *slope, double *w
        ) noexcept nogil
    const nonnegative_kernels *nonnegative_at(int level)

cdef const nonnegative_kernels *kernels = nonnegative_at(level())

cdef enum:
    LANES = 8  # doubles of the widest vector

cdef extern from *:
    """
    #define STATFAST_MIN_CURVATURE 1e-300
    """
    const double MIN_CURVATURE "STATFAST_MIN_CURVATURE"  # whose reciprocal is finite


def sweep_rows(
    const double[:, ::1] gram,     # IN (k, k) symmetric
    const double[:, ::1] targets,  # IN (n, >= k)
    Py_ssize_t most,               # sweeps at most
    double tol,                    # they end at this share of a row's first violation
    double[:, ::1] W,              # INOUT (n, >= k) nonnegative
):
    """Descend for each row. Returns the sum of their violations of optimality in sweep 1."""
    cdef Py_ssize_t n = W.shape[0], k = gram.shape[0], ld = (k + LANES - 1) // LANES * LANES, i, j
    cdef double total = 0
    cdef void *block = malloc(64 + sizeof(double) * ld * (k + 2))
    cdef double *slope
    cdef double *inverse
    cdef double *padded
    if block == NULL:
        raise MemoryError
    with nogil:
        memset(block, 0, 64 + sizeof(double) * ld * (k + 2))
        slope = <double *>aligned(block)
        inverse = slope + ld
        padded = inverse + ld
        for i in range(k):
            for j in range(k):
                padded[i * ld + j] = gram[i, j]
            inverse[i] = 1 / gram[i, i] if gram[i, i] > MIN_CURVATURE else 0
        for i in range(n):
            total += kernels.sweep_row(
                padded, inverse, &targets[i, 0], k, ld, most, tol, slope, &W[i, 0])
    free(block)
    return total
