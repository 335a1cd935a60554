# SPDX-License-Identifier: BSD-3-Clause
"""Brute force among rows of bits: Hamming and Jaccard distance, 64 features to a word.

A feature is set where it is not 0, which is all that Jaccard distance depends on. For Hamming
distance the rows must be zeros and ones; queries with other numbers are compared number by number.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from statfast._core.neighbors import bits, radius
from statfast._distance import HAMMING, Metric
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array
from statfast.neighbors.brute.brute import BruteIndex
from statfast.neighbors.brute.precomputed import without_self
from statfast.neighbors.brute.radius import Within, joined

WORDS_PER_CALL = 1 << 23  # words compared in one kernel call: milliseconds where vectors are short
QUERIES_PER_TASK = 256  # queries of one task
MAX_FEATURES = 1 << 24  # features beyond which a float cannot count them
NUMBERS_PER_TASK = 1 << 22  # numbers that one task packs into bits


@dataclass(frozen=True)
class BinaryIndex:
    """The rows in bits, in groups of 64 rows whose words lie side by side."""

    rows: np.ndarray  # (n, d), not packed
    groups: np.ndarray  # (n / 64, words, 64) uint64, word by word
    size: np.ndarray  # (n,) float32, padded to whole groups: how many features are set
    metric: Metric

    @classmethod
    def takes(cls, X: np.ndarray, metric: Metric) -> bool:
        """Whether rows can be held in bits."""
        if X.shape[1] > MAX_FEATURES:
            return False
        return metric.kind != HAMMING or all(zeros_and_ones(X[part]).all() for part in grid(len(X)))

    @classmethod
    def build(cls, X: np.ndarray, n_jobs: int | None = None, *, metric: Metric) -> BinaryIndex:
        """Pack the rows."""
        n, d = X.shape
        count = -(-n // 64)
        groups = np.zeros((count, -(-d // 64), 64), np.uint64)
        size = np.zeros(64 * count, np.float32)

        def fill(block: Any) -> None:
            words, size[block] = packed(X[block])
            block_groups = groups[block.start // 64 : -(-block.stop // 64)]
            for row, group in enumerate(range(0, len(words), 64)):
                group_words = words[group : group + 64]
                block_groups[row, :, : len(group_words)] = group_words.T

        most = max(64, NUMBERS_PER_TASK // d)
        each(fill, grid(n, least=64, most=most), n_jobs=n_jobs, effort=4.0 * n * d)
        return cls(X, groups, size, metric)

    def query(
        self, Q: np.ndarray, k: int, n_jobs: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Distances (m, k) and row numbers (m, k), ordered by (distance, number)."""
        m = len(Q)
        distances, ids = np.empty((m, k)), np.empty((m, k), np.intp)

        def search(block: Any) -> None:
            words, sizes = packed(Q[block])
            nearest = np.empty((len(words), k, 2))
            bits.begin(nearest)
            for part in self._calls(len(words)):
                checkpoint()
                bits.scan(words, sizes, self.view, part.start, part.stop, nearest)
            bits.end(nearest, distances[block], ids[block])

        each(
            search, grid(m, least=64, most=QUERIES_PER_TASK), n_jobs=n_jobs, effort=self._effort(m)
        )
        not_binary = self._not_binary(Q)
        if len(not_binary):
            distances[not_binary], ids[not_binary] = self._plain().query(Q[not_binary], k, n_jobs)
        return distances, ids

    def self_query(self, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The same of the indexed rows, each without itself."""
        return without_self(*self.query(self.rows, k + 1, n_jobs), np.arange(len(self.rows)))

    def query_radius(
        self, Q: np.ndarray, r: Any, n_jobs: int | None = None, *, by_row: bool = False,
        distances: bool = True,
    ) -> Within:  # fmt: skip
        """All rows within distance r: starts (m + 1,), distances and ids, by (distance, id) or by
        id."""
        m = len(Q)
        limit = np.ascontiguousarray(np.broadcast_to(np.asarray(r, np.float64), m))
        not_binary = self._not_binary(Q)
        if len(not_binary):  # one plain search for all queries costs less than merging two answers
            return self._plain().query_radius(Q, limit, n_jobs, by_row=by_row)

        def search(block: Any) -> Any:
            words, sizes = packed(Q[block])
            starts = np.zeros(len(words) + 1, np.intp)
            self._scan_within(words, sizes, limit[block], starts[1:], None, None)
            np.cumsum(starts, out=starts)
            distances, ids = np.empty(starts[-1]), np.empty(starts[-1], np.intp)
            self._scan_within(words, sizes, limit[block], starts[:-1].copy(), distances, ids)
            radius.arrange(starts, distances, ids, by_row, len(self.rows))
            return starts, distances, ids

        blocks = grid(m, least=64, most=QUERIES_PER_TASK)
        return joined(each(search, blocks, n_jobs=n_jobs, effort=2 * self._effort(m)))

    def _scan_within(
        self, words: Any, sizes: Any, limit: Any, starts: Any, distances: Any, ids: Any
    ) -> None:
        for part in self._calls(len(words)):
            checkpoint()
            bits.within(
                words, sizes, self.view, part.start, part.stop, limit, starts, distances, ids
            )

    @cached_property
    def view(self) -> bits.BitsView:
        """The arrays in the form of kernels; not pickled."""
        return bits.BitsView(self.groups, self.size, *self.rows.shape, self.metric.kind)

    def __reduce__(self) -> Any:
        return BinaryIndex, (self.rows, self.groups, self.size, self.metric)

    def _calls(self, m: int) -> Any:
        count, words = self.groups.shape[:2]
        step = max(1, WORDS_PER_CALL // (64 * m * words))
        return [slice(first, min(count, first + step)) for first in range(0, count, step)]

    def _effort(self, m: int) -> Any:
        return 2.0 * m * self.groups.size

    def _not_binary(self, Q: Any) -> Any:
        """Numbers of the queries that hold other numbers than 0 and 1, if that matters."""
        if self.metric.kind != HAMMING:
            return np.empty(0, np.intp)
        return np.flatnonzero(~zeros_and_ones(Q).all(axis=1))

    def _plain(self) -> Any:
        return BruteIndex.build(self.rows, 1, metric=self.metric)


def zeros_and_ones(rows: Array) -> Array:
    """Marks of the numbers that are 0 or 1."""
    return (rows == 0) | (rows == 1)


def packed(rows: Any) -> Any:
    """Rows as words (m, words) uint64, and how many features are set (m,) float32."""
    present = np.ascontiguousarray(rows != 0)
    packed = np.zeros((len(present), -(-present.shape[1] // 64) * 8), np.uint8)
    bytes_of_rows = np.packbits(present, axis=1)
    packed[:, : bytes_of_rows.shape[1]] = bytes_of_rows
    return packed.view(np.uint64), present.sum(axis=1, dtype=np.float32)
