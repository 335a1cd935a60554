# SPDX-License-Identifier: BSD-3-Clause
"""What points know of their medoids, for pam.pyx: the nearest and the second nearest, kept up as
medoids are exchanged, and what the loss would be without each."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t

from statfast._core.rows cimport real

# Numbers fetched before any is compared, so that no mispredicted branch delays their coming.
cdef enum:
    VALUES = 64


cdef inline Py_ssize_t replace(
    const double[::1] column, int32_t into, double[::1] near, double[::1] second,
    int32_t[::1] slot, int32_t[::1] other, Py_ssize_t[::1] lost,
) noexcept nogil:
    """Put a new medoid into a slot, where points that lose one of theirs have to look at all again:
    those go to `lost`, and their number is returned."""
    cdef Py_ssize_t i, count = 0
    cdef double t
    for i in range(column.shape[0]):
        t = column[i]
        if slot[i] == into:
            if t <= second[i]:
                near[i] = t
            else:
                lost[count] = i
                count += 1
        elif t < near[i]:
            second[i], other[i] = near[i], slot[i]
            near[i], slot[i] = t, into
        elif t <= second[i]:
            second[i], other[i] = t, into
        elif other[i] == into:
            lost[count] = i
            count += 1
    return count


cdef inline void two(
    const real *d, const Py_ssize_t *at, int32_t k, Py_ssize_t i, double[::1] near,
    double[::1] second, int32_t[::1] slot, int32_t[::1] other,
) noexcept nogil:
    """The two nearest of k medoids, at the places `at` of a row."""
    cdef int32_t j, c, a = 0, b = 0
    cdef double t, least = INFINITY, less = INFINITY
    cdef double some[VALUES]
    j = 0
    while j < k:
        for c in range(min(<int32_t>VALUES, k - j)):
            some[c] = d[at[j + c]]
        for c in range(min(<int32_t>VALUES, k - j)):
            t = some[c]
            if t < less:
                if t < least:
                    less, b = least, a
                    least, a = t, j + c
                else:
                    less, b = t, j + c
        j += VALUES
    near[i], second[i], slot[i], other[i] = least, less, a, b


cdef inline double without(
    const double[::1] near, const double[::1] second, const int32_t[::1] slot,
    double[::1] removal,
) noexcept nogil:
    """What the loss grows by without each medoid; returns the loss."""
    cdef Py_ssize_t i
    cdef double total = 0
    for i in range(removal.shape[0]):
        removal[i] = 0
    for i in range(near.shape[0]):
        removal[slot[i]] += second[i] - near[i]
        total += near[i]
    return total
