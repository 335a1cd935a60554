# SPDX-License-Identifier: BSD-3-Clause
"""Neighbors among rows of bits, by Hamming or Jaccard distance: exact counts (tile/passes/bits.h).

With a and b features set in two rows and c in which they differ, their Hamming distance is c / d
and their Jaccard distance c / ((a + b + c) / 2), 0 for two empty rows. Both are one division of
whole numbers, so that rows tie exactly where the fractions are equal. 64 rows at a time are
compared with two queries, and are examined one by one only if any of them may be a neighbor.

Cost: d / 64 word operations a pair. The caller guarantees queries in words, 64 d bits apart from
no others, rows in groups as tile/passes/bits.h has them, and d below 2^24.
"""

from libc.stdint cimport int32_t, uint64_t

from statfast._core.tile.metric cimport HAMMING
from statfast._core.order.keyed_rows cimport (
    KeyedRow, finish_first, last_key, offer_row, start_first,
)
from statfast._core.tile.tiles cimport active

cdef Py_ssize_t CACHED_BYTES = 32768  # bytes of groups that stay in the first cache for all queries
cdef double ROUNDING_FACTOR = 1.000001  # more than the rounding of a few float operations
cdef Py_ssize_t MAX_FLOAT_FEATURES = 512  # features up to which a float tells fractions apart


cdef inline double distance(
    int32_t differ, double own, double other, double d, int kind
) noexcept nogil:
    if kind == HAMMING:
        return differ / d
    return 2 * differ / (own + other + differ) if differ else 0.0


cdef inline void ask(
    double limit, bint strict, double own, double d, int kind, float *terms
) noexcept nogil:
    """The terms of bits_near, such that all rows within the limit, or if strict below it, pass."""
    if kind == HAMMING:
        terms[0] = 1
        terms[1] = <float>(limit * d - 0.5 if strict else limit * d * ROUNDING_FACTOR)
        terms[2] = 0
        return
    if limit > 1:  # all rows pass; also if fewer than k rows have been compared
        limit = 1
    elif strict and d <= MAX_FLOAT_FEATURES:
        limit -= 0.5 / (d * d)
    terms[0] = <float>(1 - limit / 2)
    terms[1] = <float>(limit / 2 * own * ROUNDING_FACTOR)
    terms[2] = <float>(limit / 2 * ROUNDING_FACTOR)


cdef class BitsView:
    """The rows among which neighbors are looked for, as one argument. Keeps their arrays alive."""

    cdef const uint64_t[:, :, ::1] R
    cdef const float[::1] size
    cdef Py_ssize_t n, d
    cdef int kind

    def __cinit__(
        self,
        const uint64_t[:, :, ::1] R,    # IN (groups, words, 64)
        const float[::1] size,          # IN (64 groups,) features set
        Py_ssize_t n,
        Py_ssize_t d,
        int kind,
    ):
        self.R, self.size, self.n, self.d, self.kind = R, size, n, d, kind


def begin(
    double[:, :, ::1] neighbors,   # OUT (m, k, 2) room for the neighbors
):
    """Initialize the neighbors of each query."""
    cdef Py_ssize_t q
    with nogil:
        for q in range(neighbors.shape[0]):
            start_first(<KeyedRow *>&neighbors[q, 0, 0], neighbors.shape[1])


