# SPDX-License-Identifier: BSD-3-Clause
"""Lloyd's algorithm for many centers: groups of near centers, panels of near rows, and a bound for
each panel and group.

Ding, Zhao, Shen, Musuvathi & Mytkowicz 2015, Yinyang k-means,
https://proceedings.mlr.press/v37/ding15.html, keep a bound for each row and group of centers. Here
rows are sorted by their centers, so that the rows of a panel have the same near groups, and there
is one bound for a whole panel. The products that remain are tiles, and no row is taken out of its
panel. The bound is on the difference of two distances (kmeans/groups.h).

Labels are those of float64 arithmetic: what float32 cannot decide is decided again
(kmeans/exact_nearest.pxd).

Cost: n k / (panel * group) bounds of one float, read and written once a pass; 2 d flop for each
pair of a panel's row and a center of a group that is looked at. The caller guarantees rows of
contiguous numbers, none of them FAR_OUT from the origin, and sorted rows that fill whole panels.
"""

from cython.view cimport contiguous
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from statfast._core.kmeans.exact_nearest cimport nearest, sure
from statfast._core.order.keyed_rows cimport KeyedRow, sort_rows
from statfast._core.tile.rows cimport (
    UNIT32, add, aligned, number, panel_columns, squared_distances, stride_of,
)
from statfast._core.tile.tiles cimport active


def group_rows():
    """Rows of a group of centers."""
    return active().group


def panel_rows():
    """Rows of a panel of points."""
    return panel_columns(<float>0)


