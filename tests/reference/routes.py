# SPDX-License-Identifier: BSD-3-Clause
"""Sets of categories and surrogates the slow way: all pairs of sets, all cuts, row by row; and
random splits, number by number."""

from itertools import combinations, pairwise

import numpy as np

from tests.reference.cart import impurity


def category_splits(column, min_leaf=1):
    """Rows on the left, for each pair of sets of the categories of these rows; NaN is one."""
    known = np.unique(column[~np.isnan(column)]).tolist()
    kinds = known + (["none"] if np.isnan(column).any() else [])
    own = np.array([kinds.index("none" if np.isnan(x) else x) for x in column])
    for count in range(len(kinds) - 1):
        for rest in combinations(range(1, len(kinds)), count):
            left = np.isin(own, [0, *rest])
            if min_leaf <= left.sum() <= len(column) - min_leaf:
                yield left


def best_split_of_categories(criterion, column, weights, targets, min_leaf=1):
    """The least impurity times weight that two sets of categories leave; None without any."""

    def left_over(left):
        return sum(
            impurity(criterion, [weights[i] for i in rows], [targets[i] for i in rows])
            for rows in (np.flatnonzero(left), np.flatnonzero(~left))
        )

    return min((left_over(left) for left in category_splits(column, min_leaf)), default=None)


def surrogates(column, is_categorical, side, weights):
    """(agreement, adjusted, threshold or sets, reversed) of a column; None if it does no better
    than the larger side. `side`: 0 left, 1 right, 2 not known to the split."""
    told, known = side < 2, ~np.isnan(column)
    both = told & known
    total = weights[told].sum()
    most = max(weights[told & (side == s)].sum() for s in (0, 1))
    best, found = max(weights[both & (side == s)].sum() for s in (0, 1)), None
    if is_categorical:
        goes, sets = np.full(len(column), 2), ([], [])
        larger = int(weights[both & (side == 1)].sum() > weights[both & (side == 0)].sum())
        for kind in np.unique(column[both]):
            own = both & (column == kind)
            masses = [weights[own & (side == s)].sum() for s in (0, 1)]
            to = larger if masses[0] == masses[1] else int(masses[1] > masses[0])
            goes[column == kind] = to
            sets[to].append(kind)
        if min((both & (goes == s)).sum() for s in (0, 1)) >= 2:
            best, found = weights[both & (goes == side)].sum(), (sets, False)
    else:
        values = np.unique(column[known])
        for low, high in pairwise(values):
            below = both & (column <= low)
            if below.sum() < 2 or (both & ~below).sum() < 2:
                continue
            for turned in (True, False):
                goes = np.where(below, int(turned), int(not turned))
                agree = weights[both & (goes == side)].sum()
                if agree > best:
                    best, found = agree, ((low + high) / 2, turned)
    adjusted = (best - most) / (total - most) if total > most else 0
    if found is None or adjusted <= 1e-10:
        return None
    return best / total, adjusted, *found


def best_known_decrease(criterion, X, categorical, weights, targets, min_leaf=1):
    """The largest decrease of impurity among the rows that know a column, and on which column."""
    found = []
    for j, column in enumerate(X.T):
        known = np.flatnonzero(~np.isnan(column))
        w, y, x = ([values[i] for i in known] for values in (weights, targets, column))
        x, whole, least = np.array(x), impurity(criterion, w, y), None
        if categorical[j]:
            least = best_split_of_categories(criterion, x, w, y, min_leaf)
        else:
            for cut in np.unique(x)[:-1]:
                sides = [np.flatnonzero(x <= cut), np.flatnonzero(x > cut)]
                if min(map(len, sides)) < min_leaf:
                    continue
                left = sum(impurity(criterion, [w[i] for i in s], [y[i] for i in s]) for s in sides)
                least = left if least is None else min(left, least)
        found.append(None if least is None else whole - least)
    return found


# ------------------------------------------------------------------ random splits
def mixed(x):
    """Splitmix64: a step of its state, and the mixing of it."""
    x = (x + 0x9E3779B97F4A7C15) % 2**64
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) % 2**64
    return x ^ (x >> 31)


def random_split(key, j, column, categories):
    """Rows of a node that its draw for column j sends to the left; None where all are the same.

    `categories` of the fit, ascending, or None for numbers.
    """
    draw, none = mixed((key + 0x632BE59BD9B4E019 * (j + 1)) % 2**64), np.isnan(column)
    if categories is None:
        values = np.unique(column[~none])
        if len(values) < 2:
            return ~none if len(values) and none.any() else None
        u = (draw >> 11) * 2.0**-53
        threshold = values[0] * (1 - u) + values[-1] * u
        threshold = threshold if threshold < values[-1] else values[0]
        return (column <= threshold) | (none & bool(draw & 1))
    code = [len(categories) if np.isnan(x) else categories.index(x) for x in column.tolist()]
    while len(set(code)) > 1:
        draw = mixed(draw)
        left = np.array([mixed((draw + c // 64) % 2**64) >> c % 64 & 1 for c in code], bool)
        if left.any() and not left.all():
            return left
    return None
