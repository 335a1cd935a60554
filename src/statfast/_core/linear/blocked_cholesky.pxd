# SPDX-License-Identifier: BSD-3-Clause
"""Steps of a Cholesky factorization by blocks of columns: see `factorize` in
linear/coordinate_descent.pyx."""

from libc.math cimport sqrt

from statfast._core.tile.tiles cimport STORE_SCORE, active

cdef extern from "linear/coordinate_descent_table.h" nogil:
    enum:
        BLOCK_COLUMNS

cdef enum:
    TILE_SPARE_ROWS = 32  # of a last tile, beyond those there are


cdef inline void product(
    const double *a, Py_ssize_t lda, Py_ssize_t n, const double *b, Py_ssize_t ldb,
    Py_ssize_t depth, const double *zero, double *panel, Py_ssize_t wide, double *out,
    Py_ssize_t ldo,
) noexcept nogil:
    """out (n, BLOCK_COLUMNS) = a (n, depth) times the transpose of b (BLOCK_COLUMNS, depth)."""
    cdef Py_ssize_t j = 0
    while j < BLOCK_COLUMNS:
        active().f64.pack(b + j * ldb, ldb, wide, depth, panel)
        active().f64.store(a, lda, zero, n, panel, zero, depth, STORE_SCORE, 0, out + j, ldo, wide)
        j += wide


cdef inline bint invert(
    double *a, Py_ssize_t k, double least, const double[:, ::1] G, const Py_ssize_t[::1] order,
    Py_ssize_t c, double *L, Py_ssize_t ld, double *inverse,
) noexcept nogil:
    """The factor L of a block a (k, BLOCK_COLUMNS) on the diagonal, and its inverse (BLOCK_COLUMNS,
    BLOCK_COLUMNS)."""
    cdef Py_ssize_t i, j, t
    cdef double sum
    for j in range(k):
        for i in range(j, k):
            sum = a[i * BLOCK_COLUMNS + j]
            for t in range(j):
                sum -= L[i * ld + t] * L[j * ld + t]
            if i == j:
                if not sum > least * G[order[c + j], order[c + j]]:
                    return False
                L[i * ld + j] = sqrt(sum)
            else:
                L[i * ld + j] = sum / L[j * ld + j]
    for i in range(BLOCK_COLUMNS * BLOCK_COLUMNS):
        inverse[i] = 0
    for j in range(k):
        inverse[j * BLOCK_COLUMNS + j] = 1.0 / L[j * ld + j]
        for i in range(j + 1, k):
            sum = 0
            for t in range(j, i):
                sum -= L[i * ld + t] * inverse[t * BLOCK_COLUMNS + j]
            inverse[i * BLOCK_COLUMNS + j] = sum / L[i * ld + i]
    return True
