# SPDX-License-Identifier: BSD-3-Clause
"""Moments: weight, mean and scatter of rows; those of two samples add to those of both."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.linalg import products
from statfast._core.tile import tiles
from statfast._distance import near_mean
from statfast._engine import Chunks, checkpoint
from statfast._estimator import ColumnMoments, summed
from statfast._linalg import mirrored
from statfast._typing import Array, Jobs, Matrix
from statfast._validation import is_sparse, refuse_large, require_finite

# A shift that is this many standard deviations off costs four of sixteen digits.
MAX_DEVIATIONS_OF_SHIFT = 100.0
MAX_DEVIATIONS_OF_FLOAT32 = 1.0  # Products of float32 have seven digits to begin with.
OVERFLOW = "X holds values so large that their squares overflow. Divide its columns by their size."
MAX_TRACE = 1e307  # What rounding adds to such a trace does not overflow.
MIN_TRACE = 1e-290  # Smaller sums of squares have lost digits.
# Where all values are smaller, sums of squares may be 0 though they differ.
MAX_VALUE_WITHOUT_SQUARE = 1e-130
NUMBERS_OF_BLOCK = 1 << 19  # Adding the sums of a block of so many numbers to others costs little.
ROWS_OF_HEAD = 16  # The mean of so many rows is the first shift of a block.

# The most multiplications of a kernel call, so that Ctrl-C is looked for between two calls.
MULTIPLICATIONS_OF_CALL = min(1e9, 5e6 * prod(tiles.tile_shape("d")))


@dataclass(frozen=True)
class Moments:
    """Weight, mean and scatter of rows.

    Attributes
    ----------
    total_weight : float
        Sum of the weights.
    n : int
        Rows with a positive weight.
    mean : (d,), zeros where nothing is centered
    scatter : (d + 1, d + 1) or more, of which the lower triangle of (d, d) holds the sum of
        w (x - mean)(x - mean)'; the rest is anything
    centered : bool
    """

    total_weight: float
    n: int
    mean: NDArray[np.float64]
    scatter: NDArray[np.float64]
    centered: bool = True

    def __add__(self, other: Moments) -> Moments:
        total_weight, n = self.total_weight + other.total_weight, self.n + other.n
        # `require_finite_moments` refuses what overflows.
        with np.errstate(over="ignore", invalid="ignore"):
            scatter = self.scatter + other.scatter
            if not self.centered:
                return Moments(total_weight, n, self.mean, scatter, False)
            # Chan, Golub and LeVeque (1983): only differences of means are subtracted.
            share = other.total_weight / total_weight if total_weight > 0.0 else 0.0
            distance = other.mean - self.mean
            _add_outer(np.sqrt(self.total_weight * share) * distance, 1.0, scatter)
            return Moments(total_weight, n, self.mean + share * distance, scatter)

    def matrix(self) -> NDArray[np.float64]:
        """The scatter as a symmetric matrix (d, d)."""
        d = len(self.mean)
        return mirrored(self.scatter[:d, :d])

    def column_moments(self) -> ColumnMoments:
        """Those of the columns alone."""
        return ColumnMoments(self.total_weight, self.mean, self.diagonal(), float(self.n))

    def rescaled(self, shift: Any, scale: Any) -> Moments:
        """Those of the rows (x - shift) / scale; columns beyond those of `shift` stay."""
        d = len(self.mean)
        by, moved = np.ones(d), np.zeros(d)
        by[: len(scale)], moved[: len(shift)] = scale, shift
        scatter = self.scatter.copy()
        scatter[:d, :d] /= by[:, None] * by
        return Moments(self.total_weight, self.n, (self.mean - moved) / by, scatter)

    def diagonal(self) -> NDArray[np.float64]:
        d = len(self.mean)
        return self.scatter.diagonal()[:d].clip(0.0)


def block_moments(columns: tuple[Matrix, Array | None], state: bool) -> Moments:
    """Moments of a block of rows: ``columns`` is (X, weights), ``state`` whether to center.

    Rows are taken about the mean of the first few, so that taking off the mean costs a bit or two;
    where those lie far from the others, a second pass over the block restores the digits.
    """
    X, weights = columns
    if is_sparse(X):
        X = X.toarray()
    X = np.ascontiguousarray(X)
    return _of_block(X, weights, state)


def rounded_moments(columns: Any, state: Any) -> Any:
    """The same of float32 rows, multiplied in float32 (`products.scatter_rounded`)."""
    return _of_block(np.ascontiguousarray(columns[0]), None, state, rounded=True)


def _of_block(X: Array, weights: Array | None, centered: bool, rounded: bool = False) -> Moments:
    if not centered:
        return _about(np.zeros(X.shape[1]), X, weights, rounded, centered=False)[0]
    with np.errstate(over="ignore", invalid="ignore"):
        if weights is None:
            head = X[:ROWS_OF_HEAD].mean(axis=0, dtype=np.float64)
        else:
            head = near_mean(X, weights, ROWS_OF_HEAD)
        moments, far = _about(head, X, weights, rounded)
        return _about(moments.mean, X, weights, rounded)[0] if far else moments


def _about(
    shift: Array, X: Array, weights: Array | None, rounded: bool, *, centered: bool = True
) -> tuple[Moments, bool]:
    """Moments from sums about ``shift``, and whether it was far from the mean."""
    n, d = X.shape
    scatter = np.zeros((products.tall(d + 1), products.broad(d + 1)))
    step = max(64, int(MULTIPLICATIONS_OF_CALL / d**2))
    for start in range(0, n, step):
        where = slice(start, start + step)
        share = None if weights is None else weights[where]
        if rounded:
            products.scatter_rounded(X[where], shift, scatter)
        else:
            products.scatter(X[where], share, shift, scatter)
        if start + step < n:
            checkpoint()
    total_weight, sums = float(scatter[d, d]), scatter[d, :d]
    rows = n if weights is None else int(np.count_nonzero(weights))
    if not centered:
        return Moments(total_weight, rows, shift, scatter, False), False
    offset = sums / total_weight if total_weight > 0.0 else sums
    moved = np.sqrt(total_weight) * offset
    _add_outer(moved, -1.0, scatter)
    most = MAX_DEVIATIONS_OF_FLOAT32 if rounded else MAX_DEVIATIONS_OF_SHIFT
    far = (moved**2 > most**2 * scatter.diagonal()[:d]).any()
    return Moments(total_weight, rows, shift + offset, scatter), bool(far)


def _add_outer(v: Array, sign: float, scatter: Array) -> None:
    """scatter += sign v v', in place: a table of products would cost as much again."""
    side = np.zeros((1, scatter.shape[1]))
    side[0, : len(v)] = sign * v
    products.back(v[None], np.zeros(len(v)), side, scatter)


