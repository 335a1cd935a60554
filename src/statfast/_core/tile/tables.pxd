# SPDX-License-Identifier: BSD-3-Clause
"""Parts of the table of a level: its constants, the structs of its kernels, and the kernels for
each of the two real types. The whole table is in tile/tiles.pxd."""

from libc.stdint cimport int32_t, int64_t, uint64_t


cdef extern from "tile/table.h" nogil:
    const double FAR_OUT  # |x| beyond which a float score might overflow

    enum:
        STORE_SCORE
        STORE_SQUARED
        STORE_DISTANCE
        STORE_RBF
        BY_SQUARES
        BY_LENGTHS
        BY_LARGEST
        MAP_EXP
        MAP_LOG
        MAP_LOG1P
        MAP_SIGMOID

    ctypedef struct f32_search:
        Py_ssize_t k, capacity, spare
        float square
        const float *slope
        const float *slack
        float *level
        const float *row_norm
        int32_t *count
        int32_t *full
        float *score
        int32_t *row
        float *low
        float *high
        const int32_t *part
        const int32_t *row_part

    ctypedef struct f64_search:
        Py_ssize_t k, capacity, spare
        double square
        const double *slope
        const double *slack
        double *level
        const float *row_norm
        int32_t *count
        int32_t *full
        double *score
        int32_t *row
        double *low
        double *high
        const int32_t *part
        const int32_t *row_part

    ctypedef struct f32_kernels:
        void (*convert[3])(
            const void *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, const float *origin,
            double scale, float *out, Py_ssize_t ldo
        ) noexcept nogil
        void (*measure)(
            const float *a, Py_ssize_t lda, Py_ssize_t n, Py_ssize_t d, float *start, float *norm
        ) noexcept nogil
        void (*lay[3])(
            const void *x, Py_ssize_t ldx, const int32_t *pick, Py_ssize_t n, Py_ssize_t d,
            const float *origin, double scale, float *panel, float *norm
        ) noexcept nogil
        void (*pack)(
            const float *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, float *panels
        ) noexcept nogil
        void (*largest)(
            const float *a, Py_ssize_t lda, const float *start, Py_ssize_t n, const float *panel,
            Py_ssize_t d, Py_ssize_t first, float *best, int32_t *index
        ) noexcept nogil
        void (*largest_two)(
            const float *a, Py_ssize_t lda, const float *start, Py_ssize_t n, const float *panel,
            Py_ssize_t d, Py_ssize_t first, float *best, float *second, int32_t *index
        ) noexcept nogil
        void (*collect)(
            const float *a, Py_ssize_t lda, const float *start, const float *reach, Py_ssize_t n,
            const float *panel, Py_ssize_t d, Py_ssize_t first, f32_search *s, Py_ssize_t point
        ) noexcept nogil
        void (*collect_by)(
            const float *a, Py_ssize_t lda, const float *start, const float *reach, Py_ssize_t n,
            const float *panel, Py_ssize_t d, Py_ssize_t first, f32_search *s, Py_ssize_t point,
            int kind, float p
        ) noexcept nogil
        void (*prune)(f32_search *s, Py_ssize_t point) noexcept nogil
        void (*store)(
            const float *a, Py_ssize_t lda, const float *start, Py_ssize_t n, const float *panel,
            const float *across, Py_ssize_t d, int kind, float gamma, float *out, Py_ssize_t ldo,
            Py_ssize_t columns
        ) noexcept nogil
        void (*rank_update)(
            const float *z, const float *wz, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t d, float *c
        ) noexcept nogil
        void (*softmax)(float *scores, Py_ssize_t classes) noexcept nogil
        Py_ssize_t (*widest)(
            const float *x, Py_ssize_t ld, Py_ssize_t d, Py_ssize_t m
        ) noexcept nogil
        void (*divide)(
            const float *origin, float *to, const int32_t *origin_id, int32_t *to_id, Py_ssize_t ld,
            Py_ssize_t d, Py_ssize_t m, Py_ssize_t r, Py_ssize_t axis, float *work
        ) noexcept nogil
        void (*seal)(
            const float *x, const int32_t *id, Py_ssize_t ld, Py_ssize_t d, Py_ssize_t m,
            Py_ssize_t leaf, float *block, int32_t *block_id, float *box, Py_ssize_t lanes
        ) noexcept nogil
        void (*map)(int function, const float *x, Py_ssize_t n, float *out) noexcept nogil
        double (*multiply_adds)(Py_ssize_t steps) noexcept nogil
        Py_ssize_t lanes

    ctypedef struct f64_kernels:
        void (*convert[3])(
            const void *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, const float *origin,
            double scale, double *out, Py_ssize_t ldo
        ) noexcept nogil
        void (*measure)(
            const double *a, Py_ssize_t lda, Py_ssize_t n, Py_ssize_t d, double *start, double *norm
        ) noexcept nogil
        void (*lay[3])(
            const void *x, Py_ssize_t ldx, const int32_t *pick, Py_ssize_t n, Py_ssize_t d,
            const float *origin, double scale, double *panel, double *norm
        ) noexcept nogil
        void (*pack)(
            const double *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, double *panels
        ) noexcept nogil
        void (*largest)(
            const double *a, Py_ssize_t lda, const double *start, Py_ssize_t n, const double *panel,
            Py_ssize_t d, Py_ssize_t first, double *best, int64_t *index
        ) noexcept nogil
        void (*largest_two)(
            const double *a, Py_ssize_t lda, const double *start, Py_ssize_t n, const double *panel,
            Py_ssize_t d, Py_ssize_t first, double *best, double *second, int64_t *index
        ) noexcept nogil
        void (*collect)(
            const double *a, Py_ssize_t lda, const double *start, const double *reach, Py_ssize_t n,
            const double *panel, Py_ssize_t d, Py_ssize_t first, f64_search *s, Py_ssize_t point
        ) noexcept nogil
        void (*collect_by)(
            const double *a, Py_ssize_t lda, const double *start, const double *reach, Py_ssize_t n,
            const double *panel, Py_ssize_t d, Py_ssize_t first, f64_search *s, Py_ssize_t point,
            int kind, double p
        ) noexcept nogil
        void (*prune)(f64_search *s, Py_ssize_t point) noexcept nogil
        void (*store)(
            const double *a, Py_ssize_t lda, const double *start, Py_ssize_t n, const double *panel,
            const double *across, Py_ssize_t d, int kind, double gamma, double *out, Py_ssize_t ldo,
            Py_ssize_t columns
        ) noexcept nogil
        void (*rank_update)(
            const double *z, const double *wz, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t d, double *c
        ) noexcept nogil
        void (*softmax)(double *scores, Py_ssize_t classes) noexcept nogil
        Py_ssize_t (*widest)(
            const double *x, Py_ssize_t ld, Py_ssize_t d, Py_ssize_t m
        ) noexcept nogil
        void (*divide)(
            const double *origin, double *to, const int32_t *origin_id, int32_t *to_id,
            Py_ssize_t ld, Py_ssize_t d, Py_ssize_t m, Py_ssize_t r, Py_ssize_t axis, double *work
        ) noexcept nogil
        void (*seal)(
            const double *x, const int32_t *id, Py_ssize_t ld, Py_ssize_t d, Py_ssize_t m,
            Py_ssize_t leaf, double *block, int32_t *block_id, double *box, Py_ssize_t lanes
        ) noexcept nogil
        void (*map)(int function, const double *x, Py_ssize_t n, double *out) noexcept nogil
        double (*multiply_adds)(Py_ssize_t steps) noexcept nogil
        Py_ssize_t lanes
