# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""The best conjunctions of conditions by the quality of the rows that they cover.

Depth first (S. Wrobel 1997, doi:10.1007/3-540-63223-9_108): of the refinements of a conjunction by
one condition, those are followed whose bound reaches the quality of the last of the best so far. A
bound is tight: the quality of the best part of the covered rows (H. Grosskreutz, S. Rueping and S.
Wrobel 2008, doi:10.1007/978-3-540-87479-9_47). A conjunction is refined by the conditions that were
better bounded than its own last one, which makes each set of conditions once.

Conditions are sets of rows, bits in words of 64. For a nominal target, rows of the target stand in
the words before `split`; for a numeric one, rows descend by it.

Cost: words of bits for each conjunction evaluated, an operation a row with weights. The caller
guarantees that bits of no row are 0, that weights are 0 there, and `depth` from 1 to 32.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from statfast._core.tile.tiles cimport level

cdef extern from "patterns/subgroup_search_table.h" nogil:
    ctypedef struct subgroup_sums:
        double rows, weight, sum, high, low
    ctypedef struct subgroup_search_kernels:
        void (*count)(
            const uint64_t *a, const uint64_t *b, Py_ssize_t split, Py_ssize_t words,
            subgroup_sums *out
        ) noexcept nogil
        void (*weigh)(
            const uint64_t *a, const uint64_t *b, Py_ssize_t split, Py_ssize_t words,
            const double *weight, subgroup_sums *out
        ) noexcept nogil
        void (*deviate)(
            const uint64_t *a, const uint64_t *b, Py_ssize_t words, const double *weight,
            const double *deviation, double exponent, int both, subgroup_sums *out
        ) noexcept nogil
    const subgroup_search_kernels *subgroup_search_at(int level)

cdef extern from "patterns/subgroup_quality.h" nogil:
    ctypedef struct subgroup_measure:
        int kind, both, nominal
        double total, share, exponent, scale
    double subgroup_quality(const subgroup_measure *measure, const subgroup_sums *sums)
    double subgroup_bound(const subgroup_measure *measure, const subgroup_sums *sums)
cdef extern from "patterns/subgroup_refinement.h" nogil:
    ctypedef struct refinement:
        double bound, rows
        int32_t condition
    void sort_refinements(refinement *refinements, Py_ssize_t n)
    void sort_conditions(const int32_t *conditions, Py_ssize_t n, int32_t *out)

cdef const subgroup_search_kernels *kernels = subgroup_search_at(level())

cdef double SLACK = 1e-9  # of bounds, relative: more than what sums over parts are rounded by


