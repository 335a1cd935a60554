/* SPDX-License-Identifier: BSD-3-Clause */
/* Qualities of subgroups, and the tight bounds of those of their parts (W. Kloesgen 1996; H.
   Grosskreutz, S. Rueping and S. Wrobel 2008, doi:10.1007/978-3-540-87479-9_47; S. Morishita and J.
   Sese 2000, doi:10.1145/335168.335226, for chi-squared). */
#ifndef STATFAST_SUBGROUP_QUALITY_H
#define STATFAST_SUBGROUP_QUALITY_H

#include <math.h>

#include "patterns/subgroup_search_table.h"

#define CHI_SQUARED 1
#define WHOLE (1.0 - 1e-9) /* as a share of the total weight: of all rows but for rounding */

typedef struct {
    int kind, both, nominal;                /* CHI_SQUARED or a power of the size; both directions */
    double total, share, exponent, scale;   /* weight of all rows, share of the target in them */
} subgroup_measure;

static inline double power_of(double x, double exponent) {
    if (exponent == 1.0) return x;
    return exponent == 0.5 ? sqrt(x) : pow(x, exponent);
}

/* Of a nominal target: `weight` of the rows, of which `target`. */
static inline double nominal_quality(const subgroup_measure *m, double weight, double target) {
    const double size = weight / m->total;
    double gain = target / weight - m->share;
    if (m->both) gain = fabs(gain);
    if (m->kind != CHI_SQUARED) return m->scale * power_of(size, m->exponent) * gain;
    if (size >= WHOLE) return 0.0;
    return gain * fabs(gain) * m->total * size / ((1.0 - size) * m->share * (1.0 - m->share));
}

static inline double subgroup_quality(const subgroup_measure *m, const subgroup_sums *s) {
    if (m->nominal) return nominal_quality(m, s->weight, s->sum);
    const double gain = m->scale * power_of(s->weight / m->total, m->exponent) * s->sum / s->weight;
    return m->both ? fabs(gain) : gain;
}

/* The quality of the best part of the rows: those of the target alone, or the others alone; of
   numbers, the most extreme ones. */
static inline double subgroup_bound(const subgroup_measure *m, const subgroup_sums *s) {
    if (!m->nominal)
        return m->scale * fmax(s->high, s->low) * pow(m->total, -m->exponent);
    const double rest = s->weight - s->sum;
    double bound = -INFINITY;
    if (s->sum > 0.0) bound = nominal_quality(m, s->sum, s->sum);
    if (m->both && rest > 0.0) bound = fmax(bound, nominal_quality(m, rest, 0.0));
    return bound;
}

#endif
