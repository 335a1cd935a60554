# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Coordinate descent on the dual of a linear support vector machine, and what its other solvers
need: sums over sparse rows, and the arithmetic of an interior point.

C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi & S. Sundararajan 2008, A dual coordinate descent
method for large-scale linear SVM, doi:10.1145/1390156.1390208. Minimizes over beta, one number a
row, with v = X'beta kept up to date,

    v'v / 2 + sum soft beta^2 / 2 - target'beta + epsilon |beta|_1,    low <= beta <= high

(for classes low or high is 0, the target 1 or -1 and epsilon 0; beta is then y alpha). Coordinates
come in a random order, and those at a bound or at 0 whose gradient keeps them there by more than
`slack` leave the order. Deviations: one threshold for both signs; the order is packed as it is
walked, so that what has left takes no time.

Cost: two operations a number of each row visited, four if its coordinate moves; for the matrix of
products, half the square of a row's nonzeros. The interior point (svm/linear/interior_point.py)
takes up to four divisions a hinge in each of a step's four stages. The caller guarantees numbers
below n in the order, sorted columns without duplicates, and calls short enough for Ctrl-C.
"""

from cython.view cimport contiguous
from libc.stdint cimport int32_t, uint64_t

from statfast._core.svm.order cimport shuffled
from statfast._core.tile.rows cimport stride_of
from statfast._core.tile.tiles cimport level


cdef extern from "svm/dual_descent_table.h" nogil:
    ctypedef struct dual_job:
        const void *x
        Py_ssize_t ldx, d
        const Py_ssize_t *start
        const int32_t *column
        const double *value
        double one
        double *state
        double epsilon, slack
        double *v
        int32_t *order
        Py_ssize_t begin, end, kept
        double most, least, sum
    ctypedef struct dual_descent_kernels:
        void (*f64)(dual_job *) noexcept nogil
        void (*f32)(dual_job *) noexcept nogil
    const dual_descent_kernels *dual_descent_at(int level)

cdef extern from "svm/dual_sparse.h" nogil:
    void dual_sparse(dual_job *) noexcept nogil

cdef extern from "svm/hinges.h" nogil:
    enum: LOOKS, PREDICTS, AIMS, CORRECTS
    ctypedef struct hinge_job:
        int stage
        Py_ssize_t sides, begin, end
        double *state
        Py_ssize_t ld
        double epsilon, number
        double *sums
        const double *z
        Py_ssize_t ldz, q
        const double *v
        double *g
        double *h
    void hinges_of_rows(const hinge_job *) noexcept nogil

cdef extern from "svm/hinge_step.h" nogil:
    double step_of_few(
        hinge_job *job, double total, double *h, double *vectors, const double *limits,
        double *room,
    ) noexcept nogil

cdef const dual_descent_kernels *table = dual_descent_at(level())


def shuffle(
    int32_t[::1] order,             # INOUT
    Py_ssize_t count,               # of them, at the front
    uint64_t seed,                  # not 0
):
    """Put them into a random order."""
    if count > 1:
        with nogil:
            shuffled(&order[0], count, seed)


cdef class RowsView:
    """The rows of a dual, of one of three kinds, as one argument. Keeps their arrays alive."""

    cdef dual_job job
    cdef tuple arrays
    cdef void (*visit)(dual_job *) noexcept nogil

    def __cinit__(
        self,
        const double[:, ::contiguous] X,  # IN (n, d) or None
        const float[:, ::contiguous] X_single,  # IN (n, d) or None
        const Py_ssize_t[::1] start,    # IN (n + 1,) or None
        const int32_t[::1] column,      # IN (nonzeros,) or None
        const double[::1] value,        # IN or None
    ):
        self.arrays = X, X_single, start, column, value
        if X is not None:
            self.job.x, self.job.ldx, self.visit = &X[0, 0], stride_of(X), table.f64
        elif X_single is not None:
            self.job.x, self.job.ldx, self.visit = &X_single[0, 0], stride_of(X_single), table.f32
        else:
            self.visit = dual_sparse
            self.job.start = &start[0]
            self.job.column = &column[0] if column.shape[0] else NULL
            self.job.value = &value[0] if value.shape[0] else NULL


def sweep(
    RowsView rows,
    double one,                     # the square of the constant column; 0 without one
    double[:, ::1] state,           # INOUT (n, 8) target; 1 over |x|^2 + one + soft, or 0; soft,
                                    #    low, high, and what moves, beta; a cache line, at best
    double epsilon,
    double slack,
    double[::1] v,                  # INOUT (1 + d,) one sum beta, then X'beta
    int32_t[::1] order,             # INOUT coordinates to visit
    Py_ssize_t begin,               # from here
    Py_ssize_t end,                 # to there
    Py_ssize_t kept,                # packed so far
    double[::1] seen,               # INOUT (3,) largest, least projected gradient; sum of sizes
):
    """Visit coordinates once; returns how many are packed."""
    cdef dual_job job = rows.job
    job.one, job.epsilon, job.slack, job.state = one, epsilon, slack, &state[0, 0]
    job.v, job.order, job.d = &v[0], &order[0], v.shape[0] - 1
    job.begin, job.end, job.kept = begin, end, kept
    job.most, job.least, job.sum = seen[0], seen[1], seen[2]
    with nogil:
        rows.visit(&job)
    seen[0], seen[1], seen[2] = job.most, job.least, job.sum
    return job.kept


# ------------------------------------------------------------------ sums over sparse rows


def pack(
    const double[:, :] X,           # IN (n, d) or None
    const float[:, :] X_single,     # IN (n, d) or None: one of the two
    Py_ssize_t[::1] count,          # OUT (n,) numbers of a row that are not 0
    int32_t[::1] column,            # OUT (sum of count,) their columns, or None: they are counted
    double[::1] value,              # OUT and they themselves
):
    """Make dense rows sparse."""
    cdef Py_ssize_t d = X.shape[1] if X is not None else X_single.shape[1]
    cdef Py_ssize_t i, j, k = 0, before, down, across
    cdef Py_ssize_t room = 0 if column is None else column.shape[0]
    cdef bint single = X is None
    cdef double x
    cdef const char *row
    if single:
        row, down, across = <const char *>&X_single[0, 0], X_single.strides[0], X_single.strides[1]
    else:
        row, down, across = <const char *>&X[0, 0], X.strides[0], X.strides[1]
    with nogil:
        for i in range(count.shape[0]):
            before = k
            for j in range(d):
                x = (<const float *>(row + j * across))[0] if single else (
                    <const double *>(row + j * across))[0]
                if k < room:  # if not they are counted, or the rest is zeros
                    column[k] = <int32_t>j
                    value[k] = x
                k += x != 0
            count[i] = k - before
            row += down


def sparse_pass(
    const Py_ssize_t[::1] begin,    # IN (n,) where the entries of a row begin,
    const Py_ssize_t[::1] end,      # IN (n,) and end
    const int32_t[::1] column,      # IN (nonzeros of all rows, these and others,)
    const double[::1] value,        # IN
    bint intercept,                 # a column of ones comes before those of X: z = (1, x)
    const double[::1] v,            # IN (q,) or None
    const double[::1] s,            # IN (n,) or None
    const double[::1] w,            # IN (n,) or None
    double[:, ::1] h,               # INOUT (q, q) or None
    double[::1] g,                  # INOUT (q,) or None
    double[::1] out,                # OUT (n,) or None
):
    """What is asked for of out = z'v; g += z's, or z'w(z'v) where there is no s (rows of weight 0
    take no time); and the lower triangle of h += z'wz."""
    cdef Py_ssize_t i, k, j, first, last
    cdef double f = 0, two, three, four, part
    cdef double *line
    cdef double *to = NULL if g is None else &g[0] + intercept
    cdef const double *u = NULL
    cdef const int32_t *at = &column[0] if column.shape[0] else NULL
    cdef const double *number = &value[0] if value.shape[0] else NULL
    if v is not None:
        u = &v[0] + intercept
    with nogil:
        for i in range(begin.shape[0]):
            first, last = begin[i], end[i]
            if v is not None:
                if out is None and w[i] == 0:
                    continue
                f = v[0] if intercept else 0
                two = three = four = 0  # sums that do not wait for each other
                k = first
                while k + 4 <= last:
                    f += number[k] * u[at[k]]
                    two += number[k + 1] * u[at[k + 1]]
                    three += number[k + 2] * u[at[k + 2]]
                    four += number[k + 3] * u[at[k + 3]]
                    k += 4
                while k < last:
                    f += number[k] * u[at[k]]
                    k += 1
                f = (f + two) + (three + four)
                if out is not None:
                    out[i] = f
            if g is None:
                continue
            part = s[i] if s is not None else w[i] * f
            if part != 0:
                if intercept:
                    g[0] += part
                for k in range(first, last):
                    to[at[k]] += part * number[k]
            if h is None or w[i] == 0:
                continue
            if intercept:
                h[0, 0] += w[i]
            for k in range(first, last):
                part = w[i] * number[k]
                line = &h[intercept + at[k], 0]
                if intercept:
                    line[0] += part
                    line += 1
                for j in range(first, k + 1):
                    line[at[j]] += part * number[j]


