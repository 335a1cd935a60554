# SPDX-License-Identifier: BSD-3-Clause
"""Lloyd's algorithm: rows are assigned to centers, and centers move to the means, in turn.

Lloyd 1982, doi:10.1109/TIT.1982.1056489.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from statfast._core.kmeans import differences
from statfast._typing import Array
from statfast.cluster.kmeans.center_sums import KMeansStatistics

MAX_STEPS_OF_ONE_CALL = 1000  # steps of one call, which Ctrl-C does not end: 0.1 s


class RowAssignment(Protocol):
    """The assignment of rows to centers: `Assignment` in memory, `PartsAssignment` in parts."""

    data: Any  # KMeansData or PartsData
    centers: Array  # (k, d); set to move the centers
    patched: bool  # whether sums were changed row by row, and may have lost digits

    @property
    def labels(self) -> Array | None:
        """The clusters (n,) of rows in memory."""

    def advance(self) -> KMeansStatistics:
        """Give every row its nearest center; returns the statistics of the clusters, where `moved`
        is None if it is not known."""

    def add_up(self) -> KMeansStatistics:
        """The same, with sums over all rows."""

    def reassign(self) -> int:
        """Give every row its nearest center, no more; returns how many rows changed theirs."""

    def forget(self) -> None:
        """Sum over all rows next time."""

    def farthest(self, count: int) -> tuple[Array, ...]:
        """The rows farthest from their centers, the farthest first: rows, weights, labels."""

    def inertia(self) -> tuple[float, Array]:
        """The sum of weight * squared distance to each row's center, and the clusters' rows."""


@dataclass(frozen=True)
class LloydRun:
    """Result of Lloyd's algorithm from a start."""

    centers: Array  # (k, d) float64 numbers representable in `data.dtype`
    labels: Array | None  # (n,) int32, the nearest of these centers for each row in memory
    sizes: Array  # (k,) how many rows the clusters have
    inertia: float
    n_iter: int
    converged: bool


def iterate(
    assignment: RowAssignment, *, tol: float, max_iter: int,
    report: Callable[[str], Any] | None = None, direct: bool = False,
) -> LloydRun:  # fmt: skip
    """Run Lloyd's algorithm from the centers of an assignment.

    Stops when no row changes its cluster, when the squared shift of the centers is at most `tol`,
    or after `max_iter` iterations; in any case at means of sums made anew. `report` is called with
    a line of text at each iteration. With `direct`, centers are the directions of the means.
    """
    converged = False
    with np.errstate(over="ignore"):  # a shift may overflow, and is large then
        for n_iter in range(1, max_iter + 1):
            doubtful = assignment.patched  # centers are means of patched sums
            step = assignment.advance()
            moved = step.moved
            means, shift = solve(assignment, step, direct)
            if assignment.patched and (moved == 0 or shift <= tol or n_iter == max_iter):
                means, shift = solve(assignment, assignment.add_up(), direct)
            assignment.centers = means
            if report:
                moves = "" if moved is None else f"{moved} rows moved, "
                report(f"iteration {n_iter}: {moves}squared shift {shift:.6g}")
            # Where doubtful centers move no row, those of exact sums must move none either.
            if shift <= tol or (moved == 0 and not (doubtful and assignment.reassign())):
                converged = True
                break
    assignment.reassign()
    inertia, sizes = assignment.inertia()
    return LloydRun(assignment.centers, assignment.labels, sizes, inertia, n_iter, converged)


def iterate_in_one_call(data: Any, start: Array, *, tol: float, max_iter: int) -> LloydRun | None:
    """`iterate` in one call, by differences, where rows and centers are few.

    Returns None where they are not, and where a cluster became empty.
    """
    if max_iter > MAX_STEPS_OF_ONE_CALL or not data.fits_one_call(len(start)):
        return None
    X, weights, centers = data.float64(), data.weights, start.copy()
    labels, squares = np.zeros(len(X), np.int32), np.empty(len(X))
    single = data.dtype == np.float32
    end = differences.iterate(X, weights, centers, single, tol, max_iter, labels, squares)
    if end is None:
        return None
    inertia = float((squares if weights is None else squares * weights).sum())
    sizes = np.bincount(labels, minlength=len(centers))
    return LloydRun(centers, labels, sizes, inertia, *end)


def solve(assignment: RowAssignment, step: KMeansStatistics, direct: bool) -> tuple[Array, float]:
    """The means of the clusters, or their directions, and the squared shift from the centers."""
    if 0.0 in step.mass:
        step = assignment.add_up() if assignment.patched else step
        relocate(assignment, step)
        assignment.forget()
    means = step.solve()
    if direct:
        means = directions(means, assignment.centers)
    means = means.astype(assignment.data.dtype, copy=False).astype(np.float64, copy=False)
    shift = np.square(means - assignment.centers)
    return means, float(np.add.reduce(shift, axis=None))


def directions(means: Array, before: Array) -> Array:
    """Means over their lengths; those of length 0 stay where they were before.

    Dhillon & Modha 2001, doi:10.1023/A:1007612920971.
    """
    length = np.sqrt(np.einsum("ij,ij->i", means, means))[:, None]
    return np.divide(means, length, out=before.copy(), where=length > 0)


def relocate(assignment: RowAssignment, step: KMeansStatistics) -> None:
    """Give each empty cluster one of the rows farthest from their own centers.

    The empty clusters, in order of index, take the rows in order of (distance, descending; index,
    ascending). Rows of weight 0 do not count. Where every row lies on its center nothing is done:
    there are fewer distinct rows than clusters.
    """
    empty = np.flatnonzero(step.mass == 0)
    far = assignment.farthest(len(empty))
    for target, row, weight, source in zip(empty, *far, strict=False):
        step._give(row, weight, source, target)


def tolerance(data: Any, tol: float) -> float:
    """`tol` times the mean variance of the columns: a bound on the squared shift of the centers."""
    if tol == 0:
        return 0.0
    return tol * data.scatter() / (data.total_weight * data.shape[1])
