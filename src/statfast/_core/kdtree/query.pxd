# SPDX-License-Identifier: BSD-3-Clause
"""The arguments of the kernels of the k-d tree, described in kdtree/query.h."""

from libc.stdint cimport int32_t, int64_t

from statfast._core.order.neighbor_order cimport NeighborOrder


cdef extern from "kdtree/query.h" nogil:
    enum:
        KD_LANES
        KD_MAX_LEVELS
        KD_MAX_LEAF_POINTS

    ctypedef struct kd_tree:
        const void *blocks
        const int32_t *ids
        const void *boxes
        const int32_t *least
        const Py_ssize_t *first
        Py_ssize_t n, d, leaf, leaves, levels

    ctypedef struct kd_job:
        const void *queries
        Py_ssize_t ldq
        const int32_t *order
        Py_ssize_t begin, end
        int single, itself, kind
        double p
        Py_ssize_t k
        double *apart
        Py_ssize_t *row
        Py_ssize_t visited, capacity
        double *key
        int64_t *id
        double *q

    ctypedef struct kd_radius_search:
        kd_job job
        const double *limit
        const Py_ssize_t *start
        Py_ssize_t *count
        Py_ssize_t budget
        const NeighborOrder *by_row
