# SPDX-License-Identifier: BSD-3-Clause
"""Columns of a table in whichever order it lies: their products with a vector and with each other.

What coordinate descent needs of the data: X'v for all columns, the Gram matrix of some, and X b for
few. The columns are centred, scaled and weighted on the way, a slab of rows at a time, so that the
table is never copied. Products of columns are made by the register tile from slabs of DEPTH rows;
sums of slabs are added in their order.

Cost: X'v and X b one read of the columns concerned; a Gram matrix 2 n |I| |J| flop at the rate of
the tile. The caller guarantees finite numbers and columns or rows that are contiguous.
"""

from libc.stdlib cimport free, malloc

from statfast._core.rows cimport aligned, panel_columns, real
from statfast._core.tiles cimport STORE_SCORE, active

cdef enum:
    DEPTH = 128  # rows of a slab: its panel (16 KB) and a tile's rows stay in the first cache
    LDA = 136    # their stride, no power of two


def correlate(
    const real[:, :] X,          # IN (n, p)
    const double[::1] v,         # IN (n,)
    Py_ssize_t first,            # columns first .. stop - 1 of X
    Py_ssize_t stop,
    double[::1] out,             # INOUT (p,) += X'v; zero before, where rows are contiguous
):
    """Add X'v of some columns: sums of four products, added one after the other."""
    cdef Py_ssize_t n = X.shape[0], j
    cdef Py_ssize_t down = X.strides[0] // <Py_ssize_t>sizeof(real)
    cdef Py_ssize_t across = X.strides[1] // <Py_ssize_t>sizeof(real)
    if n == 0 or first >= stop:
        return
    with nogil:
        if down == 1:
            j = first
            while j + 4 <= stop:
                four_columns(&X[0, j], across, &v[0], n, &out[j])
                j += 4
            while j < stop:
                out[j] += one_column(&X[0, j], &v[0], n)
                j += 1
        else:
            rows_in_fours(X, down, v, first, stop, &out[first])


def combine(
    const real[:, :] X,          # IN (n, p)
    const Py_ssize_t[::1] index,  # IN (k,)
    const double[::1] coef,      # IN (k,)
    double[::1] out,             # INOUT (n,) += X[:, index] coef
):
    """Add a combination of a few columns."""
    cdef Py_ssize_t n = X.shape[0], k = index.shape[0], i, j, t, some
    cdef Py_ssize_t down = X.strides[0] // <Py_ssize_t>sizeof(real)
    cdef Py_ssize_t across = X.strides[1] // <Py_ssize_t>sizeof(real)
    cdef double b
    cdef const real *x
    if n == 0 or k == 0:
        return
    with nogil:
        if down == 1:
            i = 0
            while i < n:
                some = min(2048, n - i)
                for j in range(k):
                    x = &X[i, index[j]]
                    b = coef[j]
                    for t in range(some):
                        out[i + t] += b * <double>x[t]
                i += some
        else:
            i = 0
            while i + 4 <= n:
                four_rows(&X[i, 0], down, across, &index[0], &coef[0], k, &out[i])
                i += 4
            while i < n:
                x = &X[i, 0]
                for j in range(k):
                    out[i] += coef[j] * <double>x[index[j] * across]
                i += 1


def moments(
    const real[:, :] X,          # IN (n, p)
    const double[::1] w,         # IN (n,)
    const double[::1] mean,      # IN (p,)
    double[::1] sums,            # INOUT (p,) += sum of w (x - mean)
    double[::1] squares,         # INOUT (p,) += sum of w (x - mean)^2
):
    """Add first and second moments of the columns about given means."""
    cdef Py_ssize_t n = X.shape[0], p = X.shape[1], i, j
    cdef Py_ssize_t down = X.strides[0] // <Py_ssize_t>sizeof(real)
    cdef double t, sum, square
    cdef const real *x
    with nogil:
        if down == 1:
            for j in range(p):
                x = &X[0, j]
                sum = square = 0
                for i in range(n):
                    t = <double>x[i] - mean[j]
                    sum += w[i] * t
                    square += w[i] * t * t
                sums[j] += sum
                squares[j] += square
        else:
            for i in range(n):
                x = &X[i, 0]
                for j in range(p):
                    t = <double>x[j] - mean[j]
                    sums[j] += w[i] * t
                    squares[j] += w[i] * t * t


