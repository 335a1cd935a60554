# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Exact k nearest neighbors by brute force.

The scores of all rows are computed by the tile family, in bytes (neighbors/quantized.pyx) or
float32 where that suffices, else in float64. Its threshold-and-append epilogue keeps for every
query the rows that may be among its k nearest, within a proven bound on the error of a score
(tile/product/tile.h). The distances of those few are then summed in float64 by differences, which
determines the order (distance, index). The idea of not storing the distance matrix is that of
GSKNN: Yu, Huang, Austin, Xiao & Biros 2015, doi:10.1145/2807591.2807601.

A search is ``begin`` (queries packed), any number of ``scan`` calls over ranges of rows, and
``recheck``. Queries that float32 or float64 scores cannot decide within the candidates' capacity
(many rows at nearly one distance) are left to the caller, which uses ``distances`` of
distance/pairwise.pyx and ``nearest`` for them. ``direct`` is for few queries among few rows, by
differences alone.

Cost: 2 m n d flop; memory for each query 8 (2 k + 64) bytes and the packed query. The caller
guarantees rows of contiguous numbers, 1 <= k <= n and n below 2^31.
"""

from cython.view cimport contiguous
from libc.float cimport DBL_MAX, FLT_MAX
from libc.math cimport INFINITY, pow
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from statfast._core.neighbors.score_error cimport kappa_of, size_of, square_of
from statfast._core.tile.metric cimport EUCLIDEAN, HAVERSINE, MANHATTAN, MINKOWSKI
from statfast._core.order.keyed_rows cimport (
    KeyedRow, comes_before, finish_first, last_key, offer_row, sort_rows, start_first,
)
from statfast._core.tile.rows cimport (
    UNIT64, aligned, reduced_distances, convert, lay, measure, number, padded, panel_columns, real,
    stride_of,
)
from statfast._core.neighbors.search_state cimport SearchState, admit, raise_group_bounds, tau_of
from statfast._core.tile.tiles cimport FAR_OUT, active, chunk_rows, f32_search, f64_search

cdef extern from "simd/compiler.h":
    void fetch "FETCH" (const void *p) noexcept nogil

cdef enum:
    LINES_AHEAD = 48    # cache lines prefetched of the row whose distance is summed next


cdef void pick(
    const double *distances, Py_ssize_t n, Py_ssize_t k, KeyedRow *nearest_rows
) noexcept nogil:
    """The k nearest of n in order. Rows come by rising index, so that after the first k a row of
    equal distance never precedes one that is kept."""
    cdef Py_ssize_t i
    cdef double limit
    start_first(nearest_rows, k)
    for i in range(k):
        offer_row(nearest_rows, k, distances[i], i)
    limit = last_key(nearest_rows, k)
    for i in range(k, n):
        if distances[i] < limit:
            offer_row(nearest_rows, k, distances[i], i)
            limit = last_key(nearest_rows, k)
    finish_first(nearest_rows, k)


def sizes(
    const number[:, ::contiguous] R,  # IN (n, d)
    const float[::1] origin,        # IN (d,)
    double scale,
    int kind,
    double p,
    float[::1] norm,                # OUT (n,)
):
    """At least the size N of each row, moved and scaled: see tile/product/metric_tile.h."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(R.shape[0]):
            norm[i] = <float>(size_of(&R[i, 0], R.shape[1], &origin[0], scale, kind, p) * 1.000001)


