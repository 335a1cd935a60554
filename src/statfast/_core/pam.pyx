# SPDX-License-Identifier: BSD-3-Clause
"""The swaps of PAM: what exchanging a medoid for each candidate would do to the loss.

Schubert & Rousseeuw 2021, doi:10.1016/j.is.2021.101804 (FastPAM1, FasterPAM); Kaufman & Rousseeuw
1990, doi:10.1002/9780470316801, chapter 2 (PAM, BUILD). A point whose nearest and second nearest
medoids are at a and b adds, for a candidate at t, max(a, min(b, t)) - b to the loss of exchanging
its own medoid and min(t, a) - a to that of exchanging any; `removal` is what taking a medoid away
would cost. One reading of a column thus weighs a candidate against all k medoids.

Deviations: up to `PAM_WIDE` candidates are weighed in one reading of the points, against the same
medoids; the first of them that improves is taken, so the swaps are those of one after another.

Cost: n operations a candidate, of which all but about 2 / k are a load and a comparison; a table of
k PAM_WIDE doubles. The caller guarantees: finite dissimilarities, rows of contiguous numbers, slots
below k, k >= 2; near and second times the weights where there are weights.
"""

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from statfast._core.medoids cimport replace, two, without
from statfast._core.rows cimport aligned, real
from statfast._core.tiles cimport level

cdef extern from "pam_kernels.h" nogil:
    enum:
        PAM_WIDE
    ctypedef struct pam_kernels:
        void (*weigh_f64)(
            const double *t, Py_ssize_t ldt, Py_ssize_t n, Py_ssize_t width, const double *near,
            const double *second, const int32_t *slot, const double *weights, double *loss,
            double *gained
        ) noexcept nogil
        void (*weigh_f32)(
            const float *t, Py_ssize_t ldt, Py_ssize_t n, Py_ssize_t width, const double *near,
            const double *second, const int32_t *slot, const double *weights, double *loss,
            double *gained
        ) noexcept nogil
        void (*gain_f64)(
            const double *t, Py_ssize_t ldt, Py_ssize_t n, Py_ssize_t width, const double *near,
            const double *weights, double *gained
        ) noexcept nogil
        void (*gain_f32)(
            const float *t, Py_ssize_t ldt, Py_ssize_t n, Py_ssize_t width, const double *near,
            const double *weights, double *gained
        ) noexcept nogil
    const pam_kernels *pam_at(int level)

cdef const pam_kernels *kernels = pam_at(level())

WIDE = PAM_WIDE

# Columns are read in whole vectors, which may reach beyond the last one: up to so many numbers.
cdef enum:
    VECTOR = 8

# Candidates weighed at once where every few of them one is taken: pairs of cache lines.
cdef enum:
    NARROW = 16


def scan(
    const real[:, :] D,                 # IN (n, c) from all points to c candidates
    const unsigned char[::1] barred,    # IN (c,) whether a candidate may not be taken
    const double[::1] near,             # IN (n,) to the nearest medoid
    const double[::1] second,           # IN (n,) to the second nearest
    const int32_t[::1] slot,            # IN (n,) the nearest medoid
    const double[::1] weights,          # IN (n,), or None: one each
    const double[::1] removal,          # IN (k,) what the loss grows by without each medoid
    double limit,                       # a change has to be less than this
    bint first,                         # the first such candidate, or that of the least change
):
    """The candidate to take, the slot to put it in, and the change: (-1, 0, limit) if none."""
    cdef Py_ssize_t n = D.shape[0], c = D.shape[1], k = removal.shape[0], lo = 0, some, found
    cdef Py_ssize_t ld = D.strides[0] // <Py_ssize_t>sizeof(real), best = -1, into = 0
    cdef const double *w = NULL
    cdef void *block = malloc(64 + (k + 1) * PAM_WIDE * sizeof(double))
    if block == NULL:
        raise MemoryError
    if weights is not None:
        w = &weights[0]
    cdef double *loss = <double *>aligned(block)
    cdef double *gained = loss + k * PAM_WIDE
    with nogil:
        while lo < c and not (first and best >= 0):
            some = min(<Py_ssize_t>PAM_WIDE, c - lo)
            begin(removal, whole(some), loss, gained)
            add(&D[0, lo], ld, n, some, &near[0], &second[0], &slot[0], w, loss, gained)
            found = settle(loss, gained, &barred[lo], k, some, first, &limit, &into)
            if found >= 0:
                best = lo + found
            lo += some
    free(block)
    return best, into, limit


