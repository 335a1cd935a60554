/* SPDX-License-Identifier: BSD-3-Clause */
/* build: small */
/* One instruction-set level of boosting/stump.pyx. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boosting/stump_table.h"
#include "boosting/histograms.h"
#include "boosting/stump.h"

const boosting_stump_kernels GLUE(boosting_stump_, LEVEL) = {.best = best_stump};
