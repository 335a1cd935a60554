# SPDX-License-Identifier: BSD-3-Clause
"""Shapley values of sums of trees, of the cover of their leaves or of a background."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from statfast._core.cart.shap import shap
from statfast._engine import checkpoint, each, usable_threads
from statfast._typing import Array, Jobs
from statfast._validation import refuse_large

STEPS_PER_CALL = 1e8  # of a kernel: some ten milliseconds
WORD = 32  # rows in a word of bits of the kernel
STEPS_OF_SUBTREES = 4.0  # of a kernel, for a row and node
STEPS_OF_BACKGROUND = 12.0  # the same for a word of rows of a background, and once more
BACKGROUND_WORD = 64  # rows of the background in a word of bits of the kernel
MAX_ROWS_OF_BACKGROUND = 512  # of a call
MAX_ROWS_OF_BLOCK = 16384  # whose patterns are shared
MAX_BYTES_OF_VALUES = 1 << 22  # of the values of a block, near the cache
POINTS = (*range(1, 17), 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)  # of a rule


class TreeGame:
    """The game of a sum of trees: what a tree answers where some columns are not asked about.

    Parameters
    ----------
    trees : AdditiveTrees
        Of a model.
    rows : ndarray of shape (m, p)
        To explain, in the form of the trees.
    """

    def __init__(self, trees: Any, rows: Array) -> None:
        predictor = trees.predictor
        self.sum, self.predictor, self.output = trees, predictor, trees.output
        self.first, self.rows, self.p = trees.first, rows, rows.shape[1]
        values, self.outputs = predictor.values * trees.scale, len(trees.first)
        self.repeats_last = trees.sums_to_one and self.outputs > 1
        if self.repeats_last:
            values = np.ascontiguousarray(values[:, :-1])
        self.channels, n_nodes = values.shape[1], len(predictor.nodes)
        self.root = np.append(predictor.root, n_nodes)
        T = len(predictor.root)
        work = [np.zeros(n_nodes), np.zeros(n_nodes), np.zeros((3, n_nodes), np.int32)]
        self.trees = shap.Trees(
            predictor.nodes, self.root, values, predictor.sets, *predictor.surrogates,
            trees.output, *work, np.zeros((T, 2), np.int64),
        )  # fmt: skip

    @property
    def mean(self) -> Array:
        """The mean answer of the fit, for each output."""
        predictor, cover = self.predictor, self.sum.cover
        ends = np.append(predictor.first, len(predictor.values))
        total = np.add.reduceat(cover, predictor.first)
        share = cover / np.repeat(total, np.diff(ends)) * self.sum.scale
        means = np.add.reduceat(share[:, None] * predictor.values, predictor.first, axis=0)
        if self.output is None:
            return self.first + means.sum(axis=0)
        return self.first + np.bincount(self.output, means[:, 0], self.outputs)

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
        cover = self.sum.cover
        self.longest = self._longest(lambda t: self.trees.find_paths(t, cover, self.p))
        rules = quadrature_rules(self.longest)

        def add(piece: tuple[int, ...], rows: tuple[Array, Array], out: Array) -> None:
            self.trees.add(*piece, *rows, *rules, pairs, out)

        return self._sums([add], STEPS_OF_SUBTREES, pairs, n_jobs)

    def against(self, background: Array, pairs: bool, n_jobs: Jobs) -> Array:
        """Values against the rows of a background, averaged.

        Parameters
        ----------
        background : ndarray of shape (b, p)
        pairs : bool
        n_jobs : int or None

        Returns
        -------
        ndarray
            As of `covered`.
        """
        self.longest = min(self._longest(self.trees.find_depth), self.p)
        beta, size = beta_integrals(self.longest), len(background)
        parts = [
            _by_columns(background[begin : begin + MAX_ROWS_OF_BACKGROUND], BACKGROUND_WORD)
            for begin in range(0, size, MAX_ROWS_OF_BACKGROUND)
        ]

        def add(
            fraction: tuple[Array, Array],
            piece: tuple[int, ...],
            rows: tuple[Array, Array],
            out: Array,
        ) -> None:
            self.trees.add_background(*piece, *rows, *fraction, 1.0 / size, beta, pairs, out)

        adds = [partial(add, fraction) for fraction in parts]
        effort = STEPS_OF_BACKGROUND * (1.0 + len(parts[0][0]) / BACKGROUND_WORD)
        return self._sums(adds, effort, pairs, n_jobs, in_order=True)

    def _longest(self, find: Callable[[int], int]) -> int:
        longest = 1
        for t in range(len(self.root) - 1):
            longest = max(longest, find(t))
            checkpoint()
        return longest

    def _sums(
        self,
        adds: Sequence[Callable[..., None]],
        effort: float,
        pairs: bool,
        n_jobs: Jobs,
        in_order: bool = False,
    ) -> Array:
        """What each of `adds` adds for blocks of rows and pieces of trees, at `effort` steps for a
        node; `in_order`, if it adds leaf by leaf, however trees are cut into pieces."""
        steps = effort * self.channels * (2.0 * self.longest if pairs else 1.0)
        n, out = len(self.rows), self._zeros(pairs)
        room = MAX_BYTES_OF_VALUES / max(8.0 * out[:1].size, 1.0)
        most = int(min(max(room, WORD), MAX_ROWS_OF_BLOCK))
        block = -(-min(most, -(-n // usable_threads(n_jobs))) // WORD) * WORD
        # The order of other sums depends on pieces, which therefore do not depend on rows.
        nodes = max(1, int(STEPS_PER_CALL / (steps * (min(block, n) if in_order else most))))

        def work(begin: int) -> None:
            part = slice(begin, min(begin + block, n))
            rows = _by_columns(self.rows[part], WORD)
            for add in adds:
                for first, last in self._runs(nodes):
                    for start in range(0, int(np.diff(self.root[first : last + 1]).max()), nodes):
                        add((first, last, start, start + nodes), rows, out[part])
                        checkpoint()

        each(work, range(0, n, block), n_jobs=n_jobs, effort=steps * n * float(self.root[-1]))
        return self._with_last(out, pairs)

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
            return self.predictor.sums(rows, n_jobs=n_jobs) * self.sum.scale
        leaves = self.predictor.leaves(rows, n_jobs=n_jobs) + self.predictor.first
        sums = np.zeros((len(rows), self.outputs))
        for leaf, output in zip(leaves.T, self.output, strict=True):
            sums[:, output] += self.predictor.values[leaf, 0]
        return sums * self.sum.scale

    def _zeros(self, pairs: bool) -> Array:
        kept = self.outputs - self.repeats_last
        shape = (len(self.rows), self.p, self.p if pairs else 1, kept)
        refuse_large(8.0 * np.prod(shape, dtype=float), "Shapley values", "Pass fewer rows.")
        return np.zeros(shape)

    def _with_last(self, out: Array, pairs: bool) -> Array:
        """The sums with the output that follows from others."""
        if self.repeats_last:
            out = np.concatenate([out, -out.sum(axis=-1, keepdims=True)], axis=-1)
        return out if pairs else out[:, :, 0]

    def _runs(self, most: float) -> Iterator[tuple[int, int]]:
        """Yield runs of trees that have `most` nodes, or of a single one."""
        begin, last = 0, len(self.root) - 1
        while begin < last:
            end = int(np.searchsorted(self.root, self.root[begin] + most, "right")) - 1
            end = max(end, begin + 1)
            yield begin, end
            begin = end


def _by_columns(rows: Array, word: int) -> tuple[Array, Array]:
    """Rows, and the same by columns, of a length that is a multiple of a word's."""
    rows = np.ascontiguousarray(rows, dtype=np.float64)
    columns = np.zeros((rows.shape[1], -(-len(rows) // word) * word))
    columns[:, : len(rows)] = rows.T
    return rows, columns


def quadrature_rules(longest: int) -> tuple[Array, Array, Array, Array]:
    """Rules of Gauss-Legendre on [0, 1], exact for paths of so many columns.

    Parameters
    ----------
    longest : int
        The most columns of a path.

    Returns
    -------
    of_width : ndarray of shape (longest + 1,)
        The rule of a path.
    begin : ndarray of shape (rules + 1,)
        Where points of rules begin; the last rule is the longest.
    point, weight : ndarray of shape (points,)
    """
    most = max(1, -(-longest // 2))
    counts = [count for count in POINTS if count < most] + [most]
    rules = [np.polynomial.legendre.leggauss(count) for count in counts]
    point = np.concatenate([rule[0] for rule in rules])
    weight = np.concatenate([rule[1] for rule in rules])
    of_width = np.searchsorted(counts, -(-np.arange(longest + 1) // 2)).astype(np.int64)
    begin = np.concatenate([[0], np.cumsum(counts)])
    return of_width, begin, (point + 1.0) / 2.0, weight / 2.0


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
