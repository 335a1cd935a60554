# SPDX-License-Identifier: BSD-3-Clause
"""Seeding of k-means: how much each candidate for the next centre would lower the potential.

Arthur & Vassilvitskii 2007 (k-means++, doi:10.5555/1283383.1283494) in its greedy form, several
candidates for each centre. All candidates are weighed in one reading of the rows.

`weigh` does so for rows that are laid out as float panels, and gives bounds: they tell the best
candidate unless two are about as good, and name the few rows that it may gain. `join` measures
those in float64 by differences, so that what is drawn from is exact. `trial` weighs in float64
throughout: a tile of rows is laid out feature by feature once, then every candidate runs down it
with one row to a lane, so the loops vectorise for any number of columns.

Cost: O(b d L) for b rows and L candidates; `trial` takes 16 d doubles of memory.

The caller guarantees: finite rows, matching shapes, d >= 1, L >= 1, closest not negative; and that
where panels hold no row, `top` is the least float.
"""

from libc.float cimport FLT_MIN
from libc.math cimport INFINITY, fabs, nextafter
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from statfast._core.rows cimport UNIT32, UNIT64, apart, measure, number, padded, panel_columns
from statfast._core.tiles cimport level

cdef extern from "seeding_kernels.h" nogil:
    ctypedef struct seeding_job:
        const float *a
        const float *start
        const float *slope
        const float *square
        Py_ssize_t lda
        Py_ssize_t m
        Py_ssize_t depth
        const float *panels
        const float *norm
        const float *top
        const float *weight
        const float *longest
        const float *rest
        const float *heaviest
        uint32_t *hit
        double *high
        double *off

    ctypedef struct seeding_kernels:
        void (*weigh)(
            const seeding_job *job, Py_ssize_t first, Py_ssize_t stop
        ) noexcept nogil
        double (*add_up)(
            const double *closest, const double *weights, Py_ssize_t n
        ) noexcept nogil
    const seeding_kernels *seeding_at(int level)

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
    """
    void prefetch "STATFAST_PREFETCH"(const void *p) noexcept nogil
    int lowest "STATFAST_LOWEST"(uint32_t bits) noexcept nogil

ctypedef Py_ssize_t intp

# Rows whose chances are summed together: as many look for the row that is drawn.
cdef enum:
    STRETCH = 256
    AHEAD = 8

cdef double REST = 6e-7  # of the numbers that are rounded to float, each a few times

# Rows in a tile: their 16 sums stay in registers (eight of 128 bits, two of 512).
cdef enum:
    TILE = 16


def trial(
    const number[:, ::1] X,             # IN (b, d)
    const double[::1] weights,          # IN (b,), or None: one each
    const double[:, ::1] candidates,    # IN (L, d)
    const double[::1] closest,          # IN (b,) squared distance to the nearest centre so far
    double[:, :] nearer,                # OUT (L, b) the same with each candidate added, or None
    double[::1] potential,              # INOUT (L,) the sum of weight * nearer is added
):
    """Weigh the candidates; with one candidate, `nearer` may be `closest` itself."""
    cdef intp b = X.shape[0], d = X.shape[1], t, first, rows, c, r
    cdef double d2[TILE]
    cdef bint weighted = weights is not None, kept = nearer is not None
    cdef double total
    cdef double* tile = <double*> malloc(d * TILE * sizeof(double))
    if tile == NULL:
        raise MemoryError(f"no memory for {TILE} rows of {d} features")
    with nogil:
        for t in range((b + TILE - 1) // TILE):
            first = t * TILE
            rows = min(<intp> TILE, b - first)
            lay_out(&X[first, 0], rows, d, tile)
            for c in range(candidates.shape[0]):
                squared_distances(tile, &candidates[c, 0], d, d2)
                total = 0.0
                for r in range(rows):
                    d2[r] = min(d2[r], closest[first + r])
                    total += weights[first + r] * d2[r] if weighted else d2[r]
                potential[c] += total
                if kept:
                    for r in range(rows):
                        nearer[c, first + r] = d2[r]
    free(tile)


cdef inline void lay_out(const number* X, intp rows, intp d, double* tile) noexcept nogil:
    """Row r's feature j to tile[j * TILE + r]; rows that are missing become zero."""
    cdef intp r, j
    for r in range(rows):
        for j in range(d):
            tile[j * TILE + r] = X[r * d + j]
    for r in range(rows, TILE):
        for j in range(d):
            tile[j * TILE + r] = 0.0


cdef inline void squared_distances(
    const double* tile, const double* center, intp d, double* out,
) noexcept nogil:
    """Squared distances from the rows of a tile to one centre, by differences."""
    cdef double total[TILE]
    cdef double difference
    cdef intp r, j
    for r in range(TILE):
        total[r] = 0.0
    for j in range(d):
        for r in range(TILE):
            difference = tile[j * TILE + r] - center[j]
            total[r] += difference * difference
    for r in range(TILE):
        out[r] = total[r]


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


