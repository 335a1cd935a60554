# SPDX-License-Identifier: BSD-3-Clause
"""Class moments: weight, mean and scatter, pooled or of each class, from one pass over the rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.rows.class_scatters import class_scatters as add_scatters
from statfast._core.rows.pooled_scatter import class_scatter
from statfast._core.tile import tiles
from statfast._engine import Chunks, checkpoint, reduce
from statfast._estimator import ColumnMoments
from statfast._typing import Array, Jobs
from statfast._validation import refuse_large, require_finite

# A shift that is this many within-class standard deviations off costs four of sixteen digits.
MAX_DEVIATIONS_OF_SHIFT = 100.0

# The most multiplications of a kernel call, so that Ctrl-C is looked for between two calls: well
# below 0.1 s, as machines with larger tiles are faster.
MULTIPLICATIONS_OF_CALL = min(1e9, 5e6 * prod(tiles.tile_shape("d")))

# Smaller blocks of rows take less time than to hand them over from thread to thread.
MIN_NUMBERS_OF_BLOCK = 1 << 16


def require_finite_sums(sums: Array) -> Array:
    """Sums of squares, or a ValueError where they have overflowed."""
    if not np.isfinite(sums).all():
        raise ValueError(
            "X holds values so large that their squares overflow. Divide its columns by their size."
        )
    return sums


@dataclass(frozen=True)
class ClassMoments:
    """Moments of the rows of K classes; those of two samples add to those of both together."""

    class_counts: NDArray[np.float64]  # (K,) sum of the weights
    means: NDArray[np.float64]  # (K, d)
    within: NDArray[np.float64]  # (d, d) sum of w (x - mean)(x - mean)' over all classes

    def __add__(self, other: ClassMoments) -> ClassMoments:
        # Chan, Golub and LeVeque (1983): nothing is subtracted that is not a difference of means.
        class_counts = self.class_counts + other.class_counts
        share = np.divide(
            other.class_counts,
            class_counts,
            out=np.zeros_like(class_counts),
            where=class_counts > 0.0,
        )[:, None]
        with np.errstate(over="ignore", invalid="ignore"):
            distances = other.means - self.means
            spread = np.sqrt(self.class_counts[:, None] * share) * distances
            within = require_finite_sums(self.within + other.within + spread.T @ spread)
        return ClassMoments(class_counts, self.means + share * distances, within)

    def of_classes(self, classes: Array) -> ClassMoments:
        """Those of some classes, all others having no rows."""
        return ClassMoments(self.class_counts[classes], self.means[classes], self.within)

    def of_columns(self, columns: Array) -> ClassMoments:
        """Those of some columns."""
        within = self.within[np.ix_(columns, columns)]
        return ClassMoments(self.class_counts, np.take(self.means, columns, axis=1), within)

    def column_moments(self) -> ColumnMoments:
        """Moments of the columns of all rows, whatever their classes."""
        total_weight = float(self.class_counts.sum())
        mean = self.class_counts @ self.means / total_weight
        between = self.class_counts @ (self.means - mean) ** 2
        return ColumnMoments(total_weight, mean, self.within.diagonal() + between)

    def rescaled(self, shift: NDArray[np.float64], scale: NDArray[np.float64]) -> ClassMoments:
        """Those of the rows (x - shift) / scale."""
        within = self.within / np.outer(scale, scale)
        return ClassMoments(self.class_counts, (self.means - shift) / scale, within)


@dataclass(frozen=True)
class ClassScatters:
    """The same with a scatter for each class; those of two samples add to those of both."""

    class_counts: NDArray[np.float64]  # (K,) sum of the weights
    means: NDArray[np.float64]  # (K, d)
    scatters: NDArray[np.float64]  # (K, d, d) sum of w (x - mean)(x - mean)' of each class

    def __add__(self, other: ClassScatters) -> ClassScatters:
        class_counts = self.class_counts + other.class_counts
        share = np.divide(
            other.class_counts,
            class_counts,
            out=np.zeros_like(class_counts),
            where=class_counts > 0.0,
        )[:, None]
        with np.errstate(over="ignore", invalid="ignore"):
            distances = other.means - self.means
            spread = np.sqrt(self.class_counts[:, None] * share) * distances
            between = spread[:, :, None] * spread[:, None, :]
            scatters = require_finite_sums(self.scatters + other.scatters + between)
        return ClassScatters(class_counts, self.means + share * distances, scatters)

    def of_classes(self, classes: Array) -> ClassScatters:
        """Those of some classes."""
        return ClassScatters(
            self.class_counts[classes], self.means[classes], self.scatters[classes]
        )

    def of_columns(self, columns: Array) -> ClassScatters:
        """Those of some columns."""
        scatters = np.take(np.take(self.scatters, columns, axis=1), columns, axis=2)
        return ClassScatters(self.class_counts, np.take(self.means, columns, axis=1), scatters)

    def column_moments(self) -> ColumnMoments:
        """Moments of the columns of all rows, whatever their classes."""
        return self.pooled().column_moments()

    def rescaled(self, shift: NDArray[np.float64], scale: NDArray[np.float64]) -> ClassScatters:
        """Those of the rows (x - shift) / scale."""
        scatters = self.scatters / np.outer(scale, scale)
        return ClassScatters(self.class_counts, (self.means - shift) / scale, scatters)

    @property
    def sample_scatters(self) -> NDArray[np.float64]:
        """Those of the rows, also where `scatters` are what an estimator makes of them."""
        return self.scatters

    def pooled(self) -> ClassMoments:
        """The moments with the scatters of all classes added up."""
        return ClassMoments(self.class_counts, self.means, self.scatters.sum(axis=0))


def class_moments(
    X: Array, codes: Array, weights: Array | None, n_classes: int, *, n_jobs: Any = None
) -> ClassMoments:
    """Moments of the classes of X.

    Parameters
    ----------
    X : ndarray of shape (n, d), float64, float32 or uint8, or Chunks of such
    codes : ndarray of shape (n,), intp
        The class of each row, from 0 to ``n_classes - 1``. A class may be missing.
    weights : ndarray of shape (n,), float64, or None
    n_classes : int
    n_jobs : int, optional

    Raises
    ------
    ValueError
        If X holds NaN or infinity, or values whose squares overflow, or if it is `Chunks` of
        another number of rows than `codes` has.

    Notes
    -----
    Rows are taken about a row of their own class, so that subtracting the square of the mean costs
    a bit or two, wherever the classes lie. Should that row be an outlier, a second pass about the
    means just found restores the digits. O(n d^2 + n log n) time, O(d^2 + K d) memory a thread.
    """
    return _moments(X, codes, weights, n_classes, n_jobs, pooled=True)


def class_scatters(
    X: Array, codes: Array, weights: Array | None, n_classes: int, *, n_jobs: Jobs = None
) -> ClassScatters:
    """Moments of the classes of X, with a scatter for each: as `class_moments`, in K d^2 memory."""
    return _moments(X, codes, weights, n_classes, n_jobs, pooled=False)


def _moments(
    X: Array, codes: Array, weights: Array | None, n_classes: int, n_jobs: Jobs, pooled: bool
) -> Any:
    if isinstance(X, Chunks):
        gather = class_moments if pooled else class_scatters
        return total_of_chunks(gather, X, codes, weights, n_classes, n_jobs)
    shift = _first_rows(X, codes, weights, n_classes)
    moments, far = _moments_about(shift, X, codes, weights, n_jobs, pooled)
    if far:
        moments, _ = _moments_about(moments.means, X, codes, weights, n_jobs, pooled)
    return moments


def total_of_chunks(
    gather: Any, chunks: Any, codes: Array, weights: Array | None, n_classes: int, n_jobs: Jobs
) -> Any:
    """Moments of rows that come in chunks, as ``gather`` gives them of each."""
    total, stop = None, 0
    for chunk in chunks:
        start, stop = stop, stop + len(chunk)
        if len(chunk) and stop <= len(codes):
            share = None if weights is None else weights[start:stop]
            more = gather(chunk, codes[start:stop], share, n_classes, n_jobs=n_jobs)
            total = more if total is None else total + more
    if stop != len(codes):
        raise ValueError(
            f"y must have one label per row of X ({stop}); got {len(codes)}. Pass X and y of the "
            "same length."
        )
    return total


def _first_rows(X: Array, codes: Array, weights: Array | None, n_classes: int) -> Array:
    """The first row of each class that has weight; zeros for a class without."""
    first = np.full(n_classes, -1, dtype=np.intp)
    for stop in (4096, len(codes)):
        head = codes[:stop] if weights is None else weights[:stop]
        places = np.arange(len(head)) if weights is None else np.flatnonzero(head)
        # Of several rows the last one assigned stays: the first of the class.
        first[codes[places[::-1]]] = places[::-1]
        if (first >= 0).all():
            break
    rows = np.zeros((n_classes, X.shape[1]))
    rows[first >= 0] = X[first[first >= 0]]
    return rows


def _moments_about(
    shift: Array, X: Array, codes: Array, weights: Array | None, n_jobs: Jobs, pooled: bool
) -> tuple[Any, bool]:
    """Class moments from sums about ``shift`` (K, d), and whether it was far from the means."""
    n_classes, d = shift.shape
    step = max(64, int(MULTIPLICATIONS_OF_CALL / d**2))
    add, shape = (class_scatter, (d, d)) if pooled else (add_scatters, (n_classes, d, d))
    refuse_large(8 * prod(shape), f"A covariance matrix of {d} columns for each class", "Drop some")

    def partial(
        rows: slice, block: Array, block_codes: Array, block_weights: Array | None
    ) -> tuple[Array, Array, Array]:
        class_counts, sums, scatter = np.zeros(n_classes), np.zeros((n_classes, d)), np.zeros(shape)
        for start in range(0, len(block), step):
            where = slice(start, start + step)
            share = None if block_weights is None else block_weights[where]
            add(block[where], block_codes[where], share, shift, class_counts, sums, scatter)
            checkpoint()
        return class_counts, sums, scatter

    def merge(total: Any, more: Any) -> Any:
        for sums, added in zip(total, more, strict=True):
            sums += added
        return total

    with np.errstate(over="ignore", invalid="ignore"):  # An overflow is found and refused below.
        class_counts, sums, scatter = reduce(
            partial,
            X,
            codes,
            weights,
            merge=merge,
            n_jobs=n_jobs,
            effort=float(X.size) * d,
            # Zeroing and adding d x d sums is a small part, as is handing over a block.
            least=max(256, 4 * d, MIN_NUMBERS_OF_BLOCK // max(1, d)),
        )
    if not (np.isfinite(scatter).all() and np.isfinite(sums).all()):
        require_finite(X)
        require_finite_sums(np.array(np.inf))
    offset = np.divide(
        sums, class_counts[:, None], out=np.zeros_like(sums), where=class_counts[:, None] > 0.0
    )
    moved = np.sqrt(class_counts)[:, None] * offset
    with np.errstate(over="ignore", invalid="ignore"):
        lost = moved.T @ moved if pooled else moved[:, :, None] * moved[:, None, :]
        rest = require_finite_sums(scatter - lost)
    if pooled:
        within, far = _mirrored(rest, (moved**2).sum(axis=0))
        return ClassMoments(class_counts, shift + offset, within), far
    within, far = _mirrored(rest, moved**2)
    return ClassScatters(class_counts, shift + offset, within), far


def _mirrored(scatter: Array, moved: Array) -> tuple[Array, bool]:
    """Symmetric scatters from their lower triangles, and whether too much was taken off them."""
    j = np.arange(scatter.shape[-1])
    within = np.where(j[:, None] >= j, scatter, np.swapaxes(scatter, -1, -2))
    variances = within[..., j, j].clip(0.0)
    within[..., j, j] = variances
    with np.errstate(over="ignore"):
        return within, bool((moved > MAX_DEVIATIONS_OF_SHIFT**2 * variances).any())
