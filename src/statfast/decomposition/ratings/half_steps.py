# SPDX-License-Identifier: BSD-3-Clause
"""Alternating least squares on ratings: rows' factors from columns', and the other way round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.decomposition import ratings as kernel
from statfast._engine import checkpoint, each
from statfast._typing import Array, Jobs, Matrix
from statfast.decomposition.components.moments import moments_of

MULTIPLICATIONS_OF_CALL = 2e8  # A call takes well below 0.1 s.
MAX_PARTS = 64
# Steps are in float32, which knows the objective to about 1e-6, until it falls by a smaller share
# than this.
ROUGH_UNTIL = 1e-4
MIN_SQUARES = 1e-300  # A sum of squares of nonnegative factors below it is none.
MIN_EIGENVALUE = 1e-12  # of a Gram matrix, by its largest: below it the matrix is singular


@dataclass(frozen=True)
class RatingLines:
    """Ratings line by line: those of users, or those of items."""

    starts: NDArray[np.intp]  # (n + 1,)
    places: NDArray[np.int32]
    targets: NDArray[np.float64]
    weights: NDArray[np.float64] | None  # The confidence above that of an item that is not rated.

    @property
    def counts(self) -> Array:
        return np.diff(self.starts)


def lines_of(rows: Matrix, alpha: Any = None) -> RatingLines:
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
    bounded: int = 0  # The first so many factors are not negative.

    def ridges(self, counts: Any) -> Any:
        """Strength on each line, (n,), by how many ratings it has."""
        return self.size * (counts if self.counted else np.ones(len(counts)))

    def penalty_of(self, factors: Array, counts: Array) -> float:
        return float(self.ridges(counts) @ (factors**2).sum(axis=1))


def half_step(
    lines: RatingLines,
    table: Array,
    penalty: RatingsPenalty,
    n_jobs: Jobs = None,
    rough: bool = False,
) -> tuple[Array, float]:
    """Factors (n, q) of all lines, and what is left of their objectives.

    ``table`` (m, q + 1) holds the factors of the other side, and last what is taken off ratings.
    With `rough`, products are made and summed in float32 where `in_single` allows.
    """
    n, q = len(lines.starts) - 1, table.shape[1] - 1
    out, base, ridges = np.empty((n, q)), None, penalty.ridges(lines.counts)
    single = table.astype(np.float32) if rough and in_single(lines, table, penalty) else None
    if lines.weights is not None:
        factors = np.ascontiguousarray(table[:, :q])
        base = moments_of(factors, None, center=False, n_jobs=n_jobs).matrix()
    # Blocks have about the same work, and are the same for any number of threads.
    most = max(
        1, min(int(MULTIPLICATIONS_OF_CALL / (q + 1) ** 2), -(-len(lines.places) // MAX_PARTS))
    )
    cuts = np.searchsorted(lines.starts, np.arange(0, len(lines.places) + most, most))
    cuts = np.unique(np.clip(np.concatenate([[0], cuts, [n]]), 0, n))
    # Rows of few ratings are solved together.
    step = max(64, int(MULTIPLICATIONS_OF_CALL / (q + 1) ** 3))

    def work(part: tuple[int, int]) -> float:
        losses = []
        for first in range(*part, step):
            checkpoint()
            losses.append(
                kernel.half_step(
                    lines.starts, lines.places, lines.targets, lines.weights, first,
                    min(first + step, part[1]), table, single, base, ridges, penalty.bounded, out,
                )
            )  # fmt: skip
        return sum(losses)

    parts = list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))
    effort = float(len(lines.places)) * (q + 1) ** 2 + n * float(q) ** 3
    return out, sum(each(work, parts, n_jobs=n_jobs, effort=effort))


def in_single(lines: RatingLines, table: Array, penalty: RatingsPenalty) -> bool:
    """Whether products in float32 lead to about the same factors.

    Their errors are some 1e-6 of the largest |z|^2, at each rating; that must be little beside the
    penalty. Nor may squares overflow or vanish.
    """
    largest = float((table**2).sum(axis=1).max(initial=0.0))
    size = float(np.square(lines.targets).mean())
    ridge = penalty.size if penalty.counted else penalty.size / lines.counts.max()
    return ridge >= 1e-4 * largest and all(1e-20 < x < 1e20 for x in (largest, size))


def table_of(factors: Array, k: int, level: float, biased: int) -> Array:
    """Factors as the other side reads them: k numbers, a one for its own bias, and what is known.

    ``factors`` (m, k + biased) ends with the biases of this side.
    """
    table = np.zeros((len(factors), k + biased + 1))
    table[:, :k] = factors[:, :k]
    if biased:
        table[:, k] = 1.0
        table[:, k + 1] = level + factors[:, k]
    return table


def balanced(
    users: Any,
    items: Any,
    rows: RatingLines,
    columns: RatingLines,
    k: int,
    penalties: RatingsPenalty,
) -> Any:
    """Items' factors and biases by which, with users' to match, the same ratings cost the least.

    Half-steps change one side at a time, and where the penalty is small they approach slowly what
    is found at once here: the least penalty of all factors that predict the same. Nonnegative
    factors stay so if they are scaled, and no more is done to them.
    """
    of_users, of_items = (
        (lines.counts if penalties.counted else lines.counts > 0).astype(np.float64)
        for lines in (rows, columns)
    )
    x, y = (np.ascontiguousarray(factors[:, :k]) for factors in (users, items))
    biases = items[:, k:]
    if penalties.bounded:
        squares = (of_users @ x**2) / np.maximum(of_items @ y**2, MIN_SQUARES)
        return np.hstack([y * np.where(squares > 0.0, squares, 1.0) ** 0.25, biases])
    if biases.shape[1]:
        x, y, c = shifted(x, users[:, k], of_users, y, items[:, k], of_items)
        biases = c[:, None]
    return np.hstack([balanced_factors(x, of_users, y, of_items), biases])


def shifted(x: Any, b: Any, of_users: Any, y: Any, c: Any, of_items: Any) -> Any:
    """Factors of both sides and biases of items, after what biases can take from factors.

    x . y + b = x . (y - a) + (b + x . a): a solves a ridge regression; so it does for the other
    side, and a constant may go from one bias to the other. Lines without weight keep zeros.
    """
    a = shift_of(x, b, of_users, y, of_items)
    y, b = y - np.outer(of_items > 0.0, a), b + x @ a
    a = shift_of(y, c, of_items, x, of_users)
    x, c = x - np.outer(of_users > 0.0, a), c + y @ a
    constant = (of_items @ c - of_users @ b) / (of_items.sum() + of_users.sum())
    return x, y, c - constant * (of_items > 0.0)


def shift_of(x: Any, b: Any, of_x: Any, y: Any, of_y: Any) -> Any:
    """The a with the least sum of of_y |y - a|^2 and of_x (b + x . a)^2."""
    k = x.shape[1]
    gram = moments_of(x, of_x, center=False).matrix() + of_y.sum() * np.eye(k)
    return np.linalg.solve(gram, of_y @ y - (of_x * b) @ x)


def balanced_factors(x: Any, of_users: Any, y: Any, of_items: Any) -> Any:
    """Items' factors y M^-T with the least penalty of x M and y M^-T, whose products are x y'.

    With A and B the weighted Gram matrices of x and y, tr(M' A M) + tr(M^-1 B M^-T) is least where
    P = M M' solves P A P = B: at the geometric mean of A^-1 and B. Where one is singular, y stays.
    """
    A = moments_of(x, of_users, center=False).matrix()
    B = moments_of(y, of_items, center=False).matrix()
    roots = symmetric_roots(A)
    middle = roots and symmetric_roots(roots[0] @ B @ roots[0])
    mean = middle and symmetric_roots(roots[1] @ middle[0] @ roots[1])
    return y @ mean[1] if mean else y


def symmetric_roots(matrix: Any) -> Any:
    """The root of a positive definite matrix and its inverse; None of a singular one."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2.0)
    if not values[0] > MIN_EIGENVALUE * values[-1]:
        return None
    root = np.sqrt(values)
    return (vectors * root) @ vectors.T, (vectors / root) @ vectors.T


def alternate(
    rows: Any,
    columns: Any,
    start: Array,
    k: int,
    level: float,
    penalties: Any,
    limits: tuple[int, float],
    n_jobs: Any = None,
) -> tuple[Array, Array, list[float]]:
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
    users, items, history = np.zeros((len(rows.counts), start.shape[1])), start, []
    implicit = rows.weights is not None
    constant = 0.0
    if implicit:  # The kernel takes the confidences for the weights: the rest is taken off.
        constant = float((1.0 + rows.weights - rows.weights * rows.targets**2).sum())
    rough = not implicit  # Far from the end steps are in float32: suite ratings, k = 50, 1.5x.
    energy = float(np.square(rows.targets - level).sum())
    for number in range(limits[0]):
        rough = rough and number < limits[0] - 1
        if number and penalties.size > 0.0:
            items = balanced(users, items, rows, columns, k, penalties)
        users, _ = half_step(rows, table_of(items, k, level, biased), penalties, n_jobs, rough)
        table = table_of(users, k, level, biased)
        items, loss = half_step(columns, table, penalties, n_jobs, rough)
        history.append(loss + constant + penalties.penalty_of(users, rows.counts))
        if len(history) > 1:
            share = (history[-2] - history[-1]) / abs(history[-1]) if history[-1] else 0.0
            if not rough and share <= limits[1]:
                break
            rough = rough and share > ROUGH_UNTIL and history[-1] > 0.01 * energy
    users, _ = half_step(rows, table_of(items, k, level, biased), penalties, n_jobs)
    return users, items, history