def bound_rest(
    const float[::1] norms,         # IN (n',)
    const float[::1] top,           # IN (n',) as of the first centre
    Py_ssize_t n,
    Py_ssize_t d,
    float[:, ::1] most,             # OUT (2, panels)
):
    """The greatest norm and rest of each panel; `top` only falls, to no less than -norm^2 / 2."""
    cdef Py_ssize_t across = panel_columns(<float>0), i
    cdef double size
    most[:, :] = 0
    with nogil:
        for i in range(n):
            size = norms[i] * norms[i]
            size = (d + 4) * UNIT64 * size + 1.1 * REST * (size + max(<double>fabs(top[i]), size))
            most[0, i // across] = max(most[0, i // across], norms[i])
            most[1, i // across] = max(most[1, i // across], <float>(size + d * <double>FLT_MIN))


def draw(
    const double[::1] closest,      # IN (n,) squared distance to the nearest centre so far
    const double[::1] weights,      # IN (n,), or None: one each
    const double[::1] sums,         # IN (ceil(n / STRETCH),) of weight * closest
    const double[::1] at,           # IN (m,) numbers in [0, 1)
    int32_t[::1] rows,              # OUT (m,)
):
    """Draw rows in proportion to weight * closest; returns the sum of all, 0 if none can be drawn.

    The row drawn is the first at which the running sum passes `at` of the whole.
    """
    cdef Py_ssize_t n = closest.shape[0], m = at.shape[0], c, b, i, last
    cdef double total = 0, goal, before, chance
    with nogil:
        for b in range(sums.shape[0]):
            total += sums[b]
        for c in range(m if total > 0 else 0):
            goal = min(max(at[c], 0.0) * total, nextafter(total, 0))
            before = 0
            b = 0
            last = 0
            while b < sums.shape[0]:
                if sums[b] > 0:
                    last = b
                    if before + sums[b] > goal:
                        break
                before += sums[b]
                b += 1
            else:
                before -= sums[last]
            goal -= before
            before = 0
            rows[c] = -1
            for i in range(last * STRETCH, min(n, (last + 1) * STRETCH)):
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
    cdef double kappa = 1.02 * UNIT32 * (d + 8) if d * UNIT32 < 0.01 else INFINITY
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
    uint32_t[:, ::1] hits,          # OUT (panels, m) the rows that each candidate may gain
    double[:, ::1] gains,           # INOUT (2, m) half of what each gains at most, and how much
                                    # less it may be; added to
):
    """Bound what each candidate would gain from some rows."""
    cdef Py_ssize_t across = panel_columns(<float>0)
    cdef seeding_job job
    job.a = &a[0, 0]
    job.lda = a.shape[1]
    job.m = a.shape[0]
    job.depth = d
    job.start = &terms[0, 0]
    job.slope = &terms[1, 0]
    job.square = &terms[2, 0]
    job.panels = &panels[0]
    job.norm = &norms[0]
    job.top = &top[0]
    job.weight = NULL if weights is None else &weights[0]
    job.hit = &hits[0, 0]
    job.longest = &most[0, 0]
    job.rest = &most[1, 0]
    job.heaviest = &most[2, 0]
    job.high = &gains[0, 0]
    job.off = &gains[1, 0]
    with nogil:
        kernels.weigh(&job, first // across, (stop + across - 1) // across)


def join(
    const number[:, :] X,           # IN (n, d)
    const double[::1] weights,      # IN (n,), or None
    const double[::1] center,       # IN (d,) the new centre
    const uint32_t[:, ::1] hits,    # IN (panels, m), or None: all rows may be nearer to it
    Py_ssize_t which,               # of the candidates it is
    const double[::1] squares,      # IN (n,) squared distance from the origin
    const float[::1] norms,         # IN (n',)
    double scale,
    double[::1] closest,            # INOUT (n,)
    float[::1] top,                 # INOUT (n',)
    double[::1] sums,               # INOUT of weight * closest over each STRETCH of rows
    Py_ssize_t first,               # row, the first of a stretch
    Py_ssize_t stop,
):
    """Let a centre join the others, for some of the rows."""
    cdef Py_ssize_t across = panel_columns(<float>0), d = X.shape[1], line
    cdef Py_ssize_t i = first, end, j, r, c, count
    cdef uint32_t bits
    cdef double d2, half, size, rest, lost = d * <double>FLT_MIN
    cdef double unit = scale * scale / 2, delta = (d + 4) * UNIT64
    cdef bint changed
    cdef int32_t[STRETCH] near
    with nogil:
        while i < stop:
            end = min(stop, i + STRETCH)
            count = 0
            j = i
            while j < end:
                if hits is None:
                    bits = <uint32_t>((<uint64_t>1 << min(across, end - j)) - 1)
                else:
                    bits = hits[j // across, which]
                while bits:
                    near[count] = <int32_t>(j + lowest(bits))
                    count += 1
                    bits &= bits - 1
                j += across
            changed = False
            for c in range(count):
                if c + AHEAD < count:  # rows here and there: memory is asked for them in time
                    line = 0
                    while line < d:
                        prefetch(&X[near[c + AHEAD], line])
                        line += 64 // <Py_ssize_t>sizeof(number)
                r = near[c]
                apart(&center[0], &X[r, 0], d, 1, d, &d2)
                if d2 < closest[r]:
                    closest[r] = d2
                    half = (d2 - squares[r]) * unit
                    size = norms[r] * norms[r]
                    rest = delta * size + REST * (fabs(half) + size) + lost
                    top[r] = <float>(half + rest)
                    changed = True
            if changed:
                sums[i // STRETCH] = kernels.add_up(
                    &closest[i], NULL if weights is None else &weights[i], end - i)
            i = end
