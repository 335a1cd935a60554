/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of hierarchy/centroids.pyx. */

#include "hierarchy/centroids_table.h"

/* Vectors of points that share the numbers of a query: as many as registers allow. */
#define WIDE (F64_LANES > 4 ? 2 : 1)
#define GROUP_OF_ONE 8 /* the same for a single query */

/* The nearest other points among first .. last - 1, by |a - b|^2 or, for sizes f and g,
   2 f g / (f + g) |a - b|^2. The smallest size gives a lower bound without a division; the distance
   itself is computed only where the bound is below that of the nearest so far. */
static void means_nearest(const means_points *points, means_queries *of, ptrdiff_t first,
                          ptrdiff_t last) {
    const ptrdiff_t d = points->d, ld = points->ld;
    const double *size = points->size;
    double bound[MEANS_GROUP], limit[MEANS_GROUP];
    for (int q = 0; q < MEANS_GROUP; q++) {
        const double f = of->size[q], g = points->smallest;
        bound[q] = size ? 2 * f * g / (f + g) * (1 - 1e-12) : 1;
        limit[q] = of->low[q] / bound[q];
    }
    for (ptrdiff_t c = first; c < last; c += WIDE * F64_LANES) {
        f64_v sum[MEANS_GROUP][WIDE];
        UNROLL for (int q = 0; q < MEANS_GROUP; q++)
            UNROLL for (int w = 0; w < WIDE; w++) sum[q][w] = f64_set1(0);
        const double *x = points->mean + c, *at = of->at;
        for (ptrdiff_t p = 0; p < d; p++, x += ld, at += MEANS_GROUP) {
            f64_v v[WIDE];
            UNROLL for (int w = 0; w < WIDE; w++) v[w] = f64_load(x + w * F64_LANES);
            UNROLL for (int q = 0; q < MEANS_GROUP; q++) {
                UNROLL for (int w = 0; w < WIDE; w++) {
                    const f64_v t = v[w] - f64_set1(at[q]);
                    sum[q][w] = f64_fma(t, t, sum[q][w]);
                }
            }
        }
        UNROLL for (int q = 0; q < MEANS_GROUP; q++) {
            unsigned hits = 0;
            UNROLL for (int w = 0; w < WIDE; w++)
                hits |= f64_bits(f64_gt(f64_set1(limit[q]), sum[q][w])) << (w * F64_LANES);
            if (!hits) continue;
            double apart[WIDE * F64_LANES];
            UNROLL for (int w = 0; w < WIDE; w++) f64_store(apart + w * F64_LANES, sum[q][w]);
            for (; hits; hits &= hits - 1) {
                const int l = LOWEST_BIT(hits);
                if (c + l == of->point[q]) continue;
                double t = apart[l];
                if (size) {
                    const double f = of->size[q], g = size[c + l];
                    t *= 2 * (f * g) / (f + g);
                }
                if (t < of->low[q]) {
                    of->low[q] = t;
                    of->who[q] = (int32_t)(c + l);
                    limit[q] = t / bound[q];
                }
            }
        }
    }
}

/* The first of the columns 0 .. last - 1 nearest to a point, if it is nearer than `low`. */
static void means_one(const double *mean, ptrdiff_t ld, ptrdiff_t d, const double *at,
                      ptrdiff_t last, double *low, int32_t *who) {
    for (ptrdiff_t c = 0; c < last; c += GROUP_OF_ONE * F64_LANES) {
        f64_v sum[GROUP_OF_ONE];
        UNROLL for (int u = 0; u < GROUP_OF_ONE; u++) sum[u] = f64_set1(0);
        const double *x = mean + c;
        for (ptrdiff_t p = 0; p < d; p++, x += ld) {
            const f64_v v = f64_set1(at[p]);
            UNROLL for (int u = 0; u < GROUP_OF_ONE; u++) {
                const f64_v t = f64_load(x + u * F64_LANES) - v;
                sum[u] = f64_fma(t, t, sum[u]);
            }
        }
        f64_v least = sum[0];
        UNROLL for (int u = 1; u < GROUP_OF_ONE; u++) least = f64_min(least, sum[u]);
        if (!f64_bits(f64_gt(f64_set1(*low), least))) continue;
        double apart[GROUP_OF_ONE * F64_LANES];
        UNROLL for (int u = 0; u < GROUP_OF_ONE; u++) f64_store(apart + u * F64_LANES, sum[u]);
        for (int l = 0; l < GROUP_OF_ONE * F64_LANES && c + l < last; l++)
            if (apart[l] < *low) {
                *low = apart[l];
                *who = (int32_t)(c + l);
            }
    }
}

const means_kernels GLUE(means_, LEVEL) = {.nearest = means_nearest, .one = means_one};