def arrange(
    const double[:, ::1] centers,   # IN (k, d)
    int32_t[::1] order,             # OUT (k,) the centers, near ones next to each other
):
    """Halve the centers until the parts are groups: along the line from the center farthest from
    the mean to the one farthest from that, such that the parts consist of whole groups."""
    cdef Py_ssize_t k = centers.shape[0], d = centers.shape[1], group = active().group
    cdef Py_ssize_t first, stop, half, i, p, depth = 0
    cdef Py_ssize_t a, b
    cdef double t
    cdef double *mean = <double *>malloc((d + k) * sizeof(double))
    cdef KeyedRow *place = <KeyedRow *>malloc(k * sizeof(KeyedRow))
    cdef Py_ssize_t *stack = <Py_ssize_t *>malloc(2 * 128 * sizeof(Py_ssize_t))
    if mean == NULL or place == NULL or stack == NULL:
        free(mean)
        free(place)
        free(stack)
        raise MemoryError
    cdef double *distance = mean + d
    with nogil:
        for i in range(k):
            place[i].row = i
        stack[0], stack[1], depth = 0, k, 1
        while depth > 0:
            depth -= 1
            first, stop = stack[2 * depth], stack[2 * depth + 1]
            if stop - first <= group:
                continue
            for p in range(d):
                mean[p] = 0
            for i in range(first, stop):
                for p in range(d):
                    mean[p] += centers[place[i].row, p]
            for p in range(d):
                mean[p] /= stop - first
            a = farthest(mean, centers, place + first, stop - first, distance)
            b = farthest(&centers[a, 0], centers, place + first, stop - first, distance)
            for i in range(first, stop):
                t = 0
                for p in range(d):
                    t += centers[place[i].row, p] * (centers[b, p] - centers[a, p])
                place[i].key = t
            sort_rows(place + first, stop - first)
            half = ((stop - first) // 2 + group - 1) // group * group
            # The longer part is pushed first, so that the stack is never deeper than the number of
            # halvings.
            stack[2 * depth], stack[2 * depth + 1] = first, first + half
            stack[2 * depth + 2], stack[2 * depth + 3] = first + half, stop
            depth += 2
        for i in range(k):
            order[i] = <int32_t>place[i].row
    free(mean)
    free(place)
    free(stack)


cdef Py_ssize_t farthest(
    const double *point, const double[:, ::1] centers, const KeyedRow *place, Py_ssize_t n,
    double *distance,
) noexcept nogil:
    cdef Py_ssize_t d = centers.shape[1], i
    cdef double most = -1
    cdef Py_ssize_t best = place[0].row
    for i in range(n):
        squared_distances(point, &centers[place[i].row, 0], d, 1, d, distance)
        if distance[0] > most:
            most = distance[0]
            best = place[i].row
    return best


cdef class Groups:
    """Centers in groups, as one argument. Keeps their arrays alive."""

    cdef const double[:, ::1] centers
    cdef const float[:, ::1] a
    cdef const float[::1] start
    cdef const double[::1] terms
    cdef const int32_t[::1] arranged, place
    cdef const float[::1] drop

    def __cinit__(
        self,
        const double[:, ::1] centers,   # IN (k, d)
        frame,                          # IN of the centers in the order of the groups
        const int32_t[::1] arranged,    # IN (k,) that order
        const int32_t[::1] place,       # IN (k,) where each center is in it
        const float[::1] drop,          # IN (g',) the largest move of a center of each group
    ):
        self.a, self.start, _, self.terms = frame
        self.centers, self.arranged, self.place, self.drop = centers, arranged, place, drop


def assign(
    const number[:, ::contiguous] X,  # IN (n, d) all rows
    const int32_t[::1] order,       # IN (m,) which of them these panels hold
    const float[::1] panels,        # IN (m * d,)
    const float[::1] norms,         # IN (m,)
    Groups centers,
    int32_t[::1] own,               # INOUT (m,) place of the nearest center
    float[::1] upper,               # INOUT (m,) bounds on the distance to it
    float[:, ::1] slack,            # INOUT (panels, g') see kmeans/groups.h
    int32_t[::1] labels,            # INOUT (n,) the nearest center
    int32_t[::1] rows,              # OUT (m,) rows whose nearest center has changed
    int32_t[::1] source,            # OUT (m,) their previous centers
):
    """Find the nearest centers of the rows of some panels; returns the number of changes."""
    cdef const float[:, ::1] a = centers.a
    cdef const float[::1] start = centers.start, drop = centers.drop
    cdef const double[::1] terms = centers.terms
    cdef const int32_t[::1] arranged = centers.arranged, place = centers.place
    cdef Py_ssize_t m = order.shape[0], d = X.shape[1], k = centers.place.shape[0], ld = a.shape[1]
    cdef Py_ssize_t across = panel_columns(<float>0), groups = slack.shape[1]
    cdef Py_ssize_t j = 0, i, looked, moved = 0
    cdef float spread = 2 * (d + 8) * UNIT32
    cdef int32_t row, old, new
    cdef bint unsure
    cdef void *block = malloc(
        64 + sizeof(double) * (d + k)
        + (sizeof(float) + sizeof(int32_t)) * (across * (groups + 8) + groups + across))
    if block == NULL:
        raise MemoryError
    cdef float *peak = <float *>aligned(block)
    cdef float *best = peak + groups * across
    cdef float *second = best + across
    cdef float *lower = second + across
    cdef double *point = <double *>(lower + across)
    cdef double *distance = point + d
    cdef int32_t *index = <int32_t *>(distance + k)
    cdef int32_t *group = index + across
    with nogil:
        while j < m:
            unsure = active().search_groups(
                &a[0, 0], ld, &start[0], groups, &panels[j * d], d, &norms[j], &terms[0], spread,
                &drop[0], &own[j], &slack[j // across, 0], &upper[j], lower,
                best, second, index, group, peak, &looked)
            for i in range(across):
                if unsure and not sure(&terms[0], best[i], second[i], norms[j + i]):
                    index[i] = place[nearest(
                        &X[order[j + i], 0], d, &centers.centers[0, 0], k, terms[0], point,
                        distance, &upper[j + i], lower + i)]
                new = index[i]
                if new != own[j + i]:
                    own[j + i] = new
                    row = order[j + i]
                    old = labels[row]
                    new = arranged[new]
                    if old != new:  # a repeated row that fills up a panel is counted once
                        labels[row] = new
                        rows[moved] = row
                        source[moved] = old
                        moved += 1
            active().slacken(peak, group, looked, &norms[j], &upper[j], &terms[0], spread,
                             &slack[j // across, 0])
            j += across
    free(block)
    return moved


def transfer(
    const number[:, ::contiguous] X,  # IN (n, d)
    const double[::1] weights,      # IN (n,) or None
    const int32_t[::1] labels,      # IN (n,)
    const int32_t[::1] rows,        # IN (m,) rows that have changed their center
    const int32_t[::1] source,      # IN (m,) their previous centers
    double[:, ::1] sums,            # INOUT (k, d) weighted sums of the rows of each center
    double[::1] total_weight,               # INOUT (k,)
):
    """Move rows from the sums of one center to those of another."""
    cdef Py_ssize_t d = X.shape[1], i
    cdef double w
    with nogil:
        for i in range(rows.shape[0]):
            w = 1 if weights is None else weights[rows[i]]
            add(&X[rows[i], 0], d, 1, d, &w, &labels[rows[i]], &sums[0, 0], &total_weight[0])
            w = -w
            add(&X[rows[i], 0], d, 1, d, &w, &source[i], &sums[0, 0], &total_weight[0])


def add_up(
    const number[:, ::contiguous] X,  # IN (n, d)
    const double[::1] weights,      # IN (n,) or None
    const int32_t[::1] labels,      # IN (n,)
    double[:, ::1] sums,            # INOUT (k, d)
    double[::1] total_weight,               # INOUT (k,)
):
    """Add rows to the sums of their centers."""
    with nogil:
        add(&X[0, 0], stride_of(X), X.shape[0], X.shape[1],
            NULL if weights is None else &weights[0], &labels[0], &sums[0, 0], &total_weight[0])
