/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef STATFAST_CHOOSE_H
#define STATFAST_CHOOSE_H
#include "kernels.h"
enum { MOST_LEVELS = 5 };
int usable_levels(const kernels **found);
#endif
