/* SPDX-License-Identifier: BSD-3-Clause */
/* The means to wait in a loop: a pause, a yield to other threads, and the time. */
#ifndef STATFAST_WAIT_H
#define STATFAST_WAIT_H

#include <time.h>
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN /* else it defines `small`, `interface`, .. */
#define NOMINMAX
#include <windows.h>
#undef near /* windows.h defines it as nothing */
#undef far
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
#elif defined(__aarch64__) && defined(__GNUC__)
#define PAUSE() __asm__ volatile("yield")
#elif defined(_WIN32)
#define PAUSE() YieldProcessor()
#else
#define PAUSE() ((void)0)
#endif

#endif