def weigh(
    const real[:, :] D,                 # IN (m, c) from some points to c <= WIDE candidates
    const double[::1] near,             # IN (m,) and so on, as in scan
    const double[::1] second,
    const int32_t[::1] slot,
    const double[::1] weights,
    double[:, ::1] loss,                # INOUT (k + 1, WIDE): `opened`, then for `choose`
):
    """Add what some points have to say on each candidate."""
    cdef const double *w = NULL
    cdef Py_ssize_t k = loss.shape[0] - 1, ld = D.strides[0] // <Py_ssize_t>sizeof(real)
    if weights is not None:
        w = &weights[0]
    with nogil:
        add(&D[0, 0], ld, D.shape[0], D.shape[1], &near[0], &second[0], &slot[0], w,
            &loss[0, 0], &loss[k, 0])


def opened(
    const double[::1] removal,          # IN (k,)
    double[:, ::1] loss,                # OUT (k + 1, WIDE)
):
    """What `weigh` adds to: nothing said yet."""
    begin(removal, PAM_WIDE, &loss[0, 0], &loss[removal.shape[0], 0])


def choose(
    double[:, ::1] loss,                # IN (k + 1, WIDE) by all points
    const unsigned char[::1] barred,    # IN (c,)
    double limit,
    bint first,
):
    """As `scan`, of the candidates that were weighed."""
    cdef Py_ssize_t k = loss.shape[0] - 1, into = 0, found
    found = settle(&loss[0, 0], &loss[k, 0], &barred[0], k, barred.shape[0], first, &limit, &into)
    return found, into, limit


def gains(
    const real[:, :] D,                 # IN (m, c) from some points to c candidates
    const double[::1] near,             # IN (m,), or None where there is no medoid yet
    const double[::1] weights,          # IN (m,), or None
    double[::1] out,                    # INOUT (c,)
):
    """Add to out how much less the loss is with each candidate, or the loss with it alone."""
    cdef Py_ssize_t n = D.shape[0], c = D.shape[1], lo = 0, some, safe, i
    cdef Py_ssize_t ld = D.strides[0] // <Py_ssize_t>sizeof(real)
    cdef const double *w = NULL
    cdef const double *a = NULL
    cdef double gained[PAM_WIDE]
    cdef real last[PAM_WIDE]
    if weights is not None:
        w = &weights[0]
    if near is not None:
        a = &near[0]
    with nogil:
        memset(last, 0, sizeof(last))
        while lo < c:
            some = min(<Py_ssize_t>PAM_WIDE, c - lo)
            memset(gained, 0, sizeof(gained))
            memcpy(gained, &out[lo], some * sizeof(double))
            safe = readable(n, ld, some)
            if real is double:
                kernels.gain_f64(&D[0, lo], ld, safe, whole(some), a, w, gained)
            else:
                kernels.gain_f32(&D[0, lo], ld, safe, whole(some), a, w, gained)
            for i in range(safe, n):
                memcpy(last, &D[i, lo], some * sizeof(real))
                if real is double:
                    kernels.gain_f64(last, 0, 1, whole(some), after(a, i), after(w, i), gained)
                else:
                    kernels.gain_f32(last, 0, 1, whole(some), after(a, i), after(w, i), gained)
            memcpy(&out[lo], gained, some * sizeof(double))
            lo += some


