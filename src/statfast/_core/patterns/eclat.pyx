# SPDX-License-Identifier: BSD-3-Clause
"""The item sets that many baskets have in common, found depth first.

Eclat (M. J. Zaki 2000, doi:10.1109/69.846291): a set is extended by each item that follows its
last, and the baskets of both are intersected. Baskets are bits: 64 of them are intersected and
counted by an instruction each. Two things keep the vectors short. The baskets of a first item are
numbered anew, read from the rows or moved together; and so are those of a longer set where they
are few of those that the vectors have, for all items that still follow. Closed and maximal sets are
found without a look at those found before: extensions.pxd says how.

Deviation: no diffsets, as the difference of two vectors of bits is as long as their intersection.

Cost: for a set and each item that may extend it one pass over its words. Memory: a bit for each
basket and item of the longest first vectors, about a third more for shorter ones, and a vector for
each item of the set.

The caller guarantees items numbered from the rarest to the most frequent, all of them frequent,
rows of ascending items, baskets of positive weight, and room for the longest set that there is.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from statfast._core.patterns.extensions cimport extend
from statfast._core.patterns.first_items cimport read_rows
from statfast._core.patterns.search_state cimport (
    eclat_at,
    eclat_kernels,
    frame,
    lay_out,
    require,
    search,
    set_all,
    universe,
)
from statfast._core.tile.tiles cimport level

cdef const eclat_kernels *kernels = eclat_at(level())

FREQUENT, CLOSED, MAXIMAL = range(3)
DONE, MORE, TOO_LARGE = range(3)


cdef class Search:
    """A search for the sets whose first items are some in a row; `run` goes on with it."""

    cdef search state
    cdef object arrays

    def __cinit__(
        self,
        rows,                           # (row_start, row_item, tid_start, tid), or None
        const uint64_t[:, ::1] vectors,     # IN (m, words) the baskets of items, or None
        const int32_t[::1] counts,      # IN (m,) baskets of items
        const double[::1] weights,      # IN (n,) of baskets, or None
        const double[::1] masses,       # IN (m,) weights of items, or None
        Py_ssize_t kind,                # FREQUENT, CLOSED or MAXIMAL
        minimum,                        # (least number of baskets, least weight)
        Py_ssize_t max_length,
        longest,                        # (baskets, items of the longest)
        first_items,                    # (first, stop)
        size_t limit,                   # bytes that may be taken
    ):
        cdef Py_ssize_t m = counts.shape[0], j, n = longest[0]
        cdef search *s = &self.state
        cdef const Py_ssize_t[::1] row_start, tid_start
        cdef const int32_t[::1] row_item, tid
        cdef bint failed
        self.arrays = rows, vectors, weights
        s.kernels, s.from_rows, s.weighted = kernels, rows is not None, weights is not None
        s.kind, s.max_length, s.limit = kind, max_length, limit
        s.min_count, s.min_mass = minimum
        s.weight = &weights[0] if s.weighted else NULL
        s.n_frames = min(<Py_ssize_t>longest[1], max_length) + 2
        s.frames = <frame *>calloc(s.n_frames, sizeof(frame))
        s.worlds = <universe *>calloc(s.n_frames, sizeof(universe))
        if s.frames == NULL or s.worlds == NULL:
            raise MemoryError
        cdef frame *root = &s.frames[0]
        cdef universe *world = &s.worlds[0]
        if s.from_rows:
            row_start, row_item, tid_start, tid = rows
            s.row_start, s.tid_start = &row_start[0], &tid_start[0]
            s.row_item, s.tid = &row_item[0], &tid[0]
        else:
            world.vectors = <uint64_t *>&vectors[0, 0]
            world.weight = <double *>s.weight
            world.words, world.bits = vectors.shape[1], n
        failed = require(s, &world.room, m * sizeof(int32_t))
        failed = failed or require(s, &s.scratch, (m + 1) * (16 + (8 if s.weighted else 0)))
        if failed or lay_out(s, root, world.words, m, 0):
            raise MemoryError
        memset(s.scratch.bytes, 0, s.scratch.size)
        s.mass = <double *>s.scratch.bytes
        s.prefix = <int32_t *>(s.mass + (m + 1 if s.weighted else 0))
        s.number = s.prefix + m + 1
        s.touched = s.number + m + 1
        world.item = <int32_t *>world.room.bytes
        set_all(root.baskets, world.bits)
        for j in range(m):
            root.candidate[j], root.count[j], world.item[j] = <int32_t>j, counts[j], <int32_t>j
            if s.weighted:
                root.mass[j] = masses[j]
        root.n_candidates = m
        root.next, root.stop = first_items

    def __dealloc__(self):
        cdef Py_ssize_t i
        cdef search *s = &self.state
        if s.frames != NULL and s.worlds != NULL:
            for i in range(s.n_frames):
                free(s.frames[i].room.bytes)
                free(s.worlds[i].room.bytes)
        free(s.frames)
        free(s.worlds)
        free(s.scratch.bytes)

    @property
    def wanted(self):
        """Bytes that the search needs, if they are too many."""
        return self.state.wanted

    def run(
        self,
        double budget,                  # words to count
        int32_t[::1] items,             # OUT sets, one after another; more than m
        int32_t[::1] lengths,           # OUT of the sets
        int32_t[::1] counts,            # OUT baskets of the sets
        double[::1] masses,             # OUT weights of the sets, or None
    ):
        """Go on until the budget or the room is used up.

        Returns DONE, MORE or TOO_LARGE, and the number of sets and of their items.
        """
        cdef Py_ssize_t status
        cdef search *s = &self.state
        s.out_items, s.out_lengths, s.out_counts = &items[0], &lengths[0], &counts[0]
        s.out_masses = &masses[0] if masses is not None else NULL
        s.n_items = s.n_sets = 0
        s.budget = budget
        with nogil:
            status = go_on(s, items.shape[0], lengths.shape[0])
        return status, s.n_sets, s.n_items


cdef Py_ssize_t go_on(search *s, Py_ssize_t room, Py_ssize_t room_sets) noexcept nogil:
    """The deepest set is extended by its next candidate, until none is left."""
    cdef frame *f
    cdef int failed
    while s.depth >= 0:
        f = &s.frames[s.depth]
        if f.next == f.stop:
            s.depth -= 1
            continue
        # A set may have all its candidates, or be followed by one more that has one item.
        if (s.budget <= 0 or s.n_sets + 1 > room_sets
                or s.n_items + f.length + f.n_candidates - f.next + 1 > room):
            return 1
        if s.depth == 0 and s.from_rows:
            failed = read_rows(s, f.next)
        else:
            f.next += 1
            failed = extend(s, f, f.next - 1)
        if failed:
            return 2
    return 0
