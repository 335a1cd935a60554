# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Products of rows less a shift: their Gram matrices, scores, and what iterations need.

With Z = (X - shift) * scale, made a sheet at a time in double whatever the type of X,
    scatter   Z' W Z and the sums of Z: one pass for a covariance, without cancellation;
              scatter_rounded multiplies float rows in float, and adds up in double
    gram      Z Z' over some columns, centered within the call: for more columns than rows
    project   Z P: scores
    back      Z' Y: the way back
    normal    Z' W Z P in one reading of X: the step of an iteration; normal_rounded: in float
The blocking is that of Goto & van de Geijn 2008, doi:10.1145/1356052.1356053.

Cost: n d^2 flop for `scatter` and n^2 d for `gram` (one triangle each), 2 n d k for `project` and
`back`, 4 n d k for `normal`. The caller guarantees rows of contiguous numbers, work that is zero
where it says so and padded to whole tiles (`tall`, `wide`), and calls short enough for Ctrl-C.
"""

from cython.view cimport contiguous
from libc.math cimport fabs
from libc.stdlib cimport free
from libc.string cimport memcpy

from statfast._core.linalg.products_table cimport products_at, products_kernels
from statfast._core.linalg.sheets cimport (
    MIN_SQUARED, ROUNDING, fetch, load, real, room, sheet_rows, zeros,
)
from statfast._core.tile.rows cimport aligned, number, stride_of
from statfast._core.tile.tiles cimport active, level

cdef const products_kernels *table = products_at(level())

cdef enum:
    SHEET_BYTES = 262144    # of shifted rows that are multiplied together: they stay in cache
    FLOAT_ROWS = 128            # whose float products are added up in float, before it is in double
    MIN_SHEET_ROWS = 64         # of a sheet of `scatter`: sums are read and written once a sheet
    THIN_BYTES = 49152          # of a sheet of `scatter` of few columns
    MIN_PACKED_COLUMNS = 900    # columns from which `scatter` copies its sheet into panels
    PROJECT_SHEET_BYTES = 4096  # of a sheet of `project`: the next one, on its way, is few lines


def broad(Py_ssize_t n):
    """n, in whole tiles of float numbers across."""
    return (n + table.across_float - 1) // table.across_float * table.across_float


def tall(Py_ssize_t m):
    """m, in whole tiles down."""
    return (m + table.rows - 1) // table.rows * table.rows


def wide(Py_ssize_t n):
    """n, in whole tiles across."""
    return (n + table.across - 1) // table.across * table.across


def scatter(
    const number[:, ::contiguous] X,  # IN (n, d)
    const double[::1] weights,      # IN (n,) or None for ones
    const double[::1] shift,        # IN (d,)
    double[:, ::1] total,           # INOUT (tall(d + 1), >= wide(d + 1)) lower tiles += w z z'
):
    """Add rows to the scatter about a shift. A last column of ones makes row d the sums."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], ld = room(table, d + 1), first = 0, some, i, p
    cdef Py_ssize_t nbytes = THIN_BYTES if 8 * ld * MIN_SHEET_ROWS <= THIN_BYTES else SHEET_BYTES
    cdef Py_ssize_t sheet = sheet_rows(table, ld, nbytes, MIN_SHEET_ROWS)
    cdef bint weighted = weights is not None, panelled = d >= MIN_PACKED_COLUMNS
    cdef Py_ssize_t across = table.across, j
    cdef void *block
    cdef double *z
    cdef double *wz
    cdef double *panels
    cdef double *to
    if n == 0:
        return
    block = zeros(sheet * ld * (1 + weighted + panelled))
    with nogil:
        z = <double *>aligned(block)
        wz = z + sheet * ld if weighted else z
        panels = wz + sheet * ld
        for i in range(sheet):
            z[i * ld + d] = 1
        while first < n:
            some = min(sheet, n - first)
            load(table, X, first, some, d, &shift[0], NULL, z, ld)
            fetch(table, X, first + sheet, sheet)
            if weighted:
                for i in range(some):
                    for p in range(d + 1):
                        wz[i * ld + p] = weights[first + i] * z[i * ld + p]
            if panelled:
                for j in range((d + across) // across):
                    to = panels + j * across * sheet
                    for i in range(some):
                        memcpy(to + i * across, z + i * ld + j * across, 8 * across)
                table.inner(wz, ld, d + 1, panels, across, across * sheet, d + 1, some,
                            &total[0, 0], total.shape[1], True)
            else:
                table.inner(wz, ld, d + 1, z, ld, across, d + 1, some,
                            &total[0, 0], total.shape[1], True)
            first += some
    free(block)


def scatter_rounded(
    const float[:, ::contiguous] X,  # IN (n, d)
    const double[::1] shift,        # IN (d,) near the mean
    double[:, ::1] total,           # INOUT (tall(d + 1), >= broad(d + 1)) lower tiles += z z'
):
    """The same of float rows, twice as fast: z is rounded to float, and sums of FLOAT_ROWS rows
    are taken in float, those of the sums in double.

    An entry is off by less than (FLOAT_ROWS + 3) 2**-24 sqrt(G_ii G_jj), 8e-6 (Higham 2002,
    Accuracy and Stability, section 3.1, and Cauchy's inequality). Roundings of n rows that have
    nothing to do with each other nearly cancel: 1e-9 of 1e5 rows.
    """
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], ld = (room(table, d + 1) + 15) // 16 * 16
    cdef Py_ssize_t first = 0, some, i, across = table.across_float
    cdef void *block
    cdef float *z
    if n == 0:
        return
    ld = max(ld, (d + across) // across * across) + 16
    block = zeros(FLOAT_ROWS * ld // 2 + 1)
    with nogil:
        z = <float *>aligned(block)
        for i in range(FLOAT_ROWS):
            z[i * ld + d] = 1
        while first < n:
            some = min(FLOAT_ROWS, n - first)
            table.shift_float(&X[first, 0], stride_of(X), some, d, &shift[0], NULL, z, ld)
            fetch(table, X, first + FLOAT_ROWS, FLOAT_ROWS)
            table.inner_float(z, ld, d + 1, z, ld, across, d + 1, some,
                              &total[0, 0], total.shape[1], True)
            first += some
    free(block)


def gram(
    const number[:, ::contiguous] X,  # IN (n, d) of all rows some columns
    const double[::1] share,        # IN (n,) w / sum of w
    const double[::1] root,         # IN (n,) by which centered rows are multiplied, or None
    const double[::1] shift,        # IN (d,) near the mean; it is taken off first
    bint center,
    double[::1] mean,               # OUT (d,) weighted mean of x, or 0 without centering
    double[::1] spread,             # OUT (d,) square root of the sum of share (x - mean)^2
    bint standardize,               # divide columns by it; those without spread become 0
    bint rounded,                   # to float, of which 128 products are added up in float
    double[:, ::1] total,           # INOUT (tall(n), >= broad(n)) lower tiles += z z'
):
    """Add columns to the Gram matrix of centered rows.

    Of rounded numbers an entry is off by less than 131 2**-24 sqrt(G_ii G_jj), 8e-6.
    """
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], ld = room(table, d), i, p, down = tall(n)
    cdef Py_ssize_t columns = broad(n)
    cdef double by
    cdef void *block = zeros(down * ld * (1 + rounded) + columns * d)
    cdef double *z
    cdef double *panels
    cdef float *zf
    with nogil:
        z = <double *>aligned(block)
        panels = z + down * ld * (1 + rounded)
        zf = <float *>(z + down * ld)
        load(table, X, 0, n, d, &shift[0], NULL, z, ld)
        for p in range(d):
            mean[p] = spread[p] = 0
        if center:
            table.add(z, ld, n, d, &share[0], &mean[0])
            for i in range(n):
                for p in range(d):
                    z[i * ld + p] -= mean[p]
            for p in range(d):
                mean[p] += shift[p]
        table.add_squares(z, ld, n, d, &share[0], &spread[0])
        for p in range(d):
            spread[p] = spread[p] ** 0.5
        if standardize or root is not None:
            for i in range(n):
                by = root[i] if root is not None else 1
                for p in range(d):
                    z[i * ld + p] *= by
                    if standardize and spread[p] > max(MIN_SQUARED, ROUNDING * fabs(mean[p])):
                        z[i * ld + p] /= spread[p]
                    elif standardize:
                        z[i * ld + p] = 0
        if rounded:
            for i in range(n):
                for p in range(d):
                    zf[i * ld + p] = <float>z[i * ld + p]
            active().f32.pack(zf, ld, n, d, <float *>panels)
            table.outer_float(zf, ld, n, <float *>panels, n, d, &total[0, 0], total.shape[1],
                              True, True)
        else:
            active().f64.pack(z, ld, n, d, panels)
            table.outer(z, ld, n, panels, n, d, &total[0, 0], total.shape[1], True, True)
    free(block)


def project(
    const number[:, ::contiguous] X,  # IN (n, d)
    const double[::1] shift,        # IN (d,)
    const double[:, ::1] P,         # IN (k, d) the columns to multiply by, as rows
    real[:, ::1] out,               # OUT (n, k) Z P'; float numbers are rounded once
):
    """Scores of rows. Returns whether all are finite.

    float scores of float rows are products of rounded numbers, added up in float 128 at a time:
    off by less than 131 * 2**-24, 8e-6, of |z| |p| (Higham 2002, section 3.1).
    """
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], k = P.shape[0], ld = room(table, d), some
    cdef Py_ssize_t columns = broad(k), first = 0, i
    cdef Py_ssize_t sheet = sheet_rows(table, ld, PROJECT_SHEET_BYTES, table.rows)
    cdef double broken = 0
    cdef void *block
    cdef double *z
    cdef double *y
    cdef double *panels
    cdef float *rounded
    if n == 0 or k == 0:
        return True
    block = zeros(sheet * ld + columns * d + sheet * columns + k * d)
    with nogil:
        z = <double *>aligned(block)
        panels = z + sheet * ld
        y = panels + columns * d
        if number is float and real is float:
            rounded = <float *>(y + sheet * columns)
            for i in range(k * d):
                rounded[i] = <float>(&P[0, 0])[i]
            active().f32.pack(rounded, d, k, d, <float *>panels)
        else:
            active().f64.pack(&P[0, 0], d, k, d, panels)
        while first < n:
            some = min(sheet, n - first)
            if number is float and real is float:
                table.shift_float(&X[first, 0], stride_of(X), some, d, &shift[0], NULL,
                                  <float *>z, ld)
                fetch(table, X, first + sheet, sheet)
                table.outer_float(<float *>z, ld, some, <float *>panels, k, d, y, columns,
                                  False, False)
            else:
                load(table, X, first, some, d, &shift[0], NULL, z, ld)
                fetch(table, X, first + sheet, sheet)
                table.outer(z, ld, some, panels, k, d, y, columns, False, False)
            if real is double:
                broken += table.give_f64(y, columns, some, k, &out[first, 0], k)
            else:
                broken += table.give_f32(y, columns, some, k, &out[first, 0], k)
            first += some
    free(block)
    return broken == 0


