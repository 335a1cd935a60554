/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of linalg/sparse_normal.pyx: eight columns stay in registers. */

#include "linalg/sparse_normal_table.h"

#define PARTS (8 / F64_LANES)
#define EACH UNROLL for (int w = 0; w < PARTS; w++)

static void add_row(const double *value, const int32_t *column, ptrdiff_t n, const double *table,
                    const double *shift, double weight, double *total, double *out) {
    const f64_v by = f64_set1(weight);
    f64_v z[PARTS];
    EACH z[w] = -f64_load(shift + w * F64_LANES);
    for (ptrdiff_t s = 0; s < n; s++) {
        const f64_v x = f64_set1(value[s]);
        const double *from = table + 8 * (ptrdiff_t)column[s];
        EACH z[w] = f64_fma(x, f64_load(from + w * F64_LANES), z[w]);
    }
    EACH z[w] = z[w] * by;
    EACH f64_store(total + w * F64_LANES, f64_load(total + w * F64_LANES) + z[w]);
    for (ptrdiff_t s = 0; s < n; s++) {
        const f64_v x = f64_set1(value[s]);
        double *to = out + 8 * (ptrdiff_t)column[s];
        EACH f64_store(to + w * F64_LANES, f64_fma(x, z[w], f64_load(to + w * F64_LANES)));
    }
}
#undef EACH
#undef PARTS

const sparsenormal_kernels GLUE(sparsenormal_, LEVEL) = {.add_row = add_row};
