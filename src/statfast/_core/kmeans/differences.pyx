# SPDX-License-Identifier: BSD-3-Clause
"""Distances to centers by float64 differences, where the numbers themselves are needed.

`trial` sums up the squared distances that would remain with each candidate: a tile of rows is
packed feature by feature once, then compared with every candidate, one row to a lane, so that the
loops vectorize for any number of columns. `spread` and `iterate` are k-means++ and Lloyd's
algorithm over few rows, where a step takes less than the calls around it.

Cost: 3 flop a coordinate and pair in vector code; `trial` takes 16 d doubles of memory.
The caller guarantees rows of contiguous numbers.
"""

from cython.view cimport contiguous
from libc.math cimport INFINITY, nextafter, sqrt
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from statfast._core.tile.rows cimport add, number, squared_distances

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


def spread(
    const double[:, ::1] X,             # IN (n, d)
    const double[::1] weights,          # IN (n,), or None: one each
    const double[:, ::1] points,        # IN (k - 1, L) of [0, 1), where candidates are drawn
    int32_t[::1] places,                # INOUT (k,) the first row drawn, and those that follow
):
    """Greedy k-means++: of L rows drawn in proportion to weight * squared distance, each center is
    the one that leaves the least potential, the first of equals.

    Arthur & Vassilvitskii 2007, doi:10.5555/1283383.1283494. Where all rows lie on fewer centers,
    the first row is there again.
    """
    cdef intp n = X.shape[0], d = X.shape[1], tries = points.shape[1], c, t, i, row
    cdef double total, goal, left, least
    cdef const double *w = NULL
    cdef double *closest = <double *>malloc(n * (tries + 2) * sizeof(double))
    cdef double *nearer
    cdef double *running = closest + n * (tries + 1)
    cdef double *best = NULL
    if closest == NULL:
        raise MemoryError
    if weights is not None:
        w = &weights[0]
    with nogil:
        squared_distances(&X[places[0], 0], &X[0, 0], d, n, d, closest)
        for c in range(points.shape[0]):
            total = 0.0
            for i in range(n):
                total += closest[i] if w == NULL else w[i] * closest[i]
                running[i] = total
            places[c + 1] = places[0]
            if total == 0.0:
                continue
            least = INFINITY
            for t in range(tries):
                goal = min(points[c, t] * total, nextafter(total, 0.0))
                row = 0
                while running[row] <= goal:
                    row += 1
                nearer = closest + n * (t + 1)
                squared_distances(&X[row, 0], &X[0, 0], d, n, d, nearer)
                left = 0.0
                for i in range(n):
                    nearer[i] = min(nearer[i], closest[i])
                    left += nearer[i] if w == NULL else w[i] * nearer[i]
                if left < least:
                    least, best, places[c + 1] = left, nearer, <int32_t>row
            memcpy(closest, best, n * sizeof(double))
    free(closest)


def iterate(
    const double[:, ::1] X,             # IN (n, d)
    const double[::1] weights,          # IN (n,), or None: one each
    double[:, ::1] centers,             # INOUT (k, d)
    bint single,                        # IN whether centers are float32 numbers
    double tol,                         # IN a shift of the centers, squared, that ends the run
    int max_steps,                      # IN
    int32_t[::1] labels,                # OUT (n,)
    double[::1] squares,                # OUT (n,) squared distances to the centers of `labels`
):
    """Lloyd's algorithm, until no label changes or the centers shift no more than `tol`.

    Returns how many steps there were, and whether the run ended; None if a cluster became empty.
    """
    cdef intp n = X.shape[0], d = X.shape[1], k = centers.shape[0], moved, c
    cdef int step = 0
    cdef bint empty = False, done = False
    cdef double shift = 0.0
    cdef double *sums = <double *>malloc(k * (d + 2) * sizeof(double))
    cdef double *mass = sums + k * d
    cdef const double *w = NULL
    if weights is not None:
        w = &weights[0]
    if sums == NULL:
        raise MemoryError
    with nogil:
        label(&X[0, 0], n, d, &centers[0, 0], k, mass + k, &labels[0], &squares[0])
        moved = n
        while step < max_steps and not done and not empty:
            step += 1
            if moved > 0:
                memset(sums, 0, k * (d + 1) * sizeof(double))
                add(&X[0, 0], d, n, d, w, &labels[0], sums, mass)
                for c in range(k):
                    empty |= mass[c] == 0.0
                if empty:
                    break
                shift = move(sums, mass, k, d, single, &centers[0, 0])
            done = moved == 0 or shift <= tol
            if moved > 0:
                moved = label(
                    &X[0, 0], n, d, &centers[0, 0], k, mass + k, &labels[0], &squares[0])
    free(sums)
    return None if empty else (step, done)


cdef double move(
    const double *sums, const double *mass, intp k, intp d, bint single, double *centers
) noexcept nogil:
    """Move the centers to the means; returns the sum of the squared shifts."""
    cdef intp c, j
    cdef double mean, shift = 0.0
    for c in range(k):
        for j in range(d):
            mean = sums[c * d + j] / mass[c]
            mean = <double><float>mean if single else mean
            shift += (mean - centers[c * d + j]) * (mean - centers[c * d + j])
            centers[c * d + j] = mean
    return shift


cdef intp label(
    const double *x, intp n, intp d, const double *centers, intp k, double *distances,
    int32_t *labels, double *squares,
) noexcept nogil:
    """Give every row its nearest center, the first of equals; returns how many labels changed."""
    cdef intp moved = 0, i, c
    cdef int32_t best
    for i in range(n):
        squared_distances(x + i * d, centers, d, k, d, distances)
        best = 0
        for c in range(1, k):
            if distances[c] < distances[best]:
                best = <int32_t>c
        moved += labels[i] != best
        labels[i] = best
        squares[i] = distances[best]
    return moved
