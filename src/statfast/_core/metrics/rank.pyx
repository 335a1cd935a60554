# SPDX-License-Identifier: BSD-3-Clause
"""Rows in the order of their scores, in buckets; and pairs of classes without a sort.

A first spread puts rows into buckets by the value of their scores, so that none has negative
scores and others; within a bucket, scores are integers in the same order (bucket_sort.h), and each
bucket is done by itself, from the highest down. All sums are of integers.

Cost: some 10 ns a row. The caller guarantees scores without NaN (`extent` tells), labels 0 and 1,
and fewer than 2^32 rows in a bucket.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t

from statfast._core.tile.tiles cimport level

cdef extern from "metrics/rank_table.h" nogil:
    ctypedef struct row_item:
        uint64_t code
        int64_t row
    ctypedef struct rank_sums:
        int64_t twice, positive, negative
    ctypedef struct rank_runs:
        uint64_t *keys
        int64_t *positive
        int64_t *negative
        int64_t *rows
        Py_ssize_t runs, at
    ctypedef struct rank_kernels:
        rank_sums (*area)(uint64_t *items, uint64_t *spare, Py_ssize_t n) noexcept nogil
        void (*runs)(
            uint64_t *items, uint64_t *spare, Py_ssize_t n, uint64_t base, rank_runs *out
        ) noexcept nogil
        void (*rows)(
            row_item *items, row_item *spare, Py_ssize_t n, uint64_t base, rank_runs *out
        ) noexcept nogil
    const rank_kernels *rank_at(int level)
    uint64_t key_of_double(double x)
    uint64_t key_of_int(int64_t x)
    double double_of_key(uint64_t key)
    void put_below(rank_sums *all, rank_sums part)

cdef const rank_kernels *kernels = rank_at(level())
cdef uint64_t SIGN_BIT = <uint64_t>1 << 63
cdef double MAX_SCALE = 1e300  # scale of scores that hardly differ

ctypedef fused number:
    float
    double
    int64_t

ctypedef fused label:
    uint8_t
    int8_t
    int32_t
    int64_t
    float
    double


cdef inline uint64_t key_of(number x) noexcept nogil:
    if number is int64_t:
        return key_of_int(x)
    else:
        return key_of_double(x)


cdef inline Py_ssize_t bucket_of(number x, double low, double scale, double top) noexcept nogil:
    """Rising with x; those of negative numbers are below those of others."""
    cdef double place = (<double>x - low) * scale
    if not place > 0.0:  # 0, and what is not a number: an infinite distance times a scale of 0
        place = 0.0
    place = min(place, top)
    return <Py_ssize_t>place + (x >= 0)


def two_values(
    const label[::1] y,             # IN (n,)
    uint8_t[::1] codes,             # OUT (n,) 1 for the higher value
):
    """How many distinct values there are (3: more than two), the lower one and the higher one."""
    cdef label a, b, x
    cdef Py_ssize_t i, n = y.shape[0]
    cdef uint8_t other = 0
    with nogil:
        a = b = y[0]
        for i in range(n):
            if y[i] != a:
                b = y[i]
                break
        if b < a:
            a, b = b, a
        for i in range(n):
            x = y[i]
            codes[i] = x == b
            other |= (x != a) & (x != b)
        if a == b:
            codes[:] = 0
    return 3 if other else 1 + (a != b), a, b


def extent(
    const number[::1] scores,       # IN (n,)
):
    """The lowest and the highest finite score; and whether there is none that is NaN."""
    cdef double x, low = INFINITY, high = -INFINITY
    cdef bint good = True
    cdef Py_ssize_t i
    with nogil:
        for i in range(scores.shape[0]):
            x = <double>scores[i]
            good &= x == x
            if x - x == 0:
                low = min(low, x)
                high = max(high, x)
    return low, high, good


def bucket(double x, double low, double scale, double top):
    """The bucket of one score."""
    return bucket_of(x, low, scale, top)


def spread_once(
    const number[::1] scores,       # IN (n,)
    const uint8_t[::1] labels,      # IN (n,) 1 for positive rows
    int64_t[::1] starts,            # IN, OUT (buckets + 2,) zeros; where each bucket starts
    uint64_t[::1] items,            # OUT (n,) codes
):
    """All of the first spread in one call: the first bucket of what is not negative; -1 for NaN."""
    cdef double x, low = INFINITY, high = -INFINITY, scale = 1.0, top = starts.shape[0] - 4.0
    cdef Py_ssize_t i, b, n = scores.shape[0]
    cdef bint good = True
    with nogil:
        for i in range(n):
            x = <double>scores[i]
            good &= x == x
            if x - x == 0:
                low = min(low, x)
                high = max(high, x)
        if good:
            if high > low:
                scale = min(top / 2 / (high / 2 - low / 2), MAX_SCALE)
            elif low > high:
                low = 0.0  # none is finite
            for i in range(n):
                starts[bucket_of(scores[i], low, scale, top) + 2] += 1
            for b in range(2, starts.shape[0]):
                starts[b] += starts[b - 1]
            for i in range(n):
                b = bucket_of(scores[i], low, scale, top) + 1
                items[starts[b]] = key_of(scores[i]) << 1 | labels[i]
                starts[b] += 1
            b = bucket_of(0.0, low, scale, top)
    return b if good else -1


def tally(
    const number[::1] scores,       # IN (n,) a block of rows
    double low, double scale, double top,  # of `bucket_of`
    uint32_t[::1] counts,           # IN, OUT (buckets,) zeros; rows in each
):
    cdef Py_ssize_t i
    with nogil:
        for i in range(scores.shape[0]):
            counts[bucket_of(scores[i], low, scale, top)] += 1


def spread(
    const number[::1] scores,       # IN (n,) a block of rows
    const uint8_t[::1] labels,      # IN (n,) 1 for positive rows
    double low, double scale, double top,  # of `bucket_of`
    int64_t[::1] places,            # IN, OUT (buckets,) where the next row of each goes
    uint64_t[::1] items,            # OUT (all rows,) codes
):
    cdef Py_ssize_t i, bucket
    with nogil:
        for i in range(scores.shape[0]):
            bucket = bucket_of(scores[i], low, scale, top)
            items[places[bucket]] = key_of(scores[i]) << 1 | labels[i]
            places[bucket] += 1


def spread_rows(
    const number[::1] scores,       # IN (n,) a block of rows
    int64_t first,                  # the number of its first row
    double low, double scale, double top,  # of `bucket_of`
    int64_t[::1] places,            # IN, OUT (buckets,) where the next row of each goes
    uint64_t[:, ::1] items,         # OUT (all rows, 2) codes and rows
):
    cdef Py_ssize_t i, bucket
    with nogil:
        for i in range(scores.shape[0]):
            bucket = bucket_of(scores[i], low, scale, top)
            items[places[bucket], 0] = key_of(scores[i]) << 1
            items[places[bucket], 1] = <uint64_t>(first + i)
            places[bucket] += 1


def area(
    uint64_t[::1] items,            # IN, WORK (all rows,) codes in buckets
    uint64_t[::1] spare,            # WORK (all rows,)
    const int64_t[::1] starts,      # IN (buckets + 1,)
    Py_ssize_t first, Py_ssize_t last,  # of the buckets to look at
):
    """Twice the pairs of a positive above a negative in these buckets, positives, negatives."""
    cdef rank_sums sums = rank_sums(0, 0, 0)
    cdef Py_ssize_t b, n
    with nogil:
        for b in range(last - 1, first - 1, -1):
            n = starts[b + 1] - starts[b]
            if n:
                put_below(&sums, kernels.area(&items[starts[b]], &spare[starts[b]], n))
    return sums.twice, sums.positive, sums.negative


def runs(
    uint64_t[::1] items,            # IN, WORK (all rows,) codes in buckets
    uint64_t[::1] spare,            # WORK (all rows,)
    const int64_t[::1] starts,      # IN (buckets + 1,)
    Py_ssize_t zero,                # the first bucket of scores that are not negative
    Py_ssize_t first, Py_ssize_t last,  # of the buckets to look at
    uint64_t[::1] keys,             # OUT (rows in these buckets,) of the runs, falling
    int64_t[::1] positive,          # OUT positives with each key
    int64_t[::1] negative,          # OUT negatives with each key
):
    """How many distinct keys there are in these buckets."""
    cdef rank_runs out
    cdef Py_ssize_t b, n
    out.keys, out.positive, out.negative, out.rows = &keys[0], &positive[0], &negative[0], NULL
    out.runs = out.at = 0
    with nogil:
        for b in range(last - 1, first - 1, -1):
            n = starts[b + 1] - starts[b]
            if n:
                kernels.runs(
                    &items[starts[b]], &spare[starts[b]], n, SIGN_BIT if b >= zero else 0, &out
                )
    return out.runs


def order(
    uint64_t[:, ::1] items,         # IN, WORK (all rows, 2) codes and rows in buckets
    uint64_t[:, ::1] spare,         # WORK (all rows, 2)
    const int64_t[::1] starts,      # IN (buckets + 1,)
    Py_ssize_t zero,                # the first bucket of scores that are not negative
    Py_ssize_t first, Py_ssize_t last,  # of the buckets to look at
    uint64_t[::1] keys,             # OUT (rows in these buckets,) of the runs, falling
    int64_t[::1] rows,              # OUT (rows in these buckets,) as their keys fall
    int64_t[::1] ends,              # OUT where the rows of each key end
):
    """How many distinct keys there are in these buckets; rows with equal keys stay in order."""
    cdef rank_runs out
    cdef Py_ssize_t b, n
    out.keys, out.positive, out.negative, out.rows = &keys[0], &ends[0], NULL, &rows[0]
    out.runs = out.at = 0
    with nogil:
        for b in range(last - 1, first - 1, -1):
            n = starts[b + 1] - starts[b]
            if n:
                kernels.rows(
                    <row_item *>&items[starts[b], 0], <row_item *>&spare[starts[b], 0], n,
                    SIGN_BIT if b >= zero else 0, &out,
                )
    return out.runs


def values(
    const uint64_t[::1] keys,       # IN (m,)
    bint whole,                     # whether they are of integers
    double[::1] out,                # OUT (m,) the scores
):
    cdef Py_ssize_t i
    with nogil:
        for i in range(keys.shape[0]):
            if whole:
                out[i] = <double><int64_t>(keys[i] ^ SIGN_BIT)
            else:
                out[i] = double_of_key(keys[i])


def corners(
    const int64_t[::1] positive,    # IN (m,) positives at each distinct score, falling
    const int64_t[::1] negative,    # IN (m,) negatives
    const double[::1] scores,       # IN (m,)
    bint drop,                      # leave out those whose step is the same as the next
    int64_t[::1] fp,                # OUT (m + 1,) negatives at or above each, from 0
    int64_t[::1] tp,                # OUT (m + 1,) positives
    double[::1] thresholds,         # OUT (m + 1,) from infinity
):
    """How many points there are."""
    cdef int64_t above = 0, passed = 0
    cdef Py_ssize_t i, at = 1, last = positive.shape[0] - 1
    with nogil:
        fp[0] = tp[0] = 0
        thresholds[0] = INFINITY
        for i in range(last + 1):
            above += positive[i]
            passed += negative[i]
            if (
                drop and 0 < i < last
                and positive[i] == positive[i + 1] and negative[i] == negative[i + 1]
            ):
                continue
            tp[at], fp[at], thresholds[at] = above, passed, scores[i]
            at += 1
    return at
