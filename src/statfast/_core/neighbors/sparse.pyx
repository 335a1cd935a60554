# SPDX-License-Identifier: BSD-3-Clause
"""Neighbors among sparse rows, by Euclidean or Manhattan distance.

The terms of a query are added up column by column (F. G. Gustavson 1978,
doi:10.1145/355791.355796). Sums start at the size of each row, sum x^2 or sum |x|; only columns
that a row shares with the query add a term, -2 q x or |q - x| - |q| - |x|. The sums are the
distances less the size of the query, with an error of at most

    c (size of the row + size of the query) + tau,   c = (6 (nonzeros of both) + 32) 2^-53:

every partial sum is at most twice the two sizes; each step rounds a product and a sum, each size
and the reference round once for every nonzero. Rows that this does not exclude are decided by
float64 differences, whose sums have the order of `squared_distances` (tile/rows.pxd); as the zeros
of dense rows add nothing, the bits are those of dense rows. tau bounds the underflow of float64, in
scaled units.

Cost: a multiply-add for every nonzero a query shares a column with, n comparisons, and for each
candidate the nonzeros of both. The caller guarantees sorted columns without duplicates, and values
scaled by a power of two to about 1 where sums of them are made.
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from statfast._core.tile.metric cimport EUCLIDEAN, term
from statfast._core.order.keyed_rows cimport (
    KeyedRow, finish_first, last_key, offer_row, start_first,
)
from statfast._core.tile.rows cimport UNIT64

cdef Py_ssize_t ROWS_AT_A_TIME = 64  # rows compared by vector code, which excludes most of them
cdef double MAX_SUMMED_SIZE = 1e300  # beyond it sums might overflow: every row is a candidate


cdef struct Sparse:  # row i: columns and values at start[i], ..., start[i + 1] - 1
    const Py_ssize_t *start
    const int32_t *column
    const double *value


cdef inline double distance_of_rows(
    const Sparse *a, Py_ssize_t i, const Sparse *b, Py_ssize_t j, Py_ssize_t d, int kind
) noexcept nogil:
    """The reduced distance of row i of a and row j of b, in the order of `squared_distances` for
    dense rows; where b is NULL, that of row i and a row of zeros."""
    cdef double part[8]
    cdef double rest = 0, t
    cdef Py_ssize_t s = a.start[i], s_end = a.start[i + 1], r = 0, r_end = 0, c, whole = d // 8 * 8
    if b != NULL:
        r = b.start[j]
        r_end = b.start[j + 1]
    for c in range(8):
        part[c] = 0
    while s < s_end or r < r_end:
        if r == r_end or (s < s_end and a.column[s] < b.column[r]):
            c = a.column[s]
            t = a.value[s]
            s += 1
        elif s == s_end or b.column[r] < a.column[s]:
            c = b.column[r]
            t = b.value[r]
            r += 1
        else:
            c = a.column[s]
            t = a.value[s] - b.value[r]
            s += 1
            r += 1
        if c < whole:
            part[c % 8] += term(t, kind, 2)
        else:
            rest += term(t, kind, 2)
    return rest + (((part[0] + part[1]) + (part[2] + part[3]))
                   + ((part[4] + part[5]) + (part[6] + part[7])))


cdef inline Sparse bound(
    const Py_ssize_t[::1] start, const int32_t[::1] column, const double[::1] value
) noexcept nogil:
    cdef Sparse rows
    rows.start = &start[0]
    rows.column = &column[0] if column.shape[0] else NULL
    rows.value = &value[0] if value.shape[0] else NULL
    return rows


cdef inline double add_up(
    const Sparse *queries, Py_ssize_t q, double scale, const Sparse *columns, const double *size,
    Py_ssize_t n, int kind, double *sum
) noexcept nogil:
    """sum = the approximate distances of query q less its size; returns the size."""
    cdef Py_ssize_t s, t
    cdef double v, x, own = 0
    memcpy(sum, size, n * sizeof(double))
    for s in range(queries.start[q], queries.start[q + 1]):
        v = queries.value[s] * scale
        own += term(v, kind, 2)
        for t in range(columns.start[queries.column[s]], columns.start[queries.column[s] + 1]):
            x = columns.value[t]
            if kind == EUCLIDEAN:
                sum[columns.column[t]] -= 2 * v * x
            else:
                sum[columns.column[t]] += fabs(v - x) - fabs(v) - fabs(x)
    return own


cdef inline double doubt_of(
    const Sparse *queries, Py_ssize_t q, Py_ssize_t longest
) noexcept nogil:
    return (6 * (queries.start[q + 1] - queries.start[q] + longest) + 32) * UNIT64


cdef inline bint none_below(
    const double *sum, const double *size, Py_ssize_t first, Py_ssize_t stop, double doubt,
    double more, double limit
) noexcept nogil:
    """Whether all lower bounds exceed the limit, with a margin for the exact comparison."""
    cdef Py_ssize_t i
    cdef double low = INFINITY, one
    more *= 1 + 8 * UNIT64
    doubt *= 1 + 8 * UNIT64
    for i in range(first, stop):
        one = sum[i] - doubt * size[i] - more
        low = one if one < low else low
    return low > limit + fabs(limit) * 8 * UNIT64


def sizes(
    const Py_ssize_t[::1] start,    # IN (n + 1,)
    const int32_t[::1] column,      # IN
    const double[::1] value,        # IN
    Py_ssize_t d,
    int kind,
    double[::1] out,                # OUT (n,)
):
    """The reduced distance of each row to a row of zeros."""
    cdef Py_ssize_t i
    cdef Sparse rows = bound(start, column, value)
    with nogil:
        for i in range(out.shape[0]):
            out[i] = distance_of_rows(&rows, i, NULL, 0, d, kind)


cdef class SparseView:
    """The rows among which neighbors are searched for, as one argument. Keeps its arrays alive, and
    cannot be pickled."""

    cdef Sparse rows, columns
    cdef const double *size
    cdef Py_ssize_t n, d, longest
    cdef double scale, tau
    cdef int kind
    cdef tuple arrays

    def __cinit__(
        self,
        const Py_ssize_t[::1] start,    # IN (n + 1,) the rows
        const int32_t[::1] column,      # IN
        const double[::1] value,        # IN
        const Py_ssize_t[::1] c_start,  # IN (d + 1,) the rows, scaled, column by column
        const int32_t[::1] c_row,       # IN
        const double[::1] c_value,      # IN
        const double[::1] size,         # IN (n,) of the scaled rows
        Py_ssize_t longest,             # the most nonzeros of a row
        double scale,
        double tau,
        int kind,
    ):
        self.arrays = start, column, value, c_start, c_row, c_value, size
        self.rows, self.columns = bound(start, column, value), bound(c_start, c_row, c_value)
        self.size, self.n, self.d = &size[0], size.shape[0], c_start.shape[0] - 1
        self.longest, self.scale, self.tau, self.kind = longest, scale, tau, kind


def nearest(
    const Py_ssize_t[::1] q_start,  # IN (m + 1,) the queries
    const int32_t[::1] q_column,    # IN
    const double[::1] q_value,      # IN
    SparseView view,
    double[:, :] distance_out,      # OUT (m, k) reduced distances, ascending
    Py_ssize_t[:, :] row_out,       # OUT (m, k)
):
    """The k nearest rows of each query."""
    cdef Py_ssize_t n = view.n, d = view.d, k = row_out.shape[1]
    cdef Py_ssize_t q, i, c, taken, first, stop
    cdef Sparse queries = bound(q_start, q_column, q_value)
    cdef const Sparse *rows = &view.rows
    cdef const double *size = view.size
    cdef double tau = view.tau
    cdef int kind = view.kind
    cdef double own, doubt, low, limit
    cdef double *sum = <double *>malloc(n * sizeof(double))
    cdef Py_ssize_t *candidate = <Py_ssize_t *>malloc(n * sizeof(Py_ssize_t))
    cdef KeyedRow *nearest_rows = <KeyedRow *>malloc(k * sizeof(KeyedRow))
    if sum == NULL or candidate == NULL or nearest_rows == NULL:
        free(sum)
        free(candidate)
        free(nearest_rows)
        raise MemoryError
    with nogil:
        for q in range(row_out.shape[0]):
            own = add_up(&queries, q, view.scale, &view.columns, size, n, kind, sum)
            doubt = doubt_of(&queries, q, view.longest)
            taken = 0
            start_first(nearest_rows, k)  # of upper bounds
            stop = 0
            while stop < n:
                first = stop
                stop = min(n, first + ROWS_AT_A_TIME)
                if none_below(sum, size, first, stop, doubt, tau + doubt * own,
                              last_key(nearest_rows, k)):
                    continue
                for i in range(first, stop):
                    low = sum[i] - doubt * (size[i] + own) - tau
                    if not low > last_key(nearest_rows, k):
                        candidate[taken] = i
                        taken += 1
                        offer_row(nearest_rows, k, sum[i] + doubt * (size[i] + own) + tau, i)
            limit = last_key(nearest_rows, k)
            if not (own < MAX_SUMMED_SIZE and tau < MAX_SUMMED_SIZE):
                limit = INFINITY
                taken = n
                for i in range(n):
                    candidate[i] = i
            start_first(nearest_rows, k)
            for c in range(taken):
                i = candidate[c]
                if limit == INFINITY or not sum[i] - doubt * (size[i] + own) - tau > limit:
                    offer_row(nearest_rows, k, distance_of_rows(&queries, q, rows, i, d, kind), i)
            finish_first(nearest_rows, k)
            for c in range(k):
                distance_out[q, c] = nearest_rows[c].key
                row_out[q, c] = nearest_rows[c].row
    free(sum)
    free(candidate)
    free(nearest_rows)


def within(
    const Py_ssize_t[::1] q_start,  # IN (m + 1,) the queries
    const int32_t[::1] q_column,    # IN
    const double[::1] q_value,      # IN
    SparseView view,
    Py_ssize_t q,                   # the query
    double limit,                   # reduced
    double[::1] sum,                # OUT (n,) work space
    double[::1] distance_out,       # OUT (n,) filled from the front
    Py_ssize_t[::1] row_out,        # OUT (n,)
):
    """The rows within the limit of one query, by rising number; returns their number."""
    cdef Py_ssize_t n = view.n, d = view.d, i, taken = 0
    cdef Sparse queries = bound(q_start, q_column, q_value)
    cdef const Sparse *rows = &view.rows
    cdef const double *size = view.size
    cdef double tau = view.tau
    cdef int kind = view.kind
    cdef double own, doubt, far, exact
    cdef bint sure
    with nogil:
        own = add_up(&queries, q, view.scale, &view.columns, size, n, kind, &sum[0])
        doubt = doubt_of(&queries, q, view.longest)
        far = limit * (view.scale * view.scale if kind == EUCLIDEAN else view.scale)
        sure = own < MAX_SUMMED_SIZE and tau < MAX_SUMMED_SIZE
        far = far * (1 + 8 * UNIT64) - own
        for i in range(n):
            if not sure or not sum[i] - doubt * (size[i] + own) - tau > far:
                exact = distance_of_rows(&queries, q, rows, i, d, kind)
                if exact <= limit:
                    distance_out[taken] = exact
                    row_out[taken] = i
                    taken += 1
    return taken
