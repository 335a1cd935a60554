# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Multinomial logistic sums of a block of rows: deviance, gradient and Hessian from one reading.

The Hessian of K classes has blocks H_ab = sum w p_a (delta_ab - p_b) z z'. Since the p_a sum to 1,
H_aa = -sum of the H_ab over b != a, so the K (K - 1) / 2 pairs a > b are all that is computed, each
a rank update weighted by w p_a p_b (Boehning 1992, Multinomial logistic regression algorithm,
doi:10.1007/BF00048682, has the blocks). Rows are taken as z = (x - shift) scale, which the caller
chooses so that columns far from 0 lose no digits, after a 1 for the intercept.

Cost a row of q numbers: 4 q K flop and K exponentials; with the Hessian q^2 K (K - 1) / 2 more.
Nothing of n x q is written. The caller guarantees rows of contiguous numbers, codes below K, and
sums of the shapes `shapes` gives, and holds a call to as many rows as it can wait for.
"""

from cython.view cimport contiguous
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from statfast._core.tile.rows cimport aligned, stride_of
from statfast._core.tile.tiles cimport level

cdef extern from "linear/multinomial_table.h" nogil:
    enum:
        SHEET_ROUND

    ctypedef struct multinomial_kernels:
        void (*lay_f64)(
            const double *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, int intercept,
            const double *shift, const double *scale, double *z, Py_ssize_t ld
        ) noexcept nogil
        void (*lay_f32)(
            const float *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, int intercept,
            const double *shift, const double *scale, double *z, Py_ssize_t ld
        ) noexcept nogil
        void (*scores)(
            const double *z, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t q, const double *coef,
            Py_ssize_t kp, Py_ssize_t classes, double *t, Py_ssize_t across
        ) noexcept nogil
        void (*posteriors)(
            double *t, Py_ssize_t across, Py_ssize_t classes, const double *own, double *loss
        ) noexcept nogil
        void (*gradient)(
            const double *r, Py_ssize_t across, Py_ssize_t classes, const double *z, Py_ssize_t ld,
            Py_ssize_t n, double *g
        ) noexcept nogil
        void (*outer)(
            const double *w, const double *z, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t q, double *c
        ) noexcept nogil
        Py_ssize_t lanes

    const multinomial_kernels *multinomial_at(int level)

cdef const multinomial_kernels *table = multinomial_at(level())

ctypedef fused floating:
    float
    double

cdef enum:
    SHEET_BYTES = 36864  # of rows z that stay in the first cache while the pairs pass over them


def shapes(Py_ssize_t q, Py_ssize_t classes):
    """Classes, rows and columns to which sums for q columns and so many classes are padded."""
    cdef Py_ssize_t ld = padded(q)
    return padded(classes), ld + (0 if table.lanes >= 4 else 4), ld


cdef Py_ssize_t padded(Py_ssize_t count) noexcept nogil:
    return (count + 7) // 8 * 8


cdef Py_ssize_t sheet_rows(Py_ssize_t ld) noexcept nogil:
    return max(SHEET_ROUND, SHEET_BYTES // (8 * max(ld, 1)) // SHEET_ROUND * SHEET_ROUND)


def sums(
    const floating[:, ::contiguous] X,  # IN (n, d)
    const Py_ssize_t[::1] codes,      # IN (n,) class of each row
    const double[::1] weights,        # IN (n,) or None for ones
    const double[::1] shift,          # IN (d,)
    const double[::1] scale,          # IN (d,)
    bint intercept,
    const double[:, ::1] coef,        # IN (q, kp) one column per class, of rows z
    double[::1] loss,                 # INOUT (1,) += -sum of w log(posterior of the own class)
    double[:, ::1] gradient,          # INOUT (kp, ld) += sum of w (p_k - [own class]) z
    double[:, :, ::1] pairs,          # INOUT (K (K-1)/2, tall, ld) or None, lower triangles:
                                      # += sum of w p_a p_b z z', pairs a > b in order of a, then b
    Py_ssize_t classes,
):
    """Add one block of rows to the sums."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], q = d + intercept, ld = gradient.shape[1]
    cdef Py_ssize_t kp = gradient.shape[0], across = sheet_rows(ld), ldx = 0
    cdef Py_ssize_t first = 0, some, i, k, b, pair
    cdef double total = 0
    cdef const floating *x = NULL
    cdef const double *origin = NULL
    cdef const double *by = NULL
    cdef const double *weight = NULL
    cdef void *block
    cdef double *z
    cdef double *t
    cdef double *own
    cdef double *one
    cdef double *w
    cdef double *share
    cdef double *c
    if n == 0:
        return
    if d > 0:  # else there is an intercept alone
        ldx, x, origin, by = stride_of(X), &X[0, 0], &shift[0], &scale[0]
    if weights is not None:
        weight = &weights[0]
    block = malloc(64 + sizeof(double) * (across * (ld + kp + 5) + SHEET_ROUND))
    if block == NULL:
        raise MemoryError
    with nogil:
        z = <double *>aligned(block)
        t = z + across * ld + SHEET_ROUND
        own = t + across * kp
        one = own + across
        w = one + across
        share = w + across
        c = share + across
        memset(z, 0, sizeof(double) * (across * (ld + kp + 5) + SHEET_ROUND))
        while first < n:
            some = min(across, n - first)
            if some < across:
                memset(z, 0, sizeof(double) * across * ld)
                memset(w, 0, sizeof(double) * across)
            lay(x + first * ldx, ldx, some, d, intercept, origin, by, z, ld)
            table.scores(z, ld, across, q, &coef[0, 0], kp, classes, t, across)
            for i in range(some):
                own[i] = t[codes[first + i] * across + i]
                w[i] = 1 if weight == NULL else weight[first + i]
            table.posteriors(t, across, classes, own, one)
            for i in range(some):
                if w[i] != 0:
                    total += w[i] * one[i]
            if pairs is not None:
                pair = 0
                for k in range(1, classes):
                    for i in range(across):
                        share[i] = w[i] * t[k * across + i]
                    for b in range(k):
                        for i in range(across):
                            c[i] = share[i] * t[b * across + i]
                        table.outer(c, z, ld, some, q, &pairs[pair, 0, 0])
                        pair += 1
            if weight != NULL:
                for k in range(classes):
                    for i in range(across):
                        t[k * across + i] *= w[i]
            for i in range(some):
                t[codes[first + i] * across + i] -= w[i]
            table.gradient(t, across, classes, z, ld, some, &gradient[0, 0])
            first += some
        loss[0] += total
    free(block)


