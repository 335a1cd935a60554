# SPDX-License-Identifier: BSD-3-Clause
"""Moments of columns: weight, means and sums of squares about them, from one pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.rows.column_moments import column_moments as add_moments
from statfast._engine import checkpoint
from statfast._typing import Array
from statfast._validation import require_finite

NUMBERS_BETWEEN_CHECKPOINTS = 1 << 19  # Ctrl-C is looked for after so many numbers.
DEFAULT_ROWS = 10.0  # The number of rows that is assumed where moments do not know theirs.
# Beyond so many squared standard deviations of the mean from the shift, sums are taken anew.
MAX_SQUARED_DEVIATIONS = 10.0
OVERFLOW = "X holds values so large that their squares overflow. Divide its columns by their size."
VANISHING = "X holds columns so small that their squares vanish. Divide them by their size."


@dataclass(frozen=True)
class UnknownSums:
    """The sums of a model that was not fitted here: nothing can be added to them."""

    source: str = "scikit-learn"

    def __add__(self, other: Any) -> Any:
        raise ValueError(f"partial_fit adds to sums of rows, and {self._reason()}")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(self._reason())

    def _reason(self) -> str:
        return (
            f"this model comes from {self.source}, which keeps none. Fit it with statfast, to all "
            "rows."
        )


@dataclass(frozen=True)
class ColumnMoments:
    """Those of two samples add to those of both together.

    Where columns have missing values, the weight and the number of rows are arrays, (d,).
    """

    total_weight: Any  # sum of the weights
    mean: NDArray[np.float64]  # (d,)
    squares: NDArray[np.float64]  # (d,) sum of w (x - mean)^2
    rows: Any = DEFAULT_ROWS  # Rows with a positive weight.

    def __add__(self, other: ColumnMoments) -> ColumnMoments:
        # Chan, Golub and LeVeque (1983)
        total_weight = self.total_weight + other.total_weight
        if not np.any(total_weight):
            return self
        share = other.total_weight / np.where(total_weight > 0.0, total_weight, 1.0)
        with np.errstate(over="ignore", invalid="ignore"):
            shift = other.mean - self.mean
            squares = self.squares + other.squares + self.total_weight * share * shift**2
        if not np.isfinite(squares).all():
            raise ValueError(OVERFLOW)
        return ColumnMoments(
            total_weight, self.mean + share * shift, squares, self.rows + other.rows
        )

    def variances(self) -> NDArray[np.float64]:
        """With divisor the weight; NaN for columns without values."""
        with np.errstate(invalid="ignore"):
            return self.squares / self.total_weight

    def scales(self) -> NDArray[np.float64]:
        """Standard deviations (divisor the weight); 1 where rounding may be all there is: rows
        round, whatever they weigh."""
        spread = np.sqrt(self.variances())
        tiny = np.finfo(np.float64).eps * self.rows
        return np.where(spread <= tiny * np.abs(self.mean) * (1.0 + tiny), 1.0, spread)


def column_moments(X: Any, weights: Array | None, allow_nan: bool = False) -> ColumnMoments:
    """Moments of the columns of a block of dense or CSR rows (m, d).

    They are taken about a row of the block, so that a constant column has none, and about the means
    where that row proves an outlier. With `allow_nan`, NaN is a value that is missing.
    """
    if hasattr(X, "indptr"):
        if allow_nan and np.isnan(X.data).any():
            return _of_gaps(X, weights)
        return _of_sparse(X, weights)
    m, d = X.shape
    table = np.ascontiguousarray(X, dtype=np.float32 if X.dtype == np.float32 else np.float64)
    w = np.ones(m) if weights is None else weights
    total_weight = float(w.sum())
    about = table[np.argmax(w > 0.0)].astype(np.float64)  # This row has a positive weight.
    step = max(1, NUMBERS_BETWEEN_CHECKPOINTS // d)
    for _ in range(2):
        both = np.zeros((2, d))
        with np.errstate(over="ignore", invalid="ignore"):  # An overflow is found below.
            for start in range(0, m, step):
                checkpoint()
                piece = slice(start, start + step)
                add_moments(table[piece], w[piece], about, *both)
            offset = both[0] / total_weight if total_weight else np.zeros(d)
            squares = (both[1] - total_weight * offset**2).clip(0.0)
            far = total_weight * offset**2 > MAX_SQUARED_DEVIATIONS * squares
        if not (np.isfinite(both).all() and np.isfinite(squares).all()):
            if allow_nan and np.isnan(X).any():  # looked for only where sums tell that it is there
                return _of_gaps(X, weights)
            require_finite(X)
            raise ValueError(OVERFLOW)
        if not (far & (squares > 0)).any():
            break
        about = about + np.where(far, offset, 0.0)
    flat = np.flatnonzero((both[1] == 0.0) & (total_weight > 0.0))
    if len(flat) and (table[w > 0.0][:, flat] != about[flat]).any():
        raise ValueError(VANISHING)
    return ColumnMoments(total_weight, about + offset, squares, float(np.count_nonzero(w)))


def _of_gaps(X: Any, weights: Array | None) -> ColumnMoments:
    """The same column by column, each without its missing values."""
    if not hasattr(X, "indptr"):
        require_finite(X, allow_nan=True)
    w = np.ones(X.shape[0]) if weights is None else weights
    columns = X.tocsc() if hasattr(X, "indptr") else X
    parts = []
    for j in range(X.shape[1]):
        checkpoint()
        column = columns[:, [j]].toarray() if hasattr(X, "indptr") else X[:, [j]]
        there = ~np.isnan(column[:, 0])
        if w[there].any():
            parts.append(column_moments(column[there], w[there]))
        else:
            parts.append(ColumnMoments(0.0, np.zeros(1), np.zeros(1), 0.0))
    return ColumnMoments(
        np.array([part.total_weight for part in parts]),
        np.concatenate([part.mean for part in parts]),
        np.concatenate([part.squares for part in parts]),
        np.array([part.rows for part in parts]),
    )


def _of_sparse(X: Any, weights: Array | None) -> ColumnMoments:
    """The same of CSR rows: what is not stored is zero."""
    d = X.shape[1]
    w = np.ones(X.shape[0]) if weights is None else weights
    total_weight = float(w.sum())
    each = np.repeat(w, np.diff(X.indptr))
    stored = np.bincount(X.indices, each, d)
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.bincount(X.indices, each * X.data, d)
        mean = total / total_weight if total_weight else np.zeros(d)
        stored_squares = np.bincount(X.indices, each * (X.data - mean[X.indices]) ** 2, d)
        squares = stored_squares + (total_weight - stored).clip(0.0) * mean**2
    if not np.isfinite(squares).all():
        raise ValueError(OVERFLOW)
    return ColumnMoments(total_weight, mean, squares, float(np.count_nonzero(w)))
