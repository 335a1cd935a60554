# SPDX-License-Identifier: BSD-3-Clause
"""The condensed tree of HDBSCAN, which of its clusters are selected, and what they say of rows."""

from dataclasses import dataclass

import numpy as np

from statfast._core.reachability import condense as kernel
from statfast._typing import Array

FIELDS = [("parent", np.intp), ("child", np.intp), ("lambda_val", float), ("child_size", np.intp)]


@dataclass(frozen=True)
class Clustering:
    """Labels, and how firmly rows belong to their cluster."""

    labels: Array
    probabilities: Array
    persistence: Array  # the stability of each cluster, of the largest that it could have


@dataclass(frozen=True)
class Selection:
    """How clusters of the tree are selected."""

    method: str
    epsilon: float
    max_cluster_size: float
    allow_single_cluster: bool


def condensed_tree(Z: Array, min_cluster_size: int) -> Array:
    """The rows (parent, child, lambda_val, child_size) of the tree; the root is n."""
    n = len(Z) + 1
    if n == 1:
        return np.empty(0, FIELDS)
    sizes = np.concatenate([np.ones(n), Z[:, 3]])
    parent, child = np.empty(2 * n, np.intp), np.empty(2 * n, np.intp)
    value = np.empty(2 * n)
    count, clusters = kernel.condense(
        Z, sizes, float(min_cluster_size), parent, child, value, np.full(2 * n - 1, -1),
        np.empty(4 * n, np.intp),
    )  # fmt: skip
    tree = np.empty(count, FIELDS)
    tree["parent"], tree["child"] = parent[:count], child[:count]
    tree["lambda_val"] = value[:count]
    # Points below a cluster are counted from the last cluster on, as children have higher numbers.
    points = np.bincount(parent[:count][child[:count] < n] - n, minlength=clusters)
    split = tree[tree["child"] >= n]
    for row in split[::-1]:
        points[row["parent"] - n] += points[row["child"] - n]
    tree["child_size"] = np.where(child[:count] < n, 1, points[np.maximum(child[:count] - n, 0)])
    return tree


class Clusters:
    """The clusters of a condensed tree, numbered from 0, the root."""

    def __init__(self, tree: Array, n: int) -> None:
        self.tree, self.n = tree, n
        self.of_points = tree[tree["child"] < n]
        split = tree[tree["child"] >= n]
        self.count = count = len(split) + 1
        self.parent = np.full(count, -1)
        self.birth, self.size = np.zeros(count), np.full(count, n)
        self.parent[split["child"] - n] = split["parent"] - n
        self.birth[split["child"] - n] = split["lambda_val"]
        self.size[split["child"] - n] = split["child_size"]
        self.death = np.zeros(count)
        np.maximum.at(self.death, tree["parent"] - n, tree["lambda_val"])
        mother = tree["parent"] - n
        with np.errstate(invalid="ignore"):
            excess = (tree["lambda_val"] - self.birth[mother]) * tree["child_size"]
        self.stability = np.bincount(mother, np.nan_to_num(excess, nan=0.0, posinf=np.inf), count)

    def select(self, by: Selection) -> Array:
        """Marks of the clusters that are selected."""
        leaf = np.ones(self.count, bool)
        leaf[self.parent[1:]] = False
        if by.method == "leaf":
            chosen = leaf
            if self.count == 1:
                chosen = np.array([by.allow_single_cluster])
            if by.epsilon > 0.0 and self.count > 1:
                chosen = self._above(chosen, by)
            return chosen
        chosen = self._excess_of_mass(by)
        if by.epsilon > 0.0 and self.count > 1 and not chosen[0]:
            chosen = self._above(chosen, by)
        return chosen

    def _excess_of_mass(self, by: Selection) -> Array:
        best, below = self.stability.copy(), np.zeros(self.count)
        own = np.ones(self.count, bool)
        first = 0 if by.allow_single_cluster else 1
        own[:first] = False
        for c in range(self.count - 1, first - 1, -1):
            if below[c] > best[c] or self.size[c] > by.max_cluster_size:
                best[c], own[c] = below[c], False
            if c:
                below[self.parent[c]] += best[c]
        return self._topmost(own)

    def _topmost(self, chosen: Array) -> Array:
        """Clusters that are chosen and below no other chosen one."""
        covered = np.zeros(self.count, bool)
        for c in range(1, self.count):
            covered[c] = covered[self.parent[c]] or chosen[self.parent[c]]
        return chosen & ~covered

    def _above(self, chosen: Array, by: Selection) -> Array:
        """In the place of clusters that split off below epsilon, those they are part of there."""
        with np.errstate(divide="ignore"):
            radius = 1.0 / self.birth
        out = np.zeros(self.count, bool)
        for c in np.flatnonzero(chosen):
            if radius[c] < by.epsilon:
                while radius[c] <= by.epsilon:
                    mother = self.parent[c]
                    if mother == 0:
                        c = 0 if by.allow_single_cluster else c
                        break
                    c = mother
            out[c] = True
        return self._topmost(out)

    def clustering(self, chosen: Array, by: Selection) -> Clustering:
        """The labels of points; clusters are numbered in the order of their first points."""
        n = self.n
        of = np.where(chosen, np.arange(self.count), -1)
        for c in range(1, self.count):
            of[c] = c if chosen[c] else of[self.parent[c]]
        points, mother = self.of_points["child"], self.of_points["parent"] - n
        value = self.of_points["lambda_val"]
        cluster, level = np.full(n, -1), np.zeros(n)
        cluster[points], level[points] = of[mother], value
        if chosen[0]:
            least = 1.0 / by.epsilon if by.epsilon > 0.0 else self.death[0]
            cluster[level < least] = -1
        names, first = np.unique(cluster, return_index=True)
        order = names[names >= 0][np.argsort(first[names >= 0])]
        name = np.full(self.count + 1, -1)
        name[order] = np.arange(len(order))
        labels = name[cluster]
        death = np.where(cluster >= 0, self.death[cluster], 1.0)
        finite = np.isfinite(level) & (death > 0)
        probabilities = np.ones(n)
        with np.errstate(invalid="ignore"):
            share = np.minimum(level, death) / death
        probabilities[finite] = share[finite]
        probabilities[labels < 0] = 0.0
        top = self.tree["lambda_val"].max(initial=0.0)
        span = self.size[order] * (top - self.birth[order])
        with np.errstate(invalid="ignore", divide="ignore"):
            persistence = np.where(
                np.isfinite(span) & (span > 0), self.stability[order] / span, 1.0
            )
        return Clustering(labels, probabilities, persistence)

    def outlier_scores(self) -> Array:
        """GLOSH: how far below the densest point of its cluster's region a point leaves it."""
        death = self.death.copy()
        for c in range(self.count - 1, 0, -1):
            death[self.parent[c]] = max(death[self.parent[c]], death[c])
        scores = np.zeros(self.n)
        limit = death[self.of_points["parent"] - self.n]
        level = self.of_points["lambda_val"]
        with np.errstate(invalid="ignore", divide="ignore"):
            score = (limit - level) / limit
        score = np.where(np.isinf(limit) & np.isfinite(level), 1.0, score)
        scores[self.of_points["child"]] = np.nan_to_num(score)
        return scores
