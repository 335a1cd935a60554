/* SPDX-License-Identifier: BSD-3-Clause */
/* The number of features in which rows of bits differ: 64 rows side by side against two queries.

   A group holds 64 rows of `words` words of 64 bits, word by word: word w of row l at
   group[w * 64 + l], so that nothing is added across lanes. Some machines count the bits of
   a lane by an instruction (BITS_IN_LANES); for others bits are added up to bytes, as in H.
   S. Warren, "Hacker's Delight", 2nd edition 2012, section 5-1, and bytes to lanes after 31
   words, before they overflow. */

#if F64_LANES > 1
typedef uint64_t bits_v __attribute__((vector_size(8 * F64_LANES)));
#else
typedef uint64_t bits_v;
#endif
#define BITS(x) ((bits_v)f64_iset1((int64_t)(x)))
#define VECTORS_TOGETHER 4 /* vectors of rows */
#define MAX_WORDS 31

#if defined(BITS_IN_LANES)
#define BITS_IN_PARTS(x) BITS_IN_LANES(x)
#define BITS_OF_PARTS(x) (x)
#else
static INLINE bits_v bits_in_bytes(bits_v x) {
    x -= (x >> 1) & BITS(0x5555555555555555);
    x = (x & BITS(0x3333333333333333)) + ((x >> 2) & BITS(0x3333333333333333));
    return (x + (x >> 4)) & BITS(0x0f0f0f0f0f0f0f0f);
}
static INLINE bits_v bits_of_bytes(bits_v x) {
    x = (x & BITS(0x00ff00ff00ff00ff)) + ((x >> 8) & BITS(0x00ff00ff00ff00ff));
    x = (x & BITS(0x0000ffff0000ffff)) + ((x >> 16) & BITS(0x0000ffff0000ffff));
    return (x & BITS(0x00000000ffffffff)) + (x >> 32);
}
#define BITS_IN_PARTS(x) bits_in_bytes(x)
#define BITS_OF_PARTS(x) bits_of_bytes(x)
#endif

/* Whether any of 64 rows may be a neighbor: count terms[0] <= terms[1] + terms[2] size. */
static INLINE int bits_near(const int32_t *count, const float *size, const float *terms) {
    int any = 0;
    for (int l = 0; l < 64; l++)
        any |= (float)count[l] * terms[0] <= terms[1] + terms[2] * size[l];
    return any;
}

/* count[j][l] = the number of features in which row l and query j differ; bit j of the result is
   bits_near of query j. */
DIFFER(const uint64_t *queries, ptrdiff_t ldq, ptrdiff_t words, const uint64_t *group,
           const float *size, const float *terms, int32_t *count) {
    for (int h = 0; h < 64; h += VECTORS_TOGETHER * F64_LANES) {
        bits_v sum[2][VECTORS_TOGETHER];
        UNROLL for (int v = 0; v < VECTORS_TOGETHER; v++) sum[0][v] = sum[1][v] = BITS(0);
        for (ptrdiff_t from = 0; from < words; from += MAX_WORDS) {
            const ptrdiff_t to = words - from < MAX_WORDS ? words : from + MAX_WORDS;
            bits_v part[2][VECTORS_TOGETHER];
            UNROLL for (int v = 0; v < VECTORS_TOGETHER; v++) part[0][v] = part[1][v] = BITS(0);
            for (ptrdiff_t w = from; w < to; w++) {
                const bits_v q0 = BITS(queries[w]), q1 = BITS(queries[ldq + w]);
                UNROLL for (int v = 0; v < VECTORS_TOGETHER; v++) {
                    const int64_t *at = (const int64_t *)group + w * 64 + h + v * F64_LANES;
                    const bits_v x = (bits_v)f64_iload(at);
                    part[0][v] += BITS_IN_PARTS(x ^ q0);
                    part[1][v] += BITS_IN_PARTS(x ^ q1);
                }
            }
            UNROLL for (int v = 0; v < VECTORS_TOGETHER; v++) {
                sum[0][v] += BITS_OF_PARTS(part[0][v]);
                sum[1][v] += BITS_OF_PARTS(part[1][v]);
            }
        }
        UNROLL for (int j = 0; j < 2; j++) {
            int64_t lane[VECTORS_TOGETHER * F64_LANES];
            UNROLL for (int v = 0; v < VECTORS_TOGETHER; v++)
                f64_istore(lane + v * F64_LANES, (f64_i)sum[j][v]);
            for (int l = 0; l < VECTORS_TOGETHER * F64_LANES; l++)
                count[64 * j + h + l] = (int32_t)lane[l];
        }
    }
    return bits_near(count, size, terms) | bits_near(count + 64, size, terms + 3) << 1;
}

#undef BITS
#undef VECTORS_TOGETHER
#undef MAX_WORDS
#undef BITS_IN_PARTS
#undef BITS_OF_PARTS
