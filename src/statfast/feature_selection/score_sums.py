# SPDX-License-Identifier: BSD-3-Clause
"""Scores of single columns that are solved from sums over rows, wherever these lie.

A function such as `f_classif` is a `ScoreSums`: statistics of a block of rows that add up, and what
they are solved for. The function sums them up at once; a selector has them summed up as any other
fit that is a sum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._engine import Chunks
from statfast._estimator import ROW_DTYPES, FitState, summed, weighted_labels
from statfast._typing import Array
from statfast._validation import (
    as_csr,
    as_rows,
    as_targets,
    as_weights,
    column_names,
    is_sparse,
    shape_of,
)


@dataclass(frozen=True)
class ScoreSums:
    """A score of each column that is a function of sums over the rows."""

    has_labels: bool  # Whether y are labels; else they are numbers.
    statistics: Callable[[tuple[Any, ...], FitState], Any]
    solve: Callable[..., tuple[Array, Array | None]]  # of statistics and options: scores, p-values

    def prepare(self, X: Any, y: Any, sample_weight: Any) -> tuple[tuple[Any, ...], FitState]:
        """Checked columns (X, codes or numbers, weights), and what is known of all rows."""
        if isinstance(X, Chunks):
            rows, n, width = X, None, 0
        else:
            rows = as_csr(X) if is_sparse(X) else as_rows(X, keep=ROW_DTYPES, finite=False)
            n, width = rows.shape
        if self.has_labels:
            classes, codes, weights = weighted_labels(y, n, sample_weight, least=2)
            return (rows, codes, weights), FitState(width, column_names(X), classes, self)
        targets = as_single_target(y, n)
        weights = as_weights(sample_weight, len(targets))
        return (rows, targets, weights), FitState(width, column_names(X), None, self)

    def total(self, columns: tuple[Any, ...], state: FitState) -> Any:
        """Statistics of all rows in memory or in chunks."""
        n_classes = 1 if state.classes is None else len(state.classes)
        return summed(self.statistics, columns, state, least=max(256, 16 * n_classes))

    def scores(self, X: Any, y: Any, sample_weight: Any, **options: Any) -> tuple[Array, Any]:
        """Scores and p-values of the columns, (d,) each."""
        columns, state = self.prepare(X, y, sample_weight)
        return self.solve(self.total(columns, state), **options)


def score_statistics(columns: tuple[Any, ...], state: FitState) -> Any:
    """Statistics of a block of rows for the score that the state names."""
    return state.more.statistics(columns, state)


def as_single_target(y: Any, n: int | None) -> Array:
    """Check the numbers of one output: float64 of shape (n,)."""
    targets, _ = as_targets(y, shape_of(y)[0] if n is None and shape_of(y) else n or 0)
    if targets.shape[1] > 1:
        raise ValueError(
            f"y should be a 1d array, got an array of shape {targets.shape} instead. Score the "
            "columns for each output by itself."
        )
    return np.ascontiguousarray(targets[:, 0])
