# SPDX-License-Identifier: BSD-3-Clause
"""DBSCAN by its definition, from a table of distances; and Ester's scan row by row."""

import numpy as np


def core_rows(distances, eps, min_samples, weight=None):
    """Whether each row has neighbors of enough weight, itself among them."""
    weight = np.ones(len(distances)) if weight is None else np.asarray(weight, float)
    return np.array([weight[row <= eps].sum() >= min_samples for row in distances])


def labels_by_scan(distances, eps, min_samples, weight=None):
    """Rows in their order begin clusters, and core rows hand on the label to what is near."""
    core = core_rows(distances, eps, min_samples, weight)
    labels, name = np.full(len(distances), -1), 0
    for seed in range(len(distances)):
        if labels[seed] >= 0 or not core[seed]:
            continue
        waiting = [seed]
        while waiting:
            row = waiting.pop()
            if labels[row] >= 0:
                continue
            labels[row] = name
            if core[row]:
                waiting += np.flatnonzero(distances[row] <= eps).tolist()
        name += 1
    return labels
