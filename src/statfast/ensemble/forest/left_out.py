# SPDX-License-Identifier: BSD-3-Clause
"""Out-of-bag predictions: what trees say of rows that they have not seen."""

import numpy as np

from statfast._core.cart import walk
from statfast._engine import checkpoint, each, grid


def left_out_sums(trees, rows, unseen, n_jobs=None):
    """The mean over trees that have not seen a row, (n, channels); NaN where all have.

    Trees add in their order, for blocks of rows: the same bits for any number of threads.
    """
    n, channels = len(rows), trees[0].values.shape[1]
    total, count = np.zeros((n, channels)), np.zeros(n, np.int32)

    def work(part):
        block, own, seen = np.ascontiguousarray(rows[part]), total[part], count[part]
        for tree, out in zip(trees, unseen, strict=True):
            walk.add_some(tree.nodes, tree.values, block, np.flatnonzero(out[part]), own, seen)
            checkpoint()

    each(work, grid(n, 64, 4096), n_jobs=n_jobs, effort=20.0 * n * len(trees))
    with np.errstate(invalid="ignore"):
        return np.where(count[:, None] > 0, total / count[:, None], np.nan)


def left_out_errors(trees, rows, unseen, loss, truth):
    """The loss of the first 1, 2, ... trees on rows that some of them have not seen; NaN on none.

    Sums grow tree by tree, in the order of `left_out_sums`.
    """
    n, channels = len(rows), trees[0].values.shape[1]
    total, count = np.zeros((n, channels)), np.zeros(n, np.int32)
    parts, errors = grid(n, 64, 4096), np.full(len(trees), np.nan)
    for t, (tree, out) in enumerate(zip(trees, unseen, strict=True)):
        for part in parts:
            block = np.ascontiguousarray(rows[part])
            walk.add_some(
                tree.nodes, tree.values, block, np.flatnonzero(out[part]), total[part], count[part]
            )
            checkpoint()
        known = count > 0
        if known.any():
            errors[t] = loss(total[known] / count[known, None], truth[known])
    return errors
