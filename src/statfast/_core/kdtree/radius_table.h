/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of kdtree/radius.pyx: the points of a k-d tree within a radius. */
#ifndef STATFAST_KDRADIUS_KERNELS_H
#define STATFAST_KDRADIUS_KERNELS_H

#include "kdtree/query.h"
#include "simd/levels.h"

typedef struct {
    void (*reach_tree_f32)(const kd_tree *, kd_radius_search *);
    void (*reach_tree_f64)(const kd_tree *, kd_radius_search *);
} kdradius_kernels;
TABLE_AT(kdradius_kernels, kdradius)

#endif
