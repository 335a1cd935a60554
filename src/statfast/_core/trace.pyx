# SPDX-License-Identifier: BSD-3-Clause
"""What probing would find, without searching: the measurements from which a fit chooses.

The probes are those of probes.pxd, after Lv et al. 2007. Tables of a few rows, each query's true
neighbours and a sample of all others, tell for every number of tables and probes at once how many
of the former would be found, and how many of the latter looked at.

Cost: tables * probes lookups a query. The caller guarantees what probe.pyx asks for.
"""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from statfast._core.probes cimport StepSet, probes_of


def probe_codes(
    uint64_t base,
    const float[::1] cost,      # IN (steps,)
    const uint64_t[::1] move,   # IN (steps,)
    const uint8_t[::1] part,    # IN (steps,)
    Py_ssize_t probes,
):
    """The codes that a query with these steps looks up."""
    cdef uint32_t[::1] code = np.empty(probes, np.uint32)
    cdef StepSet *heap = <StepSet *>malloc(4 * (probes + 1) * sizeof(StepSet))
    cdef Py_ssize_t count, steps = cost.shape[0]
    if heap == NULL:
        raise MemoryError
    count = probes_of(base, &cost[0] if steps else NULL, &move[0] if steps else NULL,
                      &part[0] if steps else NULL, steps, probes, heap, &code[0])
    free(heap)
    return np.asarray(code)[:count]


def trace(
    const uint64_t[:, ::1] base,        # IN (m, tables)
    const float[:, :, ::1] cost,        # IN (m, tables, steps)
    const uint64_t[:, :, ::1] move,     # IN (m, tables, steps)
    const uint8_t[:, :, ::1] part,      # IN (m, tables, steps)
    const uint64_t[:, ::1] entries,     # IN (tables, n) in order, of a few rows
    const int32_t[:, ::1] starts,       # IN (tables, drawers + 1)
    int shift,
    const Py_ssize_t[::1] probes,       # IN (choices,) ascending
    Py_ssize_t others,                  # rows before this one are anybody's
    Py_ssize_t first,                   # query q's own are others + (first + q) own + 0 ... own - 1
    Py_ssize_t own,
    Py_ssize_t[:, :, ::1] found,        # OUT (3, choices, tables), of zeros; see below
):
    """Count for each number of probes, and each table, the rows found there and in none before.

    found[0] counts rows of the query's own, found[1] the others, found[2] the others again each
    time that they are found.
    """
    cdef Py_ssize_t m = base.shape[0], tables = base.shape[1], steps = cost.shape[2]
    cdef Py_ssize_t choices = probes.shape[0], most = probes[choices - 1], q, t, p, i, c, low, row
    cdef Py_ssize_t mine, count, start
    cdef int drawer = shift - 32
    cdef int32_t[::1] met = np.full(others + own, -1, np.int32)     # the query that met it last
    cdef int32_t[::1] fewest = np.empty(others + own, np.int32)     # and the choice that sufficed
    cdef StepSet *heap = <StepSet *>malloc(4 * (most + 1) * sizeof(StepSet) + most * 4)
    if heap == NULL:
        raise MemoryError
    cdef uint32_t *code = <uint32_t *>(heap + 4 * (most + 1))
    with nogil:
        for q in range(m):
            mine = others + (first + q) * own
            for t in range(tables):
                count = probes_of(base[q, t], &cost[q, t, 0] if steps else NULL,
                                  &move[q, t, 0] if steps else NULL,
                                  &part[q, t, 0] if steps else NULL, steps, most, heap, code)
                low = 0
                for p in range(count):
                    while probes[low] <= p:
                        low += 1
                    start = code[p] >> drawer
                    for i in range(starts[t, start], starts[t, start + 1]):
                        if <uint32_t>(entries[t, i] >> 32) != code[p]:
                            continue
                        row = <Py_ssize_t><uint32_t>entries[t, i]
                        if row >= others:
                            if not (mine <= row < mine + own):
                                continue
                            row -= mine - others
                        if row < others:
                            found[2, low, t] += 1
                        if met[row] != q:
                            met[row] = <int32_t>q
                            fewest[row] = <int32_t>choices
                        for c in range(low, fewest[row]):
                            found[0 if row >= others else 1, c, t] += 1
                        if low < fewest[row]:
                            fewest[row] = <int32_t>low
    for c in range(1, choices):
        for t in range(tables):
            found[2, c, t] += found[2, c - 1, t]
    free(heap)
