# SPDX-License-Identifier: BSD-3-Clause
"""The register-tile family as other kernels see it: the table of the level in use."""

from libc.stdint cimport int32_t, uint16_t, uint64_t

from statfast._core.tile.tables cimport (
    FAR_OUT, BY_LARGEST, BY_LENGTHS, BY_SQUARES, MAP_EXP, MAP_LOG, MAP_LOG1P, MAP_SIGMOID,
    STORE_DISTANCE, STORE_RBF, STORE_SCORE, STORE_SQUARED, f32_kernels, f32_search, f64_kernels,
    f64_search,
)


cdef extern from "tile/table.h" nogil:
    ctypedef struct kernels:
        const char *name
        int level
        Py_ssize_t rows
        Py_ssize_t group
        f32_kernels f32
        f64_kernels f64
        void (*squared_distances[3])(
            const double *q, const void *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, double *out
        ) noexcept nogil
        void (*reduced_distances[3])(
            const double *q, const void *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, int kind,
            double p, double *out
        ) noexcept nogil
        void (*extent[3])(
            const void *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, double *sum, double *low,
            double *high
        ) noexcept nogil
        void (*add[3])(
            const void *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, const double *weights, const
            int32_t *labels, double *sums, double *total_weight
        ) noexcept nogil
        void (*shift[3])(
            const void *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, const double *weights,
            const Py_ssize_t *codes, const double *shift, double *total_weight, double *sums,
            double *z,
            double *wz, Py_ssize_t ld
        ) noexcept nogil
        bint (*finite[3])(const void *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d) noexcept nogil
        Py_ssize_t (*widen)(
            const int32_t *label, Py_ssize_t n, const float *move, const float *drop,
            const float *gap, float *upper, float *lower, int32_t *left
        ) noexcept nogil
        Py_ssize_t (*tighten[3])(
            const void *x, Py_ssize_t ldx, const float *origin, double scale,
            const int32_t *label, const float *a, Py_ssize_t lda, Py_ssize_t d, float reach,
            const float *gap, float *upper, const float *lower, int32_t *left, Py_ssize_t n
        ) noexcept nogil
        bint (*bound)(
            const float *best, const float *second, const float *norm, Py_ssize_t n,
            const double *terms, float spread, float *upper, float *lower
        ) noexcept nogil
        bint (*search_groups)(
            const float *a, Py_ssize_t lda, const float *start, Py_ssize_t groups,
            const float *panel, Py_ssize_t d, const float *norm, const double *terms, float spread,
            const float *drop, const int32_t *own, float *slack, float *upper, float *lower,
            float *best, float *second, int32_t *index, int32_t *group, float *peak, Py_ssize_t *n
        ) noexcept nogil
        void (*slacken)(
            const float *peak, const int32_t *group, Py_ssize_t n, const float *norm,
            const float *upper, const double *terms, float spread, float *slack
        ) noexcept nogil
        double (*read)(const double *x, Py_ssize_t n) noexcept nogil
        int (*differ)(
            const uint64_t *queries, Py_ssize_t ldq, Py_ssize_t words, const uint64_t *group,
            const float *size, const float *terms, int32_t *count
        ) noexcept nogil
        void (*halve)(const float *panel, Py_ssize_t n, uint16_t *halves) noexcept nogil
        void (*largest_two_of_halves)(
            const float *a, Py_ssize_t lda, const float *start, Py_ssize_t n,
            const uint16_t *panel, Py_ssize_t d, Py_ssize_t first, float *best, float *second,
            int32_t *index
        ) noexcept nogil
        void (*collect_bytes)(
            const unsigned char *a, Py_ssize_t lda, const float *start, const float *reach,
            Py_ssize_t n, const signed char *panel, Py_ssize_t d, const int32_t *offset, const float
            *unit, Py_ssize_t first, f32_search *s, Py_ssize_t point
        ) noexcept nogil


cdef const kernels *active() noexcept nogil

# The level in use, for extensions with a table of their own: see simd/levels.h.
cdef int level() noexcept nogil

# The rows of `a` that are multiplied with a panel at a time, so that they stay in the level-2
# cache.
cdef Py_ssize_t chunk_rows(Py_ssize_t row_bytes) noexcept nogil
