# SPDX-License-Identifier: BSD-3-Clause
"""Sources of rows, in memory or elsewhere: one pass returns the sum of statistics of their pieces.

A `RowSource` holds columns with a row for each sample: X first, then targets, weights and others.
`total` works on pieces of all columns at once: blocks of rows in memory or of `Chunks`, or `Parts`
where they lie. It adds up their statistics in the order of the rows. A fit that is written as a
`Work` takes rows of any source, with the same bits for any number of threads and workers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import iadd
from typing import Any, Protocol

import numpy as np

from statfast._engine.blocks import fold, grid, reduce
from statfast._engine.chunks import Chunks


@dataclass(frozen=True)
class Work:
    """The statistics of a piece of the rows: ``function(columns, state)``.

    The function is defined in a module, so that it can be sent to workers, and changes neither the
    columns nor the state. Its statistics have a ``+``; those with a ``+=`` are added in place.
    """

    function: Callable[..., Any]
    numbered: bool = False  # whether it takes the number of the part, as a third argument
    empty: bool = False  # whether it is also called for parts without rows or without weight
    row_cost: float = np.inf  # floating-point operations of a row, about
    min_rows: int = 256  # of a block in memory; it should grow with the statistics

    def apply(self, columns: tuple[Any, ...], state: Any, number: int) -> Any:
        """The statistics of a part, (X, y, weights) or (documents,); None if it is left out."""
        rows, weights = columns[0], columns[2] if len(columns) > 2 else None
        if not self.empty and not (len(rows) and has_weight(weights)):
            return None
        numbers = (number,) if self.numbered else ()
        return self.function(columns, state, *numbers)


class RowSource(Protocol):
    """Rows in memory, in a stream of chunks, sparse, or in parts that lie elsewhere."""

    def total(self, work: Work, state: Any = None) -> Any:
        """The sum of the statistics of all pieces, merged in the order of the rows."""


@dataclass(frozen=True)
class InMemory:
    """Dense rows in an array or a memory map, in blocks on threads."""

    columns: tuple[Any, ...]  # X of shape (n, d); the others of shape (n, ...), or None
    n_jobs: int | None = None

    def total(self, work: Work, state: Any = None) -> Any:
        """See `RowSource`."""

        def on_block(_: slice, *block: Any) -> Any:
            return work.function(block, state)

        return reduce(
            on_block, *self.columns, merge=iadd, n_jobs=self.n_jobs,
            effort=self._n_rows() * work.row_cost, least=work.min_rows,
        )  # fmt: skip

    def _n_rows(self) -> float:
        return float(len(self.columns[0]))


class Streamed(InMemory):
    """Rows that come as `Chunks`, beside columns in memory."""

    def _n_rows(self) -> float:
        """The number of rows, as far as it is known before a pass."""
        return min(
            (float(len(column)) for column in self.columns[1:] if column is not None),
            default=np.inf,
        )


class SparseInMemory(InMemory):
    """Rows in CSR form."""

    def total(self, work: Work, state: Any = None) -> Any:
        """See `RowSource`."""

        def on_block(rows: slice) -> Any:
            return work.function(tuple(rows_at(column, rows) for column in self.columns), state)

        n = self.columns[0].shape[0]
        blocks = grid(n, work.min_rows)
        return fold(on_block, blocks, merge=iadd, n_jobs=self.n_jobs, effort=n * work.row_cost)


def source_of(columns: tuple[Any, ...], n_jobs: int | None = None) -> InMemory:
    """The source of columns that this process reads; X is dense rows, CSR rows or `Chunks`."""
    X = columns[0]
    if isinstance(X, Chunks):
        return Streamed(columns, n_jobs)
    return (SparseInMemory if hasattr(X, "indptr") else InMemory)(columns, n_jobs)


def rows_at(column: Any, places: Any) -> Any:
    """Entries of a column of the rows; None stays None."""
    return None if column is None else column[places]


def has_weight(weights: Any) -> bool:
    """Whether any row of a part has weight."""
    return weights is None or bool(np.any(weights))
