# SPDX-License-Identifier: BSD-3-Clause
"""The E step of a mixture of few columns, and its sums for the M step, by quadratic features.

Of a row z = x - origin the features are the products z_a z_b (a >= b), or the squares alone of
diagonal models, then z, then 1. The logarithm of weight times density of a component is linear in
them, and so are the sums that the M step needs: two products with all components at once, in
register tiles, of features that are made once. Per row this takes K times fewer loads than a
product for each component (Dempster, Laird & Rubin 1977, doi:10.1111/j.2517-6161.1977.tb01600.x).

Digits are lost where a component is far from the origin in units of its deviations: the caller
bounds that, and guarantees finite scores, K >= 1, and rows of contiguous numbers.

Cost: 4 n K F flop for F features, n F products, n K exponentials. Points lie across the tile in the
first product, components in the second.
"""

from cython.view cimport contiguous
from libc.math cimport log
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from statfast._core.tile.rows cimport aligned, lay, number, panel_columns, stride_of
from statfast._core.tile.tiles cimport STORE_SCORE, active


def expect(
    const number[:, ::contiguous] X,  # IN (n, d)
    const double[::1] weights,        # IN (n,) or None for ones
    const float[::1] origin,          # IN (d,)
    const double[:, ::1] theta,       # IN (K, F) coefficients of the features, 1 the last
    bint diagonal,                    # whether products are squares alone
    double[:, ::1] sums,              # INOUT (K, F) += posteriors by weight times features
):
    """Add one block of rows; returns log-likelihood, log of largest posteriors, weight: summed."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], k = theta.shape[0], f = theta.shape[1]
    cdef Py_ssize_t rows = active().rows, across = panel_columns(<double>0), ldx = stride_of(X)
    cdef Py_ssize_t tall = (k + rows - 1) // rows * rows, high = (f + rows - 1) // rows * rows
    cdef Py_ssize_t groups = (k + across - 1) // across, first = 0, some, c, i, g, j
    cdef Py_ssize_t doubles = (
        tall * f + max(tall, high) + across * (d + 2 + 2 * high + tall + across * groups)
        + high * across * groups
    )
    cdef double likelihood = 0, certainty = 0, total_weight = 0, top, best, w
    cdef void *block
    cdef double *panel
    cdef double *norm
    cdef double *zeros
    cdef double *features
    cdef double *delta
    cdef double *turned
    cdef double *tile
    cdef double *total
    cdef double *coef
    cdef double *tops
    if n == 0:
        return 0.0, 0.0, 0.0
    block = malloc(64 + sizeof(double) * (doubles + across))
    if block == NULL:
        raise MemoryError
    with nogil:
        memset(block, 0, 64 + sizeof(double) * (doubles + across))
        panel = <double *>aligned(block)
        features = panel + across * d
        delta = features + across * high
        turned = delta + across * tall
        tile = turned + across * across * groups
        total = tile + across * high
        norm = total + across * high * groups
        tops = norm + across
        coef = tops + across
        zeros = coef + tall * f
        for c in range(k):
            memcpy(coef + c * f, &theta[c, 0], f * sizeof(double))
        while first < n:
            some = min(across, n - first)
            lay(&X[first, 0], ldx, NULL, some, d, &origin[0], 1, panel, norm)
            make_features(panel, d, across, diagonal, features)
            active().f64.store(coef, f, zeros, k, features, zeros, f, STORE_SCORE, 0, delta,
                               across, across)
            for i in range(some):
                top = delta[i]
                for c in range(1, k):
                    top = max(top, delta[c * across + i])
                tops[i] = top
            active().f64.softmax(delta, k)
            for i in range(across):
                w = 0
                if i < some:
                    w = 1 if weights is None else weights[first + i]
                    best = delta[i]
                    for c in range(1, k):
                        best = max(best, delta[c * across + i])
                    best = log(best)
                    total_weight += w
                    if w != 0:
                        likelihood += w * (tops[i] - best)
                        certainty += w * best
                for c in range(k):
                    g = c // across
                    turned[(g * across + i) * across + c - g * across] = (
                        w * delta[c * across + i] if w != 0 else 0)
            for g in range(groups):
                active().f64.store(features, across, zeros, f, turned + g * across * across, zeros,
                                   across, STORE_SCORE, 0, tile, across, across)
                add(tile, f * across, total + g * high * across)
            first += some
        for c in range(k):
            g = c // across
            for j in range(f):
                sums[c, j] += total[(g * high + j) * across + c - g * across]
    free(block)
    return likelihood, certainty, total_weight


cdef inline void make_features(
    const double *panel, Py_ssize_t d, Py_ssize_t across, bint diagonal, double *out
) noexcept nogil:
    """out = products of columns, columns, and 1 of the points of a panel"""
    cdef Py_ssize_t a, b, i
    for a in range(d):
        for b in range(a if diagonal else 0, a + 1):
            for i in range(across):
                out[i] = panel[a * across + i] * panel[b * across + i]
            out += across
    memcpy(out, panel, d * across * sizeof(double))
    out += d * across
    for i in range(across):
        out[i] = 1


cdef inline void add(const double *x, Py_ssize_t n, double *total) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        total[i] += x[i]
