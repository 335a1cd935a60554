# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Log densities of rows of independent normal columns in each class, and posteriors.

The squares are of differences, (x - m)^2, never expanded: classes far from the origin lose no
digits. A panel of points is laid with one point a lane, scored for all classes, and the softmax
runs down its columns while it is in cache: the rows are read once and n K numbers are written.

Each function returns whether all scores were finite. Cost: 3 n K d flop and n K exponentials. The
caller guarantees rows of contiguous numbers, and squares that do not overflow to NaN.
"""

from cython.view cimport contiguous
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from statfast._core.tile.rows cimport aligned, lay, number, panel_columns, real, stride_of
from statfast._core.tile.tiles cimport active, level

cdef extern from "generative/normal_scores_table.h" nogil:
    ctypedef struct normal_scores_kernels:
        void (*score)(
            const double *panel, Py_ssize_t d, const double *mean, const double *half,
            const double *begin, Py_ssize_t classes, double *out
        ) noexcept nogil
    const normal_scores_kernels *normal_scores_at(int level)

cdef const normal_scores_kernels *kernels = normal_scores_at(level())


def scores(
    const number[:, ::contiguous] X,  # IN (n, d)
    const double[:, ::1] mean,        # IN (K, d)
    const double[:, ::1] half,        # IN (K, d) one over twice the variances
    const double[::1] begin,          # IN (K,) log prior + sum of log of 1 / sqrt(2 pi variance)
    real[:, ::1] out,                 # OUT (n, K)
):
    """out = log of prior times density"""
    return X.shape[0] == 0 or normal(X, mean, half, begin, &out[0, 0], False)


def softmax(
    const number[:, ::contiguous] X,
    const double[:, ::1] mean,
    const double[:, ::1] half,
    const double[::1] begin,
    real[:, ::1] out,                 # OUT (n, K)
):
    """out = posterior of each class"""
    return X.shape[0] == 0 or normal(X, mean, half, begin, &out[0, 0], True)


cdef int normal(
    const number[:, ::contiguous] X, const double[:, ::1] mean, const double[:, ::1] half,
    const double[::1] begin, real *out, bint normalize,
) except -1:
    cdef double broken = 0  # stays 0 while scores are finite
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], classes = mean.shape[0], ldx = stride_of(X)
    cdef Py_ssize_t across = panel_columns(<double>0), first = 0, some, i, c
    cdef Py_ssize_t doubles = across * (d + 1 + classes)
    cdef void *block = malloc(64 + sizeof(double) * doubles + sizeof(float) * d)
    cdef double *panel
    cdef double *norm
    cdef double *tile
    cdef float *origin
    if block == NULL:
        raise MemoryError
    with nogil:
        memset(block, 0, 64 + sizeof(double) * doubles + sizeof(float) * d)
        panel = <double *>aligned(block)
        tile = panel + across * d
        norm = tile + across * classes
        origin = <float *>(norm + across)
        while first < n:
            some = min(across, n - first)
            lay(&X[first, 0], ldx, NULL, some, d, origin, 1, panel, norm)
            kernels.score(panel, d, &mean[0, 0], &half[0, 0], &begin[0], classes, tile)
            for c in range(classes):
                for i in range(some):
                    broken += tile[c * across + i] * 0
            if normalize:
                active().f64.softmax(tile, classes)
            for i in range(some):
                for c in range(classes):
                    out[(first + i) * classes + c] = <real>tile[c * across + i]
            first += some
    free(block)
    return broken == 0
