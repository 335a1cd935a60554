/* SPDX-License-Identifier: BSD-3-Clause */
/* build: small */
/* One instruction-set level of cart/walk/walk.pyx. The side of a row is unpredictable, so that no
   step has a branch; several walks take turns, so that their waits for memory overlap. */

#include <string.h>

#include "cart/walk/walk_table.h"

#define WALK_LANES 8 /* rows or trees walked at a time */

static INLINE int64_t leaf_number(const cart_step *node) {
    uint64_t bits;
    memcpy(&bits, &node->threshold, sizeof bits);
    return (int64_t)(bits & 0xffffffffffffu);
}

/* The leaves of `count` <= WALK_LANES walks, each with a tree and a row of its own. */
static INLINE void walk_lanes(const cart_step *const *tree, const double *const *row,
                              const int count, int64_t *leaf) {
    int32_t at[WALK_LANES] = {0}, moved = 1;
    while (moved) {
        moved = 0;
        for (int i = 0; i < count; i++) {
            const cart_step *node = tree[i] + at[i];
            const uint32_t column = node->column;
            const double x = row[i][column & 0x7fffffffu];
            const int32_t left = (x <= node->threshold) | ((x != x) & (int32_t)(column >> 31));
            const int32_t next = node->right ^ ((node->right ^ (at[i] + 1)) & -left);
            moved |= next ^ at[i];
            at[i] = next;
        }
    }
    for (int i = 0; i < count; i++) leaf[i] = leaf_number(tree[i] + at[i]);
}

/* Walk up to WALK_LANES rows down one tree. */
static INLINE void walk_abreast(const cart_step *tree, const double *rows, const int count,
                             ptrdiff_t p, int64_t *leaf) {
    const cart_step *same[WALK_LANES];
    const double *row[WALK_LANES];
    for (int i = 0; i < count; i++) {
        same[i] = tree;
        row[i] = rows + i * p;
    }
    walk_lanes(same, row, count, leaf);
}

#if defined(__AVX512DQ__) && defined(STATFAST_VECTORS)
#define WALK_GROUPS 6 /* groups of eight rows walked at a time */

/* A step of eight rows; 0 when all have arrived. */
static INLINE int walk_step(const cart_step *tree, const double *rows, __m512i begin,
                            __m512i *at) {
    const __m512i place = _mm512_slli_epi64(*at, 1);
    const __m512d threshold = _mm512_i64gather_pd(place, tree, 8);
    const __m512i word = _mm512_i64gather_epi64(place, &tree->right, 8);
    const __m512i column = _mm512_srli_epi64(_mm512_slli_epi64(word, 1), 33);
    const __m512d x = _mm512_i64gather_pd(_mm512_add_epi64(begin, column), rows, 8);
    const __mmask8 lost = _mm512_mask_cmp_pd_mask(_mm512_movepi64_mask(word), x, x, _CMP_UNORD_Q);
    const __mmask8 left = _mm512_cmp_pd_mask(x, threshold, _CMP_LE_OQ) | lost;
    const __m512i right = _mm512_and_si512(word, _mm512_set1_epi64(0xffffffff));
    const __m512i next = _mm512_mask_add_epi64(right, left, *at, _mm512_set1_epi64(1));
    const __mmask8 moved = _mm512_cmpneq_epi64_mask(next, *at);
    *at = next;
    return moved;
}

/* Walk all whole groups of rows; returns the place of the first row that is left over. */
static ptrdiff_t walk_groups(const cart_step *tree, const double *rows, ptrdiff_t m, ptrdiff_t p,
                             int64_t *leaf) {
    const __m512i begin = _mm512_mullo_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0),
                                             _mm512_set1_epi64(p));
    const __m512i number = _mm512_set1_epi64(0xffffffffffff);
    ptrdiff_t i = 0;
    for (; i + 8 * WALK_GROUPS <= m; i += 8 * WALK_GROUPS) {
        __m512i at[WALK_GROUPS];
        for (int g = 0; g < WALK_GROUPS; g++) at[g] = _mm512_setzero_si512();
        int moved = 1;
        while (moved) {
            moved = 0;
            for (int g = 0; g < WALK_GROUPS; g++)
                moved |= walk_step(tree, rows + (i + 8 * g) * p, begin, &at[g]);
        }
        for (int g = 0; g < WALK_GROUPS; g++) {
            const __m512i bits = _mm512_i64gather_epi64(_mm512_slli_epi64(at[g], 1), tree, 8);
            _mm512_storeu_si512(leaf + i + 8 * g, _mm512_and_si512(bits, number));
        }
    }
    return i;
}
#else
static ptrdiff_t walk_groups(const cart_step *tree, const double *rows, ptrdiff_t m, ptrdiff_t p,
                             int64_t *leaf) {
    (void)tree, (void)rows, (void)m, (void)p, (void)leaf;
    return 0;
}
#endif

static void walk_rows(const cart_step *tree, const double *rows, ptrdiff_t m, ptrdiff_t p,
                      int64_t *leaf) {
    ptrdiff_t i = walk_groups(tree, rows, m, p, leaf);
    for (; i + WALK_LANES <= m; i += WALK_LANES)
        walk_abreast(tree, rows + i * p, WALK_LANES, p, leaf + i);
    if (i < m) walk_abreast(tree, rows + i * p, (int)(m - i), p, leaf + i);
}

static void walk_trees(const cart_step *nodes, const int64_t *root, ptrdiff_t T, const double *row,
                       int64_t *leaf) {
    const cart_step *tree[WALK_LANES];
    const double *same[WALK_LANES];
    for (int i = 0; i < WALK_LANES; i++) same[i] = row;
    for (ptrdiff_t t = 0; t < T; t += WALK_LANES) {
        const int some = T - t < WALK_LANES ? (int)(T - t) : WALK_LANES;
        for (int i = 0; i < some; i++) tree[i] = nodes + root[t + i];
        if (some == WALK_LANES) walk_lanes(tree, same, WALK_LANES, leaf + t);
        else walk_lanes(tree, same, some, leaf + t);
    }
}

const walk_kernels GLUE(walk_, LEVEL) = {.rows = walk_rows, .trees = walk_trees};
