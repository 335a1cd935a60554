# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""The swaps of PAM: the change of the loss when a medoid is exchanged for each candidate.

Schubert & Rousseeuw 2021, doi:10.1016/j.is.2021.101804 (FastPAM1, FasterPAM); Kaufman & Rousseeuw
1990, doi:10.1002/9780470316801, chapter 2 (PAM, BUILD). A point whose nearest and second nearest
medoids are at a and b adds, for a candidate at t, max(a, min(b, t)) - b to the loss of exchanging
its own medoid and min(t, a) - a to that of exchanging any; `removal` is the increase of the loss
without a medoid. Reading a column once thus evaluates a candidate against all k medoids.

Deviations: the columns of a symmetric matrix are read as its rows, of which only the points nearer
than b contribute. For other dissimilarities up to `PANEL_CANDIDATES` candidates are evaluated in
one pass over the points, against the same medoids; the first of them that improves is taken. In
both cases swaps are those of one candidate after another, and sums have the same bits.

Cost: n operations a candidate, of which all but a share of about 2 / k are a load and a comparison;
a table of k PANEL_CANDIDATES doubles. The caller guarantees: finite dissimilarities, rows of
contiguous numbers, slots below k, k >= 2; near and second times the weights where there are
weights.
"""

from cython.view cimport contiguous
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from statfast._core.medoids.two_nearest cimport N_RESERVE, nearest_medoids, rank, replace, without
from statfast._core.medoids.swap_losses cimport (
    PANEL_CANDIDATES, after, begin, best_swap, gain, hopeless, keep_best, least_of, readable,
    round_down, rounded, weigh_panel, weigh_row, whole_vectors,
)
from statfast._core.tile.rows cimport aligned, real, stride_of

MAX_CANDIDATES = PANEL_CANDIDATES

# Columns that are read together where the matrix is not symmetric: those of a cache line.
cdef enum:
    LINE_NUMBERS = 8

cdef double ROUNDING = 2.0 ** -50  # more than the relative error of additions


cdef nearest_medoids unpack_known(tuple known) except *:
    """The nearest medoids of points, from arrays in the order and shapes of `nearest_medoids`."""
    cdef nearest_medoids a
    cdef double[::1] near = known[0], second = known[1], bound = known[4]
    cdef int32_t[::1] slot = known[2], other = known[3], place = known[7]
    cdef int32_t[:, ::1] who = known[5]
    cdef double[:, ::1] far = known[6]
    cdef Py_ssize_t[::1] medoids = known[8]
    a.near, a.second, a.slot, a.other = &near[0], &second[0], &slot[0], &other[0]
    a.bound, a.who, a.far, a.place = &bound[0], &who[0, 0], &far[0, 0], &place[0]
    a.medoids, a.n, a.k = &medoids[0], near.shape[0], medoids.shape[0]
    return a


cdef rounded of_rows(tuple rows) except *:
    """The rounded rows, from `(q, made, edge, unit)` of the lengths that `rounded` lists."""
    cdef rounded r
    cdef uint8_t[:, ::1] q
    cdef unsigned char[::1] made
    cdef uint8_t[::1] edge
    r.q = NULL
    if rows is not None:
        q, made, edge, r.unit = rows
        r.q, r.made, r.edge = &q[0, 0], &made[0], &edge[0]
    return r


def edges(
    const double[::1] second,           # IN (n,)
    tuple rows,                         # INOUT what is kept of the rows
):
    """Update the edges of rounded rows."""
    cdef rounded r = of_rows(rows)
    round_down(&second[0], second.shape[0], 1 / r.unit, 1, r.edge)


def reserve():
    """The number of medoids that a point has in reserve, besides the nearest two."""
    return N_RESERVE


def scan(
    const real[:, ::contiguous] D,      # IN (n, c) from all points to c candidates
    bint mirrored,                      # D is (c, n) instead: rows of a symmetric matrix
    tuple rows,                         # INOUT what is kept of those, with edges; or None
    Py_ssize_t at,                      # the first candidate's number
    const unsigned char[::1] barred,    # IN (c,) whether a candidate may not be taken
    const double[::1] near,             # IN (n,) to the nearest medoid
    const double[::1] second,           # IN (n,) to the second nearest
    const int32_t[::1] slot,            # IN (n,) the nearest medoid
    const double[::1] weights,          # IN (n,), or None: one each
    const double[::1] removal,          # IN (k,) increase of the loss without each medoid
    double limit,                       # only smaller changes are taken
    bint first,                         # whether to take the first such candidate, else the best
):
    """The candidate to take, the slot to put it in, and the change: (-1, 0, limit) if none."""
    cdef Py_ssize_t n = near.shape[0], c = barred.shape[0], k = removal.shape[0], lo = 0, some
    cdef Py_ssize_t ld = stride_of(D), best = -1, into = 0, choice
    cdef const double *w = NULL
    cdef double change, allowed
    cdef rounded r = of_rows(rows)
    cdef void *block = malloc(64 + (k + 1) * PANEL_CANDIDATES * sizeof(double))
    if block == NULL:
        raise MemoryError
    if weights is not None:
        w = &weights[0]
    cdef double *loss = <double *>aligned(block)
    cdef double *gained = loss + k * PANEL_CANDIDATES
    with nogil:
        allowed = n * ROUNDING * total(&second[0], n)
        while mirrored and lo < c and not (first and best >= 0):
            if not barred[lo] and not hopeless(&r, at + lo, n, &near[0], &second[0], &slot[0],
                                               &removal[0], k, limit + allowed, loss):
                weigh_row(&D[lo, 0], n, &near[0], &second[0], &slot[0], w, &removal[0], k, loss)
                keep_best(&r, at + lo, &D[lo, 0], n)
                choice = least_of(loss, k)
                change = loss[choice] + loss[k]
                if change < limit:
                    limit, best, into = change, lo, choice
            lo += 1
        while not mirrored and lo < c and not (first and best >= 0):
            some = min(<Py_ssize_t>PANEL_CANDIDATES, c - lo)
            begin(&removal[0], k, whole_vectors(some), loss, gained)
            weigh_panel(&D[0, lo], ld, n, some, &near[0], &second[0], &slot[0], w, loss, gained)
            choice = best_swap(loss, gained, &barred[lo], k, some, first, &limit, &into)
            if choice >= 0:
                best = lo + choice
            lo += some
    free(block)
    return best, into, limit


cdef double total(const double *x, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef double sum = 0
    for i in range(n):
        sum += x[i]
    return sum


def weigh(
    const real[:, ::contiguous] D,      # IN (m, c) from points to c <= MAX_CANDIDATES candidates
    const double[::1] near,             # IN (m,) and so on, as in scan
    const double[::1] second,
    const int32_t[::1] slot,
    const double[::1] weights,
    double[:, ::1] loss,                # INOUT (k + 1, MAX_CANDIDATES): `opened`, then for `choose`
):
    """Add the contributions of some points to the losses of each candidate."""
    cdef const double *w = NULL
    cdef Py_ssize_t k = loss.shape[0] - 1, ld = stride_of(D)
    if weights is not None:
        w = &weights[0]
    with nogil:
        weigh_panel(&D[0, 0], ld, D.shape[0], D.shape[1], &near[0], &second[0], &slot[0], w,
                    &loss[0, 0], &loss[k, 0])


def opened(
    const double[::1] removal,          # IN (k,)
    double[:, ::1] loss,                # OUT (k + 1, MAX_CANDIDATES)
):
    """The losses before any contribution, to which `weigh` adds."""
    begin(&removal[0], removal.shape[0], PANEL_CANDIDATES, &loss[0, 0], &loss[removal.shape[0], 0])


def choose(
    double[:, ::1] loss,                # IN (k + 1, MAX_CANDIDATES) by all points
    const unsigned char[::1] barred,    # IN (c,)
    double limit,
    bint first,
):
    """As `scan`, for candidates whose losses `weigh` has computed."""
    cdef Py_ssize_t k = loss.shape[0] - 1, into = 0, candidate
    candidate = best_swap(
        &loss[0, 0], &loss[k, 0], &barred[0], k, barred.shape[0], first, &limit, &into)
    return candidate, into, limit


def gains(
    const real[:, ::contiguous] D,      # IN (m, c) from some points to c candidates
    const double[::1] near,             # IN (m,), or None where there is no medoid yet
    const double[::1] weights,          # IN (m,), or None
    double[::1] out,                    # INOUT (c,)
):
    """Add to out the decrease of the loss with each candidate, or its loss if it is the only
    medoid."""
    cdef Py_ssize_t n = D.shape[0], c = D.shape[1], lo = 0, some, safe, i
    cdef Py_ssize_t ld = stride_of(D)
    cdef const double *w = NULL
    cdef const double *a = NULL
    cdef double gained[PANEL_CANDIDATES]
    cdef real last[PANEL_CANDIDATES]
    if weights is not None:
        w = &weights[0]
    if near is not None:
        a = &near[0]
    with nogil:
        memset(last, 0, sizeof(last))
        while lo < c:
            some = min(<Py_ssize_t>PANEL_CANDIDATES, c - lo)
            memset(gained, 0, sizeof(gained))
            memcpy(gained, &out[lo], some * sizeof(double))
            safe = readable(n, ld, some)
            gain(&D[0, lo], ld, safe, whole_vectors(some), a, w, gained)
            for i in range(safe, n):
                memcpy(last, &D[i, lo], some * sizeof(real))
                gain(last, 0, 1, whole_vectors(some), after(a, i), after(w, i), gained)
            memcpy(&out[lo], gained, some * sizeof(double))
            lo += some


def pursue(
    const real[:, ::1] D,               # IN (n, n)
    bint mirrored,                      # whether it is symmetric
    unsigned char[::1] barred,          # INOUT (n,)
    tuple known,                        # INOUT
    tuple rows,                         # INOUT what is kept of the columns, or None
    Py_ssize_t[::1] lost,               # work space (n,)
    Py_ssize_t at,                      # the candidate to begin with
    Py_ssize_t patience,                # stop when so many in a row have not improved,
    Py_ssize_t most,                    # or so many were evaluated
    double slack,                       # changes below this share of the loss are rounding
    double[::1] removal,                # work space (k,)
):
    """Take every swap that improves, without weights; returns the next candidate, and the numbers
    of failures in a row, of candidates evaluated and of swaps."""
    cdef nearest_medoids a = unpack_known(known)
    cdef rounded r = of_rows(rows)
    cdef Py_ssize_t n = a.n, k = a.k, quiet = 0, seen = 0, swaps = 0, into, former, line = -1
    cdef double all, now, limit, allowed
    cdef const real *row
    cdef real *columns = <real *>malloc((1 if mirrored else LINE_NUMBERS * n) * sizeof(real))
    cdef double *loss = <double *>malloc(4 * (k + 1) * sizeof(double))
    if columns == NULL or loss == NULL:
        free(columns)
        free(loss)
        raise MemoryError
    with nogil:
        all = without(&a, removal)
        allowed = measured(&r, &a, slack, all, removal, &limit)
        while quiet < patience and seen < most:
            seen, quiet = seen + 1, quiet + 1
            if not barred[at] and not hopeless(&r, at, n, a.near, a.second, a.slot, &removal[0], k,
                                               limit + allowed, loss):
                if mirrored:
                    row = &D[at, 0]
                else:
                    if at // LINE_NUMBERS != line:
                        line = at // LINE_NUMBERS
                        turn(D, line * LINE_NUMBERS, columns)
                    row = columns + at % LINE_NUMBERS * n
                weigh_row(row, n, a.near, a.second, a.slot, NULL, &removal[0], k, loss)
                keep_best(&r, at, row, n)
                into = least_of(loss, k)
                if loss[into] + loss[k] < limit:
                    former = a.medoids[into]
                    put(&a, D, mirrored, row, at, <int32_t>into, barred, lost)
                    now = without(&a, removal)
                    if now < all:
                        all, swaps, quiet = now, swaps + 1, 1
                    else:  # the improvement was only rounding
                        undo_turn(&a, D, mirrored, former, <int32_t>into, barred, lost, columns)
                        line = -1
                        without(&a, removal)
                    allowed = measured(&r, &a, slack, all, removal, &limit)
            at = at + 1 if at + 1 < n else 0
    free(columns)
    free(loss)
    return at, quiet, seen, swaps


cdef double measured(
    rounded *r, const nearest_medoids *a, double slack, double all, const double[::1] removal,
    double *limit,
) noexcept nogil:
    """Update limit and edges; returns a bound of the rounding of sums."""
    limit[0] = -slack * all
    if r.q != NULL:
        round_down(a.second, a.n, 1 / r.unit, 1, r.edge)
    return a.n * ROUNDING * (all + total(&removal[0], a.k))


cdef void put(
    nearest_medoids *a, const real[:, ::1] D, bint mirrored, const real *column, Py_ssize_t point,
    int32_t into, unsigned char[::1] barred, Py_ssize_t[::1] lost,
) noexcept nogil:
    """Make a point the medoid of a slot."""
    cdef Py_ssize_t c
    barred[a.medoids[into]] = 0
    barred[point] = 1
    for c in range(replace(a, column, point, into, lost)):
        if mirrored:
            rank(a, lost[c], &D[0, lost[c]], a.n, a.medoids)
        else:
            rank(a, lost[c], &D[lost[c], 0], 1, a.medoids)


cdef void undo_turn(
    nearest_medoids *a, const real[:, ::1] D, bint mirrored, Py_ssize_t point, int32_t into,
    unsigned char[::1] barred, Py_ssize_t[::1] lost, real *columns,
) noexcept nogil:
    """Make the former medoid of a slot its medoid again."""
    if mirrored:
        put(a, D, mirrored, &D[point, 0], point, into, barred, lost)
    else:
        turn(D, point // LINE_NUMBERS * LINE_NUMBERS, columns)
        put(a, D, mirrored, columns + point % LINE_NUMBERS * a.n, point, into, barred, lost)


cdef void turn(const real[:, ::1] D, Py_ssize_t first, real *out) noexcept nogil:
    """Transpose the columns of a cache line into rows."""
    cdef Py_ssize_t i, c, n = D.shape[0]
    for i in range(n):
        for c in range(min(<Py_ssize_t>LINE_NUMBERS, n - first)):
            out[c * n + i] = D[i, first + c]


def exchange(
    const real[::1] column,             # IN (n,) from all points to the new medoid
    Py_ssize_t point,                   # the index of the new medoid
    int32_t into,                       # the slot it takes
    tuple known,                        # INOUT
    Py_ssize_t[::1] lost,               # OUT (n,) points that have to compare all medoids again
):
    """Put a new medoid into a slot; returns the number of lost points."""
    cdef nearest_medoids a = unpack_known(known)
    cdef Py_ssize_t count
    with nogil:
        count = replace(&a, &column[0], point, into, lost)
    return count


def find_nearest(
    const real[:, :] D,                 # IN (m, c) from some points to others
    const Py_ssize_t[::1] columns,      # IN (k,) the columns of the medoids
    const Py_ssize_t[::1] rows,         # IN (p,) the rows to read,
    const Py_ssize_t[::1] points,       # IN (p,) and their points
    tuple known,                        # INOUT at those points
):
    """The nearest medoids of some points, the lowest slots on ties."""
    cdef nearest_medoids a = unpack_known(known)
    cdef Py_ssize_t p, step = D.strides[1] // <Py_ssize_t>sizeof(real)
    with nogil:
        for p in range(rows.shape[0]):
            rank(&a, points[p], &D[rows[p], 0], step, &columns[0])
