/* SPDX-License-Identifier: BSD-3-Clause */
/* Which levels this machine can run, best first. */
#include "tile/choose.h"

int usable_levels(const kernels **found) {
    int n = 0;
#if defined(STATFAST_X86)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
        if (__builtin_cpu_supports("avx512vnni")) {
            static kernels with_bytes;
            with_bytes = kernels_x86_64_v4;
            with_bytes.name = "x86-64-v4-vnni";
            with_bytes.collect_bytes = collect_bytes_vnni;
            if (__builtin_cpu_supports("avx512vpopcntdq")) with_bytes.differ = differ_vpopcntdq;
            found[n++] = &with_bytes;
        }
        found[n++] = &kernels_x86_64_v4;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
        && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
        found[n++] = &kernels_x86_64_v3;
    found[n++] = &kernels_x86_64;
#elif defined(STATFAST_NEON)
    found[n++] = &kernels_neon;
#endif
#if defined(STATFAST_PORTABLE)
    found[n++] = &kernels_portable;
#endif
    return n;
}
