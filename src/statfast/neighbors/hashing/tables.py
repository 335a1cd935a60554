# SPDX-License-Identifier: BSD-3-Clause
"""An index of hash tables: sorted arrays of (code, row), and the search by multi-probe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from statfast._core.hashing import hashes as lsh
from statfast._core.hashing import search as probe
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs
from statfast.neighbors.brute.brute import BruteIndex
from statfast.neighbors.hashing.hashes import Hashes

NUMBERS_PER_CALL = 1e7  # numbers compared in one kernel call: about 10 ms
QUERIES_PER_CALL = 128  # queries hashed at once
MAX_STEPS = 32  # steps to other codes that are considered in each table
# Where too few rows were found, there are four times as many probes, and at least 16.
PROBE_FACTOR, MIN_RAISED_PROBES = 4, 16


@dataclass(frozen=True)
class HashTables:
    """The rows, and the sorted entries of each table."""

    rows: np.ndarray  # (n, d)
    brute: BruteIndex  # an index of the same rows, for queries that tables cannot answer
    hashes: Hashes
    panels: np.ndarray
    entries: np.ndarray  # (tables, n) uint64, sorted
    starts: np.ndarray  # (tables, drawers + 1) int32
    shift: int  # entry >> shift is the number of its drawer
    probes: int

    @classmethod
    def build(cls, brute: BruteIndex, hashes: Hashes, probes: int, n_jobs: Jobs = None) -> Self:
        """Hash all rows, and sort each table."""
        rows = brute.rows
        n, d = rows.shape
        panels = hashes.panels()
        bits = drawer_bits(n)
        entries = np.empty((hashes.tables, n), np.uint64)
        starts = np.empty((hashes.tables, (1 << bits) + 1), np.int32)

        def encode(block: slice) -> None:
            hashes.encode(rows[block], panels, block.start, entries[:, block])

        def order(table: int) -> None:
            entries[table].sort()
            checkpoint()
            lsh.directory(entries[table], 64 - bits, starts[table])

        effort = 2.0 * n * d * hashes.form.size
        each(encode, grid(n, least=128, most=512), n_jobs=n_jobs, effort=effort)
        each(order, range(hashes.tables), n_jobs=n_jobs, effort=50.0 * n * hashes.tables)
        return cls(rows, brute, hashes, panels, entries, starts, 64 - bits, probes)

    @property
    def nbytes(self) -> int:
        """Bytes of the tables."""
        return self.entries.nbytes + self.starts.nbytes

    def query(self, Q: Array, k: int, n_jobs: Jobs = None) -> tuple[Array, Array]:
        """Squared distances (m, k) and row numbers (m, k), ordered by (distance, number)."""
        m = len(Q)
        d2, ids = np.empty((m, k)), np.empty((m, k), np.intp)
        compared = np.empty(m, np.int32)
        tasks = grid(m, least=QUERIES_PER_CALL, most=8 * QUERIES_PER_CALL, parts=16)
        effort = 50.0 * m * self.hashes.form.size * (self.rows.shape[1] + self.probes)
        each(
            lambda task: self._search(Q[task], d2[task], ids[task], compared[task]),
            tasks, n_jobs=n_jobs, effort=effort,
        )  # fmt: skip
        (unanswered,) = np.nonzero(compared < 0)
        if unanswered.size:
            d2[unanswered], ids[unanswered] = self.brute.query(Q[unanswered], k, n_jobs)
        return d2, ids

    def _search(self, Q: Array, d2: Array, ids: Array, compared: Array) -> None:
        n = len(self.rows)
        more = max(MIN_RAISED_PROBES, PROBE_FACTOR * self.probes)
        steps = min(self.hashes.most_steps, MAX_STEPS, max(8, self.probes - 1))
        seen = np.empty(n, np.uint8)
        buckets = probe.Buckets(self.entries, self.starts, self.shift, self.probes, more)
        for start in range(0, len(Q), QUERIES_PER_CALL):
            block = slice(start, start + QUERIES_PER_CALL)
            queries = Q[block]
            probe_steps = probe.Steps(*self.hashes.steps(queries, self.panels, steps))
            Q64 = np.ascontiguousarray(queries, np.float64)
            first = 0
            while first < len(queries):
                checkpoint()
                first = probe.search(
                    Q64, self.rows, probe_steps, buckets, seen, first, NUMBERS_PER_CALL,
                    d2[block], ids[block], compared[block],
                )  # fmt: skip


def drawer_bits(n: int) -> int:
    """Bits of the code that choose a drawer: there are about as many drawers as rows."""
    return min(30, max(1, int(n).bit_length()))
