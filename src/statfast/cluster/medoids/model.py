# SPDX-License-Identifier: BSD-3-Clause
"""Rows against medoids: the nearest of each row, and the dissimilarities to all."""

import numpy as np

from statfast._blocks import checkpoint, each, grid
from statfast._dissimilarity import Made, function_of, is_callable
from statfast._precomputed import refuse
from statfast._validation import refuse_large


def distances_to(rows, medoids, metric, n_jobs):
    """From each row to each medoid: (m, k), float32 if the rows are, else float64.

    Parameters
    ----------
    rows : ndarray of shape (m, d), or (m, n) dissimilarities where `metric` is None
    medoids : ndarray of shape (k, d), or (k,) the columns of the medoids where `metric` is None
    metric : Metric or None
    n_jobs : int, optional
    """
    m, k = len(rows), len(medoids)
    refuse_large(8 * m * k, "The table of dissimilarities", "Pass fewer rows at a time.")
    out = np.empty((m, k), np.float32 if rows.dtype == np.float32 else np.float64)

    def fill(part, block):
        with np.errstate(over="ignore"):
            out[part] = block

    _blocks_of(fill, rows, medoids, metric, n_jobs)
    return out


def nearest_to(rows, medoids, metric, n_jobs):
    """The nearest medoid of each row, the lowest on ties, and the dissimilarity to it."""
    labels, near = np.empty(len(rows), np.int32), np.empty(len(rows))

    def fill(part, block):
        labels[part] = block.argmin(axis=1)
        near[part] = block.min(axis=1)

    _blocks_of(fill, rows, medoids, metric, n_jobs)
    return labels, near


def nearest_two(rows, medoids, metric, n_jobs):
    """The dissimilarities of each row to the nearest and the second nearest of some medoids."""
    near, second = np.empty((2, len(rows)))

    def fill(part, block):
        near[part], second[part] = np.partition(block, 1, axis=1)[:, :2].T

    _blocks_of(fill, rows, medoids, metric, n_jobs)
    return near, second


def _blocks_of(fill, rows, medoids, metric, n_jobs):
    m, k = len(rows), len(medoids)
    if metric is not None and not is_callable(metric):
        first = Made(metric.prepare(np.asarray(medoids), name="The medoids"), metric)

    def work(part):
        some = rows[part]
        if metric is None:
            fill(part, _given(some, medoids, part.start))
        elif is_callable(metric):
            fill(part, _called(some, medoids, metric, part.start))
        else:
            fill(part, first.across(metric.prepare(some)))

    most = max(64, (1 << 24) // (k * rows.shape[1]))
    each(work, grid(m, most=most), n_jobs=n_jobs, effort=2.0 * m * k * rows.shape[1])


def _given(rows, columns, start):
    block = np.asarray(rows[:, columns], np.float64)
    if block.min(initial=0.0) < 0:
        i, j = np.argwhere(block < 0)[0]
        refuse(float(block[i, j]), f"at row {start + i}, column {columns[j]}", "X")
    return block


def _called(rows, medoids, metric, start):
    pair = function_of(metric, "a medoid")
    rows = np.ascontiguousarray(rows, np.float64)
    medoids = np.ascontiguousarray(medoids, np.float64)
    out = np.empty((len(rows), len(medoids)))
    for i, row in enumerate(rows):
        checkpoint()
        out[i] = [pair(row, medoid, start + i) for medoid in medoids]
    return out
