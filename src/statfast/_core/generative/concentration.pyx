# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Concentration steps: mean and covariance of h rows, then the h rows nearest by them.

Rousseeuw and Van Driessen (1999), "A fast algorithm for the minimum covariance determinant
estimator", Technometrics 41, 212-223, doi:10.1080/00401706.1999.10485670. A covariance is kept as
its Cholesky factor; a multiple of the identity is added to it, which bounds the factor's inverse
where the rows lie in a hyperplane. Ties of distances go to the lowest index.

Cost: a step takes (n + h) d^2 / 2 + d^3 / 3 multiplications and a selection among n distances; for
500 starts of 400 rows of 5 columns a tenth of what batched products of numpy take. The caller
guarantees finite rows of moderate size, 0 < h <= n, and factors with a positive diagonal.
"""

from libc.math cimport log, sqrt
from libc.stdlib cimport free, malloc

from statfast._core.order.selection cimport kth
from statfast._core.tile.tiles cimport level

cdef extern from "generative/concentration_table.h" nogil:
    enum:
        LANES "CONCENTRATION_LANES"
        PAD "CONCENTRATION_PAD"
    ctypedef struct concentration_kernels:
        void (*add)(
            const double *X, Py_ssize_t d, const Py_ssize_t *rows, Py_ssize_t m,
            const double *center, double *u, double *S, Py_ssize_t ld
        ) noexcept nogil
        void (*measure)(
            const double *X, Py_ssize_t n, Py_ssize_t d, const double *center, const double *L,
            double *out, double *z
        ) noexcept nogil
    const concentration_kernels *concentration_at(int level)

cdef const concentration_kernels *kernels = concentration_at(level())

cdef double RIDGE = 1e-12              # beside the mean variance
cdef double MIN_RIDGE = 1e-60          # where all rows are equal


def fit_rows(
    const double[:, ::1] X,            # IN (n, d)
    const Py_ssize_t[:, ::1] supports,  # IN (s, m) rows of each set
    double[:, ::1] centers,            # OUT (s, d) their means
    double[:, :, ::1] factors,         # OUT (s, d, d) lower triangles
    double[::1] log_dets,              # OUT (s,) of their covariances
):
    """The distributions of sets of rows."""
    cdef Py_ssize_t k, d = X.shape[1], ld = padded(d)
    cdef double *work = <double *>malloc((d + 4) * ld * sizeof(double))
    if work == NULL:
        raise MemoryError
    with nogil:
        for k in range(supports.shape[0]):
            log_dets[k] = fit(&X[0, 0], d, &supports[k, 0], supports.shape[1], &centers[k, 0],
                              &factors[k, 0, 0], work)
        free(work)


def concentrate(
    const double[:, ::1] X,            # IN (n, d)
    Py_ssize_t n_steps,
    double[:, ::1] centers,            # IN and OUT (s, d)
    double[:, :, ::1] factors,         # IN and OUT (s, d, d)
    double[::1] log_dets,              # OUT (s,)
    Py_ssize_t[:, ::1] supports,       # OUT (s, h) the rows, ascending
):
    """Steps from each of s distributions; fewer where the rows stay the same."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], h = supports.shape[1], k, step
    cdef double *work = <double *>malloc(
        (2 * n + max(LANES * d, (d + 4) * padded(d))) * sizeof(double))
    cdef Py_ssize_t *rows = <Py_ssize_t *>malloc(h * sizeof(Py_ssize_t))
    cdef bint moved
    if work == NULL or rows == NULL:
        free(work)
        free(rows)
        raise MemoryError
    with nogil:
        for k in range(supports.shape[0]):
            for step in range(n_steps):
                kernels.measure(
                    &X[0, 0], n, d, &centers[k, 0], &factors[k, 0, 0], work, work + 2 * n)
                moved = choose_nearest(work, n, h, work + n, &supports[k, 0], rows)
                if step > 0 and not moved:
                    break
                log_dets[k] = fit(&X[0, 0], d, &supports[k, 0], h, &centers[k, 0],
                                  &factors[k, 0, 0], work + 2 * n)
        free(work)
        free(rows)


cdef inline Py_ssize_t padded(Py_ssize_t d) noexcept nogil:
    """Room for a row of sums."""
    return (d + PAD - 1) // PAD * PAD


cdef double fit(
    const double *X, Py_ssize_t d, const Py_ssize_t *rows, Py_ssize_t m, double *center, double *L,
    double *work,
) noexcept nogil:
    """Mean and Cholesky factor of the covariance of rows; returns its log determinant."""
    cdef Py_ssize_t i, j, r, ld = padded(d)
    cdef double *S = work + 4 * ld
    cdef const double *x
    cdef double value, ridge = 0.0, log_det = 0.0
    for j in range(d):
        center[j] = 0.0
    for r in range(m):
        x = X + rows[r] * d
        for j in range(d):
            center[j] += x[j]
    for j in range(d):
        center[j] = center[j] / m
    for i in range(d * ld):
        S[i] = 0.0
    kernels.add(X, d, rows, m, center, work, S, ld)
    for i in range(d):
        for j in range(i + 1):
            L[i * d + j] = S[i * ld + j] / m
        for j in range(i + 1, d):
            L[i * d + j] = 0.0
        ridge += L[i * d + i]
    ridge = RIDGE * ridge / d + MIN_RIDGE
    for i in range(d):
        for j in range(i):
            value = L[i * d + j]
            for r in range(j):
                value -= L[i * d + r] * L[j * d + r]
            L[i * d + j] = value / L[j * d + j]
        value = L[i * d + i] + ridge
        for r in range(i):
            value -= L[i * d + r] * L[i * d + r]
        value = max(value, ridge)      # less by rounding alone
        L[i * d + i] = sqrt(value)
        log_det += log(value)
    return log_det


cdef bint choose_nearest(
    const double *distances, Py_ssize_t n, Py_ssize_t h, double *copy, Py_ssize_t *support,
    Py_ssize_t *before,
) noexcept nogil:
    """The h rows of least distance, ascending; returns whether they are others than before."""
    cdef Py_ssize_t i, place = 0, ties = h
    cdef double last
    cdef bint moved = False
    for i in range(n):
        copy[i] = distances[i]
    for i in range(h):
        before[i] = support[i]
    last = kth(copy, n, h - 1)
    for i in range(n):
        ties -= distances[i] < last
    for i in range(n):
        if distances[i] < last or (distances[i] == last and ties > 0):
            ties -= distances[i] == last
            support[place] = i
            moved |= before[place] != i
            place += 1
    return moved
