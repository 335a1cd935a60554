# SPDX-License-Identifier: BSD-3-Clause
"""The indexes by the names that `algorithm` has for them, and which metrics each serves."""

import numpy as np

from statfast._distances import (
    CALLABLE,
    CHEBYSHEV,
    EUCLIDEAN,
    HAMMING,
    HAVERSINE,
    JACCARD,
    MANHATTAN,
    MINKOWSKI,
    Metric,
)
from statfast.neighbors.ball_index import BallTreeIndex
from statfast.neighbors.binary_brute import BinaryIndex
from statfast.neighbors.brute import BruteIndex
from statfast.neighbors.precomputed import GIVEN, PrecomputedIndex

ALGORITHMS = ("auto", "kd_tree", "ball_tree", "brute")

# The kinds of distance that each tree serves.
SERVED = {
    "kd_tree": (EUCLIDEAN, MANHATTAN, CHEBYSHEV, MINKOWSKI),
    "ball_tree": (EUCLIDEAN, MANHATTAN, CHEBYSHEV, MINKOWSKI, HAVERSINE, CALLABLE),
}


def built(
    algorithm: str, rows: np.ndarray, metric: Metric, leaf_size: int | None, n_jobs: int | None
):
    """The index of this name, of checked rows that are prepared for the metric."""
    if algorithm == "brute":
        return exhaustive(rows, metric, n_jobs)
    if metric is GIVEN or metric.kind not in SERVED[algorithm]:
        able = [tree for tree, kinds in SERVED.items() if metric.kind in kinds]
        others = ["auto", *(able if metric is not GIVEN else []), "brute"]
        raise ValueError(
            f"algorithm {algorithm!r} does not serve the metric {metric.name!r}. "
            f"Take {' or '.join(map(repr, others))}."
        )
    kind = BallTreeIndex
    return kind.build(rows, n_jobs, metric=metric, leaf_size=leaf_size)


def exhaustive(rows: np.ndarray, metric: Metric, n_jobs: int | None):
    """The index that looks at all rows."""
    if metric is GIVEN:
        return PrecomputedIndex.build(rows)
    if metric.kind in (HAMMING, JACCARD) and BinaryIndex.takes(rows, metric):
        return BinaryIndex.build(rows, n_jobs, metric=metric)
    return BruteIndex.build(rows, n_jobs, metric=metric)
