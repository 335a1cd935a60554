/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of hierarchy/boruvka.pyx. */

#include "hierarchy/boruvka_table.h"
#include "kdtree/terms.h"

#define REAL double
#define WIDE(p) f64_load(p)
#define V(word) f64_##word
#include "hierarchy/boruvka.h"
#undef REAL
#undef WIDE
#undef V

const boruvka_kernels GLUE(boruvka_, LEVEL) = {
    .search = f64_search_lost, .recall = f64_recall, .mark = f64_mark};
