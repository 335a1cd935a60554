# SPDX-License-Identifier: BSD-3-Clause
"""Seeding of k-means: how much each candidate for the next centre would lower the potential.

Arthur & Vassilvitskii 2007 (k-means++, doi:10.5555/1283383.1283494) in its greedy form, several
candidates for each centre. All candidates, those of further centres too, are weighed in one reading
of the rows.

`weigh` does so for rows that are laid out as float panels, and gives bounds: they tell the best
candidate unless two are about as good, and name the few rows that it may gain. `join` measures
those in float64 by differences, so that what is drawn from is exact, and tells how much less the
candidates that are left gain for it. `select` does all of that from one centre to the next, where
that takes no second thread.

Cost: O(n d m) for m candidates, and O(d) for each row that a centre gains and for each candidate
that would have gained it too.

The caller guarantees: finite rows, matching shapes, d >= 1, closest not negative; and that where
panels hold no row, `top` is the least float.
"""

from libc.float cimport FLT_MIN
from libc.math cimport fabs, nextafter
from libc.stdint cimport int32_t, uint32_t

from statfast._core.chances cimport (
    REST, STRETCH, Drawn, Rows, add_up, adopt, apart, approach, drawn_of, join_rows, rows_of,
    settle_rows, sole, thin,
)
from statfast._core.gains cimport job_of, seeding_at, seeding_job, seeding_kernels
from statfast._core.rows cimport UNIT32, UNIT64, measure, padded, panel_columns
from statfast._core.tiles cimport active, level

cdef const seeding_kernels *kernels = seeding_at(level())


def stretch_rows():
    """Rows whose chances are summed together."""
    return STRETCH


def panel_rows():
    """Rows of a panel."""
    return panel_columns(<float>0)


def width(Py_ssize_t d):
    """Numbers of a candidate's row."""
    return padded(d)


def draw(
    const double[::1] closest,      # IN (n,) squared distance to the nearest centre so far
    const double[::1] weights,      # IN (n,), or None: one each
    const double[::1] sums,         # IN (ceil(n / STRETCH),) of weight * closest
    double[::1] running,            # OUT like sums: the running sums of them
    const double[::1] at,           # IN (m,) numbers in [0, 1)
    int32_t[::1] rows,              # OUT (m,)
):
    """Draw rows in proportion to weight * closest; returns the sum of all, 0 if none can be drawn.

    The row drawn is the first at which the running sum passes `at` of the whole.
    """
    cdef Py_ssize_t n = closest.shape[0], c, low, high, middle, i
    cdef double total = 0, goal, before, chance
    with nogil:
        for i in range(sums.shape[0]):
            total += sums[i]
            running[i] = total
        for c in range(at.shape[0] if total > 0 else 0):
            goal = min(max(at[c], 0.0) * total, nextafter(total, 0))
            low = 0
            high = sums.shape[0] - 1
            while low < high:  # the first whose running sum exceeds the goal
                middle = (low + high) // 2
                if running[middle] > goal:
                    high = middle
                else:
                    low = middle + 1
            goal -= running[low - 1] if low > 0 else 0
            before = 0
            for i in range(low * STRETCH, min(n, (low + 1) * STRETCH)):
                chance = closest[i] if weights is None else closest[i] * weights[i]
                before += chance
                if chance > 0:
                    rows[c] = <int32_t>i
                    if before > goal:
                        break
    return total


