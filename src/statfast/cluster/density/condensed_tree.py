# SPDX-License-Identifier: BSD-3-Clause
"""The condensed tree of HDBSCAN, which of its clusters are selected, and what they say of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from statfast._core.reachability import condense as kernel
from statfast._core.reachability import selection as select_kernel
from statfast._typing import Array


@dataclass(frozen=True)
class Clustering:
    """Labels, and how firmly rows belong to their cluster."""

    labels: Array
    probabilities: Array
    persistence: Array
    selected: Array  # of each cluster of the tree, the label that it is part of, or -1
    limit: float  # rows that leave the root at a density below this are not part of it


@dataclass(frozen=True)
class Selection:
    """How clusters of the tree are selected."""

    method: str
    epsilon: float
    max_cluster_size: float
    allow_single_cluster: bool


def condensed_tree(Z: Array, core: Array, weight: Array | None, min_cluster_size: int) -> Array:
    """The rows (parent, child, lambda_val, child_size) of the tree; the root is n.

    The last column of Z holds weights, `core` the core distances of points.
    """
    n = len(core)
    of_points = np.ones(n) if weight is None else weight
    size_type = np.intp if weight is None else np.float64
    fields = [
        ("parent", np.intp), ("child", np.intp), ("lambda_val", float), ("child_size", size_type),
    ]  # fmt: skip
    if n == 1:
        with np.errstate(divide="ignore"):
            row = (1, 0, np.divide(1.0, core[0]), of_points[0])
        return np.array([row] if of_points[0] > 1 else [], fields)
    parent, child = np.empty(3 * n, np.intp), np.empty(3 * n, np.intp)
    value = np.empty(3 * n)  # of n points, and of clusters: where points are heavy, 2 n - 2
    count, clusters = kernel.condense(
        Z, of_points, core, float(min_cluster_size), parent, child, value,
        np.full(2 * n - 1, -1), np.empty(4 * n, np.intp),
    )  # fmt: skip
    parent, child = parent[:count], child[:count]
    tree = np.empty(count, fields)
    tree["parent"], tree["child"], tree["lambda_val"] = parent, child, value[:count]
    is_point = child < n
    size = np.empty(count)
    size[is_point] = of_points[child[is_point]]
    total = np.bincount(parent[is_point] - n, size[is_point], clusters)
    mother = np.full(clusters, -1)
    mother[child[~is_point] - n] = parent[~is_point] - n
    select_kernel.add_up(mother, total, np.zeros(clusters))
    size[~is_point] = total[child[~is_point] - n]
    tree["child_size"] = size
    return tree


class Clusters:
    """The clusters of a condensed tree, numbered from 0, the root.

    Attributes
    ----------
    parent, birth, death, size, stability : ndarray of shape (count,)
        The cluster that each is part of (-1: the root), the densities at which it begins and at
        which its last rows leave it, its weight, and its excess of mass.
    cluster, level : ndarray of shape (n,)
        The cluster of each row, and the density at which the row leaves it.
    """

    def __init__(self, tree: Array, n: int) -> None:
        self.n = n
        mother, child = tree["parent"] - n, tree["child"]
        value, weight = tree["lambda_val"].copy(), tree["child_size"].astype(float)
        is_point = child < n
        rows, splits = child[is_point], np.flatnonzero(~is_point)
        clusters = child[splits] - n
        self.count = count = len(splits) + 1
        self.parent, self.birth = np.full(count, -1), np.zeros(count)
        self.parent[clusters], self.birth[clusters] = mother[splits], value[splits]
        self.cluster, self.level, self.weight = np.zeros(n, np.intp), np.zeros(n), np.ones(n)
        self.cluster[rows], self.level[rows] = mother[is_point], value[is_point]
        self.weight[rows] = weight[is_point]
        self.size = np.zeros(count)
        self.size[0], self.size[clusters] = self.weight.sum(), weight[splits]
        self.death = np.zeros(count)
        np.maximum.at(self.death, mother, value)
        with np.errstate(invalid="ignore", over="ignore"):
            excess = (value - self.birth[mother]) * weight
        excess[np.isnan(excess)] = 0.0  # of infinite densities
        self.stability = np.bincount(mother, excess, count).astype(float)
        self.top = float(value.max(initial=0.0))

    def select(self, by: Selection) -> tuple[Array, Array]:
        """Marks of the clusters that are selected, and the one that each cluster is part of."""
        chosen = np.zeros(self.count, np.uint8)
        if by.method == "leaf":
            chosen[:] = 1
            chosen[self.parent[1:]] = 0
            chosen[0] &= by.allow_single_cluster
        else:
            select_kernel.excess_of_mass(
                self.parent, self.size, by.max_cluster_size, 0 if by.allow_single_cluster else 1,
                self.stability.copy(), np.zeros(self.count), chosen,
            )  # fmt: skip
        selected = np.empty(self.count, np.intp)
        select_kernel.inherit(self.parent, chosen, selected)
        if by.epsilon > 0.0 and not chosen[0]:
            with np.errstate(divide="ignore"):
                radius = 1.0 / self.birth
            merged = np.zeros(self.count, np.uint8)
            select_kernel.merge_close(
                self.parent, radius, by.epsilon, by.allow_single_cluster, chosen, merged
            )
            chosen = merged
            select_kernel.inherit(self.parent, chosen, selected)
        return chosen.astype(bool), selected

    def clustering(self, by: Selection) -> Clustering:
        """The labels of points; clusters are numbered in the order of their first points."""
        chosen, selected = self.select(by)
        cluster = selected[self.cluster]
        limit = 0.0
        if chosen[0]:
            limit = 1.0 / by.epsilon if by.epsilon > 0.0 else self.death[0]
            cluster[(self.level < limit) | (self.level == 0.0)] = -1
        first = np.full(self.count + 1, self.n)  # the last is that of no cluster, -1
        first[cluster[::-1]] = np.arange(self.n)[::-1]
        found = np.flatnonzero(first[:-1] < self.n)
        order = found[np.argsort(first[found])]
        name = np.full(self.count + 1, -1)
        name[order] = np.arange(len(order))
        labels = name[cluster]
        probabilities = self.shares(cluster, self.level)
        persistence = np.ones(len(order))
        weight = np.bincount(labels[labels >= 0], self.weight[labels >= 0], len(order))
        if 0.0 < self.top < np.inf:
            persistence = self.stability[order] / (weight * self.top)
        return Clustering(labels, probabilities, persistence, name[selected], limit)

    def shares(self, cluster: Array, level: Array) -> Array:
        """How far a density reaches into a cluster, from 0 to 1; 0 where the cluster is -1."""
        death = np.where(cluster >= 0, self.death[cluster], 1.0)
        finite = np.isfinite(level) & (death > 0)
        share = np.ones(len(level))
        share[finite] = np.minimum(level[finite], death[finite]) / death[finite]
        share[cluster < 0] = 0.0
        return share

    def exemplars(self, selected: Array, count: int) -> list[Array]:
        """Of each selected cluster, the rows that leave its leaves last."""
        leaf = np.ones(self.count, bool)
        leaf[self.parent[1:]] = False
        label = selected[self.cluster]
        densest = leaf[self.cluster] & (self.level == self.death[self.cluster]) & (label >= 0)
        rows = np.flatnonzero(densest)
        return [rows[label[rows] == name] for name in range(count)]

    def outlier_scores(self) -> Array:
        """GLOSH: how far below the densest point of its cluster's region a point leaves it."""
        death = self.death.copy()
        select_kernel.add_up(self.parent, np.zeros(self.count), death)
        limit = death[self.cluster]
        with np.errstate(invalid="ignore", divide="ignore"):
            score = (limit - self.level) / limit
        score[np.isinf(limit) & np.isfinite(self.level)] = 1.0
        return np.nan_to_num(score)


def select_clusters(
    Z: Array, core: Array, weight: Array | None, min_cluster_size: int, by: Selection
) -> tuple[Array, Clusters, Clustering]:
    """The condensed tree of merges, its clusters, and those that are selected."""
    tree = condensed_tree(Z, core, weight, min_cluster_size)
    clusters = Clusters(tree, len(core))
    return tree, clusters, clusters.clustering(by)


def clusters_at(Z: Array, core: Array, weight: Array | None, cut: float, least: float) -> Array:
    """The labels of points that merges up to a height join; groups below a weight are noise."""
    n = len(core)
    below = int(np.searchsorted(Z[:, 2], cut, side="right"))
    root = np.arange(n + below)
    for i in range(below - 1, -1, -1):
        root[Z[i, :2].astype(np.intp)] = root[n + i]
    _, first, group, count = np.unique(
        root[:n], return_index=True, return_inverse=True, return_counts=True
    )
    group = group.reshape(-1)
    size = count if weight is None else np.bincount(group, weight)
    size = np.where((count == 1) & (core[first] > cut), 1, size)
    large = np.flatnonzero(size >= least)
    name = np.full(len(size), -1)
    name[large[np.argsort(first[large])]] = np.arange(len(large))
    return name[group]
