# SPDX-License-Identifier: BSD-3-Clause
"""The choice of `algorithm="auto"`: a tree where it visits few rows, else brute force.

How many rows a tree visits depends on the data: on their number, on the dimension of the surface
that they lie near, on clusters and duplicates. So it is counted: a tree is built, and searched for
the neighbors of some of the rows. If there are many rows or columns, samples of two sizes are tried
first. The share of rows visited falls with their number, and the faster the more there are, so that
a line through both sizes on logarithmic axes tends to overestimate the share among all rows. The
tree of all rows is only built and tried if it is better by this estimate, or not much worse.

Counts at fixed costs are compared, not times, so that the choice is the same in every run. It is
made for many queries: building a tree costs little more than reading the rows a few times, which
pays from some hundred queries on.
"""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from statfast._core.neighbors import quantized
from statfast._core.tile import tiles
from statfast._distance import CALLABLE, EUCLIDEAN, HAVERSINE, MINKOWSKI
from statfast.neighbors.brute.brute import COSTS, POWERS, PRODUCTS
from statfast.neighbors.search.algorithms import SearchTask, built, served
from statfast.neighbors.spatial.kd_index import KDTreeIndex

MIN_TREE_ROWS = 512  # rows: for fewer there is little to gain, and a fit should take no time
SAMPLE_QUERIES = 64  # queries to a tree, which give its mean cost to some percent
SAMPLE_ROWS = 8192  # rows of the larger sample; the smaller has an eighth
MAX_SAMPLE_NUMBERS = 1 << 21  # numbers of the larger sample, so that many columns are cheap too
MIN_SAMPLED_COLUMNS = 16  # of few rows; of fewer columns their tree costs as little as samples
DECISIVE_RATIO = 4.0  # of predicted costs, tree to brute force: above, the tree is not built

# Nanoseconds, measured on one core of an AVX-512 machine at 2 to 3 GHz; only their ratios count.
VECTOR_NUMBERS = tiles.tile_shape("f")[1]  # float32 numbers in two vectors: 32 with AVX-512
QUERY, NEIGHBOR = 500.0, 95.0  # brute force: for a query, and for each of its k neighbors
CHECKED_ROW_COST = 10.0  # brute force: for a row within a radius, measured once more in float64
BRUTE_ROW_COST = 0.1  # brute force: for a row, besides its features
BRUTE_FEATURE_COST = 0.25 / VECTOR_NUMBERS  # brute force: for each feature, two flops of a tile
TREE_NEIGHBOR_COST = 20.0  # a tree: for each of k neighbors
TREE_ROW_COST = 1.15  # a tree: for a row visited, with its share of the boxes above it
TREE_FEATURE_COST = 0.02 + 1.6 / VECTOR_NUMBERS  # a tree: for each feature of that row, in float64
CACHE_BYTES = 1 << 20  # bytes of visited rows that are still in a near cache
FETCHED_BYTE_COST = 0.055  # for each byte beyond these
POWER_COST = 15.0  # for a feature raised to a power that is not 1, 2, 3 or 4
HAVERSINE_COST = 10.0  # for a row's haversine distance


def choose_algorithm(task: SearchTask) -> tuple[str, Any]:
    """Choose the algorithm that is likely to be fastest; returns its name and its index."""
    n = task.rows.shape[0]
    trees = served(task)
    # A function need not obey the triangle inequality, which trees rely on.
    if n < MIN_TREE_ROWS or not trees or task.metric.kind == CALLABLE:
        return "brute", built("brute", task)
    tree = trees[0]
    d = task.rows.shape[1]
    large = min(SAMPLE_ROWS, MAX_SAMPLE_NUMBERS // d)
    if d >= MIN_SAMPLED_COLUMNS:
        large = min(large, n // 4)
    if (
        n > 2 * large
        and large >= MIN_TREE_ROWS
        and predicted_ratio(task, tree, large) > DECISIVE_RATIO
    ):
        return "brute", built("brute", task)
    index = built(tree, task)
    queries = np.ascontiguousarray(task.rows[drawn_rows(n, SAMPLE_QUERIES)])
    if ratio(task, n, *visited_rows(task, index, queries, itself=True)) < 1.0:
        return tree, index
    return "brute", built("brute", task)


def predicted_ratio(task: SearchTask, tree: str, large: int) -> float:
    """The ratio of the tree's cost to that of brute force, from samples, not underestimated."""
    n = task.rows.shape[0]
    pick = drawn_rows(n, large + SAMPLE_QUERIES)
    queries, rest = np.ascontiguousarray(task.rows[pick[:SAMPLE_QUERIES]]), pick[SAMPLE_QUERIES:]
    shares, sorted_rows, share_within = [], 0.0, 0.0
    for size in (large // 8, large):
        sample = SearchTask(
            task.rows[np.sort(rest[:size])], task.metric, task.leaf_size, task.n_jobs,
            min(task.k, size), task.radius,
        )  # fmt: skip
        visited, sorted_rows, within = visited_rows(sample, built(tree, sample), queries)
        shares.append(min(1.0, visited / size))
        share_within = within / size
    slope = max(-1.0, min(0.0, log(shares[1] / shares[0]) / log(8)))
    return ratio(task, n, n * shares[1] * (n / large) ** slope, sorted_rows, n * share_within)


def drawn_rows(n: int, count: int) -> np.ndarray:
    """Row numbers below n, drawn at random, but always the same."""
    return np.random.default_rng(0).choice(n, min(n, count), replace=False)


def visited_rows(
    task: SearchTask, index: KDTreeIndex, queries: np.ndarray, *, itself: bool = False
) -> tuple[float, float, float]:
    """The rows that a tree visits for a query, on average, those that it has to sort, and those
    within the radius, if there is one: these are not sorted."""
    k = sorted_rows = min(task.k + itself, task.rows.shape[0])
    within = 0
    if task.radius is not None:
        ids = index.query_radius(queries, task.radius, task.n_jobs, by_row=True, distances=False)[2]
        k = max(1, len(ids) // len(queries))
        sorted_rows, within = 0, k
    return index.visited(queries, k), sorted_rows, within


def ratio(task: SearchTask, n: int, visited: float, sorted_rows: float, within: float) -> float:
    """The cost of a query to a tree, in units of its cost by brute force."""
    d = task.rows.shape[1]
    kind, p = task.metric.kind, task.metric.p
    scan, feature, tree_feature, row_extra = 1.0, BRUTE_FEATURE_COST, TREE_FEATURE_COST, 0.0
    if kind == MINKOWSKI:
        scan = (PRODUCTS if p in (3, 4) else POWERS)[0]
        tree_feature = TREE_FEATURE_COST if p in (3, 4) else POWER_COST
    elif kind == HAVERSINE:
        scan, row_extra = COSTS[kind][0], HAVERSINE_COST
    else:
        scan = COSTS[kind][0]
    if kind == EUCLIDEAN and quantized.available() and d >= 32:
        feature /= 2
    brute = (
        QUERY
        + NEIGHBOR * sorted_rows
        + CHECKED_ROW_COST * within
        + n * (BRUTE_ROW_COST + feature * scan * d)
    )
    size = visited * d * task.rows.itemsize
    fetched = FETCHED_BYTE_COST * max(0.0, size - CACHE_BYTES)
    return (
        TREE_NEIGHBOR_COST * sorted_rows
        + visited * (TREE_ROW_COST + tree_feature * d + row_extra)
        + fetched
    ) / brute
