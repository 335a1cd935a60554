# SPDX-License-Identifier: BSD-3-Clause
"""The steps by which candidates become centers, each done by a team in parts of the rows.

Which rows make a part depends on their number alone, and what parts sum up is merged in their
order.
"""

from libc.float cimport FLT_MAX
from libc.stdint cimport int32_t
from libc.string cimport memcpy, memset

from statfast._core.kmeans.potential cimport (
    STRETCH, Drawn, Rows, join_rows, lessen_rows, settle_rows, sole,
)
from statfast._core.kmeans.gains cimport seeding_job, seeding_kernels
from statfast._core.tile.rows cimport UNIT32, UNIT64, measure, panel_columns
from statfast._core.threads.team cimport team, team_do
from statfast._core.tile.tiles cimport active

cdef extern from *:
    """
    #define STATFAST_LOST 1e-5
    #define STATFAST_NEXT_TO_NOTHING 1e-30
    """
    const double ROUNDING "STATFAST_LOST"  # more than what sums of gains in float lose
    const double NOTHING "STATFAST_NEXT_TO_NOTHING"  # what tiny weights and gains of a row lose

cdef struct Start:
    Rows rows
    Drawn drawn
    seeding_job job
    const seeding_kernels *kernels
    team *crew
    Py_ssize_t part, parts, panels  # rows of a part; how many parts, and panels, there are
    float *most                     # (3, panels) norm, rest and weight: the most in each
    double *chances                 # (n,) closest as of when they were last asked for
    double *sums                    # of weight * chances over each STRETCH of rows
    double *kept                    # room for both
    double *running                 # like sums: the running sums of them
    int32_t *near                   # (n,) room
    double *found                   # (parts, 2, m) room: what a step sums up
    double *centers                 # (k, d)
    int32_t *places                 # (k,) which rows they are
    Py_ssize_t count, measured      # of centers; of those that rows have been measured to
    double unit, half               # their product: a squared distance times weight in bounds
    int32_t *group                  # the candidates for the next center
    int32_t *rest                   # (m,) room
    Py_ssize_t trials, later        # how many those are; the first that is left then, or -1
    Py_ssize_t skipped              # how many parts the next step begins after
    const int32_t *some             # whose gains it is to tell
    Py_ssize_t heard                # how many those are
    bint fresh                      # whether scores are yet to be made
    int32_t last                    # the last center, a candidate that not all rows know of; or -1
    const int32_t *chosen           # candidates that have become centers and not joined
    Py_ssize_t joining              # how many


