/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of generative/normal_scores.pyx: log densities of independent normal columns. */
#ifndef STATFAST_NORMALSCORES_KERNELS_H
#define STATFAST_NORMALSCORES_KERNELS_H

#include <stddef.h>

#include "simd/levels.h"

typedef struct {
    /* out[c * NR + l] = begin[c] - sum over j of half[c * d + j] (panel[j * NR + l] - mean[c * d +
       j])^2, NR points a panel */
    void (*score)(const double *panel, ptrdiff_t d, const double *mean, const double *half,
                  const double *begin, ptrdiff_t classes, double *out);
} normal_scores_kernels;
TABLE_AT(normal_scores_kernels, normal_scores)

#endif
