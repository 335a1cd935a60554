# SPDX-License-Identifier: BSD-3-Clause
"""See cart/problem.pyx."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t

cdef extern from "cart/cart.h" nogil:
    ctypedef struct cart_entries:
        const int64_t *of_column
        const int32_t *row
        const uint32_t *rank
        const int64_t *of_row
        const int32_t *column
        const uint32_t *row_rank
        const int32_t *zero

    ctypedef struct cart_problem:
        Py_ssize_t n, p, outputs, channels
        cart_entries sparse
        const uint8_t *codes
        const uint16_t *ranks16
        const uint32_t *ranks32
        const uint16_t *by_row16
        const uint32_t *by_row32
        const double *by_row
        const int32_t *shift
        const int32_t *missing
        const double *values
        const int64_t *first
        const int32_t *label
        const double *y
        const uint32_t *y_rank
        const double *xlogx
        int64_t tabulated
        const int32_t *classes
        const int8_t *monotone
        int plain, criterion, randomized, in_order
        Py_ssize_t max_features, min_split, min_leaf, max_depth
        double min_weight, min_decrease, total_weight
        const int32_t *categories
        Py_ssize_t most, words, surrogates
        int known_only
        const int64_t *cases


cdef class Columns:
    cdef cart_problem t
    cdef tuple arrays


cdef class Problem:
    cdef cart_problem t
    cdef tuple arrays


cpdef bint sorts(Problem problem)
