# SPDX-License-Identifier: BSD-3-Clause
"""Agglomeration by its definition: the nearest two clusters, one pair after the other, O(n^3)."""

import numpy as np


def distance(method, table, squares, a, b):
    """The dissimilarity of two clusters, lists of points, where that is one of their points."""
    pairs = table[np.ix_(a, b)]
    if method == "single":
        return pairs.min()
    if method == "complete":
        return pairs.max()
    if method == "average":
        return pairs.mean()
    # Between means: the mean square between less half those within.
    apart = squares[np.ix_(a, b)].mean()
    apart -= (squares[np.ix_(a, a)].mean() + squares[np.ix_(b, b)].mean()) / 2
    if method == "ward":
        apart *= 2 * len(a) * len(b) / (len(a) + len(b))
    return np.sqrt(max(apart, 0.0))


def linkage(table, method):
    """Z of a square matrix; all methods but weighted and median, whose clusters have a history."""
    table = np.asarray(table, float)
    clusters = {i: [i] for i in range(len(table))}
    Z = []
    while len(clusters) > 1:
        names = sorted(clusters)
        height, a, b = min(
            (distance(method, table, table**2, clusters[a], clusters[b]), a, b)
            for at, a in enumerate(names)
            for b in names[at + 1 :]
        )
        union = clusters.pop(a) + clusters.pop(b)
        clusters[len(table) + len(Z)] = union
        Z.append((a, b, height, len(union)))
    return np.array(Z)


def minimum_spanning_tree(table):
    """The lengths of its edges, rising, by Prim's algorithm."""
    table = np.asarray(table, float)
    inside, lengths = {0}, []
    while len(inside) < len(table):
        outside = [i for i in range(len(table)) if i not in inside]
        block = table[np.ix_(sorted(inside), outside)]
        lengths.append(block.min())
        inside.add(outside[int(block.min(axis=0).argmin())])
    return np.sort(lengths)


def cut(Z, n_clusters):
    """Labels after the first n - n_clusters merges, numbered by their first points."""
    n = len(Z) + 1
    members = [{i} for i in range(n)]
    for a, b, *_ in Z[: n - n_clusters]:
        members.append(members[int(a)] | members[int(b)])
    owner = np.empty(n, int)
    for i in range(n):
        owner[i] = max(k for k in range(2 * n - n_clusters) if i in members[k])
    _, first, labels = np.unique(owner, return_index=True, return_inverse=True)
    rank = np.empty(len(first), int)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[labels]


def cophenetic(Z):
    """The height at which each pair is first together, as a square matrix."""
    n = len(Z) + 1
    members = [[i] for i in range(n)]
    out = np.zeros((n, n))
    for a, b, height, _ in Z:
        one, other = members[int(a)], members[int(b)]
        out[np.ix_(one, other)] = height
        out[np.ix_(other, one)] = height
        members.append(one + other)
    return out


def genie(edges, lengths, threshold):
    """Genie's merges along a spanning tree whose edges rise, by its definition."""
    edges = [(int(i), int(j), float(h)) for (i, j), h in zip(edges, lengths, strict=True)]
    n = len(edges) + 1
    cluster, size, Z = list(range(n)), [1] * n, []
    while edges:
        names = sorted(set(cluster))
        sizes = np.array([size[c] for c in names])
        differences = np.abs(sizes[:, None] - sizes).sum() / 2
        taken = 0
        if differences / (n * (len(names) - 1)) > threshold:
            taken = next(
                e
                for e, (i, j, _) in enumerate(edges)
                if sizes.min() in (size[cluster[i]], size[cluster[j]])
            )
        i, j, height = edges.pop(taken)
        a, b = sorted((cluster[i], cluster[j]))
        size.append(size[a] + size[b])
        Z.append([a, b, height, size[-1]])
        cluster = [len(size) - 1 if c in (a, b) else c for c in cluster]
    return np.array(Z)
