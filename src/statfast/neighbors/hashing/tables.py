# SPDX-License-Identifier: BSD-3-Clause
"""An index of hash tables: sorted arrays of (code, row), and the search by multi-probe."""

from dataclasses import dataclass
from math import pi

import numpy as np

from statfast._blocks import checkpoint, each, grid
from statfast._core import lsh, probe
from statfast.neighbors.brute import BruteIndex
from statfast.neighbors.hashing import Hashes

BUDGET = 1e7  # numbers compared in one kernel call: about 10 ms
QUERIES = 128  # hashed at once
STEPS = 32  # the most that probes are made of, in each table
MORE, AT_LEAST = 4, 16  # times as many probes, and so many, where too few rows were found
COSINE = np.cos(np.arange(lsh.SIGNS + 1) * (pi / lsh.SIGNS)).astype(np.float32)
NO_SKETCHES = np.empty((0, 8), np.uint64)


@dataclass(frozen=True)
class Sketches:
    """Signs of projections and lengths, 64 bytes a row, from which distances are estimated."""

    panels: np.ndarray
    records: np.ndarray  # (n, 8) uint64

    @classmethod
    def build(cls, rows, frame, rng, n_jobs):
        n, d = rows.shape
        panels = lsh.panels_of(rng.standard_normal((lsh.SIGNS, d), np.float32))
        sketches = cls(panels, np.empty((n, 8), np.uint64))
        blocks = grid(n, least=256, most=1024)
        effort = 2.0 * n * d * lsh.SIGNS
        each(
            lambda block: sketches.of(rows[block], frame, sketches.records[block]),
            blocks, n_jobs=n_jobs, effort=effort,
        )  # fmt: skip
        return sketches

    def of(self, rows, frame, out):
        """Write the sketches of rows."""
        projected = np.empty((len(rows), lsh.SIGNS), np.float32)
        lsh.project(rows, frame.origin, frame.scale, self.panels, projected)
        moved = (rows.astype(np.float64) - frame.origin) * frame.scale
        with np.errstate(over="ignore"):
            length = np.sqrt(np.einsum("ij,ij->i", moved, moved)).astype(np.float32)
        lsh.sketch(projected, length, out)
        return out


@dataclass(frozen=True)
class HashTables:
    """The rows as they are, and where each table holds them."""

    rows: np.ndarray  # (n, d)
    brute: BruteIndex  # of the same rows: the last resort
    hashes: Hashes
    panels: np.ndarray
    entries: np.ndarray  # (tables, n) uint64, in order
    starts: np.ndarray  # (tables, drawers + 1) int32
    shift: int  # entry >> shift is the drawer
    probes: int
    sketches: Sketches | None = None
    keep: int = 0  # rows compared of a query, by sketch
    keep_for: int = 1  # when asked for so many neighbours

    @classmethod
    def build(cls, brute, hashes, probes, n_jobs=None):
        """Hash all rows, and sort each table."""
        rows = brute.rows
        n, d = rows.shape
        panels = hashes.panels()
        bits = drawer_bits(n)
        entries = np.empty((hashes.tables, n), np.uint64)
        starts = np.empty((hashes.tables, (1 << bits) + 1), np.int32)

        def encode(block):
            hashes.encode(rows[block], panels, block.start, entries[:, block])

        def order(table):
            entries[table].sort()
            checkpoint()
            lsh.directory(entries[table], 64 - bits, starts[table])

        effort = 2.0 * n * d * hashes.form.size
        each(encode, grid(n, least=128, most=512), n_jobs=n_jobs, effort=effort)
        each(order, range(hashes.tables), n_jobs=n_jobs, effort=50.0 * n * hashes.tables)
        return cls(rows, brute, hashes, panels, entries, starts, 64 - bits, probes)

    @property
    def nbytes(self):
        """Bytes of the tables and the sketches."""
        held = self.entries.nbytes + self.starts.nbytes
        return held + (self.sketches.records.nbytes if self.sketches else 0)

    def query(self, Q, k, n_jobs=None):
        """Squared distances (m, k) and row numbers (m, k), ordered by (distance, number)."""
        m = len(Q)
        d2, ids = np.empty((m, k)), np.empty((m, k), np.intp)
        looked = np.empty(m, np.int32)
        tasks = grid(m, least=QUERIES, most=8 * QUERIES, parts=16)
        effort = 50.0 * m * self.hashes.form.size * (self.rows.shape[1] + self.probes)
        each(
            lambda task: self._search(Q[task], d2[task], ids[task], looked[task]),
            tasks, n_jobs=n_jobs, effort=effort,
        )  # fmt: skip
        (few,) = np.nonzero(looked < 0)
        if few.size:
            d2[few], ids[few] = self.brute.query(Q[few], k, n_jobs)
        return d2, ids

    def looked_at(self, Q, k, n_jobs=None):
        """As `query`, with the number of rows that each query looked at in third place."""
        m = len(Q)
        d2, ids = np.empty((m, k)), np.empty((m, k), np.intp)
        looked = np.empty(m, np.int32)
        self._search(Q, d2, ids, looked)
        return d2, ids, looked

    def _search(self, Q, d2, ids, looked):
        k, n = d2.shape[1], len(self.rows)
        more = max(AT_LEAST, MORE * self.probes)
        steps = min(self.hashes.most_steps, STEPS, max(8, self.probes - 1))
        seen = np.empty(n, np.uint8)
        records, keep = NO_SKETCHES, 0
        if self.sketches is not None:
            records, keep = self.sketches.records, min(n, self.keep * -(-k // self.keep_for))
        for start in range(0, len(Q), QUERIES):
            block = slice(start, start + QUERIES)
            some = Q[block]
            sketch = NO_SKETCHES
            if self.sketches is not None:
                sketch = np.empty((len(some), 8), np.uint64)
                self.sketches.of(some, self.hashes.frame, sketch)
            found = self.hashes.steps(some, self.panels, steps)
            Q64 = np.ascontiguousarray(some, np.float64)
            first = 0
            while first < len(some):
                checkpoint()
                first = probe.search(
                    Q64, self.rows, *found, self.entries, self.starts, self.shift, self.probes,
                    more, records, sketch, COSINE, keep, seen, first, BUDGET,
                    d2[block], ids[block], looked[block],
                )  # fmt: skip


def drawer_bits(n):
    """Bits of the code that choose a drawer: there are about as many drawers as rows."""
    return min(30, max(1, int(n).bit_length()))
