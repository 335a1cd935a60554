/* SPDX-License-Identifier: BSD-3-Clause */
/* Squared distances estimated from sketches of one cache line: 480 signs of projections and a
   length.  Two vectors at the angle t differ in a sign with probability t / pi (Goemans &
   Williamson 1995, doi:10.1145/227683.227684; as a filter of candidates: Aumueller, Christiani,
   Pagh & Vesterli 2019, doi:10.4230/LIPIcs.ESA.2019.10). */

#if defined(STATFAST_VECTORS)
#define ONES(x) __builtin_popcountll(x)
#else
static INLINE int ones(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    return (int)(((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}
#define ONES(x) ones(x)
#endif

/* out[i] = about |q - x|^2 of the sketch x = records[pick[i]]; cosine[h] is that of the angle
   pi h / 480. The last word of a record is 32 signs above the bits of a float. */
static void estimate(const uint64_t *q, const float *cosine, const uint64_t *records,
                     const int32_t *pick, ptrdiff_t n, float *out) {
    const uint32_t low = (uint32_t)q[7];
    float length;
    memcpy(&length, &low, sizeof length);
    for (ptrdiff_t i = 0; i < n; i++) {
        const uint64_t *x = records + 8 * (ptrdiff_t)pick[i];
        int other = ONES((q[7] ^ x[7]) >> 32);
        UNROLL for (int w = 0; w < 7; w++) other += ONES(q[w] ^ x[w]);
        const uint32_t bits = (uint32_t)x[7];
        float norm;
        memcpy(&norm, &bits, sizeof norm);
        const float e = length * length + norm * (norm - 2 * length * cosine[other]);
        out[i] = e > 0 ? e : 0;
    }
}
#undef ONES
