/* SPDX-License-Identifier: BSD-3-Clause */
/* Distances (kdtree/terms.h) from a query to points, to boxes and to their farthest corners, and the
   least and largest ones between a box and boxes, of REAL numbers. */

static INLINE f64_v V(from_points)(const kd_job *job, const double *q, const REAL *x,
                                   ptrdiff_t leaf, ptrdiff_t d, const int D, const int kind) {
    SUM(f64_set1(q[p]) - WIDE(x + p * leaf))
}

static INLINE f64_v V(from_boxes)(const kd_job *job, const double *q, const REAL *box, ptrdiff_t d,
                                  const int D, const int kind) {
    SUM(f64_max(f64_max(WIDE(box + p * 2 * KD_LANES) - f64_set1(q[p]),
                          f64_set1(q[p]) - WIDE(box + p * 2 * KD_LANES + KD_LANES)),
                  f64_set1(0)))
}

static INLINE f64_v V(from_far_sides)(const kd_job *job, const double *q, const REAL *box,
                                      ptrdiff_t d, const int D, const int kind) {
    SUM(f64_max(f64_set1(q[p]) - WIDE(box + p * 2 * KD_LANES),
                WIDE(box + p * 2 * KD_LANES + KD_LANES) - f64_set1(q[p])))
}

static INLINE f64_v V(boxes_from_box)(const kd_job *job, const double *low, const double *high,
                                      const REAL *box, ptrdiff_t d, const int D, const int kind) {
    SUM(f64_max(f64_max(WIDE(box + p * 2 * KD_LANES) - f64_set1(high[p]),
                        f64_set1(low[p]) - WIDE(box + p * 2 * KD_LANES + KD_LANES)),
                f64_set1(0)))
}

static INLINE f64_v V(far_sides_from_box)(const kd_job *job, const double *low, const double *high,
                                          const REAL *box, ptrdiff_t d, const int D,
                                          const int kind) {
    SUM(f64_max(f64_set1(high[p]) - WIDE(box + p * 2 * KD_LANES),
                WIDE(box + p * 2 * KD_LANES + KD_LANES) - f64_set1(low[p])))
}
