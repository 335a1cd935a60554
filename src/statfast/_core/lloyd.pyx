# SPDX-License-Identifier: BSD-3-Clause
"""One step of Lloyd's algorithm over a block of rows.

Lloyd 1982, Least squares quantization in PCM, doi:10.1109/TIT.1982.1056489.

The nearest centre of a row is decided in float32 by the top-2 epilogue of the tile family (points
across, centres down; see simd/tile.h for the scores and the bound on their error). A row whose two
best scores lie closer together than the errors may account for is decided again in float64, by the
differences to all centres: the labels are those of float64 arithmetic throughout, the lowest index
among equal distances. Sums are float64.

Cost: 2 n k d flop at the float32 multiply-add rate, one read of the rows and one update of d sums
a row. The caller guarantees rows of contiguous numbers and labels below k.
"""

import numpy as np

from libc.float cimport FLT_MAX
from libc.math cimport sqrt
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from statfast._core.rows cimport (
    add, aligned, apart, convert, measure, measure_panel, number, pack, padded, panel_columns,
    stride_of,
)
from statfast._core.tiles cimport active, chunk_rows

# Panels converted and packed together: enough rows to hide the calls, few enough for the cache.
cdef enum:
    PANELS_BYTES = 131072
    MOST_PANELS = 16

cdef double UNIT32 = 2.0 ** -24
cdef double UNIT64 = 2.0 ** -53


def frame(
    const double[:, ::1] centers,   # IN (k, d)
    const float[::1] origin,        # IN (d,)
    double scale,
):
    """The centres of one iteration as float32 tile rows, with the terms of the error bound."""
    cdef Py_ssize_t k = centers.shape[0], d = centers.shape[1], ld = padded(d)
    cdef Py_ssize_t rows = active().rows, c
    cdef Py_ssize_t filled = (k + rows - 1) // rows * rows
    a = np.zeros((filled, ld), dtype=np.float32)
    start = np.full(filled, -np.inf, dtype=np.float32)
    norm = np.empty(k, dtype=np.float32)
    cdef float[:, ::1] a_ = a
    cdef float[::1] start_ = start, norm_ = norm
    cdef double reach = 0
    convert(&centers[0, 0], d, k, d, &origin[0], scale, &a_[0, 0], ld)
    measure(&a_[0, 0], ld, k, d, &start_[0], &norm_[0])
    for c in range(k):
        reach = max(reach, <double>norm_[c])
    kappa = 1.02 * UNIT32 * (d + 5) if d * UNIT32 < 0.01 else np.inf
    delta = (d + 4) * UNIT64
    bound = np.array([
        scale,
        kappa * reach,
        (kappa / 2 + delta) * reach * reach + (d + 8) * 2.0 ** -100,
        delta,
    ])
    return a, start, np.asarray(origin), bound


def step(
    const number[:, :] X,           # IN (n, d)
    const double[::1] weights,      # IN (n,) or None
    const double[:, ::1] centers,   # IN (k, d)
    frame,                          # IN of these centres
    int32_t[::1] labels,            # INOUT (n,)
    double[:, ::1] sums,            # INOUT (k, d) weighted sums of the rows are added; or None
    double[::1] mass,               # INOUT (k,) weights are added; or None
):
    """Assign every row to its nearest centre; add the rows up by centre; count changed labels."""
    cdef const float[:, ::1] a
    cdef const float[::1] start, origin
    cdef const double[::1] bound
    a, start, origin, bound = frame
    cdef Py_ssize_t n = X.shape[0], moved
    if n == 0:
        return 0
    cdef const double *weight = NULL if weights is None else &weights[0]
    cdef double *sum = NULL if sums is None else &sums[0, 0]
    cdef double *total = NULL if mass is None else &mass[0]
    with nogil:
        moved = pass_over(
            &X[0, 0], stride_of(X), n, weight, centers, a, start, &origin[0], &bound[0],
            &labels[0], sum, total)
    if moved < 0:
        raise MemoryError
    return moved


