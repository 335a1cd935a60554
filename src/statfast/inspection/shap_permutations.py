# SPDX-License-Identifier: BSD-3-Clause
"""Shapley values of any model from its answers: all subsets of few columns, or permutations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._engine import checkpoint, each
from statfast._typing import Array, Jobs
from statfast.inspection.row_table import RowTable
from statfast.inspection.tree_shap import beta_integrals

ROWS_PER_CALL = 1 << 15  # rows that a model answers at a time, about
MAX_EXACT_COLUMNS = 16


class RowMixtures:
    """Answers for rows that have some columns of a row, and the others of a background, averaged.

    Parameters
    ----------
    answers : callable
        From rows in the container of the table to (m, outputs).
    rows, background : RowTable
        To explain, and of the background.
    """

    def __init__(
        self, answers: Callable[[Any], Array], rows: RowTable, background: RowTable
    ) -> None:
        self.answers = answers
        self.n, self.p = int(rows.shape[0]), int(rows.shape[1])
        self.size, self.table = background.shape[0], rows.joined(background)

    def means(self, row: int, subsets: Array) -> Array:
        """The mean answer for a row with subsets of its columns.

        Parameters
        ----------
        row : int
        subsets : ndarray of bool, shape (m, p)

        Returns
        -------
        ndarray of shape (m, outputs)
        """
        step = max(1, ROWS_PER_CALL // self.size)
        own, means = np.arange(self.n, self.n + self.size), []
        for begin in range(0, len(subsets), step):
            part = subsets[begin : begin + step]
            places = np.where(part[:, None, :], row, own[:, None])
            answers = self.answers(self.table.mixed(places.reshape(-1, self.p)).values)
            means.append(answers.reshape(len(part), self.size, -1).mean(axis=1))
            checkpoint()
        return np.concatenate(means)


def exact_values(
    mixed: RowMixtures, pairs: bool, n_jobs: Jobs
) -> tuple[Array, Array, Array | None]:
    """Values from all subsets of the columns.

    Parameters
    ----------
    mixed : RowMixtures
    pairs : bool
        Whether interactions are wanted.
    n_jobs : int or None

    Returns
    -------
    (values, base, interactions)
        (n, p, outputs), (outputs,), and (n, p, p, outputs) or None: half of them, off the diagonal.
    """
    p = mixed.p
    numbers = np.arange(1 << p)
    subsets = (numbers[:, None] >> np.arange(p) & 1).astype(bool)
    size, beta = subsets.sum(axis=1), beta_integrals(p)

    def work(row: int) -> tuple[Array, Array, Array | None]:
        means = mixed.means(row, subsets)
        values = np.empty((p, means.shape[1]))
        twos: Any = np.zeros((p, p, means.shape[1])) if pairs else None
        for j in range(p):
            without = numbers[~subsets[:, j]]
            gain = means[without | 1 << j] - means[without]
            values[j] = beta[size[without], p - 1 - size[without]] @ gain
            for k in range(j) if twos is not None else ():
                neither = without[~subsets[without, k]]
                both = means[neither | 1 << j | 1 << k] - means[neither | 1 << k]
                both -= means[neither | 1 << j] - means[neither]
                weight = 0.5 * beta[size[neither], p - 2 - size[neither]]
                twos[j, k] = twos[k, j] = weight @ both
        return values, means[0], twos

    each_row = each(work, range(mixed.n), n_jobs=n_jobs)
    values, bases, twos = zip(*each_row, strict=True)
    return np.array(values), bases[0], np.array(twos) if pairs else None


def permutation_values(
    mixed: RowMixtures, n_permutations: int, entropy: int, n_jobs: Jobs
) -> tuple[Array, Array, Array]:
    """Values from random permutations of the columns, each with its reverse.

    Parameters
    ----------
    mixed : RowMixtures
    n_permutations : int
        Pairs.
    entropy : int
        Seed; each row has a generator of its own.
    n_jobs : int or None

    Returns
    -------
    (values, base, standard_errors)
        (n, p, outputs), (outputs,) and (n, p, outputs).
    """
    p = mixed.p
    steps = np.tri(p + 1, p, -1, dtype=bool)

    def work(row: int) -> tuple[Array, Array, Array]:
        rng = np.random.default_rng([entropy, row])
        orders = [rng.permutation(p) for _ in range(n_permutations)]
        subsets = np.empty((2 * n_permutations, p + 1, p), bool)
        for pair, order in enumerate(orders):
            subsets[2 * pair][:, order] = steps
            subsets[2 * pair + 1][:, order[::-1]] = steps
        inner = subsets[:, 1:p].reshape(-1, p)
        ends = mixed.means(row, np.array([[False] * p, [True] * p]))
        means = np.empty((2 * n_permutations, p + 1, ends.shape[1]))
        means[:, 0], means[:, p] = ends
        means[:, 1:p] = mixed.means(row, inner).reshape(-1, p - 1, ends.shape[1])
        gains = np.diff(means, axis=1)
        values = np.empty((n_permutations, p, ends.shape[1]))
        for pair, order in enumerate(orders):
            values[pair, order] = (gains[2 * pair] + gains[2 * pair + 1, ::-1]) / 2.0
        error = values.std(axis=0, ddof=1) / np.sqrt(n_permutations)
        return values.mean(axis=0), ends[0], error

    values, bases, errors = zip(*each(work, range(mixed.n), n_jobs=n_jobs), strict=True)
    return np.array(values), bases[0], np.array(errors)
