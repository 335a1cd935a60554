# SPDX-License-Identifier: BSD-3-Clause
"""Averages over neighbors: predictions, and squared errors for many k.

The neighbors of row i are the entries starts[i] to starts[i + 1] of `ids` and `weights`. Sums are
float64, in that order: for `squares` nearest first, so that what `squares` averages over the first
k has the bits that `means` gives for k.

Cost: O(T) a neighbor, T being the number of outputs.

The caller guarantees: ids in [0, n), weights not negative and the nearest of each row positive
or, for `means`, some of each row; for `squares`, ks ascending, from 1 to the neighbors of each
row.
"""

ctypedef Py_ssize_t intp


def means(
    const double[:, ::1] targets,   # IN (n, T) of each fitted row
    const intp[::1] starts,         # IN (m + 1,)
    const intp[::1] ids,            # IN (total,) neighbors
    const double[::1] weights,      # IN (total,) weight of each, or None: one each
    double[:, ::1] out,             # IN, OUT (m, T) zeros; the means, NaN without neighbors
):
    cdef intp i, j, t
    cdef double total, one
    with nogil:
        for i in range(out.shape[0]):
            total = one = 0.0
            if out.shape[1] == 1:  # the sum stays in a register
                for j in range(starts[i], starts[i + 1]):
                    total += add(targets, ids, weights, j, &one)
                out[i, 0] = one / total
                continue
            for j in range(starts[i], starts[i + 1]):
                total += add(targets, ids, weights, j, &out[i, 0])
            for t in range(out.shape[1]):
                out[i, t] /= total


def squares(
    const double[:, ::1] targets,   # IN (n, T) of each fitted row
    const double[:, ::1] truth,     # IN (m, T) of each row
    const intp[::1] starts,         # IN (m + 1,)
    const intp[::1] ids,            # IN (total,) neighbors
    const double[::1] weights,      # IN (total,) weight of each, or None: one each
    const intp[::1] ks,             # IN (L,) how many neighbors are averaged
    double[::1] sums,               # WORK (T,)
    double[:, ::1] out,             # IN, OUT (L, T) plus the squared errors of the averages
):
    cdef intp i, j, trial, t, stop
    cdef double total, error
    with nogil:
        for i in range(truth.shape[0]):
            j, total = starts[i], 0.0
            sums[:] = 0.0
            for trial in range(ks.shape[0]):
                stop = starts[i] + ks[trial]
                while j < stop:
                    total += add(targets, ids, weights, j, &sums[0])
                    j += 1
                for t in range(sums.shape[0]):
                    error = sums[t] / total - truth[i, t]
                    out[trial, t] += error * error


cdef inline double add(
    const double[:, ::1] targets, const intp[::1] ids, const double[::1] weights,
    intp j, double *sums,
) noexcept nogil:
    """Add a neighbor's targets to the sums; returns its weight."""
    cdef double w = 1.0 if weights is None else weights[j]
    cdef intp t
    for t in range(targets.shape[1]):
        sums[t] += w * targets[ids[j], t]
    return w
