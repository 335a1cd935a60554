# SPDX-License-Identifier: BSD-3-Clause
"""The order in which coordinate descent visits what it visits."""

from libc.stdint cimport int32_t, uint64_t


cdef inline uint64_t shuffled(int32_t *order, Py_ssize_t count, uint64_t seed) noexcept nogil:
    """A random order, from G. Marsaglia's xorshift generator (2003, doi:10.18637/jss.v008.i14).
    Returns a seed for the next, which is not 0 where the first is not."""
    cdef Py_ssize_t i, j
    cdef int32_t kept
    for i in range(count - 1, 0, -1):
        seed ^= seed << 13
        seed ^= seed >> 7
        seed ^= seed << 17
        j = <Py_ssize_t>(((seed >> 32) * <uint64_t>(i + 1)) >> 32)
        kept = order[i]
        order[i] = order[j]
        order[j] = kept
    return seed
