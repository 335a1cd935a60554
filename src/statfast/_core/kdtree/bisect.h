/* SPDX-License-Identifier: BSD-3-Clause */
/* A cut between numbers by bisection, whose counts are straight vector code; a selection would
   mispredict its branches. */

/* The number of x[:m] that are <= cut. */
static ptrdiff_t V(up_to)(const REAL *x, ptrdiff_t m, REAL cut) {
    V(int) count = 0;
    for (ptrdiff_t i = 0; i < m; i++) count += x[i] <= cut;
    return (ptrdiff_t)count;
}

/* A number c such that |{x <= c}| is between r and r + slack, by bisection of (low, high]. NaN if
   there is none, because of ties, or if it takes too many steps, as for values of very different
   scales. */
static REAL V(bisect)(const REAL *x, ptrdiff_t m, ptrdiff_t r, ptrdiff_t slack, REAL low,
                      REAL high) {
    for (int round = 0; round < 40; round++) {
        const REAL middle = low / 2 + high / 2;
        const ptrdiff_t below = V(up_to)(x, m, middle);
        if (below < r) low = middle;
        else if (below > r + slack) high = middle;
        else return middle;
        if (!(low < high)) break;
    }
    return (REAL)NAN;
}
