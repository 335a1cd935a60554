# SPDX-License-Identifier: BSD-3-Clause
"""Shapley values of sums of trees, of the cover of their leaves or of a background."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from statfast._core.cart.shap import shap
from statfast._engine import checkpoint, each
from statfast._typing import Array, Jobs
from statfast._validation import refuse_large

STEPS_PER_CALL = 1e8  # of a kernel: some ten milliseconds
MAX_ROWS = 256  # rows of a block, for which the tables of a tree are made once
ROWS_TOGETHER = 32  # of the kernel


class TreeGame:
    """The game of a sum of trees: what a tree answers where some columns are not asked about.

    Parameters
    ----------
    trees : AdditiveTrees
        Of a model, with rows to explain.
    """

    def __init__(self, trees: Any) -> None:
        predictor = trees.predictor
        self.predictor, self.output = predictor, trees.output
        self.first, self.rows, self.p = trees.first, trees.rows, trees.rows.shape[1]
        values, self.outputs = predictor.values, len(trees.first)
        self.repeats_last = trees.sums_to_one and self.outputs > 1
        if self.repeats_last:
            values = np.ascontiguousarray(values[:, :-1])
        self.channels, n_nodes = values.shape[1], len(predictor.nodes)
        self.root = np.append(predictor.root, n_nodes)
        T = len(predictor.root)
        work = [np.zeros(n_nodes), np.zeros(n_nodes), np.zeros(n_nodes, np.int32)]
        self.trees = shap.Trees(
            predictor.nodes, self.root, values, predictor.sets, *predictor.surrogates,
            trees.output, *work, np.zeros(T, np.int64),
        )  # fmt: skip
        self.longest = 1
        for t in range(T):
            self.longest = max(self.longest, self.trees.find_paths(t, trees.cover, self.p))
            checkpoint()
        ends = np.append(predictor.first, len(values))
        total = np.add.reduceat(trees.cover, predictor.first)
        share = trees.cover / np.repeat(total, np.diff(ends))
        means = np.add.reduceat(share[:, None] * predictor.values, predictor.first, axis=0)
        if trees.output is None:
            self.mean = self.first + means.sum(axis=0)
        else:
            self.mean = self.first + np.bincount(trees.output, means[:, 0], self.outputs)

    def covered(self, pairs: bool, n_jobs: Jobs) -> Array:
        """Values by the cover of leaves, (n, p, C), or of pairs (n, p, p, C).

        Parameters
        ----------
        pairs : bool
        n_jobs : int or None

        Returns
        -------
        ndarray
        """
        n_points = -(-self.longest // 2)
        point, weight = np.polynomial.legendre.leggauss(n_points)
        point, weight = (point + 1.0) / 2.0, weight / 2.0
        steps = 2.0 * n_points * self.channels * (2.0 * self.longest if pairs else 1.0)

        def add(trees: tuple[int, int], rows: Array, out: Array) -> None:
            self.trees.add(*trees, rows, point, weight, pairs, out)

        return self._sum(add, steps, MAX_ROWS, pairs, n_jobs)

    def against(self, background: Array, weights: Array, pairs: bool, n_jobs: Jobs) -> Array:
        """Values against the rows of a background, with weights that sum to 1.

        Parameters
        ----------
        background : ndarray of shape (b, p)
        weights : ndarray of shape (b,)
        pairs : bool
        n_jobs : int or None

        Returns
        -------
        ndarray
            As of `covered`.
        """
        beta = beta_integrals(self.longest)
        steps = 20.0 * self.longest * len(weights) * (self.longest if pairs else 1)
        cuts = np.arange(0, len(weights), max(1, int(STEPS_PER_CALL / (10.0 * self._largest()))))

        def add(trees: tuple[int, int], rows: Array, out: Array) -> None:
            for begin, end in zip(cuts, [*cuts[1:], len(weights)], strict=True):
                self.trees.add_background(
                    *trees, rows, background[begin:end], weights[begin:end], beta, pairs, out
                )
                checkpoint()

        return self._sum(add, steps, 1, pairs, n_jobs)

    def answers(self, rows: Array, n_jobs: Jobs) -> Array:
        """The sums of the trees for rows, without what they begin with.

        Parameters
        ----------
        rows : ndarray of shape (m, p)
        n_jobs : int or None

        Returns
        -------
        ndarray of shape (m, outputs)
        """
        if self.output is None:
            return self.predictor.sums(rows, n_jobs=n_jobs)
        leaves = self.predictor.leaves(rows, n_jobs=n_jobs) + self.predictor.first
        sums = np.zeros((len(rows), self.outputs))
        for leaf, output in zip(leaves.T, self.output, strict=True):
            sums[:, output] += self.predictor.values[leaf, 0]
        return sums

    def _largest(self) -> int:
        return int(np.diff(self.root).max())

    def _sum(self, add: Any, steps: float, most: int, pairs: bool, n_jobs: Jobs) -> Array:
        """The sums over all trees of rows in blocks; `steps` are those of a row and node."""
        n, kept = len(self.rows), self.outputs - self.repeats_last
        shape = (n, self.p, self.p if pairs else 1, kept)
        refuse_large(8.0 * np.prod(shape, dtype=float), "Shapley values", "Pass fewer rows.")
        out = np.zeros(shape)
        together = min(most, ROWS_TOGETHER)
        block = min(most, max(4 * together, -(-n // 16)))
        block = -(-block // together) * together

        def work(begin: int) -> None:
            part = slice(begin, min(begin + block, n))
            rows = np.ascontiguousarray(self.rows[part], dtype=np.float64)
            for trees, count in self._pieces(steps, len(rows)):
                for start in range(0, len(rows), count):
                    end = start + count
                    add(trees, rows[start:end], out[part][start:end])
                    checkpoint()

        effort = 0.5 * steps * n * float(self.root[-1])
        each(work, range(0, n, block), n_jobs=n_jobs, effort=effort)
        if self.repeats_last:
            out = np.concatenate([out, -out.sum(axis=-1, keepdims=True)], axis=-1)
        return out if pairs else out[:, :, 0]

    def _pieces(self, steps: float, n_rows: int) -> Iterator[tuple[tuple[int, int], int]]:
        """Yield runs of trees, and how many rows go through them in a call."""
        begin, last = 0, len(self.root) - 1
        most = STEPS_PER_CALL / steps
        while begin < last:
            end = int(np.searchsorted(self.root, self.root[begin] + most / n_rows, "right")) - 1
            end = min(max(end, begin + 1), last)
            nodes = float(self.root[end] - self.root[begin])
            count = n_rows
            if nodes * n_rows > most:
                count = max(1, int(most / nodes / ROWS_TOGETHER)) * ROWS_TOGETHER
            yield (begin, end), count
            begin = end


def beta_integrals(most: int) -> Array:
    """The integrals of t^u (1 - t)^v on [0, 1].

    Parameters
    ----------
    most : int
        The largest u and v.

    Returns
    -------
    ndarray of shape (most + 1, most + 1)
    """
    refuse_large(8.0 * (most + 1.0) ** 2, "Weights of columns", "Grow trees of less depth.")
    v = np.arange(most + 1.0)
    table = np.empty((most + 1, most + 1))
    table[0] = 1.0 / (v + 1.0)
    for u in range(1, most + 1):
        table[u] = table[u - 1] * u / (u + v + 1.0)
    return table


def with_main_effects(pairs: Array, values: Array) -> Array:
    """Interactions, symmetric, whose sums over columns are the values of columns.

    Parameters
    ----------
    pairs : ndarray of shape (n, p, p, C)
        Half of the interactions, off the diagonal.
    values : ndarray of shape (n, p, C)

    Returns
    -------
    ndarray of shape (n, p, p, C)
    """
    pairs = (pairs + pairs.transpose(0, 2, 1, 3)) / 2.0
    diagonal = np.arange(pairs.shape[1])
    pairs[:, diagonal, diagonal] = 0.0
    pairs[:, diagonal, diagonal] = values - pairs.sum(axis=2)
    return pairs
