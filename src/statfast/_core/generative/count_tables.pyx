# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Counts of the columns of sparse rows by class, and rows of tables added up for sparse rows.

Multinomial, Bernoulli and categorical naive Bayes: a category is a column that is one. Tables have
a row for each column of the data and a place for each class, so that what a nonzero needs lies
together (F. G. Gustavson 1978, doi:10.1145/355791.355796).

Cost: one place of the table a nonzero for counts, K for scores. The caller guarantees columns and
codes in their ranges.
"""

from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free

from statfast._core.tile.rows cimport aligned, panel_columns
from statfast._core.tile.tiles cimport active, level

cdef extern from "generative/count_tables_table.h" nogil:
    ctypedef struct count_tables_kernels:
        void (*score)(
            const int32_t *column, const double *value, Py_ssize_t n, const double *table,
            Py_ssize_t ld, Py_ssize_t width, const double *begin, double *out
        ) noexcept nogil
    const count_tables_kernels *count_tables_at(int level)

cdef const count_tables_kernels *kernels = count_tables_at(level())


def add_counts(
    const Py_ssize_t[::1] start,    # IN (n + 1,)
    const int32_t[::1] column,      # IN (nonzeros,)
    const double[::1] value,        # IN (nonzeros,) or None for ones
    const Py_ssize_t[::1] codes,    # IN (n,) class of every row
    const double[::1] weights,      # IN (n,) or None for ones
    double[:, ::1] table,           # INOUT (d, K)
):
    """table[column, class] += w value"""
    cdef Py_ssize_t n = codes.shape[0], classes = table.shape[1], i, s
    cdef double w
    cdef double *place
    if n == 0 or table.shape[0] == 0:
        return
    with nogil:
        for i in range(n):
            w = 1 if weights is None else weights[i]
            place = &table[0, 0] + codes[i]
            if value is None:
                for s in range(start[i], start[i + 1]):
                    place[column[s] * classes] += w
            else:
                for s in range(start[i], start[i + 1]):
                    place[column[s] * classes] += w * value[s]


def scores(
    const Py_ssize_t[::1] start,    # IN (n + 1,)
    const int32_t[::1] column,      # IN (nonzeros,)
    const double[::1] value,        # IN (nonzeros,) or None for ones
    const double[::1] table,        # IN (d K + 7,) row by row; the last seven are read
    const double[::1] begin,        # IN (K,)
    bint normalize,
    double[:, ::1] out,             # OUT (n, K)
):
    """out = begin + sum of value times rows of the table, or the softmax of that

    Returns whether all scores were finite.
    """
    cdef Py_ssize_t n = out.shape[0], classes = out.shape[1], width = (classes + 7) // 8 * 8
    cdef Py_ssize_t across = panel_columns(<double>0), i, j, c, some
    cdef const int32_t *at = &column[0] if column.shape[0] else NULL
    cdef const double *x = NULL
    cdef double broken = 0  # stays 0 while scores are finite
    cdef double *wide
    cdef double *room
    cdef double *tile
    cdef void *block
    if n == 0:
        return True
    if value is not None and value.shape[0]:
        x = &value[0]
    block = calloc(2 * width + across * classes + 8, sizeof(double))
    if block == NULL:
        raise MemoryError
    with nogil:
        tile = <double *>aligned(block)
        wide = tile + across * classes
        room = wide + width
        for c in range(classes):
            wide[c] = begin[c]
        for j from 0 <= j < n by across:
            some = min(across, n - j)
            for i in range(some):
                kernels.score(at + start[j + i], x + start[j + i] if x != NULL else x,
                              start[j + i + 1] - start[j + i], &table[0], classes, width, wide,
                              room)
                for c in range(classes):
                    tile[c * across + i] = room[c]
                    broken += room[c] * 0
            if normalize:
                active().f64.softmax(tile, classes)
            for i in range(some):
                for c in range(classes):
                    out[j + i, c] = tile[c * across + i]
    free(block)
    return broken == 0
