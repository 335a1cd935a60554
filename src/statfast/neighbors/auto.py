# SPDX-License-Identifier: BSD-3-Clause
"""The choice of `algorithm="auto"`: a tree where few rows would be looked at, else brute force.

How many rows a tree looks at depends on the data: on their number, on the dimension of the surface
they lie near rather than that of the space, on clusters and duplicates. So it is counted: a tree is
built and asked for the neighbours of some of the rows. Where the rows are many, that is done on
samples of two sizes first. The share looked at falls with the number of rows, the faster the more
there are; continuing the line through both sizes, on logarithmic axes, does not underrate a tree.
Only if that leaves doubt is the tree of all rows built to be asked.

Counts, not times, are compared, at what each costs, so that the choice is the same in every run.
It is made for many queries: a tree is built for little more than the price of reading the rows a
few times, and pays from some hundred on.
"""

from dataclasses import dataclass
from math import log

import numpy as np

from statfast._core import bytewise, tiles
from statfast._distances import EUCLIDEAN, HAVERSINE, MINKOWSKI
from statfast.neighbors.algorithms import built
from statfast.neighbors.brute import COSTS, POWERS, PRODUCTS

FEWEST = 512  # rows: with fewer nothing is to be won, and fitting is to be instant
QUERIES = 256  # asked of a tree: their mean is known to some percent
LARGE, SMALL = 8192, 1024  # rows of the two samples
DOUBT = 4.0  # times as expensive as brute force is what a sample must promise to settle it


@dataclass(frozen=True)
class Task:
    """Rows to be searched among, and what for."""

    rows: np.ndarray
    metric: object
    leaf_size: int | None
    n_jobs: int | None
    k: int
    radius: float | None  # reduced; takes the place of k


def chosen(task: Task) -> tuple:
    """The name of the algorithm that is likely to be fastest, and the index."""
    n, d = task.rows.shape
    tree = "ball_tree" if task.metric.kind == HAVERSINE else "kd_tree"
    if n < FEWEST or task.metric.kind > HAVERSINE:
        return "brute", made(task, "brute")
    brute = n * scan_cost(task)
    if n > 2 * LARGE:
        foreseen = tree_cost(task, n * share_foreseen(task, tree))
        if foreseen > DOUBT * brute:
            return "brute", made(task, "brute")
    index = made(task, tree)
    some = np.random.default_rng(0).integers(0, n, QUERIES)
    looked = n * share(task, index, task.rows[some], n, itself=True)
    if tree_cost(task, looked) < brute:
        return tree, index
    return "brute", made(task, "brute")
