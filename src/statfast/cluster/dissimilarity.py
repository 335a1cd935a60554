# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of dissimilarities as triangles: those the user brings, and those made from rows."""

from itertools import pairwise
from math import nan

import numpy as np

from statfast._blocks import checkpoint, each
from statfast._core import brute
from statfast._core.linkage import extent
from statfast._dissimilarity import finished, function_of, takes_squares
from statfast._distances import CALLABLE, Metric, as_metric
from statfast._extent import moderate
from statfast._precomputed import as_matrix, as_triangle, is_triangle
from statfast._validation import as_rows, refuse_large
from statfast.cluster.triangle import Triangle

INSTEAD = "Cluster a sample of the rows."


def as_condensed(y, name: str = "X") -> tuple[Triangle, float]:
    """Check a condensed matrix; its triangle, of float32 or float64, and its largest number."""
    values, n, high = as_triangle(y, name)
    return Triangle.of_condensed(values, n), high


def as_square(table, name: str = "X", n_min: int = 2) -> tuple[Triangle, float]:
    """Check a square, symmetric matrix; its upper triangle, and its largest number."""
    table, high = as_matrix(table, name, n_min=n_min)
    return Triangle.of_square(table), high


def between_rows(
    X: np.ndarray, metric: Metric, *, what: str, instead: str = INSTEAD, n_jobs: int | None = None
) -> tuple[Triangle, float]:
    """The dissimilarities of checked rows X (n, d), condensed, in float64; and the largest.

    `what` names the caller's argument, `instead` says what to do if memory is short.
    """
    n = len(X)
    refuse_large(8 * n * (n - 1), f"The matrix of {n} rows of {what}, with work space,", instead)
    rows, scale = metric.prepare(X, name=what, n_jobs=n_jobs), 1.0
    if takes_squares(metric):
        rows, scale = moderate(rows, n_jobs)
    back = 1 / scale if metric.name != "sqeuclidean" else 1 / scale / scale
    y = np.empty(n * (n - 1) // 2)
    pair = function_of(metric) if metric.kind == CALLABLE else None
    if pair or rows.strides[1] != rows.itemsize:
        rows = np.array(rows, np.float64, order="C")
        rows.flags.writeable = False

    def work(block):
        high = 0.0
        for row in range(block.start, block.stop):
            checkpoint()
            begin = row * (2 * n - row - 1) // 2
            out = y[begin : begin + n - row - 1]
            if pair is not None:
                out[:] = [pair(rows[row], other, row) for other in rows[row + 1 :]]
            elif len(out):
                point = rows[row].astype(np.float64)
                brute.distances(point, rows[row + 1 :], metric.kind, metric.p, out)
                finished(metric, point[None], rows[row + 1 :], out[None])
                if scale != 1.0:
                    with np.errstate(over="ignore"):
                        out *= back
            if len(out):
                low, top, finite = extent(out)
                if not finite or low < 0:
                    raise ValueError(
                        f"A distance between rows of {what} by the metric {metric.name!r} is "
                        f"{nan if np.isnan(out).any() else low if low < 0 else top}. Scale "
                        f"{what} down, or choose a metric that is finite and not negative."
                    )
                high = max(high, top)
        return high

    effort = 1.0 * n * n * (X.shape[1] + 4)
    threads = 1 if pair else n_jobs
    return Triangle.of_condensed(y, n), max(each(work, _parts(n), n_jobs=threads, effort=effort))


def _parts(n):
    """Blocks of rows with about as many pairs, some for each thread."""
    cuts = np.unique(np.round(n * (1 - np.sqrt(np.linspace(1, 0, 65)))).astype(int))
    return [slice(int(a), int(b)) for a, b in pairwise(cuts)]


def condensed_of(X, metric, metric_params, n: int, n_jobs: int | None = None) -> np.ndarray:
    """The condensed dissimilarities of n rows, given as rows, condensed or square."""
    if is_triangle(X):
        m, y = as_condensed(X)[0].m, np.ascontiguousarray(np.asarray(X), np.float64)
    elif isinstance(metric, str) and metric == "precomputed":
        table = as_square(X)[0].owners
        m = len(table)
        refuse_large(4 * m * m, "A condensed copy of X", "Pass it condensed.")
        y = np.concatenate([table[i, i + 1 :] for i in range(m)], dtype=np.float64)
    else:
        rows = as_rows(X, n_min=2)
        measure = as_metric(metric, metric_params=metric_params, d=rows.shape[1], X=rows)
        m, y = len(rows), between_rows(rows, measure, what="X", n_jobs=n_jobs)[0].owners
    if m != n:
        raise ValueError(
            f"X must be of as many rows as Z has leaves ({n}); got {m}. Pass what Z was made of."
        )
    return y
