# SPDX-License-Identifier: BSD-3-Clause
"""Seeding of k-means: how much each candidate for the next center would lower the potential.

Arthur & Vassilvitskii 2007 (k-means++, doi:10.5555/1283383.1283494) in its greedy form, several
candidates for each center. All candidates, those of further centers too, are weighed in one reading
of the rows.

Rows that are laid out as float panels give bounds: they tell the best candidate unless two are
about as good, and name the few rows that it may gain. Those are measured in float64 by differences
when it joins the centers, so that what is drawn from is exact, and tell how much less candidates
for the next gain for it. Where scores are held, all rows tell that anew for each center, and are
measured later.

The steps are those of a team: see threads/team.h. Which rows make a part depends on their number.

Cost: O(n d m) for m candidates, and O(d) for each row that a center gains and for each candidate
that would have gained it too; where scores are held O(n) for each candidate for each center.

The caller guarantees: finite rows, matching shapes, d >= 1, and that the least float is the `top`
where panels hold no row.
"""

from cython.view cimport contiguous
from libc.float cimport FLT_MIN
from libc.math cimport fabs, nextafter
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memcpy, memset

from statfast._core.kmeans.potential cimport (
    REST, STRETCH, Drawn, Rows, add_up, approach, rows_of, thin,
)
from statfast._core.kmeans.gains cimport seeding_at, seeding_kernels
from statfast._core.tile.rows cimport UNIT64, padded, panel_columns
from statfast._core.kmeans.plus_plus cimport (
    Start, adopt, best_of_group, catch_up, follow, join, join_between, propose, score, weigh,
)
from statfast._core.threads.team cimport team_of
from statfast._core.tile.tiles cimport level

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


