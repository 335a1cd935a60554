# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Search of hash tables by multi-probe: the rows in several buckets are compared with the query.

The buckets are those of hashing/probing_sequence.pxd. Each row found is compared once: distances
are summed in float64 by differences, which determines the order (distance, row).

Cost: a query looks up tables * probes buckets. The caller guarantees tables in order, rows of
contiguous numbers, k >= 1, at most 64 parts, and row numbers below 2^31.
"""

import numpy as np

from cython.view cimport contiguous
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from statfast._core.hashing.probing_sequence cimport StepSet, probes_of
from statfast._core.order.keyed_rows cimport KeyedRow, finish_first, offer_row, start_first
from statfast._core.tile.rows cimport number, squared_distances

cdef extern from "simd/compiler.h":
    void fetch "FETCH" (const void *p) noexcept nogil

cdef enum:
    ROWS_OF_BATCH = 64
    LINES_AHEAD = 48    # cache lines prefetched ahead of the row whose distance is summed


# ------------------------------------------------------------------ search
cdef struct Work:
    Py_ssize_t k, seen
    StepSet *heap
    uint32_t *code
    int32_t *batch          # (ROWS_OF_BATCH,) rows to be compared
    KeyedRow *nearest          # (k,)


cdef class Steps:
    """The steps from the codes of queries to near codes. Keeps its arrays alive."""

    cdef const uint64_t[:, ::1] base
    cdef const float[:, :, ::1] cost
    cdef const uint64_t[:, :, ::1] move
    cdef const uint8_t[:, :, ::1] part

    def __cinit__(
        self,
        const uint64_t[:, ::1] base,    # IN (m, tables)
        const float[:, :, ::1] cost,    # IN (m, tables, steps)
        const uint64_t[:, :, ::1] move,  # IN (m, tables, steps)
        const uint8_t[:, :, ::1] part,  # IN (m, tables, steps)
    ):
        self.base, self.cost, self.move, self.part = base, cost, move, part


cdef class Buckets:
    """The rows by their codes, and the number of buckets of a query. Keeps its arrays alive."""

    cdef const uint64_t[:, ::1] entries
    cdef const int32_t[:, ::1] starts
    cdef int shift
    cdef Py_ssize_t probes, more

    def __cinit__(
        self,
        const uint64_t[:, ::1] entries,  # IN (tables, n) in order
        const int32_t[:, ::1] starts,   # IN (tables, drawers + 1)
        int shift,
        Py_ssize_t probes,
        Py_ssize_t more,                # of a query that has found fewer than k rows
    ):
        self.entries, self.starts, self.shift = entries, starts, shift
        self.probes, self.more = probes, more


def search(
    const double[:, ::1] Q,             # IN (m, d) the queries in float64
    const number[:, ::contiguous] R,    # IN (n, d) the rows
    Steps steps,                        # of the queries
    Buckets buckets,                    # of the rows
    uint8_t[::1] seen,                  # WORK (n,)
    Py_ssize_t first,                   # the query to start with
    double budget,                      # about the numbers that this call may compare
    double[:, ::1] distance_out,    # OUT (m, k) squared distances, ascending
    Py_ssize_t[:, ::1] row_out,         # OUT (m, k)
    int32_t[::1] looked,                # OUT (m,) rows compared; negative if fewer than k
):
    """The k nearest of the rows that each query finds; returns the next query to search for."""
    cdef Py_ssize_t m = Q.shape[0], d = Q.shape[1], n = R.shape[0], q, c, tried, epoch = 0
    cdef Py_ssize_t size, probes = buckets.probes, more = buckets.more, most = max(probes, more)
    cdef Py_ssize_t tables = buckets.entries.shape[0]
    cdef Work w
    w.k = row_out.shape[1]
    size = (w.k + 1) * sizeof(KeyedRow) + 4 * (most + 1) * sizeof(StepSet)
    size += (most + ROWS_OF_BATCH) * sizeof(int32_t)
    w.nearest = <KeyedRow *>malloc(size)
    if w.nearest == NULL:
        raise MemoryError
    w.heap = <StepSet *>(w.nearest + w.k + 1)
    w.code = <uint32_t *>(w.heap + 4 * (most + 1))
    w.batch = <int32_t *>(w.code + most)
    with nogil:
        memset(&seen[0], 0, n)
        while first < m and budget > 0:
            q = first
            tried = probes
            while True:
                epoch += 1
                if epoch == 256:
                    memset(&seen[0], 0, n)
                    epoch = 1
                w.seen = 0
                start_first(w.nearest, w.k)
                search_buckets(q, Q, R, steps, buckets, tried, &seen[0], <uint8_t>epoch, &w)
                budget -= w.seen * 16.0 + tables * tried * 4.0
                if w.seen >= w.k or tried >= more:
                    break
                tried = more
            budget -= w.seen * <double>d
            looked[q] = <int32_t>(w.seen if w.seen >= w.k else -1 - w.seen)
            if w.seen >= w.k:
                finish_first(w.nearest, w.k)
                for c in range(w.k):
                    distance_out[q, c] = w.nearest[c].key
                    row_out[q, c] = w.nearest[c].row
            first += 1
    free(w.nearest)
    return first


cdef void search_buckets(
    Py_ssize_t q, const double[:, ::1] Q, const number[:, ::contiguous] R, Steps ways,
    Buckets buckets, Py_ssize_t probes, uint8_t *seen, uint8_t epoch, Work *w,
) noexcept nogil:
    """Compare the rows in the buckets of a query, table by table."""
    cdef Py_ssize_t tables = ways.base.shape[1], steps = ways.cost.shape[2]
    cdef Py_ssize_t t, p, i, count, waiting = 0
    cdef int drawer = buckets.shift - 32
    cdef const uint64_t *entry
    cdef const int32_t *start
    cdef uint32_t code
    cdef int32_t row
    for t in range(tables):
        entry, start = &buckets.entries[t, 0], &buckets.starts[t, 0]
        count = probes_of(ways.base[q, t], &ways.cost[q, t, 0] if steps else NULL,
                          &ways.move[q, t, 0] if steps else NULL,
                          &ways.part[q, t, 0] if steps else NULL, steps, probes, w.heap, w.code)
        for p in range(count):
            fetch(&start[w.code[p] >> drawer])
        for p in range(count):
            fetch(&entry[start[w.code[p] >> drawer]])
        for p in range(count):
            code = w.code[p]
            i = start[code >> drawer]
            while i < start[(code >> drawer) + 1]:
                if <uint32_t>(entry[i] >> 32) == code:
                    row = <int32_t><uint32_t>entry[i]
                    if seen[row] != epoch:
                        seen[row] = epoch
                        fetch(&R[row, 0])
                        w.batch[waiting] = row
                        waiting += 1
                        if waiting == ROWS_OF_BATCH:
                            compare(&Q[q, 0], R, w.batch, waiting, w)
                            waiting = 0
                i += 1
    compare(&Q[q, 0], R, w.batch, waiting, w)


cdef void compare(
    const double *q, const number[:, ::contiguous] R, const int32_t *rows, Py_ssize_t n, Work *w
) noexcept nogil:
    cdef Py_ssize_t d = R.shape[1], i, line, queued = 0
    cdef Py_ssize_t row_lines = (d * <Py_ssize_t>sizeof(number) + 63) // 64
    cdef Py_ssize_t lines = min(<Py_ssize_t>LINES_AHEAD, row_lines)
    cdef Py_ssize_t ahead = LINES_AHEAD // max(lines, 1)
    cdef const char *at
    cdef double distance
    for i in range(n):
        while queued < n and queued <= i + ahead:
            at = <const char *>&R[rows[queued], 0]
            for line in range(lines):
                fetch(at + 64 * line)
            queued += 1
        squared_distances(q, &R[rows[i], 0], d, 1, d, &distance)
        offer_row(w.nearest, w.k, distance, rows[i])
    w.seen += n


# ------------------------------------------------------------------ the codes of the probes
def probe_codes(
    const uint64_t[:, ::1] base,        # IN (m, tables)
    const float[:, :, ::1] cost,        # IN (m, tables, steps)
    const uint64_t[:, :, ::1] move,     # IN (m, tables, steps)
    const uint8_t[:, :, ::1] part,      # IN (m, tables, steps)
    Py_ssize_t probes,
):
    """The codes (tables, m, probes) that queries look up, the cheapest first. Where there are
    fewer, the first one is repeated."""
    cdef Py_ssize_t m = base.shape[0], tables = base.shape[1], steps = cost.shape[2], q, t, p, count
    cdef uint32_t[:, :, ::1] codes = np.empty((tables, m, probes), np.uint32)
    cdef StepSet *heap = <StepSet *>malloc(4 * (probes + 1) * sizeof(StepSet) + probes * 4)
    if heap == NULL:
        raise MemoryError
    cdef uint32_t *code = <uint32_t *>(heap + 4 * (probes + 1))
    with nogil:
        for t in range(tables):
            for q in range(m):
                count = probes_of(base[q, t], &cost[q, t, 0] if steps else NULL,
                                  &move[q, t, 0] if steps else NULL,
                                  &part[q, t, 0] if steps else NULL, steps, probes, heap, code)
                for p in range(probes):
                    codes[t, q, p] = code[p if p < count else 0]
    free(heap)
    return np.asarray(codes)