cdef void put(
    const real[:, ::1] D, Py_ssize_t point, Py_ssize_t into, Py_ssize_t[::1] medoids,
    unsigned char[::1] barred, double[::1] near, double[::1] second, int32_t[::1] slot,
    int32_t[::1] other, Py_ssize_t[::1] lost, double[::1] column,
) noexcept nogil:
    """Make a point the medoid of a slot."""
    cdef Py_ssize_t i, k = medoids.shape[0]
    for i in range(D.shape[0]):
        column[i] = D[i, point]
    barred[medoids[into]] = 0
    barred[point] = 1
    medoids[into] = point
    for i in range(replace(column, <int32_t>into, near, second, slot, other, lost)):
        two(&D[lost[i], 0], &medoids[0], <int32_t>k, lost[i], near, second, slot, other)


def pursue(
    const real[:, ::1] D,               # IN (n, n)
    unsigned char[::1] barred,          # INOUT (n,)
    double[::1] near,                   # INOUT (n,) and so on, as in swapped
    double[::1] second,
    int32_t[::1] slot,
    int32_t[::1] other,
    Py_ssize_t[::1] lost,               # work space (n,)
    Py_ssize_t[::1] medoids,            # INOUT (k,)
    Py_ssize_t at,                      # the candidate to begin with
    Py_ssize_t patience,                # stop when so many in a row have not helped,
    Py_ssize_t most,                    # or so many were weighed
    double slack,                       # a change of less than this share of the loss is rounding
    double[::1] removal,                # work space (k,)
    double[::1] column,                 # work space (n,)
):
    """Take every swap that helps, without weights: (next candidate, in a row, weighed, swaps)."""
    cdef Py_ssize_t n = D.shape[0], k = medoids.shape[0], quiet = 0, seen = 0, swaps = 0
    cdef Py_ssize_t some, found, into = 0, former, width = NARROW
    cdef double limit, total, now
    cdef void *block = malloc(64 + (k + 1) * PAM_WIDE * sizeof(double))
    if block == NULL:
        raise MemoryError
    cdef double *loss = <double *>aligned(block)
    cdef double *gained = loss + k * PAM_WIDE
    with nogil:
        total = without(near, second, slot, removal)
        limit = -slack * total
        while quiet < patience and seen < most:
            # Panels end where lines of the cache do: after a swap the rest of one is still there.
            some = min(width - at % width, min(n - at, patience - quiet))
            begin(removal, whole(some), loss, gained)
            add(&D[0, at], n, n, some, &near[0], &second[0], &slot[0], NULL, loss, gained)
            found = settle(loss, gained, &barred[at], k, some, True, &limit, &into)
            if found < 0:
                at, quiet, seen = (at + some) % n, quiet + some, seen + some
                if quiet > NARROW:  # swaps have become rare: a wide panel costs less a candidate
                    width = PAM_WIDE
                continue
            at, seen, former = at + found, seen + found + 1, medoids[into]
            put(D, at, into, medoids, barred, near, second, slot, other, lost, column)
            now = without(near, second, slot, removal)
            if now < total:
                total, limit, swaps = now, -slack * now, swaps + 1
                quiet, width = 1, NARROW
            else:  # it only seemed to help: rounding
                put(D, former, into, medoids, barred, near, second, slot, other, lost, column)
                without(near, second, slot, removal)
                quiet += found + 1
            at = (at + 1) % n
    free(block)
    return at, quiet, seen, swaps


def swapped(
    const double[::1] column,           # IN (n,) from all points to the new medoid
    int32_t into,                       # the slot it takes
    double[::1] near,                   # INOUT (n,)
    double[::1] second,                 # INOUT (n,)
    int32_t[::1] slot,                  # INOUT (n,)
    int32_t[::1] other,                 # INOUT (n,) the second nearest medoid
    Py_ssize_t[::1] lost,               # OUT (n,) points that have to look at all medoids again
):
    """Put a new medoid into a slot; returns how many points are lost."""
    cdef Py_ssize_t count
    with nogil:
        count = replace(column, into, near, second, slot, other, lost)
    return count


