# SPDX-License-Identifier: BSD-3-Clause
"""sum over support vectors of weight times kernel, for many rows, the kernel never stored.

Support vectors are the rows of a tile and new rows its columns, so that a tile of kernel values, a
few hundred of them, is the packed panel of a second product: weights times values. Both are made
by the tiles' store epilogue. All sums are float64, in an order that depends on the vectors alone.

Cost: 2 n m d flop for n rows and m vectors, n m exponentials, and 2 n m Q flop for Q sums, Q
rounded up to the rows of a tile. Scratch memory: some 16 d n + 0.5 MB.

The caller guarantees m rows of vectors followed by at least as many more, of zeros, as a tile has
rows, and rows that are finite.
"""

from libc.stdlib cimport free, malloc
from libc.string cimport memset

from statfast._core.tile.rows cimport aligned, convert, measure, panel_columns
from statfast._core.tile.tiles cimport MAP_SIGMOID, STORE_RBF, STORE_SCORE, active, chunk_rows

SPARE_ROWS = 64  # rows of zeros after the vectors: no tile is taller

cdef enum:
    RBF
    POLYNOMIAL
    SIGMOID

KINDS = {"rbf": RBF, "poly": POLYNOMIAL, "sigmoid": SIGMOID}

cdef Py_ssize_t TILES_IN_CACHE = 8  # at a time: their kernel values stay in the level-1 cache


def expand(
    str kind,
    double gamma,
    double coef0,
    int degree,
    const double[:, ::1] rows,      # IN (n, d)
    const float[::1] origin,        # IN (d,) taken off the rows
    const double[:, ::1] vectors,   # IN (m + SPARE_ROWS, ld) less the origin
    const double[::1] start,        # IN (m + SPARE_ROWS,) -|vector|^2 / 2 for "rbf", else 0
    const double[:, :] weights,     # IN (Q, m)
    double[:, ::1] out,             # OUT (n, Q)
):
    """out = weights @ kernel(vectors, rows); returns the largest |row|^2 / 2 for "rbf"."""
    cdef int code = KINDS[kind]
    cdef int how = STORE_RBF if code == RBF else STORE_SCORE
    cdef Py_ssize_t n = rows.shape[0], d = rows.shape[1], ld = vectors.shape[1]
    cdef Py_ssize_t sums = weights.shape[0], m = weights.shape[1]
    cdef Py_ssize_t tall = active().rows, across = panel_columns(<double>0)
    cdef Py_ssize_t chunk = chunk_rows(ld * sizeof(double)), piece = TILES_IN_CACHE * tall
    cdef Py_ssize_t high = (sums + tall - 1) // tall * tall, panels = (n + across - 1) // across
    cdef Py_ssize_t first, some, s, k, p, i, c, columns, wide = panels * across
    cdef Py_ssize_t doubles = (
        wide * (d + 1 + sums) + across * (ld + piece + sums + 2) + high * (chunk + 1)
    )
    cdef double largest = 0
    cdef void *block = malloc(64 + sizeof(double) * doubles)
    if block == NULL:
        raise MemoryError
    cdef double *values = <double *>aligned(block)   # (piece, across) kernel values
    cdef double *flat = values + piece * across      # (across, ld) rows before they are packed
    cdef double *length = flat + across * ld
    cdef double *nothing = length + across
    cdef double *part = nothing + across             # (sums, across)
    cdef double *none = part + sums * across         # (high,)
    cdef double *weight = none + high                # (high, chunk)
    cdef double *begin = weight + high * chunk       # (wide,) -|row|^2 / 2
    cdef double *total = begin + wide                # (panels, sums, across)
    cdef double *panel = total + wide * sums         # (panels, d, across)
    cdef double *to
    with nogil:
        memset(values, 0, sizeof(double) * doubles)
        for p in range(panels):
            columns = min(across, n - p * across)
            convert(&rows[p * across, 0], d, columns, d, &origin[0], 1, flat, ld)
            active().f64.pack(flat, ld, columns, d, panel + p * across * d)
            if code == RBF:
                measure(flat, ld, columns, d, begin + p * across, length)
        for i in range(n):
            largest = max(largest, -begin[i])
        first = 0
        while first < m:
            some = min(chunk, m - first)
            for i in range(sums):
                for k in range(some):
                    weight[i * chunk + k] = weights[i, first + k]
            for p in range(panels):
                s = 0
                while s < some:
                    k = min(piece, some - s)
                    active().f64.store(
                        &vectors[first + s, 0], ld, &start[first + s], k, panel + p * across * d,
                        begin + p * across, d, how, gamma, values, across, across
                    )
                    if code != RBF:
                        shape(code, gamma, coef0, degree, values, k * across)
                    active().f64.store(
                        weight + s, chunk, none, sums, values, nothing, k, STORE_SCORE, 0, part,
                        across, across
                    )
                    to = total + p * across * sums
                    for i in range(sums * across):
                        to[i] += part[i]
                    s += piece
            first += some
        for p in range(panels):
            for c in range(min(across, n - p * across)):
                for i in range(sums):
                    out[p * across + c, i] = total[(p * sums + i) * across + c]
    free(block)
    return largest


cdef void shape(
    int code, double gamma, double coef0, int degree, double *x, Py_ssize_t n
) noexcept nogil:
    """From products to kernel values, in place."""
    cdef Py_ssize_t i
    cdef int left
    cdef double base, power
    if code == SIGMOID:  # tanh(z) = 2 / (1 + exp(-2 z)) - 1
        for i in range(n):
            x[i] = 2 * (gamma * x[i] + coef0)
        active().f64.map(MAP_SIGMOID, x, n, x)
        for i in range(n):
            x[i] = 2 * x[i] - 1
        return
    for i in range(n):
        base, power, left = gamma * x[i] + coef0, 1, degree
        while left:
            if left & 1:
                power *= base
            base *= base
            left >>= 1
        x[i] = power
