# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Cholesky's factor of a small positive matrix, what it solves, and the inverse.

The matrix is scaled to a diagonal of ones first. LAPACK's is quicker for large matrices; for small
ones its threads, which spin on after a call, would cost more than the whole factor.

Cost: q^3 / 3 flop for the factor, 2 q^2 for a solution, 2 q^3 / 3 for the inverse. The caller
guarantees square arrays of the same size, and a q small enough for Ctrl-C.
"""

from libc.math cimport sqrt
from libc.stdlib cimport calloc, free

from statfast._core.tile.tiles cimport level

cdef extern from "linalg/cholesky_table.h" nogil:
    ctypedef struct cholesky_kernels:
        void (*dots)(
            const double *a, Py_ssize_t lda, const double *b, Py_ssize_t n, double *out
        ) noexcept nogil
    const cholesky_kernels *cholesky_at(int level)

cdef const cholesky_kernels *table = cholesky_at(level())


def cholesky(
    const double[:, ::1] h,         # IN (q, q) lower triangle
    double[:, ::1] a,               # OUT (q, q) the lower factor of h with its diagonal scaled to 1
    double[::1] scale,              # OUT (q,) by which it was scaled: a a' = scale h scale
):
    """Cholesky's factor. Four rows at a time, so that those above are read a quarter as often.

    Returns the least pivot, the square of a diagonal element; 0 if the matrix is not positive.
    """
    cdef Py_ssize_t q = h.shape[0], i, j, r, start
    cdef double pivot, least = 1e300
    cdef double[4] sums
    with nogil:
        for i in range(q):
            scale[i] = 1 / sqrt(h[i, i]) if h[i, i] > 0 else 1
        for i in range(q):
            start = i // 4 * 4
            if start + 4 > q:
                start = 0
            if i == start:
                for j in range(i):
                    table.dots(&a[i, 0], q, &a[j, 0], j, sums)
                    for r in range(4):
                        a[i + r, j] = (h[i + r, j] * (scale[i + r] * scale[j]) - sums[r]) / a[j, j]
            for j in range(start, i):
                a[i, j] = (h[i, j] * (scale[i] * scale[j]) - dot(&a[i, 0], &a[j, 0], j)) / a[j, j]
            pivot = h[i, i] * (scale[i] * scale[i]) - dot(&a[i, 0], &a[i, 0], i)
            if not pivot > 0:
                least = 0
                break
            least = min(least, pivot)
            a[i, i] = sqrt(pivot)
    return least


def cholesky_solve(
    const double[:, ::1] a,         # IN (q, q) lower factor, and
    const double[::1] scale,        # IN (q,) its scale, of `cholesky`
    double[::1] x,                  # INOUT (q,) right-hand side; becomes the solution
):
    """Solve with a factor of `cholesky`."""
    cdef Py_ssize_t q = a.shape[0], i, j
    with nogil:
        for i in range(q):
            x[i] = (scale[i] * x[i] - dot(&a[i, 0], &x[0], i)) / a[i, i]
        for i in range(q - 1, -1, -1):
            x[i] /= a[i, i]
            for j in range(i):
                x[j] -= a[i, j] * x[i]
        for i in range(q):
            x[i] *= scale[i]


def cholesky_inverse(
    const double[:, ::1] a,         # IN (q, q) lower factor, and
    const double[::1] scale,        # IN (q,) its scale, of `cholesky`
    double[:, ::1] out,             # OUT (q, q) inverse of the factored matrix
):
    """The inverse of a matrix with a factor of `cholesky`, four columns at a time."""
    cdef Py_ssize_t q = a.shape[0], i, j, r
    cdef double *upper = <double *>calloc(max(q * q, 1), sizeof(double))
    cdef double[4] sums
    if upper == NULL:
        raise MemoryError
    if q == 0:
        free(upper)
        return
    with nogil:
        invert(&a[0, 0], q, upper)
        for i in range(q):
            for j in range(0, i // 4 * 4, 4):
                table.dots(upper + j * q + i, q, upper + i * q + i, q - i, sums)
                for r in range(4):
                    out[i, j + r] = sums[r]
            for j in range(i // 4 * 4, i + 1):
                out[i, j] = dot(upper + j * q + i, upper + i * q + i, q - i)
            for j in range(i + 1):
                out[i, j] *= scale[i] * scale[j]
                out[j, i] = out[i, j]
    free(upper)


def triangle_inverse(
    const double[:, ::1] a,         # IN (q, q) lower triangle without zeros on its diagonal
    double[:, ::1] out,             # INOUT (q, q) zeros; its inverse, transposed
):
    """The inverse of a triangle, transposed."""
    if a.shape[0] > 0:
        with nogil:
            invert(&a[0, 0], a.shape[0], &out[0, 0])


cdef void invert(const double *a, Py_ssize_t q, double *upper) noexcept nogil:
    """Row j of `upper` = column j of the inverse of a lower triangle, four at a time."""
    cdef Py_ssize_t i, j, r
    cdef double *row
    cdef double[4] sums
    for j in range(0, q, 4):
        row = upper + j * q
        for r in range(min(4, q - j)):
            row[r * q + j + r] = 1 / a[(j + r) * q + j + r]
            for i in range(j + r + 1, min(j + 4, q)):
                row[r * q + i] = -dot(&a[i * q + j], row + r * q + j, i - j) / a[i * q + i]
        for i in range(j + 4, q):
            table.dots(row + j, q, &a[i * q + j], i - j, sums)
            for r in range(4):
                row[r * q + i] = -sums[r] / a[i * q + i]


cdef inline double dot(const double *a, const double *b, Py_ssize_t n) noexcept nogil:
    """Four sums at a time: a compiler may not reorder them by itself."""
    cdef double one = 0, two = 0, three = 0, four = 0
    cdef Py_ssize_t k = 0
    while k + 4 <= n:
        one += a[k] * b[k]
        two += a[k + 1] * b[k + 1]
        three += a[k + 2] * b[k + 2]
        four += a[k + 3] * b[k + 3]
        k += 4
    while k < n:
        one += a[k] * b[k]
        k += 1
    return (one + two) + (three + four)
