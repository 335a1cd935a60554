/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of preprocessing/donors.pyx for one instruction-set level. */
#ifndef STATFAST_DONORS_TABLE_H
#define STATFAST_DONORS_TABLE_H

#include <stddef.h>

#include "simd/levels.h"

enum { DONORS_PANEL_POINTS = 32 }; /* rows that lie together, feature by feature */

typedef struct {
    void (*panel)(const double *q, const ptrdiff_t *features, ptrdiff_t count, ptrdiff_t d,
                  const double *panel, double *out);
} donors_kernels;

TABLE_AT(donors_kernels, donors)

#endif
