# SPDX-License-Identifier: BSD-3-Clause
"""Isolation scores by the definition of Liu, Ting and Zhou (2008), row by row and tree by tree."""

from math import log

import numpy as np


def mean_splits(n):
    """c(n), the mean number of splits that isolate one of n rows."""
    if n <= 2:
        return float(n == 2)
    return 2 * (log(n - 1) + np.euler_gamma) - 2 * (n - 1) / n


def path_length(tree, row):
    """The length of the path of a row through a tree with scikit-learn's arrays."""
    node, splits = 0, 0
    while tree.children_left[node] >= 0:
        value = row[tree.feature[node]]
        missing = tree.missing_go_to_left[node]
        left = missing if np.isnan(value) else value <= tree.threshold[node]
        node = tree.children_left[node] if left else tree.children_right[node]
        splits += 1
    return splits + mean_splits(tree.weighted_n_node_samples[node])


def isolation_scores(trees, columns, X, size):
    """-2^(-d / c) of each row, with the mean path length d in trees of `size` rows."""
    if size == 1:
        return np.full(len(X), -0.5)
    lengths = [[path_length(tree, row[part]) for tree, part in zip(trees, columns, strict=True)]
               for row in X]  # fmt: skip
    return -(2.0 ** (-np.mean(lengths, axis=1) / mean_splits(size)))
