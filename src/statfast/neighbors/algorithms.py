# SPDX-License-Identifier: BSD-3-Clause
"""The indexes by name."""

import numpy as np

from statfast.neighbors.brute import BruteIndex

ALGORITHMS = ("auto", "kd_tree", "ball_tree", "brute")


class Plain(BruteIndex):
    """Until the index has these itself."""

    def self_query(self, k, n_jobs=None):
        from statfast.neighbors.search import without_self

        reduced, ids = self.query(self.rows, k + 1, n_jobs)
        return without_self(reduced, ids, np.arange(len(self.rows)))

    def query_radius(self, Q, r, n_jobs=None):
        k = len(self.rows)
        reduced, ids = self.query(Q, k, n_jobs)
        near = reduced <= r
        starts = np.concatenate([[0], np.cumsum(near.sum(axis=1))]).astype(np.intp)
        return starts, reduced[near], ids[near]


def indexed(algorithm, rows, metric, leaf_size, n_jobs, *, k=1, radius=None):
    """Index checked rows, prepared for the metric; returns the algorithm used and the index."""
    return "brute", Plain.build(rows, n_jobs)
