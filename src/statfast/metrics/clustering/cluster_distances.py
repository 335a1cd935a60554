# SPDX-License-Identifier: BSD-3-Clause
"""From every row to every cluster: sums, least or most of the dissimilarities, in strips.

No matrix is held: of rows, a tile of distances goes into its cluster's sum as it is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from statfast._core.distance import dissimilarity
from statfast._distance import (
    Dissimilarities,
    MetricRows,
    OfRows,
    as_dissimilarities,
    is_callable,
    packed,
    scaled,
)
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs
from statfast.metrics.clustering.checked_labels import among, as_clusters

SUM, MINIMUM, MAXIMUM = dissimilarity.SUM, dissimilarity.MINIMUM, dissimilarity.MAXIMUM
START = {SUM: 0.0, MINIMUM: np.inf, MAXIMUM: 0.0}


def as_table(source: Dissimilarities, n_jobs: Jobs) -> tuple[Any, Callable[..., Any]]:
    """Dissimilarities that a score was given, or those between the rows it was given.

    Returns them, and a function that turns such into those of X: rows are scaled where squares of
    their differences would overflow or vanish.
    """
    if not isinstance(source, MetricRows) or is_callable(source.metric):
        return source.made(n_jobs), np.asarray
    made = scaled(*source, n_jobs)
    if made.scale == 1.0:
        made.require_range()
        return made, np.asarray
    return OfRows(made.rows[: made.n], source.metric), made.back


class ClusteredTable(NamedTuple):
    """Dissimilarities of clustered rows, without those of noise.

    Attributes
    ----------
    source : Square, Condensed or OfRows
        Of the m rows that are in clusters.
    back : callable
        Turns its numbers into dissimilarities of X.
    classes : ndarray of shape (k,)
        The labels of the clusters, sorted.
    codes : ndarray of intp, shape (m,)
        The cluster of each row.
    kept : ndarray of intp, shape (m,), or None
        The numbers of the rows; None where all are in clusters.
    n : int
        The number of all rows.
    n_columns : int or None
        Columns of the rows; None where dissimilarities were given.
    """

    source: Any
    back: Callable[..., Any]
    classes: Array
    codes: Array
    kept: Array | None
    n: int
    n_columns: int | None


def as_clustered_table(
    X: Any, labels: Any, noise_label: Any, metric: Any, p: Any, metric_params: Any, n_jobs: Any,
    symmetric: bool = False,
) -> ClusteredTable:  # fmt: skip
    """Check rows, or dissimilarities, and labels; rows of noise are left out."""
    source = as_dissimilarities(
        X, metric, p=p, metric_params=metric_params, symmetric=symmetric, n_jobs=n_jobs
    )
    classes, codes, kept = as_clusters(labels, source.n, noise_label)
    table, back = as_table(among(source, kept), n_jobs)
    n_columns = source.X.shape[1] if isinstance(source, MetricRows) else None
    return ClusteredTable(table, back, classes, codes, kept, source.n, n_columns)


def gather(
    source: OfRows,
    codes: Array,
    k: int,
    asked: tuple[Any, ...],
    use: Callable[..., Any],
    n_jobs: Jobs,
) -> None:
    """Call ``use(rows, *found)`` for all rows, some at a time.

    Parameters
    ----------
    source : Square, Condensed or OfRows
    codes : ndarray of intp, shape (n,)
        The cluster of each row; each of the k has one.
    k : int
    asked : sequence of SUM, MINIMUM and MAXIMUM
    use : callable
        Takes the numbers of m rows and for each thing asked an array of shape (m, k).
    n_jobs : int, optional
    """
    n = source.n
    order = np.argsort(codes, kind="stable")
    begins = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=k))])
    if isinstance(source, OfRows) and source.tiled:
        rows = np.zeros_like(source.rows)
        rows[:n] = source.rows[:n][order]
        work = _tiles(source, rows, order, begins, asked, use)
    else:
        work = _strips(source, order, begins, asked, use)
    depth = source.rows.shape[1] if isinstance(source, OfRows) else 1
    blocks = grid(n, least=64, most=max(64, (1 << 25) // (n * depth)))
    each(work, blocks, n_jobs=n_jobs, effort=2.0 * n * n * depth)


def _tiles(
    source: OfRows,
    rows: Array,
    order: Array,
    begins: Array,
    asked: tuple[Any, ...],
    use: Callable[..., Any],
) -> Callable[..., Any]:
    kind, finish, k = source.metric.kind, source.finish, len(begins) - 1

    def work(block: slice) -> None:
        for panel, start in zip(
            packed(rows[block]),
            range(block.start, block.stop, dissimilarity.PANEL_POINTS),
            strict=True,
        ):
            checkpoint()
            here = order[start : min(start + dissimilarity.PANEL_POINTS, block.stop)]
            sums = []
            for what in asked:
                out = np.full((k, dissimilarity.PANEL_POINTS), START[what])
                dissimilarity.gather(rows, begins, panel, kind, finish, what, out)
                part = out.T[: len(here)]
                sums.append(part if what == SUM else source.metric.finish(part))
            use(here, *sums)

    return work


def _strips(
    source: Any, order: Any, begins: Array, asked: tuple[Any, ...], use: Callable[..., Any]
) -> Any:
    n, k = source.n, len(begins) - 1
    step = max(1, (1 << 20) // n)
    every = slice(0, n)

    def work(block: Any) -> None:
        for start in range(block.start, block.stop, step):
            checkpoint()
            rows = slice(start, min(start + step, block.stop))
            table = source.block(rows, every)
            strips = []
            for what in asked:
                out = np.full((rows.stop - rows.start, k), START[what])
                dissimilarity.gather_stored(table, order, begins, what, out)
                strips.append(out)
            use(np.arange(rows.start, rows.stop), *strips)

    return work
