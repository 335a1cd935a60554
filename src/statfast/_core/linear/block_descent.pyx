# SPDX-License-Identifier: BSD-3-Clause
"""Block coordinate descent on a Gram matrix, for the lasso and the elastic net of several tasks.

N. Simon, J. Friedman & T. Hastie 2013, A blockwise descent algorithm for group-penalized multi-
response and multinomial regression, arXiv:1311.6529; G. Obozinski, B. Taskar & M. Jordan 2010,
Joint covariate selection, doi:10.1007/s11222-008-9111-x. With B of a column for each of m columns
of the data, and a row for each task, minimizes

    tr(B G B') / 2 - tr(C B') + l1 sum_j |B_j| + l2 |B|^2 / 2

with the gradient Q = C - B G kept up to date: a visit to a column costs one soft threshold of its
length, and m multiply-adds a task only if it moves. Where far more columns than rows are not zero,
the residuals Y - B Z' are kept up to date in its place, and a visit costs a product with them.

A sweep over all columns alternates with sweeps over those that are not zero, on their own matrix of
products where it is much the smaller; there, every few sweeps tell where they lead (Anderson
extrapolation: Bertrand & Massias 2021, proceedings.mlr.press/v130/bertrand21a.html), which is taken
where the objective is less.

Cost: a sweep over k columns, of which a move, T (k + 2 a m) flop for T tasks, by residuals
2 T n (k + a). The caller guarantees a symmetric G, m >= 1, T >= 1 and budgets small enough that
Ctrl-C is heard between calls.
"""

from libc.math cimport fabs, sqrt
from libc.string cimport memcpy

from statfast._core.tile.tiles cimport level


cdef extern from "linear/block_descent_table.h" nogil:
    ctypedef struct block_descent_state:
        const double *G
        const double *square
        Py_ssize_t ld, m, width, tasks
        const Py_ssize_t *order
        Py_ssize_t k
        double l1, l2, tiny
        double *b
        double *q
        double *step
    ctypedef struct block_descent_kernels:
        double (*sweep)(const block_descent_state *, Py_ssize_t *) noexcept nogil
        void (*move)(const block_descent_state *, const double *) noexcept nogil
        double (*dot)(const double *, const double *, Py_ssize_t) noexcept nogil
        void (*lengths)(const block_descent_state *, double, double *) noexcept nogil
    const block_descent_kernels *block_descent_at(int level)

cdef const block_descent_kernels *table = block_descent_at(level())

cdef enum:
    SWEEPS = 5  # of an extrapolation
    TRAILS = 2 * (SWEEPS + 1)

cdef double RIDGE_OF_DEPENDENCE = 1e-12  # this share of the trace, where sweeps depend on others
cdef double INNER_SHARE_OF_GAP = 0.3     # what the columns that are not zero are to reach

NUMBERS_OF_WORK = TRAILS + 4  # for a column and a task, beside m^2 / 4 + m + T


cdef class Tasks:
    """A problem with what is known of its solution, as one argument. Keeps the arrays alive.

    By products of the columns and the gradient, or, with `square`, by columns and residuals.
    """

    cdef block_descent_state state
    cdef double yy
    cdef const double[:, ::1] G
    cdef const double[:, ::1] c
    cdef const double[::1] square
    cdef double[:, ::1] b, q

    def __cinit__(
        self,
        const double[:, ::1] G,    # IN (>= m, >= m) products, or (m, n) columns
        const double[:, ::1] c,    # IN (T, m) products of columns with targets
        double yy,                 # |Y|^2, for the duality gap
        double l1,
        double l2,
        double[:, ::1] b,          # INOUT (T, m)
        double[:, ::1] q,          # INOUT (T, m) c - b G, or (T, n) residuals
        const double[::1] square=None,  # IN (m,) squared lengths of the columns
    ):
        self.G, self.c, self.yy, self.b, self.q, self.square = G, c, yy, b, q, square
        self.state.G, self.state.ld = &G[0, 0], G.shape[1]
        self.state.square = NULL
        if square is not None:
            self.state.square = &square[0]
        self.state.tasks, self.state.m, self.state.width = b.shape[0], q.shape[1], b.shape[1]
        self.state.k = self.state.width
        self.state.l1, self.state.l2 = l1, l2
        self.state.b, self.state.q = &b[0, 0], &q[0, 0]