cdef class SubgroupSearch:
    """A search below one condition, or the refinements of one conjunction."""

    cdef const uint64_t[:, ::1] conditions
    cdef const int32_t[::1] groups
    cdef const double[::1] weight, deviation
    cdef Py_ssize_t words, split, depth, most
    cdef bint distinct
    cdef subgroup_measure measure
    cdef double least_rows, least_quality
    cdef public double threshold  # what others have reached
    cdef double[::1] quality
    cdef double[::1] rows_of
    cdef int32_t[:, ::1] chosen_of  # ascending, then -1
    cdef int32_t[::1] length, place
    cdef uint64_t[:, ::1] cover_of
    cdef Py_ssize_t count
    cdef uint64_t[:, ::1] cover
    cdef int32_t[::1] chosen
    cdef double[::1] rows_at
    cdef object buffers
    cdef refinement *refinements  # (depth + 1, conditions)
    cdef Py_ssize_t[::1] n_refinements, cursor, position, n_candidates
    cdef Py_ssize_t at, root, width
    cdef bint only_root

    def __init__(
        self,
        const uint64_t[:, ::1] conditions,  # IN (conditions, words)
        const int32_t[::1] groups,          # IN (conditions,) a conjunction has one of a group
        const double[::1] weight,           # IN (64 words,) or None for ones
        const double[::1] deviation,        # IN (64 words,) or None for a nominal target
        const Py_ssize_t[::1] counts,       # IN split, depth, most, kind, both, distinct
        const double[::1] numbers,          # IN total, share, exponent, scale, least rows, quality
    ):
        self.conditions, self.groups = conditions, groups
        self.weight, self.deviation = weight, deviation
        self.words = conditions.shape[1]
        self.width = conditions.shape[0]
        self.split, self.depth, self.most = counts[0], counts[1], counts[2]
        self.distinct = counts[5]
        self.measure = subgroup_measure(
            counts[3], counts[4], deviation is None, numbers[0], numbers[1], numbers[2], numbers[3]
        )
        self.least_rows, self.least_quality = numbers[4], numbers[5]
        self.threshold = -INFINITY
        self.quality = np.empty(self.most)
        self.rows_of = np.empty(self.most)
        self.chosen_of = np.full((self.most, self.depth), -1, np.int32)
        self.length = np.empty(self.most, np.int32)
        self.place = np.arange(self.most, dtype=np.int32)
        self.cover_of = np.empty((self.most, self.words if self.distinct else 0), np.uint64)
        self.count = 0
        self.cover = np.empty((self.depth + 2, self.words), np.uint64)
        self.chosen = np.empty(self.depth + 1, np.int32)
        self.rows_at = np.empty(self.depth + 1)
        self.buffers = np.empty((self.depth + 1) * self.width * sizeof(refinement), np.uint8)
        cdef unsigned char[::1] address = self.buffers
        self.refinements = <refinement *> &address[0]
        self.n_refinements = np.zeros(self.depth + 1, np.intp)
        self.n_candidates = np.zeros(self.depth + 1, np.intp)
        self.cursor = np.zeros(self.depth + 1, np.intp)
        self.position = np.zeros(self.depth + 1, np.intp)

    def refine(
        self,
        const uint64_t[::1] cover,    # IN (words,) of the conjunction
        const int32_t[::1] chosen,    # IN (length,) its conditions
        double rows,                  # IN their rows; infinity has all refinements evaluated
    ):
        """Begin with the refinements of one conjunction, which are not refined themselves."""
        cdef Py_ssize_t i
        self.only_root = True
        self.at = self.root = chosen.shape[0]
        for i in range(self.at):
            self.chosen[i] = chosen[i]
        self.cover[self.at, :] = cover
        self.rows_at[self.at] = rows
        self._open(self.width)

    def begin(
        self,
        const int32_t[::1] conditions,  # IN (m,) by their bounds, descending
        const double[::1] bounds,       # IN (m,)
        const double[::1] rows,         # IN (m,) covered by each
        Py_ssize_t first,               # IN the condition below which is searched
    ):
        """Begin below one condition, with those before it."""
        cdef Py_ssize_t i
        self.only_root = False
        for i in range(conditions.shape[0]):
            self.refinements[i] = refinement(bounds[i], rows[i], conditions[i])
        self.position[0] = first
        self.chosen[0] = conditions[first]
        self.cover[1, :] = self.conditions[conditions[first]]
        self.rows_at[1] = rows[first]
        self.at = self.root = 1
        self._open(first)

    def run(self, Py_ssize_t budget):
        """Evaluate until the budget of words and rows is used up; whether the search is done."""
        cdef bint done
        with nogil:
            done = self._run(budget)
        return done

    def refined(self):
        """The refinements that `refine` has kept: conditions, bounds and rows, by their bounds."""
        cdef Py_ssize_t i, n = self.n_refinements[self.root]
        cdef refinement *kept = self.refinements + self.root * self.width
        conditions = np.array([kept[i].condition for i in range(n)], np.int32)
        bounds = np.array([kept[i].bound for i in range(n)], np.float64)
        return conditions, bounds, np.array([kept[i].rows for i in range(n)], np.float64)

    def best(self):
        """The best: quality, rows, conditions; the best of them first."""
        cdef Py_ssize_t i
        order = np.asarray(self.place)[: self.count]
        chosen = np.asarray(self.chosen_of)
        conditions = [tuple(chosen[i, : self.length[i]].tolist()) for i in order]
        return np.asarray(self.quality)[order], np.asarray(self.rows_of)[order], conditions

    # ------------------------------------------------------------ the search
    cdef void _open(self, Py_ssize_t candidates) noexcept nogil:
        self.cursor[self.at] = 0
        self.n_refinements[self.at] = 0
        self.n_candidates[self.at] = candidates
        self.position[self.at] = -1

    cdef bint _run(self, Py_ssize_t budget) noexcept nogil:
        cdef refinement *kept
        cdef Py_ssize_t at
        while True:
            at = self.at
            kept = self.refinements + at * self.width
            if self.cursor[at] < self.n_candidates[at]:
                budget -= self._evaluate_next(at, kept)
                if budget < 0:
                    return False
                continue
            if self.position[at] < 0:
                sort_refinements(kept, self.n_refinements[at])
                self.position[at] = 0
                if self.only_root:
                    return True
            else:
                self.position[at] = self.position[at] + 1
            if at + 1 >= self.depth or self.position[at] >= self.n_refinements[at]:
                if at == self.root:
                    return True
                self.at = self.at - 1
                continue
            self._descend(at, kept[self.position[at]])

    cdef void _descend(self, Py_ssize_t at, refinement child) noexcept nogil:
        cdef Py_ssize_t i
        if self._is_hopeless(child.bound) or self.position[at] == 0:
            return  # The first has no others to be refined by.
        self.chosen[at] = child.condition
        for i in range(self.words):
            self.cover[at + 1, i] = self.cover[at, i] & self.conditions[child.condition, i]
        self.rows_at[at + 1] = child.rows
        self.at = at + 1
        self._open(self.position[at])

    cdef Py_ssize_t _evaluate_next(self, Py_ssize_t at, refinement *kept) noexcept nogil:
        """Evaluate the next refinement, and keep it if it may have good refinements."""
        cdef Py_ssize_t i = self.cursor[at], before
        cdef int32_t condition = i
        cdef refinement *other
        cdef subgroup_sums sums
        cdef double bound
        self.cursor[at] = self.cursor[at] + 1
        if not self.only_root:
            other = self.refinements + (at - 1) * self.width + i
            if self._is_hopeless(other.bound):
                return 1
            condition = other.condition
        for before in range(at):
            if self.groups[self.chosen[before]] == self.groups[condition]:
                return 1
        self._add_up(at, condition, &sums)
        if sums.rows < self.least_rows or not sums.weight > 0.0:
            return self.words
        if self.distinct and sums.rows == self.rows_at[at]:
            return self.words  # The same rows without this condition are there, too.
        self.chosen[at] = condition
        self._offer(at, &sums)
        bound = subgroup_bound(&self.measure, &sums)
        if at + 1 < self.depth and not self._is_hopeless(bound):
            kept[self.n_refinements[at]] = refinement(bound, sums.rows, condition)
            self.n_refinements[at] = self.n_refinements[at] + 1
        return self.words if self.weight is None else self.words + 2 * <Py_ssize_t> sums.rows

    cdef void _add_up(self, Py_ssize_t at, int32_t condition, subgroup_sums *sums) noexcept nogil:
        cdef const uint64_t *a = &self.cover[at, 0]
        cdef const uint64_t *b = &self.conditions[condition, 0]
        if self.deviation is not None:
            kernels.deviate(
                a, b, self.words, &self.weight[0], &self.deviation[0], self.measure.exponent,
                self.measure.both, sums,
            )
        elif self.weight is not None:
            kernels.weigh(a, b, self.split, self.words, &self.weight[0], sums)
        else:
            kernels.count(a, b, self.split, self.words, sums)

    # ------------------------------------------------------------ the best
    cdef bint _is_hopeless(self, double bound) noexcept nogil:
        cdef double last = self.threshold
        if self.count == self.most and self.quality[self.place[self.count - 1]] > last:
            last = self.quality[self.place[self.count - 1]]
        bound *= 1.0 + SLACK
        return bound < last or bound <= self.least_quality

    cdef void _offer(self, Py_ssize_t at, subgroup_sums *sums) noexcept nogil:
        """Take the conjunction of `chosen`, at + 1 conditions, among the best if it is."""
        cdef double quality = subgroup_quality(&self.measure, sums)
        cdef Py_ssize_t k, i, slot, same
        cdef int32_t ids[64]
        if not quality > self.least_quality or quality < self.threshold:
            return
        if self.count == self.most and quality < self.quality[self.place[self.count - 1]]:
            return
        sort_conditions(&self.chosen[0], at + 1, ids)
        if self.distinct:
            for i in range(self.words):
                self.cover[self.depth + 1, i] = (
                    self.cover[at, i] & self.conditions[self.chosen[at], i]
                )
            same = self._same_rows(quality, sums.rows)
            if same >= 0:
                if not self._precedes(quality, at + 1, ids, self.place[same]):
                    return
                self._take_out(same)
        k = self.count
        while k > 0 and self._precedes(quality, at + 1, ids, self.place[k - 1]):
            k -= 1
        if k == self.most:
            return
        if self.count < self.most:
            self.count = self.count + 1
        slot = self.place[self.count - 1]
        for i in range(self.count - 1, k, -1):
            self.place[i] = self.place[i - 1]
        self.place[k] = slot
        self.quality[slot] = quality
        self.rows_of[slot] = sums.rows
        self.length[slot] = at + 1
        for i in range(at + 1):
            self.chosen_of[slot, i] = ids[i]
        if self.distinct:
            memcpy(&self.cover_of[slot, 0], &self.cover[self.depth + 1, 0], self.words * 8)

    cdef bint _precedes(
        self, double quality, Py_ssize_t length, const int32_t *ids, Py_ssize_t slot
    ) noexcept nogil:
        """Whether a conjunction is before one of the best: by quality, length, conditions."""
        cdef Py_ssize_t i
        if quality != self.quality[slot]:
            return quality > self.quality[slot]
        if length != self.length[slot]:
            return length < self.length[slot]
        for i in range(length):
            if ids[i] != self.chosen_of[slot, i]:
                return ids[i] < self.chosen_of[slot, i]
        return False

    cdef Py_ssize_t _same_rows(self, double quality, double rows) noexcept nogil:
        """The place of the one of the best with the rows of the last cover, or -1."""
        cdef Py_ssize_t k, i, slot
        for k in range(self.count):
            slot = self.place[k]
            if self.quality[slot] != quality or self.rows_of[slot] != rows:
                continue
            for i in range(self.words):
                if self.cover_of[slot, i] != self.cover[self.depth + 1, i]:
                    break
            else:
                return k
        return -1

    cdef void _take_out(self, Py_ssize_t place) noexcept nogil:
        cdef Py_ssize_t i
        cdef int32_t slot = self.place[place]
        for i in range(place, self.count - 1):
            self.place[i] = self.place[i + 1]
        self.count = self.count - 1
        self.place[self.count] = slot
