# SPDX-License-Identifier: BSD-3-Clause
"""A boosted tree grown leaf by leaf, in plain numpy: every candidate of every leaf is tried."""

import numpy as np


def grow(codes, g, h, *, max_leaf_nodes, min_samples_leaf, l2=0.0, missing=255, monotone=None):
    """The value that the tree gives each row; codes (n, p), `missing` marks missing values."""
    n, p = codes.shape
    monotone = np.zeros(p) if monotone is None else monotone
    leaves = [(np.arange(n), 0.0, -np.inf, np.inf)]
    while len(leaves) < max_leaf_nodes:
        found = [
            best_split(codes, g, h, leaf, min_samples_leaf, l2, missing, monotone)
            for leaf in leaves
        ]
        best = max(range(len(leaves)), key=lambda k: found[k][0])
        if not found[best][0] > 0.0:
            break
        _, j, goes, low, high = found[best]
        rows, _, lower, upper = leaves.pop(best)
        middle = (low + high) / 2
        left, right = (lower, upper), (lower, upper)
        if monotone[j] > 0:
            left, right = (lower, middle), (middle, upper)
        if monotone[j] < 0:
            left, right = (middle, upper), (lower, middle)
        leaves += [(rows[goes], low, *left), (rows[~goes], high, *right)]
    out = np.empty(n)
    for rows, value, *_ in leaves:
        out[rows] = value
    return out


def best_split(codes, g, h, leaf, least, l2, missing, monotone):
    rows, parent, lower, upper = leaf
    best = (0.0, None, None, None, None)
    for j in range(codes.shape[1]):
        c = codes[rows, j]
        lost = c == missing
        for left_too in (False, True) if lost.any() else (False,):
            for cut in range(codes[:, j][codes[:, j] != missing].max() + 1):
                goes = (c <= cut) & ~lost | (lost & left_too)
                if min(goes.sum(), (~goes).sum()) < least:
                    continue
                sums = [(g[rows[s]].sum(), h[rows[s]].sum()) for s in (goes, ~goes)]
                if min(sums[0][1], sums[1][1]) < 1e-3:
                    continue
                low, high = (np.clip(-a / (b + l2), lower, upper) for a, b in sums)
                if monotone[j] * (high - low) < 0:
                    continue
                gain = parent * g[rows].sum() - sums[0][0] * low - sums[1][0] * high
                if gain > best[0] * (1 + 1e-12):
                    best = (gain, j, goes, low, high)
    return best
