# SPDX-License-Identifier: BSD-3-Clause
"""The k-th smallest of some numbers, in place."""

cdef double kth(double *values, Py_ssize_t n, Py_ssize_t k) noexcept nogil
