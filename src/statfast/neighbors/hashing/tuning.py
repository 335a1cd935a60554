# SPDX-License-Identifier: BSD-3-Clause
"""Choose hashes by measurement: the cheapest that find the neighbours of a sample of the rows.

Tables of few rows are enough to measure: the sampled queries, their exact neighbours, and other
rows drawn at random to stand for all. One pass over them tells, for a hash length, how many
neighbours would be found and how many rows looked at with every number of tables and probes at
once (_core/trace.pyx). The cost of a search is then added up from counts, by prices that do not
depend on the machine's mood: the same data and seed make the same choice.
"""

from dataclasses import dataclass

import numpy as np

from statfast._blocks import each
from statfast._core import lsh, trace
from statfast.neighbors.hash_tables import STEPS, drawer_bits
from statfast.neighbors.hashing import Hashes

OTHERS = 4096  # rows that stand for all
OWN = 10  # at most so many of a query's neighbours
MOST_TABLES = 32
MOST_POLYTOPES = 16  # tables of them: rotations take longer than projections
PROBES = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48], np.intp)
LENGTHS = {
    "p_stable": (2, 4, 6, 8, 10, 12, 14, 16, 20),
    "hyperplane": (4, 6, 8, 10, 12, 13, 14, 15, 16, 17, 18, 20, 22, 24),
    "cross_polytope": (4, 7, 10, 13, 16, 19, 22),
}
WIDTHS = (1.0, 1.4, 2.0, 2.8, 4.0)  # in distances to the last neighbour

# Prices in nanoseconds of one core, about: of 1000 multiply-adds of a projection, of a butterfly
# of a rotation, of a step in a table, of a bucket, of an entry, of a row's sketch; and of a row's
# distance for itself and for each of its bytes.
PRODUCTS, BUTTERFLY, STEP, BUCKET, ENTRY, SKETCH, ROW, BYTE = 8.0, 0.05, 6, 50, 2.5, 15, 20, 0.06


@dataclass(frozen=True)
class Sample:
    """Rows to measure on: queries, their neighbours' rows, and others."""

    queries: np.ndarray  # (s, d)
    pool: np.ndarray  # (others + s * own, d)
    others: int
    own: int
    near: float  # typical distance to a query's last neighbour
    n: int  # how many rows all stand for

    @classmethod
    def of(cls, rows, at, ids, d2, rng):
        """From the sampled row numbers, and their exact neighbours."""
        n, k = len(rows), ids.shape[1]
        others = rng.choice(n, min(n, OTHERS), replace=False)
        own = min(k, OWN)
        some = ids[:, np.linspace(0, k - 1, own).astype(np.intp)]
        pool = np.ascontiguousarray(rows[np.concatenate([others, some.ravel()])])
        near = np.sqrt(np.median(d2[:, -1]))
        if near == 0:
            near = np.sqrt(d2[:, -1].mean())
        return cls(np.ascontiguousarray(rows[at]), pool, len(others), own, float(near) or 1.0, n)


@dataclass(frozen=True)
class Plan:
    """What was chosen, and what it is expected to do."""

    hashes: Hashes
    probes: int
    recall: float
    cost: float  # nanoseconds a query


@dataclass(frozen=True)
class Wish:
    """What the user has fixed; None where the fit is to choose."""

    families: tuple
    tables: int | None
    length: int | None
    width: float | None
    probes: int | None


def choose(sample, frame, wish, goal, row_bytes, rng, n_jobs=None):
    """The cheapest plan that reaches the goal on the sample, or the one that comes nearest."""
    plans = []

    def better(plan):
        return (0, plan.cost) if plan.recall >= goal else (1, -plan.recall, plan.cost)

    for family in wish.families:
        lengths = (wish.length,) if wish.length else fitting(family, sample)
        tables = wish.tables or (MOST_POLYTOPES if family == "cross_polytope" else MOST_TABLES)
        drawn = Hashes.draw(family, frame, tables, max(lengths), 1.0, rng)
        panels = drawn.panels()
        linear = family != "cross_polytope"
        both = [drawn.projected(rows, panels) if linear else None
                for rows in (sample.queries, sample.pool)]  # fmt: skip
        widths = [1.0]
        if family == "p_stable":
            widths = [wish.width] if wish.width else [w * sample.near for w in WIDTHS]

        def measured(task, drawn=drawn, both=both, tables=tables):
            hashes = drawn.part_of(tables, *task)
            return best_of(sample, hashes, both, wish, goal, row_bytes)

        # Every third length, then those around the best: cost has one valley in the length.
        tasks = [(length, width) for width in widths for length in lengths[1::3] or lengths]
        tried = each(measured, tasks, n_jobs=n_jobs)
        best = min(range(len(tasks)), key=lambda task: better(tried[task]))
        at, width = lengths.index(tasks[best][0]), tasks[best][1]
        beside = [i for i in (at - 2, at - 1, at + 1, at + 2) if 0 <= i < len(lengths)]
        tasks = [(lengths[i], width) for i in beside]
        plans += [tried[best], *each(measured, tasks, n_jobs=n_jobs)]
    return min(plans, key=better)


