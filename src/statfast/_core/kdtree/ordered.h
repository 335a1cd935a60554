/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting the points within a radius by (distance, number). The ranks of few points are counted by
   vectors; many are sorted by sort_pairs (order/sort_pairs.h). */

#include "order/sort_pairs.h"

#define MAX_RANKED (16 + 8 * F64_LANES)

/* Write n distances job->key, unless `apart` is NULL, and their numbers by row; these are words after
   job->id[capacity]. */
static void write_by_row(const kd_job *job, const neighbor_order *by_row, ptrdiff_t n,
                         double *apart, ptrdiff_t *row) {
    const int32_t *id = (const int32_t *)(job->id + job->capacity);
    for (ptrdiff_t i = 0; i < n; i++) row[i] = id[i];
    write_neighbors(by_row, n, apart ? job->key : NULL, row, apart, row);
}

/* Write n distances job->key and their numbers in order; these are words after
   job->id[capacity]. */
static void write_in_order(kd_job *job, ptrdiff_t n, double *apart, ptrdiff_t *row) {
    double *key = job->key;
    const int32_t *id = (const int32_t *)(job->id + job->capacity);
    if (n > MAX_RANKED) {
        for (ptrdiff_t i = 0; i < n; i++) job->id[i] = id[i];
        sort_pairs(key, job->id, n, job->capacity);
        for (ptrdiff_t i = 0; i < n; i++) {
            apart[i] = key[i];
            row[i] = (ptrdiff_t)job->id[i];
        }
        return;
    }
    double rank[MAX_RANKED + F64_LANES] ALIGN64;
    const f64_v one = f64_set1(1), zero = f64_set1(0);
    f64_store(key + n, f64_set1(INFINITY));
    for (ptrdiff_t at = 0; at < n; at += F64_LANES) {
        const f64_v x = f64_load(key + at);
        f64_v before = zero;
        for (ptrdiff_t j = 0; j < at; j++)
            before = before + f64_select(f64_ge(x, f64_set1(key[j])), one, zero);
        for (ptrdiff_t j = at; j < n; j++)
            before = before + f64_select(f64_gt(x, f64_set1(key[j])), one, zero);
        f64_store(rank + at, before);
    }
    for (ptrdiff_t i = 0; i < n; i++) row[i] = -1;
    for (ptrdiff_t i = 0; i < n; i++) {
        ptrdiff_t at = (ptrdiff_t)rank[i];
        while (row[at] >= 0) at++; /* skip places taken by equal ones of the same vector */
        apart[at] = key[i];
        row[at] = id[i];
    }
    for (ptrdiff_t i = 1; i < n; i++) {
        const ptrdiff_t number = row[i];
        ptrdiff_t at = i;
        for (; at > 0 && apart[at - 1] == apart[i] && row[at - 1] > number; at--)
            row[at] = row[at - 1];
        row[at] = number;
    }
}