cdef Py_ssize_t pass_over(
    const number *x, Py_ssize_t ldx, Py_ssize_t n, const double *weights,
    const double[:, ::1] centers, const float[:, ::1] a, const float[::1] start,
    const float *origin, const double *bound, int32_t *labels, double *sums, double *mass,
) noexcept nogil:
    """Label n rows and add them up while they are in cache; returns how many labels changed,
    or -1 without memory."""
    cdef Py_ssize_t k = centers.shape[0], d = centers.shape[1], ld = a.shape[1]
    cdef Py_ssize_t across = panel_columns(<float>0), chunk = chunk_rows(ld * sizeof(float))
    cdef Py_ssize_t panels = max(1, min(
        <Py_ssize_t>MOST_PANELS, PANELS_BYTES // (across * d * <Py_ssize_t>sizeof(float))))
    cdef Py_ssize_t most = min(panels * across, (n + across - 1) // across * across)
    cdef Py_ssize_t first, some, j, r, i, moved = 0
    cdef int32_t label
    cdef double doubt
    cdef void *block = malloc(
        64 + sizeof(double) * (k + d) + sizeof(float) * (most * (ld + d + 3) + 64)
        + sizeof(int32_t) * most)
    if block == NULL:
        return -1
    cdef double *apart_k = <double *>aligned(block)
    cdef double *point = apart_k + k
    cdef float *panel = <float *>aligned(point + d)
    cdef float *flat = panel + most * d
    cdef float *norm = flat + most * ld
    cdef float *best = norm + most
    cdef float *second = best + most
    cdef int32_t *index = <int32_t *>(second + most)

    first = 0
    while first < n:
        some = min(most, n - first)
        convert(x + first * ldx, ldx, some, d, origin, bound[0], flat, ld)
        pack(flat, ld, some, d, panel)
        j = 0
        while j < some:
            measure_panel(panel + j * d, d, norm + j)
            j += across
        for i in range(most):
            best[i] = second[i] = -FLT_MAX
            index[i] = 0
        r = 0
        while r < a.shape[0]:
            j = 0
            while j < some:
                active().f32.largest_two(
                    &a[r, 0], ld, &start[r], min(chunk, a.shape[0] - r), panel + j * d, d, r,
                    best + j, second + j, index + j)
                j += across
            r += chunk
        for i in range(some):
            label = index[i]
            doubt = bound[1] * norm[i] + bound[2] + bound[3] * norm[i] * norm[i]
            if not (<double>best[i] - second[i] > 2 * doubt):
                label = nearest(x + (first + i) * ldx, centers, point, apart_k)
            moved += label != labels[first + i]
            labels[first + i] = label
        if sums != NULL:
            add(x + first * ldx, ldx, some, d, NULL if weights == NULL else weights + first,
                labels + first, sums, mass)
        first += some
    free(block)
    return moved


cdef int32_t nearest(
    const number *x, const double[:, ::1] centers, double *point, double *apart_k
) noexcept nogil:
    """Index of the centre nearest to x by float64 differences, the lowest on ties."""
    cdef Py_ssize_t k = centers.shape[0], d = centers.shape[1], p, c
    cdef int32_t best = 0
    for p in range(d):
        point[p] = x[p]
    apart(point, &centers[0, 0], d, k, d, apart_k)
    for c in range(1, k):
        if apart_k[c] < apart_k[best]:
            best = <int32_t>c
    return best


def distances(
    const number[:, :] X,           # IN (n, d)
    const double[:, ::1] centers,   # IN (k, d)
    const int32_t[::1] labels,      # IN (n,)
    double[::1] out,                # OUT (n,)
):
    """Squared distance of every row to its own centre, by float64 differences."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], i
    with nogil:
        for i in range(n):
            apart(&centers[labels[i], 0], &X[i, 0], d, 1, d, &out[i])


def transform(
    const number[:, :] X,           # IN (n, d)
    const double[:, ::1] centers,   # IN (k, d)
    double[:, ::1] out,             # OUT (n, k)
):
    """Euclidean distance of every row to every centre, by float64 differences."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], k = centers.shape[0], i, p, c
    cdef double *point = <double *>malloc(d * sizeof(double))
    if point == NULL:
        raise MemoryError
    with nogil:
        for i in range(n):
            for p in range(d):
                point[p] = X[i, p]
            apart(point, &centers[0, 0], d, k, d, &out[i, 0])
            for c in range(k):
                out[i, c] = sqrt(out[i, c])
    free(point)
