/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of decomposition/nonnegative.pyx for one instruction-set level. */
#ifndef STATFAST_NONNEGATIVE_TABLE_H
#define STATFAST_NONNEGATIVE_TABLE_H

#include <stddef.h>

#include "simd/levels.h"

typedef struct {
    /* Minimize w' G w / 2 - p' w over w >= 0 by sweeps over the k coordinates. Rows of G (k, ld)
       lie ld apart, whole vectors long and zero beyond k; so is `slope`, which is overwritten.
       `inverse` has the reciprocals of the diagonal, 0 for coordinates that are left as they are.
       Sweeps end after `most`, or at one whose violation of the optimality conditions is at most
       tol times that of the first. Returns the violation of the first sweep. */
    double (*sweep_row)(const double *gram, const double *inverse, const double *target,
                        ptrdiff_t k, ptrdiff_t ld, ptrdiff_t most, double tol, double *slope,
                        double *w);
} nonnegative_kernels;

TABLE_AT(nonnegative_kernels, nonnegative)

#endif