cdef inline void propose(const Start *s, float *a, float *row, float *terms) noexcept nogil:
    """Take candidates from the panels; see kmeans/seeding_level.h for the terms. `row` is room."""
    cdef Py_ssize_t across = panel_columns(<float>0), d = s.rows.d, m = s.job.m, c, p, r
    # Where float is of no use all are rivals.
    cdef double kappa = 1.02 * UNIT32 * (d + 8) if d * UNIT32 < 0.01 else 1e25
    cdef double delta = (d + 4) * UNIT64
    cdef double tau = (d + 8) ** 2 * 2.0 ** -90 + d * (s.rows.scale * 2.0 ** -537) ** 2
    cdef float half, length
    memset(a, 0, d * m * sizeof(float))
    for c in range(s.drawn.stop):
        r = s.drawn.rows[c]
        for p in range(d):
            row[p] = s.job.panels[r // across * across * d + p * across + r % across]
            a[p * m + c] = row[p]
        measure(row, d, 1, d, &half, &length)
        terms[m + c] = <float>((kappa + 4 * UNIT32) * length)
        terms[2 * m + c] = <float>((kappa / 2 + delta + 4 * UNIT32) * length * length + tau)
        terms[c] = half + terms[2 * m + c]
    for c in range(s.drawn.stop, m):  # one too many, so that the number is even: no candidate
        terms[c] = -FLT_MAX
        terms[m + c] = terms[2 * m + c] = 0


cdef inline void follow(const Start *s, Py_ssize_t first, Py_ssize_t stop) noexcept nogil:
    """Take some centers into the distances of candidates."""
    cdef Py_ssize_t d = s.rows.d, c, o
    cdef double d2
    for c in range(first, stop):
        for o in range(s.drawn.stop):
            active().apart_f64(
                s.centers + c * d, s.drawn.points + o * d, d, 1, d, &d2)
            s.drawn.now[o] = min(s.drawn.now[o], d2)


# ------------------------------------------------------------------ what candidates gain
cdef inline void score(Start *s, Py_ssize_t first, Py_ssize_t stop) noexcept nogil:
    """Make scores for some parts of the rows, to be held or to bound what all candidates gain."""
    s.skipped = first
    team_do(s.crew, score_part, s, stop - first)
    if stop == s.parts:
        s.fresh = False
        if s.job.held == NULL:
            bound(s, NULL, s.drawn.stop)


cdef inline void score_part(void *start, Py_ssize_t part) noexcept nogil:
    cdef Start *s = <Start *>start
    weigh_part(s, s.skipped + part, True, False)


cdef inline void weigh(Start *s, Py_ssize_t heard) noexcept nogil:
    """Bound what so many of the group gain by the scores held, which are made first if they are
    not; and let rows know of the last center."""
    s.some = s.group
    s.heard = heard
    team_do(s.crew, hear_part, s, s.parts)
    bound(s, s.group, heard)
    if s.last >= 0:
        s.job.loose_slope = max(s.job.loose_slope, s.job.slope[s.last])
        s.job.loose_square = max(s.job.loose_square, s.job.square[s.last])
    s.last = -1
    s.fresh = False


cdef inline void hear_part(void *start, Py_ssize_t part) noexcept nogil:
    cdef Start *s = <Start *>start
    weigh_part(s, part, s.fresh, True)


cdef inline void weigh_part(
    const Start *s, Py_ssize_t part, bint score, bint hear
) noexcept nogil:
    cdef seeding_job job = s.job
    cdef Py_ssize_t across = panel_columns(<float>0), first = part * s.part // across
    cdef Py_ssize_t stop = min(s.panels, first + s.part // across)
    job.high = s.found + part * 2 * job.m
    job.off = job.high + job.m
    memset(job.high, 0, 2 * job.m * sizeof(double))
    if score:
        s.kernels.weigh(&job, first, stop)
    if hear:
        s.kernels.weigh_held(
            &job, s.some, s.heard, s.last, <int32_t>(s.count - s.measured - 1), first, stop)


cdef inline void bound(const Start *s, const int32_t *some, Py_ssize_t count) noexcept nogil:
    """Sum up what parts found of some candidates, or of as many from the first on."""
    cdef const double *found
    cdef double high, low, off, tiny = NOTHING * s.rows.n
    cdef Py_ssize_t t, o, part
    for t in range(count):
        o = t if some == NULL else some[t]
        high = off = 0
        for part in range(s.parts):
            found = s.found + part * 2 * s.job.m
            high += found[o]
            off += found[s.job.m + o]
        low = high * (1 - ROUNDING) - off * (1 + 10 * ROUNDING)
        s.drawn.bounds[o] = high * (1 + ROUNDING) + tiny
        s.drawn.bounds[s.drawn.stop + o] = low - tiny


cdef inline Py_ssize_t best_of_group(Start *s) noexcept nogil:
    """The best candidate of the group; -1 if the bounds leave several."""
    cdef Py_ssize_t best
    if s.job.held != NULL:
        weigh(s, s.trials)
    elif s.joining > 0:
        lessen(s, s.group, s.trials)
    best = sole(&s.drawn, s.group, s.trials)
    if best < 0 and s.job.held != NULL and s.measured < s.count:
        catch_up(s, False)  # draws must not depend on how good bounds are
        weigh(s, s.trials)  # which are better now
        best = sole(&s.drawn, s.group, s.trials)
    return best


cdef inline void lessen(Start *s, const int32_t *some, Py_ssize_t count) noexcept nogil:
    """Take into the bounds of some candidates what they gain less for the chosen."""
    cdef double *bounds = s.drawn.bounds
    cdef const double *found
    cdef Py_ssize_t part, t
    s.some = some
    s.heard = count
    team_do(s.crew, lessen_part, s, s.parts)
    for part in range(s.parts):
        found = s.found + part * 2 * count
        for t in range(count):
            bounds[some[t]] -= found[t] * s.unit * s.half
            bounds[s.drawn.stop + some[t]] -= found[count + t] * s.unit * s.half


cdef inline void lessen_part(void *start, Py_ssize_t part) noexcept nogil:
    cdef Start *s = <Start *>start
    cdef Py_ssize_t first = part * s.part, stop = min(s.rows.n, first + s.part)
    cdef double *less = s.found + part * 2 * s.heard
    memset(less, 0, 2 * s.heard * sizeof(double))
    lessen_rows(
        &s.rows, &s.drawn, s.chosen, s.joining, s.some, s.heard, first, stop, s.near + first, less)


# ------------------------------------------------------------------ candidates become centers
cdef inline void adopt(Start *s, Py_ssize_t which) noexcept nogil:
    """A candidate becomes a center, which no row has been measured to yet."""
    cdef Py_ssize_t d = s.rows.d
    memcpy(s.centers + s.count * d, s.drawn.points + which * d, d * sizeof(double))
    s.places[s.count] = s.drawn.rows[which]
    s.count += 1
    follow(s, s.count - 1, s.count)
    if s.job.held != NULL:
        s.last = <int32_t>which
    else:
        s.joining += 1


cdef inline void join(Start *s) noexcept nogil:
    """Let the chosen join the centers."""
    if s.joining > 0:
        team_do(s.crew, join_part, s, s.parts)
        s.measured += s.joining
        s.joining = 0


cdef inline void join_between(Start *s) noexcept nogil:
    """The same while candidates for other centers are left."""
    cdef int32_t *rest = s.rest
    cdef Py_ssize_t o
    for o in range(s.later, s.drawn.stop):
        rest[o - s.later] = <int32_t>o
    if s.joining > 0 and s.later < s.drawn.stop:
        lessen(s, rest, s.drawn.stop - s.later)
    join(s)


cdef inline void join_part(void *start, Py_ssize_t part) noexcept nogil:
    cdef Start *s = <Start *>start
    cdef Py_ssize_t first = part * s.part, stop = min(s.rows.n, first + s.part)
    join_rows(
        &s.rows, &s.drawn, s.chosen, s.joining, <int32_t>s.measured, first, stop, s.near + first)


cdef inline void catch_up(Start *s, bint anew) noexcept nogil:
    """Measure the rows that are nearer to centers since; chances are `anew` those of now."""
    cdef Py_ssize_t n = s.rows.n
    if s.last >= 0:
        weigh(s, 0)
    if anew:
        s.chances = s.rows.closest
        s.sums = s.rows.sums
    elif s.chances == s.rows.closest:
        s.chances = s.kept
        s.sums = s.kept + n
        memcpy(s.chances, s.rows.closest, n * sizeof(double))
        memcpy(s.sums, s.rows.sums, (n + STRETCH - 1) // STRETCH * sizeof(double))
    if s.measured < s.count:
        team_do(s.crew, settle_part, s, s.parts)
        s.measured = s.count
        s.job.loose_slope = s.job.loose_square = 0


cdef inline void settle_part(void *start, Py_ssize_t part) noexcept nogil:
    cdef Start *s = <Start *>start
    cdef Py_ssize_t first = part * s.part, stop = min(s.rows.n, first + s.part)
    settle_rows(
        &s.rows, s.centers + s.measured * s.rows.d, s.count - s.measured, <int32_t>s.measured,
        s.job.who, first, stop, s.near + first)
