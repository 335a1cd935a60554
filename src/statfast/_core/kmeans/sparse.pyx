# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""One step of Lloyd's algorithm over sparse rows, with dense centers.

The scores x.c - |c|^2 / 2 of a row are computed in float64, a nonzero at a time for all centers
(F. G. Gustavson 1978, doi:10.1145/355791.355796). The error of each is at most

    (nonzeros + 8) 2^-53 (|x| |c| + |c|^2).

A row whose two best scores differ by less than twice that and the rounding of the reference is
decided by the differences to all centers, in the order of sums that dense rows have: the labels are
those of float64 arithmetic on the dense rows, the lowest index on ties. Bounds carried from one
step to the next exclude rows (Hamerly 2010, doi:10.1137/1.9781611972801.12).

A squared distance is |x|^2 - 2 score. Where that is less than its error bound, it is measured by
differences as well, so that a row on a center is at distance 0.

Cost: k multiply-adds for each nonzero, and d + k numbers of work space. The caller guarantees
sorted columns without duplicates.
"""

from libc.float cimport DBL_MIN, FLT_MAX, FLT_MIN
from libc.math cimport INFINITY, fmax, sqrt
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from statfast._core.kmeans.exact_nearest cimport nearest
from statfast._core.tile.rows cimport UNIT32, UNIT64, squared_distances
from statfast._core.tile.tiles cimport active, level

cdef extern from "kmeans/sparse_table.h" nogil:
    ctypedef struct sparselloyd_kernels:
        void (*score)(
            const double *value, const int32_t *column, Py_ssize_t n, const double *centers,
            Py_ssize_t ld, const double *begin, double *score
        ) noexcept nogil
    const sparselloyd_kernels *sparselloyd_at(int level)

cdef const sparselloyd_kernels *kernels = sparselloyd_at(level())


cdef struct Sparse:
    const Py_ssize_t *start
    const int32_t *column
    const double *value
    Py_ssize_t d, k, ld
    const double *centers   # (k, d)
    const double *across    # (d, ld) the same, transposed and filled up with zeros
    const double *begin     # (ld,) -|c|^2 / 2
    double reach            # greatest |c|
    double *score           # work space (ld,)
    double *point           # work space (d,), all zeros


cdef double doubt_of(const Sparse *r, Py_ssize_t i, double length) noexcept nogil:
    """A bound on the error of a score of row i, and of half of a distance by differences."""
    cdef double terms = <double>(r.start[i + 1] - r.start[i]) + 8
    return 1.01 * UNIT64 * (
        terms * (length * r.reach + r.reach * r.reach)
        + (r.d + 4) * (length + r.reach) * (length + r.reach)) + r.d * DBL_MIN


cdef void scores(const Sparse *r, Py_ssize_t i) noexcept nogil:
    kernels.score(
        r.value + r.start[i], r.column + r.start[i], r.start[i + 1] - r.start[i],
        r.across, r.ld, r.begin, r.score)


cdef double *fill(const Sparse *r, Py_ssize_t i) noexcept nogil:
    """Row i as a dense one."""
    cdef Py_ssize_t s
    for s in range(r.start[i], r.start[i + 1]):
        r.point[r.column[s]] = r.value[s]
    return r.point


cdef void clear(const Sparse *r, Py_ssize_t i) noexcept nogil:
    cdef Py_ssize_t s
    for s in range(r.start[i], r.start[i + 1]):
        r.point[r.column[s]] = 0


cdef class Rows:
    """Sparse rows as one argument. Keeps their arrays alive."""

    cdef Sparse sparse
    cdef const Py_ssize_t[::1] start
    cdef const int32_t[::1] column
    cdef const double[::1] value, square

    def __cinit__(
        self,
        const Py_ssize_t[::1] start,    # IN (n + 1,)
        const int32_t[::1] column,      # IN (nonzeros,)
        const double[::1] value,        # IN
        const double[::1] square,       # IN (n,) |x|^2
    ):
        self.start, self.column, self.value, self.square = start, column, value, square
        self.sparse.start = &start[0]
        self.sparse.column = &column[0] if column.shape[0] else NULL
        self.sparse.value = &value[0] if value.shape[0] else NULL


cdef class Centers:
    """Centers in the layout for sparse rows, as one argument. Keeps their arrays alive."""

    cdef const double[:, ::1] centers, across
    cdef const double[::1] begin
    cdef double reach

    def __cinit__(
        self,
        const double[:, ::1] centers,   # IN (k, d)
        const double[:, ::1] across,    # IN (d, ld) the same transposed, ld a multiple of 8
        const double[::1] begin,        # IN (ld,) -|c|^2 / 2
        double reach,                   # at least the greatest |c|
    ):
        self.centers, self.across, self.begin, self.reach = centers, across, begin, reach


cdef bint bind(Sparse *r, Rows rows, Centers centers) noexcept:
    """Bind the arrays; returns False if memory runs out."""
    r[0] = rows.sparse
    r.k = centers.centers.shape[0]
    r.d = centers.centers.shape[1]
    r.ld = centers.across.shape[1]
    r.centers = &centers.centers[0, 0]
    r.across = &centers.across[0, 0]
    r.begin = &centers.begin[0]
    r.reach = centers.reach
    r.score = <double *>malloc((r.ld + 2 * r.d + r.k) * sizeof(double))
    if r.score == NULL:
        return False
    r.point = r.score + r.ld
    memset(r.point, 0, r.d * sizeof(double))
    return True


def step(
    Rows rows,
    const double[::1] weights,      # IN (n,) or None
    Centers centers,
    double scale,                   # of the bounds
    int32_t[::1] labels,            # INOUT (n,)
    double[:, ::1] sums,            # INOUT (k, d) or None
    double[::1] total_weight,               # INOUT (k,) or None
    bint changes,                   # whether to add only rows that changed their center
    float[::1] upper,               # INOUT (n,) or None
    float[::1] lower,               # INOUT (n,)
    const float[:, ::1] motion,     # IN (3, k) or None
    int32_t[::1] left,              # work space (n,)
):
    """The same as ``lloyd.step`` for sparse rows."""
    cdef Sparse r
    cdef Py_ssize_t n = labels.shape[0], count = n, j, i, c, moved = 0
    cdef int32_t best, old
    cdef double first, second, doubt, length
    cdef float high, low
    if n == 0:
        return 0
    if not bind(&r, rows, centers):
        raise MemoryError
    cdef const double *square = &rows.square[0]
    with nogil:
        if motion is not None:
            count = active().widen(
                &labels[0], n, &motion[0, 0], &motion[1, 0], &motion[2, 0], &upper[0], &lower[0],
                &left[0])
        for j in range(count):
            i = left[j] if motion is not None else j
            scores(&r, i)
            best = 0
            first = r.score[0]
            second = -INFINITY
            for c in range(1, r.k):
                if r.score[c] > first:
                    second = first
                    first = r.score[c]
                    best = <int32_t>c
                elif r.score[c] > second:
                    second = r.score[c]
            length = sqrt(square[i])
            doubt = doubt_of(&r, i, length)
            if first - second > 2 * doubt:
                high = <float>(
                    sqrt(fmax(0.0, square[i] - 2 * first + 3 * doubt)) * scale * (1 + 4 * UNIT32)
                    + FLT_MIN)
                low = <float>min(
                    <double>FLT_MAX,
                    sqrt(fmax(0.0, square[i] - 2 * second - 3 * doubt)) * scale * (1 - 4 * UNIT32))
            else:
                best = nearest[double](
                    fill(&r, i), r.d, r.centers, r.k, scale, r.point + r.d, r.point + 2 * r.d,
                    &high, &low)
                clear(&r, i)
            if upper is not None:
                upper[i] = high
                lower[i] = low
            old = labels[i]
            if old != best:
                moved += 1
                labels[i] = best
                if sums is not None and changes:
                    if old >= 0:
                        add(&r, i, -1 if weights is None else -weights[i], old, sums, total_weight)
                    add(&r, i, 1 if weights is None else weights[i], best, sums, total_weight)
        if sums is not None and not changes:
            for i in range(n):
                add(&r, i, 1 if weights is None else weights[i], labels[i], sums, total_weight)
    free(r.score)
    return moved


cdef void add(
    const Sparse *r, Py_ssize_t i, double w, int32_t label, double[:, ::1] sums,
    double[::1] total_weight,
) noexcept nogil:
    cdef Py_ssize_t s
    total_weight[label] += w
    for s in range(r.start[i], r.start[i + 1]):
        sums[label, r.column[s]] += w * r.value[s]


def distances(
    Rows rows,
    Centers centers,
    const int32_t[::1] labels,      # IN (n,), or None: of all centers
    double[:, ::1] out,             # OUT (n, k), or with labels (n, 1)
):
    """Squared distances of the rows to centers."""
    cdef Sparse r
    cdef Py_ssize_t i, s, c, n = out.shape[0]
    cdef double d2, doubt, length, dot
    cdef const double *center
    if n == 0:
        return
    if not bind(&r, rows, centers):
        raise MemoryError
    cdef const double *square = &rows.square[0]
    with nogil:
        for i in range(n):
            length = sqrt(square[i])
            doubt = 4 * doubt_of(&r, i, length)
            if labels is None:
                scores(&r, i)
            else:
                center = r.centers + labels[i] * r.d
                dot = r.begin[labels[i]]
                for s in range(r.start[i], r.start[i + 1]):
                    dot += r.value[s] * center[r.column[s]]
                r.score[0] = dot
            for c in range(out.shape[1]):
                d2 = square[i] - 2 * r.score[c]
                if d2 <= doubt:
                    center = r.centers + (c if labels is None else labels[i]) * r.d
                    squared_distances(fill(&r, i), center, r.d, 1, r.d, &d2)
                    clear(&r, i)
                out[i, c] = d2
    free(r.score)
