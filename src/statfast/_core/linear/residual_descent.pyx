# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Coordinate descent on sparse columns, with their residuals, for the lasso and the elastic net.

J. Friedman, T. Hastie & R. Tibshirani 2010, Regularization paths for generalized linear models via
coordinate descent, doi:10.18637/jss.v033.i01 (naive updates). Minimizes, with Z = T - 1 shift' in
the metric of a sum over rows,

    |y - Z b|^2 / 2 + l1 |b|_1 + l2 |b|^2 / 2

where T are sparse columns and ``reach`` their products with ones. The residuals are kept as
y - T b in `rest` and what the shifts add to all of them in `offset`, so that centered columns cost
no more than others: y sums to zero where there are shifts, and so do the residuals.

Cost: two multiply-adds a nonzero of each column visited, of which one only if it moves. The caller
guarantees numbers of rows below the length, and calls short enough for Ctrl-C.
"""

from libc.stdint cimport int32_t


cdef class Columns:
    """The columns as one argument. Keeps their arrays alive."""

    cdef const Py_ssize_t[::1] start
    cdef const int32_t[::1] row
    cdef const double[::1] value, reach, shift, square

    def __cinit__(
        self,
        const Py_ssize_t[::1] start,    # IN (m + 1,) of the columns
        const int32_t[::1] row,         # IN (nonzeros,)
        const double[::1] value,        # IN (nonzeros,)
        const double[::1] reach,        # IN (m,)
        const double[::1] shift,        # IN (m,)
        const double[::1] square,       # IN (m,) squared lengths of the columns of Z
    ):
        self.start, self.row, self.value = start, row, value
        self.reach, self.shift, self.square = reach, shift, square


def descend(
    Columns columns,
    double l1,
    double l2,
    bint positive,                  # no coefficient below zero
    double small,                   # a sweep is still when no move gains more, step^2 (square + l2)
    const Py_ssize_t[::1] order,    # IN (k,) columns to visit
    double[::1] b,                  # INOUT (m,)
    double[::1] q,                  # OUT (m,) at columns visited: their products with residuals
    double[::1] rest,               # INOUT (n,)
    double[::1] offset,             # INOUT (1,)
    double[:, ::1] trail,           # OUT (sweeps, k) coefficients after each
    bint still,                     # only the products are wanted
):
    """Sweep as often as there is room, or until all is still; returns how often, and the gain."""
    cdef Py_ssize_t turn = 0, at, j, t, sweeps = trail.shape[0]
    cdef double total, now, old, curve, gain = 0, off = offset[0]
    cdef const Py_ssize_t *start = &columns.start[0]
    cdef const int32_t *row = &columns.row[0] if columns.row.shape[0] else NULL
    cdef const double *value = &columns.value[0] if columns.row.shape[0] else NULL
    cdef const double *reach = &columns.reach[0]
    cdef const double *shift = &columns.shift[0]
    cdef const double *square = &columns.square[0]
    with nogil:
        while turn < sweeps:
            gain = 0
            for at in range(order.shape[0]):
                j = order[at]
                total = 0
                for t in range(start[j], start[j + 1]):
                    total += value[t] * rest[row[t]]
                total -= off * reach[j]
                q[j] = total
                curve = square[j] + l2
                if still or curve <= 0:
                    continue
                old = b[j]
                now = total + square[j] * old
                if now > l1:
                    now = (now - l1) / curve
                elif now < -l1 and not positive:
                    now = (now + l1) / curve
                else:
                    now = 0
                if now != old:
                    b[j] = now
                    old -= now
                    for t in range(start[j], start[j + 1]):
                        rest[row[t]] += old * value[t]
                    off += old * shift[j]
                    gain = max(gain, old * old * curve)
                trail[turn, at] = now
            turn += 1
            if gain <= small:
                break
        offset[0] = off
    return turn, gain
