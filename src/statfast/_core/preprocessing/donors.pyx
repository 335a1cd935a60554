# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Nearest rows among those that have a value: distances of rows with gaps, and the choice of them.

The distance of two rows is that of the features that both have, times the share of these among all
(Dixon 1979, "Pattern recognition with partly missing data", doi:10.1109/TSMC.1979.4310090), by
differences in float64: nothing cancels. Squares are compared; ties go to the lowest row.

Cost: five vector operations for each feature of a pair that the query has, and a comparison for
each pair and gap. By four products of matrices, which numpy has, distances take as long and lose
digits; the choice by a partition of each column takes 5 to 20 times as long as all of this. The
caller guarantees NaN where values are missing, squares that do not overflow, features that the
queries have, and about 0.1 s of work a call.
"""

from libc.math cimport INFINITY
from libc.stdint cimport uint8_t

from statfast._core.tile.tiles cimport level

cdef extern from "preprocessing/donors_table.h" nogil:
    enum:
        DONORS_PANEL_POINTS
    ctypedef struct donors_kernels:
        void (*panel)(
            const double *q, const Py_ssize_t *features, Py_ssize_t count, Py_ssize_t d,
            const double *panel, double *out
        ) noexcept nogil
    const donors_kernels *donors_at(int level)

cdef const donors_kernels *kernels = donors_at(level())

PANEL_POINTS = DONORS_PANEL_POINTS

ctypedef Py_ssize_t intp


def squared_distances(
    const double[:, ::1] Q,             # IN (m, d) queries
    const intp[::1] starts,             # IN (m + 1,) where those of each query begin in `features`
    const intp[::1] features,           # IN features that the queries have
    const double[:, :, ::1] panels,     # IN (panels, d, PANEL_POINTS) donors
    double[:, ::1] out,                 # OUT (m, panels * PANEL_POINTS); infinity: none in common
):
    """Squared distances of each query to each donor, of a panel to all queries at a time."""
    cdef Py_ssize_t i, p, d = Q.shape[1]
    cdef const intp *at = &features[0] if features.shape[0] else NULL
    with nogil:
        for p in range(panels.shape[0]):
            for i in range(Q.shape[0]):
                kernels.panel(
                    &Q[i, 0], at + starts[i], starts[i + 1] - starts[i], d, &panels[p, 0, 0],
                    &out[i, p * DONORS_PANEL_POINTS],
                )


def nearest(
    const double[:, ::1] squares,       # IN (m, n or more) squared distances
    const uint8_t[:, ::1] present,      # IN (d, n) whether a donor has a feature
    const intp[::1] query,              # IN (T,) the query of each gap
    const intp[::1] gap,                # IN (T,) its feature
    double[:, ::1] least,               # OUT (T, k) distances, ascending; infinity beyond the last
    intp[:, ::1] donors,                # OUT (T, k) rows; -1 beyond the last
):
    """For each gap the k nearest donors that have the feature, by distance, then by number."""
    cdef Py_ssize_t t
    with nogil:
        for t in range(query.shape[0]):
            choose(&squares[query[t], 0], &present[gap[t], 0], present.shape[1],
                   &least[t, 0], &donors[t, 0], least.shape[1])


cdef void choose(
    const double *squares, const uint8_t *present, Py_ssize_t n, double *least, intp *donors,
    Py_ssize_t k
) noexcept nogil:
    cdef Py_ssize_t i, place
    cdef double square, worst = INFINITY
    for place in range(k):
        least[place] = INFINITY
        donors[place] = -1
    for i in range(n):
        if squares[i] < worst and present[i]:
            square, place = squares[i], k - 1
            while place > 0 and square < least[place - 1]:
                least[place] = least[place - 1]
                donors[place] = donors[place - 1]
                place -= 1
            least[place] = square
            donors[place] = i
            worst = least[k - 1]
