/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of steps in a heap, the cheapest on top: see hashing/probing_sequence.pxd. */
#ifndef STATFAST_STEP_SET_H
#define STATFAST_STEP_SET_H

#include <stdint.h>

#include "order/heap.h"

typedef struct {
    float cost;
    int32_t last;    /* its last step */
    uint64_t before; /* parts moved by the steps before */
    uint64_t move;   /* of all steps */
} step_set;

#define STEP_SET_ABOVE(context, a, b) ((a)->cost < (b)->cost)
DEFINE_HEAP(step_set, step_set, const void *, STEP_SET_ABOVE)
#undef STEP_SET_ABOVE

#endif