def gram(
    const real[:, :] X,          # IN (n, p)
    const double[::1] root,      # IN (n,) square roots of the weights
    const double[::1] mean,      # IN (p,)
    const double[::1] scale,     # IN (p,) factors
    const Py_ssize_t[::1] I,     # IN (k,) columns down
    const Py_ssize_t[::1] J,     # IN (m,) columns across
    Py_ssize_t diagonal,         # where in J the columns I begin; m or more if they are others
    double[:, ::1] out,          # INOUT (k, m) += Z_I'Z_J, Z = root (X - mean) scale
):
    """Add the products of columns I with columns J: what lies far above the diagonal is left."""
    cdef Py_ssize_t n = X.shape[0], k = I.shape[0], m = J.shape[0]
    cdef Py_ssize_t rows = active().rows, wide = panel_columns(<double>0)
    cdef Py_ssize_t tall = (k + rows - 1) // rows * rows, first = 0, some, j, i, t, c, top
    cdef void *block
    cdef double *a
    cdef double *flat
    cdef double *panel
    cdef double *part
    cdef double *zero
    if n == 0 or k == 0 or m == 0:
        return
    block = malloc(
        64 + sizeof(double) * (tall * (LDA + wide + 1) + wide * (LDA + DEPTH + 1))
    )
    if block == NULL:
        raise MemoryError
    with nogil:
        a = <double *>aligned(block)
        panel = a + tall * LDA
        part = panel + wide * DEPTH
        flat = part + tall * wide
        zero = flat + wide * LDA
        for i in range(tall + wide):
            zero[i] = 0
        for i in range(tall * LDA):
            a[i] = 0
        while first < n:
            some = min(<Py_ssize_t>DEPTH, n - first)
            load(X, root, mean, scale, I, 0, k, first, some, a)
            j = 0
            while j < min(m, diagonal + k):
                c = min(wide, m - j)
                load(X, root, mean, scale, J, j, c, first, some, flat)
                active().f64.pack(flat, LDA, c, some, panel)
                top = max(0, j - diagonal) // rows * rows
                active().f64.store(a + top * LDA, LDA, zero, k - top, panel, zero + tall, some,
                                   STORE_SCORE, 0, part + top * wide, wide, c)
                for i in range(top, k):
                    for t in range(c):
                        out[i, j + t] += part[i * wide + t]
                j += wide
            first += some
    free(block)


cdef inline void load(
    const real[:, :] X, const double[::1] root, const double[::1] mean, const double[::1] scale,
    const Py_ssize_t[::1] index, Py_ssize_t begin, Py_ssize_t k, Py_ssize_t first,
    Py_ssize_t some, double *z,
) noexcept nogil:
    """z = root (x - mean) scale of `some` rows, a row of z for each of k columns."""
    cdef Py_ssize_t down = X.strides[0] // <Py_ssize_t>sizeof(real)
    cdef Py_ssize_t across = X.strides[1] // <Py_ssize_t>sizeof(real)
    cdef Py_ssize_t i, j, t, group
    cdef const real *x
    cdef const double *w = &root[first]
    cdef double m, s
    if down == 1:
        for i in range(k):
            j = index[begin + i]
            x = &X[first, j]
            m = mean[j]
            s = scale[j]
            for t in range(some):
                z[i * LDA + t] = (<double>x[t] - m) * s * w[t]
        return
    i = 0
    while i < k:
        group = min(<Py_ssize_t>8, k - i)
        for t in range(some):
            x = &X[first + t, 0]
            for j in range(i, i + group):
                z[j * LDA + t] = <double>x[index[begin + j] * across]
        for j in range(i, i + group):
            m = mean[index[begin + j]]
            s = scale[index[begin + j]]
            for t in range(some):
                z[j * LDA + t] = (z[j * LDA + t] - m) * s * w[t]
        i += group


