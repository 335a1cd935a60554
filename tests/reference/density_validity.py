# SPDX-License-Identifier: BSD-3-Clause
"""Density-based validity (Moulavi et al. 2014) from the whole matrix, by its definition."""

import numpy as np


def core_distances(table, d):
    """The power mean with exponent -d of the distances to the others; 0 beside an equal row."""
    m = len(table)
    core = np.zeros(m)
    for i in range(m):
        others = np.delete(table[i], i)
        if others.min() > 0:
            core[i] = np.mean((1.0 / others) ** d) ** (-1.0 / d)
    return core


def prim(lengths):
    """Edges (inside, outside, length) of the tree from row 0, the lowest rows first on ties."""
    tree, edges = [0], []
    while len(tree) < len(lengths):
        outside = [j for j in range(len(lengths)) if j not in tree]
        length, j, i = min((lengths[i, j], j, i) for i in tree for j in outside)
        edges.append((i, j, length))
        tree.append(j)
    return edges


def dbcv(table, labels, d, noise=-1):
    """The score, and the validity of each cluster."""
    names = [c for c in np.unique(labels) if c != noise]
    core, sparseness, internal = np.zeros(len(table)), {}, {}
    for c in names:
        members = np.flatnonzero(labels == c)
        if len(members) == 1:
            continue
        inner = table[np.ix_(members, members)]
        core[members] = a = core_distances(inner, d)
        edges = prim(np.maximum(np.maximum(inner, a), a[:, None]))
        degree = np.bincount([end for i, j, _ in edges for end in (i, j)], minlength=len(members))
        lengths = [length for i, j, length in edges if degree[i] > 1 and degree[j] > 1]
        sparseness[c] = max(lengths or [length for _, _, length in edges])
        internal[c] = members[degree > 1] if len(members) > 2 else members
    validity = []
    for c in names:
        if c not in internal:
            validity.append(0.0)
            continue
        separation = min(
            max(table[i, j], core[i], core[j])
            for other in internal
            if other != c
            for i in internal[c]
            for j in internal[other]
        )
        larger = max(separation, sparseness[c])
        validity.append((separation - sparseness[c]) / larger if larger > 0 else 0.0)
    share = [np.mean(labels == c) for c in names]
    return float(np.dot(validity, share)), np.array(validity)
