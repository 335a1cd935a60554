# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Columns of a table in whichever order it lies: their products with a vector and with each other.

What coordinate descent needs of the data: X'v for all columns, the Gram matrix of some, and X b for
few. The columns are centered, scaled and weighted on the way, a slab of rows at a time, so that the
table is never copied. Products of columns are made by the register tile from slabs of SLAB_ROWS
rows; sums of slabs are added in their order.

Cost: X'v and X b one read of the columns concerned; a Gram matrix 2 n |I| |J| flop at the rate of
the tile. The caller guarantees finite numbers and columns or rows that are contiguous.
"""

from libc.stdlib cimport free, malloc

from statfast._core.tile.rows cimport aligned, panel_columns, real
from statfast._core.tile.tiles cimport STORE_SCORE, active, level


cdef extern from "linear/columns_table.h" nogil:
    ctypedef struct columns_job:
        const void *x
        bint single
        Py_ssize_t step, n
        const Py_ssize_t *index
        Py_ssize_t k
    ctypedef struct columns_kernels:
        void (*correlate_down)(const columns_job *, const double *, double *) noexcept nogil
        void (*correlate_across)(const columns_job *, const double *, double *) noexcept nogil
        void (*combine_down)(const columns_job *, const double *, double *) noexcept nogil
        void (*combine_across)(const columns_job *, const double *, double *) noexcept nogil
        void (*load)(
            const void *x, bint single, Py_ssize_t n, const double *root, double mean,
            double scale, double *z
        ) noexcept nogil
        double (*dot)(const double *, const double *, Py_ssize_t n) noexcept nogil
        void (*add)(
            const double *part, Py_ssize_t lda, Py_ssize_t k, Py_ssize_t columns, double *out,
            Py_ssize_t ldo
        ) noexcept nogil
    const columns_kernels *columns_at(int level)

cdef const columns_kernels *table = columns_at(level())

cdef enum:
    SLAB_ROWS = 512      # rows of a slab: whole pages of a column, and few sums of slabs
    SLAB_STRIDE = 520    # of a column of them: no power of two
    MAX_TILES_DOWN = 8   # at a time: a slab of their columns stays in the second cache


cdef int require_lines(const real[:, :] X) except -1:
    """Refuse a table of which neither the rows nor the columns are contiguous."""
    cdef Py_ssize_t size = sizeof(real)
    if X.strides[0] != size and X.strides[1] != size and X.shape[1] > 1:
        raise ValueError("X has neither contiguous rows nor contiguous columns")
    return 0


cdef inline columns_job job_of(
    const real[:, :] X, const Py_ssize_t *index, Py_ssize_t k
) noexcept nogil:
    cdef columns_job job
    cdef Py_ssize_t down = X.strides[0] // <Py_ssize_t>sizeof(real)
    job.x = &X[0, 0]
    job.single = real is float
    job.step = X.strides[1] // <Py_ssize_t>sizeof(real) if down == 1 else down
    job.n = X.shape[0]
    job.index = index
    job.k = k
    return job


def correlate(
    const real[:, :] X,          # IN (n, p)
    const double[::1] v,         # IN (n,)
    const Py_ssize_t[::1] index,  # IN (k,) columns, or None for all
    double[::1] out,             # INOUT (k,) += X'v
):
    """Add X'v of some columns."""
    cdef columns_job job
    cdef Py_ssize_t k = X.shape[1] if index is None else index.shape[0]
    if X.shape[0] == 0 or k == 0:
        return
    require_lines(X)
    job = job_of(X, NULL if index is None else &index[0], k)
    with nogil:
        if X.strides[0] == <Py_ssize_t>sizeof(real):
            table.correlate_down(&job, &v[0], &out[0])
        else:
            table.correlate_across(&job, &v[0], &out[0])


def combine(
    const real[:, :] X,          # IN (n, p)
    const Py_ssize_t[::1] index,  # IN (k,)
    const double[::1] coef,      # IN (k,)
    double[::1] out,             # INOUT (n,) += X[:, index] coef
):
    """Add a combination of a few columns."""
    cdef columns_job job
    if X.shape[0] == 0 or index.shape[0] == 0:
        return
    require_lines(X)
    job = job_of(X, &index[0], index.shape[0])
    with nogil:
        if X.strides[0] == <Py_ssize_t>sizeof(real):
            table.combine_down(&job, &coef[0], &out[0])
        else:
            table.combine_across(&job, &coef[0], &out[0])


