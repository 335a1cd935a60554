/* SPDX-License-Identifier: BSD-3-Clause */
/* The passes over rows of a dissimilarity matrix, for the level in use. hierarchy/linkage.h
   says what each does, hierarchy/lance_williams.pxd what the rules are. Numbers are floats
   or doubles. */
#ifndef STATFAST_LINKAGE_KERNELS_H
#define STATFAST_LINKAGE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "simd/compiler.h"

enum { LINK_SMALLEST, LINK_LARGEST, LINK_MIX, LINK_WARD };

/* The rule by which the distances a and b of two clusters to a third give that of their union. */
typedef struct {
    int kind;
    double share, drop;         /* MIX: a + share (b - a) - drop */
    double first, second, apart; /* WARD: the two sizes, the squared distance of the two */
} union_rule;

#define LINKAGE(REAL, NAME)                                                                        \
    typedef struct {                                                                                       \
        void (*square)(const REAL *x, ptrdiff_t n, double scale, REAL *out);                       \
        void (*scan)(const REAL *x, ptrdiff_t n, ptrdiff_t row, ptrdiff_t first, REAL *low,        \
                     int32_t *who, REAL *best, int32_t *at);                                       \
        void (*seek)(const REAL *x, const REAL *gone, ptrdiff_t n, ptrdiff_t first, REAL *best,    \
                     int32_t *at);                                                                 \
        void (*unite)(const union_rule *u, const REAL *a, const REAL *b, const REAL *size,         \
                      ptrdiff_t n, REAL *out);                                                     \
        ptrdiff_t (*squeeze)(const REAL *x, const uint64_t *keep, ptrdiff_t from, ptrdiff_t n,      \
                             REAL *out);                                                           \
    } NAME;
LINKAGE(float, linkage_f32)
LINKAGE(double, linkage_f64)
#undef LINKAGE

typedef struct {
    linkage_f32 f32;
    linkage_f64 f64;
} linkage_kernels;

TABLE_AT(linkage_kernels, linkage)

#endif
