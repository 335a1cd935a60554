/* SPDX-License-Identifier: BSD-3-Clause */
/* Packing of lanes without instructions for it; vec_scalar.h describes the words. */

#define WORDS_KEEP(T, NAME, NUMBER, LANES_)                                                      \
    static inline void T##_keep##NAME(NUMBER *to, unsigned bits, const NUMBER *from) {             \
        ptrdiff_t at = 0;                                                                          \
        NUMBER packed[LANES_];                                                                     \
        for (int l = 0; l < LANES_; l++) {                                                         \
            packed[at] = from[l];                                                                  \
            at += bits >> l & 1;                                                                   \
        }                                                                                          \
        memcpy(to, packed, sizeof packed);                                                         \
    }                                                                                              \
    static inline void T##_keep_only##NAME(NUMBER *to, unsigned bits, const NUMBER *from) {        \
        for (; bits; bits &= bits - 1) *to++ = from[LOWEST_BIT(bits)];                             \
    }
WORDS_KEEP(f32, , float, F32_LANES)
WORDS_KEEP(f32, _id, int32_t, F32_LANES)
WORDS_KEEP(f64, , double, F64_LANES)
WORDS_KEEP(f64, _id, int32_t, F64_LANES)
#undef WORDS_KEEP

/* The place of the smallest of the 8 numbers at x whose bit is set; the first of equals. */
static inline int f64_place_of_least(const double *x, unsigned bits) {
    int place = LOWEST_BIT(bits);
    for (bits &= bits - 1; bits; bits &= bits - 1) {
        const int other = LOWEST_BIT(bits);
        place = x[other] < x[place] ? other : place;
    }
    return place;
}
