# SPDX-License-Identifier: BSD-3-Clause
"""Search of hash tables by multi-probe: look into buckets, compare what is found there.

Which buckets, probes.pxd says. The rows found are looked at once each, and those with a sketch are
compared only if it is among the nearest `keep` of the query. The distances are summed in float64 by
differences, which settles the order: (distance, row).

Cost: a query looks up tables * probes buckets. The caller guarantees tables in order, rows of
contiguous numbers, k >= 1, at most 64 parts, and row numbers below 2^31.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from statfast._core.probes cimport StepSet, probes_of
from statfast._core.rows cimport apart, number
from statfast._core.tiles cimport active

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define STATFAST_FETCH(p) __builtin_prefetch(p)
    #else
    #define STATFAST_FETCH(p) ((void)(p))
    #endif
    """
    void fetch "STATFAST_FETCH" (const void *p) noexcept nogil

cdef enum:
    BATCH = 64
    WAITING = 48    # cache lines asked for ahead of the row whose distance is summed


# ------------------------------------------------------------------ the nearest of those found
cdef struct Found:
    double apart
    Py_ssize_t row


cdef inline bint before(const Found *a, const Found *b) noexcept nogil:
    return a.apart < b.apart or (a.apart == b.apart and a.row < b.row)


cdef void keep_nearest(Found *heap, Py_ssize_t *held, Py_ssize_t k, Found one) noexcept nogil:
    """Keep k, the last of them on top of the heap."""
    cdef Py_ssize_t at = held[0]
    if at < k:
        held[0] += 1
        while at > 0 and before(&heap[(at - 1) // 2], &one):
            heap[at] = heap[(at - 1) // 2]
            at = (at - 1) // 2
        heap[at] = one
    elif before(&one, &heap[0]):
        settle_down(heap, k, one)


cdef void settle_down(Found *heap, Py_ssize_t n, Found one) noexcept nogil:
    cdef Py_ssize_t at = 0, child
    while True:
        child = 2 * at + 1
        if child >= n:
            break
        if child + 1 < n and before(&heap[child], &heap[child + 1]):
            child += 1
        if not before(&one, &heap[child]):
            break
        heap[at] = heap[child]
        at = child
    heap[at] = one


cdef struct Estimate:
    float apart
    int32_t order       # in which it was found: the first of equals are kept
    int32_t row


cdef inline bint sooner(const Estimate *a, const Estimate *b) noexcept nogil:
    return a.apart < b.apart or (a.apart == b.apart and a.order < b.order)


cdef void select(Estimate *some, Py_ssize_t n, Py_ssize_t keep) noexcept nogil:
    """Bring the `keep` nearest of n to the front, the last of them last (Hoare 1961)."""
    cdef Py_ssize_t low = 0, high = n - 1, i, j
    cdef Estimate pivot, one
    while low < high:
        pivot = some[low + (high - low) // 2]
        i, j = low, high
        while i <= j:
            while sooner(&some[i], &pivot):
                i += 1
            while sooner(&pivot, &some[j]):
                j -= 1
            if i <= j:
                one = some[i]
                some[i] = some[j]
                some[j] = one
                i += 1
                j -= 1
        if keep - 1 <= j:
            high = j
        elif keep - 1 >= i:
            low = i
        else:
            return


# ------------------------------------------------------------------ search
cdef struct Work:
    Py_ssize_t k, keep, held, kept, seen
    float bar               # an estimate has to be below this
    StepSet *heap
    uint32_t *code
    int32_t *batch          # (BATCH,) rows to be looked at
    float *near             # (BATCH,) and their estimates
    Estimate *reservoir     # (2 keep,)
    Found *found            # (k,)


def search(
    const double[:, ::1] Q,             # IN (m, d) the queries in float64
    const number[:, :] R,               # IN (n, d) the rows
    const uint64_t[:, ::1] base,        # IN (m, tables)
    const float[:, :, ::1] cost,        # IN (m, tables, steps)
    const uint64_t[:, :, ::1] move,     # IN (m, tables, steps)
    const uint8_t[:, :, ::1] part,      # IN (m, tables, steps)
    const uint64_t[:, ::1] entries,     # IN (tables, n) in order
    const int32_t[:, ::1] starts,       # IN (tables, drawers + 1)
    int shift,
    Py_ssize_t probes,
    Py_ssize_t more,                    # probes of a query that has found fewer than k rows
    const uint64_t[:, ::1] sketches,    # IN (n, 8), or (0, 8): every row found is compared
    const uint64_t[:, ::1] sketch,      # IN (m, 8) of the queries
    const float[::1] cosine,            # IN (SIGNS + 1,)
    Py_ssize_t keep,                    # rows compared of a query, if there are sketches
    uint8_t[::1] seen,                  # WORK (n,)
    Py_ssize_t first,                   # the query to start with
    double budget,                      # about the numbers to be compared in this call
    double[:, ::1] apart_out,           # OUT (m, k) squared distances, ascending
    Py_ssize_t[:, ::1] row_out,         # OUT (m, k)
    int32_t[::1] looked,                # OUT (m,) rows looked at; negative: fewer than k
):
    """The k nearest of the rows that each query finds; returns the query it did not get to."""
    cdef Py_ssize_t m = Q.shape[0], d = Q.shape[1], n = R.shape[0], q, c, tried, epoch = 0
    cdef Py_ssize_t size, most = max(probes, more)
    cdef Found last
    cdef Work w
    w.k, w.keep = row_out.shape[1], keep
    size = ((w.k + 1) * sizeof(Found) + 4 * (most + 1) * sizeof(StepSet)
            + (2 * keep + BATCH) * sizeof(Estimate) + (most + 2 * BATCH) * 4)
    w.found = <Found *>malloc(size)
    if w.found == NULL:
        raise MemoryError
    w.heap = <StepSet *>(w.found + w.k + 1)
    w.reservoir = <Estimate *>(w.heap + 4 * (most + 1))
    w.code = <uint32_t *>(w.reservoir + 2 * keep + BATCH)
    w.batch = <int32_t *>(w.code + most)
    w.near = <float *>(w.batch + BATCH)
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
                w.held = w.kept = w.seen = 0
                w.bar = <float>INFINITY
                look(q, Q, R, base, cost, move, part, entries, starts, shift, tried, sketches,
                     sketch, cosine, &seen[0], <uint8_t>epoch, &w)
                budget -= w.seen * 16.0 + entries.shape[0] * tried * 4.0
                if w.seen >= w.k or tried >= more:
                    break
                tried = more
            if sketches.shape[0]:
                compare_kept(&Q[q, 0], R, &w)
                budget -= w.kept * <double>d
            else:
                budget -= w.seen * <double>d
            looked[q] = <int32_t>(w.seen if w.seen >= w.k else -1 - w.seen)
            if w.seen >= w.k:
                for c in range(w.k - 1, -1, -1):
                    apart_out[q, c] = w.found[0].apart
                    row_out[q, c] = w.found[0].row
                    last = w.found[c]
                    settle_down(w.found, c, last)
            first += 1
    free(w.found)
    return first


cdef void look(
    Py_ssize_t q, const double[:, ::1] Q, const number[:, :] R, const uint64_t[:, ::1] base,
    const float[:, :, ::1] cost, const uint64_t[:, :, ::1] move, const uint8_t[:, :, ::1] part,
    const uint64_t[:, ::1] entries, const int32_t[:, ::1] starts, int shift, Py_ssize_t probes,
    const uint64_t[:, ::1] sketches, const uint64_t[:, ::1] sketch, const float[::1] cosine,
    uint8_t *seen, uint8_t epoch, Work *w,
) noexcept nogil:
    """Look into the buckets, table by table."""
    cdef Py_ssize_t tables = base.shape[1], steps = cost.shape[2], t, p, i, count, waiting = 0
    cdef int drawer = shift - 32
    cdef const uint64_t *entry
    cdef const int32_t *start
    cdef uint32_t code
    cdef int32_t row
    cdef bint sketched = sketches.shape[0] > 0
    for t in range(tables):
        entry, start = &entries[t, 0], &starts[t, 0]
        count = probes_of(base[q, t], &cost[q, t, 0] if steps else NULL,
                          &move[q, t, 0] if steps else NULL, &part[q, t, 0] if steps else NULL,
                          steps, probes, w.heap, w.code)
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
                        fetch(&sketches[row, 0] if sketched else <const void *>&R[row, 0])
                        w.batch[waiting] = row
                        waiting += 1
                        if waiting == BATCH:
                            take(q, Q, R, sketches, sketch, cosine, waiting, w)
                            waiting = 0
                i += 1
    take(q, Q, R, sketches, sketch, cosine, waiting, w)


cdef void take(
    Py_ssize_t q, const double[:, ::1] Q, const number[:, :] R, const uint64_t[:, ::1] sketches,
    const uint64_t[:, ::1] sketch, const float[::1] cosine, Py_ssize_t n, Work *w,
) noexcept nogil:
    """Look at a batch of rows: by sketch, or else by the row itself."""
    cdef Py_ssize_t i
    cdef Estimate *at
    if sketches.shape[0] == 0:
        compare(&Q[q, 0], R, w.batch, n, w)
        w.seen += n
        return
    active().estimate(&sketch[q, 0], &cosine[0], &sketches[0, 0], w.batch, n, w.near)
    for i in range(n):
        if w.near[i] < w.bar:
            at = &w.reservoir[w.kept]
            at.apart, at.order, at.row = w.near[i], <int32_t>(w.seen + i), w.batch[i]
            w.kept += 1
            if w.kept == 2 * w.keep:
                select(w.reservoir, w.kept, w.keep)
                w.kept = w.keep
                w.bar = w.reservoir[w.keep - 1].apart
    w.seen += n


cdef void compare_kept(const double *q, const number[:, :] R, Work *w) noexcept nogil:
    """The distances of the rows whose sketches are nearest."""
    cdef Py_ssize_t i, j, n
    if w.kept > w.keep:
        select(w.reservoir, w.kept, w.keep)
        w.kept = w.keep
    i = 0
    while i < w.kept:
        n = min(<Py_ssize_t>BATCH, w.kept - i)
        for j in range(n):
            w.batch[j] = w.reservoir[i + j].row
        compare(q, R, w.batch, n, w)
        i += n


cdef void compare(
    const double *q, const number[:, :] R, const int32_t *rows, Py_ssize_t n, Work *w
) noexcept nogil:
    cdef Py_ssize_t d = R.shape[1], i, line, queued = 0
    cdef Py_ssize_t lines = min(<Py_ssize_t>WAITING, (d * <Py_ssize_t>sizeof(number) + 63) // 64)
    cdef Py_ssize_t ahead = WAITING // lines
    cdef const char *at
    cdef Found one
    for i in range(n):
        while queued < n and queued <= i + ahead:
            at = <const char *>&R[rows[queued], 0]
            for line in range(lines):
                fetch(at + 64 * line)
            queued += 1
        apart(q, &R[rows[i], 0], d, 1, d, &one.apart)
        one.row = rows[i]
        keep_nearest(w.found, &w.held, w.k, one)
