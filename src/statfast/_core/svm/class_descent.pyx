# SPDX-License-Identifier: BSD-3-Clause
"""Dual coordinate descent on a linear machine of all classes together, a row at a time.

S. S. Keerthi, S. Sundararajan, K.-W. Chang, C.-J. Hsieh & C.-J. Lin 2008, A sequential dual method
for large scale multi-class linear SVMs, doi:10.1145/1401890.1401942. Minimizes over alpha, a number
for each row and class, with v = X'alpha kept up to date,

    sum v^2 / 2 + sum of alpha over the classes that are not the row's,
    alpha <= cost for the row's class, alpha <= 0 for others, and sum alpha = 0 of each row.

With the multipliers of other rows held, those of a row are an answer in closed form: the heights
D = upper - old + gradient / square (the room below an upper bound at the new multipliers before
they are made to sum to 0) are lowered by the same number, or to 0, to sum to the cost. That number
is found in a few passes over the classes without sorting them (C. Michelot 1986,
doi:10.1007/BF00938486). Deviations: that, and that a row whose multipliers are a corner, held there
by more than `slack`, leaves the order with all of its classes, whereas there each class leaves by
itself.

Cost: 2 K operations a number of each row visited, as many again if it moves all classes, K classes
in lanes of eight. The caller guarantees numbers below n in the order, codes below K, columns below
d, positive squares of the rows in the order, and calls short enough for Ctrl-C.
"""

from cython.view cimport contiguous
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint64_t

from statfast._core.svm.order cimport shuffled
from statfast._core.tile.tiles cimport level


cdef extern from "svm/class_descent_table.h" nogil:
    ctypedef struct class_descent_kernels:
        void (*multiply)(
            const double *, const int32_t *, Py_ssize_t, const double *, Py_ssize_t, double *
        ) noexcept nogil
        void (*move)(
            const double *, const int32_t *, Py_ssize_t, double *, Py_ssize_t, const double *
        ) noexcept nogil
    const class_descent_kernels *class_descent_at(int level)

cdef const class_descent_kernels *table = class_descent_at(level())

cdef double VIOLATION_ROUNDING = 1e-12  # violations below are rounding


def sweep(
    const double[:, ::contiguous] X,  # IN (n, d) or None
    const float[:, ::contiguous] X_single,  # IN (n, d) or None
    const Py_ssize_t[::1] start,    # IN (n + 1,) or None
    const int32_t[::1] column,      # IN (nonzeros,) or None
    const double[::1] value,        # IN or None: rows of one of three kinds
    double one,                     # the square of the constant column; 0 without one
    const int32_t[::1] code,        # IN (n,) the class of each row
    const double[::1] cost,         # IN (n,) positive
    const double[::1] square,       # IN (n,) |x|^2 + one
    double[:, ::1] alpha,           # INOUT (n, K)
    double[:, ::1] v,               # INOUT (1 + d, K rounded up to lanes) one sum alpha, X'alpha
    double[:, ::1] room,            # OUT (4, K rounded up to lanes) for the classes of a row
    double[::1] line,               # OUT (d,) for a row of single precision
    int32_t[::1] order,             # INOUT rows to visit
    Py_ssize_t begin,               # from here
    Py_ssize_t end,                 # to there
    Py_ssize_t kept,                # packed so far
    double slack,
    double[::1] seen,               # INOUT (1,) largest violation
):
    """Visit rows once; returns how many are packed."""
    return visited(
        X, X_single, start, column, value, one, code, cost, square, alpha, v, room, line, order,
        begin, end, kept, slack, &seen[0],
    )


def sweeps(
    const double[:, ::contiguous] X,  # as above, to the order
    const float[:, ::contiguous] X_single,
    const Py_ssize_t[::1] start,
    const int32_t[::1] column,
    const double[::1] value,
    double one,
    const int32_t[::1] code,
    const double[::1] cost,
    const double[::1] square,
    double[:, ::1] alpha,
    double[:, ::1] v,
    double[:, ::1] room,
    double[::1] line,
    int32_t[::1] order,             # INOUT rows to visit
    Py_ssize_t count,               # of them, at the front
    uint64_t seed,                  # not 0
    double enough,
    Py_ssize_t most,                # sweeps, one at least
    double[::1] seen,               # OUT (1,) largest violation of the last sweep
):
    """Visit rows in random orders, those at a corner no more, until no violation is larger than is
    enough; returns how many are packed, and the number of sweeps."""
    cdef Py_ssize_t done = 0
    while done < most:
        done += 1
        if count > 1:
            seed = shuffled(&order[0], count, seed)
        seen[0] = 0
        count = visited(
            X, X_single, start, column, value, one, code, cost, square, alpha, v, room, line,
            order, 0, count, 0, 0.0, &seen[0],
        )
        if seen[0] <= enough:
            break
    return count, done


