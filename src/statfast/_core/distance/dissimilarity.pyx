# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Distances between rows by float64 differences, a tile at a time: stored, or reduced at once to
their sum, least or most by cluster, for silhouettes and the like, without a matrix of distances.

For Euclidean, Manhattan and Chebyshev distances; those of other metrics come from
distance/metrics.pyx. The loops are C (distance/dissimilarity_level.h). The numpy version of
`gather` takes cdist's time and n^2 memory.

Cost: 2 n m d operations (sums: one square root a pair besides). The caller guarantees finite rows,
`SPARE_ROWS` readable rows after the last, and clusters of which each has a row.
"""

from cython.view cimport contiguous
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from statfast._core.tile.rows cimport real, stride_of
from statfast._core.tile.tiles cimport level

cdef extern from "distance/dissimilarity_table.h" nogil:
    enum:
        SPAN_PANEL_POINTS
        SPAN_SPARE_ROWS
        SPAN_PLAIN
        SPAN_ROOT
        SPAN_HALF
        SPAN_SUM
        SPAN_MINIMUM
        SPAN_MAXIMUM
    ctypedef struct spans_kernels:
        void (*store)(
            const double *a, Py_ssize_t lda, Py_ssize_t n, const double *panel, Py_ssize_t depth,
            int kind, int finish, double *out, Py_ssize_t ldo, Py_ssize_t columns
        ) noexcept nogil
        void (*gather)(
            const double *a, Py_ssize_t lda, Py_ssize_t n, const double *panel, Py_ssize_t depth,
            int kind, int finish, int what, double *out
        ) noexcept nogil
        int (*sound_f64)(const double *x, Py_ssize_t n) noexcept nogil
        int (*sound_f32)(const float *x, Py_ssize_t n) noexcept nogil
    const spans_kernels *spans_at(int level)

cdef extern from "simd/compiler.h":
    void prefetch "FETCH"(const void *p) noexcept nogil

cdef const spans_kernels *kernels = spans_at(level())

# The side of the squares in which `mirrored` compares rows with columns. The columns are copied by
# cache lines, with a stride that spreads them over the sets of the cache.
cdef enum:
    SQUARE_SIDE = 128
    SQUARE_STRIDE = SQUARE_SIDE + 8

PANEL_POINTS, SPARE_ROWS, MIRROR_ROWS = SPAN_PANEL_POINTS, SPAN_SPARE_ROWS, SQUARE_SIDE
PLAIN, ROOT, HALF = SPAN_PLAIN, SPAN_ROOT, SPAN_HALF
SUM, MINIMUM, MAXIMUM = SPAN_SUM, SPAN_MINIMUM, SPAN_MAXIMUM


def lay(
    const double[:, ::1] X,         # IN (n, d)
    double[:, :, ::1] panels,       # OUT (panels, d, PANEL_POINTS) the last one filled with zeros
):
    """Lay rows out in panels, feature by feature."""
    cdef Py_ssize_t i, p, n = X.shape[0], d = X.shape[1]
    with nogil:
        for i in range(panels.shape[0] * SPAN_PANEL_POINTS):
            for p in range(d):
                panels[i // SPAN_PANEL_POINTS, p, i % SPAN_PANEL_POINTS] = X[i, p] if i < n else 0


def store(
    const double[:, ::1] A,         # IN (m + SPARE_ROWS, d)
    Py_ssize_t m,
    const double[:, :, ::1] panels,  # IN (c, d, PANEL_POINTS)
    int kind,
    int finish,
    double[:, ::contiguous] out,    # OUT (m, columns) of the panels' points, rows contiguous
):
    """out[i, j] = the distance of row i to point j."""
    cdef Py_ssize_t d = A.shape[1], p, ld = stride_of(out)
    with nogil:
        for p in range((out.shape[1] + SPAN_PANEL_POINTS - 1) // SPAN_PANEL_POINTS):
            kernels.store(&A[0, 0], d, m, &panels[p, 0, 0], d, kind, finish,
                          &out[0, p * SPAN_PANEL_POINTS], ld,
                          min(<Py_ssize_t>SPAN_PANEL_POINTS, out.shape[1] - p * SPAN_PANEL_POINTS))


def gather(
    const double[:, ::1] A,         # IN (n + SPARE_ROWS, d) sorted by cluster
    const Py_ssize_t[::1] begins,   # IN (k + 1,) where each cluster begins
    const double[:, ::1] panel,     # IN (d, PANEL_POINTS)
    int kind,
    int finish,                     # of sums; the least and most are of reduced distances
    int what,
    double[:, ::1] out,             # INOUT (k, PANEL_POINTS)
):
    """The sum, least or most of the distances of each point to the rows of each cluster."""
    cdef Py_ssize_t d = A.shape[1], c
    with nogil:
        for c in range(out.shape[0]):
            kernels.gather(&A[begins[c], 0], d, begins[c + 1] - begins[c], &panel[0, 0], d, kind,
                           finish, what, &out[c, 0])


def gather_stored(
    const real[:, :] D,             # IN (m, n) rows of a matrix
    const Py_ssize_t[::1] order,    # IN (n,) its columns sorted by cluster
    const Py_ssize_t[::1] begins,   # IN (k + 1,)
    int what,
    double[:, ::1] out,             # INOUT (m, k)
):
    """The same, from the rows of a stored matrix."""
    cdef Py_ssize_t i, c, p, m = D.shape[0]
    cdef double a, b
    with nogil:
        for i in range(0, m - 1, 2):  # two rows at a time, to hide the latency of additions
            for c in range(begins.shape[0] - 1):
                a, b = out[i, c], out[i + 1, c]
                for p in range(begins[c], begins[c + 1]):
                    a = joined(a, D[i, order[p]], what)
                    b = joined(b, D[i + 1, order[p]], what)
                out[i, c], out[i + 1, c] = a, b
        if m % 2:
            for c in range(begins.shape[0] - 1):
                for p in range(begins[c], begins[c + 1]):
                    out[m - 1, c] = joined(out[m - 1, c], D[m - 1, order[p]], what)


cdef inline double joined(double so_far, double d, int what) noexcept nogil:
    if what == SPAN_SUM:
        return so_far + d
    return min(so_far, d) if what == SPAN_MINIMUM else max(so_far, d)


cdef inline bint none_bad(const real *x, Py_ssize_t n) noexcept nogil:
    if real is double:
        return kernels.sound_f64(x, n)
    else:
        return kernels.sound_f32(x, n)


def mirrored(
    const real[:, ::1] D,           # IN (n, n)
    Py_ssize_t first,               # of SQUARE_SIDE rows at most
    Py_ssize_t stop,
    bint compare,                   # whether to compare both triangles
):
    """Whether the numbers in some rows from column `first` on, and in the same columns, are all
    finite and not negative; and whether rows and columns are equal."""
    cdef Py_ssize_t n = D.shape[0], lo = first, i, j, wide, ld = SQUARE_STRIDE
    cdef bint good = True, same = True
    cdef real *turned = <real *>malloc(SQUARE_SIDE * ld * sizeof(real))
    if turned == NULL:
        raise MemoryError
    with nogil:
        while lo < n:
            wide = min(<Py_ssize_t>SQUARE_SIDE, n - lo)
            for j in range(wide):
                ask(&D[min(lo + j + SQUARE_SIDE, n - 1), first], stop - first)
                good = good and none_bad(&D[lo + j, first], stop - first)
                memcpy(turned + j * ld, &D[lo + j, first], (stop - first) * sizeof(real))
            for i in range(first, stop):
                ask(&D[i, min(lo + SQUARE_SIDE, n - 1)],
                    min(<Py_ssize_t>SQUARE_SIDE, n - lo - wide))
                good = good and none_bad(&D[i, lo], wide)
                if compare and same:
                    same = not differ(&D[i, lo], turned + i - first, wide)
            lo += SQUARE_SIDE
    free(turned)
    return good, same


cdef inline void ask(const real *x, Py_ssize_t n) noexcept nogil:
    """Prefetch numbers that are soon needed."""
    cdef Py_ssize_t j = 0
    while j < n:
        prefetch(x + j)
        j += 64 // <Py_ssize_t>sizeof(real)


cdef inline bint differ(const real *row, const real *column, Py_ssize_t n) noexcept nogil:
    """Whether a row differs in any bit from a column of `turned`."""
    cdef Py_ssize_t j
    cdef uint32_t few = 0
    cdef uint64_t many = 0
    if real is float:
        for j in range(n):
            few |= (<const uint32_t *>row)[j] ^ (<const uint32_t *>column)[j * SQUARE_STRIDE]
        return few != 0
    else:
        for j in range(n):
            many |= (<const uint64_t *>row)[j] ^ (<const uint64_t *>column)[j * SQUARE_STRIDE]
        return many != 0


def unfold(
    const real[::1] condensed,          # IN (n (n - 1) / 2,) the upper triangle row by row
    Py_ssize_t n,
    Py_ssize_t row,                     # the first row wanted
    Py_ssize_t column,                  # the first column
    real[:, ::1] out,                   # OUT (m, c)
):
    """A rectangle of the square matrix."""
    cdef Py_ssize_t i, j, m = out.shape[0], c = out.shape[1], begins
    with nogil:
        for j in range(column, min(column + c, row + m)):
            begins = j * (2 * n - j - 1) // 2 - j - 1
            if row <= j:
                out[j - row, j - column] = 0
            for i in range(max(j + 1, row), row + m):
                out[i - row, j - column] = condensed[begins + i]
        for i in range(row, min(row + m, column + c)):
            begins = i * (2 * n - i - 1) // 2 - i - 1
            for j in range(max(i + 1, column), column + c):
                out[i - row, j - column] = condensed[begins + j]
