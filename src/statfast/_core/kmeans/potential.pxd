# SPDX-License-Identifier: BSD-3-Clause
"""Rows with the squared distance to their nearest center, when a candidate becomes a center.

The rows that may be nearer to it are known; they are measured in float64 by differences. Those that
other candidates may gain as well tell how much less those gain now.
"""

from cython.view cimport contiguous
from libc.float cimport FLT_MIN
from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, uint32_t
from libc.string cimport memset

from statfast._core.kmeans.gains cimport apart_some, seeding_kernels
from statfast._core.tile.rows cimport UNIT64, panel_columns

# Rows whose chances are summed together: as many look for the row that is drawn.
cdef enum:
    STRETCH = 32
    AHEAD = 2048  # bytes of rows that are asked for
    MANY = 64  # rows that are measured together

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define STATFAST_PREFETCH(p) __builtin_prefetch(p)
    #define STATFAST_LOWEST(bits) __builtin_ctz(bits)
    #else
    #define STATFAST_PREFETCH(p) (void)(p)
    static int STATFAST_LOWEST(unsigned bits) {
        int place = 0;
        while (!(bits >> place & 1)) place++;
        return place;
    }
    #endif
    #define STATFAST_REST 6e-7
    #define STATFAST_EXACT 1e-9
    """
    const double REST "STATFAST_REST"  # of what is rounded to float, each a few times
    const double EXACT "STATFAST_EXACT"  # more than what sums of differences in double lose
    void prefetch "STATFAST_PREFETCH"(const void *p) noexcept nogil
    int lowest "STATFAST_LOWEST"(uint32_t bits) noexcept nogil

cdef struct Own:  # beside each other in memory: rows are measured here and there
    float square  # squared distance from the origin, scaled
    int32_t label


cdef struct Rows:
    const unsigned char *x
    Py_ssize_t n, d, step, line
    apart_some apart
    const seeding_kernels *kernels
    const double *weights
    double scale
    Own *own
    double *closest
    float *top
    double *sums


cdef struct Drawn:  # candidates
    Py_ssize_t d, stop, panels
    const uint32_t *hits            # (m, panels) rows that may be nearer to each
    uint32_t *mask                  # (2, panels) room
    const double *points            # (m, d)
    const int32_t *rows             # (m,) the same
    const double *before            # (m,) squared distance of each to the centers when drawn
    double *now                     # (m,) and now
    const double *keep              # (m,) numbers in [0, 1): see thin
    double *bounds                  # (2, m) from above and below on what each gains


cdef inline Rows rows_of(
    const unsigned char[:, ::contiguous] X,  # IN (n, bytes) the numbers of each row, of one type
    Py_ssize_t d,
    const double[::1] weights,      # IN (n,), or None
    double scale,
    int32_t[:, ::1] own,            # INOUT (n, 2) see Own
    double[::1] closest,            # INOUT (n,) squared distance to the nearest center
    float[::1] top,                 # INOUT (n',)
    double[::1] sums,               # INOUT of weight * closest over each STRETCH of rows
    const seeding_kernels *kernels,
):
    cdef Rows s
    cdef Py_ssize_t size = X.shape[1] // max(d, 1)
    s.x = &X[0, 0]
    s.n = X.shape[0]
    s.d = d
    s.step = X.strides[0]
    s.line = X.shape[1]
    s.apart = kernels.apart_f64
    if size == 4:
        s.apart = kernels.apart_f32
    elif size == 1:
        s.apart = kernels.apart_u8
    s.weights = NULL if weights is None else &weights[0]
    s.scale = scale
    s.own = <Own *>&own[0, 0]
    s.closest = &closest[0]
    s.top = &top[0]
    s.sums = &sums[0]
    s.kernels = kernels
    return s


cdef inline double apart(const Rows *s, const double *point, Py_ssize_t row) noexcept nogil:
    cdef double d2
    s.apart(point, s.x + row * s.step, s.step, NULL, 1, s.d, &d2)
    return d2


cdef inline void approach(
    const Rows *s, Py_ssize_t row, double d2, int32_t label
) noexcept nogil:
    """A row has come to have its nearest center so far away."""
    cdef double half, size, rest
    s.closest[row] = d2
    s.own[row].label = label
    half = d2 * s.scale * (s.scale / 2) - s.own[row].square / 2
    size = 1.00001 * s.own[row].square  # no less than the float row's
    rest = (s.d + 4) * UNIT64 * size + REST * (fabs(half) + size) + s.d * <double>FLT_MIN
    s.top[row] = <float>(half + rest)


cdef inline void add_up(const Rows *s, Py_ssize_t stretch) noexcept nogil:
    """The chances of a stretch of rows."""
    cdef Py_ssize_t i = stretch * STRETCH
    s.sums[stretch] = s.kernels.add_up(
        s.closest + i, NULL if s.weights == NULL else s.weights + i,
        min(<Py_ssize_t>STRETCH, s.n - i))


cdef inline void ask(
    const Rows *s, const int32_t *near, Py_ssize_t k, Py_ssize_t count
) noexcept nogil:
    """Ask for the memory of rows here and there some time before row near[k + ..] is looked at."""
    cdef Py_ssize_t at = 0, row
    k += max(<Py_ssize_t>4, AHEAD // max(s.line, 1))
    if k < count:
        row = near[k]
        while at < s.line:
            prefetch(s.x + row * s.step + at)
            at += 64
        prefetch(s.closest + row)
        prefetch(s.own + row)
        prefetch(s.top + row)


cdef inline Py_ssize_t rows_hit(
    const Drawn *c, const int32_t *some, Py_ssize_t count, const int32_t *others, Py_ssize_t more,
    Py_ssize_t first, Py_ssize_t stop, int32_t *near
) noexcept nogil:
    """Which of some rows may be nearer to one of some candidates and to one of others; returns how
    many. Where there are no others, the former alone."""
    cdef Py_ssize_t across = panel_columns(<float>0), found = 0, p
    cdef Py_ssize_t begin = first // across, panels = (stop + across - 1) // across - begin
    cdef uint32_t *any = c.mask + begin
    cdef uint32_t *both = any + c.panels
    cdef uint32_t bits
    hit_by_any(c, some, count, begin, panels, any)
    if more > 0:
        hit_by_any(c, others, more, begin, panels, both)
        for p in range(panels):
            any[p] &= both[p]
    for p in range(panels):
        bits = any[p]
        while bits:
            near[found] = <int32_t>((begin + p) * across + lowest(bits))
            found += 1
            bits &= bits - 1
    return found


cdef inline void hit_by_any(
    const Drawn *c, const int32_t *some, Py_ssize_t count, Py_ssize_t begin, Py_ssize_t panels,
    uint32_t *any
) noexcept nogil:
    cdef const uint32_t *hits
    cdef Py_ssize_t t, p
    memset(any, 0, panels * sizeof(uint32_t))
    for t in range(count):
        hits = c.hits + some[t] * c.panels + begin
        for p in range(panels):
            any[p] |= hits[p]


cdef inline void join_rows(
    const Rows *s, const Drawn *c, const int32_t *chosen, Py_ssize_t centers, int32_t label,
    Py_ssize_t first, Py_ssize_t stop, int32_t *near
) noexcept nogil:
    """Let candidates become centers, of numbers from `label` on, for the rows from one panel's
    first on; `near` is room."""
    cdef Py_ssize_t t, count
    for t in range(centers):
        count = rows_hit(c, &chosen[t], 1, NULL, 0, first, stop, near)
        approach_rows(s, c.points + chosen[t] * c.d, label + <int32_t>t, near, count)


cdef inline void approach_rows(
    const Rows *s, const double *point, int32_t label, const int32_t *near, Py_ssize_t count
) noexcept nogil:
    """A center joins, to which these rows may be nearer."""
    cdef double d2[MANY]
    cdef Py_ssize_t stretch = -1, begin = 0, end, k, r
    while begin < count:
        end = min(count, begin + MANY)
        for k in range(begin, end):
            ask(s, near, k, count)
        s.apart(point, s.x, s.step, near + begin, end - begin, s.d, d2)
        for k in range(begin, end):
            r = near[k]
            if d2[k - begin] < s.closest[r]:
                approach(s, r, d2[k - begin], label)
                if r // STRETCH != stretch:
                    if stretch >= 0:
                        add_up(s, stretch)
                    stretch = r // STRETCH
        begin = end
    if stretch >= 0:
        add_up(s, stretch)


cdef inline void settle_rows(
    const Rows *s, const double *points, Py_ssize_t m, int32_t label, int32_t *who,
    Py_ssize_t first, Py_ssize_t stop, int32_t *near
) noexcept nogil:
    """Measure the rows of a task that some of m new centers came nearer to, of numbers from `label`
    on; `near` is room."""
    cdef Py_ssize_t count = 0, stretch = -1, k, r
    cdef int32_t c, least, most
    cdef double d2
    for r in range(first, stop):
        near[count] = <int32_t>r
        count += who[r] != -1
    for k in range(count):
        ask(s, near, k, count)
        r = near[k]
        least = max(who[r], 0)
        most = who[r] + 1 if who[r] >= 0 else <int32_t>m
        for c in range(least, most):
            d2 = apart(s, points + c * s.d, r)
            if d2 < s.closest[r]:
                approach(s, r, d2, label + c)
        who[r] = -1
        if r // STRETCH != stretch:
            if stretch >= 0:
                add_up(s, stretch)
            stretch = r // STRETCH
    if stretch >= 0:
        add_up(s, stretch)


cdef inline bint is_hit(const Drawn *c, Py_ssize_t which, Py_ssize_t row) noexcept nogil:
    cdef Py_ssize_t across = panel_columns(<float>0)
    return c.hits[which * c.panels + row // across] >> (row % across) & 1


cdef inline double nearest(
    const Rows *s, const Drawn *c, const int32_t *chosen, Py_ssize_t centers, Py_ssize_t row
) noexcept nogil:
    """The least squared distance of a row to those of the candidates that it may be nearer to."""
    cdef double least = INFINITY
    cdef Py_ssize_t o
    for o in range(centers):
        if is_hit(c, chosen[o], row):
            least = min(least, apart(s, c.points + chosen[o] * c.d, row))
    return least


cdef inline void lessen_rows(
    const Rows *s, const Drawn *c, const int32_t *chosen, Py_ssize_t centers,
    const int32_t *some, Py_ssize_t count, Py_ssize_t first, Py_ssize_t stop, int32_t *near,
    double *less
) noexcept nogil:
    """What some candidates gain less of some rows for the `chosen`, which have not joined the
    centers yet: (2, count) at least, and at most; added to."""
    cdef Py_ssize_t common, r, k, t
    cdef double nearer, far, before, w, fall, error
    common = rows_hit(c, chosen, centers, some, count, first, stop, near)
    for k in range(common):
        ask(s, near, k, common)
        r = near[k]
        before = s.closest[r]
        nearer = nearest(s, c, chosen, centers, r)
        if nearer < before:
            w = 1 if s.weights == NULL else s.weights[r]
            for t in range(count):
                if is_hit(c, some[t], r):
                    far = apart(s, c.points + some[t] * c.d, r)
                    fall = w * (max(0.0, before - far) - max(0.0, nearer - far))
                    error = EXACT * w * before
                    less[t] += fall - error
                    less[count + t] += fall + error


cdef inline Py_ssize_t sole(
    const Drawn *c, const int32_t *group, Py_ssize_t count
) noexcept nogil:
    """The best candidate of a group; -1 if the bounds leave several."""
    cdef const double *low = c.bounds + c.stop
    cdef Py_ssize_t t, best = group[0]
    for t in range(count):
        if low[group[t]] > low[best]:
            best = group[t]
    for t in range(count):
        if group[t] != best and not c.bounds[group[t]] < low[best]:
            return -1
    return best


cdef inline Py_ssize_t thin(
    const double *now, const double *before, const double *keep, Py_ssize_t start,
    Py_ssize_t stop, int32_t *group, Py_ssize_t wanted
) noexcept nogil:
    """Collect the candidates for one center; returns the first after them, -1 if they are too few.

    A row drawn when its chance was `before` is a row drawn now if it is kept with probability
    now / before (von Neumann's rejection); chances never rise.
    """
    cdef Py_ssize_t t, count = 0
    for t in range(start, stop):
        if now[t] == before[t] or keep[t] * before[t] < now[t]:
            group[count] = <int32_t>t
            count += 1
            if count == wanted:
                return t + 1
    return -1
