# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""The data and the rules by which a tree is grown, as arrays that are bound once (cart/cart.h).

The caller guarantees ranks and labels in range.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t

import numpy as np


cdef class Columns:
    """The columns of a problem; keeps their arrays alive."""


def dense_columns(
    const uint8_t[:, ::1] codes,     # IN (p, n) rank >> shift
    ranks,                           # IN (p, n) uint16 or uint32
    by_row,                          # IN (n, p) the same, or None
    const double[:, ::1] rows,       # IN (n, p) values, for random splits; or None
    const int32_t[::1] shift,        # IN (p,)
    const int32_t[::1] missing,      # IN (p,) the rank of missing values, or -1
    const double[::1] values,        # IN distinct values of columns
    const int64_t[::1] first,        # IN (p + 1,) where those of a column begin
    const int32_t[::1] categories,   # IN (p,) how many, 0: numbers; or None
):
    """Columns with a value for each row."""
    cdef const uint16_t[:, ::1] ranks16
    cdef const uint32_t[:, ::1] ranks32
    cdef Columns columns = Columns()
    cdef cart_problem *t = &columns.t
    columns.arrays = codes, ranks, by_row, rows, shift, missing, values, first, categories
    t.p, t.n = codes.shape[0], codes.shape[1]
    t.codes = &codes[0, 0]
    if ranks.dtype == np.uint16:
        ranks16 = ranks
        t.ranks16 = &ranks16[0, 0]
        if by_row is not None:
            ranks16 = by_row
            t.by_row16 = &ranks16[0, 0]
    else:
        ranks32 = ranks
        t.ranks32 = &ranks32[0, 0]
        if by_row is not None:
            ranks32 = by_row
            t.by_row32 = &ranks32[0, 0]
    t.by_row = NULL if rows is None else &rows[0, 0]
    t.shift = &shift[0]
    t.missing = &missing[0]
    t.values = &values[0] if values.shape[0] else NULL
    t.first = &first[0]
    t.categories = NULL if categories is None else &categories[0]
    t.most = 0 if categories is None else np.max(categories)
    t.words = (t.most + 63) // 64
    t.plain = categories is None and np.max(missing) < 0
    return columns


def sparse_columns(
    const int64_t[::1] of_column,    # IN (p + 1,) where the values of columns begin
    const int32_t[::1] row,          # IN (entries,) by column, in the order of ranks
    const uint32_t[::1] rank,        # IN (entries,)
    const int64_t[::1] of_row,       # IN (n + 1,) where the values of rows begin
    const int32_t[::1] column,       # IN (entries,) by row, ascending
    const uint32_t[::1] row_rank,    # IN (entries,)
    const int32_t[::1] zero,         # IN (p,) the rank of zeros
    const int32_t[::1] missing,      # IN (p,) the rank of missing values, or -1
    const double[::1] values,        # IN distinct values of columns
    const int64_t[::1] first,        # IN (p + 1,) where those of a column begin
):
    """Columns whose zeros are left out."""
    cdef Columns columns = Columns()
    cdef cart_problem *t = &columns.t
    columns.arrays = (of_column, row, rank, of_row, column, row_rank, zero, missing, values,
                      first)
    t.p, t.n = zero.shape[0], of_row.shape[0] - 1
    t.sparse.of_column, t.sparse.of_row, t.sparse.zero = &of_column[0], &of_row[0], &zero[0]
    if row.shape[0]:
        t.sparse.row, t.sparse.rank = &row[0], &rank[0]
        t.sparse.column, t.sparse.row_rank = &column[0], &row_rank[0]
    t.missing, t.values, t.first = &missing[0], &values[0], &first[0]
    t.plain = np.max(missing) < 0
    return columns


cdef class Problem:
    """Columns, targets and rules for stopping; keeps its arrays alive."""

    def __cinit__(
        self,
        Columns columns,
        const int32_t[:, ::1] label,     # IN (n, outputs), or None
        const int32_t[::1] classes,      # IN (outputs,) how many, or None
        const double[:, ::1] y,          # IN (n, outputs), or None
        const uint32_t[:, ::1] y_rank,   # IN (n, outputs) ranks of y for medians, or None
        const double[::1] xlogx,         # IN x log2 x of integers, or None
        const int8_t[::1] monotone,      # IN (p,) -1, 0, 1; or None
        const int64_t[::1] cases,        # IN (n,) weights of rows to surrogates, or None
        dict rules,
    ):
        cdef cart_problem *t = &self.t
        self.t = columns.t
        self.arrays = columns, label, classes, y, y_rank, xlogx, monotone, cases
        t.label = NULL if label is None else &label[0, 0]
        t.y = NULL if y is None else &y[0, 0]
        t.y_rank = NULL if y_rank is None else &y_rank[0, 0]
        t.outputs = y.shape[1] if label is None else label.shape[1]
        t.classes = NULL if label is None else &classes[0]
        t.channels = t.outputs if label is None else np.sum(classes)
        if xlogx is not None:
            t.xlogx, t.tabulated = &xlogx[0], xlogx.shape[0]
        t.monotone = NULL if monotone is None else &monotone[0]
        t.criterion, t.total_weight = rules["criterion"], rules["total_weight"]
        t.randomized, t.in_order = rules["randomized"], rules["in_order"]
        t.min_split, t.min_leaf = rules["min_split"], rules["min_leaf"]
        t.max_features, t.max_depth = rules["max_features"], rules["max_depth"]
        t.min_weight, t.min_decrease = rules["min_weight"], rules["min_decrease"]
        t.cases = NULL if cases is None else &cases[0]
        t.known_only, t.surrogates = rules["known_only"], rules["surrogates"]

    def width(self):
        """The number of columns."""
        return self.t.p


cpdef bint sorts(Problem problem):
    """Whether columns are searched by sorting."""
    cdef const cart_problem *t = &problem.t
    return t.sparse.zero != NULL or t.outputs > 1 or t.monotone != NULL or t.channels > 64 or (
        t.criterion >= 4 or (t.ranks16 == NULL and t.n >= 1 << 25))
