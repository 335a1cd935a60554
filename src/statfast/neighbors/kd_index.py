# SPDX-License-Identifier: BSD-3-Clause
"""The k-d tree as a search index, for the time being."""

from dataclasses import dataclass

import numpy as np

from statfast._blocks import each, grid
from statfast._core import kdsearch
from statfast._distances import PLAIN, Metric
from statfast.neighbors.brute import BruteIndex
from statfast.neighbors.kd_arrays import KDArrays


@dataclass(frozen=True)
class KDTreeIndex:
    """The arrays and the metric."""

    rows: np.ndarray
    arrays: KDArrays
    metric: Metric

    @classmethod
    def build(cls, X, n_jobs=None, *, metric=PLAIN, leaf_size=None):
        rows = X.astype(np.float32) if X.dtype == np.uint8 else X
        leaf = max(8, (leaf_size or 32) // 8 * 8)
        return cls(X, KDArrays.build(np.ascontiguousarray(rows), leaf, n_jobs), metric)

    @property
    def ids(self):
        return self.arrays.ids[: self.arrays.n]

    def query(self, Q, k, n_jobs=None):
        return self._query(Q, k, n_jobs)[:2]

    def self_query(self, k, n_jobs=None):
        return self._query(None, k, n_jobs)[:2]

    def visited(self, Q, k, n_jobs=None):
        return self._query(Q, k, n_jobs)[2] / len(Q)

    def query_radius(self, Q, r, n_jobs=None):
        return BruteIndex.build(self.rows, n_jobs, metric=self.metric).query_radius(Q, r, n_jobs)

    def _query(self, Q, k, n_jobs):
        m = self.arrays.n if Q is None else len(Q)
        reduced, ids = np.empty((m, k)), np.empty((m, k), np.intp)
        if Q is not None:
            Q = np.ascontiguousarray(Q, np.float32 if Q.dtype == np.uint8 else None)

        def work(block):
            return kdsearch.search(
                *self.arrays.fields, Q, None, block.start, block.stop, self.metric.kind,
                self.metric.p, reduced, ids,
            )  # fmt: skip

        looked = each(work, grid(m, 64, 512), n_jobs=n_jobs, effort=m * 1e4)
        return reduced, ids, sum(looked)
