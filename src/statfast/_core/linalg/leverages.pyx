# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Residuals of rows by the linear fits without each of them, from leverages.

With Z = X - center and a fit whose leverage of a row is w (|Z root|^2 + share^2), a row's residual
by the fit to all others is its residual over 1 - leverage (Allen 1974,
doi:10.1080/00401706.1974.10489157). Rows are shifted, multiplied and divided a sheet at a time,
which stays in the cache.

Cost: 2 n d (r + T) flop, of which those with the zeros below a panel of a triangular root are left
out. 20 000 rows of 10 columns, with what is kept of them: 0.7 ms, by numpy in blocks 1.7
(x86-64-v4). The caller guarantees rows of contiguous numbers, and calls short enough for Ctrl-C.
"""

from cython.view cimport contiguous
from libc.math cimport isfinite
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from statfast._core.tile.rows cimport (
    aligned, kind_of, measure, number, padded, panel_columns, stride_of,
)
from statfast._core.tile.tiles cimport STORE_SCORE, active

cdef enum:
    SHEET_BYTES = 65536  # of shifted rows that are multiplied together


def residuals_left_out(
    const number[:, ::contiguous] X,  # IN (n, d)
    const double[:, ::1] Y,         # IN (n, T)
    const double[::1] weights,      # IN (n,) or None for ones
    const double[::1] center,       # IN (d,)
    const double[:, ::1] both,      # IN (r + T, d) columns of the root, then coefficients, as rows
    const double[::1] middle,       # IN (T,) the prediction of the center
    double share,                   # the score of the intercept, which all rows have
    double min_rest,                # the least of 1 - leverage that is divided by
    double[:, ::1] scores,          # OUT (n, r + T) Z root, then the share; the rest is scratch
    double[:, ::1] out,             # OUT (n, T) residuals without the row; as they are if uncertain
    unsigned char[::1] certain,     # OUT (n,) whether they are finite, and 1 - leverage large
):
    """See above."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], T = Y.shape[1], k = both.shape[0], r = k - T
    cdef Py_ssize_t down = active().rows, across = panel_columns(<double>0), ld = padded(max(d, 1))
    cdef Py_ssize_t sheet = max(1, SHEET_BYTES // (8 * ld) // down) * down
    cdef Py_ssize_t panels = (k + across - 1) // across, first = 0, some, i, j, p
    cdef double rest, residual
    cdef double *z
    cdef double *packed
    cdef double *spare
    cdef double *nothing
    cdef double *halves
    cdef Py_ssize_t *depths
    cdef Py_ssize_t *codes
    cdef void *block
    if n == 0:
        return
    block = malloc(64 + 8 * (sheet * (ld + 4) + panels * (across * d + 1) + d + 1 + 2 * across))
    if block == NULL:
        raise MemoryError
    memset(block, 0, 64 + 8 * (sheet * (ld + 4) + panels * (across * d + 1) + d + 1 + 2 * across))
    with nogil:
        z = <double *>aligned(block)
        packed = z + sheet * ld
        halves = packed + panels * across * d  # minus half of each row's squares
        nothing = halves + 2 * sheet           # zeros, as many as a sheet or a panel may ask for
        spare = nothing + sheet + across       # sums that the shift of rows also makes
        codes = <Py_ssize_t *>(spare + d + 1)
        depths = codes + sheet
        if d > 0:
            active().f64.pack(&both[0, 0], d, k, d, packed)
        for j in range(panels):
            depths[j] = 0
            for i in range(j * across, min((j + 1) * across, k)):
                p = d
                while p > depths[j] and both[i, p - 1] == 0.0:
                    p -= 1
                depths[j] = p
        while first < n:
            some = min(sheet, n - first)
            if d > 0:
                active().shift[kind_of(&X[first, 0])](
                    &X[first, 0], stride_of(X), some, d, NULL, codes, &center[0], spare + d, spare,
                    z, z, ld,
                )
            for j in range(panels):
                active().f64.store(
                    z, ld, nothing, some, packed + j * across * d, nothing, depths[j], STORE_SCORE,
                    0, &scores[first, j * across], k, min(across, k - j * across),
                )
            measure(&scores[first, 0], k, some, r, halves, halves + sheet)
            for i in range(first, first + some):
                rest = 2 * halves[i - first] - share * share
                rest = 1 + (rest if weights is None else weights[i] * rest)
                certain[i] = rest > min_rest
                for j in range(T):
                    residual = Y[i, j] - middle[j] - scores[i, r + j]
                    out[i, j] = residual / rest if rest > min_rest else residual
                    certain[i] = certain[i] and isfinite(out[i, j])
                scores[i, r] = share
            first += some
    free(block)
