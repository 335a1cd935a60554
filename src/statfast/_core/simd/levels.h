/* SPDX-License-Identifier: BSD-3-Clause */
/* The instruction-set levels, and how an extension with vector code of its own finds the table of
   the level in use. Extension `thing` writes that code once, in thing_level.h, which ends with
       const thing_kernels GLUE(thing_, LEVEL) = {...};
   and declares the table in thing_table.h with TABLE_AT(thing_kernels, thing). setup.py compiles
   thing_level.h for each level; thing_at(level()) is the table, level() that of tile/tiles.pxd. */
#ifndef STATFAST_LEVELS_H
#define STATFAST_LEVELS_H

#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)
#define QUOTE_(a) #a
#define QUOTE(a) QUOTE_(a)

/* The header that the files of the levels include last; setup.py names another one for
   extensions. */
#ifndef BODY
#define BODY tile/level.h
#endif

enum { AT_portable, AT_x86_64, AT_x86_64_v3, AT_x86_64_v4, AT_neon };

/* Vector extensions of the compiler: GNU's, clang, and clang-cl, which defines _MSC_VER too. */
#if defined(__clang__) || (defined(__GNUC__) && !defined(_MSC_VER))
#define STATFAST_VECTORS 1
#endif

/* STATFAST_CLANG_CL tells MSVC that setup.py had clang-cl compile the levels. */
#if defined(STATFAST_VECTORS) || defined(STATFAST_CLANG_CL)
#if defined(__x86_64__) || defined(_M_X64)
#define STATFAST_X86 1
/* Where every machine has vectors, plain C is for tests only: it is in the debug variant alone. */
#if defined(STATFAST_DEBUG)
#define STATFAST_PORTABLE 1
#define BASELINE(thing, level) (level == AT_x86_64 ? &thing##_x86_64 : &thing##_portable)
#else
#define BASELINE(thing, level) (&thing##_x86_64)
#endif
#define TABLE_AT(T, thing)                                                                         \
    extern const T thing##_x86_64_v4, thing##_x86_64_v3, thing##_x86_64, thing##_portable;         \
    static inline const T *thing##_at(int level) {                                                 \
        return level == AT_x86_64_v4   ? &thing##_x86_64_v4                                        \
               : level == AT_x86_64_v3 ? &thing##_x86_64_v3                                        \
                                       : BASELINE(thing, level);                                   \
    }
#elif defined(__aarch64__) || defined(_M_ARM64)
#define STATFAST_NEON 1
#define TABLE_AT(T, thing)                                                                         \
    extern const T thing##_neon, thing##_portable;                                                 \
    static inline const T *thing##_at(int level) {                                                 \
        return level == AT_neon ? &thing##_neon : &thing##_portable;                               \
    }
#endif
#endif

#ifndef STATFAST_X86
#define STATFAST_PORTABLE 1
#endif

#ifndef TABLE_AT
#define TABLE_AT(T, thing)                                                                         \
    extern const T thing##_portable;                                                               \
    static inline const T *thing##_at(int level) {                                                 \
        (void)level;                                                                               \
        return &thing##_portable;                                                                  \
    }
#endif

#endif
