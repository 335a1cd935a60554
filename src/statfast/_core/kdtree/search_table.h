/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of kdtree/search.pyx: the nearest points of a k-d tree. */
#ifndef STATFAST_KDSEARCH_KERNELS_H
#define STATFAST_KDSEARCH_KERNELS_H

#include "kdtree/query.h"
#include "simd/levels.h"

typedef struct {
    void (*search_tree_f32)(const kd_tree *, kd_job *);
    void (*search_tree_f64)(const kd_tree *, kd_job *);
} kdsearch_kernels;
TABLE_AT(kdsearch_kernels, kdsearch)

#endif
