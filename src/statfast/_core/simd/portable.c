/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain C for any compiler and machine: tiles of 4 x 2 numbers. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("Os") /* for tests alone */
#endif
#include "compiler.h"
#define LEVEL portable
#define LEVEL_NAME "portable"
#define ROWS 4
#include "vec_scalar.h"
#include QUOTE(BODY)
