# SPDX-License-Identifier: BSD-3-Clause
"""R of two triangular factors, one above the other, by Householder reflections.

The reflection of column j touches row j of the upper factor and the first j rows of the lower one,
whose others are zero there: 2 q^3 / 3 flop, a fifth of what QR of the stacked rows takes (the case
of triangles in J. Demmel, L. Grigori, M. Hoemmen & J. Langou 2012, doi:10.1137/080731992). Columns
are scaled by their largest number, so that squares neither overflow nor vanish.

LAPACK's QR is quicker for large factors; for small ones its threads, which spin on after a call,
cost many times the factor where cores are taken. The caller guarantees q small enough for Ctrl-C.
"""

from libc.math cimport copysign, fabs, sqrt


def merge_triangles(
    double[:, ::1] upper,       # INOUT (q, q) zero below the diagonal; R of both
    double[:, ::1] lower,       # INOUT (q, q) likewise; used up
    double[::1] work,           # OUT (q,)
):
    """Bring the lower factor to zero."""
    cdef Py_ssize_t q = upper.shape[0], i, j, k
    cdef double largest, total, pivot, head, share, weight
    cdef double *top
    cdef double *row
    cdef double *sums
    with nogil:
        for j in range(q):
            largest = 0
            for i in range(j + 1):
                largest = max(largest, fabs(lower[i, j]))
            if largest == 0:
                continue
            largest = max(largest, fabs(upper[j, j]))
            pivot, total = upper[j, j] / largest, 0
            for i in range(j + 1):
                lower[i, j] /= largest
                total += lower[i, j] * lower[i, j]
            head = -copysign(sqrt(pivot * pivot + total), pivot)
            share = (head - pivot) / head
            top, sums = &upper[j, 0], &work[0]
            for k in range(j + 1, q):
                sums[k] = top[k]
            for i in range(j + 1):
                lower[i, j] /= pivot - head
                weight, row = lower[i, j], &lower[i, 0]
                for k in range(j + 1, q):
                    sums[k] += weight * row[k]
            for k in range(j + 1, q):
                sums[k] *= share
                top[k] -= sums[k]
            for i in range(j + 1):
                weight, row = lower[i, j], &lower[i, 0]
                for k in range(j + 1, q):
                    row[k] -= weight * sums[k]
            top[j] = head * largest
