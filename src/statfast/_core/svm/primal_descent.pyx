# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Coordinate descent with Newton directions on a linear machine with an l1 penalty.

G.-X. Yuan, K.-W. Chang, C.-J. Hsieh & C.-J. Lin 2010, A comparison of optimization methods and
software for large-scale L1-regularized linear classification, jmlr.org/papers/v11/yuan10c.html.
Minimizes, over v, with Z the rows times their targets and the roots of their costs, and what is
left of the margins, ``left = roots - Z v``, kept up to date,

    |v|_1 + sum max(0, left)^2.

Columns come in the order given; those at 0 whose gradient keeps them there by more than `slack`
leave it. The order is packed as it is walked. A step is taken unseen where the fall is enough even
if all rows of its column were inside their margins.

Cost: two operations a nonzero of each column visited, one more if it moves. The caller guarantees
numbers below the lengths, and calls short enough for Ctrl-C.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t

cdef double MIN_DECREASE_SHARE = 0.01           # of the fall that the gradient promises
cdef int MAX_HALVINGS = 30


def sweep(
    const Py_ssize_t[::1] start,    # IN (q + 1,) of the columns
    const int32_t[::1] row,         # IN (nonzeros,)
    const double[::1] value,        # IN (nonzeros,) of Z
    const double[::1] square,       # IN (q,) of the columns of Z
    double[::1] left,               # INOUT (n,)
    double[::1] v,                  # INOUT (q,)
    int32_t[::1] order,             # INOUT columns to visit
    Py_ssize_t begin,               # from here
    Py_ssize_t end,                 # to there
    Py_ssize_t kept,                # packed so far
    double slack,
    double[::1] seen,               # INOUT (2,) largest violation, and their sum
):
    """Visit columns once; returns how many are packed."""
    cdef Py_ssize_t at, k
    cdef int32_t j
    cdef int _turn
    cdef double slope, bend, step, size, u, now, promised, off
    with nogil:
        for at in range(begin, end):
            j = order[at]
            slope = bend = 0
            for k in range(start[j], start[j + 1]):
                u = left[row[k]]
                if u > 0:
                    slope -= u * value[k]
                    bend += value[k] * value[k]
            slope *= 2
            bend *= 2
            size = v[j]
            if size == 0 and fabs(slope) < 1 - slack:
                continue
            order[kept] = j
            kept += 1
            if size == 0:
                off = max(fabs(slope) - 1, 0.0)
            else:
                off = fabs(slope + (1 if size > 0 else -1))
            seen[0] = max(seen[0], off)
            seen[1] += off
            if slope + 1 <= bend * size:
                step = -(slope + 1) / bend if bend > 0 else 0
            elif slope - 1 >= bend * size:
                step = -(slope - 1) / bend if bend > 0 else 0
            else:
                step = -size
            if step == 0:
                continue
            for _turn in range(MAX_HALVINGS):
                now = fabs(size + step) - fabs(size)
                promised = slope * step + now
                if promised + square[j] * step * step <= MIN_DECREASE_SHARE * promised:
                    break
                for k in range(start[j], start[j + 1]):
                    u = left[row[k]]
                    if u > 0:
                        now -= u * u
                    u -= step * value[k]
                    if u > 0:
                        now += u * u
                if now <= MIN_DECREASE_SHARE * promised:
                    break
                step *= 0.5
            else:
                continue
            v[j] = size + step
            for k in range(start[j], start[j + 1]):
                left[row[k]] -= step * value[k]
    return kept
