# SPDX-License-Identifier: BSD-3-Clause
"""The k nearest found so far, by (distance, row): an array in order for few, a heap for many."""

from libc.math cimport INFINITY
from libc.stdlib cimport qsort

cdef enum:
    ORDERED = 32  # up to this many, moving those behind costs less than a heap's mispredictions


cdef struct Neighbor:
    double apart
    Py_ssize_t row


cdef inline bint before(const Neighbor *a, const Neighbor *b) noexcept nogil:
    return a.apart < b.apart or (a.apart == b.apart and a.row < b.row)


cdef inline int compare(const void *a, const void *b) noexcept nogil:
    return -1 if before(<const Neighbor *>a, <const Neighbor *>b) else 1


cdef inline void put_in_order(Neighbor *found, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef Neighbor one
    if n > 48:
        qsort(found, n, sizeof(Neighbor), &compare)
        return
    for i in range(1, n):
        one = found[i]
        j = i
        while j > 0 and before(&one, &found[j - 1]):
            found[j] = found[j - 1]
            j -= 1
        found[j] = one


cdef inline void sink(Neighbor *found, Py_ssize_t k, Neighbor one) noexcept nogil:
    """Put one in the place of the heap's top, the farthest of k."""
    cdef Py_ssize_t at = 0, child
    while True:
        child = 2 * at + 1
        if child >= k:
            break
        if child + 1 < k and before(&found[child], &found[child + 1]):
            child += 1
        if not before(&one, &found[child]):
            break
        found[at] = found[child]
        at = child
    found[at] = one


cdef inline void clear(Neighbor *found, Py_ssize_t k) noexcept nogil:
    """k places, free: any row at any distance comes before them."""
    cdef Py_ssize_t i
    for i in range(k):
        found[i].apart = INFINITY
        found[i].row = <Py_ssize_t>((<size_t>-1) >> 1)


cdef inline double worst(const Neighbor *found, Py_ssize_t k) noexcept nogil:
    """The distance beyond which no row is wanted any more."""
    return found[k - 1].apart if k <= ORDERED else found[0].apart


cdef inline bint offer(Neighbor *found, Py_ssize_t k, double apart, Py_ssize_t row) noexcept nogil:
    """Take one row if it comes before the last of k; whether it does."""
    cdef Neighbor one
    cdef Py_ssize_t at
    one.apart = apart
    one.row = row
    if k > ORDERED:
        if not before(&one, &found[0]):
            return False
        sink(found, k, one)
        return True
    at = k - 1
    if not before(&one, &found[at]):
        return False
    while at > 0 and before(&one, &found[at - 1]):
        found[at] = found[at - 1]
        at -= 1
    found[at] = one
    return True


cdef inline void finish(Neighbor *found, Py_ssize_t k) noexcept nogil:
    """The nearest first."""
    if k > ORDERED:
        put_in_order(found, k)
