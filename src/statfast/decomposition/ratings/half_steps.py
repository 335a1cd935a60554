# SPDX-License-Identifier: BSD-3-Clause
"""Alternating least squares on ratings: rows' factors from columns', and the other way round."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from statfast._core.decomposition import ratings as kernel
from statfast._engine import checkpoint, each
from statfast.decomposition.components.moments import moments_of

MULTIPLICATIONS_OF_CALL = 2e8  # A call takes well below 0.1 s.
MAX_PARTS = 64
# Until the objective falls by less, steps are in float32, which knows it to about 1e-6.
ROUGH_UNTIL = 1e-4


@dataclass(frozen=True)
class RatingLines:
    """Ratings line by line: those of users, or those of items."""

    starts: NDArray[np.intp]  # (n + 1,)
    places: NDArray[np.int32]
    targets: NDArray[np.float64]
    weights: NDArray[np.float64] | None  # The confidence beyond that of an item that is not rated.

    @property
    def counts(self):
        return np.diff(self.starts)


def lines_of(rows, alpha=None) -> RatingLines:
    """RatingLines of a CSR matrix of ratings; with `alpha`, of implicit feedback.

    There the confidence is 1 + alpha r, of which 1 is that of every pair, in the base matrix; the
    target is such that weight times target is the confidence.
    """
    starts = rows.indptr.astype(np.intp, copy=False)
    places = rows.indices.astype(np.int32, copy=False)
    values = rows.data.astype(np.float64, copy=False)
    if alpha is None:
        return RatingLines(starts, places, values, None)
    weights = alpha * values
    return RatingLines(starts, places, 1.0 + 1.0 / weights, weights)


@dataclass(frozen=True)
class RatingsPenalty:
    """lambda |x|^2, or lambda times the number of ratings, on each line."""

    size: float
    counted: bool

    def penalty_of(self, factors, counts):
        squares = (factors**2).sum(axis=1)
        return self.size * float((squares * counts if self.counted else squares).sum())


def half_step(lines: RatingLines, table, penalty: RatingsPenalty, n_jobs=None, rough=False):
    """Factors (n, q) of all lines, and what is left of their objectives.

    ``table`` (m, q + 1) holds the factors of the other side, and last what is taken off ratings.
    With `rough`, products are made and summed in float32 where `in_single` allows.
    """
    n, q = len(lines.starts) - 1, table.shape[1] - 1
    out, base = np.empty((n, q)), None
    single = table.astype(np.float32) if rough and in_single(lines, table, penalty) else None
    if lines.weights is not None:
        factors = np.ascontiguousarray(table[:, :q])
        base = moments_of(factors, None, center=False, n_jobs=n_jobs).matrix()
    # Of about the same work, and the same for any number of threads.
    most = max(
        1, min(int(MULTIPLICATIONS_OF_CALL / (q + 1) ** 2), -(-len(lines.places) // MAX_PARTS))
    )
    cuts = np.searchsorted(lines.starts, np.arange(0, len(lines.places) + most, most))
    cuts = np.unique(np.clip(np.concatenate([[0], cuts, [n]]), 0, n))
    # Rows of few ratings are solved together.
    step = max(64, int(MULTIPLICATIONS_OF_CALL / (q + 1) ** 3))

    def work(part):
        left = []
        for first in range(*part, step):
            checkpoint()
            left.append(
                kernel.half_step(
                    lines.starts, lines.places, lines.targets, lines.weights, first,
                    min(first + step, part[1]), table, single, base, penalty.size,
                    penalty.counted, out,
                )
            )  # fmt: skip
        return sum(left)

    parts = list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))
    effort = float(len(lines.places)) * (q + 1) ** 2 + n * float(q) ** 3
    return out, sum(each(work, parts, n_jobs=n_jobs, effort=effort))


def in_single(lines, table, penalty):
    """Whether products in float32 lead to about the same factors.

    Their errors are some 1e-6 of the largest |z|^2, at each rating; that must be little beside the
    penalty. Nor may squares overflow or vanish.
    """
    largest = float((table**2).sum(axis=1).max(initial=0.0))
    size = float(np.square(lines.targets).mean())
    ridge = penalty.size if penalty.counted else penalty.size / lines.counts.max()
    return ridge >= 1e-4 * largest and all(1e-20 < x < 1e20 for x in (largest, size))


def table_of(factors, k, level, biased):
    """Factors as the other side reads them: k numbers, a one for its own bias, and what is known.

    ``factors`` (m, k + biased) ends with the biases of this side.
    """
    table = np.zeros((len(factors), k + biased + 1))
    table[:, :k] = factors[:, :k]
    if biased:
        table[:, k] = 1.0
        table[:, k + 1] = level + factors[:, k]
    return table


def alternate(rows, columns, start, k, level, penalties, limits, n_jobs=None):
    """Alternate until the objective falls by no more than a share of itself.

    Parameters
    ----------
    rows, columns : RatingLines
        The same ratings, by user and by item.
    start : ndarray of shape (m, k + biased)
        Factors of items to begin with.
    k, level : int, float
    penalties : RatingsPenalty
    limits : tuple (max_iter, tol)

    Returns
    -------
    users, items : ndarray of shape (n, q) and (m, q)
        The users' are solved for last.
    history : list of float
        The objective after each iteration.
    """
    biased = start.shape[1] - k
    items, history = start, []
    implicit = rows.weights is not None
    constant = 0.0
    if implicit:  # The kernel takes the confidences for the weights: the rest is taken off.
        constant = float((1.0 + rows.weights - rows.weights * rows.targets**2).sum())
    rough = not implicit  # Far from the end steps are in float32: suite ratings, k = 50, 1.5x.
    energy = float(np.square(rows.targets - level).sum())
    for number in range(limits[0]):
        rough = rough and number < limits[0] - 1
        users, _ = half_step(rows, table_of(items, k, level, biased), penalties, n_jobs, rough)
        table = table_of(users, k, level, biased)
        items, left = half_step(columns, table, penalties, n_jobs, rough)
        history.append(left + constant + penalties.penalty_of(users, rows.counts))
        if len(history) > 1:
            share = (history[-2] - history[-1]) / abs(history[-1]) if history[-1] else 0.0
            if not rough and share <= limits[1]:
                break
            rough = rough and share > ROUGH_UNTIL and history[-1] > 0.01 * energy
    users, _ = half_step(rows, table_of(items, k, level, biased), penalties, n_jobs)
    return users, items, history