cdef Py_ssize_t visited(
    const double[:, ::contiguous] X, const float[:, ::contiguous] X_single,
    const Py_ssize_t[::1] start, const int32_t[::1] column, const double[::1] value, double one,
    const int32_t[::1] code, const double[::1] cost, const double[::1] square,
    double[:, ::1] alpha, double[:, ::1] v, double[:, ::1] room, double[::1] line,
    int32_t[::1] order, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t kept, double slack,
    double *seen,
) except -1:
    cdef Py_ssize_t n_classes = alpha.shape[1], lanes = v.shape[1], d = v.shape[0] - 1
    cdef Py_ssize_t s, i, j, k, m, first, length, own, n_moved
    cdef double *gradient = &room[0, 0]
    cdef double *height = &room[1, 0]
    cdef double *step = &room[2, 0]
    cdef double *moved = &room[3, 0]
    cdef double *a
    cdef double *weights = &v[0, 0]
    cdef double *to
    cdef const double *x = NULL
    cdef const int32_t *at = NULL
    cdef bint sparse = start is not None
    cdef double top, low, second, violation, now, upper, part, share
    cdef int n_free
    with nogil:
        for s in range(begin, end):
            i = order[s]
            own = code[i]
            a = &alpha[i, 0]
            if sparse:
                first = start[i]
                length = start[i + 1] - first
                if length:
                    at, x = &column[first], &value[first]
            else:
                length = d
                if X is not None:
                    x = &X[i, 0]
                else:
                    x = &line[0]
                    for j in range(d):
                        line[j] = X_single[i, j]
            table.multiply(x, at, length, weights, lanes, gradient)
            # Any multiplier may fall; those below their upper bounds may rise.
            top, second, low, n_free = -INFINITY, -INFINITY, INFINITY, 0
            for k in range(n_classes):
                if k != own:
                    gradient[k] += 1
                if gradient[k] > top:
                    second, top = top, gradient[k]
                elif gradient[k] > second:
                    second = gradient[k]
                if a[k] < (cost[i] if k == own else 0):
                    n_free += 1
                    low = min(low, gradient[k])
            violation = max(top - low, 0.0)
            if n_free == 1 and low == top and top - second > slack:
                continue
            order[kept] = <int32_t>i
            kept += 1
            seen[0] = max(seen[0], violation)
            if violation <= VIOLATION_ROUNDING:
                continue
            top, share = -INFINITY, 1 / square[i]
            for k in range(n_classes):
                upper = cost[i] if k == own else 0
                height[k] = gradient[k] * share + (upper - a[k])
                top = max(top, height[k])
            low = lowered(height, n_classes, top, cost[i])
            n_moved = 0
            for k in range(n_classes):
                upper = cost[i] if k == own else 0
                now = upper - max(height[k] - low, 0.0)
                step[k] = now - a[k]
                a[k] = now
                if step[k] != 0:
                    moved[n_moved] = k
                    n_moved += 1
            # The constant column holds its root, and its coefficients are the intercepts.
            for k in range(n_classes):
                weights[k] += one * step[k]
            if n_moved * 8 <= lanes:
                for m in range(n_moved):
                    k = <Py_ssize_t>moved[m]
                    part = step[k]
                    to = weights + lanes + k
                    for j in range(length):
                        to[(at[j] if sparse else j) * lanes] += part * x[j]
            else:
                table.move(x, at, length, weights, lanes, step)
    return kept


cdef inline double lowered(
    const double *height, Py_ssize_t n_classes, double top, double total
) noexcept nogil:
    """By what number to lower heights, or to 0, for them to sum to the total."""
    cdef double low = top - total, sum
    cdef Py_ssize_t k, count, before = 0
    while True:
        sum, count = 0, 0
        for k in range(n_classes):
            if height[k] > low:
                sum += height[k] - top
                count += 1
        if count == 0 or count == before:
            return low
        low, before = top + (sum - total) / count, count
