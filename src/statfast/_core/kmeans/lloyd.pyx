# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""One step of Lloyd's algorithm over a block of rows.

Lloyd 1982, Least squares quantization in PCM, doi:10.1109/TIT.1982.1056489.

The nearest center of a row is decided in float32 by the top-2 epilogue of the tile family (points
across, centers down; see tile/product/tile.h for the scores and the bound on their error). A row
whose two best scores differ by less than their errors may is decided again in float64, by the
differences to all centers: the labels are those of float64 arithmetic throughout, the lowest index
among equal distances. Sums are float64.

Rows that wait for memory more than for products may be packed as halves, numbers of 16 bits: the
bound on the error of their scores holds the rounding to 11 bits as well.

Bounds carried from one step to the next exclude most rows that cannot have changed their center:
Hamerly 2010, Making k-means even faster, doi:10.1137/1.9781611972801.12.

Cost: 2 n k d flop at the float32 multiply-add rate, one read of the rows and one update of d sums
a row. The caller guarantees rows of contiguous numbers and labels below k.
"""

import numpy as np

from cython.view cimport contiguous
from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint16_t
from libc.stdlib cimport free, malloc

from statfast._core.kmeans.passes cimport Step, pass_over
from statfast._core.tile.rows cimport (
    LOST16, UNIT16, UNIT32, UNIT64, aligned, convert, lay, measure, number, padded, panel_columns,
    stride_of,
)
from statfast._core.tile.tiles cimport active


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


def has_halves():
    """Whether this machine converts halves."""
    return active().halve != NULL


def pack_halves(
    const number[:, ::contiguous] X,  # IN (n, d)
    const float[::1] origin,        # IN (d,)
    double scale,                   # that brings all numbers below 2^15
    uint16_t[::1] panels,           # OUT (n' * d,) n' = n filled up to whole panels
    float[::1] norms,               # OUT (n',) of the rows before they are halved
):
    """Rows as panels of halves, where the machine `has_halves`."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], across = panel_columns(<float>0), j = 0
    cdef void *block = malloc(64 + sizeof(float) * across * d)
    cdef float *panel = <float *>aligned(block)
    if block == NULL:
        raise MemoryError
    with nogil:
        while j < n:
            lay(&X[j, 0], stride_of(X), NULL, min(across, n - j), d, &origin[0], scale, panel,
                &norms[j])
            active().halve(panel, across * d, &panels[j * d])
            j += across
    free(block)


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
    packed=None,                    # INOUT as below; or None
):
    """Assign every row to its nearest center; add rows up by center; count changed labels.

    ``bounds`` are the upper bounds (n,) in float32 on the distance to the own center, the lower
    bounds (n,) on that to every other center, and the motion of the centers (3, k), their move,
    drop and gap, or None. With a motion the bounds are those before the centers moved, and rows
    that the widened bounds decide are skipped; without it bounds are only written.

    ``packed`` are the panels and the norms of the rows from `pack_rows` or, if the panels are
    float16, from `pack_halves`; and (1,) int64, to which the number of rows is added that halves
    leave open.
    """
    cdef Step one
    cdef const float[:, ::1] a
    cdef const float[::1] start, origin
    cdef const double[::1] terms
    cdef float[::1] upper = None, lower = None
    cdef float[:, ::1] motion = None
    cdef float[::1] panels = None, norms = None
    cdef uint16_t[::1] halves = None
    cdef int64_t[::1] undecided = None
    cdef Py_ssize_t moved
    if bounds is not None:
        upper, lower, motion = bounds
    if packed is not None:
        rows, norms, undecided = packed
        if rows.dtype == np.float16:
            halves = rows.view(np.uint16)
        else:
            panels = rows
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
    one.halves = NULL if halves is None else &halves[0]
    # A row of halves is off by UNIT16 of its length and LOST16 a number, times |a| in its scores;
    # 1.02 covers that products are of the rounded row (kappa < .0102).
    one.half_terms[0] = terms[0]
    one.half_terms[1] = 1.02 * (terms[1] + UNIT16 * terms[4])
    one.half_terms[2] = terms[2] + 1.02 * sqrt(one.d) * LOST16 * terms[4]
    one.half_terms[3] = terms[3]
    one.undecided = 0
    with nogil:
        moved = pass_over(&X[0, 0], &one)
    if moved < 0:
        raise MemoryError
    if undecided is not None:
        undecided[0] += one.undecided
    return moved
