# SPDX-License-Identifier: BSD-3-Clause
"""Ward's method from rows, without their matrix.

Ward's rule is reducible: all pairs of reciprocal nearest neighbours are merged in a round, and a
cluster whose nearest neighbour was not merged keeps it. So only new clusters, and those that have
lost their nearest one, are compared with all others.
"""

import numpy as np

from statfast.cluster.means import as_heights, centred, columns_of, nearest

Merges = tuple[np.ndarray, np.ndarray, np.ndarray]  # one point, the other (int32), the height


def ward_of_rows(X: np.ndarray, n_jobs: int | None = None) -> Merges:
    """The merges of checked rows (n, d), in the order in which they are made."""
    mean, scale = centred(X, n_jobs)
    clusters = Clusters(mean, n_jobs)
    low, who = clusters.nearest(np.arange(len(X), dtype=np.int32))
    if (low == 0).any():  # one cluster for equal rows: else each would wait for the one before
        clusters.join_equal()
        low, who = clusters.nearest(np.arange(clusters.m, dtype=np.int32))
    while clusters.m > 1:
        i = np.flatnonzero(who[who] == np.arange(clusters.m))
        i = i[i < who[i]]
        if len(i) == 0:  # equal distances: the first of all lets there be a pair
            low, who = clusters.nearest(np.arange(clusters.m, dtype=np.int32))
            continue
        low, who = clusters.merge(i, who[i], low, who)
    one, other, height = (np.concatenate(parts) for parts in zip(*clusters.merges, strict=True))
    return one, other, as_heights(height, scale)


class Clusters:
    """Means and sizes; each cluster is known by its first point."""

    def __init__(self, mean: np.ndarray, n_jobs: int | None):
        self.n_jobs, self.mean = n_jobs, mean
        self.m = len(mean)
        self.size = np.ones(self.m)
        self.point = np.arange(self.m, dtype=np.int32)
        self.merges: list[Merges] = []

    def nearest(self, query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Distances and numbers of the nearest clusters of some."""
        each_own = np.arange(self.m)
        low, who = nearest(
            columns_of(self.mean), each_own, query, size=self.size, n_jobs=self.n_jobs
        )
        return low[:, 0], who[:, 0]

    def merge(self, i, j, low, who):
        """Merge the pairs i < j; the nearest neighbours after that."""
        m, d = self.m, self.mean.shape[1]
        self.merges.append((self.point[i], self.point[j], low[i]))
        share = (self.size[j] / (self.size[i] + self.size[j]))[:, None]
        self.mean[i] += share * (self.mean[j] - self.mean[i])
        self.size[i] += self.size[j]
        changed = np.zeros(m, bool)
        changed[i] = changed[j] = True
        stays = np.ones(m, bool)
        stays[j] = False
        rank = np.cumsum(stays, dtype=np.int32) - 1
        query = rank[stays & (changed | changed[who])].astype(np.int32)
        self.mean, self.size = self.mean[stays].reshape(-1, d), self.size[stays]
        self.point, self.m = self.point[stays], int(stays.sum())
        low, who = low[stays], rank[who[stays]].astype(np.int32)
        if self.m > 1:
            low[query], who[query] = self.nearest(query)
        return low, who

    def join_equal(self):
        """Merge equal rows, at height 0."""
        _, first, group = np.unique(self.mean, axis=0, return_index=True, return_inverse=True)
        group = group.reshape(-1)
        others = np.flatnonzero(first[group] != np.arange(self.m)).astype(np.int32)
        zeros = np.zeros(len(others))
        self.merges.append((first[group[others]].astype(np.int32), others, zeros))
        kept = np.sort(first)
        self.size = np.bincount(group).astype(float)[np.argsort(first)]
        self.mean, self.point, self.m = self.mean[kept], kept.astype(np.int32), len(kept)