def gram(
    const floating[:, ::contiguous] X,  # IN (n, d)
    const double[::1] weights,        # IN (n,) or None for ones
    const double[::1] shift,          # IN (d,)
    const double[::1] scale,          # IN (d,)
    bint intercept,
    double[:, ::1] out,               # INOUT (tall, ld) lower triangle += sum of w z z'
):
    """Add one block of rows to their weighted products."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], ld = out.shape[1]
    cdef Py_ssize_t across = sheet_rows(ld), ldx = 0, first = 0, some, i
    cdef const floating *x = NULL
    cdef const double *origin = NULL
    cdef const double *by = NULL
    cdef void *block
    cdef double *z
    cdef double *w
    if n == 0:
        return
    if d > 0:  # else there is an intercept alone
        ldx, x, origin, by = stride_of(X), &X[0, 0], &shift[0], &scale[0]
    block = malloc(64 + sizeof(double) * (across * (ld + 1) + SHEET_ROUND))
    if block == NULL:
        raise MemoryError
    with nogil:
        z = <double *>aligned(block)
        w = z + across * ld + SHEET_ROUND
        memset(z, 0, sizeof(double) * (across * ld + SHEET_ROUND))
        for i in range(across):
            w[i] = 1
        while first < n:
            some = min(across, n - first)
            if weights is not None:
                for i in range(some):
                    w[i] = weights[first + i]
            lay(x + first * ldx, ldx, some, d, intercept, origin, by, z, ld)
            table.outer(w, z, ld, some, d + intercept, &out[0, 0])
            first += some
    free(block)


cdef inline void lay(
    const floating *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, bint intercept,
    const double *shift, const double *scale, double *z, Py_ssize_t ld,
) noexcept nogil:
    """The rows of a sheet."""
    if floating is double:
        table.lay_f64(x, ldx, n, d, intercept, shift, scale, z, ld)
    else:
        table.lay_f32(x, ldx, n, d, intercept, shift, scale, z, ld)