cdef class Seeding:
    """Rows in panels, their squared distances to centers, and candidates for the next center.

    Keeps the arrays alive.
    """

    cdef Start s
    cdef object arrays, candidates

    def __init__(
        self,
        const unsigned char[:, ::contiguous] X,  # IN (n, bytes) the rows, of one type
        const double[::1] weights,      # IN (n,), or None
        const float[::1] shares,        # IN (n',) the same over the greatest, or None
        double scale,
        double unit,                    # see Start
        double half,
        int32_t[:, ::1] own,            # OUT (n, 2) see Own
        double[::1] closest,            # OUT (n,) squared distance to the nearest center
        double[::1] sums,               # OUT of weight * closest over each STRETCH of rows
        double[::1] running,            # room like sums
        double[::1] kept,               # room (n + ceil(n / STRETCH),)
        float[::1] top,                 # OUT (n',)
        float[:, ::1] most,             # OUT (3, panels) norm, rest and weight: the most in each
        int32_t[::1] who,               # OUT (n',)
        int32_t[::1] near,              # room (n,)
        Py_ssize_t part,                # rows of a part, a multiple of STRETCH and of a panel's
        double[:, ::1] centers,         # OUT (k, d)
        int32_t[::1] places,            # OUT (k,) which rows they are
        int32_t[::1] group,             # OUT (trials,) the candidates looked at last
        int64_t[::1] crew,              # INOUT a team
    ):
        cdef Start *s = &self.s
        memset(s, 0, sizeof(Start))
        self.arrays = (
            X, weights, shares, own, closest, sums, running, kept, top, most, who, near, centers,
            places, group, crew,
        )
        s.rows = rows_of(
            X, centers.shape[1], weights, scale, own, closest, top, sums, kernels)
        s.kernels = kernels
        s.crew = team_of(crew)
        s.part = part
        s.parts = (s.rows.n + part - 1) // part
        s.panels = most.shape[1]
        s.most = &most[0, 0]
        s.chances = s.rows.closest
        s.sums = s.rows.sums
        s.running = &running[0]
        s.kept = &kept[0]
        s.near = &near[0]
        s.centers = &centers[0, 0]
        s.places = &places[0]
        s.group = &group[0]
        s.trials = group.shape[0]
        s.unit = unit
        s.half = half
        s.last = -1
        s.job.depth = s.rows.d
        s.job.wide = top.shape[0]
        s.job.top = &top[0]
        s.job.weight = NULL if shares is None else &shares[0]
        s.job.longest = &most[0, 0]
        s.job.rest = &most[1, 0]
        s.job.heaviest = &most[2, 0]
        s.job.who = &who[0]

    def begin(
        self,
        const double[::1] origin,       # IN (d,) of the panels
        const double[::1] center,       # IN (d,)
        const float[::1] norms,         # IN (n',)
        Py_ssize_t first,               # row, the first of a stretch and of a panel
        Py_ssize_t stop,
    ):
        """The first center, for some of the rows.

        `top` only falls from then on, to no less than -norm^2 / 2.
        """
        cdef Start *s = &self.s
        cdef Rows *r = &s.rows
        cdef Py_ssize_t across = panel_columns(<float>0), i, p, count
        cdef double[32] square  # a panel has no more rows
        cdef double[32] d2
        cdef double size, rest
        cdef float norm
        cdef const unsigned char *x
        with nogil:
            for p in range(first // across, (stop + across - 1) // across):
                norm = 0
                rest = 0
                x = r.x + p * across * r.step
                count = min(stop - p * across, across)
                r.apart(&origin[0], x, r.step, NULL, count, r.d, square)
                r.apart(&center[0], x, r.step, NULL, count, r.d, d2)
                for i in range(p * across, p * across + count):
                    r.own[i].square = <float>(square[i - p * across] * r.scale * r.scale)
                    approach(r, i, d2[i - p * across], 0)
                    norm = max(norm, norms[i])
                    rest = max(rest, <double>fabs(r.top[i]))
                size = <double>norm * norm
                size = (r.d + 4) * UNIT64 * size + 1.1 * REST * (size + max(rest, size))
                s.most[p] = norm
                s.most[s.panels + p] = <float>(size + r.d * <double>FLT_MIN)
            for i in range(first // STRETCH, (stop + STRETCH - 1) // STRETCH):
                add_up(r, i)

    def begun(
        self,
        const double[::1] center,       # IN (d,)
        int32_t place,                  # which row that is
        const float[::1] panels,        # IN (n' d,) the rows as `lloyd.lay_out` made them
    ):
        """All rows know of the first center."""
        cdef Start *s = &self.s
        self.arrays += (panels,)
        s.job.panels = &panels[0]
        memcpy(s.centers, &center[0], s.rows.d * sizeof(double))
        s.places[0] = place
        s.count = s.measured = 1

    def draw(
        self,
        const double[::1] at,           # IN (m,) numbers in [0, 1)
        int32_t[::1] rows,              # OUT (m,)
    ):
        """Draw rows in proportion to weight * squared distance to the nearest center; returns the
        sum of all, 0 if none can be drawn.

        The row drawn is the first at which the running sum passes `at` of the whole.
        """
        cdef double total
        with nogil:
            total = draw_rows(&self.s, &at[0], &rows[0], at.shape[0])
        return total

    def offer(
        self,
        const int32_t[::1] rows,        # IN (m,) candidates
        const double[:, ::1] points,    # IN (m, d) the same
        const double[::1] keep,         # IN (m,) numbers in [0, 1): see thin
        double[:, ::1] far,             # OUT (2, m) their squared distances when drawn, and now
        uint32_t[:, ::1] hits,          # OUT (m' + 2, panels) the rows that each may gain, and
                                        # room; m' is even
        double[:, ::1] bounds,          # OUT (2, m) from above and below on what each gains
        float[:, ::1] held,             # OUT (m', n') scores; or None, and they make bounds at once
        float[:, ::1] a,                # room (d, m'), and what follows
        float[::1] row,                 # (d or more,)
        float[:, ::1] terms,            # (3, m')
        double[:, :, ::1] found,        # (parts, 2, m')
        int32_t[::1] rest,              # (m,)
    ):
        """Take candidates, whose scores are to be made next: by `score`, or by `choose` where they
        are held."""
        cdef Start *s = &self.s
        cdef Drawn *c = &s.drawn
        cdef Py_ssize_t o
        self.candidates = rows, points, keep, far, hits, bounds, held, a, row, terms, found, rest
        s.job.m = terms.shape[1]
        c.d = points.shape[1]
        c.stop = rows.shape[0]
        c.rows = &rows[0]
        c.points = &points[0, 0]
        c.keep = &keep[0]
        c.before = &far[0, 0]
        c.now = &far[1, 0]
        c.panels = s.job.all = hits.shape[1]
        c.hits = s.job.hit = &hits[0, 0]
        c.mask = &hits[s.job.m, 0]
        c.bounds = &bounds[0, 0]
        s.job.a = &a[0, 0]
        s.job.start = &terms[0, 0]
        s.job.slope = &terms[1, 0]
        s.job.square = &terms[2, 0]
        s.job.held = NULL if held is None else &held[0, 0]
        s.found = &found[0, 0, 0]
        s.rest = &rest[0]
        s.later = 0
        s.fresh = True
        with nogil:
            for o in range(c.stop):
                far[0, o] = s.chances[rows[o]]
                far[1, o] = s.rows.closest[rows[o]]
            follow(s, s.measured, s.count)
            propose(s, &a[0, 0], &row[0], &terms[0, 0])

    def score(
        self,
        Py_ssize_t first,               # part
        Py_ssize_t stop,
    ):
        """Make the scores of some parts of the rows. All are made in turn, from the first on."""
        with nogil:
            score(&self.s, first, stop)

    def choose(
        self,
        int32_t[::1] chosen,            # OUT (most,) the candidates that become centers
    ):
        """Choose as many centers as there is room for, as long as bounds tell the best.

        Returns how many there are; and whether a group is left whose best is not known.
        """
        cdef Start *s = &self.s
        cdef Drawn *c = &s.drawn
        cdef Py_ssize_t count = 0, best = 0
        s.chosen = &chosen[0]
        with nogil:
            while count < chosen.shape[0]:
                s.later = thin(c.now, c.before, c.keep, s.later, c.stop, s.group, s.trials)
                if s.later < 0:
                    break
                best = best_of_group(s)
                if best < 0:
                    break
                chosen[count] = <int32_t>best
                count += 1
                adopt(s, best)
            if best >= 0 and s.last >= 0:
                weigh(s, 0)
            if best < 0:
                join_between(s)
            else:
                join(s)
        return count, best < 0

    def join(
        self,
        const int32_t[::1] which,       # IN (1,) a candidate
    ):
        """Let this candidate become a center."""
        cdef Start *s = &self.s
        s.chosen = &which[0]
        with nogil:
            adopt(s, which[0])
            join_between(s)

    def catch_up(self):
        """Measure the rows that are nearer to centers since; chances are those of now."""
        with nogil:
            catch_up(&self.s, True)

    @property
    def centers(self):
        """How many there are."""
        return self.s.count

    @property
    def left(self):
        """The first candidate after the last group, -1 where too few were left for one."""
        return self.s.later


cdef double draw_rows(
    const Start *s, const double *at, int32_t *rows, Py_ssize_t m
) noexcept nogil:
    cdef Py_ssize_t n = s.rows.n, stretches = (n + STRETCH - 1) // STRETCH, c, low, high, middle, i
    cdef double total = 0, goal, before, chance
    for i in range(stretches):
        total += s.sums[i]
        s.running[i] = total
    for c in range(m if total > 0 else 0):
        goal = min(max(at[c], 0.0) * total, nextafter(total, 0))
        low = 0
        high = stretches - 1
        while low < high:  # the first whose running sum exceeds the goal
            middle = (low + high) // 2
            if s.running[middle] > goal:
                high = middle
            else:
                low = middle + 1
        goal -= s.running[low - 1] if low > 0 else 0
        before = 0
        for i in range(low * STRETCH, min(n, (low + 1) * STRETCH)):
            chance = s.chances[i] * (1 if s.rows.weights == NULL else s.rows.weights[i])
            before += chance
            if chance > 0:
                rows[c] = <int32_t>i
                if before > goal:
                    break
    return total


def thinned(
    const double[::1] now,          # IN (m,) squared distances of rows drawn to the centers
    const double[::1] before,       # IN (m,) what they were drawn in proportion to
    const double[::1] keep,         # IN (m,) numbers in [0, 1)
    Py_ssize_t start,               # the first that is left
    int32_t[::1] group,             # OUT (l,) which they are
):
    """The candidates for one center; returns the first after them, -1 if they are too few."""
    return thin(
        &now[0], &before[0], &keep[0], start, now.shape[0], &group[0], group.shape[0])
