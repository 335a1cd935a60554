/* SPDX-License-Identifier: BSD-3-Clause */
/* Disjoint sets that several threads join at once, without locks.

   Anderson & Woll 1991, doi:10.1145/103418.103458. A root is its own parent, and all other parents
   are lower numbers: of two roots the larger gets the lower one as its parent, if it still is a
   root. Paths are halved by whoever walks them. The sets, and the lowest number of each, which is
   its root in the end, do not depend on the order of what is joined. */
#ifndef STATFAST_DISJOINT_H
#define STATFAST_DISJOINT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define SET_READ(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define SET_WRITE(p, x) __atomic_store_n(p, x, __ATOMIC_RELAXED)
static inline int set_swap(int32_t *p, int32_t seen, int32_t next) {
    return __atomic_compare_exchange_n(p, &seen, next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
#else
#include <intrin.h>
#define SET_READ(p) (*(volatile const int32_t *)(p))
#define SET_WRITE(p, x) ((void)(*(volatile int32_t *)(p) = (x)))
static inline int set_swap(int32_t *p, int32_t seen, int32_t next) {
    return _InterlockedCompareExchange((volatile long *)p, next, seen) == seen;
}
#endif

static inline int32_t set_root(int32_t *parent, int32_t x) {
    int32_t above = SET_READ(parent + x);
    while (above != x) {
        const int32_t next = SET_READ(parent + above);
        if (next != above) SET_WRITE(parent + x, next);
        x = above;
        above = next;
    }
    return x;
}

static inline void set_join(int32_t *parent, int32_t a, int32_t b) {
    for (;;) {
        a = set_root(parent, a);
        b = set_root(parent, b);
        if (a == b) return;
        if (a < b ? set_swap(parent + b, b, a) : set_swap(parent + a, a, b)) return;
    }
}

#endif
