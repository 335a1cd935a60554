# SPDX-License-Identifier: BSD-3-Clause
"""Coordinate descent on a Gram matrix, for the lasso and the elastic net.

J. Friedman, T. Hastie & R. Tibshirani 2010, Regularization paths for generalized linear models via
coordinate descent, doi:10.18637/jss.v033.i01 (covariance updates). Minimizes

    b'Gb / 2 - c'b + l1 |b|_1 + l2 |b|^2 / 2

with the gradient q = c - G b kept up to date: a visit to a coordinate costs one soft threshold, and
m multiply-adds only if it moves. Sweeps over all coordinates alternate with sweeps over those that
are not zero, on their own matrix where it is much the smaller.

Cost: a sweep over k coordinates, of which a move, k + 2 a m flop. The caller guarantees a symmetric
G and budgets small enough that Ctrl-C is heard between calls.
"""

from libc.math cimport fabs

from statfast._core.linear.newton_steps cimport (
    descent_at, descent_kernels, descent_state, step_to_least,
)
from statfast._core.tile.tiles cimport level


cdef const descent_kernels *table = descent_at(level())

cdef enum:
    IS_DONE = 0
    IS_SLOW = 1
    IS_PAUSED = 2

DONE, SLOW, PAUSED = IS_DONE, IS_SLOW, IS_PAUSED


cdef class Penalized:
    """A problem with what is known of its solution, as one argument. Keeps the arrays alive."""

    cdef descent_state state
    cdef double yy
    cdef const double[:, ::1] G
    cdef const double[::1] c
    cdef double[::1] b, q

    def __cinit__(
        self,
        const double[:, ::1] G,    # IN (>= m, >= m)
        const double[::1] c,       # IN (m,)
        double yy,                 # |y|^2, for the duality gap
        double l1,
        double l2,
        bint positive,             # no coefficient below zero
        double[::1] b,             # INOUT (m,)
        double[::1] q,             # INOUT (m,) c - G b
    ):
        self.G, self.c, self.yy, self.b, self.q = G, c, yy, b, q
        self.state.G, self.state.ld = &G[0, 0], G.shape[1]
        self.state.m = self.state.k = b.shape[0]
        self.state.l1, self.state.l2, self.state.positive = l1, l2, positive
        self.state.b, self.state.q = &b[0], &q[0]


def descend(
    Penalized problem,                # INOUT
    double goal,                   # duality gap to reach
    double tiny,                   # a move that gains no more, step^2 (G_jj + l2), is left out
    double small,                  # a sweep is still when no move gains more
    double least,                  # sweeps over the k that are not zero before SLOW: this many, and
    double newton,                 # those that 2 k m + `newton` k^3 multiplications would allow
    Py_ssize_t since,              # such sweeps that have been made already
    Py_ssize_t most,               # sweeps
    double budget,                 # multiplications
    double[::1] work,              # (m^2 / 4 + 4 m,)
    Py_ssize_t[::1] index,         # (3 m,)
):
    """Sweep until the gap is reached or nothing moves (DONE), sweeps are not the quickest way any
    more (SLOW: also where all moves are tiny), or the budget or `most` sweeps are spent (PAUSED).
    Returns which, the number of sweeps, and `since`."""
    cdef double *b = problem.state.b
    cdef double *q = problem.state.q
    cdef const double *c = &problem.c[0]
    cdef double yy = problem.yy, l1 = problem.state.l1, l2 = problem.state.l2
    cdef bint positive = problem.state.positive
    cdef Py_ssize_t m = problem.state.m, k, i, j, done = 0, turned, moved, quiet, held = -1
    cdef Py_ssize_t *every = &index[0]
    cdef Py_ssize_t *now = &index[m]
    cdef Py_ssize_t *last = &index[2 * m]
    cdef descent_state whole = problem.state, part = problem.state
    cdef double gain, spent = 0, wait
    cdef const double *part_c
    cdef double *kept_c
    cdef bint restricted, slow = False
    cdef int state = -1
    for i in range(m):
        every[i] = i
    whole.order = every
    whole.tiny = part.tiny = tiny
    with nogil:
        while state < 0:
            turned = moved = 0
            gain = table.sweep(&whole, &turned, &moved)
            done += 1
            spent += m + <double>moved * m
            if gap_of(whole.b, whole.q, c, m, yy, l1, l2, positive) <= goal:
                state = IS_DONE
                break
            if gain <= small:  # perhaps because moves were left out
                state = IS_SLOW if tiny > small else IS_DONE
                break
            if done >= most or spent > budget:
                state = IS_PAUSED
                break
            k = 0
            for i in range(m):
                if b[i] != 0:
                    now[k] = i
                    k += 1
            restricted = 2 * k <= m
            wait = least + (2.0 * m + newton * k * k) / (k if restricted else m)
            if restricted:
                # The matrix of those columns, unless it is there already; and their gradient.
                if k != held or differ(now, last, k):
                    gather(whole.G, whole.ld, now, k, &work[4 * m])
                    spent += 8.0 * k * k
                    held = k
                    for i in range(k):
                        last[i] = now[i]
                part.G = &work[4 * m]
                part.ld = part.m = part.k = k
                part.order = every
                part.b = &work[0]
                part.q = &work[m]
                kept_c = &work[2 * m]
                part_c = kept_c
                for i in range(k):
                    j = now[i]
                    part.b[i] = b[j]
                    part.q[i] = q[j]
                    kept_c[i] = c[j]
            else:
                part.G = whole.G
                part.ld = whole.ld
                part.m = m
                part.k = k
                part.order = now
                part.b = whole.b
                part.q = whole.q
                part_c = c
            quiet = 0
            while True:
                turned = moved = 0
                gain = table.sweep(&part, &turned, &moved)
                done += 1
                since += 1
                spent += part.k + <double>moved * part.m
                quiet = 0 if turned else quiet + 1
                if gain <= small or gap_of(
                    part.b, part.q, part_c, part.m, yy, l1, l2, positive
                ) <= goal:
                    break
                if since >= wait or (quiet >= 2 and 2 * since > wait):
                    slow = True
                    break
                if done >= most or spent > budget:
                    break
            if restricted:
                for i in range(k):
                    j = now[i]
                    if part.b[i] != b[j]:
                        table.move(whole.G + j * whole.ld, part.b[i] - b[j], m, whole.q)
                        b[j] = part.b[i]
                        spent += m
            if slow:
                state = IS_SLOW
            elif done >= most or spent > budget:
                state = IS_PAUSED
    return state, done, since