def nearest_two(
    const real[:, :] D,                 # IN (m, c) from some points to others
    const Py_ssize_t[::1] columns,      # IN (k,) which of those are the medoids
    const Py_ssize_t[::1] rows,         # IN (p,) which of the points to look at
    double[::1] near,                   # OUT (n,) at the points
    double[::1] second,
    int32_t[::1] slot,
    int32_t[::1] other,
):
    """The nearest and second nearest medoid of some points, the lowest slots on ties."""
    cdef Py_ssize_t p
    cdef int32_t k = <int32_t>columns.shape[0]
    with nogil:
        for p in range(rows.shape[0]):
            two(&D[rows[p], 0], &columns[0], k, rows[p], near, second, slot, other)


cdef inline Py_ssize_t whole(Py_ssize_t some) noexcept nogil:
    """Candidates in whole vectors."""
    return (some + VECTOR - 1) // VECTOR * VECTOR


cdef inline Py_ssize_t readable(Py_ssize_t n, Py_ssize_t ld, Py_ssize_t some) noexcept nogil:
    """Rows whose whole vectors end before the matrix does."""
    cdef Py_ssize_t beyond = whole(some) - some
    return max(<Py_ssize_t>0, n - (beyond + ld - 1) // ld) if beyond and ld else n


cdef inline const double *after(const double *a, Py_ssize_t i) noexcept nogil:
    if a == NULL:
        return NULL
    return a + i


cdef void begin(
    const double[::1] removal, Py_ssize_t wide, double *loss, double *gained
) noexcept nogil:
    """Nothing said yet: a medoid taken away costs `removal`."""
    cdef Py_ssize_t m, c
    for m in range(removal.shape[0]):
        for c in range(wide):
            loss[m * PAM_WIDE + c] = removal[m]
    memset(gained, 0, PAM_WIDE * sizeof(double))


cdef void add(
    const real *t, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t some, const double *near,
    const double *second, const int32_t *slot, const double *weights, double *loss, double *gained,
) noexcept nogil:
    """Add what n points say; those at the end of the matrix one by one from a copy."""
    cdef Py_ssize_t safe = readable(n, ld, some), i
    cdef real last[PAM_WIDE]
    if real is double:
        kernels.weigh_f64(t, ld, safe, whole(some), near, second, slot, weights, loss, gained)
    else:
        kernels.weigh_f32(t, ld, safe, whole(some), near, second, slot, weights, loss, gained)
    memset(last, 0, sizeof(last))
    for i in range(safe, n):
        memcpy(last, t + i * ld, some * sizeof(real))
        if real is double:
            kernels.weigh_f64(last, 0, 1, whole(some), near + i, second + i, slot + i,
                              after(weights, i), loss, gained)
        else:
            kernels.weigh_f32(last, 0, 1, whole(some), near + i, second + i, slot + i,
                              after(weights, i), loss, gained)


cdef Py_ssize_t settle(
    double *loss, double *gained, const unsigned char *barred, Py_ssize_t k, Py_ssize_t some,
    bint first, double *limit, Py_ssize_t *into,
) noexcept nogil:
    """The candidate to take, or -1; its change becomes the limit. Ties: the lowest slot."""
    cdef Py_ssize_t m, c, best = -1, wide = whole(some)
    cdef double least[PAM_WIDE]
    cdef double change
    for c in range(wide):
        least[c] = loss[c]
    for m in range(1, k):
        for c in range(wide):
            least[c] = min(least[c], loss[m * PAM_WIDE + c])
    for c in range(some):
        change = least[c] + gained[c]
        if change < limit[0] and not barred[c]:
            limit[0], best = change, c
            if first:
                break
    if best >= 0:
        into[0] = 0
        while loss[into[0] * PAM_WIDE + best] != least[best]:
            into[0] += 1
    return best
