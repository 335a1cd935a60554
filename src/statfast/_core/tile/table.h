/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of compiled kernels: there is one for each instruction-set level, chosen once. */
#ifndef STATFAST_KERNELS_H
#define STATFAST_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "simd/levels.h"

/* The float score of a point this far out might overflow; such points are left to float64. */
#define FAR_OUT 1e15

enum { STORE_SCORE, STORE_SQUARED, STORE_DISTANCE, STORE_RBF };
enum { BY_SQUARES, BY_LENGTHS, BY_LARGEST }; /* sums of squares, of lengths; the largest */
enum { MAP_EXP, MAP_LOG, MAP_LOG1P, MAP_SIGMOID };

/* The state of the collect epilogue for each point: see tile/product/tile.h for the error terms. */
#define SEARCH(T, REAL)                                                                            \
    typedef struct {                                                                               \
        ptrdiff_t k, capacity;                                                                     \
        ptrdiff_t spare;         /* candidates taken between two prunings */                        \
        REAL square;             /* a score is good to slope |a| + square |a|^2 + slack */           \
        const REAL *slope, *slack;                                                                 \
        REAL *level;             /* lower bounds of k scores reach this */                          \
        const float *row_norm;   /* at least |a| of every row */                                             \
        int32_t *count;          /* candidates held; -1: given up */                                \
        int32_t *full;           /* the count that calls for pruning */                             \
        REAL *score;             /* (points, capacity) */                                           \
        int32_t *row;                                                                              \
        REAL *low, *high;        /* (capacity,) work space */                                       \
        const int32_t *part;     /* rows of a point's own part are no candidates; NULL: all are */ \
        const int32_t *row_part;                                                                   \
    } T##_search;
SEARCH(f32, float)
SEARCH(f64, double)
#undef SEARCH

