# SPDX-License-Identifier: BSD-3-Clause
"""Sheets of products.pyx: how large they are, and how rows come into them."""

from cython.view cimport contiguous
from libc.stdlib cimport malloc
from libc.string cimport memset

from statfast._core.linalg.products_table cimport products_kernels
from statfast._core.tile.rows cimport number, stride_of

cdef extern from *:
    """
    #define STATFAST_ROUNDING (10 * 0x1p-52)
    #define STATFAST_MIN_SQUARED 1e-150
    """
    const double ROUNDING "STATFAST_ROUNDING"  # of a mean: a deviation below it is rounding
    const double MIN_SQUARED "STATFAST_MIN_SQUARED"  # a deviation below it has no square

ctypedef fused real:
    float
    double


cdef inline Py_ssize_t room(const products_kernels *table, Py_ssize_t d) noexcept nogil:
    """Row stride of a sheet of d numbers: whole tiles, and no 2 KB multiple (see `padded`)."""
    cdef Py_ssize_t down = (d + table.rows - 1) // table.rows * table.rows
    cdef Py_ssize_t across = (d + table.across - 1) // table.across * table.across
    cdef Py_ssize_t ld = (max(down, across) + 7) // 8 * 8
    return ld + 16 if ld % 256 == 0 else ld


cdef inline Py_ssize_t sheet_rows(
    const products_kernels *table, Py_ssize_t ld, Py_ssize_t nbytes, Py_ssize_t least
) noexcept nogil:
    """How many rows make a sheet: whole tiles."""
    cdef Py_ssize_t tiles = max(nbytes // (8 * ld), least) // table.rows
    return min(512 // table.rows, max(1, tiles)) * table.rows


cdef inline void load(
    const products_kernels *table, const number[:, ::contiguous] X, Py_ssize_t first,
    Py_ssize_t some, Py_ssize_t d, const double *shift, const double *scale, double *z,
    Py_ssize_t ld,
) noexcept nogil:
    """z = (x - shift) * scale of some rows."""
    if number is double:
        table.shift_f64(&X[first, 0], stride_of(X), some, d, shift, scale, z, ld)
    elif number is float:
        table.shift_f32(&X[first, 0], stride_of(X), some, d, shift, scale, z, ld)
    else:
        table.shift_u8(&X[first, 0], stride_of(X), some, d, shift, scale, z, ld)


cdef inline void fetch(
    const products_kernels *table, const number[:, ::contiguous] X, Py_ssize_t first,
    Py_ssize_t some,
) noexcept nogil:
    """Some rows, if there are, on their way to the cache while others are multiplied."""
    cdef Py_ssize_t left = min(some, X.shape[0] - first)
    if left > 0:
        table.fetch(<const char *>&X[first, 0], X.strides[0], left, X.shape[1] * sizeof(number))


cdef inline void *zeros(Py_ssize_t doubles) except NULL:
    cdef void *block = malloc(64 + 8 * doubles)
    if block == NULL:
        raise MemoryError
    memset(block, 0, 64 + 8 * doubles)
    return block
