# SPDX-License-Identifier: BSD-3-Clause
"""The upper triangle of a matrix as rows at addresses, and the passes over a row.

rows[r] is the address of the numbers of row r, of the columns r + 1, r + 2, ..., m - 1. The passes
are described in hierarchy/linkage.h.
"""

from libc.stdint cimport int32_t, uint64_t

from statfast._core.hierarchy.lance_williams cimport COMPLETE, WARD, union_rule
from statfast._core.tile.rows cimport real
from statfast._core.tile.tiles cimport level


cdef enum:
    ROWS_AHEAD = 64  # rows between the prefetch of a number of a column and its use

cdef extern from "hierarchy/linkage_table.h" nogil:
    ctypedef struct linkage_f32:
        void (*square)(const float *x, Py_ssize_t n, double scale, float *out) noexcept nogil
        void (*scan)(
            const float *x, Py_ssize_t n, Py_ssize_t row, Py_ssize_t first, float *low,
            int32_t *who, float *best, int32_t *at
        ) noexcept nogil
        void (*seek)(
            const float *x, const float *gone, Py_ssize_t n, Py_ssize_t first, float *best,
            int32_t *at
        ) noexcept nogil
        void (*unite)(
            const union_rule *u, const float *a, const float *b, const float *size, Py_ssize_t n,
            float *out
        ) noexcept nogil
        Py_ssize_t (*squeeze)(
            const float *x, const uint64_t *keep, Py_ssize_t start, Py_ssize_t n, float *out
        ) noexcept nogil

    ctypedef struct linkage_f64:
        void (*square)(const double *x, Py_ssize_t n, double scale, double *out) noexcept nogil
        void (*scan)(
            const double *x, Py_ssize_t n, Py_ssize_t row, Py_ssize_t first, double *low,
            int32_t *who, double *best, int32_t *at
        ) noexcept nogil
        void (*seek)(
            const double *x, const double *gone, Py_ssize_t n, Py_ssize_t first, double *best,
            int32_t *at
        ) noexcept nogil
        void (*unite)(
            const union_rule *u, const double *a, const double *b, const double *size,
            Py_ssize_t n, double *out
        ) noexcept nogil
        Py_ssize_t (*squeeze)(
            const double *x, const uint64_t *keep, Py_ssize_t start, Py_ssize_t n, double *out
        ) noexcept nogil

    ctypedef struct linkage_kernels:
        linkage_f32 f32
        linkage_f64 f64

    const linkage_kernels *linkage_at(int level)
    void fetch "FETCH_FAR"(const void *place)


cdef inline const linkage_kernels *table() noexcept nogil:
    return linkage_at(level())


cdef inline const real *row_at(
    const Py_ssize_t[::1] rows, Py_ssize_t r, real example
) noexcept nogil:
    """The numbers of row r, from column r + 1 on."""
    return <const real *>rows[r]


cdef inline const real *number(
    const Py_ssize_t[::1] rows, Py_ssize_t low, Py_ssize_t high, real example
) noexcept nogil:
    return <const real *>rows[low] + high - low - 1


cdef inline void pick(
    const Py_ssize_t[::1] rows, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t column, real *out
) noexcept nogil:
    """Copy the numbers of a column in some of the rows before it to out[begin:end]."""
    cdef Py_ssize_t r, ready = max(begin, end - ROWS_AHEAD)
    for r in range(begin, ready):
        fetch(number(rows, r + ROWS_AHEAD, column, out[0]))
        out[r] = number(rows, r, column, out[0])[0]
    for r in range(ready, end):
        out[r] = number(rows, r, column, out[0])[0]


cdef inline void scan_row(
    const real *x, Py_ssize_t n, Py_ssize_t row, Py_ssize_t first, real *low, int32_t *who,
    real *best, int32_t *at,
) noexcept nogil:
    if real is float:
        table().f32.scan(x, n, row, first, low, who, best, at)
    else:
        table().f64.scan(x, n, row, first, low, who, best, at)


cdef inline void seek(
    const real *x, const real *gone, Py_ssize_t m, Py_ssize_t first, real *best, int32_t *at
) noexcept nogil:
    if first >= m:
        return
    if real is float:
        table().f32.seek(x, gone + first, m - first, first, best, at)
    else:
        table().f64.seek(x, gone + first, m - first, first, best, at)


cdef inline void square(const real *x, Py_ssize_t n, double scale, real *out) noexcept nogil:
    if real is float:
        table().f32.square(x, n, scale, out)
    else:
        table().f64.square(x, n, scale, out)


cdef inline void unite(
    const union_rule *u, const real *a, const real *b, const real *size, Py_ssize_t n, real *out
) noexcept nogil:
    if real is float:
        table().f32.unite(u, a, b, size, n, out)
    else:
        table().f64.unite(u, a, b, size, n, out)


cdef inline Py_ssize_t squeeze(
    const real *x, const uint64_t *keep, Py_ssize_t start, Py_ssize_t n, real *out
) noexcept nogil:
    if real is float:
        return table().f32.squeeze(x, keep, start, n, out)
    else:
        return table().f64.squeeze(x, keep, start, n, out)


cdef inline void fold(
    int rule, real size, const real *x, const int32_t *other, const int32_t *at, const real *one,
    const real *two, const real *apart, Py_ssize_t count, real *to,
) noexcept nogil:
    """As `unite`, but for the distances of one cluster of `size` points to several unions: to[at]
    are those to the first part of each union, x[other] those to the second. `one` and `two` are
    the sizes of the parts, or `one` is a share."""
    cdef Py_ssize_t c
    cdef real a, b
    if rule == COMPLETE:
        for c in range(count):
            a, b = to[at[c]], x[other[c]]
            to[at[c]] = a if a > b else b
    elif rule == WARD:
        for c in range(count):
            a, b = to[at[c]], x[other[c]]
            to[at[c]] = (one[c] * a + two[c] * b + size * (a + b - apart[c])) / (
                one[c] + two[c] + size
            )
    else:
        for c in range(count):
            a, b = to[at[c]], x[other[c]]
            to[at[c]] = a + one[c] * (b - a)
