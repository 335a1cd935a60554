# SPDX-License-Identifier: BSD-3-Clause
"""Where new points would join the hierarchy of HDBSCAN, which stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from statfast._engine import checkpoint
from statfast._typing import Array
from statfast.cluster.density.condensed_tree import Clusters
from statfast.cluster.density.mutual_reachability import NUMBERS_AT_A_TIME, DensityRule

MIN_DENSITY_GAP = 1e-8  # in place of differences of densities that are 0
MAX_DENSITY = 1e150  # in place of infinite densities, of equal rows

# Of new points (m,), the distances (m, k) of the nearest fitted rows, rising, and which.
Nearest = Callable[[Array, int], tuple[Array, Array]]


@dataclass(frozen=True)
class Joined:
    """The fitted row that each new point joins, and the density at which it does."""

    row: Array  # (m,)
    level: Array  # (m,)

    def cluster(self, clusters: Clusters) -> Array:
        """The cluster of the tree that each point joins."""
        at = clusters.cluster[self.row]
        while True:
            above = (at > 0) & (clusters.birth[at] >= self.level)
            if not above.any():
                return at
            at = np.where(above, clusters.parent[at], at)


def join_points(find: Nearest, m: int, core: Array, density: DensityRule) -> Joined:
    """Where m new points join fitted rows of core distances `core` (n,).

    A new point joins the row at the least mutual reachability distance; of several the nearest, and
    of these the first. Rows that are not listed are no nearer than those that are.
    """
    n = len(core)
    row, height = np.empty(m, np.intp), np.empty(m)
    open_points, count = np.arange(m), min(n, max(8, 2 * density.first_count))
    without_own = replace(density, weight=np.ones(n) if density.weight is None else density.weight)
    while len(open_points):
        step, undecided = max(1, NUMBERS_AT_A_TIME // count), []
        for start in range(0, len(open_points), step):
            checkpoint()
            part = open_points[start : start + step]
            distance, ids = find(part, count)
            own = without_own.reach_of((distance, ids), np.ones(len(part)))
            beyond = np.maximum(distance[:, -1] / density.alpha, own)
            reach = np.maximum(np.maximum(distance / density.alpha, own[:, None]), core[ids])
            first = reach.argmin(axis=1)
            place = np.arange(len(part)), first
            row[part], height[part] = ids[place], reach[place]
            known = (reach[place] <= beyond) & np.isfinite(own)
            undecided.append(part[~known])
        open_points = np.concatenate(undecided) if count < n else np.empty(0, np.intp)
        count = min(n, 4 * count)
    with np.errstate(divide="ignore"):
        return Joined(row, 1.0 / height)


def labels_of_joined(
    joined: Joined, clusters: Clusters, selected: Array, limit: float
) -> tuple[Array, Array]:
    """The labels of new points, and how firmly they are part of their cluster."""
    label = selected[joined.cluster(clusters)]
    names, order = np.unique(selected, return_index=True)
    cluster = np.full(len(label), -1)
    order = order[names >= 0]
    cluster[label >= 0] = order[label[label >= 0]]
    outside = (cluster == 0) & ((joined.level < limit) | (joined.level == 0.0))
    label, cluster = np.where(outside, -1, label), np.where(outside, -1, cluster)
    return label, clusters.shares(cluster, joined.level)


def soft_memberships(joined: Joined, clusters: Clusters, order: Array, distance: Array) -> Array:
    """Of each point (m,) its memberships (m, k) in the selected clusters `order` (k,).

    `distance` (m, k) is that of the nearest of the densest rows of each cluster.
    """
    at = clusters.cluster[joined.row]
    level = np.minimum(np.minimum(joined.level, clusters.level[joined.row]), MAX_DENSITY)
    death = np.minimum(clusters.death, MAX_DENSITY)
    height = _merge_heights(clusters, at, order, level)
    score = death[at, None] / _positive(death[at, None] - height)
    score = np.exp(score - score.max(axis=1, keepdims=True))
    by_tree = score / score.sum(axis=1, keepdims=True)
    zero = distance == 0.0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        closeness = distance.min(axis=1, keepdims=True) / distance
    closeness[zero] = 1.0
    closeness[~zero & zero.any(axis=1, keepdims=True)] = 0.0
    by_distance = closeness / closeness.sum(axis=1, keepdims=True)
    member = np.sqrt(by_distance) * by_tree**2
    total = member.sum(axis=1, keepdims=True)
    member = np.divide(member, total, out=np.zeros_like(member), where=total > 0)
    highest = height.max(axis=1)
    nearest = height == highest[:, None]  # several where the point is in a cluster above them
    end = np.where(nearest, death[order], 0.0).max(axis=1)
    within = highest / (np.maximum(level, end) + MIN_DENSITY_GAP)
    return member * within[:, None]


def _positive(gap: Array) -> Array:
    return np.where(gap > 0, gap, MIN_DENSITY_GAP)


def _merge_heights(clusters: Clusters, at: Array, order: Array, level: Array) -> Array:
    """The density (m, k) at which a point of cluster `at` is one with each selected cluster: its
    own level, or that at which clusters part if it is less."""
    kinds, place = np.unique(at, return_inverse=True)
    a, b = np.broadcast_arrays(kinds[:, None], order)
    a, b = a.copy(), b.copy()
    height = np.zeros(a.shape)
    climbed = np.zeros((2, *a.shape), bool)
    while (a != b).any():
        higher, lower = np.asarray(a > b), np.asarray(b > a)
        last = np.where(higher, a, b)
        moved = np.asarray(higher | lower)
        height[moved] = clusters.birth[last[moved]]
        climbed[0] |= higher
        climbed[1] |= lower
        a[higher] = clusters.parent[a[higher]]
        b[lower] = clusters.parent[b[lower]]
    apart = np.asarray(climbed.all(axis=0))[place]
    return np.where(apart, np.minimum(height[place], level[:, None]), level[:, None])