def descend(
    Tasks problem,                 # INOUT
    double goal,                   # duality gap to reach
    double small,                  # moves that gain no more, |step|^2 (G_jj + l2), are left out
    Py_ssize_t most,               # sweeps
    double budget,                 # multiplications
    double[::1] work,              # (m^2 / 4 + m (1 + NUMBERS_OF_WORK T) + T,), n beside m
    Py_ssize_t[::1] index,         # (3 m,)
):
    """Sweep until the gap is reached or nothing moves, or the budget or `most` sweeps are spent.
    Returns whether it is done, and the number of sweeps."""
    cdef Py_ssize_t m = problem.state.width, tasks = problem.state.tasks, k, i, j, t
    cdef Py_ssize_t size = tasks * (m + problem.state.m)  # of coefficients and gradient
    cdef Py_ssize_t done = 0, moved, held = -1
    cdef Py_ssize_t *every = &index[0]
    cdef Py_ssize_t *now = &index[m]
    cdef Py_ssize_t *last = &index[2 * m]
    cdef block_descent_state whole = problem.state, part = problem.state
    cdef double *room = &work[tasks]
    cdef double *lengths = room + 3 * m * tasks
    cdef double *trail = lengths + m
    cdef double *gathered = trail + TRAILS // 2 * size
    cdef const double *c = &problem.c[0, 0]
    cdef const double *part_c
    cdef double gain, spent = 0
    cdef bint restricted, ended = False
    whole.order, whole.tiny, whole.step = every, small, &work[0]
    with nogil:
        for i in range(m):
            every[i] = i
        while True:
            moved = 0
            gain = table.sweep(&whole, &moved)
            done += 1
            spent += cost_of(&whole, moved)
            if gain <= small or gap_of(&whole, c, problem.yy, lengths) <= goal:
                ended = True
                break
            if done >= most or spent > budget:
                break
            k = columns_in(&whole, now)
            restricted = 2 * k <= m and whole.square == NULL
            part = whole
            part_c = c
            if restricted:
                part.G, part.ld, part.m, part.width, part.order = gathered, k, k, k, every
                part.b, part.q, part_c = room, room + tasks * k, room + 2 * tasks * k
                if k != held or differ(now, last, k):
                    gather(&whole, now, k, gathered)
                    spent += 8.0 * k * k
                    held = k
                    for i in range(k):
                        last[i] = now[i]
                for t in range(tasks):
                    for i in range(k):
                        j = t * m + now[i]
                        part.b[t * k + i], part.q[t * k + i] = whole.b[j], whole.q[j]
                        room[2 * tasks * k + t * k + i] = c[j]
            else:
                part.order = now
            part.k = k
            done += settle(&part, part_c, problem.yy, INNER_SHARE_OF_GAP * goal, most - done,
                           budget, &spent, lengths, trail)
            if restricted:
                for i in range(k):
                    gain = 0
                    for t in range(tasks):
                        j = t * m + now[i]
                        whole.step[t] = part.b[t * k + i] - whole.b[j]
                        gain += fabs(whole.step[t])
                        whole.b[j] = part.b[t * k + i]
                    if gain > 0:
                        table.move(&whole, whole.G + now[i] * whole.ld)
                        spent += <double>tasks * m
            if done >= most or spent > budget:
                break
    return ended, done


cdef Py_ssize_t settle(
    const block_descent_state *s, const double *c, double yy, double goal, Py_ssize_t most,
    double budget, double *spent, double *lengths, double *trail,
) noexcept nogil:
    """Minimize within some columns, with extrapolations; returns the number of sweeps."""
    cdef Py_ssize_t done = 0, turn, moved, size = s.tasks * (s.width + s.m)
    cdef double gain
    while done < most and spent[0] <= budget:
        keep(s, trail)
        for turn in range(1, SWEEPS + 1):
            moved = 0
            gain = table.sweep(s, &moved)
            done += 1
            spent[0] += cost_of(s, moved)
            # By residuals, the gap costs about as much as a sweep.
            if gain <= s.tiny or (s.square == NULL and gap_of(s, c, yy, lengths) <= goal):
                return done
            keep(s, trail + turn * size)
        extrapolate(s, c, trail)
        spent[0] += 20.0 * size + cost_of(s, 0)
        if gap_of(s, c, yy, lengths) <= goal:
            break
    return done


cdef inline double cost_of(const block_descent_state *s, Py_ssize_t moved) noexcept nogil:
    """Multiplications of a sweep."""
    cdef double visit = 1 if s.square == NULL else s.m
    return <double>s.tasks * (s.k * visit + <double>moved * s.m)


cdef inline void keep(const block_descent_state *s, double *trail) noexcept nogil:
    cdef Py_ssize_t size = s.tasks * s.width
    memcpy(trail, s.b, size * sizeof(double))
    memcpy(trail + size, s.q, s.tasks * s.m * sizeof(double))


