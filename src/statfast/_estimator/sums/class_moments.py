# SPDX-License-Identifier: BSD-3-Clause
"""Moments of each column within each class, from one pass over dense or CSR rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.rows.column_moments import class_moments
from statfast._estimator.sums.moments import OVERFLOW, VANISHING
from statfast._typing import Array
from statfast._validation import require_finite

# A shift so many standard deviations off costs four of sixteen digits.
MAX_DEVIATIONS_OF_SHIFT = 100.0


@dataclass(frozen=True)
class MomentsByClass:
    """Weight, mean and squares about the mean of each column in each class, (K, d) each."""

    class_counts: NDArray[np.float64]
    means: NDArray[np.float64]
    squares: NDArray[np.float64]

    def __add__(self, other: MomentsByClass) -> MomentsByClass:
        # Chan, Golub and LeVeque (1983): nothing is subtracted that is not a difference of means.
        class_counts = self.class_counts + other.class_counts
        share = np.divide(
            other.class_counts,
            class_counts,
            out=np.zeros_like(class_counts),
            where=class_counts > 0.0,
        )
        with np.errstate(over="ignore", invalid="ignore"):  # Who solves looks for overflow.
            distances = other.means - self.means
            squares = self.squares + other.squares + self.class_counts * share * distances**2
            return MomentsByClass(class_counts, self.means + share * distances, squares)

    def of_classes(self, kept: Any) -> MomentsByClass:
        """Moments of some of the classes."""
        return MomentsByClass(self.class_counts[kept], self.means[kept], self.squares[kept])

    def of_columns(self, columns: Array) -> MomentsByClass:
        """Moments of some of the columns."""
        tables = (self.class_counts, self.means, self.squares)
        return MomentsByClass(*(np.take(table, columns, axis=1) for table in tables))

    def of_all_classes(self) -> MomentsByClass:
        """Moments of all classes, (1, d)."""
        total = self.of_classes([0])
        for k in range(1, len(self.class_counts)):
            total = total + self.of_classes([k])
        return total


def moments_by_class(
    rows: Any, codes: Array, weights: Array | None, n_classes: int, missing: bool = False
) -> MomentsByClass:
    """Moments of a block, in which a missing value may count for nothing."""
    if hasattr(rows, "indptr"):
        return _of_sparse(rows, codes, weights, n_classes)
    d = rows.shape[1]
    first = np.full(n_classes, -1, np.intp)
    # Of several rows the last one assigned stays: the first of the class.
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    shift = np.zeros((n_classes, d))
    shift[first >= 0] = rows[first[first >= 0]]
    class_counts, present, gone = np.zeros(n_classes), np.zeros((n_classes, d)), None
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(3):
            whole = rows if gone is None else np.where(gone, shift[codes], rows)
            class_counts[:], sums, squares = 0.0, np.zeros((n_classes, d)), np.zeros((n_classes, d))
            class_moments(whole, codes, weights, shift, class_counts, sums, squares)
            if missing and gone is None and np.isnan(sums).any():
                gone = np.isnan(rows)
                shift = np.where(np.isnan(shift), 0.0, shift)
                here = (~gone).astype(np.float64)
                class_moments(
                    here, codes, weights, np.zeros((n_classes, d)), class_counts, present, None
                )
                continue
            counts = np.tile(class_counts[:, None], d) if gone is None else present
            offset = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0.0)
            lost = counts * offset**2
            squares = (squares - lost).clip(0.0)
            means = np.where(counts > 0.0, shift + offset, 0.0)
            if not (lost > MAX_DEVIATIONS_OF_SHIFT**2 * squares).any():
                break
            shift = shift + offset
    return MomentsByClass(counts, means, squares)


def _of_sparse(rows: Any, codes: Array, weights: Array | None, n_classes: int) -> MomentsByClass:
    """The same of CSR rows: what is not stored is zero."""
    d, lengths = rows.shape[1], np.diff(rows.indptr)
    class_counts = np.bincount(codes, weights, n_classes).astype(np.float64)
    row_weights = np.ones(len(codes)) if weights is None else weights
    value_weights = np.repeat(row_weights, lengths)
    places = np.repeat(codes * d, lengths) + rows.indices

    def table(values: Array) -> Array:
        totals = np.bincount(places, values, n_classes * d).astype(np.float64, copy=False)
        return totals.reshape(n_classes, d)

    with np.errstate(over="ignore", invalid="ignore"):
        sums = table(value_weights * rows.data)
        total = class_counts[:, None]
        means = np.divide(sums, total, out=np.zeros_like(sums), where=total > 0.0)
        squares = table(value_weights * (rows.data - means.ravel()[places]) ** 2)
        squares += (total - table(value_weights)).clip(0.0) * means**2
    return MomentsByClass(np.tile(total, d), means, squares)


def require_sound_squares(
    rows: Any, weights: Array | None, squares: Array, means: Array, missing: bool = False
) -> None:
    """Refuse rows that hold infinity, or NaN unless values may be missing, whose squares overflow,
    or vanish although values differ; `squares` are those about the `means`, (K, d) of classes."""
    if not (np.isfinite(squares).all() and np.isfinite(means).all()):
        if not hasattr(rows, "indptr"):
            require_finite(np.where(np.isnan(rows), 0.0, rows) if missing else rows)
        raise ValueError(OVERFLOW)
    flat = np.flatnonzero((squares == 0.0).all(axis=0))
    if not len(flat) or rows.dtype.kind == "u" or hasattr(rows, "indptr"):
        return
    values = rows[:, flat] if weights is None else rows[weights > 0.0][:, flat]
    values = np.where(np.isnan(values), 0.0, values) if missing else values
    size = np.abs(values).max(axis=0, initial=0.0)
    if ((size > 0.0) & (size < np.sqrt(np.finfo(np.float64).tiny))).any() and np.ptp(
        values, axis=0
    ).any():
        raise ValueError(VANISHING)
