# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of dissimilarities: the check of those the user brings, and making them from rows."""

from itertools import combinations_with_replacement, pairwise
from math import isqrt, nan

import numpy as np

from statfast._blocks import checkpoint, each, grid
from statfast._core import brute
from statfast._core.linkage import extent
from statfast._dissimilarity import function_of
from statfast._distances import CALLABLE, EUCLIDEAN, Metric, as_metric
from statfast._extent import moderate
from statfast._validation import as_rows, refuse_large
from statfast.cluster.triangle import Triangle

SLICE = 1 << 21  # numbers looked at by a task
TILE = 512  # rows and columns compared with those across the diagonal
ASYMMETRY = 1e-8  # of the largest dissimilarity: rounding, not a difference
INSTEAD = "Cluster a sample of the rows."


def as_condensed(y, name: str = "X") -> tuple[Triangle, float]:
    """Check a condensed matrix: the pairs (0, 1), (0, 2), ..., (n - 2, n - 1).

    Returns the triangle, of float32 or float64, and its largest number.
    """
    y = as_rows(np.atleast_2d(y), name=name, finite=False)[0]
    m = (1 + isqrt(1 + 8 * len(y))) // 2
    if m * (m - 1) // 2 != len(y):
        raise ValueError(
            f"{name} must be a condensed matrix of n (n - 1) / 2 dissimilarities; got {len(y)}, "
            f"which lies between n = {m} ({m * (m - 1) // 2}) and n = {m + 1} "
            f"({m * (m + 1) // 2}). Pass the pairs of rows in the order of scipy's pdist."
        )
    y = np.ascontiguousarray(y)
    blocks = [slice(at, at + SLICE) for at in range(0, len(y), SLICE)]
    found = each(lambda block: extent(y[block]), blocks, effort=2.0 * len(y))
    for block, (low, _, finite) in zip(blocks, found, strict=True):
        if not finite or low < 0:
            at = block.start + int(np.argmax(~((y[block] >= 0) & np.isfinite(y[block]))))
            refuse(y[at], f"at position {at}", name)
    return Triangle.of_condensed(y, m), max(high for _, high, _ in found)


def as_square(table, name: str = "X") -> tuple[Triangle, float]:
    """Check a square matrix: finite, not negative, symmetric, its diagonal zero.

    Returns its upper triangle, and its largest number.
    """
    table = as_rows(table, name=name, finite=False, n_min=2)
    n = len(table)
    if table.shape[1] != n:
        raise ValueError(
            f"{name} must be a square matrix of dissimilarities; got shape {table.shape}. Pass all "
            "pairs of rows, or a metric to compute them by."
        )
    if table.strides[1] != table.itemsize:
        refuse_large(table.nbytes, f"A copy of {name} in the order of rows", "Pass it in C order.")
        table = np.ascontiguousarray(table)
    if table.diagonal().any():
        at = int(np.flatnonzero(table.diagonal())[0])
        raise ValueError(
            f"{name} must be zero on its diagonal; got {table[at, at]} at row {at}. Turn "
            "similarities into dissimilarities first, or set the diagonal to 0."
        )
    blocks = grid(n, least=1, most=max(1, SLICE // n))

    def work(block):
        high = -np.inf
        for row in range(block.start, block.stop):
            low, top, finite = extent(table[row])
            if not finite or low < 0:
                at = int(np.argmax(~((table[row] >= 0) & np.isfinite(table[row]))))
                refuse(table[row, at], f"at row {row}, column {at}", name)
            high = max(high, top)
        return high

    high = max(each(work, blocks, effort=2.0 * n * n))

    def compare(pair):
        a, b = (slice(at, at + TILE) for at in pair)
        apart = np.abs(table[a, b] - table[b, a].T)
        if apart.max() > ASYMMETRY * high:
            i, j = np.unravel_index(int(apart.argmax()), apart.shape)
            i, j = int(i) + a.start, int(j) + b.start
            raise ValueError(
                f"{name} must be symmetric; got {table[i, j]} at row {i}, column {j} but "
                f"{table[j, i]} at row {j}, column {i}. Average it with its transpose."
            )

    pairs = list(combinations_with_replacement(range(0, n, TILE), 2))
    each(compare, pairs, effort=4.0 * n * n)
    return Triangle.of_square(table), high


def refuse(value, where, name):
    """Raise the sentence on a number that is no dissimilarity."""
    if value != value:
        raise ValueError(f"{name} contains NaN, {where}. Drop or impute missing values first.")
    if value > 0:
        raise ValueError(f"{name} contains infinity, {where}. Drop, clip or rescale it first.")
    raise ValueError(
        f"{name} must not hold negative dissimilarities; got {value} {where}. Turn similarities "
        "into dissimilarities first."
    )


def between_rows(
    X: np.ndarray, metric: Metric, *, what: str, instead: str = INSTEAD, n_jobs: int | None = None
) -> tuple[Triangle, float]:
    """The dissimilarities of checked rows X (n, d), condensed, in float64; and the largest.

    `what` names the caller's argument, `instead` says what to do if memory is short.
    """
    n = len(X)
    refuse_large(8 * n * (n - 1), f"The matrix of {n} rows of {what}, with work space,", instead)
    rows, scale = metric.prepare(X, name=what, n_jobs=n_jobs), 1.0
    if metric.kind == EUCLIDEAN:
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
                brute.distances(
                    rows[row].astype(np.float64), rows[row + 1 :], metric.kind, metric.p, out
                )
                metric.finish(out, out)
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
    if np.ndim(X) == 1 and not hasattr(X, "columns"):
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
        raise ValueError(f"X must be of as many rows as Z has leaves ({n}); got {m}.")
    return y
