# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Rules from item sets: a set divided into an antecedent and a consequent.

Sets are looked up in a hash table of their items. Consequents of a set grow by items that follow
their last. As the antecedent shrinks its support grows, so that with a least confidence none of the
larger consequents is tried once one falls short (R. Agrawal and R. Srikant 1994).

Cost: two look-ups for each division that is tried; for the improvement of a rule, two for each part
of its antecedent. The caller guarantees sets of ascending items, all different.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memset

cdef enum:
    MAX_ITEMS = 62          # of a set, so that its parts can be numbered
    ABSENT = -1


cdef class SetTable:
    """Item sets by their items; `rules` and `improve` go on where they were left."""

    cdef const Py_ssize_t[::1] start
    cdef const int32_t[::1] items
    cdef const double[::1] mass
    cdef Py_ssize_t *slot
    cdef uint64_t mask
    cdef Py_ssize_t chosen[MAX_ITEMS + 2]  # places of the items of the consequent
    cdef Py_ssize_t n_chosen
    cdef readonly Py_ssize_t set    # that `rules` is at
    cdef readonly Py_ssize_t rule   # that `improve` is at
    cdef uint64_t part
    cdef double best

    def __cinit__(
        self,
        const Py_ssize_t[::1] start,    # IN (M + 1,)
        const int32_t[::1] items,       # IN
        const double[::1] mass,         # IN (M,) counts or weights
    ):
        cdef Py_ssize_t n = start.shape[0] - 1
        cdef uint64_t size = 4
        self.start, self.items, self.mass = start, items, mass
        while size < 2 * <uint64_t>n:
            size *= 2
        self.mask = size - 1
        self.slot = <Py_ssize_t *>malloc(size * sizeof(Py_ssize_t))
        if self.slot == NULL:
            raise MemoryError
        memset(self.slot, 255, size * sizeof(Py_ssize_t))

    def enter(self, Py_ssize_t first, Py_ssize_t stop):
        """Enter some sets: all are, before they are looked up."""
        cdef Py_ssize_t k
        cdef uint64_t at
        with nogil:
            for k in range(first, stop):
                at = hashed(&self.items[self.start[k]], self.start[k + 1] - self.start[k])
                at &= self.mask
                while self.slot[at] != ABSENT:
                    at = (at + 1) & self.mask
                self.slot[at] = k

    def __dealloc__(self):
        free(self.slot)

    cdef Py_ssize_t _find(self, const int32_t *items, Py_ssize_t n) noexcept nogil:
        cdef uint64_t at = hashed(items, n) & self.mask
        cdef Py_ssize_t k
        while self.slot[at] != ABSENT:
            k = self.slot[at]
            if self.start[k + 1] - self.start[k] == n and memcmp(
                    &self.items[self.start[k]], items, n * sizeof(int32_t)) == 0:
                return k
            at = (at + 1) & self.mask
        return ABSENT

    def rules(
        self,
        double budget,                  # items to look at
        Py_ssize_t max_consequents,
        double min_confidence,
        Py_ssize_t[:, ::1] out,         # OUT (rules, 3) set, antecedent and consequent
    ):
        """The next rules; -1 if a part of a set is no set of the table."""
        cdef Py_ssize_t n = self.start.shape[0] - 1, n_out = 0
        with nogil:
            while self.set < n and n_out >= 0 and budget > 0 and n_out < out.shape[0]:
                budget -= self.start[self.set + 1] - self.start[self.set]
                n_out = self._divide(max_consequents, min_confidence, out, n_out)
        return n_out

    cdef Py_ssize_t _divide(
        self, Py_ssize_t max_consequents, double min_confidence, Py_ssize_t[:, ::1] out,
        Py_ssize_t n_out,
    ) noexcept nogil:
        """Take the next division of the set; go on to the next set after the last."""
        cdef const int32_t *items = &self.items[self.start[self.set]]
        cdef Py_ssize_t n = self.start[self.set + 1] - self.start[self.set]
        cdef Py_ssize_t antecedent, consequent, i, k = 0
        cdef int32_t left[MAX_ITEMS]
        cdef int32_t right[MAX_ITEMS]
        cdef bint holds
        if n < 2:
            self.set = self.set + 1
            return n_out
        if self.n_chosen == 0:
            self.chosen[0], self.n_chosen = 0, 1
        for i in range(n):
            if k < self.n_chosen and self.chosen[k] == i:
                right[k] = items[i]
                k += 1
            else:
                left[i - k] = items[i]
        antecedent, consequent = self._find(left, n - k), self._find(right, k)
        if antecedent < 0 or consequent < 0:
            return -1
        holds = self.mass[self.set] / self.mass[antecedent] >= min_confidence
        if holds:
            out[n_out, 0], out[n_out, 1], out[n_out, 2] = self.set, antecedent, consequent
            n_out += 1
        if holds and k < max_consequents and k + 1 < n and self.chosen[k - 1] + 1 < n:
            self.chosen[k] = self.chosen[k - 1] + 1
            self.n_chosen = self.n_chosen + 1
            return n_out
        while self.n_chosen:
            self.chosen[self.n_chosen - 1] = self.chosen[self.n_chosen - 1] + 1
            if self.chosen[self.n_chosen - 1] < n:
                return n_out
            self.n_chosen = self.n_chosen - 1
        self.set = self.set + 1
        return n_out

    def improve(
        self,
        double budget,                  # items to look at
        const Py_ssize_t[:, ::1] rules,     # IN (rules, 3)
        double total,                   # count or weight of all baskets
        double[::1] best,               # OUT (rules,) the greatest confidence of more general ones
    ):
        """Go on through rules; -1 if a part of a set is no set of the table."""
        cdef Py_ssize_t status = 0, k
        with nogil:
            while self.rule < rules.shape[0] and budget > 0 and status == 0:
                k = rules[self.rule, 0]
                budget -= 2 * (self.start[k + 1] - self.start[k])
                status = self._shorten(rules[self.rule, 1], rules[self.rule, 2], total, best)
        return status

    cdef Py_ssize_t _shorten(
        self, Py_ssize_t antecedent, Py_ssize_t consequent, double total, double[::1] best,
    ) noexcept nogil:
        """Try the next part of the antecedent, the empty one first."""
        cdef Py_ssize_t n = self.start[antecedent + 1] - self.start[antecedent]
        cdef Py_ssize_t m = self.start[consequent + 1] - self.start[consequent]
        cdef const int32_t *x = &self.items[self.start[antecedent]]
        cdef const int32_t *y = &self.items[self.start[consequent]]
        cdef int32_t left[MAX_ITEMS]
        cdef int32_t both[2 * MAX_ITEMS]
        cdef Py_ssize_t i, j = 0, k = 0, a, b
        cdef double confidence
        for i in range(n):
            if self.part >> i & 1:
                while j < m and y[j] < x[i]:
                    both[k + j] = y[j]
                    j += 1
                left[k] = both[k + j] = x[i]
                k += 1
        while j < m:
            both[k + j] = y[j]
            j += 1
        if k == 0:
            confidence = self.mass[consequent] / total
            self.best = confidence
        else:
            a, b = self._find(left, k), self._find(both, k + m)
            if a < 0 or b < 0:
                return -1
            confidence = self.mass[b] / self.mass[a]
            self.best = max(self.best, confidence)
        self.part = self.part + 1
        if self.part == (<uint64_t>1 << n) - 1:
            best[self.rule] = self.best
            self.part = 0
            self.rule = self.rule + 1
        return 0


cdef inline uint64_t hashed(const int32_t *items, Py_ssize_t n) noexcept nogil:
    """A number that depends on all items: each is mixed in by a product and a shift."""
    cdef uint64_t h = <uint64_t>n
    cdef Py_ssize_t i
    for i in range(n):
        h = (h ^ <uint64_t>items[i]) * <uint64_t>0x9E3779B97F4A7C15
        h ^= h >> 29
    return h ^ h >> 32
