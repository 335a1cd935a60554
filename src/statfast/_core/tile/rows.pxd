# SPDX-License-Identifier: BSD-3-Clause
"""The three kinds of rows a user may bring, and the active kernels for each kind."""

from cython.view cimport contiguous
from libc.stdint cimport int32_t, uintptr_t

from statfast._core.tile.tiles cimport active

cdef extern from *:
    """
    #define STATFAST_UNIT32 0x1p-24
    #define STATFAST_UNIT64 0x1p-53
    """
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

    The second axis, declared contiguous, has an array whose columns lie apart refused where a
    kernel takes it, so that an address and this distance are enough to find every number.
    """
    return X.strides[0] // <Py_ssize_t>sizeof(number)


cdef inline Py_ssize_t padded(Py_ssize_t d) noexcept nogil:
    """Row stride for d numbers: whole cache lines, and no 2 KB multiple, so that the rows of a tile
    do not all compete for the same cache sets."""
    cdef Py_ssize_t ld = (d + 15) // 16 * 16
    return ld + 16 if ld % 256 == 0 else ld


cdef inline void convert(
    const number *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d,
    const float *origin, double scale, real *out, Py_ssize_t ldo,
) noexcept nogil:
    """out = (x - origin) * scale"""
    if real is float:
        if number is double:
            active().f32.convert_f64(x, ldx, n, d, origin, scale, out, ldo)
        elif number is float:
            active().f32.convert_f32(x, ldx, n, d, origin, scale, out, ldo)
        else:
            active().f32.convert_u8(x, ldx, n, d, origin, scale, out, ldo)
    else:
        if number is double:
            active().f64.convert_f64(x, ldx, n, d, origin, scale, out, ldo)
        elif number is float:
            active().f64.convert_f32(x, ldx, n, d, origin, scale, out, ldo)
        else:
            active().f64.convert_u8(x, ldx, n, d, origin, scale, out, ldo)


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
        if number is double:
            active().f32.lay_f64(x, ldx, pick, n, d, origin, scale, panel, norm)
        elif number is float:
            active().f32.lay_f32(x, ldx, pick, n, d, origin, scale, panel, norm)
        else:
            active().f32.lay_u8(x, ldx, pick, n, d, origin, scale, panel, norm)
    else:
        if number is double:
            active().f64.lay_f64(x, ldx, pick, n, d, origin, scale, panel, norm)
        elif number is float:
            active().f64.lay_f32(x, ldx, pick, n, d, origin, scale, panel, norm)
        else:
            active().f64.lay_u8(x, ldx, pick, n, d, origin, scale, panel, norm)


cdef inline Py_ssize_t panel_columns(real example) noexcept nogil:
    if real is float:
        return 2 * active().f32.lanes
    else:
        return 2 * active().f64.lanes


cdef inline void apart(
    const double *q, const number *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, double *out
) noexcept nogil:
    """out = |q - x|^2 by differences, summed in double in one fixed order"""
    if number is double:
        active().apart_f64(q, x, ldx, n, d, out)
    elif number is float:
        active().apart_f32(q, x, ldx, n, d, out)
    else:
        active().apart_u8(q, x, ldx, n, d, out)


cdef inline void apart_by(
    const double *q, const number *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, int kind,
    double p, double *out
) noexcept nogil:
    """out = the reduced distance of q and x by the table of metrics: see tile/metric.pxd"""
    if number is double:
        active().apart_by_f64(q, x, ldx, n, d, kind, p, out)
    elif number is float:
        active().apart_by_f32(q, x, ldx, n, d, kind, p, out)
    else:
        active().apart_by_u8(q, x, ldx, n, d, kind, p, out)


cdef inline void add(
    const number *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, const double *weights,
    const int32_t *labels, double *sums, double *mass,
) noexcept nogil:
    """sums[label] += w x and mass[label] += w, all w being 1 where weights is NULL"""
    if number is double:
        active().add_f64(x, ldx, n, d, weights, labels, sums, mass)
    elif number is float:
        active().add_f32(x, ldx, n, d, weights, labels, sums, mass)
    else:
        active().add_u8(x, ldx, n, d, weights, labels, sums, mass)


cdef inline void *aligned(void *block) noexcept nogil:
    """The first cache line inside a malloc'ed block that has 64 bytes to spare."""
    return <void *>((<uintptr_t>block + 63) & ~<uintptr_t>63)
