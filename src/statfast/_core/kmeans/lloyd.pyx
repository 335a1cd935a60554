# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""One step of Lloyd's algorithm over a block of rows.

Lloyd 1982, Least squares quantization in PCM, doi:10.1109/TIT.1982.1056489.

The nearest center of a row is decided in float32 by the top-2 epilogue of the tile family (points
across, centers down; see tile/product/tile.h for the scores and the bound on their error). A row
whose two best scores differ by less than their errors may is decided again in float64, by the
differences to all centers: the labels are those of float64 arithmetic throughout, the lowest index
among equal distances. Sums are float64.

Bounds carried from one step to the next exclude most rows that cannot have changed their center:
Hamerly 2010, Making k-means even faster, doi:10.1137/1.9781611972801.12.

Cost: 2 n k d flop at the float32 multiply-add rate, one read of the rows and one update of d sums
a row. The caller guarantees rows of contiguous numbers and labels below k.
"""

import numpy as np

from cython.view cimport contiguous
from libc.float cimport FLT_MAX
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from statfast._core.kmeans.exact_nearest cimport nearest, sure
from statfast._core.tile.rows cimport (
    UNIT32, UNIT64, add, aligned, convert, kind_of, lay, measure, number, padded, panel_columns,
    stride_of,
)
from statfast._core.tile.tiles cimport active, chunk_rows

# Panels converted and packed together: enough rows to hide the calls, few enough for the cache.
cdef enum:
    PANELS_BYTES = 131072
    MAX_PANELS = 16


def frame(
    const double[:, ::1] centers,   # IN (k, d)
    const float[::1] origin,        # IN (d,)
    double scale,
):
    """The centers of one iteration as float32 tile rows, with the terms of the error bound."""
    cdef Py_ssize_t k = centers.shape[0], d = centers.shape[1], ld = padded(d)
    cdef Py_ssize_t rows = active().rows, c
    cdef Py_ssize_t filled = (k + rows - 1) // rows * rows
    a = np.zeros((filled, ld), dtype=np.float32)
    start = np.empty(filled, dtype=np.float32)
    start[k:] = -np.inf
    norm = np.empty(k, dtype=np.float32)
    cdef float[:, ::1] a_ = a
    cdef float[::1] start_ = start, norm_ = norm
    cdef double kappa, delta, reach = 0
    convert(&centers[0, 0], d, k, d, &origin[0], scale, &a_[0, 0], ld)
    measure(&a_[0, 0], ld, k, d, &start_[0], &norm_[0])
    for c in range(k):
        reach = max(reach, <double>norm_[c])
    kappa = 1.02 * UNIT32 * (d + 8) if d * UNIT32 < 0.01 else np.inf
    delta = (d + 4) * UNIT64
    # The underflow of float64 squares of differences, in units of the score.
    lost = d * (scale * 2.0 ** -537) ** 2
    bound = np.array([
        scale,
        kappa * reach,
        (kappa / 2 + delta) * reach * reach + (d + 8) ** 2 * 2.0 ** -90 + lost,
        delta,
        reach,
    ])
    return a, start, np.asarray(origin), bound


def pack_rows(
    const number[:, ::contiguous] X,  # IN (n, d)
    const float[::1] origin,        # IN (d,)
    double scale,
    float[::1] panels,              # OUT (m' * d,) m' = m filled up to whole panels
    float[::1] norms,               # OUT (m',)
    const int32_t[::1] pick=None,   # IN (m,) the rows to pack; None: all n
):
    """Rows as float32 panels, for repeated steps over the same rows."""
    cdef Py_ssize_t d = X.shape[1], across = panel_columns(<float>0), j = 0
    cdef Py_ssize_t m = X.shape[0] if pick is None else pick.shape[0]
    with nogil:
        while j < m:
            if pick is None:
                lay(&X[j, 0], stride_of(X), NULL, min(across, m - j), d, &origin[0], scale,
                    &panels[j * d], &norms[j])
            else:
                lay(&X[0, 0], stride_of(X), &pick[j], min(across, m - j), d, &origin[0], scale,
                    &panels[j * d], &norms[j])
            j += across


def step(
    const number[:, ::contiguous] X,  # IN (n, d)
    const double[::1] weights,      # IN (n,) or None
    const double[:, ::1] centers,   # IN (k, d)
    frame,                          # IN of these centers
    int32_t[::1] labels,            # INOUT (n,)
    double[:, ::1] sums,            # INOUT (k, d) weighted sums of rows by center; or None
    double[::1] total_weight,               # INOUT (k,) their weights; or None
    bint changes=False,             # IN whether to add only rows that changed their center
    bounds=None,                    # INOUT as below; or None
    float[::1] panels=None,         # IN the rows from `pack_rows`; or None
    float[::1] norms=None,          # IN
):
    """Assign every row to its nearest center; add rows up by center; count changed labels.

    ``bounds`` are the upper bounds (n,) in float32 on the distance to the own center, the lower
    bounds (n,) on that to every other center, and the motion of the centers (3, k), their move,
    drop and gap, or None. With a motion the bounds are those before the centers moved, and rows
    that the widened bounds decide are skipped; without it bounds are only written.
    """
    cdef Step one
    cdef const float[:, ::1] a
    cdef const float[::1] start, origin
    cdef const double[::1] terms
    cdef float[::1] upper = None, lower = None
    cdef float[:, ::1] motion = None
    cdef Py_ssize_t moved
    if bounds is not None:
        upper, lower, motion = bounds
    a, start, origin, terms = frame
    if X.shape[0] == 0:
        return 0
    one.n = X.shape[0]
    one.d = X.shape[1]
    one.k = centers.shape[0]
    one.ldx = stride_of(X)
    one.weights = NULL if weights is None else &weights[0]
    one.centers = &centers[0, 0]
    one.a = &a[0, 0]
    one.start = &start[0]
    one.filled = a.shape[0]
    one.ld = a.shape[1]
    one.origin = &origin[0]
    one.terms = &terms[0]
    one.labels = &labels[0]
    one.sums = NULL if sums is None else &sums[0, 0]
    one.total_weight = NULL if total_weight is None else &total_weight[0]
    one.changes = changes
    one.upper = NULL if upper is None else &upper[0]
    one.lower = NULL if lower is None else &lower[0]
    one.motion = NULL if motion is None else &motion[0, 0]
    one.panels = NULL if panels is None else &panels[0]
    one.norms = NULL if norms is None else &norms[0]
    with nogil:
        moved = pass_over(&X[0, 0], &one)
    if moved < 0:
        raise MemoryError
    return moved


cdef struct Step:
    Py_ssize_t n, d, k, ldx, filled, ld
    const double *weights
    const double *centers
    const float *a
    const float *start
    const float *origin
    const double *terms
    int32_t *labels
    double *sums
    double *total_weight
    bint changes
    float *upper
    float *lower
    const float *motion
    const float *panels
    const float *norms


cdef Py_ssize_t pass_over(const number *x, const Step *s) noexcept nogil:
    """Label the rows and add them up while they are in cache; returns the number of changed labels,
    or -1 if memory runs out."""
    cdef Py_ssize_t d = s.d, across = panel_columns(<float>0)
    cdef Py_ssize_t panels = max(1, min(
        <Py_ssize_t>MAX_PANELS, PANELS_BYTES // (across * max(d, 1) * <Py_ssize_t>sizeof(float))))
    cdef Py_ssize_t most = min(panels * across, (s.n + across - 1) // across * across)
    cdef Py_ssize_t first = 0, some, count, moved = 0, i
    cdef double tile = s.filled * (d + 5) / 32.0  # about the cycles for a row
    cdef bint ready
    cdef float *panel
    cdef float *norm
    cdef Workspace work
    cdef void *block = malloc(
        64 + sizeof(double) * (s.k + d) + sizeof(float) * (most * (d + 5) + 64)
        + sizeof(int32_t) * 2 * most)
    if block == NULL:
        return -1
    work.distances = <double *>aligned(block)
    work.point = work.distances + s.k
    panel = <float *>aligned(work.point + d)
    norm = panel + most * d
    work.best = norm + most
    work.second = work.best + most
    work.upper = work.second + most
    work.lower = work.upper + most
    work.index = <int32_t *>(work.lower + most)
    work.left = work.index + most
    while first < s.n:
        some = min(most, s.n - first)
        if s.motion == NULL:
            count = some
        else:
            count = active().widen(
                s.labels + first, some, s.motion, s.motion + s.k, s.motion + 2 * s.k,
                s.upper + first, s.lower + first, work.left)
            if tile > d + 150:  # else measuring a distance costs almost as much as the tile
                count = tighten(x + first * s.ldx, s, first, work.left, count)
        # Rows that were packed before are all scored, unless packing the remaining ones is cheaper.
        ready = s.panels != NULL and count * (tile + 1.5 * d + 6) >= some * tile
        if ready or count == some:
            count = some
            for i in range(some):
                work.left[i] = <int32_t>i
        if ready:
            work.panel = <float *>s.panels + first * d
            work.norm = <float *>s.norms + first
        else:
            work.panel = panel
            work.norm = norm
        if count > 0:
            moved += assign_panels(x + first * s.ldx, s, first, count, ready, &work)
        if s.sums != NULL and not s.changes:
            add(x + first * s.ldx, s.ldx, some, d, NULL if s.weights == NULL else s.weights + first,
                s.labels + first, s.sums, s.total_weight)
        first += some
    free(block)
    return moved


cdef inline Py_ssize_t tighten(
    const number *x, const Step *s, Py_ssize_t first, int32_t *left, Py_ssize_t count
) noexcept nogil:
    """Keep those of the listed rows that the distance to their own center does not decide."""
    cdef const float *gap = s.motion + 2 * s.k
    return active().tighten[kind_of(x)](
        x, s.ldx, s.origin, s.terms[0], s.labels + first, s.a, s.ld, s.d, <float>s.terms[4],
        gap, s.upper + first, s.lower + first, left, count)


cdef struct Workspace:
    double *distances
    double *point
    float *panel
    float *norm
    float *best
    float *second
    float *upper
    float *lower
    int32_t *index
    int32_t *left


cdef Py_ssize_t assign_panels(
    const number *x, const Step *s, Py_ssize_t first, Py_ssize_t count, bint ready, Workspace *work
) noexcept nogil:
    """Label the rows x[left]."""
    cdef Py_ssize_t d = s.d, ld = s.ld, across = panel_columns(<float>0), i, j = 0, r = 0
    cdef Py_ssize_t chunk = chunk_rows(ld * sizeof(float))
    cdef float spread = 2 * (d + 8) * UNIT32
    cdef bint unsure
    while j < count:
        if not ready:
            lay(x, s.ldx, work.left + j, min(across, count - j), d, s.origin, s.terms[0],
                work.panel + j * d, work.norm + j)
        j += across
    for i in range(j):
        work.best[i] = work.second[i] = -FLT_MAX
        work.index[i] = 0
    while r < s.filled:
        j = 0
        while j < count:
            active().f32.largest_two(
                s.a + r * ld, ld, s.start + r, min(chunk, s.filled - r), work.panel + j * d, d, r,
                work.best + j, work.second + j, work.index + j)
            j += across
        r += chunk
    unsure = active().bound(
        work.best, work.second, work.norm, count, s.terms, spread, work.upper, work.lower)
    if unsure:
        for i in range(count):
            if not sure(s.terms, work.best[i], work.second[i], work.norm[i]):
                work.index[i] = nearest(
                    x + work.left[i] * s.ldx, d, s.centers, s.k, s.terms[0],
                    work.point, work.distances, &work.upper[i], &work.lower[i])
    return take(x, s, first, count, work)


cdef Py_ssize_t take(
    const number *x, const Step *s, Py_ssize_t first, Py_ssize_t count, const Workspace *work
) noexcept nogil:
    """Write labels and bounds of the rows x[left]; returns the number of changed labels."""
    cdef Py_ssize_t moved = 0, i, j
    cdef int32_t label, old
    for i in range(count):
        j = first + work.left[i]
        label = work.index[i]
        if s.upper != NULL:
            s.upper[j] = work.upper[i]
            s.lower[j] = work.lower[i]
        old = s.labels[j]
        if label != old:
            moved += 1
            s.labels[j] = label
            if s.changes:
                transfer(x + work.left[i] * s.ldx, s, j, old, label)
    return moved


cdef void transfer(
    const number *x, const Step *s, Py_ssize_t row, int32_t old, int32_t new
) noexcept nogil:
    """Move one row from the sums of one center to those of another."""
    cdef double w = 1 if s.weights == NULL else s.weights[row]
    if old >= 0:
        w = -w
        add(x, s.ldx, 1, s.d, &w, &old, s.sums, s.total_weight)
        w = -w
    add(x, s.ldx, 1, s.d, &w, &new, s.sums, s.total_weight)
