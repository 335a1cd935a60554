# SPDX-License-Identifier: BSD-3-Clause
"""Rows in the order of (key, row), and the first k of many: nearest neighbors, with distances as
keys. The first k are held in order while k is small, and as a heap otherwise."""

from libc.math cimport INFINITY
from libc.stdlib cimport qsort

cdef enum:
    MAX_ORDERED = 32     # rows held in order: moving them costs less than a heap's mispredictions
    MAX_INSERTION = 48   # rows sorted by insertion, which is faster than qsort


cdef extern from "order/keyed_row.h" nogil:
    ctypedef struct KeyedRow "keyed_row":
        double key
        Py_ssize_t row

    bint comes_before "keyed_row_before"(const KeyedRow *a, const KeyedRow *b)
    void replace_last "keyed_row_sift_down"(
        KeyedRow *heap, Py_ssize_t n, KeyedRow item, const void *context
    )


cdef inline int compare_rows(const void *a, const void *b) noexcept nogil:
    return -1 if comes_before(<const KeyedRow *>a, <const KeyedRow *>b) else 1


cdef inline void sort_rows(KeyedRow *rows, Py_ssize_t n) noexcept nogil:
    """Sort n rows."""
    cdef Py_ssize_t i, j
    cdef KeyedRow item
    if n > MAX_INSERTION:
        qsort(rows, n, sizeof(KeyedRow), &compare_rows)
        return
    for i in range(1, n):
        item = rows[i]
        j = i
        while j > 0 and comes_before(&item, &rows[j - 1]):
            rows[j] = rows[j - 1]
            j -= 1
        rows[j] = item


cdef inline void start_first(KeyedRow *first, Py_ssize_t k) noexcept nogil:
    """Prepare for the first k rows: every row precedes the initial entries."""
    cdef Py_ssize_t i
    for i in range(k):
        first[i].key = INFINITY
        first[i].row = <Py_ssize_t>((<size_t>-1) >> 1)


cdef inline double last_key(const KeyedRow *first, Py_ssize_t k) noexcept nogil:
    """The key of the last of the first k rows so far; no row with a larger key is taken."""
    return first[k - 1].key if k <= MAX_ORDERED else first[0].key


cdef inline bint offer_row(
    KeyedRow *first, Py_ssize_t k, double key, Py_ssize_t row
) noexcept nogil:
    """Take a row if it precedes the last of the first k; returns whether it does."""
    cdef KeyedRow item
    cdef Py_ssize_t i
    item.key = key
    item.row = row
    if k > MAX_ORDERED:
        if not comes_before(&item, &first[0]):
            return False
        replace_last(first, k, item, NULL)
        return True
    i = k - 1
    if not comes_before(&item, &first[i]):
        return False
    while i > 0 and comes_before(&item, &first[i - 1]):
        first[i] = first[i - 1]
        i -= 1
    first[i] = item
    return True


cdef inline void finish_first(KeyedRow *first, Py_ssize_t k) noexcept nogil:
    """Put the first k rows in order, when all have been offered."""
    if k > MAX_ORDERED:
        sort_rows(first, k)
