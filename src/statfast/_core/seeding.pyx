# SPDX-License-Identifier: BSD-3-Clause
"""Seeding of k-means: how much each candidate for the next centre would lower the potential.

Arthur & Vassilvitskii 2007 (k-means++, doi:10.5555/1283383.1283494) in its greedy form, several
candidates for each centre. All candidates are weighed in one reading of the rows: a tile of rows
is laid out feature by feature once, then every candidate runs down it with one row to a lane, so
the loops vectorise for any number of columns and each sum is made in the order of the columns.

Cost: O(b d L) for b rows and L candidates; 16 d doubles of memory.

The caller guarantees: finite rows, matching shapes, d >= 1, L >= 1, closest not negative.
"""

from libc.stdlib cimport free, malloc

from statfast._core.rows cimport number

ctypedef Py_ssize_t intp

# Rows in a tile: their 16 sums stay in registers (eight of 128 bits, two of 512).
cdef enum:
    TILE = 16


def trial(
    const number[:, ::1] X,             # IN (b, d)
    const double[::1] weights,          # IN (b,), or None: one each
    const double[:, ::1] candidates,    # IN (L, d)
    const double[::1] closest,          # IN (b,) squared distance to the nearest centre so far
    double[:, :] nearer,                # OUT (L, b) the same with each candidate added, or None
    double[::1] potential,              # INOUT (L,) the sum of weight * nearer is added
):
    """Weigh the candidates; with one candidate, `nearer` may be `closest` itself."""
    cdef intp b = X.shape[0], d = X.shape[1], t, first, rows, c, r
    cdef double d2[TILE]
    cdef bint weighted = weights is not None, kept = nearer is not None
    cdef double total
    cdef double* tile = <double*> malloc(d * TILE * sizeof(double))
    if tile == NULL:
        raise MemoryError(f"no memory for {TILE} rows of {d} features")
    with nogil:
        for t in range((b + TILE - 1) // TILE):
            first = t * TILE
            rows = min(<intp> TILE, b - first)
            lay_out(&X[first, 0], rows, d, tile)
            for c in range(candidates.shape[0]):
                squared_distances(tile, &candidates[c, 0], d, d2)
                total = 0.0
                for r in range(rows):
                    d2[r] = min(d2[r], closest[first + r])
                    total += weights[first + r] * d2[r] if weighted else d2[r]
                potential[c] += total
                if kept:
                    for r in range(rows):
                        nearer[c, first + r] = d2[r]
    free(tile)


cdef inline void lay_out(const number* X, intp rows, intp d, double* tile) noexcept nogil:
    """Row r's feature j to tile[j * TILE + r]; rows that are missing become zero."""
    cdef intp r, j
    for r in range(rows):
        for j in range(d):
            tile[j * TILE + r] = X[r * d + j]
    for r in range(rows, TILE):
        for j in range(d):
            tile[j * TILE + r] = 0.0


cdef inline void squared_distances(
    const double* tile, const double* center, intp d, double* out,
) noexcept nogil:
    """Squared distances from the rows of a tile to one centre, by differences."""
    cdef double total[TILE]
    cdef double difference
    cdef intp r, j
    for r in range(TILE):
        total[r] = 0.0
    for j in range(d):
        for r in range(TILE):
            difference = tile[j * TILE + r] - center[j]
            total[r] += difference * difference
    for r in range(TILE):
        out[r] = total[r]
