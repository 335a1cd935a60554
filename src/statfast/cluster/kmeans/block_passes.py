# SPDX-License-Identifier: BSD-3-Clause
"""Passes over rows, dense or sparse, each comparing them with centers."""

from __future__ import annotations

from collections.abc import Callable
from operator import add
from typing import Any

import numpy as np

from statfast._typing import Array, Jobs


def nearest(rows: Any, frame: Any, n_jobs: Jobs = None) -> Array:
    """The nearest center of each row: labels (n,) int32."""

    def partial(where: slice, X: Any) -> list[Array]:
        labels = np.empty(X.shape[0], np.int32)
        X.step(frame, labels)
        return [labels]

    return concatenated(partial, rows, frame, n_jobs)


def distances(rows: Any, frame: Any, n_jobs: Jobs = None) -> Array:
    """Euclidean distances (n, k) of each row to each center; float32 for float32 rows."""

    def partial(where: slice, X: Any) -> list[Array]:
        with np.errstate(over="ignore"):
            out = X.distances_to_all(frame)
            return [out.astype(np.float32) if X.dtype == np.float32 else out]

    return concatenated(partial, rows, frame, n_jobs)


def concatenated(partial: Callable[..., Any], rows: Any, frame: Any, n_jobs: Jobs) -> Array:
    """The results of a pass for each row, in the order of the rows."""
    results = sweep(partial, rows, merge=joined, size=frame.centers.size, n_jobs=n_jobs)
    return np.concatenate(results) if len(results) > 1 else results[0]


def inertia(
    rows: Any, weights: Array | None, frame: Any, labels: Array, n_jobs: Jobs = None
) -> float:
    """The sum of weight * squared distance to the center of each row's label."""

    def partial(where: slice, X: Any, weights: Array | None, labels: Array) -> float:
        return scatter(X, weights, frame, labels)

    size = frame.centers.shape[1]
    return sweep(partial, rows, weights, labels, merge=add, size=size, n_jobs=n_jobs)


def potential(rows: Any, weights: Array | None, frame: Any, n_jobs: Jobs = None) -> float:
    """The sum of weight * squared distance to the nearest center."""

    def partial(where: slice, X: Any, weights: Array | None) -> float:
        labels = np.empty(X.shape[0], np.int32)
        X.step(frame, labels)
        return scatter(X, weights, frame, labels)

    return sweep(partial, rows, weights, merge=add, size=frame.centers.size, n_jobs=n_jobs)


def scatter(X: Any, weights: Array | None, frame: Any, labels: Array) -> float:
    """The inertia of a block."""
    d2 = X.distances_to_labels(frame, labels)
    return float((d2 if weights is None else d2 * weights).sum())


def sweep(
    partial: Callable[..., Any],
    rows: Any,
    *aligned: Array | None,
    merge: Callable[..., Any],
    size: int,
    n_jobs: Jobs,
) -> Any:
    """``_engine.reduce`` for a pass that compares each row with centers of `size` numbers
    altogether."""
    effort = 2.0 * rows.shape[0] * size if rows.in_memory else np.inf
    return rows.reduce(
        partial, *aligned, merge=merge, n_jobs=n_jobs, effort=effort, least=min_rows(size)
    )


def min_rows(size: int) -> int:
    """Least rows of a block that is compared with centers of `size` numbers altogether.

    Blocks must hold many rows where statistics are large, as merging costs as much as computing
    them; and where centers are few, as starting a task then costs as much as its work.
    """
    least = min(max(256, size // 32, (1 << 23) // size), 8192)
    return max(least, min((1 << 22) // size, 16384))


def joined(a: Any, b: Array) -> Any:
    """Merge of lists: results kept in the order of the blocks."""
    a.extend(b)
    return a


def place(running: Array, u: float) -> int:
    """The first index whose running total exceeds the share u of the last; it adds to the total."""
    goal = min(max(u, 0.0) * running[-1], np.nextafter(running[-1], 0.0))
    return int(np.searchsorted(running, goal, side="right"))
