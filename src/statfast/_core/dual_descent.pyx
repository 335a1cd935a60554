# SPDX-License-Identifier: BSD-3-Clause
"""Coordinate descent on the dual of a linear support vector machine; sums over its sparse rows.

C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi & S. Sundararajan 2008, A dual coordinate descent
method for large-scale linear SVM, doi:10.1145/1390156.1390208. Minimises over beta, one number a
row, with v = X'beta kept up to date,

    v'v / 2 + sum soft beta^2 / 2 - target'beta + epsilon |beta|_1,    low <= beta <= high

(for classes low or high is 0, the target 1 or -1 and epsilon 0; beta is then y alpha). Coordinates
come in a random order, and those at a bound or at 0 whose gradient keeps them there by more than
`slack` leave the order. Deviations: one threshold for both signs; the order is packed as it is
walked, so that what has left takes no time.

Cost: two operations a number of each row visited, four if its coordinate moves; for the matrix of
products, half the square of a row's nonzeros. The caller guarantees numbers below n in the order,
sorted columns without duplicates, and calls short enough for Ctrl-C.
"""

from libc.stdint cimport int32_t, uint64_t

from statfast._core.rows cimport stride_of
from statfast._core.tiles cimport level


cdef extern from "dual_descent_kernels.h" nogil:
    ctypedef struct dual_job:
        const void *x
        Py_ssize_t ldx, d
        const Py_ssize_t *start
        const int32_t *column
        const double *value
        double one
        const double *target
        const double *curve
        const double *soft
        const double *low
        const double *high
        double epsilon, slack
        double *beta
        double *v
        int32_t *order
        Py_ssize_t begin, end, kept
        double most, least, sum
    ctypedef struct dual_descent_kernels:
        void (*f64)(dual_job *) noexcept nogil
        void (*f32)(dual_job *) noexcept nogil
        void (*sparse)(dual_job *) noexcept nogil
    const dual_descent_kernels *dual_descent_at(int level)

cdef const dual_descent_kernels *table = dual_descent_at(level())


def shuffle(
    int32_t[::1] order,             # INOUT
    Py_ssize_t count,               # of them, at the front
    uint64_t seed,                  # not 0
):
    """A random order, from G. Marsaglia's xorshift generator (2003, doi:10.18637/jss.v008.i14)."""
    cdef Py_ssize_t i, j
    cdef int32_t kept
    with nogil:
        for i in range(count - 1, 0, -1):
            seed ^= seed << 13
            seed ^= seed >> 7
            seed ^= seed << 17
            j = <Py_ssize_t>(((seed >> 32) * <uint64_t>(i + 1)) >> 32)
            kept = order[i]
            order[i] = order[j]
            order[j] = kept


def sweep(
    const double[:, :] X,           # IN (n, d) or None
    const float[:, :] X_single,     # IN (n, d) or None
    const Py_ssize_t[::1] start,    # IN (n + 1,) or None: one of the three kinds of rows
    const int32_t[::1] column,      # IN (nonzeros,)
    const double[::1] value,        # IN
    double one,                     # the square of the constant column; 0 without one
    const double[:, ::1] terms,     # IN (5, n) target, curve, soft, low, high; the curve is |x|^2 +
                                    #    one + soft
    double epsilon,
    double slack,
    double[::1] beta,               # INOUT (n,)
    double[::1] v,                  # INOUT (1 + d,) one sum beta, then X'beta
    int32_t[::1] order,             # INOUT coordinates to visit
    Py_ssize_t begin,               # from here
    Py_ssize_t end,                 # to there
    Py_ssize_t kept,                # packed so far
    double[::1] seen,               # INOUT (3,) largest, least projected gradient; sum of sizes
):
    """Visit coordinates once; returns how many are packed."""
    cdef dual_job job
    job.target, job.curve, job.soft = &terms[0, 0], &terms[1, 0], &terms[2, 0]
    job.low, job.high = &terms[3, 0], &terms[4, 0]
    job.one, job.epsilon, job.slack = one, epsilon, slack
    job.beta, job.v, job.order, job.d = &beta[0], &v[0], &order[0], v.shape[0] - 1
    job.begin, job.end, job.kept = begin, end, kept
    job.most, job.least, job.sum = seen[0], seen[1], seen[2]
    if X is not None:
        job.x, job.ldx = &X[0, 0], stride_of(X)
        with nogil:
            table.f64(&job)
    elif X_single is not None:
        job.x, job.ldx = &X_single[0, 0], stride_of(X_single)
        with nogil:
            table.f32(&job)
    else:
        job.start = &start[0]
        job.column = &column[0] if column.shape[0] else NULL
        job.value = &value[0] if value.shape[0] else NULL
        with nogil:
            table.sparse(&job)
    seen[0], seen[1], seen[2] = job.most, job.least, job.sum
    return job.kept


# ------------------------------------------------------------------ sums over sparse rows


def sparse_predict(
    const Py_ssize_t[::1] start,    # IN (n + 1,) numbers of entries of all rows, these or others
    const int32_t[::1] column,      # IN (nonzeros of all,)
    const double[::1] value,        # IN
    const double[::1] v,            # IN (1 + d,) or (d,)
    bint intercept,
    double[::1] out,                # OUT (n,)
):
    """f = v0 + x'v of every row."""
    cdef Py_ssize_t i, k
    cdef double total
    with nogil:
        for i in range(out.shape[0]):
            total = v[0] if intercept else 0
            for k in range(start[i], start[i + 1]):
                total += value[k] * v[intercept + column[k]]
            out[i] = total


def sparse_accumulate(
    const Py_ssize_t[::1] start,
    const int32_t[::1] column,
    const double[::1] value,
    bint intercept,                 # a column of ones comes before those of X: z = (1, x)
    const double[::1] s,            # IN (n,)
    const double[::1] w,            # IN (n,)
    double[:, ::1] h,               # INOUT (q, q) lower triangle += z'Wz; or None
    double[::1] g,                  # INOUT (q,) += z's
):
    """The same sums as irls.accumulate, over sparse rows."""
    cdef Py_ssize_t i, k, j, row
    cdef double part
    with nogil:
        for i in range(s.shape[0]):
            if s[i] != 0:
                if intercept:
                    g[0] += s[i]
                for k in range(start[i], start[i + 1]):
                    g[intercept + column[k]] += s[i] * value[k]
            if h is None or w[i] == 0:
                continue
            if intercept:
                h[0, 0] += w[i]
            for k in range(start[i], start[i + 1]):
                part = w[i] * value[k]
                row = intercept + column[k]
                if intercept:
                    h[row, 0] += part
                for j in range(start[i], k + 1):
                    h[row, intercept + column[j]] += part * value[j]
