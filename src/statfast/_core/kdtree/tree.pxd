# SPDX-License-Identifier: BSD-3-Clause
"""The k-d tree as its kernels see it: arrays without pointers, every place computed.

Points. The n points are divided at medians until `leaf` or fewer are left (leaf: a multiple of 8).
All leaves but the last are full, so leaf c holds the places c * leaf, c * leaf + 1, ... in the
order of the tree. A leaf is a block of (d, leaf) numbers, coordinate by coordinate, 64-byte
aligned: one distance of a vector of points is d loads. What is missing in the last leaf are points
at +inf with the number -1, whose distance is inf and which therefore never pass ``<= DBL_MAX``.
Within a leaf the numbers of the points rise.

Nodes. Eight leaves in sequence are a node of level 0, eight nodes of level h one of level h + 1,
up to one root; a tree of one leaf has a root too. (Eight because that many boxes are tested by one
vector; below the root it is three binary divisions.) Node g of level h has the children
8 g .. 8 g + 7 of level h - 1, or leaves where h = 0; those beyond the last one are missing. It is
kept as group ``first[h] + g``:
    boxes[group, p, 0, child]    smallest coordinate p among the points of the child (+inf: missing)
    boxes[group, p, 1, child]    largest (-inf: missing): boxes are tight, nothing is rounded
    least[group, child]          the lowest number of a point in the child: with the distance of the
                                 box it decides whether an equal distance could still win
The levels - 1 is the root's; its group is 0. The points of node g of level h are the places
from g * leaf * 8^(h+1) to that of g + 1 (or n): a contiguous range, so counting needs no visit.

Bounds. The distance of a point to a box is summed in the order in which the distances of points
are (`apart` of tile/rows.pxd), and rounding is monotone: so the bound, as computed, is never above
the distance, as computed, of a point inside, and ``bound > r`` prunes exactly, without any slack.
The distance of a box that is missing is inf.
"""

from libc.stdint cimport int32_t

from statfast._core.kdtree.query cimport KD_LANES, kd_tree
from statfast._core.tile.rows cimport real


cdef inline void bind_tree(
    kd_tree *t, const real[:, :, ::1] blocks, const int32_t[::1] ids,
    const real[:, :, :, ::1] boxes, const int32_t[:, ::1] least, const Py_ssize_t[::1] first,
    Py_ssize_t n,
) noexcept nogil:
    """Point the struct at the bundle's arrays (_distance/kd_tree.py)."""
    t.blocks = &blocks[0, 0, 0]
    t.ids = &ids[0]
    t.boxes = &boxes[0, 0, 0, 0]
    t.least = &least[0, 0]
    t.first = &first[0]
    t.n = n
    t.leaves = blocks.shape[0]
    t.d = blocks.shape[1]
    t.leaf = blocks.shape[2]
    t.levels = first.shape[0]


cdef inline const real *block_of(const kd_tree *t, Py_ssize_t leaf, real example) noexcept nogil:
    """The block (d, leaf) of a leaf; `example` says of which type."""
    return <const real *>t.blocks + leaf * t.d * t.leaf


cdef inline const int32_t *ids_of(const kd_tree *t, Py_ssize_t leaf) noexcept nogil:
    return t.ids + leaf * t.leaf


cdef inline const real *boxes_of(
    const kd_tree *t, Py_ssize_t level, Py_ssize_t node, real example
) noexcept nogil:
    """The boxes (d, 2, 8) of the children of a node."""
    return <const real *>t.boxes + (t.first[level] + node) * t.d * 2 * KD_LANES


cdef inline Py_ssize_t children_of(
    const kd_tree *t, Py_ssize_t level, Py_ssize_t node
) noexcept nogil:
    """How many children the node has; they are 8 node, 8 node + 1, ... of the level below."""
    cdef Py_ssize_t below = t.leaves if level == 0 else nodes_of(t, level - 1)
    return min(<Py_ssize_t>KD_LANES, below - KD_LANES * node)


cdef inline Py_ssize_t nodes_of(const kd_tree *t, Py_ssize_t level) noexcept nogil:
    """How many nodes the level has."""
    cdef Py_ssize_t span = <Py_ssize_t>1 << (3 * (level + 1))
    return (t.leaves + span - 1) // span


cdef inline Py_ssize_t start_of(const kd_tree *t, Py_ssize_t level, Py_ssize_t node) noexcept nogil:
    """The first place of a node (level -1: of a leaf); it ends at start_of(node + 1)."""
    return min(t.n, (node << (3 * (level + 1))) * t.leaf)
