/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of means.pyx: the nearest of many means, weighted by their sizes. */
#ifndef STATFAST_MEANS_KERNELS_H
#define STATFAST_MEANS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "levels.h"

#define MEANS_GROUP 8 /* queries that share a load */

typedef struct {
    void (*nearest)(const double *mean, ptrdiff_t ld, ptrdiff_t first, ptrdiff_t last, ptrdiff_t d,
                    const double *size, double smallest, const int32_t *query, double *low,
                    int32_t *who);
} means_kernels;
TABLE_AT(means_kernels, means)

#endif
