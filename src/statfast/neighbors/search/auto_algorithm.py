# SPDX-License-Identifier: BSD-3-Clause
"""The choice of `algorithm="auto"`: a tree where few rows would be looked at, else brute force.

How many rows a tree looks at depends on the data: on their number, on the dimension of the surface
they lie near rather than that of the space, on clusters and duplicates. So it is counted: a tree is
built and asked for the neighbors of some of the rows. Where the rows are many, that is done on
samples of two sizes first. The share looked at falls with the number of rows, the faster the more
there are, so a line through both sizes, on logarithmic axes, overrates what a tree would look at
among all rows rather than underrates it. Only if that speaks for the tree, or leaves doubt, is the
tree of all rows built, and asked.

Counts, not times, are compared, at what each costs, so that the choice is the same in every run.
It is made for many queries: a tree is built for little more than the price of reading the rows a
few times, and pays from some hundred on.
"""

from math import log
from typing import Any

import numpy as np

from statfast._core.neighbors import quantized
from statfast._core.tile import tiles
from statfast._distance import CALLABLE, EUCLIDEAN, HAVERSINE, MINKOWSKI
from statfast.neighbors.brute.brute import COSTS, POWERS, PRODUCTS
from statfast.neighbors.search.algorithms import SearchTask, built, served
from statfast.neighbors.spatial.kd_index import KDTreeIndex

MIN_TREE_ROWS = 512  # rows: with fewer there is nothing to be won, and fitting is to take no time
SAMPLE_QUERIES = 64  # asked of a tree: their mean is known to some percent
SAMPLE_ROWS = 8192  # rows of the larger sample; the smaller has an eighth
MAX_SAMPLE_NUMBERS = (
    1 << 21
)  # in the larger sample at most, so that the choice is cheap in many columns
DECISIVE_RATIO = 4.0  # times the cost of brute force is what a sample must foresee to settle it

# Nanoseconds, measured on one core of an AVX-512 machine at 2 to 3 GHz; only their ratios count.
VECTOR_NUMBERS = tiles.tile_shape("f")[1]  # float32 numbers in two vectors: 32 with AVX-512
QUERY, NEIGHBOR = 500.0, 95.0  # brute force: of a query, and for each of its k neighbors
BRUTE_ROW_COST = 0.1  # brute force: for a row, besides its features
BRUTE_FEATURE_COST = (
    0.25 / VECTOR_NUMBERS
)  # and for each of those: twice their number of flops, at the tiles' rate
TREE_NEIGHBOR_COST = 20.0  # a tree: for each of k neighbors
TREE_ROW_COST = 1.15  # a tree: for a row looked at, with its part of the boxes above it
TREE_FEATURE_COST = 0.02 + 1.6 / VECTOR_NUMBERS  # and for each of its features, in float64
CACHE_BYTES = (
    1 << 20
)  # bytes of rows that a query looks at before they have to come from further away
FETCHED_BYTE_COST = 0.055  # for each byte beyond
POWER_COST = 15.0  # for a feature raised to a power that is not 1, 2, 3 or 4
HAVERSINE_COST = 10.0  # for a row's haversine distance


def chosen(task: SearchTask) -> tuple[str, Any]:
    """The name of the algorithm that is likely to be fastest, and its index."""
    n = task.rows.shape[0]
    trees = served(task)
    # A function need not obey the triangle inequality, by which a tree would leave rows out.
    if n < MIN_TREE_ROWS or not trees or task.metric.kind == CALLABLE:
        return "brute", built("brute", task)
    tree = trees[0]
    large = min(SAMPLE_ROWS, MAX_SAMPLE_NUMBERS // task.rows.shape[1])
    if n > 2 * large and large >= MIN_TREE_ROWS and foreseen(task, tree, large) > DECISIVE_RATIO:
        return "brute", built("brute", task)
    index = built(tree, task)
    queries = np.ascontiguousarray(task.rows[picked(n, SAMPLE_QUERIES)])
    if ratio(task, n, *looked_at(task, index, queries, itself=True)) < 1.0:
        return tree, index
    return "brute", built("brute", task)


def foreseen(task: SearchTask, tree: str, large: int) -> float:
    """The ratio of the tree's cost to that of brute force, from samples; more rather than less."""
    n = task.rows.shape[0]
    pick = picked(n, large + SAMPLE_QUERIES)
    queries, rest = np.ascontiguousarray(task.rows[pick[:SAMPLE_QUERIES]]), pick[SAMPLE_QUERIES:]
    shares, kept = [], 0.0
    for size in (large // 8, large):
        sample = SearchTask(
            task.rows[np.sort(rest[:size])], task.metric, task.leaf_size, task.n_jobs,
            min(task.k, size), task.radius,
        )  # fmt: skip
        looked, kept = looked_at(sample, built(tree, sample), queries)
        shares.append(min(1.0, looked / size))
    slope = max(-1.0, min(0.0, log(shares[1] / shares[0]) / log(8)))
    return ratio(task, n, n * shares[1] * (n / large) ** slope, kept)


def picked(n: int, count: int) -> np.ndarray:
    """Some of n row numbers, in an order that is random and always the same."""
    return np.random.default_rng(0).choice(n, min(n, count), replace=False)


def looked_at(
    task: SearchTask, index: KDTreeIndex, queries: np.ndarray, *, itself: bool = False
) -> tuple[float, float]:
    """How many rows the tree looks at for some rows, on average, and how many it has to sort.

    Within a radius there are as many to sort for either algorithm: none here.
    """
    k = kept = min(task.k + itself, task.rows.shape[0])
    if task.radius is not None:
        k = max(1, len(index.query_radius(queries, task.radius, task.n_jobs)[2]) // len(queries))
        kept = 0
    return index.visited(queries, k), kept


def ratio(task: SearchTask, n: int, looked: float, kept: float) -> float:
    """What a query costs a tree, in units of what it costs brute force."""
    d = task.rows.shape[1]
    kind, p = task.metric.kind, task.metric.p
    scan, feature, apart, more = 1.0, BRUTE_FEATURE_COST, TREE_FEATURE_COST, 0.0
    if kind == MINKOWSKI:
        scan = (PRODUCTS if p in (3, 4) else POWERS)[0]
        apart = TREE_FEATURE_COST if p in (3, 4) else POWER_COST
    elif kind == HAVERSINE:
        scan, more = COSTS[kind][0], HAVERSINE_COST
    else:
        scan = COSTS[kind][0]
    if kind == EUCLIDEAN and quantized.available() and d >= 32:
        feature /= 2
    brute = QUERY + NEIGHBOR * kept + n * (BRUTE_ROW_COST + feature * scan * d)
    size = looked * d * task.rows.itemsize
    fetched = FETCHED_BYTE_COST * max(0.0, size - CACHE_BYTES)
    return (
        TREE_NEIGHBOR_COST * kept + looked * (TREE_ROW_COST + apart * d + more) + fetched
    ) / brute
