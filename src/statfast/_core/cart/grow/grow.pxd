# SPDX-License-Identifier: BSD-3-Clause
"""Declarations of cart/cart.h, cart/grow/workspace.h and cart/grow/grow_table.h."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from statfast._core.cart.problem cimport cart_problem


cdef extern from "cart/cart.h" nogil:
    int CART_PAUSED
    ctypedef struct cart_node_rows:
        Py_ssize_t m
        const int64_t *record

    ctypedef struct cart_split:
        double gain
        int32_t feature, missing_left
        int64_t cut
        double threshold
        int32_t order, turn

    ctypedef struct cart_pause:
        int64_t patience

    ctypedef struct cart_scratch:
        cart_pause pause

    ctypedef struct cart_task:
        Py_ssize_t start, stop, depth, parent
        int side
        uint64_t key
        double low, high

    ctypedef struct cart_open:
        pass

    ctypedef struct cart_cut:
        double threshold
        int32_t feature, missing_left

    ctypedef struct cart_node:
        cart_cut cut
        double impurity, weight
        int32_t left, right, count, depth

    ctypedef struct cart_surrogate:
        pass

    ctypedef struct cart_making:
        int64_t patience

    ctypedef struct cart_grower:
        const cart_problem *t
        cart_making making
        const double *weight
        int integral, best_first
        Py_ssize_t leaves_left
        int32_t *rows
        int32_t *columns
        int32_t *swaps
        cart_node_rows v
        cart_scratch scratch
        cart_task now
        cart_task *tasks
        cart_open *heap
        cart_node *nodes
        double *values
        uint64_t *sets
        cart_surrogate *surrogates
        size_t n_tasks, n_nodes, n_sets, n_surrogates

cdef extern from "cart/grow/workspace.h" nogil:
    size_t lay_workspace(
        const cart_problem *t, Py_ssize_t m, int sorts, cart_scratch *s, uint8_t *start
    )
    size_t lay_node_workspace(cart_grower *g, Py_ssize_t m, uint8_t *start)

cdef extern from "cart/grow/grow_table.h" nogil:
    ctypedef struct grow_kernels:
        int (*grow_on)(cart_grower *, Py_ssize_t large, int64_t effort) noexcept nogil
        int (*open_node)(cart_grower *) noexcept nogil
        int (*split_node)(cart_grower *, const cart_split *) noexcept nogil
        int (*split_on)(const cart_problem *, const cart_node_rows *, cart_scratch *, Py_ssize_t f,
                        uint64_t draw, cart_split *, double *bound) noexcept nogil
        int (*push_task)(cart_grower *, const cart_task *) noexcept nogil
        void (*place_thresholds)(cart_grower *) noexcept nogil
        int32_t (*drawn)(cart_grower *, Py_ssize_t, uint64_t *) noexcept nogil
        void (*restore_columns)(cart_grower *, Py_ssize_t) noexcept nogil
        uint64_t (*draw_for)(const cart_grower *, Py_ssize_t) noexcept nogil
    const grow_kernels *grow_at(int level)
