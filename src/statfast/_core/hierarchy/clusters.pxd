# SPDX-License-Identifier: BSD-3-Clause
"""See hierarchy/clusters.pyx."""

from libc.stdint cimport int32_t


cdef class Clusters:
    cdef void *size
    cdef void *gone
    cdef int32_t *point
    cdef tuple arrays


cdef const void *address_of(array) except NULL