cdef inline bint differ(const Py_ssize_t *a, const Py_ssize_t *b, Py_ssize_t k) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(k):
        if a[i] != b[i]:
            return True
    return False


cdef inline void gather(
    const double *G, Py_ssize_t ld, const Py_ssize_t *index, Py_ssize_t k, double *out
) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef const double *row
    for i in range(k):
        row = G + index[i] * ld
        for j in range(k):
            out[i * k + j] = row[index[j]]


cdef double gap_of(
    const double *b, const double *q, const double *c, Py_ssize_t m, double yy, double l1,
    double l2, bint positive,
) noexcept nogil:
    """The duality gap, by the formulas of linear/penalized/coordinate_descent.py."""
    cdef double fitted = 0, rest = 0, size = 0, ridge = 0, top = 0, excess = 0, t, rr, gap, shrink
    cdef double primal, whole
    cdef Py_ssize_t i
    for i in range(m):
        fitted += b[i] * c[i]
        rest += b[i] * q[i]
        size += fabs(b[i])
        ridge += b[i] * b[i]
        t = q[i] - l2 * b[i]
        t = t if positive else fabs(t)
        top = t if t > top else top
    ridge *= l2
    rr = max(yy - fitted - rest, 0.0)
    whole = rr + ridge
    shrink = l1 / top if top > l1 else 1.0
    primal = 0.5 * whole + l1 * size
    gap = primal + 0.5 * shrink * shrink * whole - shrink * (yy - fitted)
    if l2 > 0:
        for i in range(m):
            t = (q[i] if positive else fabs(q[i])) - l1
            excess += t * t if t > 0 else 0.0
        gap = min(gap, primal + 0.5 * rr - (yy - fitted) + 0.5 * excess / l2)
    return gap


def gap(
    const double[::1] b,           # IN (m,)
    const double[::1] q,           # IN (m,) c - G b
    const double[::1] c,           # IN (m,)
    double yy,
    double l1,
    double l2,
    bint positive,
):
    """The duality gap of the problem of these coordinates."""
    return gap_of(&b[0], &q[0], &c[0], b.shape[0], yy, l1, l2, positive)


def refresh(
    const double[:, ::1] G,          # IN (>= m, >= m)
    const double[::1] c,             # IN (m,)
    const double[::1] b,             # IN (m,)
    double[::1] q,                   # OUT (m,) c - G b
):
    """The gradient, made anew."""
    cdef Py_ssize_t m = b.shape[0], i
    with nogil:
        for i in range(m):
            q[i] = c[i]
        for i in range(m):
            if b[i] != 0:
                table.move(&G[i, 0], b[i], m, &q[0])


def newton(
    const double[:, ::1] G,          # IN (>= m, >= m)
    const Py_ssize_t[::1] order,     # IN (k,) the columns that are not zero
    const double[:, ::1] L,          # IN (>= k, ld) their factor; None: steps down the gradient
    const double[::1] inverse,       # IN
    double l1,
    double l2,
    bint positive,
    double[::1] b,                   # INOUT (m,)
    double[::1] q,                   # INOUT (m,) c - G b
    double[::1] work,                # (4 m,)
):
    """A Newton step on what is not zero, to the least of the objective along it."""
    cdef Py_ssize_t ld = 0 if L is None else L.shape[1]
    cdef const double *factor = &L[0, 0] if ld else NULL
    if order.shape[0] == 0:
        return
    with nogil:
        step_to_least(table, &G[0, 0], G.shape[1], b.shape[0], &order[0], order.shape[0], factor,
                      ld, &inverse[0], l1, l2, positive, &b[0], &q[0], &work[0])
