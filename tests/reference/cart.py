# SPDX-License-Identifier: BSD-3-Clause
"""Trees the slow way: every split of every column, in exact fractions or in plain numpy."""

from fractions import Fraction
from math import log2

import numpy as np


def impurity(criterion, weights, targets):
    """Impurity times weight, of classes (codes) or of numbers; fractions where it can be."""
    total = sum(weights)
    if total == 0:
        return 0
    if criterion == "squared_error":
        mean = sum(w * y for w, y in zip(weights, targets, strict=True)) / total
        return sum(w * (y - mean) ** 2 for w, y in zip(weights, targets, strict=True))
    mass = {}
    for w, y in zip(weights, targets, strict=True):
        mass[y] = mass.get(y, 0) + w
    shares = [m / total for m in mass.values()]
    if criterion == "gini":
        return total * (1 - sum(s * s for s in shares))
    if criterion == "error":
        return total * (1 - max(shares))
    return -total * sum(float(s) * log2(s) for s in shares if s)


def all_splits(column, min_leaf=1):
    """Rows on the left of each split of a column that is allowed; NaN goes to either side."""
    known = ~np.isnan(column)
    values = np.unique(column[known])
    found = []
    for cut in values[:-1]:
        left = known & (column <= cut)
        found += [left, left | ~known] if not known.all() else [left]
    if len(values) and not known.all():
        found.append(known)
    return [left for left in found if min_leaf <= left.sum() <= len(column) - min_leaf]


def best_decrease(criterion, X, weights, targets, min_leaf=1):
    """The largest decrease of impurity times weight that a split of these rows brings."""
    whole = impurity(criterion, weights, targets)
    best = None
    for column in X.T:
        for left in all_splits(column, min_leaf):
            gain = whole - sum(
                impurity(criterion, [weights[i] for i in rows], [targets[i] for i in rows])
                for rows in (np.flatnonzero(left), np.flatnonzero(~left))
            )
            best = gain if best is None or gain > best else best
    return best


def rows_of_nodes(tree, X):
    """The rows that pass each node, by walking."""
    rows = [np.zeros(0, int)] * tree.node_count
    rows[0] = np.arange(len(X))
    for node in range(tree.node_count):
        if tree.children_left[node] < 0:
            continue
        x = X[rows[node], tree.feature[node]].astype(np.float64)
        left = (x <= tree.threshold[node]) | (np.isnan(x) & bool(tree.missing_go_to_left[node]))
        rows[tree.children_left[node]] = rows[node][left]
        rows[tree.children_right[node]] = rows[node][~left]
    return rows


def fractions_of(numbers):
    return [Fraction(float(x)) for x in numbers]


# ------------------------------------------------------------------ larger ones, in numpy
def sums_of(criterion, targets, classes):
    """Columns whose sums decide: class indicators, or the targets."""
    return np.eye(classes)[targets] if criterion != "squared_error" else targets[:, None]


def gain_of_sums(criterion, left, right, nl, nr):
    """What the two sides earn, up to what does not depend on the split."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if criterion in ("gini", "squared_error"):
            return (left**2).sum(-1) / nl + (right**2).sum(-1) / nr
        if criterion == "error":
            return left.max(-1) + right.max(-1)

        def part(sums, n):
            return np.where(sums > 0, sums * np.log2(sums / n[..., None]), 0).sum(-1)

        return part(left, nl) + part(right, nr)


def best_gain(criterion, X, weights, targets, classes, min_leaf=1):
    """The best of all splits of known values, by sorting each column."""
    sums = sums_of(criterion, targets - (targets.mean() if classes == 0 else 0), classes)
    sums = sums * weights[:, None]
    best = -np.inf
    for column in X.T:
        order = np.argsort(column, kind="stable")
        left, nl = np.cumsum(sums[order], axis=0)[:-1], np.cumsum(weights[order])[:-1]
        gain = gain_of_sums(criterion, left, sums.sum(0) - left, nl, weights.sum() - nl)
        count = np.arange(1, len(column))
        allowed = (column[order][1:] > column[order][:-1]) & (count >= min_leaf)
        allowed &= len(column) - count >= min_leaf
        best = max(best, gain[allowed].max(initial=-np.inf))
    return best


def gain_of_split(criterion, left, weights, targets, classes):
    sums = sums_of(criterion, targets - (targets.mean() if classes == 0 else 0), classes)
    sums = sums * weights[:, None]
    one, other = sums[left].sum(0), sums[~left].sum(0)
    return gain_of_sums(criterion, one, other, weights[left].sum(), weights[~left].sum())