def moments_of(
    X: Any,
    weights: Array | None,
    *,
    center: bool = True,
    rounded: bool = False,
    n_jobs: Jobs = None,
) -> Moments:
    """Moments of all rows of an array, a sparse matrix (as dense blocks) or Chunks.

    With `rounded`, those of float32 rows without weights, multiplied in float32, which the caller
    has to look at: they may overflow where the rows are finite.

    Raises
    ------
    ValueError
        If X holds NaN or infinity, or values whose squares overflow.
    """
    d = None if isinstance(X, Chunks) else X.shape[1]
    if d is not None:
        refuse_large(24.0 * d * d, f"The scatter of {d} columns", "Ask for few components.")
    total = summed(
        rounded_moments if rounded else block_moments,
        (X, weights),
        center,
        n_jobs=n_jobs,
        effort=np.inf if d is None else float(X.shape[0]) * d * d,
        least=2048 if d is None else max(2048, NUMBERS_OF_BLOCK // d, 8 * d),
    )
    if rounded:
        return total
    require_finite_moments(total, None if d is None or is_sparse(X) else X)
    return total


def require_finite_moments(moments: Moments, X: Array | None) -> None:
    """Raise ValueError where X holds NaN, infinity or values whose squares overflow."""
    d = len(moments.mean)
    scatter = moments.scatter[:d, :d]
    if not (np.isfinite(scatter).all() and np.isfinite(moments.mean).all() and _adds_up(scatter)):
        if X is not None:
            require_finite(X)
        raise ValueError(OVERFLOW)
    require_squares(scatter, X, moments.centered)


def require_finite_gram(gram: Any, mean: Any, X: Any) -> None:
    """The same of a Gram matrix of rows."""
    if not (np.isfinite(gram).all() and np.isfinite(mean).all() and _adds_up(gram)):
        require_finite(X)
        raise ValueError(OVERFLOW)
    require_squares(gram, X)


def require_squares(matrix: Array, X: Array | None = None, centered: bool = True) -> None:
    """Refuse rows that vary so little that their squares vanish."""
    if matrix.trace() < MIN_TRACE:
        varies = matrix.trace() > 0.0
        if (
            not varies
            and isinstance(X, np.ndarray)
            and X.size
            and np.abs(X).max() < MAX_VALUE_WITHOUT_SQUARE
        ):
            varies = bool((X[:1] != X if centered else X).any())
        if varies:
            raise ValueError(
                "X holds values so close together that their squares vanish. Multiply it, so that "
                "its columns vary by about 1."
            )


def _adds_up(matrix: Array) -> bool:
    """Whether the trace is finite, up to which eigenvalues are."""
    with np.errstate(over="ignore"):
        return matrix.trace() < MAX_TRACE
