# SPDX-License-Identifier: BSD-3-Clause
"""Cyclic coordinate descent on a Gram matrix, for the lasso and the elastic net.

J. Friedman, T. Hastie & R. Tibshirani 2010, Regularization paths for generalized linear models via
coordinate descent, doi:10.18637/jss.v033.i01 (covariance updates). Minimises

    b'Gb / 2 - c'b + l1 |b|_1 + l2 |b|^2 / 2

over the working set, with the gradient q = c - G b kept up to date: a visit to a coordinate costs
one soft threshold, and m multiply-adds only if it moves.

Cost: a sweep over k coordinates, of which a move, k + 2 a m flop. The caller guarantees a symmetric
G and asks for few enough sweeps (m k flop each) that Ctrl-C is heard between calls.
"""

from statfast._core.rows cimport real
from statfast._core.tiles cimport level


cdef extern from "descent_kernels.h" nogil:
    ctypedef struct descent_state:
        const double *G
        Py_ssize_t ld
        Py_ssize_t m
        const Py_ssize_t *order
        Py_ssize_t k
        double l1
        double l2
        bint positive
        double *b
        double *q
    ctypedef struct descent_kernels:
        double (*sweep)(const descent_state *, Py_ssize_t *) noexcept nogil
        void (*move)(const double *, double, Py_ssize_t, double *) noexcept nogil
    const descent_kernels *descent_at(int level)


STILL, STABLE, MOVING = range(3)


def sweeps(
    const double[:, ::1] G,        # IN (>= m, >= m)
    const Py_ssize_t[::1] order,   # IN (k,) coordinates to visit, in this order
    Py_ssize_t m,                  # coordinates whose gradient is kept
    double l1,
    double l2,
    bint positive,                 # no coefficient below zero
    Py_ssize_t most,               # sweeps
    double small,                  # a sweep is still when no move gains more: step^2 (G_jj + l2)
    double[::1] b,                 # INOUT (m,)
    double[::1] q,                 # INOUT (m,) c - G b
):
    """Sweep until nothing moves (STILL), or two sweeps leave all signs as they are (STABLE), or
    `most` times (MOVING); returns which, and the number of sweeps."""
    cdef descent_state state
    cdef const descent_kernels *table = descent_at(level())
    cdef Py_ssize_t _turn, turned, quiet = 0, done = 0
    cdef double gain = 0
    if order.shape[0] == 0:
        return STILL, 0
    state.G = &G[0, 0]
    state.ld = G.shape[1]
    state.m = m
    state.order = &order[0]
    state.k = order.shape[0]
    state.l1 = l1
    state.l2 = l2
    state.positive = positive
    state.b = &b[0]
    state.q = &q[0]
    with nogil:
        for _turn in range(most):
            turned = 0
            gain = table.sweep(&state, &turned)
            done += 1
            quiet = 0 if turned else quiet + 1
            if gain <= small or quiet == 2:
                break
    if gain <= small:
        return STILL, done
    return (STABLE if quiet == 2 else MOVING), done


def shift(
    const double[:, ::1] G,          # IN (>= m, >= m)
    const Py_ssize_t[::1] index,     # IN (k,)
    const double[::1] step,          # IN (k,)
    Py_ssize_t m,
    double[::1] q,                   # INOUT (m,) -= G[:, index] step
):
    """The gradient after several coefficients have moved."""
    cdef const descent_kernels *table = descent_at(level())
    cdef Py_ssize_t i
    with nogil:
        for i in range(index.shape[0]):
            if step[i] != 0:
                table.move(&G[index[i], 0], step[i], m, &q[0])


def gather(
    const double[:, ::1] G,          # IN (>= m, >= m) symmetric
    const Py_ssize_t[::1] index,     # IN (k,) ascending
    double scale,
    real[:, ::1] out,                # OUT (k, k) scale G[index, index]
):
    """The products of some columns, for coordinate descent or a factorisation."""
    cdef Py_ssize_t i, j, k = index.shape[0]
    cdef const double *row
    with nogil:
        for i in range(k):
            row = &G[index[i], 0]
            for j in range(k):
                out[i, j] = <real>(scale * row[index[j]])
