/* SPDX-License-Identifier: BSD-3-Clause */
/* A point as the boxes of a k-d tree see it, where they enclose turned points (../../_kd_turn.py). */
#ifndef STATFAST_KDTURN_H
#define STATFAST_KDTURN_H

#include "compiler.h"

#define KD_TURNED 64     /* columns at most */
#define KD_SHORT 0x1p-34 /* what squares of turned distances fall short by, at most: twice 2^-36 and
                            its square, and their rounding */

/* z = A (q - c) for turn (d + 1, d): the centre c, then the rows of A. The order of the sums is of no
   account: what rounding does to them is allowed for. */
static NOINLINE void kd_turn(const double *turn, ptrdiff_t d, const double *q, double *z) {
    for (ptrdiff_t p = 0; p < d; p++) {
        const double *axis = turn + (p + 1) * d;
        double sum = 0;
        for (ptrdiff_t j = 0; j < d; j++) sum += axis[j] * (q[j] - turn[j]);
        z[p] = sum;
    }
}

/* The same in `room`, or q itself where boxes see points as they are. */
#define kd_seen(t, q, room) ((t)->turn ? (kd_turn((t)->turn, (t)->d, q, room), (room)) : (q))

#endif