def fitting(family, sample):
    """Hash lengths that may suit the number of rows and columns."""
    most = 2 * drawer_bits(sample.n)
    return [length for length in LENGTHS[family] if length <= most] or [2]


def best_of(sample, hashes, both, wish, goal, row_bytes):
    """Of all numbers of tables and probes with these hashes, the best."""
    probes = PROBES if wish.probes is None else np.array([wish.probes], np.intp)
    near, unique, hits = measure(sample, hashes, both, probes)
    tables = np.arange(1, hashes.tables + 1)
    cost = cost_of(hashes, probes[:, None], tables, unique, hits, row_bytes)
    if wish.tables is not None:
        near, cost, tables = near[:, -1:], cost[:, -1:], tables[-1:]
    reached = near >= goal
    if reached.any():
        p, t = np.unravel_index(np.where(reached, cost, np.inf).argmin(), cost.shape)
    else:
        p, t = np.unravel_index(np.where(near >= near.max(), cost, np.inf).argmin(), cost.shape)
    parts = hashes.part_of(tables[t], length_of(hashes), hashes.width)
    return Plan(parts, int(probes[p]), float(near[p, t]), float(cost[p, t]))


def length_of(hashes):
    """The length that made these hashes: projections, planes, or bits."""
    if hashes.family == "cross_polytope":
        return int(sum(int(width).bit_length() for width in hashes.widths))
    return hashes.form.shape[1]


def measure(sample, hashes, both, probes):
    """For each number of probes and tables: recall, rows looked at, and entries that match."""
    own = cut(both, hashes)
    pool, queries = sample.pool, sample.queries
    bits = drawer_bits(len(pool))
    entries = np.empty((hashes.tables, len(pool)), np.uint64)
    hashes.encode(pool, None, 0, entries, own[1])
    entries.sort(axis=1)
    starts = np.empty((hashes.tables, (1 << bits) + 1), np.int32)
    for table in range(hashes.tables):
        lsh.directory(entries[table], 64 - bits, starts[table])
    steps = min(hashes.most_steps, STEPS, max(8, int(probes[-1]) - 1))
    found = np.zeros((3, len(probes), hashes.tables), np.intp)
    block = hashes.steps(queries, None, steps, own[0])
    trace.trace(*block, entries, starts, 64 - bits, probes, sample.others, 0, sample.own, found)
    total = np.cumsum(found, axis=2) / len(queries)
    each_stands_for = sample.n / sample.others
    return total[0] / sample.own, total[1] * each_stands_for, total[2] * each_stands_for


def cut(both, hashes):
    """The projections that these hashes use, of those drawn."""
    if both[0] is None:
        return both
    tables, parts = hashes.form.shape
    return [
        np.ascontiguousarray(p.reshape(len(p), tables, -1)[:, :, :parts]).reshape(len(p), -1)
        for p in both
    ]


def cost_of(hashes, probes, tables, unique, hits, row_bytes):
    """Nanoseconds of a query."""
    parts, d = hashes.form.shape[1], len(hashes.frame.origin)
    if hashes.family == "cross_polytope":
        filled = hashes.signs.shape[-1]
        hashing = BUTTERFLY * 3 * filled * filled.bit_length() * parts
    else:
        hashing = PRODUCTS * d * parts / 1000
    stepping = STEP * np.minimum(hashes.most_steps, probes - 1)
    row = ROW + BYTE * row_bytes
    seen = np.minimum(unique * row, unique * SKETCH + row * np.minimum(unique, 20 + 0.1 * unique))
    return tables * (hashing + stepping + BUCKET * probes) + ENTRY * hits + seen
