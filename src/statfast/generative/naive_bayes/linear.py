# SPDX-License-Identifier: BSD-3-Clause
"""Densities whose logarithm is linear in the row: counts, presences and rates."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from statfast._core.generative.count_tables import add_counts
from statfast._core.generative.count_tables import scores as sparse_scores
from statfast._core.generative.linear_scores import scores as dense_scores
from statfast._core.generative.linear_scores import softmax
from statfast._core.rows.column_moments import class_moments
from statfast._typing import Array, Matrix
from statfast._validation import (
    as_real,
    compress_rows,
    explain_nonfinite,
    is_sparse,
    parts_of,
    shown,
    warn_user,
    wrong_type,
)
from statfast.generative.naive_bayes.density import FittedDensity, SparseBlock

PADDING = 8  # The kernel reads so many numbers beyond a table along with its last row.


def flat_table(d: int, classes: int) -> Array:
    """Room for a table (d, K) as the kernel of sparse rows takes it: flat, and a little more."""
    flat = np.empty(d * classes + PADDING)
    flat[-PADDING:] = 0.0
    return flat


def table_of(flat: Array, classes: int) -> Array:
    """The table (d, K), a view."""
    return flat[:-PADDING].reshape(-1, classes)


class FittedLinear(FittedDensity):
    """Log densities ``base + row @ table``, (K,) and (d, K), where 0 times -inf is 0.

    `flat` is a `flat_table`; `zero` (K, d) are the terms of a value of 0 in each column, which sum
    to `base`.
    """

    def __init__(self, flat: Array, classes: int, zero: Array | None = None) -> None:
        self.flat, self.classes, self.zero = flat, classes, zero
        self.base = np.zeros(classes) if zero is None else zero.sum(axis=1)
        table = self.table
        self.barred = np.isneginf(table) if len(table) and table.min() == -np.inf else None

    @property
    def table(self) -> Array:
        return table_of(self.flat, self.classes)

    @cached_property
    def coef(self) -> Array:
        """The finite part of the table by classes, for dense rows."""
        finite = self.table if self.barred is None else np.where(self.barred, 0.0, self.table)
        return np.ascontiguousarray(finite.T)

    def prepared(self, rows: SparseBlock | Array) -> SparseBlock | Array:
        """The row as the table wants it."""
        return rows

    def scores(self, rows, begin):
        rows = self.prepared(rows)
        begin = begin + self.base
        out = np.empty((rows.shape[0], len(begin)))
        if is_sparse(rows):
            sparse_scores(*parts_of(rows), self.flat, begin, False, out)
            return out
        low = np.isneginf(begin)
        dense_scores(rows, self.coef, np.where(low, 0.0, begin), out)
        if self.barred is not None:
            out[(rows > 0.0).astype(np.float64) @ self.barred > 0.0] = -np.inf
        out[:, low] = -np.inf
        return out

    def posteriors(self, rows: SparseBlock | Array, begin: Array, out: Array) -> int:
        begin = begin + self.base
        if self.barred is not None or np.isneginf(begin).any():
            return False
        if is_sparse(rows):
            return sparse_scores(*parts_of(self.prepared(rows)), self.flat, begin, True, out)
        return softmax(self.prepared(rows), self.coef, begin, out)

    def terms(self, rows: Array) -> Array:
        rows = np.asarray(self.prepared(rows), dtype=np.float64)[:, None, :]
        with np.errstate(invalid="ignore"):
            terms = np.where(rows == 0.0, 0.0, rows * self.table.T)
        return terms if self.zero is None else terms + self.zero


def column_sums(
    rows: SparseBlock | Array, codes: Array, weights: Array | None, n_classes: int
) -> Array:
    """Weighted sums (d, K) of each column in each class."""
    table = np.zeros((rows.shape[1], n_classes))
    if is_sparse(rows):
        start, column, value = parts_of(rows)
        add_counts(start, column, value, codes, weights, table)
        return table
    sums = np.zeros((n_classes, rows.shape[1]))
    class_moments(rows, codes, weights, np.zeros_like(sums), np.zeros(n_classes), sums, None)
    return np.ascontiguousarray(sums.T)


def gaps_of(rows: Any) -> Array | None:
    """Where values are missing, or None."""
    gone = np.isnan(rows) if not is_sparse(rows) and rows.dtype.kind == "f" else None
    return gone if gone is not None and gone.any() else None


def require_no_infinity(rows: Matrix) -> None:
    """Refuse infinite values where NaN is let through."""
    if not is_sparse(rows) and rows.dtype.kind == "f" and np.isinf(rows).any():
        explain_nonfinite(np.where(np.isnan(rows), 0.0, rows), "X")


MAX_SMOOTHING = 1e100  # Sums of pseudo-counts up to here do not overflow.


def as_alpha(alpha: Any, force_alpha: bool, d: int) -> Array | float:
    """Additive smoothing: a number, or one for each of d columns (0 if not known yet)."""
    if hasattr(alpha, "__len__") and not isinstance(alpha, str | dict):
        try:
            values = np.asarray(alpha, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise wrong_type("alpha", "a number, or one for each column", alpha) from error
        if not values.size:
            raise wrong_type("alpha", "a number, or one for each column", alpha)
        if values.ndim != 1 or (d and len(values) != d):
            raise ValueError(
                f"alpha must be a number, or one for each of the {d} columns; got shape "
                f"{values.shape}."
            )
        if not ((values >= 0.0) & (values <= MAX_SMOOTHING)).all():
            raise ValueError(
                f"alpha must be finite and not negative, at most {MAX_SMOOTHING:g}; got "
                f"{shown(alpha)}."
            )
    else:
        values = as_real(alpha, "alpha", 0.0, MAX_SMOOTHING)
    if not force_alpha and np.min(values) < 1e-10:
        warn_user("alpha is raised to 1e-10; force_alpha=True leaves it as it is.")
        values = np.maximum(values, 1e-10)
    return values


def nonzeros(rows: Any, start: Any = 0) -> Any:
    """Row numbers, columns and values of the nonzeros."""
    rows = rows if is_sparse(rows) else compress_rows(np.asarray(rows, dtype=np.float64))
    lengths = np.diff(rows.indptr)
    return np.repeat(np.arange(rows.shape[0]), lengths), rows.indices, rows.data
