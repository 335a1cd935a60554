# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Columns as codes of 8 bits, and the gradients of losses as integers.

Friedman 2001 ("Greedy function approximation: a gradient boosting machine",
doi:10.1214/aos/1013203451), with second derivatives (Friedman, Hastie & Tibshirani 2000,
doi:10.1214/aos/1016218223). Deviation: gradients and hessians become multiples of units, powers of
two (boosting/tree_types.h), so that sums over rows are exact in any order.

Cost: O(n) for gradients, some 3 ns a code. A call is for a block of rows. The caller guarantees
matching shapes, n > 0, and ascending thresholds, filled up to 255 with infinity.
"""

from libc.float cimport DBL_MAX
from libc.math cimport frexp, ldexp
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int64_t, uint8_t

from statfast._core.threads.team cimport team, team_do, team_of
from statfast._core.tile.tiles cimport level

cdef extern from "boosting/losses_table.h" nogil:
    int LOSS_SQUARED, LOSS_ABSOLUTE, LOSS_GAMMA, LOSS_POISSON, LOSS_QUANTILE, LOSS_LOG
    int LOSS_MULTINOMIAL, LOSS_EXPONENTIAL
    ctypedef struct loss_rows:
        int loss
        double quantile, target
        const double *raw
        const double *y
        const double *weight
        const double *normalizer
    ctypedef struct boosting_losses_kernels:
        void (*gradients)(const loss_rows *, ptrdiff_t, double *, double *) noexcept nogil
        void (*fix)(double *, ptrdiff_t, const double *, int) noexcept nogil
        void (*normalize)(
            const double *, ptrdiff_t, ptrdiff_t, ptrdiff_t, double *) noexcept nogil
        void (*encode)(const double *, ptrdiff_t, const double *, uint8_t *) noexcept nogil
    const boosting_losses_kernels *boosting_losses_at(int level)

cdef const boosting_losses_kernels *kernels = boosting_losses_at(level())

ctypedef fused number:
    float
    double
    uint8_t

ctypedef void (*team_part)(void *job, Py_ssize_t part) noexcept nogil

cdef struct Shifted:
    team_part work
    void *job
    Py_ssize_t begin

cdef Py_ssize_t ROWS_OF_PART = 8192         # rows of a part of a step

LOSSES = {
    "squared_error": LOSS_SQUARED, "absolute_error": LOSS_ABSOLUTE, "gamma": LOSS_GAMMA,
    "poisson": LOSS_POISSON, "quantile": LOSS_QUANTILE, "log_loss": LOSS_LOG,
    "multinomial": LOSS_MULTINOMIAL, "exponential": LOSS_EXPONENTIAL,
}


def encode(
    const number[:, :] X,           # IN (m, p) a run of rows
    const double[:, ::1] thresholds,  # IN (p, 255)
    Py_ssize_t width,               # columns of a plane
    Py_ssize_t begin,               # rows of X
    Py_ssize_t stop,
    Py_ssize_t first,               # the number of row 0 of X among the n
    uint8_t[:, ::1] by_row,         # OUT (n, 8 planes)
    uint8_t[:, ::1] by_column,      # OUT (p, n)
):
    """Codes of some rows, both row by row and column by column."""
    cdef Py_ssize_t i, j, m, start, place
    cdef double[512] x
    with nogil:
        for start in range(begin, stop, 512):
            m = min(stop - start, <Py_ssize_t>512)
            for j in range(X.shape[1]):
                for i in range(m):
                    x[i] = <double>X[start + i, j]
                kernels.encode(x, m, &thresholds[j, 0], &by_column[j, first + start])
                place = 8 * (j // width) + j % width
                for i in range(m):
                    by_row[first + start + i, place] = by_column[j, first + start + i]


cdef uint8_t code_of(const double *cuts, Py_ssize_t m, double x) noexcept nogil:
    """How many of m ascending thresholds are below x."""
    cdef Py_ssize_t low = 0, middle
    while m:
        middle = m // 2
        if cuts[low + middle] < x:
            low += middle + 1
            m -= middle + 1
        else:
            m = middle
    return <uint8_t>low


def encode_entries(
    const int64_t[::1] of_column,   # IN (p + 1,) where the entries of columns begin
    const int64_t[::1] source,      # IN (entries,) where their values are
    const double[::1] value,        # IN (entries,)
    const int64_t[::1] first,       # IN (p + 1,) where the thresholds of columns begin
    const double[::1] threshold,    # IN
    Py_ssize_t begin,               # columns
    Py_ssize_t stop,
    uint8_t[::1] code,              # OUT (entries,)
    uint8_t[::1] zero,              # OUT (p,) the code of 0
    uint8_t[::1] missing,           # OUT (p,) whether values are missing
    int64_t[::1] differ,            # OUT (p,) how many entries have another code than 0
):
    """Codes of the entries of some columns of sparse rows; 255 for missing values."""
    cdef Py_ssize_t j, e, m
    cdef const double *cuts
    cdef double x
    with nogil:
        for j in range(begin, stop):
            m = first[j + 1] - first[j]
            cuts = &threshold[first[j]] if m else NULL
            zero[j] = code_of(cuts, m, 0.0)
            missing[j], differ[j] = 0, 0
            for e in range(of_column[j], of_column[j + 1]):
                x = value[source[e]]
                if x != x:
                    code[e], missing[j] = 255, 1
                else:
                    code[e] = code_of(cuts, m, x)
                differ[j] += code[e] != zero[j]


def normalize(
    const double[:, ::1] raw,       # IN (k, n)
    Py_ssize_t begin,
    Py_ssize_t stop,
    double[::1] out,                # OUT (n,) log of the sum of exp
):
    with nogil:
        kernels.normalize(
            &raw[0, begin], raw.shape[1], raw.shape[0], stop - begin, &out[begin])


cdef struct Job:
    loss_rows r
    Py_ssize_t n
    double *pairs
    double *most                    # (2 parts,)
    double[4] scale                 # of gradients and hessians, each in two factors
    int count_bits


cdef void gradient_part(void *job, Py_ssize_t part) noexcept nogil:
    cdef Job *j = <Job *>job
    cdef loss_rows r = j.r
    cdef Py_ssize_t begin = part * ROWS_OF_PART
    r.raw += begin
    r.y += begin
    if r.weight != NULL:
        r.weight += begin
    if r.normalizer != NULL:
        r.normalizer += begin
    kernels.gradients(&r, min(ROWS_OF_PART, j.n - begin), j.pairs + 2 * begin, j.most + 2 * part)


cdef void fix_part(void *job, Py_ssize_t part) noexcept nogil:
    cdef Job *j = <Job *>job
    cdef Py_ssize_t begin = part * ROWS_OF_PART
    kernels.fix(j.pairs + 2 * begin, min(ROWS_OF_PART, j.n - begin), j.scale, j.count_bits)


def integer_gradients(
    int loss,
    double quantile,
    double target,                  # the class of a multinomial loss
    const double[::1] raw,          # IN (n,)
    const double[::1] y,            # IN (n,)
    const double[::1] weight,       # IN (n,), or None
    const double[::1] normalizer,   # IN (n,), or None
    int count_bits,                 # n < 2^count_bits
    double[:, ::1] pairs,           # OUT (n, 2) integers: gradient, and hessian and a count
    double[::1] most,               # room (2 parts,)
    int64_t[::1] crew,              # INOUT a team
):
    """Write gradients and hessians of all rows as integer multiples of units; return the units.

    Returns None if a gradient or hessian overflows or is not a number, as the largest is unknown.
    """
    cdef Job j
    cdef Py_ssize_t n = raw.shape[0], part, parts = (n + ROWS_OF_PART - 1) // ROWS_OF_PART
    cdef int exponent
    cdef double[2] top
    j.r.loss = loss
    j.r.quantile = quantile
    j.r.target = target
    j.r.raw = &raw[0]
    j.r.y = &y[0]
    j.r.weight = NULL
    j.r.normalizer = NULL
    if weight is not None:
        j.r.weight = &weight[0]
    if normalizer is not None:
        j.r.normalizer = &normalizer[0]
    j.n = n
    j.pairs = &pairs[0, 0]
    j.most = &most[0]
    j.count_bits = count_bits
    with nogil:
        share(team_of(crew), gradient_part, &j, parts)
        top[0] = top[1] = 0.0
        for part in range(parts):
            top[0] = max(top[0], most[2 * part])
            top[1] = max(top[1], most[2 * part + 1])
        if not (top[0] <= DBL_MAX and top[1] <= DBL_MAX):
            with gil:
                return None
        # |g| < 2^e becomes a multiple below 2^(62 - bits), so that the sum of fewer than 2^bits of
        # them stays below 2^62.
        frexp(top[0], &exponent)
        scale_by(62 - count_bits - exponent, j.scale)
        frexp(top[1], &exponent)
        scale_by(62 - 2 * count_bits - exponent, j.scale + 2)
        share(team_of(crew), fix_part, &j, parts)
    return 1.0 / j.scale[0] / j.scale[1], 1.0 / j.scale[2] / j.scale[3]


cdef void scale_by(int exponent, double *scale) noexcept nogil:
    """Two factors whose product is 2^exponent, which may itself be out of the range of float64."""
    exponent = max(-1000, min(1074, exponent))
    scale[1] = ldexp(1.0, max(0, exponent - 1000))
    scale[0] = ldexp(1.0, min(1000, exponent))


def room_for(Py_ssize_t n):
    """The number of entries of `most` in integer_gradients."""
    return 2 * ((n + ROWS_OF_PART - 1) // ROWS_OF_PART)


cdef void share(team *crew, team_part work, void *job, Py_ssize_t parts) noexcept nogil:
    """Run any number of parts as steps of a team, each of fewer than 4096 parts."""
    cdef Py_ssize_t begin
    cdef Shifted shifted
    if parts <= 4000:
        team_do(crew, work, job, parts)
        return
    shifted.work = work
    shifted.job = job
    for begin in range(0, parts, 4000):
        shifted.begin = begin
        team_do(crew, shifted_part, &shifted, min(parts - begin, <Py_ssize_t>4000))


cdef void shifted_part(void *job, Py_ssize_t part) noexcept nogil:
    cdef Shifted *s = <Shifted *>job
    s.work(s.job, s.begin + part)
