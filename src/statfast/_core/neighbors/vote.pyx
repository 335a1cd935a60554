# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Votes of neighbors: the winning class, the share of each class, and errors for many k.

The neighbors of row i are the entries starts[i] to starts[i + 1] of `ids`, `distances` and
`weights`; they may be k of each row, or those within a radius, some rows having none. For `errors`
the nearest comes first; else they may be in any order, but votes are summed in that.

For many k: votes only grow while the neighbors of a row are counted, so that a vote for class c can
make only c the winner. Updating the winner with each vote gives the winner after 1, 2, 3, ...
neighbors in one pass.

Ties are broken by an order of the classes: the lower label; or the nearer nearest member, then the
lower label; or an order drawn at random for each row, by a counter-based generator whose counter is
the row's nearest neighbor and the distance to it. The draw thus depends neither on the place of the
row among others nor on k (S. Vigna's finaliser of the 64-bit mixer of Steele, Lea and Flood
2014, doi:10.1145/2660193.2660195).

Cost: O(1) a neighbor, whatever the number of classes K, as only the classes that a row touched are
cleared after it. O(neighbors + K) a row for the shares.

The caller guarantees: ids in [0, n), codes in [0, K), distances (in any measure that orders them)
not negative, weights not negative and some of each row positive, matching lengths; for `errors`,
distances ascending along each row, ks ascending, from 1 to the neighbors of each row.
"""

from libc.math cimport fmax
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

ctypedef Py_ssize_t intp

cdef enum:
    LOWEST = 0
    NEAREST = 1
    RANDOM = 2

cdef double MIN_INVERTIBLE = 2.3e-308  # about the smallest number with a finite inverse

cdef struct Poll:
    double *votes       # (K,) of each class
    double *nearest     # (K,) distance of its nearest member in this row, or -1
    intp classes        # K
    intp best           # class with the largest vote so far; -1 before the first vote
    int ties
    uint64_t seed       # of the rule RANDOM
    uint64_t order      # of the classes in this row, by the rule RANDOM


def winners(
    const intp[::1] codes,          # IN (n,) class of each fitted row
    const intp[::1] starts,         # IN (m + 1,)
    const intp[::1] ids,            # IN (total,) neighbors
    const double[::1] distances,    # IN (total,) as far as they are
    const double[::1] weights,      # IN (total,) weight of each vote, or None: one each
    intp classes,                   # IN K
    int ties,                       # IN 0: lowest, 1: nearest, 2: random
    uint64_t seed,                  # IN of the order drawn for ties
    intp[::1] out,                  # OUT (m,) class with the largest vote; -1 without neighbors
):
    cdef Poll poll = opened(classes, ties, seed)
    cdef intp i, j
    with nogil:
        for i in range(out.shape[0]):
            for j in range(starts[i], starts[i + 1]):
                poll.votes[codes[ids[j]]] += weight_of(weights, j)
            if ties != LOWEST:
                rank_classes(&poll, codes, ids, distances, starts[i], starts[i + 1])
            if classes < starts[i + 1] - starts[i]:
                for j in range(classes):
                    prefer(&poll, j)
            else:
                for j in range(starts[i], starts[i + 1]):
                    prefer(&poll, codes[ids[j]])
            out[i] = poll.best
            clear(&poll, codes, ids, starts[i], starts[i + 1])
    free(poll.votes)


def errors(
    const intp[::1] codes,          # IN (n,) class of each fitted row
    const intp[::1] truth,          # IN (m,) class of each row
    const intp[::1] starts,         # IN (m + 1,)
    const intp[::1] ids,            # IN (total,) neighbors
    const double[::1] distances,    # IN (total,) as far as they are
    const double[::1] weights,      # IN (total,) weight of each vote, or None: one each
    intp classes,                   # IN K
    int ties,                       # IN 0: lowest, 1: nearest, 2: random
    uint64_t seed,                  # IN of the order drawn for ties
    const intp[::1] ks,             # IN (L,) how many neighbors vote
    intp[::1] out,                  # IN, OUT (L,) plus the rows given a wrong class by so many
):
    cdef Poll poll = opened(classes, ties, seed)
    cdef intp i, j, trial, stop
    with nogil:
        for i in range(truth.shape[0]):
            j = starts[i]
            for trial in range(ks.shape[0]):
                stop = starts[i] + ks[trial]
                while j < stop:
                    cast(&poll, codes[ids[j]], ids[j], distances[j], weight_of(weights, j))
                    j += 1
                out[trial] += poll.best != truth[i]
            clear(&poll, codes, ids, starts[i], j)
    free(poll.votes)


def shares(
    const intp[::1] codes,          # IN (n,) class of each fitted row
    const intp[::1] starts,         # IN (m + 1,)
    const intp[::1] ids,            # IN (total,) neighbors
    const double[::1] weights,      # IN (total,) weight of each vote, or None: one each
    double[:, ::1] out,             # IN, OUT (m, K) zeros; each class's share, zeros without votes
):
    cdef intp i, j, c
    cdef double w, total
    with nogil:
        for i in range(out.shape[0]):
            total = 0.0
            for j in range(starts[i], starts[i + 1]):
                w = weight_of(weights, j)
                out[i, codes[ids[j]]] += w
                total += w
            if total > 0.0:
                for c in range(out.shape[1]):
                    out[i, c] /= total


def inverse_distances(
    const intp[::1] starts,         # IN (m + 1,)
    const double[::1] distances,    # IN (total,) the distances themselves
    double[::1] out,                # OUT (total,) 1 / distance; in a row with zeros 1 there, else 0
):
    cdef intp i, j
    cdef bint zero
    with nogil:
        for i in range(starts.shape[0] - 1):
            zero = False
            for j in range(starts[i], starts[i + 1]):
                zero |= distances[j] == 0.0
            if zero:
                for j in range(starts[i], starts[i + 1]):
                    out[j] = distances[j] == 0.0
            else:
                for j in range(starts[i], starts[i + 1]):
                    out[j] = 1.0 / fmax(distances[j], MIN_INVERTIBLE)


cdef Poll opened(intp classes, int ties, uint64_t seed) except *:
    """A poll before its first row; the caller frees its votes."""
    cdef Poll poll
    cdef intp c
    poll.votes = <double *>malloc(2 * classes * sizeof(double))
    if poll.votes == NULL:
        raise MemoryError(f"No memory to count the votes of {classes} classes.")
    poll.nearest = poll.votes + classes
    poll.classes, poll.best, poll.ties, poll.seed, poll.order = classes, -1, ties, seed, 0
    for c in range(classes):
        poll.votes[c] = 0.0
        poll.nearest[c] = -1.0
    return poll


cdef inline void cast(
    Poll *poll, intp c, intp neighbor, double distance, double weight
) noexcept nogil:
    """Count one vote of the neighbors from the nearest on."""
    poll.votes[c] += weight
    if poll.nearest[c] < 0.0:
        poll.nearest[c] = distance
    if poll.best < 0 and poll.ties == RANDOM:
        poll.order = order_of(poll.seed, neighbor, distance)
    prefer(poll, c)


cdef inline void prefer(Poll *poll, intp c) noexcept nogil:
    """Make a class the winner if it wins over the one so far."""
    if poll.best < 0:
        poll.best = c
    elif c != poll.best and (
        poll.votes[c] > poll.votes[poll.best]
        or poll.votes[c] == poll.votes[poll.best] and comes_first(poll, c, poll.best)
    ):
        poll.best = c


cdef void rank_classes(
    Poll *poll, const intp[::1] codes, const intp[::1] ids, const double[::1] distances,
    intp start, intp stop,
) noexcept nogil:
    """What decides ties of a row: the nearest member of each class, and the order drawn."""
    cdef intp j, c, first = start
    for j in range(start, stop):
        c = codes[ids[j]]
        if poll.nearest[c] < 0.0 or distances[j] < poll.nearest[c]:
            poll.nearest[c] = distances[j]
        if distances[j] < distances[first] or distances[j] == distances[first] \
                and ids[j] < ids[first]:
            first = j
    if start < stop and poll.ties == RANDOM:
        poll.order = order_of(poll.seed, ids[first], distances[first])


cdef inline double weight_of(const double[::1] weights, intp j) noexcept nogil:
    return 1.0 if weights is None else weights[j]


cdef inline bint comes_first(const Poll *poll, intp a, intp b) noexcept nogil:
    """Whether class a wins over class b where their votes are equal."""
    cdef uint64_t of_a, of_b
    if poll.ties == NEAREST and poll.nearest[a] != poll.nearest[b]:
        return poll.nearest[a] < poll.nearest[b]
    if poll.ties == RANDOM:
        of_a, of_b = scrambled(poll.order + <uint64_t>a), scrambled(poll.order + <uint64_t>b)
        return of_a > of_b
    return a < b


cdef inline uint64_t scrambled(uint64_t x) noexcept nogil:
    """The finaliser of SplitMix64: a permutation of 64-bit numbers that appears random."""
    x += <uint64_t>0x9E3779B97F4A7C15
    x = (x ^ (x >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t>0x94D049BB133111EB
    return x ^ (x >> 31)


cdef inline uint64_t order_of(uint64_t seed, intp neighbor, double distance) noexcept nogil:
    cdef uint64_t bits
    memcpy(&bits, &distance, sizeof(double))
    return scrambled(seed ^ scrambled(bits ^ scrambled(<uint64_t>neighbor)))


cdef inline void clear(
    Poll *poll, const intp[::1] codes, const intp[::1] ids, intp start, intp stop
) noexcept nogil:
    """Empty the poll of the neighbors of a row: the classes that voted, or all if they are few."""
    cdef intp j, c
    poll.best = -1
    if poll.classes < stop - start:
        for c in range(poll.classes):
            poll.votes[c] = 0.0
            poll.nearest[c] = -1.0
        return
    for j in range(start, stop):
        poll.votes[codes[ids[j]]] = 0.0
        poll.nearest[codes[ids[j]]] = -1.0