# ------------------------------------------------------------------ the path of an interior point

LOOK, PREDICT, AIM, CORRECT = LOOKS, PREDICTS, AIMS, CORRECTS


def hinges(
    int stage,                      # of a step, one of the four
    double[:, ::1] state,           # INOUT (ALL + SIDE * sides, n)
    Py_ssize_t begin,               # rows from here
    Py_ssize_t end,                 # to there
    Py_ssize_t sides,               # hinges of a row: 1, for classes, or 2
    double epsilon,
    double number,                  # LOOK: how far to go along the last step; the last two: mu
    double[::1] sums,               # INOUT (4,)
    const double[:, ::1] Z=None,    # IN (q, n) columns of few rows, whose products are made here:
    const double[::1] v=None,       # IN (q,) unless None, ALONG = z'v
    double[::1] g=None,             # INOUT (q,) unless None, += z'SCORE
    double[:, ::1] h=None,          # INOUT (q, q) unless None, lower triangle += z'WEIGHT z
):
    """The arithmetic of rows in one stage of a step.

    LOOK: first the step before; then theta of every hinge, and what rows are scaled by for the
    matrix and its right-hand side; sums += losses, a'level, a'r + (c - a)'xi. PREDICT: the step
    towards mu = 0, where ALONG holds the values aimed at; sums += linear and square change of
    a'r + (c - a)'xi; the last becomes the largest of one over the longest step. AIM: what rows are
    scaled by on the corrector's right-hand side. CORRECT: the step, where ALONG holds its values;
    the last of sums as with PREDICT.
    """
    cdef hinge_job job
    fill_job(&job, state, sides, begin, end, epsilon, &sums[0])
    job.stage, job.number = stage, number
    if Z is not None and Z.shape[0]:
        job.z, job.ldz, job.q = &Z[0, 0], Z.shape[1], Z.shape[0]
        if v is not None:
            job.v = &v[0]
        if g is not None:
            job.g = &g[0]
        if h is not None:
            job.h = &h[0, 0]
    with nogil:
        hinges_of_rows(&job)


