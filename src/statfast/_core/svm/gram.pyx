# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Rows of a kernel matrix, made by the register tiles: stored as floats, or summed in double.

The tile's product (or its squared distance) is turned into a kernel value before it leaves the
first cache: x = a.b for polynomial (gamma x + coef0)^degree, sigmoid tanh(gamma x + coef0) and
linear kernels, exp(-gamma |a - b|^2) by the tile's own epilogue. `weigh` never stores anything.

Float rows are off by about gamma (d + 8) 2^-24 of |a|^2 + |b|^2 in the exponent: good enough to
find a solution, which `weigh` then checks. Where that is too much, values are made in double.

Cost: 2 d flop a value and the function. The caller guarantees rows of moderate size (no overflow of
squares), and blocks small enough that Ctrl-C is heard.
"""

import numpy as np

from libc.stdint cimport int32_t
from libc.string cimport memcpy

from statfast._core.tile.rows cimport convert, measure, padded, panel_columns
from statfast._core.tile.tiles cimport MAP_SIGMOID, STORE_RBF, STORE_SCORE, active, level

cdef extern from "svm/gram_table.h" nogil:
    ctypedef struct gram_kernels:
        void (*sum_f32)(
            const float *x, Py_ssize_t wide, Py_ssize_t n, const double *w, double *sums
        ) noexcept nogil
        void (*sum_f64)(
            const double *x, Py_ssize_t wide, Py_ssize_t n, const double *w, double *sums
        ) noexcept nogil
    const gram_kernels *gram_at(int level)

cdef const gram_kernels *kernels = gram_at(level())

cdef enum:
    MAX_TILE_ROWS = 112     # of a tile's rows at once: with 32 columns of floats, 14 KB
    MAX_TILE_COLUMNS = 32
    SPARE_ROWS = 16          # rows that a tile may read beyond the last
    MAX_PACKED = 1 << 15    # numbers of points packed at once: a quarter of the second cache

cdef enum:
    KIND_LINEAR
    KIND_RBF
    KIND_POLYNOMIAL
    KIND_SIGMOID

LINEAR, RBF, POLYNOMIAL, SIGMOID = KIND_LINEAR, KIND_RBF, KIND_POLYNOMIAL, KIND_SIGMOID

ctypedef fused floating:
    float
    double

cdef struct shape:      # of a kernel function
    int kind            # KIND_LINEAR, ...
    int degree
    double gamma
    double coef0


cdef shape shape_of(tuple kernel) except *:
    cdef shape s
    s.kind, s.gamma, s.degree, s.coef0 = kernel
    return s


def row_stride(Py_ssize_t d):
    """Numbers between rows as `lay` writes them."""
    return padded(d)


def columns(bint single):
    """How many points a panel holds."""
    return panel_columns(<float>0) if single else panel_columns(<double>0)


def lay(
    const double[:, ::1] X,         # IN (n, d)
    const Py_ssize_t[::1] index,    # IN (k,) rows to take
    const float[::1] origin,        # IN (d,)
    floating[:, ::1] rows,          # OUT (>= k + SPARE_ROWS, row_stride(d)) zero where not written
    floating[::1] start,            # OUT -|row|^2 / 2, as many
):
    """Some rows, less the origin, for the tiles; and half of their squared lengths."""
    cdef Py_ssize_t i, d = X.shape[1], ld = rows.shape[1]
    cdef floating norm
    with nogil:
        for i in range(index.shape[0]):
            convert(&X[index[i], 0], d, 1, d, &origin[0], 1, &rows[i, 0], ld)
            measure(&rows[i, 0], ld, 1, d, &start[i], &norm)


def pack(
    const floating[:, ::1] rows,    # IN (>= k, row_stride(d))
    Py_ssize_t k,
    Py_ssize_t d,
    floating[::1] panels,           # OUT (ceil(k / columns) * columns * d,)
):
    """Lay rows out in panels."""
    with nogil:
        pack_rows(&rows[0, 0], rows.shape[1], k, d, &panels[0])


cdef inline void pack_rows(
    const floating *rows, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t d, floating *panels
) noexcept nogil:
    if floating is float:
        active().f32.pack(rows, ld, n, d, panels)
    else:
        active().f64.pack(rows, ld, n, d, panels)


def store(
    tuple kernel,                   # (kind, gamma, degree, coef0)
    const floating[:, ::1] rows,    # IN (>= k + SPARE_ROWS, row_stride(d))
    const floating[::1] start,      # IN of the rows; of RBF alone
    Py_ssize_t k,
    Py_ssize_t d,
    const floating[::1] panels,     # IN
    const floating[::1] across,     # IN start of the points, in whole panels; of RBF alone
    Py_ssize_t first,               # point: a multiple of the panel's
    Py_ssize_t stop,
    const int32_t[::1] slot,        # IN (k,)
    float[:, ::1] out,              # OUT out[slot[i], first:stop]
):
    """Kernel values of rows with points, made in either type."""
    cdef shape s = shape_of(kernel)
    cdef floating tile[MAX_TILE_ROWS * MAX_TILE_COLUMNS]
    cdef floating zeros[MAX_TILE_ROWS + SPARE_ROWS]
    cdef Py_ssize_t wide = panel_columns(<floating>0), ld = rows.shape[1]
    cdef Py_ssize_t most = MAX_TILE_ROWS // active().rows * active().rows, r, j, i, c, some, columns
    cdef const floating *down = zeros
    cdef const floating *over = zeros
    cdef float *to
    with nogil:
        for i in range(MAX_TILE_ROWS + SPARE_ROWS):
            zeros[i] = 0
        r = 0
        while r < k:
            some = min(most, k - r)
            j = first
            while j < stop:
                columns = min(wide, stop - j)
                if s.kind == KIND_RBF:
                    down, over = &start[r], &across[j]
                make(&s, &rows[r, 0], ld, down, some, &panels[j * d], over, d, tile, wide)
                for i in range(some):
                    to = &out[slot[r + i], j]
                    if floating is float:
                        memcpy(to, tile + i * wide, columns * sizeof(float))
                    else:
                        for c in range(columns):
                            to[c] = <float>tile[i * wide + c]
                j += wide
            r += most


def weigh(
    tuple kernel,
    const floating[:, ::1] rows,    # IN (>= k + SPARE_ROWS, row_stride(d)) of `lay`
    const floating[::1] start,      # IN
    const double[::1] weights,      # IN (k,)
    const double[:, ::1] X,         # IN (n, d)
    const Py_ssize_t[::1] points,   # IN (p,) rows of X
    const float[::1] origin,        # IN (d,)
    double[::1] out,                # INOUT (p,)
):
    """out[j] += the sum of weights[i] times the kernel of row i with point j, in either type,
    summed in double."""
    cdef shape s = shape_of(kernel)
    cdef floating tile[MAX_TILE_ROWS * MAX_TILE_COLUMNS]
    cdef floating one = 0
    cdef Py_ssize_t wide = panel_columns(one), ld = rows.shape[1], d = X.shape[1]
    cdef Py_ssize_t k = weights.shape[0], p = points.shape[0], r, j, c, begin, some, columns
    cdef Py_ssize_t most = MAX_TILE_ROWS // active().rows * active().rows
    cdef Py_ssize_t block = wide * max(1, min(MAX_PACKED // (wide * ld), (p + wide - 1) // wide))
    name = "f" if floating is float else "d"
    cdef floating[:, ::1] flat = np.zeros((block, ld), name)
    cdef floating[::1] panels = np.zeros(block * max(d, 1), name)
    cdef floating[::1] across = np.zeros(block, name), norm = np.empty(block, name)
    cdef floating[::1] zeros = np.zeros(max(block, MAX_TILE_ROWS + SPARE_ROWS), name)
    cdef double[::1] sums = np.empty(block)
    cdef const floating *down = &zeros[0]
    cdef const floating *over = &zeros[0]
    with nogil:
        begin = 0
        while begin < p:
            columns = min(block, p - begin)
            for c in range(columns):
                convert(&X[points[begin + c], 0], d, 1, d, &origin[0], 1, &flat[c, 0], ld)
            pack_rows(&flat[0, 0], ld, columns, d, &panels[0])
            measure(&flat[0, 0], ld, columns, d, &across[0], &norm[0])
            for c in range(block):
                sums[c] = 0
            r = 0
            while r < k:
                some = min(most, k - r)
                j = 0
                while j < columns:
                    if s.kind == KIND_RBF:
                        down, over = &start[r], &across[j]
                    make(&s, &rows[r, 0], ld, down, some, &panels[j * d], over, d, tile, wide)
                    if floating is float:
                        kernels.sum_f32(tile, wide, some, &weights[r], &sums[j])
                    else:
                        kernels.sum_f64(tile, wide, some, &weights[r], &sums[j])
                    j += wide
                r += most
            for c in range(columns):
                out[begin + c] += sums[c]
            begin += block


cdef void make(
    const shape *s, const floating *rows, Py_ssize_t ld, const floating *start, Py_ssize_t n,
    const floating *panel, const floating *across, Py_ssize_t d, floating *tile, Py_ssize_t wide,
) noexcept nogil:
    """Kernel values of n rows with the points of a panel."""
    cdef int how = STORE_RBF if s.kind == KIND_RBF else STORE_SCORE
    if floating is float:
        active().f32.store(rows, ld, start, n, panel, across, d, how, <float>s.gamma, tile, wide,
                           wide)
    else:
        active().f64.store(rows, ld, start, n, panel, across, d, how, s.gamma, tile, wide, wide)
    if s.kind > KIND_RBF:
        finish(s, tile, n * wide)


cdef void finish(const shape *s, floating *x, Py_ssize_t n) noexcept nogil:
    """From products to kernel values, in place."""
    cdef floating gamma = <floating>s.gamma, coef0 = <floating>s.coef0, base, power
    cdef Py_ssize_t i
    cdef int e
    if s.kind == KIND_POLYNOMIAL:
        for i in range(n):
            base, power, e = gamma * x[i] + coef0, 1, s.degree
            while e > 0:
                if e & 1:
                    power = power * base
                base = base * base
                e >>= 1
            x[i] = power
    elif s.kind == KIND_SIGMOID:  # tanh z = 2 / (1 + exp(-2z)) - 1
        for i in range(n):
            x[i] = 2 * (gamma * x[i] + coef0)
        if floating is float:
            active().f32.map(MAP_SIGMOID, x, n, x)
        else:
            active().f64.map(MAP_SIGMOID, x, n, x)
        for i in range(n):
            x[i] = 2 * x[i] - 1