def gram(
    const real[:, :] X,          # IN (n, p)
    const double[::1] root,      # IN (n,) square roots of the weights
    const double[::1] mean,      # IN (p,)
    const double[::1] scale,     # IN (p,) factors
    const Py_ssize_t[::1] I,     # IN (k,) columns down
    const Py_ssize_t[::1] J,     # IN (m,) columns across
    Py_ssize_t diagonal,         # where in J the columns I begin; m or more if they are others
    double[:, ::1] out,          # INOUT (k, m) += Z_I'Z_J, Z = root (X - mean) scale
    const double[::1] beside=None,  # IN (n,)
    double[:, ::1] aside=None,   # INOUT (2, k) += Z_I'root, Z_I'beside
):
    """Add the products of columns I with columns J: what lies far above the diagonal is left."""
    cdef Py_ssize_t n = X.shape[0], k = I.shape[0], m = min(J.shape[0], diagonal + I.shape[0])
    cdef Py_ssize_t rows = active().rows, wide = panel_columns(<double>0)
    cdef Py_ssize_t first = 0, some, j, i, c, top, low, tall, panels = (m + wide - 1) // wide
    cdef Py_ssize_t high = (k + rows - 1) // rows * rows, most = MAX_TILES_DOWN * rows
    cdef void *room
    cdef double *a
    cdef double *flat
    cdef double *z
    cdef double *panel
    cdef double *part
    cdef double *zero
    if n == 0 or k == 0 or m <= 0:
        return
    require_lines(X)
    room = malloc(64 + sizeof(double) * (
        (high + 2 * wide) * SLAB_STRIDE + panels * wide * SLAB_ROWS + most * wide + most + wide
    ))
    if room == NULL:
        raise MemoryError
    with nogil:
        a = <double *>aligned(room)
        flat = a + (high + wide) * SLAB_STRIDE
        panel = flat + wide * SLAB_STRIDE
        part = panel + panels * wide * SLAB_ROWS
        zero = part + most * wide
        for i in range(most + wide):
            zero[i] = 0
        for i in range((high + 2 * wide) * SLAB_STRIDE):
            a[i] = 0
        while first < n:
            some = min(<Py_ssize_t>SLAB_ROWS, n - first)
            load(X, root, mean, scale, I, 0, k, first, some, a)
            if aside is not None:
                for i in range(k):
                    aside[0, i] += table.dot(a + i * SLAB_STRIDE, &root[first], some)
                    aside[1, i] += table.dot(a + i * SLAB_STRIDE, &beside[first], some)
            for j in range(panels):
                c = min(wide, m - j * wide)
                z = a + (j * wide - diagonal) * SLAB_STRIDE
                if j * wide < diagonal:
                    load(X, root, mean, scale, J, j * wide, c, first, some, flat)
                    z = flat
                active().f64.pack(z, SLAB_STRIDE, c, some, panel + j * wide * SLAB_ROWS)
            low = 0
            while low < k:
                tall = min(most, k - low)
                j = 0
                while j < min(m, diagonal + low + tall):
                    c = min(wide, m - j)
                    top = max(0, j - diagonal - low) // rows * rows
                    active().f64.store(a + (low + top) * SLAB_STRIDE, SLAB_STRIDE, zero, tall - top,
                                       panel + j * SLAB_ROWS, zero, some, STORE_SCORE, 0, part,
                                       wide, c)
                    table.add(part, wide, tall - top, c, &out[low + top, j], out.shape[1])
                    j += wide
                low += most
            first += some
    free(room)


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
            table.load(&X[first, j], real is float, some, w, mean[j], scale[j], z + i * SLAB_STRIDE)
        return
    i = 0
    while i < k:
        group = min(<Py_ssize_t>8, k - i)
        for t in range(some):
            x = &X[first + t, 0]
            for j in range(i, i + group):
                z[j * SLAB_STRIDE + t] = <double>x[index[begin + j] * across]
        for j in range(i, i + group):
            m = mean[index[begin + j]]
            s = scale[index[begin + j]]
            for t in range(some):
                z[j * SLAB_STRIDE + t] = (z[j * SLAB_STRIDE + t] - m) * s * w[t]
        i += group


def center(
    double[:, ::1] G,            # INOUT (p, p) lower triangle of Z'Z about other means; symmetric
    const double[::1] shift,     # IN (p,) means of Z there, times the root of the mass
    const double[::1] scale,     # IN (p,) factors
):
    """The products of columns about their means, and scaled, from those about others."""
    cdef Py_ssize_t p = G.shape[0], i, j, first, stop, low
    cdef double g
    with nogil:
        first = 0
        while first < p:
            stop = min(first + 64, p)
            low = 0
            while low < stop:
                for i in range(first, stop):
                    for j in range(low, min(low + 64, i + 1)):
                        g = (G[i, j] - shift[i] * shift[j]) * scale[i] * scale[j]
                        G[i, j] = g
                        G[j, i] = g
                low += 64
            first = stop