def path_step(
    double[:, ::1] state,           # INOUT (ALL + SIDE * sides, n), after LOOK
    Py_ssize_t end,                 # rows, from the first
    Py_ssize_t sides,
    double epsilon,
    double total,                   # the last sum of LOOK
    const double[:, ::1] Z,         # IN (q, n) as in `hinges`
    double[:, ::1] h,               # INOUT (q, q) lower triangle, of LOOK
    double[:, ::1] vectors,         # INOUT (4, q) g of LOOK, the ridge that is added to h, lag, v
    double[::1] sums,               # OUT (4,) of LOOK
    const double[::1] limits,       # IN (3,) least pivot, most of the diagonal, share of a step
    double[:, ::1] room,            # OUT (q + 3, q)
):
    """A step of few rows, with LOOK at its end. Returns how far it goes; -1, and no step is made,
    where h is beyond the limits."""
    cdef double t
    cdef hinge_job job
    fill_job(&job, state, sides, 0, end, epsilon, &sums[0])
    job.z, job.ldz, job.q = &Z[0, 0], Z.shape[1], Z.shape[0]
    with nogil:
        t = step_of_few(&job, total, &h[0, 0], &vectors[0, 0], &limits[0], &room[0, 0])
    return t


cdef inline void fill_job(
    hinge_job *job, double[:, ::1] state, Py_ssize_t sides, Py_ssize_t begin, Py_ssize_t end,
    double epsilon, double *sums,
) noexcept:
    job.sides, job.begin, job.end = sides, begin, end
    job.state, job.ld, job.sums, job.epsilon = &state[0, 0], state.shape[1], sums, epsilon
    job.z, job.v, job.g, job.h, job.ldz, job.q = NULL, NULL, NULL, NULL, 0, 0
