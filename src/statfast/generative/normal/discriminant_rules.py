# SPDX-License-Identifier: BSD-3-Clause
"""Rules applied to rows block by block, linear (coef (K, d), intercept (K,)) or quadratic.

A rule is a tuple of what its kernel takes between the rows and the output; the size of the first
array is what a row costs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from statfast._core.generative import quadratic_scores
from statfast._engine import checkpoint, each, grid
from statfast._typing import Array, Jobs
from statfast._validation import require_finite
from statfast.generative.normal.class_moments import MULTIPLICATIONS_OF_CALL

MAX_ROWS_AT_ONCE = 256  # So many contiguous rows go to the kernel in one piece.
MIN_OPERATIONS_OF_BLOCK = 2e6  # Smaller blocks take less time than to hand them to a thread.


def fill_by_rule(out: Array, kernel: Any, rows: Array, rule: tuple[Any, ...], n_jobs: Jobs) -> None:
    """Let ``kernel(block, *rule, out)`` fill ``out``, of one entry per row.

    The kernel returns whether its scores are finite. If not all are, the rows are looked through:
    that spares finite rows a pass of their own.
    """
    n, size = rows.shape[0], rule[0].size
    cost = size + 16 * len(rule[0])  # Scores and exponentials of one row.
    step = max(64, int(MULTIPLICATIONS_OF_CALL / max(1, cost)))

    def work(task: slice) -> int:
        finite = True
        for start in range(task.start, task.stop, step):
            checkpoint()
            part = slice(start, min(task.stop, start + step))
            finite &= kernel(np.ascontiguousarray(rows[part]), *rule, out[part])
        return finite

    if out.size == 0:  # There are no canonical variates: all class means are equal.
        finite = False
    elif n <= MAX_ROWS_AT_ONCE and n * cost <= MULTIPLICATIONS_OF_CALL and rows.flags.c_contiguous:
        finite = kernel(rows, *rule, out)
    else:
        # Reading a value costs about as much as eight operations on one in cache.
        row_cost = 2.0 * size + 8.0 * rows.shape[1]
        blocks = grid(n, max(256, int(MIN_OPERATIONS_OF_BLOCK / row_cost)))
        finite = all(each(work, blocks, n_jobs=n_jobs, effort=n * row_cost))
    if not finite:
        require_finite(rows)


def apply_rule(kernel: Any, rows: Array, rule: tuple[Any, ...], n_jobs: Jobs) -> Array:
    """What the kernel says of each row, (n, K): float32 for float32 rows, else float64."""
    dtype = np.float32 if rows.dtype == np.float32 else np.float64
    out = np.empty((rows.shape[0], len(rule[0])), dtype)
    fill_by_rule(out, kernel, rows, rule, n_jobs)
    return out


def normal_scores(
    rows: Array, mean: Array, whitener: Array, height: float, times: float, n_jobs: Jobs
) -> Array:
    """height - |times W (x - mean)|^2 / 2 of each row, for a whitener W (r, d)."""
    factors = np.ascontiguousarray(times * whitener)[None]
    near = np.where(np.abs(mean) < 1e37, mean, 0.0).astype(np.float32)
    offsets = (factors[0] @ (mean - near))[None]
    triangular = factors.shape[1] == len(near) and not np.triu(factors[0], 1).any()
    rule = factors, offsets, near[None], np.array([height]), triangular
    return apply_rule(quadratic_scores.scores, rows, rule, n_jobs)[:, 0]


def squared_distances(rows: Array, mean: Array, whitener: Array, n_jobs: Jobs) -> Array:
    """|W (x - mean)|^2 of each row."""
    return np.abs(normal_scores(rows, mean, whitener, 0.0, np.sqrt(2.0), n_jobs))


@cache
def log_softmax_of(kernels: Any) -> Callable[..., Any]:
    """The kernel `softmax` of a module of kernels on the logarithmic scale."""

    def log_softmax(block: Array, *rule_and_out: Any) -> int:
        *rule, out = rule_and_out
        delta = np.empty(out.shape)
        finite = kernels.scores(block, *rule, delta)
        with np.errstate(invalid="ignore"):  # Scores that are not finite are reported.
            delta -= delta.max(axis=1, keepdims=True)
            delta -= np.log(np.exp(delta).sum(axis=1, keepdims=True))
        if out.dtype == np.float32:
            delta[delta >= -(2.0**-25)] = 0.0  # The posterior in float32 is 1.
        out[...] = delta
        return finite

    return log_softmax


def with_all_classes(coef: Array, intercept: Array) -> tuple[Array, Array]:
    """Scores of each class; of two classes the first scores 0, so that all methods agree."""
    if len(coef) == 1:
        coef = np.vstack([np.zeros_like(coef), coef])
        intercept = np.append(0.0, intercept)
    return coef, intercept
