# SPDX-License-Identifier: BSD-3-Clause
"""The three kinds of rows a user may bring, and the active kernels for each kind."""

from cython.view cimport contiguous
from libc.stdint cimport int32_t, uintptr_t

from statfast._core.tile.tiles cimport active

cdef extern from *:
    """
    #define STATFAST_UNIT16 0x1p-11
    #define STATFAST_LOST16 0x1p-25
    #define STATFAST_UNIT32 0x1p-24
    #define STATFAST_UNIT64 0x1p-53
    """
    const double UNIT16 "STATFAST_UNIT16"
    const double LOST16 "STATFAST_LOST16"  # what a float16 below the normal range loses at most
    const double UNIT32 "STATFAST_UNIT32"
    const double UNIT64 "STATFAST_UNIT64"

ctypedef fused number:
    float
    double
    unsigned char

ctypedef fused real:
    float
    double


cdef inline Py_ssize_t stride_of(const number[:, ::contiguous] X) noexcept nogil:
    """Distance between rows, in numbers.

    As the second axis is declared contiguous, arrays whose columns are apart are refused, so that
    an address and this distance determine the place of every number.
    """
    return X.strides[0] // <Py_ssize_t>sizeof(number)


cdef inline Py_ssize_t padded(Py_ssize_t d) noexcept nogil:
    """Row stride for d numbers: whole cache lines, and no 2 KB multiple, so that the rows of a tile
    do not all compete for the same cache sets."""
    cdef Py_ssize_t ld = (d + 15) // 16 * 16
    return ld + 16 if ld % 256 == 0 else ld


cdef inline int kind_of(const number *x) noexcept nogil:
    """Place of its type's kernels in the table's arrays of three."""
    if number is double:
        return 0
    elif number is float:
        return 1
    else:
        return 2


cdef inline void convert(
    const number *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d,
    const float *origin, double scale, real *out, Py_ssize_t ldo,
) noexcept nogil:
    """out = (x - origin) * scale"""
    if real is float:
        active().f32.convert[kind_of(x)](x, ldx, n, d, origin, scale, out, ldo)
    else:
        active().f64.convert[kind_of(x)](x, ldx, n, d, origin, scale, out, ldo)


cdef inline void measure(
    const real *a, Py_ssize_t lda, Py_ssize_t n, Py_ssize_t d, real *start, real *norm
) noexcept nogil:
    """start = -|a|^2 / 2 and norm >= |a|"""
    if real is float:
        active().f32.measure(a, lda, n, d, start, norm)
    else:
        active().f64.measure(a, lda, n, d, start, norm)


cdef inline void lay(
    const number *x, Py_ssize_t ldx, const int32_t *pick, Py_ssize_t n, Py_ssize_t d,
    const float *origin, double scale, real *panel, real *norm,
) noexcept nogil:
    """One panel of the points x[pick] (or x), and norm >= the length of each"""
    if real is float:
        active().f32.lay[kind_of(x)](x, ldx, pick, n, d, origin, scale, panel, norm)
    else:
        active().f64.lay[kind_of(x)](x, ldx, pick, n, d, origin, scale, panel, norm)


cdef inline Py_ssize_t panel_columns(real example) noexcept nogil:
    if real is float:
        return 2 * active().f32.lanes
    else:
        return 2 * active().f64.lanes


cdef inline void squared_distances(
    const double *q, const number *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, double *out
) noexcept nogil:
    """out = |q - x|^2 by differences, summed in double in one fixed order"""
    active().squared_distances[kind_of(x)](q, x, ldx, n, d, out)


cdef inline void reduced_distances(
    const double *q, const number *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, int kind,
    double p, double *out
) noexcept nogil:
    """out = the reduced distance of q and x by the table of metrics: see tile/metric.pxd"""
    active().reduced_distances[kind_of(x)](q, x, ldx, n, d, kind, p, out)


cdef inline void add(
    const number *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, const double *weights,
    const int32_t *labels, double *sums, double *total_weight,
) noexcept nogil:
    """sums[label] += w x and total_weight[label] += w, all w being 1 where weights is NULL"""
    active().add[kind_of(x)](x, ldx, n, d, weights, labels, sums, total_weight)


cdef inline void *aligned(void *block) noexcept nogil:
    """The first cache line inside a malloc'ed block that has 64 bytes to spare."""
    return <void *>((<uintptr_t>block + 63) & ~<uintptr_t>63)
