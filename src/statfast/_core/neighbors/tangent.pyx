# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Tangent distances: the distance of two images when each may be transformed a little.

Simard, LeCun & Denker 1993, "Efficient pattern recognition using a new transformation distance",
Advances in Neural Information Processing Systems 5, 50-58; the seven tangents are those of Simard,
LeCun, Denker & Victorri 1998, doi:10.1007/3-540-49430-8_13. With q and x the smoothed images and
the columns of T and S their tangents, each of length 1, the squared distance is

    min over a, b of |x + S b - q - T a|^2 + ridge (|a|^2 + |b|^2).

The ridge, which is an addition to the paper, keeps it continuous where tangents vanish or coincide.

The normal equations of the 14 unknowns are solved by blocks. Once for each query, Cholesky gives
L L' = T'T + ridge I and U = T L'^-1: moving q takes (U'r)(U'r)' from the products r r' of any r.
For each pair, of the matrix W = [S, x - q] of eight columns,

    W'W + ridge diag(1, .., 1, 0) - (U'W)'(U'W)

are the products after the motion of q is eliminated. With the first seven columns eliminated as
well, the last pivot is the distance. Tangents of x are computed again for each pair: they cost
about as much as the products, and would take 56 d bytes for each row.

Cost: about (230 + 8 reach) d flop a pair; (40 + 8 reach) d where only q moves. Memory: some 25 d
numbers of double. The caller guarantees: contiguous rows of height * width = d numbers, an odd
number of taps, ids of rows of X, ridge > 0, and at most 0.1 s of pairs a call.
"""

from cython.view cimport contiguous
from libc.math cimport sqrt
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from statfast._core.tile.rows cimport aligned, convert, number, padded, stride_of
from statfast._core.tile.tiles cimport active, level

cdef extern from "neighbors/tangent_table.h" nogil:
    ctypedef struct tangent_kernels:
        void (*smooth)(
            const double *image, Py_ssize_t h, Py_ssize_t w, const double *taps, Py_ssize_t reach,
            double *work, double *out
        ) noexcept nogil
        void (*tangents)(
            const double *f, Py_ssize_t h, Py_ssize_t w, double *out, Py_ssize_t ld
        ) noexcept nogil
        void (*products)(
            const double *a, const double *b, Py_ssize_t columns, Py_ssize_t ld, double *out
        ) noexcept nogil
    const tangent_kernels *tangent_at(int level)

cdef const tangent_kernels *table = tangent_at(level())

ctypedef Py_ssize_t intp


cdef struct Images:
    Py_ssize_t height, width, d, reach
    const double *taps
    Py_ssize_t ld           # the row stride of the two matrices below
    double *U               # (8, ld) of the query; the last row is q
    double *W               # (8, ld) of the pair; the last row is x - q
    double *plain           # (d,) an image
    double *work            # of smoothing
    float *zero             # (d,)


def squared(
    const double[:, ::1] Q,         # IN (m, d) images
    const number[:, ::contiguous] X,  # IN (n, d) images
    const intp[:, :] ids,           # IN (m, c) rows of X to measure each query against
    Py_ssize_t height,              # IN rows of an image
    Py_ssize_t width,               # IN columns of an image
    const double[::1] taps,         # IN (2 reach + 1,) weights of smoothing
    bint both,                      # IN whether both images move, or only those of Q
    double ridge,                   # IN penalty of a unit of motion
    double[:, :] out,               # OUT (m, c) squared tangent distances
):
    """Squared tangent distances of each query to some rows; NaN or infinity where they overflow."""
    cdef Images at
    cdef Py_ssize_t d = height * width, reach = taps.shape[0] // 2, ld = padded(d), i, j
    cdef Py_ssize_t room = 2 * height * (width + 2 * reach) + (height + 2 * reach) * width
    cdef Py_ssize_t ldx = stride_of(X)
    cdef double *block = <double *>malloc((16 * ld + 2 * d + room) * sizeof(double) + 64)
    if block == NULL:
        raise MemoryError
    at.height, at.width, at.d, at.reach, at.taps, at.ld = height, width, d, reach, &taps[0], ld
    at.U = <double *>aligned(block)
    at.W = at.U + 8 * ld
    at.plain = at.W + 8 * ld
    at.zero = <float *>(at.plain + d)
    at.work = at.plain + 2 * d
    with nogil:
        memset(at.U, 0, 16 * ld * sizeof(double))
        memset(at.zero, 0, d * sizeof(float))
        for i in range(ids.shape[0]):
            memcpy(at.plain, &Q[i, 0], d * sizeof(double))
            take_query(&at, ridge)
            for j in range(ids.shape[1]):
                convert(&X[0, 0] + ids[i, j] * ldx, ldx, 1, d, at.zero, 1.0, at.plain, d)
                out[i, j] = distance_both_moved(&at, ridge) if both else distance_unmoved(&at)
    free(block)


cdef inline void smoothed(Images *at, double *out) noexcept nogil:
    table.smooth(at.plain, at.height, at.width, at.taps, at.reach, at.work, out)


cdef void take_query(Images *at, double ridge) noexcept nogil:
    """Compute U for the image in `plain`: its tangents, orthonormal up to the ridge."""
    cdef double G[64]
    cdef double *u
    cdef double *other
    cdef double pivot
    cdef Py_ssize_t i, j, k, p
    cdef double *q = at.U + 7 * at.ld
    smoothed(at, q)
    table.tangents(q, at.height, at.width, at.U, at.ld)
    table.products(at.U, at.U, 8, at.ld, G)
    for i in range(7):
        u = at.U + i * at.ld
        pivot = 1.0 / sqrt(G[9 * i] + ridge)
        for p in range(at.d):
            u[p] *= pivot
        for j in range(i, 7):
            G[8 * i + j] = (G[8 * i + j] + (ridge if i == j else 0.0)) * pivot
        for k in range(i + 1, 7):
            other = at.U + k * at.ld
            for p in range(at.d):
                other[p] -= G[8 * i + k] * u[p]
            for j in range(k, 7):
                G[8 * k + j] -= G[8 * i + k] * G[8 * i + j]


cdef inline void take_difference(Images *at) noexcept nogil:
    """Replace the last row of W, the smoothed image x, by x - q."""
    cdef double *r = at.W + 7 * at.ld
    cdef const double *q = at.U + 7 * at.ld
    cdef Py_ssize_t p
    for p in range(at.d):
        r[p] -= q[p]


cdef double distance_both_moved(Images *at, double ridge) noexcept nogil:
    """The squared distance of the query and the image in `plain` when both may move."""
    cdef double B[64]
    cdef double N[64]
    cdef double share
    cdef Py_ssize_t i, j, k
    cdef double *x = at.W + 7 * at.ld
    smoothed(at, x)
    table.tangents(x, at.height, at.width, at.W, at.ld)
    take_difference(at)
    table.products(at.W, at.W, 8, at.ld, B)
    table.products(at.U, at.W, 8, at.ld, N)
    for i in range(7):
        B[9 * i] += ridge
    for k in range(7):  # the query moves
        for i in range(8):
            for j in range(i, 8):
                B[8 * i + j] -= N[8 * k + i] * N[8 * k + j]
    for k in range(7):  # x moves
        for i in range(k + 1, 8):
            share = B[8 * k + i] / B[9 * k]
            for j in range(i, 8):
                B[8 * i + j] -= share * B[8 * k + j]
    return 0.0 if B[63] < 0.0 else B[63]


cdef double distance_unmoved(Images *at) noexcept nogil:
    """The squared distance of the query, which may move, and the image in `plain`."""
    cdef double N[16]
    cdef double *r = at.W + 7 * at.ld
    cdef double left = 0.0
    cdef Py_ssize_t i
    smoothed(at, r)
    take_difference(at)
    table.products(at.U, at.W + 6 * at.ld, 2, at.ld, N)  # W's other rows are zeros
    active().squared_distances[0](r, at.W + 6 * at.ld, at.ld, 1, at.d, &left)
    for i in range(7):
        left -= N[2 * i + 1] * N[2 * i + 1]
    return 0.0 if left < 0.0 else left
