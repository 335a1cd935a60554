/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of medoids/pam.pyx: candidates for medoids weighed down the columns of a dissimilarity
   matrix. */
#ifndef STATFAST_PAM_KERNELS_H
#define STATFAST_PAM_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "simd/levels.h"

#define PANEL_CANDIDATES 64 /* the most candidates of a panel */

typedef struct {
    void (*weigh_f64)(const double *, ptrdiff_t, ptrdiff_t, ptrdiff_t, const double *,
                      const double *, const int32_t *, const double *, double *, double *);
    void (*weigh_f32)(const float *, ptrdiff_t, ptrdiff_t, ptrdiff_t, const double *,
                      const double *, const int32_t *, const double *, double *, double *);
    void (*gain_f64)(const double *, ptrdiff_t, ptrdiff_t, ptrdiff_t, const double *,
                     const double *, double *);
    void (*gain_f32)(const float *, ptrdiff_t, ptrdiff_t, ptrdiff_t, const double *,
                     const double *, double *);
    void (*row_f64)(const double *, ptrdiff_t, const double *, const double *, const int32_t *,
                    const double *, double *, double *);
    void (*row_f32)(const float *, ptrdiff_t, const double *, const double *, const int32_t *,
                    const double *, double *, double *);
    void (*coarse_f64)(const double *, ptrdiff_t, double scale, int more, uint8_t *);
    void (*coarse_f32)(const float *, ptrdiff_t, double scale, int more, uint8_t *);
    double (*least)(const uint8_t *, ptrdiff_t, const uint8_t *edge, double unit, const double *,
                    const double *, const int32_t *, const double *removal, ptrdiff_t k, double *);
} pam_kernels;
TABLE_AT(pam_kernels, pam)

#endif
