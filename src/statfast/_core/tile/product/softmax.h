/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector code without tiles: softmax down the columns of a panel, elementary functions over an
   array, and the loop that measures the peak of multiply-adds of the machine. */

#define NR (2 * LANES)

/* s[c * NR + l], the scores of class c, become the posteriors of point l. */
static void V(softmax)(REAL *s, ptrdiff_t classes) {
    for (int half = 0; half < NR; half += LANES, s += LANES) {
        V(v) top = V(load)(s), sum = V(set1)(0);
        for (ptrdiff_t c = 1; c < classes; c++) top = V(max)(top, V(load)(s + c * NR));
        for (ptrdiff_t c = 0; c < classes; c++) {
            const V(v) e = V(exp)(V(load)(s + c * NR) - top);
            V(store)(s + c * NR, e);
            sum = sum + e;
        }
        const V(v) rate = V(set1)(1) / sum;
        for (ptrdiff_t c = 0; c < classes; c++) V(store)(s + c * NR, V(load)(s + c * NR) * rate);
    }
}

#define MAP(FUNCTION)                                               \
    for (; i + LANES <= n; i += LANES)                              \
        V(store)(out + i, V(FUNCTION)(V(load)(x + i)));             \
    V(store)(tail, V(FUNCTION)(V(load)(tail)));                     \
    break

static void V(map)(int function, const REAL *x, ptrdiff_t n, REAL *out) {
    const ptrdiff_t rest = n % LANES;
    REAL tail[LANES] = {0};
    memcpy(tail, x + (n - rest), (size_t)rest * sizeof(REAL));
    ptrdiff_t i = 0;
    switch (function) {
        case MAP_EXP: MAP(exp);
        case MAP_LOG: MAP(log);
        case MAP_LOG1P: MAP(log1p);
        case MAP_SIGMOID: MAP(sigmoid);
    }
    memcpy(out + (n - rest), tail, (size_t)rest * sizeof(REAL));
}
#undef MAP

/* 2 * CHAINS * LANES flop a step in independent multiply-adds that never leave the registers. */
#define CHAINS (LANES > 4 ? 20 : 10)
static double V(multiply_adds)(ptrdiff_t steps) {
    V(v) x[CHAINS], sum = V(set1)(0);
    const V(v) rate = V(set1)((REAL)0.999), push = V(set1)((REAL)0.001);
    UNROLL for (int i = 0; i < CHAINS; i++) x[i] = V(set1)((REAL)i);
    for (ptrdiff_t s = 0; s < steps; s++)
        UNROLL for (int i = 0; i < CHAINS; i++) x[i] = V(fma)(x[i], rate, push);
    UNROLL for (int i = 0; i < CHAINS; i++) sum = sum + x[i];
    REAL lanes[LANES];
    V(store)(lanes, sum);
    KEEP(lanes[0]);
    return 2.0 * CHAINS * LANES * (double)steps;
}
#undef CHAINS

#undef NR
