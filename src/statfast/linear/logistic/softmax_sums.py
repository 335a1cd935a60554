# SPDX-License-Identifier: BSD-3-Clause
"""Sums over rows for multinomial logistic models: loss, gradient and what Hessians are made of.

Columns are moved to their means and scaled by powers of two inside: neither changes the answer, and
columns far from 0 lose no digits.
"""

from math import log

import numpy as np

from statfast._core.linear import multinomial as kernel
from statfast._engine import Chunks, checkpoint, reduce
from statfast._linalg import mirrored
from statfast.linear.design.standardization import Standardization, frame_of

CALL = 5e8  # flop of a kernel call: well below 0.1 s


class SoftmaxSums:
    """Sums over the rows, for coefficients in the frame."""

    def __init__(self, rows, codes, weights, n_classes, intercept, n_jobs):
        self.rows, self.codes, self.weights, self.n_jobs = rows, codes, weights, n_jobs
        self.n_classes = n_classes
        self.frame = frame_of(rows, intercept, n_jobs, weights)
        self.frame.refuse_tiny()
        self._measure()

    def take(self, columns):
        """Go on with a copy of some of the columns."""
        frame, rows = self.frame, self.rows
        if isinstance(rows, Chunks):
            self.rows = Chunks(lambda: (chunk[:, columns] for chunk in rows))
        else:
            self.rows = np.ascontiguousarray(rows[:, columns])
        parts = (part[columns] for part in (frame.shift, frame.scale, frame.extent))
        self.frame = Standardization(frame.intercept, *parts)
        self._measure()

    def _measure(self):
        n_classes = self.n_classes
        self.n = len(self.codes)
        self.q = len(self.frame.shift) + self.frame.intercept
        self.kp, self.tall, self.ld = kernel.shapes(self.q, n_classes)
        self.pass_cost = self.q * n_classes * 4.0 + 60.0 * n_classes  # of a row
        self.hessian_cost = 0.75 * self.q**2 * n_classes * (n_classes - 1)

    def at(self, coef, every=0):
        """Minus the log-likelihood, its gradient (K, q), and the (P, q, q) sums of the pairs.

        The pairs are summed over every so many rows of a block, weighted up; over none for 0.
        Loss and gradient are summed over all rows if there are pairs over all, or over none.
        """
        frame, n_classes = self.frame, self.n_classes
        if not self.q:  # all classes are as likely in every row
            mass = self.n if self.weights is None else float(self.weights.sum())
            pairs = np.zeros((n_classes * (n_classes - 1) // 2, 0, 0)) if every else None
            return mass * log(n_classes), np.zeros((n_classes, 0)), pairs
        table = np.zeros((self.q, self.kp))
        table[:, :n_classes] = coef.T
        n_pairs = n_classes * (n_classes - 1) // 2
        cost = self.pass_cost + (self.hessian_cost if every else 0.0)

        def partial(where, block, codes, weights):
            loss, gradient = np.zeros(1), np.zeros((self.kp, self.ld))
            pairs = np.zeros((n_pairs, self.tall, self.ld)) if every else None
            block = as_reals(block)
            if every > 1:
                block, codes = block[::every], codes[::every].copy()
                weights = None if weights is None else weights[::every].copy()
            for some in pieces(len(block), cost):
                share = None if weights is None else weights[some]
                kernel.sums(
                    block[some], codes[some], share, frame.shift, frame.scale, frame.intercept,
                    table, loss, gradient, pairs, n_classes,
                )  # fmt: skip
                checkpoint()
            return loss, gradient, pairs

        # A block should take a tenth of a millisecond, and far longer than adding up its sums.
        least = max(256, int(4e6 / cost), 2048 * every if every else 0)
        loss, gradient, pairs = reduce(
            partial, self.rows, self.codes, self.weights, merge=added, n_jobs=self.n_jobs,
            effort=cost * self.n / max(1, every), least=least,
        )  # fmt: skip
        if every:
            pairs = max(1, every) * mirrored(pairs[:, : self.q, : self.q])
        return float(loss[0]), gradient[:n_classes, : self.q], pairs

    def gram(self):
        """The weighted products of the columns, (q, q)."""
        frame, cost = self.frame, self.q**2
        if not self.q:
            return np.zeros((0, 0))

        def partial(where, block, weights):
            out, block = np.zeros((self.tall, self.ld)), as_reals(block)
            for some in pieces(len(block), cost):
                share = None if weights is None else weights[some]
                kernel.gram(block[some], share, frame.shift, frame.scale, frame.intercept, out)
                checkpoint()
            return (out,)

        (out,) = reduce(
            partial, self.rows, self.weights, merge=added, n_jobs=self.n_jobs,
            effort=cost * self.n, least=max(256, 4 * self.q, int(2e6 / cost)),
        )  # fmt: skip
        return mirrored(out[: self.q, : self.q])


def as_reals(block):
    """Bytes, as chunks may hold them, as numbers that the kernel takes."""
    return block.astype(np.float64) if block.dtype == np.uint8 else block


def pieces(n, cost):
    """Slices of so many rows that each takes a kernel call of bounded time."""
    step = max(64, int(CALL / cost))
    return [slice(start, start + step) for start in range(0, n, step)]


def added(total, more):
    """`total`, with all arrays of `more` added to its own."""
    for mine, theirs in zip(total, more, strict=True):
        if mine is not None:
            mine += theirs
    return total
