# SPDX-License-Identifier: BSD-3-Clause
"""Sums over rows for multinomial logistic models: loss, gradient and what Hessians are made of.

Columns are moved to their means and scaled by powers of two inside: neither changes the answer, and
columns far from 0 lose no digits.
"""

from dataclasses import dataclass, replace

import numpy as np

from statfast._blocks import checkpoint, reduce
from statfast._chunks import Chunks
from statfast._core import multinomial as kernel
from statfast._extent import extent_of, scale_of
from statfast._validation import require_finite

LARGEST = 2.0**480  # scale: its square is a number, too
CALL = 5e8  # flop of a kernel call: well below 0.1 s


@dataclass(frozen=True)
class Frame:
    """Rows as the kernel sees them: z = (x - shift) * scale, after a 1 for the intercept."""

    intercept: bool
    shift: np.ndarray  # (d,)
    scale: np.ndarray  # (d,)

    def design(self, block: np.ndarray) -> np.ndarray:
        """The rows z of a block of rows x, (m, q)."""
        z = (block - self.shift) * self.scale
        return np.column_stack([np.ones(len(z)), z]) if self.intercept else z

    def from_user(self, coef: np.ndarray) -> np.ndarray:
        """Coefficients (K, q) of 1 and x as those of z."""
        out = coef.copy()
        out[:, int(self.intercept) :] /= self.scale
        if self.intercept:
            out[:, 0] += coef[:, 1:] @ self.shift
        return out

    def to_user(self) -> np.ndarray:
        """The (q, q) matrix that turns coefficients of z into those of 1 and x."""
        turn = np.diag(np.append(np.ones(int(self.intercept)), self.scale))
        if self.intercept:
            turn[0, 1:] = -self.shift * self.scale
        return turn


class Sums:
    """Sums over the rows, for coefficients in the frame."""

    def __init__(self, rows, codes, weights, n_classes, intercept, n_jobs):
        self.rows, self.codes, self.weights, self.n_jobs = rows, codes, weights, n_jobs
        self.n_classes = n_classes
        self.frame = frame_of(rows, intercept, n_jobs)
        self._measure()

    def take(self, columns):
        """Go on with a copy of some of the columns."""
        frame, rows = self.frame, self.rows
        if isinstance(rows, Chunks):
            self.rows = Chunks(lambda: (chunk[:, columns] for chunk in rows))
        else:
            self.rows = np.ascontiguousarray(rows[:, columns])
        self.frame = replace(frame, shift=frame.shift[columns], scale=frame.scale[columns])
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


def mirrored(lower):
    """Symmetric matrices from their lower triangles."""
    lower = np.tril(lower)
    return lower + np.swapaxes(np.tril(lower, -1), -1, -2)


def frame_of(rows, intercept, n_jobs):
    """Columns about their means, where an intercept allows it, and of size 1/2 to 1."""
    extent = extent_of(rows, n_jobs)
    with np.errstate(over="ignore", invalid="ignore"):
        shift = extent.mean if intercept else np.zeros(len(extent.total))
        reach = np.maximum(np.abs(extent.high - shift), np.abs(extent.low - shift))
    if not (np.isfinite(reach).all() and np.isfinite(extent.total).all()):
        if isinstance(rows, np.ndarray):
            require_finite(rows)
        raise ValueError(
            "X holds values so large that their sums overflow. Divide its columns by their size."
        )
    scale = np.array([scale_of(r) for r in reach.tolist()])
    return Frame(intercept, shift, np.minimum(scale, LARGEST))