def scan(
    const uint64_t[:, ::1] Q,       # IN (m, words)
    const float[::1] own,           # IN (m,) features set
    BitsView view,
    Py_ssize_t first,               # groups to look at: first, ..., stop - 1
    Py_ssize_t stop,
    double[:, :, ::1] neighbors,   # INOUT (m, k, 2)
):
    """Compare rows with every query."""
    cdef Py_ssize_t m = Q.shape[0], words = Q.shape[1], k = neighbors.shape[1], q, g, j, row, last
    cdef Py_ssize_t chunk = max(1, CACHED_BYTES // (512 * max(words, 1)))
    cdef int flags, both
    cdef float terms[6]
    cdef int32_t count[128]
    cdef KeyedRow *held
    cdef const uint64_t[:, :, ::1] R = view.R
    cdef const float[::1] size = view.size
    cdef Py_ssize_t n = view.n, d = view.d
    cdef int kind = view.kind
    with nogil:
        while first < stop:
            last = min(stop, first + chunk)
            for q in range(0, m, 2):
                both = 3 if q + 1 < m else 1
                for j in range(2):
                    held = <KeyedRow *>&neighbors[min(q + j, m - 1), 0, 0]
                    ask(last_key(held, k), True, own[min(q + j, m - 1)], d, kind, terms + 3 * j)
                for g in range(first, last):
                    flags = both & active().differ(
                        &Q[q, 0], words if both == 3 else 0, words, &R[g, 0, 0], &size[64 * g],
                        terms, count
                    )
                    for j in range(2):
                        if flags >> j & 1:
                            held = <KeyedRow *>&neighbors[q + j, 0, 0]
                            for row in range(64 * g, min(n, 64 * g + 64)):
                                offer_row(
                                    held, k,
                                    distance(
                                        count[64 * (j - g) + row], own[q + j], size[row], d, kind
                                    ),
                                    row,
                                )
                            ask(last_key(held, k), True, own[q + j], d, kind, terms + 3 * j)
            first = last


def end(
    double[:, :, ::1] neighbors,   # INOUT (m, k, 2)
    double[:, :] distance_out,      # OUT (m, k)
    Py_ssize_t[:, :] row_out,       # OUT (m, k)
):
    """The neighbors in order."""
    cdef Py_ssize_t q, c
    cdef KeyedRow *held
    with nogil:
        for q in range(neighbors.shape[0]):
            held = <KeyedRow *>&neighbors[q, 0, 0]
            finish_first(held, neighbors.shape[1])
            for c in range(neighbors.shape[1]):
                distance_out[q, c] = held[c].key
                row_out[q, c] = held[c].row


def within(
    const uint64_t[:, ::1] Q,       # IN (m, words)
    const float[::1] own,           # IN (m,)
    BitsView view,
    Py_ssize_t first,               # groups to look at: first, ..., stop - 1
    Py_ssize_t stop,
    const double[::1] limit,        # IN (m,)
    Py_ssize_t[::1] at,             # INOUT (m,) where the next row of each query goes
    double[::1] distance_out,       # OUT, or None: only move `at`
    Py_ssize_t[::1] row_out,        # OUT, or None
):
    """Write all rows within the limits, by rising number."""
    cdef Py_ssize_t m = Q.shape[0], words = Q.shape[1], q, g, j, row
    cdef bint wanted = distance_out is not None
    cdef int flags, both
    cdef float terms[6]
    cdef int32_t count[128]
    cdef double value
    cdef const uint64_t[:, :, ::1] R = view.R
    cdef const float[::1] size = view.size
    cdef Py_ssize_t n = view.n, d = view.d
    cdef int kind = view.kind
    with nogil:
        for q in range(0, m, 2):
            both = 3 if q + 1 < m else 1
            for j in range(2):
                ask(limit[min(q + j, m - 1)], False, own[min(q + j, m - 1)], d, kind,
                    terms + 3 * j)
            for g in range(first, stop):
                flags = both & active().differ(
                    &Q[q, 0], words if both == 3 else 0, words, &R[g, 0, 0], &size[64 * g], terms,
                    count
                )
                for j in range(2):
                    if not flags >> j & 1:
                        continue
                    for row in range(64 * g, min(n, 64 * g + 64)):
                        value = distance(count[64 * (j - g) + row], own[q + j], size[row], d, kind)
                        if value <= limit[q + j]:
                            if wanted:
                                distance_out[at[q + j]] = value
                                row_out[at[q + j]] = row
                            at[q + j] += 1
