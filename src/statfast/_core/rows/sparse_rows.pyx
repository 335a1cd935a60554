# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Sparse rows: whether the three arrays of a CSR matrix are canonical, and lengths of the rows.

Cost: one read of columns and values. The caller guarantees that `start` begins with 0, never falls
and ends within `column`, and that there are as many values as columns.
"""

from libc.stdint cimport int32_t, int64_t

ctypedef fused index:
    int32_t
    int64_t


def is_canonical(
    const index[::1] start,     # IN (n + 1,)
    const index[::1] column,    # IN (nonzeros,)
    const double[::1] value,    # IN (nonzeros,)
    Py_ssize_t d,
):
    """Whether columns ascend within each row and are below d, and no value is 0 or not finite."""
    cdef Py_ssize_t n = start.shape[0] - 1, i, s
    cdef index last
    cdef double broken = 0
    cdef bint fine = True
    with nogil:
        for i in range(n):
            last = -1
            for s in range(start[i], start[i + 1]):
                fine &= column[s] > last
                last = column[s]
                broken += value[s] * 0
                fine &= value[s] != 0
            fine &= last < d
            if not fine:
                break
    return fine and broken == 0


def squares(
    const Py_ssize_t[::1] start,    # IN (n + 1,)
    const double[::1] value,        # IN (nonzeros,)
    double[::1] out,                # OUT (n,) |x|^2
):
    """Squared lengths of the rows."""
    cdef Py_ssize_t i, s
    cdef double total
    with nogil:
        for i in range(out.shape[0]):
            total = 0
            for s in range(start[i], start[i + 1]):
                total += value[s] * value[s]
            out[i] = total
