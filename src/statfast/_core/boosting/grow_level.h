/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction-set level of boosting/grow.pyx. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boosting/grow_table.h"
#include "boosting/histograms.h"
#include "boosting/partition.h"
#include "boosting/splits.h"
#include "boosting/grow.h"

const boosting_grow_kernels GLUE(boosting_grow_, LEVEL) = {
    .grow = grow_tree, .add_leaves = add_leaves,
};
