# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""The best split of all rows into two, for weights of classes: a stump, round after round.

Iba & Langley 1992 ("Induction of one-level decision trees",
doi:10.1016/B978-1-55860-247-2.50035-8). Bounds for what lies within a code follow Alsabti, Ranka &
Singh 1998 (CLOUDS). Weights of rows become integers below 2^(62 - log2 n), so that sums are exact,
whatever the order. Ties go to the lowest column, then to the lowest rank.

Cost: O(n p) additions for each pair of classes, and O(n) for each of the few codes whose bound
exceeds the best score. The caller guarantees ranks whose high bits are the codes, no missing
values, no more than 1000 columns, and some weight.
"""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from statfast._core.threads.team cimport team, team_of
from statfast._core.tile.tiles cimport level

cdef extern from "boosting/stump_table.h" nogil:
    int HIST_STRIDE, MAX_PARTS, BY_GINI, BY_ERROR, CODE_SPANS
    ctypedef struct bin_sum:
        int64_t gradient
        int64_t hessian_count
    ctypedef struct boosted_node:
        int64_t count
    ctypedef struct growing_node:
        bin_sum *histogram
    ctypedef struct grower:
        ptrdiff_t n, p, stride, width
        const uint8_t *by_row
        const int32_t *codes
        uint32_t *rows
        boosted_node *nodes
        growing_node *growing
        bin_sum *partial
        ptrdiff_t length
        team *crew
    ctypedef struct stump_cut:
        double score
        int64_t rank
    ctypedef struct stump_job:
        grower t
        ptrdiff_t n_classes, n_pairs
        int criterion
        bin_sum *pairs
        bin_sum *histograms
        const int32_t *shift
        const void *ranks
        int wide
        const uint32_t *order
        const int64_t *start
        const int64_t *total
        stump_cut *cut
        stump_cut *inner
        int failed
    ctypedef struct boosting_stump_kernels:
        void (*best)(stump_job *) noexcept nogil
    const boosting_stump_kernels *boosting_stump_at(int level)

cdef const boosting_stump_kernels *kernels = boosting_stump_at(level())
CRITERIA = {"gini": BY_GINI, "error": BY_ERROR}

ctypedef fused rank_t:
    uint16_t
    uint32_t


def by_row(
    const uint8_t[:, ::1] codes,    # IN (p, n)
    Py_ssize_t width,               # columns of a plane
    Py_ssize_t begin,               # rows
    Py_ssize_t stop,
    uint8_t[:, ::1] out,            # OUT (n, 8 planes)
):
    """Codes of some rows, row by row."""
    cdef Py_ssize_t i, j, start
    with nogil:
        for start in range(begin, stop, 64):
            for j in range(codes.shape[0]):
                for i in range(start, min(start + 64, stop)):
                    out[i, 8 * (j // width) + j % width] = codes[j, i]


def by_code(
    const uint8_t[::1] codes,       # IN (n,) of a column
    uint32_t[::1] order,            # OUT (n,) rows by code, ascending within one
    int64_t[::1] start,             # OUT (257,) where those of a code begin
):
    """Sort the rows by their codes."""
    cdef Py_ssize_t i
    cdef int64_t[256] place
    with nogil:
        memset(&start[0], 0, 257 * sizeof(int64_t))
        for i in range(codes.shape[0]):
            start[codes[i] + 1] += 1
        for i in range(256):
            start[i + 1] += start[i]
            place[i] = start[i]
        for i in range(codes.shape[0]):
            order[place[codes[i]]] = <uint32_t>i
            place[codes[i]] += 1


def reweigh(
    double[::1] weight,             # INOUT (n,)
    const rank_t[::1] ranks,        # IN (n,) of the column of the stump
    const int32_t[::1] label,       # IN (n,)
    int64_t rank,                   # rows of ranks up to it go left; -1: all go right
    int left,                       # class predicted there
    int right,
    double factor,                  # of the weights of rows predicted wrongly
    double[:, ::1] votes,           # INOUT (n, K): gain `vote` for the class predicted
    double vote,
    const double[::1] first,        # IN (n,) weights of rows at first
):
    """Multiply the weights of misclassified rows. Returns the sum of the weights, and the sum of
    the first weights of the rows that the votes misclassify."""
    cdef Py_ssize_t i, k, n = weight.shape[0], classes = votes.shape[1]
    cdef double total = 0.0, lost = 0.0
    cdef double[2] by
    cdef double[2] wrong
    cdef double *own
    cdef int said, best
    by[0] = 1.0
    by[1] = factor
    wrong[0] = 0.0
    wrong[1] = 1.0
    with nogil:
        for i in range(n):
            # Without a branch, as it is unpredictable.
            said = right + (left - right) * (<int64_t>ranks[i] <= rank)
            weight[i] *= by[said != label[i]]
            total += weight[i]
            own = &votes[0, 0] + classes * i
            own[said] += vote
            best = 0
            for k in range(1, classes):
                best = <int>k if own[k] > own[best] else best
            lost += first[i] * wrong[best != label[i]]
    return total, lost


def around(
    const rank_t[::1] ranks,        # IN (n,)
    const double[::1] weight,       # IN (n,)
    int64_t rank,
):
    """The last rank up to this one, and the first one beyond it, of rows with weight."""
    cdef Py_ssize_t i
    cdef int64_t below = -1, above = 2 ** 62, r
    with nogil:
        for i in range(weight.shape[0]):
            r = ranks[i]
            if weight[i] > 0.0:
                if r <= rank:
                    below = max(below, r)
                else:
                    above = min(above, r)
    return below, above


cdef class Stumps:
    """Searches for stumps among the same rows, with other weights each time."""

    cdef stump_job s
    cdef boosted_node node
    cdef growing_node growing
    cdef object arrays
    cdef const int32_t[::1] label
    cdef int64_t[::1] totals

    def __cinit__(self):
        memset(&self.s, 0, sizeof(stump_job))

    def __init__(
        self,
        const uint8_t[:, ::1] rows,     # IN (n, 8 planes) from `by_row`
        const uint32_t[:, ::1] order,   # IN (p, n) from `by_code`
        const int64_t[:, ::1] start,    # IN (p, 257)
        Py_ssize_t width,
        const uint16_t[:, ::1] narrow,  # IN (p, n) ranks, or None
        const uint32_t[:, ::1] wide,    # IN (p, n) ranks, or None
        const int32_t[::1] shift,       # IN (p,)
        const int32_t[::1] codes,       # IN (p,) how many codes there are
        const int32_t[::1] label,       # IN (n,)
        int64_t[::1] totals,            # OUT (K,) weights of classes, as integers
        str criterion,
        int64_t[::1] crew,              # INOUT a team
    ):
        cdef stump_job *s = &self.s
        cdef Py_ssize_t n = rows.shape[0], p = order.shape[0], i
        self.arrays = (rows, order, start, narrow, wide, shift, codes, totals, crew)
        self.label = label
        self.totals = totals
        s.t.n = n
        s.t.p = p
        s.t.stride = rows.shape[1]
        s.t.width = width
        s.t.by_row = &rows[0, 0]
        s.t.codes = &codes[0]
        s.t.nodes = &self.node
        s.t.growing = &self.growing
        s.t.crew = team_of(crew)
        self.node.count = n
        s.n_classes = totals.shape[0]
        s.n_pairs = (s.n_classes + 1) // 2
        s.criterion = CRITERIA[criterion]
        s.shift = &shift[0]
        s.wide = narrow is None
        if s.wide:
            s.ranks = &wide[0, 0]
        else:
            s.ranks = &narrow[0, 0]
        s.order = &order[0, 0]
        s.start = &start[0, 0]
        s.total = &totals[0]
        s.t.rows = <uint32_t *>malloc(n * sizeof(uint32_t))
        s.t.length = p * HIST_STRIDE
        s.t.partial = <bin_sum *>malloc(MAX_PARTS * s.t.length * sizeof(bin_sum))
        s.pairs = <bin_sum *>malloc(s.n_pairs * n * sizeof(bin_sum))
        s.histograms = <bin_sum *>malloc(s.n_pairs * p * HIST_STRIDE * sizeof(bin_sum))
        s.cut = <stump_cut *>malloc(p * sizeof(stump_cut))
        s.inner = <stump_cut *>malloc(p * CODE_SPANS * sizeof(stump_cut))
        if (
            s.t.rows == NULL or s.t.partial == NULL or s.pairs == NULL or s.histograms == NULL
            or s.cut == NULL or s.inner == NULL
        ):
            raise MemoryError
        for i in range(n):
            s.t.rows[i] = <uint32_t>i

    def __dealloc__(self):
        free(self.s.t.rows)
        free(self.s.t.partial)
        free(self.s.pairs)
        free(self.s.histograms)
        free(self.s.cut)
        free(self.s.inner)

    def search(
        self,
        const double[::1] weight,       # IN (n,)
        double scale,                   # integers per unit of weight
    ):
        """(column, rank) of the best stump; rank -1 if no column has two values with weight."""
        cdef stump_job *s = &self.s
        cdef Py_ssize_t i, j, n = s.t.n, best = 0
        cdef int64_t mass
        cdef int64_t *flat = <int64_t *>s.pairs
        cdef int k
        with nogil:
            memset(s.pairs, 0, s.n_pairs * n * sizeof(bin_sum))
            memset(&self.totals[0], 0, s.n_classes * sizeof(int64_t))
            for i in range(n):
                mass = <int64_t>(weight[i] * scale + 0.5)
                k = self.label[i]
                self.totals[k] += mass
                flat[2 * ((k >> 1) * n + i) + (k & 1)] = mass
            kernels.best(s)
            for j in range(1, s.t.p):
                if s.cut[j].score > s.cut[best].score:
                    best = j
        if s.failed:
            raise MemoryError("the weights of classes by rank")
        return best, s.cut[best].rank

    def left_masses(
        self,
        Py_ssize_t column,
        int64_t rank,
        int64_t[::1] out,               # OUT (K,) weights of classes of the rows up to it
    ):
        """The weights of the classes on the left side of a split, as integers."""
        cdef Py_ssize_t i, n = self.s.t.n, at = column * n
        cdef const int64_t *flat = <const int64_t *>self.s.pairs
        cdef int64_t goes
        cdef int k
        with nogil:
            memset(&out[0], 0, out.shape[0] * sizeof(int64_t))
            for i in range(n):
                if self.s.wide:
                    goes = <int64_t>(<const uint32_t *>self.s.ranks)[at + i] <= rank
                else:
                    goes = <int64_t>(<const uint16_t *>self.s.ranks)[at + i] <= rank
                k = self.label[i]
                out[k] += flat[2 * ((k >> 1) * n + i) + (k & 1)] & -goes
