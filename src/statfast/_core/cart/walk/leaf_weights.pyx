# SPDX-License-Identifier: BSD-3-Clause
"""What leaves that rows share tell: proximities of rows, and quantiles of weighted targets.

Cost: a fraction of a nanosecond a pair of rows and tree for proximities. The caller guarantees
numbers of leaves and members in range.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t

cdef extern from "cart/walk/leaf_weights.h" nogil:
    double share_together(const int32_t *a, const int32_t *b, const uint8_t *in_a,
                          const uint8_t *in_b, Py_ssize_t T)
    void leaf_quantiles(const int32_t *leaf, Py_ssize_t T, const int64_t *begin,
                        const int32_t *member, const double *ascending, Py_ssize_t n,
                        const double *q, Py_ssize_t Q, double *weight, double *out)


def together(
    const int32_t[:, ::1] A,     # IN (a, T) leaves of rows
    const int32_t[:, ::1] B,     # IN (b, T) of others
    const uint8_t[:, ::1] out_a,  # IN (a, T) which trees count for a row, or None: all
    const uint8_t[:, ::1] out_b,
    double[:, :] share,          # OUT (a, b) share of the trees that count with both in one leaf
):
    """How often rows end in the same leaf; NaN where no tree counts."""
    cdef Py_ssize_t i, j, T = A.shape[1]
    cdef const uint8_t *own = NULL
    cdef const uint8_t *other = NULL
    with nogil:
        for i in range(A.shape[0]):
            for j in range(B.shape[0]):
                if out_a is not None:
                    own, other = &out_a[i, 0], &out_b[j, 0]
                share[i, j] = share_together(&A[i, 0], &B[j, 0], own, other, T)


def quantiles(
    const int32_t[::1] leaf,     # IN (T,) leaves of a row, among those of all trees
    const int64_t[::1] begin,    # IN (L + 1,) where the members of leaves begin
    const int32_t[::1] member,   # IN ranks of targets of fitted rows
    const double[::1] ascending,  # IN (n,) targets by rank
    const double[::1] q,         # IN (Q,) ascending
    double[::1] weight,          # WORK (n,) zero
    double[::1] out,             # OUT (Q,)
):
    """Quantiles of the targets by the weights that a forest gives them (Meinshausen 2006)."""
    if q.shape[0] == 0:
        return
    with nogil:
        leaf_quantiles(&leaf[0], leaf.shape[0], &begin[0], &member[0], &ascending[0],
                       ascending.shape[0], &q[0], q.shape[0], &weight[0], &out[0])