def begin(
    const number[:, ::contiguous] Q,  # IN (m, d)
    const float[::1] origin,        # IN (d,)
    double scale,
    int kind,
    double p,
    double lean,                    # the additional error of haversine scores
    real[::1] panels,               # OUT (m' * d,)
    SearchState state,              # of the type of the panels
):
    """Pack the queries, with the error terms and the thresholds of each."""
    cdef Py_ssize_t m = Q.shape[0], d = Q.shape[1], q, j
    cdef Py_ssize_t across = panel_columns(<real>0)
    cdef bint single = sizeof(real) == sizeof(float)
    cdef double tau, norm, kappa = kappa_of(d, single, kind, p), delta = (d + 4) * UNIT64
    # Beyond `far` the terms of the bound might overflow: such a query is left to the caller.
    cdef double far = FAR_OUT if single else 1e120, highest = FLT_MAX if single else DBL_MAX
    cdef bint known
    cdef real *slope
    cdef real *slack
    if real is float:
        slope, slack = <float *>state.f32.slope, <float *>state.f32.slack
    else:
        slope, slack = <double *>state.f64.slope, <double *>state.f64.slack
    if kind == EUCLIDEAN or kind == HAVERSINE:
        tau = tau_of(d, scale, single) + lean
    else:
        tau = tau_of(d, 1, single)
    if kind == MINKOWSKI:
        delta = 0  # is part of kappa
        tau += d * 2.0 ** -1074 * pow(scale, p)
        far *= far
    with nogil:
        j = 0
        while j < m:
            lay(&Q[j, 0], stride_of(Q), NULL, min(across, m - j), d, &origin[0], scale,
                &panels[j * d], &slope[j])
            j += across
        for q in range(state.filled):
            norm = slope[q]
            if q < m and kind != EUCLIDEAN and kind != HAVERSINE:
                norm = size_of(&Q[q, 0], d, &origin[0], scale, kind, p) * 1.000001
            known = norm < far and tau < far and (norm + d) * kappa < far
            if real is float:
                admit(&state.f32, q, q < m and known, highest)
            else:
                admit(&state.f64, q, q < m and known, highest)
            if not known:
                slope[q] = slack[q] = 0
            elif kind == EUCLIDEAN or kind == HAVERSINE:
                slope[q] = <real>(kappa * norm)
                slack[q] = <real>(delta * norm * norm + tau)
            else:
                slope[q] = <real>((2 if kind == MANHATTAN else 1) * kappa + delta)
                slack[q] = <real>((kappa + delta) * norm + tau)


