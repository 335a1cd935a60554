/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of boruvka.pyx. */

#include "boruvka_kernels.h"
#include "kdterms.h"

static INLINE double part_limit(const kd_forest *f, ptrdiff_t part) {
    return f->stamp[part] == f->now ? f->best[part] : DBL_MAX;
}

/* An edge of a part that is shorter than its limit. */
static INLINE void part_offer(kd_forest *f, ptrdiff_t part, double apart, ptrdiff_t one,
                              ptrdiff_t other) {
    if (f->stamp[part] != f->now) {
        f->stamp[part] = f->now;
        f->touched[f->count++] = (int32_t)part;
    }
    f->best[part] = apart;
    f->one[part] = (int32_t)one;
    f->other[part] = (int32_t)other;
}

#define REAL double
#define WIDE(p) f64_load(p)
#define V(word) f64_##word
#include "kdapart.h"
#include "boruvka.h"
#undef REAL
#undef WIDE
#undef V

const boruvka_kernels GLUE(boruvka_, LEVEL) = {.edges = f64_edges};
