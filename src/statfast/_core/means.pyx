# SPDX-License-Identifier: BSD-3-Clause
"""Ward's method from rows: the nearest clusters, whose distances come from means and sizes.

Ward 1963, doi:10.1080/01621459.1963.10500845: the sum of squares within clusters grows by
f g / (f + g) |a - b|^2 when clusters of f and g points with the means a and b become one; the
height is the root of twice that. So no matrix is needed: O(n d) memory. The loop is C
(simd/means_level.h), eight clusters against a vector of others at a time.

Cost: 2 n d flop a query. The caller guarantees finite means whose squared distances do not
overflow, in columns of a multiple of 8 numbers.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t

from statfast._core.tiles cimport level


cdef extern from "means_kernels.h" nogil:
    enum:
        MEANS_GROUP

    ctypedef struct means_kernels:
        void (*nearest)(
            const double *mean, Py_ssize_t ld, Py_ssize_t first, Py_ssize_t last, Py_ssize_t d,
            const double *size, double smallest, const int32_t *query, double *low, int32_t *who
        ) noexcept nogil

    const means_kernels *means_at(int level)


cdef const means_kernels *kernels = means_at(level())

cdef Py_ssize_t LEVEL_2 = 1 << 18  # bytes of means that all queries of a call are shown in turn


def nearest(
    const double[:, ::1] mean,      # IN (d, ld) the means in columns
    const double[::1] size,         # IN (n,)
    double smallest,                # IN no size is below it
    const int32_t[::1] query,       # IN (m,) clusters
    Py_ssize_t begin,               # IN of the queries, these
    Py_ssize_t end,
    double[::1] low,                # OUT (m,) 2 f g / (f + g) |a - b|^2
    int32_t[::1] who,               # OUT (m,) the first cluster at that distance
):
    """The nearest other cluster of some."""
    cdef Py_ssize_t n = size.shape[0], d = mean.shape[0], at, i, first = 0
    cdef Py_ssize_t step = max(<Py_ssize_t>64, LEVEL_2 // (8 * d) // 64 * 64)
    cdef int32_t some[MEANS_GROUP]
    cdef int32_t found[MEANS_GROUP]
    cdef double least[MEANS_GROUP]
    with nogil:
        for at in range(begin, end):
            low[at], who[at] = INFINITY, -1
        while first < n:
            at = begin
            while at < end:
                for i in range(MEANS_GROUP):
                    some[i] = query[min(at + i, end - 1)]
                    least[i] = low[min(at + i, end - 1)]
                    found[i] = who[min(at + i, end - 1)]
                kernels.nearest(&mean[0, 0], mean.shape[1], first, min(first + step, n), d,
                                &size[0], smallest, some, least, found)
                for i in range(min(<Py_ssize_t>MEANS_GROUP, end - at)):
                    low[at + i], who[at + i] = least[i], found[i]
                at += MEANS_GROUP
            first += step
