# SPDX-License-Identifier: BSD-3-Clause
"""Losses of swaps for medoids/pam.pyx: of a panel of candidates from their columns, or of one
candidate from its row of a symmetric matrix.

A table of losses has a row of PANEL_CANDIDATES candidates for each slot, and one more row,
`gained`, for the change that does not depend on the medoid that is removed.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcpy, memset

from statfast._core.tile.rows cimport real
from statfast._core.tile.tiles cimport level

cdef extern from "medoids/pam_table.h" nogil:
    enum:
        PANEL_CANDIDATES
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
        void (*row_f64)(
            const double *t, Py_ssize_t n, const double *near, const double *second,
            const int32_t *slot, const double *weights, double *loss, double *gained
        ) noexcept nogil
        void (*row_f32)(
            const float *t, Py_ssize_t n, const double *near, const double *second,
            const int32_t *slot, const double *weights, double *loss, double *gained
        ) noexcept nogil
        void (*coarse_f64)(
            const double *x, Py_ssize_t n, double scale, int more, uint8_t *out
        ) noexcept nogil
        void (*coarse_f32)(
            const float *x, Py_ssize_t n, double scale, int more, uint8_t *out
        ) noexcept nogil
        double (*least)(
            const uint8_t *q, Py_ssize_t n, const uint8_t *edge, double unit,
            const double *near, const double *second, const int32_t *slot, const double *removal,
            Py_ssize_t k, double *loss
        ) noexcept nogil
    const pam_kernels *pam_at(int level)

# Rows that were read before, rounded down to bytes. They suffice to exclude most candidates.
cdef struct rounded:
    uint8_t *q            # (n, n) candidates by points, or NULL
    unsigned char *made    # (n,) the rows that are stored
    uint8_t *edge         # (n,) second in units, plus one
    double unit            # a power of two

cdef enum:
    MAX_VECTOR = 8  # the numbers of the longest vector; columns are read in whole ones


cdef inline Py_ssize_t whole_vectors(Py_ssize_t some) noexcept nogil:
    """The number of candidates, rounded up to whole vectors."""
    return (some + MAX_VECTOR - 1) // MAX_VECTOR * MAX_VECTOR


cdef inline Py_ssize_t readable(Py_ssize_t n, Py_ssize_t ld, Py_ssize_t some) noexcept nogil:
    """The number of rows whose whole vectors end within the matrix."""
    cdef Py_ssize_t beyond = whole_vectors(some) - some
    return max(<Py_ssize_t>0, n - (beyond + ld - 1) // ld) if beyond and ld else n


cdef inline const double *after(const double *a, Py_ssize_t i) noexcept nogil:
    if a == NULL:
        return NULL
    return a + i


cdef inline void begin(
    const double *removal, Py_ssize_t k, Py_ssize_t wide, double *loss, double *gained
) noexcept nogil:
    """The losses before any contribution: the removal of a medoid costs `removal`."""
    cdef Py_ssize_t m, c
    for m in range(k):
        for c in range(wide):
            loss[m * PANEL_CANDIDATES + c] = removal[m]
    memset(gained, 0, PANEL_CANDIDATES * sizeof(double))


cdef inline void speak(
    const real *t, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t wide, const double *near,
    const double *second, const int32_t *slot, const double *weights, double *loss, double *gained,
) noexcept nogil:
    if real is double:
        pam_at(level()).weigh_f64(t, ld, n, wide, near, second, slot, weights, loss, gained)
    else:
        pam_at(level()).weigh_f32(t, ld, n, wide, near, second, slot, weights, loss, gained)


cdef inline void weigh_panel(
    const real *t, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t some, const double *near,
    const double *second, const int32_t *slot, const double *weights, double *loss, double *gained,
) noexcept nogil:
    """Add the terms of n points; those at the end of the matrix are read from copies."""
    cdef Py_ssize_t safe = readable(n, ld, some), i
    cdef real last[PANEL_CANDIDATES]
    speak(t, ld, safe, whole_vectors(some), near, second, slot, weights, loss, gained)
    memset(last, 0, sizeof(last))
    for i in range(safe, n):
        memcpy(last, t + i * ld, some * sizeof(real))
        speak(last, 0, 1, whole_vectors(some), near + i, second + i, slot + i, after(weights, i),
              loss, gained)


cdef inline void weigh_row(
    const real *t, Py_ssize_t n, const double *near, const double *second, const int32_t *slot,
    const double *weights, const double *removal, Py_ssize_t k, double *loss,
) noexcept nogil:
    """The losses (k,) of a candidate, and at [k] the change for all medoids."""
    memcpy(loss, removal, k * sizeof(double))
    loss[k] = 0
    if real is double:
        pam_at(level()).row_f64(t, n, near, second, slot, weights, loss, loss + k)
    else:
        pam_at(level()).row_f32(t, n, near, second, slot, weights, loss, loss + k)


cdef inline void round_down(
    const real *x, Py_ssize_t n, double scale, int more, uint8_t *out
) noexcept nogil:
    if real is double:
        pam_at(level()).coarse_f64(x, n, scale, more, out)
    else:
        pam_at(level()).coarse_f32(x, n, scale, more, out)


cdef inline bint hopeless(
    const rounded *r, Py_ssize_t candidate, Py_ssize_t n, const double *near, const double *second,
    const int32_t *slot, const double *removal, Py_ssize_t k, double limit, double *loss,
) noexcept nogil:
    """Whether the rounded row of a candidate proves that its change is not below `limit`."""
    if r.q == NULL or not r.made[candidate]:
        return False
    return pam_at(level()).least(r.q + candidate * n, n, r.edge, r.unit, near, second, slot,
                                 removal, k, loss) >= limit


cdef inline void keep_best(
    rounded *r, Py_ssize_t candidate, const real *row, Py_ssize_t n
) noexcept nogil:
    """Keep a candidate's row, rounded down."""
    if r.q != NULL and not r.made[candidate]:
        round_down(row, n, 1 / r.unit, 0, r.q + candidate * n)
        r.made[candidate] = 1


cdef inline void gain(
    const real *t, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t wide, const double *near,
    const double *weights, double *gained,
) noexcept nogil:
    if real is double:
        pam_at(level()).gain_f64(t, ld, n, wide, near, weights, gained)
    else:
        pam_at(level()).gain_f32(t, ld, n, wide, near, weights, gained)


cdef inline Py_ssize_t least_of(const double *loss, Py_ssize_t k) noexcept nogil:
    """The slot of least loss, the lowest of equals."""
    cdef Py_ssize_t m, best = 0
    for m in range(1, k):
        if loss[m] < loss[best]:
            best = m
    return best


cdef inline Py_ssize_t best_swap(
    double *loss, double *gained, const unsigned char *barred, Py_ssize_t k, Py_ssize_t some,
    bint first, double *limit, Py_ssize_t *into,
) noexcept nogil:
    """The candidate to take, or -1; its change becomes the limit. Ties: the lowest slot."""
    cdef Py_ssize_t m, c, best = -1, wide = whole_vectors(some)
    cdef double least[PANEL_CANDIDATES]
    cdef double change
    for c in range(wide):
        least[c] = loss[c]
    for m in range(1, k):
        for c in range(wide):
            least[c] = min(least[c], loss[m * PANEL_CANDIDATES + c])
    for c in range(some):
        change = least[c] + gained[c]
        if change < limit[0] and not barred[c]:
            limit[0], best = change, c
            if first:
                break
    if best >= 0:
        into[0] = 0
        while loss[into[0] * PANEL_CANDIDATES + best] != least[best]:
            into[0] += 1
    return best
