# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""One sweep of iteratively reweighted least squares over a block of rows.

For each row z = (1, x - shift): the linear predictor eta = offset + z'b, by family and link the
score s and the weight w, and of them the sums z'Wz, z's, half the deviance and Pearson's
chi-square. Nothing of the size of the rows is written: a sheet of them is scaled in cache.

McCullagh & Nelder 1989, Generalized Linear Models, section 2.5, doi:10.1007/978-1-4899-3242-6. The
weights are those of Fisher's scoring (the expected information). Deviation: rows are taken about a
shift, so that columns far from the origin do not spoil the condition of z'Wz.

Cost: n q^2 flop and one read of the rows. The caller guarantees rows of contiguous numbers, arrays
of the lengths given, and a call short enough for Ctrl-C.
"""

from cython.view cimport contiguous
from libc.math cimport fabs
from libc.stdlib cimport free, malloc

from statfast._core.tile.rows cimport aligned, padded, panel_columns, real, stride_of
from statfast._core.tile.tiles cimport active, level

cdef extern from "linear/irls_table.h" nogil:
    enum:
        IRLS_MAX_NARROW
        SWEEP_PREDICT
        SWEEP_GIVEN
        SWEEP_IDENTITY
        SWEEP_LOGIT
        SWEEP_POISSON
        SWEEP_GAMMA_LOG
        SWEEP_GAMMA_INVERSE
    ctypedef struct irls_job:
        const void *x
        Py_ssize_t ldx, n, p
        bint single, intercept
        const double *shift
        const double *b
        int kind
        const double *y
        const double *weight
        const double *offset
        const double *aux
        double *eta
        const double *score
        const double *curve
        double *h
        double *g
        double *sums
        Py_ssize_t folds, entries
        const Py_ssize_t *entry
        void (*rank_update)(
            const double *z, const double *wz, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t d, double *c
        ) noexcept nogil
        bint rough
        void (*rough_update)(
            const float *z, const float *wz, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t d, float *c
        ) noexcept nogil
        Py_ssize_t ld, tall
        double *work
    ctypedef struct irls_kernels:
        Py_ssize_t (*room)(const irls_job *job) noexcept nogil
        void (*sweep)(const irls_job *job) noexcept nogil
    const irls_kernels *irls_at(int level)

cdef const irls_kernels *table = irls_at(level())

MAX_NARROW_COLUMNS = IRLS_MAX_NARROW

# What the loop asks for by name: pairs of a family and a link.
KINDS = {
    ("gaussian", "identity"): SWEEP_IDENTITY,
    ("binomial", "logit"): SWEEP_LOGIT,
    ("poisson", "log"): SWEEP_POISSON,
    ("gamma", "log"): SWEEP_GAMMA_LOG,
    ("gamma", "inverse"): SWEEP_GAMMA_INVERSE,
}


def sweep(
    const real[:, ::contiguous] X,  # IN (n, p)
    const double[::1] shift,        # IN (p,) taken off every row
    const double[::1] b,            # IN (q,) if q = p + 1, a column of ones comes before those of X
    int kind,                       # of KINDS
    const double[::1] y,            # IN (n,)
    const double[::1] weight,       # IN (n,) or None for ones
    const double[::1] offset,       # IN (n,) or None for zeros
    const double[::1] aux,          # IN (n,) or None for zeros: see linear/irls_link.h
    double[:, ::1] h,               # INOUT (q, q) lower triangle += z'Wz; or None
    double[::1] g,                  # INOUT (q,) += z's
    double[::1] sums,               # INOUT (2,) += half the deviance, chi-square
    bint rough=False,               # of many columns, h is summed in float32
):
    """Add one block of rows to the sums of an iteration, for a pair that has vector code."""
    cdef irls_job job
    fill(&job, X, shift, b.shape[0] > X.shape[1], b, offset)
    job.kind = kind
    job.rough = rough
    if job.n == 0:
        return
    job.y = &y[0]
    job.weight = &weight[0] if weight is not None else NULL
    job.aux = &aux[0] if aux is not None else NULL
    job.h = &h[0, 0] if h is not None else NULL
    job.g = &g[0]
    job.sums = &sums[0]
    run(&job)


def scores(
    const real[:, ::contiguous] X,  # IN (n, p) of few columns
    const double[::1] shift,        # IN (p,)
    bint intercept,
    const double[:, ::1] b,         # IN (F, q) coefficients of the folds
    int kind,
    const double[::1] y,            # IN (n,)
    const double[::1] weight,       # IN (n,) or None
    const double[::1] offset,       # IN (n,) or None
    const double[::1] aux,          # IN (n,) or None
    const Py_ssize_t[:, ::1] runs,  # IN (E, 3) a fold, and the first and last row summed for it
    double[:, ::1] g,               # INOUT (F, q) += z's
    double[:, ::1] sums,            # INOUT (F, 2) += half the deviance, chi-square
):
    """Add one block of rows to the scores of folds, each at its own coefficients."""
    cdef irls_job job
    if runs.shape[0] == 0:
        return
    fill(&job, X, shift, intercept, b[0], offset)
    job.kind = kind
    job.y = &y[0]
    job.weight = &weight[0] if weight is not None else NULL
    job.aux = &aux[0] if aux is not None else NULL
    job.g, job.sums = &g[0, 0], &sums[0, 0]
    job.folds, job.entries, job.entry = b.shape[0], runs.shape[0], &runs[0, 0]
    run(&job)


def accumulate(
    const real[:, ::contiguous] X,  # IN (n, p)
    const double[::1] shift,        # IN (p,)
    bint intercept,
    const double[::1] s,            # IN (n,) scores
    const double[::1] w,            # IN (n,) weights, none negative
    double[:, ::1] h,               # INOUT (q, q) lower triangle += z'Wz; or None
    double[::1] g,                  # INOUT (q,) += z's
):
    """The same for given scores and weights."""
    cdef irls_job job
    cdef double[2] sums
    cdef const double[::1] b = g    # any numbers will do: eta is not looked at
    cdef const double[::1] no_offset = None
    fill(&job, X, shift, intercept, b, no_offset)
    job.kind = SWEEP_GIVEN
    if job.n == 0:
        return
    sums[0] = sums[1] = 0.0
    job.score = &s[0]
    job.curve = &w[0]
    job.h = &h[0, 0] if h is not None else NULL
    job.g = &g[0]
    job.sums = sums
    run(&job)


def predict(
    const real[:, ::contiguous] X,  # IN (n, p)
    const double[::1] shift,        # IN (p,)
    bint intercept,
    const double[::1] b,            # IN (q,)
    const double[::1] offset,       # IN (n,) or None
    double[::1] eta,                # OUT (n,)
):
    """The linear predictor."""
    cdef irls_job job
    fill(&job, X, shift, intercept, b, offset)
    job.kind = SWEEP_PREDICT
    if job.n == 0:
        return
    job.eta = &eta[0]
    run(&job)


cdef void fill(
    irls_job *job, const real[:, ::contiguous] X, const double[::1] shift, bint intercept,
    const double[::1] b, const double[::1] offset,
):
    """What all jobs have: rows and coefficients. Sums and rows of results are absent."""
    job.n, job.p, job.ldx = X.shape[0], X.shape[1], 0
    job.folds = job.entries = 0
    job.x = job.y = job.weight = job.aux = job.score = job.curve = job.offset = NULL
    job.h = job.g = job.sums = job.eta = NULL
    if job.n > 0:
        job.offset = &offset[0] if offset is not None else NULL
    if job.n > 0 and job.p > 0:
        job.x = &X[0, 0]
        job.ldx = stride_of(X)
    job.single, job.rough = real is float, False
    job.intercept = intercept
    job.shift = &shift[0] if job.p > 0 else NULL
    job.b = &b[0] if job.p + intercept > 0 else NULL


cdef int run(irls_job *job) except -1:
    cdef Py_ssize_t q = job.p + job.intercept
    cdef Py_ssize_t down = active().rows, across = panel_columns(<float>0)
    cdef void *block
    job.tall = (q + down - 1) // down * down
    job.ld = padded(max(job.tall, (q + across - 1) // across * across))
    job.rank_update, job.rough_update = active().f64.rank_update, active().f32.rank_update
    block = malloc(64 + sizeof(double) * table.room(job))
    if block == NULL:
        raise MemoryError
    job.work = <double *>aligned(block)
    with nogil:
        table.sweep(job)
    free(block)
    return 0


def largest(
    const double[::1] a,            # IN (q,)
    const double[::1] b,            # IN (q,)
):
    """The largest |a_i b_i|; NaN where one is."""
    cdef double found = 0, one
    cdef Py_ssize_t i
    for i in range(a.shape[0]):
        one = fabs(a[i] * b[i])
        found = one if one > found or one != one else found
    return found
