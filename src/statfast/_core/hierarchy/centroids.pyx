# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Centers of clusters, compared with all others: the nearest one, and merges of the nearest pairs.

All functions need no matrix and O(n d) memory.

`nearest`: by Ward 1963, doi:10.1080/01621459.1963.10500845, the sum of squares within clusters
grows by f g / (f + g) |a - b|^2 when clusters of f and g points with the means a and b become one;
the height is the root of twice that. Without sizes, |a - b|^2.

`merge`: by the centroid and median rules, whose unions may be nearer to others than their parts
were, the nearest pair of all is merged, one pair after the other: the generic algorithm of Muellner
2011, arXiv:1109.2378, on a heap of lower bounds that are replaced by the true distance when they
are the least. Deviation: a union is a new column after all others, and each column keeps its
nearest one among those before it, so that a union is compared once and no other column changes.

The loops are C (hierarchy/centroids_level.h): eight queries against two vectors of points at a
time, or one against eight. Cost: 3 n d operations a query. The caller guarantees points whose
squared distances do not overflow, in columns of a multiple of 64 numbers, and infinity where there
is no point.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from statfast._core.tile.tiles cimport level


cdef extern from "hierarchy/centroids_table.h" nogil:
    enum:
        MEANS_GROUP

    ctypedef struct means_points:
        const double *mean
        Py_ssize_t ld
        Py_ssize_t d
        const double *size
        double smallest

    ctypedef struct means_queries:
        const double *at
        double size[MEANS_GROUP]
        Py_ssize_t point[MEANS_GROUP]
        double low[MEANS_GROUP]
        int32_t who[MEANS_GROUP]

    ctypedef struct means_kernels:
        void (*nearest)(
            const means_points *points, means_queries *of, Py_ssize_t first, Py_ssize_t last
        ) noexcept nogil
        void (*one)(
            const double *mean, Py_ssize_t ld, Py_ssize_t d, const double *at, Py_ssize_t last,
            double *low, int32_t *who
        ) noexcept nogil

    const means_kernels *means_at(int level)


cdef extern from *:
    """
    #include "order/heap.h"

    /* Columns by the bounds of their distances: the least is the root. */
    #define COLUMN_ABOVE(x, a, b) (x[*(a)] < x[*(b)] || (x[*(a)] == x[*(b)] && *(a) < *(b)))
    DEFINE_HEAP(column, int32_t, const double *, COLUMN_ABOVE)
    """
    void column_sift_up(
        int32_t *heap, Py_ssize_t i, int32_t column, const double *low
    ) noexcept nogil
    void column_sift_down(
        int32_t *heap, Py_ssize_t n, int32_t column, const double *low
    ) noexcept nogil


cdef const means_kernels *kernels = means_at(level())

# Points that are compared with all queries of a call at a time.
cdef Py_ssize_t LEVEL_2_BYTES = 1 << 18


