# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Locality-sensitive hashing: codes of rows, and the steps from the code of a query to others.

The families are the p-stable projections of Datar, Immorlica, Indyk & Mirrokni 2004,
doi:10.1145/997817.997857 (the whole part of a.x / width + b), and the hyperplanes of Charikar 2002,
doi:10.1145/509907.509965 (the sign of a.x).

A table hashes a row to a few whole numbers, its parts. They are reduced to one code by a random
linear form modulo 2^64, of which the upper 32 bits are kept: different parts share a code about
once in 2^31 pairs. As the form is linear, a change of one part adds a term to the code that depends
on this part alone, in both families. These terms and their costs (the squared distance of the query
from the border that it would have to cross) are the `steps` of a query, from which
hashing/search.pyx makes its probes.

An entry of a table is (code << 32) | row, and the table is its entries in order.

Deviations: codes are made in float32, so rows that lie on a border to within rounding may fall to
either side of it, the same for equal rows.

Cost: 2 n d columns flop. The caller guarantees rows of contiguous numbers, d >= 1, and sizes that
agree.
"""

import numpy as np

from cython.view cimport contiguous
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc

from statfast._core.tile.rows cimport aligned, convert, number, padded, panel_columns, stride_of
from statfast._core.hashing.perturbations cimport insert
from statfast._core.tile.tiles cimport STORE_SCORE, active, chunk_rows

P_STABLE, HYPERPLANE = range(2)
MAX_STEPS = 64  # most steps of a query in a table

cdef double MAX_HASH = 1e9       # hashes are clipped to this


# ------------------------------------------------------------------ projections
def panels_of(
    const float[:, ::1] directions,     # IN (columns, d)
):
    """The directions laid out for `project`."""
    cdef Py_ssize_t columns = directions.shape[0], d = directions.shape[1]
    cdef Py_ssize_t across = panel_columns(<float>0)
    cdef float[::1] panels = np.empty((columns + across - 1) // across * across * d, np.float32)
    with nogil:
        active().f32.pack(&directions[0, 0], d, columns, d, &panels[0])
    return np.asarray(panels)


def project(
    const number[:, ::contiguous] X,  # IN (n, d)
    const float[::1] origin,    # IN (d,)
    double scale,
    const float[::1] panels,    # IN of `panels_of`
    float[:, ::1] out,          # OUT (n, columns)
):
    """The dot products of (x - origin) scale with each direction, in float32."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], columns = out.shape[1], ld = padded(d)
    cdef Py_ssize_t rows = active().rows, across = panel_columns(<float>0)
    cdef Py_ssize_t chunk = min(chunk_rows(ld * sizeof(float)), (n + rows - 1) // rows * rows)
    cdef Py_ssize_t i, j, first = 0, some
    cdef float[::1] zeros = np.zeros(max(chunk, across), np.float32)
    cdef void *block = malloc(64 + sizeof(float) * chunk * ld)
    if block == NULL:
        raise MemoryError
    cdef float *a = <float *>aligned(block)
    with nogil:
        for i in range(chunk * ld):
            a[i] = 0
        while first < n:
            some = min(chunk, n - first)
            convert(&X[first, 0], stride_of(X), some, d, &origin[0], scale, a, ld)
            j = 0
            while j < columns:
                active().f32.store(a, ld, &zeros[0], some, &panels[j * d], &zeros[0], d,
                                   STORE_SCORE, 0, &out[first, j], columns,
                                   min(across, columns - j))
                j += across
            first += some
    free(block)


cdef inline double hashed(double value) noexcept nogil:
    """The whole part of a number, as far as it can be represented."""
    cdef double whole
    if not (-MAX_HASH < value < MAX_HASH):
        return MAX_HASH if value > 0 else -MAX_HASH
    whole = <double>(<Py_ssize_t>value)
    return whole - 1 if value < whole else whole


cdef inline uint64_t part_of(int kind, float projected, double rate, float shift) noexcept nogil:
    if kind == 0:
        return <uint64_t><Py_ssize_t>hashed(projected * rate + shift)
    return projected >= 0


def encode(
    int kind,                           # P_STABLE or HYPERPLANE
    const float[:, ::1] projected,      # IN (n, tables * length)
    double rate,                        # 1 / width
    const float[:, ::1] shift,          # IN (tables, length) in units of the width
    const uint64_t[:, ::1] form,        # IN (tables, length) the linear form
    Py_ssize_t first,                   # the number of the first row
    uint64_t[:, :] entries,             # OUT (tables, n)
):
    """The entries of rows in every table."""
    cdef Py_ssize_t n = projected.shape[0], tables = form.shape[0], length = form.shape[1], i, t, j
    cdef const float *at
    cdef uint64_t code
    with nogil:
        for i in range(n):
            at = &projected[i, 0]
            for t in range(tables):
                code = 0
                for j in range(length):
                    code += form[t, j] * part_of(kind, at[j], rate, shift[t, j])
                entries[t, i] = (code >> 32 << 32) | <uint64_t>(first + i)
                at += length


# ------------------------------------------------------------------ steps from one code to others
def steps_of(
    int kind,                           # P_STABLE or HYPERPLANE
    const float[:, ::1] projected,      # IN (m, tables * length)
    double rate,
    const float[:, ::1] shift,          # IN (tables, length)
    const uint64_t[:, ::1] form,        # IN (tables, length)
    uint64_t[:, ::1] base,              # OUT (m, tables) the codes, all 64 bits
    float[:, :, ::1] cost,              # OUT (m, tables, steps) ascending, infinite where unused
    uint64_t[:, :, ::1] move,           # OUT (m, tables, steps) what a step adds to the code
    uint8_t[:, :, ::1] part,            # OUT (m, tables, steps) which part it moves
):
    """The codes of queries, and the cheapest steps away from each (Lv et al. 2007)."""
    cdef Py_ssize_t m = base.shape[0], tables = form.shape[0], length = form.shape[1]
    cdef Py_ssize_t steps = cost.shape[2], q, t, j, held
    cdef const float *at
    cdef uint64_t code
    cdef double value, above
    cdef float *costs = NULL
    cdef uint64_t *moves = NULL
    cdef uint8_t *parts = NULL
    with nogil:
        for q in range(m):
            at = &projected[q, 0]
            for t in range(tables):
                code = 0
                held = 0
                if steps:
                    costs, moves, parts = &cost[q, t, 0], &move[q, t, 0], &part[q, t, 0]
                for j in range(length):
                    code += form[t, j] * part_of(kind, at[j], rate, shift[t, j])
                    if steps == 0:
                        continue
                    if kind == 0:
                        value = at[j] * rate + shift[t, j]
                        above = value - hashed(value)
                        if not (0 <= above <= 1):
                            continue
                        insert(<float>(above * above), <uint64_t>0 - form[t, j], j, steps, &held,
                               costs, moves, parts)
                        insert(<float>((1 - above) * (1 - above)), form[t, j], j, steps, &held,
                               costs, moves, parts)
                    elif at[j] * at[j] < INFINITY:
                        insert(at[j] * at[j],
                               <uint64_t>0 - form[t, j] if at[j] >= 0 else form[t, j], j, steps,
                               &held, costs, moves, parts)
                for j in range(held, steps):
                    costs[j] = <float>INFINITY
                base[q, t] = code
                at += length


# ------------------------------------------------------------------ tables
def directory(
    const uint64_t[::1] entries,    # IN (n,) in order
    int shift,                      # the entries of a drawer share all but so many bits
    int32_t[::1] starts,            # OUT (drawers + 1,)
):
    """Where the entries of each drawer start, by the upper bits of the code."""
    cdef Py_ssize_t n = entries.shape[0], drawers = starts.shape[0] - 1, i, at = 0, drawer
    with nogil:
        for i in range(n):
            drawer = <Py_ssize_t>(entries[i] >> shift)
            while at <= drawer:
                starts[at] = <int32_t>i
                at += 1
        while at <= drawers:
            starts[at] = <int32_t>n
            at += 1
