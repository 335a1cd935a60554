# SPDX-License-Identifier: BSD-3-Clause
"""The k-th smallest number of each row, in about one pass over it.

Two numbers of a sample of the row, which most likely lie on both sides of the k-th, bracket it; one
pass without branches counts what is below and keeps what is between, among which it is found by
Hoare's FIND (R. W. Floyd & R. L. Rivest 1975, Expected time bounds for selection,
doi:10.1145/360680.360691, with a sample of even steps). Where the bracket misses, as it may in rows
whose order is not like chance, and where NaN are in the way, the row is left to the caller.

Cost: n comparisons a row and a few for the sample, where a partition moves numbers about for two to
three passes of branches that are not foreseen. The caller guarantees k from 0 to n - 1, and calls
short enough for Ctrl-C.
"""

from libc.math cimport INFINITY, sqrt

cdef Py_ssize_t SAMPLE = 1024   # numbers of the sample, whose bracket holds about a tenth of a row
cdef double DEVIATIONS = 3      # of a rank in the sample, to both sides


def kth_of_rows(
    const double[:, ::1] values,    # IN (b, n)
    Py_ssize_t k,
    double[::1] work,               # OUT (n,)
    double[::1] out,                # OUT (b,) where it was found
    unsigned char[::1] found,       # OUT (b,)
):
    """Find the k-th number, from 0, of each row."""
    cdef Py_ssize_t row, n = values.shape[1]
    with nogil:
        for row in range(values.shape[0]):
            found[row] = find(&values[row, 0], n, k, &work[0], &out[row])


cdef bint find(
    const double *row, Py_ssize_t n, Py_ssize_t k, double *work, double *out
) noexcept nogil:
    cdef Py_ssize_t i, below = 0, kept = 0, step = max(1, n // SAMPLE), size = 0, first, last
    cdef double low = -INFINITY, high = INFINITY, share, spread, value
    i = 0
    while i < n:
        work[size] = row[i]
        size += row[i] == row[i]
        i += step
    if step > 1:
        share = (k + 0.5) / n
        spread = DEVIATIONS * sqrt(size * share * (1 - share)) + 1
        first, last = <Py_ssize_t>(share * size - spread), <Py_ssize_t>(share * size + spread)
        if last < size:
            high = kth(work, size, last)
        if 0 < first < size:
            low = kth(work, size, first)
    for i in range(n):
        value = row[i]
        work[kept] = value
        kept += (value >= low) & (value <= high)
        below += value < low
    if not below <= k < below + kept:
        return False
    out[0] = kth(work, kept, k - below)
    # Above the bracket, or NaN: numbers above are not less than what was found.
    return True


cdef double kth(double *values, Py_ssize_t n, Py_ssize_t k) noexcept nogil:
    """The k-th smallest number, from 0; what is before it is no greater, what is behind no less.

    C. A. R. Hoare 1961, Algorithm 65: find, doi:10.1145/366622.366647.
    """
    cdef Py_ssize_t first = 0, last = n - 1, i, j
    cdef double pivot, other
    while first < last:
        pivot, i, j = values[k], first, last
        while i <= j:
            while values[i] < pivot:
                i += 1
            while pivot < values[j]:
                j -= 1
            if i <= j:
                other = values[i]
                values[i] = values[j]
                values[j] = other
                i += 1
                j -= 1
        if j < k:
            first = i
        if k < i:
            last = j
    return values[k]
