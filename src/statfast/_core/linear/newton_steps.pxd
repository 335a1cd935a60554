# SPDX-License-Identifier: BSD-3-Clause
"""A Newton step on the coefficients that are not zero: see linear/coordinate_descent.pyx."""

from libc.math cimport INFINITY, fabs

from statfast._core.linear.blocked_cholesky cimport BLOCK_COLUMNS


cdef extern from "linear/coordinate_descent_table.h" nogil:
    ctypedef struct descent_state:
        const double *G
        Py_ssize_t ld
        Py_ssize_t m
        const Py_ssize_t *order
        Py_ssize_t k
        double l1
        double l2
        double tiny
        bint positive
        double *b
        double *q
    ctypedef struct descent_kernels:
        double (*sweep)(const descent_state *, Py_ssize_t *, Py_ssize_t *) noexcept nogil
        void (*move)(const double *, double, Py_ssize_t, double *) noexcept nogil
        void (*solve)(
            const double *L, Py_ssize_t ld, const double *inverse, Py_ssize_t k, double *x
        ) noexcept nogil
    const descent_kernels *descent_at(int level)


cdef inline Py_ssize_t arranged(
    const double *b, Py_ssize_t m, Py_ssize_t held, bint anew, Py_ssize_t *order, Py_ssize_t *mark,
    Py_ssize_t *start,
) noexcept nogil:
    """The columns that are not zero in the order of a factor: those that it had, then new ones.

    From the first block that changes, they are ordered by their coefficients: small ones leave
    first. Returns their number; from row `start` on the factor is to be made.
    """
    cdef Py_ssize_t k = 0, same = held, i, j, t
    for i in range(m):
        mark[i] = 0
    for i in range(held):
        j = order[i]
        if b[j] != 0:
            mark[j] = 1
            order[k] = j
            k += 1
        elif same == held:
            same = i
    for j in range(m):
        if b[j] != 0 and mark[j] == 0:
            order[k] = j
            k += 1
    if anew:
        same = 0
    start[0] = same if same == k else same // BLOCK_COLUMNS * BLOCK_COLUMNS
    for i in range(start[0] + 1, k):
        j = order[i]
        t = i
        while t > start[0] and fabs(b[order[t - 1]]) < fabs(b[j]):
            order[t] = order[t - 1]
            t -= 1
        order[t] = j
    return k


cdef inline void step_to_least(
    const descent_kernels *table, const double *G, Py_ssize_t ldg, Py_ssize_t m,
    const Py_ssize_t *order, Py_ssize_t k, const double *L, Py_ssize_t ld, const double *inverse,
    double l1, double l2, bint positive, double *b, double *q, double *work,
) noexcept nogil:
    """A step, to the least of the objective along it.

    Along it the derivative is t curve - slope until a coefficient passes zero, from where on it is
    2 l1 |step| more.
    """
    cdef Py_ssize_t i, j, first
    cdef double *step = work
    cdef double *change = work + m  # G step
    cdef double *down = work + 2 * m
    cdef double *reach = work + 3 * m  # where a coefficient passes zero
    cdef double slope = 0, curve = 0, part, passed = 0, jump
    for i in range(m):
        change[i] = 0
    for i in range(k):
        j = order[i]
        down[i] = step[i] = q[j] - l2 * b[j] - l1 * ((b[j] > 0) - (b[j] < 0))
    if L != NULL:
        table.solve(L, ld, inverse, k, step)
    for i in range(k):
        slope += down[i] * step[i]
        table.move(G + order[i] * ldg, -step[i], m, change)
    for i in range(k):
        curve += step[i] * (change[order[i]] + l2 * step[i])
    if not (slope > 0 and curve > 0 and slope < INFINITY and curve < INFINITY):
        return
    part = slope / curve
    part = 1 if fabs(part - 1) <= 1e-3 else min(part, <double>1)
    for i in range(k):
        j = order[i]
        reach[i] = INFINITY
        if step[i] < 0 < b[j] or b[j] < 0 < step[i]:
            reach[i] = -b[j] / step[i]
    first = least_of(reach, k)
    if reach[first] < part:
        while first >= 0:
            jump = INFINITY if positive else 2 * l1 * fabs(step[first])
            if reach[first] * curve - slope + passed + jump >= 0:
                break
            passed += jump
            reach[first] = INFINITY
            first = least_of(reach, k)
            first = first if reach[first] < part else -1
        part = (slope - passed) / curve  # if it is reached before the next turn
        if first >= 0 and part >= reach[first]:
            part = reach[first]
        else:
            first = -1
    else:
        first = -1
    for i in range(m):
        q[i] -= part * change[i]
    for i in range(k):
        b[order[i]] += part * step[i]
    if first >= 0:
        b[order[first]] = 0


cdef inline Py_ssize_t least_of(const double *a, Py_ssize_t k) noexcept nogil:
    cdef Py_ssize_t i, best = 0
    for i in range(1, k):
        if a[i] < a[best]:
            best = i
    return best
