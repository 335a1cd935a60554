# SPDX-License-Identifier: BSD-3-Clause
"""The extension of a set by an item: what is frequent with both, in the same baskets numbered anew.

Closed sets are found without a look at those found before by extensions that preserve the prefix
(T. Uno and others 2004): a set whose baskets an item before its last one has in whole is found
elsewhere. Of maximal sets the union of all extensions is tried first (R. J. Bayardo 1998).
"""

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcpy

from statfast._core.patterns.search_state cimport (
    ALL_SETS,
    MAXIMAL_SETS,
    NO_MEMORY,
    LOWEST_BIT,
    emit,
    frame,
    is_frequent,
    lay_out,
    open_universe,
    search,
    set_all,
    universe,
    weigh,
)

cdef enum:
    # A set's baskets are numbered anew for so many items and words, and if they are fewer than one
    # in so many.
    MIN_ITEMS_FOR_COMPRESSION = 4
    MIN_WORDS_FOR_COMPRESSION = 4
    MIN_RATIO_FOR_COMPRESSION = 4


cdef inline bint is_contained(
    search *s, frame *g, universe *world, const int32_t *vectors, Py_ssize_t n,
) noexcept nogil:
    """Whether one of the items before is in all baskets; if none is, they become checks."""
    cdef Py_ssize_t i
    for i in range(n):
        if s.kernels.is_contained(
                g.baskets, world.vectors + vectors[i] * world.words, world.words):
            return True
        g.check[g.n_checks] = vectors[i]
        g.n_checks += 1
    s.budget -= 4 * n
    return False


cdef inline bint has_frequent_check(search *s, frame *g, const uint64_t *baskets) noexcept nogil:
    cdef universe *world = &s.worlds[g.world]
    cdef Py_ssize_t i
    cdef int32_t count
    cdef double mass = 0
    for i in range(g.n_checks):
        s.kernels.count_joint(baskets, world.vectors, g.check + i, 1, world.words, &count)
        s.budget -= world.words
        if s.weighted and count:
            mass = weigh(
                baskets, world.vectors + g.check[i] * world.words, world.words, world.weight)
        if is_frequent(s, count, mass):
            return True
    return False


cdef inline bint is_one_set(search *s, frame *g) noexcept nogil:
    """Whether at most one maximal set extends this one, by all candidates; if so, emit it."""
    cdef universe *world = &s.worlds[g.world]
    cdef Py_ssize_t i, length = g.length
    cdef int32_t count
    cdef int32_t all_baskets = 0
    cdef double mass = 0
    # The frame after this one has room for as many words: it is not in use.
    cdef uint64_t *both = g.baskets + world.words
    memcpy(both, g.baskets, 8 * world.words)
    for i in range(g.n_candidates):
        s.kernels.intersect(
            both, world.vectors + g.candidate[i] * world.words, world.words, both)
        s.prefix[length] = world.item[g.candidate[i]]
        length += 1
    s.budget -= <double>(g.n_candidates + 2) * world.words
    s.kernels.count_joint(both, both, &all_baskets, 1, world.words, &count)
    if s.weighted:
        mass = weigh(both, both, world.words, world.weight)
    if not is_frequent(s, count, mass):
        return False
    if length <= s.max_length and not has_frequent_check(s, g, both):
        emit(s, length, count, mass)
    return True


cdef inline void move_vector(
    search *s, universe *world, universe *after, const uint64_t *baskets, int32_t *vector,
    Py_ssize_t to,
) noexcept nogil:
    s.kernels.compress(
        baskets, world.vectors + vector[0] * world.words, world.words,
        after.vectors + to * after.words)
    after.item[to] = world.item[vector[0]]
    vector[0] = <int32_t>to


cdef inline void move_weights(
    search *s, universe *world, universe *after, const uint64_t *baskets,
) noexcept nogil:
    cdef Py_ssize_t w, bit = 0
    cdef uint64_t bits
    for w in range(world.words):
        bits = baskets[w]
        while bits:
            after.weight[bit] = world.weight[64 * w + LOWEST_BIT(bits)]
            bit += 1
            bits &= bits - 1


