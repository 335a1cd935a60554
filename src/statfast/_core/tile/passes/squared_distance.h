/* SPDX-License-Identifier: BSD-3-Clause */
/* Squared distances by differences, in double: the reference order of all exact
   methods. */

#define SQUARED_DISTANCES(SRC, NAME)                                                               \
    static INLINE double squared_distance_##NAME(const double *q, const SRC *x, ptrdiff_t d) {     \
        double part[8] = {0, 0, 0, 0, 0, 0, 0, 0}, sum = 0;                                         \
        ptrdiff_t p = 0;                                                                           \
        for (; p + 8 <= d; p += 8)                                                                 \
            for (int k = 0; k < 8; k++) {                                                          \
                const double t = q[p + k] - (double)x[p + k];                                      \
                part[k] += t * t;                                                                  \
            }                                                                                      \
        for (; p < d; p++) {                                                                       \
            const double t = q[p] - (double)x[p];                                                  \
            sum += t * t;                                                                          \
        }                                                                                          \
        return sum + (((part[0] + part[1]) + (part[2] + part[3]))                                  \
                      + ((part[4] + part[5]) + (part[6] + part[7])));                              \
    }
SQUARED_DISTANCES(double, f64)
SQUARED_DISTANCES(float, f32)
SQUARED_DISTANCES(uint8_t, u8)
#undef SQUARED_DISTANCES
