/* SPDX-License-Identifier: BSD-3-Clause */
/* A team: threads that do the parts of one short step after the other.

   The parts of a step must not depend on the threads, and no two parts may write the same memory,
   so that the result does not depend on which thread does a part. The leader posts a step, does
   parts like all other threads, and continues when all are done; it never waits for a thread that
   has not taken a part. The leader takes parts from the first on and others from the last, so that
   two threads get nearly the same rows in each step and find them in their own caches. A part is
   taken by changing the ticket, which also holds the number of the step, so that no part of a
   finished step can be taken. */
#ifndef STATFAST_TEAM_H
#define STATFAST_TEAM_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "threads/wait.h"

#if defined(__GNUC__) || defined(__clang__)
#define TEAM_READ(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define TEAM_WRITE(p, x) __atomic_store_n(p, x, __ATOMIC_RELEASE)
#define TEAM_ADD(p, x) __atomic_fetch_add(p, x, __ATOMIC_ACQ_REL)
static inline int team_swap(int64_t *p, int64_t seen, int64_t next) {
    return __atomic_compare_exchange_n(p, &seen, next, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
#else
#include <intrin.h>
#define TEAM_READ(p) _InterlockedCompareExchange64(p, 0, 0)
#define TEAM_WRITE(p, x) _InterlockedExchange64(p, x)
#define TEAM_ADD(p, x) _InterlockedExchangeAdd64(p, x)
static inline int team_swap(int64_t *p, int64_t seen, int64_t next) {
    return _InterlockedCompareExchange64(p, next, seen) == seen;
}
#endif

/* A ticket: the number of the step, the first part that is not taken, and the end of these
   parts. */
#define TEAM_BITS 12
#define TEAM_MAX_PARTS ((1 << TEAM_BITS) - 1) /* the most parts of a step */

typedef void (*team_work)(void *job, ptrdiff_t part);

typedef struct { /* numbers that several threads write lie on separate cache lines */
    int64_t ticket, pad0[7];
    int64_t done, pad1[7]; /* parts of the step */
    team_work work;
    void *job;
    int64_t leave; /* whether the threads have to leave */
} team;

#define TEAM_NUMBERS ((int)(sizeof(team) / sizeof(int64_t)))

/* Do the first or the last remaining part of the step; returns 0 if there is none. */
static inline int team_part(team *t, int first) {
    const int64_t seen = TEAM_READ(&t->ticket);
    const int64_t front = seen >> TEAM_BITS & TEAM_MAX_PARTS, back = seen & TEAM_MAX_PARTS;
    if (front == back) return 0;
    if (team_swap(&t->ticket, seen, first ? seen + (1 << TEAM_BITS) : seen - 1)) {
        t->work(t->job, (ptrdiff_t)(first ? front : back - 1));
        TEAM_ADD(&t->done, 1);
    }
    return 1;
}

/* For the leader: work(job, part) for all parts from 0 on, at most TEAM_MAX_PARTS. */
static inline void team_do(team *t, team_work work, void *job, ptrdiff_t parts) {
    assert(0 <= parts && parts <= TEAM_MAX_PARTS);
    /* 40 bits suffice for years. */
    const int64_t step = (TEAM_READ(&t->ticket) >> 2 * TEAM_BITS) + 1;
    t->work = work;
    t->job = job;
    TEAM_WRITE(&t->done, 0);
    TEAM_WRITE(&t->ticket, step << 2 * TEAM_BITS | parts);
    while (team_part(t, 1)) {}
    while (TEAM_READ(&t->done) < parts)
        for (int i = 0; i < 256 && TEAM_READ(&t->done) < parts; i++)
            if (i < 255) PAUSE();
            else YIELD();
}

/* Tell all threads that serve to leave, or that they may stay. */
static inline void team_leave(team *t, int64_t leave) { TEAM_WRITE(&t->leave, leave); }

/* For helpers: do parts until told to leave, or until there was none for so many seconds. */
static inline void team_serve(team *t, double seconds) {
    double end = seconds_now() + seconds;
    while (!TEAM_READ(&t->leave)) {
        int some = 0;
        for (int i = 0; i < 64; i++) {
            while (team_part(t, 0)) some = 1;
            PAUSE();
        }
        if (some) end = seconds_now() + seconds;
        else if (seconds_now() > end) return;
        else YIELD();
    }
}

#endif
