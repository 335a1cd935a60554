# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Building a k-d tree: points are divided at medians of their widest axis, down to full leaves.

Friedman, Bentley & Finkel 1977, doi:10.1145/355744.355745. Deviations: the axis is that in which a
sample of the points spreads most. Points are divided not always in the exact middle, but at the
multiple of the leaf size that makes all leaves full and their places computable (kdtree/tree.pxd).
Of points with equal coordinates the lower numbers go left, so that any number of duplicates is
divided well. Points lie in columns and are moved from one buffer to another and back; each division
reads and writes every column once (kdtree/split.h).

Cost: O(n d log n). Memory: two buffers of n (d + 1) numbers and one of n beside the tree. A call
should not get more than a few million points. The caller guarantees finite rows and buffers of the
right size.
"""

from libc.stdint cimport INT32_MAX, int32_t

from statfast._core.kdtree.query cimport KD_LANES
from statfast._core.tile.rows cimport real
from statfast._core.tile.tiles cimport active


cdef inline Py_ssize_t widest(
    const real *x, Py_ssize_t ld, Py_ssize_t d, Py_ssize_t m
) noexcept nogil:
    if real is float:
        return active().f32.widest(x, ld, d, m)
    else:
        return active().f64.widest(x, ld, d, m)


cdef inline void divide(
    const real *x, real *to, const int32_t *x_id, int32_t *to_id, Py_ssize_t ld, Py_ssize_t d,
    Py_ssize_t m, Py_ssize_t r, real *work,
) noexcept nogil:
    cdef Py_ssize_t axis = widest(x, ld, d, m)
    if real is float:
        active().f32.divide(x, to, x_id, to_id, ld, d, m, r, axis, work)
    else:
        active().f64.divide(x, to, x_id, to_id, ld, d, m, r, axis, work)


cdef inline void seal(
    const real *x, const int32_t *x_id, Py_ssize_t ld, Py_ssize_t d, Py_ssize_t m,
    Py_ssize_t leaf, real *block, int32_t *block_id, real *box,
) noexcept nogil:
    if real is float:
        active().f32.seal(x, x_id, ld, d, m, leaf, block, block_id, box, KD_LANES)
    else:
        active().f64.seal(x, x_id, ld, d, m, leaf, block, block_id, box, KD_LANES)


cdef inline Py_ssize_t left_part(Py_ssize_t leaves) noexcept nogil:
    """The number of leaves that go left: the largest power of two below the number of leaves."""
    cdef Py_ssize_t half = 1
    while 2 * half < leaves:
        half *= 2
    return half


def columns(
    const real[:, :] X,             # IN (n, d) any strides
    Py_ssize_t start,
    Py_ssize_t stop,
    real[:, ::1] x,                 # OUT (d, ld)
    int32_t[::1] x_id,              # OUT (ld,)
):
    """Lay the rows start .. stop - 1 out in columns."""
    cdef Py_ssize_t i, p, d = X.shape[1]
    with nogil:
        for i in range(start, stop):
            x_id[i] = <int32_t>i
            for p in range(d):
                x[p, i] = X[i, p]


def split(
    const real[:, ::1] x,           # IN (d, ld) the points in columns
    const int32_t[::1] x_id,        # IN (ld,)
    real[:, ::1] to,                # OUT (d, ld)
    int32_t[::1] to_id,             # OUT (ld,)
    real[::1] work,                 # OUT (ld,)
    Py_ssize_t leaf,
    Py_ssize_t first,               # the leaves first .. last - 1
    Py_ssize_t last,
    Py_ssize_t n,
):
    """Divide the points of a range of leaves; returns the first leaf of the second part."""
    cdef Py_ssize_t half = left_part(last - first), start = first * leaf
    with nogil:
        divide(&x[0, start], &to[0, start], &x_id[start], &to_id[start], x.shape[1], x.shape[0],
               min(last * leaf, n) - start, half * leaf, &work[start])
    return first + half


cdef void grow(
    real *x, int32_t *x_id, real *to, int32_t *to_id, Py_ssize_t ld, real *work, Py_ssize_t d,
    Py_ssize_t m, Py_ssize_t leaf, Py_ssize_t first, Py_ssize_t leaves,
    real *blocks, int32_t *ids, real *boxes, int32_t *least,
) noexcept nogil:
    """The subtree of m points, whose leaves are first, first + 1, ..."""
    cdef Py_ssize_t half, r
    if leaves == 1:
        seal(x, x_id, ld, d, m, leaf, blocks + first * d * leaf, ids + first * leaf,
             boxes + first // KD_LANES * d * 2 * KD_LANES + first % KD_LANES)
        least[first] = x_id[0]
        return
    half = left_part(leaves)
    r = half * leaf
    divide(x, to, x_id, to_id, ld, d, m, r, work)
    grow(to, to_id, x, x_id, ld, work, d, r, leaf, first, half, blocks, ids, boxes, least)
    grow(to + r, to_id + r, x + r, x_id + r, ld, work, d, m - r, leaf, first + half, leaves - half,
         blocks, ids, boxes, least)


def subtree(
    real[:, ::1] x,                 # INOUT (d, ld) the points in columns
    int32_t[::1] x_id,              # INOUT (ld,)
    real[:, ::1] to,                # OUT (d, ld) work space
    int32_t[::1] to_id,             # OUT (ld,)
    real[::1] work,                 # OUT (ld,)
    Py_ssize_t first,               # the leaves first .. last - 1
    Py_ssize_t last,
    Py_ssize_t n,
    real[:, :, ::1] blocks,         # OUT (leaves, d, leaf)
    int32_t[::1] ids,               # OUT (leaves * leaf,)
    real[:, :, :, ::1] boxes,       # OUT (groups, d, 2, 8) of level 0
    int32_t[:, ::1] least,          # OUT (groups, 8) of level 0
):
    """Divide the points of a range of leaves all the way, and lay out the leaves."""
    cdef Py_ssize_t leaf = blocks.shape[2], start = first * leaf
    with nogil:
        grow(&x[0, start], &x_id[start], &to[0, start], &to_id[start], x.shape[1], &work[start],
             x.shape[0], min(last * leaf, n) - start, leaf, first, last - first,
             &blocks[0, 0, 0], &ids[0], &boxes[0, 0, 0, 0], &least[0, 0])


def enclose(
    real[:, :, :, ::1] boxes,       # INOUT (groups, d, 2, 8)
    int32_t[:, ::1] least,          # INOUT (groups, 8)
    const Py_ssize_t[::1] first,    # IN (levels,)
    Py_ssize_t leaves,
):
    """The boxes of all levels above the leaves, each from those below it."""
    cdef Py_ssize_t d = boxes.shape[1], nodes = leaves, level, node, child, p, group, lane
    cdef real low, high
    cdef int32_t lowest
    with nogil:
        for level in range(1, first.shape[0]):
            nodes = (nodes + KD_LANES - 1) // KD_LANES  # nodes of the level below
            for node in range(nodes):
                child = first[level - 1] + node
                group = first[level] + node // KD_LANES
                lane = node % KD_LANES
                for p in range(d):
                    low = boxes[child, p, 0, 0]
                    high = boxes[child, p, 1, 0]
                    for c in range(1, KD_LANES):
                        low = min(low, boxes[child, p, 0, c])
                        high = max(high, boxes[child, p, 1, c])
                    boxes[group, p, 0, lane] = low
                    boxes[group, p, 1, lane] = high
                lowest = INT32_MAX
                for c in range(KD_LANES):
                    lowest = min(lowest, least[child, c])
                least[group, lane] = lowest