def propose(
    const float[::1] panels,        # IN the rows as `lloyd.lay_out` made them
    Py_ssize_t d,
    const int32_t[::1] rows,        # IN (m,) the candidates
    double scale,
    float[:, ::1] a,                # OUT (m or more, ld) these rows
    float[:, ::1] terms,            # OUT (3, m or more) start, slope and square of each
):
    """Take candidates from the panels; see simd/seeding_level.h for the terms."""
    cdef Py_ssize_t across = panel_columns(<float>0), c, p, r
    # Where float is of no use all are rivals.
    cdef double kappa = 1.02 * UNIT32 * (d + 8) if d * UNIT32 < 0.01 else 1e25
    cdef double delta = (d + 4) * UNIT64
    cdef double tau = (d + 8) ** 2 * 2.0 ** -90 + d * (scale * 2.0 ** -537) ** 2
    cdef float half, length
    with nogil:
        for c in range(rows.shape[0]):
            r = rows[c]
            for p in range(d):
                a[c, p] = panels[r // across * across * d + p * across + r % across]
            measure(&a[c, 0], a.shape[1], 1, d, &half, &length)
            terms[1, c] = <float>((kappa + 4 * UNIT32) * length)
            terms[2, c] = <float>((kappa / 2 + delta + 4 * UNIT32) * length * length + tau)
            terms[0, c] = half + terms[2, c]


def weigh(
    const float[::1] panels,        # IN (n' d,)
    const float[::1] norms,         # IN (n',)
    const float[::1] top,           # IN (n',)
    const float[::1] weights,       # IN (n',), or None
    const float[:, ::1] most,       # IN (3, panels) norm, rest and weight: the most in each panel
    const float[:, ::1] a,          # IN (m, ld) m even: the last may be none, starting at -FLT_MAX
    const float[:, ::1] terms,      # IN (3, m)
    Py_ssize_t d,
    Py_ssize_t first,               # row, the first of a panel
    Py_ssize_t stop,
    float[:, ::1] held,             # OUT (m, n') scores for weigh_held; or None, and what follows
    uint32_t[:, ::1] hits,          # OUT (panels, m) the rows that each candidate may gain
    double[:, ::1] gains,           # INOUT (2, m) half of what each gains at most, and how much
                                    # less it may be; added to
):
    """Bound what each candidate would gain from some rows, or score it for `weigh_held`."""
    cdef Py_ssize_t across = panel_columns(<float>0)
    cdef seeding_job job = job_of(top, weights, most, terms, held, gains)
    job.hit = &hits[0, 0]
    job.a = &a[0, 0]
    job.lda = a.shape[1]
    job.depth = d
    job.panels = &panels[0]
    job.norm = &norms[0]
    with nogil:
        kernels.weigh(&job, first // across, (stop + across - 1) // across)


def weigh_held(
    const float[::1] norms,         # IN and what follows: see weigh
    float[::1] top,                 # INOUT
    const float[::1] weights,
    const float[:, ::1] most,
    const float[:, ::1] terms,
    Py_ssize_t first,
    Py_ssize_t stop,
    float[:, ::1] held,             # IN
    double[:, ::1] gains,           # INOUT those of the group
    const int32_t[::1] group,       # IN (l,) the candidates looked at
    int32_t last,                   # the candidate that became a centre last, or -1
    int32_t name,                   # its number
    int32_t[::1] who,               # INOUT (n',) the last such that came nearer; -2: one of them
    const float[::1] loose,         # IN (2,) the greatest slope and square of those before
):
    """Bound what some candidates would gain from some rows, which `weigh` has scored."""
    cdef Py_ssize_t across = panel_columns(<float>0)
    cdef seeding_job job = job_of(top, weights, most, terms, held, gains)
    cdef const int32_t *some = &group[0] if group.shape[0] > 0 else NULL
    job.norm = &norms[0]
    job.who = &who[0]
    job.loose_slope = loose[0]
    job.loose_square = loose[1]
    with nogil:
        kernels.weigh_held(
            &job, some, group.shape[0], last, name, first // across,
            (stop + across - 1) // across)


def settle(
    const unsigned char[:, :] X,    # and what follows: see rows_of
    Py_ssize_t d,
    const double[::1] weights,
    double scale,
    int32_t[:, ::1] own,
    double[::1] closest,
    float[::1] top,
    double[::1] sums,
    const double[:, ::1] points,    # IN (m, d) the centres that `who` names
    int32_t label,                  # the number of the first of these centres
    int32_t[::1] who,               # INOUT (n',) becomes -1
    int32_t[::1] near,              # OUT (n,) room
    Py_ssize_t first,               # row, the first of a stretch
    Py_ssize_t stop,
):
    """Measure the rows that centres came nearer to, of some of the rows."""
    cdef Rows s = rows_of(X, d, weights, scale, own, closest, top, sums, kernels.add_up)
    with nogil:
        settle_rows(
            &s, &points[0, 0], points.shape[0], label, &who[0], first, stop, &near[first])


def begin(
    const unsigned char[:, :] X,    # and what follows: see rows_of
    Py_ssize_t d,
    const double[::1] weights,
    double scale,
    int32_t[:, ::1] own,
    double[::1] closest,
    float[::1] top,
    double[::1] sums,
    const double[::1] origin,       # IN (d,) of the panels
    const double[::1] center,       # IN (d,)
    const float[::1] norms,         # IN (n',)
    Py_ssize_t first,               # row, the first of a stretch and of a panel
    Py_ssize_t stop,
    float[:, ::1] most,             # OUT (2 or more, panels) the greatest norm and rest of each
):
    """The first centre, for some of the rows.

    `top` only falls from then on, to no less than -norm^2 / 2.
    """
    cdef Rows s = rows_of(X, d, weights, scale, own, closest, top, sums, kernels.add_up)
    cdef Py_ssize_t across = panel_columns(<float>0), i, p
    cdef double size, rest
    cdef float norm
    with nogil:
        for p in range(first // across, (stop + across - 1) // across):
            norm = 0
            rest = 0
            for i in range(p * across, min(stop, (p + 1) * across)):
                s.own[i].square = <float>(apart(&s, &origin[0], i) * scale * scale)
                approach(&s, i, apart(&s, &center[0], i), 0)
                norm = max(norm, norms[i])
                rest = max(rest, <double>fabs(top[i]))
            size = <double>norm * norm
            size = (d + 4) * UNIT64 * size + 1.1 * REST * (size + max(rest, size))
            most[0, p] = norm
            most[1, p] = <float>(size + d * <double>FLT_MIN)
        for i in range(first // STRETCH, (stop + STRETCH - 1) // STRETCH):
            add_up(&s, i)


def join(
    const unsigned char[:, :] X,    # and what follows: see rows_of
    Py_ssize_t d,
    const double[::1] weights,
    double scale,
    int32_t[:, ::1] own,
    double[::1] closest,
    float[::1] top,
    double[::1] sums,
    const uint32_t[:, ::1] hits,    # IN (panels, m or more)
    const double[:, ::1] points,    # IN (m, d) the candidates
    const int32_t[::1] chosen,      # IN those that become centres
    int32_t label,                  # the number of the first of these centres
    int32_t[::1] near,              # OUT (n,) room
    Py_ssize_t first,               # row, the first of a stretch
    Py_ssize_t stop,
):
    """Let candidates join the centres, for some of the rows."""
    cdef Rows s = rows_of(X, d, weights, scale, own, closest, top, sums, kernels.add_up)
    cdef Drawn c = drawn_of(hits, points)
    with nogil:
        join_rows(&s, &c, &chosen[0], chosen.shape[0], label, first, stop, &near[first])


def select(
    const unsigned char[:, :] X,    # and what follows: see rows_of
    Py_ssize_t d,
    const double[::1] weights,
    double scale,
    int32_t[:, ::1] own,
    double[::1] closest,
    float[::1] top,
    double[::1] sums,
    const uint32_t[:, ::1] hits,    # IN (panels, m or more)
    const double[:, ::1] points,    # IN (m, d) the candidates
    const int32_t[::1] rows,        # IN (m,) the same
    const double[::1] before,       # IN (m,) squared distance of each to the centres when drawn
    double[::1] now,                # INOUT (m,) and now
    const double[::1] keep,         # IN (m,) numbers in [0, 1): see thin
    double[:, ::1] bounds,          # INOUT (2, m) from above and below on what each gains
    double unit,                    # times half: what squared distance times weight is in them
    double half,
    Py_ssize_t start,               # the first candidate that is left
    Py_ssize_t given,               # how many centres are chosen already
    int32_t[::1] near,              # OUT (n,) room
    int32_t[::1] group,             # OUT (l,) the candidates for the last centre looked at
    int32_t[::1] chosen,            # INOUT (centres wanted,) candidates that become centres
):
    """Choose centres, which then have to join, as long as bounds tell the best.

    Returns how many there are; the first candidate after `group`, whose best is not known, or -1
    where too few candidates are left; and how many rows the centres may gain.
    """
    cdef Rows s = rows_of(X, d, weights, scale, own, closest, top, sums, kernels.add_up)
    cdef Drawn c = drawn_of(hits, points)
    cdef Py_ssize_t count = 0, nearer = 0, best
    cdef bint last
    with nogil:
        while count < chosen.shape[0]:
            if count >= given:
                start = thin(now, before, keep, start, group)
                if start < 0:
                    break
                best = sole(group, bounds)
                if best < 0:
                    break
                chosen[count] = <int32_t>best
            # Once there are as many as wanted nobody asks what others would gain.
            last = given == 0 and count + 1 == chosen.shape[0]
            nearer += adopt(
                &s, &c, &chosen[0], count, chosen[count], c.stop if last else start, rows, now,
                bounds, unit, half, &near[0])
            count += 1
    return count, start, nearer


def thinned(
    const double[::1] now,          # IN (m,) squared distances of rows drawn to the centres
    const double[::1] before,       # IN (m,) what they were drawn in proportion to
    const double[::1] keep,         # IN (m,) numbers in [0, 1)
    Py_ssize_t start,               # the first that is left
    int32_t[::1] group,             # OUT (l,) which they are
):
    """The candidates for one centre; returns the first after them, -1 if they are too few."""
    return thin(now, before, keep, start, group)


def best_of(
    const int32_t[::1] group,       # IN (l,) candidates
    const double[:, ::1] bounds,    # IN (2, m) from above and below on what each gains
):
    """The best candidate; -1 if the bounds leave several."""
    return sole(group, bounds)


def follow(
    const double[:, ::1] centers,   # IN (m, d) candidates that have become centres
    const double[:, ::1] points,    # IN (l, d) the candidates
    double[::1] now,                # INOUT (l,) squared distance of each to the nearest centre
):
    """Take new centres into the distances of candidates."""
    cdef Py_ssize_t d = points.shape[1], c, o
    cdef double d2
    for c in range(centers.shape[0]):
        for o in range(points.shape[0]):
            active().apart_f64(&centers[c, 0], &points[o, 0], d, 1, d, &d2)
            now[o] = min(now[o], d2)
