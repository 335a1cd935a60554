# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""The k-nearest-neighbor search with rows and queries in bytes: see tile/product/tile_bytes.h.

It takes a quarter of the memory traffic of float32 and multiplies four times as many numbers, where
the machine multiplies bytes (AVX-512 VNNI). Data of whole numbers from 0 to 255 are searched
exactly; for other data the bytes are a filter, with an error bounded by the residuals of the rows
after rounding to bytes.

``encode`` is called once for the rows. Then ``begin`` and ``scan`` replace those of
neighbors/brute.pyx, and ``recheck`` of neighbors/brute.pyx follows. The caller guarantees d <=
65536 and rows of contiguous numbers.
"""

from cython.view cimport contiguous
from libc.float cimport FLT_MAX
from libc.math cimport sqrt
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from statfast._core.tile.rows cimport (
    UNIT32, UNIT64, aligned, convert, measure, number, padded, panel_columns, stride_of,
)
from statfast._core.neighbors.search_state cimport SearchState, admit, raise_group_bounds, tau_of
from statfast._core.tile.tiles cimport FAR_OUT, active, chunk_rows, f32_search


cdef inline double rounded(double x) noexcept nogil:
    """The nearest whole number, for |x| < 2^51: adding 1.5 * 2^52 leaves no room for fractions."""
    return (x + 6755399441055744.0) - 6755399441055744.0


def available():
    """Whether the instruction-set level in use multiplies bytes."""
    return active().collect_bytes != NULL


def padded_depth(Py_ssize_t d):
    """Bytes of one packed query: whole words of four."""
    return (d + 3) // 4 * 4


def encode(
    const number[:, ::contiguous] R,    # IN (n, d)
    const float[::1] origin,            # IN (d,)
    double scale,
    double step,                        # h: one unit of a byte
    unsigned char[:, ::contiguous] code,  # OUT (n, d) or None: none wanted
    float[::1] start,                   # OUT (n,) -|y|^2 / 2, or None
    float[::1] norm,                    # OUT (n,) at least |y|
):
    """Measure rows and round them to bytes; returns the largest |y - h r|, rounded up."""
    cdef Py_ssize_t n = R.shape[0], d = R.shape[1], ld = padded(d), first = 0, some, i
    cdef Py_ssize_t rows = max(1, min(16, 65536 // ld))  # few enough for the cache
    cdef double most = 0
    cdef float half[16]
    cdef bint coded = code is not None, started = start is not None
    cdef float *sheet = <float *>malloc(rows * ld * sizeof(float))
    if sheet == NULL:
        raise MemoryError
    with nogil:
        while first < n:
            some = min(rows, n - first)
            convert(&R[first, 0], stride_of(R), some, d, &origin[0], scale, sheet, ld)
            measure(sheet, ld, some, d, half, &norm[first])
            for i in range(some):
                if started:
                    start[first + i] = half[i]
                if coded:
                    most = max(most, round_off(sheet + i * ld, d, step, &code[first + i, 0]))
            first += some
    free(sheet)
    return sqrt(most) * 1.000001


cdef inline double round_off(
    const float *y, Py_ssize_t d, double step, unsigned char *code
) noexcept nogil:
    """The bytes of one row; returns |y - h r|^2."""
    cdef double left = 0, whole, rate = 1 / step
    cdef Py_ssize_t p
    for p in range(d):
        whole = min(max(rounded(y[p] * rate), -128.0), 127.0)
        code[p] = <unsigned char>(<int>whole + 128)
        left += (y[p] - step * whole) * (y[p] - step * whole)
    return left


def begin(
    const number[:, ::contiguous] Q,    # IN (m, d)
    const float[::1] origin,            # IN (d,)
    double scale,
    double step,                        # h of the rows
    double left_over,                   # largest |y - h r| of the rows
    signed char[::1] panels,            # OUT (m' * d',) d' = padded_depth(d)
    int32_t[::1] offset,                # OUT (m',)
    float[::1] unit,                    # OUT (m',)
    SearchState state,
):
    """Round and pack the queries, with the error terms and the thresholds of each."""
    cdef Py_ssize_t m = Q.shape[0], d = Q.shape[1], ld = padded(d), q, p
    cdef Py_ssize_t across = panel_columns(<float>0), depth = (d + 3) // 4 * 4
    cdef double norm, left, low, high, g, whole, delta = (d + 4) * UNIT64
    cdef double tau = tau_of(d, scale, True)
    cdef bint integral
    cdef int32_t total
    cdef signed char *panel
    cdef float *slope = <float *>state.f32.slope
    cdef float *slack = <float *>state.f32.slack
    cdef float *x = <float *>malloc(ld * sizeof(float))
    if x == NULL:
        raise MemoryError
    with nogil:
        memset(&panels[0], 0, panels.shape[0])
        for q in range(offset.shape[0]):
            offset[q] = 0
            unit[q] = slope[q] = slack[q] = 0
            admit(&state.f32, q, False, FLT_MAX)
            if q >= m:
                continue
            convert(&Q[q, 0], stride_of(Q), 1, d, &origin[0], scale, x, ld)
            norm = low = high = 0
            integral = True
            for p in range(d):
                norm += <double>x[p] * x[p]
                low = min(low, <double>x[p])
                high = max(high, <double>x[p])
                integral = integral and rounded(x[p]) == x[p]
            norm = sqrt(norm) * 1.000001
            if not (norm < FAR_OUT and tau < FAR_OUT):
                continue
            g = max(-low, high) / 127
            if g == 0 or (integral and step == 1 and -128 <= low and high <= 127):
                g = 1
            panel = &panels[q // across * across * depth + 4 * (q % across)]
            total = 0
            left = 0
            for p in range(d):
                whole = rounded(x[p] / g)
                panel[p // 4 * 4 * across + p % 4] = <signed char>whole
                total += <int32_t>whole
                left += (x[p] - g * whole) * (x[p] - g * whole)
            left = sqrt(left) * 1.000001
            offset[q] = -128 * total
            unit[q] = <float>(g * step)
            slope[q] = <float>(12.2 * UNIT32 * norm + 1.000001 * left)
            slack[q] = <float>(delta * norm * norm + tau + 1.01 * (norm + left) * left_over)
            admit(&state.f32, q, True, FLT_MAX)
    free(x)


def scan(
    const unsigned char[:, ::contiguous] code,  # IN (n, d) codes of rows `first`, `first + 1`, ...
    const float[::1] start,             # IN of all rows
    const float[::1] row_norm,          # IN of all rows
    Py_ssize_t first,
    const signed char[::1] panels,      # IN the queries
    const int32_t[::1] offset,
    const float[::1] unit,
    SearchState state,
):
    """Compare rows with every query, and collect candidates."""
    cdef Py_ssize_t n = code.shape[0], d = code.shape[1], depth = (d + 3) // 4 * 4
    cdef Py_ssize_t ld = 4 * padded((d + 3) // 4), across = panel_columns(<float>0)
    cdef Py_ssize_t chunk = chunk_rows(ld), height = active().rows, at, some, i, j
    cdef f32_search search = state.f32
    cdef Py_ssize_t capacity = search.capacity
    cdef void *block = malloc(64 + chunk * ld + sizeof(float) * (2 * chunk + 2 * capacity))
    if block == NULL:
        raise MemoryError
    cdef unsigned char *flat = <unsigned char *>aligned(block)
    cdef float *from_ = <float *>(flat + chunk * ld)
    cdef float *reach = from_ + chunk
    search.square = <float>(6 * UNIT32 + (d + 4) * UNIT64)
    search.low, search.high = reach + chunk, reach + chunk + capacity
    search.row_norm = &row_norm[0]
    with nogil:
        memset(flat, 0, chunk * ld)
        at = 0
        while at < n:
            some = min(chunk, n - at)
            for i in range(some):
                memcpy(flat + i * ld, &code[at + i, 0], d)
                from_[i] = start[first + at + i]
            for i in range(some, (some + height - 1) // height * height):
                from_[i] = -FLT_MAX
            raise_group_bounds(&row_norm[first + at], some, height, reach)
            j = 0
            while j < offset.shape[0]:
                active().collect_bytes(
                    flat, ld, from_, reach, some, &panels[j * depth], depth, &offset[j], &unit[j],
                    first + at, &search, j)
                j += across
            at += some
        for j in range(offset.shape[0]):
            active().f32.prune(&search, j)
    free(block)