cdef void extrapolate(const block_descent_state *s, const double *c, double *trail) noexcept nogil:
    """Go where the sweeps lead, if the objective is less there: the combination of what they end at
    whose moves add up to the least. The gradient is the same combination, as shares sum to one."""
    cdef double products[SWEEPS][SWEEPS]
    cdef double shares[SWEEPS]
    cdef Py_ssize_t in_b = s.tasks * s.width, in_q = s.tasks * s.m, size = in_b + in_q, i, j, e
    cdef double trace = 0, total = 0, factor, before
    cdef double *ends
    for i in range(SWEEPS):  # Each move takes the place of where it began.
        ends = trail + i * size
        for e in range(size):
            ends[e] = ends[e + size] - ends[e]
    for i in range(SWEEPS):
        for j in range(i + 1):
            products[i][j] = table.dot(trail + i * size, trail + j * size, in_b)
            products[j][i] = products[i][j]
        trace += products[i][i]
        shares[i] = 1
    if not trace > 0:
        return
    for i in range(SWEEPS):
        products[i][i] += RIDGE_OF_DEPENDENCE * trace
    for i in range(SWEEPS):  # Elimination: the matrix is positive definite.
        for j in range(i + 1, SWEEPS):
            factor = products[j][i] / products[i][i]
            for e in range(i, SWEEPS):
                products[j][e] -= factor * products[i][e]
            shares[j] -= factor * shares[i]
    for i in range(SWEEPS - 1, -1, -1):
        for j in range(i + 1, SWEEPS):
            shares[i] -= products[i][j] * shares[j]
        shares[i] /= products[i][i]
        total += shares[i]
    if not 0 < fabs(total) <= 1e300:
        return
    before = objective_of(s, c)
    # Where they lead is the last end, less each move by the shares of the ends before it.
    factor = 0
    for i in range(1, SWEEPS):
        factor += shares[i - 1] / total
        ends = trail + i * size
        for e in range(in_b):
            s.b[e] -= factor * ends[e]
        for e in range(in_q):
            s.q[e] -= factor * ends[in_b + e]
    if not objective_of(s, c) < before:
        ends = trail + SWEEPS * size
        memcpy(s.b, ends, in_b * sizeof(double))
        memcpy(s.q, ends + in_b, in_q * sizeof(double))


cdef inline Py_ssize_t columns_in(const block_descent_state *s, Py_ssize_t *now) noexcept nogil:
    """The columns that are not zero, in their order; returns how many."""
    cdef Py_ssize_t k = 0, i, t
    for i in range(s.width):
        for t in range(s.tasks):
            if s.b[t * s.width + i] != 0:
                now[k] = i
                k += 1
                break
    return k


cdef inline bint differ(const Py_ssize_t *a, const Py_ssize_t *b, Py_ssize_t k) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(k):
        if a[i] != b[i]:
            return True
    return False


cdef inline void gather(
    const block_descent_state *s, const Py_ssize_t *index, Py_ssize_t k, double *out
) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef const double *row
    for i in range(k):
        row = s.G + index[i] * s.ld
        for j in range(k):
            out[i * k + j] = row[index[j]]


cdef double length_of(const block_descent_state *s) noexcept nogil:
    """The sum of the lengths of the columns of b."""
    cdef double total = 0, square
    cdef Py_ssize_t i, t
    for i in range(s.width):
        square = 0
        for t in range(s.tasks):
            square += s.b[t * s.width + i] * s.b[t * s.width + i]
        total += sqrt(square)
    return total


cdef inline double rest_of(const block_descent_state *s, double yy, double fitted) noexcept nogil:
    """The squares of the residuals."""
    if s.square != NULL:
        return table.dot(s.q, s.q, s.tasks * s.m)
    return yy - fitted - table.dot(s.b, s.q, s.tasks * s.m)


cdef double objective_of(const block_descent_state *s, const double *c) noexcept nogil:
    """The objective, but for a constant."""
    cdef Py_ssize_t size = s.tasks * s.width
    cdef double fitted = 0 if s.square != NULL else table.dot(s.b, c, size)
    return (
        0.5 * (rest_of(s, 0, fitted) + s.l2 * table.dot(s.b, s.b, size)) + s.l1 * length_of(s)
    )


cdef double gap_of(
    const block_descent_state *s, const double *c, double yy, double *lengths
) noexcept nogil:
    """The duality gap, by the formulas of linear/penalized/coordinate_descent.py."""
    cdef Py_ssize_t size = s.tasks * s.width, n = s.width if s.square == NULL else s.k, i
    cdef double l1 = s.l1, l2 = s.l2, top = 0, excess = 0, t
    cdef double fitted = table.dot(s.b, c, size), rr = max(rest_of(s, yy, fitted), 0.0)
    cdef double whole = rr + l2 * table.dot(s.b, s.b, size), shrink, primal, gap
    primal = 0.5 * whole + l1 * length_of(s)
    table.lengths(s, l2, lengths)
    for i in range(n):
        top = max(top, lengths[i])
    top = sqrt(top)
    shrink = l1 / top if top > l1 else 1.0
    gap = primal + 0.5 * shrink * shrink * whole - shrink * (yy - fitted)
    if l2 > 0:
        table.lengths(s, 0, lengths)
        for i in range(n):
            t = sqrt(lengths[i]) - l1
            excess += t * t if t > 0 else 0.0
        gap = min(gap, primal + 0.5 * rr - (yy - fitted) + 0.5 * excess / l2)
    return gap


def gap(Tasks problem, double[::1] lengths):  # (m,)
    """The duality gap of the problem of these columns, by their products."""
    return gap_of(&problem.state, &problem.c[0, 0], problem.yy, &lengths[0])