def nearest(
    const double[:, ::1] mean,      # IN (d, ld) points
    const double[::1] size,         # IN (ld,) or None, for distances without weights
    double smallest,                # IN no size is below it
    const int32_t[::1] query,       # IN (m,) points
    Py_ssize_t begin,               # IN the queries to search for: begin to end
    Py_ssize_t end,
    Py_ssize_t last,                # IN the columns to compare: those below this multiple of 64
    double[::1] low,                # OUT (m,) the distance; infinite where there is no other point
    int32_t[::1] who,               # OUT (m,) the point at that distance, or -1
):
    """The nearest of the other points; ties go to the first."""
    cdef Py_ssize_t d = mean.shape[0], at, count, i, j, p, first = 0
    cdef Py_ssize_t step = max(<Py_ssize_t>64, LEVEL_2_BYTES // (8 * max(d, 1)) // 64 * 64)
    cdef means_points points
    cdef means_queries some
    cdef double *space = <double *>malloc(d * MEANS_GROUP * sizeof(double))
    if space == NULL:
        raise MemoryError
    points.mean, points.ld, points.d = &mean[0, 0], mean.shape[1], d
    points.size = NULL
    if size is not None:
        points.size = &size[0]
    points.smallest = smallest
    some.at = space
    with nogil:
        for i in range(begin, end):
            low[i], who[i] = INFINITY, -1
        while first < last:
            at = begin
            while at < end:
                count = min(<Py_ssize_t>MEANS_GROUP, end - at)
                for i in range(MEANS_GROUP):
                    j = query[at + min(i, count - 1)]
                    for p in range(d):
                        space[p * MEANS_GROUP + i] = mean[p, j]
                    some.size[i] = 1 if points.size == NULL else points.size[j]
                    some.point[i] = j
                    some.low[i] = low[at + i] if i < count else -1  # no point is as near as that
                    some.who[i] = who[at + i] if i < count else -1
                kernels.nearest(&points, &some, first, min(first + step, last))
                for i in range(count):
                    low[at + i], who[at + i] = some.low[i], some.who[i]
                at += MEANS_GROUP
            first += step
    free(space)


def merge(
    double[:, ::1] mean,            # INOUT (d, ld) columns; those of merged clusters are infinite
    double[::1] size,               # INOUT (ld,)
    bint halves,                    # IN whether unions lie midway, whatever the sizes (median)
    int32_t[::1] point,             # INOUT (ld,) a point of each cluster
    double[::1] low,                # INOUT (ld,) lower bounds of distances to earlier columns
    int32_t[::1] who,               # INOUT (ld,) the column at that distance; -1: unknown
    int32_t[::1] heap,              # INOUT (ld,) columns by `low`
    Py_ssize_t[::1] state,          # INOUT (3,) columns in use, columns in the heap, merges
    int32_t[::1] u,                # OUT (merges in all,) a point of one cluster
    int32_t[::1] v,                # OUT, as u: a point of that which is merged with it
    double[::1] height,             # OUT, as u: |a - b|^2
    Py_ssize_t budget,              # IN about how many numbers to look at
):
    """Merge the nearest two clusters, one pair after the other, while there are free columns."""
    cdef Py_ssize_t d = mean.shape[0], ld = mean.shape[1], p, i, j
    cdef Py_ssize_t used = state[0], count = state[1], merges = state[2]
    cdef double share
    cdef double *at = <double *>malloc(d * sizeof(double))
    if at == NULL:
        raise MemoryError
    with nogil:
        while merges < u.shape[0] and used < ld and budget > 0:
            j = heap[0]
            i = who[j]
            if mean[0, j] == INFINITY:
                count -= 1
                column_sift_down(&heap[0], count, heap[count], &low[0])
                continue
            if i < 0 or mean[0, i] == INFINITY:
                find_nearest_before(mean, j, at, &low[j], &who[j])
                column_sift_down(&heap[0], count, <int32_t>j, &low[0])
                budget -= j * d
                continue
            u[merges], v[merges], height[merges] = point[i], point[j], low[j]
            merges += 1
            share = 0.5 if halves else size[j] / (size[i] + size[j])
            for p in range(d):
                mean[p, used] = mean[p, i] + share * (mean[p, j] - mean[p, i])
                mean[p, i] = mean[p, j] = INFINITY
            size[used], point[used] = size[i] + size[j], min(point[i], point[j])
            find_nearest_before(mean, used, at, &low[used], &who[used])
            column_sift_up(&heap[0], count, <int32_t>used, &low[0])
            count += 1
            used += 1
            budget -= used * d
    free(at)
    state[0], state[1], state[2] = used, count, merges


cdef inline void find_nearest_before(
    const double[:, ::1] mean, Py_ssize_t j, double *at, double *low, int32_t *who
) noexcept nogil:
    """The nearest of the columns before one."""
    cdef Py_ssize_t p
    for p in range(mean.shape[0]):
        at[p] = mean[p, j]
    low[0], who[0] = INFINITY, -1
    kernels.one(&mean[0, 0], mean.shape[1], mean.shape[0], at, j, low, who)
