# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Greedy k-means++: rows, their nearest centers so far, and the gains of candidates for the next.

Arthur & Vassilvitskii 2007, doi:10.5555/1283383.1283494. For each center rows are drawn in
proportion to their squared distance to the nearest center (`draw`). Float32 scores bound the
decrease of the potential by each of them, and mark the rows that it may gain (`weigh`). When the
best becomes a center (`join`), only those rows are measured, in float64 by differences, so that the
distances from which rows are drawn are exact.

Cost of a center: O(n d m) in float32 for m candidates, O(d) in float64 for each row that it may
gain. Memory: 25 bytes a row and m / 8.

The caller guarantees: finite rows, matching shapes, d >= 1, at most SEEDING_MAX_CANDIDATES
candidates.
"""

from cython.view cimport contiguous
from libc.float cimport FLT_MAX, FLT_MIN
from libc.math cimport fabs, nextafter
from libc.stdint cimport int32_t, uint32_t

import numpy as np

from statfast._core.tile.rows cimport UNIT32, UNIT64, measure, padded, panel_columns
from statfast._core.tile.tiles cimport active, level

cdef extern from "kmeans/seeding_table.h" nogil:
    ctypedef struct seeding_rows:
        const float *a
        const float *start
        const float *slope
        const float *square
        Py_ssize_t m
        Py_ssize_t depth
        const float *panels
        const float *top
        const float *weight
        const float *longest
        const float *rest
        const float *heaviest
        uint32_t *hit
        Py_ssize_t all

    ctypedef struct seeding_kernels:
        void (*weigh)(
            const seeding_rows *rows, Py_ssize_t first, Py_ssize_t stop, double *high, double *off,
            double *points
        ) noexcept nogil
    const seeding_kernels *seeding_at(int level)

cdef extern from *:
    """
    #define STATFAST_REST 6e-7
    """
    const double REST "STATFAST_REST"  # of what is rounded to float, each a few times

cdef extern from "simd/compiler.h":
    int LOWEST_BIT(uint32_t bits) noexcept nogil

ctypedef void (*measure_rows)(
    const double *q, const void *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, double *out
) noexcept nogil

cdef const seeding_kernels *kernels = seeding_at(level())

# Rows whose probabilities are summed together; as many are searched for the row that is drawn.
cdef enum:
    STRETCH_ROWS = 32


cdef class Seeding:
    """The rows of one initialization, in panels, with their nearest center so far."""

    cdef readonly object closest    # (n,) squared distance to the nearest center
    cdef readonly object labels     # (n,) int32 the nearest center, the first of equals
    cdef readonly object hits       # (m', panels) uint32: the rows that each candidate may gain
    cdef object arrays
    cdef const unsigned char *x
    cdef Py_ssize_t n, d, ldx, line, panels
    cdef measure_rows measure
    cdef const double[::1] weights
    cdef double scale
    cdef double[::1] near, sums     # closest; sums of weight * closest over STRETCH_ROWS rows each
    cdef int32_t[::1] label
    cdef float[::1] square, top     # scaled squared distance from the origin; see seeding_level.h
    cdef float[:, ::1] most         # (3, panels) the largest norm, rest and weight in each
    cdef seeding_rows rows

    def __init__(
        self,
        const unsigned char[:, ::contiguous] X,  # IN (n, bytes) the rows, of one type
        Py_ssize_t d,
        const double[::1] weights,      # IN (n,), or None
        const float[::1] shares,        # IN (n',) the weights divided by the largest, or None
        const float[::1] panels,        # IN (n' d,) the rows as `lloyd.pack_rows` made them
        double scale,
    ):
        cdef Py_ssize_t across = panel_columns(<float>0), size = X.shape[1] // d
        self.x = &X[0, 0]
        self.n, self.d, self.ldx = X.shape[0], d, X.strides[0] // size
        self.line = X.strides[0]
        self.measure = active().squared_distances[0 if size == 8 else 1 if size == 4 else 2]
        self.panels = (self.n + across - 1) // across
        self.weights, self.scale = weights, scale
        self.closest = np.empty(self.n)
        self.labels = np.zeros(self.n, np.int32)
        self.near, self.label = self.closest, self.labels
        self.sums = np.empty((self.n + STRETCH_ROWS - 1) // STRETCH_ROWS)
        self.square = np.empty(self.n, np.float32)
        self.top = np.full(panels.shape[0] // d, -FLT_MAX, np.float32)
        self.most = np.zeros((3, self.panels), np.float32)
        self.rows.depth = d
        self.rows.all = self.panels
        self.rows.panels = &panels[0]
        self.rows.top = &self.top[0]
        self.rows.weight = NULL if shares is None else &shares[0]
        self.rows.longest = &self.most[0, 0]
        self.rows.rest = &self.most[1, 0]
        self.rows.heaviest = &self.most[2, 0]
        self.arrays = X, panels, shares, None

    def begin(
        self,
        const double[::1] origin,       # IN (d,) of the panels
        const double[::1] center,       # IN (d,) the first
        const float[::1] norms,         # IN (n',)
        Py_ssize_t first,               # row, the first of a stretch and of a panel
        Py_ssize_t stop,
    ):
        """Set the first center as the nearest of some of the rows.

        `top` only falls from then on, to no less than -norm^2 / 2.
        """
        cdef Py_ssize_t across = panel_columns(<float>0), i, p
        cdef double size, rest, far
        cdef float norm, heaviest
        with nogil:
            for p in range(first // across, (stop + across - 1) // across):
                norm = heaviest = 0
                rest = 0
                for i in range(p * across, min(stop, (p + 1) * across)):
                    self.measure(&origin[0], self.x + i * self.line, self.ldx, 1, self.d, &far)
                    self.square[i] = <float>(far * self.scale * self.scale)
                    self.measure(&center[0], self.x + i * self.line, self.ldx, 1, self.d, &far)
                    approach(self, i, far, 0)
                    norm = max(norm, norms[i])
                    rest = max(rest, <double>fabs(self.top[i]))
                    heaviest = max(
                        heaviest, <float>1 if self.rows.weight == NULL else self.rows.weight[i])
                size = <double>norm * norm
                size = (self.d + 4) * UNIT64 * size + 1.1 * REST * (size + max(rest, size))
                self.most[0, p] = norm
                self.most[1, p] = <float>(size + self.d * <double>FLT_MIN)
                self.most[2, p] = heaviest
            for i in range(first // STRETCH_ROWS, (stop + STRETCH_ROWS - 1) // STRETCH_ROWS):
                add_up(self, i)

    def draw(
        self,
        const double[::1] at,           # IN (m,) numbers in [0, 1)
    ):
        """Draw rows in proportion to weight * squared distance to the nearest center: (m,) int32;
        None if every row is a center.

        The row drawn is the first at which the running sum exceeds the share `at` of the total.
        """
        running_ = np.asarray(self.sums).cumsum()
        drawn = np.empty(at.shape[0], np.int32)
        cdef const double[::1] running = running_
        cdef int32_t[::1] row = drawn
        cdef Py_ssize_t c, low, high, middle, i
        cdef double total = running[running.shape[0] - 1], goal, before, chance
        if not total > 0:
            return None
        for c in range(at.shape[0]):
            goal = min(max(at[c], 0.0) * total, nextafter(total, 0))
            low = 0
            high = running.shape[0] - 1
            while low < high:  # bisection for the first whose running sum exceeds the goal
                middle = (low + high) // 2
                if running[middle] > goal:
                    high = middle
                else:
                    low = middle + 1
            goal -= running[low - 1] if low > 0 else 0
            before = 0
            for i in range(low * STRETCH_ROWS, min(self.n, (low + 1) * STRETCH_ROWS)):
                chance = self.near[i] * (1 if self.weights is None else self.weights[i])
                before += chance
                if chance > 0:
                    row[c] = <int32_t>i
                    if before > goal:
                        break
        return drawn

    def propose(
        self,
        const int32_t[::1] drawn,       # IN (m,) rows
    ):
        """Set rows as candidates for the next center; see kmeans/seeding_level.h for the terms."""
        cdef Py_ssize_t across = panel_columns(<float>0), d = self.d, c, p, r
        cdef Py_ssize_t m = drawn.shape[0] + drawn.shape[0] % 2
        # Where float scores decide nothing, all rows may be gained.
        cdef double kappa = 1.02 * UNIT32 * (d + 8) if d * UNIT32 < 0.01 else 1e25
        cdef double delta = (d + 4) * UNIT64
        cdef double tau = (d + 8) ** 2 * 2.0 ** -90 + d * (self.scale * 2.0 ** -537) ** 2
        cdef float half, length
        cdef float[:, ::1] a = np.zeros((d, m), np.float32)
        cdef float[::1] row = np.empty(padded(d), np.float32)
        cdef float[:, ::1] terms = np.zeros((3, m), np.float32)
        cdef uint32_t[:, ::1] hit
        if self.hits is None or self.hits.shape[0] != m:
            self.hits = np.empty((m, self.panels), np.uint32)
        hit = self.hits
        terms[0, m - 1] = -FLT_MAX  # fills up an odd number; it gains nothing
        for c in range(drawn.shape[0]):
            r = drawn[c]
            for p in range(d):
                row[p] = self.rows.panels[r // across * across * d + p * across + r % across]
                a[p, c] = row[p]
            measure(&row[0], d, 1, d, &half, &length)
            terms[1, c] = <float>((kappa + 4 * UNIT32) * length)
            terms[2, c] = <float>((kappa / 2 + delta + 4 * UNIT32) * length * length + tau)
            terms[0, c] = half + terms[2, c]
        self.arrays = self.arrays[:3] + ((a, terms),)
        self.rows.m = m
        self.rows.a = &a[0, 0]
        self.rows.start = &terms[0, 0]
        self.rows.slope = &terms[1, 0]
        self.rows.square = &terms[2, 0]
        self.rows.hit = &hit[0, 0]

    def weigh(
        self,
        Py_ssize_t first,               # row, the first of a panel
        Py_ssize_t stop,
    ):
        """For the candidates (3, m'): an upper bound of the gain of each from some rows, by how
        much the gain may be less, and the number of rows that it may gain."""
        cdef Py_ssize_t across = panel_columns(<float>0)
        bounds = np.zeros((3, self.rows.m))
        cdef double[:, ::1] sums = bounds
        with nogil:
            kernels.weigh(
                &self.rows, first // across, (stop + across - 1) // across,
                &sums[0, 0], &sums[1, 0], &sums[2, 0])
        return bounds

    def join(
        self,
        Py_ssize_t which,               # the candidate that becomes a center
        const double[::1] center,       # IN (d,) the same
        int32_t name,
        Py_ssize_t first,               # row, the first of a stretch and of a panel
        Py_ssize_t stop,
    ):
        """Update the nearest centers of some of the rows with a new center."""
        cdef Py_ssize_t across = panel_columns(<float>0), stretch = -1, p, i
        cdef const uint32_t *hit = self.rows.hit + which * self.panels
        cdef uint32_t bits
        cdef double far
        with nogil:
            for p in range(first // across, (stop + across - 1) // across):
                bits = hit[p]
                while bits:
                    i = p * across + LOWEST_BIT(bits)
                    bits &= bits - 1
                    self.measure(&center[0], self.x + i * self.line, self.ldx, 1, self.d, &far)
                    if far < self.near[i]:
                        approach(self, i, far, name)
                        if i // STRETCH_ROWS != stretch:
                            if stretch >= 0:
                                add_up(self, stretch)
                            stretch = i // STRETCH_ROWS
            if stretch >= 0:
                add_up(self, stretch)


cdef inline void approach(Seeding s, Py_ssize_t i, double far, int32_t name) noexcept nogil:
    """Set the distance of a row to its nearest center."""
    cdef double half, size
    s.near[i] = far
    s.label[i] = name
    half = far * s.scale * (s.scale / 2) - s.square[i] / 2
    size = 1.00001 * s.square[i]  # at least the squared length of the float row
    s.top[i] = <float>(
        half + (s.d + 4) * UNIT64 * size + REST * (fabs(half) + size) + s.d * <double>FLT_MIN)


cdef inline void add_up(Seeding s, Py_ssize_t stretch) noexcept nogil:
    """Sum up the probabilities of a stretch of rows."""
    cdef Py_ssize_t i
    cdef double total = 0
    for i in range(stretch * STRETCH_ROWS, min(s.n, (stretch + 1) * STRETCH_ROWS)):
        total += s.near[i] * (1 if s.weights is None else s.weights[i])
    s.sums[stretch] = total
