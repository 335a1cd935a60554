# SPDX-License-Identifier: BSD-3-Clause
"""Distances to centers by float64 differences, where the numbers themselves are needed.

`trial` sums up the squared distances that would remain with each candidate: a tile of rows is
packed feature by feature once, then compared with every candidate, one row to a lane, so that the
loops vectorize for any number of columns.

Cost: 3 flop a coordinate and pair in vector code; `trial` takes 16 d doubles of memory.
The caller guarantees rows of contiguous numbers.
"""

from cython.view cimport contiguous
from libc.math cimport sqrt
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from statfast._core.tile.rows cimport number, squared_distances

ctypedef Py_ssize_t intp

# Rows in a tile: their 16 sums stay in registers (eight of 128 bits, two of 512).
cdef enum:
    TILE_ROWS = 16


def distances(
    const number[:, ::contiguous] X,  # IN (n, d)
    const double[:, ::1] centers,   # IN (k, d)
    const int32_t[::1] labels,      # IN (n,)
    double[::1] out,                # OUT (n,)
):
    """Squared distance of every row to its own center, by float64 differences."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], i
    with nogil:
        for i in range(n):
            squared_distances(&centers[labels[i], 0], &X[i, 0], d, 1, d, &out[i])


def transform(
    const number[:, :] X,           # IN (n, d)
    const double[:, ::1] centers,   # IN (k, d)
    double[:, ::1] out,             # OUT (n, k)
):
    """Euclidean distance of every row to every center, by float64 differences."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], k = centers.shape[0], i, p, c
    cdef double *point = <double *>malloc(d * sizeof(double))
    if point == NULL:
        raise MemoryError
    with nogil:
        for i in range(n):
            for p in range(d):
                point[p] = X[i, p]
            squared_distances(point, &centers[0, 0], d, k, d, &out[i, 0])
            for c in range(k):
                out[i, c] = sqrt(out[i, c])
    free(point)


def trial(
    const number[:, ::1] X,             # IN (b, d)
    const double[::1] weights,          # IN (b,), or None: one each
    const double[:, ::1] candidates,    # IN (L, d)
    const double[::1] closest,          # IN (b,) squared distance to the nearest center so far
    double[:, :] nearer,                # OUT (L, b) the same with each candidate added, or None
    double[::1] potential,              # INOUT (L,) the sum of weight * nearer is added
):
    """Weigh the candidates; with one candidate, `nearer` may be `closest` itself."""
    cdef intp b = X.shape[0], d = X.shape[1], t, first, rows, c, r
    cdef double d2[TILE_ROWS]
    cdef bint weighted = weights is not None, kept = nearer is not None
    cdef double total
    cdef double* tile = <double*> malloc(d * TILE_ROWS * sizeof(double))
    if tile == NULL:
        raise MemoryError(f"no memory for {TILE_ROWS} rows of {d} features")
    with nogil:
        for t in range((b + TILE_ROWS - 1) // TILE_ROWS):
            first = t * TILE_ROWS
            rows = min(<intp> TILE_ROWS, b - first)
            pack_tile(&X[first, 0], rows, d, tile)
            for c in range(candidates.shape[0]):
                tile_distances(tile, &candidates[c, 0], d, d2)
                total = 0.0
                for r in range(rows):
                    d2[r] = min(d2[r], closest[first + r])
                    total += weights[first + r] * d2[r] if weighted else d2[r]
                potential[c] += total
                if kept:
                    for r in range(rows):
                        nearer[c, first + r] = d2[r]
    free(tile)


cdef inline void pack_tile(const number* X, intp rows, intp d, double* tile) noexcept nogil:
    """Write feature j of row r to tile[j * TILE_ROWS + r]; missing rows become zero."""
    cdef intp r, j
    for r in range(rows):
        for j in range(d):
            tile[j * TILE_ROWS + r] = X[r * d + j]
    for r in range(rows, TILE_ROWS):
        for j in range(d):
            tile[j * TILE_ROWS + r] = 0.0


cdef inline void tile_distances(
    const double* tile, const double* center, intp d, double* out,
) noexcept nogil:
    """Squared distances from the rows of a tile to one center, by differences."""
    cdef double total[TILE_ROWS]
    cdef double difference
    cdef intp r, j
    for r in range(TILE_ROWS):
        total[r] = 0.0
    for j in range(d):
        for r in range(TILE_ROWS):
            difference = tile[j * TILE_ROWS + r] - center[j]
            total[r] += difference * difference
    for r in range(TILE_ROWS):
        out[r] = total[r]