def scan(
    const number[:, ::contiguous] R,  # IN (n, d) rows `first`, `first + 1`, ...
    Py_ssize_t first,
    const float[::1] origin,        # IN (d,)
    double scale,
    const float[::1] row_norm,      # IN of all rows
    int kind,
    double p,
    const real[::1] panels,         # IN the queries
    SearchState state,              # of the type of the panels
):
    """Compare rows with every query, and collect candidates."""
    cdef Py_ssize_t n = R.shape[0], d = R.shape[1], ld = padded(d), height = active().rows
    cdef Py_ssize_t chunk = chunk_rows(ld * sizeof(real)), across = panel_columns(<real>0)
    cdef Py_ssize_t filled = state.filled, at, some, j, capacity
    cdef f32_search search32
    cdef f64_search search64
    capacity = state.f32.capacity if real is float else state.f64.capacity
    cdef void *block = malloc(64 + sizeof(real) * (chunk * (ld + 3) + 2 * capacity))
    if block == NULL:
        raise MemoryError
    cdef real *flat = <real *>aligned(block)
    cdef real *start = flat + chunk * ld
    cdef real *length = start + chunk
    cdef real *reach = length + chunk
    cdef real *work = reach + chunk
    if real is float:
        search32 = state.f32
        search32.square = <float>square_of(d, True, kind)
        search32.low, search32.high = work, work + capacity
        search32.row_norm = &row_norm[0]
    else:
        search64 = state.f64
        search64.square = square_of(d, False, kind)
        search64.low, search64.high = work, work + capacity
        search64.row_norm = &row_norm[0]
    with nogil:
        at = 0
        while at < n:
            some = min(chunk, n - at)
            convert(&R[at, 0], stride_of(R), some, d, &origin[0], scale, flat, ld)
            if kind == EUCLIDEAN or kind == HAVERSINE:
                measure(flat, ld, some, d, start, length)
            else:
                for j in range(some):
                    start[j] = halved_sum(flat + j * ld, d) if kind == MANHATTAN else 0
            for j in range(some, (some + height - 1) // height * height):
                start[j] = -INFINITY
                memset(flat + j * ld, 0, ld * sizeof(real))  # or -inf might meet inf there
            raise_group_bounds(&row_norm[first + at], some, height, reach)
            j = 0
            while j < filled:
                if real is float:
                    active().f32.collect_by(flat, ld, start, reach, some, &panels[j * d], d,
                                            first + at, &search32, j, kind, <float>p)
                else:
                    active().f64.collect_by(flat, ld, start, reach, some, &panels[j * d], d,
                                            first + at, &search64, j, kind, p)
                j += across
            at += some
        for j in range(filled):
            if real is float:
                active().f32.prune(&search32, j)
            else:
                active().f64.prune(&search64, j)
    free(block)


cdef inline real halved_sum(const real *x, Py_ssize_t d) noexcept nogil:
    cdef double sum = 0
    cdef Py_ssize_t j
    for j in range(d):
        sum += x[j]
    return <real>(sum / 2)


def recheck(
    const double[:, ::1] Q,         # IN (m, d) the queries in float64
    const number[:, ::contiguous] R,  # IN (n, d) all rows
    const int32_t[::1] count,       # IN
    const int32_t[:, ::1] row,      # IN
    int kind,
    double p,
    double[:, ::1] distance_out,    # OUT (m, k) reduced distances, ascending
    Py_ssize_t[:, ::1] row_out,     # OUT (m, k)
):
    """The k nearest among each query's candidates, if there are k, by float64 differences."""
    cdef Py_ssize_t m = Q.shape[0], d = Q.shape[1], k = row_out.shape[1], q, c
    cdef KeyedRow *nearest_rows = <KeyedRow *>malloc(max(1, row.shape[1]) * sizeof(KeyedRow))
    if nearest_rows == NULL:
        raise MemoryError
    with nogil:
        for q in range(m):
            if count[q] < k:
                continue
            for c in range(count[q]):
                nearest_rows[c].row = row[q, c]
                reduced_distances(
                    &Q[q, 0], &R[row[q, c], 0], d, 1, d, kind, p, &nearest_rows[c].key
                )
            sort_rows(nearest_rows, count[q])
            for c in range(k):
                distance_out[q, c] = nearest_rows[c].key
                row_out[q, c] = nearest_rows[c].row
    free(nearest_rows)


def merge(
    const double[:, ::1] Q,         # IN (m, d) the queries in float64
    const number[:, ::contiguous] R,  # IN (n, d) all rows
    const int32_t[::1] count,       # IN
    const int32_t[:, ::1] row,      # IN
    int kind,
    double p,
    double[:, ::1] distance_out,    # INOUT (m, k) reduced distances, ascending
    Py_ssize_t[:, ::1] row_out,     # INOUT (m, k)
):
    """Put the candidates of each query in their places among the k nearest so far.

    Before the first call these are infinitely far. A count of -1 is of no candidates.
    """
    cdef Py_ssize_t m = Q.shape[0], d = Q.shape[1], k = row_out.shape[1], q, c, i
    cdef KeyedRow item, other
    with nogil:
        for q in range(m):
            for c in range(count[q]):
                item.row = row[q, c]
                if c + 1 < count[q]:
                    for i in range(0, min(d * <Py_ssize_t>sizeof(number), 64 * LINES_AHEAD), 64):
                        fetch(<const char *>&R[row[q, c + 1], 0] + i)
                reduced_distances(&Q[q, 0], &R[item.row, 0], d, 1, d, kind, p, &item.key)
                i = k
                while i > 0:
                    other.key, other.row = distance_out[q, i - 1], row_out[q, i - 1]
                    if not comes_before(&item, &other):
                        break
                    if i < k:
                        distance_out[q, i], row_out[q, i] = other.key, other.row
                    i -= 1
                if i < k:
                    distance_out[q, i], row_out[q, i] = item.key, item.row


def direct(
    const double[:, ::1] Q,         # IN (m, d) the queries in float64
    const number[:, ::contiguous] R,  # IN (n, d)
    int kind,
    double p,
    double[:, ::1] distance_out,    # OUT (m, k) reduced distances, ascending
    Py_ssize_t[:, ::1] row_out,     # OUT (m, k)
):
    """The k nearest rows of each query by float64 differences to all rows."""
    cdef Py_ssize_t m = Q.shape[0], n = R.shape[0], d = Q.shape[1], k = row_out.shape[1], q, c
    cdef double *distances = <double *>malloc(n * sizeof(double))
    cdef KeyedRow *nearest_rows = <KeyedRow *>malloc((k + 1) * sizeof(KeyedRow))
    if distances == NULL or nearest_rows == NULL:
        free(distances)
        free(nearest_rows)
        raise MemoryError
    with nogil:
        for q in range(m):
            reduced_distances(&Q[q, 0], &R[0, 0], stride_of(R), n, d, kind, p, distances)
            pick(distances, n, k, nearest_rows)
            for c in range(k):
                distance_out[q, c] = nearest_rows[c].key
                row_out[q, c] = nearest_rows[c].row
    free(distances)
    free(nearest_rows)


def nearest(
    const double[::1] distances,    # IN (n,)
    double[::1] distance_out,       # OUT (k,) the smallest, ascending
    Py_ssize_t[::1] row_out,        # OUT (k,) their rows
):
    """The k smallest of n distances."""
    cdef Py_ssize_t n = distances.shape[0], k = row_out.shape[0], c
    cdef KeyedRow *nearest_rows = <KeyedRow *>malloc((k + 1) * sizeof(KeyedRow))
    if nearest_rows == NULL:
        raise MemoryError
    with nogil:
        pick(&distances[0], n, k, nearest_rows)
        for c in range(k):
            distance_out[c] = nearest_rows[c].key
            row_out[c] = nearest_rows[c].row
    free(nearest_rows)
