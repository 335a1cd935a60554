# SPDX-License-Identifier: BSD-3-Clause
"""The k-d tree as its kernels see it: arrays without pointers, in which all places are computed.

Points. The n points are divided at medians until `leaf` or fewer are left (leaf: a multiple of 8).
All leaves but the last are full, so leaf c holds the places c * leaf, c * leaf + 1, ... in the
order of the tree. A leaf is a block of (d, leaf) numbers, coordinate by coordinate, 64-byte
aligned, so that a vector of distances takes d loads. Missing points of the last leaf are at +inf
with the number -1; their distance is inf, and therefore never ``<= DBL_MAX``.
Within a leaf the numbers of the points rise.

Nodes. Eight leaves in sequence are a node of level 0, eight nodes of level h one of level h + 1,
up to one root; a tree of one leaf has a root too. Eight boxes are tested by one vector; a node
stands for three levels of binary division. Node g of level h has the children
8 g .. 8 g + 7 of level h - 1, or leaves where h = 0; those beyond the last one are missing. It is
kept as group ``first[h] + g``:
    boxes[group, p, 0, child]    smallest coordinate p among the points of the child (+inf: missing)
    boxes[group, p, 1, child]    largest (-inf: missing): boxes are tight, nothing is rounded
    least[group, child]          the lowest number of a point in the child: with the distance of the
                                 box it decides whether an equal distance could still win
The levels - 1 is the root's; its group is 0. The points of node g of level h are the places
from g * leaf * 8^(h+1) to that of g + 1 (or n): a contiguous range, so counting needs no visit.

Bounds. The distance of a point to a box is summed in the order in which the distances of points are
(`squared_distances` of tile/rows.pxd), and rounding is monotone. Hence the computed bound is never
above the computed distance of a point inside, and ``bound > r`` prunes exactly, without any slack.
The distance of a missing box is inf.
"""

from statfast._core.kdtree.query cimport kd_tree


cdef class TreeView:
    cdef kd_tree tree
    cdef tuple arrays
    cdef bint single                # whether the points are float32
    cdef int kind                   # of metric
    cdef double p
