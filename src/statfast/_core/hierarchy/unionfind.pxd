# SPDX-License-Identifier: BSD-3-Clause
"""Disjoint sets as a forest: parent[x] is -1 at a root; searches for roots halve the paths."""

from libc.stdint cimport int32_t


cdef inline Py_ssize_t root(int32_t *parent, Py_ssize_t x) noexcept nogil:
    while parent[x] >= 0:
        if parent[parent[x]] >= 0:
            parent[x] = parent[parent[x]]
        x = parent[x]
    return x
