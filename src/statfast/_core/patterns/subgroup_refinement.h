/* SPDX-License-Identifier: BSD-3-Clause */
/* Refinements of a conjunction by one condition, and the order of conditions and refinements. */
#ifndef STATFAST_SUBGROUP_REFINEMENT_H
#define STATFAST_SUBGROUP_REFINEMENT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    double bound, rows; /* of the quality of further refinements; rows that it covers */
    int32_t condition;
} refinement;

/* Higher bounds first; of equals, the first condition. */
static inline int by_bound(const void *a, const void *b) {
    const refinement *left = (const refinement *)a, *right = (const refinement *)b;
    if (left->bound != right->bound) return left->bound > right->bound ? -1 : 1;
    return left->condition < right->condition ? -1 : 1;
}

static inline void sort_refinements(refinement *refinements, ptrdiff_t n) {
    qsort(refinements, (size_t)n, sizeof(refinement), by_bound);
}

/* The conditions of a conjunction, ascending: out[0], ..., out[n - 1]. */
static inline void sort_conditions(const int32_t *conditions, ptrdiff_t n, int32_t *out) {
    for (ptrdiff_t i = 0; i < n; i++) {
        ptrdiff_t k = i;
        for (; k > 0 && out[k - 1] > conditions[i]; k--) out[k] = out[k - 1];
        out[k] = conditions[i];
    }
}

#endif
