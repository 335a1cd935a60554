/* SPDX-License-Identifier: BSD-3-Clause */
/* The tile in whole numbers of eight bits: four products a lane and instruction, exact sums.

   A row of numbers y (moved and scaled like all rows) is held as bytes r + 128, r = round(y / h)
   in [-128, 127]; a point x as signed bytes q = round(x / g), with a g of its own.  The product
   of the bytes is the whole number r.q + 128 sum(q).  Accumulators that start at
   offset = -128 sum(q) end at r.q exactly (255 * 128 * d < 2^31), and the score is
       s~ = (r.q) (g h) - |y|^2 / 2.
   Its error.  With rho_y = |y - h r| and rho_x = |x - g q|, measured when the bytes are made,
       |x.y - g h r.q| <= (|x| + rho_x) rho_y + rho_x |y|,
   and the few float32 roundings (of y, x, |y|^2/2, g h, r.q and of the sum) move the score by
   less than 8u (|x| |y| + |y|^2 / 2), u = 2^-24; computing bounds from it takes 4u more, as in
   tile/product/tile.h. In the terms used there
       slope = 12u |x| + rho_x,   square = 6u + delta,
       slack = delta |x|^2 + tau + 1.01 (|x| + rho_x) max rho_y.
   Rows of whole numbers from 0 to 255 have h = 1 and rho = 0: then the roundings alone remain. */

typedef int32_t words __attribute__((vector_size(4 * LANES)));

static INLINE words broadcast(const uint8_t *four) {
    int32_t word;
    memcpy(&word, four, 4);
    return V(iset1)(word);
}

/* collect of tile/product/tile.h; depth is a multiple of 4, panel[p / 4][point][p % 4] */
void COLLECT_BYTES(const uint8_t *a, ptrdiff_t lda, const float *start, const float *reach,
                   ptrdiff_t n, const int8_t *panel, ptrdiff_t depth, const int32_t *offset,
                   const float *unit, ptrdiff_t first, f32_search *s, ptrdiff_t point) {
    const words offset0 = V(iload)(offset), offset1 = V(iload)(offset + LANES);
    const V(v) unit0 = V(load)(unit), unit1 = V(load)(unit + LANES);
    for (ptrdiff_t r = 0; r < n; r += ROWS) {
        words sum[ROWS][2];
        UNROLL for (int i = 0; i < ROWS; i++) sum[i][0] = offset0, sum[i][1] = offset1;
        const uint8_t *at = a + r * lda;
        const int8_t *b = panel;
        for (ptrdiff_t p = 0; p < depth; p += 4) {
            const words b0 = V(iload)(b), b1 = V(iload)(b + 4 * LANES);
            UNROLL for (int i = 0; i < ROWS; i++) {
                const words ai = broadcast(at + i * lda);
                sum[i][0] = DOT4(sum[i][0], ai, b0);
                sum[i][1] = DOT4(sum[i][1], ai, b1);
            }
            at += 4;
            b += 8 * LANES;
        }
        V(v) acc[ROWS][2];
        UNROLL for (int i = 0; i < ROWS; i++) {
            const V(v) from = V(set1)(start[r + i]);
            acc[i][0] = V(fma)(V(toreal)(sum[i][0]), unit0, from);
            acc[i][1] = V(fma)(V(toreal)(sum[i][1]), unit1, from);
        }
        const V(v) g = V(set1)(reach[r / ROWS]);
        V(offer)(s, point, acc, V(bar)(s, point, g), V(bar)(s, point + LANES, g), first + r,
                 n - r < ROWS ? n - r : ROWS);
    }
}