cdef inline double one_column(const real *x, const double *v, Py_ssize_t n) noexcept nogil:
    cdef double sum = 0
    cdef Py_ssize_t i = 0
    while i + 4 <= n:
        sum += four(v, <double>x[i], <double>x[i + 1], <double>x[i + 2], <double>x[i + 3], i)
        i += 4
    while i < n:
        sum += v[i] * <double>x[i]
        i += 1
    return sum


cdef inline double four(
    const double *v, double a, double b, double c, double d, Py_ssize_t i
) noexcept nogil:
    return (v[i] * a + v[i + 1] * b) + (v[i + 2] * c + v[i + 3] * d)


cdef inline void four_columns(
    const real *x, Py_ssize_t ld, const double *v, Py_ssize_t n, double *out
) noexcept nogil:
    """out += the products of four columns, whose sums do not wait for each other."""
    cdef const real *y = x + ld
    cdef const real *z = y + ld
    cdef const real *u = z + ld
    cdef double a = 0, b = 0, c = 0, d = 0
    cdef Py_ssize_t i = 0
    while i + 4 <= n:
        a += four(v, <double>x[i], <double>x[i + 1], <double>x[i + 2], <double>x[i + 3], i)
        b += four(v, <double>y[i], <double>y[i + 1], <double>y[i + 2], <double>y[i + 3], i)
        c += four(v, <double>z[i], <double>z[i + 1], <double>z[i + 2], <double>z[i + 3], i)
        d += four(v, <double>u[i], <double>u[i + 1], <double>u[i + 2], <double>u[i + 3], i)
        i += 4
    while i < n:
        a += v[i] * <double>x[i]
        b += v[i] * <double>y[i]
        c += v[i] * <double>z[i]
        d += v[i] * <double>u[i]
        i += 1
    out[0] += a
    out[1] += b
    out[2] += c
    out[3] += d


cdef inline void rows_in_fours(
    const real[:, :] X, Py_ssize_t down, const double[::1] v, Py_ssize_t first, Py_ssize_t stop,
    double *out,
) noexcept nogil:
    """The caller's out is zero, so that these sums are those of `one_column`."""
    cdef Py_ssize_t n = X.shape[0], i = 0, j
    cdef Py_ssize_t across = X.strides[1] // <Py_ssize_t>sizeof(real)
    cdef const real *x
    while i + 4 <= n:
        add_four(&X[i, first], down, &v[i], stop - first, out)
        i += 4
    while i < n:
        x = &X[i, first]
        for j in range(stop - first):
            out[j] += v[i] * <double>x[j * across]
        i += 1


cdef inline void add_four(
    const real *x, Py_ssize_t ld, const double *v, Py_ssize_t p, double *out
) noexcept nogil:
    """out += the combination of four rows."""
    cdef const real *y = x + ld
    cdef const real *z = y + ld
    cdef const real *u = z + ld
    cdef double a = v[0], b = v[1], c = v[2], d = v[3]
    cdef Py_ssize_t j
    for j in range(p):
        out[j] += (a * <double>x[j] + b * <double>y[j]) + (c * <double>z[j] + d * <double>u[j])


cdef inline void four_rows(
    const real *x, Py_ssize_t ld, Py_ssize_t across, const Py_ssize_t *index, const double *coef,
    Py_ssize_t k, double *out,
) noexcept nogil:
    cdef double a = out[0], b = out[1], c = out[2], d = out[3], w
    cdef Py_ssize_t j
    cdef const real *z
    for j in range(k):
        z = x + index[j] * across
        w = coef[j]
        a += w * <double>z[0]
        b += w * <double>z[ld]
        c += w * <double>z[2 * ld]
        d += w * <double>z[3 * ld]
    out[0] = a
    out[1] = b
    out[2] = c
    out[3] = d
