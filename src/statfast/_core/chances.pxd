# SPDX-License-Identifier: BSD-3-Clause
"""Rows with the squared distance to their nearest centre, when a candidate becomes a centre.

The rows that may be nearer to it are known; they are measured in float64 by differences. Those that
other candidates may gain as well tell how much less those gain now.
"""

from libc.float cimport FLT_MIN
from libc.math cimport fabs
from libc.stdint cimport int32_t, uint32_t

from statfast._core.rows cimport UNIT64, panel_columns
from statfast._core.tiles cimport active

# Rows whose chances are summed together: as many look for the row that is drawn.
cdef enum:
    STRETCH = 32
    AHEAD = 2048  # bytes

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

ctypedef void (*apart_kind)(
    const double *q, const void *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, double *out
) noexcept nogil

ctypedef double (*add_up_kind)(
    const double *closest, const double *weights, Py_ssize_t n
) noexcept nogil

cdef struct Rows:
    const unsigned char *x
    Py_ssize_t n, d, step, line
    apart_kind apart
    add_up_kind sum
    const double *weights
    double scale
    double *squares
    double *closest
    float *top
    double *sums


cdef struct Drawn:
    Py_ssize_t m, later, stop
    const uint32_t *hits
    const double *points
    double *lost
    double *of


cdef inline Rows rows_of(
    const unsigned char[:, :] X,    # IN (n, bytes) the numbers of each row, of one type
    Py_ssize_t d,
    const double[::1] weights,      # IN (n,), or None
    double scale,
    double[::1] squares,            # INOUT (n,) squared distance from the origin
    double[::1] closest,            # INOUT (n,)
    float[::1] top,                 # INOUT (n',)
    double[::1] sums,               # INOUT of weight * closest over each STRETCH of rows
    add_up_kind sum,                # how they are summed
):
    cdef Rows s
    cdef Py_ssize_t size = X.shape[1] // d
    s.x = &X[0, 0]
    s.n = X.shape[0]
    s.d = d
    s.step = X.strides[0]
    s.line = X.shape[1]
    s.apart = active().apart_f64
    if size == 4:
        s.apart = active().apart_f32
    elif size == 1:
        s.apart = active().apart_u8
    s.weights = NULL if weights is None else &weights[0]
    s.scale = scale
    s.squares = &squares[0]
    s.closest = &closest[0]
    s.top = &top[0]
    s.sums = &sums[0]
    s.sum = sum
    return s


cdef inline double apart(const Rows *s, const double *point, Py_ssize_t row) noexcept nogil:
    cdef double d2
    s.apart(point, s.x + row * s.step, s.d, 1, s.d, &d2)
    return d2


cdef inline void approach(const Rows *s, Py_ssize_t row, double d2) noexcept nogil:
    """A row has come to have its nearest centre so far away."""
    cdef double half, size, rest
    s.closest[row] = d2
    half = (d2 - s.squares[row]) * s.scale * (s.scale / 2)
    size = 1.00001 * s.squares[row] * s.scale * s.scale  # no less than the float row's
    rest = (s.d + 4) * UNIT64 * size + REST * (fabs(half) + size) + s.d * <double>FLT_MIN
    s.top[row] = <float>(half + rest)


cdef inline void add_up(const Rows *s, Py_ssize_t stretch) noexcept nogil:
    """The chances of a stretch of rows."""
    cdef Py_ssize_t i = stretch * STRETCH
    s.sums[stretch] = s.sum(
        s.closest + i, NULL if s.weights == NULL else s.weights + i,
        min(<Py_ssize_t>STRETCH, s.n - i))


cdef inline Drawn drawn_of(
    const uint32_t[:, ::1] hits, const double[:, ::1] points, double[:, ::1] lost, Py_ssize_t later
):
    cdef Drawn c
    c.later = later
    c.m = hits.shape[1]
    c.stop = points.shape[0]
    c.hits = &hits[0, 0]
    c.points = &points[0, 0]
    c.lost = &lost[0, 0]
    c.of = &lost[1, 0]
    return c


