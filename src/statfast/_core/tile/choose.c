/* SPDX-License-Identifier: BSD-3-Clause */
/* The levels that this machine can run, best first.

   A level of x86-64 is there if the processor knows its instructions and the system saves their
   registers: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CPUID and
   XGETBV. __builtin_cpu_supports tells the same, but needs a GNU library that the linkers of MSVC
   and zig do not have. */
#include "tile/choose.h"

#if defined(STATFAST_X86)
#include <cpuid.h>

#define BIT(n) (1u << n)
#define FMA (BIT(12) | BIT(27) | BIT(29))                   /* of leaf 1, in ecx: with XGETBV, F16C */
#define AVX2 (BIT(3) | BIT(5) | BIT(8))                     /* of leaf 7, in ebx: with BMI, BMI2 */
#define AVX512 (BIT(16) | BIT(17) | BIT(30) | BIT(31))      /* F, DQ, BW, VL */
#define VNNI BIT(11)                                        /* of leaf 7, in ecx */
#define VPOPCNTDQ BIT(14)
#define YMM 0x06 /* the registers that the system saves, as bits of XGETBV */
#if defined(__APPLE__)
#define ZMM YMM /* macOS begins to save the larger ones when they are first used */
#else
#define ZMM 0xe6
#endif

static int has(unsigned is, unsigned wanted) { return (is & wanted) == wanted; }
#endif

int usable_levels(const kernels **found) {
    int n = 0;
#if defined(STATFAST_X86)
    unsigned eax, edx, base = 0, more = 0, late = 0, saved = 0, unused;
    __get_cpuid(1, &eax, &unused, &base, &edx);
    if (has(base, FMA)) __asm__("xgetbv" : "=a"(saved), "=d"(edx) : "c"(0));
    __get_cpuid_count(7, 0, &eax, &more, &late, &edx);
    if (has(saved, YMM) && has(more, AVX2)) {
        if (has(saved, ZMM) && has(more, AVX512)) {
            if (has(late, VNNI)) {
                static kernels with_bytes;
                with_bytes = kernels_x86_64_v4;
                with_bytes.name = "x86-64-v4-vnni";
                with_bytes.collect_bytes = collect_bytes_vnni;
                if (has(late, VPOPCNTDQ)) with_bytes.differ = differ_vpopcntdq;
                found[n++] = &with_bytes;
            }
            found[n++] = &kernels_x86_64_v4;
        }
        found[n++] = &kernels_x86_64_v3;
    }
    found[n++] = &kernels_x86_64;
#elif defined(STATFAST_NEON)
    found[n++] = &kernels_neon;
#endif
#if defined(STATFAST_PORTABLE)
    found[n++] = &kernels_portable;
#endif
    return n;
}
