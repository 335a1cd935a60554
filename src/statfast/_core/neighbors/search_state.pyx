# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""See neighbors/search_state.pxd."""

from libc.stdint cimport int32_t

from statfast._core.tile.rows cimport real
from statfast._core.tile.tiles cimport f32_search, f64_search


cdef void bind(
    search *s, const real[::1] slope, const real[::1] slack, real[::1] level, real[:, ::1] score,
) noexcept:
    if (search is f32_search and real is float) or (search is f64_search and real is double):
        s.slope = &slope[0]
        s.slack = &slack[0]
        s.level = &level[0]
        s.score = &score[0, 0]
        s.capacity = score.shape[1]


cdef class SearchState:
    """The arrays as one argument, for the calls of a search. Keeps them alive."""

    def __cinit__(
        self,
        Py_ssize_t k,
        slope,                      # INOUT float32 or float64, as the others are
        slack,                      # INOUT
        level,                      # INOUT
        int32_t[:, ::1] count,      # INOUT
        score,                      # INOUT
        int32_t[:, ::1] row,        # INOUT
    ):
        self.arrays = slope, slack, level, score
        self.count, self.row = count, row
        self.filled = row.shape[0]
        if slope.itemsize == sizeof(float):
            bind[f32_search, float](&self.f32, slope, slack, level, score)
        else:
            bind[f64_search, double](&self.f64, slope, slack, level, score)
        self.f32.k = self.f64.k = k
        self.f32.spare = self.f64.spare = spare_of(k)
        self.f32.count = self.f64.count = &count[0, 0]
        self.f32.full = self.f64.full = &count[1, 0]
        self.f32.row = self.f64.row = &row[0, 0]

    def exclude_same_part(
        self,
        const int32_t[::1] part,        # IN (m',) the part of each query
        const int32_t[::1] row_part,    # IN (n,) of all rows
    ):
        """From now on, rows of a query's own part are not its candidates."""
        self.part, self.row_part = part, row_part
        self.f32.part = self.f64.part = &part[0]
        self.f32.row_part = self.f64.row_part = &row_part[0]
