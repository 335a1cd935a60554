# SPDX-License-Identifier: BSD-3-Clause
"""What candidates for the next centers would gain: the vector code's table, and its arguments."""

from libc.stdint cimport int32_t, uint32_t

cdef extern from "kmeans/seeding_table.h" nogil:
    ctypedef struct seeding_job:
        const float *a
        const float *start
        const float *slope
        const float *square
        Py_ssize_t m
        Py_ssize_t depth
        const float *panels
        float *top
        const float *weight
        const float *longest
        const float *rest
        const float *heaviest
        uint32_t *hit
        Py_ssize_t all
        double *high
        double *off
        float *held
        Py_ssize_t wide
        int32_t *who
        float loose_slope
        float loose_square

    ctypedef void (*apart_some)(
        const double *q, const void *rows, Py_ssize_t step, const int32_t *near,
        Py_ssize_t count, Py_ssize_t d, double *out
    ) noexcept nogil

    ctypedef struct seeding_kernels:
        void (*weigh)(
            const seeding_job *job, Py_ssize_t first, Py_ssize_t stop
        ) noexcept nogil
        void (*weigh_held)(
            const seeding_job *job, const int32_t *group, Py_ssize_t count, int32_t last,
            int32_t name, Py_ssize_t first, Py_ssize_t stop
        ) noexcept nogil
        double (*add_up)(
            const double *closest, const double *weights, Py_ssize_t n
        ) noexcept nogil
        apart_some apart_f64
        apart_some apart_f32
        apart_some apart_u8
    const seeding_kernels *seeding_at(int level)
