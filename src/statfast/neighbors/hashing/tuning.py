# SPDX-License-Identifier: BSD-3-Clause
"""The choice of hashes by measurement: the cheapest that find the neighbors of sampled rows.

Small tables are enough for measurements: the sampled queries, their exact neighbors, and rows drawn
at random that represent all others. For one hash length, a single pass over them counts the
neighbors found and the rows compared for every number of tables and probes. The cost of a search is
a sum of these counts at fixed prices, so the same data and seed always lead to the same choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from statfast._core.hashing import search as probe
from statfast._distance import Float32Frame
from statfast._engine import each
from statfast._typing import Array, Jobs
from statfast.neighbors.hashing.hashes import Hashes
from statfast.neighbors.hashing.tables import MAX_STEPS, drawer_bits

SAMPLE_ROWS = 1024  # rows drawn at random that represent all
QUERIES_PER_SAMPLE = 8  # one of so many queries is compared with them
MAX_NEIGHBORS_OF_QUERY = 10  # neighbors of a query that are looked for
MAX_TABLES = 32
MEASURED_PROBES = 64  # probes that are simulated; more count as these
PROBES = np.array([1, 2, 4, 8, 12, 16, 24, 32, 48], np.intp)
LENGTHS = {"p_stable": (4, 8, 12, 16, 20), "hyperplane": (6, 9, 12, 14, 16, 18, 21, 24)}
WIDTHS = (1.0, 1.4, 2.0, 2.8, 4.0)  # in distances to the last neighbor

# Prices in nanoseconds of one core: of 1000 multiply-adds of a projection, a step in a table, a
# bucket, an entry, a distance to a row, and each byte of that row.
PRODUCTS, STEP, BUCKET, ENTRY, ROW, BYTE = 8.0, 6, 50, 2.5, 20, 0.06


@dataclass(frozen=True)
class Sample:
    """Rows for measurements: queries, and a pool of their neighbors and other rows."""

    queries: np.ndarray  # (s, d)
    pool: np.ndarray  # (n_background + s * n_neighbors, d)
    n_background: int  # rows of the pool that were drawn at random
    n_neighbors: int  # neighbors of each query in the pool
    near: float  # typical distance to a query's last neighbor
    n: int  # rows that the sample represents

    @classmethod
    def draw(
        cls, rows: Array, queries: Array, ids: Array, d2: Array, rng: np.random.Generator
    ) -> Self:
        """The sample of the rows with these numbers, whose exact neighbors are known."""
        n, k = len(rows), ids.shape[1]
        background = rng.choice(n, min(n, SAMPLE_ROWS), replace=False)
        kept = min(k, MAX_NEIGHBORS_OF_QUERY)
        neighbor_ids = ids[:, np.linspace(0, k - 1, kept).astype(np.intp)]
        pool = np.ascontiguousarray(rows[np.concatenate([background, neighbor_ids.ravel()])])
        near = np.sqrt(np.median(d2[:, -1]))
        if near == 0:
            near = np.sqrt(d2[:, -1].mean())
        return cls(
            np.ascontiguousarray(rows[queries]), pool, len(background), kept, float(near) or 1.0, n
        )


@dataclass(frozen=True)
class Plan:
    """Chosen hashes, and their expected recall and cost."""

    hashes: Hashes
    probes: int
    recall: float
    cost: float  # nanoseconds of a query


@dataclass(frozen=True)
class Wish:
    """The parameters that the user fixed; None where the fit chooses."""

    families: tuple
    tables: int | None
    length: int | None
    width: float | None
    probes: int | None


def choose(
    sample: Sample,
    frame: Float32Frame,
    wish: Wish,
    goal: float,
    row_bytes: int,
    rng: np.random.Generator,
    n_jobs: Jobs = None,
) -> Plan:
    """The cheapest plan that reaches the goal on the sample, or the one that comes nearest."""
    plans = []
    for family in wish.families:
        lengths = (wish.length,) if wish.length else fitting(family, sample)
        drawn = Hashes.draw(family, frame, wish.tables or MAX_TABLES, max(lengths), 1.0, rng)
        panels = drawn.panels()
        both = [drawn.projected(rows, panels) for rows in (sample.queries, sample.pool)]
        widths = [1.0]
        if family == "p_stable":
            widths = [wish.width] if wish.width else [w * sample.near for w in WIDTHS]

        def measured(
            task: tuple[int, float], drawn: Hashes = drawn, both: list[Array] = both
        ) -> Plan:
            hashes = drawn.part_of(drawn.tables, *task)
            return best_of(sample, hashes, both, wish, goal, row_bytes)

        tasks = [(length, width) for width in widths for length in lengths]
        plans += each(measured, tasks, n_jobs=n_jobs)

    def better(plan: Plan) -> tuple[Any, ...]:
        return (0, plan.cost) if plan.recall >= goal else (1, -plan.recall, plan.cost)

    return min(plans, key=better)


def fitting(family: str, sample: Sample) -> list[int]:
    """Hash lengths that may suit the number of rows and columns."""
    most = 2 * drawer_bits(sample.n)
    return [length for length in LENGTHS[family] if length <= most] or [2]


def best_of(
    sample: Sample, hashes: Hashes, both: list[Array], wish: Wish, goal: float, row_bytes: int
) -> Plan:
    """The best plan of all numbers of tables and probes with these hashes."""
    probes = PROBES if wish.probes is None else np.array([wish.probes], np.intp)
    near, unique, matches = measure(sample, hashes, both, probes)
    tables = np.arange(1, hashes.tables + 1)
    cost = cost_of(hashes, probes[:, None], tables, unique, matches, row_bytes)
    if wish.tables is not None:
        near, cost, tables = near[:, -1:], cost[:, -1:], tables[-1:]
    reached = near >= goal
    if reached.any():
        p, t = np.unravel_index(np.where(reached, cost, np.inf).argmin(), cost.shape)
    else:
        p, t = np.unravel_index(np.where(near >= near.max(), cost, np.inf).argmin(), cost.shape)
    parts = hashes.part_of(tables[t], hashes.length, hashes.width)
    return Plan(parts, int(probes[p]), float(near[p, t]), float(cost[p, t]))


def measure(
    sample: Sample, hashes: Hashes, both: list[Array], probes: Array
) -> tuple[Array, Array, Array]:
    """For each number of probes and tables: recall, rows compared, and entries that match."""
    queries, pool = cut(both, hashes)
    entries = np.empty((hashes.tables, len(sample.pool)), np.uint64)
    hashes.encode(sample.pool, None, 0, entries, pool)
    codes = (entries >> np.uint64(32)).astype(np.uint32)
    most = min(int(probes[-1]), MEASURED_PROBES)
    steps = min(hashes.most_steps, MAX_STEPS, max(8, most - 1))
    looked_up = probe.probe_codes(*hashes.steps(sample.queries, None, steps, queries), most)
    neighbor_codes = codes[:, sample.n_background :].reshape(
        hashes.tables, len(sample.queries), sample.n_neighbors
    )
    first = first_probes(neighbor_codes, looked_up)
    near = shares(np.minimum.accumulate(first), most, probes)
    first = first_probes(codes[:, None, : sample.n_background], looked_up[:, ::QUERIES_PER_SAMPLE])
    unique = shares(np.minimum.accumulate(first), most, probes)
    matches = shares(first, most, probes).cumsum(axis=0)
    return near.T, sample.n * unique.T, sample.n * matches.T


def first_probes(codes: Array, looked_up: Array) -> Array:
    """The first probe of each query that looks up the code of each row, or beyond them all:
    (tables, queries, rows), for codes of that shape or of one query for all."""
    most = looked_up.shape[2]
    first = np.full((*looked_up.shape[:2], codes.shape[2]), most, np.uint8)
    for p in reversed(range(most)):
        first[codes == looked_up[:, :, p, None]] = p
    return first


def shares(first: Array, most: int, probes: Array) -> Array:
    """The share of rows found in each table by so many probes: (tables, choices)."""
    count = [
        np.bincount(probes_of_table.ravel(), minlength=most + 1).cumsum()
        for probes_of_table in first
    ]
    return np.array(count)[:, np.minimum(probes, most) - 1] / first[0].size


def cut(both: list[Array], hashes: Hashes) -> list[Array]:
    """The projections that these hashes use, of those drawn."""
    tables, parts = hashes.form.shape
    return [
        np.ascontiguousarray(p.reshape(len(p), tables, -1)[:, :, :parts]).reshape(len(p), -1)
        for p in both
    ]


def cost_of(
    hashes: Hashes, probes: Array, tables: Array, unique: Array, matches: Array, row_bytes: int
) -> Array:
    """Nanoseconds of a query."""
    hashing = PRODUCTS * len(hashes.frame.origin) * hashes.length / 1000
    stepping = STEP * np.minimum(hashes.most_steps, probes - 1)
    compared = (ROW + BYTE * row_bytes) * unique
    return tables * (hashing + stepping + BUCKET * probes) + ENTRY * matches + compared
