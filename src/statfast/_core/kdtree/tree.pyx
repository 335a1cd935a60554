# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""A k-d tree (see kdtree/tree.pxd) as one argument of the kernels that search it.

Binding the arrays in each call would take longer than a query of few points. A view keeps its
arrays alive, is not changed by queries and cannot be pickled.
"""

from libc.stdint cimport int32_t

from statfast._core.tile.rows cimport real


cdef void bind(
    TreeView view, const real[:, :, ::1] blocks, const int32_t[::1] ids,
    const real[:, :, :, ::1] boxes, const int32_t[:, ::1] least, const Py_ssize_t[::1] first,
) noexcept:
    view.tree.blocks = &blocks[0, 0, 0]
    view.tree.ids = &ids[0]
    view.tree.boxes = &boxes[0, 0, 0, 0]
    view.tree.least = &least[0, 0]
    view.tree.first = &first[0]
    view.tree.leaves = blocks.shape[0]
    view.tree.d = blocks.shape[1]
    view.tree.leaf = blocks.shape[2]
    view.tree.levels = first.shape[0]
    view.single = sizeof(real) == sizeof(float)


cdef class TreeView:
    """A tree, and the metric in which it is searched."""

    def __cinit__(
        self,
        blocks,                     # IN (leaves, d, leaf) the tree's arrays: see KDArrays
        ids,
        boxes,
        least,
        first,
        Py_ssize_t n,
        int kind,                   # of metric
        double p,
    ):
        self.arrays = blocks, ids, boxes, least, first
        if blocks.itemsize == sizeof(float):
            bind[float](self, blocks, ids, boxes, least, first)
        else:
            bind[double](self, blocks, ids, boxes, least, first)
        self.tree.n = n
        self.kind, self.p = kind, p
