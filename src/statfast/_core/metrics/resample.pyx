# SPDX-License-Identifier: BSD-3-Clause
"""Placements of rows among the other class, and bootstrap replicates of a ranking.

A replicate draws rows by their place in the sorted order, counts them at their distinct score, and
is read off in one pass: nothing is sorted again. Numbers come from splitmix64 (Steele, Lea and
Flood 2014, doi:10.1145/2660193.2660195) with a seed for each replicate, and are made places
without bias as by Lemire (2019), doi:10.1145/3230636.

Cost: some 3 ns a row and replicate. The caller guarantees fewer than 2^31 rows.
"""

from libc.math cimport NAN
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t


def placements(
    const int64_t[::1] rows,        # IN (n,) as their scores fall
    const int64_t[::1] ends,        # IN (m,) where the rows of each distinct score end
    const uint8_t[::1] labels,      # IN (n,) 1 for positive rows
    int64_t negatives,              # how many there are
    int64_t[::1] out,               # OUT (n,)
):
    """Twice how many of the other class are on the right side of each row, ties counting half."""
    cdef int64_t above = 0, passed = 0, ones, zeros
    cdef Py_ssize_t i, j, start = 0
    with nogil:
        for i in range(ends.shape[0]):
            ones = 0
            for j in range(start, ends[i]):
                ones += labels[rows[j]]
            zeros = ends[i] - start - ones
            for j in range(start, ends[i]):
                if labels[rows[j]]:
                    out[rows[j]] = 2 * (negatives - passed) - zeros
                else:
                    out[rows[j]] = 2 * above + ones
            above += ones
            passed += zeros
            start = ends[i]


def products(
    const int64_t[:, ::1] placed,   # IN (C, n) placements by C scores
    const uint8_t[::1] labels,      # IN (n,)
    const double[:, ::1] centers,   # IN (2, C) taken off those of negative and of positive rows
    double[:, :, ::1] out,          # INOUT (2, C, C) lower triangles += products
):
    """Sums of products of placements, of the rows of either class."""
    cdef Py_ssize_t i, a, b, kind, n = placed.shape[1], C = placed.shape[0]
    cdef double one
    with nogil:
        for a in range(C):
            for b in range(a + 1):
                for i in range(n):
                    kind = labels[i]
                    one = placed[a, i] - centers[kind, a]
                    out[kind, a, b] += one * (placed[b, i] - centers[kind, b])


cdef inline uint64_t mixed(uint64_t x) noexcept nogil:
    x = (x ^ (x >> 30)) * <uint64_t>0xbf58476d1ce4e5b9
    x = (x ^ (x >> 27)) * <uint64_t>0x94d049bb133111eb
    return x ^ (x >> 31)


cdef uint64_t draw(
    uint64_t state, const uint32_t *codes, uint64_t n, uint32_t *counts
) noexcept nogil:
    """Draw n of the rows with replacement, and count them; returns the state after it."""
    cdef uint64_t bits, product
    cdef uint32_t threshold = <uint32_t>((<uint64_t>1 << 32) % n)
    cdef uint64_t drawn = 0
    cdef int _half
    while drawn < n:
        state += <uint64_t>0x9e3779b97f4a7c15
        bits = mixed(state)
        for _half in range(2):
            product = (bits & <uint64_t>0xffffffff) * n
            bits >>= 32
            if <uint32_t>product >= threshold and drawn < n:
                counts[codes[product >> 32]] += 1
                drawn += 1
    return state


def replicates(
    const uint32_t[::1] codes,      # IN (n,) twice the step of each row, and its label
    Py_ssize_t first,               # rows of the first stratum; 0: all are one
    const uint64_t[::1] seeds,      # IN (R,)
    uint32_t[::1] counts,           # WORK (2 m,)
    const double[::1] grid,         # IN (g,) rising shares of the negatives, perhaps none
    double[::1] areas,              # OUT (R,) NaN where a class was not drawn
    double[:, ::1] heights,         # OUT (R, g) shares of the positives at these
):
    cdef Py_ssize_t r, n = codes.shape[0]
    cdef uint64_t state
    with nogil:
        for r in range(seeds.shape[0]):
            counts[:] = 0
            state = seeds[r]
            if first:
                state = draw(state, &codes[0], first, &counts[0])
            if n > first:
                draw(state, &codes[first], n - first, &counts[0])
            areas[r] = read_off(counts, n, grid, &heights[r, 0] if grid.shape[0] else NULL)


cdef double read_off(
    const uint32_t[::1] counts, Py_ssize_t n, const double[::1] grid, double *heights
) noexcept nogil:
    cdef int64_t above = 0, passed = 0, twice = 0, ones, zeros
    cdef Py_ssize_t i, at = 0
    cdef double negatives, positives, place
    for i in range(0, counts.shape[0], 2):
        zeros, ones = counts[i], counts[i + 1]
        twice += zeros * (2 * above + ones)
        above += ones
        passed += zeros
    if above == 0 or passed == 0:
        for i in range(grid.shape[0]):
            heights[i] = NAN
        return NAN
    positives, negatives = <double>above, <double>passed
    if grid.shape[0]:
        above = passed = 0
        for i in range(0, counts.shape[0], 2):
            zeros, ones = counts[i], counts[i + 1]
            while at < grid.shape[0] and grid[at] * negatives < passed + zeros:
                place = (grid[at] * negatives - passed) / zeros
                heights[at] = (above + place * ones) / positives
                at += 1
            above += ones
            passed += zeros
        while at < grid.shape[0]:
            heights[at] = 1.0
            at += 1
    return twice / (2.0 * positives * negatives)
