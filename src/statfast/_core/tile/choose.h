/* SPDX-License-Identifier: BSD-3-Clause */
/* The levels that this machine can run: see tile/choose.c. */
#ifndef STATFAST_CHOOSE_H
#define STATFAST_CHOOSE_H
#include "tile/table.h"
enum { MAX_LEVELS = 5 };
int usable_levels(const kernels **found);
#endif
