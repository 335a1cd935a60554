# SPDX-License-Identifier: BSD-3-Clause
"""Sums over rows for multinomial logistic models: loss, gradient and what Hessians are made of.

Columns are moved to their means and scaled by powers of two inside: neither changes the answer, and
columns far from 0 lose no digits.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from statfast._core.linear import multinomial as kernel
from statfast._engine import Chunks, Work, checkpoint, source_of
from statfast._linalg import mirrored
from statfast._typing import Array, Jobs
from statfast.linear.design.standardization import Standardization, frame_of

OPERATIONS_OF_CALL = 5e8  # A kernel call takes well below 0.1 s.


@dataclass
class Tables:
    """Numbers, arrays or None that add up."""

    tables: tuple[Any, ...]

    def __add__(self, other: Tables) -> Tables:
        both = zip(self.tables, other.tables, strict=True)
        return Tables(tuple(None if a is None else a + b for a, b in both))

    def __iadd__(self, other: Tables) -> Tables:
        for mine, theirs in zip(self.tables, other.tables, strict=True):
            if mine is not None:
                mine += theirs
        return self


class SoftmaxSums:
    """Sums over the rows of a source, for coefficients in the frame.

    Attributes
    ----------
    source : RowSource
        Of rows, codes of their classes, and weights or None.
    rows, codes, weights
        The same, where they are in memory.
    """

    def __init__(
        self,
        rows: Array,
        codes: Array,
        weights: Array | None,
        n_classes: int,
        intercept: bool,
        n_jobs: Jobs,
    ) -> None:
        frame = frame_of(rows, intercept, n_jobs, weights)
        frame.refuse_tiny()
        self.n_jobs = n_jobs
        self._read(rows, codes, weights)
        self._measure(frame, n_classes)

    def _read(self, rows: Array, codes: Array, weights: Array | None) -> None:
        self.rows, self.codes, self.weights, self.n = rows, codes, weights, len(codes)
        self.source = source_of((rows, codes, weights), self.n_jobs)

    def over(self, rows: slice) -> SoftmaxSums:
        """The same sums over a slice of the rows in memory."""
        out = copy(self)
        weights = None if self.weights is None else self.weights[rows]
        out._read(self.rows[rows], self.codes[rows], weights)
        return out

    def take(self, columns: Array) -> None:
        """Go on with a copy of some of the columns."""
        self._take(columns)
        frame = self.frame
        parts = (part[columns] for part in (frame.shift, frame.scale, frame.extent))
        self._measure(Standardization(frame.intercept, *parts), self.n_classes)

    def _take(self, columns: Array) -> None:
        rows = self.rows
        if isinstance(rows, Chunks):
            rows = Chunks(lambda chunks=rows: (chunk[:, columns] for chunk in chunks))
        else:
            rows = np.ascontiguousarray(rows[:, columns])
        self._read(rows, self.codes, self.weights)

    def _measure(self, frame: Standardization, n_classes: int) -> None:
        self.frame, self.n_classes = frame, n_classes
        self.q = len(frame.shift) + frame.intercept
        self.pass_cost = self.q * n_classes * 4.0 + 60.0 * n_classes  # The cost of a row.
        self.hessian_cost = 0.75 * self.q**2 * n_classes * (n_classes - 1)

    def sums_at(self, coef: Array, every: Any = 0) -> Any:
        """Minus the log-likelihood, its gradient (K, q), and the (P, q, q) sums of the pairs.

        The pairs are summed over every so many rows of a block, weighted up; over none for 0.
        Loss and gradient are summed over all rows if there are pairs over all, or over none.
        """
        n_classes = self.n_classes
        if not self.q:  # Without columns all classes are equally likely in every row.
            total_weight = self.n if self.weights is None else float(self.weights.sum())
            pairs = np.zeros((n_classes * (n_classes - 1) // 2, 0, 0)) if every else None
            return total_weight * log(n_classes), np.zeros((n_classes, 0)), pairs
        cost = self.pass_cost + (self.hessian_cost if every else 0.0)
        # A block should take a tenth of a millisecond, and far longer than adding up its sums.
        least = max(256, int(4e6 / cost), 2048 * every if every else 0)
        work = Work(sum_block, row_cost=cost / max(1, every), min_rows=least)
        loss, gradient, pairs = self.source.total(work, (self.frame, coef, every, cost)).tables
        if every:
            pairs = max(1, every) * mirrored(pairs)
        return float(loss[0]), gradient, pairs

    def gram(self) -> Array:
        """The weighted products of the columns, (q, q)."""
        cost = self.q**2
        if not self.q:
            return np.zeros((0, 0))
        least = max(256, 4 * self.q, int(2e6 / cost))
        work = Work(multiply_block, row_cost=cost, min_rows=least)
        (out,) = self.source.total(work, (self.frame, self.n_classes, cost)).tables
        return mirrored(out)


def sum_block(columns, state):
    """What `SoftmaxSums.sums_at` sums up, of a block."""
    (block, codes, weights), (frame, coef, every, cost) = columns, state
    n_classes, q = coef.shape
    n_pairs = n_classes * (n_classes - 1) // 2
    kp, tall, ld = kernel.shapes(q, n_classes)
    table = np.zeros((q, kp))
    table[:, :n_classes] = coef.T
    loss, gradient = np.zeros(1), np.zeros((kp, ld))
    pairs = np.zeros((n_pairs, tall, ld)) if every else None
    block = as_reals(block)
    if every > 1:
        block, codes = block[::every], codes[::every].copy()
        weights = None if weights is None else weights[::every].copy()
    for piece in pieces(len(block), cost):
        share = None if weights is None else weights[piece]
        kernel.sums(
            block[piece], codes[piece], share, frame.shift, frame.scale, frame.intercept,
            table, loss, gradient, pairs, n_classes,
        )  # fmt: skip
        checkpoint()
    return Tables((loss, gradient[:n_classes, :q], pairs[:, :q, :q] if every else None))


def multiply_block(columns: Any, state: Any) -> Tables:
    """The weighted products of the columns of a block."""
    (block, _, weights), (frame, n_classes, cost) = columns, state
    q = len(frame.shift) + frame.intercept
    _, tall, ld = kernel.shapes(q, n_classes)
    out, block = np.zeros((tall, ld)), as_reals(block)
    for piece in pieces(len(block), cost):
        share = None if weights is None else weights[piece]
        kernel.gram(block[piece], share, frame.shift, frame.scale, frame.intercept, out)
        checkpoint()
    return Tables((out[:q, :q],))


def as_reals(block: Array) -> Array:
    """Bytes, as chunks may hold them, as numbers that the kernel takes."""
    return block.astype(np.float64) if block.dtype == np.uint8 else block


def pieces(n: int, cost: float) -> list[slice]:
    """Slices of so many rows that each takes a kernel call of bounded time."""
    step = max(64, int(OPERATIONS_OF_CALL / cost))
    return [slice(start, start + step) for start in range(0, n, step)]
