# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""A boosted tree from integer gradients and codes of 8 bits, grown leaf by leaf.

Ranka & Singh 1998 (CLOUDS: histograms), Chen & Guestrin 2016 (doi:10.1145/2939672.2939785: gains),
Ke et al. 2017 (LightGBM: leaf by leaf; the histogram of the larger child by subtraction), Fisher
1958 (doi:10.1080/01621459.1958.10501479: ordered categories). Deviation: sums are of integers, so
that neither the order of rows nor the number of threads changes a bit (boosting/tree_types.h).
The loops are C, compiled once per instruction-set level; steps are those of a team
(threads/team.h), and the parts of a step depend on the numbers of rows and columns alone.

Cost: O(p) additions for each row of the smaller child of a split, O(256 p) comparisons a node.
Memory: 4 kB for each column and open leaf. A call returns when its budget is spent. Of sparse rows
only what differs from the code of 0 is read: the sum of that code is what the others leave of that
of the node. Their histograms are as long as columns have codes, and a column of too few values in a
node is passed over.

The caller guarantees: codes below `codes` of their column, or 255 where `missing` says so; fewer
than 2^32 rows; sums that do not overflow; room for one node more than twice the splits; no
categories in sparse rows.
"""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from statfast._core.threads.team cimport team, team_of
from statfast._core.tile.tiles cimport level

cdef extern from "boosting/grow_table.h" nogil:
    int HIST_STRIDE, MAX_PARTS, MAX_WAYS
    ctypedef struct bin_sum:
        pass
    ctypedef struct boosted_split:
        pass
    ctypedef struct boosted_node:
        pass
    ctypedef struct growing_node:
        bin_sum *histogram
    ctypedef struct grower:
        ptrdiff_t n, p, stride, width
        const uint8_t *by_row
        const uint8_t *by_column
        const int64_t *of_row
        const int64_t *of_column
        const int32_t *place
        const uint32_t *entry_row
        const uint8_t *entry_code
        const uint8_t *zero
        const int64_t *first
        uint8_t *marks
        ptrdiff_t length
        const bin_sum *sums
        const int32_t *codes
        const uint8_t *missing
        const uint8_t *categorical
        const int8_t *monotone
        const uint8_t *groups
        ptrdiff_t n_groups
        uint32_t *rows
        uint32_t *spare
        double gradient_unit, hessian_unit, l2, row_hessian, rounding, fraction
        int adds_to_expected
        int count_bits
        int64_t least_rows
        ptrdiff_t most_leaves, most_depth
        uint64_t seed
        boosted_node *nodes
        growing_node *growing
        ptrdiff_t n_nodes, n_leaves, n_open, room
        ptrdiff_t *open
        bin_sum **free_histograms
        ptrdiff_t n_free, n_histograms
        bin_sum *partial
        uint8_t *allowed
        uint8_t *spare_columns
        double *predicted
        team *crew
        int64_t *went
        boosted_split *found
    ctypedef struct boosting_grow_kernels:
        int (*grow)(grower *, int, double) noexcept nogil
        void (*add_leaves)(grower *) noexcept nogil
    const boosting_grow_kernels *boosting_grow_at(int level)

cdef const boosting_grow_kernels *kernels = boosting_grow_at(level())


def node_bytes():
    """The size of a node in bytes; its layout is NODE in ensemble/boosting/trees.py."""
    return sizeof(boosted_node)


cdef class Grower:
    """Grows one tree after the other from the same rows. Keeps its arrays alive."""

    cdef grower t
    cdef object arrays

    def __cinit__(self):
        memset(&self.t, 0, sizeof(grower))

    def __init__(
        self,
        tuple coded,                    # IN arrays of `_set_table`, or of `_set_entries`
        const int32_t[::1] codes,       # IN (p,) how many codes there are
        const uint8_t[::1] missing,     # IN (p,)
        const uint8_t[::1] categorical,  # IN (p,)
        const int8_t[::1] monotone,     # IN (p,), or None
        const uint8_t[:, ::1] groups,   # IN columns that may meet, or None
        uint32_t[::1] rows,             # OUT (n,) by leaf
        dict rules,                     # read below
        int64_t[::1] crew,              # INOUT a team
    ):
        cdef grower *t = &self.t
        self.arrays = (coded, codes, missing, categorical, monotone, groups, rows, crew)
        if len(coded) == 3:
            self._set_table(coded[0], coded[1], coded[2])
        else:
            self._set_entries(
                coded[0], coded[1], coded[2], coded[3], coded[4], coded[5], coded[6])
        t.codes = &codes[0]
        t.missing = &missing[0]
        t.categorical = &categorical[0]
        if monotone is not None:
            t.monotone = &monotone[0]
        if groups is not None:
            t.groups = &groups[0, 0]
            t.n_groups = groups.shape[0]
        t.rows = &rows[0]
        t.room = rules["room"]  # nodes
        t.l2 = rules["l2"]
        t.row_hessian = rules["row_hessian"]  # what thresholds of hessians are relative to
        t.rounding = rules["rounding"]  # of a row's gradient and hessian, in units
        # Whether gradient plus hessian of a row is its expected hessian.
        t.adds_to_expected = rules["adds_to_expected"]
        t.least_rows = rules["min_samples_leaf"]
        t.most_leaves = rules["max_leaf_nodes"]  # 0: no limit
        t.most_depth = rules["max_depth"]  # 0: no limit
        t.fraction = rules["fraction"]  # of columns drawn for each node
        t.crew = team_of(crew)
        t.spare = <uint32_t *>malloc(2 * t.n * sizeof(uint32_t))
        t.growing = <growing_node *>malloc(t.room * sizeof(growing_node))
        t.open = <ptrdiff_t *>malloc(t.room * sizeof(ptrdiff_t))
        t.free_histograms = <bin_sum **>malloc(t.room * sizeof(bin_sum *))
        t.partial = <bin_sum *>malloc(MAX_PARTS * t.length * sizeof(bin_sum))
        t.allowed = <uint8_t *>malloc(2 * t.p)
        t.spare_columns = <uint8_t *>malloc(t.p)
        t.went = <int64_t *>malloc(2 * MAX_WAYS * sizeof(int64_t))
        t.found = <boosted_split *>malloc(2 * t.p * sizeof(boosted_split))
        if (
            t.spare == NULL or t.growing == NULL or t.open == NULL or t.free_histograms == NULL
            or t.partial == NULL or t.allowed == NULL or t.spare_columns == NULL
            or t.went == NULL or t.found == NULL or (t.zero != NULL and t.marks == NULL)
        ):
            raise MemoryError

    cdef int _set_table(
        self,
        const uint8_t[:, ::1] by_row,   # IN (n, 8 planes)
        const uint8_t[:, ::1] by_column,  # IN (p, n)
        Py_ssize_t width,               # columns of a plane
    ) except -1:
        cdef grower *t = &self.t
        t.n = by_column.shape[1]
        t.p = by_column.shape[0]
        t.stride = by_row.shape[1]
        t.width = width
        t.by_row = &by_row[0, 0]
        t.by_column = &by_column[0, 0]
        t.length = t.p * HIST_STRIDE

    cdef int _set_entries(
        self,
        const int64_t[::1] of_row,      # IN (n + 1,) where the entries of rows begin
        const int32_t[::1] place,       # IN (entries,) places in histograms, row by row
        const int64_t[::1] of_column,   # IN (p + 1,) where the entries of columns begin
        const uint32_t[::1] row,        # IN (entries,) rows, column by column
        const uint8_t[::1] code,        # IN (entries,) and their codes
        const uint8_t[::1] zero,        # IN (p,) the code of 0, which no entry has
        const int64_t[::1] first,       # IN (p + 1,) where histograms begin
    ) except -1:
        cdef grower *t = &self.t
        t.n = of_row.shape[0] - 1
        t.p = of_column.shape[0] - 1
        t.of_row = &of_row[0]
        t.of_column = &of_column[0]
        if row.shape[0]:
            t.place = &place[0]
            t.entry_row = &row[0]
            t.entry_code = &code[0]
        t.zero = &zero[0]
        t.first = &first[0]
        t.length = first[t.p]
        t.marks = <uint8_t *>calloc(t.n, 1)

    def __dealloc__(self):
        cdef grower *t = &self.t
        cdef ptrdiff_t k
        for k in range(t.n_free):
            free(t.free_histograms[k])
        for k in range(t.n_nodes if t.growing else 0):  # an unfinished tree still has histograms
            free(t.growing[k].histogram)
        free(t.marks)
        free(t.spare)
        free(t.growing)
        free(t.open)
        free(t.free_histograms)
        free(t.partial)
        free(t.allowed)
        free(t.spare_columns)
        free(t.went)
        free(t.found)

    def grow(
        self,
        const double[:, ::1] pairs,     # IN (n, 2) integers: see `fix` of losses.pyx
        double gradient_unit,
        double hessian_unit,
        int count_bits,
        uint64_t seed,
        unsigned char[:, ::1] nodes,    # OUT (room, node_bytes())
        bint begin,                     # begin a new tree, or continue the last one
        double budget,                  # additions, about
    ):
        """Grow a tree or a part of it; returns the number of nodes if it is complete, else 0."""
        cdef grower *t = &self.t
        cdef int done
        t.sums = <const bin_sum *>&pairs[0, 0]
        t.gradient_unit = gradient_unit
        t.hessian_unit = hessian_unit
        t.count_bits = count_bits
        t.seed = seed
        t.nodes = <boosted_node *>&nodes[0, 0]
        with nogil:
            done = kernels.grow(t, begin, budget)
        if done < 0:
            raise MemoryError("histograms of the leaves of a boosted tree")
        return t.n_nodes if done else 0

    def add_leaves(
        self,
        unsigned char[:, ::1] nodes,    # IN those of the last tree
        double[::1] predicted,          # INOUT (n,)
    ):
        """Add the values of the leaves to the predictions of their rows."""
        self.t.nodes = <boosted_node *>&nodes[0, 0]
        self.t.predicted = &predicted[0]
        with nogil:
            kernels.add_leaves(&self.t)
