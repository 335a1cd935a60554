# SPDX-License-Identifier: BSD-3-Clause
"""Rows of levels in which every two levels of every two factors stand together at least once.

Greedy, as in D. M. Cohen et al., The AETG system (1997, doi:10.1109/32.605761): a row starts from a
pair that is not covered yet, and each further factor takes the level that covers most.
"""

import numpy as np

N_CANDIDATES = 3  # rows that are tried for each that is taken


def covering_rows(sizes, rng):
    """Yield rows of level numbers, one for each of the factors with so many levels."""
    sizes = np.asarray(sizes)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    factor = np.repeat(np.arange(len(sizes)), sizes)
    is_open = factor[:, None] != factor
    row = starts[:-1].copy()  # the first has the first level of each: defaults
    while True:
        yield row - starts[:-1]
        is_open[np.ix_(row, row)] = False
        pairs = np.flatnonzero(is_open)
        if not len(pairs):
            return
        tried = []
        for _ in range(N_CANDIDATES):
            pair = np.array(divmod(pairs[rng.integers(len(pairs))], len(factor)))
            tried.append(_row(pair, factor, starts, is_open, rng))
        row = max(tried, key=lambda made: is_open[np.ix_(made, made)].sum())


def _row(pair, factor, starts, is_open, rng):
    row = np.empty(len(starts) - 1, dtype=np.intp)
    fixed = factor[pair]
    row[fixed] = pair
    chosen = list(pair)
    for place in rng.permutation(len(row)):
        if place in fixed:
            continue
        levels = np.arange(starts[place], starts[place + 1])
        gains = is_open[np.ix_(levels, chosen)].sum(1)
        row[place] = rng.choice(levels[gains == gains.max()])
        chosen.append(row[place])
    return row


def count_pairs(sizes):
    """How many pairs of levels there are."""
    sizes = np.asarray(sizes)
    return int((sizes.sum() ** 2 - (sizes**2).sum()) // 2)
