# SPDX-License-Identifier: BSD-3-Clause
"""Pool adjacent violators: the non-decreasing sequence of means nearest to a sequence.

Blocks are on a stack; a new one is merged with those before it while their means do not increase.
Ayer, Brunk, Ewing, Reid and Silverman (1955), doi:10.1214/aoms/1177728423. The slopes of the lower
hull of the cumulative sums are these means; in reversed order they give the upper hull of a ROC
curve. Means are compared by products, which are exact for counts below 2^26.

Cost: O(n). The caller guarantees positive weights.
"""


def pool(
    double[::1] sums,               # IN, OUT (n,) weighted values; those of the blocks
    double[::1] weights,            # IN, OUT (n,) and of the blocks
    Py_ssize_t[::1] ends,           # OUT (n,) where each block ends
):
    """Pool the blocks; returns their number."""
    cdef Py_ssize_t i, top = -1
    cdef double s, w
    with nogil:
        for i in range(sums.shape[0]):
            s, w = sums[i], weights[i]
            while top >= 0 and sums[top] * w >= s * weights[top]:
                s += sums[top]
                w += weights[top]
                top -= 1
            top += 1
            sums[top], weights[top], ends[top] = s, w, i + 1
    return top + 1
