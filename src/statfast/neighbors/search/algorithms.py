# SPDX-License-Identifier: BSD-3-Clause
"""The indexes by the names of the parameter `algorithm`, and the metrics that each serves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from statfast._distance import (
    CALLABLE,
    CHEBYSHEV,
    EUCLIDEAN,
    HAVERSINE,
    MANHATTAN,
    MINKOWSKI,
    Metric,
)
from statfast._validation import either, is_sparse
from statfast.neighbors.brute.precomputed import PRECOMPUTED_METRIC, PrecomputedIndex
from statfast.neighbors.brute.user_metric import build_brute
from statfast.neighbors.spatial.ball_index import BallTreeIndex
from statfast.neighbors.spatial.kd_index import KDTreeIndex

ALGORITHMS = ("auto", "kd_tree", "ball_tree", "brute")
TREES: dict[str, Any] = {"kd_tree": KDTreeIndex, "ball_tree": BallTreeIndex}

# The kinds of distance that each tree serves.
SERVED = {
    "kd_tree": (EUCLIDEAN, MANHATTAN, CHEBYSHEV, MINKOWSKI),
    "ball_tree": (EUCLIDEAN, MANHATTAN, CHEBYSHEV, MINKOWSKI, HAVERSINE, CALLABLE),
}


@dataclass(frozen=True)
class SearchTask:
    """A search to be made: the rows, the metric, and the number of neighbors or the radius."""

    rows: Any  # checked, prepared for the metric; dense, or a sparse csr_array
    metric: Metric
    leaf_size: int | None
    n_jobs: int | None
    k: int = 1
    radius: float | None = None  # reduced; takes the place of k


def built(algorithm: str, task: SearchTask) -> Any:
    """The index that `algorithm` names."""
    metric = task.metric
    if algorithm in served(task):
        return TREES[algorithm].build(
            task.rows, task.n_jobs, metric=metric, leaf_size=task.leaf_size
        )
    if algorithm != "brute":
        what = f"the metric {metric.name!r}" + (" on sparse rows" if is_sparse(task.rows) else "")
        what += " with p below 1" if metric.p < 1.0 else ""
        raise ValueError(
            f"algorithm {algorithm!r} does not serve {what}. "
            f"Take {either(('auto', *served(task), 'brute'))}."
        )
    if metric is PRECOMPUTED_METRIC:
        return PrecomputedIndex.build(task.rows)
    return build_brute(task.rows, metric, task.n_jobs)


def served(task: SearchTask) -> list[str]:
    """The trees that serve the metric of a task."""
    if task.metric is PRECOMPUTED_METRIC or is_sparse(task.rows):
        return []
    return [tree for tree, kinds in SERVED.items() if task.metric.kind in kinds]