/* Arrays of three have a kernel for each type of rows: double, float, bytes. */
#define TABLE(T, REAL, INT)                                                                        \
    typedef struct {                                                                               \
        void (*convert[3])(const void *, ptrdiff_t, ptrdiff_t, ptrdiff_t, const float *, double,   \
                            REAL *, ptrdiff_t);                                                    \
        void (*measure)(const REAL *, ptrdiff_t, ptrdiff_t, ptrdiff_t, REAL *, REAL *);             \
        void (*lay[3])(const void *, ptrdiff_t, const int32_t *, ptrdiff_t, ptrdiff_t,           \
                        const float *, double, REAL *, REAL *);                                    \
        void (*pack)(const REAL *, ptrdiff_t, ptrdiff_t, ptrdiff_t, REAL *);                        \
        void (*largest)(const REAL *, ptrdiff_t, const REAL *, ptrdiff_t, const REAL *, ptrdiff_t,  \
                        ptrdiff_t, REAL *, INT *);                                                 \
        void (*largest_two)(const REAL *, ptrdiff_t, const REAL *, ptrdiff_t, const REAL *,         \
                            ptrdiff_t, ptrdiff_t, REAL *, REAL *, INT *);                           \
        void (*collect)(const REAL *, ptrdiff_t, const REAL *, const REAL *, ptrdiff_t,             \
                        const REAL *, ptrdiff_t, ptrdiff_t, T##_search *, ptrdiff_t);               \
        void (*collect_by)(const REAL *, ptrdiff_t, const REAL *, const REAL *, ptrdiff_t,          \
                           const REAL *, ptrdiff_t, ptrdiff_t, T##_search *, ptrdiff_t, int,        \
                           REAL);                                                                  \
        void (*prune)(T##_search *, ptrdiff_t);                                                     \
        void (*store)(const REAL *, ptrdiff_t, const REAL *, ptrdiff_t, const REAL *, const REAL *, \
                      ptrdiff_t, int, REAL, REAL *, ptrdiff_t, ptrdiff_t);                          \
        void (*rank_update)(const REAL *, const REAL *, ptrdiff_t, ptrdiff_t, ptrdiff_t, REAL *);   \
        void (*softmax)(REAL *, ptrdiff_t);                                                        \
        void (*map)(int, const REAL *, ptrdiff_t, REAL *);                                          \
        double (*multiply_adds)(ptrdiff_t);                                                        \
        ptrdiff_t (*widest)(const REAL *, ptrdiff_t, ptrdiff_t, ptrdiff_t);                         \
        void (*divide)(const REAL *, REAL *, const int32_t *, int32_t *, ptrdiff_t, ptrdiff_t,      \
                       ptrdiff_t, ptrdiff_t, ptrdiff_t, REAL *);                                   \
        void (*seal)(const REAL *, const int32_t *, ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t,     \
                     REAL *, int32_t *, REAL *, ptrdiff_t);                                        \
        ptrdiff_t lanes;                                                                           \
    } T##_kernels;
TABLE(f32, float, int32_t)
TABLE(f64, double, int64_t)
#undef TABLE

typedef struct {
    const char *name;
    int level; /* AT_... of simd/levels.h */
    ptrdiff_t rows;  /* of a tile */
    ptrdiff_t group; /* rows whose bounds are kept together: see kmeans/groups.h */
    f32_kernels f32;
    f64_kernels f64;
    void (*squared_distances[3])(const double *, const void *, ptrdiff_t, ptrdiff_t, ptrdiff_t,
                                 double *);
    void (*reduced_distances[3])(const double *, const void *, ptrdiff_t, ptrdiff_t, ptrdiff_t, int,
                         double, double *);
    void (*extent[3])(const void *, ptrdiff_t, ptrdiff_t, ptrdiff_t, double *, double *, double *);
    void (*add[3])(const void *, ptrdiff_t, ptrdiff_t, ptrdiff_t, const double *, const int32_t *,
                    double *, double *);
    void (*shift[3])(const void *, ptrdiff_t, ptrdiff_t, ptrdiff_t, const double *,
                      const ptrdiff_t *, const double *, double *, double *, double *, double *,
                      ptrdiff_t);
    int (*finite[3])(const void *, ptrdiff_t, ptrdiff_t, ptrdiff_t);
    ptrdiff_t (*widen)(const int32_t *, ptrdiff_t, const float *, const float *, const float *,
                       float *, float *, int32_t *);
    ptrdiff_t (*tighten[3])(const void *, ptrdiff_t, const float *, double, const int32_t *,
                             const float *, ptrdiff_t, ptrdiff_t, float, const float *, float *,
                             const float *, int32_t *, ptrdiff_t);
    int (*bound)(const float *, const float *, const float *, ptrdiff_t, const double *, float,
                 float *, float *);
    int (*search_groups)(const float *, ptrdiff_t, const float *, ptrdiff_t, const float *,
                         ptrdiff_t, const float *, const double *, float, const float *,
                         const int32_t *, float *, float *, float *, float *, float *, int32_t *,
                         int32_t *, float *, ptrdiff_t *);
    void (*slacken)(const float *, const int32_t *, ptrdiff_t, const float *, const float *,
                    const double *, float, float *);
    double (*read)(const double *, ptrdiff_t);
    int (*differ)(const uint64_t *, ptrdiff_t, ptrdiff_t, const uint64_t *, const float *,
                  const float *, int32_t *);
    /* of panels of halves; NULL where the machine does not convert them */
    void (*halve)(const float *, ptrdiff_t, uint16_t *);
    void (*largest_two_of_halves)(const float *, ptrdiff_t, const float *, ptrdiff_t,
                                  const uint16_t *, ptrdiff_t, ptrdiff_t, float *, float *,
                                  int32_t *);
    /* of rows and points in bytes; NULL where the machine has no instructions for it */
    void (*collect_bytes)(const uint8_t *, ptrdiff_t, const float *, const float *, ptrdiff_t,
                          const int8_t *, ptrdiff_t, const int32_t *, const float *, ptrdiff_t,
                          f32_search *, ptrdiff_t);
} kernels;

#if defined(STATFAST_X86)
extern const kernels kernels_x86_64_v4, kernels_x86_64_v3, kernels_x86_64;
void collect_bytes_vnni(const uint8_t *, ptrdiff_t, const float *, const float *, ptrdiff_t,
                        const int8_t *, ptrdiff_t, const int32_t *, const float *, ptrdiff_t,
                        f32_search *, ptrdiff_t);
int differ_vpopcntdq(const uint64_t *, ptrdiff_t, ptrdiff_t, const uint64_t *, const float *,
                     const float *, int32_t *);
#elif defined(STATFAST_NEON)
extern const kernels kernels_neon;
#endif
extern const kernels kernels_portable;

#endif
