# SPDX-License-Identifier: BSD-3-Clause
"""Cross-polytope hashes: the vertex nearest to a pseudo-random rotation of the row.

Andoni, Indyk, Laarhoven, Razenshteyn & Schmidt 2015, arXiv:1509.02897. The rotation is H S3 H S2 H
S1 x (simd/hadamard.h), on the row padded with zeros to a power of two. A table has several; its
last may count only the first coordinates, to have so many bits in all (section 6 there). Codes,
steps and entries are those of lsh.pyx.

Deviations: only vertices at least half as high as the nearest are probed, and at most 64 of them.

Cost: about 10 w log w flop a rotation of width w. The caller guarantees rows of contiguous
numbers, d >= 1, and sizes that agree.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc

from statfast._core.rows cimport aligned, lay, number, panel_columns, stride_of
from statfast._core.steps cimport insert
from statfast._core.tiles cimport active

cdef enum:
    RIVALS = 64
cdef float RIVAL_HEIGHT = 0.5   # of the nearest vertex: none below this is probed


cdef struct Rotation:
    Py_ssize_t depth, width
    void *block
    float *panel    # (depth, panel columns)
    float *y        # (width, panel columns)
    float *height   # (panel columns,)


cdef int begin(Rotation *r, Py_ssize_t d, const float[:, :, ::1] signs) except -1:
    cdef Py_ssize_t across = panel_columns(<float>0)
    r.depth, r.width = d, signs.shape[2]
    r.block = malloc(64 + sizeof(float) * across * (r.depth + r.width + 1))
    if r.block == NULL:
        raise MemoryError
    r.panel = <float *>aligned(r.block)
    r.y = r.panel + across * r.depth
    r.height = r.y + across * r.width
    return 0


def vertices(
    const number[:, :] X,           # IN (n, d)
    const float[::1] origin,        # IN (d,)
    double scale,
    const float[:, :, ::1] signs,   # IN (tables * parts, 3, width) of the rotations
    const Py_ssize_t[::1] widths,   # IN (parts,) coordinates looked at
    const uint64_t[:, ::1] form,    # IN (tables, parts)
    Py_ssize_t first,
    uint64_t[:, :] entries,         # OUT (tables, n)
):
    """The entries of rows in every table of cross-polytopes."""
    cdef Py_ssize_t n = X.shape[0], tables = form.shape[0], parts = form.shape[1], i, t, c, at, some
    cdef Py_ssize_t across = panel_columns(<float>0)
    cdef int32_t[::1] vertex = np.empty(across, np.int32)
    cdef uint64_t[::1] code = np.empty(across, np.uint64)
    cdef Rotation r
    begin(&r, X.shape[1], signs)
    with nogil:
        i = 0
        while i < n:
            some = min(across, n - i)
            lay(&X[i, 0], stride_of(X), NULL, some, r.depth, &origin[0], scale, r.panel, r.height)
            for t in range(tables):
                code[:] = 0
                for c in range(parts):
                    active().f32.rotate(r.panel, r.depth, r.width, &signs[t * parts + c, 0, 0], r.y)
                    active().f32.vertex(r.y, widths[c], r.height, &vertex[0])
                    for at in range(some):
                        code[at] += form[t, c] * <uint64_t>vertex[at]
                for at in range(some):
                    entries[t, i + at] = (code[at] >> 32 << 32) | <uint64_t>(first + i + at)
            i += across
    free(r.block)


def vertex_steps(
    const number[:, :] X,           # IN (m, d)
    const float[::1] origin,        # IN (d,)
    double scale,
    const float[:, :, ::1] signs,   # IN (tables * parts, 3, width)
    const Py_ssize_t[::1] widths,   # IN (parts,)
    const uint64_t[:, ::1] form,    # IN (tables, parts)
    uint64_t[:, ::1] base,          # OUT (m, tables)
    float[:, :, ::1] cost,          # OUT (m, tables, steps)
    uint64_t[:, :, ::1] move,       # OUT (m, tables, steps)
    uint8_t[:, :, ::1] part,        # OUT (m, tables, steps)
):
    """As `steps_of`: a step goes to another high vertex, at the square of what it is lower."""
    cdef Py_ssize_t m = X.shape[0], tables = form.shape[0], parts = form.shape[1], i, t, c, at, j
    cdef Py_ssize_t across = panel_columns(<float>0), steps = cost.shape[2], some
    cdef int32_t[::1] vertex = np.empty(across, np.int32), count = np.empty(across, np.int32)
    cdef int32_t[:, ::1] rival = np.empty((across, RIVALS), np.int32)
    cdef float[:, ::1] tall = np.empty((across, RIVALS), np.float32)
    cdef Py_ssize_t[::1] held = np.empty(across, np.intp)
    cdef float[::1] level = np.empty(across, np.float32)
    cdef float lower
    cdef Rotation r
    begin(&r, X.shape[1], signs)
    with nogil:
        i = 0
        while i < m:
            some = min(across, m - i)
            lay(&X[i, 0], stride_of(X), NULL, some, r.depth, &origin[0], scale, r.panel, r.height)
            for t in range(tables):
                for at in range(some):
                    base[i + at, t] = 0
                    held[at] = 0
                for c in range(parts):
                    active().f32.rotate(r.panel, r.depth, r.width, &signs[t * parts + c, 0, 0], r.y)
                    active().f32.vertex(r.y, widths[c], r.height, &vertex[0])
                    for at in range(some):
                        base[i + at, t] += form[t, c] * <uint64_t>vertex[at]
                    if steps == 0:
                        continue
                    for at in range(across):
                        level[at] = RIVAL_HEIGHT * r.height[at] if at < some else <float>INFINITY
                        count[at] = 0
                    active().f32.rivals(r.y, widths[c], &level[0], RIVALS, &count[0], &tall[0, 0],
                                        &rival[0, 0])
                    for at in range(some):
                        for j in range(count[at]):
                            lower = (r.height[at] - tall[at, j]) / r.width
                            if rival[at, j] != vertex[at] and lower * lower < INFINITY:
                                insert(
                                    lower * lower,
                                    form[t, c] * <uint64_t>(<Py_ssize_t>rival[at, j] - vertex[at]),
                                    c, steps, &held[at],
                                    &cost[i + at, t, 0], &move[i + at, t, 0], &part[i + at, t, 0],
                                )
                for at in range(some):
                    for j in range(held[at], steps):
                        cost[i + at, t, j] = <float>INFINITY
            i += across
    free(r.block)
