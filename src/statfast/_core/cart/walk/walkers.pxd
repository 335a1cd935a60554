# SPDX-License-Identifier: BSD-3-Clause
"""Rows on their way down trees: those that miss no value by codes, the others by values
(cart/walk/codes.h)."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint8_t

from statfast._core.tile.rows cimport number

cdef extern from "cart/walk/walk_table.h" nogil:
    ctypedef struct cart_step:
        double threshold
        int32_t right
        uint32_t column
    ctypedef struct walk_kernels:
        void (*rows)(const cart_step *tree, const double *rows, Py_ssize_t m, Py_ssize_t p,
                     int64_t *leaf) noexcept nogil
        void (*trees)(const cart_step *nodes, const int64_t *root, Py_ssize_t T,
                      const double *row, int64_t *leaf) noexcept nogil
    const walk_kernels *walk_at(int level)
cdef extern from "cart/walk/codes.h" nogil:
    ctypedef struct cart_coded:
        pass
    ctypedef struct cart_codes:
        cart_coded *nodes
        uint32_t *leaf
        const double *cuts
        const int64_t *begin
        Py_ssize_t sure
    int code_tree(const cart_step *nodes, const uint16_t *number, int64_t begin, int64_t end,
                  const cart_codes *c)
    const Py_ssize_t MIN_CODED_ROWS
    const Py_ssize_t CODED_ROWS
    void codes_of(const cart_codes *c, Py_ssize_t column, const double *x, uint16_t *out)
    ctypedef struct cart_walkers:
        const walk_kernels *kernels
        const cart_step *nodes
        const int64_t *root
        const cart_codes *codes
        Py_ssize_t m, p, T, N, coded
        int64_t *place
        double *rows
        uint16_t *code
    int walkers_room(cart_walkers *w)
    void walkers_free(cart_walkers *w)
    int walkers_start(cart_walkers *w, Py_ssize_t first, Py_ssize_t last)
    const int64_t *walkers_leaves(cart_walkers *w, Py_ssize_t first, Py_ssize_t last, Py_ssize_t t)


cdef inline Py_ssize_t order_by_missing(const number[:, :] X, int64_t *place) noexcept nogil:
    """Place the rows that miss no value, and behind them the others; returns how many miss none."""
    cdef Py_ssize_t i, j, first = 0, last = X.shape[0]
    cdef bint missing
    for i in range(X.shape[0]):
        missing = False
        if number is not uint8_t:
            for j in range(X.shape[1]):
                missing |= X[i, j] != X[i, j]
        if missing:
            last -= 1
            place[last] = i
        else:
            place[first] = i
            first += 1
    return first


cdef inline void write_codes(const number[:, :] X, cart_walkers *w) noexcept nogil:
    """Column after column: the cuts of one stay in the cache."""
    cdef Py_ssize_t i, j, k, group
    cdef double x[8]
    for j in range(w.p):
        for group in range((w.coded + CODED_ROWS - 1) // CODED_ROWS):
            i = group * CODED_ROWS
            for k in range(CODED_ROWS):
                x[k] = <double>X[w.place[min(i + k, w.coded - 1)], j]
            codes_of(w.codes, j, x, w.code + i * w.p + j * CODED_ROWS)


cdef inline void write_rows(const number[:, :] X, cart_walkers *w) noexcept nogil:
    cdef Py_ssize_t i, j
    for i in range(w.coded, w.m):
        for j in range(w.p):
            w.rows[(i - w.coded) * w.p + j] = <double>X[w.place[i], j]
