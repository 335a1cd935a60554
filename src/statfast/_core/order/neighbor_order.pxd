# SPDX-License-Identifier: BSD-3-Clause
"""The neighbors of a query in the order of (distance, row), or of rows alone: see
order/neighbor_order.h."""


cdef extern from "order/neighbor_order.h" nogil:
    ctypedef struct NeighborOrder "neighbor_order":
        int by_row
        double *key

    bint open_order "open_neighbor_order"(
        NeighborOrder *order, bint by_row, Py_ssize_t n, Py_ssize_t longest
    )
    void write_neighbors(
        const NeighborOrder *order, Py_ssize_t count, const double *distance,
        const Py_ssize_t *row, double *distance_out, Py_ssize_t *row_out
    )
