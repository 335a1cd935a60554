/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of boruvka.pyx. */

#include "boruvka_kernels.h"
#include "kdterms.h"

#define REAL double
#define WIDE(p) f64_load(p)
#define V(word) f64_##word
#include "boruvka.h"
#undef REAL
#undef WIDE
#undef V

const boruvka_kernels GLUE(boruvka_, LEVEL) = {
    .search = f64_search_lost, .recall = f64_recall, .mark = f64_mark};
