# SPDX-License-Identifier: BSD-3-Clause
"""Slow, obvious twin of the local outlier factor, from tables of distances."""

import numpy as np

from tests.reference import metrics


def local_outlier_factors(table, k, across=None):
    """Of the rows of a table of distances (n, n), or of new rows at distances `across` (m, n)."""
    own, ids = metrics.nearest(table, k, itself=True)
    densities = np.array([density(own[i], ids[i], own[:, -1]) for i in range(len(own))])
    mine = densities
    if across is not None:
        near, ids = metrics.nearest(across, k)
        mine = [density(near[i], ids[i], own[:, -1]) for i in range(len(near))]
    return np.array([np.mean(densities[ids[i]]) / mine[i] for i in range(len(ids))])


def density(distances, ids, k_distances):
    """The inverse of the mean reachability distance from the neighbors of a row."""
    reach = [max(d, k_distances[i]) for d, i in zip(distances, ids, strict=True)]
    return 1.0 / (np.mean(reach) + 1e-10)
