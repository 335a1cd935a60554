/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of boosting/stump.pyx: the best split of all rows into two. */
#ifndef STATFAST_BOOSTING_STUMP_H
#define STATFAST_BOOSTING_STUMP_H

#include "boosting/stump_types.h"
#include "simd/levels.h"

typedef struct {
    void (*best)(stump_job *);
} boosting_stump_kernels;
TABLE_AT(boosting_stump_kernels, boosting_stump)

#endif