cdef inline Py_ssize_t gather(
    const Drawn *c, Py_ssize_t which, Py_ssize_t first, Py_ssize_t stop, int32_t *near
) noexcept nogil:
    """The rows from `first`, a panel's first, on that may be nearer to a candidate; how many."""
    cdef Py_ssize_t across = panel_columns(<float>0), count = 0, i = first
    cdef const uint32_t *hits = c.hits + first // across * c.m + which
    cdef uint32_t bits
    while i < stop:
        bits = hits[0]
        while bits:
            near[count] = <int32_t>(i + lowest(bits))
            count += 1
            bits &= bits - 1
        hits += c.m
        i += across
    return count


cdef inline void join_rows(
    const Rows *s, Drawn *c, Py_ssize_t which, const int32_t *near, Py_ssize_t count
) noexcept nogil:
    """Let a candidate become a centre, for these rows."""
    cdef Py_ssize_t across = panel_columns(<float>0), d = s.d, panel = -1, stretch = -1, r, o, k, at
    cdef const double *center = c.points + which * d
    cdef const uint32_t *hits = NULL
    cdef uint32_t bits, wanted = 0
    cdef Py_ssize_t ahead = max(<Py_ssize_t>4, AHEAD // s.line)
    cdef double d2, far, before, w
    for k in range(count):
        if k + ahead < count:  # rows here and there: memory is asked for them in time
            r = near[k + ahead]
            at = 0
            while at < s.line:
                prefetch(s.x + r * s.step + at)
                at += 64
            prefetch(s.closest + r)
            prefetch(s.squares + r)
            prefetch(s.top + r)
        r = near[k]
        d2 = apart(s, center, r)
        before = s.closest[r]
        if d2 >= before:
            continue
        approach(s, r, d2)
        if r // STRETCH != stretch:
            if stretch >= 0:
                add_up(s, stretch)
            stretch = r // STRETCH
        if c.later == c.stop:
            continue
        if r // across != panel:
            panel = r // across
            hits = c.hits + panel * c.m
            wanted = 0
            for o in range(c.later, c.stop):
                wanted |= hits[o]
        bits = <uint32_t>1 << (r - panel * across)
        if wanted & bits:
            w = 1 if s.weights == NULL else s.weights[r]
            for o in range(c.later, c.stop):
                if hits[o] & bits:
                    far = apart(s, c.points + o * d, r)
                    c.lost[o] += w * (max(0.0, before - far) - max(0.0, d2 - far))
                    c.of[o] += w * before
    if stretch >= 0:
        add_up(s, stretch)


cdef inline Py_ssize_t sole(const int32_t[::1] group, const double[:, ::1] bounds) noexcept nogil:
    """The best candidate; -1 if the bounds leave several."""
    cdef Py_ssize_t t, best = group[0]
    for t in range(group.shape[0]):
        if bounds[1, group[t]] > bounds[1, best]:
            best = group[t]
    for t in range(group.shape[0]):
        if group[t] != best and not bounds[0, group[t]] < bounds[1, best]:
            return -1
    return best


cdef inline void lessen(
    double[:, ::1] bounds, double[:, ::1] lost, double unit, double half
) noexcept nogil:
    """Take from the bounds what is lost, in units of `unit` times `half`."""
    cdef Py_ssize_t o
    for o in range(bounds.shape[1]):
        bounds[0, o] -= (lost[0, o] - EXACT * lost[1, o]) * unit * half
        bounds[1, o] -= (lost[0, o] + EXACT * lost[1, o]) * unit * half
        lost[0, o] = lost[1, o] = 0


cdef inline Py_ssize_t thin(
    const int32_t[::1] rows, const double[::1] closest, const double[::1] before,
    const double[::1] keep, Py_ssize_t start, int32_t[::1] group,
) noexcept nogil:
    """Collect the candidates for one centre; returns the first after them, -1 if they are too few.

    A row drawn when its chance was `before` is a row drawn now if it is kept with probability
    now / before (von Neumann's rejection); chances never rise.
    """
    cdef Py_ssize_t t, count = 0
    cdef double now
    for t in range(start, rows.shape[0]):
        now = closest[rows[t]]
        if now == before[t] or keep[t] * before[t] < now:
            group[count] = <int32_t>t
            count += 1
            if count == group.shape[0]:
                return t + 1
    return -1
