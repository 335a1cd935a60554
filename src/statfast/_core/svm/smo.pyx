# SPDX-License-Identifier: BSD-3-Clause
"""Sequential minimal optimization on a matrix that is at hand, in two levels.

R.-E. Fan, P.-H. Chen & C.-J. Lin 2005, Working set selection using second order information for
training support vector machines, jmlr.org/papers/v6/fan05a.html (the pair of a step); T. Joachims
1999, Making large-scale SVM learning practical (the working set); Z. Wen, J. Shi, Q. Li, B. He &
J. Chen 2018, ThunderSVM, jmlr.org/papers/v19/17-740.html (half of a set is kept). Minimizes

    b'Kb / 2 + c'b,   low <= b <= high,   the sum of b (of each group) as it is,

with the gradient f = Kb + c kept up to date in double. A working set of q variables, the worst
violators by selection and what is left of the last set, is solved on a float copy of its part of K
that stays in the second cache, of which a row is made when a step first asks for it; then f moves
by the rows of what has changed. Rows of K itself may be made when a working set wants them.
Deviations: second order within the working set alone, and that on floats. The loops are C
(svm/smo_level.h).

Cost: a step 6 q flop; a working set q loads for each row it asks for, and 2 m flop for each
variable it has changed. The caller guarantees finite numbers, a budget that lets Ctrl-C be heard
between calls, and sets that hold a pair of each group: q is 2, or 4 with two groups, or all of m.
"""

import numpy as np

from libc.stdint cimport int32_t

from statfast._core.tile.tiles cimport level

cdef extern from "svm/smo_table.h" nogil:
    enum:
        SMO_ROW_MULTIPLE
    ctypedef struct smo_task:
        const float *K
        Py_ssize_t ld
        Py_ssize_t m
        const int32_t *slot
        int32_t *wanted
        Py_ssize_t missing
        const double *low
        const double *high
        const int32_t *group
        int groups
        double tol
        double share
        Py_ssize_t q
        Py_ssize_t most
        Py_ssize_t limit
        double *b
        double *f
        int32_t *recent
        char *work
        double gap
        Py_ssize_t steps
        Py_ssize_t sets
    ctypedef struct smo_kernels:
        int (*descend)(smo_task *, double) noexcept nogil
        void (*add)(
            const float *rows, Py_ssize_t ld, const int32_t *which, const double *w, Py_ssize_t k,
            Py_ssize_t first, Py_ssize_t stop, double *f
        ) noexcept nogil
    const smo_kernels *smo_at(int level)
    Py_ssize_t smo_space(Py_ssize_t m, Py_ssize_t q)

cdef const smo_kernels *kernels = smo_at(level())

ROW_MULTIPLE = SMO_ROW_MULTIPLE


def work_space(Py_ssize_t m, Py_ssize_t q):
    """What `descend` needs for m variables and working sets of q."""
    return np.empty(smo_space(m, q), np.uint8)


cdef class Variables:
    """The variables of a problem, their bounds and their sums, as one argument. Keeps their arrays
    alive."""

    cdef smo_task task
    cdef const double[::1] low, high
    cdef const int32_t[::1] group
    cdef double[::1] b, f

    def __cinit__(
        self,
        const double[::1] low,      # IN (m,)
        const double[::1] high,     # IN (m,)
        const int32_t[::1] group,   # IN (m,) 0, or 0 and 1
        int groups,
        double[::1] b,              # INOUT (m,)
        double[::1] f,              # INOUT (m,)
    ):
        self.low, self.high, self.group, self.b, self.f = low, high, group, b, f
        self.task.m = low.shape[0]
        self.task.low, self.task.high = &low[0], &high[0]
        self.task.group, self.task.groups = &group[0], groups
        self.task.b, self.task.f = &b[0], &f[0]


def descend(
    const float[:, ::1] K,          # IN (m, ld) ld a multiple of ROW_MULTIPLE, zero beyond m; or
                                    # some rows of such a matrix, those of `slot`
    Variables variables,
    double tol,
    double share,                   # of the violation that may be left within a working set
    Py_ssize_t most,                # steps on a working set
    Py_ssize_t limit,               # steps in all
    double budget,                  # multiply-adds
    int32_t[::1] recent,            # INOUT (q,) the last working set, filled up with -1
    unsigned char[::1] work,        # of `work_space`
    const int32_t[::1] slot=None,   # IN (m,) the row of each variable, -1 if it is not there
    int32_t[::1] wanted=None,       # OUT (q,) with it: variables whose rows are wanted next
):
    """Lower the violation to `tol`, or as far as the budget lasts, rows are there or anything
    moves; returns it, the numbers of steps and working sets, whether anything moved in the last
    one, and how many rows are wanted."""
    cdef smo_task task = variables.task
    cdef bint moving
    task.K = &K[0, 0]
    task.ld = K.shape[1]
    task.slot = task.wanted = NULL
    if slot is not None:
        task.slot, task.wanted = &slot[0], &wanted[0]
    task.tol = tol
    task.share = share
    task.q = recent.shape[0]
    task.most = most
    task.limit = limit
    task.recent = &recent[0]
    task.work = <char *>&work[0]
    task.gap = 0
    task.steps = task.sets = task.missing = 0
    with nogil:
        moving = kernels.descend(&task, budget)
    return task.gap, task.steps, task.sets, moving, task.missing


def add(
    const float[:, ::1] rows,       # IN (., ld)
    const int32_t[::1] which,       # IN (k,)
    const double[::1] weights,      # IN (k,)
    Py_ssize_t first,
    Py_ssize_t stop,                # at most ld
    double[::1] f,                  # INOUT (ld,) += weights @ rows[which], columns first to stop
):
    """A sum of float rows in double."""
    if which.shape[0] > 0 and stop > first:
        with nogil:
            kernels.add(&rows[0, 0], rows.shape[1], &which[0], &weights[0], which.shape[0], first,
                        stop, &f[0])
