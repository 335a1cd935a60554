# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Linear scores of rows for K classes, and what follows from them: posteriors or the best class.

Each function returns whether all scores were finite, as those of finite rows nearly always are.

The rows are the points and the classes the rows of a tile, so that the softmax runs down the
columns with one point a lane. All arithmetic is float64.

Cost: 2 n K d flop and n K exponentials. The caller guarantees rows of contiguous numbers.
"""

from cython.view cimport contiguous
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from statfast._core.tile.rows cimport aligned, lay, number, panel_columns, real, stride_of
from statfast._core.tile.tiles cimport STORE_SCORE, active


def scores(
    const number[:, ::contiguous] X,  # IN (n, d)
    const double[:, ::1] coef,      # IN (K, d)
    const double[::1] intercept,    # IN (K,)
    real[:, ::1] out,               # OUT (n, K)
):
    """out = X coef' + intercept"""
    return X.shape[0] == 0 or linear(X, coef, intercept, &out[0, 0], NULL, False)


def softmax(
    const number[:, ::contiguous] X,
    const double[:, ::1] coef,
    const double[::1] intercept,
    real[:, ::1] out,               # OUT (n, K)
):
    """out = exp(score) / sum of exp(score) over the classes"""
    return X.shape[0] == 0 or linear(X, coef, intercept, &out[0, 0], NULL, True)


def argmax(
    const number[:, ::contiguous] X,
    const double[:, ::1] coef,
    const double[::1] intercept,
    Py_ssize_t[::1] out,            # OUT (n,) class of the largest score, the lowest on ties
):
    """out = class of the largest score, the lowest on ties"""
    return X.shape[0] == 0 or linear(X, coef, intercept, <double *>NULL, &out[0], False)


cdef int linear(
    const number[:, ::contiguous] X, const double[:, ::1] coef, const double[::1] intercept,
    real *out, Py_ssize_t *winner, bint normalize,
) except -1:
    """Scores, posteriors or winners; returns whether all scores are finite."""
    cdef double broken = 0  # stays 0 while scores are finite
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], classes = coef.shape[0], ldx = stride_of(X)
    cdef Py_ssize_t across = panel_columns(<double>0), rows = active().rows
    cdef Py_ssize_t filled = (classes + rows - 1) // rows * rows, first, some, i, c
    cdef void *block
    cdef double *a
    cdef double *start
    cdef double *norm
    cdef double *panel
    cdef double *nothing
    cdef double *tile
    cdef float *origin
    cdef Py_ssize_t doubles = filled * (d + 1) + across * (d + 2 + filled)
    block = malloc(64 + sizeof(double) * doubles + sizeof(float) * d)
    if block == NULL:
        raise MemoryError
    with nogil:
        memset(block, 0, 64 + sizeof(double) * doubles + sizeof(float) * d)
        panel = <double *>aligned(block)
        tile = panel + across * d
        nothing = tile + across * filled
        norm = nothing + across
        a = norm + across
        start = a + filled * d
        origin = <float *>(start + filled)
        memcpy(a, &coef[0, 0], classes * d * sizeof(double))
        memcpy(start, &intercept[0], classes * sizeof(double))
        first = 0
        while first < n:
            some = min(across, n - first)
            lay(&X[first, 0], ldx, NULL, some, d, origin, 1, panel, norm)
            active().f64.store(a, d, start, classes, panel, nothing, d, STORE_SCORE, 0,
                               tile, across, across)
            for c in range(classes * across):
                broken += tile[c] * 0
            if winner != NULL:
                for i in range(some):
                    winner[first + i] = 0
                    for c in range(1, classes):
                        if tile[c * across + i] > tile[winner[first + i] * across + i]:
                            winner[first + i] = c
            else:
                if normalize:
                    active().f64.softmax(tile, classes)
                for i in range(some):
                    for c in range(classes):
                        out[(first + i) * classes + c] = <real>tile[c * across + i]
            first += some
    free(block)
    return broken == 0
