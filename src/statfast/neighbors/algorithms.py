# SPDX-License-Identifier: BSD-3-Clause
"""The indexes by name."""

from statfast.neighbors.brute import BruteIndex

ALGORITHMS = ("auto", "kd_tree", "ball_tree", "brute")


def indexed(algorithm, rows, metric, leaf_size, n_jobs, *, k=1, radius=None):
    """Index checked rows, prepared for the metric; returns the algorithm used and the index."""
    return "brute", BruteIndex.build(rows, n_jobs, metric=metric)
