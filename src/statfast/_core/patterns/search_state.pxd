# SPDX-License-Identifier: BSD-3-Clause
"""The state of a search for item sets: its sets, the baskets they are counted in, and room.

A universe is some baskets, numbered from 0, and items that some of them have, as vectors of bits.
A frame is a set, one for each depth, and the items that may extend it.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

cdef extern from "patterns/eclat_table.h" nogil:
    ctypedef struct eclat_kernels:
        void (*intersect)(const uint64_t *, const uint64_t *, Py_ssize_t, uint64_t *) noexcept nogil
        void (*count_joint)(const uint64_t *, const uint64_t *, const int32_t *, Py_ssize_t,
                            Py_ssize_t, int32_t *) noexcept nogil
        int (*is_contained)(const uint64_t *, const uint64_t *, Py_ssize_t) noexcept nogil
        void (*compress)(const uint64_t *, const uint64_t *, Py_ssize_t, uint64_t *) noexcept nogil
    const eclat_kernels *eclat_at(int level)

cdef extern from "simd/compiler.h" nogil:
    int LOWEST_BIT(uint64_t bits) noexcept
    void FETCH(const void *place) noexcept

cdef enum:
    ALL_SETS = 0            # kinds of sets
    CLOSED_SETS = 1
    MAXIMAL_SETS = 2
    NO_MEMORY = -1

cdef struct buffer:
    void *bytes
    size_t size

# Baskets, numbered anew, and the items that have some of them.
cdef struct universe:
    uint64_t *vectors       # (items, words)
    int32_t *item           # (items,)
    double *weight          # (bits,), or NULL
    Py_ssize_t words, bits
    buffer room

# A set, and what may extend it. Candidates follow its last item; checks come before.
cdef struct frame:
    uint64_t *baskets       # (words,) of the universe
    int32_t *candidate      # (n_candidates,) vectors
    int32_t *count          # (n_candidates,) baskets of the set with each
    double *mass            # (n_candidates,) their weight, or NULL
    int32_t *check          # (n_checks,) vectors
    Py_ssize_t n_candidates, n_checks, next, stop
    Py_ssize_t length       # items of the set
    Py_ssize_t world        # the number of the universe
    buffer room

cdef struct search:
    const eclat_kernels *kernels
    Py_ssize_t kind, min_count, max_length, depth
    double min_mass, budget
    bint weighted, from_rows
    frame *frames
    universe *worlds
    Py_ssize_t n_frames
    buffer scratch          # of the four arrays that follow
    double *mass            # (m,) weights of items beside a first one
    int32_t *prefix         # (m + 1,) the set
    int32_t *number         # (m,) counts of items, then one more than their vectors, else 0
    int32_t *touched        # (m,) items that have a number
    const Py_ssize_t *row_start     # the baskets as lists
    const Py_ssize_t *tid_start
    const int32_t *row_item
    const int32_t *tid
    const double *weight    # (n,) of baskets
    Py_ssize_t n_touched, n_kept, row
    bint filling
    size_t held, limit, wanted
    int32_t *out_items
    int32_t *out_lengths
    int32_t *out_counts
    double *out_masses
    Py_ssize_t n_items, n_sets


cdef inline double weigh(
    const uint64_t *a, const uint64_t *b, Py_ssize_t words, const double *weight,
) noexcept nogil:
    """The weight of the baskets in both vectors, added in their order."""
    cdef Py_ssize_t w
    cdef uint64_t bits
    cdef double total = 0
    for w in range(words):
        bits = a[w] & b[w]
        while bits:
            total += weight[64 * w + LOWEST_BIT(bits)]
            bits &= bits - 1
    return total


cdef inline void set_all(uint64_t *a, Py_ssize_t bits) noexcept nogil:
    """A vector of so many ones."""
    cdef Py_ssize_t words = (bits + 63) // 64
    memset(a, 255, 8 * words)
    if bits % 64:
        a[words - 1] = (<uint64_t>1 << (bits % 64)) - 1


cdef inline bint is_frequent(search *s, int32_t count, double mass) noexcept nogil:
    return mass >= s.min_mass if s.weighted else count >= s.min_count


cdef inline void emit(search *s, Py_ssize_t length, int32_t count, double mass) noexcept nogil:
    memcpy(s.out_items + s.n_items, s.prefix, length * sizeof(int32_t))
    s.out_lengths[s.n_sets], s.out_counts[s.n_sets] = <int32_t>length, count
    if s.weighted:
        s.out_masses[s.n_sets] = mass
    s.n_items += length
    s.n_sets += 1


cdef inline int require(search *s, buffer *room, size_t size) noexcept nogil:
    """Have so many bytes there, whatever is in them."""
    if room.size >= size and room.bytes != NULL:
        return 0
    size += size / 4 + 64
    s.wanted = s.held - room.size + size
    if s.wanted > s.limit:
        return NO_MEMORY
    free(room.bytes)
    room.bytes = malloc(size)
    s.held, room.size = s.wanted, size
    if room.bytes == NULL:
        room.size = 0
        return NO_MEMORY
    return 0


cdef inline int open_universe(
    search *s, universe *world, Py_ssize_t items, Py_ssize_t bits,
) noexcept nogil:
    """Room for the vectors of some items, of zeros."""
    cdef Py_ssize_t words = (bits + 63) // 64
    cdef size_t size = 8 * items * words + 4 * items
    if require(s, &world.room, size + (8 * bits if s.weighted else 0)):
        return NO_MEMORY
    world.words, world.bits = words, bits
    world.vectors = <uint64_t *>world.room.bytes
    world.weight = <double *>(world.vectors + items * words)
    world.item = <int32_t *>(world.weight + (bits if s.weighted else 0))
    memset(world.vectors, 0, 8 * items * words)
    return 0


cdef inline int lay_out(
    search *s, frame *g, Py_ssize_t words, Py_ssize_t candidates, Py_ssize_t checks,
) noexcept nogil:
    """Room for a set: two vectors, candidates and checks."""
    cdef Py_ssize_t masses = candidates if s.weighted else 0
    if require(s, &g.room, 16 * words + 8 * masses + 8 * candidates + 4 * checks):
        return NO_MEMORY
    g.baskets = <uint64_t *>g.room.bytes
    g.mass = <double *>(g.baskets + 2 * words)
    g.candidate = <int32_t *>(g.mass + masses)
    g.count = g.candidate + candidates
    g.check = g.count + candidates
    return 0
