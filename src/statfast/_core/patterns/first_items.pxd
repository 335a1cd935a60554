# SPDX-License-Identifier: BSD-3-Clause
"""The first items of sets: what is frequent with them, and its baskets, read from the rows."""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport qsort

from statfast._core.patterns.extensions cimport settle
from statfast._core.patterns.search_state cimport (
    ALL_SETS,
    CLOSED_SETS,
    FETCH,
    MAXIMAL_SETS,
    NO_MEMORY,
    emit,
    frame,
    is_frequent,
    lay_out,
    open_universe,
    search,
    set_all,
    universe,
)

cdef enum:
    AHEAD = 8               # rows whose items are asked for while others are read
    COST_OF_SCAN = 4        # words that could be counted while one item of a row is read


cdef inline int ascending(const void *a, const void *b) noexcept nogil:
    cdef int32_t x = (<const int32_t *>a)[0], y = (<const int32_t *>b)[0]
    return (x > y) - (x < y)


cdef inline void count_rows(search *s, Py_ssize_t item, Py_ssize_t n) noexcept nogil:
    cdef const int32_t *tid = s.tid + s.tid_start[item]
    cdef const Py_ssize_t *start = s.row_start
    cdef const int32_t *items = s.row_item
    cdef int32_t *number = s.number
    cdef bint later = s.kind == ALL_SETS
    cdef Py_ssize_t p = 0, t, n_touched = s.n_touched, row = s.row
    cdef int32_t other
    while row < n and s.budget > 0:
        t = tid[row]
        if row + AHEAD < n:
            FETCH(items + start[tid[row + AHEAD] + 1] - 1)
        for p in range(start[t + 1] - 1, start[t] - 1, -1):
            other = items[p]
            if other <= item:
                if later:
                    break
                if other == item:
                    continue
            if number[other] == 0:
                s.touched[n_touched] = other
                n_touched += 1
                if s.weighted:
                    s.mass[other] = 0
            number[other] += 1
            if s.weighted:
                s.mass[other] += s.weight[t]
        s.budget -= COST_OF_SCAN * (start[t + 1] - p)
        row += 1
    s.n_touched, s.row = n_touched, row


cdef inline int open_rows(search *s, frame *g, Py_ssize_t item, Py_ssize_t n) noexcept nogil:
    """Number the items that are frequent with the first; 0 if nothing extends it."""
    cdef universe *world = &s.worlds[0]
    cdef Py_ssize_t i, kept = 0, checks = 0
    cdef int32_t other
    cdef bint within = False
    for i in range(s.n_touched):
        other = s.touched[i]
        if is_frequent(s, s.number[other], s.mass[other] if s.weighted else 0):
            within = within or (other < item and s.number[other] == n)
            checks += other < item
            s.touched[kept] = other
            kept += 1
        else:
            s.number[other] = 0
    qsort(s.touched, kept, sizeof(int32_t), ascending)
    s.n_touched, s.n_kept = 0, kept
    s.prefix[0] = <int32_t>item
    g.length, g.world, g.n_checks = 1, 0, checks
    if s.kind == ALL_SETS:
        emit(s, 1, <int32_t>n, s.frames[0].mass[item] if s.weighted else 0)
    if within or kept == checks or (s.kind == ALL_SETS and s.max_length == 1):
        for i in range(kept):
            s.number[s.touched[i]] = 0
        if not within and (s.kind == CLOSED_SETS or (s.kind == MAXIMAL_SETS and kept == 0)):
            emit(s, 1, <int32_t>n, s.frames[0].mass[item] if s.weighted else 0)
        return 0
    if open_universe(s, world, kept, n) or lay_out(s, g, world.words, kept - checks, checks):
        return NO_MEMORY
    set_all(g.baskets, n)
    for i in range(kept):
        other = s.touched[i]
        world.item[i] = other
        if i < checks:
            g.check[i] = <int32_t>i
        else:
            g.candidate[i - checks], g.count[i - checks] = <int32_t>i, s.number[other]
            if s.weighted:
                g.mass[i - checks] = s.mass[other]
        s.number[other] = <int32_t>i + 1
    return 1


cdef inline void fill_rows(search *s, Py_ssize_t item, Py_ssize_t n) noexcept nogil:
    cdef universe *world = &s.worlds[0]
    cdef const int32_t *tid = s.tid + s.tid_start[item]
    cdef const Py_ssize_t *start = s.row_start
    cdef const int32_t *items = s.row_item
    cdef const int32_t *number = s.number
    cdef Py_ssize_t p = 0, t, words = world.words, row = s.row
    cdef uint64_t *vectors = world.vectors - words  # of the number 1
    while row < n and s.budget > 0:
        t = tid[row]
        if row + AHEAD < n:
            FETCH(items + start[tid[row + AHEAD] + 1] - 1)
        for p in range(start[t + 1] - 1, start[t] - 1, -1):
            if items[p] <= item and s.kind == ALL_SETS:
                break
            if number[items[p]]:
                vectors[number[items[p]] * words + (row >> 6)] |= <uint64_t>1 << (row & 63)
        if s.weighted:
            world.weight[row] = s.weight[t]
        s.budget -= COST_OF_SCAN * (start[t + 1] - p)
        row += 1
    s.row = row


cdef inline int read_rows(search *s, Py_ssize_t item) noexcept nogil:
    """Count the items beside a first one, then set their bits; go on with them."""
    cdef Py_ssize_t n = s.tid_start[item + 1] - s.tid_start[item], i
    cdef frame *root = &s.frames[0]
    cdef frame *g = root + 1
    cdef double mass = root.mass[item] if s.weighted else 0
    if not s.filling:
        count_rows(s, item, n)
        if s.row < n:
            return 0
        s.row = 0
        i = open_rows(s, g, item, n)
        if i < 0:
            return NO_MEMORY
        if i == 0:
            root.next += 1
            return 0
        s.filling = True
    fill_rows(s, item, n)
    if s.row < n:
        return 0
    s.row, s.filling = 0, False
    for i in range(s.n_kept):
        s.number[s.worlds[0].item[i]] = 0
    root.next += 1
    return settle(s, g, s.n_kept - g.n_checks, <int32_t>n, mass)
