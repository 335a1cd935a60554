/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of density/sums.pyx. */

#include "density/sums_table.h"
#include "kdtree/terms.h"

#define REAL double
#define REAL_BITS 64
#define V(word) f64_##word
#include "simd/vmath.h"
#undef REAL
#undef REAL_BITS
#undef V

#include "density/shapes.h"

/* The kernel at eight reduced distances; and its sum over those of a leaf, by weight. */
typedef void (*density_values)(const double *, double *, double, const density_search *);
typedef double (*density_add)(const double *, const double *, ptrdiff_t, double,
                              const density_search *);

static INLINE double add_lanes(f64_v v) {
    double lane[F64_LANES] ALIGN64, sum = 0;
    f64_store(lane, v);
    for (int l = 0; l < F64_LANES; l++) sum += lane[l];
    return sum;
}

#define CASE(SHAPE, SQUARED, NAME)                                                                 \
    static void values_##NAME(const double *r, double *out, double shift,                          \
                              const density_search *s) {                                           \
        for (int c = 0; c < KD_LANES; c += F64_LANES)                                              \
            f64_store(out + c,                                                                     \
                      shape_value(f64_load(r + c), SHAPE, SQUARED, s, f64_set1(shift)));           \
    }                                                                                              \
    static double add_##NAME(const double *r, const double *weights, ptrdiff_t n, double shift,    \
                             const density_search *s) {                                            \
        f64_v sum = f64_set1(0);                                                                   \
        (void)weights;                                                                             \
        for (ptrdiff_t i = 0; i < n; i += F64_LANES)                                               \
            sum = sum + shape_value(f64_load(r + i), SHAPE, SQUARED, s, f64_set1(shift));          \
        return add_lanes(sum);                                                                     \
    }                                                                                              \
    static double add_weighted_##NAME(const double *r, const double *weights, ptrdiff_t n,         \
                                      double shift, const density_search *s) {                     \
        f64_v sum = f64_set1(0);                                                                   \
        for (ptrdiff_t i = 0; i < n; i += F64_LANES)                                               \
            sum = f64_fma(shape_value(f64_load(r + i), SHAPE, SQUARED, s, f64_set1(shift)),        \
                          f64_load(weights + i), sum);                                             \
        return add_lanes(sum);                                                                     \
    }
#define BOTH(SHAPE, NAME)                                                                          \
    CASE(SHAPE, 1, NAME##_of_square)                                                               \
    CASE(SHAPE, 0, NAME)
BOTH(SHAPE_GAUSSIAN, gaussian)
BOTH(SHAPE_TOPHAT, tophat)
BOTH(SHAPE_EPANECHNIKOV, epanechnikov)
BOTH(SHAPE_EXPONENTIAL, exponential)
BOTH(SHAPE_LINEAR, linear)
BOTH(SHAPE_COSINE, cosine)
#undef BOTH
#undef CASE

/* By the number of the shape: of t, and of its square. */
#define PAIR(WORD, NAME) {WORD##_##NAME, WORD##_##NAME##_of_square}
#define SHAPES(WORD)                                                                               \
    {PAIR(WORD, gaussian), PAIR(WORD, tophat), PAIR(WORD, epanechnikov),                           \
     PAIR(WORD, exponential), PAIR(WORD, linear), PAIR(WORD, cosine)}
static const density_values values_of_shapes[6][2] = SHAPES(values);
static const density_add add_of_shapes[2][6][2] = {SHAPES(add), SHAPES(add_weighted)};
#undef SHAPES
#undef PAIR

static density_values density_values_of(int shape, int kind) {
    return values_of_shapes[shape][kind == METRIC_EUCLIDEAN];
}

static density_add density_add_of(int shape, int kind, int weighted) {
    return add_of_shapes[weighted][shape][kind == METRIC_EUCLIDEAN];
}

#define REAL float
#define WIDE(p) f64_widen(p)
#define V(word) f32_##word
#include "kdtree/distance.h"
#include "density/sums.h"
#undef REAL
#undef WIDE
#undef V

#define REAL double
#define WIDE(p) f64_load(p)
#define V(word) f64_##word
#include "kdtree/distance.h"
#include "density/sums.h"
#undef REAL
#undef WIDE
#undef V

const sums_kernels GLUE(sums_, LEVEL) = {
    .sum_tree_f32 = f32_sum_tree, .sum_tree_f64 = f64_sum_tree,
};
