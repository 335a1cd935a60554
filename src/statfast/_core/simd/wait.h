/* SPDX-License-Identifier: BSD-3-Clause */
/* To wait awake: a pause within a loop, to let others run, the time. */
#ifndef STATFAST_WAIT_H
#define STATFAST_WAIT_H

#include <time.h>
#if defined(_WIN32)
#include <windows.h>
#define YIELD() SwitchToThread()
static inline double seconds_now(void) {
    LARGE_INTEGER at, rate;
    QueryPerformanceCounter(&at);
    QueryPerformanceFrequency(&rate);
    return (double)at.QuadPart / (double)rate.QuadPart;
}
#else
#include <sched.h>
#define YIELD() sched_yield()
static inline double seconds_now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}
#endif
#if defined(__x86_64__) && defined(__GNUC__)
#define PAUSE() __builtin_ia32_pause()
#else
#define PAUSE() ((void)0)
#endif

#endif
