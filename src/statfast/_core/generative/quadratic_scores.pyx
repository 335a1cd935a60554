# SPDX-License-Identifier: BSD-3-Clause
"""Quadratic scores of rows for K classes, and what follows: posteriors or the best class.

The score of class k is height - |A (x - origin) - offset|^2 / 2, where A is the inverse of a
Cholesky factor (lower triangle) or another root of the inverse covariance. Points lie across the
tile and the rows of A down, so that squares are added down the columns and the softmax over
classes follows in place. A tile of rows of a triangle stops at its last column that is not zero.

Each function returns whether all scores were finite, as those of finite rows nearly always are.
All arithmetic is float64.

Cost: K d^2 flop a row for triangles, 2 K d r for others with r rows, and K exponentials. The caller
guarantees rows of contiguous numbers.
"""

from cython.view cimport contiguous
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from statfast._core.tile.rows cimport aligned, lay, number, panel_columns, real, stride_of
from statfast._core.tile.tiles cimport STORE_SCORE, active


def scores(
    const number[:, ::contiguous] X,   # IN (n, d)
    const double[:, :, ::1] factors,   # IN (K, r, d), zeros below the rank of a class
    const double[:, ::1] offsets,      # IN (K, r) A (mean - origin)
    const float[:, ::1] origins,       # IN (K, d)
    const double[::1] heights,         # IN (K,)
    bint triangular,                   # whether all A are lower triangles
    real[:, ::1] out,                  # OUT (n, K)
):
    """out = the scores"""
    return X.shape[0] == 0 or quadratic(
        X, factors, offsets, origins, heights, triangular, &out[0, 0], NULL, False)


def softmax(
    const number[:, ::contiguous] X,
    const double[:, :, ::1] factors,
    const double[:, ::1] offsets,
    const float[:, ::1] origins,
    const double[::1] heights,
    bint triangular,
    real[:, ::1] out,                  # OUT (n, K)
):
    """out = exp(score) / sum of exp(score) over the classes"""
    return X.shape[0] == 0 or quadratic(
        X, factors, offsets, origins, heights, triangular, &out[0, 0], NULL, True)


def argmax(
    const number[:, ::contiguous] X,
    const double[:, :, ::1] factors,
    const double[:, ::1] offsets,
    const float[:, ::1] origins,
    const double[::1] heights,
    bint triangular,
    Py_ssize_t[::1] out,               # OUT (n,) class of the largest score, the lowest on ties
):
    """out = class of the largest score, the lowest on ties"""
    return X.shape[0] == 0 or quadratic(
        X, factors, offsets, origins, heights, triangular, <double *>NULL, &out[0], False)


cdef int quadratic(
    const number[:, ::contiguous] X, const double[:, :, ::1] factors,
    const double[:, ::1] offsets, const float[:, ::1] origins, const double[::1] heights,
    bint triangular, real *out, Py_ssize_t *winner, bint normalize,
) except -1:
    """Scores, posteriors or winners; returns whether all scores are finite."""
    cdef double broken = 0  # stays 0 while scores are finite
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], classes = factors.shape[0]
    cdef Py_ssize_t r = factors.shape[1], ldx = stride_of(X), rows = active().rows
    cdef Py_ssize_t across = panel_columns(<double>0), tall = (r + rows - 1) // rows * rows
    cdef Py_ssize_t doubles = classes * tall * (d + 1) + across * (d + 2 + rows + classes)
    cdef Py_ssize_t first, some, i, j, c, depth
    cdef void *block
    cdef double *a
    cdef double *start
    cdef double *panel
    cdef double *norm
    cdef double *nothing
    cdef double *tile
    cdef double *delta
    block = malloc(64 + sizeof(double) * doubles)
    if block == NULL:
        raise MemoryError
    with nogil:
        memset(block, 0, 64 + sizeof(double) * doubles)
        panel = <double *>aligned(block)
        tile = panel + across * d
        delta = tile + across * rows
        nothing = delta + across * classes
        norm = nothing + across
        a = norm + across
        start = a + classes * tall * d
        for c in range(classes):
            if r > 0:
                memcpy(a + c * tall * d, &factors[c, 0, 0], r * d * sizeof(double))
            for i in range(r):
                start[c * tall + i] = -offsets[c, i]
        first = 0
        while first < n:
            some = min(across, n - first)
            for c in range(classes):
                lay(&X[first, 0], ldx, NULL, some, d, &origins[c, 0], 1, panel,
                    norm)
                memset(delta + c * across, 0, across * sizeof(double))
                for i from 0 <= i < tall by rows:
                    depth = min(d, i + rows) if triangular else d
                    active().f64.store(a + (c * tall + i) * d, d, start + c * tall + i, rows,
                                       panel, nothing, depth, STORE_SCORE, 0, tile, across, across)
                    add_squares(tile, min(rows, r - i), across, delta + c * across)
                for j in range(across):
                    delta[c * across + j] = heights[c] - 0.5 * delta[c * across + j]
                for j in range(some):
                    broken += delta[c * across + j] * 0
            if winner != NULL:
                for i in range(some):
                    winner[first + i] = 0
                    for c in range(1, classes):
                        if delta[c * across + i] > delta[winner[first + i] * across + i]:
                            winner[first + i] = c
            else:
                if normalize:
                    active().f64.softmax(delta, classes)
                for i in range(some):
                    for c in range(classes):
                        out[(first + i) * classes + c] = <real>delta[c * across + i]
            first += some
    free(block)
    return broken == 0


cdef inline void add_squares(
    const double *tile, Py_ssize_t rows, Py_ssize_t across, double *total
) noexcept nogil:
    """total[j] += the squares of column j of a tile"""
    cdef Py_ssize_t i, j
    for i in range(rows):
        for j in range(across):
            total[j] += tile[i * across + j] * tile[i * across + j]
