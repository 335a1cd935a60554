# SPDX-License-Identifier: BSD-3-Clause
"""What products_table.h offers: its comments say what each does."""

cdef extern from "linalg/products_table.h" nogil:
    ctypedef struct products_kernels:
        Py_ssize_t rows
        Py_ssize_t across
        Py_ssize_t across_float
        void (*shift_f64)(
            const double *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, const double *shift,
            const double *scale, double *z, Py_ssize_t ld
        ) noexcept nogil
        void (*shift_f32)(
            const float *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, const double *shift,
            const double *scale, double *z, Py_ssize_t ld
        ) noexcept nogil
        void (*shift_float)(
            const float *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, const double *shift,
            const double *scale, float *z, Py_ssize_t ld
        ) noexcept nogil
        void (*shift_u8)(
            const unsigned char *x, Py_ssize_t ldx, Py_ssize_t n, Py_ssize_t d, const double *shift,
            const double *scale, double *z, Py_ssize_t ld
        ) noexcept nogil
        void (*add)(
            const double *z, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t d, const double *w,
            double *sums
        ) noexcept nogil
        void (*add_squares)(
            const double *z, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t d, const double *w,
            double *sums
        ) noexcept nogil
        double (*give_f64)(
            const double *y, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t k, double *out, Py_ssize_t ldo
        ) noexcept nogil
        double (*give_f32)(
            const double *y, Py_ssize_t ld, Py_ssize_t n, Py_ssize_t k, float *out, Py_ssize_t ldo
        ) noexcept nogil
        void (*inner)(
            const double *a, Py_ssize_t lda, Py_ssize_t m, const double *b, Py_ssize_t ldb,
            Py_ssize_t stride, Py_ssize_t n, Py_ssize_t depth, double *c, Py_ssize_t ldc, bint lower
        ) noexcept nogil
        void (*outer)(
            const double *a, Py_ssize_t lda, Py_ssize_t m, const double *panels, Py_ssize_t n,
            Py_ssize_t depth, double *c, Py_ssize_t ldc, bint more, bint lower
        ) noexcept nogil
        void (*inner_float)(
            const float *a, Py_ssize_t lda, Py_ssize_t m, const float *b, Py_ssize_t ldb,
            Py_ssize_t stride, Py_ssize_t n, Py_ssize_t depth, double *c, Py_ssize_t ldc, bint lower
        ) noexcept nogil
        void (*outer_float)(
            const float *a, Py_ssize_t lda, Py_ssize_t m, const float *panels, Py_ssize_t n,
            Py_ssize_t depth, double *c, Py_ssize_t ldc, bint more, bint lower
        ) noexcept nogil
        void (*fetch)(
            const char *rows, Py_ssize_t stride, Py_ssize_t n, Py_ssize_t nbytes
        ) noexcept nogil
    const products_kernels *products_at(int level)