cdef inline int compress(search *s, frame *g, Py_ssize_t bits) noexcept nogil:
    """Number the baskets of the set anew, for the items that it may still meet."""
    cdef universe *world = &s.worlds[g.world]
    cdef universe *after = world + 1
    cdef Py_ssize_t n = 0, i
    cdef int32_t count
    for i in range(g.n_checks):
        s.kernels.count_joint(g.baskets, world.vectors, g.check + i, 1, world.words, &count)
        if count >= s.min_count:
            g.check[n] = g.check[i]
            n += 1
    s.budget -= <double>(2 * g.n_checks + 4 * g.n_candidates) * world.words
    g.n_checks = n
    if open_universe(s, after, g.n_candidates + n, bits):
        return NO_MEMORY
    for i in range(g.n_candidates):
        move_vector(s, world, after, g.baskets, &g.candidate[i], i)
    for i in range(n):
        move_vector(s, world, after, g.baskets, &g.check[i], g.n_candidates + i)
    if s.weighted:
        move_weights(s, world, after, g.baskets)
    set_all(g.baskets, bits)
    g.world += 1
    return 0


cdef inline int settle(
    search *s, frame *g, Py_ssize_t n, int32_t count, double mass,
) noexcept nogil:
    """Keep the candidates that are frequent with the set; go on with them."""
    cdef universe *world = &s.worlds[g.world]
    cdef Py_ssize_t i, kept = 0
    for i in range(n):
        if s.kind != ALL_SETS and g.count[i] == count:
            s.prefix[g.length] = world.item[g.candidate[i]]
            g.length += 1
        elif is_frequent(s, g.count[i], g.mass[i] if s.weighted else 0):
            g.candidate[kept], g.count[kept] = g.candidate[i], g.count[i]
            if s.weighted:
                g.mass[kept] = g.mass[i]
            kept += 1
    g.n_candidates = g.stop = kept
    g.next = 0
    if s.kind != ALL_SETS:
        if g.length > s.max_length:
            return 0
        if s.kind == MAXIMAL_SETS:
            if is_one_set(s, g):
                return 0
        else:
            emit(s, g.length, count, mass)
        if g.length == s.max_length:
            return 0
    if kept == 0:
        return 0
    if (kept >= MIN_ITEMS_FOR_COMPRESSION and world.words >= MIN_WORDS_FOR_COMPRESSION
            and <Py_ssize_t>count * MIN_RATIO_FOR_COMPRESSION <= world.bits):
        if compress(s, g, count):
            return NO_MEMORY
    s.depth += 1
    return 0


cdef inline int extend(search *s, frame *f, Py_ssize_t chosen) noexcept nogil:
    """Extend a set by one of its candidates."""
    cdef universe *world = &s.worlds[f.world]
    cdef frame *g = f + 1
    cdef Py_ssize_t j = f.candidate[chosen], rest = f.n_candidates - chosen - 1, i
    cdef double mass = f.mass[chosen] if s.weighted else 0
    s.prefix[f.length] = world.item[j]
    g.length, g.world, g.n_checks = f.length + 1, f.world, 0
    s.budget -= 16
    if s.kind == ALL_SETS:
        emit(s, g.length, f.count[chosen], mass)
        if rest == 0 or g.length == s.max_length:
            return 0
    if lay_out(s, g, world.words, rest, f.n_checks + chosen):
        return NO_MEMORY
    s.kernels.intersect(f.baskets, world.vectors + j * world.words, world.words, g.baskets)
    if s.kind != ALL_SETS:
        if is_contained(s, g, world, f.check, f.n_checks):
            return 0
        if is_contained(s, g, world, f.candidate, chosen):
            return 0
    s.kernels.count_joint(
        g.baskets, world.vectors, f.candidate + chosen + 1, rest, world.words, g.count)
    s.budget -= <double>(rest + 2) * world.words
    for i in range(rest):
        g.candidate[i] = f.candidate[chosen + 1 + i]
        if s.weighted:
            g.mass[i] = weigh(
                g.baskets, world.vectors + g.candidate[i] * world.words, world.words,
                world.weight)
            s.budget -= g.count[i]
    return settle(s, g, rest, f.count[chosen], mass)