def back(
    const number[:, ::contiguous] X,  # IN (n, d)
    const double[::1] shift,        # IN (d,)
    const double[:, ::1] Y,         # IN (n, wide(k)) zero beyond k
    double[:, ::1] total,           # INOUT (tall(d), wide(k)) += Z' Y
):
    """Add up the rows of Y, each times a row of Z."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], k = Y.shape[1], ld = room(table, d), some
    cdef Py_ssize_t sheet = sheet_rows(table, ld, SHEET_BYTES, 2 * table.rows), first = 0
    cdef void *block = zeros(sheet * ld)
    cdef double *z
    with nogil:
        z = <double *>aligned(block)
        while first < n:
            some = min(sheet, n - first)
            load(table, X, first, some, d, &shift[0], NULL, z, ld)
            table.inner(z, ld, d, &Y[first, 0], k, table.across, k, some, &total[0, 0], k, False)
            first += some
    free(block)


def normal(
    const number[:, ::contiguous] X,  # IN (n, d)
    const double[::1] weights,      # IN (n,) or None for ones
    const double[::1] shift,        # IN (d,)
    const double[::1] scale,        # IN (d,) or None for ones
    const double[:, ::1] P,         # IN (k, d)
    double[:, ::1] total,           # INOUT (tall(d), wide(k)) += Z' W Z P'
):
    """One step of the iteration with Z' W Z."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], k = P.shape[0], ld = room(table, d), some
    cdef Py_ssize_t sheet = sheet_rows(table, ld, SHEET_BYTES, 2 * table.rows), first = 0, i, j
    cdef Py_ssize_t columns = wide(k)
    cdef const double *by = NULL if scale is None else &scale[0]
    cdef void *block
    cdef double *z
    cdef double *y
    cdef double *panels
    block = zeros(sheet * ld + columns * d + sheet * columns)
    with nogil:
        z = <double *>aligned(block)
        panels = z + sheet * ld
        y = panels + columns * d
        active().f64.pack(&P[0, 0], d, k, d, panels)
        while first < n:
            some = min(sheet, n - first)
            load(table, X, first, some, d, &shift[0], by, z, ld)
            table.outer(z, ld, some, panels, k, d, y, columns, False, False)
            if weights is not None:
                for i in range(some):
                    for j in range(k):
                        y[i * columns + j] *= weights[first + i]
            table.inner(z, ld, d, y, columns, table.across, k, some, &total[0, 0], columns, False)
            first += some
    free(block)


