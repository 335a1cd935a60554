# SPDX-License-Identifier: BSD-3-Clause
"""Wait awake for a count to change: what a thread does before it goes to sleep.

To wake a thread costs the time of a small call, ten times that on a virtual machine whose idle
processor has been given away. The caller guarantees that nothing is wrong with waking up too early.
"""

from libc.stdint cimport int64_t

cdef extern from *:
    """
    #include <time.h>
    #if defined(_WIN32)
    #include <windows.h>
    #define YIELD() SwitchToThread()
    static double seconds_now(void) {
        LARGE_INTEGER at, rate;
        QueryPerformanceCounter(&at);
        QueryPerformanceFrequency(&rate);
        return (double)at.QuadPart / (double)rate.QuadPart;
    }
    #else
    #include <sched.h>
    #define YIELD() sched_yield()
    static double seconds_now(void) {
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
    static void linger_on(const volatile int64_t *count, int64_t seen, double seconds) {
        const double end = seconds_now() + seconds;
        do {
            for (int i = 0; i < 64; i++) {
                if (*count != seen) return;
                PAUSE();
            }
            YIELD();
        } while (seconds_now() < end);
    }
    """
    void linger_on(const int64_t *count, int64_t seen, double seconds) noexcept nogil


def linger(
    const int64_t[::1] count,  # IN (1,) changed by other threads
    int64_t seen,              # its value so far
    double seconds,            # at most
):
    """Return when the count is no longer the one seen, or after so many seconds."""
    with nogil:
        linger_on(&count[0], seen, seconds)
