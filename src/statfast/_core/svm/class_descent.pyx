# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Dual coordinate descent on a linear machine of all classes together, a row at a time.

S. S. Keerthi, S. Sundararajan, K.-W. Chang, C.-J. Hsieh & C.-J. Lin 2008, A sequential dual method
for large scale multi-class linear SVMs, doi:10.1145/1401890.1401942. A row has a number for each
class, its room: what its multiplier alpha, the cost of the row for its own class and 0 for others,
is to be lowered by. Minimizes over the rooms, with v = X'alpha kept up to date,

    sum v^2 / 2 - sum of alpha over the classes that are the row's,
    room >= 0, and the rooms of a row sum to its cost.

With the rooms of other rows held, those of a row are an answer in closed form: heights
gradient / square + room are lowered by the same number, or to 0, to sum to the cost. That number is
found in a few passes over the classes without sorting them (C. Michelot 1986,
doi:10.1007/BF00938486). Deviations: that, and that a row with room in one class alone, held there
by more than `slack`, leaves the order with all of its classes, whereas there each class leaves by
itself.

Cost: 2 K operations a number of each row visited, as many again if it moves all classes, K rounded
up to lanes of eight. The caller guarantees numbers below n in the order, codes below K, columns
below d, positive squares of the rows in the order, weights of the constant column that are minus
infinity in the lanes beyond K, and calls short enough for Ctrl-C.
"""

from cython.view cimport contiguous
from libc.stdint cimport int32_t, uint64_t

from statfast._core.svm.order cimport shuffled
from statfast._core.tile.rows cimport stride_of
from statfast._core.tile.tiles cimport level


cdef extern from "svm/class_descent_table.h" nogil:
    ctypedef struct class_job:
        const double *x
        const float *x_single
        Py_ssize_t ldx, d
        const Py_ssize_t *start
        const int32_t *column
        const double *value
        double one
        const int32_t *code
        const double *cost
        const double *square
        double *room
        double *weights
        Py_ssize_t lanes
        double *line
        double *gradient
        int32_t *order
        Py_ssize_t begin, end, kept
        double slack, violation
    ctypedef struct class_descent_kernels:
        void (*visit)(class_job *) noexcept nogil
    const class_descent_kernels *class_descent_at(int level)

cdef const class_descent_kernels *table = class_descent_at(level())


cdef class ClassDual:
    """A dual, its rows of one of three kinds, as one argument. Keeps its arrays alive."""

    cdef class_job job
    cdef tuple arrays

    def __cinit__(
        self,
        const double[:, ::contiguous] X,  # IN (n, d) or None
        const float[:, ::contiguous] X_single,  # IN (n, d) or None
        const Py_ssize_t[::1] start,    # IN (n + 1,) or None
        const int32_t[::1] column,      # IN (nonzeros,) or None
        const double[::1] value,        # IN or None
        double one,                     # the square of the constant column; 0 without one
        const int32_t[::1] code,        # IN (n,) the class of each row
        const double[::1] cost,         # IN (n,) positive
        const double[::1] square,       # IN (n,) |x|^2 + one
        double[:, ::1] room,            # INOUT (n, K rounded up to lanes)
        double[:, ::1] v,               # INOUT (1 + d, lanes) one sum alpha, X'alpha
        double[::1] workspace,          # OUT (d + lanes,)
    ):
        self.arrays = X, X_single, start, column, value, code, cost, square, room, v, workspace
        self.job.d, self.job.lanes = v.shape[0] - 1, v.shape[1]
        if X is not None:
            self.job.x, self.job.ldx = &X[0, 0], stride_of(X)
        elif X_single is not None:
            self.job.x_single, self.job.ldx = &X_single[0, 0], stride_of(X_single)
        else:
            self.job.start = &start[0]
            self.job.column = &column[0] if column.shape[0] else NULL
            self.job.value = &value[0] if value.shape[0] else NULL
        self.job.one, self.job.code, self.job.cost = one, &code[0], &cost[0]
        self.job.square, self.job.room, self.job.weights = &square[0], &room[0, 0], &v[0, 0]
        self.job.gradient = &workspace[0]
        self.job.line = &workspace[0] + v.shape[1]


def sweep(
    ClassDual dual,
    int32_t[::1] order,             # INOUT rows to visit
    Py_ssize_t begin,               # from here
    Py_ssize_t end,                 # to there
    Py_ssize_t kept,                # packed so far
    double slack,
    double violation,               # the largest so far
):
    """Visit rows once; returns how many are packed, and the largest violation."""
    cdef class_job job = dual.job
    job.order, job.begin, job.end, job.kept = &order[0], begin, end, kept
    job.slack, job.violation = slack, violation
    with nogil:
        table.visit(&job)
    return job.kept, job.violation


def sweeps(
    ClassDual dual,
    int32_t[::1] order,             # INOUT rows to visit
    Py_ssize_t count,               # of them, at the front
    uint64_t seed,                  # not 0
    double enough,
    Py_ssize_t most,                # visits after which no sweep begins
):
    """Visit rows in random orders, those with room in one class alone no more, until no violation
    is larger than is enough; returns how many are packed, the largest violation of the last sweep,
    and the number of visits."""
    cdef class_job job = dual.job
    cdef Py_ssize_t n_visits = 0
    job.order, job.slack = &order[0], 0
    with nogil:
        while True:
            n_visits += count
            if count > 1:
                seed = shuffled(job.order, count, seed)
            job.begin, job.end, job.kept, job.violation = 0, count, 0, 0
            table.visit(&job)
            count = job.kept
            if job.violation <= enough or n_visits >= most:
                break
    return count, job.violation, n_visits
