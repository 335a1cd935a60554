/* SPDX-License-Identifier: BSD-3-Clause */
/* Which levels this machine can run, best first. */
#include "choose.h"

int usable_levels(const kernels **found) {
    int n = 0;
#if defined(STATFAST_X86)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        found[n++] = &kernels_x86_64_v4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
        && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
        found[n++] = &kernels_x86_64_v3;
    found[n++] = &kernels_x86_64;
#elif defined(STATFAST_NEON)
    found[n++] = &kernels_neon;
#endif
    found[n++] = &kernels_portable;
    return n;
}