def normal_rounded(
    const float[:, ::contiguous] X,  # IN (n, d)
    const double[::1] shift,        # IN (d,)
    const double[::1] scale,        # IN (d,) or None for ones
    const double[:, ::1] P,         # IN (k, d)
    double[:, ::1] total,           # INOUT (tall(d), broad(k)) += Z' Z P'
):
    """The same of float rows, twice as fast: Z, P and Z P' are rounded to float, and FLOAT_ROWS
    products at a time are added up in float: off by less than 16e-6 |Z|^2 |P|, mostly far less."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], k = P.shape[0], first = 0, some, i
    cdef Py_ssize_t columns = broad(k), across = table.across_float, ld = room(table, d)
    cdef Py_ssize_t sheet = min(FLOAT_ROWS // table.rows * table.rows,
                                sheet_rows(table, ld // 2, SHEET_BYTES, 2 * table.rows))
    cdef const double *by = NULL if scale is None else &scale[0]
    cdef void *block
    cdef float *z
    cdef float *rounded
    cdef float *panels
    cdef double *y
    block = zeros(sheet * columns + sheet * columns + sheet * ld + columns * d + k * d)
    with nogil:
        y = <double *>aligned(block)
        rounded = <float *>(y + sheet * columns)
        panels = rounded + sheet * columns
        z = panels + columns * d
        for i in range(k * d):
            z[i] = <float>(&P[0, 0])[i]
        active().f32.pack(z, d, k, d, panels)
        while first < n:
            some = min(sheet, n - first)
            table.shift_float(&X[first, 0], stride_of(X), some, d, &shift[0], by, z, ld)
            table.outer_float(z, ld, some, panels, k, d, y, columns, False, False)
            for i in range(some * columns):
                rounded[i] = <float>y[i]
            table.inner_float(z, ld, d, rounded, columns, across, k, some, &total[0, 0], columns,
                              False)
            first += some
    free(block)
