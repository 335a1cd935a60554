# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""The remaining clusters, as one argument of the kernels that merge them."""

from libc.stdint cimport int32_t


cdef const void *address_of(array) except NULL:
    """The address of the numbers of an array (m,) of float32 or float64."""
    cdef const float[::1] single
    cdef const double[::1] wide
    if array.itemsize == sizeof(float):
        single = array
        return &single[0]
    wide = array
    return &wide[0]


cdef class Clusters:
    """Sizes of clusters, whether they still exist, and a point of each. Keeps its arrays alive."""

    def __cinit__(
        self,
        size,                           # INOUT (m,)
        gone,                           # INOUT (m,) infinite for merged clusters, else 0
        int32_t[::1] point,             # INOUT (m,) a point of each cluster
    ):
        self.arrays = size, gone, point
        self.size, self.gone = <void *>address_of(size), <void *>address_of(gone)
        self.point = &point[0]
