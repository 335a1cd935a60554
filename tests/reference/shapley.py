# SPDX-License-Identifier: BSD-3-Clause
"""Shapley values by the definition: all subsets of the columns."""

from itertools import combinations
from math import factorial

import numpy as np


def values_of_game(game, p):
    """Values and interactions of ``game(set of columns)``: (p, ...), and (p, p, ...) with halves of
    the interactions off the diagonal and main effects on it."""
    answers = {
        frozenset(subset): np.asarray(game(frozenset(subset)), dtype=float)
        for size in range(p + 1)
        for subset in combinations(range(p), size)
    }
    shape = answers[frozenset()].shape
    values, pairs = np.zeros((p, *shape)), np.zeros((p, p, *shape))
    for j in range(p):
        for subset, before in answers.items():
            if j in subset:
                continue
            s = len(subset)
            weight = factorial(s) * factorial(p - s - 1) / factorial(p)
            values[j] += weight * (answers[subset | {j}] - before)
            for k in range(p):
                if k == j or k in subset:
                    continue
                weight = factorial(s) * factorial(p - s - 2) / factorial(p - 1) / 2
                both = answers[subset | {j, k}] - answers[subset | {k}]
                pairs[j, k] += weight * (both - answers[subset | {j}] + before)
    for j in range(p):
        pairs[j, j] = values[j] - pairs[j].sum(axis=0)
    return values, pairs


def mean_of_tree(tree, row, subset, node=0):
    """What a `TreeStructure` answers for a row of which some columns are known: both ways, by their
    weights, where a split asks about another one."""
    left, right = tree.children_left[node], tree.children_right[node]
    if left < 0:
        return tree.value[node].ravel()
    column = int(tree.feature[node])
    if column in subset:
        side = left if goes_left(tree, row[column], node) else right
        return mean_of_tree(tree, row, subset, side)
    weight = tree.weighted_n_node_samples
    ways = [weight[side] * mean_of_tree(tree, row, subset, side) for side in (left, right)]
    return sum(ways) / (weight[left] + weight[right])


def goes_left(tree, x, node):
    """The side of a value at a split."""
    if tree.routes is not None and tree.routes.of_sets[node]:
        to_left, to_right = tree.routes.codes(tree.threshold[node])
        if x in to_left or x in to_right:
            return x in to_left
        return bool(tree.missing_go_to_left[node])
    if np.isnan(x):
        return bool(tree.missing_go_to_left[node])
    return x <= tree.threshold[node]


def mean_of_mixtures(answers, row, background, subset):
    """The mean answer for rows of a background with some columns of a row."""
    mixed = np.array(background, dtype=float)
    mixed[:, sorted(subset)] = row[sorted(subset)]
    return np.asarray(answers(mixed)).mean(axis=0)
