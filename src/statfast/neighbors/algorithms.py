# SPDX-License-Identifier: BSD-3-Clause
"""The indexes by the names that `algorithm` has for them, and which metrics each serves."""

from statfast._distances import CALLABLE, HAMMING, JACCARD, Metric
from statfast.neighbors.brute import BruteIndex
from statfast.neighbors.precomputed import GIVEN, PrecomputedIndex

ALGORITHMS = ("auto", "kd_tree", "ball_tree", "brute")


def indexed(algorithm, rows, metric, leaf_size, n_jobs, *, k=1, radius=None):
    """Index checked rows, prepared for the metric; returns the algorithm used and the index."""
    if metric is GIVEN:
        return "brute", PrecomputedIndex.build(rows)
    return "brute", BruteIndex.build(rows, n_jobs, metric=metric)
