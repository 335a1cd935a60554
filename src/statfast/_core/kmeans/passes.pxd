# SPDX-License-Identifier: BSD-3-Clause
"""One pass of Lloyd's algorithm: rows get their nearest centers, a cacheful at a time."""

from libc.float cimport FLT_MAX
from libc.stdint cimport int32_t, uint16_t
from libc.stdlib cimport free, malloc

from statfast._core.kmeans.exact_nearest cimport nearest, sure
from statfast._core.tile.rows cimport (
    UNIT32, add, aligned, kind_of, lay, number, panel_columns,
)
from statfast._core.tile.tiles cimport active, chunk_rows

cdef enum:
    MAX_UNDECIDED = 64  # rows, and an eighth of those before, after which halves are given up

# Panels converted and packed together: enough rows to hide the calls, few enough for the cache.
cdef enum:
    PANELS_BYTES = 131072
    MAX_PANELS = 16


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
    const uint16_t *halves
    double half_terms[4]
    Py_ssize_t undecided


cdef inline Py_ssize_t pass_over(const number *x, Step *s) noexcept nogil:
    """Label the rows and add them up while they are in cache; returns the number of changed labels,
    or -1 if memory runs out."""
    cdef Py_ssize_t d = s.d, across = panel_columns(<float>0)
    cdef Py_ssize_t panels = max(1, min(
        <Py_ssize_t>MAX_PANELS, PANELS_BYTES // (across * max(d, 1) * <Py_ssize_t>sizeof(float))))
    cdef Py_ssize_t most = min(panels * across, (s.n + across - 1) // across * across)
    cdef Py_ssize_t first = 0, some, count, filled, moved = 0, i
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
        # Rows that were packed before are all scored, unless packing the remaining ones, in whole
        # panels, is cheaper.
        filled = (count + across - 1) // across * across
        ready = s.norms != NULL and filled * tile + count * (1.5 * d + 6) >= some * tile
        if s.halves != NULL and s.undecided > MAX_UNDECIDED + first // 8:
            ready = False  # deciding the others in float64 would take longer
            s.undecided += count
        if ready or count == some:
            count = some
            for i in range(some):
                work.left[i] = <int32_t>i
        if ready:
            work.panel = NULL if s.panels == NULL else <float *>s.panels + first * d
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


cdef inline Py_ssize_t assign_panels(
    const number *x, Step *s, Py_ssize_t first, Py_ssize_t count, bint ready, Workspace *work
) noexcept nogil:
    """Label the rows x[left], which are all if they are `ready`."""
    cdef Py_ssize_t d = s.d, ld = s.ld, across = panel_columns(<float>0), i, j = 0, r = 0
    cdef Py_ssize_t chunk = chunk_rows(ld * sizeof(float))
    cdef float spread = 2 * (d + 8) * UNIT32
    cdef bint halved = ready and s.halves != NULL, unsure
    cdef const double *terms = &s.half_terms[0] if halved else s.terms
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
            if halved:
                active().largest_two_of_halves(
                    s.a + r * ld, ld, s.start + r, min(chunk, s.filled - r),
                    s.halves + (first + j) * d, d, r, work.best + j, work.second + j,
                    work.index + j)
            else:
                active().f32.largest_two(
                    s.a + r * ld, ld, s.start + r, min(chunk, s.filled - r), work.panel + j * d,
                    d, r, work.best + j, work.second + j, work.index + j)
            j += across
        r += chunk
    unsure = active().bound(
        work.best, work.second, work.norm, count, terms, spread, work.upper, work.lower)
    if unsure:
        for i in range(count):
            if not sure(terms, work.best[i], work.second[i], work.norm[i]):
                s.undecided += halved
                work.index[i] = nearest(
                    x + work.left[i] * s.ldx, d, s.centers, s.k, s.terms[0],
                    work.point, work.distances, &work.upper[i], &work.lower[i])
    return take(x, s, first, count, work)


cdef inline Py_ssize_t take(
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


cdef inline void transfer(
    const number *x, const Step *s, Py_ssize_t row, int32_t old, int32_t new
) noexcept nogil:
    """Move one row from the sums of one center to those of another."""
    cdef double w = 1 if s.weights == NULL else s.weights[row]
    if old >= 0:
        w = -w
        add(x, s.ldx, 1, s.d, &w, &old, s.sums, s.total_weight)
        w = -w
    add(x, s.ldx, 1, s.d, &w, &new, s.sums, s.total_weight)
