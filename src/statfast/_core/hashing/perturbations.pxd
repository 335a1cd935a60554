# SPDX-License-Identifier: BSD-3-Clause
"""The cheapest steps from the code of a query to others: see hashing/hashes.pyx."""

from libc.stdint cimport uint8_t, uint64_t


cdef inline void insert(
    float cost, uint64_t move, Py_ssize_t part, Py_ssize_t most, Py_ssize_t *held,
    float *costs, uint64_t *moves, uint8_t *parts,
) noexcept nogil:
    """Insert a step among the cheapest ones, which are kept in order."""
    cdef Py_ssize_t at = held[0]
    if at == most:
        if most == 0 or not (cost < costs[most - 1]):
            return
        at -= 1
    else:
        held[0] += 1
    while at > 0 and cost < costs[at - 1]:
        costs[at] = costs[at - 1]
        moves[at] = moves[at - 1]
        parts[at] = parts[at - 1]
        at -= 1
    costs[at] = cost
    moves[at] = move
    parts[at] = <uint8_t>part
